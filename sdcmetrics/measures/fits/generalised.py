"""Linear and generalised linear models, fitted as R fits them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.fits.families import FAMILIES, Family
from sdcmetrics.measures.fits.least_squares import LeastSquares, least_squares
from sdcmetrics.measures.fits.model import Model
from sdcmetrics.measures.fits.separation import separating_columns

__all__ = ["fit_glm", "fit_lm"]

Floats = npt.NDArray[np.float64]

_LM_TOLERANCE = 1e-7
_GLM_TOLERANCE = 1e-11
_EPSILON = 1e-8
_ITERATIONS = 25
_HALVINGS = 25
_SUSPICIOUS = 1e-4
_PERFECT = 1e-26  # of the sum of squares: what rounding leaves of a fit without error


def fit_lm(matrix: Floats, outcome: Floats, *, intercept: bool) -> Model:
    """Fit a linear model by least squares.

    The covariance is the residual variance times the inverse of X'X; 0 for a fit without error,
    where R warns of an essentially perfect fit. Without an intercept R2 is
    about zero rather than about the mean, as in R.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> model = fit_lm(x, np.array([0.0, 1.0, 5.0]), intercept=True)
    >>> model.coefficients.round(6).tolist(), round(model.r2, 6)
    ([-0.5, 2.5], 0.892857)
    """
    fit = least_squares(matrix, outcome, tolerance=_LM_TOLERANCE)
    n = len(outcome)
    residual = float(np.sum((outcome - _predict(matrix, fit)) ** 2))
    if residual <= _PERFECT * float(np.sum(outcome**2)):
        residual = 0.0
    centre = float(outcome.mean()) if intercept else 0.0
    total = float(np.sum((outcome - centre) ** 2))
    if total <= _PERFECT * float(np.sum(outcome**2)):
        total = 0.0
    freedom = n - fit.rank
    r2 = 1 - residual / total if total > 0 else math.nan
    variance = residual / freedom if freedom > 0 else math.nan
    return Model(
        coefficients=fit.coefficients,
        covariance=fit.covariance * variance,
        n=n,
        rank=fit.rank,
        log_likelihood=_gaussian_log_likelihood(n, residual),
        null_log_likelihood=_gaussian_log_likelihood(n, total),
        r2=r2,
        slopes=fit.rank - intercept,
        linear=True,
        confounded=fit.confounded,
    )


def fit_glm(matrix: Floats, outcome: Floats, family: str, *, intercept: bool) -> Model:
    """Fit a generalised linear model with dispersion 1 as R does.

    Iteratively reweighted least squares starts at the outcome pulled towards the middle, and
    stops when the deviance changes by less than 1e-8 of itself. The covariance is that of the
    last solve, that is with the weights from before the last update.

    R2 is McFadden's ``1 - ln L / ln L0``.
    """
    kind = FAMILIES[family]
    fit, mu, converged, iterations = _reweight(matrix, outcome, kind)
    full = kind.log_likelihood(outcome, mu)
    null = kind.log_likelihood(outcome, np.full_like(outcome, outcome.mean()))
    model = Model(
        coefficients=fit.coefficients,
        covariance=fit.covariance,
        n=len(outcome),
        rank=fit.rank,
        log_likelihood=full,
        null_log_likelihood=null,
        r2=1 - full / null if null < 0 else math.nan,
        slopes=fit.rank - intercept,
        linear=False,
        converged=converged,
        iterations=iterations,
        confounded=fit.confounded,
    )
    near = np.minimum(mu, 1 - mu) if kind.probability else mu
    if float(near.min()) < _SUSPICIOUS:
        found = separating_columns(matrix[:, fit.kept], outcome, binary=kind.probability)
        return replace(model, separated=tuple(int(fit.kept[j]) for j in found))
    return model


def _reweight(matrix: Floats, y: Floats, family: Family) -> tuple[LeastSquares, Floats, bool, int]:
    mu = family.start(y)
    eta = family.link(mu)
    deviance = family.deviance(y, mu)
    before: Floats | None = None
    for iteration in range(1, _ITERATIONS + 1):
        slope = family.slope(eta)
        root_weights = slope / np.sqrt(family.variance(mu))
        working = eta + (y - mu) / slope
        fit = least_squares(matrix, working, root_weights, tolerance=_GLM_TOLERANCE)
        eta = _predict(matrix, fit)
        mu = family.mean(eta)
        changed = family.deviance(y, mu)
        for _ in range(_HALVINGS):
            if math.isfinite(changed) or before is None:
                break
            eta = (eta + before) / 2
            mu = family.mean(eta)
            changed = family.deviance(y, mu)
        if abs(changed - deviance) / (abs(changed) + 0.1) < _EPSILON:
            return fit, mu, True, iteration
        deviance, before = changed, eta
    return fit, mu, False, _ITERATIONS


def _predict(matrix: Floats, fit: LeastSquares) -> Floats:
    if fit.rank == matrix.shape[1]:
        return matrix @ fit.coefficients
    return matrix[:, fit.kept] @ fit.coefficients[fit.kept]


def _gaussian_log_likelihood(n: int, residual: float) -> float:
    if residual <= 0:
        return math.inf
    return -n / 2 * (math.log(2 * math.pi * residual / n) + 1)
