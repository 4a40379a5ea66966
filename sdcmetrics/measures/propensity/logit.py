"""Logistic regression of which data set a record is from, on thousands of sparse columns.

Iteratively reweighted least squares as in R's `glm`, by its start and its stopping rule, so
that the scores agree with R's also where the fit is separated and would go on for ever. The
steps are solved from the normal equations; columns that depend on earlier ones are left out
beforehand, once, and a step that would raise the deviance is halved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from sdcmetrics.measures.propensity.aliasing import independent_columns
from sdcmetrics.measures.propensity.model_matrix import CrossProducts, ModelMatrix
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.compiled import compiled
from sdcmetrics.microdata.threads import one_thread

_WELL_FILLED = 0.2  # share of rows: from here on a product of dense columns is the faster
_SIGNATURE = (
    "void(Array(int64, 1, 'C', True), Array(int32, 1, 'C', True), Array(float64, 1, 'C', True), "
    "Array(float64, 2, 'C', True), float64[::1], float64[:,::1], float64[:,::1])"
)


class RowProducts:
    """Computes X'WX for many weights W, upper triangle only, in one pass over the rows.

    The loop waits for the compiler, or loads what it made (0.5 s of a process), which a single
    fit does not gain; it runs without Python's lock.

    Parameters
    ----------
    columns : sparse matrix of shape (rows, columns)

    Examples
    --------
    >>> columns = sparse.csr_matrix(np.array([[1.0, 2.0], [1.0, 0.0], [1.0, 0.0]]))
    >>> np.triu(RowProducts(columns)(np.array([1.0, 2.0, 3.0]))).tolist()
    [[6.0, 2.0], [0.0, 4.0]]
    """

    def __init__(self, columns: sparse.csr_matrix) -> None:
        n, self.size = columns.shape
        filled = np.bincount(columns.indices, minlength=self.size)
        well_filled = filled >= _WELL_FILLED * n
        self._dense_at = np.flatnonzero(well_filled)
        self._sparse_at = np.flatnonzero(~well_filled)
        self._dense = np.ascontiguousarray(columns[:, self._dense_at].toarray())
        rest = columns[:, self._sparse_at].tocsr()
        rest.sort_indices()
        starts, at = rest.indptr.astype(np.int64), rest.indices.astype(np.int32)
        self._rows = (starts, at, rest.data, self._dense)
        self._loop = compiled(_add_rows, _SIGNATURE)

    def __call__(self, weights: Floats) -> Floats:
        """Return X'WX, of shape (columns, columns); only the upper triangle is filled."""
        d, s = self._dense_at, self._sparse_at
        among, with_dense = np.zeros((len(s), len(s))), np.zeros((len(s), len(d)))
        self._loop(*self._rows, weights, among, with_dense)
        out = np.zeros((self.size, self.size))
        out[np.ix_(s, s)] = among
        out[np.ix_(s, d)] = with_dense
        out[np.ix_(d, s)] = with_dense.T
        if len(d):
            scaled = self._dense * np.sqrt(weights)[:, None]
            out[np.ix_(d, d)] = linalg.blas.dsyrk(1.0, scaled.T)
        return out


def _add_rows(
    starts: Any, at: Any, value: Any, dense: Any, weight: Any, among: Any, with_dense: Any
) -> None:
    """Add each row's products of sparse columns with later sparse ones, and with dense ones."""
    for row in range(len(weight)):
        for i in range(starts[row], starts[row + 1]):
            weighted = weight[row] * value[i]
            column = among[at[i]]
            for j in range(i, starts[row + 1]):
                column[at[j]] += weighted * value[j]
            column = with_dense[at[i]]
            for k in range(dense.shape[1]):
                column[k] += weighted * dense[row, k]


Products = CrossProducts | RowProducts

_TOLERANCE = 1e-8
_LARGEST = 36.0436533891172  # scores stay within 2.2e-16 of 0 and 1
_STILL_MOVING = 0.5
_BEYOND_DOUBT = 18.0
_LOST_PIVOT = 1e-13
_RIDGE = 1e-10
_LEAP = 30.0
_MANY = 2000
_HEAVY = 1e-6
_MAY_RISE = 1.0 + 1e-7
_WORTH_A_STEP = 5e-3
_START = np.log(3.0) + 0.25 / 0.1875  # working response of one record at a score of 3/4


@dataclass(frozen=True)
class LogitFit:
    """A fitted propensity model.

    Attributes
    ----------
    score : float array of shape (rows,)
        Fitted probability of being synthetic.
    coefficients, errors : float arrays, one value for each column kept
        For columns of length one. Errors are NaN where the last step could not be solved in
        full, or the fit has no finite coefficients at all.
    iterations : int
    converged : bool
        The deviance stopped changing within the iterations allowed.
    complete : bool
        A combination of the columns tells every record right.
    separated : bool array of shape (rows,)
        Rows whose score was still moving to 0 or 1 when the deviance stopped changing.
    unstable : bool
        A step could not be solved in full, or had to be halved.
    """

    score: Floats
    coefficients: Floats
    errors: Floats
    iterations: int
    converged: bool
    complete: bool
    separated: Bools
    unstable: bool


class LogitModel:
    """A propensity model of given records, to be fitted to any labelling of them.

    Parameters
    ----------
    matrix : ModelMatrix
    n : int array of shape (rows,)
        How many records each row of the matrix stands for.

    Attributes
    ----------
    independent : int array
        Columns of the model matrix that do not depend on earlier ones.

    Examples
    --------
    One category: the scores are the synthetic shares of its levels, here 1/4 and 2/3.

    >>> from sdcmetrics.measures.propensity.model_matrix import model_matrix
    >>> from sdcmetrics.measures.propensity.predictors import Predictor, Scale
    >>> sex = Predictor("sex", "sex", Scale.LEVELS, np.array([0.0, 1.0]), ("m", "f"))
    >>> n = np.array([4, 3])
    >>> model = LogitModel(model_matrix([sex], np.arange(2), n, 0), n)
    >>> model.fit(np.array([1, 2])).score.round(6).tolist(), model.rank
    ([0.25, 0.666667], 2)
    """

    def __init__(self, matrix: ModelMatrix, n: Ints) -> None:
        self.n = n.astype(np.float64)
        with one_thread(matrix.columns.shape[1]):
            self.columns, self.independent, self._factor = independent_columns(
                matrix.columns, self.n
            )
        # With as many coefficients as rows there is no constraint, and nothing to be solved.
        self._saturated = len(self.independent) == len(n)
        self._root: Floats | None = None

    @property
    def rank(self) -> int:
        """Number of coefficients, the intercept included."""
        return len(self.independent)

    @cached_property
    def _products(self) -> CrossProducts:
        return CrossProducts(self.columns)

    @cached_property
    def _row_products(self) -> RowProducts:
        return RowProducts(self.columns)

    def fit(self, synthetic: Ints, maxit: int = 200, *, again: bool = False) -> LogitFit:
        """Fit the model, given how many of the records of each row are synthetic.

        The fit is the same `again`, up to rounding, and sooner there if there are many of them.
        """
        products: Products | None = None
        if not self._saturated:
            products = self._row_products if again else self._products
        steps = _Iterations(self.columns, products, synthetic, self.n, self._factor, maxit)
        with one_thread(self.rank):
            steps.run()
        return LogitFit(
            score=steps.score,
            coefficients=steps.coefficients,
            errors=steps.errors(),
            iterations=steps.iterations,
            converged=steps.converged,
            complete=steps.complete,
            separated=steps.separated,
            unstable=steps.unstable,
        )

    def linear(self, synthetic: Ints) -> tuple[Floats, Floats]:
        """Coefficients of the linear probability model, and their z values.

        They see in one step, and without going to infinity, what the logistic fit sees.
        """
        c = float(synthetic.sum() / self.n.sum())
        right = self.columns.T @ (synthetic - self.n * c)
        coefficients: Floats = linalg.cho_solve((self._factor, False), right)
        variance = np.einsum("ij,ij->i", self._inverse_root, self._inverse_root) * c * (1.0 - c)
        return coefficients, coefficients / np.sqrt(variance)

    def lost_without(self, synthetic: Ints, columns: Sequence[Ints]) -> list[float]:
        """Part of the linear model's pMSE that is lost without each group of kept columns."""
        coefficients, _ = self.linear(synthetic)
        out = []
        for group in columns:
            some = self._inverse_root[group]
            factor = linalg.cho_factor(some @ some.T)
            own = coefficients[group]
            out.append(float(own @ linalg.cho_solve(factor, own)) / float(self.n.sum()))
        return out

    @property
    def _inverse_root(self) -> Floats:
        if self._root is None:
            self._root = np.triu(linalg.lapack.dtrtri(self._factor, lower=0)[0])
        return self._root


class _Iterations:
    def __init__(
        self,
        columns: sparse.csr_matrix,
        products: Products | None,
        synthetic: Ints,
        n: Floats,
        factor: Floats,
        maxit: int,
    ) -> None:
        self.columns, self.products, self.factor, self.maxit = columns, products, factor, maxit
        self.n, self.s = n, synthetic.astype(np.float64)
        self.d = n - self.s
        self.coefficients = np.zeros(columns.shape[1])
        self.iterations, self.converged, self.complete = 0, False, False
        self.unstable = self.stalled = False
        self.ridge = 0.0
        self.after: float | None = None  # deviance after the step, where it was looked at
        self.separated: Bools = np.zeros(len(self.n), dtype=bool)
        self.cholesky: Floats | None = None

    def run(self) -> None:
        deviance = math.inf  # the first step is taken whatever it is worth
        pure = bool(((self.s == 0) | (self.d == 0)).all())
        eta = np.zeros(len(self.n))
        while self.iterations < self.maxit:
            self.iterations += 1
            if self.iterations == 1:
                move, step = self._first()
            else:
                move, step = self._newton(eta, deviance)
            last, before = deviance, eta
            eta, move, deviance = self._advance(eta, step, move, last)
            self.coefficients = self.coefficients + move
            if pure and bool(np.where(self.s > 0, eta > 0, eta < 0).all()):
                self.complete = self.converged = True
                self.separated = np.ones(len(self.n), dtype=bool)
                self.score = (self.s > 0).astype(np.float64)
                return
            slow = self.ridge > _HEAVY and last - deviance < _WORTH_A_STEP * last
            if slow and len(self.coefficients) >= _MANY:
                break  # a step takes long, and is worth little; the fit has not converged
            if abs(deviance - last) / (abs(deviance) + 0.1) < _TOLERANCE:
                self.converged = not self.stalled
                break
        self.separated = np.abs(eta - before) > _STILL_MOVING
        if self.unstable:  # shortened steps may hide that a score is on its way
            self.separated |= np.abs(eta) > _BEYOND_DOUBT
        self.score = _score(eta)

    def _first(self) -> tuple[Floats, Floats]:
        z = _START * (self.s - self.d)
        if self.products is None:
            return self._coefficients(z / self.n), z / self.n
        move: Floats = linalg.cho_solve((self.factor, False), self.columns.T @ z)
        return move, self.columns @ move

    def _newton(self, eta: Floats, last: float) -> tuple[Floats, Floats]:
        score = _score(eta)
        weight = self.n * score * (1.0 - score)
        residual = self.s - self.n * score
        if self.products is None:
            step = residual / weight
            return self._coefficients(step), step
        return self._solve(self.products(weight), self.columns.T @ residual, eta, last)

    def _coefficients(self, step: Floats) -> Floats:
        """Coefficients of a change of the predictor when every row has one of its own."""
        out: Floats = linalg.cho_solve((self.factor, False), self.columns.T @ (self.n * step))
        return out

    def _advance(
        self, eta: Floats, step: Floats, move: Floats, last: float
    ) -> tuple[Floats, Floats, float]:
        first = self.iterations == 1
        deviance, self.after = self.after, None
        for _ in range(30):
            new = eta + step
            deviance = self._deviance(new) if deviance is None else deviance
            if first or deviance <= last * _MAY_RISE:
                return new, move, deviance
            step, move, self.unstable, deviance = step / 2.0, move / 2.0, True, None
        self.stalled = True
        return eta, np.zeros_like(move), last

    def _deviance(self, eta: Floats) -> float:
        at = np.clip(eta, -_LARGEST, _LARGEST)
        size = np.abs(at)
        # -log of the score of a synthetic record, and of one minus that of an original one, are
        # log(1 + exp(-size)), and size more where the score is on the wrong side of 1/2
        wrong = np.where(at > 0, self.d, self.s)
        return float(2.0 * (self.n @ np.log1p(np.exp(-size)) + wrong @ size))

    def _solve(
        self, products: Floats, right: Floats, eta: Floats, last: float
    ) -> tuple[Floats, Floats]:
        """Solve for the change of the coefficients, and of the predictor.

        The full step is taken if it lowers the deviance. Where separation has left a direction
        without weight, so that it does not, a ridge keeps the step finite and downhill.
        """
        scale = 1.0 / np.sqrt(np.maximum(np.diag(products), np.finfo(float).tiny))
        products *= scale
        products *= scale[:, None]
        diagonal = np.diag_indices_from(products)
        ridge = 0.0
        while True:
            products[diagonal] = 1.0 + ridge
            factor, fault = linalg.lapack.dpotrf(products, lower=0, clean=0)
            if fault == 0 and (ridge or float(np.diag(factor).min()) ** 2 > _LOST_PIVOT):
                move: Floats = linalg.cho_solve((factor, False), right * scale) * scale
                step: Floats = self.columns @ move
                self.after = self._deviance(eta + step)
                falls = self.after <= last * _MAY_RISE
                if ridge > 1.0 or (falls and self._near_enough(eta, step)):
                    break
            ridge = max(10.0 * ridge, self.ridge / 100.0, _RIDGE)
            self.unstable = True
        self.ridge = ridge
        self.cholesky = None if ridge else factor / scale
        return move, step

    def _near_enough(self, eta: Floats, step: Floats) -> bool:
        """Refuse leaps of a model with thousands of columns: shorter steps get further.

        A row of one data set that is told right beyond doubt may go on as far as it likes.
        """
        if len(self.coefficients) < _MANY:
            return True
        certain = (eta > _BEYOND_DOUBT) & (step > 0) & (self.d == 0)
        certain |= (eta < -_BEYOND_DOUBT) & (step < 0) & (self.s == 0)
        return bool((certain | (np.abs(step) <= _LEAP)).all())

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
