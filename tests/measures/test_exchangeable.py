"""Of the records that are drawn, how many have something."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from sdcmetrics.measures.exchangeable import (
    hypergeometric,
    more_than_binomial,
    more_than_hypergeometric,
)
from tests.versions import EXACT_TAILS


@pytest.mark.parametrize("n", [1, 2, 5, 30, 400])
def test_the_chances_of_counts_are_those_of_scipy(n: int) -> None:
    result = np.arange(-1, n + 2)
    for having in {0, 1, n // 2, n}:
        for drawn in {0, 1, n // 3, n}:
            ours = hypergeometric(result, n, having, drawn)
            np.testing.assert_allclose(ours, stats.hypergeom.pmf(result, n, having, drawn), 1e-10)


def test_tails_are_those_of_scipy() -> None:
    for pool, having, drawn in ((7, 3, 5), (6, 6, 6), (9, 0, 4), (48_000, 321, 24_000)):
        for k in (-1, 0, 1, 2, 3, 170):
            own = more_than_hypergeometric(k, having, drawn, pool)
            assert own == pytest.approx(stats.hypergeom.sf(k, pool, having, drawn), rel=1e-13)
            own = more_than_binomial(k, having, drawn / pool)
            assert own == pytest.approx(stats.binom.sf(k, having, drawn / pool), rel=1e-13)


def test_tails_are_exact_however_small() -> None:
    for pool, having, drawn in ((7, 3, 5), (30, 11, 29), (900, 450, 300), (900, 2, 899)):
        ways = [
            math.comb(having, k) * math.comb(pool - having, drawn - k) for k in range(drawn + 1)
        ]
        for k in (0, 1, drawn // 3, drawn // 2, drawn - 1):
            expected = float(Fraction(sum(ways[k + 1 :]), math.comb(pool, drawn)))
            assert more_than_hypergeometric(k, having, drawn, pool) == pytest.approx(
                expected, rel=1e-14, abs=0
            )


def test_no_tail_is_more_than_one() -> None:
    for having in range(300, 360):
        for drawn in range(100, 160):
            assert more_than_hypergeometric(27, having, drawn, 596) <= 1


def test_tails_of_a_hundred_million_records_take_no_memory() -> None:
    own = more_than_hypergeometric(25_003_000, 50_000_000, 50_000_000, 100_000_000)
    assert own == pytest.approx(stats.norm.sf(3_000.5 / 2_500), rel=1e-5)


def test_counts_that_cannot_be_have_no_chance_at_all() -> None:
    for result, having, drawn in ((-1, 3, 4), (4, 3, 4), (5, 7, 4), (0, 7, 4), (0, 10, 1)):
        assert hypergeometric(result, 10, having, drawn) == 0.0
    ours = hypergeometric(np.array([[0], [2]]), 6, np.array([3, 1]), 2)
    np.testing.assert_allclose(ours, [[3 / 15, 10 / 15], [3 / 15, 0]])


def test_any_binomial_tail_is_that_of_scipy() -> None:
    rng = np.random.default_rng(4)
    for _ in range(2_000):
        trials = int(rng.integers(0, 50_000))
        k, chance = int(rng.integers(-2, trials + 3)), float(rng.random() ** 4)
        expected = stats.binom.sf(k, trials, chance)
        rel, least = (1e-12, 0.0) if EXACT_TAILS else (1e-9, 1e-300)
        assert more_than_binomial(k, trials, chance) == pytest.approx(expected, rel=rel, abs=least)
    for chance in (0.0, 1.0):
        assert more_than_binomial(2, 5, chance) == stats.binom.sf(2, 5, chance)
