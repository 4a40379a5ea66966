"""Weighted cross-products of a model matrix, row by row, for models that are fitted many times."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.compiled import compiled

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
        """Return X'WX, of shape (columns, columns); below the diagonal it says nothing."""
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
