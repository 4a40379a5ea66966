"""The evidence of a review by the names under which users and reports read it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdcmetrics.measures.anonymity.places import FILES
from sdcmetrics.measures.anonymity.sampled import SAMPLED_FILE
from sdcmetrics.measures.attacks.places import MEMBERSHIP
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.closeness.copies import COPIES
from sdcmetrics.measures.crosstables.sampled import SAMPLED_COLUMNS
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.distributions.places import SUBGROUPS
from sdcmetrics.measures.fits.places import FIT
from sdcmetrics.measures.kind import PRESET
from sdcmetrics.measures.prediction.places import PREDICTION
from sdcmetrics.measures.rules.places import RELATIONS, RULES
from sdcmetrics.review.distributions import Distribution, describe
from sdcmetrics.review.holdout_evidence import HoldoutEvidence, holdout_evidence_in
from sdcmetrics.review.sampling import Sampling, sampling_in

if TYPE_CHECKING:
    import pandas as pd

    from sdcmetrics.measures.anonymity.places import Files
    from sdcmetrics.measures.anonymity.sampled import Computed
    from sdcmetrics.measures.closeness.copies import Copies
    from sdcmetrics.measures.disclosure.result import DisclosureResult
    from sdcmetrics.measures.evidence import Evidence
    from sdcmetrics.measures.fits.fit_overlap import FitOverlap
    from sdcmetrics.measures.prediction.trained import Trained
    from sdcmetrics.measures.rules.find_rules import FoundRules
    from sdcmetrics.measures.rules.outcome import RuleOutcome
    from sdcmetrics.review.measurements import Measurements
    from sdcmetrics.study.study import Study


class EvidenceByName:
    """Properties of a review that give its evidence by name; none is stored."""

    if TYPE_CHECKING:
        study: Study
        evidence: Evidence

        @property
        def measurements(self) -> Measurements:
            """Every measurement."""

    @cached_property
    def distributions(self) -> dict[str, Distribution]:
        """Every variable one-way, by name: its groups are those of all data sets together."""
        return describe(self.study)

    @cached_property
    def disclosures(self) -> dict[tuple[str, str, str], DisclosureResult]:
        """Flags and records at risk, by (replica, scenario, target); for internal eyes only."""
        return {
            (replica, place.scenario, place.target): result
            for (replica, place), result in self.evidence.of(KEYS).items()
        }

    @cached_property
    def fits(self) -> dict[tuple[str, str, str], FitOverlap]:
        """Coefficients, by (replica, formula, family); for internal eyes only.

        A model that could not be fitted is not in it.
        """
        fitted = self.evidence.of(FIT)
        return {
            (replica, model.formula, model.family): result
            for model in self.study.models
            for (replica, place), result in fitted.items()
            if place.model == model.name
        }

    @cached_property
    def rules(self) -> dict[tuple[str, str], RuleOutcome]:
        """Outcomes by (replica, text of the rule); one that could not be checked is not in it."""
        return {
            (replica, place.rule): result
            for (replica, place), result in self.evidence.of(RULES).items()
        }

    @cached_property
    def copies(self) -> dict[tuple[str, int], Copies]:
        """Original records that are held in every value, by (replica, synthesis).

        For internal eyes only.
        """
        return self.evidence.by_synthesis(COPIES)

    @cached_property
    def files(self) -> dict[tuple[str, str, str], tuple[Files, ...]]:
        """Counts by keys and one target per synthesis, by (replica, scenario, target).

        For internal eyes only.
        """
        return {
            (replica, place.scenario, place.target): each
            for (replica, place), each in self.evidence.of(FILES).items()
        }

    @cached_property
    def attacks(self) -> dict[tuple[str, str, str, str], tuple[Any, ...]]:
        """Results synthesis by synthesis, by (replica, attack, scenario, target).

        With what was found of every record: for internal eyes only.
        """
        return {
            place: (result.per_synthesis or (result,))
            if isinstance(result, AttackResult)
            else result
            for place, result in self._attacks.items()
        }

    @property
    def attacks_by_all(self) -> dict[tuple[str, str, str, str], AttackResult]:
        """Results by all syntheses of a replica together, by the same names."""
        return {
            place: result
            for place, result in self._attacks.items()
            if isinstance(result, AttackResult)
        }

    @cached_property
    def _attacks(self) -> dict[tuple[str, str, str, str], Any]:
        return {
            (replica, kind.name, place.scenario, place.target): result
            for (kind, replica, place), result in self.evidence.items()
            if kind.option == MEMBERSHIP.option
        }

    @cached_property
    def predictions(self) -> dict[tuple[str, str, str], tuple[Trained, ...]]:
        """Scores of models trained on each synthesis, by (replica, target, learner)."""
        return {
            (replica, place.target, place.model): each
            for (replica, place), each in self.evidence.of(PREDICTION).items()
        }

    @cached_property
    def candidates(self) -> dict[str, FoundRules]:
        """Relations that the original keeps and a replica breaks, by replica.

        For internal eyes only.
        """
        return {replica: result for (replica, _), result in self.evidence.of(RELATIONS).items()}

    @cached_property
    def subgroups(self) -> dict[tuple[str, str], tuple[pd.DataFrame, ...]]:
        """Groups of people synthesis by synthesis, by (replica, variable); for internal eyes."""
        return {
            (replica, place.variables[0]): each
            for (replica, place), each in self.evidence.of(SUBGROUPS).items()
        }

    @cached_property
    def shown(self) -> dict[tuple[str, str], tuple[Any, ...]]:
        """Data of the figures of a suite's metrics, by (replica, name of the metric).

        Synthesis by synthesis; for internal eyes only.
        """
        return {
            (replica, kind.name): each
            for (kind, replica, _), each in self.evidence.items()
            if kind.option == PRESET and each[0] is not None
        }

    @cached_property
    def fresh(self) -> HoldoutEvidence | None:
        """Evidence from the holdout; None without one."""
        return holdout_evidence_in(self.evidence)

    @cached_property
    def sampling(self) -> Sampling | None:
        """How the original was sampled; for internal eyes only."""
        if self.study.sample is None:
            return None
        rows = self.measurements.of(["design_effect"])
        return sampling_in(self.study, rows, self.evidence)

    @cached_property
    def sample_risks(self) -> dict[str, Computed]:
        """The risks of the sample by scenario, those of every record included.

        For internal eyes only.
        """
        return {
            place.scenario: result for (_, place), result in self.evidence.of(SAMPLED_FILE).items()
        }

    @cached_property
    def compared(self) -> dict[tuple[str, str], pd.DataFrame]:
        """Weighted means and shares of original and replica, by (replica, variable).

        For internal eyes only.
        """
        return {
            (replica, place.variables[0]): rows
            for (replica, place), rows in self.evidence.of(SAMPLED_COLUMNS).items()
        }
