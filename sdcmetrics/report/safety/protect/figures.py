"""Protected figures of single measurements: from tables, from counts, and as bands."""

from __future__ import annotations

import bisect
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.places import CROSSTABLES, ONE_WAY
from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety.numbers import with_minus
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.report.safety.protect.tables import ProtectedTable, ProtectedVariable, as_pairs

NOT_SHOWN = "not shown"
_SPACE = "\N{NO-BREAK SPACE}"
_TABLES: tuple[Kind, ...] = (CROSSTABLES, ONE_WAY)
_RULES = ("distance", "ratio", "standardised")


@dataclass(frozen=True, slots=True)
class Figure:
    """A measurement as a release shows it.

    Attributes
    ----------
    value : float
        NaN where nothing is told; where `shown` is not empty, an end of what it may be.
    shown : str
        The text that stands for it, where it is told less exactly than as a number.
    other : float
        The other end of what it may be.
    count, total : float
        The protected counts that it is made of; NaN where it is made of none.
    detail : str
    least, most : float
        Of a statistic of tables, and of a share of records: what it may be, as rounding moved the
        counts that it is made of.
    """

    value: float = math.nan
    shown: str = ""
    count: float = math.nan
    total: float = math.nan
    detail: str = ""
    other: float = math.nan
    least: float = math.nan
    most: float = math.nan


def of_tables(
    table: ProtectedTable,
    replica: str,
    *,
    ways: tuple[int, ...],
    k_syn: bool,
    again: Sequence[ProtectedTable] = (),
    limits: Container[str] = (),
) -> Iterator[tuple[Measure, Figure]]:
    """Yield the measures of a protected table, means over the syntheses.

    With `again`, the same counts moved as rounding moves them, what each measure with a limit may
    be: rounding adds to a distance, so what it adds the second time is taken off.
    """
    once = as_pairs([table], replica, k_syn=k_syn)
    moved = as_pairs(again, replica, k_syn=k_syn) if again else None
    for measure in table_measures(len(table.variables), ways):
        (value,) = _means(measure, once, 1)
        if math.isnan(value):
            yield measure, Figure(shown=NOT_SHOWN)
        elif moved is not None and measure.symbol in limits:
            may_be = _means(measure, moved, len(again))
            middle, spread = 2 * value - float(np.nanmean(may_be)), 2 * float(np.nanstd(may_be))
            yield measure, Figure(value, least=middle - spread, most=middle + spread)
        else:
            yield measure, Figure(value)


def _means(measure: Measure, pairs: TablePairs, tables: int) -> list[float]:
    """Return the mean of a measure over the syntheses, per table."""
    values = np.ravel(measure.function(pairs)).reshape(-1, tables).T
    numeric = [[value for value in row if not math.isnan(value)] for row in values.tolist()]
    return [math.fsum(row) / len(row) if row else math.nan for row in numeric]


def table_measures(size: int, ways: tuple[int, ...]) -> list[Measure]:
    """Return the measures that can be made of protected tables of so many variables."""
    return [
        measure
        for measure in MEASURES.values()
        if measure.release is not None
        and measure.release.rule in _RULES
        and ((measure.of is ONE_WAY and size == 1) or (measure.of is CROSSTABLES and size in ways))
    ]


def from_tables(measure: Measure) -> bool:
    """Whether a measure is of tables, and so only made of protected ones."""
    return measure.of in _TABLES


def share(rounding: Rounding, count: float, total: float) -> Figure:
    """Return a share in percent, made of protected counts; what is small has one form.

    Parameters
    ----------
    rounding : Rounding
    count, total : float
        NaN is as small as nothing, so that what cannot be computed is not told apart from it.
    """
    count = 0.0 if math.isnan(count) else count
    n = rounding.records(0 if math.isnan(total) else total)
    least = rounding.least
    records = f"{least}{_SPACE}records"
    if rounding.small(n) or n <= least:
        return Figure(shown=NOT_SHOWN)
    if rounding.small(count):
        bound = math.ceil(1000.0 * least / n) / 10.0
        text = f"<{_SPACE}{bound:.1f}{_SPACE}%"
        return Figure(bound, text, math.nan, n, f"fewer than {records}", other=0.0)
    if rounding.small(total - count):
        bound = math.floor(1000.0 * (n - least) / n) / 10.0
        text = f">{_SPACE}{bound:.1f}{_SPACE}%"
        detail = f"all but fewer than {records}"
        return Figure(bound, text, math.nan, n, detail, other=100.0)
    shown = min(rounding.records(count), n)
    few, lot = (rounding.about(number) for number in (shown, n))
    most = min(100.0 * few[1] / lot[0], 100.0)
    return Figure(100.0 * shown / n, "", shown, n, least=100.0 * few[0] / lot[1], most=most)


def guessed(target: ProtectedVariable) -> Figure:
    """Return the chance in percent to guess a target from its protected counts alone.

    Levels that are shown together count as equally frequent.
    """
    total = sum(target.counts)
    if not total:
        return Figure(shown=NOT_SHOWN)
    shares = (
        count**2 / max(group.levels, 1)
        for count, group in zip(target.counts, target.groups, strict=True)
    )
    return Figure(100.0 * sum(shares) / total**2)


def band(measure: Measure, value: float, declared: Mapping[str, tuple[float, ...]]) -> Figure:
    """Return the band that a value is in; its value is the less favourable end, or the finite one.

    An end is in the band above it; that of a p, which is compared by "at most", in the one below.

    Examples
    --------
    >>> band(MEASURES["CIO"], 0.6, {}).shown, band(MEASURES["CIO"], 0.9, {}).shown
    ('0.5 to 0.75', '0.75 or more')
    >>> band(MEASURES["DCR_p"], 0.01, {}).shown, band(MEASURES["DCR_p"], 0.3, {}).shown
    ('0.001 to 0.01', 'above 0.05')
    """
    ends = declared.get(measure.symbol, () if measure.release is None else measure.release.bands)
    if not ends or math.isnan(value):
        return Figure(shown=NOT_SHOWN)
    unit = f"{_SPACE}%" if measure.unit == "percent" else ""
    texts = [*map(with_minus, ends)]
    is_p = "p" in measure.tested
    place = (bisect.bisect_left if is_p else bisect.bisect_right)(ends, value)
    low = -math.inf if measure.low is None else measure.low
    high = math.inf if measure.high is None else measure.high
    if place == 0:
        words = f"{texts[0]} or less" if is_p else f"below {texts[0]}{unit}"
        return Figure(ends[0], words, other=low)
    if place == len(ends):
        words = f"above {texts[-1]}" if is_p else f"{texts[-1]}{unit} or more"
        return Figure(ends[-1], words, other=high)
    worse, better = ends[place], ends[place - 1]
    if measure.better != "lower":
        worse, better = better, worse
    return Figure(worse, f"{texts[place - 1]} to {texts[place]}{unit}", other=better)
