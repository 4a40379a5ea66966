"""A fitted model: coefficients with evidence, and what is wrong with them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.arrays import Floats


@dataclass(frozen=True)
class Model:
    """A model fitted to one data set.

    Attributes
    ----------
    coefficients : float array of shape (p,)
        NaN where a column is aliased.
    covariance : float array of shape (p, p)
    n : int
        Records used.
    rank : int
        Number of estimated coefficients (thresholds of an ordered model included).
    log_likelihood, null_log_likelihood : float
        Of the model and of the model with an intercept only.
    slopes : int
        Number of estimated coefficients that are neither intercepts nor thresholds.
    linear : bool
    r2 : float
        For linear models the usual one, otherwise McFadden's.
    converged : bool
    iterations : int
    separated : tuple of int
        Columns whose coefficients have no finite estimate, as they separate the outcome.
    confounded : dict of aliased column to tuple of columns
        See `Columns`.
    make_results : function, optional
        Returns the results object of statsmodels.
    """

    coefficients: Floats
    covariance: Floats
    n: int
    rank: int
    log_likelihood: float
    null_log_likelihood: float
    slopes: int
    linear: bool
    r2: float
    converged: bool = True
    iterations: int = 0
    separated: tuple[int, ...] = ()
    confounded: dict[int, tuple[int, ...]] | None = None
    make_results: Callable[[], Any] | None = field(default=None, repr=False)

    @property
    def standard_errors(self) -> Floats:
        """Standard errors; NaN where a column is aliased."""
        with np.errstate(invalid="ignore"):
            out: Floats = np.sqrt(np.diag(self.covariance))
        return out

    def residual_ratio(self, smaller: Model) -> float:
        """Residual sum of squares of a smaller linear model over this one's."""
        return math.exp(2 * (self.log_likelihood - smaller.log_likelihood) / self.n)

    @property
    def aic(self) -> float:
        """Akaike's criterion; for linear models up to the constant that all share."""
        return 2 * self.rank - 2 * self.log_likelihood


def placed(
    parameters: Floats, inverse: Floats, columns: npt.NDArray[np.intp], size: int
) -> tuple[Floats, Floats]:
    """Return coefficients and covariance of so many columns, NaN where one is not estimated."""
    coefficients, covariance = np.full(size, np.nan), np.full((size, size), np.nan)
    if len(columns):
        coefficients[columns] = parameters
        covariance[np.ix_(columns, columns)] = inverse
    return coefficients, covariance
