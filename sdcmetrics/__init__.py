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
from sdcmetrics.ranking.compare_replicas import compare_replicas
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.review import Review
from sdcmetrics.rules.rule import Rule
from sdcmetrics.study import Scenario, Study, read_study
from sdcmetrics.tables import (
    BackwardElimination,
    CapResult,
    ClosestRecord,
    Comparison,
    DisclosureResult,
    Edited,
    FitOverlap,
    FoundRules,
    HoldoutCheck,
    MarginalFidelity,
    MeanOverlap,
    RatioOfCounts,
    ReplicatedUniques,
    RuleCheck,
    UtilityGen,
    WeightedOverlap,
    backward_elimination,
    bottom_code,
    cap,
    check_holdout,
    check_rules,
    compare,
    disclosure,
    distance_to_closest_record,
    find_rules,
    fit_overlap,
    marginal_fidelity,
    mean_ci_overlap,
    multi_disclosure,
    mutual_information,
    perturb,
    ratio_of_counts,
    remove_replicated_uniques,
    replicated_uniques,
    select_pairs,
    smooth,
    top_code,
    tvd,
    utility_gen,
    utility_tab,
    utility_tables,
    weighted_overlap,
)

__version__ = "0.1.0"

__all__ = [
    "CATALOGUE",
    "BackwardElimination",
    "CapResult",
    "ClosestRecord",
    "Comparison",
    "CrossCheck",
    "DisclosureResult",
    "Edited",
    "FitOverlap",
    "Fix",
    "FoundRules",
    "HoldoutCheck",
    "MarginalFidelity",
    "MeanOverlap",
    "Microdata",
    "Ranking",
    "RatioOfCounts",
    "ReplicatedUniques",
    "Review",
    "Rule",
    "RuleCheck",
    "Scenario",
    "SdcMetricsError",
    "Study",
    "UtilityGen",
    "WeightedOverlap",
    "backward_elimination",
    "bottom_code",
    "cap",
    "check_holdout",
    "check_rules",
    "compare",
    "compare_replicas",
    "conduct",
    "crosscheck",
    "disclosure",
    "distance_to_closest_record",
    "explain",
    "find_rules",
    "fit_overlap",
    "judge",
    "load_profile",
    "marginal_fidelity",
    "mean_ci_overlap",
    "multi_disclosure",
    "mutual_information",
    "perturb",
    "ratio_of_counts",
    "read",
    "read_study",
    "read_synds",
    "remove_replicated_uniques",
    "replicated_uniques",
    "select_pairs",
    "smooth",
    "top_code",
    "tvd",
    "utility_gen",
    "utility_tab",
    "utility_tables",
    "weighted_overlap",
]

_LATER = ("demo", "rbridge", "report")  # imported when they are first used, for a fast start


def __getattr__(name: str) -> ModuleType:
    if name in _LATER:
        return importlib.import_module(f"sdcmetrics.{name}")
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
