"""Levels and groups as they are shown: folded where few have them, with ends that are nobody's."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sdcmetrics.report.safety.numbers import significant


@dataclass(frozen=True, slots=True)
class Folding:
    """Which levels are shown together.

    Attributes
    ----------
    groups : tuple of tuples of positions, in the order of their first position
        Every level is in exactly one group.
    other : int or None
        Place in `groups` of the group of folded levels, or None where nothing is folded.
    shown : bool
        False where even all levels together are too few records.
    """

    groups: tuple[tuple[int, ...], ...]
    other: int | None
    shown: bool


def fold(
    counts: Sequence[int],
    *,
    min_cell: int,
    zeros_disclosive: bool,
    intervals: int = 0,
) -> Folding:
    """Choose which levels to show together.

    Parameters
    ----------
    counts : original records in each level
    min_cell : int
        Fewer records than this are not shown.
    zeros_disclosive : bool
        An empty level is not shown either.
    intervals : int
        The first so many levels are neighbouring intervals; they are joined with a neighbour.

    Returns
    -------
    Folding

    Notes
    -----
    A small level is never folded alone: the next smallest levels go with it until the group
    holds at least `min_cell` records, so the group's count is not the small level's count. Where
    empty levels are shown, a large level always goes along.

    With counts rounded to multiples of at least 5, a folded count cannot be told from what is
    shown, short of one case: all small levels hold exactly `min_cell` - 1 records and their sum
    is the smallest that is rounded to what is shown. Joined intervals show their sum; only where
    nearly all intervals are small could the order of joining narrow down their counts.

    Examples
    --------
    >>> fold([500, 7, 430, 4], min_cell=10, zeros_disclosive=True).groups
    ((0,), (1, 3), (2,))
    >>> fold([500, 7, 430], min_cell=10, zeros_disclosive=True).groups
    ((0,), (1, 2))
    >>> fold([40, 3, 20, 50], min_cell=10, zeros_disclosive=True, intervals=4).groups
    ((0,), (1, 2), (3,))
    """

    def size(group: Sequence[int]) -> int:
        return sum(counts[i] for i in group)

    def small(group: Sequence[int]) -> bool:
        return size(group) < min_cell and (zeros_disclosive or size(group) > 0)

    runs = [[i] for i in range(intervals)]
    # An empty interval is joined too: left open, it would show in which order others were joined.
    while len(runs) > 1 and min(map(size, runs)) < min_cell:
        place = min(range(len(runs)), key=lambda i: size(runs[i]))
        neighbours = [i for i in (place - 1, place + 1) if 0 <= i < len(runs)]
        nearest = min(neighbours, key=lambda i: size(runs[i]))
        first, second = sorted((place, nearest))
        runs[first : second + 1] = [runs[first] + runs[second]]
    units = [*runs, *([i] for i in range(intervals, len(counts)))]
    folded = [unit for unit in units if small(unit)]
    if not folded:
        return Folding(tuple(tuple(unit) for unit in units), None, shown=True)
    left = sorted((unit for unit in units if not small(unit)), key=lambda u: (size(u), u))
    # Where empty levels are shown, folded ones hold at least 1 record each; that no large level
    # had to be added would then tell how small they are.
    needed = 0 if zeros_disclosive else 1
    large = 0

    def enough() -> bool:
        return sum(map(size, folded)) >= min_cell and large >= needed

    for unit in left:
        if enough():
            break
        if size(unit) > 0:
            folded.append(unit)
            large += 1
    left = [unit for unit in left if unit not in folded]
    other = tuple(sorted(i for unit in folded for i in unit))
    groups = sorted([*(tuple(unit) for unit in left), other])
    return Folding(tuple(groups), groups.index(other), shown=size(other) >= min_cell)


_DIGITS = (3, 4, 5)
_TOLERATED = 0.05
_DAY = 86_400_000.0
_EPOCH = datetime.fromtimestamp(0, UTC).toordinal()


def rounded_breaks(breaks: Sequence[float], *, dates: bool = False) -> tuple[float, ...]:
    """Round the inner breaks of groups so that none is a person's exact value.

    Parameters
    ----------
    breaks : ends of the groups, the pooled minimum first and the pooled maximum last
    dates : bool
        The breaks are milliseconds since 1970; they become first days of months.

    Returns
    -------
    tuple of float
        One a break between two groups. Neighbours that became equal stand for groups that
        cannot be told apart and have to be joined.

    Notes
    -----
    Three significant digits where this moves no break by more than a twentieth of its group,
    else up to five (calendar years need four). Groups of equal width get coarser breaks,
    since their pattern would give the ends back.

    Examples
    --------
    >>> rounded_breaks([7159, 107665, 156040, 192973, 254823, 1455435])
    (108000.0, 156000.0, 193000.0, 255000.0)
    >>> rounded_breaks([1950, 1972, 1987, 2001, 2026])
    (1972.0, 1987.0, 2001.0)
    >>> rounded_breaks([-77, 21236.8, 42550.6, 63864.4, 85178.2, 106492])
    (20000.0, 45000.0, 65000.0, 85000.0)
    """
    inner = [float(value) for value in breaks[1:-1]]
    if not inner:
        return ()
    if dates:
        return tuple(_month(value) for value in inner)
    gaps = [b - a for a, b in itertools.pairwise(breaks)]
    typical = sum(gaps) / len(gaps)
    if typical > 0 and all(math.isclose(gap, typical, rel_tol=1e-6) for gap in gaps):
        grain = 0.5 * 10.0 ** math.floor(math.log10(typical))
        return tuple(grain * math.floor(value / grain + 0.5) for value in inner)
    room = [min(gaps[i], gaps[i + 1]) for i in range(len(inner))]
    for digits in _DIGITS:
        rounded = [significant(value, digits) for value in inner]
        moved = (abs(a - b) for a, b in zip(rounded, inner, strict=True))
        if all(far <= _TOLERATED * gap for far, gap in zip(moved, room, strict=True)):
            return tuple(rounded)
    return tuple(significant(value, _DIGITS[0]) for value in inner)


def interval_label(inner: Sequence[float], first: int, last: int, *, dates: bool = False) -> str:
    """Return the label of groups `first` to `last`, open at both ends of the range.

    Examples
    --------
    >>> [interval_label((33.0, 40.0), i, i) for i in range(3)]
    ['below 33', '33 to under 40', '40 and above']
    >>> interval_label((33.0, 40.0), 0, 2)
    'all values'
    """
    write = _month_text if dates else _number
    low = write(inner[first - 1]) if first > 0 else ""
    high = write(inner[last]) if last < len(inner) else ""
    if low and high:
        return f"{low} to under {high}"
    if high:
        return f"before {high}" if dates else f"below {high}"
    if low:
        return f"{low} and later" if dates else f"{low} and above"
    return "all values"


def group_label(label: str) -> str:
    """Write the label of a group of numbers or dates as a release writes it; any other as it is.

    Examples
    --------
    >>> group_label("[850,1200)"), group_label("[1200,2500.5]"), group_label("North")
    ('850 to under 1,200', '1,200 to 2,500.5', 'North')
    """
    ends = _GROUP.fullmatch(label)
    if ends is None:
        return label
    low, high = map(_end, ends.groups()[:2])
    return f"{low} to {'under ' if ends[3] == ')' else ''}{high}{ends[4]}"


_GROUP = re.compile(r"\[([^\[\],]+),([^\[\],]+)([\])])(.*)")


def _end(text: str) -> str:
    try:
        return _number(float(text))
    except ValueError:  # a date
        return text


def _number(value: float) -> str:
    text = f"{abs(value):,.10f}".rstrip("0").rstrip(".")
    if abs(value) < 1e-6 and value != 0:  # noqa: PLR2004  (commas would show zeros only)
        text = f"{abs(value):.3g}"
    return f"\N{MINUS SIGN}{text}" if value < 0 else text


def _month(milliseconds: float) -> float:
    first = datetime.fromordinal(_day(milliseconds)).replace(day=1)
    return float((first.toordinal() - _EPOCH) * _DAY)


def _month_text(milliseconds: float) -> str:
    return f"{datetime.fromordinal(_day(milliseconds)):%Y-%m}"


def _day(milliseconds: float) -> int:
    """Return the day as an ordinal; days that a calendar of four digits lacks are its ends."""
    day = _EPOCH + math.floor(milliseconds / _DAY)
    return min(max(day, 1), date.max.toordinal())
