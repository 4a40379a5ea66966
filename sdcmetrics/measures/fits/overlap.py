"""Overlap of confidence intervals and lack of fit: coefficients of two fits set side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sdcmetrics.microdata.arrays import Floats

_SYNTHPOP_DROPS = float(np.sqrt(np.finfo(np.float64).eps))


def normal_quantile(level: float) -> float:
    """Half the width of a confidence interval in standard errors.

    Examples
    --------
    >>> round(normal_quantile(0.95), 3)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri(1 - (1 - level) / 2))


def standardised_difference(original: Floats, synthetic: Floats, se_original: Floats) -> Floats:
    """Synthetic minus original estimate, in standard errors of the original; 0 is best.

    Examples
    --------
    >>> standardised_difference(np.array([1.0]), np.array([2.0]), np.array([0.5])).tolist()
    [2.0]
    """
    return (synthetic - original) / se_original


def interval_overlap(
    original: Floats,
    synthetic: Floats,
    se_original: Floats,
    se_synthetic: Floats,
    *,
    level: float = 0.95,
) -> Floats:
    """Confidence interval overlap (CIO) of each coefficient, not truncated.

    The length that two intervals share, as a mean of its shares in both. 1 is best; 0 where the
    intervals just touch; below 0, without bound, where they lie apart. With equal standard
    errors it is ``1 - |difference| / (2 z se)``. With the standard errors of both fits it is Karr's
    symmetric overlap: a replica whose own intervals are too narrow or too wide is marked down.

    References
    ----------
    Karr, Kohnen, Oganian, Reiter and Sanil (2006), The American Statistician 60, 224-232.

    Examples
    --------
    >>> unit = np.array([1.0])
    >>> near, far = np.array([0.98]), np.array([9.8])
    >>> overlap = interval_overlap(0 * unit, near, unit / 2, unit / 2)
    >>> round(float(overlap[0]), 2), round(float(interval_overlap(0 * unit, far, unit, unit)[0]), 2)
    (0.5, -1.5)
    >>> interval_overlap(0 * unit, 0 * unit, unit, unit / 2).tolist()  # half of one, all
    [0.75]
    """
    half_original = normal_quantile(level) * se_original
    half_synthetic = normal_quantile(level) * se_synthetic
    low = np.maximum(original - half_original, synthetic - half_synthetic)
    high = np.minimum(original + half_original, synthetic + half_synthetic)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (high - low) / (2 * half_original) + (high - low) / (2 * half_synthetic)
    out: Floats = shares / 2
    return out


def truncated(overlap: Floats) -> Floats:
    """Overlap with 0 in place of negative values.

    Examples
    --------
    >>> truncated(np.array([-2.0, 0.5])).tolist()
    [0.0, 0.5]
    """
    return np.maximum(overlap, 0.0)


@dataclass(frozen=True)
class LackOfFit:
    """Test of all coefficients at once: whether they miss by more than sampling explains.

    Sampling of independent records: with whole households p is too small, and `survey_overlap`
    with `cluster=` is the one to take.

    Attributes
    ----------
    statistic : float
        Chi-squared on `df` degrees of freedom, or F on `df` and `df2`.
    df : int
        Number of coefficients compared.
    df2 : int or None
        None for the chi-squared test.
    p_value : float
    ill_conditioned : bool
        True where the covariance matrix spans so many orders of magnitude that a generalised
        inverse, which synthpop takes, leaves directions out; the full inverse is taken here.
    """

    statistic: float
    df: int
    df2: int | None
    p_value: float
    ill_conditioned: bool = False

    @property
    def ratio(self) -> float:
        """Statistic over its degrees of freedom, synthpop's "Mahalanobis distance ratio"."""
        if self.df2 is not None:
            return self.statistic
        return self.statistic / self.df if self.df else math.nan


def lack_of_fit(difference: Floats, covariance: Floats) -> LackOfFit:
    """Chi-squared test that differences are 0, given their covariance.

    Parameters
    ----------
    difference : float array of shape (p,)
        Mean synthetic minus original coefficients.
    covariance : float array of shape (p, p)
        Expected covariance of the differences if the synthetic data come from the model of the
        original: the original's covariance times n / (k m).

    Examples
    --------
    >>> test = lack_of_fit(np.array([2.0, 1.0]), np.diag([4.0, 1.0]))
    >>> round(test.statistic, 6), test.df, round(test.p_value, 4)
    (2.0, 2, 0.3679)
    """
    from scipy.special import chdtrc

    p = len(difference)
    statistic = _quadratic_form(difference, covariance)
    p_value = float(chdtrc(p, statistic)) if p else math.nan
    return LackOfFit(statistic, p, None, p_value, _ill_conditioned(covariance))


def lack_of_fit_incomplete(differences: Floats) -> LackOfFit:
    """F test for data that were synthesised in part, from the spread over the syntheses.

    Parameters
    ----------
    differences : float array of shape (m, p)
        Synthetic minus original coefficients of every synthesis; needs m > p.

    Examples
    --------
    >>> test = lack_of_fit_incomplete(np.array([[1.0], [2.0], [3.0]]))
    >>> round(test.statistic, 6), test.df, test.df2  # mean 2, variance of the mean 1 / 3
    (12.0, 1, 2)
    """
    from scipy.special import fdtrc

    m, p = differences.shape
    mean = differences.mean(axis=0)
    spread = differences - mean
    between = spread.T @ spread / ((m - 1) * m)
    statistic = _quadratic_form(mean, between) * (m - p) / (p * (m - 1))
    p_value = float(fdtrc(p, m - p, statistic)) if m > p else math.nan
    return LackOfFit(statistic, p, m - p, p_value, _ill_conditioned(between))


def _quadratic_form(vector: Floats, covariance: Floats) -> float:
    if not len(vector):
        return math.nan
    scale = np.sqrt(np.diag(covariance))
    if not np.isfinite(scale).all() or not (scale > 0).all():
        return math.nan
    scaled = vector / scale
    correlation = covariance / np.outer(scale, scale)
    return float(scaled @ np.linalg.pinv(correlation, rcond=1e-12, hermitian=True) @ scaled)


def _ill_conditioned(covariance: Floats) -> bool:
    if not len(covariance) or not np.isfinite(covariance).all():
        return False
    sizes = np.linalg.svd(covariance, compute_uv=False)
    return bool(sizes[-1] <= _SYNTHPOP_DROPS * sizes[0])
