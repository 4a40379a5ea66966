"""Columns of a pandas frame as they are; they become Arrow's if somebody asks for a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa


class Categories(NamedTuple):
    """A categorical column: codes, -1 being missing, over levels, an Arrow array."""

    codes: npt.NDArray[np.signedinteger]
    levels: Any


@dataclass(frozen=True)
class InPandas:
    """Columns in the place of a table.

    Attributes
    ----------
    num_rows : int
    series : dict of column to pandas series
        Kept for the table, and so that pandas copies shared values before it changes them.
    entries : dict of column to Arrow array, array of integers or of float64, or Categories
    """

    num_rows: int
    series: dict[str, pd.Series[Any]]
    entries: dict[str, Any]

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""
        return list(self.entries)

    def column(self, name: str) -> Any:
        """Return the entries of a column."""
        return self.entries[name]

    @cached_property
    def table(self) -> pa.Table:
        """The table."""
        columns = {}
        for name, entries in self.entries.items():
            if isinstance(entries, np.ndarray):
                columns[name] = pa.array(entries, from_pandas=True)
            elif isinstance(entries, Categories):
                columns[name] = pa.Array.from_pandas(self.series[name])
            else:
                columns[name] = entries
        return pa.table(columns)


def of_pandas(series: pd.Series[Any]) -> Any:
    """Return the entries of a column.

    Raises
    ------
    pyarrow.ArrowException, TypeError, ValueError, OverflowError
        If Arrow cannot hold them, or not without changing some.
    """
    if isinstance(series.dtype, np.dtype):
        array = series.to_numpy()
        if not array.dtype.isnative:  # Arrow has numbers in the order of the computer only
            array = array.astype(array.dtype.newbyteorder("="))
        is_number = array.dtype.kind in "iu" or array.dtype == np.float64
        if is_number:
            return array.view()
        entries = pa.array(array, from_pandas=True)
        if array.dtype == object and pa.types.is_temporal(entries.type):
            _refuse_changed(array, entries)
        return entries
    values = series.array
    if isinstance(values, pd.Categorical):
        return Categories(values.codes, _to_arrow(values.categories))
    return _to_arrow(series)


def _refuse_changed(objects: npt.NDArray[Any], entries: Any) -> None:
    """Raise ValueError if Arrow took a time for another: it goes by the type of the first object.

    It cuts the time of day off what comes after a date, the nanoseconds off all objects, takes a
    whole number after a duration for a duration, and times without a zone for times of UTC.
    """
    pairs = zip(objects.tolist(), entries.to_pylist(), strict=True)
    if any(new is not None and old != new for old, new in pairs):
        msg = "objects of several kinds of time"
        raise ValueError(msg)


def _to_arrow(values_of: pd.Series[Any] | pd.Index[Any]) -> Any:
    # Arrow takes long to ask a Series what it is, and no time for an array that knows Arrow.
    values = values_of.array
    return pa.Array.from_pandas(values if hasattr(values, "__arrow_array__") else values_of)
