"""What a decision rests on, gathered from a review: each fact by hand."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.decision.limits import Grounds
from sdcmetrics.decision.status import Status
from sdcmetrics.measures.attacks.places import EPSILON
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.people.subject import PEOPLE
from sdcmetrics.review import decided

Put = pytest.MonkeyPatch


def grounds(monkeypatch: Put, results: dict[Any, Any] | None = None, **given: Any) -> Grounds:
    said = {"drawn": 0, "claim": None, "size": None, "n": 40, "sample": None, "same": (),
            "publication": None, "large": (), "lacking": ()} | given  # fmt: skip
    result = results or {}
    monkeypatch.setattr(decided, "_result", lambda _, kind, __: result.get(kind))
    monkeypatch.setattr(decided, "drawn", lambda *_: said["drawn"])
    monkeypatch.setattr(decided, "claim_of", lambda *_: said["claim"])
    monkeypatch.setattr(decided, "same_as_holdout", lambda *_: said["same"])
    monkeypatch.setattr(decided, "_unbounded", lambda *_: "no holdout")
    monkeypatch.setattr(decided, "lacking_columns", lambda *_: said["lacking"])
    study = With(
        options=With(population_size=said["size"], variables=None),
        replicas={"a": []}, holdout=None,
        sample=said["sample"], original=With(large=said["large"]),
        section=lambda section: said["publication"] if section is decided.Publication else None,
    )  # fmt: skip
    review: Any = With(study=study, inputs=(), n_original=said["n"])
    profile: Any = With(tables="tables", excess="excess", judge="either")
    return decided.grounds_of(review, profile, "a", [])


def test_people_are_untested_where_there_is_no_result(monkeypatch: Put) -> None:
    without = grounds(monkeypatch, drawn=3)
    assert without.untested == "the data sets are too large, or nobody asked"
    assert (without.people, without.sampled) == (None, False)
    tested = grounds(monkeypatch, {PEOPLE: "people"}, drawn=3)
    assert (tested.untested, tested.people, tested.sampled) == ("", "people", True)
    assert not grounds(monkeypatch, {PEOPLE: "people"}).sampled
    assert grounds(monkeypatch, {PEOPLE: "people"}, drawn=1).sampled


@pytest.mark.parametrize(("size", "census"), [(None, False), (40, True), (41, False)])
def test_who_asks_everybody_has_a_census(
    monkeypatch: Put, size: int | None, *, census: bool
) -> None:
    assert grounds(monkeypatch, size=size).census is census


@pytest.mark.parametrize(
    ("claim", "bound", "unbounded", "found"),
    [
        (None, None, "", None),
        ("claim", None, "no holdout", None),
        ("claim", ("whole", "first"), "", "whole"),
        (None, ("whole", "first"), "", "whole"),
    ],
)
def test_a_claimed_epsilon_that_nothing_bounds_has_a_reason(
    monkeypatch: Put, claim: Any, bound: Any, unbounded: str, found: Any
) -> None:
    given = grounds(monkeypatch, {EPSILON: bound}, claim=claim)
    assert (given.claim, given.bound, given.unbounded) == (claim, found, unbounded)


@pytest.mark.parametrize(
    ("sample", "cluster"),
    [
        (None, ""),
        (With(together="home"), "home"),
        (With(together=""), ""),
    ],
)
def test_what_belongs_together_is_named(monkeypatch: Put, sample: Any, cluster: str) -> None:
    assert grounds(monkeypatch, sample=sample).cluster == cluster


def test_other_facts_are_those_of_study_and_profile(monkeypatch: Put) -> None:
    plain = grounds(monkeypatch)
    assert (plain.intruder, plain.of_holdout, plain.large) == ("", False, False)
    assert (plain.asked_tables, plain.asked_excess, plain.judge) == ("tables", "excess", "either")
    tested = With(intruder=lambda replica: f"failed by {replica}")
    assert plain.lacking == ()
    more = grounds(monkeypatch, publication=tested, same=("a",), large=("x",), lacking=("age",))
    assert more.lacking == ("age",)
    assert (more.intruder, more.of_holdout, more.large) == ("failed by a", True, True)


@pytest.mark.parametrize(
    ("metric", "place", "value", "several", "words"),
    [
        ("DiSCO", Place("s", target="vote"), 12.34, False, "DiSCO of vote is 12.3 %"),
        ("DiSCO", Place("s", target="vote"), 12.34, True, "DiSCO of vote in scenario s is 12.3 %"),
        ("DiSCO", Place("s", target="vote"), 0.044, False, "DiSCO of vote is 0.04 %"),
        ("DiSCO", Place("s", target="vote"), 0.051, False, "DiSCO of vote is 0.1 %"),
        ("DiSCO", Place("s", target="vote"), -0.0, False, "DiSCO of vote is 0.0 %"),
        ("repU", Place("s", keys=("age", "sex")), 2.0, True, "repU by age, sex is 2.0 %"),
        ("TVD", Place(variables=("age", "sex")), 0.12345, False, "TVD of age by sex is 0.123"),
        ("CIO", Place(model="y ~ x"), 0.5, True, "CIO of y ~ x is 0.5"),
        ("TVD", Place(), -0.0, False, "TVD is 0"),
        ("rule_broken", Place(rule="a < b", variables=("a",)), 2.5, False, "of a < b is 2.5"),
    ],
)  # fmt: skip
def test_a_measurement_in_words(
    metric: str, place: Place, value: float, words: str, *, several: bool
) -> None:
    if metric not in decided.MEASURES:  # of rules
        metric = next(s for s, m in decided.MEASURES.items() if m.of.per == "rule")
    phrase = decided._words(metric, place, value, several=several)
    text = "".join(map(str, phrase)).replace("\N{NO-BREAK SPACE}", " ")
    assert words in text


@pytest.mark.parametrize(
    ("metric", "part"), [("DiSCO", "limits"), ("TVD", "table_limits"), ("CIO", "models")]
)
def test_the_part_of_a_measure(metric: str, part: str) -> None:
    assert decided._part(metric) == part


def test_limits_on_what_is_not_measured_are_the_users_own() -> None:
    limits = {name: With(owner="Unit", kind="illustration") for name in ("TVD", "DiSCO")}
    own: Any = With(of_package=False, thresholds=limits)
    result = [*decided._unmeasured(["a", "b"], {("a", "TVD")}, own)]
    assert [(replica, item.words) for replica, item in result] == [
        ("a", ("DiSCO",)), ("b", ("TVD",)), ("b", ("DiSCO",)),
    ]  # fmt: skip
    assert {(item.status, item.owner, item.illustrative) for _, item in result} == {
        (Status.NOT_JUDGED, "Unit", True)
    }
    own.of_package = True
    assert [*decided._unmeasured(["a"], {("a", "TVD")}, own)] == []


def test_each_target_of_which_a_limited_risk_is_not_known_is_named(monkeypatch: Put) -> None:
    nan, targets = float("nan"), ("vote", "income")
    rows = [
        *(("a", "DiSCO", nan, target) for target in (*targets, "vote")),  # of two scenarios
        ("b", "DiSCO", 3.0, "vote"), ("b", "DiSCO", nan, "income"),
        *(("a", "repU", nan, target) for target in targets),  # the same whatever the target
        ("a", "TVD", nan, None), ("b", "TVD", nan, None), ("b", "TVD", 0.1, None),
    ]  # fmt: skip
    monkeypatch.setattr(decided, "rows_of", lambda *_: rows)
    thresholds = {name: With(owner="Unit", kind="rule") for name in ("DiSCO", "repU", "TVD")}
    profile: Any = With(of_package=True, thresholds=thresholds)
    review: Any = With(replicas=("a", "b"))
    named = [
        (replica, "".join(map(str, item.words)), item.part)
        for replica, item in decided._uncomputed(review, profile)
    ]
    assert named == [
        ("a", "DiSCO of vote", "limits"), ("a", "DiSCO of income", "limits"),
        ("b", "DiSCO of income", "limits"), ("a", "repU", "limits"), ("a", "TVD", "table_limits"),
    ]  # fmt: skip


def test_of_what_is_within_limits_one_stands_for_all_of_a_part() -> None:
    def finding(metric: str, status: Status, judged: float, scenario: str = "s") -> Any:
        return With(
            metric=metric, status=status, value=2.0, judged=judged, threshold=None,
            place=Place(scenario, keys=("age",), target="vote"),
        )  # fmt: skip

    within, review = Status.WITHIN, Status.REVIEW
    findings = [
        finding("DiSCO", within, 2.0), finding("DCAP", within, 2.0), finding("DCAP", review, 2.0),
        finding("TVD", within, 4.0), finding("TVD", review, 2.0), finding("TVD", review, 2.0),
    ]  # fmt: skip
    limited = [*decided.limited_of(findings)]
    assert [(item.part, item.status, str(item.words[0])) for item in limited] == [
        ("limits", within, "DiSCO of "), ("limits", review, "DCAP of "),
        ("table_limits", within, "TVD of "), ("table_limits", review, "TVD of "),
        ("table_limits", review, "TVD of "),
    ]  # fmt: skip
    assert [(item.keys, item.target, item.owner) for item in limited[:1]] == [
        (("age",), "vote", "")
    ]
    sized = [
        " (4 at the original\N{RIGHT SINGLE QUOTATION MARK}s size)" in i.words for i in limited
    ]
    assert sized == [False, False, True, False, False]
    assert not any(" in scenario " in item.words for item in limited)
    two = decided.limited_of([*findings[:1], finding("DCAP", review, 2.0, "z")])
    assert all(" in scenario " in item.words for item in two)


@pytest.mark.parametrize(
    ("attacks", "holdout", "rows", "words"),
    [
        (None, "h", [], "[attacks] does not ask for epsilon"),
        (With(kinds=("membership",)), "h", [], "[attacks] does not ask for epsilon"),
        (With(kinds=("epsilon",)), None, [], "there is no holdout"),
        (With(kinds=("epsilon",), random_holdout=False), "h", [], "[attacks] does not say random"),
        (
            With(kinds=("epsilon",), random_holdout=True), "h",
            [("b", "too many."), ("a", "too few people.")], "too few people",
        ),
        (With(kinds=("epsilon",), random_holdout=True), "h", [], "it could not be computed"),
        (
            With(kinds=("epsilon",), random_holdout=True), "h", [("a", None)],
            "it could not be computed",
        ),
    ],
)  # fmt: skip
def test_why_nothing_bounds_an_epsilon(
    monkeypatch: Put, attacks: Any, holdout: Any, rows: Any, words: str
) -> None:
    monkeypatch.setattr(decided, "rows_of", lambda *_: rows)
    review: Any = With(study=With(section=lambda _: attacks, holdout=holdout))
    assert decided._unbounded(review, "a").startswith(words)
