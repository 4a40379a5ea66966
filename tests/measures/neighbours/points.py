"""Records to search, and the distances of all pairs of them."""

from __future__ import annotations

import numpy as np

from sdcmetrics.measures.neighbours import (
    Distance,
    Euclidean,
    Gower,
    Points,
    contributions,
)

RNG = np.random.default_rng(5)


def points(n: int, *, numbers: bool = True) -> Points:
    codes = [RNG.integers(0, 3, n), RNG.integers(0, 4, n)]
    return Points.from_columns(
        codes, [RNG.normal(size=n).round(1), RNG.normal(size=n)] if numbers else []
    )


def matrix(one: Points, other: Points, distance: Distance) -> np.ndarray:
    columns = [
        contributions(one, other.subset(np.full(one.n, j)), distance).sum(axis=0)
        for j in range(other.n)
    ]
    sums = np.round(np.array(columns).T * 2.0**40) / 2.0**40
    if isinstance(distance, Euclidean):
        return np.sqrt(sums)
    return sums / one.columns if isinstance(distance, Gower) else sums
