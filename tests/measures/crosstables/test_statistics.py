"""Differences between two tables: values that can be checked by hand.

The table that most tests use has 4 records a side: original 3 and 1, replica 2 and 2. Then
c = 1/2, the expected synthetic counts are 2.5 and 1.5, the differences -1 and 1, and the
scores 2/5 and 2/3.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sdcmetrics.measures.crosstables import statistics as tu
from sdcmetrics.measures.crosstables.counting import TablePairs
from tests.measures.counts import pairs

SMALL = pairs(([3, 1], [2, 2]))
UNEQUAL = pairs(([6, 2], [1, 3]))  # n_d = 8, n_s = 4, so c = 1/3
DISJOINT = pairs(([4, 0], [0, 4]))
SAME = pairs(([3, 1], [6, 2]))
ONE_CELL = pairs(([4], [9]))


def value(function: object, tables: TablePairs = SMALL) -> float:
    assert callable(function)
    return float(function(tables)[0])


class TestVoasWilliamson:
    def test_adds_up_squared_differences_over_expectations(self) -> None:
        assert value(tu.vw) == pytest.approx(1 / 2.5 + 1 / 1.5)

    def test_scales_the_original_to_the_size_of_the_replica(self) -> None:
        # differences 1 - 3 and 3 - 1, expectations 7/3 and 5/3
        assert value(tu.vw, UNEQUAL) == pytest.approx(4 / (7 / 3) + 4 / (5 / 3))

    def test_is_zero_for_equal_shares_of_unequal_numbers(self) -> None:
        assert value(tu.vw, SAME) == pytest.approx(0.0, abs=1e-20)

    def test_over_df_it_is_the_same_number_as_the_standardised_pmse(self) -> None:
        tables = pairs(([3, 1, 2], [2, 2, 2]))
        assert value(tu.s_vw, tables) == value(tu.s_p_mse, tables)
        assert value(tu.s_vw, tables) == pytest.approx(value(tu.vw, tables) / 2)


class TestFreemanTukey:
    def test_adds_up_squared_differences_of_roots(self) -> None:
        by_hand = 4 * ((math.sqrt(2) - math.sqrt(3)) ** 2 + (math.sqrt(2) - 1) ** 2)
        assert value(tu.ft) == pytest.approx(by_hand)

    def test_a_cell_that_one_side_lacks_weighs_four_times_its_count(self) -> None:
        assert value(tu.ft, DISJOINT) == pytest.approx(32.0)

    def test_over_df(self) -> None:
        assert value(tu.s_ft, DISJOINT) == pytest.approx(32.0)


class TestJensenShannonDivergence:
    def test_of_disjoint_tables_is_one_bit(self) -> None:
        assert value(tu.jsd, DISJOINT) == 1.0

    def test_by_hand(self) -> None:
        # shares 3/4, 1/4 against 1/2, 1/2; middle 5/8, 3/8
        original = 0.75 * math.log2(0.75 / 0.625) + 0.25 * math.log2(0.25 / 0.375)
        synthetic = 0.5 * math.log2(0.5 / 0.625) + 0.5 * math.log2(0.5 / 0.375)
        assert value(tu.jsd) == pytest.approx((original + synthetic) / 2)

    def test_standardised_it_is_divided_by_ln_2_as_synthpop_does(self) -> None:
        assert value(tu.s_jsd) == pytest.approx(value(tu.jsd) * 2 * 8 / math.log(2))

    def test_is_never_below_zero_by_rounding(self) -> None:
        tables = pairs(*[([k, 7 * k + 1], [3 * k, 21 * k + 3]) for k in range(1, 50)])
        assert (tu.jsd(tables) >= 0).all()
        assert tu.jsd(tables).max() < 1e-15


class TestSpecks:
    def test_is_the_largest_gap_between_the_score_distributions(self) -> None:
        # Up to score 2/5: 2 of 4 synthetic and 3 of 4 original records.
        assert value(tu.specks) == 0.25

    def test_of_disjoint_tables_is_one(self) -> None:
        assert value(tu.specks, DISJOINT) == 1.0

    def test_cells_of_equal_scores_are_one_step(self) -> None:
        # Scores 1/2, 1/2, 1, 0: up to 0 there is 1 of 5 original records and no synthetic one.
        assert value(tu.specks, pairs(([1, 3, 0, 1], [1, 3, 1, 0]))) == pytest.approx(0.2)

    def test_tables_do_not_mix(self) -> None:
        one_by_one = [value(tu.specks, t) for t in (SMALL, DISJOINT, ONE_CELL)]
        together = tu.specks(pairs(([3, 1], [2, 2]), ([4, 0], [0, 4]), ([4], [9])))
        assert together.tolist() == one_by_one


class TestRankSum:
    def test_counts_pairs_in_which_the_synthetic_record_scores_higher(self) -> None:
        # 2 synthetic at 2/3 beat 3 originals at 2/5 and tie with 1; 2 at 2/5 tie with 3.
        assert value(tu.u) == 2 * 3 + 0.5 * (2 * 1 + 2 * 3)

    def test_of_equal_tables_is_half_of_all_pairs(self) -> None:
        assert value(tu.u, SAME) == 4 * 8 / 2

    def test_of_disjoint_tables_is_all_pairs(self) -> None:
        assert value(tu.u, DISJOINT) == 16.0

    def test_tables_do_not_mix(self) -> None:
        together = tu.u(pairs(([3, 1], [2, 2]), ([4, 0], [0, 4]), ([4], [9])))
        assert together.tolist() == [10.0, 16.0, 18.0]


class TestPropensityScoreMeanSquaredError:
    def test_is_the_mean_squared_distance_of_the_scores_from_c(self) -> None:
        by_hand = (5 * (2 / 5 - 1 / 2) ** 2 + 3 * (2 / 3 - 1 / 2) ** 2) / 8
        assert value(tu.p_mse) == pytest.approx(by_hand)

    def test_with_unequal_sizes(self) -> None:
        by_hand = (7 * (1 / 7 - 1 / 3) ** 2 + 5 * (3 / 5 - 1 / 3) ** 2) / 12
        assert value(tu.p_mse, UNEQUAL) == pytest.approx(by_hand)

    def test_of_disjoint_tables_is_c_times_its_complement(self) -> None:
        assert value(tu.p_mse, pairs(([9, 0], [0, 3]))) == pytest.approx(0.25 * 0.75)

    def test_standardised_it_is_pmse_over_its_null_expectation(self) -> None:
        # E[pMSE] = df (1 - c)^2 c / N
        expected = 1 * (2 / 3) ** 2 * (1 / 3) / 12
        assert value(tu.s_p_mse, UNEQUAL) == pytest.approx(value(tu.p_mse, UNEQUAL) / expected)


class TestPercentOver50:
    def test_counts_the_records_that_the_larger_share_tells_right(self) -> None:
        # Cell 1 is called original (3 right), cell 2 synthetic (2 right): 5 of 8.
        assert value(tu.po50) == 100 * 5 / 8 - 50

    def test_cuts_at_c_and_not_at_one_half(self) -> None:
        # Scores 1/7 and 3/5 against 1/3; and 2/5, below 1/2 but above c = 1/3, is synthetic.
        assert value(tu.po50, pairs(([6, 3], [1, 2]))) == pytest.approx(100 * 8 / 12 - 50)

    def test_of_disjoint_tables_is_fifty(self) -> None:
        assert value(tu.po50, DISJOINT) == 50.0

    def test_equal_shares_are_called_original(self) -> None:
        assert value(tu.po50, SAME) == pytest.approx(100 * 4 / 12 - 50)

    def test_shares_that_are_equal_as_fractions_are_equal(self) -> None:
        # 1/3 of 3 and 2/6 of 6 differ as floating-point ratios in some orders of operation.
        assert value(tu.po50, pairs(([1, 1, 1], [2, 2, 2]))) == pytest.approx(100 * 3 / 9 - 50)


class TestMeanAbsoluteDifference:
    def test_adds_up_the_differences_of_shares(self) -> None:
        assert value(tu.mabs_dd) == pytest.approx(0.5)

    def test_of_disjoint_tables_is_two(self) -> None:
        assert value(tu.mabs_dd, DISJOINT) == 2.0

    def test_is_twice_the_total_variation_distance(self) -> None:
        assert value(tu.mabs_dd, UNEQUAL) == pytest.approx(2 * value(tu.tvd, UNEQUAL))


class TestTotalVariationDistance:
    def test_is_half_the_sum_of_absolute_differences(self) -> None:
        assert value(tu.tvd) == 0.25

    def test_of_disjoint_tables_is_one(self) -> None:
        assert value(tu.tvd, DISJOINT) == 1.0


class TestWeightedMeanAbsoluteDifference:
    def test_scales_each_difference_by_the_root_of_its_expectation(self) -> None:
        by_hand = (1 / math.sqrt(2.5) + 1 / math.sqrt(1.5)) / math.sqrt(2 / math.pi)
        assert value(tu.wmabs_dd) == pytest.approx(by_hand)
        assert value(tu.s_wmabs_dd) == pytest.approx(by_hand)

    def test_over_df(self) -> None:
        tables = pairs(([3, 1, 2], [2, 2, 2]))
        assert value(tu.s_wmabs_dd, tables) == pytest.approx(value(tu.wmabs_dd, tables) / 2)


class TestBhattacharyya:
    def test_by_hand(self) -> None:
        overlap = math.sqrt(0.75 * 0.5) + math.sqrt(0.25 * 0.5)
        assert value(tu.d_bhatt) == pytest.approx(math.sqrt(1 - overlap))

    def test_of_a_half_and_a_certainty_is_the_hellinger_distance(self) -> None:
        # Categories coded per data set would give 0 here.
        assert value(tu.d_bhatt, pairs(([1, 1], [0, 2]))) == pytest.approx(
            math.sqrt(1 - math.sqrt(0.5))
        )

    def test_is_exactly_0_where_shares_are_equal_in_whatever_order_levels_stand(self) -> None:
        tables = pairs(*[([k, 1, 1, 3], [2 * k, 2, 2, 6]) for k in range(1, 60)])
        assert tu.d_bhatt(tables).tolist() == [0.0] * 59


class TestLikelihoodRatio:
    def test_by_hand(self) -> None:
        by_hand = 2 * (2 * math.log(0.5 / 0.75) + 2 * math.log(0.5 / 0.25))
        assert value(tu.g) == pytest.approx(by_hand)

    def test_sees_only_cells_that_both_sides_fill(self) -> None:
        assert value(tu.g, pairs(([3, 1, 7, 0], [2, 2, 0, 5]))) == pytest.approx(value(tu.g))

    def test_has_degrees_of_freedom_of_its_own(self) -> None:
        tables = pairs(([3, 1, 7, 0], [2, 2, 0, 5]))
        assert value(tu.df_g, tables) == 1.0
        assert value(tu.df, tables) == 3.0
        assert value(tu.s_g, tables) == pytest.approx(value(tu.g))

    def test_is_zero_and_its_ratio_undefined_where_no_cell_is_shared(self) -> None:
        assert value(tu.g, DISJOINT) == 0.0
        assert value(tu.df_g, DISJOINT) == -1.0
        assert math.isnan(value(tu.s_g, DISJOINT))


class TestDegreesOfFreedom:
    def test_are_the_filled_cells_less_one(self) -> None:
        tables = pairs(([3, 1, 0, 0], [2, 0, 4, 0]))
        assert value(tu.df, tables) == 2.0
        assert value(tu.n_empty, tables) == 1.0

    def test_k_syn_takes_nothing_off(self) -> None:
        statistics = tu.table_statistics(replace(SMALL, k_syn=True))
        without = tu.table_statistics(SMALL)
        assert statistics["df"][0] == 2.0
        assert statistics["dfG"][0] == 2.0
        for name in ("S_VW", "S_pMSE", "S_FT", "S_JSD", "S_WMabsDD", "S_G"):
            assert statistics[name][0] == pytest.approx(without[name][0] / 2), name
        for name in ("VW", "FT", "JSD", "SPECKS", "WMabsDD", "U", "G", "pMSE", "PO50", "dBhatt"):
            assert statistics[name][0] == without[name][0], name

    def test_one_cell_gives_no_ratio_and_no_warning(self) -> None:
        statistics = tu.table_statistics(ONE_CELL)
        undefined = {name for name, values in statistics.items() if np.isnan(values[0])}
        assert undefined == {"S_VW", "S_FT", "S_JSD", "S_WMabsDD", "S_G", "S_pMSE"}

    def test_one_cell_with_k_syn_gives_ratios(self) -> None:
        statistics = tu.table_statistics(replace(ONE_CELL, k_syn=True))
        assert not any(np.isnan(values[0]) for values in statistics.values())


class TestTableStatistics:
    def test_are_synthpops_twenty_in_its_order(self) -> None:
        assert list(tu.table_statistics(SMALL)) == list(tu.STATISTICS)
        assert len(tu.STATISTICS) == 20

    def test_of_many_tables_are_those_of_each(self) -> None:
        many = [
            ([3, 1], [2, 2]),
            ([6, 2], [1, 3]),
            ([4, 0], [0, 4]),
            ([4], [9]),
            ([1, 0, 2], [5, 1, 1]),
        ]
        together = tu.table_statistics(pairs(*many))
        for i, item in enumerate(many):
            alone = tu.table_statistics(pairs(item))
            for name, values in together.items():
                np.testing.assert_allclose(values[i], alone[name][0], rtol=1e-12, err_msg=name)

    def test_do_not_change_the_counts(self) -> None:
        tables = pairs(([3, 1, 2], [2, 2, 2]))
        tables.original.setflags(write=False)
        tables.synthetic.setflags(write=False)
        tu.table_statistics(tables)
