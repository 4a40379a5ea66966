# The public names, and where each is: sdcmetrics imports a name when it is first used.

from . import fits as fits
from . import rbridge as rbridge
from . import report as report
from . import risk as risk
from . import suites as suites
from . import survey as survey
from . import utility as utility
from .agreement.crosscheck import CrossCheck as CrossCheck
from .agreement.crosscheck import crosscheck as crosscheck
from .decision.answer import Answer as Answer
from .decision.answer import Decision as Decision
from .decision.status import Status as Status
from .errors import SdcMetricsError as SdcMetricsError
from .measures.analyses.analysis_overlap import AnalysisOverlap as AnalysisOverlap
from .measures.analyses.analysis_overlap import analysis as analysis
from .measures.anonymity.attackers import AttackerRisks as AttackerRisks
from .measures.anonymity.attackers import attacker_risks as attacker_risks
from .measures.anonymity.household_uniqueness import (
    HouseholdUniqueness as HouseholdUniqueness,
)
from .measures.anonymity.household_uniqueness import (
    household_uniqueness as household_uniqueness,
)
from .measures.anonymity.individual_risk import IndividualRisk as IndividualRisk
from .measures.anonymity.individual_risk import individual_risk as individual_risk
from .measures.anonymity.k_anonymity import KAnonymity as KAnonymity
from .measures.anonymity.k_anonymity import k_anonymity as k_anonymity
from .measures.anonymity.key_importance import KeyImportance as KeyImportance
from .measures.anonymity.key_importance import key_importance as key_importance
from .measures.anonymity.match_risk import MatchRisk as MatchRisk
from .measures.anonymity.match_risk import match_risk as match_risk
from .measures.anonymity.population_uniques import PopulationUniques as PopulationUniques
from .measures.anonymity.population_uniques import population_uniques as population_uniques
from .measures.anonymity.replicated_special_uniques import (
    ReplicatedSpecialUniques as ReplicatedSpecialUniques,
)
from .measures.anonymity.replicated_special_uniques import (
    replicated_special_uniques as replicated_special_uniques,
)
from .measures.anonymity.sensitive import LDiversity as LDiversity
from .measures.anonymity.sensitive import TCloseness as TCloseness
from .measures.anonymity.sensitive import l_diversity as l_diversity
from .measures.anonymity.sensitive import t_closeness as t_closeness
from .measures.anonymity.special_uniques import SpecialUniques as SpecialUniques
from .measures.anonymity.special_uniques import special_uniques as special_uniques
from .measures.association.difference import AssociationDifference as AssociationDifference
from .measures.association.difference import association_difference as association_difference
from .measures.attacks.epsilon import EpsilonBound as EpsilonBound
from .measures.attacks.epsilon import epsilon_of_release as epsilon_of_release
from .measures.attacks.exact_matches import exact_matches as exact_matches
from .measures.attacks.external import ExternalLinkage as ExternalLinkage
from .measures.attacks.external import external_linkage as external_linkage
from .measures.attacks.generator_audit import Audit as Audit
from .measures.attacks.generator_audit import audit_generator as audit_generator
from .measures.attacks.inference import attribute_inference as attribute_inference
from .measures.attacks.linkability import linkability as linkability
from .measures.attacks.manifold import Manifold as Manifold
from .measures.attacks.manifold import manifold as manifold
from .measures.attacks.membership import membership as membership
from .measures.attacks.record_linkage import RecordLinkage as RecordLinkage
from .measures.attacks.record_linkage import record_linkage as record_linkage
from .measures.attacks.result import AttackResult as AttackResult
from .measures.attacks.singling_out import singling_out as singling_out
from .measures.closeness.closest_record import ClosestRecord as ClosestRecord
from .measures.closeness.closest_record import (
    distance_to_closest_record as distance_to_closest_record,
)
from .measures.closeness.detectable import smallest_detectable as smallest_detectable
from .measures.crosstables.compare import Comparison as Comparison
from .measures.crosstables.compare import compare as compare
from .measures.crosstables.k_marginal import KMarginal as KMarginal
from .measures.crosstables.k_marginal import k_marginal as k_marginal
from .measures.crosstables.mutual_information import mutual_information as mutual_information
from .measures.crosstables.mutual_information import select_pairs as select_pairs
from .measures.crosstables.ratio_of_counts import RatioOfCounts as RatioOfCounts
from .measures.crosstables.ratio_of_counts import ratio_of_counts as ratio_of_counts
from .measures.crosstables.utility import tvd as tvd
from .measures.crosstables.utility import utility_tab as utility_tab
from .measures.crosstables.utility import utility_tables as utility_tables
from .measures.crosstables.weight_check import WeightCheck as WeightCheck
from .measures.crosstables.weight_check import check_weights as check_weights
from .measures.crosstables.weighted import WeightedTables as WeightedTables
from .measures.crosstables.weighted import weighted_tables as weighted_tables
from .measures.crosstables.weighted_compare import WeightedComparison as WeightedComparison
from .measures.crosstables.weighted_compare import weighted_compare as weighted_compare
from .measures.disclosure.cap import CapResult as CapResult
from .measures.disclosure.cap import cap as cap
from .measures.disclosure.disclosure import disclosure as disclosure
from .measures.disclosure.disclosure import multi_disclosure as multi_disclosure
from .measures.disclosure.edits import Edited as Edited
from .measures.disclosure.edits import bottom_code as bottom_code
from .measures.disclosure.edits import remove_replicated_uniques as remove_replicated_uniques
from .measures.disclosure.edits import smooth as smooth
from .measures.disclosure.edits import top_code as top_code
from .measures.disclosure.replicated_uniques import ReplicatedUniques as ReplicatedUniques
from .measures.disclosure.replicated_uniques import replicated_uniques as replicated_uniques
from .measures.disclosure.result import DisclosureResult as DisclosureResult
from .measures.distributions.energy import EnergyDistance as EnergyDistance
from .measures.distributions.energy import energy_distance as energy_distance
from .measures.distributions.subgroups import Subgroups as Subgroups
from .measures.distributions.subgroups import subgroups as subgroups
from .measures.distributions.wasserstein import tails as tails
from .measures.distributions.wasserstein import wasserstein as wasserstein
from .measures.distributions.weighted_wasserstein import (
    weighted_wasserstein as weighted_wasserstein,
)
from .measures.excess.places import excess_disclosure as excess_disclosure
from .measures.fidelity.holdout_check import HoldoutCheck as HoldoutCheck
from .measures.fidelity.holdout_check import check_holdout as check_holdout
from .measures.fidelity.marginal_fidelity import MarginalFidelity as MarginalFidelity
from .measures.fidelity.marginal_fidelity import marginal_fidelity as marginal_fidelity
from .measures.fidelity.weighted_fidelity import WeightedFidelity as WeightedFidelity
from .measures.fidelity.weighted_fidelity import weighted_fidelity as weighted_fidelity
from .measures.fits.backward_elimination import BackwardElimination as BackwardElimination
from .measures.fits.backward_elimination import backward_elimination as backward_elimination
from .measures.fits.fit_overlap import FitOverlap as FitOverlap
from .measures.fits.fit_overlap import fit_overlap as fit_overlap
from .measures.fits.mean_ci_overlap import MeanOverlap as MeanOverlap
from .measures.fits.mean_ci_overlap import mean_ci_overlap as mean_ci_overlap
from .measures.fits.survey_overlap import SurveyOverlap as SurveyOverlap
from .measures.fits.survey_overlap import survey_overlap as survey_overlap
from .measures.fits.synthetic_fit import SyntheticFit as SyntheticFit
from .measures.fits.synthetic_fit import synthetic_fit as synthetic_fit
from .measures.fits.weighted_overlap import WeightedOverlap as WeightedOverlap
from .measures.fits.weighted_overlap import weighted_overlap as weighted_overlap
from .measures.identifiers.identifiers import identifiers as identifiers
from .measures.identifiers.result import IdentifierHit as IdentifierHit
from .measures.identifiers.result import Identifiers as Identifiers
from .measures.measure import Measure as Measure
from .measures.prediction.train_on_synthetic import PredictionResult as PredictionResult
from .measures.prediction.train_on_synthetic import prediction as prediction
from .measures.propensity.utility_gen import UtilityGen as UtilityGen
from .measures.propensity.utility_gen import utility_gen as utility_gen
from .measures.publication.check import PublicationCheck as PublicationCheck
from .measures.publication.check import check_publication as check_publication
from .measures.references.places import perturb as perturb
from .measures.registry import MEASURES as MEASURES
from .measures.registry import explain as explain
from .measures.rules.check_rules import RuleCheck as RuleCheck
from .measures.rules.check_rules import check_rules as check_rules
from .measures.rules.find_rules import FoundRules as FoundRules
from .measures.rules.find_rules import find_rules as find_rules
from .measures.rules.rule import Rule as Rule
from .measures.survey.households import Households as Households
from .microdata import Fix as Fix
from .microdata import Microdata as Microdata
from .microdata import read as read
from .microdata import read_synds as read_synds
from .microdata.sources.scan import scan as scan
from .ranking.compare_replicas import compare_replicas as compare_replicas
from .ranking.result import Ranking as Ranking
from .ranking.syntheval import syntheval as syntheval
from .results import Share as Share
from .review.conduct import conduct as conduct
from .review.decided import decisions as decisions
from .review.judge import Finding as Finding
from .review.judge import judge as judge
from .review.remedies import Remedies as Remedies
from .review.remedies import remedies as remedies
from .review.review import Review as Review
from .review.risk_by_group import RiskByGroup as RiskByGroup
from .review.risk_by_group import risk_by_group as risk_by_group
from .study import demo as demo
from .study.limits import Threshold as Threshold
from .study.profile import Profile as Profile
from .study.profile import load_profile as load_profile
from .study.reading import read_study as read_study
from .study.study import Scenario as Scenario
from .study.study import Study as Study
from .suites.catalogue import metric as metric
from .suites.daisynt.table import daisynt as daisynt
from .suites.metric import Quantity as Quantity

__version__: str
from .measures.homogeneity.files import equal_tables as equal_tables
from .measures.homogeneity.kept_tables import KeptTable as KeptTable
from .measures.homogeneity.kept_tables import KeptTables as KeptTables
from .measures.homogeneity.kept_tables import kept_tables as kept_tables
from .measures.people.subject import people as people

__all__ = [
    "MEASURES",
    "Measure",
    "SdcMetricsError",
    "Study",
    "compare_replicas",
    "conduct",
    "crosscheck",
    "decisions",
    "demo",
    "explain",
    "fits",
    "judge",
    "people",
    "rbridge",
    "read",
    "read_study",
    "report",
    "risk",
    "scan",
    "suites",
    "survey",
    "utility",
]
_NAMES: list[str]
