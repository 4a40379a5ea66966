"""The search between few records, by numpy: the compiler takes longer to load than that.

Whatever is found is what the compiled loops find.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.neighbours.points import Points
from sdcmetrics.microdata.arrays import Ints

MOST_PAIRS = 1_000_000
"""Pairs of records that are few: up to these a search takes some milliseconds."""


def differences(queries: Points, references: Points, itself: Ints) -> npt.NDArray[Any]:
    """Return in how many columns each query differs from each reference.

    Parameters
    ----------
    queries, references : Points without columns of numbers
    itself : int array of shape (queries,)
        Which reference each query is, or -1: one more than there are columns stands there.

    Returns
    -------
    int array of shape (queries, references)

    Examples
    --------
    >>> points = Points.from_columns(codes=[[0, 1], [0, 0]])
    >>> differences(points, points, np.array([0, -1])).tolist()
    [[3, 1], [1, 0]]
    """
    kind = np.uint8 if queries.columns < np.iinfo(np.uint8).max else np.int32
    out = np.zeros((queries.n, references.n), dtype=kind)
    for code, other in zip(queries.codes, references.codes, strict=True):
        out += code[:, None] != other
    some = np.flatnonzero(itself >= 0)
    out[some, itself[some]] = queries.columns + 1
    return out


def ties_of(apart: npt.NDArray[Any], most: int) -> tuple[Ints, Ints, npt.NDArray[np.int32]]:
    """Return how many references are nearest to each query, and which, up to `most` of each.

    Returns
    -------
    int arrays
        How many; where each list starts, and the last ends; the lists, one after another.
    """
    tied = apart == apart.min(axis=1, keepdims=True)
    times = tied.sum(axis=1)
    rows, reference = np.nonzero(tied)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    offsets = np.concatenate([[0], np.cumsum(np.minimum(times, most))])
    return times, offsets, reference[place < most].astype(np.int32)
