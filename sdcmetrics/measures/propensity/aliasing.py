"""Which columns of a model matrix depend on earlier ones."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse

from sdcmetrics.measures.propensity.model_matrix import CrossProducts
from sdcmetrics.microdata.arrays import Floats, Ints

_DOUBTFUL = (1e-6, 1e-3)  # squared rest of a column that the Gram matrix cannot be trusted below
_FEW = 64
_DEPENDENT = 1e-10
_DEPENDENT_AMONG_MANY = 1e-6  # where rounding of thousands of columns adds up
_AT_ONCE = 256
_BLOCK = 128  # columns treated together
_WORTH_CHECKING = 5e9
_SKETCHES = 4


def ordered_cholesky(gram: Floats, tolerance: float) -> tuple[Ints, Floats]:
    """Cholesky factor of a Gram matrix, column after column, leaving out dependent columns.

    Parameters
    ----------
    gram : float array of shape (columns, columns)
        Cross-products of columns of length one.
    tolerance : float
        A column is left out if the square of what is left of its length is not above this.

    Returns
    -------
    int array
        Columns kept, in order.
    float array
        Upper triangular U with U'U the Gram matrix of the kept columns.

    Examples
    --------
    The third column is the sum of the first two, over the root of 2.

    >>> half = 0.5**0.5
    >>> gram = np.array([[1, 0, half], [0, 1, half], [half, half, 1]])
    >>> ordered_cholesky(gram, 1e-9)[0].tolist()
    [0, 1]
    """
    size = len(gram)
    upper = np.zeros((size, size))
    independent: list[int] = []
    rank = 0
    for start in range(0, size, _BLOCK):
        stop = min(start + _BLOCK, size)
        rest = gram[start:stop, start:] - upper[:rank, start:stop].T @ upper[:rank, start:]
        here, factor = _within(rest[:, : stop - start], tolerance)
        rows = slice(rank, rank + len(here))
        upper[rows, start:] = linalg.solve_triangular(factor, rest[here], trans="T")
        rank += len(here)
        independent.extend((start + here).tolist())
    chosen = np.array(independent, dtype=np.int64)
    return chosen, np.triu(upper[:rank][:, chosen])


def _within(square: Floats, tolerance: float) -> tuple[Ints, Floats]:
    left = square.copy()
    size = len(left)
    independent: list[int] = []
    rows = np.zeros((size, size))
    for j in range(size):
        if left[j, j] <= tolerance:
            continue
        row = left[j, j:] / np.sqrt(left[j, j])
        left[j:, j:] -= np.outer(row, row)
        rows[len(independent), j:] = row
        independent.append(j)
    chosen = np.array(independent, dtype=np.int64)
    return chosen, np.triu(rows[: len(independent)][:, chosen])


def independent_columns(
    columns: sparse.csr_matrix, weights: Floats
) -> tuple[sparse.csr_matrix, Ints, Floats]:
    """Choose the columns that do not depend on earlier ones.

    The Gram matrix tells dependence to about half of the digits only. What it leaves out is
    therefore checked on the columns themselves, as R does with its QR decomposition: a column
    whose rest is above 1e-10 of its length is taken back, as that rest.

    Returns
    -------
    sparse matrix
        The independent columns, spanning what all of them span.
    int array
        Their positions.
    float array
        Upper triangular Cholesky factor of their weighted cross-products.
    """
    gram = CrossProducts(columns)(weights)
    root = np.sqrt(weights)
    for tolerance in _DOUBTFUL:
        independent, factor = ordered_cholesky(gram, tolerance)
        others = np.setdiff1d(np.arange(columns.shape[1]), independent)
        left = _rest_on_sketches(columns, root, independent, others, gram, factor)
        doubtful = others[left > _DEPENDENT]
        if len(doubtful) <= _FEW:
            break
    smallest = _DEPENDENT
    if columns.nnz * len(doubtful) > _WORTH_CHECKING:
        smallest = _DEPENDENT_AMONG_MANY
        doubtful = others[left > smallest]
    del gram
    chosen = columns[:, independent]
    rests = np.empty((len(weights), 0))
    added = []
    for start in range(0, len(doubtful), _AT_ONCE):
        some = doubtful[start : start + _AT_ONCE]
        block = _rest(columns[:, some].toarray(), chosen, weights, factor)
        for j in range(len(some)):
            rest = block[:, j]
            for _ in range(2):
                rest = rest - rests @ (rests.T @ (weights * rest))
            length = float(np.linalg.norm(root * rest))
            if length > smallest:
                rests = np.column_stack([rests, rest / length])
                added.append(some[j])
    if not added:
        return chosen, independent, factor
    wider = sparse.hstack([chosen, sparse.csr_matrix(rests)]).tocsr()
    grown = np.zeros((len(independent) + len(added), len(independent) + len(added)))
    grown[: len(independent), : len(independent)] = factor
    grown[range(len(independent), len(grown)), range(len(independent), len(grown))] = 1.0
    return wider, np.concatenate([independent, added]), grown


def _rest_on_sketches(
    columns: sparse.csr_matrix,
    root: Floats,
    independent: Ints,
    others: Ints,
    gram: Floats,
    factor: Floats,
) -> Floats:
    """Estimate what is left of columns from a few random sums of records: cheap, no false zero."""
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (len(root), _SKETCHES))
    sums = columns.T @ (signs * root[:, None])
    share = linalg.cho_solve((factor, False), gram[np.ix_(independent, others)])
    out: Floats = np.abs(sums[others] - share.T @ sums[independent]).max(axis=1, initial=0.0)
    return out


def _rest(some: Floats, chosen: sparse.csr_matrix, weights: Floats, factor: Floats) -> Floats:
    """What is left of columns when the chosen ones are taken out; twice, for all digits."""
    rest = some
    for _ in range(2):
        share = linalg.cho_solve((factor, False), chosen.T @ (rest * weights[:, None]))
        rest = rest - chosen @ share
    return rest
