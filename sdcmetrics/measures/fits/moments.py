"""Means and standard deviations of numbers, of data larger than memory as well."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sdcmetrics.microdata.schema import Harmonised, Variable
from sdcmetrics.microdata.sources.distinct import to_numpy
from sdcmetrics.microdata.sources.large import Large
from sdcmetrics.microdata.sources.source import PARTIAL, partial_counts

_N, _SUM, _SQUARES = range(3)


@dataclass(frozen=True)
class Moments:
    """Number of values, their mean, and their standard deviation by n - 1; NaN of fewer than two.

    Attributes
    ----------
    n : int
    mean, deviation : float
    """

    n: int
    mean: float
    deviation: float


def moments(data: Harmonised, variable: Variable) -> Iterator[Moments]:
    """Yield the moments of a numeric variable in each data set, missing codes left out.

    They are those of the distinct values, each as often as it occurs, in memory and in batches,
    so that both are equal. Of numbers with too many values to be held the records are read once
    more, and added up.
    """
    distinct, ranks = variable.ranked
    usable = ~np.isin(distinct, variable.missing_codes)
    for part, rank in enumerate(ranks):
        times = variable.counts[part] if variable.counts else None
        counts = np.bincount(rank + 1, weights=times, minlength=len(distinct) + 1)[1:] * usable
        n = int(counts.sum())
        if n < 2:  # noqa: PLR2004
            yield Moments(n, math.nan, math.nan)
            continue
        mean = float((distinct * counts).sum() / n)
        if variable.counts and variable.name in data.large[part].rounded:
            yield _of_batches(data.large[part], variable, mean)
            continue
        squares = float((counts * (distinct - mean) ** 2).sum())
        yield Moments(n, mean, math.sqrt(squares / (n - 1)))


def _of_batches(data: Large, variable: Variable, near: float) -> Moments:
    """Add up what each batch says of the differences from a number near the mean."""
    sums = _Sums(data.names[variable.name], variable.missing_codes, near)
    table = pa.Table.from_batches(data.count([variable.name], sums), PARTIAL)
    columns = (np.asarray(table.column(name)) for name in ("table", "cell", "count"))
    which, cells, counts = columns
    totals: Mapping[int, float] = {
        sort: math.fsum(cells[which == sort].view(np.float64) * counts[which == sort])
        for sort in (_SUM, _SQUARES)
    }
    n = int(counts[which == _N].sum())
    squares = totals[_SQUARES] - totals[_SUM] ** 2 / n
    return Moments(n, near + totals[_SUM] / n, math.sqrt(squares / (n - 1)))


@dataclass(frozen=True)
class _Sums:
    """Adds up the differences of each batch from a number: the bits of a sum are its cell."""

    column: str
    missing_codes: tuple[float, ...]
    near: float

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            array = batch.column(self.column)
            values = to_numpy(array.drop_null() if array.null_count else array).astype(np.float64)
            values = values[~np.isnan(values) & ~np.isin(values, self.missing_codes)]
            if len(values):
                away = values - self.near
                n = np.array([len(values)])
                yield partial_counts(np.zeros(1, np.int64), n, _N)
                for sort, total in ((_SUM, away.sum()), (_SQUARES, (away**2).sum())):
                    bits = np.array([total]).view(np.int64)
                    yield partial_counts(bits, np.ones(1, np.int64), sort)
