"""Equal rows of different clusters: a test of duplicates across files that looks at every row.

One row of each cluster tells little of rows that were copied one by one: of a school of twenty,
its row is rarely the one. So all bundles of two equal rows are looked at. Where clusters of
original and replica are drawn from whatever two laws, at most half of them join the two files:
rows of one file that are alike within their clusters, or over them, are bundles as well. Clusters
that are alike share several rows, which are one accident: joined bundles count as many as close no
circle over the clusters, so that each adds one that was not joined before.

Where much was copied nearly every joined bundle closes a circle. The others count as few then: as
many as close none among the clusters of their file, but no smaller a share than of the joined ones.
A file's clusters alone have one link fewer than the same clusters that join two files, so each
group of three or more counts one beside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.people.equal import Keys, sum_keys
from sdcmetrics.measures.people.tails import at_least_binomial
from sdcmetrics.measures.people.unrepeated import some_lack_repeats
from sdcmetrics.microdata.arrays import Ints

CHANCE = 0.5
"""That a bundle of two joins original and replica, at most."""

_SEVERAL = 3  # clusters that have one link fewer on the two sides of a file than across


@dataclass(frozen=True)
class EqualRows:
    """Results of the test of equal rows.

    Attributes
    ----------
    joined, counted : int
        Bundles of two rows that join original and replica, without those that follow from others;
        and these with the bundles of one file, counted in the same way.
    p : float
    copies, bundles : int
        All bundles that join the files, and all bundles of two.
    """

    joined: int = 0
    counted: int = 0
    p: float = 1.0
    copies: int = 0
    bundles: int = 0


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
    sizes : tuple of int
        Rows of each file, where the replica is several together.
    """

    keys: list[Keys]
    original: Ints
    replica: Ints | None
    sizes: tuple[int, ...] = ()

    @property
    def distinct(self) -> bool:
        """Whether a file repeats no row, though as many of the original would."""
        return self._distinct(sum_keys(self.keys))

    def _distinct(self, keys: Keys) -> bool:
        return some_lack_repeats(keys, len(self.original), self.sizes)

    def test(self, keys: Keys) -> EqualRows:
        """Test equal rows by their keys, the original's first.

        Examples
        --------
        Rows of two clusters, each of which is in the replica, in one cluster and in two:

        >>> original, keys = np.array([0, 0, 1, 1]), np.arange(4, dtype=np.uint64) << 2
        >>> both = np.concatenate([keys, keys])
        >>> ClusteredRows([], original, np.array([0, 0, 0, 0])).test(both)
        EqualRows(joined=2, counted=3, p=0.5, copies=4, bundles=4)
        >>> ClusteredRows([], original, np.array([0, 1, 0, 1])).test(both).joined
        3
        """
        n = len(self.original)
        if self._distinct(keys):
            return EqualRows()
        first, second = _twos(keys)
        ours, theirs = second < n, first >= n
        joined = ~(ours | theirs)
        copies = int(joined.sum())
        if not copies:
            return EqualRows(bundles=len(first))
        rows = self.original[first[joined]], second[joined] - n
        within = _links(_groups(self.original[first[ours]], self.original[second[ours]]))
        if self.replica is not None and np.bincount(self.replica).max() > 1:
            clusters = self.replica + int(self.original.max()) + 1
            groups = _groups(rows[0], clusters[rows[1]])
            count, several = _links(groups), int((groups >= _SEVERAL).sum())
            within += _links(_groups(clusters[first[theirs] - n], clusters[second[theirs] - n]))
        else:
            count, several = len(np.unique(rows[0])), 0
            within += int(theirs.sum())
        share = math.ceil(count * (len(first) - copies) / copies)
        counted = min(count + max(within, share) + several, len(first))
        p = at_least_binomial(count, counted, CHANCE)
        return EqualRows(count, counted, p, copies, len(first))


def _twos(keys: Keys) -> tuple[Ints, Ints]:
    """Return the two rows of each bundle of exactly two, in their order."""
    order = np.argsort(keys, kind="stable")
    new = np.flatnonzero(np.r_[True, np.diff(keys[order]) != 0, True])
    start = new[:-1][np.diff(new) == 2]  # noqa: PLR2004
    return order[start], order[start + 1]


def _links(groups: Ints) -> int:
    """Return how many pairs of clusters in groups are linked so that none follows from others."""
    return int((groups - 1).sum())


def _groups(ours: Ints, theirs: Ints) -> Ints:
    """Return how many clusters are in each group that pairs of clusters make."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    clusters, ends = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
    size = len(clusters)
    if not size:
        return clusters
    edges = coo_matrix((np.ones(len(ours)), np.split(ends, 2)), shape=(size, size))
    return np.bincount(connected_components(edges, directed=False)[1])
