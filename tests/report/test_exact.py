"""Which numbers must stay inside: at the limits of what is protected and of what is rounded."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.report.scan import exact
from sdcmetrics.report.scan.exact import (
    Exact,
    _Numbers,
    _percents,
    _values,
    is_counted,
    is_protected,
    least_base,
    least_count,
)
from sdcmetrics.study.profile import Profile

PROFILE = Profile("p", "P", "o", {}, min_cell=10, round_base=5)


def test_counts_that_may_be_told() -> None:
    assert [is_protected(count, PROFILE) for count in (10, 15, 11, 5, 9, 0)] == [
        True, True, False, False, False, not PROFILE.zeros_disclosive,
    ]  # fmt: skip
    for disclosive in (True, False):
        assert is_protected(0, replace(PROFILE, zeros_disclosive=disclosive)) is not disclosive
    assert [least_base(replace(PROFILE, round_base=base)) for base in (1, 5, 7)] == [5, 5, 7]


@pytest.mark.parametrize(
    ("value", "decimals", "held"),
    [(12.3, 1, True), (12.4, 1, True), (12.2, 1, False), (12.5, 1, False), (12.35, 2, True),
     (12.36, 2, False), (12, 0, True), (13, 0, False), (99, 0, False)],
)  # fmt: skip
def test_a_rounded_number_may_stand_for_another(value: float, decimals: int, *, held: bool) -> None:
    numbers = _Numbers([float("inf"), 12.35, 50.0])
    assert numbers.hold(value, decimals) is held


@pytest.mark.parametrize(
    ("min_cell", "base", "zeros", "least"),
    [
        (10, 5, True, 10), (10, 5, False, 10), (3, 5, True, 5), (3, 5, False, 6), (5, 5, False, 6),
        (10, 10, False, 11), (10, 1, True, 10), (1, 1, True, 5), (1, 7, True, 7),
    ],
)  # fmt: skip
def test_the_bound_of_small_counts_is_that_of_their_protection(
    min_cell: int, base: int, least: int, *, zeros: bool
) -> None:
    rules = replace(PROFILE, min_cell=min_cell, round_base=base, zeros_disclosive=zeros)
    assert least_count(rules) == Rounding.of(rules).least == least
    looked = scan()
    looked._profile = rules
    for text, kind in ((f"fewer than {least} records", "text"), (f"< {least}", "hidden")):
        assert [*looked.problems(SimpleNamespace(text=text, kind=kind))] == []
        other: Any = SimpleNamespace(text=text.replace(str(least), "13"), kind=kind)
        assert [*looked.problems(other)] == [HIDDEN if kind == "hidden" else COUNT]


def test_numbers_of_texts() -> None:
    assert _values("1,234.5 of 12 and 3.5 %, x1, v2") == [1234.5, 12, 3.5]
    assert _values("1,234.5 of 12 and 3.5 %", percent=True) == [3.5]
    shown: Any = [
        ("measurements", {"metric": "DiSCO", "value": 12.0, "text": "x"}),
        ("measurements", {"metric": "S_pMSE", "value": 3.0, "DiSCO": 4.0}),
        ("ranking of replicas", {"metric": "DiSCO", "value": 0.5}),
    ]
    assert [*_percents(shown)] == [12, 4, 50]


def scan(**numbers: Any) -> Any:
    made: Any = object.__new__(Exact)
    names = ("shares", "ends", "exact", "bounds", "public", "ranked")
    made.__dict__ |= {f"_{name}": _Numbers(numbers.get(name, [])) for name in names}
    made.__dict__ |= {"_called": {"2010", "age"}, "_n": 990, "_profile": PROFILE, "_decimals": 0}
    return made


COUNT = "a count of records is below the threshold or not rounded"
HIDDEN = "a hidden value is told"
SHARE = "the exact value of a share of original records is told"
VALUE = "the exact value of a measure is told"
END = "a smallest or largest value is told"


@pytest.mark.parametrize(
    ("text", "kind", "numbers", "problems"),
    [
        ("12 records", "text", {}, [COUNT]),
        ("15 records", "text", {}, []),
        ("5 people", "text", {}, [COUNT]),
        ("fewer than 10 records", "text", {}, []),
        ("fewer than 11 records", "text", {}, [COUNT]),
        ("12 records", "text", {"public": [12]}, []),
        ("12 records", "text", {"public": [12.0004]}, []),  # a mean
        ("12 columns", "text", {}, []),
        ("12.3 %", "text", {"shares": [12.34]}, [SHARE]),
        ("12 %", "text", {"shares": [12.34]}, []),  # as exact as a share may be told
        ("12.3", "text", {"shares": [12.34]}, []),
        ("12.3", "percent", {"shares": [12.34]}, [SHARE]),
        ("12.3 %", "text", {"shares": [12.34], "public": [12.3]}, []),
        ("12.3 %", "figure", {"shares": [12.34]}, [SHARE]),
        ("1.2 %", "figure", {"shares": [1.24]}, []),  # two digits of a scale
        ("1.23456", "text", {"exact": [1.23456]}, [VALUE]),
        ("1.2345", "text", {"exact": [1.2345]}, []),  # five digits
        ("0.0123456", "text", {"exact": [0.0123456]}, [VALUE]),
        ("0.012345", "text", {"exact": [0.012345]}, []),
        ("1.23456", "text", {"exact": [1.23456], "ranked": [1.23456]}, []),
        ("123,456", "text", {"ends": [123456]}, [END]),
        ("7", "hidden", {}, [HIDDEN]),
        ("7", "hidden", {"bounds": [7]}, []),
        ("< 1.0 %", "hidden", {}, []),  # ten of a thousand
        ("< 0.9 %", "hidden", {}, [HIDDEN]),
        ("< 0.996 %", "hidden", {}, [HIDDEN]),  # more than 9.9 of a thousand
        ("> 99.0 %", "hidden", {}, []),
        ("> 99.1 %", "hidden", {}, [HIDDEN]),
        ("1.0 %", "hidden", {}, [HIDDEN]),
        ("< 0.5", "hidden", {}, []),
        ("< 5", "hidden", {}, [HIDDEN]),
        ("no digit", "hidden", {}, []),
        ("2010 by age", "hidden", {}, []),  # columns
        ("2010: 7", "hidden", {}, [HIDDEN, HIDDEN]),
        ("for less than 1.0 % of", "text", {"shares": [1.0]}, []),  # a bound, in words
        ("for more than 99.0 % of", "text", {"shares": [99.0]}, []),
        ("by more than 1.23456 of", "text", {"exact": [1.23456]}, [VALUE]),  # of no share
        ("for less than 0.9 % of", "text", {"shares": [0.9]}, [SHARE]),
        ("for more than 99.1 % of", "text", {"shares": [99.1]}, [SHARE]),
    ],
)
def test_what_a_text_must_not_hold(
    text: str, kind: str, numbers: dict[str, list[float]], problems: list[str]
) -> None:
    piece: Any = SimpleNamespace(text=text, kind=kind)
    assert [*scan(**numbers).problems(piece)] == problems
    assert re.search(exact._NUMBER, "x1") is None


def test_what_must_stay_inside_is_told_by_the_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    nan = math.nan
    frame = pd.DataFrame(
        [
            ("DiSCO", "percent", 13.5, 27.0, 200.0), ("DiSCO", "percent", 12.5, 25.0, 200.0),
            ("UiS", "percent", 33.3, 66.6, 200.0), ("CIO", "", 0.123456, nan, nan),
            ("iS", "percent", 44.4, nan, nan), ("repU", "percent", 55.5, 0.0, 0.0),
            ("S_pMSE", "", 7.7, 3.0, 40.0),
        ],
        columns=["metric", "unit", "value", "count", "total"],
    )  # fmt: skip
    assert is_counted(frame).tolist() == [True, True, True, False, False, False, False]
    monkeypatch.setattr(exact, "own_words", lambda *_: ["about 3.25 of it"])
    review: Any = SimpleNamespace(
        n_original=200, variables={}, replicas=("r",), distributions={}, rules={}, frame=frame,
        study=SimpleNamespace(scenarios=[], options=SimpleNamespace(sample_size=90)),
        inputs=[SimpleNamespace(role="replica", n=180), SimpleNamespace(role="original", n=200)],
    )  # fmt: skip
    numbers = Exact(review, PROFILE, [], [])
    assert numbers._shares._sorted == [13.5]  # 25 of 200 is protected
    assert numbers._exact._sorted == pytest.approx([0.123456, 0.135, 7.7, 13.5, 44.4, 55.5])
    assert numbers._public._sorted == [3.25, 33.3, 90, 180]
    levels = SimpleNamespace(
        original=[12, 30], replicas={"r": [0.25, 0.1]}, breaks=[-3.5, 10.0, 80.25]
    )
    rule = SimpleNamespace(original=SimpleNamespace(n=100, fulfilled=93, broken=7))
    review.distributions, review.rules = {"age": levels}, {"age > 3": rule}
    shown = [
        ("ranking of replicas", {"metric": "DiSCO", "value": 0.625, "place": "3"}),
        ("measurements", {"metric": "DiSCO", "value": 17.5}),
    ]
    limits = replace(PROFILE, thresholds={"DiSCO": "0.777"})
    numbers = Exact(review, limits, shown, [SimpleNamespace(text="6.5 % or 4.4")])  # type: ignore[list-item]
    shares = [6, 7, 13.5, 93]  # 12 of 200, 7 and 93 of 100; 30 of 200 is protected
    assert numbers._shares._sorted == pytest.approx(shares)
    exacts = [0.06, 0.07, 0.123456, 0.135, 0.93, 6, 7, 7.7, 13.5, 44.4, 55.5, 93]
    assert numbers._exact._sorted == pytest.approx(exacts)
    assert numbers._ends._sorted == [3.5, 80.25]
    public = [0.1, 0.25, 3.25, 6.5, 10, 17.5, 25, 33.3, 62.5, 90, 180]
    assert numbers._public._sorted == pytest.approx(public)
    assert numbers._ranked._sorted == [0.625]
    bounds = numbers._bounds
    assert [bounds.hold(value, 3) for value in (10, 1_000, 5, 500, 0.777)] == [True] * 4 + [False]
