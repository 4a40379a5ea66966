"""How the cells of a table vary where records are drawn, the margins of the table given.

With E the expected table, counts vary around it as Poisson counts of which rows and columns take
their part: the covariance of cells i and j is E_i [i = j] - E_i E_j x_i' G x_j, x being the row and
the column of a cell, and G the inverse of the margins' own covariance. Where each row meets most
columns that is about E_i (1 - E_i / R) (1 - E_i / C). Where one column (nearly) follows from the
other, as a year of birth does from age, little or nothing is free.
"""

from __future__ import annotations

import numpy as np

from sdcmetrics.microdata.arrays import Bools, Floats, Ints

_MOST_LEVELS = 1_000
"""Of the column that has fewer, whose part is solved for in less than a second."""
_MOST = 1 << 24
"""Levels of one column times those of the other, or times cells, that are held: 128 MB."""
_NOTHING = 1e-9
_MOST_STEPS = 1 << 31
"""Multiplications for the covariance of all pairs of cells, some seconds."""


def covariance_of_records(levels: tuple[Ints, Ints], expected: Floats, chosen: Bools) -> Floats:
    """Return the covariance of counts in some cells of a table when records are drawn.

    Parameters
    ----------
    levels : pair of int arrays of shape (cells,)
        Row and column of each cell.
    expected : float array of shape (cells,)
    chosen : bool array of shape (cells,)
        Of which cells; each expects more than nothing.

    Returns
    -------
    float array of shape (chosen cells, chosen cells) or (chosen cells,)
        Variances alone where there are many cells; empty where there are too many levels to tell.

    Examples
    --------
    >>> rows, columns = np.divmod(np.arange(6), 3)
    >>> covariance_of_records((rows, columns), np.full(6, 6.0), np.arange(6) < 2)
    array([[ 2., -1.],
           [-1.,  2.]])
    """
    filled = expected > 0.0
    used = [np.unique(level[filled], return_inverse=True) for level in levels]
    (row, column) = (index for _, index in sorted(used, key=lambda each: -len(each[0])))
    tall, wide = (1 + int(index.max(initial=-1)) for index in (row, column))
    number = int(chosen.sum())
    if wide > _MOST_LEVELS or wide * max(tall, number) > _MOST:
        return np.empty(0)
    part, few = expected[filled], chosen[filled]
    shares = np.zeros((tall, wide))
    np.add.at(shares, (row, column), part)
    rows = shares.sum(axis=1, keepdims=True)
    columns = np.diag(shares.sum(axis=0)) - shares.T @ (shares / rows)
    place = row[few]
    effects = -(shares / rows)[place]
    effects[np.arange(number), column[few]] += 1.0
    # It is singular, as margins add up; but effects add up to nothing, where it is not.
    columns[np.diag_indices(wide)] += _NOTHING * columns.max()
    weights, of = part[few], rows[place, 0]
    solved_effects = np.linalg.solve(columns, effects.T).T
    if number * number * wide > _MOST_STEPS or number * number > _MOST:
        free = 1.0 / of + (solved_effects * effects).sum(axis=1)
        variances: Floats = weights - weights**2 * free
        return variances
    taken = solved_effects @ effects.T + (place[:, None] == place) / of
    out: Floats = np.diag(weights) - weights[:, None] * weights * taken
    return out
