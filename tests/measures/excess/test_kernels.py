"""Loops of the excess, uncompiled, beside what trying every set of people gives."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.excess import kernels

TAKEN = 2
"""People, or clusters, that a replica is made of."""


def avoided(size: int) -> Any:
    """Return the chance that those who are taken from so many avoid 0, 1, ... given ones."""
    every = math.comb(size, TAKEN)
    return np.array([math.comb(size - j, TAKEN) / every for j in range(size + 1)])


def chances(size: int, n: int) -> tuple[Any, Any]:
    """Return what `disclosed` is given: of the others, and of the other people of the original."""
    own = np.array([0.0, *avoided(n - 1)])
    return np.append(avoided(size - n), np.zeros(n)), np.append(own, np.zeros(size - n))


@pytest.mark.parametrize(
    ("uniform", "size", "left", "labels"),
    [
        ([0.5, 0.6, 0.1], 3, 2, [1, 0, 1]),  # 1.5 of 2, 1.2 of 1, 0.1 of 1
        ([0.0, 0.0, 0.0], 3, 2, [1, 1, 0]),
        ([0.99, 0.99, 0.99], 3, 2, [0, 1, 1]),
        ([0.5, 0.5], 4, 2, [0, 1]),  # two of the four are left for another call
        ([0.4, 0.5], 5, 2, [0, 0]),
    ],
)
def test_labels_are_given_one_by_one(
    uniform: list[float], size: int, left: int, labels: list[int]
) -> None:
    of_draws, out = np.array([left, 0]), np.zeros((len(uniform), 2), np.uint8)
    kernels.label(np.array([uniform, uniform]).T, size, of_draws, out)
    assert out.T.tolist() == [labels, [0] * len(labels)]
    assert of_draws.tolist() == [left - sum(labels), 0]


def test_records_are_sorted_by_code_and_then_as_they_were() -> None:
    codes, before = np.array([2, 0, 1, 0, 2, 1, 0]), np.array([6, 5, 4, 3, 2, 1, 0])
    out = np.zeros(7, np.int32)
    kernels.order(codes, before, np.array([0, 3, 5]), out)
    assert out.tolist() == [6, 3, 1, 5, 2, 4, 0]


KEYS = {5: 0, 0: 0, 3: 0, 6: 0, 1: 1, 4: 1, 2: 1}
"""Of records as they stand by key and cell; the last of the first key is of no cell."""
CELLS = {5: 0, 0: 0, 3: 1, 6: None, 1: 2, 4: 2, 2: 3}


def told(pool: tuple[int, ...], person: int) -> float:
    """Return the share of replicas, made of some of a pool, that tell the cell of a person."""
    sets = [*itertools.combinations(pool, TAKEN)]
    told_in = 0
    for replica in sets:
        of_key = [CELLS[item] for item in replica if KEYS[item] == KEYS[person]]
        told_in += bool(of_key) and set(of_key) == {CELLS[person]}
    return told_in / len(sets)


def test_what_a_replica_discloses_is_what_trying_every_replica_shows() -> None:
    originals = [*itertools.combinations(range(7), 3)]
    labels = np.array([[i in original for original in originals] for i in range(7)], np.uint8)
    out = np.zeros((2, len(originals)))
    kernels.disclosed(
        labels, np.array([*KEYS], np.int32), np.array([0, 4, 7]), np.array([0, 2, 4]),
        np.array([0, 2, 4, 6]), np.array([2, 1, 2, 1]), *chances(7, 3),
        np.zeros((3, len(originals)), np.int32), out,
    )  # fmt: skip
    for b, original in enumerate(originals):
        others = tuple(i for i in range(7) if i not in original)
        counted = [i for i in original if CELLS[i] is not None]
        value = sum(told(others, i) for i in counted)
        baseline = sum(told(tuple(j for j in original if j != i), i) for i in counted)
        assert out[:, b] == pytest.approx([value, baseline])


def test_who_is_alone_is_added_up_over_combinations() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, (7, 4)).astype(np.uint8)
    first, second, both = rng.random((3, 8))
    out = np.zeros((2, 4))
    kernels.alone(
        labels, np.array([*KEYS], np.int32), np.array([0, 4, 7]), first, second, both,
        np.zeros((1, 4), np.int32), out,
    )  # fmt: skip
    of_first, of_second = labels[[5, 0, 3, 6]].sum(axis=0), labels[[1, 4, 2]].sum(axis=0)
    value = first[of_first] * second[4 - of_first] + first[of_second] * second[3 - of_second]
    assert out[0] == pytest.approx(value)
    assert out[1] == pytest.approx(both[of_first] + both[of_second])


PEOPLE = {0: "aab", 1: "a", 2: "b", 3: "bb", 4: "ab", 5: "a"}
"""The cells of one key that the people of each cluster are in."""


def test_of_whole_clusters_a_replica_discloses_what_trying_every_replica_shows() -> None:
    def tells(replica: tuple[int, ...], cell: str) -> bool:
        return bool(replica) and all({*PEOPLE[item]} == {cell} for item in replica)

    def share(pool: tuple[int, ...], cell: str) -> float:
        sets = [*itertools.combinations(pool, TAKEN)]
        return sum(tells(replica, cell) for replica in sets) / len(sets)

    originals = [*itertools.combinations(range(6), 3)]
    labels = np.array([[i in original for original in originals] for i in range(6)], np.uint8)
    parts = [
        (i, cells.count(cell), {*cells} == {cell})
        for cell in "ab"
        for i, cells in PEOPLE.items()
        if cell in cells
    ]
    of_a = sum("a" in cells for cells in PEOPLE.values())
    out = np.zeros((2, len(originals)))
    kernels.clusters_out(
        labels, np.arange(6, dtype=np.int32), np.array([0, 6]), np.array([0, 2]),
        np.array([0, of_a, len(parts)]), np.array(parts, np.int64), *chances(6, 3),
        np.zeros((4, len(originals)), np.int32), out,
    )  # fmt: skip
    for b, original in enumerate(originals):
        others = tuple(i for i in range(6) if i not in original)
        value = sum(share(others, cell) for i in original for cell in PEOPLE[i])
        baseline = sum(
            share(tuple(j for j in original if j != i), cell)
            for i in original
            for cell in PEOPLE[i]
        )
        assert out[:, b] == pytest.approx([value, baseline])
