"""Frames with other numbers in a column: of the same kind, and of the same type where it holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sdcmetrics.microdata import as_microdata
from sdcmetrics.microdata.rebuild import replace_columns, take_records

FRAMES = [
    pd.DataFrame({"x": pd.array([1, 2, 3], dtype="uint8"), "g": list("abc")}),
    pd.DataFrame({"x": pd.array([1, 2, None], dtype="UInt8"), "g": list("abc")}),
    pl.DataFrame({"x": pl.Series([1, 2, 3], dtype=pl.UInt8), "g": list("abc")}),
    pa.table({"x": pa.array([1, 2, 3], pa.uint8()), "g": list("abc")}),
]


def replaced(frame: Any, *values: float) -> tuple[str, list[Any]]:
    """Return the type and the values of the column in the new frame."""
    new = replace_columns(frame, {"x": np.array(values)})
    assert type(new) is type(frame)
    assert list(new["g"]) == list(frame["g"])
    column = new["x"]
    listed = column.to_pylist() if isinstance(new, pa.Table) else column.to_list()
    return str(column.type if isinstance(new, pa.Table) else column.dtype).lower(), listed


@pytest.mark.parametrize("frame", FRAMES)
def test_whole_numbers_stay_of_their_type_where_it_holds_them(frame: Any) -> None:
    assert replaced(frame, 0.0, 255.0, 7.0) == ("uint8", [0, 255, 7])
    for value in (2.5, 256.0, -1.0):
        kind, values = replaced(frame, 0.0, value, 7.0)
        assert kind in ("float64", "double")
        assert values == [0.0, value, 7.0]


def test_fractions_and_missing_values_stay_of_their_type() -> None:
    short = pd.DataFrame({"x": np.array([1, 2, 3], np.float32), "g": list("abc")})
    assert replaced(short, 0.5, 2.0, 7.0) == ("float32", [0.5, 2.0, 7.0])
    assert replaced(FRAMES[2], 0.0, np.nan, 7.0) == ("uint8", [0, None, 7])
    kind, values = replaced(FRAMES[1], 0.0, np.nan, 7.0)
    assert (kind, values[0], values[2]) == ("uint8", 0, 7)
    assert values[1] is pd.NA


def test_microdata_have_the_new_column_too() -> None:
    data = replace_columns(as_microdata(FRAMES[3], "r"), {"x": np.array([1.0, 1.0, 9.0])})
    assert data.table["x"].to_pylist() == [1, 1, 9]
    assert data.sha256 is None


@pytest.mark.parametrize("frame", [*FRAMES, FRAMES[0].set_axis([5, 5, 7])])
def test_records_are_taken_column_by_column(frame: Any) -> None:
    new = take_records(frame, {"g": np.array([2, 2, 0, 1]), "x": np.array([0, 1, 1, 0])})
    assert type(new) is type(frame)
    for name, values in {"g": ["c", "c", "a", "b"], "x": [1, 2, 2, 1]}.items():
        column, before = new[name], frame[name]
        assert (column.to_pylist() if isinstance(new, pa.Table) else column.to_list()) == values
        kinds = [getattr(each, "dtype", getattr(each, "type", None)) for each in (column, before)]
        assert kinds[0] == kinds[1]
    assert not isinstance(new, pd.DataFrame) or new.index.tolist() == [0, 1, 2, 3]
