"""Copies in every value, counted without a holdout, beside what fresh data would hold."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sdcmetrics.measures.closeness.copies import (
    Copies,
    count_copies,
    exact_copies,
    exact_copies_p,
)

Longs = npt.NDArray[np.int64]
records = st.lists(st.integers(0, 12), min_size=1, max_size=30)


def found(original: Longs | list[int], synthetic: Longs | list[int]) -> Copies:
    _, code = np.unique(np.concatenate([original, synthetic]), return_inverse=True)
    parts = np.split(code, [len(original)])
    counts = (np.bincount(part, minlength=code.max() + 1) for part in parts)
    return count_copies(*counts)


@settings(max_examples=60, deadline=None)
@given(original=records, synthetic=records)
def test_counts_are_those_of_record_by_record(original: list[int], synthetic: list[int]) -> None:
    one = found(original, synthetic)
    assert exact_copies(one).count == sum(record in synthetic for record in original)
    assert one.duplicates == sum(original.count(record) > 1 for record in original)
    assert one.same == (Counter(original) == Counter(synthetic))
    assert 0 <= exact_copies_p(one).value <= 1


def test_p_is_the_binomial_of_pairs_that_are_split() -> None:
    # Five values that two records have: four split between the data sets, one is the original's.
    one = found([0, 1, 2, 3, 4, 4], [0, 1, 2, 3, 5, 6])
    assert (one.mixed, one.combinations, one.chance) == (4, 5, 0.5)
    assert exact_copies_p(one).value == pytest.approx(stats.binom.sf(3, 5, 0.5))


@pytest.mark.parametrize(("n", "m"), [(400, 400), (400, 80), (400, 2000)])
@pytest.mark.parametrize("levels", [300, 3000, 10**6])
def test_fresh_data_are_seldom_called_copies(n: int, m: int, levels: int) -> None:
    rng = np.random.default_rng(levels + m)

    def p() -> float:
        return exact_copies_p(found(rng.integers(0, levels, n), rng.integers(0, levels, m))).value

    level, times = 0.05, 200
    rejected = sum(p() <= level for _ in range(times))
    assert rejected <= stats.binom.ppf(0.999, times, level)


def test_a_copy_of_every_twentieth_record_is_found_where_records_are_wide() -> None:
    rng = np.random.default_rng(1)
    original, synthetic = rng.integers(0, 10**6, (2, 400))
    synthetic[:20] = original[:20]
    assert exact_copies_p(found(original, synthetic)).value < 0.001


class TestComplete:
    def test_a_shuffled_copy_is_one(self) -> None:
        assert found([3, 1, 2], [1, 2, 3]).complete

    def test_a_copy_with_more_records_is_one(self) -> None:
        assert found([3, 1, 2], [1, 2, 3, 3, 4]).complete

    def test_a_fresh_sample_of_few_levels_is_none(self) -> None:
        assert not found([0, 0, 1, 1, 1], [0, 0, 0, 1, 1]).complete

    def test_a_copy_of_few_levels_is_one(self) -> None:
        assert found([0, 0, 1, 1, 1], [1, 0, 1, 0, 1]).complete
