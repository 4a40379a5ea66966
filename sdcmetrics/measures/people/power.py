"""The power sentence: how many copied people would have been noticed in this file.

All labels of original, holdout and replica are redrawn, so that what the file holds by accident is
no part of the answer; then random records of the replica give way to copied people, and the exact
tests look. Small files are redrawn record by record, large ones by the composition of bundles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from sdcmetrics.measures.people.equal import (
    CONFIRMED,
    LARGEST,
    Keys,
    label_p,
    largest_chance,
    speaks,
    twins_p,
)
from sdcmetrics.microdata.arrays import Array, Ints
from sdcmetrics.microdata.compiled import compiled

DRAWS = 200
FAILURES = 6
"""Draws in which copied people may go unnoticed: 97 % are noticed, for 90 % to be said."""

_FIRST = 8
_BATCH = 25
_REDRAWN = 10_000  # records up to which they are redrawn one by one
_SURE = 0.95
_MANY = 200  # hits
_LONGEST = 200  # records of the largest bundle with a person that the replica alone repeats

Draw = tuple[int, int, tuple[int, ...], tuple[int, ...]]
"""People hit in original and holdout; bundles, and joined ones, by size from 2 to 6."""


def noticed(
    keys: Keys, n: int, h: int, levels: dict[str, float], rng: np.random.Generator
) -> int | None:
    """Return the smallest number of copied people who are noticed, None if nobody ever is."""
    size = len(keys)
    m = size - n - h
    draw = _one_by_one(keys, n, h, rng) if size <= _REDRAWN else _by_bundles(keys, n, h, rng)

    def enough(copied: int) -> bool:
        """Whether so many are noticed often enough."""
        failures = 0
        for start in range(0, DRAWS, _BATCH):
            drawn = draw(copied, min(_BATCH, DRAWS - start))
            failures += sum(not _alarms(draw, n, h, levels) for draw in drawn)
            if failures > FAILURES:
                return False
        return True

    largest = min(n, m)
    low, high = 0, min(_FIRST, largest)
    while not enough(high):
        if high >= largest:
            return None
        low, high = high, min(2 * high, largest)
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def _alarms(draw: Draw, n: int, h: int, levels: dict[str, float]) -> bool:
    """Whether LE or TE alarms, the holdout having its say."""
    original, holdout, sizes, joined = draw
    p = 1.0 if _ordinary(original, holdout, n, h) else label_p(original, holdout, n, h)
    if h and p <= levels["LE"]:
        return True
    if p > CONFIRMED and speaks(original, holdout, n, h):
        return False
    sizes_used, chances = _telling(h / n)
    successes = sum(joined[i] for i in sizes_used)
    return _cached_p(successes, tuple(sizes[i] for i in sizes_used), chances) <= levels["TE"]


def _ordinary(original: int, holdout: int, n: int, h: int) -> bool:
    """Whether many hits are of the original hardly more often than expected: p is far above 1 %."""
    hits, share = original + holdout, n / (n + h)
    if not _MANY <= hits <= (n + h) / 2:
        return False
    return original < hits * share + 0.5 * math.sqrt(hits * share * (1 - share))


@lru_cache(maxsize=64)
def _telling(rho: float) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return which sizes tell anything, from 2 on, and their largest chances."""
    chances = [largest_chance(k, rho) for k in range(2, LARGEST + 1)]
    sizes_used = tuple(i for i, chance in enumerate(chances) if chance <= _SURE)
    return sizes_used, tuple(chances[i] for i in sizes_used)


_cached_p = lru_cache(maxsize=8192)(twins_p)


def _one_by_one(
    keys: Keys, n: int, h: int, rng: np.random.Generator
) -> Callable[[int, int], list[Draw]]:
    """Return what redraws every record's label."""
    number = np.unique(keys, return_inverse=True)[1].astype(np.int32)
    count = int(number.max()) + 1
    loop = compiled(_count, _SIGNATURE)

    def draw(copied: int, rows: int) -> list[Draw]:
        """Return draws with so many copied people."""
        drawn = rng.permuted(np.tile(number, (rows, 1)), axis=1)
        drawn[:, n + h : n + h + copied] = drawn[:, :copied]  # random ones: all are permuted
        out = np.zeros((rows, 2 + 2 * (LARGEST + 1)), np.int64)
        loop(drawn, n, h, count, out)
        half = 2 + LARGEST + 1
        return [
            (int(row[0]), int(row[1]), tuple(row[4:half].tolist()), tuple(row[half + 2 :].tolist()))
            for row in out
        ]

    return draw


def _count(drawn: Any, n: int, h: int, count: int, out: Any) -> None:
    """Count hits, bundles by size and joined ones, per row: hits, then by size from 0 on."""
    longest = (out.shape[1] - 2) // 2
    files = np.zeros((count, 3), np.int32)
    for row in range(drawn.shape[0]):
        files[:] = 0
        for i in range(drawn.shape[1]):
            file = 0 if i < n else 1 if i < n + h else 2
            files[drawn[row, i], file] += 1
        for key in range(count):
            t, b, r = files[key, 0], files[key, 1], files[key, 2]
            if r > 0 and t + b == 1:
                out[row, b] += 1
            size = t + b + r
            if 1 < size < longest:
                out[row, 2 + size] += 1
                if t > 0 and r > 0 and b == 0:
                    out[row, 2 + longest + size] += 1


_SIGNATURE = "void(int32[:,::1], int64, int64, int64, int64[:,::1])"


def _by_bundles(
    keys: Keys, n: int, h: int, rng: np.random.Generator
) -> Callable[[int, int], list[Draw]]:
    """Return what redraws how many bundles of each size have which composition."""
    size = len(keys)
    m = size - n - h
    chance = np.array([n, h, m]) / size
    bundle = np.bincount(np.unique(keys, return_counts=True)[1])
    makes = [_compositions(k) for k in range(1, LARGEST + 2)]
    place = {tuple(make): i for i, make in enumerate(np.concatenate(makes).tolist())}
    table = np.array(list(place))
    law = [_law(make, chance) for make in makes]
    more = np.array([place.get((t, b, r + 1), -1) for t, b, r in table])
    less = np.array([place.get((t, b, r - 1), -1) for t, b, r in table])
    sizes = table.sum(1)
    joined = (table[:, 0] > 0) & (table[:, 2] > 0) & (table[:, 1] == 0)
    single = (table[:, 2] > 0) & (table[:, 0] + table[:, 1] == 1)
    long = np.arange(LARGEST + 2, min(len(bundle), _LONGEST))
    alone = long * (n + h) / size * chance[2] ** (long - 1.0)

    def moved(counts: Ints, copied: int, file: int, total: int, to: Ints) -> Ints:
        """Return counts after random records of a file are copied, or leave."""
        weight = counts * table[:, file] / total
        rest = max(0.0, 1 - float(weight.sum()))
        drawn = rng.multinomial(copied, np.append(weight, rest) / (weight.sum() + rest))[:-1]
        drawn = np.minimum(drawn, counts)
        out = counts - drawn
        np.add.at(out, to[to >= 0], drawn[to >= 0])
        return out

    def drawn_once(copied: int) -> Draw:
        counts = np.concatenate(
            [
                rng.multinomial(bundle[k] if k < len(bundle) else 0, law[k - 1])
                for k in range(1, LARGEST + 2)
            ]
        )
        counts = moved(counts, copied, 2, m, less)
        counts = moved(counts, copied, 0, n, more)
        far = int(rng.binomial(bundle[long], alone).sum()) if len(long) else 0
        left_out = int(rng.binomial(far, h / (n + h)))
        hits = [int(counts[single & (table[:, i] == 1)].sum()) for i in (0, 1)]
        by_size = [int(counts[sizes == k].sum()) for k in range(2, LARGEST + 1)]
        of_these = [int(counts[joined & (sizes == k)].sum()) for k in range(2, LARGEST + 1)]
        return hits[0] + far - left_out, hits[1] + left_out, tuple(by_size), tuple(of_these)

    return lambda copied, rows: [drawn_once(copied) for _ in range(rows)]


def _compositions(size: int) -> Ints:
    """Return how a bundle can be made of the three files."""
    return np.array(
        [(t, b, size - t - b) for t in range(size + 1) for b in range(size + 1 - t)], np.int64
    )


def _law(makes: Ints, chance: Array) -> Array:
    """Return the multinomial law of compositions."""
    from scipy.special import gammaln

    size = int(makes[0].sum())
    ways = np.exp(gammaln(size + 1) - gammaln(makes + 1.0).sum(1))
    law = ways * np.prod(chance**makes, axis=1)
    return np.asarray(law / law.sum())
