"""Records as points: columns of codes, columns of numbers, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError

_BYTE = 256


@dataclass(frozen=True)
class Points:
    """n records as columns.

    Attributes
    ----------
    codes : unsigned int array of shape (columns, n), each column contiguous
        Equal codes are equal values; missing is a code as any other. One byte a code where all
        are below 256.
    numbers : float array of shape (columns, n), each column contiguous
        NaN is missing.

    Examples
    --------
    >>> points = Points.from_columns(codes=[[0, 1, 1]], numbers=[[1.5, 2.0, float("nan")]])
    >>> points.n, points.columns
    (3, 2)
    >>> points.codes.dtype.name, points.subset([2, 0]).codes.tolist()
    ('uint8', [[1, 0]])
    """

    codes: npt.NDArray[np.unsignedinteger]
    numbers: npt.NDArray[np.float64]

    @classmethod
    def from_columns(cls, codes: Sequence[Any] = (), numbers: Sequence[Any] = ()) -> Points:
        """Stack columns of codes (whole numbers of at least 0) and of numbers.

        Raises
        ------
        DataError
            If there is no column, columns differ in length, a code is negative, too large or not
            whole, or a number is infinite.
        """
        whole = [np.asarray(column) for column in codes]
        floats = [np.asarray(column, dtype=np.float64) for column in numbers]
        lengths = {len(column) for column in (*whole, *floats)}
        if len(lengths) != 1:
            msg = (
                f"points: expected columns of one length but got {len(whole) + len(floats)} columns"
                f" of lengths {sorted(lengths)}. Pass at least one column, all equally long."
            )
            raise DataError(msg)
        (n,) = lengths
        most = 0
        for column in whole:
            if column.dtype.kind not in "biu" or (n and column.min() < 0):
                msg = "points: codes are whole numbers of at least 0; code missing as a level."
                raise DataError(msg)
            most = max(most, int(column.max(initial=0)))
        if most > np.iinfo(np.int32).max:
            msg = "points: a code is above 2^31 - 1. Number the levels from 0."
            raise DataError(msg)
        if any(np.isinf(column).any() for column in floats):
            msg = "points: a number is infinite. Replace it by a number, or by NaN for missing."
            raise DataError(msg)
        kind: type[np.unsignedinteger[Any]] = np.uint8 if most < _BYTE else np.uint32
        return cls(
            codes=np.array(whole, dtype=kind).reshape(len(whole), n),
            numbers=np.array(floats, dtype=np.float64).reshape(len(floats), n),
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.codes.shape[1])

    @property
    def columns(self) -> int:
        """Number of columns, of codes and of numbers."""
        return len(self.codes) + len(self.numbers)

    def subset(self, rows: Any) -> Points:
        """Return some of the records, in the order of `rows`."""
        chosen = np.asarray(rows)
        return Points(self.codes.take(chosen, axis=1), self.numbers.take(chosen, axis=1))

    def append(self, other: Points) -> Points:
        """Return these records followed by others of the same columns."""
        kind = np.promote_types(self.codes.dtype, other.codes.dtype)
        return Points(
            np.concatenate([self.codes, other.codes], axis=1, dtype=kind),
            np.concatenate([self.numbers, other.numbers], axis=1),
        )
