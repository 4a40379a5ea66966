"""Answers in corners: one question, one table, a limit on nothing, a profile read afterwards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.decision.answer import answer
from sdcmetrics.decision.limits import Grounds, Limited, limit_facts
from sdcmetrics.decision.state import State
from sdcmetrics.decision.statement import Value
from sdcmetrics.decision.status import Status
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.decided import decisions
from sdcmetrics.review.people import held_in
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study

ENTRIES = 'kind = "agency policy"\nsource = "x"\nowner = "Unit"\ndate = 2026-01-01\n'


def people(n: int, seed: int) -> pd.DataFrame:
    """Return n people, drawn one by one."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    lean = np.where(age > 50, "left", "right")
    vote = np.where(rng.random(n) < 0.7, lean, "other")
    sex, region = rng.choice(["m", "f"], n), rng.choice(list("ABCDE"), n)
    return pd.DataFrame({"age": age, "sex": sex, "region": region, "vote": vote})


def reviewed(original: pd.DataFrame, replica: pd.DataFrame, profile: str | Path) -> Review:
    """Review one replica, called r."""
    keys, targets = ["age", "sex", "region"], ["vote"]
    return conduct(Study(original, {"r": replica}, keys=keys, targets=targets, profile=profile))


def profile_of(folder: Path, **limits: str) -> Path:
    """Write a profile with entries for each measure."""
    path = folder / "own.toml"
    parts = ['[profile]\ntitle = "Own"\nowner = "Unit"\n']
    parts += [f"[thresholds.{metric}]\n{entry}\n{ENTRIES}" for metric, entry in limits.items()]
    path.write_text("".join(parts), encoding="utf-8")
    return path


@pytest.mark.parametrize("metric", ["MIA_AUC", "DCR_share", "linkability"])
def test_a_limit_on_disclosure_that_nothing_measures_is_not_kept(
    tmp_path: Path, metric: str
) -> None:
    own = profile_of(tmp_path, DiSCO="review = 50\nfail = 90", **{metric: "review = 0.9"})
    risk = reviewed(people(60, 1), people(60, 2), own).decisions["r"].risk
    assert risk.status is Status.NOT_JUDGED
    assert [ground.text for ground in risk.because] == [
        f"There is a limit of Unit on what could not be computed: {metric}."
    ]
    assert not any("are kept" in statement.text for statement in risk.statements)


def test_a_limit_on_models_without_models_is_a_limit(tmp_path: Path) -> None:
    own = profile_of(tmp_path, CIO="review = 0.9", DiSCO="review = 50")
    utility = reviewed(people(60, 1), people(60, 2), own).decisions["r"].utility
    assert [ground.text for ground in utility.because] == [
        "Not judged, as it could not be computed, though it has a limit: CIO."
    ]


def test_profiles_of_the_package_ask_nothing_of_what_a_study_does_not_measure() -> None:
    answers = reviewed(people(60, 1), people(60, 2), "default").decisions["r"]
    texts = [item.text for item in (*answers.risk.statements, *answers.utility.statements)]
    assert not any("could not be computed" in text for text in texts)


def test_rows_that_belong_together_are_named_where_tables_are_not_asked(tmp_path: Path) -> None:
    house = np.repeat(np.arange(40), 3)
    original, replica = people(120, 1).assign(hid=house), people(120, 2).assign(hid=house)
    own = profile_of(tmp_path, DiSCO="excess = 1\nchance = 0.01")
    for answers in (
        reviewed(original, replica, own).decisions["r"],
        decisions(reviewed(original, replica, "default"), load_profile(own))[0],
    ):
        assert answers.risk.status is Status.NOT_JUDGED
        assert any(
            "by hid, and the study does not name that column" in statement.text
            for statement in answers.risk.statements
        )


def test_one_table_is_no_plural() -> None:
    two = pd.DataFrame({"a": ["x", "y"] * 30, "b": ["z"] * 60})
    study = Study(two, {"r": two.iloc[::-1]}, keys=["a"], targets=["b"], ways=(1,))
    texts = [statement.text for statement in conduct(study).decisions["r"].utility.statements]
    assert not any("1 tables" in text for text in texts)


def test_lesser_limits_are_stated_beside_one_that_forbids_each_as_what_it_is() -> None:
    words: dict[str, Value] = {"untested": ""}
    limited = [
        Limited("limits", Status.FAIL, ("DiSCO of vote is 95.0 %",), "Unit"),
        Limited("limits", Status.REVIEW, ("repU is 10.0 %",), "Office"),
        Limited("limits", Status.NOT_JUDGED, ("MIA_AUC",), "Board"),
        Limited("table_limits", Status.WITHIN, ("JSD is 0",), "Field"),
    ]
    grounds = Grounds(limited=limited)
    facts = limit_facts(grounds, "limits", words)
    assert facts.status is Status.FAIL
    limit_facts(grounds, "table_limits", words)
    texts = [
        str(statement) for statement in answer(State(limits=facts, words=words), "risk").statements
    ]
    assert texts[:2] == [
        "DiSCO of vote is 95.0 %, beyond the limit of Unit that forbids a release.",
        "repU is 10.0 %, beyond the limit of Office that asks for a closer look.",
    ]
    # What could not be computed is stated beside what fails, with its own owner.
    assert "There is a limit of Board on what could not be computed: MIA_AUC." in texts
    assert words["tables_origin"] == "of Field"


@pytest.mark.parametrize("times", [2, 4, 5, 8])
def test_the_original_several_times_over_is_the_original(times: int) -> None:
    original = people(60, 1)
    replica = pd.concat([original] * times).sample(frac=1, random_state=1)
    study = Study(original, {"r": replica}, keys=["sex"], targets=["vote"])
    risk = conduct(study).decisions["r"].risk
    assert risk.status is Status.FAIL
    assert risk.because[0].text == "It is the original."


def test_other_people_several_times_over_are_not() -> None:
    replica = pd.concat([people(60, 2)] * 5)
    study = Study(people(60, 1), {"r": replica}, keys=["sex"], targets=["vote"])
    risk = conduct(study).decisions["r"].risk
    assert risk.status in (Status.WITHIN, Status.NOT_JUDGED)


@pytest.mark.parametrize(
    ("copied", "status", "words"),
    [
        (300, Status.FAIL, "It holds most of the original: "),
        (60, Status.REVIEW, "It holds records of people of the original: "),
    ],
)
def test_most_of_the_original_is_no_release_whatever_else_is_in_the_file(
    copied: int, status: Status, words: str
) -> None:
    def unlike(seed: int) -> pd.DataFrame:
        return people(300, seed).assign(wage=np.random.default_rng(seed).normal(size=300).round(3))

    original, holdout = unlike(1), unlike(2)
    replica = pd.concat([original.head(copied), *(unlike(seed) for seed in range(3, 7))])
    study = Study(
        original, {"r": replica}, holdout=holdout, keys=["age", "sex", "region"], targets=["vote"]
    )
    review = conduct(study)
    risk = review.decisions["r"].risk
    assert risk.status is status
    assert any(ground.text.startswith(words) for ground in risk.because)
    assert held_in(review)["r"].whole is (status is Status.FAIL)


def test_the_holdout_itself_is_no_replica() -> None:
    original, holdout, other = (people(200, seed) for seed in (1, 2, 3))
    study = Study(
        original,
        {"aside": holdout, "other": other},
        holdout=holdout,
        keys=["age", "sex"],
        targets=["vote"],
    )
    decisions = conduct(study).decisions
    assert decisions["aside"].risk.status is Status.REVIEW
    assert [ground.text for ground in decisions["aside"].risk.because] == [
        (
            "It is the holdout itself, whose records are real people: one of the two files is "
            "not what the study says."
        )
    ]
    assert not any(
        "holdout itself" in statement.text for statement in decisions["other"].risk.statements
    )
