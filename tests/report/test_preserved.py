"""What a user sheet tells of what a replica preserves, and from which files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.report.outside import sheet
from sdcmetrics.report.outside.preserved import preserved, released_figures, verified_answers


def figure(measure: str, low: float, high: float, **more: Any) -> dict[str, Any]:
    return {
        "measure": measure,
        "variable": "age",
        "value": 0.0123,
        "low": low,
        "high": high,
        **more,
    }


def test_distributions_are_near_other_or_not_told() -> None:
    figures = [
        figure("TVD", 0.0, 0.05), figure("TVD", 0.05, 0.06), figure("TVD", 0.051, 0.2),
        figure("TVD of pairs", 0.01, 0.02), figure("TVD", 0, 0, value=None), figure("W1", 0, 0),
    ]  # fmt: skip
    (table,) = preserved(figures, []).tables
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["age", "0.01", "0.00 to 0.05", "near"],
        ["age", "0.01", "0.05 to 0.06", "cannot be told"],
        ["age", "0.01", "0.05 to 0.20", "other"],
        ["pairs of columns", "0.01", "0.01 to 0.02", "near"],
    ]
    assert [cell.kind for cell in table.rows[0]] == ["name", "figure", "figure", "words"]


def test_verified_analyses_have_a_row_per_term() -> None:
    answers = [
        {"term": "x", "overlap": [0.5, 0.75], "conclusion": "same"},
        {"term": "y", "overlap": None, "conclusion": "other"},
        {"term": "z", "overlap": [0, 1], "conclusion": "withheld"},
    ]
    section = preserved([], [{"analysis": "income", "answers": answers}])
    (table,) = section.tables
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["income: x", "0.50 to 0.75", "the same"],
        ["income: y", "not answered", "another"],
        ["income: z", "0.00 to 1.00", "cannot be told"],
    ]
    assert len(section.paragraphs) == 1
    nothing = preserved([], [])
    assert nothing.paragraphs[0].startswith("No figure has been released")
    assert not nothing.tables


def test_figures_of_a_release_are_of_the_file_that_goes_out(tmp_path: Path) -> None:
    file: Any = SimpleNamespace(name="r.csv", sha256="abcdef0123456789" + "f" * 48)
    figure = {
        "measure": "TVD", "variable": "age", "people": "original",
        "value": 0.1, "low": 0.0, "high": 0.2,
    }  # fmt: skip
    document = {
        "classification": "release", "sections": ["digest abcdef0123456789"],
        "figures": [{**figure, "replica": name, "n": i} for i, name in enumerate(("r", "", "s"))],
    }  # fmt: skip
    path = tmp_path / "release.json"

    def told(**changed: Any) -> list[int]:
        path.write_text(
            json.dumps({k: v for k, v in {**document, **changed}.items() if v is not None})
        )
        return [entry["n"] for entry in released_figures(tmp_path, "r", [file])]

    assert told() == [0, 1]
    assert [entry["n"] for entry in released_figures(path, "s", [])] == [1, 2]
    lost = {**figure, "replica": "r", "n": 3, "value": None, "low": None, "high": None}
    assert told(figures=[lost]) == [3]
    # The largest whole number up to which a float holds them all.
    assert told(figures=[{**figure, "replica": "r", "n": 4, "high": 2**53}]) == [4]
    for changed, words in (
        ({"classification": "internal"}, "expected the release.json of an edition"),
        ({"figures": None}, "was changed"),
        ({"figures": [3]}, "was changed"),
        ({"figures": [{**lost, "value": "a tenth"}]}, "was changed"),
        ({"figures": [{**lost, "value": 0.1}]}, "was changed"),
        ({"figures": [{**lost, "measure": None}]}, "was changed"),
        ({"figures": [{**figure, "replica": "r", "high": math.nan}]}, "was changed"),
        ({"figures": [{**figure, "replica": "r", "high": 10**400}]}, "was changed"),
        ({"figures": [{**figure, "replica": "r", "high": 2**53 + 1}]}, "was changed"),
        ({"figures": [{**figure, "replica": "r", "low": 0.3}]}, "was changed"),
        ({"figures": [{**figure, "replica": "r", "low": False}]}, "was changed"),
        ({"figures": [{"replica": "r", "value": 0.1}]}, "was changed"),
        ({"sections": ["digest 123"]}, "this release is not of r.csv as it is now"),
    ):
        with pytest.raises(StudyError, match=words):
            told(**changed)
    path.write_text("[]")
    with pytest.raises(StudyError, match="expected the release"):
        released_figures(path, "r", [])
    for damaged in (b"{", b"\xef\xbb\xbf{}", "{}".encode("utf-16")):
        path.write_bytes(damaged)
        with pytest.raises(FileError, match="this is no JSON in UTF-8"):
            released_figures(path, "r", [])
    with pytest.raises(FileError, match="cannot be read"):
        released_figures(tmp_path / "absent.json", "r", [])


def test_answers_are_those_of_the_replica(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    files: Any = [SimpleNamespace(name=f"{name}.csv", sha256=name * 64) for name in "ab"]
    digests = [file.sha256 for file in files]
    answer = {"term": "m - f", "overlap": [0.2, 1], "conclusion": "same"}
    own = {"analysis": "pay", "replica": "r", "answers": [answer], "sha256": digests}
    entries = [
        own,
        {**own, "answers": []},
        {**own, "replica": "s", "sha256": ["f" * 64]},
    ]

    def told(*entries: Any) -> list[dict[str, Any]]:
        path.write_text(json.dumps(entries))
        return verified_answers(path, "r", files)

    assert told(*entries) == entries[:1]
    assert told({**own, "answers": [{**answer, "overlap": None}]})
    assert told({**own, "answers": []}) == []
    for others in ([], [{**own, "replica": "s"}]):
        with pytest.raises(StudyError, match="there is no answer on r"):
            told(*others)
    assert told({**own, "sha256": digests[::-1]})
    for changed in (digests[:1], [*digests, "c" * 64], ["c" * 64] * 2, []):
        with pytest.raises(StudyError, match=r"answers are not of a\.csv, b\.csv as it is"):
            told({**own, "sha256": changed})
    for wrong in (
        1,
        {**own, "answers": 5},
        {**own, "analysis": 7},
        {**own, "answers": [{**answer, "overlap": ["x", "y"]}]},
        {**own, "answers": [{**answer, "overlap": [0, 1, 1]}]},
        {**own, "answers": [{**answer, "overlap": [0, math.inf]}]},
        {**own, "answers": [{**answer, "overlap": [0, 10**400]}]},
        {**own, "answers": [{**answer, "overlap": [0.9, 0.1]}]},
        {**own, "answers": [{**answer, "overlap": [0.5, 1.5]}]},
        {**own, "sha256": None},
        {**own, "sha256": [digests]},
        {**own, "answers": [{**answer, "conclusion": None}]},
        {**own, "answers": [{"overlap": [0, 1], "conclusion": "same"}]},
        {name: entry for name, entry in own.items() if name != "sha256"},
    ):
        with pytest.raises(StudyError, match="expected answers as sdcmetrics verify"):
            told(wrong)


@pytest.mark.parametrize(
    ("files", "caption"), [(1, "Its columns"), (2, "Columns of r1.csv"), (3, "Columns of r1.csv")]
)
def test_columns_are_those_of_the_first_file(files: int, caption: str) -> None:
    column = SimpleNamespace(name="age", label="", type="number", categories=(1, 2), missing=("9",))
    named: Any = [
        SimpleNamespace(name=f"r{i}.csv", records=1_234, sha256="abc", columns=(column,) * i)
        for i in range(1, files + 1)
    ]
    table, columns = sheet._files(named).tables
    assert [[cell.text for cell in row] for row in table.rows] == [
        [f"r{i}.csv", "1,234", str(i), "abc"] for i in range(1, files + 1)
    ]
    assert columns.caption == caption
    assert [[cell.text for cell in row] for row in columns.rows] == [
        ["age", "", "number", "2", "9"]
    ]
