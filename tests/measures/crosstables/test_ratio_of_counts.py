"""Ratio of counts on tables small enough to check by hand."""

from __future__ import annotations

import pytest

from sdcmetrics.measures.crosstables.ratio_of_counts import roc, sparse_categories
from tests.measures.counts import pairs


class TestRoc:
    def test_averages_the_ratio_of_the_smaller_to_the_larger_share(self) -> None:
        assert roc(pairs(([3, 1], [2, 2])))[0] == pytest.approx((0.5 / 0.75 + 0.25 / 0.5) / 2)

    def test_is_not_the_pooled_ratio(self) -> None:
        # Pooled: (0.5 + 0.25) / (0.75 + 0.5) = 0.6, which the published code does not compute.
        assert roc(pairs(([75, 25], [50, 50])))[0] == pytest.approx(0.5833, abs=5e-5)

    def test_compares_shares_and_not_counts(self) -> None:
        assert roc(pairs(([30, 10], [3, 1])))[0] == 1.0

    def test_a_category_that_one_side_lacks_counts_as_zero(self) -> None:
        assert roc(pairs(([1, 1, 0], [1, 0, 1])))[0] == pytest.approx(1 / 3)

    def test_disjoint_categories_give_zero(self) -> None:
        assert roc(pairs(([4, 0], [0, 7])))[0] == 0.0

    def test_a_category_that_neither_side_has_does_not_count(self) -> None:
        assert roc(pairs(([3, 0, 1], [2, 0, 2])))[0] == roc(pairs(([3, 1], [2, 2])))[0]

    def test_gives_one_value_a_table(self) -> None:
        assert roc(pairs(([1, 1], [1, 1]), ([1], [5]), ([1, 0], [0, 1]))).tolist() == [
            1.0,
            1.0,
            0.0,
        ]


class TestSparseCategories:
    def test_counts_categories_that_neither_side_fills_enough(self) -> None:
        tables = pairs(([98, 2], [99, 1]))
        assert sparse_categories(tables, 5).tolist() == [1]
        assert sparse_categories(tables, 2).tolist() == [0]

    def test_a_category_that_only_one_side_has_in_numbers_is_a_difference_and_not_sparse(
        self,
    ) -> None:
        assert sparse_categories(pairs(([95, 5], [100, 0])), 5).tolist() == [0]

    def test_counts_table_by_table(self) -> None:
        tables = pairs(([1, 9], [1, 9]), ([9, 9], [9, 9]), ([1, 1], [1, 1]))
        assert sparse_categories(tables, 2).tolist() == [1, 0, 2]
