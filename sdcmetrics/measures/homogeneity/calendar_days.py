"""Columns that a calendar fixes: a day, and what follows from it, where each day comes as often."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.scanning import MOST_CELLS, scan
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.coding import by_value, encode
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
        columns = _of_days(data, name) if data.large else _of_records(data, name)
        parts = [np.unique(part, return_inverse=True)[1] for part in _parts_of_days(days)]
        fixed |= {name} | {
            other for other, column in columns if any(_one_to_one(column, part) for part in parts)
        }
    return frozenset(fixed)


def _of_records(data: Harmonised, name: str) -> Iterator[tuple[str, Floats | Ints]]:
    """Yield the values of the other columns, one per record."""
    for other, column in data.variables.items():
        if other != name:
            yield other, column.values[0] if column.values else column.codes[0].astype(np.int64)


def _of_days(data: Harmonised, name: str) -> Iterator[tuple[str, Ints]]:
    """Yield the values of columns that follow from the day, one per distinct day, from a scan."""
    coded = encode(data, by_value, data.variables)
    days = coded.variables[name]
    others = [
        column
        for other, column in coded.variables.items()
        if other != name and column.size <= days.size and days.size * column.size <= MOST_CELLS
    ]
    tables = scan(coded, [(name, column.name) for column in others], 0)
    for column, (cells, _) in zip(others, tables, strict=True):
        day, level = cells // column.size, cells % column.size
        if np.array_equal(day, np.sort(days.parts[0])):  # each day has one level
            yield column.name, level[np.argsort(np.argsort(days.parts[0]))]


def _all_days(variable: Variable) -> npt.NDArray[np.datetime64] | None:
    """Return the original's days, or distinct ones, if it has all of a time as often."""
    if variable.kind is not Kind.DATE or np.isnan(variable.values[0]).any():
        return None
    days = variable.values[0].astype("datetime64[ms]").astype("datetime64[D]")
    present, place = np.unique(days, return_inverse=True)
    counts = np.bincount(place, variable.counts[0] if variable.counts else None)
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


def _one_to_one(column: Floats | Ints, codes: Ints) -> bool:
    levels = np.unique(column, return_inverse=True)[1]
    both = len(np.unique(levels * (1 + codes.max()) + codes))
    return both == 1 + int(codes.max()) == 1 + int(levels.max())
