"""Labels of groups of numbers that give away neither the smallest nor the largest value."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime

from sdcmetrics.report.safety.numbers import significant

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
