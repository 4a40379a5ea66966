"""What a review is written with: by its edition, its size and what R answered."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import report
from sdcmetrics.agreement.crosscheck import COLUMNS, CrossCheck
from sdcmetrics.cli import run as running
from sdcmetrics.errors import RError

Put = pytest.MonkeyPatch
FRAME = pd.DataFrame({"a": ["x", "y"] * 4, "b": [1, 2] * 4})
ROW = dict.fromkeys(COLUMNS, "") | {"relative": 0.0}
EQUAL = CrossCheck(pd.DataFrame([ROW | {"verdict": "equal", "explained": True}]))
DIFFERENT = CrossCheck(pd.DataFrame([ROW | {"verdict": "DIFFERS", "explained": False}]))


@pytest.fixture
def written(monkeypatch: Put) -> list[dict[str, Any]]:
    """Return what results are written with; nothing is measured, and all is of 50,000 records."""
    kept: list[dict[str, Any]] = []

    def write_all(_: Any, out: Path, **given: Any) -> list[Path]:
        kept.append(given)
        return [out / "report.html"]

    review = SimpleNamespace(n_original=50_000, decisions={})
    monkeypatch.setattr(running, "conduct", lambda *_, **__: review)
    monkeypatch.setattr(running, "_compare", lambda *_: "ranked")
    monkeypatch.setattr(running, "remedied_of", lambda *_: "remedied")
    monkeypatch.setattr(running, "_earlier", lambda _: "earlier")
    monkeypatch.setattr(running, "_which", lambda _: "")
    monkeypatch.setattr(running, "_summarise", lambda *_, **__: None)
    monkeypatch.setattr(report, "write_all", write_all)
    monkeypatch.setattr(report, "judged", lambda *_: ())
    return kept


def run(out: Path, **given: Any) -> int:
    study = sdc.Study(FRAME, {"one": FRAME}, keys=["a"], targets=["b"])
    return running.run(study, out, quiet=True, **given)


@pytest.mark.parametrize(
    ("mode", "most", "with_it"),
    [
        ("internal", 50_000, ("ranked", "remedied", "earlier")),
        ("internal", 49_999, ("ranked", None, "earlier")),
        ("checker", 50_000, (None, None, None)),
    ],
)
def test_remedies_are_of_small_files_and_only_inside(
    written: list[dict[str, Any]], monkeypatch: Put, tmp_path: Path,
    mode: str, most: int, with_it: tuple[str | None, ...],
) -> None:  # fmt: skip
    monkeypatch.setattr(running, "_RECORDS", most)
    assert run(tmp_path / "out", mode=mode) == 0
    (first,) = written
    assert (first["ranking"], first["remedied"], first["before"]) == with_it
    assert (first["mode"], first["crosscheck"]) == (mode, None)


@pytest.mark.parametrize(
    ("answer", "code"), [(EQUAL, 0), (DIFFERENT, 1), (RError("it died", kind="died"), 0)]
)
def test_results_are_written_before_r_is_asked_and_again_with_its_answer(
    written: list[dict[str, Any]], monkeypatch: Put, tmp_path: Path, answer: Any, code: int
) -> None:
    monkeypatch.setattr(running, "_ask_r", lambda *_, **__: answer)
    assert run(tmp_path / "out", against_r=True) == code
    assert [item["crosscheck"] for item in written] == [None, answer]
