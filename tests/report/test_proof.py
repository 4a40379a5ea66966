"""The cross-check in the report: everything inside, counts of verdicts outside."""

from __future__ import annotations

import csv
import io
import json
import math
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sdcmetrics.cli.run
from sdcmetrics.agreement.crosscheck import COLUMNS, CrossCheck
from sdcmetrics.agreement.verdict import DIFFERS, EQUAL
from sdcmetrics.cli.run import run
from sdcmetrics.errors import ReleaseBlocked, RError
from sdcmetrics.rbridge.defects import DEFECTS
from sdcmetrics.report import write_csv, write_html, write_json
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.scan import scan
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.study import Study
from tests.live_r import live_session
from tests.report.conftest import HOSTILE, sample
from tests.report.pages import Page

VERSIONS = {"r": "4.2.2", "synthpop": "1.9-2", "rpy2": "3.6", "sdcmetrics": "0.1"}
REASON = "gaoler 4711 in /home/anna/lib"  # what an error of R may say


def row(verdict: str, **changes: Any) -> dict[str, Any]:
    explained = verdict != DIFFERS
    out = {
        "replica": "good",
        "family": "disclosure risk",
        "metric": "DiSCO",
        "function": "disclosure",
        "variables": None,
        "scenario": "one",
        "keys": ("region", "job"),
        "target": "vote",
        "model": None,
        "native": 9.8316,
        "synthpop": 9.8316,
        "absolute": 0.0,
        "relative": 3e-13,
        "verdict": verdict,
        "explained": explained,
        "aligned": math.nan,
    }
    return out | changes


def checked(*rows: dict[str, Any]) -> CrossCheck:
    return CrossCheck(pd.DataFrame(list(rows), columns=list(COLUMNS)), VERSIONS, 1.0)


FOUND = (
    row(EQUAL),
    row(EQUAL, relative=2e-12),
    row("differs as documented: B2", synthpop=0.8213, aligned=9.8316, relative=0.9),
    row("differs as documented: A1: it stopped", synthpop=math.nan),
    row("differs as documented: B9", scenario=None, keys=None, target="vote", model="vote ~ age"),
    row(f"not compared: {REASON}", synthpop=math.nan, variables=("age", "vote"), keys=None),
)


@pytest.fixture(scope="module")
def clean_result() -> CrossCheck:
    return checked(*FOUND)


def said(report: SafeReport) -> str:
    assert report.proof is not None
    return " ".join(
        part if isinstance(part, str) else part.text
        for item in report.proof.outcome
        for part in item.words
    )


def test_inside_shows_every_difference(
    review: Review, profile: Profile, clean_result: CrossCheck
) -> None:
    report = safe_report(review, profile, "internal", clean_result)
    words = said(report)
    assert "5 values compared: 2 equal, 3 different by a documented defect" in words
    assert "1 value could not be compared" in words
    assert "2.0e-12" in words
    assert "Every value is equal" in words
    assert report.proof is not None
    verdicts = {r[0].text: (r[1].number, r[2].text) for r in report.proof.verdicts.rows}
    assert verdicts["differs as documented: B2"] == (1.0, DEFECTS["B2"])
    assert verdicts["differs as documented: A1"] == (1.0, DEFECTS["A1"])
    assert verdicts[DIFFERS][0] == 0.0
    (first, _, of_model) = report.proof.documented.rows
    assert of_model[3].text == "vote ~ age"
    assert [cell.number for cell in first[4:8]] == [9.8316, 0.8213, 9.8316, 0.9]
    assert first[3].text == "one: region, job \N{RIGHTWARDS ARROW} vote"
    assert report.proof.unexplained.rows == ()
    assert report.proof.reasons.rows[0][0].text == REASON
    assert [r[1].text for r in report.proof.versions.rows] == list(VERSIONS.values())
    assert len(report.exports["crosscheck"].rows) == len(FOUND)


def test_outside_says_that_a_cross_check_was_made_and_no_more(
    review: Review, profile: Profile, clean_result: CrossCheck, tmp_path: Path
) -> None:
    how: dict[str, Any] = {"mode": "checker", "profile": profile, "crosscheck": clean_result}
    paths = [
        write_html(review, tmp_path / "r.html", **how),
        write_json(review, tmp_path / "r.json", **how),
        *write_csv(review, tmp_path / "t", **how),
    ]
    assert "crosscheck.csv" not in {path.name for path in paths}
    for path in paths:
        text = unescape(path.read_text("utf-8"))
        for secret in ("9.8316", "0.8213", "4711", "anna", "2.0e-12"):
            assert secret not in text, path.name
    html = paths[0].read_text("utf-8")
    assert DEFECTS["B2"] not in unescape(html)
    assert "What was found is in the internal edition" in html
    document = json.loads(paths[1].read_text("utf-8"))
    assert document["proof"]["verdicts"] == []
    assert "crosscheck" not in document


def test_outside_a_cross_check_reads_the_same_whatever_it_found(
    review: Review, profile: Profile, clean_result: CrossCheck, tmp_path: Path
) -> None:
    pages = [
        write_html(review, tmp_path / "r.html", mode="checker", profile=profile, crosscheck=item)
        .read_text("utf-8")
        .encode()
        for item in (clean_result, checked(row(DIFFERS)))
    ]
    assert pages[0] == pages[1]


def test_the_scan_finds_values_of_the_crosscheck(
    review: Review, profile: Profile, clean_result: CrossCheck
) -> None:
    report = safe_report(review, profile, "checker", clean_result)
    inside = safe_report(review, profile, "internal", clean_result)
    report.exports["crosscheck"] = inside.exports["crosscheck"]
    with pytest.raises(ReleaseBlocked, match="values of the cross-check"):
        scan(review, profile, report, {})


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        ((row(EQUAL), row(DIFFERS)), "NOT every difference is explained"),
        ((row("not compared: why"),), "NO value was found equal"),
        ((row(EQUAL), row("not compared: R died", explained=False)), "NOT everything could"),
    ],
)
def test_what_is_not_proven_is_said(
    review: Review, profile: Profile, rows: tuple[dict[str, Any], ...], last: str
) -> None:
    assert last in said(safe_report(review, profile, "internal", checked(*rows)))
    assert last not in said(safe_report(review, profile, "checker", checked(*rows)))


def test_long_lists_are_cut_and_the_file_has_all(review: Review, profile: Profile) -> None:
    many = checked(row(EQUAL), *[row("differs as documented: B2")] * 130)
    report = safe_report(review, profile, "internal", many)
    assert report.proof is not None
    assert len(report.proof.documented.rows) == 100
    assert "30 more" in report.proof.documented.note
    assert len(report.exports["crosscheck"].rows) == 131


def test_a_failure_is_a_reason_inside_and_a_remark_outside(
    review: Review, profile: Profile
) -> None:
    error = RError(REASON, kind="died")
    inside = safe_report(review, profile, "internal", error)
    assert REASON in said(inside)
    assert "R could not make it" in str(inside.decision.unchecked)
    outside = safe_report(review, profile, "checker", error)
    assert "is not there, or stopped" in said(outside)
    assert "anna" not in render(outside)
    scan(review, profile, outside, {"HTML": render(outside)})


def test_without_one_the_report_says_so_and_has_no_section(
    review: Review, profile: Profile
) -> None:
    report = safe_report(review, profile, "checker")
    assert report.proof is None
    assert 'id="proof"' not in render(report)
    assert "#proof" not in render(report)
    assert "were not compared with those of R" in str(report.decision.unchecked)


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_hostile_names(hostile_review: Review, tmp_path: Path, mode: str) -> None:
    rows = [
        row(verdict, replica="+1", target=name, scenario=name, model=name, keys=HOSTILE)
        for name in HOSTILE
        for verdict in (EQUAL, DIFFERS, f"not compared: {name}", f"differs as documented: {name}")
    ]
    bad = CrossCheck(checked(*rows).table, {"r": "<script>", "synthpop": "</td>"})
    html = write_html(hostile_review, tmp_path / "r.html", mode=mode, crosscheck=bad)
    page = Page(html.read_text("utf-8"))
    assert page.errors == []
    assert len(page.root.all("script")) == (mode == "internal")  # ours
    assert not page.root.all("img")
    for path in write_csv(hostile_review, tmp_path / "t", mode=mode, crosscheck=bad):
        for cells in csv.reader(io.StringIO(path.read_text("utf-8"))):
            assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
    write_json(hostile_review, tmp_path / "r.json", mode=mode, crosscheck=bad)


def small_study() -> Study:
    return Study(
        sample(120, 1),
        {"good": sample(120, 2)},
        keys=["region"],
        targets=["vote"],
        models=["income ~ age + region"],
        title="Small",
    )


class TestRun:
    def test_a_difference_is_exit_code_1_and_a_section(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for rows, code in (((row(EQUAL),), 0), ((row(EQUAL), row(DIFFERS)), 1)):
            result = checked(*rows)
            monkeypatch.setattr(sdcmetrics.cli.run, "crosscheck", lambda *_, r=result, **__: r)
            assert run(small_study(), tmp_path, against_r=True, fail_on="never", quiet=True) == code
            assert 'id="proof"' in (tmp_path / "report-annexes.html").read_text("utf-8")
            assert (tmp_path / "tables" / "crosscheck.csv").exists()
        assert "1 equal, 1 DIFFERS" in capsys.readouterr().out

    def test_without_r_nothing_is_lost(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*_: object, **__: object) -> CrossCheck:
            reason = "R does not start"
            raise RError(reason, kind="unavailable")

        monkeypatch.setattr(sdcmetrics.cli.run, "crosscheck", fail)
        assert run(small_study(), tmp_path, against_r=True, fail_on="never", quiet=True) == 0
        assert "R does not start" in (tmp_path / "report-annexes.html").read_text("utf-8")
        assert "not cross-checked: R does not start" in capsys.readouterr().err

    def test_something_unforeseen_leaves_the_review_on_disk(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def crash(*_: object, **__: object) -> CrossCheck:
            raise ZeroDivisionError

        monkeypatch.setattr(sdcmetrics.cli.run, "crosscheck", crash)
        with pytest.raises(ZeroDivisionError):
            run(small_study(), tmp_path, against_r=True, quiet=True)
        html = (tmp_path / "report.html").read_text("utf-8")
        assert "were not compared with those of R" in html
        assert (tmp_path / "review.json").exists()

    def test_r_is_not_asked_unless_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delattr(sdcmetrics.cli.run, "crosscheck")
        assert run(small_study(), tmp_path, fail_on="never", quiet=True) == 0


@pytest.mark.r
def test_live_every_value_is_equal_or_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    r = live_session()  # which goes on, as to start R takes longer than to ask it
    monkeypatch.setattr("sdcmetrics.rbridge.Session", lambda **_: r)
    monkeypatch.setattr(r, "close", lambda: None)
    for mode in ("internal", "checker"):
        out = tmp_path / mode
        done = run(small_study(), out, mode=mode, against_r=True, fail_on="never", quiet=True)
        assert done == 0
        if mode == "checker":
            continue
        html = (out / "report-annexes.html").read_text("utf-8")
        assert "Every value is equal or its difference is explained" in html
        document = json.loads((out / "review.json").read_text("utf-8"))
        verdicts = {r["verdict"]: r["values"] for r in document["proof"]["verdicts"]}
        assert verdicts["equal"] > 100
        assert verdicts[DIFFERS] == 0
