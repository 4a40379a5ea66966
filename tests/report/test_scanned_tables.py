"""What a row of a released table must not hold, at the limits of what is protected."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report import scan
from sdcmetrics.report.safety.cells import Name, SafeCell, SafeColumn
from sdcmetrics.report.scan import tables as module
from sdcmetrics.report.scan.tables import (
    Tables,
    _as_large,
    _gives_ends,
    _may_be,
    _number,
    _sizes,
    structure_problems,
)
from sdcmetrics.study.profile import Profile

PROFILE = Profile("p", "P", "o", {}, min_cell=10, round_base=5)
LEVEL = "a level of too few original records is named"
END = "a smallest or largest value is shown"
COUNT = "a count of the original is below the threshold or not rounded"
INSIDE = "a measure for internal eyes is shown"
MODEL = "a model of too few original records is shown"
SHARE = "a share of too few original records is shown, or not rounded"


def variable(*breaks: float) -> Any:
    return SimpleNamespace(breaks=breaks)


def tables(profile: Profile = PROFILE, **parts: Any) -> Tables:
    made: Any = object.__new__(Tables)
    made._profile = profile
    given = {
        "variables": {}, "rare": {}, "of_records": {"original", "holdout"}, "totals": {},
        "models": set(),
    } | parts  # fmt: skip
    made.__dict__ |= {f"_{name}": value for name, value in given.items()}
    return made  # type: ignore[no-any-return]


def kinds(row: dict[str, Any], **parts: Any) -> list[str]:
    return [kind for kind, _ in tables(**parts).problems(row)]


def test_a_rare_level_is_rare_in_its_own_variable_only() -> None:
    rare = {"town": {"Biel"}}
    row = {"variable": "town", "level": "Biel"}
    assert kinds(row, rare=rare) == [LEVEL]
    assert kinds(row | {"level": "Bern"}, rare=rare) == []
    assert kinds(row | {"variable": "home"}, rare=rare) == []
    assert kinds({"variable": "town", "level": ""}, rare={"town": {""}}) == []
    long = {"variable": "x" * 50, "level": "Biel"}
    told = f"variable {'x' * 40!r}"
    given = tables(rare={"x" * 50: {"Biel"}}).problems(long)
    assert [*given] == [(LEVEL, told)]
    end = tables(variables={"x" * 50: variable(0, 12, 100)}).problems(long | {"level": "0 to 12"})
    assert [*end] == [(END, told)]
    count = {"data_set": "original", "count": 12, "variable": "x" * 50}
    assert [*tables().problems(count)] == [(COUNT, "x" * 40)]


@pytest.mark.parametrize(
    ("label", "given"),
    [
        ("0 to 12", True),
        ("12 to 100", True),
        ("10 to 50", False),
        ("1 to 12", False),
        ("\N{MINUS SIGN}5 to 0.0", True),
        ("12 to 1e2", True),
        ("12 to 1,000", False),
    ],
)
def test_an_end_of_a_range_is_told_by_its_number(label: str, given: bool) -> None:
    assert _gives_ends(variable(0, 12, 50, 100), label) is given  # type: ignore[arg-type]
    row = {"variable": "age", "level": label}
    assert (END in kinds(row, variables={"age": variable(0, 12, 50, 100)})) is given
    assert kinds({**row, "variable": "other"}, variables={"age": variable(0, 12, 100)}) == []


def test_an_end_that_may_be_a_break_or_of_all_values_tells_nothing() -> None:
    assert not _gives_ends(variable(0, 100), "0 to 100")  # type: ignore[arg-type]
    assert not _gives_ends(variable(0, 3, 6), "Other (6 levels)")  # type: ignore[arg-type]
    for first, told in ((5, False), (5.1, True)):  # a twentieth of the range
        assert _gives_ends(variable(0, first, 100), "0") is told  # type: ignore[arg-type]
        assert _gives_ends(variable(0, 100 - first, 100), "100") is told  # type: ignore[arg-type]
        assert _gives_ends(variable(100, 100 + first, 200), "100") is told  # type: ignore[arg-type]


def test_counts_of_people_are_protected_and_of_replicas_are_not() -> None:
    for field in ("count", "records"):
        for count, problems in ((10, []), (12, [COUNT]), (5, [COUNT]), ("x", [COUNT])):
            for source in ("original", "Holdout"):
                assert kinds({"data_set": source, field: count}) == problems
            assert kinds({"data_set": "cart", field: count}) == []
    row = {"data_set": "original", "count": 12}
    assert kinds(row, of_records={"holdout"}) == []  # a replica has that name
    assert math.isnan(_number("x"))
    assert _number("1.5") == 1.5


def test_only_measures_with_a_rule_are_shown_of_a_replica() -> None:
    inside = next(name for name, measure in MEASURES.items() if measure.release is None)
    assert kinds({"replica": "cart", "metric": inside, "value": 3.0}) == [INSIDE]
    assert kinds({"replica": "cart", inside: 3.0}) == [INSIDE]
    assert kinds({"replica": "", "metric": inside, "value": 3.0}) == []
    for nothing in ("", None):
        assert kinds({"replica": "cart", "metric": inside, "value": nothing}) == []
    assert kinds({"replica": "cart", "metric": "other", "value": 3.0}) == []


def test_a_model_of_few_records_is_not_shown() -> None:
    models = {("cart", "y ~ x")}
    row = {"replica": "cart", "formula": "y ~ x", "CIO": 0.5}
    assert kinds(row, models=models) == [MODEL]
    assert kinds(row | {"formula": "y ~ z"}, models=models) == []
    assert kinds(row | {"replica": "other"}, models=models) == []
    whole = {"replica": "cart", "CIO": 0.5}  # a mean over models, or of one that is not named
    assert kinds(whole, models=models) == [MODEL]
    assert kinds(whole) == []
    assert kinds({"replica": "cart", "formula": "y ~ x", "S_pMSE": 2.0}, models=models) == []


def test_a_share_is_looked_up_by_scenario_and_target() -> None:
    totals = {("DiSCO", "cart", "one", "vote"): 200.0}
    row = {"replica": "cart", "scenario": "one", "target": "vote", "metric": "DiSCO", "value": 1.0}
    assert kinds(row, totals=totals) == [SHARE]  # two of 200
    assert kinds(row | {"value": 10.0}, totals=totals) == []  # 20
    assert kinds(row | {"scenario": "two"}, totals=totals) == []
    assert kinds(row | {"target": "age"}, totals=totals) == []
    assert kinds(row | {"value": "x"}, totals=totals) == [SHARE]


@pytest.mark.parametrize("disclosive", [True, False])
@pytest.mark.parametrize(
    ("percent", "total", "may"),
    [
        (50.0, 200, True), (51.1, 200, False),  # 102
        (51.2, 200, True),  # of 205 they are 105
        (5.0, 200, True), (4.9, 200, True),  # ten of 205 are 4.88
        (4.0, 200, False), (2.5, 200, False),  # fewer than ten
        (95.0, 200, True), (96.0, 200, False), (95.1, 200, True),
        (33.0, 30, True), (30.0, 30, False), (50.0, 20, True), (50.0, 15, True),
        (50.0, 12, False),
        (62.0, 80, True), (63.0, 80, True),  # fifty are 62.5
        (60.0, 80, True),  # 45 of 75
        (0.5, 200, False),
    ],
)  # fmt: skip
def test_a_share_may_be_that_of_a_protected_count(
    percent: float, total: float, *, may: bool, disclosive: bool
) -> None:
    profile = replace(PROFILE, zeros_disclosive=disclosive)
    assert tables(profile)._may_be(percent, total) is may


def test_none_and_all_may_be_told_where_zeros_are_not_disclosive() -> None:
    for percent in (0.0, 100.0):
        for disclosive in (True, False):
            profile = replace(PROFILE, zeros_disclosive=disclosive)
            assert tables(profile)._may_be(percent, 200.0) is not disclosive
        assert not tables(profile)._may_be(math.nan, 200.0)


def test_what_a_cell_shows_is_a_number_of_three_digits_or_a_bound() -> None:
    assert [*_may_be(SafeCell("", number=-2.0))] == [(-2.01, -1.99)]
    assert [*_may_be(SafeCell("< 5 %", bound=5.0))] == [(0.0, 5.0)]
    assert [*_may_be(SafeCell("> 5 %", bound=5.0))] == [(5.0, math.inf)]
    assert [*_may_be(SafeCell("not shown"))] == []


def report(**changed: Any) -> Any:
    fields = [SafeColumn(name, name) for name in ("replica", "metric", "value")]
    row = (SafeCell("cart"), SafeCell("S_pMSE"), SafeCell("2", number=2.0))
    names = [("cart, synthesis 1", 40.0), ("cart, synthesis 2", 60.0)]
    given = {
        "mode": "checker",
        "risky": False,
        "specific": SimpleNamespace(blocks=[SimpleNamespace(coefficients=())]),
        "exports": {"measurements": SimpleNamespace(columns=fields, rows=[row])},
        "relations": SimpleNamespace(tables=()),
        "rules": SimpleNamespace(blocks=[]),
        "inputs": SimpleNamespace(
            rows=[
                (SafeCell("Original"), SafeCell("", number=100.0)),
                *((Name(name, "cart"), SafeCell("", number=n)) for name, n in names),
            ]
        ),
    }
    return SimpleNamespace(**(given | changed))


def rule(first: SafeCell, second: SafeCell) -> Any:
    return SimpleNamespace(
        blocks=[SimpleNamespace(table=SimpleNamespace(rows=[(first, SafeCell("x"), second)]))]
    )


def test_a_release_has_none_of_what_is_for_inside() -> None:
    assert [*structure_problems(report(), [])] == []
    full = SafeCell("12", number=12.0)
    exports = report().exports
    for changed, words in (
        ({"mode": "internal"}, "not made for release"),
        ({"risky": True}, "not made for release"),
        (
            {"specific": SimpleNamespace(blocks=[SimpleNamespace(coefficients=(1,))])},
            "coefficients",
        ),
        ({"exports": {**exports, "crosscheck": 1}}, "the cross-check"),
        ({"exports": {**exports, "relations": 1}}, "found automatically"),
        ({"relations": SimpleNamespace(tables=(1,))}, "found automatically"),
        ({"rules": rule(SafeCell("original"), full)}, "shown in full"),
        ({"rules": rule(SafeCell("holdout"), full)}, "shown in full"),
    ):
        (problem,) = structure_problems(report(**changed), [])
        assert words in problem
    for first, second in (
        (SafeCell("cart"), full),
        (SafeCell("original"), SafeCell("few")),
        (SafeCell("original", "hidden"), full),
    ):
        assert [*structure_problems(report(rules=rule(first, second)), [])] == []


@pytest.mark.parametrize(
    ("row", "ranked"),
    [
        ({"replica": "cart", "metric": "S_pMSE_two_way", "value": "as large"}, True),
        ({"replica": "cart", "metric": "S_pMSE", "value": "as large"}, True),
        ({"replica": "cart", "metric": "S_pMSE", "value": "more"}, False),
        ({"replica": "cart", "metric": "S_pMSE", "value": "less"}, False),
        ({"replica": "cart", "metric": "S_pMSE", "value": "least"}, True),
        ({"replica": "cart", "metric": "S_pMSE", "value": "most"}, True),
        ({"replica": "cart", "metric": "S_pMSE", "value": "below"}, False),
        ({"replica": "cart", "metric": "S_pMSE", "value": "above"}, False),
        ({"replica": "cart", "metric": "other", "value": "as large"}, False),
        ({"replica": "none", "metric": "S_pMSE", "value": "as large"}, False),
        ({"replica": "cart", "metric": "S_pMSE"}, True),
    ],
)
def test_only_what_is_shown_is_ranked_as_if_a_replica_were_as_large(
    row: dict[str, Any], *, ranked: bool
) -> None:
    made = report()
    assert _sizes(made) == {"Original": 100, "cart": 50}
    fresh = MEASURES["S_pMSE"].fresh
    assert fresh is not None
    factor = fresh(100, 100) / fresh(100, 50)
    assert _as_large("S_pMSE", _sizes(made), "cart") == factor != 1
    assert _as_large("S_pMSE", _sizes(made), "none") == 1
    assert _as_large("other", _sizes(made), "cart") == 1
    ends = 1.99 * factor - 1e-9, 2.01 * factor + 1e-9
    values = {
        "as large": 2.009 * factor, "more": 2.011 * factor, "less": 1.989 * factor,
        "least": ends[0], "below": ends[0] - 1e-9, "most": ends[1], "above": ends[1] + 1e-9,
    }  # fmt: skip
    given = {k: values[v] if k == "value" else v for k, v in row.items()}
    problems = [*structure_problems(made, [("ranking", given)])]
    assert bool(problems) is not ranked
    assert [*structure_problems(made, [("other", given)])] == []


def test_a_message_lists_some_and_counts_the_rest() -> None:
    assert scan._some("abc", "; ", 3) == "a; b; c"
    assert scan._some("abcde", "; ", 3) == "a; b; c; and 2 more"
    seen: set[Any] = set()
    assert [scan._is_new(row, seen) for row in ((("a", 1),), (("a", 1),), (("a", [1]),))] == [
        True, False, True,
    ]  # fmt: skip
    assert scan._is_new((("a", [1]),), seen)


def test_what_is_looked_for_is_told_by_the_review(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "kept_levels", lambda *_: {"Chur"})
    towns = SimpleNamespace(
        variable="town", labels=("Biel", None, "Bern", "Chur"), original=(3, 9, 50, 2)
    )
    nan = math.nan
    public = next(
        name
        for name, measure in MEASURES.items()
        if measure.release is not None and measure.release.rule == "replica share"
    )
    rows = [
        ("DiSCO", "percent", 27.0, 200.0, "cart", "one", nan, nan, "vote"),
        ("own", "percent", 3.0, 90.0, "cart", nan, "a > 3", nan, nan),
        ("own", "percent", 3.0, 80.0, "cart", "", "", "y ~ x", ""),
        (public, "percent", 3.0, 70.0, "cart", "one", nan, nan, "vote"),
        ("DiSCO", "", 3.0, 60.0, "cart", "two", nan, nan, "vote"),
    ]
    names = ["metric", "unit", "count", "total", "replica", "scenario", "rule", "model", "target"]
    fits = {
        ("cart", "y ~ few", 1): (9, [20]),
        ("cart", "y ~ small", 1): (10, [20, 9]),
        ("cart", "y ~ enough", 1): (10, [20, 10]),
    }
    review: Any = SimpleNamespace(
        distributions={"town": towns},
        replicas=("Original", "cart"),
        mean_rows=lambda: pd.DataFrame(rows, columns=names),
        fits={
            key: SimpleNamespace(residual_df=df, level_counts=counts)
            for key, (df, counts) in fits.items()
        },
    )
    looked = Tables(review, PROFILE)
    assert looked._rare == {"town": {"Biel", "(missing)"}}
    assert looked._of_records == {"holdout"}
    assert looked._totals == {
        ("DiSCO", "cart", "one", "vote"): 200.0,
        ("own", "cart", "a > 3", ""): 90.0,
        ("own", "cart", "y ~ x", ""): 80.0,
    }
    assert looked._models == {("cart", "y ~ few"), ("cart", "y ~ small")}
