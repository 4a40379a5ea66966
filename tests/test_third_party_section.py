"""One more section of a study is one module, with measures, evidence and a part of the report."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from tests.test_third_party import COMMAND, run

SCRIPT = """
import json, sys
from pathlib import Path
import sdcmetrics as sdc
from sdcmetrics import report
from sdcmetrics.review.join_reviews import join_reviews
from digits import ZEROS, Digits

out = Path(sys.argv[1])
study = sdc.read_study(out / "study.toml")
plain = sdc.read_study(out / "plain.toml")
cache = out / "cache"
review, again = sdc.conduct(study, cache=cache), sdc.conduct(study, cache=cache)
asked = dict(keys=["a"], targets=["b"], digits={"base": 5})
original = sdc.read(out / "o.csv")
each = [
    sdc.conduct(sdc.Study(original, {name: sdc.read(out / f"{file}.csv")}, **asked))
    for name, file in (("copy", "o"), ("far", "far"))
]
joined = join_reviews({"new": each[1], "copy": each[0]})
errors = {}
for name, entries in (("base", {"base": 1}), ("unknown", {"bas": 3}), ("text", "yes")):
    try:
        sdc.Study(original, {"r": original}, keys=["a"], digits=entries)
    except sdc.SdcMetricsError as error:
        errors[name] = str(error)
for name in ("bad", "misspelt"):
    try:
        sdc.read_study(out / f"{name}.toml")
    except sdc.SdcMetricsError as error:
        errors[name] = str(error)
rows = review.mean_rows().query("metric == 'zero_gap'")
json.dump({
    "section": [study.section(Digits).base, plain.section(Digits), study.digits.base],
    "evidence": sorted([name, *place.variables] for name, place in review.evidence.of(ZEROS)),
    "again": sorted([name, *place.variables] for name, place in again.evidence.of(ZEROS)),
    "joined": sorted([name, *place.variables] for name, place in joined.evidence.of(ZEROS)),
    "plain": len(sdc.conduct(plain).evidence.of(ZEROS)),
    "values": dict(zip(rows["replica"], rows["value"])),
    "idle": sdc.load_profile(out / "limits.toml").thresholds["zero_gap"].metric,
    "errors": errors,
}, (out / "seen.json").open("w"))
for mode in ("internal", "checker"):
    (out / mode).mkdir()
    report.write_all(review, out / mode, mode=mode)
arguments = ["review", "plain.toml", "--profile", "limits.toml", "--out", "idle"]
json.dump(command(*arguments), (out / "said.json").open("w"))
"""
STUDY = """
[data]
original = "o.csv"
[data.replicas]
copy = "o.csv"
far = "far.csv"
[roles]
keys = ["a"]
targets = ["b"]
"""
LIMITS = """
[thresholds.zero_gap]
review = 0.1
source = "minutes"
owner = "head of unit"
date = 2026-11-01
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("section")
    original = pd.DataFrame({"a": list("xxyyz") * 40, "b": list("pqpqp") * 40, "c": range(200)})
    original.to_csv(out / "o.csv", index=False)
    original.assign(c=original["c"] * 5).to_csv(out / "far.csv", index=False)
    (out / "plain.toml").write_text(STUDY)
    (out / "study.toml").write_text(STUDY + "[digits]\nbase = 5\n")
    (out / "bad.toml").write_text(STUDY + "[digits]\nbase = 1.5\n")
    (out / "misspelt.toml").write_text(STUDY + "[digit]\nbase = 5\n")
    (out / "limits.toml").write_text(LIMITS)
    done = run(out, "-c", COMMAND + SCRIPT, str(out))
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def seen(folder: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads((folder / "seen.json").read_text())
    return document


def test_a_study_file_and_python_have_it(seen: dict[str, object]) -> None:
    assert seen["section"] == [5, None, 5]


def test_evidence_is_kept_cached_and_joined(seen: dict[str, object]) -> None:
    assert seen["evidence"] == seen["again"] == [["copy", "c"], ["far", "c"]]
    assert seen["joined"] == [["copy", "c"], ["new", "c"]]


def test_nothing_is_measured_where_nobody_asks(seen: dict[str, object]) -> None:
    assert seen["plain"] == 0


def test_rows_have_its_measure(seen: dict[str, object]) -> None:
    assert seen["values"] == {"copy": 0.0, "far": pytest.approx(0.8)}


def test_bad_entries_are_refused_in_words(seen: dict[str, object]) -> None:
    assert seen["errors"] == {
        "base": "digits: base: expected a number of at least 2 but got 1.",
        "unknown": "digits: unknown entry 'bas'. Did you mean 'base'?",
        "text": "digits: expected true, or entries such as base.",
        "bad": "bad.toml: digits.base: expected a whole number but got a number.",
        "misspelt": "misspelt.toml: unknown entry 'digit'. Did you mean 'digits'?",
    }


def test_an_idle_limit_names_the_section(folder: Path) -> None:
    text = json.loads((folder / "said.json").read_text())
    assert "it needs [digits] in the study" in text["err"]


def test_its_block_is_in_an_internal_report_only(folder: Path) -> None:
    assert "Numbers that end in zero" in (folder / "internal" / "report-annexes.html").read_text()
    with (folder / "internal" / "tables" / "last_digits.csv").open(newline="") as file:
        assert {row["Replica"]: row["Its own"] for row in csv.DictReader(file)} == {
            "copy": "0.2",
            "far": "1",
        }
    for path in (folder / "checker").rglob("*"):
        assert path.is_dir() or b"end in zero" not in path.read_bytes()
        assert path.name != "last_digits.csv"
