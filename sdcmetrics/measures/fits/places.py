"""Where fits are compared: every model, all of them, and the mean of every numeric column."""

from __future__ import annotations

from sdcmetrics.measures.measure import Kind

__all__ = ["FIT", "FITS", "MEANS"]

FIT = Kind("a fitted model", "`FitOverlap`; a number", per="model", option="[[model]]")
FITS = Kind("all fitted models", "the `FitOverlap` of each; a number", option="[[model]]")
MEANS = Kind("means of the numeric columns", "`MeanOverlap`; a number")
