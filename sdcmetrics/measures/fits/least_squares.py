"""Least squares that leaves out aliased columns in order, as R does, and says which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["LeastSquares", "least_squares"]

Floats = npt.NDArray[np.float64]

_SHARE = 1e-7


@dataclass(frozen=True)
class LeastSquares:
    """Coefficients with their unscaled covariance.

    Attributes
    ----------
    coefficients : float array of shape (p,)
        NaN where the column is aliased.
    covariance : float array of shape (p, p)
        Inverse of X'WX over the columns that are not aliased; NaN elsewhere.
    kept : int array
        Columns that are not aliased.
    confounded : dict of aliased column to tuple of kept columns
        An aliased column is a sum of multiples of these. Empty for a column of zeros.
    """

    coefficients: Floats
    covariance: Floats
    kept: npt.NDArray[np.intp]
    confounded: dict[int, tuple[int, ...]]

    @property
    def rank(self) -> int:
        """Number of estimated coefficients."""
        return len(self.kept)


def least_squares(
    matrix: Floats, outcome: Floats, root_weights: Floats | None = None, *, tolerance: float = 1e-7
) -> LeastSquares:
    """Minimise the weighted sum of squares over the columns that are not aliased.

    Parameters
    ----------
    matrix : float array of shape (n, p)
    outcome : float array of shape (n,)
    root_weights : float array of shape (n,), optional
        Square roots of the weights.
    tolerance : float
        A column is aliased when what the columns before it leave of its length is less than
        this share.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 2.0], [1.0, 2.0, 4.0]])
    >>> fit = least_squares(x, np.array([1.0, 2.0, 3.0]))
    >>> fit.coefficients.round(10).tolist(), fit.confounded
    ([1.0, 1.0, nan], {2: (1,)})
    """
    n, p = matrix.shape
    whole = np.empty((n, p + 1))  # the outcome as a last column spares the orthogonal factor
    whole[:, :p], whole[:, p] = matrix, outcome
    if root_weights is not None:
        whole *= root_weights[:, None]
    triangle = np.asarray(np.linalg.qr(whole, mode="r"))
    r, rotated = triangle[:, :p], triangle[:, p]
    kept = _kept(r, tolerance)
    confounded: dict[int, tuple[int, ...]] = {}
    if len(kept) < p:
        confounded = _confounded(r, kept)
        q, r = np.linalg.qr(r[:, kept])
        rotated = q.T @ rotated
    coefficients = np.full(p, np.nan)
    covariance = np.full((p, p), np.nan)
    if len(kept):
        size = len(kept)
        r, rotated = r[:size, :size], rotated[:size]
        inverse = np.linalg.inv(r)
        coefficients[kept] = np.linalg.solve(r, rotated)
        covariance[np.ix_(kept, kept)] = inverse @ inverse.T
    return LeastSquares(coefficients, covariance, kept, confounded)


def _kept(r: Floats, tolerance: float) -> npt.NDArray[np.intp]:
    """Go through the columns of the triangle in order; its columns are as long as the matrix's."""
    kept: list[int] = []
    basis = np.zeros_like(r)
    for j in range(r.shape[1]):
        column = r[:, j].copy()
        length = float(np.linalg.norm(column))
        for _ in range(2):  # twice is enough against rounding
            column -= basis @ (basis.T @ column)
        left = float(np.linalg.norm(column))
        if length > 0 and left >= tolerance * length and len(kept) < r.shape[0]:
            basis[:, len(kept)] = column / left
            kept.append(j)
    return np.array(kept, dtype=np.intp)


def _confounded(r: Floats, kept: npt.NDArray[np.intp]) -> dict[int, tuple[int, ...]]:
    out: dict[int, tuple[int, ...]] = {}
    lengths = np.linalg.norm(r, axis=0)
    for j in sorted(set(range(r.shape[1])) - set(kept.tolist())):
        if lengths[j] == 0 or not len(kept):
            out[j] = ()
            continue
        multiples = np.linalg.lstsq(r[:, kept], r[:, j])[0]
        size = np.abs(multiples) * lengths[kept] / lengths[j]
        out[j] = tuple(kept[size > _SHARE].tolist())
    return out
