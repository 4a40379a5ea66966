"""synthpop's tables, and the Comparative Metrics Framework's, straight from data frames."""

from sdcmetrics.tables.cap import CapResult, cap
from sdcmetrics.tables.disclosure import DisclosureResult, disclosure, multi_disclosure
from sdcmetrics.tables.propensity import UtilityGen, utility_gen
from sdcmetrics.tables.utility import (
    RatioOfCounts,
    ratio_of_counts,
    tvd,
    utility_tab,
    utility_tables,
)

__all__ = [
    "CapResult",
    "DisclosureResult",
    "RatioOfCounts",
    "UtilityGen",
    "cap",
    "disclosure",
    "multi_disclosure",
    "ratio_of_counts",
    "tvd",
    "utility_gen",
    "utility_tab",
    "utility_tables",
]
