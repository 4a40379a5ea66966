"""Parquet and Feather: which Arrow types become which."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sdcmetrics.errors import ColumnError, FileError
from sdcmetrics.microdata import Microdata, read

if TYPE_CHECKING:
    from pathlib import Path

    from sdcmetrics.microdata.text_columns import KindName


def parquet(tmp_path: Path, column: Any, name: str = "x", **options: Any) -> Microdata:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({name: column}), path, **options)
    return read(path)


@pytest.mark.parametrize(
    "given", [pa.int8(), pa.uint8(), pa.int32(), pa.uint64(), pa.decimal128(5, 0)]
)
def test_every_integer_becomes_int64(tmp_path: Path, given: pa.DataType) -> None:
    data = parquet(tmp_path, pa.array([1, None], given))
    assert data.table["x"].type == pa.int64()
    assert data.table["x"].to_pylist() == [1, None]


def test_integers_beyond_64_bits_become_text_and_are_listed(tmp_path: Path) -> None:
    data = parquet(tmp_path, pa.array([2**63, 2**63 + 1], pa.uint64()))
    assert data.table["x"].to_pylist() == ["9223372036854775808", "9223372036854775809"]
    assert [(fix.column, fix.cells) for fix in data.fixes] == [("x", 2)]


def test_floats_keep_their_precision_and_decimals_become_float64(tmp_path: Path) -> None:
    assert parquet(tmp_path, pa.array([0.5], pa.float32())).table["x"].type == pa.float32()
    data = parquet(tmp_path, pa.array([decimal.Decimal("1.25")], pa.decimal128(5, 2)))
    assert data.table["x"].type == pa.float64()
    assert data.table["x"].to_pylist() == [1.25]


def test_nan_becomes_missing_and_is_listed_but_infinity_stays(tmp_path: Path) -> None:
    data = parquet(tmp_path, pa.array([1.0, math.nan, None, math.inf]))
    assert data.table["x"].to_pylist() == [1.0, None, None, math.inf]
    assert [(fix.what, fix.cells) for fix in data.fixes] == [("NaN was read as missing", 1)]


@pytest.mark.parametrize("given", [pa.large_string(), pa.string_view(), pa.null()])
def test_every_text_becomes_string(tmp_path: Path, given: pa.DataType) -> None:
    data = parquet(tmp_path, pa.array([None, None], given))
    assert data.table["x"].type == pa.string()


def test_dates_and_times_are_kept(tmp_path: Path) -> None:
    day = parquet(tmp_path, pa.array([dt.date(2020, 2, 29)], pa.date64()))
    assert day.table["x"].type == pa.date32()
    moment = dt.datetime(2020, 1, 1, 10)  # noqa: DTZ001
    assert parquet(tmp_path, pa.array([moment])).table["x"].to_pylist() == [moment]


def test_a_category_keeps_the_order_of_its_levels_and_the_unused_ones(tmp_path: Path) -> None:
    levels = pa.array(["small", "unused", "large"])
    given = pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), levels, ordered=True)
    data = parquet(tmp_path, given)
    column = data.table["x"]
    assert column.type == pa.dictionary(pa.int32(), pa.string(), ordered=True)
    assert column.chunk(0).dictionary.to_pylist() == ["small", "unused", "large"]
    assert column.to_pylist() == ["large", None, "small"]


def test_categories_split_over_row_groups_share_their_levels(tmp_path: Path) -> None:
    given = pa.array(["b", "a", "c", "a"]).dictionary_encode()
    data = parquet(tmp_path, given, row_group_size=2)
    assert data.table["x"].num_chunks == 1
    assert data.table["x"].to_pylist() == ["b", "a", "c", "a"]


def test_a_category_of_numbers_gets_their_text_as_levels(tmp_path: Path) -> None:
    path = tmp_path / "data.feather"
    frame = pd.DataFrame({"x": pd.Categorical([3.0, 1.0, np.nan], categories=[1.0, 3.0])})
    frame.to_feather(path)
    column = read(path).table["x"]
    assert column.to_pylist() == ["3", "1", None]
    assert column.chunk(0).dictionary.to_pylist() == ["1", "3"]


def test_a_level_that_is_null_means_missing(tmp_path: Path) -> None:
    path = tmp_path / "data.arrow"
    given = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", None, "b"]))
    with pa.ipc.new_file(str(path), pa.schema({"x": given.type})) as writer:
        writer.write_table(pa.table({"x": given}))
    column = read(path).table["x"]
    assert column.to_pylist() == ["a", None, "b"]
    assert column.chunk(0).dictionary.to_pylist() == ["a", "b"]


def test_an_arrow_stream_is_read(tmp_path: Path) -> None:
    path = tmp_path / "data.arrow"
    table = pa.table({"x": [1, 2]})
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)
    assert read(path).n == 2


def test_what_polars_writes_is_read(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"x": pl.Series(["b", "a", None], dtype=pl.Enum(["z", "b", "a"])), "y": ["s", None, ""]}
    )
    frame.write_ipc(tmp_path / "data.arrow")
    frame.write_parquet(tmp_path / "data.parquet")
    for name in ("data.arrow", "data.parquet"):
        table = read(tmp_path / name).table
        assert table["x"].to_pylist() == ["b", "a", None]
        assert table["y"].to_pylist() == ["s", None, ""]
        assert table["y"].type == pa.string()


@pytest.mark.parametrize("given", [[[1], [2]], [{"a": 1}, {"a": 2}], [b"\x00", b"\x01"]])
def test_a_column_without_one_value_per_record_is_refused(tmp_path: Path, given: Any) -> None:
    with pytest.raises(ColumnError, match=r"data\.parquet: column 'x' is of type"):
        parquet(tmp_path, pa.array(given))


def test_the_row_index_of_pandas_is_left_out_and_listed(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pd.DataFrame({"x": [1, 2]}, index=[7, 9]).to_parquet(path)
    data = read(path)
    assert data.columns == ["x"]
    assert len(data.fixes) == 1


def test_what_pandas_stored_about_the_file_is_not_carried_along(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pd.DataFrame({"x": [1, 2]}).to_parquet(path)
    assert not read(path).table.schema.metadata


def test_blanks_around_names_are_dropped_and_listed(tmp_path: Path) -> None:
    data = parquet(tmp_path, pa.array([1]), name=" x ")
    assert data.columns == ["x"]
    assert len(data.fixes) == 1


def test_a_file_without_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no records"):
        parquet(tmp_path, pa.array([], pa.int64()))


def test_a_file_without_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({}), path)
    with pytest.raises(FileError, match="no columns"):
        read(path)


@pytest.mark.parametrize(
    ("given", "kind", "expected"),
    [
        (pa.array([1.0, None, 2.0]), "category", ["1", None, "2"]),
        (pa.array([1.5, None]), "category", ["1.5", None]),
        (pa.array([True, None, False]), "category", ["TRUE", None, "FALSE"]),
        (pa.array([1, 0, None]), "boolean", [True, False, None]),
        (pa.array([True, None]), "number", [1, None]),
        (pa.array(["1", "02"]).dictionary_encode(), "number", [1, 2]),
        (pa.array(["2020-01-01"]), "date", [dt.date(2020, 1, 1)]),
    ],
)
def test_a_kind_asked_for_is_made(
    tmp_path: Path, given: pa.Array, kind: KindName, expected: list[Any]
) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"x": given}), path)
    assert read(path, kinds={"x": kind}).table["x"].to_pylist() == expected


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (pa.array([1, 2]), "boolean"),
        (pa.array([1.0]), "date"),
        (pa.array([dt.date(2020, 1, 1)]), "number"),
        (pa.array([dt.date(2020, 1, 1)]), "boolean"),
        (pa.array(["a987654321"]), "number"),
    ],
)
def test_a_kind_that_cannot_be_made_is_refused(
    tmp_path: Path, given: pa.Array, kind: KindName
) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"x": given}), path)
    with pytest.raises(ColumnError, match="column 'x' cannot be read as") as caught:
        read(path, kinds={"x": kind})
    assert "987654321" not in str(caught.value)
