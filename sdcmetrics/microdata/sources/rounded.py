"""Numbers with more distinct values than are held: rounded down to values that all data sets share.

These are the values of records drawn at random, and the ends. How far that moves a quantile is
counted, and said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sdcmetrics.microdata.frames import Fix
from sdcmetrics.microdata.sources.distinct import (
    MOST_VALUES,
    is_numeric,
    merge,
    of_numbers,
    to_numpy,
)
from sdcmetrics.microdata.sources.large import Large, as_read
from sdcmetrics.microdata.sources.source import PARTIAL, partial_counts

Values = npt.NDArray[Any]

_DRAWN = 1 << 18
"""Records of a data set whose values are kept: between two of them lie some 50 in a million."""


def share_values(data: Sequence[Large]) -> Iterator[Large]:
    """Yield data sets whose numbers are all held, rounded where one has too many distinct ones.

    A column is left as it is where its types differ between data sets, or it is not of numbers.
    """
    shared: dict[str, Values] = {}
    for name in dict.fromkeys(
        n for data_set in data for n, f in data_set.distinct.items() if not f.complete
    ):
        having = [data_set for data_set in data if name in data_set.columns]
        kinds = {data_set.records.schema.field(data_set.names[name]).type for data_set in having}
        if len(kinds) == 1 and is_numeric(*kinds):
            most = min(_DRAWN, MOST_VALUES // len(having))
            shared[name] = np.unique(
                np.concatenate([_some(data_set, name, most) for data_set in having])
            )
    for data_set in data:
        for name, values in shared.items():
            if name in data_set.columns:
                data_set = _rounded(data_set, name, values)  # noqa: PLW2901  (once for each column)
        yield data_set


def _some(data: Large, name: str, most: int) -> Values:
    """Return the least and the largest value, and those of records drawn at random."""
    column = data.names[name]
    rows = np.random.default_rng(1).choice(data.n, min(most, data.n), replace=False, shuffle=False)
    batches = data.records.records_at([column], np.sort(rows))
    none = _numbers(data.distinct[name].values.slice(0, 0))
    values = np.concatenate([none, *(_numbers(batch.column(0)) for batch in batches)])
    bits, _ = _added(data.records.count([column], _Ends(column)))
    ends = bits.view(values.dtype)
    return np.concatenate([values, [ends.min(), ends.max()]]) if len(ends) else values


def _rounded(data: Large, name: str, shared: Values) -> Large:
    column, distinct = data.names[name], data.distinct[name]
    cells, times = _added(data.records.count([column], _Places(column, shared)))
    counts = np.zeros(2 * len(shared) + 2, dtype=np.int64)
    counts[cells] = times
    here, moved, (nans, nulls) = counts[: len(shared)], counts[len(shared) : -2], counts[-2:]
    used = np.flatnonzero(here)
    kind = distinct.values.type
    rounded = of_numbers(kind, shared[used], here[used], nans=int(nans), nulls=int(nulls))
    rounded = replace(rounded, rounded=True)
    entries, _ = as_read(rounded, name, data.read)
    what = (
        f"more than {MOST_VALUES:,} distinct values were rounded down to {len(shared):,}, the same "
        f"in every data set, which moves no quantile by more than {_percent(moved.max() / data.n)} "
        "of the records"
    )
    return replace(
        data,
        distinct={**data.distinct, name: rounded},
        entries={**data.entries, name: entries},
        fixes=(*data.fixes, Fix(data.source, name, what, int(moved.sum()))),
    )


def _percent(share: float) -> str:
    """Return a share that is no more than this, in percent.

    >>> _percent(0.000_013), _percent(0.25), _percent(0.0)
    ('0.002 %', '30 %', '0 %')
    """
    step = 10.0 ** math.floor(math.log10(100 * share)) if share else 1.0
    return f"{math.ceil(100 * share / step) * step:.12g} %"


def _added(partial: Iterable[pa.RecordBatch]) -> tuple[npt.NDArray[np.int64], Values]:
    table = pa.Table.from_batches(partial, PARTIAL)
    cells, counts = (np.asarray(table.column(name)) for name in ("cell", "count"))
    return merge(cells, counts)


def _numbers(array: pa.Array) -> Values:
    values = to_numpy(array.drop_null())
    return values[~np.isnan(values)] if values.dtype == np.float64 else values


@dataclass(frozen=True)
class _Ends:
    """Finds the least and the largest value of each batch: their bits are the cells."""

    column: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            values = _numbers(batch.column(self.column))
            if len(values):
                ends = np.array([values.min(), values.max()])
                yield partial_counts(ends.view(np.int64), np.ones(2, dtype=np.int64))


@dataclass(frozen=True)
class _Places:
    """Counts records by the kept value that is next below, and apart those that are not equal."""

    column: str
    shared: Values

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        size = len(self.shared)
        counts = np.zeros(2 * size + 2, dtype=np.int64)
        for batch in batches:
            array = batch.column(self.column)
            values = _numbers(array)
            place = np.searchsorted(self.shared, values, side="right") - 1
            counts[:size] += np.bincount(place, minlength=size)
            moved = place[self.shared[place] != values]
            counts[size:-2] += np.bincount(moved, minlength=size)
            counts[-2:] += [len(array) - array.null_count - len(values), array.null_count]
        filled = np.flatnonzero(counts)
        yield partial_counts(filled, counts[filled])
