"""Statistical disclosure review of synthetic microdata.

May this replica of confidential microdata be released, and is it worth releasing?
"""

from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.tables import (
    CapResult,
    DisclosureResult,
    RatioOfCounts,
    cap,
    disclosure,
    multi_disclosure,
    ratio_of_counts,
    tvd,
    utility_tab,
    utility_tables,
)

__version__ = "0.1.0"

__all__ = [
    "CapResult",
    "DisclosureResult",
    "Fix",
    "Microdata",
    "RatioOfCounts",
    "cap",
    "disclosure",
    "multi_disclosure",
    "ratio_of_counts",
    "tvd",
    "utility_tab",
    "utility_tables",
]
