"""Disclosure risk: identity and attribute disclosure, attacks, remedies."""

from __future__ import annotations

from sdcmetrics.measures.anonymity.attackers import AttackerRisks, attacker_risks
from sdcmetrics.measures.anonymity.household_uniqueness import (
    HouseholdUniqueness,
    household_uniqueness,
)
from sdcmetrics.measures.anonymity.individual_risk import IndividualRisk, individual_risk
from sdcmetrics.measures.anonymity.k_anonymity import KAnonymity, k_anonymity
from sdcmetrics.measures.anonymity.key_importance import KeyImportance, key_importance
from sdcmetrics.measures.anonymity.match_risk import MatchRisk, match_risk
from sdcmetrics.measures.anonymity.population_uniques import PopulationUniques, population_uniques
from sdcmetrics.measures.anonymity.replicated_special_uniques import (
    ReplicatedSpecialUniques,
    replicated_special_uniques,
)
from sdcmetrics.measures.anonymity.sensitive import LDiversity, TCloseness, l_diversity, t_closeness
from sdcmetrics.measures.anonymity.special_uniques import SpecialUniques, special_uniques
from sdcmetrics.measures.attacks.epsilon import EpsilonBound, epsilon_of_release
from sdcmetrics.measures.attacks.exact_matches import exact_matches
from sdcmetrics.measures.attacks.external import ExternalLinkage, external_linkage
from sdcmetrics.measures.attacks.generator_audit import Audit, audit_generator
from sdcmetrics.measures.attacks.inference import attribute_inference
from sdcmetrics.measures.attacks.linkability import linkability
from sdcmetrics.measures.attacks.manifold import Manifold, manifold
from sdcmetrics.measures.attacks.membership import membership
from sdcmetrics.measures.attacks.record_linkage import RecordLinkage, record_linkage
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.attacks.singling_out import singling_out
from sdcmetrics.measures.closeness.closest_record import ClosestRecord, distance_to_closest_record
from sdcmetrics.measures.closeness.detectable import smallest_detectable
from sdcmetrics.measures.disclosure.cap import CapResult, cap
from sdcmetrics.measures.disclosure.disclosure import disclosure, multi_disclosure
from sdcmetrics.measures.disclosure.edits import (
    Edited,
    bottom_code,
    remove_replicated_uniques,
    smooth,
    top_code,
)
from sdcmetrics.measures.disclosure.replicated_uniques import ReplicatedUniques, replicated_uniques
from sdcmetrics.measures.disclosure.result import DisclosureResult
from sdcmetrics.measures.excess.places import excess_disclosure
from sdcmetrics.measures.fidelity.holdout_check import HoldoutCheck, check_holdout
from sdcmetrics.measures.fidelity.marginal_fidelity import MarginalFidelity, marginal_fidelity
from sdcmetrics.measures.homogeneity.kept_tables import KeptTable, KeptTables, kept_tables
from sdcmetrics.measures.identifiers.identifiers import identifiers
from sdcmetrics.measures.identifiers.result import IdentifierHit, Identifiers
from sdcmetrics.measures.people.subject import people
from sdcmetrics.review.remedies import Remedies, remedies
from sdcmetrics.review.risk_by_group import RiskByGroup, risk_by_group

__all__ = [
    "AttackResult",
    "AttackerRisks",
    "Audit",
    "CapResult",
    "ClosestRecord",
    "DisclosureResult",
    "Edited",
    "EpsilonBound",
    "ExternalLinkage",
    "HoldoutCheck",
    "HouseholdUniqueness",
    "IdentifierHit",
    "Identifiers",
    "IndividualRisk",
    "KAnonymity",
    "KeptTable",
    "KeptTables",
    "KeyImportance",
    "LDiversity",
    "Manifold",
    "MarginalFidelity",
    "MatchRisk",
    "PopulationUniques",
    "RecordLinkage",
    "Remedies",
    "ReplicatedSpecialUniques",
    "ReplicatedUniques",
    "RiskByGroup",
    "SpecialUniques",
    "TCloseness",
    "attacker_risks",
    "attribute_inference",
    "audit_generator",
    "bottom_code",
    "cap",
    "check_holdout",
    "disclosure",
    "distance_to_closest_record",
    "epsilon_of_release",
    "exact_matches",
    "excess_disclosure",
    "external_linkage",
    "household_uniqueness",
    "identifiers",
    "individual_risk",
    "k_anonymity",
    "kept_tables",
    "key_importance",
    "l_diversity",
    "linkability",
    "manifold",
    "marginal_fidelity",
    "match_risk",
    "membership",
    "multi_disclosure",
    "people",
    "population_uniques",
    "record_linkage",
    "remedies",
    "remove_replicated_uniques",
    "replicated_special_uniques",
    "replicated_uniques",
    "risk_by_group",
    "singling_out",
    "smallest_detectable",
    "smooth",
    "special_uniques",
    "t_closeness",
    "top_code",
]
