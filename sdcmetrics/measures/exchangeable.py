"""Tests by exchangeable labels: whether the records that stand out were trained on.

Training and holdout records are random parts of one pool. If the replica was made without
looking at the labels, then of any records of the pool that are singled out without looking at
the labels, those with the label "training" are a random sample: their number is hypergeometric,
exactly, whatever the data and the replica look like. Where people live together, fewer labels are
free: then the labels of whole households are exchanged, by a seeded draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata import lazy


def more_than_binomial(k: int, trials: int, chance: float) -> float:
    """Return the probability of more than k successes.

    Examples
    --------
    >>> more_than_binomial(1, 2, 0.5)
    0.25
    """
    if not 0 <= k < trials:
        return float(k < 0)
    # What scipy.stats computes, without importing that, which takes long.
    return float(lazy.special.betainc(k + 1, trials - k, chance))


def more_than_hypergeometric(k: int, having: int, drawn: int, pool: int) -> float:
    """Return the probability that more than k of those drawn from a pool have something.

    Examples
    --------
    >>> round(more_than_hypergeometric(1, 3, 2, 6), 6)
    0.2
    """
    least, most = max(0, having + drawn - pool), min(having, drawn)
    if not least <= k < most:
        return float(k < least)
    # Not by scipy.stats, which takes longer to import than a small file takes to review. From one
    # count to the next the ratio of chances is a fraction, and the commonest has the weight 1.
    free = pool - having - drawn
    mode = (having + 1) * (drawn + 1) // (pool + 2)
    above = _products(
        lambda i: (
            (having - mode - i) * (drawn - mode - i) / ((mode + i + 1) * (free + mode + i + 1))
        ),
        most - mode,
    )
    below = _products(
        lambda i: (
            (mode - i) * (free + mode - i) / ((having - mode + i + 1) * (drawn - mode + i + 1))
        ),
        mode - least,
    )
    every = 1.0 + above.sum() + below.sum()
    if k >= mode:
        return float(above[k - mode :].sum() / every)
    # added in another order, nearly all may be more than all
    return min(1.0, float((1.0 + above.sum() + below[: mode - k - 1].sum()) / every))


_AT_ONCE = 4_096
"""Ratios that are multiplied at once."""


def _products(
    ratio: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]], number: int
) -> npt.NDArray[np.float64]:
    """Return the products of the first 1, 2, ... ratios, until they vanish."""
    parts: list[npt.NDArray[np.float64]] = [np.zeros(0)]
    last = 1.0
    for start in range(0, number, _AT_ONCE):
        numbers = np.arange(start, min(start + _AT_ONCE, number), dtype=np.float64)
        parts.append(last * np.cumprod(ratio(numbers), dtype=np.float64))
        last = float(parts[-1][-1])
        if not last:
            break
    return np.concatenate(parts)


_DRAWS = 9_999
"""Of the labels of households: p is at least 1/10,000."""


@dataclass(frozen=True)
class LabelTest:
    """Records of the pool that stand out, by label.

    Attributes
    ----------
    training, holdout : int
        How many training records and how many holdout records stand out.
    n_training, n_holdout : int
        Records in all.
    drawn : array of floats, optional
        How many training records stand out where the labels of whole households are exchanged.

    Raises
    ------
    DataError
        If more stand out than there are, or a number is negative.

    Examples
    --------
    >>> test = LabelTest(training=3, holdout=0, n_training=3, n_holdout=3)
    >>> test.expected, round(test.p_value, 10)   # one of the 20 ways to choose 3 of 6
    (1.5, 0.05)
    """

    training: int
    holdout: int
    n_training: int
    n_holdout: int
    drawn: npt.NDArray[np.float64] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        fits = 0 <= self.training <= self.n_training and 0 <= self.holdout <= self.n_holdout
        if not fits or self.n_training + self.n_holdout == 0:
            msg = "label test: expected counts of at least 0 and at most the number of records."
            raise DataError(msg)

    @property
    def expected(self) -> float:
        """Training records that would stand out if the replica did not know the labels."""
        pool = self.n_training + self.n_holdout
        return (self.training + self.holdout) * self.n_training / pool

    @property
    def by_chance(self) -> int:
        """Records of the pool that stand out without having leaked, as the holdout's share says."""
        if not self.n_holdout:
            return 0
        pool = self.n_training + self.n_holdout
        return min(round(self.holdout * pool / self.n_holdout), pool)

    @property
    def p_value(self) -> float:
        """Probability of as many training records, or more; see `label_p`."""
        return label_p(self)


def label_test(
    marked: npt.NDArray[np.bool_], n: int, households: Households | None = None, seed: int = 1
) -> LabelTest:
    """Count the records that stand out, training records (the first n) first.

    Parameters
    ----------
    marked : bool array of shape (pool,)
    n : int
    households : Households, optional
        Of the pool. Without, records are exchangeable one by one and p is exact.
    seed : int
        Of the exchanges of households.
    """
    count = int(marked[:n].sum()), int(marked[n:].sum())
    drawn = None
    if households is not None:
        drawn = households.sums(marked.astype(np.float64), _DRAWS, np.random.default_rng(seed))
    return LabelTest(*count, n, len(marked) - n, drawn)


def label_p(test: LabelTest) -> float:
    """Return the one-sided probability that chance makes as many training records stand out.

    Exact where records are exchangeable one by one; of whole households, by draws.

    Returns
    -------
    float, 0 to 1
        1 where nothing stands out. Small values say that the replica knows its training records.

    References
    ----------
    Fisher's exact test; the null distribution is hypergeometric.
    """
    if test.drawn is not None:
        as_many = int((test.drawn >= test.training).sum())
        return (1 + as_many) / (1 + len(test.drawn))
    pool, hits = test.n_training + test.n_holdout, test.training + test.holdout
    p = more_than_hypergeometric(test.training - 1, hits, test.n_training, pool)
    return min(p, 1.0)


def hypergeometric(
    hits: npt.ArrayLike, n: float, having: npt.ArrayLike, drawn: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Return the hypergeometric probability of a count among records drawn from n.

    To nine digits for files of 100,000 records, and a thousand times as fast there as the
    distribution of scipy, which multiplies prime factors.

    Examples
    --------
    >>> hypergeometric([0, 1, 2, 3], 6, 3, 2).round(4).tolist()
    [0.2, 0.6, 0.2, 0.0]
    """
    k, have, draws = (np.asarray(argument, dtype=np.float64) for argument in (hits, having, drawn))

    def log_choose(
        of: npt.NDArray[np.float64] | float, some: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        out: npt.NDArray[np.float64] = (
            lazy.special.gammaln(of + 1.0)
            - lazy.special.gammaln(some + 1.0)
            - lazy.special.gammaln(of - some + 1.0)
        )
        return out

    # of counts that cannot be, the logarithm is minus infinity: 1 / 0! of a negative number is 0
    return np.exp(log_choose(have, k) + log_choose(n - have, draws - k) - log_choose(n, draws))
