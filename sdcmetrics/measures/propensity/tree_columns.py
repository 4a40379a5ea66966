"""Predictors coded for trees, once for all trees that are grown on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.propensity.predictors import Predictor, Scale

__all__ = ["Counted", "Ranked", "TreeColumns", "code_columns"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

_FEW_VALUES = 256


@dataclass(frozen=True)
class Counted:
    """Columns with few values, which are counted: every value of every column has a bin.

    Attributes
    ----------
    position : int array of shape (columns,)
        Place among the predictors.
    bins : int array of shape (columns, records)
    start, stop : int arrays of shape (columns,)
        The bins of each column. Columns of unordered levels come after the others.
    first_unordered : int
        The first bin of a column of unordered levels.
    """

    position: Ints
    bins: Codes
    start: Ints
    stop: Ints
    first_unordered: int

    @property
    def size(self) -> int:
        """Number of bins."""
        return int(self.stop[-1]) if len(self.stop) else 0

    @property
    def column_of_bin(self) -> Ints:
        """Which column each bin is of."""
        return np.repeat(np.arange(len(self.start)), self.stop - self.start)


@dataclass(frozen=True)
class Ranked:
    """A numeric column with many values, which is kept sorted."""

    position: int
    rank: Codes
    order: Codes


@dataclass(frozen=True)
class TreeColumns:
    """Coded predictors.

    Attributes
    ----------
    predictors : sequence of Predictor
    values : list of float array
        The distinct values of each predictor, in increasing order.
    counted : Counted
    ranked : list of Ranked
    totals : int array of shape (bins,)
        Number of records in each bin of `counted`.
    n : int
        Number of records.
    """

    predictors: Sequence[Predictor]
    values: list[Floats]
    counted: Counted
    ranked: list[Ranked]
    totals: Ints
    n: int


def code_columns(predictors: Sequence[Predictor]) -> TreeColumns:
    """Code predictors for trees."""
    n = len(predictors[0].values) if predictors else 0
    values, codes = [], []
    for predictor in predictors:
        distinct, code = np.unique(predictor.values, return_inverse=True)
        values.append(distinct)
        codes.append(code.astype(np.int32))
    unordered = [p.scale is Scale.LEVELS for p in predictors]
    many = [len(v) > _FEW_VALUES and not loose for v, loose in zip(values, unordered, strict=True)]
    few = [i for i in range(len(values)) if not many[i] and not unordered[i]]
    loose = [i for i in range(len(values)) if unordered[i]]
    sizes = np.array([len(values[i]) for i in (*few, *loose)], dtype=np.int64)
    stop = np.cumsum(sizes)
    start = stop - sizes
    bins = np.empty((len(sizes), n), dtype=np.int32)
    for row, i in enumerate((*few, *loose)):
        np.add(codes[i], start[row], out=bins[row], casting="unsafe")
    counted = Counted(
        position=np.array([*few, *loose], dtype=np.int64),
        bins=bins,
        start=start,
        stop=stop,
        first_unordered=int(sizes[: len(few)].sum()),
    )
    ranked = [
        Ranked(i, codes[i], np.argsort(codes[i], kind="stable").astype(np.int32))
        for i in range(len(values))
        if many[i]
    ]
    totals = np.bincount(bins.ravel(), minlength=counted.size).astype(np.int64)
    return TreeColumns(predictors, values, counted, ranked, totals, n)
