"""Models fitted to an original and to a replica, and their overlap."""

from __future__ import annotations

from sdcmetrics.measures.fits.backward_elimination import BackwardElimination, backward_elimination
from sdcmetrics.measures.fits.fit_overlap import FitOverlap, fit_overlap
from sdcmetrics.measures.fits.mean_ci_overlap import MeanOverlap, mean_ci_overlap
from sdcmetrics.measures.fits.survey_overlap import SurveyOverlap, survey_overlap
from sdcmetrics.measures.fits.synthetic_fit import SyntheticFit, synthetic_fit
from sdcmetrics.measures.fits.weighted_overlap import WeightedOverlap, weighted_overlap

__all__ = [
    "BackwardElimination",
    "FitOverlap",
    "MeanOverlap",
    "SurveyOverlap",
    "SyntheticFit",
    "WeightedOverlap",
    "backward_elimination",
    "fit_overlap",
    "mean_ci_overlap",
    "survey_overlap",
    "synthetic_fit",
    "weighted_overlap",
]
