"""The source of every section: a review, or what a release may be made of."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import Any

from sdcmetrics.agreement.crosscheck import CrossCheck
from sdcmetrics.decision.answer import decide
from sdcmetrics.decision.state import State
from sdcmetrics.errors import RError
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.registry import MEASURES, SPECIFIC_UTILITY
from sdcmetrics.report.distributions import safe_distributions
from sdcmetrics.report.judging import findings_by
from sdcmetrics.report.measure import Measure
from sdcmetrics.report.measures import Measures
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.breaks import group_label
from sdcmetrics.report.safety.cells import (
    Mode,
    Name,
    SafeCell,
    Words,
    as_name,
    blank,
    p_cell,
    text_cell,
    withheld,
)
from sdcmetrics.report.safety.guard import Guard
from sdcmetrics.report.safety.names import LIMIT, clean, shortened
from sdcmetrics.report.safety.protect.protected import (
    HoldoutVerdict,
    Protected,
    ProtectedHoldout,
)
from sdcmetrics.review.decided import states_of
from sdcmetrics.review.judge import Status, with_rules
from sdcmetrics.review.people import copied_in, held_in
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.sampled import drawn
from sdcmetrics.study.study import Scenario

_IN_BRACKETS = 40
"""Signs of a label within a sentence; the list of variables has all of it."""


class Source:
    """Measurements, the profile that judges them, and the cells that show them.

    A release is made of a `Protected`, an internal report of a `Review`: so the type says which.

    Attributes
    ----------
    review, profile, guard, measures
    findings : list of Finding, worst first
    copied : tuple of Copied, counts of original records in every synthesis
    held : dict of replica to Held, what is claimed of people of the original in it
    states : dict of replica to State, what decisions follow from; none in the checker's edition
    decisions : dict of replica to Decision
    distributions : dict of variable to SafeDistribution
    crosscheck : CrossCheck, the RError that prevented it, or None where it was not asked for
    """

    def __init__(
        self,
        review: Review | Protected,
        profile: Profile,
        crosscheck: CrossCheck | RError | None = None,
    ) -> None:
        self.review = review
        self.crosscheck = crosscheck
        self.profile = profile
        mode: Mode = "checker" if isinstance(review, Protected) else "internal"
        self.guard = Guard(mode, profile, review.n_original)
        findings = findings_by(review, profile)
        self.states: dict[str, State] = {}
        if isinstance(review, Protected):
            self.findings, self.copied, self.held = findings, review.copied, review.held
            each = review.decisions
        else:
            self.findings = with_rules(findings, review.evidence, profile)
            self.copied, self.held = copied_in(review), held_in(review)
            self.states = states_of(review, profile, findings)
            each = tuple(decide(replica, state) for replica, state in self.states.items())
        self.decisions = {decision.replica: decision for decision in each}
        self.distributions = dict(safe_distributions(review, self.guard))
        self._cells: dict[int, SafeCell] = {}
        self._named: dict[str | None, SafeCell] = {}
        if isinstance(review, Protected):
            self.guard.log.update(review.coarsened)

    @property
    def inside(self) -> Review:
        """The review itself, for what only an internal report shows.

        Raises
        ------
        TypeError
            In a release, which has none.
        """
        if isinstance(self.review, Protected):
            msg = "a release is made of protected figures only"
            raise TypeError(msg)
        return self.review

    @property
    def holdout_verdict(self) -> HoldoutVerdict | None:
        """What was found of the holdout; None where there is none to compare with."""
        fresh = self.review.fresh
        if fresh is None:
            return None
        return (
            fresh.check if isinstance(fresh, ProtectedHoldout) else HoldoutVerdict.of(fresh.check)
        )

    @property
    def drawn(self) -> int:
        """Records that were drawn of each data set of more; 0 where none were."""
        if isinstance(self.review, Protected):
            return self.review.study.drawn
        return drawn(self.review.study, (data.n for data in self.review.inputs))

    @cached_property
    def measures(self) -> Measures:
        """The measurements, looked up by what they are of."""
        return Measures(self.review, self.findings)

    @property
    def release(self) -> bool:
        """Whether the report is to be handed out."""
        return self.guard.release

    @property
    def replicas(self) -> tuple[str, ...]:
        """Names of the replicas as they are in the data."""
        return self.review.replicas

    def name(self, raw: str | None) -> Name:
        """Return a name as it is shown."""
        return self.guard.names(raw)

    def level(self, variable: str, label: str | None) -> SafeCell:
        """Return the cell of a level, or of a group of numbers."""
        if label is not None and self.review.variables.get(variable) in ("number", "date"):
            label = group_label(label)
        meaning = self.value_label(variable, label)
        return replace(self.named(label), detail=meaning) if meaning else self.named(label)

    def named(self, raw: str | None) -> SafeCell:
        """Return the cell of a name."""
        if raw not in self._named:
            self._named[raw] = text_cell(self.name(raw))
        return self._named[raw]

    def label(self, variable: str) -> str:
        """Return what the original's file says of a variable; inside only: it may name a level."""
        return "" if self.release else clean(self.inside.study.original.labels.get(variable, ""))

    def described(self, variable: str) -> Words:
        """Return a variable within a sentence: its name, and its label in brackets."""
        label, name = self.label(variable), self.name(variable)
        if label.casefold() in ("", name.full.casefold()):
            return (name,)
        return (name, " (", Name(shortened(label, _IN_BRACKETS), label), ")")

    def value_label(self, variable: str, level: str | None) -> str:
        """Return what the original's file says of a code that numbers have; inside only."""
        labels = {} if self.release else self.inside.study.original.value_labels.get(variable, {})
        try:
            return clean(labels.get(float(level or ""), ""))
        except ValueError:  # a text, or a group of numbers
            return ""

    def labelled(self, variable: str, most: int = LIMIT) -> SafeCell:
        """Return the cell of a variable, with what the original's file says of it, cut to fit."""
        return replace(self.named(variable), detail=shortened(self.label(variable), most))

    def within(self, scenario: str) -> Words:
        """Return the scenario in words, where there is more than one."""
        if len(self.review.scenarios) == 1:
            return ()
        return (" in scenario ", self.name(scenario))

    def placed(self, target: str, scenario: str) -> Name:
        """Return the name of a target, with its scenario where there is more than one."""
        return as_name((self.name(target), *self.within(scenario)))

    @property
    def targets(self) -> list[tuple[Scenario, str]]:
        """Each target with the scenario that wants it."""
        return [
            (scenario, target) for scenario in self.review.scenarios for target in scenario.targets
        ]

    def anchor(self, scenario: Scenario, target: str) -> str:
        """Return the id of the row of the overview on a target; on its keys without one."""
        names = [scenario.name for scenario in self.review.scenarios]
        if scenario.name not in names:
            return "overview"
        i = names.index(scenario.name)
        if target not in scenario.targets:
            return f"risk-{i}"
        return f"risk-{i}-{scenario.targets.index(target)}"

    def released(self, metric: str) -> bool:
        """Whether the mode shows this measure at all."""
        return self.guard.shows(metric)

    @property
    def rule_rare(self) -> str:
        """Why the text of a rule is held back."""
        least = self.guard.rounding.least
        return (
            f"Rules that name a level or value that fewer than {least} original records have, or "
            "that could not be checked"
        )

    def names_rare_level(self, rule: str) -> bool:
        """Whether the text of a rule may not be shown, or nothing is known of what it names."""
        if not self.release:
            return False
        outcomes = [outcome for (_, text), outcome in self.review.rules.items() if text == rule]
        return not outcomes or any(
            self.guard.small(count) for outcome in outcomes for count in outcome.level_counts
        )

    def rule_text(self, rule: str) -> Name:
        """Return the text of a rule as it is shown."""
        if not self.names_rare_level(rule):
            return self.name(rule)
        number = [rule.text for rule in self.review.study.rules].index(rule) + 1
        return self.name(f"rule {number}, whose text is held back")

    def subject(self, measure: Measure) -> Name:
        """Return what a measurement is of: its scenario, the formula of a model, or a rule."""
        if measure.of.per == "rule":
            return self.rule_text(measure.scenario)
        return self.name(measure.subject if self._formula_again(measure) else measure.scenario)

    def _formula_again(self, measure: Measure) -> bool:
        """Whether the study fits the formula by several families, so that it alone names none."""
        models = self.review.study.models
        return sum(model.formula == measure.scenario for model in models) > 1

    def cell(self, measure: Measure | None) -> SafeCell:
        """Return the cell of a measurement, with what the profile says of it."""
        if measure is None:
            return blank()
        place = id(measure)  # `measures` keeps them; hashing twelve fields takes longer
        if place not in self._cells:
            cell, status = self._cell(measure), self.status(measure)
            limited = self.release and measure.metric in self.profile.thresholds
            if limited and cell.number is not None and status is Status.NOT_JUDGED:
                cell = replace(cell, detail="not judged: near a limit")
            self._cells[place] = self.guard.judged(cell, status)
        return self._cells[place]

    def status(self, measure: Measure) -> Status:
        """Return what the profile says of a measurement."""
        return self.measures.status(measure)

    def at(self, replica: str, metric: str, **place: Any) -> SafeCell:
        """Return the cell of a measurement; `Measures.find` says what a place is."""
        return self.cell(self.measures.find(replica, metric, **place))

    def risk(self, replica: str, metric: str, scenario: str, target: str) -> SafeCell:
        """Return the cell of a disclosure measure."""
        return self.cell(self.measures.risk(replica, metric, scenario, target))

    def table(self, replica: str, metric: str, variables: tuple[str, ...]) -> SafeCell:
        """Return the cell of a utility statistic of one table."""
        return self.cell(self.measures.table(replica, metric, variables))

    def pair_numbers(self, replica: str, metric: str) -> dict[tuple[str, ...], float | None]:
        """Return the numbers that the cells of all tables of two variables show."""
        if self.release:
            pairs = self.measures.pairs
            return {pair: self.table(replica, metric, pair).number for pair in pairs}
        rows = [at for r, m, at in self.measures.by_table(2) if (r, m) == (replica, metric)]
        return dict(zip(*self.measures.values(rows[0]), strict=True)) if rows else {}

    def _cell(self, measure: Measure) -> SafeCell:
        m = measure
        if not self.released(m.metric):
            # Whether it has a value may tell something too, as with the severity of a rule.
            return withheld()
        if m.shown:
            return self.guard.coarse(m.shown, m.value, m.reason)
        if m.value is None:
            return SafeCell("not computed", detail=m.reason)
        cell = self._number(m, m.value)
        if self.release or not m.reason:
            return cell
        # Of a sample: the row of the review says of which.
        error = m.references.se
        of = "of a sample" if math.isnan(error) else f"\N{PLUS-MINUS SIGN} {error:.2g}, of a sample"
        return replace(cell, detail=f"{cell.detail}; {of}" if cell.detail else of)

    def _number(self, m: Measure, value: float) -> SafeCell:
        if m.family == SPECIFIC_UTILITY:
            return self.guard.fitted(value)
        if m.of is CLOSEST:
            return self.guard.closeness(m.metric, value, m.unit, m.count)
        if MEASURES[m.metric].syntheses == "smallest" and not self.release:
            return p_cell(value)
        if m.of.per in ("target", "rule") or m.unit == "percent":
            return self._share(m, value)
        return self.guard.statistic(m.metric, value)

    def _share(self, m: Measure, value: float) -> SafeCell:
        if m.unit == "percent":
            return self.guard.share(m.metric, value, m.count, m.total, self._mean_of(m))
        if m.of.per == "rule":
            return self.guard.statistic(m.metric, value)
        text = numbers.count_text(value) if m.unit == "records" else numbers.with_decimals(value, 3)
        return SafeCell(text, "number", value)

    def _mean_of(self, m: Measure) -> int:
        """Return the number of syntheses that a count is a mean over."""
        measure = MEASURES[m.metric]
        companions = {of.baseline for of in MEASURES.values()}  # what the original itself gives
        if m.metric in companions or measure.of_original or measure.syntheses == "once":
            return 1
        return self.syntheses.get(m.replica, 1)

    @cached_property
    def syntheses(self) -> Counter[str]:
        """The number of syntheses of every replica."""
        return Counter(data.name for data in self.review.inputs if data.role == "replica")

    def withheld(self, replica: str, formula: str) -> str:
        """Return why nothing is told of the models of a formula; empty where all is."""
        rules = self.review.withheld if isinstance(self.review, Protected) else {}
        return rules.get((replica, formula), "")
