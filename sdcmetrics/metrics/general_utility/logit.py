"""Logistic regression of which data set a record is from, on thousands of sparse columns.

Iteratively reweighted least squares as in R's `glm`, by its start and its stopping rule, so
that the scores agree with R's also where the fit is separated and would go on for ever. The
steps are solved from the normal equations; columns that depend on earlier ones are left out
beforehand, once, and a step that would raise the deviance is halved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse

from sdcmetrics.metrics.general_utility.aliasing import independent_columns
from sdcmetrics.metrics.general_utility.model_matrix import CrossProducts, ModelMatrix

__all__ = ["LogitFit", "fit_logit"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_TOLERANCE = 1e-8
_LARGEST = 36.0436533891172  # scores stay within 2.2e-16 of 0 and 1
_STILL_MOVING = 0.5
_LOST_PIVOT = 1e-13
_START = np.log(3.0) + 0.25 / 0.1875  # working response of one record at a score of 3/4


@dataclass(frozen=True)
class LogitFit:
    """A fitted propensity model.

    Attributes
    ----------
    score : float array of shape (rows,)
        Fitted probability of being synthetic.
    kept : int array
        Columns of the model matrix that have a coefficient.
    coefficients, errors : float arrays, one value for each kept column
        For columns of length one; the standard errors are NaN where they were not asked for.
    iterations : int
    converged : bool
        The deviance stopped changing within the iterations allowed.
    complete : bool
        A combination of the columns tells every record right.
    separated : bool array of shape (rows,)
        Rows whose score was still moving to 0 or 1 when the deviance stopped changing.
    unstable : bool
        A step could not be solved in full, or had to be halved.
    lost_without : callable's input kept as arrays, see `contributions`
    """

    score: Floats
    kept: Ints
    coefficients: Floats
    errors: Floats
    iterations: int
    converged: bool
    complete: bool
    separated: Bools
    unstable: bool
    linear: Floats
    inverse: Floats

    @property
    def rank(self) -> int:
        """Number of coefficients, the intercept included."""
        return len(self.kept)


def fit_logit(
    matrix: ModelMatrix, synthetic: Ints, original: Ints, *, maxit: int = 200
) -> LogitFit:
    """Fit the propensity model.

    Parameters
    ----------
    matrix : ModelMatrix
    synthetic, original : int arrays of shape (rows,)
        How many records of each data set a row stands for.
    maxit : int

    Examples
    --------
    One category: the scores are the synthetic shares of its levels, here 1/4 and 2/3.

    >>> from sdcmetrics.metrics.general_utility.model_matrix import model_matrix
    >>> from sdcmetrics.metrics.general_utility.predictors import Predictor, Scale
    >>> sex = Predictor("sex", "sex", Scale.LEVELS, np.array([0.0, 1.0]), ("m", "f"))
    >>> n = np.array([4, 3])
    >>> fit = fit_logit(model_matrix([sex], np.arange(2), n, 0), np.array([1, 2]), n - [1, 2])
    >>> fit.score.round(6).tolist(), fit.rank
    ([0.25, 0.666667], 2)
    """
    n = (synthetic + original).astype(np.float64)
    columns, kept, factor = independent_columns(matrix.columns, n)
    if len(kept) == columns.shape[0]:  # as many coefficients as kinds of records: no constraint
        products = None
    else:
        products = CrossProducts(columns)
    steps = _Iterations(columns, products, synthetic, original, factor, maxit)
    steps.run()
    linear = linalg.cho_solve((factor, False), columns.T @ (synthetic - n * steps.share))
    return LogitFit(
        score=steps.score,
        kept=kept,
        coefficients=steps.coefficients,
        errors=steps.errors(),
        iterations=steps.iterations,
        converged=steps.converged,
        complete=steps.complete,
        separated=steps.separated,
        unstable=steps.unstable,
        linear=linear,
        inverse=factor,
    )


class _Iterations:
    def __init__(
        self,
        columns: sparse.csr_matrix,
        products: CrossProducts | None,
        synthetic: Ints,
        original: Ints,
        factor: Floats,
        maxit: int,
    ) -> None:
        self.columns, self.products, self.factor, self.maxit = columns, products, factor, maxit
        self.s, self.d = synthetic.astype(np.float64), original.astype(np.float64)
        self.n = self.s + self.d
        self.share = float(self.s.sum() / self.n.sum())
        self.coefficients = np.zeros(columns.shape[1])
        self.iterations, self.converged, self.complete = 0, False, False
        self.unstable = False
        self.separated: Bools = np.zeros(len(self.n), dtype=bool)
        self.cholesky: Floats | None = None

    def run(self) -> None:
        deviance = -2.0 * np.log(0.75) * self.n.sum()
        pure = bool(((self.s == 0) | (self.d == 0)).all())
        eta = np.zeros(len(self.n))
        for self.iterations in range(1, self.maxit + 1):
            if self.iterations == 1:
                move, step = self._first()
            else:
                move, step = self._newton(eta)
            last, before = deviance, eta
            eta, move, deviance = self._advance(eta, step, move, last)
            self.coefficients = self.coefficients + move
            if pure and bool(np.where(self.s > 0, eta > 0, eta < 0).all()):
                self.complete = self.converged = True
                self.separated = np.ones(len(self.n), dtype=bool)
                self.score = (self.s > 0).astype(np.float64)
                return
            if abs(deviance - last) / (abs(deviance) + 0.1) < _TOLERANCE:
                self.converged = True
                break
        self.separated = np.abs(eta - before) > _STILL_MOVING
        self.score = _score(eta)

    def _first(self) -> tuple[Floats, Floats]:
        z = _START * (self.s - self.d)
        if self.products is None:
            return self._coefficients(z / self.n), z / self.n
        move: Floats = linalg.cho_solve((self.factor, False), self.columns.T @ z)
        return move, self.columns @ move

    def _newton(self, eta: Floats) -> tuple[Floats, Floats]:
        score = _score(eta)
        weight = self.n * score * (1.0 - score)
        residual = self.s - self.n * score
        if self.products is None:
            step = residual / weight
            return self._coefficients(step), step
        move = self._solve(self.products(weight), self.columns.T @ residual)
        return move, self.columns @ move

    def _coefficients(self, step: Floats) -> Floats:
        """Coefficients of a change of the predictor when every row has one of its own."""
        out: Floats = linalg.cho_solve((self.factor, False), self.columns.T @ (self.n * step))
        return out

    def _advance(
        self, eta: Floats, step: Floats, move: Floats, last: float
    ) -> tuple[Floats, Floats, float]:
        first = self.iterations == 1
        for _ in range(30):
            new = eta + step
            deviance = self._deviance(new)
            if first or deviance <= last * (1.0 + 1e-7):
                return new, move, deviance
            step, move, self.unstable = step / 2.0, move / 2.0, True
        return eta, np.zeros_like(move), last

    def _deviance(self, eta: Floats) -> float:
        at = np.clip(eta, -_LARGEST, _LARGEST)
        # log(1 + exp(-x)) without overflow: -log of the score, and of one minus the score
        return float(2.0 * (self.s @ np.logaddexp(0.0, -at) + self.d @ np.logaddexp(0.0, at)))

    def _solve(self, products: Floats, right: Floats) -> Floats:
        scale = 1.0 / np.sqrt(np.maximum(np.diag(products), np.finfo(float).tiny))
        products *= scale
        products *= scale[:, None]
        factor, fault = linalg.lapack.dpotrf(products, lower=0, clean=0)
        if fault == 0 and float(np.diag(factor).min()) ** 2 > _LOST_PIVOT:
            self.cholesky = factor / scale
            out: Floats = linalg.cho_solve((factor, False), right * scale) * scale
            return out
        # Some direction has no weight left: it stays where it is, the others move.
        self.unstable, self.cholesky = True, None
        factor, order, rank, _ = linalg.lapack.dpstrf(products, lower=0, tol=_LOST_PIVOT)
        chosen = order[:rank] - 1
        out = np.zeros(len(right))
        out[chosen] = linalg.cho_solve((factor[:rank, :rank], False), (right * scale)[chosen])
        return out * scale

    def errors(self) -> Floats:
        """Standard errors of the coefficients, from the weights of the last step."""
        out = np.full(len(self.coefficients), np.nan)
        if self.cholesky is None:
            return out
        inverse, fault = linalg.lapack.dtrtri(self.cholesky, lower=0)
        if fault == 0:
            out = np.sqrt(np.einsum("ij,ij->i", np.triu(inverse), np.triu(inverse)))
        return out


def _score(eta: Floats) -> Floats:
    out: Floats = 1.0 / (1.0 + np.exp(-np.clip(eta, -_LARGEST, _LARGEST)))
    return out
