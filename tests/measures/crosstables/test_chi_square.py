"""Chi-square tests of two tables beside scipy's, statsmodels' and all permutations of records."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.crosstables.chi_square import (
    ChiSquare,
    groups_tested,
    holm,
    printed_chi_square,
    two_samples,
)

ONE, OTHER = np.array([12, 7, 0, 3, 5]), np.array([6, 9, 0, 8, 1])


def test_without_draws_it_is_pearsons_of_both_and_cramers_v() -> None:
    table = np.array([ONE, OTHER])[:, [0, 1, 3, 4]]
    expected = stats.chi2_contingency(table, correction=False)
    test, v = two_samples(ONE, OTHER)
    assert (test.statistic, test.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert test.df == expected.dof == 3
    assert v == pytest.approx(stats.contingency.association(table, method="cramer"))
    single = np.array([[3, 1, 2], [2, 0, 4]])  # one record in a cell
    assert two_samples(*single)[0].p_value == pytest.approx(
        stats.chi2_contingency(single, correction=False).pvalue
    )
    alone, v = two_samples([0, 4], [0, 9])
    assert (alone.statistic, alone.df, alone.p_value, v) == (0, 0, 1, 0)
    with pytest.raises(NotComputable, match="no record"):
        two_samples([0, 0], [1, 2])


def test_p_of_few_records_is_that_of_all_ways_to_part_them() -> None:
    one, other = np.array([4, 1, 0]), np.array([1, 3, 2])
    records = np.repeat(np.arange(3), one + other)
    expected, _ = two_samples(one, other)
    every = []
    for some in combinations(range(11), 5):
        first = np.bincount(records[list(some)], minlength=3)
        every.append(two_samples(first, one + other - first)[0].statistic)
    exact = np.mean(np.array(every) >= expected.statistic * (1 - 1e-9))
    result, _ = two_samples(one, other, rng=np.random.default_rng(1))
    assert result.statistic == expected.statistic
    assert result.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 999))
    assert abs(expected.p_value - exact) > 0.015  # by chi-square it is another
    assert result.p_value * 1_000 == pytest.approx(round(result.p_value * 1_000))
    apart = [4, 4, 4, 0, 0, 0]  # as far by chance: 2 of 2.7 million
    result, _ = two_samples(apart, apart[::-1], rng=np.random.default_rng(1))
    assert result.p_value == 1 / 1_000


def test_many_records_in_every_cell_need_no_draws() -> None:
    """Cochran's rule: five are expected in each cell of the smaller sample, and not fewer."""
    rng = np.random.default_rng(1)
    too_few = np.array([16, 5]), np.array([15, 4])
    assert two_samples(*too_few, rng=rng)[0].p_value != two_samples(*too_few)[0].p_value
    enough = np.array([14, 6]), np.array([16, 4])
    assert two_samples(*enough, rng=rng)[0].p_value == two_samples(*enough)[0].p_value


def test_given_draws_are_counted_with_the_table_itself() -> None:
    first, other = np.array([5, 0, 1]), np.array([2, 0, 4])
    drawn = np.array([[3, 0, 3], [5, 0, 1], [1, 0, 5], [2, 0, 4], [4, 0, 2], [6, 0, 0], [3, 0, 3]])
    # as far from 7/2 and 5/2 as the table itself or farther: 5, 1, 2, 6
    assert two_samples(first, other, drawn=drawn)[0].p_value == (1 + 4) / (1 + 7)


def test_as_printed_the_test_data_are_the_truth() -> None:
    test, replica = np.array([30, 12, 0, 6]), np.array([50, 30, 0, 20])
    scaled = replica * 48 / 100
    expected = stats.chisquare(scaled[[0, 1, 3]], test[[0, 1, 3]])
    result = printed_chi_square(test, replica)
    assert result.statistic == pytest.approx(expected.statistic)
    assert result.p_value == pytest.approx(expected.pvalue)
    assert (result.df, result.tested) == (2, True)
    percent = printed_chi_square(test, replica, frequencies="percent")
    assert percent.statistic == pytest.approx(expected.statistic * 100 / 48)
    infinite = printed_chi_square([5, 0], [4, 2])
    assert (infinite.statistic, infinite.p_value) == (math.inf, 0.0)
    assert printed_chi_square([7], [3]).p_value == 1.0


@pytest.mark.parametrize(
    ("test", "replica", "tested"),
    [
        ([6, 6, 6, 6, 5], [1, 1, 1, 1, 1], True),  # four of five are above five
        ([6, 6, 6, 5], [1, 1, 1, 1], False),
        ([6, 6, 6], [3, 3, 0], False),  # a cell that the replica lacks
        ([6, 6, 6, 6, 1], [1, 1, 1, 1, 0], False),
        ([60, 60, 60, 60, 0], [9, 9, 9, 9, 9], True),
    ],
)
def test_it_is_tested_where_its_conditions_hold(
    test: list[int], replica: list[int], tested: bool
) -> None:
    assert printed_chi_square(test, replica).tested is tested


def test_a_test_is_accepted_above_its_level() -> None:
    assert not ChiSquare(1.0, 1, 0.05).accepted()
    assert ChiSquare(1.0, 1, 0.05).accepted(0.04)
    assert not ChiSquare(1.0, 1, 0.5, tested=False).accepted()


def test_holm_is_that_of_statsmodels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gc.collect", lambda: 0)  # as it does: of all that the tests hold
    p = np.random.default_rng(2).random(40) ** 3
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1])
    np.testing.assert_allclose(holm([0.5, 0.4, 0.5]), [1.0, 1.0, 1.0])


def test_groups_are_tested_whose_parts_all_are() -> None:
    asked: list[tuple[int, ...]] = []

    def test(group: tuple[int, ...]) -> ChiSquare:
        asked.append(group)
        return ChiSquare(0.0, 1, 0.5, tested=group not in ((0, 3), (0, 1, 2)))

    result = groups_tested(4, test)
    pairs = list(combinations(range(4), 2))
    assert asked == [*pairs, (0, 1, 2), (1, 2, 3)]
    assert list(result.tests) == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (1, 2, 3)]
    assert not result.capped

    asked.clear()
    assert groups_tested(4, test, largest=2).capped
    assert asked == pairs
    for most, capped in ((5, True), (6, True), (7, True), (8, False)):
        asked.clear()
        assert groups_tested(4, test, most=most).capped is capped
        assert len(asked) == most
    assert not groups_tested(1, test).capped
