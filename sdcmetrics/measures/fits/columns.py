"""Which columns of a model matrix can be estimated: R's aliasing, once for every family.

Propensity models have a routine of their own (`sdcmetrics.measures.propensity.aliasing`): their
30,000 sparse columns fit no dense decomposition, and a Gram matrix tells less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.arrays import Floats

_DEPENDENT = 1e-7
"""A column is aliased if those before it leave less of its length: the tolerance of R's lm."""

_SHARE = 1e-7
"""Smaller parts of an aliased column are rounding."""


@dataclass(frozen=True)
class Columns:
    """The columns of a model matrix of shape (n, p).

    Examples
    --------
    >>> columns = Columns(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 2.0], [1.0, 2.0, 4.0]]))
    >>> columns.independent.tolist(), columns.confounded
    ([0, 1], {2: (1,)})
    """

    matrix: Floats

    @cached_property
    def _triangle(self) -> Floats:
        return np.asarray(np.linalg.qr(self.matrix, mode="r"))

    @cached_property
    def independent(self) -> npt.NDArray[np.intp]:
        """Columns that are not aliased, in order."""
        return _independent_columns(self._triangle)

    @cached_property
    def confounded(self) -> dict[int, tuple[int, ...]]:
        """Aliased columns, and the kept ones that each is a sum of; none for one of zeros."""
        aliased = len(self.independent) < self.matrix.shape[1]
        return _confounded(self._triangle, self.independent) if aliased else {}

    @cached_property
    def scale(self) -> Floats:
        """Lengths of the kept columns per record, as powers of 2, which round nothing."""
        lengths = (
            np.linalg.norm(self._triangle[:, self.independent], axis=0) / len(self.matrix) ** 0.5
        )
        out: Floats = np.exp2(np.rint(np.log2(lengths)))
        return out

    @property
    def scaled(self) -> Floats:
        """The kept columns, all of similar length: what can be solved without losing digits."""
        return self.own / self.scale

    @property
    def own(self) -> Floats:
        """The kept columns in their own units."""
        every = len(self.independent) == self.matrix.shape[1]
        return self.matrix if every else self.matrix[:, self.independent]


def _independent_columns(r: Floats) -> npt.NDArray[np.intp]:
    """Go through the columns of the triangle in order; its columns are as long as the matrix's.

    As long as all before are independent, what is left of column j is the triangle's own r[j, j].
    """
    lengths, most = np.linalg.norm(r, axis=0), min(r.shape)
    own = np.abs(np.diagonal(r))
    stays = (lengths[:most] > 0) & (own >= _DEPENDENT * lengths[:most])
    first = most if stays.all() else int(stays.argmin())
    independent = list(range(first))
    basis = np.eye(len(r), most)
    for j in range(first, r.shape[1]):
        column = r[:, j].copy()
        before = basis[:, : len(independent)]
        for _ in range(2):  # twice is enough against rounding
            column -= before @ (before.T @ column)
        left = float(np.linalg.norm(column))
        stays_too = lengths[j] > 0 and left >= _DEPENDENT * lengths[j]
        if stays_too and len(independent) < len(r):
            basis[:, len(independent)] = column / left
            independent.append(j)
    return np.array(independent, dtype=np.intp)


def _confounded(r: Floats, independent: npt.NDArray[np.intp]) -> dict[int, tuple[int, ...]]:
    out: dict[int, tuple[int, ...]] = {}
    lengths = np.linalg.norm(r, axis=0)
    for j in sorted(set(range(r.shape[1])) - set(independent.tolist())):
        if lengths[j] == 0 or not len(independent):
            out[j] = ()
            continue
        multiples = np.linalg.lstsq(r[:, independent], r[:, j], rcond=None)[0]
        size = np.abs(multiples) * lengths[independent] / lengths[j]
        out[j] = tuple(independent[size > _SHARE].tolist())
    return out
