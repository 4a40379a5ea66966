"""The one place that decides how exactly a value may be shown, and logs what it holds back.

In internal mode every value passes as it is. In release mode only measures that declare how they
may be handed out pass (`Measure.release`), and only as exactly as the rules of the profile allow.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

from sdcmetrics.measures.measure import Release
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Mode, SafeCell
from sdcmetrics.report.safety.names import Names
from sdcmetrics.review.judge import Status
from sdcmetrics.study.profile import Profile

__all__ = ["Guard"]

_FEW_CELLS = 10
"""Tables with fewer degrees of freedom could be solved for their counts (also ACRO's limit)."""

_LEAST_RESIDUAL_DF = 10
"""ACRO's limit: with fewer residual degrees of freedom a model gives single records back."""

_CLOSEST = 0.5
"""An S_pMSE of 0 says that the original's table is the replica's, which would be public."""

_LEAST_BASE = 5
"""With a smaller base the sum of two folded levels can have one solution only: the smaller of
them is at least 1, the larger at least `min_cell`, and a narrow base leaves no other sum."""

_FULL_DIGITS, _LESS_DIGITS, _LEAST_DIGITS = 3, 2, 1
_SPACE = "\N{NO-BREAK SPACE}"


class Guard:
    """Turns values into cells that are safe in a mode, and counts what it suppressed by rule.

    Parameters
    ----------
    mode : "internal" or "release"
    profile : Profile
        Its `min_cell`, `zeros_disclosive` and `round_base` are the rules.
    n : int
        Original records.
    """

    def __init__(self, mode: Mode, profile: Profile, n: int) -> None:
        self.mode = mode
        self.release = mode == "release"
        self.profile = profile
        self.n = n
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
        found = self.released(metric)
        return "" if found is None else found.rule

    def shows(self, metric: str) -> bool:
        """Whether the mode shows this measure at all."""
        return not self.release or self.released(metric) is not None

    def small(self, count: float) -> bool:
        """Whether so many original records are too few to be shown."""
        if count == 0:
            return self.profile.zeros_disclosive
        return count < self.profile.min_cell

    @property
    def base(self) -> int:
        """What counts are rounded to: as the profile says, but at least so that it protects."""
        return max(self.profile.round_base, _LEAST_BASE)

    def rounded(self, count: float) -> int:
        """Round a count of original records that is large enough to be shown."""
        return numbers.round_to_base(count, self.base, least=self.profile.min_cell)

    def records(self, count: float) -> SafeCell:
        """Return a count of original records."""
        if not self.release:
            return SafeCell(numbers.count_text(count), "number", float(count))
        if self.small(count):
            self.suppress(self.rule_small)
            return SafeCell(f"<{_SPACE}{self.profile.min_cell}", "hidden")
        safe = self.rounded(count)
        return SafeCell(numbers.count_text(safe), "number", float(safe))

    @property
    def rule_small(self) -> str:
        """The rule on small counts, in words."""
        zero = ", zero included" if self.profile.zeros_disclosive else ""
        return f"Counts and shares of fewer than {self.profile.min_cell} original records{zero}"

    def share(
        self, metric: str, percent: float, count: float | None, total: float | None
    ) -> SafeCell:
        """Return a share of records in percent, with the count behind it, or a chance."""
        if not self.release:
            detail = "" if count is None else _records(count)
            text = numbers.percent_text(percent)
            return SafeCell(text, "number", percent, detail=detail)
        rule = self.rule(metric)
        if rule not in ("share", "replica share", "chance"):
            return self._left_out(metric)
        if rule == "chance" or count is None or total is None or not total > 0:
            return self._chance(percent)
        base = self.base
        decimals = numbers.decimals_for(numbers.step_for(base, total))
        if rule == "replica share":
            return SafeCell(
                numbers.percent_text(percent, decimals), "number", round(percent, decimals)
            )
        if self.small(count):
            return self._few(total)
        if self.small(total - count):
            return self._nearly_all(total)
        safe = self.rounded(count)
        value = round(100.0 * safe / total, decimals)
        return SafeCell(
            numbers.percent_text(value, decimals),
            "number",
            value,
            detail=f"about{_SPACE}{_records(safe)}",
        )

    def statistic(
        self, metric: str, value: float, *, ways: int, df: float | None, folded: bool
    ) -> SafeCell:
        """Return a statistic of a table.

        Parameters
        ----------
        ways : number of variables of the table
        df : its degrees of freedom, where known
        folded : whether a variable of the table has folded levels
        """
        if not self.release:
            return SafeCell(numbers.with_commas(value), "number", value)
        rule = self.rule(metric)
        if rule not in ("distance", "ratio", "standardised"):
            return self._left_out(metric)
        if rule == "distance":
            decimals = self.distance_decimals
            safe = round(value, decimals)
            text = f"{safe:.{decimals}f}" if safe else f"<{_SPACE}{10.0**-decimals:.{decimals}f}"
            return SafeCell(text, "number", safe)
        if ways == 1 and folded:
            self.suppress("One-way S_pMSE and ROC of variables with folded levels")
            return SafeCell("not shown", "hidden")
        if rule == "ratio":
            return SafeCell(f"{value:.2f}", "number", round(value, 2))
        if value < _CLOSEST:
            self.suppress(f"S_pMSE below {_CLOSEST}: tables that nearly equal those of a replica")
            return SafeCell(f"<{_SPACE}{_CLOSEST}", "hidden", bound=_CLOSEST)
        digits = _FULL_DIGITS if ways == 1 else self._digits(df, folded=folded)
        safe = numbers.significant(value, digits)
        return SafeCell(numbers.with_commas(safe, digits), "number", safe)

    @property
    def distance_decimals(self) -> int:
        """Decimals of a distance between tables: no count can be solved for from them."""
        if not self.release:
            return 4
        return numbers.decimals_for(numbers.step_for(self.base, self.n)) + 2

    def closeness(
        self, metric: str, value: float, unit: str, count: float | None = None
    ) -> SafeCell:
        """Return a mean over the records of a replica, or a p value that `count` draws reach."""
        if self.release and self.rule(metric) != "closeness":
            return self._left_out(metric)
        if unit == "percent":
            return SafeCell(numbers.percent_text(value), "number", value)
        decimals = MEASURES[metric].show.get("decimals", 3)
        safe = round(value, decimals)
        sign = "\N{MINUS SIGN}" if safe < 0 else ""
        bound = f"\N{LESS-THAN OR EQUAL TO}{_SPACE}" if count == 0 and value < 1 else ""
        text = f"{bound}{sign}{abs(safe):.{decimals}f}"
        return SafeCell(text, "number", safe if self.release else value)

    def matched(self, share: float, count: float, total: int) -> SafeCell:
        """Return a share of a replica's `total` records that equal real ones, so many of them."""
        percent, decimals = 100.0 * share, 1
        if self.release:
            if self.small(count):
                self.suppress(self.rule_small)
                return SafeCell("not shown", "hidden")
            decimals = min(1, numbers.decimals_for(numbers.step_for(self.base, total)))
        text = numbers.percent_text(percent, decimals)
        return SafeCell(text, "number", round(percent, decimals))

    def withheld(self, residual_df: int, level_counts: tuple[int, ...]) -> str:
        """Return the rule by which nothing of a fitted model is released; empty if all may be.

        Parameters
        ----------
        residual_df : original records less coefficients
        level_counts : original records behind every level that a coefficient speaks of
        """
        if not self.release:
            return ""
        if residual_df < _LEAST_RESIDUAL_DF:
            return f"Models with fewer than {_LEAST_RESIDUAL_DF} residual degrees of freedom"
        if any(self.small(count) for count in level_counts):
            return (
                f"Models with a coefficient of a level that fewer than {self.profile.min_cell} "
                "original records have"
            )
        return ""

    def fitted(self, metric: str, value: float, rule: str) -> SafeCell:
        """Return a mean over the coefficients of a model; `rule` says why it is held back."""
        if not self.release:
            return SafeCell(numbers.with_commas(value), "number", value)
        found = self.released(metric)
        if found is None or found.rule != "fit":
            return self._left_out(metric)
        if rule:
            self.suppress(rule)
            return SafeCell("not shown", "hidden")
        if found.most is not None and value >= found.most:
            self.suppress("Adjusted R2 near 1: models that give the response back")
            least = math.floor(100 * found.most) / 100
            return SafeCell(f">{_SPACE}{least:g}", "hidden", bound=least)
        # Two significant digits, but no more than two decimals.
        safe = round(numbers.significant(value, _LESS_DIGITS), 2)
        if safe == 0:
            bound = f"<{_SPACE}0.01" if value >= 0 else "near 0"
            return SafeCell(bound, "number", 0.0)
        decimals = 0 if abs(safe) >= 10 else 1 if abs(safe) >= 1 else 2  # noqa: PLR2004
        sign = "\N{MINUS SIGN}" if safe < 0 else ""
        return SafeCell(f"{sign}{abs(safe):,.{decimals}f}", "number", safe)

    def average(self, metric: str, cells: list[SafeCell]) -> SafeCell | None:
        """Return the mean of what the cells show, bounds included; None where they show nothing."""
        shown = (cell.bound if cell.number is None else cell.number for cell in cells)
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
        return cell if status in (None, Status.NOT_JUDGED) else replace(cell, status=status)

    def _digits(self, df: float | None, *, folded: bool) -> int:
        if df is None or df < _FEW_CELLS:
            self.suppress("Two-way S_pMSE of tables with few cells: to one significant digit")
            return _LEAST_DIGITS
        if folded:
            self.suppress("Two-way S_pMSE of tables with folded levels: to two significant digits")
            return _LESS_DIGITS
        return _FULL_DIGITS

    def _chance(self, percent: float) -> SafeCell:
        # The baseline of a target of two levels moves by up to twice its smaller count.
        step = numbers.step_for(2 * self.base, self.n)
        decimals = numbers.decimals_for(step)
        return SafeCell(numbers.percent_text(percent, decimals), "number", round(percent, decimals))

    def _few(self, total: float) -> SafeCell:
        self.suppress(self.rule_small)
        least = self.profile.min_cell
        if least >= total:
            return SafeCell("not shown", "hidden")
        bound = math.ceil(1000.0 * least / total) / 10.0
        return SafeCell(
            f"<{_SPACE}{bound:.1f}{_SPACE}%",
            "hidden",
            detail=f"fewer than {_records(least)}",
            bound=bound,
        )

    def _nearly_all(self, total: float) -> SafeCell:
        self.suppress(f"Shares of all but fewer than {self.profile.min_cell} original records")
        least = self.profile.min_cell
        bound = math.floor(1000.0 * (total - least) / total) / 10.0
        return SafeCell(
            f">{_SPACE}{bound:.1f}{_SPACE}%",
            "hidden",
            detail=f"all but fewer than {_records(least)}",
            bound=bound,
        )

    def _left_out(self, metric: str) -> SafeCell:
        self.suppress(f"Measures that are not released, such as {metric}")
        return SafeCell("not shown", "hidden")


def _records(count: float) -> str:
    return numbers.plural(count, "record").replace(" ", _SPACE)
