"""Equal records, as written: exact tests of labels (LE) and of duplicates across files (TE).

Whole records are hashed; what is left are bundles of equal ones. LE asks whether the people whom
records of the replica equal are of the original more often than of the holdout; TE whether bundles
join the original and the replica more often than records drawn one by one can.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.people.columns import Files
from sdcmetrics.measures.people.tails import (
    at_least_binomial,
    at_least_hypergeometric,
    lower_binomial,
)
from sdcmetrics.microdata.arrays import Array, Ints
from sdcmetrics.microdata.compiled import compiled

Keys = npt.NDArray[np.uint64]

LARGEST = 6
"""Records of the largest bundle that counts."""

SPEAKS = 0.005
"""The holdout could speak where all hits in the original would have at most this p."""

CONFIRMED = 0.01
"""The holdout confirms a test of pairs or values up to this p."""

_REFUTED = 0.05  # p up to which a holdout has more hits than copies leave to it
_SELDOM = 0.05  # how often fewer of the other hits are of the original than is allowed for
_SURE = 0.95  # bundles that join original and replica so often by chance say nothing
_SUMMED = 400  # bundles above which their chances are replaced by the mean one
_LABEL = np.uint64(3)  # two bits of a key say of which file a record is
_MASK = np.uint64(0xFFFFFFFFFFFFFFFC)


def keys_of(files: Files, rng: np.random.Generator) -> Keys:
    """Return a key per record: equal for equal records, others differ (but once in 2^62)."""
    return sum_keys(column_keys(files, rng))


def column_keys(files: Files, rng: np.random.Generator) -> list[Keys]:
    """Return a hash per column and record, whose sum is the record's key."""
    return [hashed(part.values, rng) for part in files.parts]


def sum_keys(columns: list[Keys]) -> Keys:
    """Return the keys of records from those of their columns."""
    out = columns[0].copy()
    for column in columns[1:]:
        out += column
    return out


def hashed(values: Array, rng: np.random.Generator) -> Keys:
    """Return random-looking numbers, the same for equal values (missing is a value)."""
    if values.dtype.kind == "f":
        whole = values + 0.0  # minus zero is zero
        whole[np.isnan(whole)] = np.nan  # of one spelling
        bits = whole.view(np.uint64)
    else:
        bits = values.astype(np.int64).view(np.uint64)
    out = np.empty(len(bits), np.uint64)
    compiled(_mix, _MIX)(bits, rng.integers(0, 2**63, dtype=np.uint64), out)
    return out


def _mix(bits: Any, start: Any, out: Any) -> None:
    """Fill in the numbers by splitmix64's steps."""
    for i in range(len(bits)):
        x = bits[i] + start
        x ^= x >> np.uint64(30)
        x *= np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(27)
        x *= np.uint64(0x94D049BB133111EB)
        out[i] = x ^ (x >> np.uint64(31))


_MIX = "void(uint64[::1], uint64, uint64[::1])"


@dataclass(frozen=True, repr=False)
class Bundles:
    """How many records of original, holdout and replica each bundle of equal records has."""

    original: Ints
    holdout: Ints
    replica: Ints

    @property
    def sizes(self) -> Ints:
        """Records of each."""
        return self.original + self.holdout + self.replica

    def alone(self, n: int) -> float:
        """Return which share of the original's n records equal no other person's."""
        return 1 - int(self.original[self.original + self.holdout > 1].sum()) / n


def bundles_of(keys: Keys, n: int, h: int) -> Bundles:
    """Return the bundles of at least two equal records."""
    labelled = keys & _MASK
    labelled[n : n + h] |= np.uint64(1)
    labelled[n + h :] |= np.uint64(2)
    labelled.sort()
    bare = labelled & _MASK
    equal = bare[1:] == bare[:-1]
    inside = np.zeros(len(keys), np.bool_)
    inside[1:] = equal
    inside[:-1] |= equal
    few = labelled[inside]
    bare = few & _MASK
    number = np.cumsum(np.concatenate([[0], bare[1:] != bare[:-1]])) if len(few) else few
    label = (few & _LABEL).astype(np.int64)
    total = int(number[-1]) + 1 if len(few) else 0
    counts = np.bincount(number.astype(np.int64) * 3 + label, minlength=3 * total).reshape(-1, 3)
    return Bundles(counts[:, 0], counts[:, 1], counts[:, 2])


@dataclass(frozen=True)
class Equal:
    """Results of the tests of equal records.

    Attributes
    ----------
    original, holdout : int
        People of each whom alone, in the pool, records of the replica equal.
    p_label, p_twins : float
        Of LE, and of TE before the holdout is asked.
    joined, bundles : int
        Bundles with records of the original and the replica but none of the holdout, of how many.
    chance : float
        That one is joined at most, on average.
    contradicts : int
        Bundles with records of the holdout and the replica but none of the original.
    spoke : bool
        Whether the holdout could contradict the twin test.
    """

    original: int = 0
    holdout: int = 0
    p_label: float = 1.0
    p_twins: float = 1.0
    joined: int = 0
    bundles: int = 0
    chance: float = 0.0
    contradicts: int = 0
    spoke: bool = False


def equal_records(bundles: Bundles, n: int, h: int) -> Equal:
    """Return the results of the tests of equal records."""
    t, b, r = bundles.original, bundles.holdout, bundles.replica
    single = (r > 0) & (t + b == 1)
    hits = int((single & (t == 1)).sum()), int((single & (b == 1)).sum())
    size = bundles.sizes
    joined, against = (t > 0) & (r > 0) & (b == 0), (b > 0) & (r > 0) & (t == 0)
    rho = h / n
    sizes, successes, contradicts, chances = [], 0, 0, []
    for k in range(2, LARGEST + 1):
        chance = largest_chance(k, rho)
        if chance <= _SURE:
            sizes.append(int((size == k).sum()))
            chances.append(chance)
            successes += int((joined & (size == k)).sum())
            contradicts += int((against & (size == k)).sum())
    total = sum(sizes)
    return Equal(
        original=hits[0],
        holdout=hits[1],
        p_label=label_p(*hits, n, h),
        p_twins=twins_p(successes, tuple(sizes), tuple(chances)),
        joined=successes,
        bundles=total,
        chance=float(np.dot(sizes, chances)) / total if total else 0.0,
        contradicts=contradicts,
        spoke=speaks(*hits, n, h),
    )


@lru_cache(maxsize=8192)
def label_p(original: int, holdout: int, n: int, h: int) -> float:
    """Return P(as many of the hits, or more, are of the original): exact by exchange of labels."""
    if not h or not original + holdout:
        return 1.0
    return at_least_hypergeometric(original, original + holdout, n, n + h)


@lru_cache(maxsize=8192)
def speaks(original: int, holdout: int, n: int, h: int, copied: int | None = None) -> bool:
    """Whether the holdout could contradict that so many of the hits are copied people, or all.

    It would confirm them in 95 of 100 cases: the other hits are of either at random, at worst more
    of the holdout.

    Examples
    --------
    >>> speaks(8, 0, 100, 100), speaks(7, 0, 100, 100)
    (True, False)
    >>> speaks(500, 50, 1000, 100), speaks(500, 50, 1000, 100, copied=30)
    (True, False)
    """
    hits = original + holdout
    if not h:
        return False
    if (copied is None or copied >= hits) and (n / (n + h)) ** hits <= SPEAKS:
        return True  # without replacement it is rarer still
    ours = likely_hits(hits, hits if copied is None else copied, n, h)
    return at_least_hypergeometric(ours, hits, n, n + h) <= SPEAKS


@lru_cache(maxsize=8192)
def refutes(original: int, holdout: int, n: int, h: int, copied: int) -> bool:
    """Whether more hits are of the holdout than if so many, or more, were copied people's.

    Examples
    --------
    >>> refutes(88, 12, 400, 55, 68), refutes(88, 6, 400, 55, 68)
    (True, False)
    """
    others = max(0, original + holdout - copied)
    return bool(h) and at_least_binomial(holdout, others, h / (n + h)) <= _REFUTED


def likely_hits(hits: int, copied: int, n: int, h: int) -> int:
    """Return how many of the hits are of the original, or more, in 95 of 100 cases.

    Where so many are copied people, and the others are of either file at random.
    """
    others = max(0, hits - copied)
    return hits - others + lower_binomial(others, n / (n + h), _SELDOM)


@cache
def largest_chance(size: int, rho: float) -> float:
    """Return how often, at most, equal records drawn one by one join original and replica.

    They must hold a record of each and none of the holdout. Where original, holdout and replica
    are as dense as 1 to rho to x, a bundle of k does with (1 - rho/s)^k - (1/s)^k - (x/s)^k,
    s = 1 + rho + x; whatever the replica does, it only chooses x.

    Examples
    --------
    >>> round(largest_chance(2, 0.0), 4), round(largest_chance(2, 1.0), 4)
    (0.5, 0.25)
    """
    x = np.geomspace(0.05, 200, 600)
    s = 1 + rho + x
    return float(((1 - rho / s) ** size - (1 / s) ** size - (x / s) ** size).max())


def twins_p(joined: int, sizes: tuple[int, ...], chances: tuple[float, ...]) -> float:
    """Return P(as many bundles are joined, or more), each with the largest chance of its size."""
    total = sum(sizes)
    if not joined:
        return 1.0
    expected = sum(size * chance for size, chance in zip(sizes, chances, strict=True))
    if total > _SUMMED:
        return at_least_binomial(joined, total, expected / total) if joined > expected else 1.0
    law = np.ones(1)
    for size, chance in zip(sizes, chances, strict=True):
        if size:
            law = np.convolve(law, _binomial(size, chance))
    return min(1.0, float(law[joined:].sum()))


@cache
def _binomial(trials: int, chance: float) -> npt.NDArray[np.float64]:
    """Return the binomial law of up to 400 trials."""
    law = np.ones(1)
    for _ in range(trials):
        law = np.convolve(law, [1 - chance, chance])
    return law
