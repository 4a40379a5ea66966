"""The loops of the search for nearest records, compiled when they are first used.

Only `search` imports this module, and only when it searches: it loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sdcmetrics.measures.neighbours.bits import inner
from sdcmetrics.microdata.arrays import Ints, Ints32

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
def _add_groups(ranks: Any, i: int, unit: int, start: int, sums: Any, total: Any) -> None:
    """Set the distances of a record to all from one on, by group of columns and in all."""
    groups = len(sums)
    cut = np.int32(unit)
    for g in range(groups):
        sums[g, start:] = 0
    for j in range(ranks.shape[0]):
        column, out = ranks[j, start:], sums[j % groups, start:]
        own = ranks[j, i]
        for b in range(len(column)):
            apart = np.int32(column[b] - own)
            apart = max(apart, np.int32(-apart))
            out[b] += min(apart, cut)
    whole = total[start:]
    whole[:] = 0
    for g in range(groups):
        part = sums[g, start:]
        for b in range(len(part)):
            whole[b] += part[b]


@inner
def _set_keys(key: Any, total: Any, left_out: Any, noise: Any, shift: int) -> None:
    """Set distances without a group of columns, random bits behind them."""
    up = np.int32(shift)
    for b in range(len(key)):
        key[b] = np.int32(np.int32(np.int32(total[b] - left_out[b]) << up) | noise[b])


@inner
def _winner(ties: Any, start: int, stop: int, noise: Any) -> Any:
    """Return who of equally near records has the smallest random bits, the first of several."""
    at = ties[start]
    for place in range(start + 1, stop):
        if noise[ties[place]] < noise[at]:
            at = ties[place]
    return at


def search(  # noqa: PLR0913, PLR0917  (compiled: plain arrays)
    ranks: Ints32,
    pool: int,
    unit: int,
    groups: int,
    shift: int,
    noises: Any,
    nearest_known: Any,
    ties: Any,
    starts: Any,
    results: Any,
) -> None:
    """Fill what is results, record by record."""
    own, replica, person, nearest_one, distance, second = results
    size, count = ranks.shape[1], nearest_one.shape[0]
    sums = np.zeros((groups, size), np.int32)
    total, key = np.zeros(size, np.int32), np.zeros(size, np.int32)
    none, noise = np.zeros(size, np.int32), np.zeros(size, np.int32)
    in_pool = np.zeros((pool + _CHUNK - 1) // _CHUNK, np.int32)
    in_replica = np.zeros((size - pool + _CHUNK - 1) // _CHUNK, np.int32)
    for i in range(size):
        start = pool if i < pool and len(starts) > 0 else 0  # people are known to each other
        _add_groups(ranks, i, unit, start, sums, total)
        _add_noise(noises, i, shift, noise)
        for c in range(count):
            left_out = none if c == 0 else sums[c - 1]
            _set_keys(key[start:], total[start:], left_out[start:], noise[start:], shift)
            key[i] = _LARGEST
            if start > 0:
                first, stop = starts[i * count + c], starts[i * count + c + 1]
                people = _winner(ties, first, stop, noise)
                a = np.int32(nearest_known[0][c, i] << np.int32(shift)) | noise[people]
            else:
                first, stop = 0, 0
                a, people = _least(key, 0, pool, in_pool)
            r, copy = _least(key, pool, size, in_replica)
            if i < pool:
                own[c, i], replica[c, i] = a >> shift, r >> shift
            else:
                person[c, i - pool] = people
            coin = (noises[0, i] >> np.uint32(c)) & np.uint32(1)
            at = people if a < r or (a == r and coin == 1) else copy
            nearest_one[c, i] = at
            distance[c, i] = (a if at == people else r) >> shift
            key[at] = _LARGEST
            r = _next(key, pool, size, in_replica, at)
            if start == 0:
                second[c, i] = min(_next(key, 0, pool, in_pool, at), r) >> shift
            else:
                other = (
                    nearest_known[0][c, i]
                    if at != people or stop - first > 1
                    else nearest_known[1][c, i]
                )
                second[c, i] = min(other, r >> shift)


@inner
def _add_noise(noises: Any, i: int, shift: int, noise: Any) -> None:
    """Set random bits, others for each pair of records."""
    own, down = noises[0, i], np.uint32(32 - shift)
    other = noises[1]
    for b in range(len(noise)):
        noise[b] = np.int32(np.uint32(own + other[b]) >> down) if shift else np.int32(0)


def among(ranks: Ints32, unit: int, out: Any, ties: Ints32, starts: Ints, groups: int) -> int:
    """Fill in who is nearest, person by person, and return how many they are; some may not fit."""
    configurations, pool = out.shape[1:]
    sums = np.zeros((groups, pool), np.int32)
    total, none = np.zeros(pool, np.int32), np.zeros(pool, np.int32)
    key, minima = np.zeros(pool, np.int32), np.zeros((pool + _CHUNK - 1) // _CHUNK, np.int32)
    count = 0
    for i in range(pool):
        _add_groups(ranks, i, unit, 0, sums, total)
        for c in range(configurations):
            _set_keys(key, total, none if c == 0 else sums[c - 1], none, 0)
            key[i] = _LARGEST
            least, _ = _least(key, 0, pool, minima)
            for chunk in range(len(minima)):
                if minima[chunk] != least:
                    continue
                first = chunk * _CHUNK
                for b in range(first, min(first + _CHUNK, pool)):
                    if key[b] == least:
                        if count < len(ties):
                            ties[count] = b
                        count += 1
            starts[i * configurations + c + 1] = count
            above = np.int32(_LARGEST)
            for b in range(pool):
                above = min(above, key[b] if key[b] > least else np.int32(_LARGEST))
            out[0, c, i], out[1, c, i] = least, above
    return count


def crowd(ranks: Ints32, unit: int, shift: int, noises: Any, near: Ints32, means: Any) -> None:
    """Fill in the nearest records, record by record."""
    size, k = near.shape
    sums = np.zeros((1, size), np.int32)
    total, key = np.zeros(size, np.int32), np.zeros(size, np.int32)
    minima, noise = np.zeros((size + _CHUNK - 1) // _CHUNK, np.int32), np.zeros(size, np.int32)
    for i in range(size):
        _add_groups(ranks, i, unit, 0, sums, total)
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
