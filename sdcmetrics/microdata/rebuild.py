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
    kinds = {
        name: kind if _holds(kind := wrapped[name].dtype, values) else nw.Float64()
        for name, values in columns.items()
    }
    if isinstance(frame, pd.DataFrame):
        columns_of = {}
        for name, values in columns.items():
            series = pd.Series(values, index=frame.index)
            same = kinds[name] == wrapped[name].dtype
            columns_of[name] = series.astype(frame[name].dtype) if same else series
        return frame.assign(**columns_of)
    for name, values in columns.items():
        whole = kinds[name].is_integer()
        listed = [
            None if np.isnan(value) else int(value) if whole else value for value in values.tolist()
        ]
        wrapped = wrapped.with_columns(
            nw.new_series(name, listed, kinds[name], backend=wrapped.implementation)
        )
    return wrapped.to_native()


def _holds(kind: nw.dtypes.DType, values: Floats) -> bool:
    """Return whether a type of numbers holds all values: beyond its ends they would be others."""
    if not kind.is_integer():
        return kind.is_float()
    ends = np.iinfo(str(kind).lower())
    present = values[~np.isnan(values)]
    inside = (ends.min <= present) & (present < ends.max + 1.0)
    return bool((inside & (present % 1 == 0)).all())
