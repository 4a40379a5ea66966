"""Whether people are in the original and in the holdout as well.

People of the original in a holdout make copies look like chance, and whoever is not in it look like
the only people that a replica has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sdcmetrics.measures.people.columns import Files
from sdcmetrics.measures.people.equal import Keys, column_keys, sum_keys
from sdcmetrics.microdata.arrays import Array, Floats, Ints

_MOST = 10_000  # records that are repeated, whose labels are permuted
_SHARE = 0.01  # of the smaller file's people; fewer do no harm
_SELDOM = 0.05
_FEWEST = 5
_FEWER = 3


def pairs_in_both(
    people: Files, drawn: Callable[[Ints], Array], rng: np.random.Generator
) -> list[Floats]:
    """Return how many equal people are of both labels: more than by chance in an overlap.

    Lists that hold each combination once have equal records in two files only, and are no overlap;
    nor is one of hardly anybody.

    Parameters
    ----------
    people : Files
        Of the original and held out, without a replica.
    drawn : function
        Labels of some people, and below them these permuted.
    rng : numpy Generator
    """
    columns = column_keys(people, rng)
    keys = sum_keys(columns)
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
    apart = 1 - 2 * people.n * people.h / people.pool**2  # two labels by chance are the same
    more = (both[0] - both[1:].mean()) / apart * repeated / sizes.sum()
    if more < _SHARE * min(people.n, people.h):
        return []
    if (both >= both[0]).mean() <= _SELDOM and _lack_repeats(columns, people.n):
        return []
    return [both]


def _lack_repeats(columns: Sequence[Keys], n: int) -> bool:
    """Whether two files repeat far less than those of their people who differ in one column.

    Chance equals records in a column as often as others agree in it, or more often.
    """
    keys = sum_keys(list(columns))
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
