"""The folder for output checkers: what acro reads, and what SACRO's viewer asks of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.report import write_all
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.study import Study
from tests.report.conftest import sample, threshold

FIELDS = {"uid", "status", "type", "properties", "files", "outcome", "command", "summary"} | {
    "timestamp",
    "comments",
    "exception",
    "fair",
}
"""Of an output, as acro 1.0.2 writes it (acro/record.py, finalise_json)."""


def written(review: Review, folder: Path, mode: str, profile: Profile) -> dict[str, Any]:
    write_all(review, folder, formats=("html", "sacro"), mode=mode, profile=profile)
    text = (folder / "sacro" / "results.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    assert text == json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    return document


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_every_output_has_what_acro_writes_and_the_viewer_checks(
    review: Review, profile: Profile, tmp_path: Path, mode: str
) -> None:
    result = written(review, tmp_path, mode, profile)
    assert set(result) == {"version", "tool", "results"}
    sacro = tmp_path / "sacro"
    named = set()
    for uid, item in result["results"].items():
        assert set(item) == FIELDS
        assert item["uid"] == uid
        assert item["status"] in ("pass", "review", "fail")
        if uid != "decision":  # tables: exact inside, protected and scanned where they go to others
            about = {
                "internal": "for checking only: exact counts of the original, not for release",
                "checker": f"protected by the profile {profile.title}",
            }[mode]
            assert item["status"] == {"internal": "review", "checker": "pass"}[mode]
            assert item["summary"] == f"{item['status']}; {about}"
        for file in item["files"]:
            assert file["sdc"] == {"summary": {"suppressed": mode == "checker"}, "cells": {}}
            content = (sacro / file["name"]).read_bytes()
            digest = (sacro / "checksums" / f"{file['name']}.txt").read_text("utf-8")
            assert digest == hashlib.sha256(content).hexdigest()
            named.add(file["name"])
    assert named | {"results.json"} == {path.name for path in sacro.glob("*.*")}
    assert (sacro / "disclosure.csv").read_bytes() == (
        tmp_path / "tables" / "disclosure.csv"
    ).read_bytes()


def test_acro_reads_it(review: Review, profile: Profile, tmp_path: Path) -> None:
    record = pytest.importorskip("acro.record")
    result = written(review, tmp_path, "checker", profile)
    if record.__version__ != result["version"]:
        pytest.skip(f"acro {record.__version__} reads no other version than its own")
    records = record.load_records(str(tmp_path / "sacro"))
    assert records.get_keys() == list(result["results"])
    (table,) = records.get("decision").output
    assert isinstance(table, pd.DataFrame)
    assert table["replica"].tolist() == list(review.replicas)


def test_the_decision_has_the_worst_verdict_and_internal_tables_are_never_passed(
    review: Review, profile: Profile, lenient: Profile, tmp_path: Path
) -> None:
    statuses = {"internal": set[str](), "checker": set[str]()}
    for mode, seen in statuses.items():
        result = written(review, tmp_path / mode, mode, lenient)["results"]
        assert result.pop("decision")["status"] == "fail"  # one replica is a copy
        seen |= {item["status"] for item in result.values()}
    assert statuses == {"internal": {"review"}, "checker": {"pass"}}
    document = written(review, tmp_path / "other", "internal", profile)
    rows = json.loads((tmp_path / "other" / "review.json").read_text("utf-8"))["decision"]
    assert {row["risk"]["status"] for row in rows} >= {"fail"}
    assert document["results"]["decision"]["status"] == "fail"


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_what_nothing_judges_is_for_review_and_what_keeps_all_limits_passes(
    profile: Profile, lenient: Profile, tmp_path: Path, mode: str
) -> None:
    study = Study(sample(120, 1), {"r": sample(120, 2)}, keys=["region"], targets=["vote"])
    fresh = conduct(study)
    wide = {name: threshold(name, 1e9, 2e9) for name in ("DiSCO", "repU")}
    cases = ((lenient, "review"), (replace(profile, thresholds=wide), "pass"))
    for i, (rules, expected) in enumerate(cases):
        result = written(fresh, tmp_path / str(i), mode, rules)["results"]
        assert result["decision"]["status"] == expected


def test_a_release_is_written_over_and_leaves_no_file_of_the_one_before(
    review: Review, profile: Profile, tmp_path: Path
) -> None:
    written(review, tmp_path, "checker", profile)
    write_all(review, tmp_path, formats=("html",), mode="checker", profile=profile)
    assert not list((tmp_path / "sacro").rglob("*.*"))


def test_titles_stay_text_where_the_viewer_takes_them_for_html(
    hostile_review: Review, profile: Profile, tmp_path: Path
) -> None:
    result = written(hostile_review, tmp_path, "internal", profile)
    (comment,) = result["results"]["decision"]["comments"]
    assert comment.startswith("&lt;h1&gt;{{ 7 * 7 }}&lt;/h1&gt;. Profile: ")
    assert "<" not in "".join(item["summary"] for item in result["results"].values())
