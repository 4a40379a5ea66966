"""The workbook holds the tables of the CSV files as they are; the JSON keeps to its schema."""

from __future__ import annotations

import csv
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
from sdcmetrics.report.formats import write
from sdcmetrics.report.formats.xlsx import as_xlsx
from sdcmetrics.report.safety.rows import as_csv
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

MODES = ("internal", "checker")


def read(path: Path) -> dict[str, list[list[object]]]:
    book = openpyxl.load_workbook(path)
    return {s.title: [[c.value for c in row] for row in s.iter_rows()] for s in book.worksheets}


@pytest.mark.long
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
        for written, found in zip(rows[1:], sheets[name][1:], strict=True):
            for column, text, value in zip(table.columns, written, found, strict=True):
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
    found = book["measurements"]
    at = [cell.value for cell in found[1]].index("value")
    assert {cell.number_format for cell in list(found.columns)[at][1:]} == {"#,##0.00"}


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
def test_the_json_keeps_to_its_schema(
    review: Review, hostile_review: Review, profile: Profile, tmp_path: Path, mode: str
) -> None:
    schema = json.loads(
        files("sdcmetrics.report.formats").joinpath("review.schema.json").read_text()
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    for found in (review, hostile_review) if mode == "internal" else (review,):
        path = write_json(found, tmp_path / "a.json", mode=mode, profile=profile)
        document = json.loads(path.read_text("utf-8"))
        jsonschema.validate(document, schema)
    document["decision"][0]["risk"] = "good"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
