"""Least squares and logistic regression, in the operations of statsmodels, without loading it.

Loading takes longer than the fits of most studies. Every number is that of statsmodels to the
last bit; its results objects, and all other families, are still its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdcmetrics.microdata.arrays import Floats

_RANK = 1e-15  # of the largest singular value
_LEAST = float(np.finfo(np.float64).eps)  # means are this far from 0 and 1 at least


@dataclass(frozen=True)
class Logistic:
    """A logistic regression.

    Attributes
    ----------
    coefficients : float array of shape (p,)
    inverse : float array of shape (p, p)
        Their covariance.
    means : float array of shape (n,)
    iterations : int
    converged : bool
    """

    coefficients: Floats
    inverse: Floats
    means: Floats
    iterations: int
    converged: bool


def least_squares(matrix: Floats, outcome: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients, and the inverse of X'X, by the pseudoinverse.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> least_squares(x, np.array([0.0, 1.0, 5.0]))[0].round(6).tolist()
    [-0.5, 2.5]
    """
    u, s, vt = np.linalg.svd(matrix, full_matrices=False)
    large = s > _RANK * s.max()
    s = np.divide(1.0, s, out=np.zeros_like(s), where=large)
    pseudo = np.dot(vt.T, s[:, None] * u.T)
    return np.dot(pseudo, outcome), np.dot(pseudo, pseudo.T)


def logistic(
    matrix: Floats, outcome: Floats, *, iterations: int, epsilon: float
) -> Logistic | None:
    """Fit by iteratively reweighted least squares; None where numbers leave what can be expressed.

    It stops when the deviance changes by less than `epsilon` of itself, plus a tenth of it.
    """
    mu = (outcome + 0.5) / 2
    linear = _logit(mu)
    deviance = _deviance(outcome, mu)
    converged, done = False, 0
    while done < iterations and not converged:
        done += 1
        p = np.clip(mu, _LEAST, 1.0 - _LEAST)
        slope = 1.0 / (p * (1 - p))
        root = np.sqrt(1.0 / (slope**2 * (p * (1 - p))))
        working = linear + slope * (outcome - mu)
        if not (np.isfinite(root).all() and np.isfinite(working).all()):
            return None
        weighted = root[:, None] * matrix, root * working
        linear = np.dot(matrix, np.linalg.lstsq(*weighted, rcond=-1)[0])
        mu = 1.0 / (1.0 + np.exp(-linear))
        before, deviance = deviance, _deviance(outcome, mu)
        converged = bool(np.allclose(before, deviance, atol=0.1 * epsilon, rtol=epsilon))
    coefficients, inverse = least_squares(weighted[0], working * root)
    return Logistic(coefficients, inverse, mu, done, converged)


def _logit(mu: Floats) -> Floats:
    p = np.clip(mu, _LEAST, 1.0 - _LEAST)
    return np.log(p / (1.0 - p))


def _deviance(outcome: Floats, mu: Floats) -> float:
    ones = np.clip(outcome / (mu + 1e-20), _LEAST, np.inf)
    zeros = np.clip((1.0 - outcome) / (1.0 - mu + 1e-20), _LEAST, np.inf)
    return float(np.sum(2 * (outcome * np.log(ones) + (1 - outcome) * np.log(zeros))))
