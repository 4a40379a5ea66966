"""What noise protects: exact for the discrete law, and how it adds up."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from sdcmetrics.release.accounting import (
    delta_of,
    half_width,
    mu_of,
    right_guesses,
    steps_of,
    together,
    variance_for,
)


def law(variance: float) -> tuple[np.ndarray, np.ndarray]:
    reach = math.ceil(14 * math.sqrt(variance)) + 2
    k = np.arange(-reach, reach + 1)
    weight = np.exp(-(k**2) / (2 * variance))
    return k, weight / weight.sum()


def best_guess(variance: float, shift: int) -> float:
    """Return the share of right guesses, at best, between the law and itself moved."""
    _, chance = law(variance)
    moved = np.concatenate([np.zeros(shift), chance])
    return 0.5 * float(np.maximum(moved, np.concatenate([chance, np.zeros(shift)])).sum())


@pytest.mark.parametrize("variance", [0.3, 1.0, 1.0859375, 4.0, 33.0, 400.0])
@pytest.mark.parametrize("shift", [1, 2, 3])
def test_no_guess_beats_mu(variance: float, shift: int) -> None:
    assert best_guess(variance, shift) <= right_guesses(mu_of(variance, shift)) + 1e-12


def test_one_by_sd_would_be_too_little() -> None:
    # The guess between two discrete Gaussians of sd 1 is right more often than between Gaussians.
    assert best_guess(1.0, 1) > right_guesses(1.0) + 0.005
    assert best_guess(1.0, 1) == pytest.approx(right_guesses(mu_of(1.0)), abs=1e-12)


@pytest.mark.parametrize("variance", [0.3, 1.0, 2.5, 9.0])
def test_the_trade_off_of_the_discrete_law_is_never_below_the_gaussian(variance: float) -> None:
    k, chance = law(variance)
    below = np.cumsum(chance)
    mu = mu_of(variance)
    for i in range(len(k) - 1):  # to reject above k: the error of either kind
        false_alarm, missed = 1 - below[i], below[i - 1] if i else 0.0
        if 1e-9 < false_alarm < 1 - 1e-9:
            assert missed >= norm.cdf(norm.isf(false_alarm) - mu) - 1e-9


@pytest.mark.parametrize("variance", [0.05, 0.3, 1.0, 5.0, 9.99])
def test_the_largest_step_is_in_the_middle(variance: float) -> None:
    assert steps_of(variance).argmax() == 0


def test_steps_are_looked_at_up_to_eight_standard_deviations() -> None:
    assert [len(steps_of(variance)) for variance in (4.0, 0.25, 10.0)] == [17, 5, 1]


def test_small_and_large_variances_meet() -> None:
    assert mu_of(9.999999) == pytest.approx(mu_of(10.000001), rel=1e-6)


def test_mu_falls_with_the_variance_and_grows_with_what_a_person_moves() -> None:
    mus = [mu_of(v) for v in (0.1, 0.5, 1, 3, 9.9, 10.1, 100)]
    assert mus == sorted(mus, reverse=True)
    assert mu_of(4.0, 3) == pytest.approx(3 * mu_of(4.0))


@pytest.mark.parametrize("variance", [1e4, 1e10, 1e17, 1e24, 1e60])
def test_a_price_keeps_its_digits_however_wide_the_noise_is(variance: float) -> None:
    # One that was rounded to 0 would be paid from no budget.
    first = 1 + 1 / (24 * variance)
    assert mu_of(variance) * math.sqrt(variance) == pytest.approx(first, rel=1e-9)


@pytest.mark.parametrize("sensitivity", [1, 10**6, 10**15])
def test_what_was_bought_is_what_is_paid(sensitivity: int) -> None:
    for mu in (0.18, 1e-3, 1e-6):
        variance = float(variance_for(mu, sensitivity))
        assert mu_of(variance, sensitivity) == pytest.approx(mu, rel=1e-4)


@pytest.mark.parametrize(
    ("mu", "sensitivity"),
    [
        *itertools.product([0.02, 0.1193, 0.5, 1.0, 2.0], [1, 2, 5]),
        (23.0, 1),
        (30.0, 1),
        (120.0, 5),
    ],
)
def test_the_variance_is_the_least_that_keeps_to_mu(mu: float, sensitivity: int) -> None:
    variance = variance_for(mu, sensitivity)
    assert mu_of(float(variance), sensitivity) <= mu
    assert mu_of(float(variance - Fraction(1, 1024)), sensitivity) > mu
    assert float(variance) >= (sensitivity / mu) ** 2


def test_squares_add_up() -> None:
    assert together([1 / math.sqrt(41)] * 41) == pytest.approx(1.0)
    assert together([]) == 0.0


def test_delta_falls_with_epsilon() -> None:
    assert delta_of(1.0, 0.0) == pytest.approx(2 * norm.cdf(0.5) - 1)  # the total variation
    assert delta_of(1.0, 1.0) > delta_of(1.0, 3.0) > delta_of(1.0, 6.0) > 0


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 3.0])
def test_delta_is_what_one_gaussian_has_beyond_so_many_times_another(
    mu: float, epsilon: float
) -> None:
    x = np.linspace(-12, 14, 400_001)
    beyond = np.maximum(norm.pdf(x - mu) - math.exp(epsilon) * norm.pdf(x), 0)
    assert delta_of(mu, epsilon) == pytest.approx(np.trapezoid(beyond, x), rel=1e-6)


def test_nine_of_ten_draws_are_in_the_range() -> None:
    k, chance = law(33.0)
    within = chance[np.abs(k) <= half_width(33.0)].sum()
    assert within == pytest.approx(0.9, abs=0.02)
    assert half_width(4.0) == pytest.approx(2 * norm.ppf(0.95))
