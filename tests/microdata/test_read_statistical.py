"""Stata, SPSS and SAS files: codes, labels and declared missing codes."""

from __future__ import annotations

import datetime as dt
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from sdcmetrics.errors import ColumnError, FileError
from sdcmetrics.microdata import Microdata, read

if TYPE_CHECKING:
    from collections.abc import Callable

# Installed with R's package haven; the project keeps no SAS file of others.
HAVEN_SAS = Path("/usr/lib/R/site-library/haven/examples/iris.sas7bdat")


def spss(tmp_path: Path, columns: dict[str, Any], **options: Any) -> Microdata:
    path = tmp_path / "data.sav"
    reading = {"user_missing": options.pop("user_missing", True)}
    reading |= {"kinds": options.pop("kinds", None)}
    pyreadstat.write_sav(pd.DataFrame(columns), path, **options)
    return read(path, **reading)


def stata(tmp_path: Path, columns: dict[str, Any], **options: Any) -> Microdata:
    path = tmp_path / "data.dta"
    reading = {"user_missing": options.pop("user_missing", True)}
    pyreadstat.write_dta(pd.DataFrame(columns), path, **options)
    return read(path, **reading)


def levels(data: Microdata, name: str) -> list[str]:
    chunk = data.table[name].chunk(0)
    return list(chunk.dictionary.to_pylist())


class TestNumbers:
    @pytest.mark.parametrize("write", [spss, stata])
    def test_numbers_are_floats_with_missing(
        self, tmp_path: Path, write: Callable[..., Microdata]
    ) -> None:
        data = write(tmp_path, {"x": [1.5, np.nan, 3.0]})
        assert data.table["x"].type == pa.float64()
        assert data.table["x"].to_pylist() == [1.5, None, 3.0]
        assert data.fixes == ()

    def test_stata_integers_are_integers(self, tmp_path: Path) -> None:
        data = stata(tmp_path, {"x": np.array([1, 2], dtype=np.int32)})
        assert data.table["x"].type == pa.int64()

    def test_a_zsav_file_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "data.zsav"
        pyreadstat.write_sav(pd.DataFrame({"x": [1.0]}), path, compress=True)
        assert read(path).n == 1


class TestText:
    @pytest.mark.parametrize("write", [spss, stata])
    def test_empty_text_is_missing_and_listed(
        self, tmp_path: Path, write: Callable[..., Microdata]
    ) -> None:
        data = write(tmp_path, {"x": ["a", "", "b"]})
        assert data.table["x"].to_pylist() == ["a", None, "b"]
        assert [(fix.column, fix.cells) for fix in data.fixes] == [("x", 1)]

    def test_text_codes_with_labels_become_a_category(self, tmp_path: Path) -> None:
        data = spss(
            tmp_path,
            {"x": ["b", "a", ""]},
            variable_value_labels={"x": {"a": "Alpha", "b": "Beta"}},
        )
        assert data.table["x"].to_pylist() == ["Beta", "Alpha", None]
        assert levels(data, "x") == ["Alpha", "Beta"]

    def test_a_text_code_declared_missing_stays_a_value(self, tmp_path: Path) -> None:
        columns = {"x": ["a", "NAP"]}
        kept = spss(tmp_path, columns, missing_ranges={"x": ["NAP"]})
        assert kept.table["x"].to_pylist() == ["a", "NAP"]
        dropped = spss(tmp_path, columns, missing_ranges={"x": ["NAP"]}, user_missing=False)
        assert dropped.table["x"].to_pylist() == ["a", None]


class TestLabels:
    def test_labels_of_every_code_make_a_category_with_unused_levels(self, tmp_path: Path) -> None:
        data = spss(
            tmp_path,
            {"x": [3.0, 1.0, np.nan]},
            variable_value_labels={"x": {3: "three", 1: "one", 2: "two"}},
        )
        assert data.table["x"].type == pa.dictionary(pa.int32(), pa.string())
        assert data.table["x"].to_pylist() == ["three", "one", None]
        assert levels(data, "x") == ["one", "two", "three"]
        assert not data.value_labels

    def test_labels_of_some_codes_leave_numbers_and_are_kept(self, tmp_path: Path) -> None:
        data = spss(tmp_path, {"x": [1.0, 2.0]}, variable_value_labels={"x": {1: "one", 9: "nine"}})
        assert data.table["x"].to_pylist() == [1.0, 2.0]
        assert data.value_labels == {"x": {1.0: "one", 9.0: "nine"}}

    def test_codes_that_share_a_label_are_told_apart_and_listed(self, tmp_path: Path) -> None:
        data = spss(
            tmp_path,
            {"x": [1.0, 7.0, 8.0]},
            variable_value_labels={"x": {1: "yes", 7: "other", 8: "other"}},
        )
        assert levels(data, "x") == ["yes", "other (7)", "other (8)"]
        assert len(data.fixes) == 1

    def test_telling_codes_apart_makes_no_new_clash(self, tmp_path: Path) -> None:
        data = spss(
            tmp_path,
            {"x": [1.0, 7.0, 8.0]},
            variable_value_labels={"x": {1: "other (7)", 7: "other", 8: "other"}},
        )
        assert len(set(levels(data, "x"))) == 3

    def test_a_column_without_values_but_with_labels_is_a_category(self, tmp_path: Path) -> None:
        data = spss(tmp_path, {"x": [np.nan, np.nan]}, variable_value_labels={"x": {1: "one"}})
        assert levels(data, "x") == ["one"]
        assert data.table["x"].to_pylist() == [None, None]

    def test_a_label_of_a_missing_code_alone_makes_no_category(self, tmp_path: Path) -> None:
        data = spss(
            tmp_path,
            {"x": [-8.0, -8.0]},
            missing_ranges={"x": [-8]},
            variable_value_labels={"x": {-8: "refused"}},
        )
        assert data.table["x"].to_pylist() == [-8.0, -8.0]
        assert data.missing_codes == {"x": (-8.0,)}

    def test_a_column_without_values_and_labels_is_numeric(self, tmp_path: Path) -> None:
        assert spss(tmp_path, {"x": [np.nan]}).table["x"].type == pa.float64()

    def test_stata_labels_make_a_category(self, tmp_path: Path) -> None:
        data = stata(
            tmp_path,
            {"x": np.array([2, 1], dtype=np.int32)},
            variable_value_labels={"x": {1: "male", 2: "female"}},
        )
        assert data.table["x"].to_pylist() == ["female", "male"]


class TestDeclaredMissing:
    def test_codes_stay_numbers_and_are_declared(self, tmp_path: Path) -> None:
        data = spss(
            tmp_path,
            {"x": [10.5, -8.0, -9.0, -8.0], "y": [1.0, 2.0, 3.0, 4.0]},
            missing_ranges={"x": [{"lo": -9, "hi": -7}], "y": [99]},
            variable_value_labels={"x": {-8: "refused"}},
        )
        assert data.table["x"].to_pylist() == [10.5, -8.0, -9.0, -8.0]
        assert data.missing_codes == {"x": (-9.0, -8.0)}
        assert data.value_labels == {"x": {-8.0: "refused"}}

    def test_open_ranges_and_single_codes_are_expanded(self, tmp_path: Path) -> None:
        data = spss(
            tmp_path,
            {"x": [1.0, 97.0, 98.5, -1.0], "y": [1.0, -5.0, 3.0, 4.0]},
            missing_ranges={
                "x": [{"lo": 97, "hi": float("inf")}, -1],
                "y": [{"lo": float("-inf"), "hi": 0}],
            },
        )
        assert data.missing_codes == {"x": (-1.0, 97.0, 98.5), "y": (-5.0,)}

    def test_labelled_codes_are_levels_of_a_category(self, tmp_path: Path) -> None:
        data = spss(
            tmp_path,
            {"x": [1.0, 2.0, -8.0]},
            missing_ranges={"x": [-8]},
            variable_value_labels={"x": {1: "one", 2: "two", -8: "refused"}},
        )
        assert levels(data, "x") == ["refused", "one", "two"]
        assert data.table["x"].to_pylist() == ["one", "two", "refused"]
        assert not data.missing_codes

    def test_a_code_without_label_is_a_level_by_its_number_and_listed(self, tmp_path: Path) -> None:
        data = spss(
            tmp_path,
            {"x": [1.0, -8.0, -8.0]},
            missing_ranges={"x": [-8]},
            variable_value_labels={"x": {1: "one"}},
        )
        assert data.table["x"].to_pylist() == ["one", "-8", "-8"]
        assert [fix.cells for fix in data.fixes] == [2]

    def test_they_are_missing_where_the_caller_wants_it(self, tmp_path: Path) -> None:
        data = spss(tmp_path, {"x": [1.0, -8.0]}, missing_ranges={"x": [-8]}, user_missing=False)
        assert data.table["x"].to_pylist() == [1.0, None]
        assert not data.missing_codes
        assert [(fix.column, fix.cells) for fix in data.fixes] == [("x", 1)]

    def test_a_missing_code_of_a_date_is_missing_and_listed(self, tmp_path: Path) -> None:
        day = 12219379200.0 + 86400 * 20000
        data = spss(
            tmp_path,
            {"x": [day, 99.0]},
            missing_ranges={"x": [99]},
            variable_format={"x": "DATE11"},
        )
        assert data.table["x"].to_pylist()[1] is None
        assert [fix.cells for fix in data.fixes] == [1]


class TestStataExtendedMissing:
    def test_they_are_missing_and_listed_by_number_of_cells(self, tmp_path: Path) -> None:
        data = stata(tmp_path, {"x": [1, "a", "b", "a"]}, missing_user_values={"x": ["a", "b"]})
        assert data.table["x"].to_pylist() == [1, None, None, None]
        assert [(fix.column, fix.cells) for fix in data.fixes] == [("x", 3)]
        assert ".a, .b" in data.fixes[0].what

    def test_labelled_ones_are_levels_of_a_category(self, tmp_path: Path) -> None:
        data = stata(
            tmp_path,
            {"x": [1, 2, "a", "b"]},
            missing_user_values={"x": ["a", "b"]},
            variable_value_labels={"x": {1: "one", 2: "two", "a": "refused"}},
        )
        assert data.table["x"].to_pylist() == ["one", "two", "refused", None]
        assert levels(data, "x") == ["one", "two", "refused"]
        assert [fix.cells for fix in data.fixes] == [1]

    def test_a_label_of_one_alone_leaves_numbers(self, tmp_path: Path) -> None:
        data = stata(
            tmp_path,
            {"x": [1, 2, "a"]},
            missing_user_values={"x": ["a"]},
            variable_value_labels={"x": {"a": "refused"}},
        )
        assert data.table["x"].to_pylist() == [1, 2, None]

    def test_their_labels_alone_make_no_category(self, tmp_path: Path) -> None:
        data = stata(
            tmp_path,
            {"x": np.array([np.nan, np.nan])},
            missing_user_values={"x": ["a"]},
            variable_value_labels={"x": {"a": "refused"}},
        )
        assert data.table["x"].type == pa.float64()

    def test_a_column_of_them_alone_is_no_category(self, tmp_path: Path) -> None:
        data = stata(
            tmp_path,
            {"x": ["a", "a"]},
            missing_user_values={"x": ["a"]},
            variable_value_labels={"x": {"a": "refused"}},
        )
        assert data.table["x"].to_pylist() == [None, None]
        assert data.table["x"].type == pa.float64()

    def test_they_are_missing_where_the_caller_wants_it(self, tmp_path: Path) -> None:
        data = stata(
            tmp_path,
            {"x": [1, "a"]},
            missing_user_values={"x": ["a"]},
            variable_value_labels={"x": {1: "one", "a": "refused"}},
            user_missing=False,
        )
        assert data.table["x"].to_pylist() == ["one", None]

    def test_one_letter_text_is_text(self, tmp_path: Path) -> None:
        assert stata(tmp_path, {"x": ["a", "b"]}).table["x"].to_pylist() == ["a", "b"]


class TestDates:
    @pytest.mark.parametrize("write", [spss, stata])
    def test_dates_and_times_are_read_to_the_millisecond(
        self, tmp_path: Path, write: Callable[..., Microdata]
    ) -> None:
        moment = dt.datetime(2020, 1, 1, 10, 11, 12, 123000)  # noqa: DTZ001
        data = write(
            tmp_path,
            {"day": [dt.date(2020, 2, 29), None], "time": pd.Series([moment, pd.NaT])},
        )
        assert data.table["day"].type == pa.date32()
        assert data.table["day"].to_pylist() == [dt.date(2020, 2, 29), None]
        assert data.table["time"].to_pylist() == [moment, None]

    def test_times_of_day_are_times(self, tmp_path: Path) -> None:
        data = spss(tmp_path, {"x": [dt.time(1, 2, 3), None]})
        assert data.table["x"].to_pylist() == [dt.time(1, 2, 3), None]

    def test_a_date_that_no_calendar_has_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="years 1 to 9999"):
            spss(tmp_path, {"x": [1e13]}, variable_format={"x": "DATE11"})


class TestDamage:
    @pytest.mark.parametrize(
        ("suffix", "head"),
        [
            ("sav", b"$FL2"),
            ("dta", b"\x72\x02\x01\x00"),
            ("sas7bdat", b"\x00" * 12 + b"\xc2\xea\x81\x60"),
        ],
    )
    def test_a_damaged_file_is_refused_without_its_content(
        self, tmp_path: Path, suffix: str, head: bytes
    ) -> None:
        path = tmp_path / f"data.{suffix}"
        path.write_bytes(head + b"987654321" * 50)
        with pytest.raises(FileError, match=rf"data\.{suffix}: the file is damaged") as caught:
            read(path)
        assert "987654321" not in "".join(traceback.format_exception(caught.value))
        assert caught.value.__context__ is None

    def test_a_file_that_is_cut_off_is_refused(self, tmp_path: Path) -> None:
        spss(tmp_path, {"x": [float(i) + 0.5 for i in range(100)]})
        path = tmp_path / "data.sav"
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(FileError, match="cut off"):
            read(path)

    def test_a_file_without_records_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="no records"):
            spss(tmp_path, {"x": pd.Series([], dtype=float)})


class TestKindsAskedFor:
    def test_a_number_can_be_a_category(self, tmp_path: Path) -> None:
        data = spss(tmp_path, {"x": [1.0, np.nan]}, kinds={"x": "category"})
        assert data.table["x"].to_pylist() == ["1", None]

    def test_a_category_of_words_is_no_number(self, tmp_path: Path) -> None:
        with pytest.raises(ColumnError, match="numbers"):
            spss(
                tmp_path,
                {"x": [1.0]},
                variable_value_labels={"x": {1: "one"}},
                kinds={"x": "number"},
            )


class TestSas:
    @pytest.mark.skipif(not HAVEN_SAS.exists(), reason="needs the example file of R's haven")
    def test_a_sas_file_is_read(self) -> None:
        data = read(HAVEN_SAS)
        assert data.n == 150
        assert [str(field.type) for field in data.table.schema] == ["double"] * 4 + ["string"]
        assert data.table["Species"].to_pylist()[-1] == "virgin"

    def test_special_missing_values_are_missing_and_listed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # pyreadstat writes no SAS files, so its answer is put in place.
        def answer(path: str, **options: Any) -> tuple[dict[str, list[Any]], SimpleNamespace]:
            assert path == str(tmp_path / "data.sas7bdat")
            assert options["user_missing"]
            meta = SimpleNamespace(
                variable_measure={},
                readstat_variable_types={"x": "double", "s": "string", "d": "double"},
                variable_value_labels={},
                missing_ranges={},
                column_names_to_labels={},
            )
            day = dt.date(2020, 2, 29)
            return {"x": [1.0, "A", "_", None], "s": ["A", "", "b", "c"], "d": [day] * 4}, meta

        path = tmp_path / "data.sas7bdat"
        path.write_bytes(b"\x00" * 12 + b"\xc2\xea\x81\x60")
        monkeypatch.setattr(pyreadstat, "read_sas7bdat", answer)
        data = read(path)
        assert data.table["x"].to_pylist() == [1.0, None, None, None]
        assert data.table["s"].to_pylist() == ["A", None, "b", "c"]
        assert data.table["d"].type == pa.date32()
        assert [(fix.column, fix.cells) for fix in data.fixes] == [("x", 2), ("s", 1)]
