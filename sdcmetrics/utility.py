"""Utility of a replica: tables, distributions, propensity models, rules."""

from __future__ import annotations

from sdcmetrics.measures.analyses.analysis_overlap import AnalysisOverlap, analysis
from sdcmetrics.measures.association.difference import AssociationDifference, association_difference
from sdcmetrics.measures.crosstables.compare import Comparison, compare
from sdcmetrics.measures.crosstables.k_marginal import KMarginal, k_marginal
from sdcmetrics.measures.crosstables.mutual_information import mutual_information, select_pairs
from sdcmetrics.measures.crosstables.ratio_of_counts import RatioOfCounts, ratio_of_counts
from sdcmetrics.measures.crosstables.utility import tvd, utility_tab, utility_tables
from sdcmetrics.measures.distributions.energy import EnergyDistance, energy_distance
from sdcmetrics.measures.distributions.subgroups import Subgroups, subgroups
from sdcmetrics.measures.distributions.wasserstein import tails, wasserstein
from sdcmetrics.measures.homogeneity.files import equal_tables
from sdcmetrics.measures.prediction.train_on_synthetic import PredictionResult, prediction
from sdcmetrics.measures.propensity.utility_gen import UtilityGen, utility_gen
from sdcmetrics.measures.rules.check_rules import RuleCheck, check_rules
from sdcmetrics.measures.rules.find_rules import FoundRules, find_rules
from sdcmetrics.measures.rules.rule import Rule

__all__ = [
    "AnalysisOverlap",
    "AssociationDifference",
    "Comparison",
    "EnergyDistance",
    "FoundRules",
    "KMarginal",
    "PredictionResult",
    "RatioOfCounts",
    "Rule",
    "RuleCheck",
    "Subgroups",
    "UtilityGen",
    "analysis",
    "association_difference",
    "check_rules",
    "compare",
    "energy_distance",
    "equal_tables",
    "find_rules",
    "k_marginal",
    "mutual_information",
    "prediction",
    "ratio_of_counts",
    "select_pairs",
    "subgroups",
    "tails",
    "tvd",
    "utility_gen",
    "utility_tab",
    "utility_tables",
    "wasserstein",
]
