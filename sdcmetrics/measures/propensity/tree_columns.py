"""Predictors coded for trees, once for all trees that are grown on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.propensity.predictors import Predictor, Scale
from sdcmetrics.microdata.arrays import Floats, Ints

Codes = npt.NDArray[np.int32]
Bins = npt.NDArray[np.integer[Any]]

_FEW_VALUES = 256


@dataclass(frozen=True)
class TreeColumns:
    """Coded predictors; their codes are places in the sorted distinct values.

    Attributes
    ----------
    predictors : sequence of Predictor
    values : list of float array
        The distinct values of each predictor, in increasing order.
    records : int array of shape (records,)
        The records in the order in which all that follows has them: sorted by the first ranked
        column, so that a node reads memory forwards.
    kind, place : int arrays of shape (predictors,)
        ORDERED, UNORDERED or RANKED (`growing`); place among the columns counted, or ranked.
    bins : int array of shape (records, columns)
        Counted columns: every value of every column has a bin. Of two bytes where these are
        enough: more of it fits into the caches.
    start : int array of shape (columns + 1,)
        The first bin of each of them.
    ranks : int array of shape (columns, records)
        Codes of the ranked columns.
    by_column : int array of shape (columns, records)
        Codes of the counted columns.
    sorted_by : int array of shape (columns, records)
        The records sorted by each of them; one row in any order if there is none.
    """

    predictors: Sequence[Predictor]
    values: list[Floats]
    records: Ints
    kind: Ints
    place: Ints
    bins: Bins
    start: Ints
    ranks: Codes
    by_column: Bins
    sorted_by: Codes

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.bins)


def code_columns(predictors: Sequence[Predictor]) -> TreeColumns:
    """Code predictors for trees."""
    # with the compiler: only when trees are grown
    from sdcmetrics.measures.propensity.growing import ORDERED, RANKED, UNORDERED

    n = len(predictors[0].values) if predictors else 0
    values, codes, kind = [], [], []
    for predictor in predictors:
        code, levels = pd.factorize(predictor.values, use_na_sentinel=False)
        order = np.argsort(levels)
        distinct, rank = levels[order], np.empty(len(levels), dtype=np.int32)
        rank[order] = np.arange(len(levels))
        values.append(distinct)
        codes.append(rank[code])
        scale = RANKED if len(distinct) > _FEW_VALUES else ORDERED
        kind.append(UNORDERED if predictor.scale is Scale.LEVELS else scale)
    counted = [i for i, kind_ in enumerate(kind) if kind_ != RANKED]
    ranked = [i for i, kind_ in enumerate(kind) if kind_ == RANKED]
    records = np.argsort(codes[ranked[0]], kind="stable") if ranked else np.arange(n)
    codes = [code[records] for code in codes]
    place = np.zeros(len(kind), dtype=np.int64)
    place[counted], place[ranked] = np.arange(len(counted)), np.arange(len(ranked))
    start = np.cumsum([0, *(len(values[i]) for i in counted)], dtype=np.int64)
    few = start[-1] <= np.iinfo(np.uint16).max
    bins: Bins = np.empty((n, len(counted)), dtype=np.uint16 if few else np.int32)
    for column, i in enumerate(counted):
        np.add(codes[i], start[column], out=bins[:, column], casting="unsafe")
    ranks = np.array([codes[i] for i in ranked], dtype=np.int32).reshape(len(ranked), n)
    by = np.argsort(ranks, axis=1, kind="stable") if ranked else np.arange(n)[None, :]
    kinds = np.array(kind, dtype=np.int64)
    sorted_by = by.astype(np.int32)
    by_column: Bins = np.array([codes[i] for i in counted], dtype=bins.dtype).reshape(bins.T.shape)
    return TreeColumns(
        predictors, values, records, kinds, place, bins, start, ranks, by_column, sorted_by
    )
