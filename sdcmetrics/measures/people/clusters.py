"""Rows that belong together: one row of each cluster, and labels drawn by whole clusters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.people.columns import Files
from sdcmetrics.measures.records import Column
from sdcmetrics.microdata.arrays import Array, Bools, Ints

_AT_ONCE = 2_000_000  # labels drawn at a time


@dataclass(frozen=True, repr=False)
class Labels:
    """Which people are of the original, or not, together.

    Attributes
    ----------
    number : int array
        The cluster of each person, from 0.
    first : bool array
        Of each cluster, whether it is of the original.
    """

    number: Ints
    first: Bools

    @classmethod
    def alone(cls, pool: int, n: int) -> Labels:
        """Return labels of people on their own, `n` of them of the original."""
        return cls(np.arange(pool), np.arange(pool) < n)

    def of(self, people: Ints) -> Labels:
        """Return the labels of some people, in this order, or of all in another."""
        numbers, place = np.unique(self.number[people], return_inverse=True)
        return Labels(place.astype(np.int64), self.first[numbers])

    def drawn(self, rng: np.random.Generator) -> Iterator[Bools]:
        """Yield draws of who is of the original, clusters being exchanged; rows are draws."""
        rows = max(1, _AT_ONCE // max(len(self.number), len(self.first)))
        while True:
            exchanged = rng.permuted(np.tile(self.first, (rows, 1)), axis=1)
            yield exchanged[:, self.number]


def numbers_of(column: Column | None) -> tuple[Ints | None, Ints | None, Ints | None]:
    """Return the cluster of each row of original, holdout and replica; None where not named.

    A row without a name is a cluster of its own.
    """
    if column is None:
        return None, None, None
    parts = column.original, column.holdout, column.replica
    return tuple(None if part is None or not len(part) else _numbered(part) for part in parts)  # type: ignore[return-value]


def are_others(column: Column | None) -> bool:
    """Whether the holdout names its clusters, and none is one of the original.

    Rows without a name are clusters of their own, in either file.
    """
    if column is None or column.holdout is None or not len(column.holdout):
        return False
    named = column.holdout[~_missing(column.holdout)]
    return not bool(np.isin(named, column.original).any())


def _missing(values: Array) -> Bools:
    missing: Bools = np.isnan(values) if values.dtype.kind == "f" else values < 0
    return missing


def _numbered(values: Array) -> Ints:
    missing = _missing(values)
    number = np.unique(values, return_inverse=True)[1].astype(np.int64)
    number[missing] = ~np.flatnonzero(missing)  # below 0, each another
    return np.unique(number, return_inverse=True)[1].astype(np.int64)


def one_row_each(files: Files, numbers: tuple[Ints | None, Ints | None, Ints | None]) -> Ints:
    """Return the positions of one row of each cluster, the first in value order; sorted.

    The order of values is that of all files, so that a copied cluster gives the same row.
    """
    bounds = (0, files.n, files.pool, files.size)
    rows = []
    for number, start, stop in zip(numbers, bounds[:-1], bounds[1:], strict=True):
        if number is None:
            rows.append(np.arange(start, stop))
            continue
        columns = [part.values[start:stop] for part in reversed(files.parts)]
        order = np.lexsort([*columns, number])
        first = np.r_[True, np.diff(number[order]) != 0]
        rows.append(start + np.sort(order[first]))
    return np.concatenate(rows).astype(np.int64)


def labels_of(original: Ints, holdout: Ints) -> Labels:
    """Return the labels of people by their clusters; those of the two files are different ones."""
    count = int(original.max()) + 1
    first = np.arange(count + int(holdout.max(initial=-1)) + 1) < count
    return Labels(np.concatenate([original, count + holdout]), first)


def drawn_label_p(hits: Ints, labels: Labels, level: float, rng: np.random.Generator) -> float:
    """Return p of as many hits in the original, labels being exchanged by whole clusters."""
    if not len(hits):
        return 1.0
    of_cluster = np.bincount(labels.number[hits], minlength=len(labels.first))
    observed = int(of_cluster[labels.first].sum())
    # Clusters of as many hits are alike: how many of them are of the original decides.
    weights, sizes = np.unique(of_cluster, return_counts=True)
    of_original = int(labels.first.sum())
    wanted, as_many, count = max(3_999, int(np.ceil(20 / level))), 0, 0
    while count < wanted:
        rows = min(wanted - count, max(1, _AT_ONCE // len(sizes)))
        drawn = rng.multivariate_hypergeometric(sizes, of_original, rows, method="marginals")
        as_many += int((drawn @ weights >= observed).sum())
        count += rows
        if 1 + as_many > 0.2 * (wanted + 1):  # beyond what decides between void and undecided
            break
    return (1 + as_many) / (count + 1)
