"""What review.json says of each replica."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sdcmetrics as sdc
from sdcmetrics.report import document
from sdcmetrics.report.document import read_answers
from tests.report.conftest import NOW, sample


def test_whose_records_it_holds_is_said_of_each_replica(tmp_path: Path) -> None:
    original = sample(120, 1)
    replicas = {"fresh": sample(120, 2), "copy": original.sample(frac=1, random_state=1)}
    study = sdc.Study(original, replicas, keys=["region"], targets=["vote"], ways=1)
    sdc.report.write_all(sdc.conduct(study, now=NOW), tmp_path, formats=())
    written = json.loads((tmp_path / "review.json").read_text("utf-8"))
    people = {each["replica"]: each["people"] for each in written["decision"]}
    assert people == {"fresh": "no", "copy": "yes"}
    with (tmp_path / "review.json").open(encoding="utf-8") as lines:
        assert read_answers(lines) == written["answers"]


def test_parts_of_lists_make_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"a": i, "b": "\u0394"} for i in range(7)]
    whole = "".join(document._value(rows))
    assert json.loads(whole) == rows
    assert whole.count("\n") == len(rows) + 1  # a line per entry
    for at_once in (1, 3, 7):
        monkeypatch.setattr(document, "_AT_ONCE", at_once)
        assert "".join(document._value(rows)) == whole
