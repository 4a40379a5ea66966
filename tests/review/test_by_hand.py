"""Risk by group, records at risk, coarser keys and errors over samples, by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import risk_by_group
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.kind import Scenario
from sdcmetrics.microdata.coarsening import Periods, Steps
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import alone
from sdcmetrics.review import remedies
from sdcmetrics.review.at_risk import CodedScenario, Rows, risk_of, unanimous_of
from sdcmetrics.review.coarser_keys import _proposed, _short, _ways, _width
from sdcmetrics.review.inputs import list_inputs
from sdcmetrics.review.join_reviews import _inputs, _variables
from sdcmetrics.review.sample_errors import _why_none
from sdcmetrics.review.sampling import Sampling


def test_risk_by_group() -> None:
    people = pd.DataFrame({"g": ["b", "a", None, "b", "a"]})
    result = risk_by_group(people, [1.0, 0.5, 0.0, 2.0, np.nan], by="g")
    assert result.table.index.tolist() == ["b", "a", "(missing)"]
    assert result.table.to_numpy().tolist() == [
        [2, 1.5, 0.4, 3 / 3.5], [2, 0.25, 0.4, 0.5 / 3.5], [1, 0, 0.2, 0],
    ]  # fmt: skip
    # sorted 0 0 .5 1 2 times -4 -2 0 2 4, over 5 times 3.5
    assert result.gini == pytest.approx(10 / 17.5)
    nobody = risk_by_group(people, [0.0] * 5, by="g")
    assert math.isnan(nobody.gini)
    assert nobody.table["share_of_risk"].isna().all()
    for risk in ([1.0] * 4, [1.0] * 4 + [-0.1]):
        with pytest.raises(StudyError, match="one number of at least 0 for each of 5 records"):
            risk_by_group(people, risk, by="g")
    with pytest.raises(ColumnError, match="by: 'h' is not a column"):
        risk_by_group(people, [0.0] * 5, by="h")


def test_the_only_value_of_a_class() -> None:
    classes, values = np.array([0, 0, 1, 1, 3]), np.array([2, 2, 0, 1, 0])
    assert unanimous_of(classes, values, 4).tolist() == [2, -1, -1, 0]


def rows(keys: list[int], target: list[int], times: list[int] | None = None) -> Rows:
    n = len(keys)
    return Rows(
        np.array([keys]), np.array([target]), np.arange(n), np.zeros(n, dtype=bool),
        np.ones(n, dtype=np.int64) if times is None else np.array(times),
    )  # fmt: skip


def test_who_is_found_and_what_is_learnt() -> None:
    original = rows([0, 1, 1, 2, 3], [0, 1, 0, 0, 1])
    replica = rows([0, 1, 2, 2, 3], [0, 1, 0, 1, 0])
    risk = risk_of(original, replica)
    assert risk.unique.tolist() == [True, False, False, False, True]
    assert risk.certain.tolist() == [[True, True, True, False, True]]
    assert risk.learnt.tolist() == [[True, True, False, False, False]]
    assert original.count(risk.unique) == 2
    # a combination of two records is no unique one
    assert not risk_of(rows([0], [0], [2]), rows([0], [0])).unique[0]
    assert not risk_of(rows([0], [0]), rows([0], [0], [2])).unique[0]
    assert rows([0, 1], [0, 0], [3, 4]).count([True, False]) == 3


@pytest.mark.parametrize(
    ("span", "most", "width"),
    [(80.0, 8, 10.0), (80.1, 8, 20.0), (0.8, 8, 0.1), (16.0, 8, 2.0), (401, 8, 100.0)],
)
def test_bands_have_round_widths(span: float, most: int, width: float) -> None:
    assert _width(span, most) == width


def proposed(values: Any, **codes: float) -> list[Any]:
    data = as_microdata(pd.DataFrame({"x": values}), "file")
    return [*_proposed(alone(data, ["x"], codes).variables["x"])]


def test_keys_are_made_coarser_where_that_joins_values() -> None:
    ages = [*range(18, 98)]
    widths = [rule.width for rule in proposed(ages) if isinstance(rule, Steps)]
    assert widths == [5.0, 10.0]
    for width in widths:
        assert len({age // width for age in ages}) < len(ages)
    assert proposed([*ages, 999], x=999) == proposed(ages)
    assert proposed([1, 2, 3]) == []
    assert proposed(["a", "b"]) == []
    days = pd.date_range("2000-01-01", "2009-12-31")
    assert proposed(days) == [Periods("month"), Periods("year")]
    assert Periods("month") not in proposed(pd.date_range("2000-01-01", periods=120, freq="MS"))
    assert [_short(rule) for rule in (Steps(5.0), Periods("year"))] == ["5", '"year"']


@pytest.mark.parametrize(
    ("is_p", "values", "why"),
    [
        (True, [1.0, 2.0], "it is a probability"),
        (False, [1.0], "[options] sample_repeats is 0"),
        (False, [1.0, math.nan], "a further sample has no value"),
        (False, [1.0, 1.0 + 1e-13], "it is the same in every sample"),
        (False, [0.0, 1e-13], "it is the same in every sample"),
        (False, [1.0, 1.0 + 1e-10], ""),
        (False, [1.0, 1.0, 2.0], ""),
    ],
)
def test_why_a_value_has_no_error(*, is_p: bool, values: list[float], why: str) -> None:
    assert _why_none(is_p, values) == why


def test_kishs_formula_holds_without_anything_else() -> None:
    simple = Sampling(
        n=4, columns={}, people=math.nan, population_size=None, strata=None, clusters=None,
        households=None, degrees_of_freedom=3, kish=1.0, depends_on=(), effects={},
        against="population", weighted={}, clustered={}, problems={},
    )  # fmt: skip
    assert simple.kish_holds
    assert simple.to_dict()["people"] is None
    assert replace(simple, people=3.0).to_dict()["people"] == 3
    changes: list[dict[str, Any]] = [
        {"strata": 2},
        {"clusters": 2},
        {"depends_on": ("x",)},
        {"degrees_of_freedom": 2},  # of fewer households than records
    ]
    assert not any(replace(simple, **change).kish_holds for change in changes)


def test_records_are_drawn_together_where_fewer_units_than_records_are() -> None:
    sample: Any = SimpleNamespace(n=9, clusters=None, strata=None, degrees_of_freedom=8)
    for change, together in (
        ({}, False),
        ({"degrees_of_freedom": 7}, True),
        ({"strata": 1}, False),
        ({"strata": 3, "degrees_of_freedom": 6}, False),
        ({"strata": 3, "degrees_of_freedom": 5}, True),
        ({"clusters": 9}, True),
    ):
        given = SimpleNamespace(**{**vars(sample), **change})
        assert Sampling.together.fget(given) is together  # type: ignore[attr-defined]


def test_keys_are_coarsened_one_by_one_and_then_all() -> None:
    n = 400
    frame = pd.DataFrame(
        {
            "age": [-1_000_000 if i % 8 == 0 else 18 + i % 70 for i in range(n)],
            "town": [f"t{i % 9}" for i in range(n)],
            "income": [100 * (i % 97) for i in range(n)],
            "grouped": range(n),
            "done": range(n),
        }
    )
    original = as_microdata(frame, "o")
    options = SimpleNamespace(ngroups_keys={"grouped": 5}, missing_codes={"age": -1_000_000})
    study: Any = SimpleNamespace(original=original, options=options, coarsen={"done": Steps(5.0)})
    scenario = Scenario("s", ("age", "town", "income", "grouped", "done"), ("ill",))
    age, income = [5.0, 10.0], [500.0, 1000.0, 2000.0]
    assert _ways(study, scenario, None) == [
        *({"age": Steps(width)} for width in age),
        *({"income": Steps(width)} for width in income),
        {"age": Steps(10.0), "income": Steps(2000.0)},
    ]
    assert _ways(study, replace(scenario, keys=("age", "town")), None) == [
        {"age": Steps(width)} for width in age
    ]
    given = {"age": Steps(3.0), "other": Steps(7.0)}
    assert _ways(study, scenario, given) == [{"age": Steps(3.0)}]
    given["ill"] = Steps(2.0)
    both = {"age": Steps(3.0), "ill": Steps(2.0)}
    assert _ways(study, scenario, both) == [{"age": Steps(3.0)}, {"ill": Steps(2.0)}, both]


def test_files_are_listed_in_the_order_of_the_study() -> None:
    def file(source: str) -> Any:
        return SimpleNamespace(source=source, n=3, columns=("a", "b"), sha256=source * 2)

    study: Any = SimpleNamespace(
        original=file("o"), replicas={"r": [file("p"), file("q")], "s": [file("t")]},
        holdout=file("h"), earlier_files=[file("e"), file("f")],
    )  # fmt: skip
    listed = [(i.role, i.name, i.synthesis, i.source) for i in list_inputs(study)]
    assert listed == [
        ("original", "original", 0, "o"), ("replica", "r", 1, "p"), ("replica", "r", 2, "q"),
        ("replica", "s", 1, "t"), ("holdout", "holdout", 0, "h"), ("earlier", "earlier", 1, "e"),
        ("earlier", "earlier", 2, "f"),
    ]  # fmt: skip
    study.holdout, study.earlier_files = None, []
    assert [each.source for each in list_inputs(study)] == ["o", "p", "q", "t"]


def test_what_attacks_say_of_records_stands_beside_them() -> None:
    where = {"replica": "a", "scenario": "s", "synthesis": 2}
    table = pd.DataFrame({"record": [4, 0, 2]}).assign(**{f"c{i}": i for i in range(6)})
    alone_ = remedies._attacked({}, table.copy(), where)
    assert alone_.columns.tolist()[7:] == ["among_nearest", "rank", "link"]
    assert alone_["among_nearest"].tolist() == [None] * 3
    assert alone_["rank"].isna().all()
    assert alone_["link"].tolist() == [""] * 3
    near = SimpleNamespace(per_record=np.array([2.0, 9, 3, 9, 1]), figures={"top_distance": 2.0})
    ranks = remedies._NEAR_MISS + np.array([0.0, 1.0])
    linked = SimpleNamespace(
        per_record=pd.DataFrame({"record": [0, 2], "rank": ranks, "risk": [0.0, 0.5]})
    )
    result = remedies._attacked(
        {
            ("a", remedies.MEMBERSHIP.name, "", ""): [None, near],
            ("a", remedies.LINKED.name, "s", ""): [None, linked],
        },
        table.copy(),
        where,
    )
    assert result["among_nearest"].tolist() == [True, True, False]
    assert result["rank"].tolist()[1:] == ranks.tolist()
    assert math.isnan(result["rank"][0])
    assert result["link"].tolist() == ["", "near miss", "found"]
    linked.per_record["risk"] = 0.0
    again = remedies._attacked(
        {("a", remedies.LINKED.name, "s", ""): [None, linked]}, table.copy(), where
    )
    assert again["link"].tolist() == ["", "near miss", "safe"]


def test_numbers_of_eight_values_are_coarse_enough() -> None:
    values = [0.0, 0.1, 0.2, 0.3, 4, 5, 6, 7]
    assert proposed(values) == []
    assert proposed([*values, 8]) == [Steps(0.5), Steps(1.0)]


def test_joined_reviews_list_each_file_once_in_the_order_of_one_review() -> None:
    def file(role: str, source: str) -> Any:
        return SimpleNamespace(role=role, source=source)

    original, out = file("original", "o"), file("earlier", "e")
    reviews: list[Any] = [
        SimpleNamespace(inputs=(original, file("replica", "p"), file("replica", "q"), out)),
        SimpleNamespace(
            inputs=(original, file("replica", "r"), file("holdout", "h"), out),
        ),
        SimpleNamespace(inputs=(original, file("replica", "s"), file("holdout", "i"), out)),
    ]
    assert [item.source for item in _inputs(reviews)] == ["o", "p", "q", "r", "s", "h", "e"]
    assert [item.source for item in _inputs(reviews[:1])] == ["o", "p", "q", "e"]


def test_kinds_of_columns_are_those_of_the_first_review_in_the_order_of_the_original() -> None:
    study = SimpleNamespace(original=SimpleNamespace(columns=("a", "b", "c", "d")))
    reviews: list[Any] = [
        SimpleNamespace(study=study, variables={"c": "number", "a": "text"}),
        SimpleNamespace(study=None, variables={"d": "date", "a": "number", "x": "text"}),
    ]
    assert list(_variables(reviews).items()) == [("a", "text"), ("c", "number"), ("d", "date")]


# Two keys, the target, and how many records each row stands for.
AT_RISK = [
    (0, 0, 1, 1),  # alone in both; four share its age in the replica, three its town
    (1, 0, 0, 1), (1, 1, 0, 1),  # met nowhere
    (2, 1, 1, 1),  # alone in both, and nobody shares either key
    (3, 2, 0, 1),  # copied; another replica record with these keys disagrees
    (4, 3, 1, 1),  # alone in both; three share its age, four its town
    (9, 9, 0, 1),  # alone in both, with another target; the three of its age agree on that
    (10, 10, 0, 1),  # alone in both; the three of its age agree on its target
    (11, 11, 1, 3),  # three records, of whom two in the replica tell the target
]  # fmt: skip
SHOWING = [
    (0, 0, 1, 1), (0, 40, 0, 1), (0, 41, 1, 1), (0, 42, 0, 1), (5, 0, 0, 1), (6, 0, 1, 1),
    (2, 1, 1, 1), (3, 2, 0, 1), (3, 2, 1, 1),
    (4, 3, 1, 1), (4, 7, 0, 1), (4, 8, 1, 1), (30, 3, 0, 1), (31, 3, 1, 1), (32, 3, 1, 1),
    (9, 9, 1, 1), (9, 20, 1, 1), (9, 21, 1, 1),
    (10, 10, 0, 1), (10, 22, 0, 1), (10, 23, 0, 1), (11, 11, 1, 2),
]  # fmt: skip


def remedied(*, large: bool) -> tuple[pd.DataFrame, dict[str, int]]:
    def rows_of(table: list[tuple[int, ...]], copy: int) -> Rows:
        *columns, times = np.array(table).T
        whole, copied = np.arange(len(table)), np.arange(len(table)) == copy
        whole = np.where(copied, 99, whole + 100 * (copy == 7))
        return Rows(np.array(columns[:2]), np.array(columns[2:]), whole, copied, times)

    variables = {"age": SimpleNamespace(size=50), "town": SimpleNamespace(size=51)}
    codes: Any = SimpleNamespace(large=large, variables=variables)
    scenario = CodedScenario(("age", "town"), ("ill",), codes, None)
    return remedies._remedied(scenario, rows_of(AT_RISK, 4), rows_of(SHOWING, 7))


def test_the_remedy_of_each_record_at_risk() -> None:
    table, effect = remedied(large=False)
    right = 7 / 8  # of the eight records whose target the replica holds for certain
    shown = ["record", "unique", "learnt", "copied", "alone_by", "action", "key", "replica_records"]
    assert table[shown].to_numpy().tolist() == [
        [0, True, "ill", False, "age, town", "blank", "town", (0,)],
        [3, True, "ill", False, "age", "drop", "", (6,)],
        [4, False, "", True, "", "drop", "", (7,)],
        [5, True, "ill", False, "age, town", "blank", "age", (9,)],
        [6, True, "", False, "town", "blank", "town", (15,)],
        [7, True, "ill", False, "town", "drop", "", (18,)],
        [8, False, "ill", False, "", "drop", "", (21,)],
    ]
    expected = [right, right, math.nan, right, math.nan, right, right]
    np.testing.assert_array_equal(table["certain_right"], expected)
    assert table["match_risk"].isna().all()
    # What is left beside the copy that is dropped is alone with its keys now.
    assert effect == {
        "unique": 5, "unique_after": 1, "learnt": 7, "learnt_after": 0, "copied": 1, "blanked": 3,
        "dropped": 5,
    }  # fmt: skip


def test_of_counted_records_kinds_of_risk_are_listed_with_their_numbers() -> None:
    table, effect = remedied(large=True)
    assert effect == remedied(large=False)[1]
    listed = table[["learnt", "copied", "alone_by", "action", "key", "records"]]
    assert sorted(listed.itertuples(index=False, name=None)) == [
        ("", False, "town", "blank", "town", 1),
        ("", True, "", "drop", "", 1),
        ("ill", False, "", "drop", "", 3),
        ("ill", False, "age", "drop", "", 1),
        ("ill", False, "age, town", "blank", "age", 1),
        ("ill", False, "age, town", "blank", "town", 1),
        ("ill", False, "town", "drop", "", 1),
    ]


def test_of_one_key_nothing_is_left_to_hide_among() -> None:
    codes: Any = SimpleNamespace(large=False, variables={"age": SimpleNamespace(size=9)})
    scenario = CodedScenario(("age",), ("ill",), codes, None)
    table, effect = remedies._remedied(scenario, rows([3, 4, 4], [1, 0, 0]), rows([3, 5], [0, 1]))
    assert table[["record", "alone_by", "action"]].to_numpy().tolist() == [[0, "age", "drop"]]
    assert (effect["unique"], effect["unique_after"], effect["dropped"]) == (1, 0, 1)
