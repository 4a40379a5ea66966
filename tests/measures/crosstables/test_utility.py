"""utility_tab, utility_tables, tvd and ratio_of_counts on frames."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, DataError, NotComputable, SdcMetricsError, StudyError
from sdcmetrics.measures.crosstables.statistics import STATISTICS
from tests.measures.crosstables import records


def one(values: Any) -> pd.DataFrame:
    return pd.DataFrame({"x": values})


def letters(**counts: int) -> pd.DataFrame:
    return one([letter for letter, n in counts.items() for _ in range(n)])


def survey(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    number = rng.normal(size=n)
    number[::7] = math.nan
    return pd.DataFrame(
        {
            "a": rng.choice(list("uvw"), n),
            "b": rng.choice([True, False], n),
            "c": number,
            "d": pd.Series(rng.choice(["x", "y", None], n), dtype="str"),
            "e": rng.integers(0, 4, n),
        }
    )


ORIGINAL, FIRST, SECOND = survey(60, 1), survey(45, 2), survey(80, 3)


class TestUtilityTab:
    def test_by_hand(self) -> None:
        result = sdc.utility_tab(letters(a=80, b=20), letters(a=70, b=30), "x")
        assert result["VW"] == pytest.approx(10**2 / 75 + 10**2 / 25)
        assert result["S_pMSE"] == pytest.approx(16 / 3)
        assert list(result.index) == list(STATISTICS)
        assert result.attrs["fixes"] == ()

    def test_equals_its_definition_for_categories_booleans_and_missing(self) -> None:
        names = ["a", "b", "d"]
        result = sdc.utility_tab(ORIGINAL, FIRST, names)
        cells = [
            [tuple(None if pd.isna(v) else v for v in row) for row in f[names].to_numpy()]
            for f in (ORIGINAL, FIRST)
        ]
        table = records.Table(*cells)
        for name in ("VW", "FT", "JSD", "SPECKS", "U", "G", "pMSE", "PO50", "MabsDD", "df"):
            assert result[name] == pytest.approx(records.UTILITY[name](table)), name

    def test_a_replica_equal_to_the_original_differs_in_nothing(self) -> None:
        result = sdc.utility_tab(ORIGINAL, ORIGINAL, ["a", "c", "d"])
        for name in ("VW", "FT", "JSD", "SPECKS", "G", "pMSE", "MabsDD", "S_pMSE"):
            assert result[name] == pytest.approx(0, abs=1e-12), name

    def test_several_syntheses_are_averaged_or_shown_one_by_one(self) -> None:
        each = sdc.utility_tab(ORIGINAL, [FIRST, SECOND], ["a", "b"], per_synthesis=True)
        assert each.index.tolist() == [1, 2]
        assert each.index.name == "synthesis"
        for i, frame in ((1, FIRST), (2, SECOND)):
            alone = sdc.utility_tab(ORIGINAL, frame, ["a", "b"])
            np.testing.assert_allclose(each.loc[i], alone, rtol=1e-12)
        mean = sdc.utility_tab(ORIGINAL, [FIRST, SECOND], ["a", "b"])
        pd.testing.assert_series_equal(mean, each.mean())

    def test_numbers_are_grouped_from_the_pool_of_all_syntheses(self) -> None:
        original, low, high = one(range(20)), one(range(20)), one(range(1000, 1020))
        pooled = sdc.utility_tab(original, [low, high], "x", ngroups=3, per_synthesis=True)
        alone = sdc.utility_tab(original, low, "x", ngroups=3)
        assert pooled.loc[1, "df"] == 1.0  # its 20 values fall into two of the three groups
        assert pooled.loc[1, "VW"] == pytest.approx(0)
        assert alone["df"] == 2.0

    def test_missing_is_a_level_unless_left_out(self) -> None:
        original, synthetic = one(["a", "a", "b", None]), one(["a", "b", "b", "b"])
        assert sdc.utility_tab(original, synthetic, "x")["df"] == 2.0
        without = sdc.utility_tab(original, synthetic, "x", use_missing=False)
        assert without["df"] == 1.0
        expected = sdc.utility_tab(one(["a", "a", "b"]), synthetic, "x")
        pd.testing.assert_series_equal(without, expected)

    def test_a_side_without_any_value_is_no_number_but_a_reason(self) -> None:
        with pytest.raises(NotComputable, match="no synthetic record has a value in all of: 'x'"):
            sdc.utility_tab(one(["a", "b"]), one([None, None]), "x", use_missing=False)

    def test_codes_are_levels_of_their_own(self) -> None:
        original, synthetic = one([*range(20), -8, -8]), one([*range(20), -8, -9])
        plain = sdc.utility_tab(original, synthetic, "x")
        coded = sdc.utility_tab(original, synthetic, "x", missing_codes={"x": [-8, -9]})
        assert plain["df"] == 4.0
        assert coded["df"] == 6.0

    def test_one_code_need_not_be_listed(self) -> None:
        original, synthetic = one([*range(20), -8]), one([*range(20), -8])
        one_code = sdc.utility_tab(original, synthetic, "x", missing_codes={"x": -8})
        listed = sdc.utility_tab(original, synthetic, "x", missing_codes={"x": [-8]})
        pd.testing.assert_series_equal(one_code, listed)

    def test_k_syn_changes_the_degrees_of_freedom_alone(self) -> None:
        fixed = sdc.utility_tab(ORIGINAL, FIRST, ["a", "b"])
        drawn = sdc.utility_tab(ORIGINAL, FIRST, ["a", "b"], k_syn=True)
        assert drawn["df"] == fixed["df"] + 1
        assert drawn["dfG"] == fixed["dfG"] + 1
        assert drawn["S_VW"] == pytest.approx(fixed["VW"] / (fixed["df"] + 1))
        assert drawn["VW"] == fixed["VW"]

    def test_the_number_of_groups_and_the_style_can_be_chosen(self) -> None:
        original, synthetic = one(range(100)), one(range(100))
        assert sdc.utility_tab(original, synthetic, "x", ngroups=9)["df"] == 8.0
        skewed = one([*range(99), 10_000])
        assert sdc.utility_tab(skewed, skewed, "x", style="equal")["df"] == 1.0
        assert sdc.utility_tab(skewed, skewed, "x", style="equal")["nempty"] == 3.0

    def test_the_order_of_variables_does_not_matter(self) -> None:
        there = sdc.utility_tab(ORIGINAL, FIRST, ["a", "c", "d"])
        back = sdc.utility_tab(ORIGINAL, FIRST, ["d", "c", "a"])
        np.testing.assert_allclose(there, back, rtol=1e-9, atol=1e-12)

    def test_fixes_are_told(self) -> None:
        result = sdc.utility_tab(one([1, 2]), one(["1", "2"]), "x")
        assert result.attrs["fixes"] == ("synthetic, column 'x': text was read as numbers",)

    def test_wrong_options_are_refused(self) -> None:
        frame = pd.DataFrame({"income": [1, 2], "sex": ["f", "m"]})
        with pytest.raises(ColumnError, match="Did you mean 'income'"):
            sdc.utility_tab(frame, frame, "incme")
        with pytest.raises(ColumnError, match="'sex' is given more than once"):
            sdc.utility_tab(frame, frame, ["sex", "sex"])
        with pytest.raises(StudyError, match="at least one column name"):
            sdc.utility_tab(frame, frame, [])
        with pytest.raises(StudyError, match="ngroups"):
            sdc.utility_tab(frame, frame, "income", ngroups=0)
        with pytest.raises(StudyError, match="style"):
            sdc.utility_tab(frame, frame, "income", style="jenks")
        with pytest.raises(StudyError, match="Did you mean 'income'"):
            sdc.utility_tab(frame, frame, "income", missing_codes={"incom": -8})
        with pytest.raises(DataError, match="at least one synthetic data set"):
            sdc.utility_tab(frame, [], "income")


class TestUtilityTables:
    @pytest.mark.parametrize("ways", [1, 2, 3, 4, 5])
    def test_every_combination_is_one_utility_tab(self, ways: int) -> None:
        tables = sdc.utility_tables(ORIGINAL, FIRST, ways=ways)
        combinations = list(itertools.combinations("abcde", ways))
        assert len(tables) == len(combinations)
        assert list(tables.columns) == list(STATISTICS)
        for names, row in zip(combinations, tables.itertuples(), strict=True):
            assert row.Index == (names[0] if ways == 1 else names)
            alone = sdc.utility_tab(ORIGINAL, FIRST, list(names))
            np.testing.assert_allclose(row[1:], alone, rtol=1e-12, atol=1e-12)

    def test_the_index_names_the_variables(self) -> None:
        assert sdc.utility_tables(ORIGINAL, FIRST, ways=1).index.name == "variable"
        assert sdc.utility_tables(ORIGINAL, FIRST, ways=3).index.names == [
            "variable_1",
            "variable_2",
            "variable_3",
        ]

    def test_the_order_of_rows_is_that_of_the_originals_columns(self) -> None:
        tables = sdc.utility_tables(ORIGINAL, FIRST[list("edcba")], variables=["d", "a", "b"])
        assert tables.index.tolist() == [("a", "b"), ("a", "d"), ("b", "d")]

    def test_several_syntheses_are_averaged_or_shown_one_by_one(self) -> None:
        options: dict[str, Any] = {"ways": 2, "variables": ["a", "b", "e"]}
        each = sdc.utility_tables(ORIGINAL, [FIRST, SECOND], per_synthesis=True, **options)
        mean = sdc.utility_tables(ORIGINAL, [FIRST, SECOND], **options)
        assert each.index.names == ["variable_1", "variable_2", "synthesis"]
        for i, frame in ((1, FIRST), (2, SECOND)):
            alone = sdc.utility_tables(ORIGINAL, frame, **options)
            np.testing.assert_allclose(each.xs(i, level="synthesis"), alone, rtol=1e-12)
        by_hand = (each.xs(1, level="synthesis") + each.xs(2, level="synthesis")) / 2
        pd.testing.assert_frame_equal(mean, by_hand)

    def test_several_syntheses_of_one_way_tables(self) -> None:
        each = sdc.utility_tables(ORIGINAL, [FIRST, SECOND], ways=1, per_synthesis=True)
        assert each.index.names == ["variable", "synthesis"]
        assert each.loc[("b", 2), "df"] == 1.0

    def test_missing_can_be_left_out(self) -> None:
        tables = sdc.utility_tables(ORIGINAL, FIRST, ways=2, use_missing=False)
        alone = sdc.utility_tab(ORIGINAL, FIRST, ["c", "d"], use_missing=False)
        np.testing.assert_allclose(tables.loc[("c", "d")], alone, rtol=1e-12)

    def test_columns_that_one_side_lacks_are_left_out_and_told(self) -> None:
        tables = sdc.utility_tables(ORIGINAL, FIRST.drop(columns="b"), ways=1)
        assert tables.index.tolist() == ["a", "c", "d", "e"]
        assert any("column 'b': absent" in fix for fix in tables.attrs["fixes"])

    def test_wrong_options_are_refused(self) -> None:
        with pytest.raises(StudyError, match="ways: expected a whole number of at least 1"):
            sdc.utility_tables(ORIGINAL, FIRST, ways=0)
        with pytest.raises(NotComputable, match="of 5 variables there are no tables of 6"):
            sdc.utility_tables(ORIGINAL, FIRST, ways=6)
        with pytest.raises(ColumnError, match="'f' is not a column of original"):
            sdc.utility_tables(ORIGINAL, FIRST, variables=["f", "a"])


class TestTvd:
    def test_by_hand(self) -> None:
        result = sdc.tvd(letters(a=2, b=2), letters(a=1, c=3))
        assert result.loc["x"].to_dict() == {
            "TVD": pytest.approx(0.75),
            "cells": 3,
            "n_original": 4,
            "n_synthetic": 4,
        }

    def test_is_half_of_synthpops_mabsdd(self) -> None:
        for ways in (1, 2, 3):
            distances = sdc.tvd(ORIGINAL, [FIRST, SECOND], ways=ways)["TVD"]
            tables = sdc.utility_tables(ORIGINAL, [FIRST, SECOND], ways=ways)
            np.testing.assert_allclose(distances, tables["MabsDD"] / 2, rtol=1e-12)

    def test_evidence_is_that_of_the_first_synthesis(self) -> None:
        result = sdc.tvd(ORIGINAL, [FIRST, SECOND])
        assert (result["n_synthetic"] == len(FIRST)).all()
        assert (result["n_original"] == len(ORIGINAL)).all()


class TestRatioOfCounts:
    def test_means_are_taken_over_categories_and_then_over_variables(self) -> None:
        original = pd.DataFrame({"x": list("aaab"), "y": list("uuvv")})
        synthetic = pd.DataFrame({"x": list("aabb"), "y": list("uuvv")})
        result = sdc.ratio_of_counts(original, synthetic, min_count=1)
        assert result.by_variable["ROC"].tolist() == pytest.approx([0.58333333, 1.0])
        assert result.mean == pytest.approx((0.58333333 + 1) / 2)
        assert result.by_variable["categories"].tolist() == [2, 2]
        assert result.skipped == {}

    def test_a_variable_with_a_sparse_category_is_skipped_with_a_reason(self) -> None:
        original = pd.DataFrame({"x": list("aaaaab"), "y": list("uuuuuu")})
        result = sdc.ratio_of_counts(original, original)
        assert math.isnan(result.by_variable.loc["x", "ROC"])
        assert result.skipped == {"x": "1 categories with fewer than 5 records on both sides"}
        assert result.mean == 1.0

    def test_too_many_categories_are_skipped_with_a_reason(self) -> None:
        frame = one(np.arange(30) % 6)
        result = sdc.ratio_of_counts(frame, frame, max_categories=5)
        assert result.skipped == {"x": "more than 5 categories; group it with round_to"}
        assert math.isnan(result.mean)

    def test_numbers_can_be_rounded_all_alike_or_each_its_own_way(self) -> None:
        frame = pd.DataFrame({"x": [1, 2, 11, 12], "y": [1, 2, 11, 12]})
        alike = sdc.ratio_of_counts(frame, frame, round_to=10, min_count=1)
        assert alike.by_variable["categories"].tolist() == [2, 2]
        own = sdc.ratio_of_counts(frame, frame, round_to={"y": 10}, min_count=1)
        assert own.by_variable["categories"].tolist() == [4, 2]

    def test_missing_is_a_category(self) -> None:
        result = sdc.ratio_of_counts(one([0, 0, 1, None]), one([0, 0, 1, 1]), min_count=1)
        assert result.mean == pytest.approx((1 + 0.5 + 0) / 3)

    def test_several_syntheses_are_averaged(self) -> None:
        original, same, other = letters(a=6, b=6), letters(a=6, b=6), letters(a=12)
        result = sdc.ratio_of_counts(original, [same, other])
        assert result.mean == pytest.approx((1 + 0.25) / 2)

    def test_wrong_options_are_refused(self) -> None:
        frame = pd.DataFrame({"income": [1, 2]})
        with pytest.raises(StudyError, match="Did you mean 'income'"):
            sdc.ratio_of_counts(frame, frame, round_to={"incme": 10})
        with pytest.raises(StudyError, match="round_to: expected a number above 0"):
            sdc.ratio_of_counts(frame, frame, round_to=-1)
        with pytest.raises(SdcMetricsError, match="'incme'"):
            sdc.ratio_of_counts(frame, frame, variables=["incme"])
