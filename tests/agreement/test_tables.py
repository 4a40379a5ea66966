"""The cross-check of tables without R: what is asked, how often, and what explains a difference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.agreement import tables
from sdcmetrics.agreement.compared import Compared
from sdcmetrics.agreement.verdict import EQUAL
from sdcmetrics.errors import RError
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.microdata.coding import by_groups, encode
from sdcmetrics.study.study import Options
from tests.agreement.test_crosscheck import mixed
from tests.agreement.without_r import harmonised, mixed_twice, patience

Put = pytest.MonkeyPatch


def test_a_table_that_differs_is_asked_again_and_each_keeps_its_answer(monkeypatch: Put) -> None:
    data = mixed_twice()
    names = ["hours-per-week", "area", "flag"]
    options = Options(variables=names, ngroups=4)
    coded = encode(data, by_groups(4), names)
    pairs = [(names[0], names[1]), (names[0], names[2]), (names[1], names[2])]
    ours: Any = tables.native_tables(coded, pairs, k_syn=False)
    asked: list[Any] = []

    def ask(synds: Any, some: Any, called: Any, *_: Any) -> Any:
        asked.append((some, called, list(synds.original.columns)))
        first = called["flag"] == "flag"
        return {
            table: RError("it died", kind="died") if table == pairs[2]
            else ours[table] if not first or table == pairs[0]
            else ours[table] | {"pMSE": 9.0}
            for table in some
        }  # fmt: skip

    monkeypatch.setattr(tables, "_ask", ask)
    monkeypatch.setattr(tables, "_BATCH", 2)
    result = list(tables.compare_tables(data, 2, options, patience()))
    assert [item.place["variables"] for item in result] == pairs
    assert {item.function for item in result} == {"utility.tab"}
    assert [some for some, *_ in asked] == [pairs[:2], pairs[1:2], pairs[2:]]
    assert asked[0][2] == ["hours.per.week", "area", "flag"]
    assert asked[0][1] == {"hours-per-week": "hours.per.week", "area": "area", "flag": "flag"}
    assert asked[1][2] == ["v0001", "v0002", "v0003"]
    assert [item.aligned is None for item in result] == [True, False, True]
    verdicts = [{row["metric"]: row["verdict"] for row in item.rows("1.9-3")} for item in result]
    assert set(verdicts[0].values()) == {EQUAL}
    assert verdicts[1]["pMSE"] == "differs as documented: B1"
    assert verdicts[2]["pMSE"] == "not compared: it died"
    monkeypatch.setattr(tables, "_ask", lambda *_: pytest.fail("there is no such table"))
    assert list(tables.compare_tables(data, 4, options, patience())) == []
    assert list(tables.compare_tables(data, 2, Options(variables=["flag"]), patience())) == []


def test_ratios_to_no_degrees_of_freedom_are_rounding(monkeypatch: Put) -> None:
    same = harmonised(mixed().assign(flag=True), mixed(seed=2).assign(flag=True))
    (ours,) = tables.native_tables(
        encode(same, by_groups(5), ["flag"]), [("flag",)], k_syn=False
    ).values()
    assert not isinstance(ours, str)
    theirs = ours | {"S_pMSE": math.inf, "S_VW": 0.0, "S_G": -0.0}

    def verdicts(answer: Any, again: Any) -> dict[str, str]:
        answers = iter([answer, again])
        monkeypatch.setattr(tables, "_ask", lambda *_: {("flag",): next(answers)})
        options = Options(variables=["flag"])
        (result,) = tables.compare_tables(same, 1, options, patience())
        return {row["metric"]: row["verdict"] for row in result.rows("1.9-3")}

    for again in (theirs, RError("it stopped")):
        result = verdicts(theirs, again)
        assert {result.pop(name) for name in ("S_pMSE", "S_VW", "S_G")} == {
            "differs as documented: cell"
        }
        assert set(result.values()) == {EQUAL}
    off = ours | {"S_FT": 0.0, "VW": math.inf}
    result = verdicts(off, off)
    assert (result["S_FT"], result["VW"]) == ("differs as documented: cell", "DIFFERS")
    stopped = RError("it stopped")
    assert set(verdicts(stopped, stopped).values()) == {"not compared: it stopped"}
    assert tables._without_ratios(said := Compared(CROSSTABLES, "", {}, "why", ours)) is said
    mixed_sizes = Compared(CROSSTABLES, "", {}, ours | {"S_FT": 2.0}, ours | {"S_FT": math.inf})
    assert tables._without_ratios(mixed_sizes).aligned == {"S_FT": 2.0}


def test_three_ways_are_the_most_that_synthpop_has(monkeypatch: Put) -> None:
    data = mixed_twice()
    monkeypatch.setattr(tables, "_ask", lambda _, some, *__: dict.fromkeys(some, RError("no")))
    for ways, number in ((1, 4), (3, 4), (4, 0)):
        options = Options(variables=["flag", "area", "target", "day"])
        assert len(list(tables.compare_tables(data, ways, options, patience()))) == number


@pytest.mark.parametrize("dates", [True, False])
def test_synthpop_groups_what_it_can_and_dates_where_the_study_does(
    monkeypatch: Put, *, dates: bool
) -> None:
    first, other = mixed().assign(one=5.0), mixed(seed=2).assign(one=5.0)
    data = harmonised(first, other)
    shown: dict[str, Any] = {}

    def as_user_would(*_: Any, **given: Any) -> Any:
        shown.update(given)
        return "plain"

    def aligned(*_: Any, **given: Any) -> Any:
        shown.update(given)
        return "alike"

    monkeypatch.setattr(tables.shown, "as_user_would", as_user_would)
    monkeypatch.setattr(tables.shown, "aligned", aligned)
    monkeypatch.setattr(tables, "_ask", lambda _, some, *__: dict.fromkeys(some, RError("no")))
    options = Options(variables=["one", "income", "day", "area"], group_dates=dates)
    list(tables.compare_tables(data, 1, options, patience()))
    assert shown["dates_as_numbers"] is dates
    assert sorted(shown["numbers"]) == (["day", "income"] if dates else ["income"])
    assert [*shown["rules"]] == ["one"]


def test_values_are_means_over_the_syntheses_or_a_reason() -> None:
    data = mixed_twice()
    coded = encode(data, by_groups(5), ["area", "flag"])
    result = tables.native_tables(coded, [("area",), ("area", "flag")], k_syn=False)
    each = [
        tables.native_tables(
            encode(harmonised(mixed(), item), by_groups(5), ["area", "flag"]),
            [*result],
            k_syn=False,
        )
        for item in (mixed(seed=2), mixed(n=90, seed=3))
    ]
    for table, values in result.items():
        parts: Any = [item[table] for item in each]
        assert not isinstance(values, str)
        assert values["pMSE"] == pytest.approx((parts[0]["pMSE"] + parts[1]["pMSE"]) / 2)
    empty = mixed().assign(income=np.nan)
    nothing = harmonised(empty, mixed().assign(income=np.nan))
    coded = encode(nothing, by_groups(5), ["income", "flag"])
    assert tables.native_tables(coded, [], k_syn=True) == {}


@pytest.mark.parametrize("k_syn", [True, False])
def test_an_answer_is_that_of_its_table_and_an_error_that_of_all(
    monkeypatch: Put, *, k_syn: bool
) -> None:
    given: list[Any] = []
    stopped = RError("it stopped")

    def utility_tabs(synds: Any, some: Any, **said: Any) -> Any:
        given.append((synds, some, said))
        if synds == "dead":
            raise stopped
        return {("v2", "v1"): stopped, ("v1", "v2"): pd.Series({"pMSE": 0.5})}

    monkeypatch.setattr(tables, "utility_tabs", utility_tabs)
    options = Options(ngroups=7, style="equal", k_syn=k_syn)
    some, names = [("a", "b"), ("b", "a")], {"a": "v1", "b": "v2"}
    result = tables._ask("alive", some, names, options, patience())  # type: ignore[arg-type]
    assert result == {("a", "b"): {"pMSE": 0.5}, ("b", "a"): stopped}
    entries = {"ngroups": 7, "style": "equal", "k_syn": k_syn}
    assert given == [("alive", [("v1", "v2"), ("v2", "v1")], entries)]
    dead = tables._ask("dead", some, names, options, patience())  # type: ignore[arg-type]
    assert dead == dict.fromkeys(some, stopped)


def test_the_defect_is_of_the_first_variable_that_has_one() -> None:
    day = mixed()["day"]
    first = mixed().assign(one=5.0, always=day.iloc[0])
    other = mixed(seed=2).assign(one=5.0, always=day.iloc[0])
    other["gap"] = first["gap"] = first["income"]
    other.loc[:8, "gap"] = np.nan
    data = harmonised(first, other)
    for table, dates, why in (
        (("area", "income"), True, "B1"),
        (("area", "gap"), True, "A9"),
        (("one", "area"), True, "A1"),
        (("one", "gap"), True, "A1"),
        (("gap", "one"), True, "A9"),
        (("always", "area"), True, "A1"),
        (("always", "area"), False, "B1"),
        (("day",), True, "B1"),
    ):
        assert tables._why(data, table, dates=dates) == why
