"""Cells, words and tables: what each is made of."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.decision.status import Status
from sdcmetrics.report.safety.cells import (
    LongTable,
    Name,
    SafeCell,
    as_name,
    blank,
    column,
    count_cell,
    figure_cell,
    in_sentence,
    joined,
    number,
    number_cell,
    p_cell,
    percent_of,
    plain,
    sentence,
    table,
    text_cell,
    three_decimals,
    without_detail,
)
from sdcmetrics.report.source import Source

SHORT = Name("shor…", "shortened")
A, B, C = (Name(letter, letter) for letter in "abc")


@pytest.mark.parametrize(
    ("p", "reached", "text"),
    [
        (0.0004, 1, "< 0.001"),
        (0.001, 1, "0.001"),
        (0.05, 3, "0.050"),
        (0.01, 0, "\u2264 0.01"),
        (0.00012345, 0, "\u2264 0.00012"),
        (math.nan, 1, "\N{EN DASH}"),
        (math.nan, 0, "\N{EN DASH}"),
    ],
)
def test_p_values(p: float, reached: int, text: str) -> None:
    cell = p_cell(p, reached)
    assert cell.text.replace("\N{NO-BREAK SPACE}", " ") == text
    assert cell.number == (None if math.isnan(p) else p)


def test_numbers() -> None:
    assert number_cell(0.5) == SafeCell("0.5", "number", 0.5)
    assert number_cell(0.5, "half", "of two") == SafeCell("half", "number", 0.5, "of two")
    assert number_cell(0.5, "") == SafeCell("", "number", 0.5)
    assert number_cell(math.nan, "x") is blank()
    assert count_cell(1234.0) == SafeCell("1,234", "number", 1234.0)
    assert figure_cell(1234.5).text == "1,230"
    assert three_decimals(0.12345).text == "0.123"
    assert percent_of(12.34).text == "12.3\N{NO-BREAK SPACE}%"
    assert without_detail(number_cell(1.0, "1", "of two")) == SafeCell("1", "number", 1.0)


def test_a_table_makes_cells_of_what_it_is_given() -> None:
    own = SafeCell("x", "hidden")
    made = table(
        "c", [column("Data set"), number("Records", "n")], [(SHORT, 944), (None, own), ("w", 0)]
    )
    assert made.rows == (
        (SafeCell("shor…", "name", full="shortened"), SafeCell("944", "number", 944.0)),
        (blank(), own),
        (SafeCell("w"), SafeCell("0", "number", 0.0)),
    )
    assert made.caption == ("c",)
    assert table((SHORT, "s"), []).caption == (SHORT, "s")
    assert (len(made), bool(table("c", []))) == (3, True)
    assert [(c.field, c.numeric) for c in made.columns] == [("Data set", False), ("n", True)]
    assert text_cell("cart").kind == "text"


def test_a_long_table_makes_cells_of_its_columns() -> None:
    values: tuple[list[str] | list[float], ...] = (["x", ""], [1.5, math.nan])
    columns = (column("a"), number("b"))
    long = LongTable(columns, 2, lambda rows: tuple(of[rows] for of in values))
    assert len(long) == 2
    assert long.rows == (
        (SafeCell("x"), SafeCell("1.5", "number", 1.5)), (SafeCell(""), SafeCell("")),
    )  # fmt: skip
    assert LongTable((number("b"),), 1, lambda _: ([None],)).rows == ((SafeCell(""),),)
    assert LongTable((), 0, lambda _: ()).rows == ()


@pytest.mark.parametrize(
    ("names", "last", "words"),
    [
        ([], None, ""),
        ([A], " and ", "a"),
        ([A, B], " and ", "a and b"),
        ([A, B, C], None, "a, b, c"),
        ([A, (B, " or ", C)], " and ", "a and b or c"),
        ([A, B, C], "", "a, bc"),
    ],
)
def test_names_are_joined(names: list[Name], last: str | None, words: str) -> None:
    assert plain(joined(names, last=last)) == words


def test_words_and_names() -> None:
    assert as_name((SHORT, " of ", A)) == Name("shor… of a", "shortened of a")
    said = sentence("of ", "", SHORT, link="here")
    assert (said.words, said.status, said.link) == (("of ", SHORT), None, "here")
    for text, words in (
        ("< 1 %", "less than 1 %"),
        (">\N{NO-BREAK SPACE}2", "more than 2"),
        ("3", "3"),
    ):
        assert in_sentence(SafeCell(text)) == words


@pytest.mark.parametrize(
    ("status", "release", "metric", "value", "told"),
    [
        (Status.NOT_JUDGED, True, "DiSCO", 1.0, True),
        (Status.WITHIN, True, "DiSCO", 1.0, False),
        (Status.NOT_JUDGED, False, "DiSCO", 1.0, False),
        (Status.NOT_JUDGED, True, "iS", 1.0, False),  # nothing limits it
        (Status.NOT_JUDGED, True, "DiSCO", None, False),
    ],
)
def test_a_released_value_that_has_a_limit_and_no_verdict_is_near_it(
    status: Status, release: bool, metric: str, value: float | None, told: bool
) -> None:
    source: Any = SimpleNamespace(
        _cells={},
        _cell=lambda _: SafeCell("1 %", number=value),
        status=lambda _: status,
        release=release,
        profile=SimpleNamespace(thresholds={"DiSCO": None}),
        guard=SimpleNamespace(judged=lambda cell, _: cell),
    )
    measure: Any = SimpleNamespace(metric=metric)
    assert Source.cell(source, measure).detail == ("not judged: near a limit" if told else "")


@pytest.mark.parametrize(
    ("kind", "label", "shown"),
    [
        ("number", "[850,1200)", "850 to under 1,200"),
        ("date", "[2020-01-01,2021-01-01]", "2020-01-01 to 2021-01-01"),
        ("category", "[850,1200)", "[850,1200)"),
        ("number", None, None),
    ],
)
def test_groups_of_numbers_and_dates_are_in_words(
    kind: str, label: str | None, shown: str | None
) -> None:
    source: Any = SimpleNamespace(
        review=SimpleNamespace(variables={"x": kind}),
        value_label=lambda *_: "",
        named=lambda text: text,
    )
    assert Source.level(source, "x", label) == shown
