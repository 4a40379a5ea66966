"""The power sentence: how many copied people would have been noticed in this file.

All labels of original, holdout and replica are redrawn, so that what the file holds by accident is
no part of the answer; then random records of the replica give way to copied people, and the exact
tests look. Small files are redrawn record by record, large ones by the composition of bundles.

Labels are redrawn as if the replica had the original's law. One of another law, or that repeats
records of its own, has more bundles of its own and fewer with people, so that more copies hide in
it. Bundles are therefore also drawn as they are made in the file, and the larger number holds.
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
    Bundles,
    Keys,
    bundles_of,
    label_p,
    largest_chance,
    speaks,
    sum_keys,
    twins_p,
)
from sdcmetrics.measures.people.testing import PeopleTests
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


def noticed_in(tests: PeopleTests) -> int | None:
    """Return how many copied people would be noticed, by pairs or else by values."""
    numbers = [_noticed_by_pairs(tests)]
    if "TE" in tests.levels:
        numbers.append(tests.noticed_by_values)
    return min((number for number in numbers if number is not None), default=None)


def _noticed_by_pairs(tests: PeopleTests) -> int | None:
    """Return how many are by equal records, of repeats that may have been dropped too."""
    files, levels, searches = tests.files, tests.levels, tests.searches
    if "TE" in levels:
        levels = {**levels, "TE": levels["TE"] * searches.shares["records"]}
    keys = sum_keys(tests.keys)
    number = noticed(keys, files.n, files.h, levels, tests.rng)
    copies = searches.fewest_copies(tests.levels.get("TE", 0.0))
    if number is None or number >= copies:
        return number
    numbers = [copies] if copies <= min(files.n, files.m) else []
    if files.h:
        by_labels = {**levels, "TE": 0.0}
        alone = noticed(keys, files.n, files.h, by_labels, tests.rng)
        numbers += [] if alone is None else [alone]
    return min(numbers, default=None)


def noticed(
    keys: Keys, n: int, h: int, levels: dict[str, float], rng: np.random.Generator
) -> int | None:
    """Return the smallest number of copied people who are noticed, None if nobody ever is."""
    size = len(keys)
    exchanged = _one_by_one(keys, n, h, rng) if size <= _REDRAWN else _by_bundles(keys, n, h, rng)
    alone = bundles_of(keys, n, h).alone(n)

    def alarms(draw: Draw) -> bool:
        """Whether the people copied in a draw are noticed."""
        return _alarms(draw, n, h, levels, alone)

    number = _smallest(exchanged, min(n, size - n - h), alarms)
    if number is None:
        return None
    as_they_are = _by_bundles(keys, n, h, rng, as_they_are=True)
    return _smallest(as_they_are, min(n, size - n - h), alarms, number)


def _smallest(
    draw: Callable[[int, int], list[Draw]],
    largest: int,
    alarms: Callable[[Draw], bool],
    least: int = 0,
) -> int | None:
    """Return the smallest number, from some on, of which draws are noticed often enough."""

    def enough(copied: int) -> bool:
        """Whether so many are noticed often enough."""
        failures = 0
        for start in range(0, DRAWS, _BATCH):
            drawn = draw(copied, min(_BATCH, DRAWS - start))
            failures += sum(not alarms(draw) for draw in drawn)
            if failures > FAILURES:
                return False
        return True

    low, high = least - 1 if least else 0, least or min(_FIRST, largest)
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


def _alarms(draw: Draw, n: int, h: int, levels: dict[str, float], alone: float = 1.0) -> bool:
    """Whether LE or TE alarms, the holdout having its say; so many copied people can be hits."""
    original, holdout, sizes, joined = draw
    p = 1.0 if _ordinary(original, holdout, n, h) else label_p(original, holdout, n, h)
    if h and p <= levels["LE"]:
        return True
    sizes_used, chances = _telling(h / n)
    successes = sum(joined[i] for i in sizes_used)
    bundles = tuple(sizes[i] for i in sizes_used)
    if _cached_p(successes, bundles, chances) > levels["TE"]:
        return False
    if not h or p <= CONFIRMED:
        return True
    chance = float(np.dot(bundles, chances)) / max(sum(bundles), 1)
    copied = max(0.0, (successes - chance * sum(bundles)) / (1 - chance))
    return not speaks(original, holdout, n, h, round(copied * alone))


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


def _compositions(size: int) -> Ints:
    """Return how a bundle can be made of the three files."""
    return np.array(
        [(t, b, size - t - b) for t in range(size + 1) for b in range(size + 1 - t)], np.int64
    )


_MAKES = [_compositions(k) for k in range(1, LARGEST + 2)]
_TABLE = np.concatenate(_MAKES)
_PLACE = {tuple(make): i for i, make in enumerate(_TABLE.tolist())}


def _by_bundles(
    keys: Keys, n: int, h: int, rng: np.random.Generator, *, as_they_are: bool = False
) -> Callable[[int, int], list[Draw]]:
    """Return what redraws how many bundles of each size have which composition.

    By the law of labels that are exchanged, or as often as bundles of the file have it.
    """
    records = n, h, len(keys) - n - h
    if as_they_are:
        make = _as_they_are(bundles_of(keys, n, h), records, rng)
    else:
        make = _exchanged(np.bincount(np.unique(keys, return_counts=True)[1]), records, rng)
    sizes, single = _TABLE.sum(1), (_TABLE[:, 2] > 0) & (_TABLE[:, 0] + _TABLE[:, 1] == 1)
    joined = (_TABLE[:, 0] > 0) & (_TABLE[:, 2] > 0) & (_TABLE[:, 1] == 0)
    leave, copies = _Move(2, -1), _Move(0, 1)

    def drawn_once(copied: int) -> Draw:
        counts, far = make()
        counts = leave.of(counts, copied, records[2], rng)
        counts = copies.of(counts, copied, n, rng)
        hits = [int(counts[single & (_TABLE[:, i] == 1)].sum()) for i in (0, 1)]
        by_size = [int(counts[sizes == k].sum()) for k in range(2, LARGEST + 1)]
        of_these = [int(counts[joined & (sizes == k)].sum()) for k in range(2, LARGEST + 1)]
        return hits[0] + far[0], hits[1] + far[1], tuple(by_size), tuple(of_these)

    return lambda copied, rows: [drawn_once(copied) for _ in range(rows)]


Make = Callable[[], tuple[Ints, tuple[int, int]]]
"""Draws how many bundles there are of each composition, and whom longer bundles hit: people of
original and holdout whose record the replica repeats."""


def _exchanged(bundle: Ints, records: tuple[int, int, int], rng: np.random.Generator) -> Make:
    """Return what draws bundles, so many of each size, whose labels are exchanged."""
    n, h, _ = records
    chance = np.array(records) / sum(records)
    bundle = np.append(bundle, np.zeros(LARGEST + 2, np.int64))
    law = [_law(make, chance) for make in _MAKES]
    size = np.arange(LARGEST + 2, min(len(bundle), _LONGEST))
    alone = size * (n + h) / sum(records) * chance[2] ** (size - 1.0)

    def make() -> tuple[Ints, tuple[int, int]]:
        counts = [rng.multinomial(bundle[k], law[k - 1]) for k in range(1, LARGEST + 2)]
        hits = int(rng.binomial(bundle[size], alone).sum())
        left_out = int(rng.binomial(hits, h / (n + h)))
        return np.concatenate(counts), (hits - left_out, left_out)

    return make


def _as_they_are(bundles: Bundles, records: tuple[int, int, int], rng: np.random.Generator) -> Make:
    """Return what draws bundles again of those that there are, by size; single records stay."""
    files = np.column_stack([bundles.original, bundles.holdout, bundles.replica])
    sizes = files.sum(1)
    long = files[sizes > LARGEST + 1]
    hits = [int(((long[:, i] == 1) & (long[:, :2].sum(1) == 1)).sum()) for i in (0, 1)]
    counts = np.zeros(len(_TABLE), np.int64)
    compositions, times = np.unique(files[sizes <= LARGEST + 1], axis=0, return_counts=True)
    for composition, number in zip(compositions.tolist(), times.tolist(), strict=True):
        counts[_PLACE[tuple(composition)]] = number
    for i, alone in enumerate((records - files.sum(0)).tolist()):
        counts[_PLACE[tuple(int(i == file) for file in range(3))]] = alone
    ends = np.cumsum([len(make) for make in _MAKES])[:-1]

    def make() -> tuple[Ints, tuple[int, int]]:
        single, *more = np.split(counts, ends)
        drawn = [rng.multinomial(x.sum(), x / max(x.sum(), 1)) if x.any() else x for x in more]
        return np.concatenate([single, *drawn]), (rng.poisson(hits[0]), rng.poisson(hits[1]))

    return make


class _Move:
    """How compositions of bundles change as random records of a file leave, or are copied."""

    def __init__(self, file: int, step: int) -> None:
        self.records = _TABLE[:, file]
        self.moved = np.arange(LARGEST + 2)  # records of one bundle
        self.ways = np.array([[math.comb(size, y) for y in self.moved] for size in self.records])
        self.to = np.array(
            [
                [_PLACE.get((t, b, r + step * y), -1) for y in self.moved.tolist()]
                for t, b, r in _TABLE.tolist()
            ]
        )

    def of(self, counts: Ints, drawn: int, total: int, rng: np.random.Generator) -> Ints:
        """Return counts after so many of the records, drawn without replacement, moved."""
        inside = counts * self.records
        rest = max(0, total - int(inside.sum()))
        some = rng.multivariate_hypergeometric([*inside, rest], drawn, method="marginals")[:-1]
        share = (some / np.maximum(inside, 1))[:, None]
        stay = np.maximum(self.records[:, None] - self.moved, 0)
        law = self.ways * share**self.moved * (1 - share) ** stay
        times = rng.multinomial(counts, law / law.sum(1, keepdims=True))
        single = self.records == 1
        times[single, 0], times[single, 1] = counts[single] - some[single], some[single]
        out = np.zeros_like(counts)
        np.add.at(out, self.to[self.to >= 0], times[self.to >= 0])
        return out


def _law(makes: Ints, chance: Array) -> Array:
    """Return the multinomial law of compositions."""
    from scipy.special import gammaln

    size = int(makes[0].sum())
    ways = np.exp(gammaln(size + 1) - gammaln(makes + 1.0).sum(1))
    law = ways * np.prod(chance**makes, axis=1)
    return np.asarray(law / law.sum())
