"""Cells that can count, sorted by key and within it, beside every way to draw."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from sdcmetrics.measures.excess.cells import (
    Cells,
    avoiding,
    key_cells,
    sorted_records,
    target_cells,
)


@pytest.mark.parametrize(
    ("of", "k", "most"), [(4, 2, 3), (5, 1, 5), (3, 3, 2), (4, 0, 4), (2, 1, 4)]
)
def test_the_chance_to_avoid_some_records(of: int, k: int, most: int) -> None:
    ways = [comb(of - j, k) / comb(of, k) if j <= of else 0.0 for j in range(most + 1)]
    assert avoiding(of, k, most).tolist() == pytest.approx(ways)


def test_records_are_sorted_by_code_and_keep_their_order() -> None:
    codes = np.array([2, 0, 2, 1, 0])
    before = np.array([4, 2, 1, 0], dtype=np.int32)
    assert sorted_records(codes, 3, before).tolist() == [4, 1, 2, 0]


KEYS = np.array([0, 2, 0, 1, 2, 0, 0, 0, 0])  # six, one and two records


@pytest.mark.parametrize(
    ("expected", "records", "starts"),
    [
        ([0.0, 1.0, 0.5, 0.2], [0, 2, 5, 6, 7, 8, 1, 4], [0, 6, 8]),
        ([0.0, 1.0, 0.5, 0.0], [1, 4], [0, 2]),  # nobody of six is alone
        ([0.0, 1.0, 1e-13, 2e-13], [0, 2, 5, 6, 7, 8], [0, 6]),
    ],
)
def test_keys_whose_records_may_be_alone(
    expected: list[float], records: list[int], starts: list[int]
) -> None:
    cells = key_cells((KEYS, 3), np.array(expected))
    assert cells.records.tolist() == records
    assert cells.key_starts.tolist() == starts
    assert cells.cells_of_key.tolist() == [0] * len(starts)
    assert len(cells.cell_starts) == len(cells.cell_sizes) == 0


def met(cells: Cells) -> list[tuple[list[int], list[list[int]]]]:
    """Return the records of every key combination, and of each of its cells."""
    out = []
    for key in range(len(cells.key_starts) - 1):
        own = range(cells.cells_of_key[key], cells.cells_of_key[key + 1])
        each = [
            cells.records[cells.cell_starts[i] : cells.cell_starts[i] + cells.cell_sizes[i]]
            for i in own
        ]
        whole = cells.records[cells.key_starts[key] : cells.key_starts[key + 1]]
        out.append((whole.tolist(), [part.tolist() for part in each]))
    return out


#       record:  0  1  2  3  4  5  6  7  8  9
TARGET_KEYS = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3, 3])
TARGET = np.array([1, 0, 1, 0, 1, 0, 1, 1, 0, 0])


def test_cells_of_two_and_more_that_may_agree() -> None:
    # key 0: a pair, and one record apart, last; key 1: nothing twice; key 2: one record
    expected = [([0, 2, 1], [[0, 2]]), ([8, 9, 6, 7], [[8, 9], [6, 7]])]
    cells = target_cells((TARGET_KEYS, 4), (TARGET, 2), 4)
    assert met(cells) == expected
    third = cells.some(np.array([False, True]))
    assert met(third) == expected[1:]
    assert met(cells.some(np.array([True, False]))) == expected[:1]
    place = np.arange(10, dtype=np.int32)[::-1].copy()
    assert met(cells.numbered(place))[0] == ([9, 7, 8], [[9, 7]])
    # of all ten that are drawn nobody agrees with the others but where all do
    assert met(target_cells((TARGET_KEYS, 4), (TARGET, 2), 9)) == []
    apart = target_cells((np.arange(4), 4), (np.zeros(4, dtype=int), 1), 2)
    assert met(apart) == []


def test_cells_left_out_give_away_nobody_by_any_draw() -> None:
    used = {
        record
        for whole, _ in met(target_cells((TARGET_KEYS, 4), (TARGET, 2), 3))
        for record in whole
    }
    told = set()
    for person in range(10):
        others = [i for i in range(10) if i != person]
        for drawn in combinations(others, 3):
            levels = {TARGET[i] for i in drawn if TARGET_KEYS[i] == TARGET_KEYS[person]}
            if levels == {TARGET[person]}:
                told.add(person)
    assert told <= used
    assert used - told == {1}  # stands with those of its key
