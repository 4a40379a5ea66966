"""R's .rds files. Those in files/ were made by files/make_rds.R."""

from __future__ import annotations

import datetime as dt
import gzip
import shutil
import traceback
from pathlib import Path

import pyarrow as pa
import pytest

from sdcmetrics.errors import ColumnError, FileError
from sdcmetrics.microdata import read

FILES = Path(__file__).parent / "files"


@pytest.mark.parametrize("name", ["data_frame.rds", "data_frame_xz.rds", "tibble.rds"])
def test_a_data_frame_is_read_however_it_was_saved(name: str) -> None:
    table = read(FILES / name).table
    assert {field.name: str(field.type) for field in table.schema} == {
        "whole": "int64",
        "amount": "double",
        "yes": "bool",
        "text": "string",
        "size": "dictionary<values=string, indices=int32, ordered=0>",
        "grade": "dictionary<values=string, indices=int32, ordered=1>",
        "day": "date32[day]",
        "time": "timestamp[us, tz=Europe/Vienna]",
    }


def test_missing_values_of_every_kind_are_missing() -> None:
    table = read(FILES / "data_frame.rds").table
    assert table["whole"].to_pylist() == [1, None, 3]
    assert table["amount"].to_pylist() == [1.5, None, None]
    assert table["yes"].to_pylist() == [True, None, False]
    assert table["text"].to_pylist() == ["a", None, "é"]


def test_nan_is_listed_but_na_is_not() -> None:
    fixes = read(FILES / "data_frame.rds").fixes
    assert [(fix.column, fix.cells) for fix in fixes] == [("amount", 1)]


def test_a_factor_keeps_its_levels_in_order() -> None:
    table = read(FILES / "data_frame.rds").table
    assert table["size"].to_pylist() == ["small", None, "large"]
    assert table["size"].chunk(0).dictionary.to_pylist() == ["small", "unused", "large"]
    assert table["grade"].to_pylist() == ["low", "high", None]
    assert table["grade"].chunk(0).dictionary.to_pylist() == ["low", "high"]


def test_dates_before_and_after_1970_are_right() -> None:
    table = read(FILES / "data_frame.rds").table
    assert table["day"].to_pylist() == [dt.date(2020, 2, 29), None, dt.date(1960, 5, 5)]


def test_a_time_is_the_instant_that_r_means() -> None:
    time = read(FILES / "data_frame.rds").table["time"].to_pylist()
    assert time[0] == dt.datetime(2020, 1, 1, 9, 11, 12, tzinfo=dt.UTC)
    assert time[1] is None


def test_infinite_dates_are_missing_and_listed() -> None:
    data = read(FILES / "times.rds")
    assert data.table["day"].to_pylist() == [dt.date(1970, 1, 1), None, None]
    assert data.table["time"].to_pylist() == [
        dt.datetime(1970, 1, 1, 0, 0, 0, 250_000, tzinfo=dt.UTC),
        None,
        None,
    ]
    assert [(fix.column, fix.cells) for fix in data.fixes] == [("day", 1), ("time", 1)]


def test_dates_may_be_kept_as_integers() -> None:
    days = read(FILES / "times.rds").table["whole_day"].to_pylist()
    assert days == [dt.date(1970, 1, 2), None, dt.date(1969, 12, 31)]


def test_a_time_in_parts_is_refused() -> None:
    with pytest.raises(ColumnError, match="'time' is of R class POSIXlt/POSIXt"):
        read(FILES / "posixlt.rds")


def test_columns_that_r_stores_in_short_form_are_read() -> None:
    table = read(FILES / "compact.rds").table
    assert table["x"].to_pylist() == [1, 2, 3]
    assert table["s"].to_pylist() == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("list.rds", "R object of class list. In R, save the data frame alone"),
        ("vector.rds", "R object of class integer"),
        ("synds.rds", "R object of class synds. In R, save one synthetic data set"),
    ],
)
def test_an_object_that_is_no_data_frame_is_refused_by_its_class(name: str, words: str) -> None:
    with pytest.raises(FileError) as caught:
        read(FILES / name)
    assert name in str(caught.value)
    assert words in str(caught.value)


def test_columns_of_one_name_are_refused_rather_than_lost() -> None:
    with pytest.raises(ColumnError, match="'x' occurs more than once"):
        read(FILES / "duplicated_names.rds")


def test_a_list_column_is_refused_without_its_values() -> None:
    with pytest.raises(ColumnError, match="'parts' is of R class list") as caught:
        read(FILES / "nested.rds")
    assert "987654321" not in "".join(traceback.format_exception(caught.value))


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(FileError, match="damaged"):
        read(FILES / "uneven.rds")


def test_a_matrix_column_is_refused() -> None:
    with pytest.raises(ColumnError, match="'table' is of R class matrix"):
        read(FILES / "matrix.rds")


def test_a_matrix_of_one_column_is_a_column() -> None:
    table = read(FILES / "one_column_matrix.rds").table
    assert table["z"].to_pylist() == [-1.0, 0.0, 1.0]
    assert table["count"].to_pylist() == [1, 2, 3]


def test_row_names_are_left_out_and_listed() -> None:
    data = read(FILES / "row_names.rds")
    assert data.columns == ["x"]
    assert [fix.what for fix in data.fixes] == ["the row names were left out"]
    assert data.unread.column_names == ["row.names"]


@pytest.mark.parametrize(
    ("name", "numbers"), [("row_numbers", [4, 2]), ("rows_counted", None), ("data_frame", None)]
)
def test_numbers_of_rows_are_names_unless_they_count_them(
    name: str, numbers: list[int] | None
) -> None:
    data = read(FILES / f"{name}.rds")
    own = "the row names were left out" in [fix.what for fix in data.fixes]
    assert own is (numbers is not None)
    assert data.unread.to_pydict() == ({"row.names": numbers} if numbers else {})


def test_names_of_a_columns_values_are_names_of_rows() -> None:
    """A tibble keeps those that sapply() gives; "1", "2", ... count the records."""
    data = read(FILES / "named_columns.rds")
    assert data.unread.to_pydict() == {"names(x)": ["p7", "p3"]}
    assert data.table.to_pydict() == {"x": [1.0, 2.0], "y": [1.0, 2.0]}


def test_a_labelled_column_becomes_a_category() -> None:
    column = read(FILES / "labelled.rds").table["sex"]
    assert column.to_pylist() == ["male", "female", None, "male"]
    assert column.chunk(0).dictionary.to_pylist() == ["male", "female"]


def test_texts_whose_labels_cover_them_become_a_category() -> None:
    data = read(FILES / "labelled_texts.rds")
    assert data.table["region"].to_pylist() == ["North", "South", None, "North"]
    assert data.level_codes == {"region": {"North": "n", "South": "s"}}
    assert data.table["job"].to_pylist() == ["a1", "zz", "b2", None]


def test_declared_missing_codes_stay_and_are_declared() -> None:
    data = read(FILES / "labelled.rds")
    assert data.table["income"].to_pylist() == [10.5, -8.0, -9.0, 20.0]
    assert data.missing_codes == {"income": (-9.0, -8.0)}
    assert data.value_labels == {"income": {-8.0: "refused"}}


def test_labels_of_columns_are_kept_where_they_say_more_than_the_name() -> None:
    assert read(FILES / "variable_labels.rds").labels == {"id": "Number of the respondent"}


def test_64_bit_integers_of_bit64_are_integers() -> None:
    column = read(FILES / "labelled.rds").table["big"]
    assert column.type == pa.int64()
    assert column.to_pylist()[0] == 1


def test_latin1_text_is_decoded_as_r_marks_it() -> None:
    assert read(FILES / "latin1.rds").table["x"].to_pylist() == ["Zürich"]


def test_a_level_that_is_na_means_missing() -> None:
    column = read(FILES / "missing_level.rds").table["x"]
    assert column.to_pylist() == ["a", None, "b"]
    assert column.chunk(0).dictionary.to_pylist() == ["a", "b"]


def test_a_data_frame_without_records_is_refused() -> None:
    with pytest.raises(FileError, match="no records"):
        read(FILES / "no_records.rds")


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "data.rds"
    plain = gzip.decompress((FILES / "data_frame.rds").read_bytes())
    for whole in (plain, (FILES / "data_frame.rds").read_bytes()):
        path.write_bytes(whole[: int(len(whole) * kept)])
        with pytest.raises(FileError, match="damaged, cut off"):
            read(path)


def test_an_uncompressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "data.rds"
    path.write_bytes(gzip.decompress((FILES / "data_frame.rds").read_bytes()))
    assert read(path).n == 3


def test_an_r_file_called_csv_is_told(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    shutil.copy(FILES / "data_frame.rds", path)
    with pytest.raises(FileError, match=r"looks like an R \.rds file"):
        read(path)
