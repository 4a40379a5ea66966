"""How near people are to a replica, seen in several ways, none of which knows who was in.

People are those of original and holdout together. Every score is larger for who is surer to have
been in the original.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.attacks.people import HOLDOUT, ORIGINAL, SYNTHETIC, People
from sdcmetrics.measures.neighbours import Gower, Points, nearest
from sdcmetrics.microdata.arrays import Floats

_NEIGHBOURS = 5
_MOST_TIES = 20
"""People at the smallest distance from a replica record among whom it is shared out."""


@dataclass(frozen=True)
class Closeness:
    """Scores of people, original first.

    Attributes
    ----------
    ratio : float array of shape (people,)
        Log of the distance to the nearest other person over that to the nearest replica record.
    density : float array
        The same of the mean of the five nearest.
    share : float array
        Share of replica records among the five nearest records of people and replica.
    parents : float array
        Replica records to which nobody is nearer; those of several people are shared out.
    values : float array
        The same column by column, added up: replica values to which no other value is nearer,
        shared out among the people who have that one.
    apart : float array
        Mean distance to the five nearest other people, which is no score: who is rare.
    """

    ratio: Floats
    density: Floats
    share: Floats
    parents: Floats
    values: Floats
    apart: Floats


def closeness_scores(data: People) -> Closeness:
    """Return how near people of original and holdout are to a replica.

    Numbers and dates are ranks over all three data sets, divided by the number of records; levels
    are equal or not. What two people differ by is added up over columns (Gower).
    """
    if "closeness" not in data.memo:
        data.memo["closeness"] = _closeness(data)
    scores: Closeness = data.memo["closeness"]
    return scores


def _closeness(data: People) -> Closeness:
    pool, replica, distance = ranked_points(data)
    smallest = 1.0 / (pool.n + replica.n)
    people = min(_NEIGHBOURS, pool.n - 1)
    copies = min(_NEIGHBOURS, replica.n)
    others = _distances(
        nearest(
            pool, pool, distance=distance, k=people, exclude_self=True, indices=False
        ).distances,
        pool.n,
    )
    near = _distances(
        nearest(pool, replica, distance=distance, k=copies, indices=False).distances, pool.n
    )
    return Closeness(
        ratio=np.log((others[:, 0] + smallest) / (near[:, 0] + smallest)),
        density=np.log((others.mean(axis=1) + smallest) / (near.mean(axis=1) + smallest)),
        share=_share(near, others),
        parents=_parents(replica, pool, distance),
        values=_values(data),
        apart=others.mean(axis=1),
    )


def ranked_points(data: People) -> tuple[Points, Points, Gower]:
    """Return original and holdout together, and the replica, with ranks for numbers."""
    if "ranked points" not in data.memo:
        data.memo["ranked points"] = _ranked_points(data)
    points: tuple[Points, Points, Gower] = data.memo["ranked points"]
    return points


def _ranked_points(data: People) -> tuple[Points, Points, Gower]:
    numbers = []
    n, m, _ = data.sizes
    codes = [
        (np.concatenate([parts[ORIGINAL], parts[HOLDOUT]]), parts[SYNTHETIC])
        for parts in data.codes.values()
    ]
    for columns in data.numbers.values():
        ranks = _ranks(np.concatenate([columns[i] for i in (ORIGINAL, SYNTHETIC, HOLDOUT)]))
        pool = np.concatenate([ranks[:n], ranks[n + m :]])
        numbers.append((pool, ranks[n : n + m]))
    first, second = (
        Points.from_columns([pair[i] for pair in codes], [pair[i] for pair in numbers])
        for i in (0, 1)
    )
    return first, second, Gower((1.0,) * len(numbers))


def _ranks(values: Floats) -> Floats:
    """Return mid-ranks from 0 to 1; NaN where a value is missing."""
    from scipy.stats import rankdata  # large: for a fast start, only when it is needed

    out = np.full(len(values), np.nan)
    there = ~np.isnan(values)
    out[there] = rankdata(values[there]) / len(values)
    return out


def _distances(distances: npt.NDArray[np.floating], people: int) -> Floats:
    return np.asarray(distances, dtype=np.float64).reshape(people, -1)


def _share(near: Floats, others: Floats) -> Floats:
    """Return the share of replica records among the nearest of both, ties in equal parts."""
    k = min(near.shape[1], others.shape[1])
    both = np.sort(np.concatenate([near, others], axis=1), axis=1)
    bar = both[:, [k - 1]]
    inside, at = (near < bar).sum(axis=1), (near == bar).sum(axis=1)
    all_inside, all_at = (both < bar).sum(axis=1), (both == bar).sum(axis=1)
    return np.asarray((inside + (k - all_inside) * at / all_at) / k, dtype=np.float64)


def _parents(replica: Points, pool: Points, distance: Gower) -> Floats:
    """Return how many replica records each person is nearest to."""
    nearby = nearest(replica, pool, distance=distance, list_ties=_MOST_TIES)
    sizes = np.diff(nearby.ties.offsets)
    weights = np.repeat(np.where(nearby.ties.capped, 0.0, 1.0 / sizes), sizes)
    counts = np.bincount(nearby.ties.indices, weights=weights, minlength=pool.n)
    return counts.astype(np.float64)


def _values(data: People) -> Floats:
    """Return how many replica values each person has in place of others, over columns."""
    total = np.zeros(data.n + data.h)
    for codes in data.codes.values():
        people = np.concatenate([codes[ORIGINAL], codes[HOLDOUT]])
        levels = 1 + int(np.concatenate(codes).max())
        having = np.bincount(people, minlength=levels)
        drawn = np.bincount(codes[SYNTHETIC], minlength=levels)
        total += (drawn / np.maximum(having, 1))[people]
    for numbers in data.numbers.values():
        pool = np.concatenate([numbers[ORIGINAL], numbers[HOLDOUT]])
        total += _nearest_values(pool, numbers[SYNTHETIC])
    return total


def _nearest_values(people: Floats, replica: Floats) -> Floats:
    """Return how many of a replica's numbers each person has the nearest of, ties in equal parts.

    >>> _nearest_values(np.array([1.0, 1.0, 5.0, np.nan]), np.array([2.0, 3.0, 9.0, np.nan]))
    array([0.75, 0.75, 1.5 , 1.  ])

    Differences that round to one number are no tie of those on one side.

    >>> _nearest_values(np.array([0.0, 1.0]), np.array([-1e20, 1e20]))
    array([1., 1.])
    """
    out = np.zeros(len(people))
    missing = np.isnan(people)
    if missing.any():
        out[missing] = np.isnan(replica).sum() / missing.sum()
    levels, place, having = np.unique(people[~missing], return_inverse=True, return_counts=True)
    drawn = replica[~np.isnan(replica)]
    if not len(levels) or not len(drawn):
        return out
    above = np.searchsorted(levels, drawn).clip(0, len(levels) - 1)
    below = (np.searchsorted(levels, drawn, side="right") - 1).clip(0)
    up, down = np.abs(levels[above] - drawn), np.abs(drawn - levels[below])
    part = (1.0 + np.sign(down - up)) / 2.0
    counts = np.bincount(above, part, len(levels)) + np.bincount(below, 1.0 - part, len(levels))
    out[~missing] = (counts / having)[place.ravel()]
    return out
