"""Moments, p and size under exchange: by enumeration of every way to part small tables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics.measures.crosstables.utility import utility_tab
from sdcmetrics.measures.homogeneity import equal_tables
from sdcmetrics.measures.homogeneity.exchange import (
    Statistics,
    chance_sizes,
    exchanged,
    join,
    lower_limit,
    noticed_size,
    two_cells,
)
from tests.measures.counts import pairs
from tests.measures.homogeneity.enumeration import pearson, ways

SMALL = [([1, 1], 1), ([3, 5], 4), ([2, 9], 3), ([1, 1, 1], 1), ([2, 3, 4], 4), ([1, 1, 7], 2)]
SMALL += [([4, 4, 4], 6), ([1, 2, 3, 4], 5), ([6, 1, 1, 2], 8)]


def statistics(both: list[int], synthetic: np.ndarray) -> Statistics:
    return exchanged(pairs((list(np.array(both) - synthetic), list(synthetic))))


@pytest.mark.parametrize(("both", "m"), SMALL)
class TestAgainstEnumeration:
    def test_x2_is_pearsons(self, both: list[int], m: int) -> None:
        tables, _ = ways(both, m)
        for table in tables:
            assert statistics(both, table).x2[0] == pytest.approx(pearson(both, table), abs=1e-12)

    def test_mean_and_variance_are_exact(self, both: list[int], m: int) -> None:
        tables, chance = ways(both, m)
        x2, result = pearson(both, tables), statistics(both, tables[0])
        mean = (chance * x2).sum()
        assert result.expected[0] == pytest.approx(mean)
        if sum(both) > 3:
            assert result.variance[0] == pytest.approx((chance * (x2 - mean) ** 2).sum(), abs=1e-12)

    def test_the_size_is_unbiased(self, both: list[int], m: int) -> None:
        tables, chance = ways(both, m)
        n = sum(both) - m
        a, b = tables / m, (np.array(both) - tables) / n
        mean = (chance[:, None] * (a - b) ** 2 / (a + b)).sum()
        assert chance_sizes(n, m)[both].sum() == pytest.approx(mean)

    def test_p_of_two_cells_is_exact(self, both: list[int], m: int) -> None:
        if len(both) > 2:
            pytest.skip("of two cells")
        tables, chance = ways(both, m)
        for table in tables:
            below = chance[tables[:, 0] <= table[0]].sum()
            above = chance[tables[:, 0] >= table[0]].sum()
            result = statistics(both, table).p[0]
            assert result == pytest.approx(min(1.0, 2 * min(below, above)))


class TestP:
    def test_of_more_cells_it_is_close_to_the_exact_one(self) -> None:
        both = [8, 10, 12]
        tables, chance = ways(both, 15)
        x2 = pearson(both, tables)
        for table, value in zip(tables, x2, strict=True):
            exact = chance[x2 >= value - 1e-9].sum()
            if 0.01 < exact < 0.5:
                assert statistics(both, table).p[0] == pytest.approx(exact, rel=0.35, abs=0.03)

    def test_is_1_where_x2_is_the_same_whatever_is_exchanged(self) -> None:
        result = statistics([1] * 8, np.array([1, 1, 1, 0, 0, 0, 0, 0]))
        assert result.p.tolist() == [1.0]

    def test_of_two_cells_of_large_files_equals_scipy(self) -> None:
        n, m, both, synthetic = 40_000, 60_000, 900, 585
        law = stats.hypergeom(n + m, m, both)
        exact = 2 * law.sf(synthetic - 1)
        assert two_cells(synthetic, both, n, m) == pytest.approx(exact, rel=1e-6)

    def test_which_side_is_the_replica_does_not_matter(self) -> None:
        first = exchanged(pairs(([5, 9, 1], [2, 3, 4])))
        other = exchanged(pairs(([2, 3, 4], [5, 9, 1])))
        for name in ("x2", "expected", "variance", "p", "w"):
            assert getattr(first, name) == pytest.approx(getattr(other, name))


class TestSize:
    @pytest.mark.parametrize("shift", [0.1, 0.3])
    def test_a_shift_of_q_standard_deviations_has_nearly_q(self, shift: float) -> None:
        rng = np.random.default_rng(5)
        x, y = rng.normal(size=(2, 200_000))
        frames = [pd.DataFrame({"x": each}) for each in (x, y + shift)]
        table = equal_tables(*frames, derived=False).frame
        assert table["w"][0] == pytest.approx(0.95 * shift, rel=0.1)

    def test_no_share_is_off_by_more_than_half_of_it(self) -> None:
        result = exchanged(pairs(([4000, 3000, 3000], [3000, 3500, 3500])))
        assert 0.1 <= result.w[0] / 2 < 0.11  # the shares are 0.1 apart

    def test_large_cells_take_two_terms_of_the_series(self) -> None:
        n, m = 700, 500
        last = len(chance_sizes(n, m)) - 1
        law = stats.hypergeom(n + m, m, last)
        s = np.arange(last + 1)
        a, b = s / m, (last - s) / n
        exact = (law.pmf(s) * (a - b) ** 2 / (a + b)).sum()
        large = exchanged(pairs(([n - 300, 300], [m - 200, 200])))
        assert chance_sizes(n, m)[last] == pytest.approx(exact)
        apart = ((400 / 700 - 300 / 500) ** 2) * (1 / (400 / 700 + 0.6) + 1 / (300 / 700 + 0.4))
        series = 1200**2 / (n * m) ** 2 * n * m / 1200**2 * 1200 / 2 * (500 + 700) / 1199
        assert large.w[0] ** 2 / 2 == pytest.approx(max(apart - series, 0.0), abs=1e-12)


class TestAdvice:
    def test_equals_s_pmse_where_both_have_as_many_records(self) -> None:
        rng = np.random.default_rng(2)
        frames = [pd.DataFrame({"x": rng.normal(size=90), "y": list("abc") * 30}) for _ in "ab"]
        frame = equal_tables(*frames, ways=2, derived=False).frame.set_index("variables")
        for names in (["x"], ["y"], ["x", "y"]):
            utility = utility_tab(*frames, names)
            row = frame.loc[[tuple(names)]].iloc[0]
            assert row["S_pMSE"] == pytest.approx(utility["S_pMSE"])
            assert row["cells"] == utility["df"] + 1

    def test_is_brought_to_equal_numbers(self) -> None:
        table = [30, 20, 10], [9, 2, 4]
        result = exchanged(pairs(table))
        assert result.s_p_mse[0] == pytest.approx(2 * result.x2[0] / 2)


class TestLowerLimit:
    def test_is_zero_where_chance_alone_does_it(self) -> None:
        result = exchanged(pairs(([50, 50], [48, 52])))
        assert lower_limit(result, 3.0).tolist() == [0.0]

    def test_by_hand(self) -> None:
        ones = np.ones(1)
        table = Statistics(3 * ones, 102 * ones, 2 * ones, 4 * ones, ones, 0.6 * ones, ones, ones)
        y = 108 - np.sqrt(108**2 - 100**2 + 4 * 4)  # a = 100, z = 2, b = 100 + 2 * 4
        assert lower_limit(table, 2.0)[0] == pytest.approx(0.6 * np.sqrt(y / 100))

    def test_clusters_widen_it(self) -> None:
        ones = np.ones(1)
        parts = [
            Statistics(3 * ones, 102 * ones, 2 * ones, 4 * ones, ones, 0.6 * ones, ones, g * ones)
            for g in (1.0, 3.0)
        ]
        first, other = lower_limit(join(parts), 2.0)
        assert other < first


def test_noticed_size_has_a_power_of_four_fifths() -> None:
    w = noticed_size(500, 300, 24.0, 55, chance=0.01, least=1.5)
    bar = max(stats.chi2.isf(0.01 / 55, 24), 36)
    assert stats.ncx2.sf(bar, 24, w**2 * 500 * 300 / 800) == pytest.approx(0.8, abs=1e-6)


def test_of_two_cells_every_number_of_small_files_has_its_exact_tails() -> None:
    for n, m in itertools.product(range(1, 8), range(1, 6)):
        for both in range(1, n + m):
            possible = range(max(both - n, 0), min(both, m) + 1)
            chance = [
                math.comb(m, k) * math.comb(n, both - k) / math.comb(n + m, both) for k in possible
            ]
            for i, k in enumerate(possible):
                tails = 2 * min(sum(chance[: i + 1]), sum(chance[i:]))
                assert two_cells(k, both, n, m) == pytest.approx(min(1.0, tails))
