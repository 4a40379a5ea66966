"""What noise protects, in numbers: mu of Gaussian differential privacy, and how it adds up.

A question is mu-GDP if telling from its answer whether a person took part is at least as hard as
telling one draw of N(0, 1) from one of N(mu, 1). Several questions together are as hard as one with
the root of the sum of their squares, also where later ones follow from earlier answers (Dong, Roth
and Su 2022, Gaussian differential privacy, Journal of the Royal Statistical Society B 84, 3-37,
corollary 3.3).

The discrete Gaussian is not the Gaussian. With F its distribution function, a sum that moves by 1
is mu-GDP exactly if Phi^-1(F(k)) - Phi^-1(F(k - 1)) is at most mu for each whole number k: at these
points the trade-off function of the discrete law has its corners, between them it is straight, and
the Gaussian's is convex. The largest step is in the middle, about (1 + 1 / (24 variance)) / sd. So
noise is drawn that much wider than the 1 / mu of the Gaussian, and the promise holds as it is
written; without that, the best guess of one count with sd 1 would be right in 69.9 % instead of
69.1 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.special import erfinv, ndtr, ndtri_exp

_FINEST = 1024
"""Variances are multiples of 1 / this: fractions that are drawn from stay short."""
_SMOOTH = 10.0
_SUMMED, _SEEN = 20, 8
"""Standard deviations up to which chances are added up, and up to which steps are looked at."""
_STANDARD_90 = 1.6448536269514722
"""Ends of the middle 90 % of a standard normal variable."""


def mu_of(variance: float, sensitivity: int = 1) -> float:
    """Return the mu of one draw of the discrete Gaussian on a sum that one person moves by so much.

    Examples
    --------
    >>> round(mu_of(1.0), 4), round(mu_of(33.0), 5), round(1 / math.sqrt(33), 5)
    (1.0458, 0.1743, 0.17408)
    """
    return sensitivity * float(steps_of(variance).max())


def steps_of(variance: float) -> npt.NDArray[np.float64]:
    """Return Phi^-1(F(k)) - Phi^-1(F(k - 1)) for k = 0, 1, ... to eight standard deviations.

    For negative k they are the same again. From a variance of 10 on only the first, which is the
    largest: the others are closer to it than floating point tells them apart.
    """
    if variance >= _SMOOTH:  # the sum over all k is an integral, to exp(-2 pi^2 variance)
        # erfinv(x) is Phi^-1(1/2 + x/2) / sqrt(2), and keeps the digits of a small x.
        return np.array([2 * math.sqrt(2) * erfinv(1 / math.sqrt(2 * math.pi * variance))])
    sd = math.sqrt(variance)
    k = np.arange(0, 4 + math.ceil(_SUMMED * sd), dtype=np.float64)
    chance = np.exp(-(k**2) / (2 * variance))
    tail = np.cumsum(chance[::-1])[::-1]  # of k and above
    whole = 2 * tail[0] - chance[0]
    # By symmetry Phi^-1(F(k)) = -Phi^-1 of the tail above k; logarithms keep its digits.
    seen = tail[1 : 2 + math.ceil(_SEEN * sd)]
    above = -ndtri_exp(np.log(seen[seen > 0] / whole))  # of a tiny variance only the first are
    return np.concatenate([[2 * above[0]], np.diff(above)])  # F(-1) = 1 - F(0)


def variance_for(mu: float, sensitivity: int = 1) -> Fraction:
    """Return the least variance, a multiple of 1/1024, with which a question costs at most mu.

    Examples
    --------
    >>> variance_for(1.0), float(variance_for(0.1741))
    (Fraction(139, 128), 33.0751953125)
    """
    low = math.floor(_FINEST * (sensitivity / mu) ** 2)
    high = low + 1
    while mu_of(high / _FINEST, sensitivity) > mu:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if mu_of(middle / _FINEST, sensitivity) > mu:
            low = middle
        else:
            high = middle
    return Fraction(high, _FINEST)


def together(mus: Iterable[float]) -> float:
    """Return the mu of several questions: the root of the sum of their squares.

    Examples
    --------
    >>> together([0.6, 0.8])
    1.0
    """
    return math.sqrt(math.fsum(mu**2 for mu in mus))


def right_guesses(mu: float) -> float:
    """Return the share of right guesses, at best, of whether a person took part, from even odds.

    Examples
    --------
    >>> [round(100 * right_guesses(mu), 1) for mu in (0.5, 1, 2)]
    [59.9, 69.1, 84.1]
    """
    return float(ndtr(mu / 2))


def delta_of(mu: float, epsilon: float) -> float:
    """Return the delta at which mu-GDP is (epsilon, delta)-differential privacy.

    Dong, Roth and Su (2022), corollary 2.13.

    Examples
    --------
    >>> round(delta_of(1.0, 3.0), 4)
    0.0015
    """
    return float(ndtr(-epsilon / mu + mu / 2) - math.exp(epsilon) * ndtr(-epsilon / mu - mu / 2))


def half_width(variance: float) -> float:
    """Return half the width of the range that holds the answer without noise in 9 of 10 cases."""
    return _STANDARD_90 * math.sqrt(variance)
