"""The one place that writes values, and logs what a mode holds back.

In internal mode every value passes as it is. What comes here in checker mode is public or
protected already (`safety.protect`), and is written no more exactly than it is known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from sdcmetrics.measures.measure import Release
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Mode, SafeCell, p_cell
from sdcmetrics.report.safety.names import Names
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.review.judge import Status
from sdcmetrics.study.profile import Profile

_CLOSEST = 0.5
"""An S_pMSE of 0 says that the original's table is the replica's, which would be public."""

_FULL_DIGITS, _LESS_DIGITS = 3, 2
_SPACE = "\N{NO-BREAK SPACE}"
_MEAN = ", mean of "


class Guard:
    """Turns values into cells that are safe in a mode, and counts what it suppressed by rule.

    Parameters
    ----------
    mode : "internal" or "checker"
    profile : Profile
        Its `min_cell`, `zeros_disclosive` and `round_base` are the rules.
    n : int
        Original records.
    """

    def __init__(self, mode: Mode, profile: Profile, n: int) -> None:
        self.mode = mode
        self.release = mode == "checker"
        self.profile = profile
        self.n = n
        self.rounding = Rounding.of(profile)
        self.names = Names()
        self.log: Counter[str] = Counter()

    def suppress(self, rule: str, times: int = 1) -> None:
        """Note that something was held back."""
        self.log[rule] += times

    def released(self, metric: str) -> Release | None:
        """Return how a measure may be handed out; None for never, and for one nobody declared."""
        measure = MEASURES.get(metric)
        return None if measure is None else measure.release

    def rule(self, metric: str) -> str:
        """Return the rule by which a measure may be handed out; empty for never."""
        release = self.released(metric)
        return "" if release is None else release.rule

    def shows(self, metric: str) -> bool:
        """Whether the mode shows this measure at all."""
        return not self.release or self.released(metric) is not None

    def small(self, count: float) -> bool:
        """Whether so many original records are too few to be shown."""
        return self.rounding.small(count)

    @property
    def base(self) -> int:
        """The base of rounding: as the profile says, but at least so that it protects."""
        return self.rounding.base

    def rounded(self, count: float) -> int:
        """Round a count of original records that is large enough to be shown."""
        return numbers.round_to_base(count, self.base, least=self.rounding.least)

    def records(self, count: float) -> SafeCell:
        """Return a count of original records; in a release, one that is protected already."""
        if not self.release:
            return SafeCell(numbers.count_text(count), "number", float(count))
        if self.small(count):
            self.suppress(self.rounding.rule_small)
            return SafeCell(f"<{_SPACE}{self.rounding.least}", "hidden")
        return SafeCell(numbers.count_text(count), "number", float(count))

    def share(
        self, metric: str, percent: float, count: float | None, total: float | None, of: int = 1
    ) -> SafeCell:
        """Return a share of records in percent, with the count behind it, or a chance.

        `of` is the number of syntheses that the count is a mean over.
        """
        if not self.release:
            detail = "" if count is None else _counted(metric, count, of)
            return SafeCell(numbers.percent_text(percent), "number", percent, detail=detail)
        decimals = numbers.decimals_for(numbers.step_for(self.base, total or self.n))
        safe = round(percent, decimals)
        text = numbers.percent_text(percent, decimals)
        about = self.rule(metric) == "share" and count is not None
        detail = f"about{_SPACE}{_counted(metric, count or 0, of)}" if about else ""
        return SafeCell(text, "number", safe, detail=detail)

    def statistic(self, metric: str, value: float) -> SafeCell:
        """Return a statistic; in a release, one that is made of protected tables."""
        if not self.release:
            return SafeCell(numbers.with_commas(value), "number", value)
        rule = self.rule(metric)
        if rule == "distance":
            # So many that no count can be solved for from a distance between tables.
            decimals = numbers.decimals_for(numbers.step_for(self.base, self.n)) + 2
            safe = round(value, decimals)
            text = f"{safe:.{decimals}f}" if safe else f"<{_SPACE}{10.0**-decimals:.{decimals}f}"
            return SafeCell(text, "number", safe)
        if rule == "ratio":
            return SafeCell(f"{value:.2f}", "number", round(value, 2))
        if value < _CLOSEST:
            self.suppress(f"S_pMSE below {_CLOSEST}: tables that nearly equal those of a replica")
            return SafeCell(f"<{_SPACE}{_CLOSEST}", "hidden", bound=_CLOSEST)
        safe = numbers.significant(value, _FULL_DIGITS)
        return SafeCell(numbers.with_commas(safe, _FULL_DIGITS), "number", safe)

    def coarse(self, shown: str, value: float | None, detail: str) -> SafeCell:
        """Return the cell of what is shown as words, less exact than a number."""
        return SafeCell(shown, "hidden", bound=value, detail=detail)

    def closeness(
        self, metric: str, value: float, unit: str, count: float | None = None
    ) -> SafeCell:
        """Return a mean over the records of a replica, or a p value that `count` draws reach."""
        if unit == "percent":
            return SafeCell(numbers.percent_text(value), "number", value)
        measure = MEASURES[metric]
        if measure.syntheses == "smallest" and count != 0:
            return p_cell(value)
        text = numbers.with_decimals(value, measure.show.get("decimals", 3))
        bound = f"\N{LESS-THAN OR EQUAL TO}{_SPACE}" if count == 0 and value < 1 else ""
        return SafeCell(f"{bound}{text}", "number", value)

    def fitted(self, value: float) -> SafeCell:
        """Return a mean over the coefficients of a model."""
        return SafeCell(numbers.with_commas(value), "number", value)

    def mean(self, metric: str, shown: Iterable[float | None]) -> SafeCell | None:
        """Return the mean of what is shown; None where that is nothing."""
        values = [value for value in shown if value is not None]
        if not values:
            return None
        mean = math.fsum(values) / len(values)
        if self.release and self.rule(metric) == "ratio":
            return SafeCell(f"{mean:.2f}", "number", round(mean, 2))
        digits = _LESS_DIGITS if self.release else _FULL_DIGITS
        number = numbers.significant(mean, digits) if self.release else mean
        return SafeCell(numbers.with_commas(mean, digits), "number", number)

    def judged(self, cell: SafeCell, status: Status | None) -> SafeCell:
        """Return the cell with what the profile says of it."""
        if status in (None, Status.NOT_JUDGED):
            return cell
        c = cell
        return SafeCell(c.text, c.kind, c.number, c.detail, c.bound, c.full, status, c.shade)


def _counted(metric: str, count: float, of: int) -> str:
    noun = MEASURES[metric].show.get("counted", "record")
    counted = numbers.plural(round(count) if of > 1 else count, noun).replace(" ", _SPACE)
    return f"{counted}{_MEAN}{of}{_SPACE}syntheses" if of > 1 else counted  # may break at the comma


def in_brief(cell: SafeCell) -> SafeCell:
    """Return a cell whose detail may break, and does not say of a mean that it is one."""
    return replace(cell, detail=cell.detail.partition(_MEAN)[0].replace(_SPACE, " "))
