"""Adjusted R2 of a model: the share of the response it explains, less chance."""

from __future__ import annotations

import math

import numpy as np

from sdcmetrics.measures.fits.model import Model
from sdcmetrics.microdata.arrays import Floats


def adjusted_r2(r2: float, n: int, coefficients: int, *, intercept: bool = True) -> float:
    """Share of the variance that a linear model explains, adjusted for its size.

    ``1 - (1 - R2) (n - 1) / (n - p)`` for p coefficients, the intercept among them; n in place
    of n - 1 without an intercept. At most 1; below 0 where chance would explain more.

    Examples
    --------
    >>> adjusted_r2(0.5, 11, 6)
    0.0
    """
    freedom = n - coefficients
    return 1 - (1 - r2) * (n - intercept) / freedom if freedom > 0 else math.nan


def mcfadden_adjusted(log_likelihood: float, null: float, slopes: int) -> float:
    """McFadden's pseudo-R2 of a model without variance, adjusted for the number of slopes.

    ``1 - (ln L - k) / ln L0``, L0 being the likelihood of an intercept only. At most 1; 0.2 to
    0.4 is already a very good fit.

    References
    ----------
    McFadden (1974), Conditional logit analysis of qualitative choice behavior.

    Examples
    --------
    >>> mcfadden_adjusted(-73.0, -100.0, 2)
    0.25
    """
    return 1 - (log_likelihood - slopes) / null if null < 0 else math.nan


def weights_of(explained: Floats) -> Floats:
    """Weights of models by their adjusted R2: shares of the sum, 0 where not positive.

    Examples
    --------
    >>> weights_of(np.array([0.6, 0.2, -0.1])).round(2).tolist()
    [0.75, 0.25, 0.0]
    """
    positive = np.where(explained > 0, explained, 0.0)
    total = positive.sum()
    out: Floats = positive / total if total > 0 else positive
    return out


def explained_by(model: Model) -> float:
    """Adjusted R2 of a linear model, McFadden's adjusted pseudo-R2 of any other."""
    if model.linear:
        intercept = model.rank > model.slopes
        return adjusted_r2(model.r2, model.n, model.rank, intercept=intercept)
    return mcfadden_adjusted(model.log_likelihood, model.null_log_likelihood, model.slopes)
