"""How records are divided into boxes: not what is found depends on it, but how soon."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.neighbours import boxes
from sdcmetrics.measures.neighbours.boxes import _cut, _divide, _most_different, boxes_of
from sdcmetrics.measures.neighbours.points import Points

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "middle", "cut"),
    [
        ([0] * 20 + [1] * 30, 25, 20),
        ([0] * 30 + [1] * 20, 25, 30),
        ([0] * 20 + [1] * 8 + [2] * 22, 25, 28),  # the nearer of two changes
        ([0] * 16 + [1] * 34, 25, 16),
        ([0] * 15 + [1] * 35, 25, 25),  # a part would be too small
        ([0] * 34 + [1] * 16, 25, 34),
        ([0] * 35 + [1] * 15, 25, 25),
        ([1.0] * 20 + [NAN] * 30, 25, 20),
        ([0] * 100 + [1] * 1500, 800, 100),  # of many a sixteenth
        ([0] * 99 + [1] * 1501, 800, 800),
    ],
)
def test_a_group_is_cut_where_a_value_changes_near_its_middle(
    values: list[Any], middle: int, cut: int
) -> None:
    assert _cut(np.array(values), middle) == cut


def test_a_group_is_divided_by_the_column_in_which_its_records_differ_most() -> None:
    rng = np.random.default_rng(1)
    codes = np.array([np.arange(200) % 2, np.arange(200) % 7 == 0, np.zeros(200)], np.int32)
    numbers = np.array([rng.random(200), np.where(np.arange(200) % 2, NAN, 5.0)])
    points = Points.from_columns(codes, numbers)
    rows = np.arange(200, dtype=np.int32)

    def chosen(scales: list[float], shares: list[float]) -> Any:
        result = _most_different(points, rows, np.array(scales), np.array(shares))
        if result is None:
            return None
        every = [*codes, *numbers]
        return next(i for i, c in enumerate(every) if np.array_equal(result, c, equal_nan=True))

    none = [0.0] * 5
    for column in (0, 1, 3, 4):
        assert chosen([1.0, 1.0], [*none[:column], 1.0, *none[column + 1 :]]) == column
    assert chosen([1.0, 1.0], [0, 0, 1.0, 0, 0]) is None
    assert chosen([0.0, 0.0], [0, 0, 0, 1.0, 0]) is None
    assert chosen([1e9, 1.0], [1.0] * 5) == 3  # a difference counts 1 at most
    assert chosen([0.1, 1.0], [0, 1.0, 0, 1.0, 0]) == 1
    numbers = 1000 + np.array([0.01, 0.02])[:, None] * rng.random(200)
    outcome = _most_different(Points.from_columns(numbers=numbers), rows, np.ones(2), np.ones(2))
    assert np.array_equal(outcome, numbers[1])  # both are far from 0


@pytest.mark.parametrize("columns", [64, 65])
def test_boxes_are_of_128_records_or_of_more_columns_of_1024(columns: int) -> None:
    codes = np.zeros((columns, 1025), np.int32)
    codes[0] = np.arange(1025) % 2
    points = Points.from_columns(codes)
    order, starts = _divide(points, np.ones(0), np.ones(columns))
    assert sorted(order.tolist()) == [*range(1025)]
    assert (starts[0], starts[-1]) == (0, 1025)
    sizes = np.diff(starts)
    assert sizes.max() <= (128 if columns == 64 else 1024)
    assert len(sizes) == (2 if columns == 65 else 9)
    for start, stop in itertools.pairwise(starts):
        assert len(set(codes[0][order[start:stop]])) == 1


def test_a_box_says_what_its_records_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes, "_SIZES", (2, 2))
    monkeypatch.setattr(boxes, "_FEWEST", 1)
    codes = np.array([[0, 65, 0, 65]])  # 65 has the bit of 1
    numbers = np.array([[1.0, NAN, 4.0, NAN]])
    result = boxes_of(Points.from_columns(codes, numbers), np.ones(1), np.ones(2))
    parts = [set(result.order[a:b].tolist()) for a, b in itertools.pairwise(result.starts)]
    assert parts == [{0, 2}, {1, 3}]
    assert result.codes.tolist() == [[1, 2]]
    assert result.lowest.tolist() == [[1.0, np.inf]]
    assert result.highest.tolist() == [[4.0, -np.inf]]
    assert result.complete.tolist() == [[1.0, 0.0]]
