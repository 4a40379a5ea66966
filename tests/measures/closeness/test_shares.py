"""Distances to the closest records, by hand; and the label tests against scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from sdcmetrics.errors import DataError
from sdcmetrics.measures.closeness.shares import (
    ClosestRecords,
    dcr_holdout,
    dcr_share,
    dcr_training,
    ims_holdout,
    ims_training,
)
from sdcmetrics.measures.exchangeable import LabelTest, label_p
from sdcmetrics.results import Share


def closest(training: Any, holdout: Any, sizes: tuple[int, int] = (10, 10)) -> ClosestRecords:
    copies = [np.asarray(side) == 0 for side in (training, holdout)]
    return ClosestRecords(np.asarray(training), np.asarray(holdout), *sizes, *copies)


class TestShare:
    def test_ties_are_split_by_the_sizes_of_the_data_sets(self) -> None:
        result = closest([0, 1, 2, 3], [1, 1, 2, 2], (30, 10))
        assert (result.closer, result.equal, result.further) == (1, 2, 1)
        assert dcr_share(result) == (1 + 2 * 3 / 4) / 4

    def test_copies_of_the_training_data_have_a_share_of_one(self) -> None:
        assert dcr_share(closest([0, 0, 0], [1, 2, 1])) == 1.0

    def test_sizes_are_given_in_the_order_training_synthetic_holdout(self) -> None:
        assert closest([0], [1], (3, 5)).sizes == (3, 1, 5)


def test_means_are_those_of_each_side() -> None:
    result = closest([0.0, 0.5], [1.0, 0.25])
    assert (dcr_training(result), dcr_holdout(result)) == (0.25, 0.625)


def test_a_mean_of_bytes_does_not_overflow() -> None:
    assert dcr_training(closest(np.full(1000, 200, np.uint8), np.zeros(1000, np.uint8))) == 200


def test_identical_matches_are_shares_of_the_synthetic_records() -> None:
    result = closest([0, 0, 2], [1, 0, 2])
    assert (ims_training(result), ims_holdout(result)) == (Share(2, 3), Share(1, 3))


@pytest.mark.parametrize(
    ("training", "holdout", "sizes"), [([0], [0, 1], (1, 1)), ([], [], (1, 1))]
)
def test_there_must_be_a_distance_on_both_sides(training: Any, holdout: Any, sizes: Any) -> None:
    with pytest.raises(DataError, match="one distance per synthetic record"):
        closest(training, holdout, sizes)


class TestLabels:
    def test_equals_fishers_exact_test(self) -> None:
        test = LabelTest(training=12, holdout=3, n_training=100, n_holdout=60)
        table = [[12, 3], [88, 57]]
        expected = stats.fisher_exact(table, alternative="greater").pvalue
        assert test.p_value == pytest.approx(expected)
        assert test.expected == 15 * 100 / 160

    def test_where_nothing_stands_out_nothing_is_said(self) -> None:
        assert LabelTest(0, 0, 5, 5).p_value == 1.0
        assert LabelTest(0, 0, 5, 5).expected == 0.0

    def test_more_of_the_holdout_is_no_finding(self) -> None:
        assert label_p(LabelTest(0, 9, 50, 50)) == 1.0

    @pytest.mark.parametrize("counts", [(6, 0, 5, 5), (0, -1, 5, 5), (0, 0, 0, 0)])
    def test_counts_must_be_counts_of_records(self, counts: tuple[int, int, int, int]) -> None:
        with pytest.raises(DataError, match="at most the number of records"):
            LabelTest(*counts)
