"""Loops that count, uncompiled, beside numpy; the hash by the numbers of its authors."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.crosstables import loops

RNG = np.random.default_rng(1)
CODES = [RNG.integers(0, size, 40) for size in (3, 4, 5)]


def test_a_number_of_variables_is_that_of_a_cell() -> None:
    index = CODES[0].copy()
    loops.extend(index, 4, CODES[1])
    assert index.tolist() == np.ravel_multi_index(tuple(CODES[:2]), (3, 4)).tolist()
    counts = np.zeros(12, np.int64)
    loops.count_cells(index, counts)
    assert counts.tolist() == np.bincount(index, minlength=12).tolist()


def test_tables_of_blocks_are_counted() -> None:
    two, three = np.zeros(12, np.int64), np.zeros(60, np.int64)
    loops.count_two(*CODES[:2], 4, two)
    loops.count_three(*CODES, 4, 5, three)
    every = np.ravel_multi_index(tuple(CODES), (3, 4, 5))
    assert three.tolist() == np.bincount(every, minlength=60).tolist()
    assert two.tolist() == three.reshape(12, 5).sum(axis=1).tolist()


@pytest.mark.filterwarnings("ignore:overflow")
def test_the_hash_is_splitmix64() -> None:
    """Its first outputs from the seed 1234567, as published with the generator."""
    mixed = np.array([1234567], np.uint64)
    loops.mix(mixed, np.array([0]))
    assert mixed.tolist() == [6457827717110365317]
    state = np.array([1234567], np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    loops.mix(state, np.array([0]))
    assert state.tolist() == [3203168211198807973]
    later = np.array([1234560], np.uint64)
    loops.mix(later, np.array([7]))
    assert later.tolist() == mixed.tolist()
