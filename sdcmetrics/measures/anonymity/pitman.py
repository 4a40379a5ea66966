"""Population uniques from how many key combinations one, two, three records share."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_MOST = 30.0
"""Logarithm of the largest theta + alpha searched: beyond it every key is one of its own."""


def fit_pitman(sizes: Ints) -> tuple[float, float, float]:
    """Fit Pitman's sampling formula to the class sizes of a file by maximum likelihood.

    Returns
    -------
    theta, alpha, log-likelihood
        0 <= alpha < 1, theta > -alpha; alpha = 0 is Ewens' formula.
    """
    from scipy import optimize, special  # large: for a fast start, only when it is needed

    n, classes = int(sizes.sum()), len(sizes)
    frequency = np.bincount(sizes)
    size = np.flatnonzero(frequency)
    number = frequency[size]
    i, j = (np.arange(1, end, dtype=np.float64) for end in (classes, n))

    def log_likelihood(theta: float, alpha: float) -> float:
        new = np.log(theta + i * alpha).sum()
        old = special.gammaln(size - alpha) - special.gammaln(1.0 - alpha)
        return float(new - np.log(theta + j).sum() + (number * old).sum())

    def negative(given: npt.NDArray[np.float64]) -> float:
        above, alpha = math.exp(min(given[0], _MOST)), given[1]
        return -log_likelihood(above - alpha, alpha)

    starts = [(math.log(max(classes, 1)), alpha) for alpha in (0.0, 0.3, 0.7)]
    bounds = [(-20.0, _MOST), (0.0, 1.0 - 1e-9)]
    best = min(
        (optimize.minimize(negative, start, bounds=bounds, method="L-BFGS-B") for start in starts),
        key=lambda found: found.fun,
    )
    best = optimize.minimize(
        negative,
        best.x,
        bounds=bounds,
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-10},
    )
    alpha = float(best.x[1])
    return math.exp(min(float(best.x[0]), _MOST)) - alpha, alpha, -float(best.fun)


def expected_uniques(theta: float, alpha: float, population: float) -> float:
    """Expected number of population uniques."""
    from scipy import special  # large: for a fast start, only when it is needed

    log = (
        math.log(population)
        + special.gammaln(population + theta + alpha - 1.0)
        + special.gammaln(theta + 1.0)
        - special.gammaln(theta + alpha)
        - special.gammaln(population + theta)
    )
    return float(np.exp(log))
