"""Factor analysis of mixed data: numbers and categories as points of few dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.microdata.arrays import Floats, Ints

_INERTIA, _MOST_AXES = 0.8, 20
"""Axes are taken until they hold this share of the inertia: the paper says no number."""


@dataclass(frozen=True)
class Axes:
    """Axes fitted to some records, onto which any records are projected.

    Attributes
    ----------
    eigenvalues : float array, largest first
        Inertia of every axis; they sum to the numbers plus the levels less one of each category.
    means, sizes : float arrays of shape (numbers,)
        Mean and population standard deviation of the numbers.
    shares : tuple of float arrays
        Share of each level of each category; 0 for one that the fitted records lack.
    rotation : float array of shape (columns, kept axes)
    """

    eigenvalues: Floats
    means: Floats
    sizes: Floats
    shares: tuple[Floats, ...]
    rotation: Floats

    def project(self, numbers: Sequence[Floats], codes: Sequence[Ints]) -> Floats:
        """Return coordinates, of shape (records, kept axes)."""
        return _table(numbers, codes, self.means, self.sizes, self.shares) @ self.rotation


def famd(numbers: Sequence[Floats], codes: Sequence[Ints], *, axes: int | None = None) -> Axes:
    """Fit the axes.

    Parameters
    ----------
    numbers : float arrays of shape (records,), nothing missing
    codes : int arrays of shape (records,), from 0
    axes : int, optional
        How many are kept; by default as many as hold 80 % of the inertia, at most 20.

    Notes
    -----
    Numbers over their standard deviation; a level's indicator over the root of its share, less
    that root; then principal components, by the eigenvectors of the columns' matrix, which is
    small whatever the number of records. A constant number adds nothing.

    References
    ----------
    Saporta (1990); Pages (2004), Revue de statistique appliquee 52(4), 93-111.

    Examples
    --------
    >>> fitted = famd([np.array([1.0, 2.0, 3.0, 4.0])], [np.array([0, 0, 1, 1])])
    >>> fitted.eigenvalues.round(4).tolist()
    [1.8944, 0.1056]
    """
    means = np.array([part.mean() for part in numbers])
    sizes = np.array([part.std() if np.ptp(part) else np.inf for part in numbers])
    shares = tuple(np.bincount(part) / len(part) for part in codes)
    table = _table(numbers, codes, means, sizes, shares)
    values, vectors = np.linalg.eigh(table.T @ table / len(table))
    values, vectors = values[::-1], vectors[:, ::-1]
    values = values[values > 1e-12 * max(values[0], 1.0)]  # each category has one axis of nothing
    if axes is None:
        enough = int(np.searchsorted(np.cumsum(values) / values.sum(), _INERTIA)) + 1
        axes = min(enough, _MOST_AXES)
    return Axes(values, means, sizes, shares, vectors[:, : min(axes, len(values))])


def _table(
    numbers: Sequence[Floats],
    codes: Sequence[Ints],
    means: Floats,
    sizes: Floats,
    shares: Sequence[Floats],
) -> Floats:
    """Return the columns that are rotated; a level that the fitted records lack has none."""
    blocks = [
        ((part - mean) / size)[:, None]
        for part, mean, size in zip(numbers, means, sizes, strict=True)
    ]
    for part, share in zip(codes, shares, strict=True):
        occurring = np.flatnonzero(share)
        root = np.sqrt(share[occurring])
        blocks.append((part[:, None] == occurring) / root - root)
    return np.hstack(blocks)
