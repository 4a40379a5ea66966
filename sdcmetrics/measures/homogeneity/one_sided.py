"""Values that one of two files has and the other has nowhere: beyond its ends, or among its values.

An impossible age, a code of missing that was taken for a number, a tail cut off: a few records, of
which tables of quantile groups show nothing. If the replica is as good as a fresh sample, which of
the N = n + m records are its m is chance, so that some c of them are all of the replica with
probability m (m - 1) ... (m - c + 1) / (N (N - 1) ... (N - c + 1)), and of the original likewise.

* Ends: k records of one file lie beyond all values of the other. As many as that, or more, do so by
  chance with the probability of c = k, at either end and of either file: p is four times it.
* Values: all c records of a value are of one file. Where that is least likely gives the statistic;
  p is the sum of the probabilities, over all values of either file, that are as small.

Both hold for any number of ties. Where records belong together, clusters take their place. Where
both files have values of their own, those of the replica are told if they are surely no chance,
even if those of the original are less likely still: a missing value that became a code is both.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.measures.homogeneity.clusters import Clusters
from sdcmetrics.measures.homogeneity.derived import Derived, Numbers
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Array, Bools, Floats, Ints

_ENDS = 2
_SIDES = 2
_SAME = 1.0 + 1e-9  # as small, but for rounding
ONE_SIDED = "values that one file alone has"
NAMES = "range of ", "values of "
"""How the names of these tables begin."""
_NEVER = 0.01
"""The level above which no p can be called: a column without a value this frequent is no table."""
_SURE = 1e-5
"""p from which on values of the replica alone are told before those of the original; it is not the
smaller p then, so that a fresh sample has it no more often than it says."""


@dataclass(frozen=True, repr=False)
class Exchanged:
    """What is exchanged under the hypothesis: records, or whole clusters of them.

    Attributes
    ----------
    numbers : pair of int
        How many of them original and synthesis have.
    owner : int array or None
        The cluster of each value, those of the synthesis after those of the original; None where
        each record is exchanged by itself.
    records : int array or None
        Where values are distinct ones: how many records have each.
    """

    numbers: tuple[int, int]
    owner: Ints | None = None
    records: Ints | None = None

    def counts(self, codes: Ints, size: int, chosen: Bools) -> Ints:
        """Return how many have each code, of chosen values."""
        codes = codes[chosen]
        if self.owner is None:
            weights = None if self.records is None else self.records[chosen]
            return np.bincount(codes, weights=weights, minlength=size).astype(np.int64)
        pairs = pd.unique(self.owner[chosen] * size + codes)
        return np.bincount(pairs % size, minlength=size)

    def chances(self, counts: Ints) -> tuple[Floats, Floats]:
        """Return how likely so many are all of the original, and all of the synthesis."""
        gammaln = lazy.special.gammaln
        total = sum(self.numbers)
        out = []
        for number in self.numbers:
            rest = number - counts
            log = gammaln(number + 1.0) - gammaln(np.maximum(rest, 0) + 1.0)
            log -= gammaln(total + 1.0) - gammaln(total - counts + 1.0)
            out.append(np.where(rest >= 0, np.exp(np.minimum(log, 0.0)), 0.0))
        return out[0], out[1]


def one_sided_columns(
    numbers: Sequence[Numbers], values: Sequence[Numbers], clusters: Clusters | None = None
) -> Iterator[Derived]:
    """Yield the ends of numbers of many values, and of all columns the values of one file alone.

    None where records count unequally, or the synthesis does not say which belong together.

    Parameters
    ----------
    numbers : those with many values, see `many_valued`; codes of missing are missing
    values : all columns; categories as their codes, and what is missing as NaN
    clusters : Clusters, or None where every record is exchanged by itself
    """
    if unexchanged(clusters):
        return
    whole = None
    if clusters is not None and clusters.synthetic is not None:
        whole = _of_clusters(clusters.original, clusters.synthetic)
    for column in numbers:
        yield ends(column, whole or _of_records(column))
    for column in values:
        table = own_values(column, whole or _of_records(column))
        if table is not None:
            yield table


def unexchanged(clusters: Clusters | None) -> tuple[str, ...]:
    """Return why neither records nor clusters can be exchanged; nothing where they can."""
    if clusters is None:
        return ()
    if clusters.weights is not None:
        return (f"{ONE_SIDED}: records count unequally",)
    return (
        () if clusters.synthetic is not None else (f"{ONE_SIDED}: the replica lacks the clusters",)
    )


def _of_clusters(original: Ints, synthetic: Ints) -> Exchanged:
    n, m = (1 + int(side.max(initial=-1)) for side in (original, synthetic))
    return Exchanged((n, m), np.concatenate([original, n + synthetic]))


def _of_records(column: Numbers) -> Exchanged:
    if not column.records:
        return Exchanged((len(column.parts[0]), len(column.parts[1])))
    first, second = (int(records.sum()) for records in column.records)
    return Exchanged((first, second), None, np.concatenate(column.records))


def ends(column: Numbers, exchanged: Exchanged) -> Derived:
    """Return which records of one file lie beyond all values of the other, at the worse end.

    Where none do, those of the largest value, with a p of 1.

    Examples
    --------
    >>> ages = np.array([30.0, 40, 50, 60]), np.array([35.0, 200, 200, 200])
    >>> table = ends(Numbers("age", False, ages), Exchanged((4, 4)))
    >>> [codes.tolist() for codes in table.codes], round(table.p, 4)
    ([[0, 0, 0, 0], [0, 1, 1, 1]], 0.2857)
    """
    values = column.pooled
    synthetic = np.arange(len(values)) >= len(column.parts[0])
    sides = ~synthetic, synthetic
    of_nobody = values == np.nanmax(values, initial=-np.inf)
    worst = [(1.0, of_nobody), (1.0, of_nobody)]
    for signed, side in itertools.product((values, -values), range(_SIDES)):
        last = np.nanmax(signed[sides[1 - side]], initial=-np.inf)
        out = sides[side] & (signed > last) & np.isfinite(last)
        count = exchanged.counts(np.zeros(len(values), np.int64), 1, out)
        chance = float(exchanged.chances(count)[side][0])
        if chance < worst[side][0]:
            worst[side] = chance, out
    invented = worst[1][0] < worst[0][0] or _ENDS * _SIDES * worst[1][0] <= _SURE
    least, beyond = worst[int(invented)]
    p = min(1.0, _ENDS * _SIDES * least)
    return _table(f"{NAMES[0]}{column.name}", column, beyond, p, invented=invented)


def own_values(column: Numbers, exchanged: Exchanged) -> Derived | None:
    """Return which records have the value that one file alone is least likely to have.

    None where no value is frequent enough to be told from chance, whosever its records are.

    Examples
    --------
    >>> codes = np.array([0.0] * 20), np.array([0.0] * 10 + [1.0] * 10)
    >>> table = own_values(Numbers("region", False, codes), Exchanged((20, 20)))
    >>> [int(side.sum()) for side in table.codes], round(table.p, 6)
    ([0, 10], 0.000436)
    """
    if column.records:  # of continuous values there are millions, each of a few records
        most = np.array([sum(int(records.max(initial=0)) for records in column.records)])
        if min(part[0] for part in exchanged.chances(most)) > _NEVER:
            return None
    levels, codes = np.unique(column.pooled, return_inverse=True)
    synthetic = np.arange(len(codes)) >= len(column.parts[0])
    original, replica = (
        exchanged.counts(codes, len(levels), side) for side in (~synthetic, synthetic)
    )
    chances = exchanged.chances(original + replica)
    if len(levels) <= 1 or min(part.min() for part in chances) > _NEVER:
        return None
    alone = np.where(replica == 0, chances[0], np.where(original == 0, chances[1], np.inf))
    level = int((original + replica).argmax() if np.isinf(alone.min()) else alone.argmin())
    p = _p_of(float(alone[level]), chances)
    invented = np.where((original == 0) & ~np.isnan(levels), alone, np.inf)
    p_invented = _p_of(float(invented.min()), chances)
    if p_invented <= _SURE:
        level, p = int(invented.argmin()), p_invented
    name, own = f"{NAMES[1]}{column.name} in one file only", codes == level
    return _table(name, column, own, p, invented=bool(np.isfinite(invented[level])))


def _p_of(least: float, chances: tuple[Floats, Floats]) -> float:
    """Return how likely all records of a value this unlikely, or more so, are of one file."""
    if np.isinf(least):
        return 1.0
    return min(1.0, float(sum(part[part <= least * _SAME].sum() for part in chances)))


def _table(name: str, column: Numbers, own: Array, p: float, *, invented: bool) -> Derived:
    codes = column.split(own.astype(np.int8))
    return Derived(name, (column.name,), codes, column.records, p, invented)


def columns_of(labels: Sequence[object], chosen: Bools) -> tuple[str, ...]:
    """Return the columns of chosen tables of values that one file alone has."""
    of = (label for label in itertools.compress(labels, chosen) if isinstance(label, Derived))
    return tuple(dict.fromkeys(label.variables[0] for label in of if label.p is not None))
