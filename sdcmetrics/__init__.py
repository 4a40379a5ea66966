"""Statistical disclosure review of synthetic microdata.

May this replica of confidential microdata be released, and is it worth releasing?
"""

from __future__ import annotations

import importlib
from types import ModuleType

from sdcmetrics.catalogue import CATALOGUE, explain
from sdcmetrics.conduct import conduct
from sdcmetrics.crosscheck import CrossCheck, crosscheck
from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.microdata import Fix, Microdata, read, read_synds
from sdcmetrics.policy import judge, load_profile
from sdcmetrics.review import Review
from sdcmetrics.study import Scenario, Study, read_study
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
    "CATALOGUE",
    "CapResult",
    "CrossCheck",
    "DisclosureResult",
    "Fix",
    "Microdata",
    "RatioOfCounts",
    "Review",
    "Scenario",
    "SdcMetricsError",
    "Study",
    "cap",
    "conduct",
    "crosscheck",
    "disclosure",
    "explain",
    "judge",
    "load_profile",
    "multi_disclosure",
    "ratio_of_counts",
    "read",
    "read_study",
    "read_synds",
    "tvd",
    "utility_tab",
    "utility_tables",
]

_LATER = ("demo", "rbridge", "report")  # imported when they are first used, for a fast start


def __getattr__(name: str) -> ModuleType:
    if name in _LATER:
        return importlib.import_module(f"sdcmetrics.{name}")
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
