"""Model matrix of main effects and interactions, and its weighted cross-products.

Columns are as in R's treatment contrasts: main effects in the order of the predictors, then
pairs (1, 2), (1, 3), ..., then triples; within a term the levels of the first predictor run
fastest. A column in which every record is zero (levels that never occur together) is left out.
Numbers are centred and scaled: with all lower terms in the model that changes neither its rank
nor its fitted values, only its conditioning.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from sdcmetrics.measures.propensity.predictors import Predictor, Scale
from sdcmetrics.microdata.arrays import Floats, Ints

Term = tuple[int, ...]

_DENSE_RATE = 3e10  # multiplications a second of a dense product; the others beside it
_CROSS_RATE = 7e8
_SPARSE_RATE = 3e8


def terms_of(n: int, maxorder: int) -> list[Term]:
    """Return the terms of n predictors: the intercept, main effects, pairs, ...

    Examples
    --------
    >>> terms_of(3, 1)
    [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    """
    return [t for size in range(maxorder + 2) for t in itertools.combinations(range(n), size)]


def count_parameters(predictors: Sequence[Predictor], maxorder: int) -> int:
    """Count the columns that a model has before empty and aliased ones are left out.

    As elementary symmetric sums of (levels - 1), so that no term has to be listed.
    """
    sums = [1] + [0] * (maxorder + 1)
    for predictor in predictors:
        for order in range(maxorder + 1, 0, -1):
            sums[order] += sums[order - 1] * (predictor.size - 1)
    return sum(sums)


@dataclass(frozen=True)
class ModelMatrix:
    """A sparse model matrix with columns of length one.

    Attributes
    ----------
    columns : sparse matrix of shape (records, columns)
    terms : list of Term
        Positions of predictors.
    term : int array of shape (columns,)
        The term of each column.
    level : int array of shape (columns,)
        Which of the term's columns it is, empty ones counted.
    empty : int
        Number of columns that were left out because every record is zero.
    """

    columns: sparse.csr_matrix
    terms: list[Term]
    term: Ints
    level: Ints
    empty: int

    def label(self, column: int, predictors: Sequence[Predictor]) -> str:
        """Name a column as R does, such as ``sexF:age``."""
        term = self.terms[self.term[column]]
        rest, parts = int(self.level[column]), []
        for position in term:
            predictor = predictors[position]
            if predictor.scale is Scale.NUMBER:
                parts.append(predictor.name)
                continue
            rest, code = divmod(rest, predictor.size - 1)
            text = predictor.labels[code + 1]
            parts.append(predictor.name + ("NA" if text is None else text))
        return ":".join(parts) or "(Intercept)"


def model_matrix(
    predictors: Sequence[Predictor], records: Ints, weights: Ints, maxorder: int
) -> ModelMatrix:
    """Make the model matrix of the given records.

    Parameters
    ----------
    predictors : sequence of Predictor
    records : int array
        Which of the stacked records make the rows: one of each kind.
    weights : int array
        How many records each row stands for.
    maxorder : int
        0 for main effects, 1 with all pairs, ...
    """
    singles = [_main_effect(p, records, weights) for p in predictors]
    terms = terms_of(len(predictors), maxorder)
    rows, columns, values = [], [], []
    term_of, level_of = [], []
    at = empty = 0
    every = np.arange(len(records))
    for number, term in enumerate(terms):
        index = np.zeros(len(records), dtype=np.int64)
        value = np.ones(len(records))
        present = np.ones(len(records), dtype=bool)
        size = 1
        for position in term:
            code, factor, levels = singles[position]
            present &= code >= 0
            index += code * size
            value = value * factor if factor is not None else value
            size *= levels
        present &= value != 0
        here = every[present]
        used, place = np.unique(index[present], return_inverse=True)
        empty += size - len(used)
        rows.append(here)
        columns.append(place + at)
        values.append(value[present])
        term_of.append(np.full(len(used), number))
        level_of.append(used)
        at += len(used)
    row, column = np.concatenate(rows), np.concatenate(columns)
    entry: Floats = np.concatenate(values)
    length = np.sqrt(np.bincount(column, weights=entry**2 * weights[row], minlength=at))
    entries = (entry / length[column], (row, column))
    matrix: sparse.csr_matrix = sparse.csr_matrix(entries, shape=(len(records), at))
    return ModelMatrix(matrix, terms, np.concatenate(term_of), np.concatenate(level_of), empty)


def _main_effect(
    predictor: Predictor, records: Ints, weights: Ints
) -> tuple[Ints, Floats | None, int]:
    """Return the column of each record within the term (-1 for none), its value, the columns."""
    values = predictor.values[records]
    if predictor.scale is not Scale.NUMBER:
        return values.astype(np.int64) - 1, None, predictor.size - 1
    code = np.zeros(len(values), dtype=np.int64)
    distinct = np.unique(values)
    if len(distinct) == 2:  # noqa: PLR2004  (two values are one column of zeros and ones)
        return code, (values == distinct[1]).astype(np.float64), 1
    mean = np.average(values, weights=weights)
    centred = values - mean
    spread = math.sqrt(float(np.average(centred**2, weights=weights)))
    return code, centred / spread, 1


class CrossProducts:
    """Computes X'WX for many weights W: well filled columns as dense, the others as sparse."""

    def __init__(self, columns: sparse.csr_matrix) -> None:
        n, self.size = columns.shape
        filled = np.bincount(columns.indices, minlength=self.size)
        order = np.argsort(-filled, kind="stable")
        dense = order[: _best_split(columns, filled, order)]
        self._dense_at = np.sort(dense)
        self._sparse_at = np.setdiff1d(np.arange(self.size), dense)
        by_column = columns.tocsc()
        self._dense = by_column[:, self._dense_at].toarray(order="F")
        self._sparse = by_column[:, self._sparse_at].tocsr()
        self._row = np.repeat(np.arange(n), np.diff(self._sparse.indptr))
        self._transposed = self._sparse.T.tocsr()

    def __call__(self, weights: Floats) -> Floats:
        """Return X'WX, of shape (columns, columns)."""
        out = np.empty((self.size, self.size))
        d, s = self._dense_at, self._sparse_at
        weighted = self._dense * weights[:, None]
        if len(d):
            out[np.ix_(d, d)] = _square(self._dense * np.sqrt(weights)[:, None])
        if len(s):
            scaled = self._sparse.copy()
            scaled.data = self._sparse.data * weights[self._row]
            out[np.ix_(s, s)] = (self._transposed @ scaled).toarray()
        if len(d) and len(s):
            cross = self._transposed @ weighted
            out[np.ix_(s, d)] = cross
            out[np.ix_(d, s)] = cross.T
        return out


def _square(matrix: Floats) -> Floats:
    """Return A'A by scipy's BLAS, as the steps are solved by scipy's LAPACK.

    numpy has threads of its own; two sets of them on the same cores wait for each other.
    """
    upper: Floats = np.triu(linalg.blas.dsyrk(1.0, matrix, trans=1))  # no more is promised
    return upper + np.triu(upper, 1).T


def _best_split(columns: sparse.csr_matrix, filled: Ints, order: Ints) -> int:
    """Choose how many of the best filled columns are kept dense."""
    n, size = columns.shape
    rank = np.empty(size, dtype=np.int64)
    rank[order] = np.arange(size)
    sample = columns[np.linspace(0, n - 1, min(n, 500)).astype(np.int64)]
    ranks, row = rank[sample.indices], np.repeat(range(sample.shape[0]), np.diff(sample.indptr))
    total = filled[order].cumsum()
    best, lowest = 0, math.inf
    for dense in sorted({0, *(int(size * f) for f in (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1))}):
        sparse_in_row = np.bincount(row[ranks >= dense], minlength=sample.shape[0])
        left = float(np.mean(sparse_in_row.astype(np.float64) ** 2)) * n
        nonzero = float(total[-1] - (total[dense - 1] if dense else 0))
        memory = n * dense * 8
        cost = n * dense**2 / _DENSE_RATE + nonzero * dense / _CROSS_RATE + left / _SPARSE_RATE
        if cost < lowest and (memory < 3e9 or dense == 0):  # noqa: PLR2004  (bytes)
            best, lowest = dense, cost
    return best
