"""95 % intervals of shares, of the excess of one over another, and of an AUC."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.survey.households import Households

Z = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""

Interval = tuple[float, float]


def wilson(successes: float, n: float) -> Interval:
    """Return Wilson's interval of a share, without continuity correction.

    Examples
    --------
    >>> wilson(0, 10)[0], round(wilson(0, 10)[1], 4)
    (0.0, 0.2775)
    """
    p = successes / n
    middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    low = 0.0 if successes <= 0 else middle - half
    return low, 1.0 if successes >= n else middle + half


def spread_factor(
    successes: npt.NDArray[np.float64], households: Households | None = None
) -> float:
    """Return how much less successes vary that are shares of a tie; at most 1 without households.

    An attacker who guesses among equally good answers is right by a share. Such shares vary less
    than zeros and ones, and as many records say more: n is divided by this. People who live
    together succeed together and say less: with households it is times their design effect.
    """
    p = float(successes.mean())
    less = 1.0 if households is None else max(households.design_effect(successes), 1.0)
    return less * min(float(successes.var()) / (p * (1 - p)), 1.0) if 0 < p < 1 else 1.0


def excess(training: float, control: float) -> float:
    """Return 1 - (1 - training) / (1 - control); NaN where nothing is left to be learnt.

    Examples
    --------
    >>> excess(0.75, 0.5), excess(1.0, 1.0)
    (0.5, nan)
    """
    return 1 - (1 - training) / (1 - control) if control < 1 else math.nan


def excess_interval(
    training: float, n: int, control: float, h: int, factor: float = 1.0
) -> Interval:
    """Return the interval of 1 - (1 - training) / (1 - control) by MOVER-R.

    References
    ----------
    Donner and Zou (2012), Statistical Methods in Medical Research 21(4), 347-359.
    """
    if control >= 1:
        return math.nan, math.nan
    factor = max(factor, 1e-9)
    q1, q2 = 1 - training, 1 - control
    low1, high1 = wilson(q1 * n / factor, n / factor)
    low2, high2 = wilson(q2 * h / factor, h / factor)
    a = q1 * q2

    def root(first: float, second: float) -> float:
        inside = a * a - first * (2 * q1 - first) * second * (2 * q2 - second)
        return math.sqrt(max(inside, 0.0))

    at_most = (a + root(high1, low2)) / (low2 * (2 * q2 - low2)) if low2 > 0 else math.inf
    below = a + root(low1, high2)
    at_least = low1 * (2 * q1 - low1) / below if below > 0 else 0.0
    return 1 - at_most, 1 - at_least


def auc_interval(auc: float, n: float, h: float) -> Interval:
    """Return Newcombe's interval of an AUC (method 5).

    References
    ----------
    Newcombe (2006), Statistics in Medicine 25, 559-573.

    Examples
    --------
    >>> [round(end, 4) for end in auc_interval(1.0, 630, 314)]
    [0.9954, 1.0]
    """
    from scipy import optimize  # large: for a fast start, only when it is needed

    def gap(theta: float) -> float:
        weight = (n + h) / 2 - 1
        inside = 1 + weight * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return Z * math.sqrt(theta * (1 - theta) * inside / (n * h))

    def end(edge: float) -> float:
        if auc == edge:
            return edge
        farthest = min(max(auc, 1e-12), 1 - 1e-12)  # where the gap is certainly the larger one
        return float(optimize.brentq(lambda theta: abs(auc - theta) - gap(theta), edge, farthest))

    return end(0.0), end(1.0)
