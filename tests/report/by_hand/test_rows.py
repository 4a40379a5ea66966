"""Rows on rules, models, the cross-check, associations and remedies, of sources made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace as With
from typing import Any

import numpy as np
import pytest

from sdcmetrics.report.figures.charts import HeatCell, Position
from sdcmetrics.report.measures import _grouped
from sdcmetrics.report.safety.cells import Name, SafeCell, blank, count_cell, plain
from sdcmetrics.report.sections import (
    comparison,
    fits,
    proof,
    ranking_tables,
    rules,
    suite_figures,
    todo,
)
from sdcmetrics.review.judge import Status
from sdcmetrics.review.measurements import Texts
from tests.report.by_hand.cells import cell

GUARD: Any = With(guard=With(share=lambda *given: given))


def test_rows_of_other_replicas_are_other_groups_whatever_their_measures() -> None:
    replica = Texts(np.array([0, 2, 0, 2]), ["a", "b", "c"])
    metric = Texts(np.array([1, 0, 0, 0]), ["p", "q"])
    ways = np.array([0, 0, 1, 1], np.int32)
    groups = _grouped(replica, metric, ways, np.ones(4, np.bool_))
    rows = {("a", "q", 0): [0], ("c", "p", 0): [1], ("a", "p", 1): [2], ("c", "p", 1): [3]}
    assert {group: each.tolist() for group, each in groups.items()} == rows


def test_a_share_of_a_rule_is_a_mean_over_syntheses() -> None:
    """One of ten and six of thirty: 3.5 of 20, and 15 % as the mean of 10 and 20 %."""
    sets: list[Any] = [With(n=10, entries={"broken": 1}), With(n=30, entries={"broken": 6})]
    shown: Any = rules._share(GUARD, sets, "broken")
    assert shown == ("rule_broken", 15.0, 3.5, 20.0)


@pytest.mark.parametrize(
    ("expected", "alike", "last"), [(math.nan, 0, (None, None)), (12.0, 3, (count_cell(12.0), 3))]
)
def test_a_relation_that_a_replica_breaks_has_a_row(
    expected: float, alike: int, last: tuple[Any, Any]
) -> None:
    outcome = With(
        rule=With(text="a > 0"), syntheses=[With(broken=2), With(broken=5)], broken_percent=1.5
    )
    rule: Any = With(outcome=outcome, kind="order", expected=expected, alike=alike)
    text = SafeCell("a > 0", "name", full="a > 0")
    share = ("rule_broken", 1.5, 3.5, None)
    assert rules._candidate(GUARD, rule) == (text, "order", share, *last)


@pytest.mark.parametrize(("release", "why"), [(False, ": no column"), (True, ".")])
def test_a_rule_that_was_not_checked_is_told_with_the_reason_inside(
    why: str, *, release: bool
) -> None:
    measured = {"a": None, "b": With(value=1.0), "c": With(value=None, reason="no column")}
    source: Any = With(
        names_rare_level=lambda _: False, replicas=tuple(measured), release=release,
        measures=With(find=lambda replica, *_: measured[replica]), name=lambda n: Name(n, n),
    )  # fmt: skip
    told = [plain(item.words) for item in rules._remarks(source, With(text="x"))]  # type: ignore[arg-type]
    assert told == [f"Not checked in c{why}"]


def test_what_is_not_a_number_is_listed_with_the_reason() -> None:
    cells = {
        "CIO": SafeCell("not\N{NO-BREAK SPACE}shown", "hidden"), "R2": cell(0.5), "df": blank(),
        "SE": SafeCell("not computed", detail="too few"),
    }  # fmt: skip
    assert fits._remark(cells) == "CIO not shown; SE not computed (too few)"


def test_reasons_are_counted_of_what_was_not_compared() -> None:
    verdicts = ["not compared: too large"] * 2 + ["not compared", "equal", "documented: a"]
    rows = proof._reasons([{"verdict": verdict} for verdict in verdicts]).rows
    assert [[shown.text for shown in row] for row in rows] == [
        ["too large", "2"], ["not stated", "1"],
    ]  # fmt: skip


def test_a_mean_is_over_targets_of_which_both_are_known_and_the_original_has_any() -> None:
    values = {
        "a": (10.0, 40.0), "b": (None, 40.0), "c": (5.0, None), "d": (3.0, 0.0), "e": (12.0, 16.0),
    }  # fmt: skip
    source: Any = With(
        risk=lambda _, metric, __, target: cell(values[target][("guess", "own").index(metric)])
    )
    measure: Any = With(symbol="guess", show={"between": ("base", "own")})
    scenario: Any = With(name="s")

    def mean(targets: str) -> SafeCell:
        return comparison._mean_chance(source, "r", measure, [(scenario, t) for t in targets])

    assert mean("abcde") == SafeCell("50\N{NO-BREAK SPACE}%", "number", 50.0)  # of 25 and 75 %
    assert mean("bcd") == blank()


def test_associations_are_drawn_below_the_diagonal_where_there_are_any() -> None:
    matrix = np.array([[9.0, 9.0, 9.0], [0.1, 9.0, 9.0], [-0.7, math.nan, 9.0]])
    chart = suite_figures._association_map("t", "abc", matrix, (0.1, 0.3, 0.6))
    minus = "\N{MINUS SIGN}"
    assert [band.text for band in chart.bands] == [f"below {minus}0.6", f"{minus}0.1 to 0.1"]
    assert chart.cells == (HeatCell(1, 0, "0.10", 1), HeatCell(2, 0, f"{minus}0.70", 0))
    assert chart.description == (
        f"2 pairs of variables: below {minus}0.6: 1, {minus}0.1 to 0.1: 1."
    )
    for size in (30, 31):
        names = [f"v{i}" for i in range(size)]
        many = suite_figures._association_map("t", names, np.eye(size), (0.1,))
        assert many.named is (size == 30)


def test_a_map_says_what_brackets_are_where_there_are_any() -> None:
    plainly = Position("a", 0.5, 0.5, "front")
    ends = Position("b", 0.5, 0.5, "front", None, (0.4, 0.6))
    for positions, brackets in (([plainly], False), ([plainly, ends], True)):
        chart = ranking_tables._map(positions, "t", (0, 1), (0, 1), "Made of it.", "95 % interval")
        assert ("; in brackets the 95 % interval. Up" in chart.description) is brackets
        assert chart.description.endswith(". Up and right is better. Made of it.")


def test_rows_of_a_measure_are_grouped_in_the_order_of_the_first() -> None:
    rng = np.random.default_rng(1)
    replica, metric, ways = (rng.integers(0, n, 900) for n in (2, 4, 3))
    chosen = rng.random(900) < 0.9
    groups: dict[tuple[str, str, int], list[int]] = {}
    for i in np.flatnonzero(chosen).tolist():
        key = "ab"[replica[i]], "wxyz"[metric[i]], int(ways[i])
        groups.setdefault(key, []).append(i)
    names = Texts(replica.astype(np.int8), ["a", "b"]), Texts(metric.astype(np.int8), [*"wxyz"])
    result = _grouped(*names, ways.astype(np.int32), chosen)
    assert [(key, rows.tolist()) for key, rows in result.items()] == [*groups.items()]
    assert _grouped(*names, ways.astype(np.int32), np.zeros(900, np.bool_)) == {}


def called(*variables: str, **of: Any) -> Any:
    given = {"invented": False, "derived": True, "one_sided": False, "name": ""}
    return With(variables=variables, **given | of)


def derived(
    monkeypatch: pytest.MonkeyPatch, *tables: Any, release: bool = False,
    status: Status = Status.FAIL,
) -> list[str]:  # fmt: skip
    """Return the steps of a replica of which these tables are called."""
    monkeypatch.setattr(todo, "_manner", lambda *_: With(rules="Keep "))
    results = {("r", 0): With(called=tables), ("q", 0): With(called=[called("z", invented=True)])}
    source: Any = With(
        release=release, states={"r": With(tables=With(status=status))},
        inside=With(evidence=With(of=lambda _: results)), described=lambda name: (name,),
    )  # fmt: skip
    return [plain(step.words) for step in todo._derived(source, "r")]


@pytest.mark.parametrize(
    ("columns", "names", "more"),
    [
        ("a", "a", ""), ("aab", "a and b", ""),
        ("abc", "a and b", " 1 other column has such, too."),
        ("abcd", "a and b", " 2 others have such, too."),
    ],
)  # fmt: skip
def test_columns_with_values_of_their_own_are_named_and_counted(
    columns: str, names: str, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [called(name, invented=True) for name in columns]
    (step,) = derived(monkeypatch, *tables)
    assert step.startswith(f"Keep values of {names} that can be (bounds, codes): some are in it")
    assert step.endswith(f" that the original has nowhere.{more}")
    assert derived(monkeypatch, *tables, release=True) == []
    assert derived(monkeypatch, *tables, status=Status.WITHIN) == []
    assert derived(monkeypatch, *tables, status=Status.REVIEW)


def test_what_follows_from_columns_is_mended_for_two_tables_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = [
        called("x", derived=False), called("a", "b", name="sum of a and b"),
        called("c", one_sided=True), called("d", name="last digit of d"),
    ]  # fmt: skip
    first, second = derived(monkeypatch, *tables)
    assert first.endswith("what follows from a and b (sum).")
    assert second.startswith("Mend the values of c that one file alone has")
    assert derived(monkeypatch, tables[0]) == []


@pytest.mark.parametrize(("kept", "release", "steps"), [(1, False, 1), (0, False, 0), (1, True, 0)])
def test_columns_whose_small_counts_are_kept_are_drawn_inside_only(
    kept: int, steps: int, *, release: bool
) -> None:
    source: Any = With(release=release, states={"r": With(kept=kept)})
    assert len([*todo._kept(source, "r")]) == steps


@pytest.mark.parametrize(
    ("risk", "use", "steps"),
    [
        (Status.FAIL, Status.WITHIN, "ciksg"), (Status.REVIEW, Status.WITHIN, "ciksg"),
        (Status.WITHIN, Status.WITHIN, "c"), (Status.WITHIN, Status.FAIL, "ctovd"),
        (Status.NOT_JUDGED, Status.REVIEW, "ctovd"), (Status.FAIL, Status.FAIL, "ciksgtovd"),
    ],
)  # fmt: skip
def test_each_answer_beyond_its_limits_has_its_steps(
    risk: Status, use: Status, steps: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {
        "_copies": "c", "_identifiers": "i", "_kept": "k", "_risks": "s", "_other_grounds": "g",
        "_tables": "t", "_others": "o", "_totals": "v", "_derived": "d", "_without_steps": "",
    }  # fmt: skip
    for name, letter in parts.items():
        monkeypatch.setattr(todo, name, lambda *_, letter=letter: [*letter])
    monkeypatch.setattr(todo, "_manner", lambda *_: None)
    decision = With(risk=With(status=risk), utility=With(status=use))
    source: Any = With(held={}, decisions={"r": decision}, findings=[])
    assert "".join(map(str, todo._steps(source, "r"))) == steps
