"""Levels of a target that fare worst: which are told, in which order, and in which words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.report.safety.cells import Name, SafeCell, blank
from sdcmetrics.report.sections.levels import (
    commonest_share,
    flags_table,
    level_sentences,
    levels_file,
    risky_tables,
)

SCENARIO: Any = SimpleNamespace(name="s", targets=("ill",))


def by_level(*rows: tuple[str, int, float, float, float, float]) -> pd.DataFrame:
    columns = ["level", "records", "disclosed", "base", "excess", "by_original"]
    return pd.DataFrame(rows, columns=columns)


def source(tables: dict[str, pd.DataFrame], *, release: bool = False) -> Any:
    results = {
        (replica, "s", "ill"): SimpleNamespace(by_level=table) for replica, table in tables.items()
    }
    return SimpleNamespace(
        release=release, replicas=tuple(tables), targets=[(SCENARIO, "ill")],
        inside=SimpleNamespace(disclosures=results), review=SimpleNamespace(scenarios=[SCENARIO]),
        guard=SimpleNamespace(suppress=lambda *_: None), name=str, named=SafeCell,
        described=lambda target: (target,), within=lambda _: (),
        level=lambda _, level: SafeCell(level),
    )  # fmt: skip


def words(tables: dict[str, pd.DataFrame], *, release: bool = False) -> list[str]:
    sentences = level_sentences(source(tables, release=release))
    return [
        "".join(part.text if isinstance(part, Name) else part for part in sentence.words).replace(
            "\xa0", " "
        )
        for sentence in sentences
    ]


REST = ("no", 99, 20.0, 0.99, 0.0, 90.0)


@pytest.mark.parametrize(
    ("records", "disclosed", "who"),
    [
        (1, 1.0, "the only original record"),
        (1, 0.5, "the only original record (on average 0.5)"),
        (2, 1.0, "1 of the 2 original records"),
        (2, 1.5, "on average 1.5 of the 2 original records"),
        (1200, 1100.0, "1,100 of the 1,200 original records"),
    ],
)
def test_a_level_is_told_with_its_records(records: int, disclosed: float, who: str) -> None:
    (told,) = words({"a": by_level(("yes", records, disclosed, 0.25, 0.9, disclosed), REST)})
    assert told.startswith(f"From a, an intruder learns ill = yes correctly for {who} with this")
    percent = "100 %" if disclosed == records else f"{100 * disclosed / records:.1f} %"
    assert f"({percent}); from the original itself, for " in told
    assert told.endswith("Of all original records 25.0 % have it.")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (by_level(("yes", 5, 4.0, 0.05, 0.5, 4.0), REST), True),
        (by_level(("yes", 5, 4.0, 0.05, 0.0, 4.0), REST), False),  # no more than it is frequent
        (by_level(("yes", 5, 4.0, 0.05, 0.18, 4.0), REST), False),  # as all: 24 of 104
        (by_level(("yes", 5, 4.0, 0.05, 0.19, 4.0), REST), True),
        (by_level(("yes", 5, 4.0, 0.05, 0.5, 4.0)), False),  # one level is all there is
    ],
)
def test_only_what_the_share_of_all_hides_is_told(table: pd.DataFrame, *, told: bool) -> None:
    assert bool(words({"a": table})) is told
    assert words({"a": table}, release=True) == []


def test_the_worst_of_each_replica_is_told_and_the_worst_replica_first() -> None:
    def worst(level: str, excess: float) -> pd.DataFrame:
        return by_level((level, 9, 9.0, 0.05, excess, 9.0), REST)

    told = words({"a": worst("x", 0.4), "b": worst("y", 0.8), "c": worst("z", 0.6)})
    assert [text.split(",")[0] for text in told] == ["From b", "From c", "From a"]


def test_all_levels_are_in_a_file_and_none_in_a_release() -> None:
    tables = {"a": by_level(("yes", 4, 1.5, 0.04, 0.3, 1.0), REST), "b": by_level(REST)}
    rows = levels_file(source(tables))["disclosure_by_level"].rows
    assert [row[2].text for row in rows] == ["a", "a", "b"]
    assert [row[3].text for row in rows] == ["yes", "no", "no"]
    assert rows[0][5].text == "1.5"
    assert rows[0][6].number == pytest.approx(37.5)
    assert levels_file(source(tables, release=True)) == {}


def test_the_commonest_level_is_that_of_the_first_replica_with_levels() -> None:
    none, some = by_level(), by_level(("yes", 1, 1.0, 0.3, 0.0, 1.0), ("no", 2, 1.0, 0.7, 0.0, 1.0))
    view = source({"none": none, "some": some, "other": by_level(REST)})
    view.inside.disclosures["empty", "s", "ill"] = None
    view.replicas = ("empty", *view.replicas)
    assert commonest_share(view, SCENARIO, "ill").number == 70.0
    assert commonest_share(source({"none": none}), SCENARIO, "ill") == blank()


@pytest.mark.parametrize(("count", "more"), [(12, ""), (13, " and 1 more"), (20, " and 8 more")])
def test_the_first_positions_of_records_at_risk_are_listed(count: int, more: str) -> None:
    frame = pd.DataFrame(
        {"repU": [1, 0] * 10, "DiSCO": [0] * 20, "DiSDiO": [1] * 20}, index=range(1000, 1020)
    ).head(count)
    view = source({"a": by_level(REST)})
    view.inside.disclosures["a", "s", "ill"].records_at_risk = frame
    (table,) = risky_tables(view)
    (row,) = table.rows
    positions = ", ".join(f"{i:,}" for i in range(1000, 1012))
    assert row[-1].text == positions + more
    assert [cell.number for cell in row[2:5]] == [(count + 1) // 2, 0, count]
    assert [column.field for column in table.columns[2:5]] == ["repU", "DiSCO", "DiSDiO"]


def test_flags_are_those_of_the_first_synthesis_that_has_any_and_eight_pairs() -> None:
    first = pd.DataFrame(
        {
            "synthesis": [2, 2, 3], "Level": ["yes", None, "no"], "nLevelDis": [7, 3, 9],
            "PctLevelDis": [70.0, 30.0, 90.0],
        }
    )  # fmt: skip
    two = pd.DataFrame(
        {
            "synthesis": [1] * 9 + [2], "key": "age", "key_level": "old", "npairs": range(10),
            "PctTargetKeyLevel": 12.5, "target_level": "yes",
        }
    )  # fmt: skip
    given = source({"a": first, "b": first})
    result = SimpleNamespace(one_way=first, two_way=two)
    given.inside = SimpleNamespace(disclosures={("a", "s", "ill"): result})
    rows = [
        [None if cell.text is None else cell.text.replace("\xa0", " ") for cell in row]
        for row in flags_table(given, "s", "ill").rows
    ]
    assert rows[:2] == [
        ["a", "yes", "\N{EN DASH}", "\N{EN DASH}", "7", "70.0 %", "of all disclosed records"],
        ["a", None, "\N{EN DASH}", "\N{EN DASH}", "3", "30.0 %", "of all disclosed records"],
    ]
    end = ["12.5 %", "of the original records with this key level"]
    assert rows[2:] == [["a", "yes", "age", "old", str(i), *end] for i in range(8)]
    result.one_way, result.two_way = first[:0], two[:0]
    assert not flags_table(given, "s", "ill").rows
    assert not flags_table(source({"a": first}, release=True), "s", "ill").rows
