"""Separation: a combination of the predictors that predicts an outcome without error."""

from __future__ import annotations

import numpy as np

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
    answer = linprog(
        -gains.sum(axis=0),
        A_ub=-gains,
        b_ub=np.zeros(len(gains)),
        A_eq=fixed if len(fixed) else None,
        b_eq=np.zeros(len(fixed)) if len(fixed) else None,
        bounds=(-1, 1),
        method="highs",
    )
    if not answer.success or answer.x is None:
        return []
    direction = np.asarray(answer.x)
    if float((gains @ direction).sum()) < _ZERO:
        return []
    return [int(j) for j in np.flatnonzero(np.abs(direction) > _ZERO)]


def _distinct(rows: Floats) -> Floats:
    """Drop repeated rows; rows are told apart by one random combination of their values."""
    mark = rows @ np.random.default_rng(0).normal(size=rows.shape[1])
    _, first = np.unique(mark, return_index=True)
    out: Floats = rows[first]
    return out
