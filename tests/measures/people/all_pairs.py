"""Distances between all records, and what they say of those that were found to be nearest."""

from __future__ import annotations

from typing import Any

import numpy as np


def brute(ranks: Any, unit: Any) -> Any:
    far = np.abs(ranks[:, :, None] - ranks[:, None, :])
    np.minimum(far, unit, out=far)
    groups = min(len(ranks), 8)
    out = [far.sum(0)]
    out += [out[0] - far[group::8].sum(0) for group in range(groups if groups > 2 else 0)]
    for distance in out:
        np.fill_diagonal(distance, 10**9)
    return out


def assert_nearest(near: Any, ranks: Any, pool: int, unit: int) -> None:
    size = ranks.shape[1]
    every = brute(ranks, unit)
    assert len(near.own) == len(every)
    for c, distance in enumerate(every):
        assert np.array_equal(near.own[c], distance[:pool, :pool].min(1))
        assert np.array_equal(near.replica[c], distance[:pool, pool:].min(1))
        assert np.array_equal(near.distance[c], distance.min(1))
        first = near.first[c]
        assert np.array_equal(distance[np.arange(size), first], distance.min(1))
        person = near.person[c]
        own = distance[pool:, :pool]
        assert np.array_equal(own[np.arange(size - pool), person], own.min(1))
        distance[np.arange(size), first] = 10**9
        assert np.array_equal(near.second[c], distance.min(1))


def assert_crowd(found: Any, ranks: Any, unit: int) -> None:
    near, closest, everybody = found
    size, k = near.shape
    distance = brute(ranks, unit)[0].astype(float)
    ordered = np.sort(distance, 1)[:, :k]
    assert np.array_equal(np.sort(np.take_along_axis(distance, near, 1), 1), ordered)
    assert all(len({*row}) == k for row in near.tolist())
    assert np.allclose(closest, ordered.mean(1))
    np.fill_diagonal(distance, 0)
    assert np.allclose(everybody, distance.sum(1) / (size - 1))
