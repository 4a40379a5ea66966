"""Population uniques from how many key combinations one, two, three records share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Callable


_MOST = 30.0
"""Logarithm of the largest theta + alpha searched: beyond it every key is one of its own."""
_BOUNDS = ((-20.0, _MOST), (0.0, 1.0 - 1e-9))
"""Of log(theta + alpha) and alpha: almost everybody alike, to everybody different."""
_SAME_HEIGHT = 1e-6
"""Log-likelihoods that differ by less are one maximum: the sums of many logarithms round so."""


def fit_pitman(sizes: Ints) -> tuple[float, float, float]:
    """Fit Pitman's sampling formula to the class sizes of a file by maximum likelihood.

    Returns
    -------
    theta, alpha, log-likelihood
        0 <= alpha < 1, theta > -alpha; alpha = 0 is Ewens' formula. Where all share one class,
        or nobody does, theta is 0 and alpha is 0 or just under 1.
    """
    n, classes = int(sizes.sum()), len(sizes)
    if classes == n:  # nobody shares a class: as likely as can be, whatever theta is
        return 0.0, _BOUNDS[1][1], 0.0
    if classes == 1:  # all share one
        return 0.0, 0.0, 0.0
    frequency = np.bincount(sizes)
    size = np.flatnonzero(frequency)
    number = frequency[size]
    i, j = (np.arange(1, end, dtype=np.float64) for end in (classes, n))

    def log_likelihood(theta: float, alpha: float) -> float:
        new = np.log(theta + i * alpha).sum()
        old = lazy.special.gammaln(size - alpha) - lazy.special.gammaln(1.0 - alpha)
        return float(new - np.log(theta + j).sum() + (number * old).sum())

    def negative(point: Floats) -> float:
        above, alpha = math.exp(min(point[0], _MOST)), point[1]
        return -log_likelihood(above - alpha, alpha)

    def score(point: Floats) -> Floats:
        """Derivatives of the log-likelihood in log(theta + alpha) and alpha."""
        above, alpha = math.exp(min(point[0], _MOST)), point[1]
        theta = above - alpha
        by_theta = (1.0 / (theta + i * alpha)).sum() - (1.0 / (theta + j)).sum()
        old = lazy.special.digamma(1.0 - alpha) - lazy.special.digamma(size - alpha)
        by_alpha = (i / (theta + i * alpha)).sum() + (number * old).sum()
        return np.array([by_theta * above, by_alpha - by_theta])

    starts = [(math.log(classes), alpha) for alpha in (0.0, 0.3, 0.7)]
    best = min(
        (
            lazy.optimize.minimize(
                negative, start, jac=lambda at: -score(at), bounds=_BOUNDS, method="L-BFGS-B"
            )
            for start in starts
        ),
        key=lambda solution: solution.fun,
    )
    at = _where_flat(score, best.x)
    if negative(at) > best.fun + _SAME_HEIGHT:
        at = best.x
    alpha = float(at[1])
    return math.exp(min(float(at[0]), _MOST)) - alpha, alpha, -negative(at)


def _where_flat(score: Callable[[Floats], Floats], start: Floats) -> Floats:
    """Return the root of the score in the parameters that are not at a bound.

    A maximum is flat: by its height alone half the digits are found, and which ones depends on
    the processor.
    """
    from scipy import optimize

    free = [k for k, (low, high) in enumerate(_BOUNDS) if low < start[k] < high]
    at = np.array(start)

    def of_the_free(values: Floats) -> Floats:
        at[free] = values
        return score(at)[free]

    solution = optimize.root(of_the_free, start[free], tol=1e-13)
    at[free] = solution.x
    inside = all(low <= at[k] <= high for k, (low, high) in enumerate(_BOUNDS))
    return at if inside else start


def expected_uniques(theta: float, alpha: float, population: float) -> float:
    """Expected number of population uniques."""
    log = (
        math.log(population)
        + lazy.special.gammaln(population + theta + alpha - 1.0)
        + lazy.special.gammaln(theta + 1.0)
        - lazy.special.gammaln(theta + alpha)
        - lazy.special.gammaln(population + theta)
    )
    return float(np.exp(log))
