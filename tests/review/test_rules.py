"""Rules in a study file, in a review and on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import MEASURES
from sdcmetrics.cli import program as cli
from sdcmetrics.errors import ColumnError, SdcMetricsError, StudyError
from sdcmetrics.measures.registry import GENERAL_UTILITY
from sdcmetrics.measures.rules.outcome import RuleCounts
from sdcmetrics.measures.rules.places import RULES

N = 90
RNG = np.random.default_rng(2)
AGE = RNG.integers(20, 70, N)
ORIGINAL = pd.DataFrame(
    {
        "age": AGE,
        "wed": np.where(np.arange(N) < 10, np.nan, AGE - RNG.integers(0, 9, N)),
        "job": np.where(np.arange(N) % 3, "yes", "no"),
        "pay": np.where(np.arange(N) % 3, RNG.integers(1, 90, N), 0),
    }
)
GOOD = ORIGINAL.head(60)
BAD = ORIGINAL.assign(wed=ORIGINAL["wed"] + 4, pay=RNG.permutation(ORIGINAL["pay"]))
ORDER, IDLE = "wed <= age", 'if job == "no" then pay == 0'


def study(rules: Any = (ORDER, IDLE), replicas: Any = None, **options: Any) -> sdc.Study:
    replicas = replicas or {"good": GOOD, "bad": [BAD, GOOD]}
    return sdc.Study(
        ORIGINAL, replicas, keys=["age"], targets=["job"], ways=[1], rules=rules, **options
    )


class TestStudy:
    def test_takes_texts_mappings_and_rules(self) -> None:
        rule = sdc.Rule(ORDER, "marriage", "Nobody marries in the future.")
        given = [{"text": ORDER, "name": "marriage", "description": rule.description}, IDLE]
        assert study(given).rules == (rule, sdc.Rule(IDLE))
        assert study(ORDER).rules == (sdc.Rule(ORDER),)
        assert study(()).rules == ()

    @pytest.mark.parametrize(
        ("rules", "error", "says"),
        [
            (["wed <= Age"], ColumnError, "'Age' is not a column of original. Did you mean 'age'"),
            (["wed <="], StudyError, "rule 'wed <=': it ends too early"),
            (["wed <= job"], StudyError, "a number cannot be compared with text"),
            ([ORDER, 'job == "never"'], StudyError, 'no record has the level "never"'),
            ([ORDER, "wed<=age"], StudyError, "more than once"),
            ([{"txt": ORDER}], StudyError, "Did you mean 'text'"),
        ],
    )
    def test_mistakes_are_refused_before_anything_is_measured(
        self, rules: Any, error: type[SdcMetricsError], says: str
    ) -> None:
        with pytest.raises(error, match=says):
            study(rules)

    def test_a_level_of_one_replica_or_of_the_holdout_is_known(self) -> None:
        rule = 'job != "maybe"'
        assert study(rule, {"good": GOOD, "new": GOOD.assign(job="maybe")}).rules
        holdout = GOOD.assign(job="maybe")
        assert study(rule, {"good": GOOD.head(50)}, holdout=holdout).rules
        # Without the column it is not known which levels the replica would have.
        assert study(rule, {"good": GOOD, "less": GOOD.drop(columns="pay")}, holdout=holdout).rules

    def test_is_read_from_a_file(self, tmp_path: Path) -> None:
        ORIGINAL.to_csv(tmp_path / "o.csv", index=False)
        file = tmp_path / "study.toml"
        head = '[data]\noriginal = "o.csv"\nreplicas = {same = "o.csv"}\n[roles]\nkeys = ["age"]\n'
        section = f'[[rule]]\ntext = \'{IDLE}\'\nname = "idle"\ndescription = "No job, no pay."\n'
        file.write_text(f'rules = ["{ORDER}"]\n{head}{section}', encoding="utf-8")
        assert sdc.read_study(file).rules == (
            sdc.Rule(ORDER),
            sdc.Rule(IDLE, "idle", "No job, no pay."),
        )
        for bad, says in (
            ('rules = ["wed < "]\n' + head, "rule 'wed <': it ends too early"),
            ("rules = [3]\n" + head, "rules: expected text in quotes"),
            (head + '[[rule]]\ntext = ""\n', "rule.text: expected a text that is not empty"),
            (head + '[[rule]]\ntext = "a"\nnmae = "b"\n', "Did you mean 'name'"),
            (head + '[rule]\ntext = "a"\n', r"begin with \[\[rule\]\]"),
            (head + "[options]\ncandidates = -1\n", "candidates: expected a number of at least 0"),
        ):
            file.write_text(bad, encoding="utf-8")
            with pytest.raises(StudyError, match=says):
                sdc.read_study(file)


class TestReview:
    def test_has_every_measure_of_every_rule(self) -> None:
        review = sdc.conduct(study(), reference_values=False)
        symbols = {s for s, m in MEASURES.items() if m.of is RULES}
        rows = review.frame[review.frame["metric"].isin(symbols)]
        assert set(rows["metric"]) == symbols
        assert set(rows["family"]) == {GENERAL_UTILITY}
        check = sdc.check_rules(ORIGINAL, [BAD, GOOD], [ORDER, IDLE])
        for outcome in check.outcomes:
            assert review.rules["bad", outcome.rule.text] == outcome
            own = rows[(rows["replica"] == "bad") & (rows["rule"] == outcome.rule.text)]
            means = own[own["synthesis"].isna()].set_index("metric")
            assert means.loc["rule_broken", "value"] == outcome.broken_percent
            assert means.loc["rule_broken", "count"] == outcome.syntheses[0].broken / 2
            assert means.loc["rule_broken", "total"] == (90 + 60) / 2
            assert means.loc["rule_severity", "value"] == outcome.severity
            assert means.loc["rule_kept", "count"] == outcome.original.fulfilled
            assert means.loc["rule_kept", "total"] == 90
            assert set(means["variables"]) == {outcome.rule.columns}
            each = own[(own["metric"] == "rule_severity") & (own["synthesis"] > 0)]
            assert tuple(each["value"]) == outcome.severities
        assert check.outcomes[0].original == RuleCounts(80, 0, 10, 90)

    def test_a_rule_that_a_replica_has_no_columns_for_is_a_row_with_a_reason(self) -> None:
        replicas = {"good": GOOD, "less": GOOD.drop(columns="pay"), "odd": GOOD.assign(pay="x")}
        options = {"variables": ["age", "wed", "job"]}
        review = sdc.conduct(study([IDLE], replicas, **options), reference_values=False)
        rows = review.frame[review.frame["metric"] == "rule_broken"].set_index("replica")
        assert rows.loc["good", "value"] == 0
        assert "column 'pay' of original is missing" in rows.loc["less", "reason"]
        assert "holds numbers in original but text" in rows.loc["odd", "reason"]
        assert set(review.rules) == {("good", IDLE)}

    def test_a_rule_that_no_original_record_keeps_has_no_severity(self) -> None:
        review = sdc.conduct(study(["age < 0"]), reference_values=False)
        rows = review.frame[review.frame["metric"] == "rule_severity"]
        assert set(rows["reason"]) == {"no original record keeps the rule"}
        assert rows["value"].isna().all()

    def test_the_holdout_is_checked_too(self) -> None:
        holdout = ORIGINAL.tail(30).assign(pay=1)
        review = sdc.conduct(study([IDLE], {"good": GOOD}, holdout=holdout), reference_values=False)
        result = review.rules["good", IDLE].holdout
        assert result == RuleCounts(fulfilled=20, broken=10, unknown=0, applies=10)

    def test_missing_codes_of_the_study_are_missing(self) -> None:
        replica = GOOD.assign(pay=-8)
        review = sdc.conduct(
            study([IDLE], {"r": replica}, missing_codes={"pay": -8}), reference_values=False
        )
        assert review.rules["r", IDLE].syntheses[0] == RuleCounts(40, 0, 20, 20)

    def test_relations_that_break_are_found(self) -> None:
        review = sdc.conduct(study(()), reference_values=False)
        result = review.candidates["bad"]
        assert "wed <= age" in result.table.index
        assert review.candidates["good"].rules == ()
        named = (
            sdc.conduct(study(["wed<=age"]), reference_values=False).candidates["bad"].table.index
        )
        assert set(named) == set(result.table.index) - {"wed <= age"}
        assert sdc.conduct(study((), candidates=0), reference_values=False).candidates == {}
        entries = review.to_dict()["candidates"]
        assert {entry["rule"] for entry in entries} == set(result.table.index)
        json.dumps(review.to_dict(), allow_nan=False)

    def test_becomes_json_with_its_counts(self) -> None:
        entry = sdc.conduct(study([ORDER]), reference_values=False).to_dict()["rules"][0]
        assert entry["original"] == {"kept": 80, "broken": 0, "unknown": 10, "applies": 90}
        assert entry["holdout"] is None

    def test_other_measures_do_not_change(self) -> None:
        rules = {s for s, m in MEASURES.items() if m.of is RULES}
        frame = sdc.conduct(study()).frame
        without = sdc.conduct(study(())).frame
        rest = frame[~frame["metric"].isin(rules)].reset_index(drop=True)
        pd.testing.assert_frame_equal(rest, without)


class TestCommandLine:
    @pytest.fixture
    def files(self, tmp_path: Path) -> list[str]:
        paths = [tmp_path / "o.csv", tmp_path / "s.csv", tmp_path / "t.csv"]
        for path, frame in zip(paths, (ORIGINAL, BAD, GOOD), strict=True):
            frame.to_csv(path, index=False)
        return list(map(str, paths))

    def run(self, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["sdcmetrics", "rules", *arguments])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        return int(stopped.value.code or 0)

    def test_prints_who_breaks_rules_and_writes_it(
        self,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        files: list[str],
    ) -> None:
        csv, out = tmp_path / "rules.csv", tmp_path / "rules.json"
        given = [f"--rule={ORDER}", f"--rule={IDLE}", "--rule=if age < 0 then wed > 0"]
        given += ["--rule=age > 30", f"--csv={csv}", f"--json={out}"]
        assert self.run(monkeypatch, *files, *given) == 0
        printed = capsys.readouterr().out
        check = sdc.check_rules(ORIGINAL, [BAD, GOOD], [ORDER, IDLE])
        assert f"{check.table.loc[ORDER, 'broken_percent']:.4g}" in printed
        assert "no original record meets the condition of: if age < 0 then wed > 0" in printed
        assert "original records break it themselves: age > 30" in printed
        assert pd.read_csv(csv)["rule"].tolist()[:2] == [ORDER, IDLE]
        entries = json.loads(out.read_text("utf-8"))
        assert entries["classification"] == "internal"
        assert entries["rules"][0]["broken"] == check.table.loc[ORDER, "broken"]
        assert len(entries["per_data_set"]) == 4 * 3

    def test_finds_relations(
        self,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        files: list[str],
    ) -> None:
        csv, out = tmp_path / "found.csv", tmp_path / "found.json"
        given = ["--find", "--limit=1", f"--csv={csv}", f"--json={out}"]
        assert self.run(monkeypatch, *files[:2], *given) == 0
        printed = capsys.readouterr().out
        assert "internal: they name levels of the original" in printed
        assert "more beyond --limit" in printed
        result = sdc.find_rules(ORIGINAL, BAD, limit=1).table
        assert pd.read_csv(csv)["rule"].tolist() == list(result.index)
        assert json.loads(out.read_text("utf-8"))["relations"][0]["rule"] == result.index[0]
        assert self.run(monkeypatch, files[0], files[2], "--find") == 0
        assert "none that the original keeps is broken" in capsys.readouterr().out

    def test_missing_codes_are_missing(
        self,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        files: list[str],
    ) -> None:
        out = tmp_path / "r.json"
        GOOD.assign(pay=-8).to_csv(files[1], index=False)
        given = ["--rule=pay >= 0", "--missing-code=pay=-8", f"--json={out}"]
        assert self.run(monkeypatch, *files[:2], *given) == 0
        assert capsys.readouterr().out
        row = json.loads(out.read_text("utf-8"))["rules"][0]
        assert (row["broken"], row["unknown"]) == (0, 60)

    @pytest.mark.parametrize(
        ("given", "code", "says"),
        [
            (["--rule=pay = 0"], 3, "write == to compare"),
            (["--rule=Pay == 0"], 3, "Did you mean 'pay'"),
            ([], 2, "expected --rule with a rule"),
            (["--find", "--json=nowhere/x.json"], 3, "cannot be written"),
        ],
    )
    def test_a_mistake_is_one_message(
        self,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        files: list[str],
        given: list[str],
        code: int,
        says: str,
    ) -> None:
        assert self.run(monkeypatch, *files, *given) == code
        assert says in capsys.readouterr().err
