"""The first pass: distinct values of every column, with how many records have each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sdcmetrics.microdata.arrays import Counts

MOST_VALUES = 1 << 22
"""Distinct values of a column that are held: 64 MB with their counts."""
_SMALL_RANGE = 1 << 20
SCALES = (1.0, 10.0, 100.0)
"""What makes whole numbers of money and measures; dividing by it is exact to the last bit."""
_PILE = 1 << 20  # entries that wait to be merged; sorting them takes a tenth of a second


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct values of a column.

    Attributes
    ----------
    values : Arrow array
        Each once, in the column's own type; null, where there is one, is the last. A dictionary
        column keeps levels that no record has in its dictionary.
    counts : int array of the same length
    complete : bool
        False where there were more than can be held, or they cannot be told apart; then there are
        none.
    rounded : bool
        Whether each value stands for all from it up to the next; see `share_values`.
    """

    values: pa.Array
    counts: Counts
    complete: bool = True
    rounded: bool = False

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @cached_property
    def keys(self) -> npt.NDArray[Any]:
        """The values that are not null as numpy has them, increasing; of numbers and times."""
        return to_numpy(self.values.slice(0, len(self.values) - self.has_null))

    @property
    def has_null(self) -> bool:
        """Whether the last value is null."""
        return bool(self.values.null_count)


def is_numeric(kind: pa.DataType) -> bool:
    """Return whether values of this type are sorted as numbers; others are told apart as they are.

    >>> is_numeric(pa.date32()), is_numeric(pa.string())
    (True, False)
    """
    types = pa.types
    if types.is_uint64(kind) or types.is_interval(kind):  # 64 bits do not hold them
        return False
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_temporal)
    return any(is_it(kind) for is_it in tests)


def is_countable(kind: pa.DataType) -> bool:
    """Return whether values of this type can be told apart: not lists, structures and their like.

    >>> is_countable(pa.binary()), is_countable(pa.list_(pa.int64()))
    (True, False)
    """
    if pa.types.is_dictionary(kind):
        return is_countable(kind.value_type)
    try:
        pa.nulls(0, kind).dictionary_encode()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return False
    return True


def to_numpy(array: pa.Array) -> npt.NDArray[Any]:
    """Return numbers, times and booleans without null as int64 or float64."""
    kind = array.type
    if pa.types.is_floating(kind):
        return np.asarray(array.cast(pa.float64()))
    if kind.bit_width == 32 and pa.types.is_temporal(kind):  # noqa: PLR2004  (days, seconds)
        array = array.cast(pa.int32())
    return np.asarray(array.cast(pa.int64()))


def uncounted(kind: pa.DataType) -> Distinct:
    """Return what is known of a column whose distinct values are not held."""
    return Distinct(pa.nulls(0, kind), np.empty(0, np.int64), complete=False)


def of_table(values: pa.ChunkedArray, counts: pa.ChunkedArray, field: pa.Field) -> Distinct:
    """Return what an engine has counted: values in any order, each with its number of records."""
    kind, times = field.type, np.asarray(counts, dtype=np.int64)
    if len(times) > MOST_VALUES:
        return uncounted(kind)
    array = values.combine_chunks()
    array = array if array.type.equals(kind) else array.cast(kind)
    missing = np.asarray(array.is_null())
    present = np.flatnonzero(~missing)
    if is_numeric(kind):
        present = present[np.argsort(to_numpy(array.drop_null()))]
    order = np.append(present, np.flatnonzero(missing))
    return Distinct(array.take(pa.array(order)), times[order])


def count_values(
    types: Mapping[str, pa.DataType], batches: Iterable[pa.RecordBatch]
) -> dict[str, Distinct]:
    """Count the distinct values of every column over some batches."""
    counters = {
        name: _Numbers(kind) if is_numeric(kind) else _Texts(kind) for name, kind in types.items()
    }
    for batch in batches:
        for name, counter in counters.items():
            counter.add(batch.column(name))
    return {name: counter.distinct() for name, counter in counters.items()}


def merge(values: npt.NDArray[Any], counts: Counts) -> tuple[npt.NDArray[Any], Counts]:
    """Add up the counts of equal values; the values come back sorted.

    >>> merge(np.array([5, 2, 5]), np.array([1, 1, 3]))
    (array([2, 5]), array([1, 4]))
    """
    if not len(values):
        return values, counts
    order = np.argsort(values, kind="stable")  # fast where parts are sorted, as they are
    values, counts = values[order], counts[order]
    first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return values[first], np.add.reduceat(counts, first)


class _Counter:
    """Counts values batch by batch; counts pile up, and are merged when they are many."""

    def __init__(self, kind: pa.DataType) -> None:
        self.kind, self.nulls, self.nans = kind, 0, 0
        self.pile: list[tuple[Any, Counts]] = []
        self.waiting, self.complete = 0, is_numeric(kind) or is_countable(kind)

    def stack(self, values: Any, counts: Counts) -> None:
        self.pile.append((values, counts))
        self.waiting += len(values)
        if self.waiting > _PILE + 2 * len(self.pile[0][0]):
            self._merge()

    def merged(self, parts: Sequence[Any], counts: Sequence[Counts]) -> tuple[Any, Counts]:
        raise NotImplementedError

    def _merge(self) -> None:
        self.pile = [self.merged(*zip(*self.pile, strict=True))]
        self.waiting = len(self.pile[0][0])
        if self.waiting > MOST_VALUES:
            self.complete, self.pile = False, []

    def listed(self) -> Distinct:
        raise NotImplementedError

    def distinct(self) -> Distinct:
        if self.pile:
            self._merge()
        return self.listed() if self.complete else uncounted(self.kind)


class _Numbers(_Counter):
    """Counts numbers, times and booleans; NaN is a value of its own, told apart from null."""

    def add(self, array: pa.Array) -> None:
        self.nulls += array.null_count
        if not self.complete:
            return
        values = to_numpy(array.drop_null() if array.null_count else array)
        if values.dtype == np.float64:
            nan = np.isnan(values)
            if nan.any():
                self.nans += int(nan.sum())
                values = values[~nan]
        if not len(values):
            return
        self.stack(*_count_batch(values))

    def merged(self, parts: Sequence[Any], counts: Sequence[Counts]) -> tuple[Any, Counts]:
        return merge(np.concatenate(parts), np.concatenate(counts))

    def listed(self) -> Distinct:
        values, counts = self.pile[0] if self.pile else (np.empty(0), np.empty(0, np.int64))
        return of_numbers(self.kind, values, counts, nans=self.nans, nulls=self.nulls)


def of_numbers(
    kind: pa.DataType, values: npt.NDArray[Any], counts: Counts, *, nans: int, nulls: int
) -> Distinct:
    """Return what was counted of numbers and times, which increase."""
    extra = [nans] if nans else []
    array = _of_type(values, kind)
    if nans:
        nan = pa.array([np.nan], pa.float64()).cast(kind)
        array = pa.concat_arrays([array, nan])
    if nulls:
        array = pa.concat_arrays([array, pa.nulls(1, kind)])
        extra.append(nulls)
    return Distinct(array, np.concatenate([counts, np.array(extra, np.int64)]))


def _count_batch(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Counts]:
    """Count the values of a batch; without sorting where they are multiples of a decimal."""
    low, high = float(values.min()), float(values.max())
    for scale in SCALES if values.dtype == np.float64 else (1.0,):
        if (high - low) * scale < _SMALL_RANGE:
            whole = np.rint(values * scale) if values.dtype == np.float64 else values
            if whole is values or np.array_equal(whole / scale, values):
                first = whole.min()
                counts = np.bincount((whole - first).astype(np.intp, copy=False))
                there = np.flatnonzero(counts)
                values_counted = there + first
                return values_counted / scale if whole is not values else values_counted, counts[
                    there
                ]
    distinct, counts = np.unique(values, return_counts=True)
    return distinct, counts


def _of_type(values: npt.NDArray[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_floating(kind):
        return pa.array(values, pa.float64()).cast(kind)
    whole = pa.array(values, pa.int64())
    if kind.bit_width == 32 and pa.types.is_temporal(kind):  # noqa: PLR2004
        whole = whole.cast(pa.int32())
    return whole.cast(kind)


class _Texts(_Counter):
    """Counts text, decimals and dictionaries, whose levels keep the order in which they come."""

    def add(self, array: pa.Array) -> None:
        self.nulls += array.null_count
        if not self.complete:
            return
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        levels = array.dictionary
        if not len(levels):
            return
        codes = np.asarray(array.indices.drop_null())
        self.stack(levels, np.bincount(codes, minlength=len(levels)))

    def merged(self, parts: Sequence[Any], counts: Sequence[Counts]) -> tuple[Any, Counts]:
        coded = pa.chunked_array(parts).dictionary_encode(null_encoding="encode")
        levels = coded.chunk(0).dictionary  # of all chunks, in the order in which they came
        places = np.concatenate([np.asarray(chunk.indices) for chunk in coded.chunks])
        times = np.zeros(len(levels), np.int64)
        np.add.at(times, places, np.concatenate(counts))
        return levels, times

    def listed(self) -> Distinct:
        is_dictionary = pa.types.is_dictionary(self.kind)
        kind = self.kind.value_type if is_dictionary else self.kind
        none: tuple[pa.Array, Counts] = pa.nulls(0, kind), np.zeros(0, np.int64)
        levels, counts = self.pile[0] if self.pile else none
        used = np.flatnonzero(counts)
        values = levels.take(pa.array(used))
        if is_dictionary:
            indices = pa.array(used, pa.int32())
            values = pa.DictionaryArray.from_arrays(indices, levels, ordered=self.kind.ordered)
        counts = counts[used]
        if self.nulls:
            values = pa.concat_arrays([values, pa.nulls(1, values.type)])
            counts = np.append(counts, self.nulls)
        return Distinct(values, counts)
