"""Roots of covariances, from which normal numbers are drawn alike on every machine."""

from __future__ import annotations

import numpy as np

from sdcmetrics.microdata.arrays import Floats


def symmetric_root(covariance: Floats) -> Floats:
    """Return the symmetric matrix whose square is a covariance, shape (k, k).

    Eigenvectors are not unique: their signs, and their directions where eigenvalues are equal,
    depend on the processor, and so would draws that are made with them. The symmetric root is.

    Examples
    --------
    >>> symmetric_root(np.array([[5.0, 4.0], [4.0, 5.0]])).round(12).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    sizes, axes = np.linalg.eigh(covariance)
    out: Floats = (axes * np.sqrt(np.maximum(sizes, 0.0))) @ axes.T
    return out
