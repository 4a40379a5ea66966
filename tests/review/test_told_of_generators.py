"""What a study tells of generators and of intruders, in the decision: page, JSON, exit code."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.decision.gate import exit_code, read_gate
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.attacks.places import EPSILON, Bounded
from sdcmetrics.measures.generator import Claim
from sdcmetrics.measures.kind import Place
from sdcmetrics.report.formats.write import write_all
from sdcmetrics.report.results_file import judge_file, read_results
from sdcmetrics.study.profile import load_profile

EPSILON_ONLY = {"kinds": ["epsilon"], "random_holdout": True}


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, n).astype(float),
            "pay": rng.normal(100, 20, n).round(1),
            "town": rng.choice([*"abcde"], n),
        }
    )


SETS = people(120, 1), people(120, 2), people(120, 3)


def study(*, holdout: bool = True, **options: object) -> sdc.Study:
    original, fresh, aside = SETS
    return sdc.Study(
        original,
        {"fresh": fresh, "copy": original.copy()},
        keys=["age", "town"],
        targets=["pay"],
        holdout=aside if holdout else None,
        candidates=0,
        ways=(1,),
        permutations=99,
        **options,  # type: ignore[arg-type]
    )


@cache
def reviewed() -> sdc.Review:
    """Return a review whose generators claim 2 of adding a record: 4 of replacing it."""
    return sdc.conduct(
        study(
            attacks=EPSILON_ONLY,
            generator=[{"name": "g", "epsilon": 2.0, "neighbours": "add or remove"}],
            publication={"intruder_test": "failed", "intruder_tested": ["fresh"]},
        )
    )


def texts(review: sdc.Review, replica: str) -> str:
    return "\n".join(map(str, review.decisions[replica].risk.statements))


class TestEpsilon:
    def test_the_claim_of_a_generator_is_stated_once_and_tested(self) -> None:
        review = reviewed()
        bound: Bounded
        (bound,) = review.evidence.of(EPSILON)["copy", Place()]
        assert bound.claim == Claim(2.0, "add or remove", 4.0)
        assert bound.shown[0] > 4.0 == bound.claim.epsilon
        rows = review.mean_rows()
        at = (rows["metric"] == "epsilon_beyond") & (rows["replica"] == "copy")
        assert rows.loc[at, "value"].tolist() == [bound.shown[0] - 4.0]
        assert "this release contradicts that" in texts(review, "copy")
        assert "2 (of adding or removing a record: 4 of replacing it)" in texts(review, "copy")
        assert "does not contradict that" in texts(review, "fresh")

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            ({}, "[attacks] does not ask for epsilon"),
            ({"attacks": {"kinds": ["membership"]}}, "[attacks] does not ask for epsilon"),
            ({"attacks": {"kinds": ["epsilon"]}}, "[attacks] does not say random_holdout"),
            ({"attacks": EPSILON_ONLY, "holdout": False}, "there is no holdout"),
        ],
    )
    def test_what_was_not_tested_is_stated(self, options: dict[str, object], reason: str) -> None:
        review = sdc.conduct(study(generator=[{"name": "g", "epsilon": 0.1}], **options))  # type: ignore[arg-type]
        assert reason in texts(review, "copy")
        assert "contradicts that was not tested" in texts(review, "copy")

    def test_a_second_statement_is_refused(self) -> None:
        with pytest.raises(StudyError, match="State it once"):
            study(
                attacks={**EPSILON_ONLY, "declared_epsilon": 1.0},
                generator=[{"name": "g", "epsilon": 2.0}],
            )

    def test_delta_is_allowed_for(self) -> None:
        bound = reviewed().evidence.of(EPSILON)["copy", Place()][0].bound
        assert bound.at_delta(0.0)[0] == bound.epsilon
        assert bound.at_delta(0.0)[1] == bound.largest
        assert 0.0 < bound.at_delta(1e-5)[0] < bound.epsilon
        assert bound.at_delta(0.05 / 480) == (0.0, 0.0)
        assert bound.contradicts(4.0)
        assert not bound.contradicts(4.0, delta=0.01)


class TestIntruder:
    def test_somebody_identified_is_no_release_of_that_replica(self) -> None:
        review = reviewed()
        fresh, copy = review.decisions["fresh"].risk, review.decisions["copy"].risk
        assert fresh.status.value == "fail"
        assert [str(s) for s in fresh.because] == ["A motivated intruder identified somebody."]
        assert "intruder" not in "\n".join(map(str, copy.statements))
        assert exit_code([review.decisions["fresh"]], read_gate("risk=fail")) == 1

    def test_page_json_and_terminal_say_the_same(self, tmp_path: Path) -> None:
        write_all(reviewed(), tmp_path)
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "A motivated intruder identified somebody." in page
        cover = re.sub("<[^>]*>", "", page[page.index("Test by an intruder") :][:400])
        assert "failed (fresh)" in " ".join(cover.split())
        annexes = (tmp_path / "report-annexes.html").read_text(encoding="utf-8")
        assert "this release contradicts that" in annexes
        table = (tmp_path / "tables" / "publication.csv").read_text(encoding="utf-8")
        assert "this release contradicts that" in table
        document = json.loads((tmp_path / "review.json").read_text(encoding="utf-8"))
        by_replica = {entry["replica"]: entry for entry in document["decision"]}
        assert by_replica["fresh"]["risk"]["status"] == "fail"
        assert "this release contradicts that" in "\n".join(by_replica["copy"]["risk"]["besides"])
        because = by_replica["fresh"]["risk"]["because"]
        assert because == ["A motivated intruder identified somebody."]
        again, _ = judge_file(read_results(tmp_path / "review.json"), load_profile("default"))
        assert [str(s) for s in again[0].risk.because] == because

    def test_an_unknown_replica_is_a_sentence(self) -> None:
        with pytest.raises(StudyError, match="intruder_tested: there is no replica"):
            study(publication={"intruder_test": "passed", "intruder_tested": ["frehs"]})
        with pytest.raises(StudyError, match="generator: replica: there is no replica 'x'"):
            study(generator=[{"name": "g", "replica": "x"}])
