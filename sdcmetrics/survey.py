"""Samples with weights, strata, clusters and households, and replicas of them."""

from __future__ import annotations

from sdcmetrics.measures.anonymity.household_uniqueness import household_uniqueness
from sdcmetrics.measures.anonymity.individual_risk import individual_risk
from sdcmetrics.measures.crosstables.weight_check import WeightCheck, check_weights
from sdcmetrics.measures.crosstables.weighted import WeightedTables, weighted_tables
from sdcmetrics.measures.crosstables.weighted_compare import WeightedComparison, weighted_compare
from sdcmetrics.measures.distributions.weighted_wasserstein import weighted_wasserstein
from sdcmetrics.measures.fidelity.weighted_fidelity import WeightedFidelity, weighted_fidelity
from sdcmetrics.measures.fits.survey_overlap import SurveyOverlap, survey_overlap
from sdcmetrics.measures.survey.design import Design
from sdcmetrics.measures.survey.households import Households

__all__ = [
    "Design",
    "Households",
    "SurveyOverlap",
    "WeightCheck",
    "WeightedComparison",
    "WeightedFidelity",
    "WeightedTables",
    "check_weights",
    "household_uniqueness",
    "individual_risk",
    "survey_overlap",
    "weighted_compare",
    "weighted_fidelity",
    "weighted_tables",
    "weighted_wasserstein",
]
