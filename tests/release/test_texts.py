"""An entry is what it is, whatever else its column holds."""

from __future__ import annotations

import datetime as dt
import hashlib
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from sdcmetrics.errors import ColumnError, DataError, FileError
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.sources import scan as scanning
from sdcmetrics.microdata.text_columns import infer
from sdcmetrics.release import reading
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.original import read_people
from sdcmetrics.release.parts import _moment
from sdcmetrics.release.people import records_of
from sdcmetrics.release.reading import open_records, read_records, whole_records
from sdcmetrics.release.texts import as_number, plain_text
from tests.release.studies import people, public_of, records, write_study


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ((1, 1.0, "1", "01", " 1 ", "+1", Decimal("1.00"), np.int8(1), "1.0"), "1"),
        ((-8, -8.0, "-8", "-08"), "-8"),
        ((0, 0.0, -0.0, "0", "-0", "00", "0.00"), "0"),
        ((1.5, "1.50", "01.5", Decimal("1.5"), "15e-1"), "1.5"),
        ((dt.date(2020, 6, 5), pd.Timestamp("2020-06-05"), "2020-06-05"), "2020-06-05"),
        ((True, "true", "True", "TRUE"), "TRUE"),
        ((None, math.nan, "", "NA", " NA", "nan", "NaN"), None),
        (("05.06.2020", "5.6.2020", "05.06.2020 00:00"), "2020-06-05"),
        (("31.06.2020",), "31.06.2020"),
        (("05/06/2020",), "05/06/2020"),
        (("x", " x"), "x"),
        (("1e999",), "1e999"),
    ],
)
def test_equal_entries_are_one_text(entries: tuple[object, ...], text: str | None) -> None:
    assert {plain_text(entry) for entry in entries} == {text}


@pytest.mark.parametrize(
    "text", ["29.2.2024", "01.12.1899", "5.06.2020 14:30", "1.1.2020T00:00:01"]
)
def test_days_with_points_are_what_a_whole_column_of_them_is(text: str) -> None:
    column = infer(pa.chunked_array([[text, text]]), ("",)).column
    assert plain_text(text) == plain_text(column[0].as_py())


def test_decimal_commas_only_where_semicolons_separate() -> None:
    assert plain_text("1,5", decimal_comma=True) == "1.5"
    assert plain_text("1,5") == "1,5"


@pytest.mark.parametrize(
    ("text", "may_be", "are"),
    [
        ("-1.234.567,50", "-1234567.5", "-1234567.5"),
        ("1.234", "1.234", "1234"),
        ("1.5", "1.5", "1.5"),
        ("1.23,5", "1.23,5", "1.23,5"),
    ],
)
def test_points_between_thousands(text: str, may_be: str, are: str) -> None:
    assert plain_text(text, decimal_comma=True) == may_be
    assert plain_text(text, decimal_comma=True, thousands=True) == are
    assert plain_text(text, [text], decimal_comma=True, thousands=True) is None


@pytest.mark.parametrize(
    ("separator", "decimal"),
    [("\t", ","), ("\t", {"pay": ","}), (";", None), (";", ","), (";", {"pay": ","})],
)
@pytest.mark.parametrize("reader", [read_records, open_records])
def test_decimal_marks_are_those_of_the_study(
    tmp_path: Path,
    separator: str,
    decimal: Any,
    reader: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A release read such numbers as levels: of people of one population their TVD was 1.
    monkeypatch.setattr("sdcmetrics.release.reading.is_large", lambda _: reader is open_records)
    pay = ["1.234,50", "999,00", "12.000,25", "7"]
    points = ["1234.5", "999", "12000.25", "7"]
    frame = pd.DataFrame({"pay": pay, "note": ["1.234", "x,5", "a", "b"]})
    frame.to_csv(tmp_path / "a.txt", sep=separator, index=False)
    frame.assign(pay=points).to_csv(tmp_path / "b.csv", index=False)
    how = {} if decimal is None else {"decimal": decimal}
    (commas,) = reader(tmp_path / "a.txt", how)
    (plain,) = reader(tmp_path / "b.csv", {})
    assert set(commas.column("pay").texts) == set(plain.column("pay").texts) == {*points}
    whole = decimal == ","
    assert ("1234" in commas.column("note").texts) == whole


def test_a_column_of_decimal_marks_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("pay\n1\n")
    with pytest.raises(ColumnError, match="decimal names 'play', which is not a column"):
        read_records(tmp_path / "a.csv", {"decimal": {"play": ","}})


def test_numbers_of_texts() -> None:
    assert as_number("2020-01-02") - as_number("2020-01-01") == 1
    assert as_number("2020-01-01T12:00:00") - as_number("2020-01-01") == 0.5
    assert math.isnan(as_number("2020-99-01"))
    assert math.isnan(as_number(None))


@pytest.mark.parametrize("odd", ["unknown", "x", "05/06/2020", "007x", "1.5", "true", "-8"])
def test_one_odd_entry_changes_no_other(tmp_path: Path, odd: str) -> None:
    rows = ["01,2020-01-01,1.0", "2,2020-02-01,2.50", "3,,NA"]
    plain, changed = tmp_path / "a.csv", tmp_path / "b.csv"
    plain.write_text("\n".join(["code,day,size", *rows]) + "\n")
    changed.write_text("\n".join(["code,day,size", *rows, f"{odd},{odd},{odd}"]) + "\n")
    before, after = (read_records(path, {})[0] for path in (plain, changed))
    for name in before.columns:
        texts = [
            [one.columns[name].texts[i] for i in one.columns[name].codes] for one in (before, after)
        ]
        assert texts[1][:3] == texts[0]


def test_a_file_has_the_digest_of_its_bytes_and_a_frame_has_none(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("x\n1\n")
    assert read_records(file, {})[0].sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert records(pd.DataFrame({"x": [1]})).sha256 == ""


def test_labels_of_a_file_belong_to_the_code_and_not_to_the_column() -> None:
    labels = {"sex": {1.0: "man", 2.0: "woman"}}
    numbers = Microdata(pa.table({"sex": [1, 2, 9]}), "a.sav", value_labels=labels)
    levels = Microdata(pa.table({"sex": ["man", "woman"]}), "b.sav")
    assert records_of(numbers).columns["sex"].texts == ("man", "woman", "9")
    assert records_of(levels).columns["sex"].texts == ("man", "woman")


def test_the_digest_is_of_the_content_and_not_of_the_order() -> None:
    frame = pd.DataFrame({"a": [1, 2, 2], "b": ["x", "y", "z"]})
    same = frame.iloc[[2, 0, 1]][["b", "a"]]
    assert records(frame).digest == records(same).digest
    for other in (
        frame.iloc[:2],
        frame.assign(b=["y", "x", "z"]),
        frame.rename(columns={"b": "c"}),
    ):
        assert records(frame).digest != records(other).digest


def test_texts_that_run_together_are_not_the_same() -> None:
    first, other = (pd.DataFrame({"a": [a], "b": [b]}) for a, b in (("1;x", "y"), ("1", ";xy")))
    assert records(first).digest != records(other).digest


def test_of_what_has_to_be_one_file_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="this is a directory"):
        read_records(tmp_path, {})


def test_a_mark_in_a_name_is_no_pattern(tmp_path: Path) -> None:
    file = tmp_path / "people[1].csv"
    file.write_text("a\n1\n", encoding="utf-8")
    assert read_records(file, {})[0].n == 1


@pytest.mark.parametrize("name", ["original", "holdout"])
def test_one_encoding_is_not_what_the_letters_of_single_people_make_it(
    tmp_path: Path, name: str
) -> None:
    file = write_study(tmp_path, people(40, 5), people(30, 6), '[read]\nencoding = "latin-1"\n')
    data = tmp_path / f"{name}.csv"
    text = data.read_text("utf-8").replace("south", "süd")

    def regions() -> set[str | None]:
        data = read_people(read_request(file), file, public_of(file))
        return {text for each in data.sets for text in each.column("region").texts}

    data.write_text(text, "latin-1")
    assert "süd" in regions()
    data.write_text(text, "utf-8-sig")  # the mark is of the file, and of no person
    assert "süd" in regions()
    data.write_text(text, "utf-8")
    with pytest.raises(DataError, match=rf"{name}\.csv: the text is UTF-8, and not latin-1"):
        regions()


def test_a_day_is_a_number_of_days_and_its_time_a_part_of_one() -> None:
    assert as_number("0001-01-01") == 1.0
    assert as_number("1970-01-02") == 719164.0
    seconds = 13 * 3600 + 47 * 60 + 29
    assert as_number("1970-01-02T13:47:29") == pytest.approx(719164 + seconds / 86_400, abs=1e-9)
    assert math.isnan(as_number("2020-02-31"))
    assert as_number("-1.5e2") == -150.0
    assert math.isnan(as_number("1e999"))
    assert math.isnan(as_number(None))


@pytest.mark.parametrize("form", ["parquet", "feather", "sav"])
def test_missing_codes_of_a_statistical_file_are_read_as_the_study_says(
    tmp_path: Path, form: str
) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    path = tmp_path / f"people.{form}"
    if form == "sav":
        pyreadstat.write_sav(frame, str(path), missing_ranges={"a": [2]})
    else:
        getattr(frame, f"to_{form}")(path)
    for user_missing in (True, False):
        [data] = read_records(path, {"user_missing": user_missing, "encoding": None})
        missing = form == "sav" and not user_missing
        column = data.columns["a"]
        texts = [column.texts[code] for code in column.codes]
        assert texts == ["1", None if missing else "2"]


def test_only_a_day_is_a_moment() -> None:
    days = ("1970-01-02", "1970-01", "5/6/2020", "1970-13-45", None)
    assert [_moment(day) for day in days] == pytest.approx(
        [86_400_000, *[math.nan] * 4], nan_ok=True
    )


def test_a_moment_of_another_zone_is_one_without_a_warning() -> None:
    # NumPy warns of it, and by that tells what one person's entry is.
    texts = ("1970-01-02T05:00:00+05:00", "1970-01-02T00:00:00", "0001-01-01T00:00:00+05:00")
    moments = [_moment(text) for text in texts]
    assert moments == pytest.approx([86_400_000, 86_400_000, math.nan], nan_ok=True)


def test_a_file_is_read_whole_whatever_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people(40, 1).to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.setattr(scanning, "MOST_READ", 10)
    monkeypatch.setattr(reading, "MOST_READ", 10)
    [data] = whole_records(tmp_path / "people.csv", {})
    assert (data.n, data.large) == (40, None)
