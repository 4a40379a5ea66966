from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.fits.coefficients import adjusted_r2, mcfadden_adjusted, weights_of
from sdcmetrics.measures.fits.overlap import (
    interval_overlap,
    lack_of_fit,
    lack_of_fit_incomplete,
    standardised_difference,
    truncated,
)

Z = 1.959963984540054


def overlap(original: float, synthetic: float, se_original: float, se_synthetic: float) -> float:
    arrays = [np.array([value]) for value in (original, synthetic, se_original, se_synthetic)]
    return float(interval_overlap(*arrays)[0])


class TestIntervalOverlap:
    def test_the_same_interval_overlaps_wholly(self) -> None:
        assert overlap(3, 3, 2, 2) == 1

    def test_intervals_that_touch_overlap_by_nothing(self) -> None:
        assert overlap(0, 2 * Z, 1, 1) == pytest.approx(0)

    def test_intervals_apart_count_below_nothing_without_bound(self) -> None:
        assert overlap(0, 20 * Z, 1, 1) == pytest.approx(-9)

    def test_with_equal_errors_it_is_a_function_of_the_difference(self) -> None:
        assert overlap(1, 2, 0.5, 0.5) == pytest.approx(1 - 1 / (2 * Z * 0.5))

    def test_an_interval_inside_another_counts_its_share_of_it(self) -> None:
        assert overlap(0, 0, 2, 1) == pytest.approx(0.75)

    def test_karr_is_symmetric(self) -> None:
        a, b, c, d = (np.array([v]) for v in (0.3, 1.1, 0.7, 0.2))
        assert interval_overlap(a, b, c, d) == pytest.approx(interval_overlap(b, a, d, c))

    def test_truncation_takes_only_negative_values(self) -> None:
        assert truncated(np.array([-3, 0, 0.25, np.nan])).tolist()[:3] == [0, 0, 0.25]


def test_the_standardised_difference_has_a_sign() -> None:
    one = np.array([1.0])
    assert standardised_difference(2 * one, one, one / 2).tolist() == [-2]


class TestLackOfFit:
    def test_is_the_mahalanobis_distance(self) -> None:
        covariance = np.array([[2.0, 1.0], [1.0, 3.0]])
        difference = np.array([1.0, -2.0])
        test = lack_of_fit(difference, covariance)
        assert test.statistic == pytest.approx(difference @ np.linalg.inv(covariance) @ difference)
        assert (test.df, test.ratio) == (2, test.statistic / 2)

    def test_units_do_not_matter(self) -> None:
        covariance = np.array([[2.0, 1.0], [1.0, 3.0]])
        units = np.array([1e6, 1e-6])
        plain = lack_of_fit(np.array([1.0, -2.0]), covariance)
        scaled = lack_of_fit(np.array([1.0, -2.0]) * units, covariance * np.outer(units, units))
        assert scaled.statistic == pytest.approx(plain.statistic)
        assert scaled.ill_conditioned
        assert not plain.ill_conditioned

    def test_one_coefficient_is_a_z_test(self) -> None:
        test = lack_of_fit(np.array([Z]), np.array([[1.0]]))
        assert test.p_value == pytest.approx(0.05)

    def test_the_f_test_takes_the_spread_from_the_syntheses(self) -> None:
        differences = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, -1.0], [3.0, 1.0]])
        between = np.cov(differences.T) / 4
        mean = differences.mean(axis=0)
        want = mean @ np.linalg.inv(between) @ mean * (4 - 2) / (2 * 3)
        test = lack_of_fit_incomplete(differences)
        assert test.statistic == pytest.approx(want)
        assert (test.df, test.df2, test.ratio) == (2, 2, test.statistic)

    def test_no_variance_gives_no_number(self) -> None:
        assert math.isnan(lack_of_fit(np.array([1.0]), np.array([[0.0]])).statistic)


class TestExplained:
    def test_adjusted_r2_by_hand(self) -> None:
        assert adjusted_r2(0.6, 13, 3) == pytest.approx(1 - 0.4 * 12 / 10)
        assert adjusted_r2(0.6, 13, 3, intercept=False) == pytest.approx(1 - 0.4 * 13 / 10)

    def test_can_be_negative(self) -> None:
        assert adjusted_r2(0.01, 10, 5) < 0
        assert mcfadden_adjusted(-99.0, -100.0, 3) < 0

    def test_is_undefined_without_records_to_spare(self) -> None:
        assert math.isnan(adjusted_r2(1.0, 3, 3))
        assert math.isnan(mcfadden_adjusted(0.0, 0.0, 1))

    def test_weights_add_up_to_one_and_nothing_weighs_less_than_nothing(self) -> None:
        weights = weights_of(np.array([0.3, np.nan, -0.2, 0.1]))
        assert weights == pytest.approx([0.75, 0, 0, 0.25])
        assert weights_of(np.array([-1.0, np.nan])).tolist() == [0, 0]


def test_the_overlap_of_means_is_that_of_every_synthesis() -> None:
    rng = np.random.default_rng(3)
    frames = [pd.DataFrame({"x": rng.normal(mean, 1, 80)}) for mean in (0.0, 0.1, 0.5)]
    (mean, se), *others = [(frame["x"].mean(), frame["x"].std() / np.sqrt(80)) for frame in frames]
    each = [overlap(mean, theirs, se, error) for theirs, error in others]
    assert each[0] > each[1]
    row = sdc.mean_ci_overlap(frames[0], frames[1:]).by_variable.loc["x"]
    assert row["overlap"] == pytest.approx(np.mean(each))
