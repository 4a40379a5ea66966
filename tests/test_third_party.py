"""One more measure is one module: a distribution that is not part of this package adds one."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

HERE = Path(__file__).parent
COMMAND = """
import contextlib, io
from sdcmetrics.cli import main

def command(*arguments):
    sys.argv = ["sdcmetrics", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as stopped:
            return {"code": stopped.code or 0, "out": out.getvalue(), "err": err.getvalue()}
"""
"""What the command line says, in the process of a script."""
SCRIPT = """
import json, sys
from pathlib import Path
import sdcmetrics as sdc
from sdcmetrics import report

out = Path(sys.argv[1])
study = sdc.read_study(out / "study.toml")
review = sdc.conduct(study)
rows = review.mean_rows().query("metric == 'Canberra'")
ranking = sdc.compare_replicas(review, weights={"Canberra_two_way": 1.0})
profile = sdc.load_profile(out / "limits.toml")
found = [f for f in sdc.judge(review, profile) if f.metric == "Canberra"]
json.dump({
    "explained": sdc.explain("lance-williams").title,
    "tables": len(rows), "replicas": sorted(set(rows["replica"])),
    "smallest": rows["value"].min(), "largest": rows["value"].max(),
    "first": ranking.winner,
    "statuses": sorted({f.status.value for f in found}),
}, (out / "seen.json").open("w"))
for mode in ("internal", "checker"):
    (out / mode).mkdir()
    report.write_all(review, out / mode, mode=mode, profile=profile)
arguments = ["review", "study.toml", "--out", "again", "--fail-on", "review"]
json.dump(command(*arguments), (out / "said.json").open("w"))
"""
STUDY = """
[study]
profile = "limits.toml"
[data]
original = "o.csv"
[data.replicas]
copy = "o.csv"
far = "far.csv"
[roles]
keys = ["a"]
targets = ["b"]
"""
PROFILE = """
[thresholds.Canberra]
review = 0.1
source = "minutes"
owner = "head of unit"
date = 2026-11-01
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(HERE / "third_party"), str(HERE.parent)])
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("third")
    original = pd.DataFrame({"a": list("xxyyz") * 40, "b": list("pqpqp") * 40, "c": range(200)})
    original.to_csv(out / "o.csv", index=False)
    original.assign(a=list("xyzxx") * 40, b=list("ppppq") * 40).to_csv(out / "far.csv", index=False)
    (out / "study.toml").write_text(STUDY)
    (out / "limits.toml").write_text(PROFILE)
    done = run(out, "-c", COMMAND + SCRIPT, str(out))
    assert done.returncode == 0, done.stderr
    return out


def seen(folder: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads((folder / "seen.json").read_text())
    return document


def test_is_explained_under_its_other_name(folder: Path) -> None:
    assert seen(folder)["explained"] == "Mean Canberra distance of the cell shares"


def test_is_measured_of_every_table_and_replica(folder: Path) -> None:
    result = seen(folder)
    assert result["replicas"] == ["copy", "far"]
    assert result["tables"] == 2 * (3 + 3)
    assert result["smallest"] == 0.0


def test_ranks_replicas(folder: Path) -> None:
    assert seen(folder)["first"] == "copy"


def test_is_judged_by_a_limit_and_so_on_the_first_page(folder: Path) -> None:
    assert seen(folder)["statuses"] == ["review", "within"]
    document = json.loads((folder / "internal" / "review.json").read_text())
    statuses = {row["replica"]: row["utility"] for row in document["replicas"]}
    assert statuses == {"copy": "within", "far": "review"}
    assert any("Canberra" in item["finding"] for item in document["findings"])


def test_is_in_every_file_of_an_internal_report(folder: Path) -> None:
    assert "Canberra" in (folder / "internal" / "report.html").read_text()
    with (folder / "internal" / "tables" / "measurements.csv").open(newline="") as file:
        assert {row["replica"] for row in csv.DictReader(file) if row["metric"] == "Canberra"}
    document = json.loads((folder / "internal" / "review.json").read_text())
    assert any(row["metric"] == "Canberra" for row in document["measurements"])


def test_no_value_of_it_is_in_a_release(folder: Path) -> None:
    for path in (folder / "checker").rglob("*.csv"):
        if path.name != "ranking.csv":
            assert "Canberra" not in path.read_text(), path.name
    document = json.loads((folder / "checker" / "review.json").read_text())
    assert not any(row["metric"] == "Canberra" for row in document["measurements"])


def test_a_checkers_edition_has_the_answers_and_not_what_its_limit_measured(folder: Path) -> None:
    inside, checker = (
        json.loads((folder / mode / "review.json").read_text()) for mode in ("internal", "checker")
    )
    answers = [
        {item["replica"]: item["utility"]["status"] for item in document["decision"]}
        for document in (inside, checker)
    ]
    assert answers[0] == answers[1] == {"copy": "within", "far": "review"}
    assert any("Canberra" in words for item in inside["decision"] for words in because(item))
    assert not any(words for item in checker["decision"] for words in because(item))
    assert not any("Canberra" in item["finding"] for item in checker["findings"])
    stated = [answer[part] for answer in checker["answers"] for part in ("replicas", "sentences")]
    assert "Canberra" not in str(stated)


def because(decision: dict[str, Any]) -> list[str]:
    return [words for question in ("risk", "utility") for words in decision[question]["because"]]


def test_terminal_and_exit_code_say_the_same(folder: Path) -> None:
    text = json.loads((folder / "said.json").read_text())
    assert text["code"] == 1, text["err"]
    assert "is it useful: useful as far as tested" in text["out"]
    assert "is it useful: look first" in text["out"]


def test_a_measure_that_is_declared_twice_is_refused() -> None:
    from sdcmetrics.errors import StudyError
    from sdcmetrics.measures import registry
    from sdcmetrics.measures.crosstables.declared import MEASURES

    with pytest.raises(StudyError, match="'ROC' is declared twice"):
        registry._collect([*MEASURES, *MEASURES])
