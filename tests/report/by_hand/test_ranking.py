"""Ranking and comparison of replicas, of sources made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace as With
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.report.safety.cells import Name, SafeCell, blank
from sdcmetrics.report.sections import comparison, ranking_tables
from tests.report.by_hand.cells import cell, plain_of


class TestRanking:
    @staticmethod
    def ranking(n: int, **given: Any) -> Any:
        names = tuple("abcdefg"[:n])
        entries = {
            "replicas": names, "by_place": [*names[::-1]],
            "acceptability": pd.DataFrame(np.eye(n) * 0.5, columns=range(1, n + 1)),
            "stretches": (), "uncertainty": None, "options": With(draws=4096),
        }  # fmt: skip
        return With(**entries | given)

    SOURCE: Any = With(name=lambda n: Name(n, n), release=False)

    def test_five_ranks_are_shown_best_replica_first(self) -> None:
        for n, ranks in ((1, 0), (2, 2), (5, 5), (6, 5)):
            result = ranking_tables.acceptability_table(self.SOURCE, self.ranking(n))
            fields = [column.field for column in result.columns if column.field.startswith("rank_")]
            assert fields == [f"rank_{r}" for r in range(1, ranks + 1)]
            if n > 1:
                assert [row[0].text for row in result.rows] == [*"abcdefg"[:n]][::-1]
                assert [cell.number for cell in result.rows[-1][2:4]] == [0.5, 0.0]

    def test_who_is_first_by_the_weight_of_risk_and_by_draws(self) -> None:
        stretches = [
            With(first=("a",), low=0.0, high=0.2), With(first=("b", "a"), low=0.2, high=0.7),
        ]  # fmt: skip
        again = With(source="records", times=8, rank_shares=np.array([[0.25, 0.75], [0.75, 0.25]]))
        ranking = self.ranking(2, stretches=stretches, uncertainty=again)
        result = ranking_tables.acceptability_table(self.SOURCE, ranking)
        rows = {row[0].text: [plain_of(row[1]), plain_of(row[-1])] for row in result.rows}
        assert rows == {
            "a": ["0 % to 20 % and 20 % to 70 %", "2 of 8"], "b": ["20 % to 70 %", "6 of 8"],
        }  # fmt: skip
        assert result.columns[-1].detail == "tenths of the records left out"
        outside = With(**{**vars(self.SOURCE), "release": True})
        hidden = ranking_tables.acceptability_table(outside, ranking)  # type: ignore[arg-type]
        assert len(hidden.columns) == len(result.columns) - 1

    def test_the_smallest_change_of_weights(self) -> None:
        changes = [
            With(replica="a", moved=0.0, possible=True, taken={}, given={}),
            With(replica="b", moved=0.25, possible=True, taken={"U": 0.25}, given={"R": 0.25}),
            With(replica="c", moved=math.nan, possible=False, taken={}, given={}),
        ]
        result = ranking_tables.changes_table(self.SOURCE, self.ranking(3, changes=changes))
        rows = [[plain_of(cell) for cell in row] for row in result.rows]
        assert rows[0][2] == "is first, or level with it"
        assert rows[1][2:] == ["U 25 %", "R 25 %"]
        assert rows[2][1] == "under no weights"
        assert not ranking_tables.changes_table(self.SOURCE, self.ranking(1)).rows


@pytest.mark.parametrize(
    ("places", "maps"),
    [
        ([(0.2, 0.2), (0.8, 0.8)], 1),
        ([(0.2, 0.5), (0.8, 0.52)], 2),
        ([(0.5, 0.2), (0.52, 0.8)], 2),
        ([(0.2, 0.33), (0.8, 0.55)], 1),  # 0.29 to 0.59
        ([(0.2, 0.43), (0.8, 0.65)], 1),  # 0.39 to 0.69
        ([(0.5, 0.5)], 1),
        ([], 0),
    ],
)
def test_a_map_is_drawn_closer_where_replicas_fill_a_small_part_of_it(
    places: list[tuple[float, float]], maps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking_tables.sentences, "on_map", lambda _: "")
    marks = [(f"r{i}", *place, True, False) for i, place in enumerate(places)]
    marks += [("worst (reference)", 0.0, 0.0, False, True), ("gone", math.nan, 0.5, False, False)]
    edges = [(0.11, 0.48), (0.89, 0.54), (0.1, 0.5), (0.9, 0.5), (0.5, 0.47), (0.5, 0.55)]
    turned = places[:1] == [(0.5, 0.2)]
    marks += [
        (f"{i} (reference)", *(place[::-1] if turned else place), False, True)
        for i, place in enumerate(edges)
    ]
    columns = ["name", "utility", "protection", "front", "reference"]
    ends = pd.DataFrame(math.nan, [mark[0] for mark in marks], list("abcd"))
    ranking: Any = With(
        map=pd.DataFrame(marks, columns=columns).set_index("name"), uncertainty=None,
        map_intervals=ends,
    )  # fmt: skip
    drawn = ranking_tables.ranking_maps(lambda name: Name(name, name), ranking)
    assert len(drawn) == maps
    if maps == 2:
        assert [mark.name for mark in drawn[1].positions] == ["r0", "r1", "0", "1"]
        assert drawn[0].box == (*drawn[1].across, *drawn[1].up)
        # 0.15 of the range is added at either end, at least 0.02; ends are whole hundredths.
        wide, narrow = (0.11, 0.89), (0.48, 0.54)
        assert (drawn[1].across, drawn[1].up) == ((narrow, wide) if turned else (wide, narrow))


def test_a_mark_says_whether_it_is_a_reference_at_the_front_or_beaten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ranking_tables.sentences, "on_map", lambda _: "")
    rows = [
        ("a", 0.2, 0.9, True, False), ("b", 0.1, 0.1, False, False),
        ("copy (reference)", 1.0, 0.0, True, True), ("worst (reference)", 0.0, 0.0, False, True),
    ]  # fmt: skip
    columns = ["name", "utility", "protection", "front", "reference"]
    ends = pd.DataFrame(math.nan, [row[0] for row in rows], list("abcd"))
    ranking: Any = With(
        map=pd.DataFrame(rows, columns=columns).set_index("name"), uncertainty=None,
        map_intervals=ends,
    )  # fmt: skip
    (whole, *_) = ranking_tables.ranking_maps(lambda name: Name(name.upper(), name), ranking)
    assert [(mark.name, mark.kind) for mark in whole.positions] == [
        ("A", "front"), ("B", "beaten"), ("copy", "reference"), ("worst", "reference"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "largest"),
    [
        ([cell(3), cell(7), SafeCell("hidden", "hidden")], "7"),
        ([cell(9), cell(7)], "9"),
        ([SafeCell("hidden", "hidden"), blank()], "hidden"),
    ],
)
def test_a_replica_is_shown_at_its_largest_number_or_as_nothing_is_shown(
    cells: list[SafeCell], largest: str
) -> None:
    source: Any = With(
        risk=lambda _replica, _metric, scenario, _target: cells[scenario],
        review=With(scenarios=[With(name=i, targets=("vote",)) for i in range(len(cells))]),
    )
    assert comparison._largest(source, "a", "DCAP").text == largest
