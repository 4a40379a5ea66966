"""The cross-check of disclosure without R: what is asked again, and what explains a difference."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.agreement import disclosure
from sdcmetrics.agreement.compared import Compared
from sdcmetrics.agreement.disclosure import _MULTI, _Question, _with_absent_keys, _with_mean
from sdcmetrics.errors import RError
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.coding import by_value
from sdcmetrics.study.study import Options, Scenario
from tests.agreement.test_crosscheck import mixed
from tests.agreement.without_r import harmonised, mixed_twice, patience

Put = pytest.MonkeyPatch
OURS = dict.fromkeys(MEASURES, 40.0)
EQUAL_ONE = {"DCAPd": 40.0} | {
    measure.twin.name_in("1.9-3"): 40.0 for measure in MEASURES.values() if measure.twin
}
OTHER = EQUAL_ONE | {"repU": 41.0}
DEAD, STOPPED = RError("it died", kind="died"), RError("it stopped")


def question(**said: Any) -> _Question:
    scenario = Scenario("one", ("flag", "income", "area"), ("target", "hours-per-week"))
    return _Question(mixed_twice(), scenario, Options(**said), patience())


def test_groups_are_those_of_keys_and_targets_of_the_scenario() -> None:
    result = question(
        ngroups_keys={"income": 3, "hours-per-week": 7, "area": 2, "flag": 0},
        ngroups_targets={"income": 9, "hours-per-week": 5, "day": 4},
    )
    assert result.keys == ["area", "flag", "income"]  # in the order of the columns
    assert result.groups == {"income": 3, "area": 2, "flag": 0, "hours-per-week": 5}
    assert result.rule("flag") is result.rule("day") is by_value
    for name, groups in (("income", 3), ("hours-per-week", 5)):
        assert result.rule(name)(result.data.variables[name]).size == groups
    grouped = {name: result.is_grouped(name) for name in result.data.variables}
    assert [name for name, yes in grouped.items() if yes] == ["hours-per-week", "income"]


def test_native_values_are_means_over_the_syntheses(monkeypatch: Put) -> None:
    given: list[Any] = []

    def measured(*said: Any) -> Any:
        _, coded, _, names, target, options = said
        given.append((names, target, options.use_key_missing, [*coded.variables]))
        return SimpleNamespace(per_synthesis=pd.DataFrame({"repU": [1.0, 4.0]}))

    monkeypatch.setattr(disclosure, "measure", measured)
    assert question().native("target") == {"repU": 2.5}
    keys = ["area", "flag", "income"]
    assert given == [(keys, "target", dict.fromkeys(keys, True), [*keys, "target"])]


@pytest.mark.parametrize(
    ("groups", "answers", "agrees", "aligned"),
    [
        ({}, [EQUAL_ONE], True, None),  # nothing differs: nobody asks again
        ({}, [DEAD], True, None),
        ({}, [OTHER, EQUAL_ONE], True, EQUAL_ONE),
        ({}, [STOPPED, EQUAL_ONE], True, EQUAL_ONE),
        ({}, [OTHER, OTHER], True, OTHER),  # and no group is to blame
        ({"income": 3}, [OTHER, EQUAL_ONE], True, EQUAL_ONE),
        ({"income": 3}, [OTHER, OTHER, EQUAL_ONE], True, EQUAL_ONE),
        ({"income": 3}, [OTHER, OTHER, EQUAL_ONE], False, OTHER),  # other groups than ours
        ({"income": 3}, [OTHER, OTHER, STOPPED], True, OTHER),
    ],
)
def test_who_differs_is_asked_again_and_once_more_with_groups_made_here(
    monkeypatch: Put, groups: dict[str, int], answers: list[Any], *, agrees: bool, aligned: Any
) -> None:
    result = question(ngroups_keys=groups)
    names = ["area", "flag", "income", "target"]
    asked: list[Any] = []
    monkeypatch.setattr(disclosure.shown, "as_user_would", lambda _, some, __: ("plain", some))
    monkeypatch.setattr(result, "_alike", lambda some, **options: ("alike", some, *options))
    monkeypatch.setattr(result, "_grouping_agrees", lambda _: agrees)

    def ask(synds: Any, targets: Any, called: Any) -> Any:
        asked.append((synds, called["target"]))
        return dict.fromkeys(targets, answers[len(asked) - 1])

    comparison = Compared(KEYS, "disclosure", {}, OURS, None)
    (got,) = result.compare(ask, {"target": comparison})
    assert (got.synthpop, got.aligned) == (answers[0], aligned)
    plain = (("plain", names), "target")
    again = [(("alike", names), "v0004"), (("alike", names, "group_here"), "v0004")]
    assert asked == [plain, *again][: len(answers)]


def test_one_target_that_differs_asks_for_all_and_settles_by_all(monkeypatch: Put) -> None:
    result = question(ngroups_keys={"income": 3})
    monkeypatch.setattr(disclosure.shown, "as_user_would", lambda *_: "plain")
    monkeypatch.setattr(result, "_alike", lambda _, *, group_here=False: f"alike {group_here}")
    monkeypatch.setattr(result, "_grouping_agrees", lambda _: True)
    answers = {
        "plain": [EQUAL_ONE, OTHER],
        "alike False": [EQUAL_ONE, OTHER],
        "alike True": [OTHER, EQUAL_ONE],
    }

    def ask(synds: Any, targets: Any, _: Any) -> Any:
        return dict(zip(targets, answers[synds], strict=True))

    comparison = Compared(KEYS, "multi.disclosure", {}, OURS, None)
    got = list(result.compare(ask, {"target": comparison, "hours-per-week": comparison}))
    assert [each.synthpop for each in got] == [EQUAL_ONE, OTHER]
    assert [each.aligned for each in got] == [OTHER, EQUAL_ONE]
    answers["alike True"][0] = DEAD  # one that fails is as good as none
    got = list(result.compare(ask, {"target": comparison, "hours-per-week": comparison}))
    assert [each.aligned for each in got] == [EQUAL_ONE, OTHER]


def test_groups_that_synthpop_can_make_are_left_to_it_once(monkeypatch: Put) -> None:
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr(disclosure.shown, "aligned", lambda *_, **options: shown.append(options))
    data = harmonised(mixed().assign(one=5.0), mixed(seed=2).assign(one=5.0))
    scenario = Scenario("one", ("area", "one", "income"), ("target",))
    options = Options(ngroups_keys={"one": 3, "income": 3})
    names = ["area", "one", "income", "hours-per-week"]
    result = _Question(data, scenario, options, patience())
    result._alike(names)
    result._alike(names, group_here=True)
    assert [item["numbers"] for item in shown] == [["income"], []]
    assert all([*item["rules"]] == names and not item["missing_is_level"] for item in shown)
    assert shown[0]["rules"]["area"] is by_value
    assert shown[0]["rules"]["income"](data.variables["income"]).size == 3


def test_options_of_keys_and_targets_are_asked_by_their_names_in_r(monkeypatch: Put) -> None:
    called = {"area": "a", "flag": "f", "income": "i", "target": "t", "hours-per-week": "h"}
    given: list[dict[str, Any]] = []
    frame = pd.DataFrame({"repU": [1.0, 4.0]})

    def one(_: Any, **said: Any) -> Any:
        given.append(said)
        return SimpleNamespace(per_synthesis=frame)

    monkeypatch.setattr(disclosure, "ask_disclosure", one)
    groups = {"ngroups_keys": {"income": 3}, "ngroups_targets": {"hours-per-week": 5}}
    assert question(**groups).ask(None, ["target"], called) == {"target": {"repU": 2.5}}  # type: ignore[arg-type]
    question(**groups).ask(None, ["hours-per-week"], called)  # type: ignore[arg-type]
    question().ask(None, ["target"], called)  # type: ignore[arg-type]
    common = {"keys": ["a", "f", "i"]}
    assert given == [
        {**common, "target": "t", "ngroups_keys": {"i": 3}, "ngroups_target": None},
        {**common, "target": "h", "ngroups_keys": {"i": 3}, "ngroups_target": 5},
        {**common, "target": "t", "ngroups_keys": None, "ngroups_target": None},
    ]

    def stop(*_: Any, **__: Any) -> Any:
        raise STOPPED

    monkeypatch.setattr(disclosure, "ask_disclosure", stop)
    assert question().ask(None, ["target"], called) == {"target": STOPPED}  # type: ignore[arg-type]
    monkeypatch.setattr(disclosure, "ask_multi_disclosure", stop)
    both = ["target", "hours-per-week"]
    assert question().ask_many(None, both, called) == dict.fromkeys(both, STOPPED)  # type: ignore[arg-type]


def test_several_targets_have_a_row_each_and_their_mean_of_rep_u(monkeypatch: Put) -> None:
    called = {"area": "a", "flag": "f", "income": "i", "target": "t", "hours-per-week": "h"}
    given: list[dict[str, Any]] = []

    def many(_: Any, **said: Any) -> Any:
        given.append(said)
        frame = pd.DataFrame({"repU": [1.0, 2.0]}, index=["h", "t"])
        rows = {"h": dict.fromkeys(_MULTI, 3.0), "t": dict(zip(_MULTI, range(4), strict=True))}
        frame.attrs["table"] = rows
        return frame

    monkeypatch.setattr(disclosure, "ask_multi_disclosure", many)
    result = question(ngroups_targets={"hours-per-week": 5}).ask_many(
        None,  # type: ignore[arg-type]
        ["target", "hours-per-week"],
        called,
    )
    assert result == {
        "target": {"Dorig": 0, "DiSCO": 1, "UiO": 2, "repU": 3, "repU, mean": 2.0},
        "hours-per-week": {**dict.fromkeys(_MULTI.values(), 3.0), "repU, mean": 1.0},
    }
    groups = {"t": 0, "h": 5}
    keys = ["a", "f", "i"]
    assert given == [
        {"keys": keys, "targets": ["t", "h"], "ngroups_keys": None, "ngroups_targets": groups}
    ]


def test_what_synthpop_takes_for_text_explains_more() -> None:
    def why(column: Any, name: str = "x", groups: int = 0, other: Any = None) -> str:
        frames = [mixed().iloc[:6].assign(**{name: c}) for c in (column, other or column)]
        options = Options(ngroups_targets={name: groups} if groups else {})
        scenario = Scenario("one", ("area",), (name,))
        return _Question(harmonised(*frames), scenario, options, patience()).why(["area", name])

    text = list("ababab")
    assert why(text) == "B2"
    assert why(text, "keys") == why(text, "target") == "B2, B8"
    assert why([*"ababa", "a|b"]) == "B2, B8"
    assert why([True, False] * 3) == "B2, B8"
    assert why(mixed()["day"].tolist()[:6]) == "B2, B8"
    assert why([*"ababa", "Missing"]) == why([*"ababa", None]) == "B2"
    assert why([*"abab", None, "Missing"]) == "B2, B8"
    assert why([*"ababa", "Missing"], other=[*"ababa", None]) == "B2, B8"
    small, large = [1.0, 2, 3, 4, 5, 99_999], [1.0, 2, 3, 4, 5, 100_000]
    assert why(small) == "B2"
    assert why(large) == why(small, other=large) == why([-v for v in large]) == "B2, B8"
    assert why(large, groups=3) == "B2"


def test_every_target_is_compared_by_both_functions(monkeypatch: Put) -> None:
    calls: list[Any] = []

    def answer(*given: Any) -> Any:
        targets = given[2]
        calls.append(list(targets))
        values = EQUAL_ONE if len(targets) == 1 else OTHER | {"repU, mean": 40.0}
        return dict.fromkeys(targets, values)

    monkeypatch.setattr(_Question, "native", lambda *_: OURS)
    monkeypatch.setattr(_Question, "ask", answer)
    monkeypatch.setattr(_Question, "ask_many", answer)
    scenario = Scenario("one", ("flag", "area"), ("target", "hours-per-week"))
    data = mixed_twice()
    result = list(disclosure.compare_scenario(data, scenario, Options(), patience()))
    names = ["hours-per-week", "target"]  # in the order of the columns where they are in common
    assert [item.place["target"] for item in result] == ["target", "hours-per-week", *names]
    assert {item.place["keys"] for item in result} == {("area", "flag")}
    assert {item.place["scenario"] for item in result} == {"one"}
    assert [item.function for item in result] == [*["disclosure"] * 2, *["multi.disclosure"] * 2]
    assert [sorted(item.only) for item in result[2:]] == [sorted(_MULTI.values())] * 2
    assert {item.defect for item in result} == {"B2, B8"}  # flag is a logical
    assert calls == [["target"], ["hours-per-week"], names, names]
    assert [item.defects for item in result] == [{}, {}, {"repU": "B11"}, {"repU": "B11"}]


@pytest.mark.parametrize(
    ("first", "mean", "aligned", "explained"),
    [
        (41.0, 40.0, None, True),
        (41.0, 40.0, {"repU": 42.0, "DiSCO": 1.0}, True),
        (41.0, 40.0, RError("no"), True),
        (40.0, 41.0, None, False),  # it is equal anyway
        (40.0, 40.0, None, False),
        (41.0, 40.0, {"repU": 40.0}, False),  # the other order explains it
        (41.0, 42.0, None, False),  # nor is the mean
    ],
)
def test_a_mean_explains_a_rep_u_of_the_first_only(
    first: float, mean: float, aligned: Any, *, explained: bool
) -> None:
    answer = EQUAL_ONE | {"repU": first, "repU, mean": mean}
    comparison = Compared(KEYS, "multi.disclosure", {}, OURS, answer, aligned)
    result = _with_mean(comparison)
    assert result.defects == ({"repU": "B11"} if explained else {})
    if explained:
        kept = aligned if isinstance(aligned, dict) else {}
        assert result.aligned == kept | {"repU": 40.0}
    else:
        assert result is comparison
    nothing = replace(comparison, synthpop=None, aligned=None)
    assert _with_mean(nothing) is nothing
    dead = replace(comparison, synthpop=DEAD, aligned=STOPPED)
    assert _with_mean(dead) is dead
    again = {"repU": 41.0, "repU, mean": 40.0}
    assert _with_mean(replace(dead, aligned=again)).aligned == again | {"repU": 40.0}
    assert _with_mean(none := replace(comparison, native="no records")) is none


@pytest.mark.parametrize(
    ("keys", "theirs", "aligned", "explained"),
    [
        (("a",), 50.0, None, True),
        (("a",), 50.0, {"UiOiS": 50.0, "DiSCO": 1.0}, True),
        (("a",), 45.0, {"UiOiS": 50.0}, True),
        (("a",), DEAD, {"UiOiS": 50.0}, True),
        (("a", "b"), 50.0, None, False),  # several keys are joined to a text, which has no levels
        (("a",), 40.0, None, False),  # it is equal
        (("a",), 45.0, None, False),  # not all uniques
        (("a",), 50.0, {"UiOiS": 40.0}, False),  # the other order explains it
        (("a",), DEAD, None, False),
    ],
)
def test_a_single_key_explains_uniques_whose_level_no_record_has(
    keys: tuple[str, ...], theirs: Any, aligned: Any, *, explained: bool
) -> None:
    answer = EQUAL_ONE | {"UiOiS": theirs} if isinstance(theirs, float) else theirs
    place = {"keys": keys}
    comparison = Compared(KEYS, "disclosure", place, OURS | {"UiO": 50.0}, answer, aligned, "B2")
    result = _with_absent_keys(comparison)
    if not explained:
        assert result is comparison
        return
    assert result.aligned == (aligned or {}) | {"UiOiS": 40.0}
    verdict = {row["metric"]: row["verdict"] for row in result.rows("1.9-3")}["UiOiS"]
    assert verdict.startswith("differs as documented: " + ("B29" if answer is not DEAD else ""))
    assert _with_absent_keys(none := replace(comparison, native="no records")) is none


def test_groups_are_compared_of_those_that_are_grouped(monkeypatch: Put) -> None:
    result = question(ngroups_keys={"income": 3}, ngroups_targets={"hours-per-week": 5})
    asked: list[Any] = []

    def utility_tabs(_: Any, some: Any, *, ngroups: int) -> Any:
        asked.append((some, ngroups))
        raise STOPPED if ngroups == 5 else DEAD

    monkeypatch.setattr(disclosure, "utility_tabs", utility_tabs)
    assert not result._grouping_agrees(["area", "hours-per-week", "income"])
    assert not result._grouping_agrees(["income", "area", "hours-per-week"])
    assert asked == [([("hours.per.week",)], 5), ([("income",)], 3)]
    assert result._grouping_agrees(["area", "flag"])
