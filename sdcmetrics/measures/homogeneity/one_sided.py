"""Values that one of two files has and the other has nowhere: beyond its ends, or among its values.

An impossible age, a code of missing that was taken for a number, a tail cut off: a few records, of
which tables of quantile groups show nothing. If the replica is as good as a fresh sample, which of
the N = n + m records are its m is chance, so that some c of them are all of the replica with
probability m (m - 1) ... (m - c + 1) / (N (N - 1) ... (N - c + 1)), and of the original likewise.
What the replica alone has and what the original alone has are tables of their own:

* Ends: k records of one file lie beyond all values of the other. As many as that, or more, do so by
  chance with the probability of c = k, at either end: p is twice it.
* Values: all c records of a value are of one file. Where that is least likely gives the statistic;
  p is the sum of the probabilities, over all values, that are as small. Missing is no such value:
  its table says whether it is of either file alone.

Both hold for any number of ties. Where records belong together, clusters take their place.
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
_SIDES = ("original", "replica")
_SAME = 1.0 + 1e-9  # as small, but for rounding
ONE_SIDED = "values that one file alone has"
_NEVER = 0.01
"""The level above which no p can be called: a column without a value this frequent is no table."""


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
        yield from ends(column, whole or _of_records(column))
    for column in values:
        yield from own_values(column, whole or _of_records(column))


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


def ends(column: Numbers, exchanged: Exchanged) -> Iterator[Derived]:
    """Yield which records of one file lie beyond all values of the other, at the worse end.

    First those of the original, then those of the synthesis; where there are none, the records of
    the largest value, with a p of 1.

    Examples
    --------
    >>> ages = np.array([30.0, 40, 50, 60]), np.array([35.0, 200, 200, 200])
    >>> for table in ends(Numbers("age", False, ages), Exchanged((4, 4))):
    ...     print(table.name, [codes.tolist() for codes in table.codes], round(table.p, 4))
    age beyond the range of the replica [[1, 0, 0, 0], [0, 0, 0, 0]] 1.0
    age beyond the range of the original [[0, 0, 0, 0], [0, 1, 1, 1]] 0.1429
    """
    values = column.pooled
    synthetic = np.arange(len(values)) >= len(column.parts[0])
    for side, own in enumerate((~synthetic, synthetic)):
        worst = 1.0, values == np.nanmax(values, initial=-np.inf)
        for signed in (values, -values):
            last = np.nanmax(signed[~own], initial=-np.inf)
            out = own & (signed > last) & np.isfinite(last)
            count = exchanged.counts(np.zeros(len(values), np.int64), 1, out)
            chance = float(exchanged.chances(count)[side][0])
            if chance < worst[0]:
                worst = chance, out
        name = f"{column.name} beyond the range of the {_SIDES[1 - side]}"
        yield _table(name, column, worst[1], _ENDS * worst[0], invented=side == 1)


def own_values(column: Numbers, exchanged: Exchanged) -> Iterator[Derived]:
    """Yield which records have the value that one file alone is least likely to have.

    First those of the original, then those of the synthesis, then missing ones, whosever they are.
    What is not frequent enough to be told from chance is no table.

    Examples
    --------
    >>> codes = np.array([0.0] * 20), np.array([0.0] * 10 + [1.0] * 10)
    >>> for table in own_values(Numbers("region", False, codes), Exchanged((20, 20))):
    ...     print(table.name, [int(side.sum()) for side in table.codes], round(table.p, 6))
    values of region in the original only [20, 10] 1.0
    values of region in the replica only [0, 10] 0.000218
    """
    if column.records:  # of continuous values there are millions, each of a few records
        most = np.array([sum(int(records.max(initial=0)) for records in column.records)])
        if min(part[0] for part in exchanged.chances(most)) > _NEVER:
            return
    levels, codes = np.unique(column.pooled, return_inverse=True)
    if len(levels) <= 1:
        return
    synthetic = np.arange(len(codes)) >= len(column.parts[0])
    counts = [exchanged.counts(codes, len(levels), side) for side in (~synthetic, synthetic)]
    chances = exchanged.chances(counts[0] + counts[1])
    missing = np.isnan(levels)
    for side, name in enumerate(_SIDES):
        chance = np.where(missing, 1.0, chances[side])
        alone = np.where((counts[1 - side] == 0) & ~missing, chance, np.inf)
        if chance.min() <= _NEVER:
            yield _table(
                f"values of {column.name} in the {name} only",
                column,
                codes == (chance if np.isinf(alone.min()) else alone).argmin(),
                _p_of(alone, chance),
                invented=side == 1,
            )
    chance = np.concatenate([part[missing] for part in chances])
    alone = np.concatenate(
        [
            np.where(other[missing] == 0, part[missing], np.inf)
            for part, other in zip(chances, counts[::-1], strict=True)
        ]
    )
    if chance.min(initial=1.0) <= _NEVER:
        name = f"missing values of {column.name} in one file only"
        yield _table(name, column, missing[codes], _p_of(alone, chance))


def _p_of(alone: Floats, chance: Floats) -> float:
    """Return how likely what is as unlikely as the least likely value of one file, or more so."""
    least = alone.min()
    return 1.0 if np.isinf(least) else float(chance[chance <= least * _SAME].sum())


def _table(
    name: str, column: Numbers, one_sided: Array, p: float, *, invented: bool = False
) -> Derived:
    codes = column.split(one_sided.astype(np.int8))
    return Derived(name, (column.name,), codes, column.records, min(1.0, p), invented)


def columns_of(labels: Sequence[object], chosen: Bools) -> tuple[str, ...]:
    """Return the columns of chosen tables of values that one file alone has."""
    of = (label for label in itertools.compress(labels, chosen) if isinstance(label, Derived))
    return tuple(dict.fromkeys(label.variables[0] for label in of if label.p is not None))
