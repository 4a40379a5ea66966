"""Boxes around records beside all pairs of records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdcmetrics.errors import DataError
from sdcmetrics.measures.neighbours import Points, box, in_box
from tests.measures.neighbours.points import points


def by_pairs(one: Points, other: Points, reach: Any) -> Any:
    near = np.ones((one.n, other.n), dtype=bool)
    for a, b in zip(one.codes, other.codes, strict=True):
        near &= a[:, None] == b[None, :]
    for a, b, most in zip(one.numbers, other.numbers, reach, strict=True):
        apart = np.abs(a[:, None] - b[None, :]) <= most
        near &= np.where(np.isnan(apart), False, apart) | (np.isnan(a)[:, None] & np.isnan(b))
    return near.any(axis=1)


def test_a_box_holds_what_every_pair_says() -> None:
    first, other = points(200), points(150)
    reach = np.array([0.1, 0.4])
    result = in_box(first, other, reach)
    np.testing.assert_array_equal(result, by_pairs(first, other, reach))
    assert 0.05 < result.mean() < 0.9


@pytest.mark.parametrize("columns", [(0, 1), (0, 3), (2, 1), (1, 4), (2, 0)])
def test_a_number_that_is_missing_or_at_the_edge_of_a_box(columns: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(columns))

    def whole(n: int) -> Points:
        numbers = rng.integers(0, 12, (columns[1], n)).astype(float)
        numbers[rng.random(numbers.shape) < 0.2] = np.nan
        return Points.from_columns([*rng.integers(0, 3, (columns[0], n))], [*numbers])

    first, other = whole(80), whole(8 * max(1, sum(columns) - 1))
    reach = np.array([1.0, 2.0, 0.0, 3.0])[: columns[1]]
    result = in_box(first, other, reach)
    assert result.tolist() == by_pairs(first, other, reach).tolist()
    assert 0 < result.sum() < 80


def test_one_reference_is_found_from_either_side_up_to_the_edge() -> None:
    values = np.array([0.0, 1, 2, 3, 4, 5, 6])
    first, other = (Points.from_columns(numbers=[x]) for x in (values, np.array([3.0])))
    assert in_box(first, other, [2.0]).tolist() == [False, True, True, True, True, True, False]
    assert in_box(first, other, [0.0]).tolist() == [x == 3 for x in values]


def test_a_reference_behind_one_that_is_far_in_another_number_is_found() -> None:
    first = Points.from_columns(numbers=[[1.0, 1.0], [0.0, 9.0]])
    other = Points.from_columns(numbers=[[0.5, 0.9, 1.2, 1.4], [5.0, 5.0, 0.1, 5.0]])
    assert in_box(first, other, [0.5, 0.5]).tolist() == [True, False]


@pytest.mark.parametrize("largest", [2**62, 40])
def test_codes_of_many_columns_are_told_apart(
    largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box, "_LARGEST_ID", largest)
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 5, (6, 60))
    first = Points.from_columns([*codes])
    turned = codes[:, rng.permutation(60)[:20]]
    turned[5, :10] = (turned[5, :10] + 1) % 5
    other = Points.from_columns([*turned])
    result = in_box(first, other, [])
    assert result.tolist() == by_pairs(first, other, []).tolist()
    groups = box._groups(codes)
    assert len(set(groups.tolist())) == len({tuple(column) for column in codes.T.tolist()})


@pytest.mark.parametrize("reach", [[], [1.0], [1.0, 1.0, 1.0]])
def test_there_is_one_reach_for_each_number(reach: list[float]) -> None:
    with pytest.raises(DataError, match="one reach for each column of numbers"):
        in_box(points(5), points(4), reach)
    with pytest.raises(DataError, match="one reach for each column of numbers"):
        in_box(points(5), points(4, numbers=False), [1.0, 1.0])
