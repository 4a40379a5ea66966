"""Frames of any library with fewer records or other values; the given frame stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.microdata.arrays import Bools, Floats
from sdcmetrics.microdata.frames import Microdata

Places = npt.NDArray[np.int64]


def keep_records(frame: Any, keep: Bools) -> Any:
    """Return a frame of the same kind with the records that are to be kept."""
    if isinstance(frame, Microdata):
        return replace(frame, table=frame.table.filter(keep), sha256=None)
    return nw.from_native(frame, eager_only=True).filter(keep.tolist()).to_native()


def take_records(frame: Any, records: Mapping[str, Places]) -> Any:
    """Return a frame of the same kind with the given records, chosen for each column."""
    if isinstance(frame, Microdata):
        return replace(frame, table=take_records(frame.table, records), sha256=None)
    if isinstance(frame, pd.DataFrame):
        taken = {name: frame[name].array.take(places) for name, places in records.items()}
        return pd.DataFrame(taken)
    wrapped = nw.from_native(frame, eager_only=True)
    columns = [wrapped[name][places] for name, places in records.items()]
    return wrapped.select(*columns).to_native()


def replace_columns(frame: Any, columns: Mapping[str, Floats]) -> Any:
    """Return a frame of the same kind with other numbers in some columns; NaN is missing."""
    if isinstance(frame, Microdata):
        return replace(frame, table=replace_columns(frame.table, columns), sha256=None)
    wrapped = nw.from_native(frame, eager_only=True)
    if isinstance(frame, pd.DataFrame):
        columns_of = {name: _pandas_column(frame[name], values) for name, values in columns.items()}
        return frame.assign(**columns_of)
    for name, values in columns.items():
        kind = wrapped[name].dtype
        whole = kind.is_integer() and _whole(values)
        listed = [
            None if np.isnan(value) else int(value) if whole else value for value in values.tolist()
        ]
        kind = kind if whole or kind.is_float() else nw.Float64()
        wrapped = wrapped.with_columns(
            nw.new_series(name, listed, kind, backend=wrapped.implementation)
        )
    return wrapped.to_native()


def _whole(values: Floats) -> bool:
    return bool(np.all(np.isnan(values) | (values % 1 == 0)))


def _pandas_column(given: pd.Series[Any], values: Floats) -> pd.Series[Any]:
    series = pd.Series(values, index=given.index)
    if pd.api.types.is_float_dtype(given.dtype) or _whole(values):
        return series.astype(given.dtype)
    return series
