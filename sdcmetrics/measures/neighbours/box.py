"""Whether any record lies in the box around another: equal codes, and every number within reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import DataError
from sdcmetrics.measures.neighbours.points import Points
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.compiled import compiled

_LARGEST_ID = 2**62


def in_box(queries: Points, references: Points, reach: npt.ArrayLike) -> Bools:
    """Say for each query whether a reference equals its codes and is near in every number.

    Parameters
    ----------
    queries, references : Points
    reach : float array of shape (columns of numbers,)
        Numbers that differ by no more are near; two missing values are, one is not.

    Returns
    -------
    bool array of shape (queries,)

    Notes
    -----
    References are sorted by their codes and one number, so that few are compared with a query.

    Examples
    --------
    >>> point = Points.from_columns(codes=[[0, 1]], numbers=[[1.0, 1.0]])
    >>> other = Points.from_columns(codes=[[0, 0]], numbers=[[1.5, 9.0]])
    >>> in_box(point, other, [0.5]).tolist()
    [True, False]
    """
    limits = np.asarray(reach, dtype=np.float64)
    if limits.shape != (len(queries.numbers),) or len(references.numbers) != len(limits):
        msg = "in_box: expected one reach for each column of numbers."
        raise DataError(msg)
    groups = _groups(np.concatenate([queries.codes, references.codes], axis=1))
    missing = np.isnan(np.concatenate([queries.numbers, references.numbers], axis=1))
    groups = _groups(np.vstack([groups, missing]))
    own, other = np.split(groups, [queries.n])
    numbers = [np.nan_to_num(points.numbers) for points in (queries, references)]
    if not len(limits):
        return np.isin(own, other)
    spread = [len(np.unique(column)) for column in numbers[1]]
    order = np.argsort(spread)[::-1]  # the most selective number first
    sort = np.lexsort((numbers[1][order[0]], other))
    other = other[sort]
    first, last = (np.searchsorted(other, own, side=side) for side in ("left", "right"))
    out = np.zeros(queries.n, dtype=np.bool_)
    compiled(_search, _SIGNATURE)(
        np.ascontiguousarray(numbers[0][order].T),
        np.ascontiguousarray(numbers[1][order][:, sort].T),
        limits[order],
        first.astype(np.int64),
        last.astype(np.int64),
        out,
    )
    return out


def _groups(columns: npt.NDArray[Any]) -> Ints:
    """Number the combinations of some columns."""
    ids = np.zeros(columns.shape[1], dtype=np.int64)
    size = 1
    for column in columns:
        levels = int(column.max(initial=0)) + 1
        if size * levels > _LARGEST_ID:
            ids = pd.factorize(ids)[0].astype(np.int64)
            size = int(ids.max(initial=0)) + 1
        ids = ids * levels + column
        size *= levels
    return pd.factorize(ids)[0].astype(np.int64)


def _search(
    queries: Floats, references: Floats, reach: Floats, first: Ints, last: Ints, out: Bools
) -> None:
    columns = len(reach)
    for i in range(len(queries)):
        low, high = first[i], last[i]
        while low < high:  # the first reference that is not below the box
            middle = (low + high) // 2
            if queries[i, 0] - references[middle, 0] > reach[0]:
                low = middle + 1
            else:
                high = middle
        for j in range(low, last[i]):
            if references[j, 0] - queries[i, 0] > reach[0]:
                break
            inside = True
            for k in range(1, columns):
                if abs(queries[i, k] - references[j, k]) > reach[k]:
                    inside = False
                    break
            if inside:
                out[i] = True
                break


_SIGNATURE = (
    "void(float64[:,::1], float64[:,::1], float64[::1], int64[::1], int64[::1], boolean[::1])"
)
