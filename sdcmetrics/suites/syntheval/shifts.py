"""How far the distribution of each column moved, with an exact p from counts.

Permuting records of two data sets is drawing the counts of one of them from the pooled counts: a
multivariate hypergeometric draw, which takes no longer for many records than for few.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.arrays import Counts, Floats

PERMUTATIONS = 999
CELLS = 500
"""Cells of a number's pooled distribution when p is drawn: of so many, each has 1/500 at most or
is a single value; the statistic itself is of all values."""


@dataclass(frozen=True)
class Shift:
    """How far one column moved.

    Attributes
    ----------
    statistic : float, 0 to 1
        Kolmogorov and Smirnov's largest difference of distribution functions for a number, the
        total variation distance for a category.
    p : float
        Probability that records exchanged at random give as much, or more.
    """

    statistic: float
    p: float


def shift_of_counts(
    original: Counts,
    synthetic: Counts,
    rng: np.random.Generator,
    *,
    ordered: bool = False,
    permutations: int = PERMUTATIONS,
    drawn: Counts | None = None,
) -> Shift:
    """Compare the counts of two data sets over the same cells.

    Parameters
    ----------
    original, synthetic : int arrays of shape (cells,)
    rng : numpy Generator
    ordered : bool
        Whether the cells are in order, so that distribution functions are compared.
    permutations : int
    drawn : int array of shape (permutations, cells), optional
        Counts of the original where labels are exchanged, such as `Households.counts` draws.

    Returns
    -------
    Shift

    Notes
    -----
    Statistics are compared as whole numbers, n_s times a count less n_o times the other, so that
    no rounding breaks a tie.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> shift_of_counts(np.array([6, 0]), np.array([0, 6]), rng).statistic
    1.0
    """
    n, m = int(original.sum()), int(synthetic.sum())
    pooled = original + synthetic
    observed = _scaled(original[None, :], pooled, n, m, ordered=ordered)[0]
    statistic = float(observed / (n * m if ordered else 2 * n * m))
    if drawn is None:
        drawn = rng.multivariate_hypergeometric(pooled, n, size=permutations, method="marginals")
    reached = int((_scaled(drawn, pooled, n, m, ordered=ordered) >= observed).sum())
    return Shift(statistic, (1 + reached) / (1 + len(drawn)))


def shift_of_numbers(
    original: Floats,
    synthetic: Floats,
    rng: np.random.Generator,
    households: Households | None = None,
) -> Shift:
    """Compare the distribution functions of two samples; missing values come last.

    The p allows for ties: it is drawn from the pooled values, in at most some 500 cells.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> shift_of_numbers(np.array([1.0, 2, 3, 4]), np.array([3.0, 4, 5, 6]), rng).statistic
    0.5
    """
    pool = np.concatenate([original, synthetic])
    distinct, places = np.unique(pool, return_inverse=True, equal_nan=True)
    size = len(distinct)
    counts = [
        np.bincount(part, minlength=size) for part in np.split(places.ravel(), [len(original)])
    ]
    n, m = len(original), len(synthetic)
    exact = float(_scaled(counts[0][None, :], counts[0] + counts[1], n, m, ordered=True)[0])
    if size > CELLS:
        before = np.cumsum(counts[0] + counts[1]) - counts[0] - counts[1]
        cell = np.unique(before * CELLS // (n + m), return_inverse=True)[1].ravel()
        places = cell[places.ravel()]
        counts = [np.bincount(cell, weights=count).astype(np.int64) for count in counts]
    drawn = None
    if households is not None:
        drawn = households.counts(places.ravel(), len(counts[0]), PERMUTATIONS, rng)
    p = shift_of_counts(counts[0], counts[1], rng, ordered=True, drawn=drawn).p
    return Shift(exact / (n * m), p)


def hellinger(original: Counts, synthetic: Counts) -> float:
    """Hellinger distance of two distributions over the same cells, 0 to 1.

    Examples
    --------
    >>> hellinger(np.array([3, 0]), np.array([0, 5])), hellinger(np.array([3, 3]), np.array([6, 6]))
    (1.0, 0.0)
    """
    overlap = float(np.sqrt(original / original.sum() * (synthetic / synthetic.sum())).sum())
    return math.sqrt(max(0.0, 1.0 - overlap))


def _scaled(
    drawn: npt.NDArray[np.int64], pooled: Counts, n: int, m: int, *, ordered: bool
) -> npt.NDArray[np.int64]:
    """Return a multiple of the statistic of each draw, as whole numbers."""
    off = (n + m) * drawn - n * pooled  # m a - n b, where b is what is left of the pool
    if ordered:
        out: npt.NDArray[np.int64] = np.abs(np.cumsum(off, axis=1)).max(axis=1)
        return out
    sums: npt.NDArray[np.int64] = np.abs(off).sum(axis=1)
    return sums
