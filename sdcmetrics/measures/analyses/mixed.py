"""Linear mixed models: random effects of one grouping, by profiled (restricted) likelihood.

References
----------
Bates, Maechler, Bolker and Walker (2015), Journal of Statistical Software 67(1), section 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable, counted
from sdcmetrics.measures.analyses.estimates import Estimates, normal
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats, Ints

_EXACT = 1e-12
_ROUNDING = float(np.finfo(float).eps)
_MOST = 1e4
"""Random effects beside the error, from which on there is none to speak of."""
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Fit:
    """A fitted mixed model.

    Attributes
    ----------
    coefficients, errors : float arrays of shape (p,)
        Fixed effects; errors take the variances as known.
    covariance : float array of shape (r, r)
        Of the random effects.
    variance : float
        Of the residuals.
    log_likelihood : float
        Restricted or not, as asked for.
    unbounded : bool
        Whether there is none to speak of: groups leave (nearly) no error.
    """

    coefficients: Floats
    errors: Floats
    covariance: Floats
    variance: float
    log_likelihood: float
    unbounded: bool


def mixed_model(
    terms: Sequence[str],
    matrix: Floats,
    response: Floats,
    groups: Ints,
    random: Floats,
    *,
    restricted: bool,
    source: str,
) -> Estimates:
    """Estimate the fixed effects of a linear mixed model.

    Parameters
    ----------
    terms : sequence of str
    matrix : float array of shape (k, p)
    response : float array of shape (k,)
    groups : int array of shape (k,)
        Whose random effects each record has.
    random : float array of shape (k, r)
        What random effects are of: a column of ones for an intercept, and one for each slope.
    restricted : bool
        By restricted maximum likelihood, and not by maximum likelihood.
    source : str

    Raises
    ------
    NotComputable
        If there are fewer than two groups, too few records, predictors that are combinations of
        each other, or an outcome that is one, whatever groups differ by.
    """
    number = len(np.unique(groups))
    if number < 2 or number == len(groups):  # noqa: PLR2004  (no variance between one)
        received = counted(number, "group")
        msg = f"{source}: expected several groups of several records but got {received}"
        raise NotComputable(msg)
    if len(response) <= matrix.shape[1] or np.linalg.matrix_rank(matrix) < matrix.shape[1]:
        msg = f"{source}: predictors are combinations of each other, so that there is no fit"
        raise NotComputable(msg)
    residual = response - matrix @ np.linalg.lstsq(matrix, response, rcond=None)[0]
    if np.abs(residual).max() <= _EXACT * np.abs(response).max():
        msg = f"{source}: the outcome follows from the predictors, so that there is no error"
        raise NotComputable(msg)
    fit = fit_mixed(matrix, response, groups, random, restricted=restricted)
    if fit.unbounded:
        msg = (
            f"{source}: within each group the outcome follows from the predictors, so that there "
            "is no error"
        )
        raise NotComputable(msg)
    return normal(terms, fit.coefficients, fit.errors, null=0.0)


def fit_mixed(
    matrix: Floats, response: Floats, groups: Ints, random: Floats, *, restricted: bool
) -> Fit:
    """Fit a mixed model whose random effects are correlated within a group.

    Their covariance is s2 T T', T a lower triangle over whose entries the likelihood is maximised,
    whatever their signs; all else follows from them.
    """
    unit = np.sqrt((random**2).mean(axis=0))
    unit[unit == 0.0] = 1.0
    sums = _Sums.of(matrix, response, groups, random / unit)
    rank = random.shape[1]
    lower = np.tril_indices(rank)

    def deviance(entries: Floats) -> float:
        return sums.profiled(_triangle(entries, rank), restricted=restricted)[0]

    start = np.eye(rank)[lower]
    bounds = [(-_MOST, _MOST)] * len(start)  # beyond, rounding is all there is
    first = lazy.optimize.minimize(deviance, start, method="L-BFGS-B", bounds=bounds)
    best = lazy.optimize.minimize(  # a flat maximum to the last digits
        deviance,
        first.x,
        method="Nelder-Mead",
        bounds=bounds,
        options={"xatol": 1e-7, "fatol": _TOLERANCE, "maxiter": 1000},
    )
    triangle = _triangle(best.x, rank)
    value, coefficients, inverse, variance = sums.profiled(triangle, restricted=restricted)
    return Fit(
        coefficients / sums.scale,
        np.sqrt(variance * np.diagonal(inverse)) / sums.scale,
        variance * triangle @ triangle.T / np.outer(unit, unit),
        variance,
        -value / 2,
        bool(np.abs(best.x).max() >= _MOST / 2),
    )


def _triangle(entries: Floats, rank: int) -> Floats:
    out = np.zeros((rank, rank))
    out[np.tril_indices(rank)] = entries
    return out


@dataclass(frozen=True)
class _Sums:
    """Cross-products of all columns, by group for random effects: sufficient for the likelihood."""

    n: int
    scale: Floats
    within: Floats  # (groups, r, r)
    with_fixed: Floats  # (groups, r, p)
    with_response: Floats  # (groups, r)
    fixed: Floats  # (p, p)
    fixed_response: Floats  # (p,)
    response: float

    @classmethod
    def of(cls, matrix: Floats, response: Floats, groups: Ints, random: Floats) -> _Sums:
        scale = np.sqrt((matrix**2).mean(axis=0))
        scaled = matrix / scale
        _, code = np.unique(groups, return_inverse=True)
        number = int(code.max()) + 1

        def by_group(products: npt.NDArray[np.float64]) -> Floats:
            flat = products.reshape(len(products), -1)
            out: Floats = np.zeros((number, flat.shape[1]))
            np.add.at(out, code, flat)
            return out.reshape(number, *products.shape[1:])

        return cls(
            len(response),
            scale,
            by_group(random[:, :, None] * random[:, None, :]),
            by_group(random[:, :, None] * scaled[:, None, :]),
            by_group(random * response[:, None]),
            scaled.T @ scaled,
            scaled.T @ response,
            float(response @ response),
        )

    def profiled(
        self, triangle: Floats, *, restricted: bool
    ) -> tuple[float, Floats, Floats, float]:
        """Return the deviance, fixed effects, their covariance over the variance, and that."""
        rank, p = triangle.shape[0], len(self.fixed)
        factor = np.linalg.cholesky(triangle.T @ self.within @ triangle + np.eye(rank))
        own = np.linalg.solve(factor, (self.with_response @ triangle)[:, :, None])[:, :, 0]
        cross = np.linalg.solve(factor, triangle.T @ self.with_fixed)
        information = self.fixed - np.einsum("gij,gik->jk", cross, cross)
        score = self.fixed_response - np.einsum("gij,gi->j", cross, own)
        inverse = np.linalg.inv(information)
        coefficients = inverse @ score
        rest = self.response - float((own**2).sum()) - float(coefficients @ score)
        df = self.n - p if restricted else self.n
        variance = max(rest, _ROUNDING * self.response) / df
        volume = 2.0 * float(np.log(np.einsum("gii->gi", factor)).sum())
        if restricted:
            volume += float(np.linalg.slogdet(information)[1])
            volume += 2.0 * float(np.log(self.scale).sum())  # in the units of the columns
        deviance = volume + df * (1.0 + math.log(2.0 * math.pi * variance))
        return deviance, coefficients, inverse, variance
