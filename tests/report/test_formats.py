"""The workbook holds the tables of the CSV files as they are; the JSON keeps to its schema."""

from __future__ import annotations

import csv
import gc
import io
import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import openpyxl
import pytest

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.report import write_json, write_xlsx
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.formats import write, xlsx
from sdcmetrics.report.formats.xlsx import as_xlsx
from sdcmetrics.report.safety.rows import as_csv
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

MODES = ("internal", "checker")


def read(path: Path) -> dict[str, list[list[object]]]:
    book = openpyxl.load_workbook(path)
    return {s.title: [[c.value for c in row] for row in s.iter_rows()] for s in book.worksheets}


@pytest.mark.parametrize("mode", MODES)
def test_every_sheet_equals_its_csv_file(
    review: Review, profile: Profile, tmp_path: Path, mode: str
) -> None:
    sheets = read(write_xlsx(review, tmp_path / "a.xlsx", mode=mode, profile=profile))
    report = safe_report(review, profile, mode)  # type: ignore[arg-type]
    assert list(sheets) == ["decision", "what_to_do", *report.exports]
    for name, table in report.exports.items():
        rows = list(csv.reader(io.StringIO(as_csv(table))))
        assert len(rows) == len(sheets[name])
        for written, result in zip(rows[1:], sheets[name][1:], strict=True):
            for column, text, value in zip(table.columns, written, result, strict=True):
                if column.numeric:
                    assert (
                        value is None
                        if text == ""
                        else value == pytest.approx(float(text), rel=1e-14)
                    )
                else:
                    assert (value or "") == text


def test_numbers_are_numbers_and_headings_stay(
    review: Review, profile: Profile, tmp_path: Path
) -> None:
    book = openpyxl.load_workbook(write_xlsx(review, tmp_path / "a.xlsx", profile=profile))
    for sheet in book.worksheets:
        assert sheet.freeze_panes == "B2"
        assert all(cell.font.bold for cell in sheet[1])
        assert sheet.auto_filter.ref == sheet.dimensions
        for column in sheet.columns:
            texts = [cell.value for cell in column[:201] if cell.value is not None]
            if all(isinstance(text, str) for text in texts):
                wide = sheet.column_dimensions[column[0].column_letter].width
                assert wide == min(max(9, *map(len, texts)), 48) + 2
    result = book["measurements"]
    at = [cell.value for cell in result[1]].index("value")
    assert {cell.number_format for cell in list(result.columns)[at][1:]} == {"#,##0.00"}


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([], "#,##0"), ([None, 2, -3.0], "#,##0"), ([0.5, -1.0], "#,##0.00"), ([0.999], "0.0000"),
    ],
)  # fmt: skip
def test_numbers_are_shown_by_the_largest(values: list[float | None], form: str) -> None:
    assert xlsx._format(values) == form


def test_rows_are_as_many_as_a_sheet_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "_ROWS", 2)
    assert list(xlsx._rows([[0.5, None, 3], ["a<", "", "c"]], ["A", "B"], [4, 5])) == [
        (
            '<row r="2"><c r="A2" s="4"><v>0.5</v></c><c r="B2" s="5" t="inlineStr"><is>'
            '<t xml:space="preserve">a&lt;</t></is></c></row>'
        ),
        '<row r="3"><c r="A3" s="4"/><c r="B3" s="5"/></row>',
    ]


@pytest.mark.parametrize("collects", [True, False])
def test_cycles_are_looked_for_afterwards_where_they_were_before(*, collects: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        with write._uncollected():
            assert not gc.isenabled()
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()


def test_no_text_is_a_formula(hostile_review: Review, profile: Profile, tmp_path: Path) -> None:
    book = openpyxl.load_workbook(write_xlsx(hostile_review, tmp_path / "a.xlsx", profile=profile))
    texts = [
        c for s in book.worksheets for row in s.iter_rows() for c in row if c.value is not None
    ]
    assert any(str(cell.value).startswith("'=cmd") for cell in texts)
    for cell in texts:
        assert cell.data_type in ("s", "n")
        assert not str(cell.value).startswith(("=", "+", "@"))


def test_the_same_review_gives_the_same_workbook(review: Review, profile: Profile) -> None:
    report = safe_report(review, profile, "internal")
    assert as_xlsx(report) == as_xlsx(report)


def test_a_workbook_with_more_than_a_release_allows_is_not_written(
    review: Review, profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = as_xlsx(safe_report(review, profile, "internal"))
    monkeypatch.setattr(write, "as_xlsx", lambda _: inside)
    with pytest.raises(ReleaseBlocked, match="count"):
        write_xlsx(review, tmp_path / "a.xlsx", mode="checker", profile=profile)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", MODES)
def test_the_json_keeps_to_its_schema(
    review: Review, hostile_review: Review, profile: Profile, tmp_path: Path, mode: str
) -> None:
    schema = json.loads(
        files("sdcmetrics.report.formats").joinpath("review.schema.json").read_text()
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    for item in (review, hostile_review) if mode == "internal" else (review,):
        path = write_json(item, tmp_path / "a.json", mode=mode, profile=profile)
        document = json.loads(path.read_text("utf-8"))
        jsonschema.validate(document, schema)
    document["decision"][0]["risk"] = "good"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
