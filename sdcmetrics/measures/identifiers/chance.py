"""Tests of whether a replica has more values of the original than by chance.

Beside a holdout: of the values that exactly one person of original and holdout has, those that
stand in the replica are a random sample of both if the replica was made without looking at who was
in the original; their number is hypergeometric, whatever the column holds.

Without: values that few records of all files share. If original and replica were drawn one by one,
then of two records with the same value, one is of the original and one of the replica in at most
every second case; a fresh sample of the same people meets itself as often as the original. Values
that repeat in no file by construction (customer numbers) never meet themselves. Of these, numbers
next to those of the original say how often a replica would hit one by chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.exchangeable import more_than_binomial, more_than_hypergeometric
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats, Ints

_SIZES = range(2, 7)
"""How many records may share a value to be counted: more say nothing."""
_TOO_LIKELY = 0.95
_MOST_CONVOLVED = 400
"""Shared values above which one binomial with the mean chance stands for their sum."""
_SPEAKS = 0.005
_CONFIRMED = 0.01
_STEPS = (1, 2, 3, 5, 7)
"""How far the numbers beside those of the original are, in the smallest step between them."""
_RUN = 1.5
"""Mean length from which runs of numbers count once each."""
_FEWEST_NEAR = 20
"""Numbers beside those of the original below which nothing is said of how dense they lie."""
_NEAR_UNIQUE = 0.95
BEYOND_INT64 = 2.0**63
_CUT = (1, 10, 100)
"""A number without its last digits, which may be check digits."""


@dataclass(frozen=True)
class Counted:
    """How many records have each value, by data set.

    Attributes
    ----------
    original, synthetic : int arrays
    holdout : int array or None
    n, h : records of original and holdout, those without a value among them
    """

    original: Ints
    synthetic: Ints
    holdout: Ints | None
    n: int
    h: int

    @property
    def marked(self) -> tuple[int, int]:
        """Values of one person alone that the replica has: of the original, of the holdout."""
        if self.holdout is None:
            return 0, 0
        alone = (self.original + self.holdout == 1) & (self.synthetic > 0)
        a = int((alone & (self.original > 0)).sum())
        return a, int(alone.sum()) - a

    @property
    def shared(self) -> int:
        """Different values of the original that the replica has."""
        return int(((self.original > 0) & (self.synthetic > 0)).sum())


def label_p(counted: Counted) -> float:
    """Return the probability of as many values of the original's people; 1 without a holdout.

    Examples
    --------
    >>> each = np.ones(3, dtype=np.int64)
    >>> none = np.zeros(3, dtype=np.int64)
    >>> original, holdout = np.append(each, none), np.append(none, each)
    >>> round(label_p(Counted(original, original, holdout, 3, 3)), 10)  # 1 of 20 ways
    0.05
    """
    a, b = counted.marked
    if not a + b:
        return 1.0
    return more_than_hypergeometric(a - 1, a + b, counted.n, counted.n + counted.h)


def duplicates_p(counted: Counted, *, rng: np.random.Generator) -> float:
    """Return the p of values shared by original and replica, given those that occur twice in one.

    A replica of more than twice the records is looked at twice: whole, and as many of its records
    as the original has, drawn at random, because values that stand in it often say nothing.

    Examples
    --------
    >>> same = np.ones(10, dtype=np.int64)
    >>> duplicates_p(Counted(same, same, None, 10, 0), rng=np.random.default_rng(0)) == 0.5**10
    True
    """
    m, n = int(counted.synthetic.sum()), int(counted.original.sum())
    p = _duplicates_p(counted)
    if m <= 2 * n:
        return p
    records = np.repeat(np.arange(len(counted.synthetic)), counted.synthetic)
    drawn = np.bincount(rng.choice(records, n, replace=False), minlength=len(counted.synthetic))
    part = Counted(counted.original, drawn, counted.holdout, counted.n, counted.h)
    return min(1.0, 2 * min(p, _duplicates_p(part)))


def _duplicates_p(counted: Counted) -> float:
    held = np.zeros_like(counted.original) if counted.holdout is None else counted.holdout
    size = counted.original + counted.synthetic + held
    success = (counted.original > 0) & (counted.synthetic > 0) & (held == 0)
    rho = counted.h / counted.n
    chances = {k: _chance(k, rho) for k in _SIZES}
    used = {k: chance for k, chance in chances.items() if chance <= _TOO_LIKELY}
    bundles = {k: int((size == k).sum()) for k in used}
    times = sum(int(success[size == k].sum()) for k in used)
    number = sum(bundles.values())
    mean = sum(bundles[k] * used[k] for k in used)
    if times <= mean:
        return 1.0
    if number > _MOST_CONVOLVED:
        return more_than_binomial(times - 1, number, mean / number)
    pmf = np.ones(1)
    for k, chance in used.items():
        pmf = np.convolve(pmf, _binomial(bundles[k], chance))
    return min(1.0, float(pmf[times:].sum()))


def _chance(k: int, rho: float) -> float:
    """Return how likely at most k equal records are of original and replica and of no holdout.

    For the density of the replica that makes it most likely.
    """
    x = np.geomspace(1e-3, 1e3, 2_001)
    s = 1 + rho + x
    chances: Floats = ((1 + x) / s) ** k - (1 / s) ** k - (x / s) ** k
    return float(chances.max())


def _binomial(trials: int, chance: float) -> Floats:
    k = np.arange(trials + 1)
    log = (
        lazy.special.gammaln(trials + 1)
        - lazy.special.gammaln(k + 1)
        - lazy.special.gammaln(trials - k + 1)
    )
    out: Floats = np.exp(log + k * math.log(chance) + (trials - k) * math.log1p(-chance))
    return out


def confirms(counted: Counted, label: float) -> bool:
    """Whether the holdout confirms it; True where it is too small to contradict."""
    if counted.holdout is None:
        return True
    both = sum(counted.marked)
    most = more_than_hypergeometric(both - 1, both, counted.n, counted.n + counted.h)
    return label <= _CONFIRMED if most <= _SPEAKS else True


def density(original: Floats, synthetic: Floats) -> tuple[float, float]:
    """Return how often a replica has numbers beside those of the original, and the p of its hits.

    Parameters
    ----------
    original, synthetic : float arrays
        The different whole numbers of both files, without missing ones.

    Returns
    -------
    share, p : float
        Of numbers that the original does not have, close to those that it has, the share that the
        replica has; and the probability of as many of the original's own at that chance. p is 1
        where the original leaves hardly a number free beside its own.

    Notes
    -----
    Once as the numbers are and once without their last digits, in case these are check digits; the
    larger share counts. Hits are hypergeometric among numbers of both kinds. Where numbers run, as
    where each place numbers its people from 1, a run counts by its last, beside the next.

    Examples
    --------
    >>> even = np.arange(0.0, 400.0, 2.0)
    >>> density(np.append(even, 1), np.append(even, 3))[0] < 0.05
    True
    >>> density(even[::3], even)     # every number of the list, whoever was in the original
    (1.0, 1.0)
    """
    share, p = 0.0, 0.0
    for cut in _CUT:
        here, there = np.unique(original // cut), np.unique(synthetic // cut)
        if cut > 1 and len(here) < _NEAR_UNIQUE * len(original):
            break
        step = step_of(here)
        near = np.unique(
            np.concatenate([here + sign * k * step for k in _STEPS for sign in (1, -1)])
        )
        near = near[(near >= here[0]) & (near <= here[-1])]
        near = near[~np.isin(near, here)]
        if len(near) < _FEWEST_NEAR:
            return 1.0, 1.0
        share = max(share, (int(np.isin(near, there).sum()) + 1) / (len(near) + 2))
        p = max(p, _more_hits(here, near, there))
        last = here[~np.isin(here + step, here)]
        if _RUN * len(last) <= len(here):  # each group is numbered from 1, say: a run is one hit
            p = max(p, _more_hits(last, last + step, there))
    return share, p


def _more_hits(here: Floats, near: Floats, there: Floats) -> float:
    """Return the probability of as many hits among the first numbers as among both."""
    hits, others = (int(np.isin(numbers, there).sum()) for numbers in (here, near))
    return more_than_hypergeometric(hits - 1, hits + others, len(here), len(here) + len(near))


def step_of(sorted_numbers: Floats) -> float:
    """Return the largest number of which all differences are a multiple."""
    if len(sorted_numbers) <= 1:
        return 1.0
    gaps = np.diff(sorted_numbers)
    if gaps.max() < BEYOND_INT64:
        return float(max(int(np.gcd.reduce(gaps.astype(np.int64))), 1))
    return float(max(math.gcd(*map(int, gaps.tolist())), 1))


def is_running(numbers: Floats) -> bool:
    """Whether different whole numbers leave no gap: they number the records.

    Examples
    --------
    >>> is_running(np.arange(3.0, 40.0)), is_running(np.array([1.0, 2.0, 4.0]))
    (True, False)
    """
    if len(numbers) <= 10 or bool(np.isnan(numbers).any()):  # noqa: PLR2004  (years of a decade)
        return False
    return float(numbers.max() - numbers.min()) + 1 == len(numbers)


def expected_shared(original: Ints, records: int) -> float:
    """Return how many of its values the original would share with so many records of its people.

    What each half of the original has of the other's values, over all halves: each record in turn
    is left out, and looked for among as many of the others.

    Examples
    --------
    >>> expected_shared(np.array([1, 1, 1]), 3), expected_shared(np.array([2, 2]), 3)
    (0.0, 2.0)
    """
    n = int(original.sum())
    if n < 2:  # noqa: PLR2004  (nobody else is left)
        return 0.0
    k = min(records, n - 1)
    counts, values = np.unique(original[original > 0], return_counts=True)
    missed = _none_of(n - 1, counts - 1, k)
    chances = float((values * (1.0 - missed)).sum())
    return min(chances * max(1.0, records / (n - 1)), float(values.sum()))


def _none_of(pool: int, having: Ints, drawn: int) -> Floats:
    """Return how likely none of those drawn has something that `having` of the pool have."""
    rest = pool - having
    possible = rest >= drawn
    at = np.where(possible, rest, drawn)
    log = (
        lazy.special.gammaln(at + 1)
        - lazy.special.gammaln(at - drawn + 1)
        - lazy.special.gammaln(pool + 1)
        + lazy.special.gammaln(pool - drawn + 1)
    )
    return np.where(possible, np.exp(log), 0.0)


def differ(here: Ints, there: Ints) -> bool:
    """Whether values in order, by their ranks, come from two populations (Kolmogorov-Smirnov)."""
    if not len(here) or not len(there):
        return True
    return bool(lazy.stats.ks_2samp(here, there, method="asymp").pvalue <= _CONFIRMED)
