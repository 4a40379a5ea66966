"""The loops of the search for nearest records, compiled when they are first used.

Only `search` imports this module, and only when it searches: it loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.neighbours.bits import inner

Ints = npt.NDArray[np.int32]

_CHUNK = 128
_LARGEST = 2**31 - 1


@inner
def _smallest(key: Any, first: int, stop: int) -> Any:
    """Return the smallest key of a chunk."""
    chunk = key[first:stop]
    least = np.int32(_LARGEST)
    for b in range(len(chunk)):
        least = min(least, chunk[b])
    return least


@inner
def _least(key: Any, start: int, stop: int, minima: Any) -> Any:
    """Return the smallest key of a stretch and its place; fill in the smallest of each chunk."""
    best = np.int32(_LARGEST)
    at = 0
    for chunk in range(len(minima)):
        first = start + chunk * _CHUNK
        least = _smallest(key, first, min(first + _CHUNK, stop))
        minima[chunk] = least
        if least < best:
            best, at = least, chunk
    first = start + at * _CHUNK
    for place in range(first, min(first + _CHUNK, stop)):
        if key[place] == best:
            return best, place
    return best, first


@inner
def _next(key: Any, start: int, stop: int, minima: Any, place: int) -> Any:
    """Return the smallest key of a stretch after that at a place was taken away."""
    if start <= place < stop:
        chunk = (place - start) // _CHUNK
        first = start + chunk * _CHUNK
        minima[chunk] = _smallest(key, first, min(first + _CHUNK, stop))
    return _smallest(minima, 0, len(minima))


@inner
def _add_groups(ranks: Any, i: int, unit: int, sums: Any, total: Any) -> None:
    """Set the distances of a record to all, by group of columns and in all."""
    groups = len(sums)
    sums[:, :] = 0
    cut = np.int32(unit)
    for j in range(ranks.shape[0]):
        column, out = ranks[j], sums[j % groups]
        own = column[i]
        for b in range(len(column)):
            apart = np.int32(column[b] - own)
            apart = max(apart, np.int32(-apart))
            out[b] += min(apart, cut)
    total[:] = 0
    for g in range(groups):
        part = sums[g]
        for b in range(len(part)):
            total[b] += part[b]


@inner
def _set_keys(key: Any, total: Any, left_out: Any, noise: Any, shift: int) -> None:
    """Set distances without a group of columns, random bits behind them."""
    up = np.int32(shift)
    for b in range(len(key)):
        key[b] = np.int32(np.int32(np.int32(total[b] - left_out[b]) << up) | noise[b])


def search(
    ranks: Ints, pool: int, unit: int, groups: int, shift: int, noises: Any, results: Any
) -> None:
    """Fill what is results, record by record."""
    own, replica, person, nearest_one, distance, second = results
    size = ranks.shape[1]
    sums = np.zeros((groups, size), np.int32)
    total, key = np.zeros(size, np.int32), np.zeros(size, np.int32)
    none, noise = np.zeros(size, np.int32), np.zeros(size, np.int32)
    in_pool = np.zeros((pool + _CHUNK - 1) // _CHUNK, np.int32)
    in_replica = np.zeros((size - pool + _CHUNK - 1) // _CHUNK, np.int32)
    for i in range(size):
        _add_groups(ranks, i, unit, sums, total)
        _add_noise(noises, i, shift, noise)
        for c in range(nearest_one.shape[0]):
            _set_keys(key, total, none if c == 0 else sums[c - 1], noise, shift)
            key[i] = _LARGEST
            a, people = _least(key, 0, pool, in_pool)
            r, copy = _least(key, pool, size, in_replica)
            if i < pool:
                own[c, i], replica[c, i] = a >> shift, r >> shift
            else:
                person[c, i - pool] = people
            coin = (noises[0, i] >> np.uint32(c)) & np.uint32(1)
            at = people if a < r or (a == r and coin == 1) else copy
            nearest_one[c, i] = at
            distance[c, i] = key[at] >> shift
            key[at] = _LARGEST
            a = _next(key, 0, pool, in_pool, at)
            r = _next(key, pool, size, in_replica, at)
            second[c, i] = min(a, r) >> shift


@inner
def _add_noise(noises: Any, i: int, shift: int, noise: Any) -> None:
    """Set random bits, others for each pair of records."""
    own, down = noises[0, i], np.uint32(32 - shift)
    other = noises[1]
    for b in range(len(noise)):
        noise[b] = np.int32(np.uint32(own + other[b]) >> down) if shift else np.int32(0)


SEARCH = "void(int32[:,::1], int64, int64, int64, int64, uint32[:,::1], UniTuple(int32[:,::1], 6))"


def crowd(ranks: Ints, unit: int, shift: int, noises: Any, near: Ints, means: Any) -> None:
    """Fill in the nearest records, record by record."""
    size, k = near.shape
    sums = np.zeros((1, size), np.int32)
    total, key = np.zeros(size, np.int32), np.zeros(size, np.int32)
    minima, noise = np.zeros((size + _CHUNK - 1) // _CHUNK, np.int32), np.zeros(size, np.int32)
    for i in range(size):
        _add_groups(ranks, i, unit, sums, total)
        _add_noise(noises, i, shift, noise)
        everybody = 0.0
        for b in range(size):
            key[b] = (total[b] << shift) | noise[b]
            everybody += total[b]
        key[i] = _LARGEST
        closest = 0.0
        for place in range(k):
            _, at = _least(key, 0, size, minima)
            near[i, place] = at
            closest += total[at]
            key[at] = _LARGEST
        means[0, i], means[1, i] = closest / k, everybody / (size - 1)


CROWD = "void(int32[:,::1], int64, int64, uint32[:,::1], int32[:,::1], float64[:,::1])"
