"""Columns that a calendar fixes: a day, and what follows from it, where each day comes as often."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, Variable

_FEWEST_DAYS = 10
_OF_A_WEEK = 7


def fixed_by_calendar(data: Harmonised) -> frozenset[str]:
    """Return dates of which the original has each day as often, and what follows from them.

    A table of two of these, such as of days by the day of the month, has the same counts in any
    file of these days.
    """
    fixed: set[str] = set()
    for name, variable in data.variables.items():
        days = _all_days(variable)
        if days is None:
            continue
        parts = [np.unique(part, return_inverse=True)[1] for part in _parts_of_days(days)]
        fixed |= {name} | {
            other
            for other, column in data.variables.items()
            if other != name and any(_one_to_one(_codes(column), part) for part in parts)
        }
    return frozenset(fixed)


def _all_days(variable: Variable) -> npt.NDArray[np.datetime64] | None:
    """Return the original's days, if it has all of a stretch of time as often."""
    if variable.kind is not Kind.DATE or np.isnan(variable.values[0]).any():
        return None
    days = variable.values[0].astype("datetime64[ms]").astype("datetime64[D]")
    present, counts = np.unique(days, return_counts=True)
    if len(present) < _FEWEST_DAYS or (counts != counts[0]).any():
        return None
    steps = np.diff(present).astype(np.int64)
    return days if (steps == 1).all() else None


def _parts_of_days(days: npt.NDArray[np.datetime64]) -> Iterator[Ints]:
    """Yield year, month, month of the year, day of the month, day of the week, and week."""
    since = days.astype(np.int64)
    months = days.astype("datetime64[M]")
    monday = since + 3  # 1970 began on a Thursday
    yield days.astype("datetime64[Y]").astype(np.int64)
    yield months.astype(np.int64)
    yield months.astype(np.int64) % 12
    yield (days - months).astype(np.int64)
    yield monday % _OF_A_WEEK
    yield monday // _OF_A_WEEK


def _codes(column: Variable) -> Floats | Ints:
    return column.values[0] if column.values else column.codes[0].astype(np.int64)


def _one_to_one(column: Floats | Ints, part: Ints) -> bool:
    levels = np.unique(column, return_inverse=True)[1]
    both = len(np.unique(levels * (1 + part.max()) + part))
    return both == 1 + int(part.max()) == 1 + int(levels.max())
