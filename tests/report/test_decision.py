"""The first page says what the profile says, and what it does not."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.attacks.section import AttackName, Attacks
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.document import as_json
from sdcmetrics.report.judging import judged
from sdcmetrics.report.safety.cells import plain
from sdcmetrics.report.sections.decision import Decision, _beyond_chance
from sdcmetrics.review.judge import Status
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile, load_profile
from tests.report.conftest import threshold


def page(review: Review, profile: Profile) -> Decision:
    return safe_report(review, profile, "internal").decision


def words(decision: Decision) -> str:
    return "\n".join(
        plain(item.words) for finding in decision.findings for item in finding.sentences
    ).replace("\N{NO-BREAK SPACE}", " ")


def test_without_a_limit_on_disclosure_it_says_that_it_cannot_say(
    review: Review, lenient: Profile
) -> None:
    answers = page(review, lenient).answers
    assert [a.question for a in answers] == [
        "May it be released?",
        "Is it useful?",
        "Which replica?",
    ]
    assert [a.status for a in answers] == [Status.NOT_JUDGED] * 3
    assert [plain(a.short) for a in answers] == [
        "None of 2 replicas is free of objections; not judged, which is no approval: good",
        "The use of the 2 replicas was not judged",
        "None yet. Both questions are open for good: look at them first.",
    ]
    assert "good: Nobody has set a limit on disclosure" in plain(answers[0].sentences[0].words)


def test_risks_that_nothing_judges_are_still_told(review: Review, lenient: Profile) -> None:
    text = words(page(review, lenient))
    assert "an intruder learns" in text
    assert "of the original records (DiSCO); from the original itself, for" in text
    assert "(repU)" in text


def test_a_limit_names_replicas_and_measures_and_its_ends_and_kind(
    review: Review, profile: Profile
) -> None:
    rules = replace(profile, thresholds={"DiSCO": threshold("DiSCO", 0.0, 0.1)})
    answer = page(review, rules).answers[0]
    assert answer.status is Status.FAIL
    texts = [plain(item.words) for item in answer.sentences]
    for name in ("good", "copy"):
        assert any(item.startswith(f"{name}: DiSCO of ") for item in texts)
    (rests,) = [rest for rest in answer.rests if "judged by" in plain(rest.words)]
    assert (
        plain(rests.words)
        == "Disclosure is judged by DiSCO (review beyond 0, fail beyond 0.1; rule)."
    )


def test_rules_that_judge_are_printed_with_their_levels(review: Review) -> None:
    ours = load_profile("default")
    assert ours.tables is not None
    assert ours.excess is not None
    risk, utility, _ = (
        " ".join(plain(rest.words) for rest in answer.rests)
        for answer in page(review, ours).answers
    )
    assert "DiSCO and repU beside people who were not in the original" in risk
    assert f"{ours.excess.excess:g} point or more" in risk
    assert f"w above {ours.tables.size_review:g}" in utility
    assert f"above {ours.tables.size_fail:g} fails" in utility


@pytest.mark.parametrize(
    ("roles", "whole"),
    [((), False), (("weight",), False), (("cluster",), True), (("household",), True)],
)
def test_where_rows_belong_together_the_page_does_not_say_that_rep_u_is_judged(
    review: Review, roles: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, *, whole: bool
) -> None:
    monkeypatch.setattr(type(review.study), "roles", roles)
    texts = [plain(rest.words) for rest in page(review, load_profile("default")).answers[0].rests]
    (rule,) = [item for item in texts if item.startswith("Disclosure is judged by")]
    assert ("DiSCO and repU beside people" in rule) is not whole
    assert ("DiSCO beside people" in rule) is whole
    assert ("Where rows belong together repU is not judged." in texts) is whole


def test_made_up_limits_are_said_to_be_made_up(review: Review, profile: Profile) -> None:
    made_up = replace(threshold("DiSCO", 5, 15), kind="illustration")
    for limits, expected in ((made_up, True), (threshold("DiSCO", 5, 15), False)):
        answer = page(review, replace(profile, thresholds={"DiSCO": limits})).answers[0]
        texts = [plain(rest.words) for rest in answer.rests]
        assert any("made up for illustration" in item for item in texts) is expected


def test_one_sentence_a_replica_says_how_many_tables_differ(
    review: Review, profile: Profile
) -> None:
    rules = replace(profile, thresholds={"S_pMSE": threshold("S_pMSE", 0.5, 2)})
    result = page(review, rules).findings[1]
    assert len(result.sentences) == 2
    assert "of 15 tables" in plain(result.sentences[0].words)
    assert "2.0 is expected of a fresh sample of its size" in plain(result.sentences[0].words)


def test_within_everything_is_said_too(review: Review, profile: Profile) -> None:
    limits = {metric: threshold(metric, 1e9, 2e9) for metric in ("S_pMSE", "DiSCO", "repU")}
    decision = page(review, replace(profile, thresholds=limits))
    assert [a.status for a in decision.answers] == [Status.WITHIN] * 3
    (people,), nothing = (finding.sentences for finding in decision.findings)
    assert (
        plain(people.words)
        == "copy is a masked original, whole or in part: rows are the person of the same row."
    )
    assert nothing == ()
    shorts = [plain(answer.short) for answer in decision.answers]
    assert shorts[0] == "There is no objection to 1 of 2 replicas: good"
    assert shorts[1] == "All 2 replicas are useful as far as tested"
    assert shorts[2].startswith("good: the only replica to which there is no objection")
    texts = [plain(sentence.words) for sentence in decision.answers[0].sentences]
    assert any(
        item.startswith("good: The limits of the unit on disclosure are kept") for item in texts
    )


@pytest.mark.parametrize(
    "part",
    [
        "No holdout",
        "No attacks: who was in the original",
        "No model-based utility",
        "No table of more than 2 variables",
        "Disclosure of income: neither a key nor a target",
        "Only one scenario",
        "grouped before comparing",
        "could not be computed",
    ],
)
def test_what_was_not_checked_comes_from_the_data(
    review: Review, profile: Profile, part: str
) -> None:
    listed = [plain(item.words) for item in page(review, profile).unchecked]
    assert any(part in item for item in listed)


def test_tables_of_three_that_the_answer_rests_on_are_not_called_unchecked(review: Review) -> None:
    listed = [plain(item.words) for item in page(review, load_profile("default")).unchecked]
    of_three = review.decisions["good"].utility
    assert "Three columns at a time were not tested." not in map(str, of_three.statements)
    assert not any("No table of more than" in item for item in listed)


def test_sentences_name_the_scenario_where_there_are_two(
    review: Review, lenient: Profile, profile: Profile
) -> None:
    (first,) = review.scenarios
    second = replace(first, name="neighbour")
    study = object.__new__(type(review.study))
    for name, value in vars(review.study).items():
        object.__setattr__(study, name, value)
    object.__setattr__(study, "scenarios", (first, second))
    own = review.frame["scenario"] == first.name
    frame = pd.concat([review.frame, review.frame[own].assign(scenario="neighbour")])
    two = replace(review, study=study, frame=frame.reset_index(drop=True))
    assert "in scenario " in words(page(two, lenient))
    assert "in scenario " not in words(page(review, lenient))
    low = replace(profile, thresholds={"DiSCO": threshold("DiSCO", 0.0, 0.001)})
    assert "other scenario" in words(page(two, low))
    assert not any("Only one scenario" in plain(s.words) for s in page(two, low).unchecked)


def test_a_value_that_the_checker_is_not_shown_is_judged_all_the_same(profile: Profile) -> None:
    rng = np.random.default_rng(1)
    yes = pd.Series(rng.random(400) < 0.5)
    frame = pd.DataFrame({"a": yes, "b": yes ^ (yes.index == 0), "c": rng.random(400) < 0.5})
    study = sdc.Study(
        frame, {"one": frame.sample(400, replace=True, random_state=1)}, keys=["a"], targets=["c"]
    )
    rules = replace(profile, thresholds={"S_pMSE": threshold("S_pMSE", 3, 10)})
    review = sdc.conduct(study)
    document = json.loads(as_json(safe_report(review, rules, "checker")))
    rows = [row for row in document["measurements"] if row["metric"] == "S_pMSE"]
    hidden = [row["variables"] for row in rows if row["shown"] == "not shown"]
    assert hidden == ["a | b"]
    (inside,) = judged(review, rules, "internal")
    (told,) = document["decision"]
    assert told["utility"]["status"] == inside.utility.status.value
    assert told["utility"]["because"] == []
    rests = " ".join(document["answers"][0]["rests"])
    assert "The answers are those of the internal edition, which states what they rest on." in rests


@pytest.mark.parametrize(
    ("kinds", "missing"),
    [
        (("epsilon",), ('"membership"', '"attribute inference"')),
        (("epsilon", "attribute inference"), ('"membership"',)),
        (("membership",), ()),
    ],
)
def test_attacks_that_were_not_asked_for_are_named(
    kinds: tuple[AttackName, ...], missing: tuple[str, ...], profile: Profile
) -> None:
    values = pd.DataFrame({"a": np.arange(60) % 3, "b": np.arange(60) % 2})
    study = sdc.Study(values, {"r": values}, keys=["a"], targets=["b"], attacks=Attacks(kinds))
    unchecked = " ".join(plain(s.words) for s in page(sdc.conduct(study), profile).unchecked)
    assert "No attacks" not in unchecked
    assert ("Attacks that were not asked for" in unchecked) == bool(missing)
    for kind in ('"membership"', '"attribute inference"'):
        assert (kind in unchecked) == (kind in missing)
    if missing:
        assert f"asks for {' and '.join(kinds)} only" in unchecked


def test_what_is_learnt_of_one_target_is_not_hidden_by_another_that_all_people_share(
    profile: Profile,
) -> None:
    rng = np.random.default_rng(1)
    people = pd.DataFrame(
        {
            "key": rng.permutation(120).astype(float),
            "shared": np.where(rng.random(120) < 0.97, "yes", "no"),
            "told": rng.choice(["a", "b"], 120),
        }
    )
    original, holdout = people[:60], people[60:]
    replica = original.assign(
        shared=rng.permutation(original["shared"].to_numpy()),
        told=np.where(np.arange(60) < 40, original["told"], "a"),
    )
    study = sdc.Study(
        original, {"r": replica}, holdout=holdout, keys=["key"], targets=["shared", "told"],
        attacks={"kinds": ["attribute inference"], "learner": "nearest"}, permutations=99,
    )  # fmt: skip
    review = sdc.conduct(study)
    value = {
        row.target: row.value
        for row in review.mean_rows().itertuples()
        if row.metric == "attribute_inference"
    }
    assert value["shared"] > value["told"]
    text = words(page(review, profile))
    assert "A model of r infers told rightly" in text
    assert "infers shared rightly" not in text
    # As the page says: first what is beyond a limit, then what no limit judges.
    assert 0 <= text.index("The profile says fail") < text.index("A model of r infers")


@pytest.mark.parametrize(
    ("p", "beyond"), [((0.03,), True), ((0.03, 0.6), False), ((0.02, 1), True)]
)
def test_a_p_of_one_target_counts_for_as_many_as_were_tested(
    p: tuple[float, ...], beyond: bool
) -> None:
    scenario = SimpleNamespace(name="s", targets=[f"t{i}" for i in range(len(p))])

    def risk(_: str, metric: str, name: str, target: str) -> Any:
        if metric != "attribute_inference_p" or not (name and target):
            return None
        return SimpleNamespace(scenario=name, target=target, value=p[int(target[1:])])

    source: Any = SimpleNamespace(
        review=SimpleNamespace(scenarios=[scenario]), measures=SimpleNamespace(risk=risk)
    )
    of: Any = scenario
    assert _beyond_chance(source, "r", MEASURES["attribute_inference"])(of, "t0") is beyond
