"""synthpop's tables, and the Comparative Metrics Framework's, straight from data frames."""

from sdcmetrics.tables.backward_elimination import BackwardElimination, backward_elimination
from sdcmetrics.tables.cap import CapResult, cap
from sdcmetrics.tables.disclosure import DisclosureResult, disclosure, multi_disclosure
from sdcmetrics.tables.fit_overlap import FitOverlap, fit_overlap
from sdcmetrics.tables.utility import (
    RatioOfCounts,
    ratio_of_counts,
    tvd,
    utility_tab,
    utility_tables,
)
from sdcmetrics.tables.weighted_overlap import WeightedOverlap, weighted_overlap

__all__ = [
    "BackwardElimination",
    "CapResult",
    "DisclosureResult",
    "FitOverlap",
    "RatioOfCounts",
    "WeightedOverlap",
    "backward_elimination",
    "cap",
    "disclosure",
    "fit_overlap",
    "multi_disclosure",
    "ratio_of_counts",
    "tvd",
    "utility_tab",
    "utility_tables",
    "weighted_overlap",
]
