"""Equal rows of different clusters: a test of duplicates across files that looks at every row.

One row of each cluster tells little of rows that were copied one by one: of a school of twenty,
its row is rarely the one. So all bundles of two equal rows are looked at. Where clusters of
original and replica are drawn from whatever two laws, at most half of them join the two files:
rows of one file that are alike within their clusters, or over them, are bundles as well. Clusters
that are alike share several rows, which are one accident: joined bundles count as many as close no
circle over the clusters, so that each adds one that was not joined before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.people.equal import Keys, bundles_of, lacks_repeats
from sdcmetrics.measures.people.tails import at_least_binomial
from sdcmetrics.microdata.arrays import Ints

CHANCE = 0.5
"""That a bundle of two joins original and replica, at most."""


@dataclass(frozen=True)
class EqualRows:
    """Results of the test of equal rows.

    Attributes
    ----------
    joined, bundles : int
        Bundles of two rows that join original and replica, without those that follow from others;
        and all bundles of two.
    p : float
    """

    joined: int = 0
    bundles: int = 0
    p: float = 1.0


@dataclass(frozen=True, repr=False)
class ClusteredRows:
    """The rows of an original and a replica, and the clusters that they are of.

    Attributes
    ----------
    keys : list of key arrays
        Of all rows, the original's first, per column.
    original : int array
        Cluster of each row of the original, from 0.
    replica : int array or None
        Of each row of the replica, from 0; None where it does not name them. Rows that are
        each on their own are like rows without a name: one accident by cluster of the original.
    """

    keys: list[Keys]
    original: Ints
    replica: Ints | None

    def test(self, keys: Keys) -> EqualRows:
        """Test equal rows by their keys, the original's first.

        Examples
        --------
        Rows of two clusters, each of which is in the replica, in one cluster and in two:

        >>> original, keys = np.array([0, 0, 1, 1]), np.arange(4, dtype=np.uint64) << 2
        >>> both = np.concatenate([keys, keys])
        >>> ClusteredRows([], original, np.array([0, 0, 0, 0])).test(both)
        EqualRows(joined=2, bundles=4, p=0.6875)
        >>> ClusteredRows([], original, np.array([0, 1, 0, 1])).test(both).joined
        3
        """
        n = len(self.original)
        if lacks_repeats(bundles_of(keys, n, 0), n, len(keys) - n):
            return EqualRows()
        first, second = _twos(keys)
        joined = (first < n) & (second >= n)
        ours, theirs = self.original[first[joined]], second[joined] - n
        count = len(np.unique(ours))
        if self.replica is not None and count and np.bincount(self.replica).max() > 1:
            count = _independent(ours, self.replica[theirs])
        p = at_least_binomial(count, len(first), CHANCE) if count else 1.0
        return EqualRows(count, len(first), p)


def _twos(keys: Keys) -> tuple[Ints, Ints]:
    """Return the two rows of each bundle of exactly two, in their order."""
    order = np.argsort(keys, kind="stable")
    new = np.flatnonzero(np.r_[True, np.diff(keys[order]) != 0, True])
    start = new[:-1][np.diff(new) == 2]  # noqa: PLR2004
    return order[start], order[start + 1]


def _independent(ours: Ints, theirs: Ints) -> int:
    """Return how many pairs of clusters can be joined so that none follows from others."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    rows, row = np.unique(ours, return_inverse=True)
    columns, column = np.unique(theirs, return_inverse=True)
    size = len(rows) + len(columns)
    edges = coo_matrix((np.ones(len(row)), (row, len(rows) + column)), shape=(size, size))
    return size - int(connected_components(edges, directed=False, return_labels=False))
