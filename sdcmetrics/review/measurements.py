"""All measurements of a review as they were made, place by place; a frame only for who asks.

Wide data have hundreds of thousands of rows, whose columns are mostly empty: a frame of them takes
several times what the values take.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.microdata.arrays import Bools, Ints
from sdcmetrics.review.measurement import COLUMNS, NUMBERS, Rows

Row = tuple[Any, ...]
"""Entries of a row, in the order of the columns that were asked for."""

_RARE = 8  # one row in so many has an entry, or fewer do


@dataclass(frozen=True)
class Texts:
    """A column of few texts: the number of each, and what they are; None where there is none."""

    codes: npt.NDArray[np.signedinteger]
    texts: list[Any]

    def __getitem__(self, row: int) -> Any:
        """Return the text of a row."""
        code = self.codes[row]
        return self.texts[code] if code >= 0 else None


@dataclass(frozen=True)
class Rare:
    """A column with an entry in few rows, by row; the others have one of their own."""

    entries: dict[int, Any]
    other: Any

    def __getitem__(self, row: int) -> Any:
        """Return the entry of a row."""
        return self.entries.get(row, self.other)


class Parted:
    """A column in the parts that it came in, which several measures may share.

    Parameters
    ----------
    parts : sequence of arrays of the same type
    """

    def __init__(self, parts: Sequence[npt.NDArray[Any]]) -> None:
        self._parts = tuple(parts)
        self._ends = [0, *itertools.accumulate(map(len, parts))]

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._ends[-1]

    def __iter__(self) -> Iterator[Any]:
        """Yield the entries of all rows."""
        return itertools.chain.from_iterable(self._parts)

    def __getitem__(self, row: int) -> Any:
        """Return the entry of a row."""
        part = bisect_right(self._ends, row) - 1
        return self._parts[part][row - self._ends[part]]

    def of(self, rows: Ints) -> npt.NDArray[Any]:
        """Return the entries of some rows."""
        number = np.searchsorted(self._ends, rows, side="right") - 1
        out = np.empty(len(rows), self._parts[0].dtype if self._parts else np.float64)
        for part in np.unique(number).tolist():
            chosen = number == part
            out[chosen] = self._parts[part][rows[chosen] - self._ends[part]]
        return out

    def filled(self) -> Bools:
        """Return which rows have an entry."""
        return np.concatenate([np.zeros(0, np.bool_), *map(_tells, self._parts)])


def entries_of(column: npt.NDArray[Any] | None, *, often: bool = False) -> Any:
    """Return a column to be read by row, with NaN or None where it has nothing.

    Parameters
    ----------
    column : array or None
        None is a column without an entry.
    often : bool
        Whether few texts are in very many rows.

    Examples
    --------
    >>> entries_of(np.array(["TVD", "TVD", "chi2"], dtype=object), often=True)[2]
    'chi2'
    >>> entries_of(np.array([None] * 9, dtype=object))
    Rare(entries={}, other=None)
    """
    if column is None:
        return Rare({}, None)
    if often:
        codes, texts = pd.factorize(column)
        return Texts(codes.astype(np.int16), list(texts))
    number = column.dtype.kind == "f"
    there = _tells(column)
    if _RARE * there.sum() > len(there):
        return column
    rows = np.flatnonzero(there)
    entries = dict(zip(rows.tolist(), column[rows].tolist(), strict=True))
    return Rare(entries, np.nan if number else None)


def _tells(column: npt.NDArray[Any]) -> Bools:
    """Return where there is anything: None, NaN and () are nothing."""
    if column.dtype.kind == "f":
        return np.asarray(~np.isnan(column))
    there: Bools = column.astype(np.bool_)
    there &= column == column  # noqa: PLR0124  (NaN)
    return there


def _filled(column: npt.NDArray[Any]) -> int:
    """Return how many rows have anything, of one entry that is repeated by a look at it."""
    if column.strides == (0,):
        return len(column) * int(_tells(column[:1])[0])
    return int(_tells(column).sum())


_TEXTS = ("replica", "family", "metric", "unit")
"""Columns with an entry in each row, so as pandas keeps text."""
_OBJECTS = frozenset(COLUMNS).difference(_TEXTS, NUMBERS)


def without_repeats(rows: Rows) -> Iterator[Rows]:
    """Yield rows measure by measure; what is the same in all rows of one is there once.

    Examples
    --------
    >>> metric = np.array(["TVD", "TVD", "W"], dtype=object)
    >>> rows = {"metric": metric, "variables": metric, "value": np.arange(3.0)}
    >>> [(part["metric"].strides, part["value"].tolist()) for part in without_repeats(rows)]
    [((0,), [0.0, 1.0]), ((0,), [2.0])]
    """
    metric = rows["metric"]
    ends = [*(np.flatnonzero(metric[1:] != metric[:-1]) + 1).tolist(), len(metric)]
    places = np.zeros(0, dtype=object)
    for start, end in itertools.pairwise([0, *ends]):
        part = {name: _once(column[start:end]) for name, column in rows.items()}
        if np.array_equal(places, part["variables"]):  # most measures have the same tables
            part["variables"] = places
        places = part["variables"]
        yield part


def _once(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a column that holds one entry once if all are the same, else a column of its own."""
    first = column[:1]
    same = column == first if first[0] == first[0] else column != column  # noqa: PLR0124  (NaN)
    return np.broadcast_to(first.copy(), column.shape) if same.all() else column.copy()


class Measurements:
    """Rows of measurements: the parts that they came in, one after the other.

    Parameters
    ----------
    parts : sequence of rows, see `measurement.Rows`
    """

    def __init__(self, parts: Sequence[Rows]) -> None:
        self._parts = tuple(part for part in parts if len(part["metric"]))
        self._ends = [0, *itertools.accumulate(len(part["metric"]) for part in self._parts)]

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> Measurements:
        """Return the rows of a frame."""
        return cls([{str(name): column.to_numpy() for name, column in frame.items()}])

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._ends[-1]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns; all of them where there are no rows."""
        return tuple(self._parts[0]) if self._parts else COLUMNS

    @cached_property
    def means(self) -> Measurements:
        """Those that are means over the syntheses of a replica."""
        return self if all(map(_all_means, self._parts)) else self._where(_are_means)

    def of(self, metrics: Collection[str]) -> pd.DataFrame:
        """Return the rows of some measures."""
        return self._of(metrics).frame()

    def rows(self, metrics: Collection[str] | None, names: Sequence[str]) -> Iterator[Row]:
        """Yield the entries of some columns in each row of some measures, by default of all.

        A frame of few rows takes longer to make than what is read of it.
        """
        some = self if metrics is None else self._of(metrics)
        columns = [some.column(name) for name in names]
        return zip(*([None] * len(some) if c is None else c.tolist() for c in columns), strict=True)

    def _of(self, metrics: Collection[str]) -> Measurements:
        wanted = frozenset(metrics)

        def chosen(rows: Rows) -> Bools:
            metric = rows["metric"]
            if metric.strides == (0,) and len(metric):  # of one measure
                return np.broadcast_to(np.array(metric[0] in wanted), metric.shape)
            return np.array([symbol in wanted for symbol in metric.tolist()], dtype=np.bool_)

        return self._where(chosen)

    def first(self, name: str) -> int:
        """Return the first row with an entry in a column; 0 where there is none."""
        for part, start in zip(self._parts, self._ends, strict=False):
            if name in part:
                column = part[name][:1] if part[name].strides == (0,) else part[name]
                rows = np.flatnonzero(column.astype(np.bool_))
                if len(rows):
                    return start + int(rows[0])
        return 0

    def parted(self, name: str) -> Parted:
        """Return one column of all rows in its parts; numbers as such."""
        parts = [part[name] for part in self._parts if name in part]
        return Parted([np.asarray(p, np.float64) for p in parts] if name in NUMBERS else parts)

    def column(self, name: str) -> npt.NDArray[Any] | None:
        """Return one column of all rows; None where there is none of that name."""
        if self._parts and name not in self._parts[0]:
            return None
        columns = [part[name] for part in self._parts]
        if not columns:
            return np.zeros(0, np.float64 if name in NUMBERS else object)
        return columns[0] if len(columns) == 1 else np.concatenate(columns)

    def entries(self, name: str, *, often: bool = False) -> Any:
        """Return one column to be read by row: as `entries_of`, but nothing is there twice."""
        columns = [part[name] for part in self._parts if name in part]
        if often and columns:
            return self._texts(columns)
        filled = sum(_filled(column) for column in columns)
        if columns and _RARE * filled > len(self):
            return Parted(columns)
        if not columns:
            return entries_of(None)
        return Rare(self.filled(name), np.nan if columns[0].dtype.kind == "f" else None)

    def filled(self, name: str) -> dict[int, Any]:
        """Return the entries of a column by row, of those rows that have one."""
        entries: dict[int, Any] = {}
        for part, start in zip(self._parts, self._ends, strict=False):
            if name in part and _filled(part[name]):
                rows = np.flatnonzero(_tells(part[name]))
                some = part[name][rows].tolist()
                entries |= dict(zip((rows + start).tolist(), some, strict=True))
        return entries

    def _texts(self, columns: Sequence[npt.NDArray[Any]]) -> Texts:
        number: dict[Any, int] = {}
        codes = np.empty(len(self), np.int16)
        for column, start in zip(columns, self._ends, strict=False):
            part = column[:1] if column.strides == (0,) else column
            code, texts = pd.factorize(part)
            of_text = np.array([*(number.setdefault(text, len(number)) for text in texts), -1])
            codes[start : start + len(column)] = of_text[code]
        return Texts(codes, list(number))

    def frame(self) -> pd.DataFrame:
        """Return all rows as a frame."""
        columns = {}
        index = pd.RangeIndex(len(self))  # the same of all columns: pandas compares no two
        for name in COLUMNS:
            entries = self.column(name)
            of_texts = name in _TEXTS and entries is not None and len(entries)
            columns[name] = pd.Series(
                _texts(entries) if of_texts else entries,
                index=index,
                dtype=object if name in _OBJECTS else None,
            )
        return pd.DataFrame(columns, index=index, copy=False)

    def between(self, start: int, stop: int) -> Measurements:
        """Return the rows from one up to another."""
        parts = []
        for part, first, end in zip(self._parts, self._ends, self._ends[1:], strict=False):
            if first < stop and end > start:
                rows = slice(max(start - first, 0), stop - first)
                parts.append({name: column[rows] for name, column in part.items()})
        return Measurements(parts)

    def _where(self, chosen: Any) -> Measurements:
        parts = []
        for part in self._parts:
            rows = chosen(part)
            if rows.all():
                parts.append(part)
            elif rows.any():
                parts.append({name: column[rows] for name, column in part.items()})
        return Measurements(parts)


def _are_means(rows: Rows) -> Bools:
    return np.isnan(np.asarray(rows["synthesis"], np.float64))


def _all_means(rows: Rows) -> bool:
    return bool(_are_means(rows).all())


def _texts(entries: Any) -> Any:
    """Return texts as pandas keeps them: each is converted once, and not in every row."""
    codes, each = pd.factorize(entries)
    return entries if (codes < 0).any() else pd.Series(each).array.take(codes)
