"""JSON, CSV and PDF."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.report import write_csv, write_json, write_pdf
from sdcmetrics.report.formats import output, write
from sdcmetrics.report.safety.cells import Mode, SafeCell, SafeColumn, SafeTable, text_cell
from sdcmetrics.report.safety.rows import as_csv, as_rows, guarded
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from tests.report.conftest import HOSTILE

FILES = (
    "measurements.csv",
    "disclosure.csv",
    "utility_oneway.csv",
    "utility_twoway.csv",
    "specific_utility.csv",
    "rules.csv",
    "distributions.csv",
    "fixes.csv",
    "ranking.csv",
    "ranking_totals.csv",
    "ranking_map.csv",
)


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_csv_files_are_guarded_against_formulas(
    hostile_review: Review, tmp_path: Path, mode: str
) -> None:
    paths = write_csv(hostile_review, tmp_path / "new" / "tables", mode=mode)
    inside = {"disclosure_by_level.csv"} if mode == "internal" else set()
    assert {path.name for path in paths} == {*FILES, *inside}
    seen = set()
    for path in paths:
        for row in csv.reader(io.StringIO(path.read_text("utf-8"))):
            for cell in row:
                seen.add(cell)
                if cell.startswith(("=", "+", "@", "\t", "\r")):
                    pytest.fail(f"{path.name}: {cell[:20]}")
                if cell.startswith("-"):
                    float(cell)  # only numbers may begin with a minus
    assert "'" + HOSTILE[3] in seen
    assert "'+1" in seen
    assert HOSTILE[5] in seen


SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\ufe62", "\ufe63", "\ufe66")
BEFORE = (
    "",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\N{NO-BREAK SPACE}",
    "\u3000",
    "\ufeff",
    "\u200b",
    "\x00",
    "'",
)


@pytest.mark.parametrize("before", BEFORE)
def test_no_text_is_a_formula_whatever_is_before_its_sign(before: str) -> None:
    for sign in SIGNS:
        for text in (f"{before}{sign}cmd|' /C calc'!A0", f"{before}{before}{sign}"):
            assert guarded(text) == f"'{text}"
    plain = ("a = b", "1-2", "(=)", "", "\N{MINUS SIGN}4", "'", "'a'", " a")
    assert [guarded(text) for text in plain] == list(plain)


def test_guarded_texts_can_be_read_back() -> None:
    parts = ("", "'", "''", " ", "\t", "=", "\uff1d", "a", "\N{EN DASH}")
    texts = [a + b + c + d for a in parts for b in parts for c in parts for d in parts]
    for text in texts:
        read = guarded(text)
        inner = read[1:]
        assert (inner if read[:1] == "'" and guarded(inner) != inner else read) == text


def test_a_negative_number_stays_a_number_and_a_negative_label_does_not() -> None:
    columns = (SafeColumn("level", "level"), SafeColumn("value", "value", numeric=True))
    table = SafeTable(("x",), columns, ((text_cell("-8"), SafeCell("-1.5", "number", -1.5)),))
    assert as_csv(table) == "level,value\n'-8,-1.5\n"


def test_hidden_values_are_empty_in_csv_and_absent_in_json() -> None:
    columns = (SafeColumn("level", "level"), SafeColumn("value", "value", numeric=True))
    row = (text_cell("a"), SafeCell("< 1.1 %", "hidden", bound=1.1))
    table = SafeTable(("x",), columns, (row,))
    assert as_csv(table) == "level,value\na,\n"
    assert as_rows(table) == [{"level": "a"}]


def test_infinite_values_do_not_reach_files() -> None:
    columns = (SafeColumn("value", "value", numeric=True),)
    table = SafeTable(("x",), columns, ((SafeCell("∞", "number", float("inf")),),))
    assert as_csv(table) == 'value\n""\n'
    assert as_rows(table) == [{}]


def test_internal_measurements_are_exact(review: Review, profile: Profile, tmp_path: Path) -> None:
    paths = write_csv(review, tmp_path, profile=profile)
    rows = read(paths[0])
    expected = review.mean_rows()
    assert len(rows) == len(expected)
    for row, value in zip(rows, expected["value"].tolist(), strict=True):
        assert (row["value"] == "") == (value != value)  # noqa: PLR0124  (NaN)
        if row["value"]:
            assert float(row["value"]) == value
    assert {row["status"] for row in rows} >= {"within", "not judged"}


def test_json_is_strict_and_says_what_it_is(
    review: Review, profile: Profile, tmp_path: Path
) -> None:
    def refuse(constant: str) -> None:
        pytest.fail(constant)

    for mode in ("internal", "checker"):
        path = write_json(review, tmp_path / "review.json", mode=mode, profile=profile)
        document = json.loads(path.read_text("utf-8"), parse_constant=refuse)
        assert document["classification"] == mode
        assert document["title"] == "A small survey"
        assert len(document["answers"]) == 3
        assert document["not_checked"]
        assert {row["variable"] for row in document["distributions"]} == set(review.variables)
        assert (document["held_back"] == []) == (mode == "internal")


def test_an_earlier_result_is_read_once_and_again_where_it_has_changed(
    review: Review, profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_json(review, tmp_path / "review.json", profile=profile)
    parsed: list[int] = []
    loads = json.loads

    def noted(text: str) -> Any:
        parsed.append(len(text))
        return loads(text)

    monkeypatch.setattr(output.json, "loads", noted)
    for _ in range(3):
        output.check_folder(tmp_path, "internal")
    assert len(parsed) == 1
    text = path.read_text("utf-8")
    path.write_text(text.replace('"internal"', '"checker" '), "utf-8")  # of the same length
    with pytest.raises(StudyError, match="holds a checker report"):
        output.check_folder(tmp_path, "internal")
    assert len(parsed) == 2
    path.write_text("[1]", "utf-8")
    with pytest.raises(StudyError, match="not known to be the result"):
        output.check_folder(tmp_path, "internal")


def test_a_pdf_without_weasyprint_says_how_to_get_it(
    review: Review, profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(StudyError, match=r'pip install "sdcmetrics\[pdf\]"'):
        write_pdf(review, tmp_path / "report.pdf", profile=profile)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_every_file_of_a_release_is_scanned_before_it_is_written(
    mode: Mode, review: Review, profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned: dict[str, Any] = {}
    monkeypatch.setattr(write, "_check", lambda *_: scanned.update(_[-1]))
    folder = tmp_path / mode
    write.write_all(review, folder, formats=["html"], mode=mode, profile=profile)
    written = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    written.remove("SHA256SUMS")  # of files that are all scanned
    assert {"review.json", "tables/measurements.csv"} < written
    assert (written <= {*scanned}) == (mode == "checker")
    if mode == "checker":
        text = scanned["tables/measurements.csv"]
        assert (folder / "tables/measurements.csv").read_text("utf-8-sig").split() == (
            text if isinstance(text, str) else text.decode("utf-8-sig")
        ).removeprefix("\ufeff").split()


def stand_in(monkeypatch: pytest.MonkeyPatch, mode: Mode) -> dict[str, Any]:
    """Let all that is written be the name of its format, and return what comes to the folder."""
    report, written = With(exports={}, mode=mode), dict[str, Any]()
    parts: dict[str, Any] = {
        "_prepare": lambda _: (report, None), "check_folder": lambda *_, **__: None,
        "json_parts": lambda _: iter(["{", "}"]), "scan": lambda *_: None,
        "render_pages": lambda _: {"report.html": "page"}, "render": lambda _: "whole",
        "html_to_pdf": lambda html, *, archive=False: (html, archive),
        "as_xlsx": lambda _: b"sheets", "replace_results": lambda _, files: written.update(files),
    }  # fmt: skip
    for name, part in parts.items():
        monkeypatch.setattr(write, name, part)
    return written


@pytest.mark.parametrize("formats", [(), ("html",), ("pdf",), ("pdfa",), ("pdfa", "xlsx", "pdf")])
def test_each_format_is_a_file_and_no_other_is_written(
    formats: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = stand_in(monkeypatch, "internal")
    monkeypatch.setattr(write, "LARGE_REVIEW", 3)
    if not {"pdf", "pdfa"} & {*formats}:
        monkeypatch.delattr(write, "render")  # nobody asks for the page as a whole
    review: Any = With(measurements=With(means=range(3)))
    files = {
        "html": ("report.html", "page"), "pdf": ("report.pdf", ("whole", False)),
        "pdfa": ("report-archive.pdf", ("whole", True)), "xlsx": ("report.xlsx", b"sheets"),
    }  # fmt: skip
    result = write._write_all(review, "out", formats=formats, force=False, before=None)
    assert result == [Path("out", name) for kind, (name, _) in files.items() if kind in formats]
    assert {name: text for name, text in written.items() if name != "review.json"} == {
        name: text for kind, (name, text) in files.items() if kind in formats
    }
    review.measurements.means = range(4)  # more than the tables list
    written.clear()
    write._write_all(review, "out", formats=formats, force=False, before=None)
    assert "tables/measurements.parquet" in written


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_only_an_internal_report_that_cannot_be_drawn_leaves_its_numbers(
    mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    written = stand_in(monkeypatch, mode)
    review: Any = With(measurements=With(means=range(3)))
    how: Any = {"formats": ("html",), "force": False, "before": None}
    write._write_all(review, "out", **how)
    assert written.pop("report.html") == "page"
    assert (written.pop("review.json") == "{}") == (mode == "checker")  # whole, to be scanned
    assert written == {}
    monkeypatch.setattr(write, "render_pages", fail)
    with pytest.raises(ZeroDivisionError):
        write._write_all(review, "out", **how)
    assert [*written] == (["review.json"] if mode == "internal" else [])
