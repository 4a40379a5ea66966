"""What every section is built from: the review, read through the guard."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from sdcmetrics.agreement.crosscheck import CrossCheck
from sdcmetrics.errors import RError
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.registry import MEASURES, SPECIFIC_UTILITY
from sdcmetrics.measures.rules.places import RULES
from sdcmetrics.report.measures import Measure, Measures, asked_of
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Mode, Name, SafeCell, Words, as_name, blank, text_cell
from sdcmetrics.report.safety.copies import protected_copying
from sdcmetrics.report.safety.guard import Guard
from sdcmetrics.report.sections.distributions import SafeDistribution, safe_distribution
from sdcmetrics.review.copying import worst_copying
from sdcmetrics.review.judge import Finding, Status, judge
from sdcmetrics.review.review import Review
from sdcmetrics.review.verdict import Verdict, verdicts
from sdcmetrics.study.profile import Profile

__all__ = ["Source", "judged"]


class Source:
    """A review, the profile it is judged by, and the cells its measurements may be shown as.

    Attributes
    ----------
    review, profile, guard, measures
    findings : list of Finding, worst first
    copying : dict of replica to Copying, what is known of people of the original in it
    verdicts : tuple of Verdict, one per replica
    distributions : dict of variable to SafeDistribution
    crosscheck : CrossCheck, the RError that prevented it, or None where it was not asked for
    """

    def __init__(
        self,
        review: Review,
        profile: Profile,
        mode: Mode,
        crosscheck: CrossCheck | RError | None = None,
    ) -> None:
        self.review = review
        self.crosscheck = crosscheck
        self.profile = profile
        self.guard = Guard(mode, profile, review.n_original)
        # Only what has a limit is judged: wide data have hundreds of thousands of rows without.
        limited = review.frame["metric"].isin(list(profile.thresholds))
        found = judge(replace(review, frame=review.frame[limited]), profile)
        self.findings = [f for f in found if not self._held_back(f)]
        self.copying = {
            name: protected_copying(one, self.guard) for name, one in worst_copying(review).items()
        }
        self.verdicts = verdicts(review, self.findings, self.copying)
        self.distributions: dict[str, SafeDistribution] = {
            name: safe_distribution(found, review.replicas, self.guard)
            for name, found in review.distributions.items()
        }
        self._folded = {name for name, found in self.distributions.items() if found.folded}
        self._cells: dict[int, SafeCell] = {}
        self._named: dict[str | None, SafeCell] = {}

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

    def named(self, raw: str | None) -> SafeCell:
        """Return the cell of a name."""
        if raw not in self._named:
            self._named[raw] = text_cell(self.name(raw))
        return self._named[raw]

    def within(self, scenario: str) -> Words:
        """Return the scenario in words, where there is more than one."""
        if len(self.review.scenarios) == 1:
            return ()
        return (" in scenario ", self.name(scenario))

    def placed(self, target: str, scenario: str) -> Name:
        """Return the name of a target, with its scenario where there is more than one."""
        return as_name((self.name(target), *self.within(scenario)))

    def folded(self, variables: tuple[str, ...]) -> bool:
        """Whether one of the variables has levels that are not shown on their own."""
        return any(name in self._folded for name in variables)

    def released(self, metric: str) -> bool:
        """Whether the mode shows this measure at all."""
        return self.guard.shows(metric)

    @property
    def rule_rare(self) -> str:
        """Why the text of a rule is held back."""
        least = self.profile.min_cell
        return (
            f"Rules that name a level or value that fewer than {least} original records have, or "
            "that could not be checked"
        )

    def names_rare_level(self, rule: str) -> bool:
        """Whether the text of a rule may not be shown, or nothing is known of what it names."""
        if not self.release:
            return False
        outcomes = [found for (_, text), found in self.review.rules.items() if text == rule]
        return not outcomes or any(
            self.guard.small(count) for found in outcomes for count in found.level_counts
        )

    def rule_text(self, rule: str) -> Name:
        """Return the text of a rule as it is shown."""
        if not self.names_rare_level(rule):
            return self.name(rule)
        number = [one.text for one in self.review.study.rules].index(rule) + 1
        return self.name(f"rule {number}, whose text is held back")

    def asked(self, measure: Measure) -> Name:
        """Return what a measurement is of: its scenario, the formula of a model, or a rule."""
        if measure.of.per == "rule":
            return self.rule_text(measure.scenario)
        return self.name(measure.scenario)

    def cell(self, measure: Measure | None) -> SafeCell:
        """Return the cell of a measurement, with what the profile says of it."""
        if measure is None:
            return blank()
        place = id(measure)  # `measures` keeps them; hashing twelve fields takes longer
        if place not in self._cells:
            cell = self._cell(measure)
            self._cells[place] = self.guard.judged(cell, self.status(measure))
        return self._cells[place]

    def status(self, measure: Measure) -> Status:
        """Return what the profile says of a measurement; nothing of a model that is held back."""
        if measure.family == SPECIFIC_UTILITY and self.withheld(measure.replica, measure.scenario):
            return Status.NOT_JUDGED
        return self.measures.status(measure)

    def risk(self, replica: str, metric: str, scenario: str, target: str) -> SafeCell:
        """Return the cell of a disclosure measure."""
        return self.cell(self.measures.risk(replica, metric, scenario, target))

    def table(self, replica: str, metric: str, variables: tuple[str, ...]) -> SafeCell:
        """Return the cell of a utility statistic of one table."""
        return self.cell(self.measures.table(replica, metric, variables))

    def _held_back(self, finding: Finding) -> bool:
        """Whether a finding is not judged outside.

        So is a measure that is never released, as which tables are beyond a limit tells of its
        values; a rule that no original record keeps, as its severity would tell whether a few
        records keep it or none; and a model that rests on few records.
        """
        if not self.release:
            return False
        if not self.judges(finding.metric):
            return True
        if finding.family == SPECIFIC_UTILITY:
            return bool(self.withheld(finding.replica, asked_of(finding)))
        found = self.review.rules.get((finding.replica, finding.scenario))
        return found is not None and self.guard.small(found.original.kept)

    def judges(self, metric: str) -> bool:
        """Whether limits on a measure are applied in this mode.

        Of a rule both shares are shown, so that a verdict on its severity tells nothing more.
        """
        return not self.release or self.released(metric) or MEASURES[metric].of is RULES

    def _cell(self, measure: Measure) -> SafeCell:
        if not self.released(measure.metric):
            # Whether it has a value may tell something too, as with the severity of a rule.
            return SafeCell("not shown", "hidden")
        if measure.value is None:
            return SafeCell("not computed", detail="" if self.release else measure.reason)
        if measure.family == SPECIFIC_UTILITY:
            rule = self.withheld(measure.replica, measure.scenario)
            return self.guard.fitted(measure.metric, measure.value, rule)
        m, value = measure, measure.value
        if m.of.per == "rule":
            return self._rule(m, value)
        if m.of is CLOSEST:
            return self.guard.closeness(m.metric, value, m.unit, m.count)
        if m.of.per == "target":
            return self._risk(m, value)
        if measure.metric == "ROC" and not measure.variables:
            return self._overall_roc(measure)
        return self.guard.statistic(
            measure.metric,
            measure.value,
            ways=len(measure.variables),
            df=self.measures.df(measure.replica, measure.variables) if self.release else None,
            folded=self.folded(measure.variables),
        )

    def withheld(self, replica: str, formula: str) -> str:
        """Return why the models of a formula are held back; of every model without a formula.

        A weighted mean would give back the one model that is not shown.
        """
        fits = self.review.fits.items()
        found = [fit for (r, f, _), fit in fits if r == replica and formula in ("", f)]
        if not found and self.release:
            return "Models without a record of what they were fitted to"
        rules = (self.guard.withheld(fit.residual_df, fit.level_counts) for fit in found)
        return next((rule for rule in rules if rule), "")

    def _risk(self, m: Measure, value: float) -> SafeCell:
        if m.unit == "percent":
            return self.guard.share(m.metric, value, m.count, m.total)
        if self.release:
            return self.guard.statistic(m.metric, value, ways=0, df=None, folded=False)
        text = numbers.count_text(value) if m.unit == "records" else f"{value:.3f}"
        return SafeCell(text, "number", value)

    def _rule(self, measure: Measure, value: float) -> SafeCell:
        m = measure
        if m.unit != "percent":
            return self.guard.statistic(m.metric, value, ways=0, df=None, folded=False)
        if self.release and self.guard.rule(m.metric) == "share":
            counts = self.review.rules[m.replica, m.scenario].original
            # Records that leave a rule open are often known, as those with a missing value.
            few = self.guard.small(counts.broken) and not self.guard.small(counts.n - counts.kept)
            if few or self.names_rare_level(m.scenario):
                self.guard.suppress(self.guard.rule_small if few else self.rule_rare)
                return SafeCell("not shown", "hidden")
        return self.guard.share(m.metric, value, m.count, m.total)

    def _overall_roc(self, measure: Measure) -> SafeCell:
        # In release mode the mean of what is shown, so that nothing hidden is in it.
        if not self.release:
            value = float(measure.value or 0.0)
            return SafeCell(numbers.with_commas(value), "number", value)
        cells = [
            self.cell(self.measures.table(measure.replica, "ROC", (name,)))
            for name in self.review.variables
        ]
        mean = self.guard.average("ROC", cells)
        return SafeCell("not shown", "hidden") if mean is None else mean


def judged(review: Review, profile: Profile, mode: Mode) -> tuple[Verdict, ...]:
    """Return the verdict on every replica in a mode: outside, nothing of what is held back."""
    return Source(review, profile, mode).verdicts
