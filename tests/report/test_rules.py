"""Rules in the report: exact inside; outside no small count, no rare level, nothing found."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.report import write_csv, write_html, write_json
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.document import as_json
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.safety.cells import Mode, SafeCell, plain
from sdcmetrics.report.scan import scan
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.judge import Status
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.study import Study
from tests.report.conftest import HOSTILE, NOW, RARE, sample, threshold
from tests.report.pages import Page

ADULTS = "age >= 18"
HALF = "age >= 50"
NEARLY = "income <= 50000"
VOTERS = 'if vote == "yes" then age >= 19'
OPEN = 'vote in ["yes", "no"]'
SECRET = f'if job == "{RARE[0]}" then income > 0'
CENTS = "income != 2980.96"
RULES = [
    {"text": ADULTS, "name": "adults", "description": "Only adults were asked."},
    HALF,
    VOTERS,
    OPEN,
    {"text": SECRET, "name": "dancers"},
    CENTS,
]


def sets() -> tuple[pd.DataFrame, dict[str, object]]:
    original = sample(400, 1)
    young = sample(400, 2)
    young.loc[:19, "age"] = 12
    return original, {"young": [young, sample(400, 3)], "copy": original.copy()}


@pytest.fixture(scope="module")
def checked() -> Review:
    original, replicas = sets()
    original.loc[30, "income"] = 2980.96
    # Of numbers that go together, one replica breaks the order.
    original["gross"] = original["income"] * 2
    for frames in replicas.values():
        for frame in frames if isinstance(frames, list) else [frames]:
            frame["gross"] = frame["income"] - 1
    study = Study(
        original,
        replicas,
        keys=["region"],
        targets=["vote"],
        rules=RULES,
        holdout=sample(300, 9).assign(gross=1.0),
        title="Rules",
    )
    return conduct(study, now=NOW)


@pytest.fixture(scope="module")
def rules_profile(profile: Profile) -> Profile:
    limits = {"rule_severity": threshold("rule_severity", 0, 5)}
    return replace(profile, thresholds={**profile.thresholds, **limits})


@pytest.fixture(scope="module")
def inside(checked: Review, rules_profile: Profile) -> SafeReport:
    return safe_report(checked, rules_profile, "internal")


@pytest.fixture(scope="module")
def outside(checked: Review, rules_profile: Profile) -> SafeReport:
    return safe_report(checked, rules_profile, "checker")


def block(report: SafeReport, number: int) -> dict[str, dict[str, SafeCell]]:
    """The table of one rule: cells by data set and field."""
    table = report.rules.blocks[number].table
    fields = [column.field for column in table.columns]
    return {row[0].text: dict(zip(fields, row, strict=True)) for row in table.rows}


class TestInside:
    def test_every_data_set_is_shown_exactly(self, inside: SafeReport, checked: Review) -> None:
        shown = block(inside, 0)
        assert list(shown) == ["original", "holdout", "young", "copy"]
        result = checked.rules["young", ADULTS]
        assert shown["original"]["kept"].number == 100
        assert shown["young"]["broken"].number == result.broken_percent == 2.5
        said = shown["young"]["broken"].detail.replace("\N{NO-BREAK SPACE}", " ")
        assert said == "10 records, mean of 2 syntheses"
        assert shown["young"]["severity"].number == result.severity == pytest.approx(0.025)
        assert shown["copy"]["severity"].number == 0
        assert shown["young"]["applies"].number == 100
        assert block(inside, 3)["original"]["unknown"].number == 1

    def test_a_broken_rule_has_the_status_of_its_severity(self, inside: SafeReport) -> None:
        assert block(inside, 0)["young"]["broken"].status is Status.REVIEW
        assert block(inside, 0)["copy"]["broken"].status is Status.WITHIN
        assert block(inside, 0)["original"]["kept"].status is None
        summary = inside.rules.summary.rows[0]
        assert [cell.text for cell in summary[:2]] == ["adults", "100\N{NO-BREAK SPACE}%"]
        assert summary[2].status is Status.REVIEW

    def test_the_decision_names_the_rule_that_is_broken(
        self, inside: SafeReport, checked: Review
    ) -> None:
        result = [
            plain(item.words) for group in inside.decision.findings for item in group.sentences
        ]
        said = next(text for text in result if text.startswith("young breaks"))
        beyond = [f for f in checked.rules if f[0] == "young" and checked.rules[f].severity > 0]
        assert f"breaks {len(beyond)} of 6 rules more often than the profile allows (rule)" in said
        assert "The worst is adults: 2.5" in said.replace("\N{NO-BREAK SPACE}", " ")
        assert said.endswith("which 100\N{NO-BREAK SPACE}% of the original records keep.")

    def test_rules_are_in_words_with_their_descriptions(self, inside: SafeReport) -> None:
        html = unescape(render(inside))
        for text in (ADULTS, VOTERS, SECRET, "Only adults were asked.", "Rule 2", "dancers"):
            assert text in html

    def test_relations_that_were_found_are_listed(
        self, inside: SafeReport, checked: Review
    ) -> None:
        (_, text), *_ = [
            (replica, rule.outcome.rule.text)
            for replica, result in checked.candidates.items()
            for rule in result.rules
        ]
        assert text == "income <= gross"
        assert [row[0].text for row in inside.relations.tables[0].rows] == [text]
        assert text in unescape(render(inside))
        assert {row[0].text for row in inside.exports["relations"].rows} == {"young", "copy"}

    def test_files_have_every_rule_and_replica(self, inside: SafeReport) -> None:
        rows = inside.exports["rules"].rows
        assert len(rows) == 2 * len(RULES)
        assert {row[0].full for row in rows} == {ADULTS, HALF, VOTERS, OPEN, SECRET, CENTS}
        assert len(json.loads(as_json(inside))["rules"]) == len(rows)

    def test_a_rule_that_could_not_be_checked_is_a_reason(self, profile: Profile) -> None:
        original, _ = sets()
        replicas = {"less": original.drop(columns="income"), "copy": original}
        study = Study(
            original, replicas, keys=["region"], targets=["vote"], rules=[NEARLY, "income > 0"]
        )
        review = conduct(study, now=NOW)
        report = safe_report(review, profile, "internal")
        assert "is missing from" in str(report.rules.blocks[0].remarks[0].words)
        assert list(block(report, 0)) == ["original", "copy"]
        released = safe_report(review, profile, "checker")
        assert [plain(r.words) for r in released.rules.blocks[0].remarks] == [
            "Not checked in less."
        ]

    def test_a_rule_that_fits_no_replica_is_held_back_outside(self, profile: Profile) -> None:
        original, _ = sets()
        replica = original.drop(columns="income")
        study = Study(original, {"r": replica}, keys=["region"], targets=["vote"], rules=[NEARLY])
        review = conduct(study, now=NOW)
        inside, outside = (safe_report(review, profile, mode) for mode in ("internal", "checker"))
        assert inside.rules.blocks[0].text == NEARLY
        assert NEARLY not in unescape(render(outside))


class TestOutside:
    def test_shares_of_few_or_of_all_but_few_are_bounds(self, outside: SafeReport) -> None:
        kept = block(outside, 0)["original"]["kept"]
        assert kept.number is None
        assert kept.text == "> 97.5 %".replace(" ", "\N{NO-BREAK SPACE}")

    def test_other_shares_are_rounded(self, outside: SafeReport, checked: Review) -> None:
        exact = checked.rules["copy", HALF].original
        kept = block(outside, 1)["original"]["kept"]
        assert kept.number == pytest.approx(exact.kept_share.percent, abs=1)
        assert kept.number == round(kept.number or 0)

    def test_few_that_break_it_are_not_the_rest_of_those_that_leave_it_open(
        self, rules_profile: Profile
    ) -> None:
        original, _ = sets()
        original.loc[40:90, "vote"] = None
        study = Study(original, {"r": sample(400, 5)}, keys=["region"], rules=[OPEN])
        review = conduct(study, now=NOW)
        report = safe_report(review, rules_profile, "checker")
        counts = review.rules["r", OPEN].original
        assert counts.unknown >= 10
        assert counts.broken == 0
        kept = block(report, 0)["original"]["kept"]
        assert (kept.number, kept.bound, kept.text) == (None, None, "not shown")
        scan(review, rules_profile, report, {"HTML": render(report)})

    def test_of_confidential_records_nothing_else_is_shown(self, outside: SafeReport) -> None:
        for number in range(len(RULES)):
            shown = block(outside, number)
            assert "severity" not in shown["original"]
            for data_set in ("original", "holdout"):
                for field in ("broken", "unknown", "applies"):
                    assert shown[data_set][field].kind == "hidden"
            assert shown["holdout"]["kept"].kind == "hidden"

    def test_a_replica_that_is_called_original_is_no_original(self, rules_profile: Profile) -> None:
        original, _ = sets()
        replicas = {"original": sample(400, 2), "holdout": sample(400, 3)}
        study = Study(original, replicas, keys=["region"], rules=[HALF], holdout=sample(99, 4))
        review = conduct(study, now=NOW)
        report = safe_report(review, rules_profile, "checker")
        rows = report.rules.blocks[0].table.rows
        assert [row[0].kind for row in rows] == ["text", "text", "name", "name"]
        assert [row[2].kind for row in rows] == ["hidden", "hidden", "number", "number"]
        scan(review, rules_profile, report, {})

    def test_shares_of_the_replica_are_shown(self, outside: SafeReport) -> None:
        assert block(outside, 0)["young"]["broken"].number == pytest.approx(2.5, abs=0.5)
        assert block(outside, 0)["young"]["broken"].status is Status.REVIEW
        assert block(outside, 0)["young"]["broken"].detail == ""

    def test_a_rule_that_names_a_rare_level_or_value_is_not_quoted(
        self, checked: Review, rules_profile: Profile, tmp_path: Path
    ) -> None:
        how = {"mode": "checker", "profile": rules_profile}
        paths = [
            write_html(checked, tmp_path / "r.html", **how),  # type: ignore[arg-type]
            write_json(checked, tmp_path / "r.json", **how),  # type: ignore[arg-type]
            *write_csv(checked, tmp_path / "t", **how),  # type: ignore[arg-type]
        ]
        for path in paths:
            text = unescape(path.read_text("utf-8")).replace('""', '"').replace('\\"', '"')
            for secret in (SECRET, CENTS, RARE[0], "2980.96"):
                assert secret not in text, (path.name, secret)
            assert ADULTS in text or path.name not in ("r.html", "r.json", "rules.csv")
        rows = list(csv.DictReader(io.StringIO((tmp_path / "t/rules.csv").read_text())))
        assert {row["rule_severity"] for row in rows} == {""}
        assert "rule 5, whose text is held back" in {row["rule"] for row in rows}

    def test_kept_by_none_looks_like_kept_by_few(self, rules_profile: Profile) -> None:
        shown = []
        for few in (0, 3):
            original = sample(400, 1)
            original["income"] = 1.0
            original.loc[: few - 1, "income"] = 5.0
            replica = sample(400, 2).assign(income=1.0)
            study = Study(original, {"a": replica}, keys=["region"], rules=["income > 4"])
            report = safe_report(conduct(study, now=NOW), rules_profile, "checker")
            (row,) = report.exports["rules"].rows
            result = report.decision.findings[1]
            words = [plain(item.words) for item in result.sentences]
            shown.append(
                ([(cell.text, cell.status) for cell in row], [w for w in words if "rule" in w])
            )
        assert shown[0] == shown[1]

    def test_nothing_that_was_found_is_shown(self, outside: SafeReport) -> None:
        assert outside.relations.tables == ()
        assert outside.relations.searched == ""
        assert "relations" not in outside.exports
        assert "income <= gross" not in unescape(render(outside))
        rules = [row[0].text for row in outside.suppression.rows]
        assert any(rule.startswith("Relations found automatically") for rule in rules)
        assert any(rule.startswith("Rules that name a level or value") for rule in rules)

    @pytest.mark.parametrize("chance", [0.01, None])
    def test_the_first_page_says_how_a_rule_is_judged_that_people_break(
        self, checked: Review, rules_profile: Profile, chance: float | None
    ) -> None:
        limit = replace(rules_profile.thresholds["rule_severity"], chance=chance)
        profile = replace(rules_profile, thresholds={"rule_severity": limit})
        report = safe_report(checked, profile, "internal")
        rests = " ".join(plain(item.words) for item in report.decision.answers[1].rests)
        end = ", and p \N{LESS-THAN OR EQUAL TO} 0.01 where people break a rule and it has a p"
        assert (
            f"rule_severity (review beyond 0, fail beyond 5{end if chance else ''}; rule)" in rests
        )
        notes = [block.note for block in report.rules.blocks]
        # Half of the people are younger than 50; nobody is younger than 18.
        assert [("People of the original" in note) for note in notes[:2]] == [
            False,
            chance is not None,
        ]
        statuses = [row.status for row in block(report, 1)["young"].values() if row.status]
        assert set(statuses) == {Status.WITHIN if chance else Status.REVIEW}

    def test_the_decision_says_no_exact_share(self, outside: SafeReport) -> None:
        texts = [
            plain(item.words)
            for group in outside.decision.findings
            for item in group.sentences
            if "rules more often than the profile allows" in plain(item.words)
        ]
        assert texts
        assert not any("100" in text for text in texts)


class TestScan:
    def test_passes_what_is_clean(
        self, checked: Review, rules_profile: Profile, outside: SafeReport
    ) -> None:
        scan(checked, rules_profile, outside, {"HTML": render(outside), "JSON": as_json(outside)})

    def test_finds_a_small_share(
        self, checked: Review, rules_profile: Profile, outside: SafeReport
    ) -> None:
        leak = SafeCell("100 %", "number", 100.0)
        for place, message in (
            (3, r"a share of too few .*rule_kept"),
            (5, r"internal eyes .*rule_severity"),
        ):
            table = outside.exports["rules"]
            rows = tuple((*row[:place], leak, *row[place + 1 :]) for row in table.rows)
            bad = replace(outside, exports={**outside.exports, "rules": replace(table, rows=rows)})
            with pytest.raises(ReleaseBlocked, match=message):
                scan(checked, rules_profile, bad, {})

    def test_finds_what_belongs_inside(
        self, checked: Review, rules_profile: Profile, outside: SafeReport, inside: SafeReport
    ) -> None:
        for bad, message in (
            (replace(outside, relations=inside.relations), "found automatically"),
            (replace(outside, rules=inside.rules), "in full"),
        ):
            with pytest.raises(ReleaseBlocked, match=message):
                scan(checked, rules_profile, bad, {})
        texts = {"HTML": render(outside).replace("</h1>", f" {CENTS}</h1>")}
        with pytest.raises(ReleaseBlocked, match="a rule that names a level of too few"):
            scan(checked, rules_profile, outside, texts)


@pytest.fixture(scope="module")
def hostile_rules() -> Review:
    """Every name in a rule, and what describes it, is an attack."""
    rng = np.random.default_rng(7)

    def frame() -> pd.DataFrame:
        return pd.DataFrame({name: rng.choice([*HOSTILE, "plain"], 300) for name in HOSTILE})

    rules = [
        {"text": f'`{name}` is missing or `{HOSTILE[0]}` != "<b>"', "name": name}
        for name in HOSTILE[1:]
    ]
    study = Study(
        frame(),
        {"<svg onload=x>": frame().replace(HOSTILE[1], "<b>"), "+1": frame()},
        keys=HOSTILE[:2],
        targets=HOSTILE[2:3],
        rules=[{**rule, "description": "<script>alert(2)</script>"} for rule in rules],
    )
    return conduct(study, now=NOW)


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_hostile_names_in_rules(hostile_rules: Review, tmp_path: Path, mode: str) -> None:
    page = Page(write_html(hostile_rules, tmp_path / "r.html", mode=mode).read_text("utf-8"))
    assert page.errors == []
    assert len(page.root.all("script")) == (mode == "internal")  # ours
    assert not page.root.all("img", "svg onload=x", "b")
    for path in write_csv(hostile_rules, tmp_path / "t", mode=mode):
        for row in csv.reader(io.StringIO(path.read_text("utf-8"))):
            for cell in row:
                assert not cell.startswith(("=", "+", "@"))
                if cell.startswith("-"):
                    float(cell)


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_a_rule_that_single_records_break_or_leave_open_is_not_kept_by_every_record(
    profile: Profile, mode: Mode
) -> None:
    original, replica = sample(400, 1), sample(400, 2)
    replica.loc[0, "age"], replica.loc[1, "income"] = 12, None
    study = Study(
        original[["age", "income", "vote"]],
        {"r": replica[["age", "income", "vote"]]},
        keys=["age"],
        targets=["vote"],
        rules=[ADULTS, "income > 0", "age < 100"],
    )
    report = safe_report(conduct(study), replace(profile, zeros_disclosive=False), mode)
    assert [block.holds for block in report.rules.blocks] == [False, False, True]
    shown = [row[-1].text for row in report.rules.summary.rows]
    assert shown[0] == ("0.2\xa0%" if mode == "internal" else "<\xa01\xa0%")
    assert shown[1:] == ["0\xa0%", "0\xa0%"]


def test_without_rules_the_report_says_so(review: Review, profile: Profile) -> None:
    report = safe_report(review, profile, "internal")
    assert "Name relations" in report.rules.none
    assert report.rules.blocks == ()
    assert any("No rules" in plain(item.words) for item in report.decision.unchecked)
    assert report.exports["rules"].rows == ()
