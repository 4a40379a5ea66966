"""From searches to results: figures, permutation test, tests of single records."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import DataError
from sdcmetrics.measures.closeness.copied import copy_of
from sdcmetrics.measures.closeness.drawn import Queries
from sdcmetrics.measures.closeness.points import ClosestPoints
from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.closeness.search import (
    PoolSearch,
    ReplicaSearch,
    by_column,
    count_queries,
    queries_of,
    search_pool,
    search_replica,
    share_out,
    shares_of_training,
)
from sdcmetrics.measures.closeness.share_permutation import Tied, permute_shares
from sdcmetrics.measures.closeness.shares import ClosestRecords, share_of_training
from sdcmetrics.measures.exchangeable import LabelTest, label_test
from sdcmetrics.measures.neighbours import Points, Progress
from sdcmetrics.measures.pair import same_records
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.arrays import Bools

_COLUMNS_APART = 3.0
_QUANTILE_APART = 0.9
_MOST_APART = 0.02
"""Share of the real records that lie furthest from all others. Fresh data equal none of them: one
of 1,700 fresh replicas did, of 80 to 5,000 records and up to five times as many; with a tenth of
the records a tenth of the replicas would, and 3 in 10 of 5,000 records of adult."""
_LAST_SEED = 2**63


def assess_closeness(
    points: ClosestPoints,
    *,
    pool: PoolSearch | None = None,
    permutations: int = 999,
    margin: float | None = None,
    seed: int | None = None,
    households: Households | None = None,
    drawn: Queries | None = None,
    progress: Progress | None = None,
) -> ClosestRecord:
    """Measure closeness between points, with a pool of real records that may be searched already.

    Parameters
    ----------
    points : ClosestPoints
    pool : PoolSearch, optional
        From `search_pool`, for several replicas of the same training and holdout records and
        columns. Groups of mode "published" depend on the replica, and so does its pool.
    households : Households, optional
        Of training and holdout records.
    drawn : Queries, optional
        The records whose nearest are looked for; of real ones those of the pool.
    permutations, margin, seed, progress : see `distance_to_closest_record`

    Returns
    -------
    ClosestRecord
        Its mode is not known here and left empty.

    Raises
    ------
    DataError
        If the pool is that of other records.
    """
    start = time.perf_counter()
    notes: list[str] = []
    distance = points.distance
    itself = _recognise_holdout(points, notes)
    sizes = points.training.n, points.synthetic.n, points.holdout.n
    number = sizes
    if drawn is not None:
        number = len(drawn.training), len(drawn.synthetic), len(drawn.holdout)
        notes.append(f"distances are {drawn.in_words(*sizes)}, each to the nearest of all")
    shared = pool is not None
    replica, pool = _searches(points, pool, itself, drawn, number, progress)
    queries, own = queries_of(points.synthetic, itself, drawn)
    tied = share_out(
        queries,
        points.training,
        points.holdout,
        (replica.to_training, replica.to_holdout),
        distance=distance,
        itself=own,
    )
    closest, baseline, equal = _match(points, replica, pool, itself, tied, drawn)
    name = type(distance).__name__.lower()
    margin = _default_margin(name, pool) if margin is None else margin
    given = shared and seed is not None and households is None  # so that others draw the same
    seed = int(np.random.default_rng().integers(_LAST_SEED)) if seed is None else seed
    copied = copy_of(points, pool, margin, households, drawn)
    permutation, copied_permutation = permute_shares(
        [tied.weights, copied.weights],
        n_training=points.training.n,
        permutations=permutations,
        rng=np.random.default_rng(seed),
        households=households,
        drawn=pool.drawn.setdefault((seed, permutations), []) if given else None,
    )
    _note_constants(points, notes)
    if not permutation.sd > 0 and permutations > 1:
        notes.append("every permutation gives the same share, so there is no z")
    searched = households
    equal_searched = np.concatenate(equal)
    if drawn is not None:
        searched = drawn.of_households(households)
        equal_searched = np.append(equal[0][drawn.training], equal[1][drawn.holdout])
    return ClosestRecord(
        distance=name,
        mode="",
        closest=closest,
        baseline=baseline,
        permutation=permutation,
        identical=label_test(np.concatenate(equal), points.training.n, households),
        singled_out=_singled_out(margin, replica, pool, searched),
        outliers=label_test(equal_searched & _outlying(margin, pool), number[0], searched),
        copied=replace(copied, permutation=copied_permutation),
        margin=margin,
        by_column=_by_column(points, queries, replica),
        columns=points.columns,
        varying=points.varying,
        sizes=sizes,
        seed=seed,
        seconds=time.perf_counter() - start,
        notes=tuple(notes),
        drawn="" if drawn is None else drawn.in_words(*sizes),
        fixes=tuple(str(fix) for fix in points.fixes),
    )


def share_alone(
    points: ClosestPoints, *, drawn: Queries | None = None, progress: Progress | None = None
) -> float:
    """Return the share of synthetic records closer to the training data, and nothing else.

    Equals the share of `assess_closeness`, which looks at copies and columns too.
    """
    shares = shares_of_training(
        points.training,
        points.synthetic,
        points.holdout,
        distance=points.distance,
        itself=_recognise_holdout(points, []),
        drawn=drawn,
        progress=progress,
    )
    return share_of_training(shares)


def _default_margin(distance: str, pool: PoolSearch) -> float:
    if distance == "hamming":
        return _COLUMNS_APART
    every = np.concatenate([pool.training, pool.holdout])
    return float(np.quantile(every, _QUANTILE_APART))


def _recognise_holdout(points: ClosestPoints, notes: list[str]) -> npt.NDArray[np.int64] | None:
    """Return which holdout record each synthetic one is, if they are the same records."""
    synthetic, holdout = points.identities[1], points.identities[2]
    if not same_records(synthetic, holdout):
        return None
    notes.append(
        "the synthetic data hold the records of the holdout: no record is taken as its own "
        "neighbour"
    )
    itself = np.empty(len(synthetic), dtype=np.int64)
    itself[np.argsort(synthetic, kind="stable")] = np.argsort(holdout, kind="stable")
    return itself


def _note_constants(points: ClosestPoints, notes: list[str]) -> None:
    """Note the columns that cannot tell training records apart."""
    constant = [column for column in points.columns if column not in points.varying]
    if constant:
        notes.append(
            f"constant over the training data, so that it cannot add to the distance between "
            f"records like them: {', '.join(repr(column) for column in constant)}"
        )


def _searches(
    points: ClosestPoints,
    pool: PoolSearch | None,
    itself: npt.NDArray[np.int64] | None,
    drawn: Queries | None,
    sizes: tuple[int, int, int],
    progress: Progress | None,
) -> tuple[ReplicaSearch, PoolSearch]:
    """Return what is nearest to the records of the replica, and to real ones in the pool.

    Sizes are those of the records whose nearest are looked for.
    """
    of_replica, of_pool = _progress_of_both(progress, sizes, searched=pool is not None)
    replica = search_replica(
        points.training,
        points.synthetic,
        points.holdout,
        distance=points.distance,
        itself=itself,
        drawn=drawn,
        progress=of_replica,
    )
    if pool is None:
        pool = search_pool(
            points.training,
            points.holdout,
            distance=points.distance,
            drawn=drawn,
            progress=of_pool,
        )
    elif (len(pool.training), len(pool.holdout)) != (sizes[0], sizes[2]):
        msg = "pool: it was searched for other training or holdout records. Search these."
        raise DataError(msg)
    return replica, pool


def _progress_of_both(
    progress: Progress | None, sizes: tuple[int, int, int], *, searched: bool
) -> tuple[Progress | None, Progress | None]:
    if progress is None:
        return None, None
    first = 2 * sizes[1]
    total = first if searched else count_queries(*sizes)
    return lambda done, _: progress(done, total), lambda done, _: progress(first + done, total)


def _match(
    points: ClosestPoints,
    replica: ReplicaSearch,
    pool: PoolSearch,
    itself: npt.NDArray[np.int64] | None,
    tied: Tied,
    drawn: Queries | None = None,
) -> tuple[ClosestRecords, ClosestRecords, tuple[Bools, Bools]]:
    """Return distances and identical matches, of replica and holdout.

    Last, which training and which holdout records without a duplicate some synthetic record equals.
    """
    ids = points.identities
    times = [np.bincount(part, minlength=max(p.max() for p in ids) + 1) for part in ids]
    n_training, n_holdout = points.training.n, points.holdout.n
    fresh = times[2] - 1  # others than a holdout record itself
    synthetic, holdout = ids[1], ids[2]
    if drawn is not None:
        synthetic, holdout = synthetic[drawn.synthetic], holdout[drawn.holdout]
    closest = ClosestRecords(
        replica.training,
        replica.holdout,
        n_training,
        n_holdout,
        times[0][synthetic] > 0,
        (times[2] if itself is None else fresh)[synthetic] > 0,
        tied.of_training,
    )
    baseline = ClosestRecords(
        pool.holdout_to_training,
        pool.holdout_to_holdout,
        n_training,
        n_holdout,
        times[0][holdout] > 0,
        fresh[holdout] > 0,
        pool.holdout_of_training,
    )
    # A record with a duplicate is matched on both sides, or is unique to one by its number only.
    alone = times[0] + times[2] == 1
    copied = times[1] if itself is None else fresh
    matched = (alone & (times[1] > 0))[ids[0]], (alone & (copied > 0))[ids[2]]
    return closest, baseline, matched


def _singled_out(
    margin: float, replica: ReplicaSearch, pool: PoolSearch, households: Households | None
) -> LabelTest:
    def singled_out(synthetic: npt.NDArray[Any], neighbour: npt.NDArray[Any]) -> Bools:
        return np.asarray((neighbour - synthetic >= margin) & (neighbour > synthetic))

    each = (
        singled_out(replica.from_training, pool.training),
        singled_out(replica.from_holdout, pool.holdout),
    )
    return label_test(np.concatenate(each), len(each[0]), households)


def _outlying(margin: float, pool: PoolSearch) -> Bools:
    """Return which real records are outliers, by the distance to their nearest other record."""
    nearest = np.concatenate([pool.training, pool.holdout])
    _, place, times = np.unique(nearest, return_inverse=True, return_counts=True)
    as_far = times[::-1].cumsum()[::-1] / len(nearest)
    apart: Bools = nearest >= margin
    return apart if apart.all() else apart & (as_far <= _MOST_APART)[place]


def _by_column(points: ClosestPoints, queries: Points, replica: ReplicaSearch) -> pd.DataFrame:
    sides = {
        name: by_column(queries, real, search.ties, points.distance)
        for name, real, search in (
            ("training", points.training, replica.to_training),
            ("holdout", points.holdout, replica.to_holdout),
        )
    }
    frame = pd.DataFrame(sides, index=pd.Index(points.columns, name="column"))
    frame["difference"] = frame["training"] - frame["holdout"]
    return frame.sort_values("difference", kind="stable")
