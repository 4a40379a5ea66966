"""Whether people are in the original and in the holdout as well.

People of the original in a holdout make copies look like chance, and whoever is not in it look like
the only people that a replica has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.records import Records
from sdcmetrics.measures.repetition import is_running
from sdcmetrics.microdata.arrays import Array, Floats, Ints

Keys = npt.NDArray[np.uint64]

LEVEL = 0.01
_DRAWS = 999

_MOST = 10_000  # records that are repeated, whose labels are permuted
_SHARE = 0.01  # of the smaller file's people; fewer do no harm
_SELDOM = 0.05
_FEWEST = 5
_FEWER = 3


def holdout_overlaps(records: Records, seed: int) -> bool:
    """Whether people of the original are in the holdout as well, more than chance puts in both."""
    if not records.h:
        return False
    ours, theirs = np.arange(records.n), np.arange(records.h)
    cluster = records.cluster
    if cluster is not None and cluster.holdout is not None:  # one row of each
        ours = np.unique(cluster.original, return_index=True)[1]
        theirs = np.unique(cluster.holdout, return_index=True)[1]
    rng = np.random.default_rng([seed, 0x07E1])
    columns = []
    for column in records.columns:
        if column.holdout is None or (is_running(column.original) and is_running(column.holdout)):
            continue
        values = np.concatenate([column.original[ours], column.holdout[theirs]])
        hashes = pd.util.hash_array(values + 0.0)  # minus zero is zero
        columns.append(hashes * (rng.integers(2**63, dtype=np.uint64) | np.uint64(1)))  # odd
    if not columns:
        return False
    label = np.arange(len(columns[0])) < len(ours)

    def drawn(some: Ints) -> Array:
        """Return the labels of some people, and these permuted."""
        return np.vstack([label[some], rng.permuted(np.tile(label[some], (_DRAWS, 1)), axis=1)])

    both = pairs_in_both(columns, len(ours), drawn, rng)
    return any((counts >= counts[0]).mean() <= LEVEL for counts in both)


def pairs_in_both(
    columns: Sequence[Keys], n: int, drawn: Callable[[Ints], Array], rng: np.random.Generator
) -> list[Floats]:
    """Return how many equal people are of both labels: more than by chance in an overlap.

    Lists that hold each combination once have equal records in two files only, and are no overlap;
    nor is one of hardly anybody.

    Parameters
    ----------
    columns : sequence of key arrays
        Of each column, those of the original's n people first; their sums are those of records.
    n : int
    drawn : function
        Labels of some people, and below them these permuted.
    rng : numpy Generator
    """
    keys = reduce(np.add, columns)
    h = len(keys) - n
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=~keys[order[:1]]))
    sizes = np.diff(starts, append=len(order))
    starts, sizes = starts[sizes > 1], sizes[sizes > 1]
    if not len(sizes):
        return []
    repeated = int(sizes.sum())
    if repeated > _MOST:
        some = rng.permutation(len(sizes))
        some = np.sort(some[: max(1, int(np.searchsorted(sizes[some].cumsum(), _MOST)))])
        starts, sizes = starts[some], sizes[some]
    first = np.cumsum(sizes) - sizes
    rows = order[np.repeat(starts - first, sizes) + np.arange(sizes.sum())]
    inside = np.add.reduceat(drawn(rows), first, axis=1, dtype=np.int64)
    both = (inside * (sizes - inside) / (sizes - 1)).sum(1)  # of many alike, each counts less
    apart = 1 - 2 * n * h / len(keys) ** 2  # two labels by chance are the same
    more = (both[0] - both[1:].mean()) / apart * repeated / sizes.sum()
    if more < _SHARE * min(n, h):
        return []
    if (both >= both[0]).mean() <= _SELDOM and _lack_repeats(columns, n):
        return []
    return [both]


def _lack_repeats(columns: Sequence[Keys], n: int) -> bool:
    """Whether two files repeat far less than those of their people who differ in one column.

    Chance equals records in a column as often as others agree in it, or more often.
    """
    keys = reduce(np.add, columns)
    within, expected = 0, np.zeros(len(columns))
    for part in (slice(None, n), slice(n, None)):
        equal, size = _pairs(keys[part]), len(keys[part])
        within += equal
        for j, column in enumerate(columns):
            agree = _pairs(column[part]) / max(size * (size - 1) / 2, 1)
            if agree < 1:
                near = _pairs((keys - column)[part]) - equal
                expected[j] += near * agree / (1 - agree)
    return bool(expected.max() >= _FEWEST and _FEWER * within < expected.max())


def _pairs(keys: Keys) -> int:
    counts = np.unique(keys, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())
