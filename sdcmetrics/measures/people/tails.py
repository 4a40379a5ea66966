"""Upper tails of counts, for one count and for all at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from sdcmetrics.measures.exchangeable import more_than_binomial, more_than_hypergeometric
from sdcmetrics.microdata.arrays import Floats, Ints


def at_least_binomial(successes: int, trials: int, chance: float) -> float:
    """Return P(Bin(trials, chance) >= successes)."""
    return more_than_binomial(successes - 1, trials, chance)


def lower_binomial(trials: int, chance: float, level: float) -> int:
    """Return the largest count below which Bin(trials, chance) is in at most so many cases.

    Examples
    --------
    >>> lower_binomial(100, 0.5, 0.05), lower_binomial(0, 0.5, 0.05)
    (42, 0)
    """
    return first(lambda k: at_least_binomial(k + 1, trials, chance) < 1 - level, trials)


def at_least_hypergeometric(hits: int, drawn: int, having: int, pool: int) -> float:
    """Return P(at least so many of those drawn from the pool have it)."""
    return more_than_hypergeometric(hits - 1, having, drawn, pool)


def binomials(successes: Ints, trials: Ints, chance: float) -> Floats:
    """Return P(Bin(trials, chance) >= successes) of many pairs of counts."""
    from scipy.special import betainc

    some = np.maximum(successes, 1)
    return np.where(successes > 0, betainc(some, trials - some + 1, chance), 1.0)


def smallest_hypergeometric(hits: Ints, drawn: Ints, having: int, pool: int) -> tuple[int, float]:
    """Return which of many counts has the smallest P(at least so many), and that.

    The chance of a count is a lower limit of its tail, and over one less the ratio to the next
    chance an upper one; only tails that can be the smallest are computed.

    Examples
    --------
    >>> smallest_hypergeometric(np.array([1, 2]), np.array([2, 2]), 3, 6)[0]
    1
    """
    k = hits.astype(np.float64)
    law = _log_hypergeometric(k, drawn, having, pool)
    ratio = (having - k) * (drawn - k) / ((k + 1) * (pool - having - drawn + k + 1))
    falls = ratio < 1
    upper = np.where(falls, law - np.log1p(-np.where(falls, ratio, 0.0)), 0.0)
    some = np.flatnonzero(law <= upper.min() + 1e-6)
    tails = [at_least_hypergeometric(int(hits[i]), int(drawn[i]), having, pool) for i in some]
    best = int(np.argmin(tails))
    return int(some[best]), float(tails[best])


def _log_hypergeometric(k: Floats, drawn: Ints | int, having: int, pool: int) -> Floats:
    """Return the logarithm of the chance of k, minus infinity where it cannot be."""
    from scipy.special import gammaln

    def choose(n: Floats | Ints | int, of: Floats | Ints | int) -> Floats:
        """Return the logarithm of a binomial coefficient."""
        return np.asarray(gammaln(n + 1.0) - gammaln(of + 1.0) - gammaln(n - of + 1.0))

    return choose(having, k) + choose(pool - having, drawn - k) - choose(pool, drawn)


@lru_cache(maxsize=1024)
def binomial_tails(trials: int, chance: float) -> Floats:
    """Return P(Bin(trials, chance) >= k) for k = 0, ..., trials.

    Examples
    --------
    >>> binomial_tails(2, 0.5)
    array([1.  , 0.75, 0.25])
    """
    counts = np.arange(trials + 1)
    return binomials(counts, np.full_like(counts, trials), chance)


@lru_cache(maxsize=1024)
def hypergeometric_tails(drawn: int, having: int, pool: int) -> Floats:
    """Return P(at least k of those drawn have it) for k = 0, ..., drawn.

    Examples
    --------
    >>> hypergeometric_tails(2, 3, 6).round(12)
    array([1. , 0.8, 0.2])
    """
    law = np.exp(_log_hypergeometric(np.arange(drawn + 1.0), drawn, having, pool))
    return np.asarray(np.minimum(np.cumsum(law[::-1])[::-1], 1.0))


def first(holds: Callable[[int], bool], stop: int) -> int:
    """Return the first number from 0 on for which something holds from then on, at most stop."""
    low, high = 0, stop
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
