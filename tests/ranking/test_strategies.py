"""From values to points: by hand, and beside scipy, scikit-learn's formula and pandas."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking.strategies import (
    goodness,
    level,
    linear,
    normal,
    order,
    points,
    quantile,
    rank,
    summation,
)
from sdcmetrics.ranking.values import Floats
from sdcmetrics.study.criteria import criterion
from sdcmetrics.study.ranking import STRATEGIES, make_ranking

COLUMNS = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=12)


def column(*values: float) -> Floats:
    return np.array(values, dtype=float)[:, None]


class TestGoodness:
    def test_a_higher_risk_is_worse_and_a_higher_overlap_better(self) -> None:
        made = goodness(
            np.array([[10.0, 0.8], [30.0, 0.9]]), [criterion("DiSCO"), criterion("ROC")]
        )
        assert (made[0] > made[1]).tolist() == [True, False]

    def test_what_has_an_ideal_and_no_direction_is_best_at_the_ideal_from_either_side(self) -> None:
        made = goodness(column(-0.5, 0.1, 0.5), [criterion("std_diff")]).ravel()
        assert made[0] == made[2] < made[1]
        nearest = goodness(column(0.5, 1.0, 3.0), [criterion("weights_total")])
        assert nearest.ravel().tolist() == [-0.5, 0.0, -2.0]


class TestLevel:
    def test_values_that_differ_by_rounding_only_tie_in_every_strategy(self) -> None:
        values = column(1.4699510325486, 1.4699510325487, 2.0)
        for name in STRATEGIES:
            if name != "anchored":
                made = points(name, values, [criterion("std_diff")]).ravel()
                assert made[0] == made[1] > made[2]

    def test_values_that_differ_and_those_that_are_missing_stay_as_they_are(self) -> None:
        values = column(3e-9, math.nan, 1e-9, math.nan, -math.inf, math.inf, math.inf, 5.0)
        assert level(values).ravel().tolist() == pytest.approx(values.ravel().tolist(), nan_ok=True)

    def test_zero_and_what_rounding_leaves_of_it_tie(self) -> None:
        assert level(column(2e-16, 0.0, -1e-16)).ravel().tolist() == [-1e-16] * 3

    @given(COLUMNS)
    def test_whole_numbers_are_untouched(self, values: list[float]) -> None:
        assert level(column(*values)).ravel().tolist() == values


class TestRank:
    @given(COLUMNS)
    def test_equals_scipys_ranks_with_ties_averaged(self, values: list[float]) -> None:
        own = rank(column(*values)).ravel()
        assert own.tolist() == rankdata([-v for v in values], method="average").tolist()

    def test_a_replica_without_a_value_is_last(self) -> None:
        assert rank(column(3, math.nan, 5)).ravel().tolist() == [2.0, 3.0, 1.0]

    def test_points_count_the_ranks_above_the_last(self) -> None:
        made = points("rank", column(3, 1, 2), [criterion("DiSCO")])
        assert made.ravel().tolist() == [0.0, 2.0, 1.0]


class TestLinear:
    @given(COLUMNS)
    def test_is_minimum_to_maximum(self, values: list[float]) -> None:
        made = linear(column(*values)).ravel()
        span = max(values) - min(values)
        expected = [(v - min(values)) / span if span else 0.5 for v in values]
        np.testing.assert_allclose(made, expected, atol=1e-12)

    def test_a_replica_without_a_value_has_no_points_and_is_no_end_of_the_scale(self) -> None:
        assert linear(column(3, math.nan, 5, 4)).ravel().tolist() == [0.0, 0.0, 1.0, 0.5]


class TestNormal:
    def test_several_best_and_several_worst_are_all_so(self) -> None:
        made = normal(column(5, 5, 1, 1, 3)).ravel()
        assert made.tolist() == [1.0, 1.0, 0.0, 0.0, 0.5]

    def test_where_all_are_equal_nothing_is_decided(self) -> None:
        assert normal(column(2, 2, 2)).ravel().tolist() == [0.5, 0.5, 0.5]

    def test_a_replica_without_a_value_has_no_points(self) -> None:
        assert normal(column(2, math.nan, 3)).ravel().tolist() == [0.0, 0.0, 1.0]


class TestQuantile:
    @given(st.lists(st.integers(-50, 50).map(float), min_size=2, max_size=12))
    def test_equals_the_quarters_of_pandas(self, values: list[float]) -> None:
        if len(set(values)) == 1:
            expected = [0.0] * len(values)
        else:
            expected = pd.qcut(values, 4, labels=False, duplicates="drop").tolist()
        assert quantile(column(*values)).ravel().tolist() == expected

    def test_a_replica_without_a_value_has_no_points(self) -> None:
        assert quantile(column(1, 2, math.nan)).ravel().tolist() == [0.0, 3.0, 0.0]

    def test_a_column_without_values_has_no_points(self) -> None:
        assert quantile(column(math.nan, math.nan)).ravel().tolist() == [0.0, 0.0]


class TestSummation:
    def test_a_range_with_two_ends_is_linear_and_one_with_one_end_is_bent(self) -> None:
        names = ["DiSCO", "ROC", "S_pMSE_two_way", "CIO", "std_diff", "k_anonymity"]
        made = summation(np.array([[25, 0.9, 3, -1, -4, 3]]), [criterion(name) for name in names])
        np.testing.assert_allclose(made, [[0.75, 0.9, 0.25, 1 / 3, 0.2, 0.75]])

    def test_a_replica_without_a_value_has_no_points(self) -> None:
        made = summation(column(math.nan, 50), [criterion("DiSCO")])
        assert made.ravel().tolist() == [0.0, 0.5]


class TestOrder:
    def test_the_most_points_are_first(self) -> None:
        assert order(np.array([1.0, 3.0, 2.0])).tolist() == [3.0, 1.0, 2.0]

    def test_totals_tie_that_are_the_same_in_twelve_digits(self) -> None:
        assert order(np.array([0.0, 4e-13])).tolist() == [1.5, 1.5]
        assert order(np.array([0.0, 6e-13])).tolist() == [2.0, 1.0]


class TestStrategyNames:
    @pytest.mark.parametrize("name", STRATEGIES)
    def test_knows_every_strategy(self, name: str) -> None:
        assert make_ranking({"strategy": name}, models=False).strategy == name

    def test_an_unknown_one_is_refused_with_a_hint(self) -> None:
        with pytest.raises(StudyError, match="Did you mean 'linear'"):
            make_ranking({"strategy": "linaer"}, models=False)
