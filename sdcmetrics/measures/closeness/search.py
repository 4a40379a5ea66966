"""The searches behind the distance to the closest record, each made once.

Between the real records (`search_pool`): once for any number of replicas, if their codes do not
depend on the replica. From a replica to the real records (`search_replica`): both directions in
one pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.closeness.drawn import Queries
from sdcmetrics.measures.closeness.share_permutation import Tied, pool_ties, weigh
from sdcmetrics.measures.neighbours import (
    Distance,
    Nearest,
    Points,
    Progress,
    Ties,
    contributions,
    nearest,
)
from sdcmetrics.microdata.arrays import Ints

Distances = npt.NDArray[Any]

_FEWEST_TIES, _MOST_TIES = 32, 512
_LISTED = 64_000_000  # ties in all, at most: a quarter of a gigabyte
_CHANCE = 1e-8  # that a longer list has one label only
_PAIRS = 100_000  # compared column by column at a time


@dataclass(frozen=True)
class PoolSearch:
    """How far real records are from other real records.

    Attributes
    ----------
    holdout_to_training, holdout_to_holdout : arrays of shape (holdout records,)
        Those that were drawn, where some were.
        Distance to the closest training record, and to the closest other holdout record.
    holdout_of_training : array of shape (holdout records,)
        Share of training records among the real records that are closest to it.
    training_to_training, training_to_holdout : arrays of shape (training records,)
    drawn : dict
        Labels that were drawn for a permutation test, by seed and number, for other replicas.
    """

    holdout_to_training: Distances
    holdout_to_holdout: Distances
    training_to_training: Distances
    training_to_holdout: Distances
    holdout_of_training: Distances

    @property
    def training(self) -> Distances:
        """Distance of each training record to the closest other record of the pool."""
        return np.minimum(self.training_to_training, self.training_to_holdout)

    @property
    def holdout(self) -> Distances:
        """Distance of each holdout record to the closest other record of the pool."""
        return np.minimum(self.holdout_to_training, self.holdout_to_holdout)

    drawn: dict[tuple[int, int], list[npt.NDArray[np.uint32]]] = field(default_factory=dict)


@dataclass(frozen=True)
class ReplicaSearch:
    """What is closest to each synthetic record, and how far each real record is from them.

    Attributes
    ----------
    to_training, to_holdout : Nearest
        From synthetic to real records, with lists of ties.
    from_training, from_holdout : arrays of shape (real records,)
        Distance of each real record to its closest synthetic record.
    """

    to_training: Nearest
    to_holdout: Nearest
    from_training: Distances
    from_holdout: Distances

    @property
    def training(self) -> Distances:
        """Distance of each synthetic record to the closest training record."""
        return self.to_training.distances[:, 0]

    @property
    def holdout(self) -> Distances:
        """Distance of each synthetic record to the closest holdout record."""
        return self.to_holdout.distances[:, 0]


def count_queries(n_training: int, n_synthetic: int, n_holdout: int) -> int:
    """Return how many queries both searches answer, for a progress bar."""
    return 2 * n_synthetic + n_training + 2 * n_holdout


def search_pool(
    training: Points,
    holdout: Points,
    *,
    distance: Distance,
    drawn: Queries | None = None,
    progress: Progress | None = None,
) -> PoolSearch:
    """Search the real records: training and holdout, and each among its own kind.

    Parameters
    ----------
    training, holdout : Points
    distance : Hamming, Gower or Euclidean
    drawn : Queries, optional
        The records whose nearest are looked for, among all; without, those of all records.
    progress : function of two ints, optional

    Raises
    ------
    DataError
        If there are not at least two records of each.
    """
    if drawn is not None:
        return _pool_of_drawn(training, holdout, distance, drawn, progress)
    steps = _steps(progress, [holdout.n, holdout.n, training.n])
    room = _room(holdout.n, training.n, holdout.n)
    across = nearest(
        holdout, training, distance=distance, list_ties=room, reverse=True, progress=steps[0]
    )
    among = [
        nearest(
            points,
            points,
            distance=distance,
            exclude_self=True,
            list_ties=listed_ties,
            progress=step,
        )
        for points, listed_ties, step in ((holdout, room, steps[1]), (training, 0, steps[2]))
    ]
    itself = np.arange(holdout.n)
    tied = share_out(
        holdout, training, holdout, (across, among[0]), distance=distance, itself=itself
    )
    return PoolSearch(
        holdout_to_training=across.distances[:, 0],
        holdout_to_holdout=among[0].distances[:, 0],
        training_to_training=among[1].distances[:, 0],
        training_to_holdout=across.reverse,
        holdout_of_training=tied.of_training,
    )


def _pool_of_drawn(
    training: Points,
    holdout: Points,
    distance: Distance,
    drawn: Queries,
    progress: Progress | None,
) -> PoolSearch:
    first, second = training.subset(drawn.training), holdout.subset(drawn.holdout)
    steps = _steps(progress, [second.n, second.n, first.n, first.n])
    room = _room(second.n, training.n, holdout.n)

    def search(
        queries: Points, real: Points, step: int, *, itself: Ints | None = None, ties: int = 0
    ) -> Nearest:
        return nearest(
            queries,
            real,
            distance=distance,
            exclude_self=False if itself is None else itself,
            list_ties=ties,
            progress=steps[step],
        )

    across = search(second, training, 0, ties=room)
    among = search(second, holdout, 1, itself=drawn.holdout, ties=room)
    tied = share_out(
        second, training, holdout, (across, among), distance=distance, itself=drawn.holdout
    )
    return PoolSearch(
        holdout_to_training=across.distances[:, 0],
        holdout_to_holdout=among.distances[:, 0],
        training_to_training=search(first, training, 2, itself=drawn.training).distances[:, 0],
        training_to_holdout=search(first, holdout, 3).distances[:, 0],
        holdout_of_training=tied.of_training,
    )


def search_replica(
    training: Points,
    synthetic: Points,
    holdout: Points,
    *,
    distance: Distance,
    itself: npt.NDArray[np.int64] | None = None,
    drawn: Queries | None = None,
    progress: Progress | None = None,
) -> ReplicaSearch:
    """Search from the synthetic to the real records.

    Parameters
    ----------
    training, synthetic, holdout : Points
    distance : Hamming, Gower or Euclidean
    itself : int array of shape (synthetic records,), optional
        Where the synthetic data are the holdout: which record of it each is. None is its own
        neighbour.
    drawn : Queries, optional
        The records whose nearest are looked for, among all; without, those of all records.
    progress : function of two ints, optional

    Raises
    ------
    DataError
        If there are no records to search for, or none to be found.
    """
    queries, own = queries_of(synthetic, itself, drawn)
    sizes = [] if drawn is None else [len(drawn.training), len(drawn.holdout)]
    steps = _steps(progress, [queries.n, queries.n, *sizes])
    room = _room(queries.n, training.n, holdout.n)
    to_training, to_holdout = (
        nearest(
            queries,
            real,
            distance=distance,
            list_ties=room,
            reverse=drawn is None,
            exclude_self=False if own is None or real is training else own,
            progress=step,
        )
        for real, step in zip((training, holdout), steps, strict=False)
    )
    if drawn is None:
        return ReplicaSearch(to_training, to_holdout, to_training.reverse, to_holdout.reverse)
    back = None if itself is None else np.argsort(itself, kind="stable")[drawn.holdout]
    sides = ((training, drawn.training, None), (holdout, drawn.holdout, back))
    from_training, from_holdout = (
        nearest(
            real.subset(rows),
            synthetic,
            distance=distance,
            exclude_self=False if of_itself is None else of_itself,
            progress=step,
        ).distances[:, 0]
        for (real, rows, of_itself), step in zip(sides, steps[2:], strict=True)
    )
    return ReplicaSearch(to_training, to_holdout, from_training, from_holdout)


def queries_of(
    synthetic: Points, itself: Ints | None, drawn: Queries | None
) -> tuple[Points, Ints | None]:
    """Return the synthetic records that are searched for, and which of the holdout they are."""
    if drawn is None:
        return synthetic, itself
    rows = drawn.synthetic
    return synthetic.subset(rows), None if itself is None else itself[rows]


def shares_of_training(
    training: Points,
    synthetic: Points,
    holdout: Points,
    *,
    distance: Distance,
    itself: npt.NDArray[np.int64] | None = None,
    drawn: Queries | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.float64]:
    """Return the share of training records among those closest to each synthetic record.

    They are counted, and not listed as by `search_replica` and `share_out`; of those that are
    drawn, where some are.
    """
    queries, own = queries_of(synthetic, itself, drawn)
    steps = _steps(progress, [queries.n, queries.n])
    near, other = (
        nearest(
            queries,
            real,
            distance=distance,
            exclude_self=False if own is None or real is training else own,
            progress=step,
        )
        for real, step in zip((training, holdout), steps, strict=True)
    )
    sides = near.distances[:, 0], other.distances[:, 0]
    counts = near.tied * (sides[0] <= sides[1]), other.tied * (sides[1] <= sides[0])
    return np.asarray(counts[0] / (counts[0] + counts[1]))


def share_out(
    queries: Points,
    training: Points,
    holdout: Points,
    searches: tuple[Nearest, Nearest],
    *,
    distance: Distance,
    itself: npt.NDArray[np.int64] | None = None,
) -> Tied:
    """Share queries out among the closest real records; lists that were capped are completed."""
    sides = [search.distances[:, 0] for search in searches]
    nearer = (sides[0] > sides[1]).astype(np.int64) - (sides[0] < sides[1])

    def lookup(rows: npt.NDArray[np.int64]) -> Ties:
        some = queries.subset(rows)
        lists = [
            nearest(
                some,
                real,
                distance=distance,
                list_ties=real.n,
                exclude_self=False if itself is None or real is training else itself[rows],
            ).ties
            for real in (training, holdout)
        ]
        return pool_ties(lists[0], lists[1], nearer[rows], training.n)

    ties = pool_ties(searches[0].ties, searches[1].ties, nearer, training.n)
    return weigh(ties, n_training=training.n, pool=training.n + holdout.n, lookup=lookup)


def by_column(
    synthetic: Points, real: Points, ties: Ties, distance: Distance
) -> npt.NDArray[np.float64]:
    """Mean contribution of each column to the distance to the closest real records.

    A synthetic record with several closest records counts them in equal parts, those listed.

    Returns
    -------
    float array of shape (columns,)
        They add up to the mean distance under Hamming's, to its multiple by the number of columns
        under Gower's, to the mean squared distance under Euclid's.
    """
    times = np.diff(ties.offsets)
    rows = np.repeat(np.arange(len(times)), times)
    weights = np.repeat(1.0 / times, times)
    total = np.zeros(synthetic.columns)
    for start in range(0, len(rows), _PAIRS):
        part = slice(start, start + _PAIRS)
        pairs = synthetic.subset(rows[part]), real.subset(ties.indices[part])
        total += contributions(*pairs, distance) @ weights[part]
    return total / len(times)


def _room(n_synthetic: int, n_training: int, n_holdout: int) -> int:
    """Return how long lists of ties must be for a mixture of labels, and may be for memory."""
    larger = max(n_training, n_holdout) / (n_training + n_holdout)
    enough = math.ceil(math.log(_CHANCE) / math.log(larger))
    fits = _LISTED // (2 * n_synthetic)
    return max(1, min(max(enough, _FEWEST_TIES), _MOST_TIES, fits))


def _steps(progress: Progress | None, sizes: list[int]) -> list[Progress | None]:
    """Return one progress for each of several searches, which count on from one to the next."""
    if progress is None:
        return [None] * len(sizes)
    total = sum(sizes)

    def after(before: int) -> Progress:
        return lambda done, _: progress(before + done, total)

    return [after(sum(sizes[:i])) for i in range(len(sizes))]
