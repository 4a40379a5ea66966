"""Polytomous and ordered logit by Newton's method, to full convergence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import special

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.fits.least_squares import least_squares
from sdcmetrics.measures.fits.model import Model

__all__ = ["fit_multinomial", "fit_ordered"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_GRADIENT = 1e-9
_ITERATIONS = 100
_HALVINGS = 40
_FLAT = 1e-10
_SHARE = 1e-3

_Likelihood = Callable[[Floats], tuple[float, Floats, Floats]]
"""Parameters to log-likelihood, gradient and minus the Hessian."""


def fit_multinomial(matrix: Floats, outcome: Floats, levels: int, source: str) -> Model:
    """Fit a polytomous logit; level 0 is the one that the others are compared with.

    Parameters
    ----------
    matrix : float array of shape (n, p)
    outcome : float array of shape (n,)
        Codes 0..levels-1.
    levels : int
    source : str
        What an error calls the data.

    Returns
    -------
    Model
        Coefficients of level 1, then of level 2, ...; NaN for a level that the data lack.
    """
    codes = outcome.astype(np.int64)
    counts = np.bincount(codes, minlength=levels)
    present = np.flatnonzero(counts)
    if len(present) < 2:  # noqa: PLR2004
        msg = f"{source} has one level of the response only, so there is nothing to predict"
        raise NotComputable(msg)
    n, p = matrix.shape
    aliased = least_squares(matrix, np.zeros(n))
    x, scale = _scaled(matrix[:, aliased.kept])
    base, others = present[0], present[1:]
    indicators = (codes[:, None] == others).astype(np.float64)

    def likelihood(parameters: Floats) -> tuple[float, Floats, Floats]:
        eta = x @ parameters.reshape(len(others), -1).T
        total = special.logsumexp(np.column_stack([np.zeros(n), eta]), axis=1)
        shares = np.exp(eta - total[:, None])
        gradient = ((indicators - shares).T @ x).ravel()
        blocks = [
            [
                x.T @ (x * (shares[:, a] * ((a == b) - shares[:, b]))[:, None])
                for b in range(len(others))
            ]
            for a in range(len(others))
        ]
        return float((eta * indicators).sum() - total.sum()), gradient, np.block(blocks)

    found = _maximise(likelihood, np.zeros(len(others) * x.shape[1]), n)
    whole = np.concatenate([(level - 1) * p + aliased.kept for level in others])
    if base != 0:  # nothing is comparable without the level that all others are compared with
        whole = whole[:0]
    model = _model(
        found,
        _Places(np.tile(scale, len(others)), whole, (levels - 1) * p),
        counts,
        slopes=found.parameters.size - len(others),
    )
    confounded: dict[int, tuple[int, ...]] = {}
    for level in range(1, levels):
        for column in range(p):
            j = (level - 1) * p + column
            if level not in others or base != 0:
                confounded[j] = ()
            elif column in aliased.confounded:
                sources = aliased.confounded[column]
                confounded[j] = tuple((level - 1) * p + other for other in sources)
    return replace(model, confounded=confounded)


def fit_ordered(matrix: Floats, outcome: Floats, levels: int, source: str) -> Model:
    """Fit a proportional odds model: logit P(Y <= k) = threshold k - x'b.

    Parameters
    ----------
    matrix : float array of shape (n, p)
        Without an intercept: the thresholds take its place.
    outcome : float array of shape (n,)
        Codes 0..levels-1, in order.
    levels : int
    source : str
        What an error calls the data.

    Returns
    -------
    Model
        Coefficients, then the thresholds 0|1, 1|2, ...; NaN for a threshold that the data
        cannot tell.
    """
    codes = outcome.astype(np.int64)
    counts = np.bincount(codes, minlength=levels)
    present = np.flatnonzero(counts)
    if len(present) < 2:  # noqa: PLR2004
        msg = f"{source} has one level of the response only, so there is nothing to predict"
        raise NotComputable(msg)
    n, p = matrix.shape
    with_intercept = np.column_stack([np.ones(n), matrix])
    aliased = least_squares(with_intercept, np.zeros(n))
    kept = aliased.kept[aliased.kept > 0] - 1
    x, scale = _scaled(matrix[:, kept])
    rank = np.searchsorted(present, codes)
    cuts = len(present) - 1
    start = special.logit(np.cumsum(counts[present])[:-1] / n)

    def likelihood(parameters: Floats) -> tuple[float, Floats, Floats]:
        return _ordered_likelihood(parameters, x, rank, cuts)

    found = _maximise(likelihood, np.concatenate([np.zeros(x.shape[1]), start]), n)
    # a threshold stands after every level that the data have but the last
    whole = np.concatenate([kept, p + present[:-1]])
    places = _Places(np.concatenate([scale, np.ones(cuts)]), whole, p + levels - 1)
    model = _model(found, places, counts, slopes=x.shape[1])
    confounded: dict[int, tuple[int, ...]] = {
        j - 1: tuple(other - 1 for other in sources if other > 0)
        for j, sources in aliased.confounded.items()
    }
    known = set(present[:-1].tolist())
    confounded |= {p + k: () for k in range(levels - 1) if k not in known}
    return replace(model, confounded=confounded)


def _ordered_likelihood(
    parameters: Floats, x: Floats, rank: Ints, cuts: int
) -> tuple[float, Floats, Floats]:
    p = x.shape[1]
    beta, thresholds = parameters[:p], parameters[p:]
    if (np.diff(thresholds) <= 0).any():
        return -math.inf, parameters, np.eye(len(parameters))
    eta = x @ beta
    ends = np.concatenate([[-math.inf], thresholds, [math.inf]])
    high, low = ends[rank + 1] - eta, ends[rank] - eta
    # the smaller tail on either side keeps the digits of a difference of probabilities
    flip = low > 0
    share = np.where(
        flip,
        special.expit(-low) - special.expit(-high),
        special.expit(high) - special.expit(low),
    )
    share = np.maximum(share, np.finfo(np.float64).tiny)
    at_high, at_low = _density(high), _density(low)
    up, down = at_high / share, -at_low / share
    d_high = _density_slope(high) / share - up**2
    d_low = -_density_slope(low) / share - down**2
    cross = -up * down
    n = len(rank)
    a, b = np.zeros((n, p + cuts)), np.zeros((n, p + cuts))
    a[:, :p] = b[:, :p] = -x
    rows = np.arange(n)
    inside = rank < cuts
    a[rows[inside], p + rank[inside]] = 1
    inside = rank > 0
    b[rows[inside], p + rank[inside] - 1] = 1
    gradient = a.T @ up + b.T @ down
    mixed = a.T @ (b * cross[:, None])
    hessian = a.T @ (a * d_high[:, None]) + b.T @ (b * d_low[:, None]) + mixed + mixed.T
    return float(np.log(share).sum()), gradient, -hessian


def _density(eta: Floats) -> Floats:
    out: Floats = special.expit(eta) * special.expit(-eta)
    return out


def _density_slope(eta: Floats) -> Floats:
    out: Floats = _density(eta) * (special.expit(-eta) - special.expit(eta))
    return out


@dataclass(frozen=True)
class _Maximum:
    parameters: Floats
    covariance: Floats
    log_likelihood: float
    converged: bool
    iterations: int
    separated: npt.NDArray[np.intp]


def _maximise(likelihood: _Likelihood, start: Floats, n: int) -> _Maximum:
    """Climb by Newton steps, halved while they lose likelihood."""
    parameters = start
    value, gradient, information = likelihood(parameters)
    iteration = 0
    while iteration < _ITERATIONS:
        iteration += 1
        step = np.linalg.lstsq(information, gradient)[0]
        gain = float(gradient @ step)
        if gain < _GRADIENT * (abs(value) + 0.1) * 1e-6:
            break
        for _ in range(_HALVINGS):
            tried = likelihood(parameters + step)
            if tried[0] >= value:
                break
            step = step / 2
        else:
            break
        parameters = parameters + step
        value, gradient, information = tried
    size = np.sqrt(np.maximum(np.diag(information), np.finfo(np.float64).tiny))
    correlation = information / np.outer(size, size)
    covariance = np.linalg.pinv(correlation, hermitian=True) / np.outer(size, size)
    converged = iteration < _ITERATIONS
    return _Maximum(parameters, covariance, value, converged, iteration, _flat(information / n))


def _flat(information: Floats) -> npt.NDArray[np.intp]:
    """Parameters along which the likelihood hardly bends, as their estimates run away."""
    bends, directions = np.linalg.eigh(information)
    flat = np.abs(directions[:, bends < _FLAT]).max(axis=1, initial=0.0)
    return np.flatnonzero(flat > _SHARE)


def _scaled(x: Floats) -> tuple[Floats, Floats]:
    scale = np.sqrt((x**2).mean(axis=0))
    scale[scale == 0] = 1.0
    return x / scale, scale


@dataclass(frozen=True)
class _Places:
    """Where parameters belong: the columns, of how many, and how each was scaled."""

    scale: Floats
    columns: npt.NDArray[np.intp]
    size: int


def _model(found: _Maximum, places: _Places, counts: Ints, *, slopes: int) -> Model:
    coefficients = np.full(places.size, np.nan)
    covariance = np.full((places.size, places.size), np.nan)
    separated: tuple[int, ...] = ()
    if len(places.columns):
        scale = places.scale
        coefficients[places.columns] = found.parameters / scale
        square = np.ix_(places.columns, places.columns)
        covariance[square] = found.covariance / np.outer(scale, scale)
        separated = tuple(places.columns[found.separated].tolist())
    n = int(counts.sum())
    null = float(special.xlogy(counts, counts / n).sum())
    return Model(
        coefficients=coefficients,
        covariance=covariance,
        n=n,
        rank=found.parameters.size,
        log_likelihood=found.log_likelihood,
        null_log_likelihood=null,
        slopes=slopes,
        linear=False,
        r2=1 - found.log_likelihood / null,
        converged=found.converged,
        iterations=found.iterations,
        separated=separated,
    )
