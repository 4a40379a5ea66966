"""synthpop's tables, and the Comparative Metrics Framework's, straight from data frames."""

from sdcmetrics.tables.backward_elimination import BackwardElimination, backward_elimination
from sdcmetrics.tables.cap import CapResult, cap
from sdcmetrics.tables.check_rules import RuleCheck, check_rules
from sdcmetrics.tables.closest_record import ClosestRecord, distance_to_closest_record
from sdcmetrics.tables.compare import Comparison, compare
from sdcmetrics.tables.disclosure import DisclosureResult, disclosure, multi_disclosure
from sdcmetrics.tables.edits import Edited, bottom_code, remove_replicated_uniques, smooth, top_code
from sdcmetrics.tables.find_rules import FoundRules, find_rules
from sdcmetrics.tables.fit_overlap import FitOverlap, fit_overlap
from sdcmetrics.tables.holdout_check import HoldoutCheck, check_holdout
from sdcmetrics.tables.marginal_fidelity import MarginalFidelity, marginal_fidelity
from sdcmetrics.tables.mean_ci_overlap import MeanOverlap, mean_ci_overlap
from sdcmetrics.tables.mutual_information import mutual_information, select_pairs
from sdcmetrics.tables.perturb import perturb
from sdcmetrics.tables.propensity import UtilityGen, utility_gen
from sdcmetrics.tables.replicated_uniques import ReplicatedUniques, replicated_uniques
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
    "ClosestRecord",
    "Comparison",
    "DisclosureResult",
    "Edited",
    "FitOverlap",
    "FoundRules",
    "HoldoutCheck",
    "MarginalFidelity",
    "MeanOverlap",
    "RatioOfCounts",
    "ReplicatedUniques",
    "RuleCheck",
    "UtilityGen",
    "WeightedOverlap",
    "backward_elimination",
    "bottom_code",
    "cap",
    "check_holdout",
    "check_rules",
    "compare",
    "disclosure",
    "distance_to_closest_record",
    "find_rules",
    "fit_overlap",
    "marginal_fidelity",
    "mean_ci_overlap",
    "multi_disclosure",
    "mutual_information",
    "perturb",
    "ratio_of_counts",
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
