"""Worked examples: of the Comparative Metrics Framework, and of what synthpop gets wrong.

Where a paper and its author's code disagree, the paper is followed; where synthpop pairs cells
by position or collides texts, the value that matching by label gives is asserted.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from tests.recorded import SHARED

ADULT = Path(SHARED).parents[1] / "data" / "platzer"


def keyed(keys: str, targets: str) -> pd.DataFrame:
    return pd.DataFrame({"k": list(keys), "t": list(targets)})


def one(values: Any) -> pd.DataFrame:
    return pd.DataFrame({"x": values})


def repeat(*pairs: tuple[Any, int]) -> list[Any]:
    return [value for value, n in pairs for _ in range(n)]


class TestFrameworkPaper:
    """Examples on which the framework's paper and its R code differ."""

    def cap(self, original: pd.DataFrame, synthetic: pd.DataFrame) -> sdc.CapResult:
        return sdc.cap(original, synthetic, keys=["k"], target="t")

    def test_1_the_baseline_is_weighted_by_the_shares_of_the_levels(self) -> None:
        original = keyed("a" * 10, "x" * 9 + "y")
        assert self.cap(original, original).baseline == pytest.approx(0.82)  # code: 0.50

    def test_2_the_synthetic_cap_takes_all_synthetic_records_with_the_key(self) -> None:
        original = keyed("aaaabb", "xxxyxy")
        synthetic = keyed("aaaaaaaabb", "xyyyyyyyxy")
        assert self.cap(original, synthetic).synthetic_zero == pytest.approx(0.3750)  # 0.3333

    def test_3_a_split_replica_is_half_right(self) -> None:
        assert self.cap(keyed("a", "x"), keyed("aa", "xy")).synthetic_zero == 0.5  # code: 1.0

    def test_4_a_matched_key_whose_target_was_never_seen_with_it_counts_as_zero(self) -> None:
        result = self.cap(keyed("aaaabb", "xxxyxy"), keyed("aabb", "zzxy"))
        assert result.synthetic_undefined == pytest.approx(0.1667, abs=5e-5)  # code: 0.5

    def test_5_the_cap_of_the_original(self) -> None:
        result = self.cap(keyed("aaaabb", "xxxyxy"), keyed("a", "x"))
        assert result.original == pytest.approx(0.5833, abs=5e-5)

    def test_7_a_column_may_have_any_name_and_further_columns_may_be_shared(self) -> None:
        original = keyed("aaaabb", "xxxyxy").assign(orig_key_freq=1, other="z")
        result = sdc.cap(original, original, keys=["k"], target="t")
        assert result.original == pytest.approx(0.5833, abs=5e-5)

    def test_8_numbers_are_rounded_half_to_even(self) -> None:
        original, synthetic = one([1250, 3750]), one([0, 5000])
        assert sdc.ratio_of_counts(original, synthetic, round_to=2500, min_count=1).mean == 1.0

    def test_9_roc_is_the_mean_over_categories(self) -> None:
        original, synthetic = one(list("aaab")), one(list("aabb"))
        result = sdc.ratio_of_counts(original, synthetic, min_count=1)
        assert result.mean == pytest.approx(0.5833, abs=5e-5)  # pooled: 0.6

    def test_10_a_sparse_category_is_skipped_where_the_replica_has_it_too(self) -> None:
        original, synthetic = one(repeat(("m", 98), ("al", 2))), one(repeat(("m", 99), ("al", 1)))
        assert list(sdc.ratio_of_counts(original, synthetic).skipped) == ["x"]
        unskipped = sdc.ratio_of_counts(original, synthetic, min_count=1).mean
        assert unskipped == pytest.approx(0.745, abs=5e-4)

    @pytest.mark.parametrize("declared", [True, False])
    def test_11_and_where_it_does_not_whether_the_level_is_declared_or_not(
        self, declared: bool
    ) -> None:
        original, synthetic = one(repeat(("x", 97), ("rare", 3))), one(repeat(("x", 100)))
        if declared:
            synthetic["x"] = pd.Categorical(synthetic["x"], categories=["x", "rare"])
        assert math.isnan(sdc.ratio_of_counts(original, synthetic).mean)
        unskipped = sdc.ratio_of_counts(original, synthetic, min_count=1).mean
        assert unskipped == pytest.approx(0.485)

    def test_12_missing_is_no_zero(self) -> None:
        original = one([0, 0, 1, math.nan])
        result = sdc.ratio_of_counts(original, original, min_count=1)
        assert result.mean == 1.0
        assert result.by_variable.loc["x", "categories"] == 3

    def test_13_bins_are_matched_by_value_and_not_by_row(self) -> None:
        original = one([0, 0, 2500, 2500, 5000])
        synthetic = one([2500, 2500, 5000, 5000, 7500])
        result = sdc.ratio_of_counts(original, synthetic, round_to=2500, min_count=1)
        assert result.mean == 0.375  # code: 1.0

    def test_14_one_extra_low_bin_does_not_shift_the_others(self) -> None:
        original = one([2500, 5000, 7500, 7500])
        synthetic = one(repeat((0, 2), (2500, 2), (5000, 2), (7500, 3)))
        result = sdc.ratio_of_counts(original, synthetic, round_to=2500, min_count=1)
        assert result.mean == pytest.approx(0.6111, abs=5e-5)


class TestMatchedByLabel:
    """synthpop compares tables by position."""

    X_Y = pd.DataFrame({"a": repeat(("x", 80), ("y", 20))})

    def p_mse(self, original: Any, synthetic: Any) -> float:
        frames = [pd.DataFrame({"a": values}) for values in (original, synthetic)]
        by_tab = float(sdc.utility_tab(frames[0], frames[1], "a")["pMSE"])
        by_tables = float(sdc.utility_tables(frames[0], frames[1], ways=1).loc["a", "pMSE"])
        assert by_tab == by_tables
        return by_tab

    def test_permuted_levels_differ_in_nothing(self) -> None:
        there = pd.Categorical(self.X_Y["a"], categories=["x", "y"])
        back = pd.Categorical(self.X_Y["a"], categories=["y", "x"])
        assert self.p_mse(there, back) == pytest.approx(0, abs=1e-20)  # synthpop: 0.09

    def test_x_and_z_are_not_x_and_y(self) -> None:
        original = pd.Categorical(repeat(("x", 80), ("y", 20)))
        synthetic = pd.Categorical(repeat(("x", 80), ("z", 20)))
        # Scores 1/2, 0 and 1 against 1/2: (20 + 20) / 4 / 200; synthpop: 0.
        assert self.p_mse(original, synthetic) == pytest.approx(0.05)

    def test_a_factor_and_text_are_the_same_kind(self) -> None:
        original = pd.Categorical(self.X_Y["a"], categories=["y", "x"])
        assert self.p_mse(original, list(self.X_Y["a"])) == pytest.approx(0, abs=1e-20)

    def test_dates_are_matched_by_date(self) -> None:
        days = pd.to_datetime([f"2024-01-{day:02}" for day in range(1, 12)])
        # The 10th and the 11th differ: scores 0 and 1 in a twentieth of the records each.
        assert self.p_mse(days[[*range(9), 10]], days[:10]) == pytest.approx(0.025)

    def test_every_synthesis_of_a_list_is_matched(self) -> None:
        permuted = pd.DataFrame({"a": pd.Categorical(self.X_Y["a"], categories=["y", "x"])})
        each = sdc.utility_tab(self.X_Y, [self.X_Y, permuted], "a", per_synthesis=True)
        assert each["pMSE"].tolist() == pytest.approx([0, 0], abs=1e-20)

    def test_a_target_level_that_one_side_lacks_does_not_move_the_others(self) -> None:
        # Text order 10, 100, 20, 9 is not the order of the numbers.
        original = pd.DataFrame({"k": list("aabbcd"), "t": [9, 9, 10, 10, 100, 20]})
        synthetic = pd.DataFrame({"k": list("aabb"), "t": [9, 9, 10, 10]})
        result = sdc.disclosure(original, synthetic, keys=["k"], target="t")
        assert result.counts.loc[1, "DiSCO"] == 4

    @pytest.mark.skipif(not ADULT.is_dir(), reason="the shared data are not in this checkout")
    def test_adult_is_twelve_times_as_risky_as_synthpop_says(self) -> None:
        original = pd.read_parquet(ADULT / "adult_trn.parquet")
        synthetic = pd.read_parquet(ADULT / "adult_synthpop.parquet")
        result = sdc.disclosure(
            original, synthetic, keys=["age", "race", "sex"], target="hours-per-week"
        )
        assert (result.n_original, len(synthetic)) == (24_421, 50_000)
        assert result.attribution["DiSCO"] == pytest.approx(0.0983, abs=5e-5)  # 0.0082
        assert result.attribution["DCAPd"] == pytest.approx(25.55, abs=5e-3)  # 4.77


class TestReplicatedUniques:
    """synthpop formats numbers by their widths, so that 5 and " 5" are not the same key."""

    ORIGINAL = pd.DataFrame({"f": list("aaab"), "x": [5, 6, 8, 100]})
    SYNTHETIC = pd.DataFrame({"f": list("aaab"), "x": [5, 6, 8, 7]})

    def replicated(self, original: pd.DataFrame, synthetic: pd.DataFrame) -> pd.Series[Any]:
        result = sdc.disclosure(
            original.assign(t=1), synthetic.assign(t=1), keys=list(original.columns), target="t"
        )
        return result.counts.loc[1]

    def test_numbers_of_any_width_are_found(self) -> None:
        assert self.replicated(self.ORIGINAL, self.SYNTHETIC)["repU"] == 3

    def test_as_many_as_with_labels(self) -> None:
        as_text = [frame.astype({"x": str}) for frame in (self.ORIGINAL, self.SYNTHETIC)]
        assert self.replicated(*as_text)["repU"] == 3

    def test_digits_that_a_print_would_drop_count(self) -> None:
        frame = pd.DataFrame({"v": [1234567.1, 1234567.2, 3.0]})
        assert self.replicated(frame, frame)["UiO"] == 3

    def test_one_key_is_no_exception(self) -> None:
        frame = pd.DataFrame({"v": ["p", "q"]})
        assert self.replicated(frame, frame)["UiOiS"] == 2


class TestTextsThatCollide:
    """Key combinations are tuples, and missing is no text."""

    def disclosure(self, frame: pd.DataFrame, **options: Any) -> sdc.DisclosureResult:
        return sdc.disclosure(frame, frame, keys=["k", "l"], target="t", **options)

    def test_a_separator_inside_a_label_does_not_merge_keys(self) -> None:
        frame = pd.DataFrame(
            {"k": ["a | b", "a", "z", "z"], "l": ["c", "b | c", "z", "z"], "t": list("xyzz")}
        )
        assert self.disclosure(frame).identity["UiO"] == 50.0  # synthpop: 0

    def test_a_level_called_missing_is_not_missing(self) -> None:
        frame = pd.DataFrame({"k": ["Missing", None], "l": ["z", "z"], "t": list("xy")})
        assert self.disclosure(frame).identity["UiO"] == 100.0
        without = self.disclosure(frame, use_key_missing=False)
        assert without.records_at_risk.index.tolist() == [0]

    def test_a_target_level_called_missing_is_not_missing(self) -> None:
        frame = pd.DataFrame({"k": list("ab"), "l": list("zz"), "t": ["Missing", None]})
        without = self.disclosure(frame, use_target_missing=False)
        assert without.records_at_risk.index.tolist() == [0]
        other = self.disclosure(frame, not_target_levels="Missing")
        assert other.records_at_risk.index.tolist() == [1]

    def test_whole_numbers_and_floats_are_the_same_level(self) -> None:
        original = pd.DataFrame({"k": [100_000, 1, 2, 3], "t": 1})
        synthetic = pd.DataFrame({"k": [1e5, 1.0, 2.0, 3.0], "t": 1})
        result = sdc.disclosure(original, synthetic, keys=["k"], target="t")
        assert result.identity["repU"] == 100.0  # synthpop: 75

    @pytest.mark.parametrize("name", ["keys", "target", "y", "a(b", "synthesis", "variable"])
    def test_a_column_may_have_any_name(self, name: str) -> None:
        frame = pd.DataFrame({name: list("abc"), "other": list("xyx")})
        result = sdc.disclosure(frame, [frame, frame], keys=[name], target="other")
        assert result.per_synthesis["repU"].tolist() == [100.0, 100.0]
        turned = sdc.disclosure(frame, frame, keys=["other"], target=name)
        assert turned.identity["repU"] == pytest.approx(100 / 3)
        assert (sdc.utility_tables(frame, frame, ways=2)["VW"] == 0).all()


class TestWhereSynthpopStops:
    def test_missing_only_in_the_original_can_be_left_out(self) -> None:
        original = one(repeat(("a", 40), ("b", 40), (None, 20)))
        synthetic = one(repeat(("a", 50), ("b", 50)))
        result = sdc.utility_tab(original, synthetic, "x", use_missing=False)
        assert (result["VW"], result["df"]) == (pytest.approx(0), 1.0)

    def test_missing_only_in_the_replica_is_counted(self) -> None:
        for values in (["a", "b", "b"], [1.5, 2.5, 2.5]):
            result = sdc.utility_tab(one(values), one([*values[:2], None]), "x")
            assert result["df"] == 2.0

    def test_a_single_key_combination_and_an_extra_target_level(self) -> None:
        result = sdc.disclosure(keyed("aa", "xx"), keyed("aa", "xy"), keys=["k"], target="t")
        assert result.attribution["DCAPd"] == 50.0

    def test_one_common_column(self) -> None:
        assert sdc.utility_tab(one(list("ab")), one(list("ab")), "x")["VW"] == 0.0

    def test_constant_numbers(self) -> None:
        result = sdc.utility_tables(one([7, 7]), one([7, 7]), ways=1)
        assert (result.loc["x", "VW"], result.loc["x", "df"]) == (0.0, 0.0)
        assert math.isnan(result.loc["x", "S_pMSE"])

    def test_syntheses_of_unequal_sizes(self) -> None:
        original = one(np.arange(30.0))
        syntheses = [one(np.arange(20.0)), one(np.arange(40.0))]
        assert sdc.utility_tab(original, syntheses, "x", per_synthesis=True).shape == (2, 20)
        each = sdc.disclosure(
            original.assign(t=1), [s.assign(t=1) for s in syntheses], keys=["x"], target="t"
        ).per_synthesis
        assert each["repU"].tolist() == pytest.approx([100 * 20 / 30, 100.0])
