"""One number a record, which tells combinations of levels apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.coding import CodedVariable

DENSE_AT_LEAST = 1 << 16
"""Cells up to which counts are an array over all of them, however few the records."""
_LARGEST_INDEX = 1 << 62


def wide_index(
    variables: Sequence[CodedVariable], parts: Sequence[int]
) -> tuple[npt.NDArray[np.int64], int]:
    """Return one number a record (all parts stacked) that tells combinations of levels apart."""
    size = 1
    index = np.zeros(sum(len(variables[0].parts[part]) for part in parts), dtype=np.int64)
    for variable in variables:
        if size * variable.size >= _LARGEST_INDEX:
            distinct, index = np.unique(index, return_inverse=True)
            size = len(distinct)
        index *= variable.size
        index += np.concatenate([variable.parts[part] for part in parts])
        size *= variable.size
    return index, size


def renumbered(
    index: npt.NDArray[np.int64], size: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number distinct values 0, 1, ... in sorted order; also return where each occurs first.

    Parameters
    ----------
    index : int array of shape (records,), 0 <= index < size

    Examples
    --------
    >>> number, first = renumbered(np.array([7, 2, 7, 3]), 8)
    >>> number.tolist(), first.tolist()
    ([2, 0, 2, 1], [1, 3, 0])
    """
    if size > max(DENSE_AT_LEAST, 4 * len(index)):
        _, first, number = np.unique(index, return_index=True, return_inverse=True)
        return number, first
    first_of = np.full(size, -1, dtype=np.int64)
    backwards = index[::-1]
    first_of[backwards] = np.arange(len(index) - 1, -1, -1)
    used = np.flatnonzero(first_of >= 0)
    number_of = np.zeros(size, dtype=np.int64)
    number_of[used] = np.arange(len(used))
    return number_of[index], first_of[used]
