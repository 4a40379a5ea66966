"""What review.json says of each replica."""

from __future__ import annotations

import json
from pathlib import Path

import sdcmetrics as sdc
from sdcmetrics.report.document import read_answers
from tests.report.conftest import NOW, sample


def test_whose_records_it_holds_is_said_of_each_replica(tmp_path: Path) -> None:
    original = sample(120, 1)
    replicas = {"fresh": sample(120, 2), "copy": original.sample(frac=1, random_state=1)}
    study = sdc.Study(original, replicas, keys=["region"], targets=["vote"], ways=1)
    sdc.report.write_all(sdc.conduct(study, now=NOW), tmp_path, formats=())
    document = json.loads((tmp_path / "review.json").read_text("utf-8"))
    people = {each["replica"]: each["people"] for each in document["decision"]}
    assert people == {"fresh": "no", "copy": "yes"}
    with (tmp_path / "review.json").open(encoding="utf-8") as lines:
        assert read_answers(lines) == document["answers"]
