"""Families of generalised linear models: link, variance, deviance and likelihood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

__all__ = ["FAMILIES", "Family"]

Floats = npt.NDArray[np.float64]
Map = Callable[[Floats], Floats]

_EPSILON = float(np.finfo(np.float64).eps)
_FARTHEST = 30.0
_ROOT_2PI = 2.5066282746310002


@dataclass(frozen=True)
class Family:
    """A family with its link; `slope` is the derivative of the mean by the linear predictor.

    `deviance` and `log_likelihood` take the outcome and the fitted mean.
    """

    name: str
    link: Map
    mean: Map
    slope: Map
    variance: Map
    start: Map
    deviance: Callable[[Floats, Floats], float]
    log_likelihood: Callable[[Floats, Floats], float]
    probability: bool


def _clipped(eta: Floats) -> Floats:
    return np.clip(eta, -_FARTHEST, _FARTHEST)


def _logit_mean(eta: Floats) -> Floats:
    beyond = np.where(eta > 0, 1 - _EPSILON, _EPSILON)
    out: Floats = np.where(np.abs(eta) > _FARTHEST, beyond, special.expit(eta))
    return out


def _logit_slope(eta: Floats) -> Floats:
    p = special.expit(_clipped(eta))
    out: Floats = np.where(np.abs(eta) > _FARTHEST, _EPSILON, p * special.expit(-_clipped(eta)))
    return out


def _probit_mean(eta: Floats) -> Floats:
    limit = -special.ndtri(_EPSILON)
    out: Floats = special.ndtr(np.clip(eta, -limit, limit))
    return out


def _probit_slope(eta: Floats) -> Floats:
    return np.maximum(np.exp(-(eta**2) / 2) / _ROOT_2PI, _EPSILON)


def _cloglog_mean(eta: Floats) -> Floats:
    return np.clip(-np.expm1(-np.exp(np.minimum(eta, 700.0))), _EPSILON, 1 - _EPSILON)


def _cloglog_slope(eta: Floats) -> Floats:
    eta = np.minimum(eta, 700.0)
    return np.maximum(np.exp(eta - np.exp(eta)), _EPSILON)


def _binomial_deviance(y: Floats, mu: Floats) -> float:
    return -2 * float(np.sum(special.xlogy(y, mu) + special.xlogy(1 - y, 1 - mu))) - _saturated(y)


def _saturated(y: Floats) -> float:
    """Minus twice the log-likelihood of a perfect fit: 0 unless y is a share."""
    return -2 * float(np.sum(special.xlogy(y, y) + special.xlogy(1 - y, 1 - y)))


def _binomial_log_likelihood(y: Floats, mu: Floats) -> float:
    return float(np.sum(special.xlogy(y, mu) + special.xlogy(1 - y, 1 - mu)))


def _poisson_deviance(y: Floats, mu: Floats) -> float:
    return 2 * float(np.sum(special.xlogy(y, y) - special.xlogy(y, mu) - (y - mu)))


def _poisson_log_likelihood(y: Floats, mu: Floats) -> float:
    return float(np.sum(special.xlogy(y, mu) - mu - special.gammaln(y + 1)))


def _binomial(name: str, link: Map, mean: Map, slope: Map) -> Family:
    return Family(
        name=name,
        link=link,
        mean=mean,
        slope=slope,
        variance=lambda mu: mu * (1 - mu),
        start=lambda y: (y + 0.5) / 2,
        deviance=_binomial_deviance,
        log_likelihood=_binomial_log_likelihood,
        probability=True,
    )


FAMILIES: dict[str, Family] = {
    "binomial": _binomial("binomial", special.logit, _logit_mean, _logit_slope),
    "probit": _binomial("probit", special.ndtri, _probit_mean, _probit_slope),
    "cloglog": _binomial(
        "cloglog", lambda mu: np.log(-np.log1p(-mu)), _cloglog_mean, _cloglog_slope
    ),
    "poisson": Family(
        name="poisson",
        link=np.log,
        mean=lambda eta: np.maximum(np.exp(np.minimum(eta, 700.0)), _EPSILON),
        slope=lambda eta: np.maximum(np.exp(np.minimum(eta, 700.0)), _EPSILON),
        variance=lambda mu: mu,
        start=lambda y: y + 0.1,
        deviance=_poisson_deviance,
        log_likelihood=_poisson_log_likelihood,
        probability=False,
    ),
}
"""Families by name; probit and cloglog are binomial with another link."""
