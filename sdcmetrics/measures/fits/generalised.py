"""Linear and generalised linear models by statsmodels, with R's aliasing and stopping rule.

So made, estimates and standard errors equal R's (lm and glm, as recorded) to 1e-9; where the
predictors nearly separate the outcome, estimates to 1e-6 standard errors. The columns go in
scaled: statsmodels' inverse would drop the intercept beside a column of 1e9. One family is less
exact: statsmodels computes the weights of cloglog from the mean, R from the linear predictor, so
that estimates differ by up to 3e-8 of themselves where some means are near 1. With 200,000
records and 25 columns a fit takes 2 s of processor time, twice that of a bare decomposition.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.fits.columns import Columns
from sdcmetrics.measures.fits.model import Model, placed
from sdcmetrics.microdata.arrays import Floats

_ZERO = 1e-6


def separating_columns(matrix: Floats, outcome: Floats, *, binary: bool = True) -> list[int]:
    """Return the columns whose coefficients have no finite maximum likelihood estimate.

    A linear programme looks for a direction along which the likelihood of a binary outcome
    never falls: every record with outcome 1 gains and every record with outcome 0 loses, or
    stays (Konis 2007). For counts, records with outcome 0 lose and all others stay.

    Parameters
    ----------
    matrix : float array of shape (n, p), of full rank
    outcome : float array of shape (n,)
    binary : bool
        False for counts.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    >>> separating_columns(x, np.array([0.0, 1.0, 1.0, 1.0]))  # certain where the second is 1
    [1]
    >>> separating_columns(x, np.array([0.0, 1.0, 0.0, 1.0]))
    []
    """
    from scipy.linalg import null_space
    from scipy.optimize import linprog

    if binary:
        decided = (outcome == 0) | (outcome == 1)
        signs = np.where(outcome > 0, 1.0, -1.0)
        gains, fixed = matrix[decided] * signs[decided, None], matrix[~decided]
    else:
        gains, fixed = -matrix[outcome == 0], matrix[outcome > 0]
    gains, fixed = _distinct(gains), _distinct(fixed)
    scale = np.abs(matrix).max(axis=0)
    scale[scale == 0] = 1.0
    gains, fixed = gains / scale, fixed / scale
    if not len(gains):
        return []
    left = np.ones(len(gains), dtype=np.bool_)
    while left.any():  # one direction need not be one along which all gain that can
        answer = linprog(
            -gains[left].sum(axis=0),
            A_ub=-gains,
            b_ub=np.zeros(len(gains)),
            A_eq=fixed if len(fixed) else None,
            b_eq=np.zeros(len(fixed)) if len(fixed) else None,
            bounds=(-1, 1),
            method="highs",
        )
        if not answer.success:
            break
        gained = gains @ np.asarray(answer.x)
        if float(gained[left].sum()) < _ZERO:
            break
        left &= gained < _ZERO / len(gains)
    if left.all():
        return []
    # Near the sum of these directions each is one along which none gains that is left.
    free = null_space(np.vstack([gains[left], fixed]))
    return np.flatnonzero(np.abs(free).max(axis=1) > _ZERO).tolist()


def _distinct(rows: Floats) -> Floats:
    """Drop repeated rows; rows are told apart by one random combination of their values."""
    mark = rows @ np.random.default_rng(0).normal(size=rows.shape[1])
    _, first = np.unique(mark, return_index=True)
    out: Floats = rows[first]
    return out


_EPSILON = 1e-8
"""R's glm stops when the deviance changes by less than this share of itself (plus 0.1)."""

_ITERATIONS = 25
"""R's glm stops then in any case."""

_SUSPICIOUS = 1e-4
"""A mean so near its limit makes it worth asking whether the predictors separate the outcome."""

_PERFECT = 1e-26
"""Of the sum of squares: what rounding leaves of a fit without error."""


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings of a fit; the `Model` holds what they warn of."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


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
    columns = Columns(matrix)
    n, rank = len(outcome), len(columns.independent)
    results = _lm(columns, outcome, intercept=intercept)
    with quiet():
        left = outcome - np.dot(columns.scaled, results.params)
        nothing = _PERFECT * float(np.sum(outcome**2))
        residual = float(np.dot(left, left))
        residual = residual if residual > nothing else 0.0
        centre = float(outcome.mean()) if intercept else 0.0
        total = float(np.sum((outcome - centre) ** 2))
        total = total if total > nothing else 0.0
    variance = residual / (n - rank) if n > rank else math.nan
    coefficients, inverse = _in_own_units(results.params, results.normalized_cov_params, columns)
    return Model(
        coefficients=coefficients,
        covariance=inverse * variance,
        n=n,
        rank=rank,
        log_likelihood=_gaussian_log_likelihood(n, residual),
        null_log_likelihood=_gaussian_log_likelihood(n, total),
        r2=1 - residual / total if total > 0 else math.nan,
        slopes=rank - intercept,
        linear=True,
        confounded=columns.confounded,
        make_results=lambda: _results_in_own_units(
            _lm(columns, outcome, intercept=intercept), columns
        ),
    )


def _lm(columns: Columns, outcome: Floats, *, intercept: bool) -> Any:
    from statsmodels.regression.linear_model import OLS

    with quiet():
        return OLS(outcome, columns.scaled, hasconst=intercept).fit()


def fit_glm(matrix: Floats, outcome: Floats, family: str, *, intercept: bool) -> Model:
    """Fit a generalised linear model with dispersion 1 as R does.

    Iteratively reweighted least squares starts at the outcome pulled towards the middle, and
    stops when the deviance changes by less than 1e-8 of itself. The covariance is that of the
    last solve, that is with the weights from before the last update.

    R2 is McFadden's ``1 - ln L / ln L0``.

    Raises
    ------
    NotComputable
        If the iterations leave what numbers can express.
    """
    columns = Columns(matrix)
    results = _glm(columns, outcome, family)
    mu = np.asarray(results.model.mu)
    full = _log_likelihood(family, outcome, mu)
    null = _log_likelihood(family, outcome, np.full_like(outcome, outcome.mean()))
    coefficients, covariance = _in_own_units(
        np.asarray(results.params), results.normalized_cov_params, columns
    )
    fitted = Model(
        coefficients=coefficients,
        covariance=covariance,
        n=len(outcome),
        rank=len(columns.independent),
        log_likelihood=full,
        null_log_likelihood=null,
        r2=1 - full / null if null < 0 else math.nan,
        slopes=len(columns.independent) - intercept,
        linear=False,
        converged=bool(results.converged),
        iterations=int(results.fit_history["iteration"]),
        confounded=columns.confounded,
        make_results=lambda: _results_in_own_units(_glm(columns, outcome, family), columns),
    )
    counts = family == "poisson"
    near = mu if counts else np.minimum(mu, 1 - mu)
    if float(near.min()) < _SUSPICIOUS:
        separating = separating_columns(columns.own, outcome, binary=not counts)
        return replace(fitted, separated=tuple(int(columns.independent[j]) for j in separating))
    return fitted


def _glm(columns: Columns, outcome: Floats, family: str) -> Any:
    from statsmodels.genmod.generalized_linear_model import GLM

    try:
        with quiet():
            model = GLM(outcome, columns.scaled, family=family_of(family))
            return model.fit(maxiter=_ITERATIONS, atol=0.1 * _EPSILON, rtol=_EPSILON)
    except (np.linalg.LinAlgError, ValueError) as fault:
        msg = f"the iterations of the {family} model left what numbers can express ({fault})"
        raise NotComputable(msg) from fault


def _in_own_units(params: Floats, inverse: Floats, columns: Columns) -> tuple[Floats, Floats]:
    """Rescale results to the columns' own units, NaN for aliased ones."""
    scale, size = columns.scale, columns.matrix.shape[1]
    return placed(params / scale, inverse / np.outer(scale, scale), columns.independent, size)


def _results_in_own_units(wrapped: Any, columns: Columns) -> Any:
    results, scale = wrapped._results, columns.scale  # noqa: SLF001  (what the wrapper shows)
    results.params = results.params / scale
    results.normalized_cov_params = results.normalized_cov_params / np.outer(scale, scale)
    results.model.exog = columns.own
    if hasattr(results.model, "wexog"):
        results.model.wexog = columns.own
    return wrapped


def family_of(name: str) -> Any:
    """Return the family of statsmodels, with its link."""
    from statsmodels.genmod import families
    from statsmodels.genmod.families import links

    if name == "gaussian":
        return families.Gaussian()
    if name == "poisson":
        poisson = families.Poisson()
        poisson.starting_mu = lambda y: y + 0.1  # where R starts, so that its last step is R's
        return poisson
    link = {"binomial": links.Logit, "probit": links.Probit, "cloglog": links.CLogLog}[name]
    return families.Binomial(link())


def _log_likelihood(family: str, y: Floats, mu: Floats) -> float:
    from scipy.special import gammaln, xlogy

    if family == "poisson":
        return float(np.sum(xlogy(y, mu) - mu - gammaln(y + 1)))
    return float(np.sum(xlogy(y, mu) + xlogy(1 - y, 1 - mu)))


def _gaussian_log_likelihood(n: int, residual: float) -> float:
    if residual <= 0:
        return math.inf
    return -n / 2 * (math.log(2 * math.pi * residual / n) + 1)
