"""Records that belong together or count unequally: the test of a table by clusters and weights.

People of one household are alike, so that fresh samples of households differ by more than fresh
samples of people. With V the covariance of the cell shares of either side as its clusters show it,
p the pooled shares, and G = nm/(n+m) diag(p)^-1/2 (V_original + V_replica) diag(p)^-1/2, X2 has the
mean t1 = tr G under the same population, and X2 / t1 is compared with F(d0, d0 nu), where
d0 = t1^2 / tr G^2 and nu + 1 is the smaller number of clusters.

In a weighted sample shares are sums of weights over their total, and the part of a cluster is its
sum of weights (linearised, with replacement); without clusters each record is one. What strata gain
is left aside, so that less is called.

References
----------
Rao, J. N. K. and Scott, A. J. (1984). On chi-squared tests for multiway contingency tables with
cell proportions estimated from survey data. Annals of Statistics 12, 46-60.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.homogeneity.exchange import Statistics
from sdcmetrics.measures.records import Records, Weights
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats, Ints

FEW_CLUSTERS = 30

_NOTHING = 1e-9
_FEW_IN_CELL = 5
"""Clusters of a cell from which the spread of a cell is estimated."""


@dataclass(frozen=True, repr=False)
class Clusters:
    """Which records of original and synthesis belong together.

    Attributes
    ----------
    original, synthetic : int arrays, one per record
        Numbered from 0 on either side; clusters of the two sides have nothing in common. The second
        is None where the synthesis does not say which of its records belong together.
    name : str
        The column that says so; empty where each record is a cluster of its own.
    weights : pair of float arrays, or None
        What each record of original and synthesis counts; None where all count the same. The second
        is None where those of the synthesis do.
    """

    original: Ints
    synthetic: Ints | None
    name: str = ""
    weights: Weights | None = None

    @property
    def effective(self) -> float:
        """As how many records of equal weight those of a side count, at least (Kish)."""
        sides = [side for side in self.weights or () if side is not None]
        return min((float(w.sum() ** 2 / (w**2).sum()) for w in sides), default=np.inf)

    @property
    def alone(self) -> bool:
        """Whether each record is a cluster of its own, in their order, on both sides."""
        return self.synthetic is not None and all(
            np.array_equal(side, np.arange(len(side))) for side in (self.original, self.synthetic)
        )

    @property
    def few(self) -> bool:
        """Whether there are too few clusters on a side to notice much."""
        return bool(self.name) and self.fewer < FEW_CLUSTERS

    @property
    def fewer(self) -> int:
        """The smaller number of clusters."""
        sides = (self.original,) if self.synthetic is None else (self.original, self.synthetic)
        return 1 + int(min(side.max(initial=-1) for side in sides))


def clusters_of(records: Records) -> Clusters | None:
    """Number the clusters of both sides; a record without one is a cluster of its own.

    Returns
    -------
    Clusters or None
        None where all records are drawn one by one and count the same.
    """
    column, weights = records.cluster, records.weights
    if weights is not None and all(side is None or _all_equal(side) for side in weights):
        weights = None
    if column is None:
        if weights is None:
            return None
        return Clusters(np.arange(records.n), np.arange(records.m), weights=weights)
    synthetic = _numbered(column.replica) if len(column.replica) else None
    return Clusters(_numbered(column.original), synthetic, column.name, weights)


def _all_equal(weights: Floats) -> bool:
    return bool(weights.min(initial=np.inf) >= weights.max(initial=0.0))


def _numbered(values: npt.NDArray[Any]) -> Ints:
    missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
    codes = np.empty(len(values), dtype=np.int64)
    codes[~missing] = pd.factorize(values[~missing])[0]
    first = 1 + codes[~missing].max(initial=-1)
    codes[missing] = first + np.arange(int(missing.sum()))
    return codes


class ClusterTest:
    """Tests tables of one pair of sides by their clusters.

    Records of a synthesis that does not say which of them belong together are taken to do so as
    much as those of the original: where they were drawn one by one less is called than could be.
    """

    def __init__(self, clusters: Clusters) -> None:
        first, second = clusters.weights or (None, None)
        own, alone = clusters.synthetic, clusters.alone
        self._original = _Side(clusters.original, first, alone=alone)
        self._synthetic = None if own is None else _Side(own, second, alone=alone)
        self._weights = second
        self._fewer = clusters.fewer

    def __call__(self, original: Ints, synthetic: Ints, size: int) -> list[float]:
        """Return the statistics of one table, as `Statistics` lists them.

        Parameters
        ----------
        original, synthetic : int arrays, one per record
            Its cell, 0 to size - 1, of which each is filled on some side.
        """
        n, m = len(original), len(synthetic)
        first = self._original.shares(original, size)
        shares = _shares(synthetic, size, self._weights)
        if self._synthetic is None:
            second = first.of_synthesis(shares, n, m)
            fewer = min(1.0, m / n) * self._fewer
        else:
            fewer = self._fewer
            second = self._synthetic.shares(synthetic, size)
        pooled = (n * first.shares + m * shares) / (n + m)
        scale = n * m / (n + m)
        t1, t2 = _traces(first, second, pooled, scale)
        apart = (first.shares - shares) ** 2
        x2 = scale * float((apart / pooled).sum())
        if t1 <= _NOTHING:  # all clusters are alike, so that any difference is none of chance
            p = float(x2 <= _NOTHING)
            w = float(np.sqrt(2.0 * (apart / (first.shares + shares)).sum()))
            return [float(size), x2, 0.0, 0.0, p, w, 2.0 * x2 / (size - 1), 0.0]
        d0 = t1**2 / max(t2, t1**2 / (size - 1))  # rounding may leave less
        d2 = d0 * max(fewer - 1.0, 1.0)
        size_of = float((apart / (first.shares + shares)).sum()) - t1 / (2.0 * scale)
        return [
            float(size),
            x2,
            t1,
            t1**2 * _variance_of_f(d0, d2),
            float(lazy.special.fdtrc(d0, d2, x2 / t1)),
            float(np.sqrt(2.0 * max(size_of, 0.0))),
            2.0 * x2 / (size - 1),
            t2 / t1,
        ]


def _variance_of_f(d0: float, d2: float) -> float:
    """Return the variance of F(d0, d2), which is infinite up to 4 degrees of freedom below."""
    if d2 <= 4.0:  # noqa: PLR2004
        return float("inf")
    return 2.0 * d2**2 * (d0 + d2 - 2.0) / (d0 * (d2 - 2.0) ** 2 * (d2 - 4.0))


@dataclass(frozen=True, repr=False)
class _Shares:
    """Cell shares of one side, and the parts of their covariance k (P - v p' - p v' + s p p')."""

    shares: Floats
    products: Any  # P: sums over clusters of products of the cells' parts, a sparse matrix; its
    # diagonal where each record is a cluster, so that it has nothing else
    weighted: Floats  # v: of parts and the cluster's own
    sizes: float  # s: of squared parts of clusters
    factor: float  # k: a / (a - 1)
    clusters: Ints  # of each cell

    def of_synthesis(self, shares: Floats, n: int, m: int) -> _Shares:
        """Return the same of m records that belong together as the n of this side do.

        In cells of few of this side's clusters all records of a cluster are taken to be alike.
        """
        from scipy.sparse import diags

        ratio, alike = n / m, n * self.sizes  # records in the cluster of a record, on average
        least = np.where(self.clusters < _FEW_IN_CELL, alike * shares / m, 0.0)
        unseen = np.maximum(least - ratio * self.products.diagonal(), 0.0)
        return replace(
            self,
            products=self.products * ratio + diags(unseen),
            weighted=self.weighted * ratio,
            sizes=self.sizes * ratio,
        )


class _Side:
    """The clusters of one side, and what each of its records counts."""

    def __init__(
        self, numbers: Ints, weights: Floats | None = None, *, alone: bool = False
    ) -> None:
        self._alone = alone
        self._order = slice(None) if alone else np.argsort(numbers, kind="stable")
        self._bounds = np.append(0, np.cumsum(np.bincount(numbers)))
        self._weights, n = weights, len(numbers)
        if weights is None:
            self._records = np.full(n, 1.0 / n)
            self._parts = np.bincount(numbers) / n
        else:
            self._records = weights[self._order] / weights.sum()
            self._parts = np.bincount(numbers, weights=weights) / weights.sum()
        self._each = self._parts[numbers[self._order]] * self._records
        self._sizes = float((self._parts**2).sum())

    def shares(self, cells: Ints, size: int) -> _Shares:
        clusters = len(self._parts)
        inside = cells[self._order]
        weighted = np.bincount(inside, weights=self._each, minlength=size).astype(np.float64)
        products, number = self._products(inside, size, weighted)
        return _Shares(
            shares=_shares(cells, size, self._weights),
            products=products,
            weighted=weighted,
            sizes=self._sizes,
            factor=clusters / (clusters - 1.0),
            clusters=number,
        )

    def _products(self, inside: Ints, size: int, weighted: Floats) -> tuple[Any, Ints]:
        """Return the products of the cells' parts, and the number of clusters of each cell."""
        if self._alone:  # the part of a cluster is that of its record
            return weighted, np.bincount(inside, minlength=size)
        from scipy.sparse import csr_matrix  # large: only where there are clusters

        shape = len(self._parts), size
        parts = csr_matrix((self._records.copy(), inside, self._bounds), shape=shape)
        parts.sum_duplicates()
        return (parts.T @ parts).tocsr(), np.bincount(parts.indices, minlength=size)


def _shares(cells: Ints, size: int, weights: Floats | None = None) -> Floats:
    total = len(cells) if weights is None else weights.sum()
    shares: Floats = np.bincount(cells, weights=weights, minlength=size) / total
    return shares


def _traces(first: _Shares, second: _Shares, pooled: Floats, scale: float) -> tuple[float, float]:
    """Return tr G and tr G^2, without a matrix over all pairs of cells."""
    root = 1.0 / np.sqrt(pooled)
    both = first.factor * first.products + second.factor * second.products
    low = np.stack([score * root for s in (first, second) for score in (s.weighted, s.shares)])
    middle = np.zeros((4, 4))
    for at, side in ((0, first), (2, second)):
        k = side.factor
        middle[at : at + 2, at : at + 2] = [[0.0, -k], [-k, k * side.sizes]]
    inner = low @ low.T
    if both.ndim == 1:
        both = both * root**2
        trace, squared, crossed = both.sum(), (both**2).sum(), (low * both) @ low.T
    else:
        from scipy.sparse import diags

        both = diags(root) @ both @ diags(root)
        trace, squared = both.diagonal().sum(), both.multiply(both).sum()
        crossed = low @ (both @ low.T)
    t1 = float(trace) + float((middle * inner).sum())
    t2 = float(squared) + 2.0 * float((middle * crossed).sum())
    t2 += float(np.trace(middle @ inner @ middle @ inner))
    return scale * t1, scale**2 * t2


def statistics_of(rows: Sequence[Sequence[float]]) -> Statistics:
    """Return what `ClusterTest` gave of several tables."""
    return Statistics(*np.array(rows, dtype=np.float64).reshape(-1, len(fields(Statistics))).T)
