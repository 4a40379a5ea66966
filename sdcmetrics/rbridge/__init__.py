"""R's synthpop itself, from Python: any replica as its object, its functions, its results.

R runs in a process of its own, so that it can crash, hang or run out of memory without taking
this one with it. rpy2 is imported there and nowhere else. Without R only this package is lost.
"""

from __future__ import annotations

from sdcmetrics.errors import RError
from sdcmetrics.microdata.read_synds import read_synds
from sdcmetrics.rbridge.disclosure import (
    Disclosure,
    disclosure,
    multi_disclosure,
    replicated_uniques,
)
from sdcmetrics.rbridge.fits import FitComparison, glm_fit, lm_fit, multinom_fit, polr_fit
from sdcmetrics.rbridge.generate import from_rpy2, syn, write_rds
from sdcmetrics.rbridge.session import Session, default_session
from sdcmetrics.rbridge.status import Status, status
from sdcmetrics.rbridge.synds import Synds, as_synds
from sdcmetrics.rbridge.utility import (
    Comparison,
    PropensityUtility,
    compare,
    utility_gen,
    utility_tab,
    utility_tables,
)

__all__ = [
    "Comparison",
    "Disclosure",
    "FitComparison",
    "PropensityUtility",
    "RError",
    "Session",
    "Status",
    "Synds",
    "as_synds",
    "compare",
    "default_session",
    "disclosure",
    "from_rpy2",
    "glm_fit",
    "lm_fit",
    "multi_disclosure",
    "multinom_fit",
    "polr_fit",
    "read_synds",
    "replicated_uniques",
    "status",
    "syn",
    "utility_gen",
    "utility_tab",
    "utility_tables",
    "write_rds",
]
