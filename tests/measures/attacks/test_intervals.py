"""Intervals against the examples of their papers, and against their formulas as printed there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sdcmetrics.measures.attacks.intervals import (
    Z,
    auc_interval,
    excess_interval,
    spread_factor,
    wilson,
)
from sdcmetrics.measures.survey.households import Households


@pytest.mark.parametrize("successes", [1, 4, 9])
def test_wilsons_ends_are_where_the_score_test_rejects(successes: int) -> None:
    n = 10
    for end in wilson(successes, n):
        assert abs(successes / n - end) == pytest.approx(Z * math.sqrt(end * (1 - end) / n))


def test_wilson_where_none_and_where_all_succeed() -> None:
    none, everyone = wilson(0, 7), wilson(7, 7)
    assert none == (0.0, pytest.approx(Z**2 / (7 + Z**2)))
    assert everyone == (pytest.approx(7 / (7 + Z**2)), 1.0)


@pytest.mark.parametrize("n", [1, 3, 7, 20, 33, 49, 101, 630, 48_842])
def test_rounding_hides_no_end_at_0_or_1(n: int) -> None:
    assert wilson(0, n)[0] == 0.0
    assert wilson(n, n)[1] == 1.0


def _as_donner_and_zou(training: float, n: int, control: float, h: int) -> tuple[float, float]:
    """Return 1 - MOVER-R's interval of the ratio of the failures, as the paper prints it."""
    q1, q2 = 1 - training, 1 - control
    (l1, u1), (l2, u2) = wilson(q1 * n, n), wilson(q2 * h, h)
    product = q1 * q2
    low = product - math.sqrt(product**2 - l1 * u2 * (2 * q1 - l1) * (2 * q2 - u2))
    high = product + math.sqrt(product**2 - u1 * l2 * (2 * q1 - u1) * (2 * q2 - l2))
    return 1 - high / (l2 * (2 * q2 - l2)), 1 - low / (u2 * (2 * q2 - u2))


@pytest.mark.parametrize(
    ("training", "n", "control", "h"),
    [(0.5, 40, 0.25, 60), (0.1, 100, 0.3, 50), (0.6, 25, 0.6, 90), (0.02, 400, 0.01, 300)],
)
def test_the_excess_is_movers_interval_of_a_ratio(
    training: float, n: int, control: float, h: int
) -> None:
    low, high = excess_interval(training, n, control, h)
    assert (low, high) == pytest.approx(_as_donner_and_zou(training, n, control, h))
    assert low < (training - control) / (1 - control) < high


def test_a_factor_is_as_many_records_less() -> None:
    assert excess_interval(0.5, 80, 0.25, 120, 2.0) == excess_interval(0.5, 40, 0.25, 60)


def test_the_corners_of_the_excess() -> None:
    assert all(math.isnan(end) for end in excess_interval(0.5, 10, 1.0, 10))
    # all of the original are right: at most 1, and at least what 10 of 10 allow
    low, high = excess_interval(1.0, 10, 0.5, 10)
    assert high == 1.0
    assert low == pytest.approx(_as_donner_and_zou(1.0, 10, 0.5, 10)[0])
    # one outsider of many fails: the ratio has no upper end if their failures may be none
    low, high = excess_interval(0.9, 10, 0.999999, 1)
    assert low < -1
    assert math.isfinite(high)
    nearly = 1 - 2.0**-53
    assert wilson((1 - nearly) * 1, 1)[0] == 0.0  # by rounding
    assert excess_interval(0.9, 10, nearly, 1)[0] == -math.inf


@pytest.mark.parametrize("auc", [0.3, 0.5, 0.81, 0.999])
@pytest.mark.parametrize(("n", "h"), [(30, 50), (200, 10)])
def test_the_ends_of_an_auc_solve_newcombes_equation(auc: float, n: int, h: int) -> None:
    ends = auc_interval(auc, n, h)
    for theta in ends:
        q1, q2 = theta / (2 - theta), 2 * theta**2 / (1 + theta)  # Hanley and McNeil
        rest = (n + h) / 2 - 1
        variance = theta * (1 - theta) + rest * (q1 - theta**2 + q2 - theta**2)
        assert (auc - theta) ** 2 == pytest.approx(Z**2 * variance / (n * h), rel=1e-6)
    assert ends[0] < auc < ends[1]


def test_the_edges_of_an_auc() -> None:
    low, high = auc_interval(0.0, 20, 30)
    assert low == 0.0
    assert auc_interval(1.0, 20, 30) == (pytest.approx(1 - high), 1.0)


class TestSpreadFactor:
    def test_zeros_and_ones_vary_as_they_do(self) -> None:
        assert spread_factor(np.array([0.0, 1.0, 1.0, 0.0, 0.0])) == pytest.approx(1.0)

    def test_shares_vary_less(self) -> None:
        # mean 1/2; variance 1/16 where zeros and ones have 1/4
        assert spread_factor(np.array([0.25, 0.75])) == pytest.approx(0.25)

    def test_all_or_none_right_is_no_reason_to_divide(self) -> None:
        assert spread_factor(np.ones(4)) == spread_factor(np.zeros(4)) == 1.0

    def test_households_that_succeed_together_say_half(self) -> None:
        success = np.repeat([1.0, 0.0, 1.0, 0.0], 2)
        households = Households(np.array([0, 0, 1, 1, 2, 2, 3, 3]), 4)
        assert spread_factor(success, households) == pytest.approx(2.0)
        alone = Households(np.arange(8), 4)
        assert spread_factor(success, alone) == pytest.approx(1.0)

    def test_households_never_say_more_than_single_people(self) -> None:
        success = np.tile([1.0, 0.0], 4)  # who lives together does not succeed together
        households = Households(np.array([0, 0, 1, 1, 2, 2, 3, 3]), 4)
        assert spread_factor(success, households) == pytest.approx(1.0)
