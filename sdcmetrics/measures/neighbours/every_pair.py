"""Distances of all pairs of records, where equal records are exactly 0 apart."""

from __future__ import annotations

import numpy as np

from sdcmetrics.microdata.arrays import Floats


def squared_distances(points: Floats) -> Floats:
    """Squared distance of every two points; shape (n, n).

    By one product of matrices, whose rounding leaves equal points some 1e-15 apart or not, as the
    order of records has it. They are put at 0, so that what is above 0 is a distance.

    Examples
    --------
    >>> squared_distances(np.array([[0.1, 0.2], [0.1, 0.2], [3.1, 4.2]])).round(9).tolist()
    [[0.0, 0.0, 25.0], [0.0, 0.0, 25.0], [25.0, 25.0, 0.0]]
    """
    size = np.einsum("ij,ij->i", points, points)
    out: Floats = points @ points.T
    out *= -2.0
    out += size[:, None]
    out += size
    np.maximum(out, 0.0, out=out)
    _, first, copies = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    first = first.ravel()
    for record in np.flatnonzero(copies > 1):
        rows = np.flatnonzero(first == record)
        out[np.ix_(rows, rows)] = 0.0
    np.fill_diagonal(out, 0.0)
    return out
