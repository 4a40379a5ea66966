"""Statistical disclosure review of synthetic microdata.

May this replica of confidential microdata be released, and is it worth releasing?
"""

from __future__ import annotations

import importlib
from types import ModuleType

from sdcmetrics.catalogue import CATALOGUE, explain
from sdcmetrics.conduct import conduct
from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.microdata import Fix, Microdata, read
from sdcmetrics.policy import judge, load_profile
from sdcmetrics.review import Review
from sdcmetrics.study import Scenario, Study, read_study
from sdcmetrics.tables import (
    CapResult,
    DisclosureResult,
    RatioOfCounts,
    UtilityGen,
    cap,
    disclosure,
    multi_disclosure,
    ratio_of_counts,
    tvd,
    utility_gen,
    utility_tab,
    utility_tables,
)

__version__ = "0.1.0"

__all__ = [
    "CATALOGUE",
    "CapResult",
    "DisclosureResult",
    "Fix",
    "Microdata",
    "RatioOfCounts",
    "Review",
    "Scenario",
    "SdcMetricsError",
    "Study",
    "UtilityGen",
    "cap",
    "conduct",
    "disclosure",
    "explain",
    "judge",
    "load_profile",
    "multi_disclosure",
    "ratio_of_counts",
    "read",
    "read_study",
    "tvd",
    "utility_gen",
    "utility_tab",
    "utility_tables",
]

_LATER = ("demo", "report")  # imported when they are first used, for a fast start


def __getattr__(name: str) -> ModuleType:
    if name in _LATER:
        return importlib.import_module(f"sdcmetrics.{name}")
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
