"""How the cells of a table vary where whole clusters are drawn, the margins of the table given.

With d the counts of one cluster, and E the expected table, its part of what the margins leave is
d - E (a + b), where a of the rows and b of the columns are such that the sums of rows and columns
of it are zero: the first order of raking to margins (iterative proportional fitting). The
covariance of the cells is the sum over the clusters of its products.
"""

from __future__ import annotations

import numpy as np

from sdcmetrics.microdata.arrays import Bools, Floats, Ints

_MOST_LEVELS = 1_000
"""Of both columns, up to which their margins are solved for, in less than a second."""


def covariance_of_drawn(
    levels: tuple[Ints, Ints], expected: Floats, cells: Ints, clusters: Ints, chosen: Bools
) -> Floats:
    """Return the covariance of counts in some cells of a table when clusters are drawn.

    Parameters
    ----------
    levels : pair of int arrays of shape (cells,)
        Row and column of each cell.
    expected : float array of shape (cells,)
        Expected counts; they may add up to another number of records than there are.
    cells, clusters : int arrays, one per record
        Its cell and its cluster, from 0.
    chosen : bool array of shape (cells,)
        Of which cells.

    Returns
    -------
    float array of shape (chosen cells, chosen cells)
        0 where the columns have too many levels to tell.
    """
    from scipy.sparse import csr_matrix  # large: only where there are clusters

    number = int(chosen.sum())
    used = [np.unique(level, return_inverse=True) for level in levels]
    sizes = [len(values) for values, _ in used]
    if sum(sizes) > _MOST_LEVELS:
        return np.zeros((number, number))
    row, column = (index for _, index in used)
    column = column + sizes[0]
    sums = np.zeros((sum(sizes), sum(sizes)))
    for of in (row, column):
        np.add.at(sums, (of, of), expected)
    sums[row, column] = sums[column, row] = expected
    solved = np.linalg.pinv(sums, hermitian=True)
    effects = (solved[:, row[chosen]] + solved[:, column[chosen]]) * expected[chosen]

    shape = 1 + int(clusters.max(initial=-1))
    ones = np.ones(len(cells))
    counts = csr_matrix((ones, (clusters, cells)), shape=(shape, len(expected)))[:, chosen]
    margins = csr_matrix((ones, (clusters, row[cells])), shape=(shape, sum(sizes)))
    margins += csr_matrix((ones, (clusters, column[cells])), shape=(shape, sum(sizes)))
    crossed = (margins.T @ counts).T @ effects
    products = (counts.T @ counts).toarray() - crossed - crossed.T
    products += effects.T @ (margins.T @ margins @ effects)
    covariance: Floats = products * (expected.sum() / len(cells))
    return covariance
