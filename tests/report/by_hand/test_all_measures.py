"""Tables of every measure, and files of them, of sources made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace as With
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.reference_values import References
from sdcmetrics.report.measures import Measures
from sdcmetrics.report.safety.cells import Name, SafeCell, text_cell, withheld
from sdcmetrics.report.sections import all_measures, exports
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Status
from sdcmetrics.study.profile import Criterion
from tests.report.by_hand.cells import SCENARIO


def test_each_guideline_has_a_table_of_its_own_criteria(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria = (
        Criterion("F", "one", ("DiSCO", "repU"), "S"), Criterion("G", "two", ("pMSE",), "T"),
        Criterion("F", "three", ("CIO",), "U"), Criterion("F", "four", ("ROC",), "S"),
    )  # fmt: skip

    def rows_of(_: Any, caption: str, *parts: Any, note: str) -> Any:
        rows = parts[1]
        assert all(place == {"metric": names[1]} for names, place in rows)
        return caption, [names for names, _ in rows], note.partition(".")[0]

    monkeypatch.setattr(all_measures, "grid", rows_of)
    monkeypatch.setattr(all_measures, "_worst_columns", lambda *_: ())
    source: Any = With(profile=With(criteria=criteria))
    tables: Any = all_measures.frame_tables(source)
    assert tables == (
        (
            "By the criteria of F",
            [("one", "DiSCO"), ("one", "repU"), ("three", "CIO"), ("four", "ROC")], "S; U",
        ),
        ("By the criteria of G", [("two", "pMSE")], "T"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "release", "text", "detail"),
    [
        ({}, False, "7", "of 9"),
        ({"reason": "drawn"}, False, "7", "of 9; of a sample"),
        (
            {"reason": "drawn", "se": 0.1234},
            False,
            "7",
            "of 9; \N{PLUS-MINUS SIGN} 0.12, of a sample",
        ),
        ({"reason": "drawn", "detail": ""}, False, "7", "of a sample"),
        ({"reason": "drawn"}, True, "7", "of 9"),
        ({"value": None, "reason": "too few"}, False, "not computed", "too few"),
        ({"shown": "< 5 %", "reason": "few"}, True, "< 5 %", "few"),
        ({"metric": "secret"}, True, withheld().text, withheld().detail),
    ],
)
def test_the_cell_of_a_measurement_says_of_what_it_is(
    changed: dict[str, Any], text: str, detail: str, *, release: bool
) -> None:
    given = {"metric": "m", "shown": "", "value": 7.0, "reason": "", "detail": "of 9"} | changed
    measure: Any = With(**given, references=References(se=given.pop("se", math.nan)))
    source: Any = With(
        release=release, released=lambda metric: metric == "m",
        guard=With(coarse=lambda shown, _, reason: SafeCell(shown, "hidden", detail=reason)),
        _number=lambda m, value: SafeCell(f"{value:g}", "number", value, detail=m.detail),
    )  # fmt: skip
    shown = Source._cell(source, measure)
    assert (shown.text, shown.detail) == (text, detail)


@pytest.mark.parametrize(
    ("metric", "syntheses"),
    [("DiSCO", 3), ("repU", 3), ("UiS", 3), ("Dorig", 1), ("UiO", 1), ("rule_kept", 1)],
)
def test_counts_of_the_original_alone_are_means_over_nothing(metric: str, syntheses: int) -> None:
    source: Any = With(syntheses={"r": 3})
    measures: Any = [With(metric=metric, replica=replica) for replica in ("r", "original")]
    assert [Source._mean_of(source, measure) for measure in measures] == [syntheses, 1]


def test_a_measurement_is_judged_at_its_target_or_by_what_is_of_no_target() -> None:
    measures = object.__new__(Measures)
    measures._judged = {"DiSCO"}
    measures._statuses = {
        ("r", "DiSCO", "s", "vote", ()): Status.REVIEW, ("r", "DiSCO", "s", "", ()): Status.FAIL,
    }  # fmt: skip

    def status(metric: str = "DiSCO", subject: str = "s", target: str = "vote") -> Status:
        given: Any = With(
            replica="r", metric=metric, subject=subject, target=target, variables=()
        )  # fmt: skip
        return measures.status(given)

    assert status() is Status.REVIEW
    assert status(target="age") is Status.FAIL
    assert status(target="") is Status.FAIL
    assert status(subject="t") is Status.NOT_JUDGED
    assert status(metric="repU") is Status.NOT_JUDGED


def test_statistics_of_tables_are_a_row_per_table_and_replica_however_they_are_read() -> None:
    names = [("a",), ("b",), ("a",), ("b",), ("b",)]
    values = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    groups = [("r", "TVD", [0, 1]), ("r", "pMSE", [2, 3]), ("q", "TVD", [4])]
    source: Any = With(
        release=False, name=lambda name: Name(name, name.upper()),
        measures=With(
            by_table=lambda ways: [(*of, np.array(rows)) for *of, rows in groups if ways == 1],
            tables=lambda rows: [names[i] for i in rows], numbers=lambda rows: values[rows],
        ),
    )  # fmt: skip
    table: Any = exports._tables(source, ("variable", "replica"))
    assert [column.field for column in table.columns] == [
        "variable", "replica", "TVD", "pMSE", "not_shown",
    ]  # fmt: skip
    rows = [("A", "R", 0.1, 0.3, ""), ("B", "R", 0.2, 0.4, ""), ("B", "Q", 0.5, None, "")]
    for start, stop in ((0, 3), (0, 1), (1, 2), (1, 3), (2, 3)):
        parts = zip(*table.part(slice(start, stop)), strict=True)
        told = [tuple(None if v != v else v for v in row) for row in parts]  # noqa: PLR0124
        assert told == rows[start:stop]
    assert len(table) == 3


def test_a_measure_is_explained_with_its_unit_if_it_has_one() -> None:
    source: Any = With(measures=With(metrics=("DiSCO", "CIO")), released=lambda _: True)
    ranges = {method.symbol: dict(method.facts)["Range"] for method in all_measures.methods(source)}
    assert ranges == {
        "CIO": "unbounded to 1; higher is better",
        "DiSCO": "0 to 100, percent; lower is better",
    }


@pytest.mark.parametrize("release", [True, False])
def test_what_has_no_value_is_listed_inside_only(
    monkeypatch: pytest.MonkeyPatch, *, release: bool
) -> None:
    monkeypatch.setattr(all_measures, "_place", lambda *_: "")
    absent = [With(replica="r", metric="S_pMSE", reason="one value", place=Place())]
    source: Any = With(
        release=release,
        measures=With(without_value=lambda: absent),
        named=lambda name: text_cell(Name(name, name)),
        guard=With(rounded=lambda n: n),
    )
    rows = all_measures.not_computed(source).rows
    assert [row[-1].text for row in rows] == ([] if release else ["one value"])


@pytest.mark.parametrize(
    ("per", "scenarios", "target", "words"),
    [
        ("scenario", 1, "", ""), ("scenario", 2, "", "subject"), ("model", 1, "", "subject"),
        ("model", 1, "vote", "subject"), ("scenario", 2, "vote", "vote of s"),
    ],
)  # fmt: skip
def test_what_a_measurement_is_of_is_said_where_it_is_not_clear(
    per: str, scenarios: int, target: str, words: str
) -> None:
    source: Any = With(
        review=With(scenarios=[SCENARIO] * scenarios),
        subject=lambda _: text_cell("subject"),
        placed=lambda target, scenario: text_cell(f"{target} of {scenario}"),
    )
    measure: Any = With(variables=(), target=target, scenario="s", of=With(per=per), metric="DiSCO")
    assert all_measures._place(source, measure) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.12345, "0.123"), (0.9, "0.9"), (1.23456, "1.235"), (1.99999, "2"), (0.0, "0"),
        (120.0, "120"), (12348.0, "12,350"), (-1.2346, "\N{MINUS SIGN}1.235"),
    ],
)  # fmt: skip
def test_a_reference_value_has_four_digits_or_three_behind_the_point(
    value: float, text: str
) -> None:
    assert all_measures._brief(value) == text
