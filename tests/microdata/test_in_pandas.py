"""Columns of a pandas frame are those that Arrow makes of it, and stay what they were."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdcmetrics import tvd, utility_tables
from sdcmetrics.microdata import as_microdata
from sdcmetrics.microdata.in_pandas import of_pandas
from sdcmetrics.microdata.read_columns import read_column

FRAME = pd.DataFrame(
    {
        "number": [0.5, np.nan, -2.0, 0.5],
        "whole": [3, -1, 2, 3],
        "byte": np.array([0, 255, 7, 7], dtype=np.uint8),
        "category": pd.Categorical(["b", None, "a", "b"], categories=["b", "a", "unused"]),
        "of numbers": pd.Categorical([1.5, 2.0, 1.5, None], ordered=True),
        "text": ["x", None, "", "x"],
        "flag": [True, False, True, True],
        "nothing": [np.nan] * 4,
    }
)


def test_the_table_is_arrows() -> None:
    table = as_microdata(FRAME, "original").table
    arrow = {name: pa.Array.from_pandas(FRAME[name]) for name in FRAME}
    assert table.equals(pa.table(arrow))
    assert table.schema == pa.table(arrow).schema


@pytest.mark.parametrize("use_missing", [True, False])
def test_columns_agree_with_those_of_the_table(use_missing: bool) -> None:
    frame = FRAME if use_missing else FRAME.drop(columns="nothing")
    replica = frame.iloc[[0, 2, 3, 3, 1]].copy()
    tables = [pa.Table.from_pandas(item, preserve_index=False) for item in (frame, replica)]
    result, known = (
        utility_tables(*data, ways=1, use_missing=use_missing)
        for data in ((frame, replica), tables)
    )
    pd.testing.assert_frame_equal(result, known, check_exact=True)
    assert result.attrs == known.attrs


@pytest.mark.parametrize("name", ["number", "whole", "category"])
def test_a_frame_that_is_changed_afterwards_is_compared_as_it_was(name: str) -> None:
    frame = FRAME.copy()
    data = as_microdata(frame, "replica")
    frame.loc[0, name] = frame.loc[2, name]
    assert tvd(FRAME, data)["TVD"].max() == 0


def test_the_frame_can_still_be_changed() -> None:
    frame = FRAME.copy()
    tvd(frame, frame)
    frame.loc[0, "number"] = 1.0
    frame["whole"] += 1
    assert frame.loc[0, ["number", "whole"]].tolist() == [1.0, 4]


@pytest.mark.parametrize("kind", ["i2", "i4", "i8", "u4", "f4", "f8", "M8[ns]"])
def test_numbers_in_the_other_order_of_bytes_are_the_same_numbers(kind: str) -> None:
    values = np.array([3, 1, 2, 1]).astype(kind)
    known, result = (
        as_microdata(pd.DataFrame({"x": values.astype(np.dtype(kind).newbyteorder(order))}), "it")
        for order in ("=", "S")
    )
    assert result.table == known.table
    assert result.fixes == known.fixes == ()
    columns = [read_column(item, "x", []) for item in (known, result)]
    assert columns[0].kind is columns[1].kind
    assert columns[0].values.tolist() == columns[1].values.tolist()


def test_objects_that_arrow_keeps_as_they_are_are_arrows() -> None:
    day, time = dt.date(2020, 1, 31), dt.datetime(2020, 1, 31, 12, tzinfo=dt.UTC)
    for moment in (day, time, dt.timedelta(hours=1)):
        assert of_pandas(pd.Series([moment, None], dtype=object)).to_pylist() == [moment, None]
    with pytest.raises(ValueError, match="several kinds of time"):
        of_pandas(pd.Series([day, time.replace(tzinfo=None)], dtype=object))


def test_categories_of_short_numbers_have_the_precision_of_those_that_are_used() -> None:
    short = np.array([0.1], dtype=np.float32)
    for codes, precision in (([0, 0], "float32"), ([0, -1], "float32"), ([-1, -1], "")):
        frame = pd.DataFrame({"x": pd.Categorical.from_codes(codes, short)})
        assert read_column(as_microdata(frame, "it"), "x", []).precision == precision
