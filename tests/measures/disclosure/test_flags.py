"""Flags: relations that everybody knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.measures.disclosure import flags
from tests.measures.counts import table

LEVELS = ("x", "y")
# Key combinations: (a, u), (a, v), (b, u).
KEYS = {"k": np.array([0, 0, 1]), "l": np.array([0, 1, 0])}
NAMES = {"k": ("a", "b"), "l": ("u", "v")}


def one_way_flag(*of: Any, **options: Any) -> pd.DataFrame:
    return pd.DataFrame(flags.one_way_rows(*of, **options), columns=list(flags.ONE_WAY))


def two_way_flags(*of: Any, **options: Any) -> pd.DataFrame:
    return pd.DataFrame(flags.two_way_rows(*of, **options), columns=list(flags.TWO_WAY))


class TestOneWay:
    def test_flags_the_level_of_most_disclosed_records(self) -> None:
        counts = table(original=[[95, 0], [0, 5]], synthetic=[[1, 0], [0, 1]])
        flag = one_way_flag(counts, LEVELS).iloc[0]
        assert flag["Level"] == "x"
        assert (flag["All"], flag["totalDisclosive"], flag["nLevelDis"]) == (100, 100, 95)
        assert (flag["PctLevelAll"], flag["PctLevelDis"]) == (95.0, 95.0)

    def test_both_thresholds_must_be_exceeded_and_not_only_reached(self) -> None:
        counts = table(original=[[90, 0], [0, 10]], synthetic=[[1, 0], [0, 1]])
        assert one_way_flag(counts, LEVELS).empty  # exactly 90 percent
        counts = table(original=[[50]], synthetic=[[1]])
        assert one_way_flag(counts, LEVELS).empty  # exactly 50 records
        assert len(one_way_flag(counts, LEVELS, thresholds=(49, 90))) == 1

    def test_nothing_disclosed_is_nothing_flagged(self) -> None:
        assert one_way_flag(table(original=[[99]], synthetic=[[0]]), LEVELS).empty

    def test_records_left_out_are_not_counted(self) -> None:
        counts = table(original=[[95, 0], [0, 5]], synthetic=[[1, 0], [0, 1]])
        assert one_way_flag(counts, LEVELS, keep=counts.target == 1).empty


class TestTwoWay:
    def test_flags_a_target_level_that_goes_with_a_key_level(self) -> None:
        counts = table(original=[[9, 0, 0], [1, 0, 5]], synthetic=[[2, 0, 0], [0, 0, 1]])
        pairs = two_way_flags(counts, KEYS, NAMES, LEVELS)
        # Disclosive cells: (a, u)-x of 9, (b, u)-y of 5. 9 of 10 with k = a are x, 5 of 5 with
        # k = b are y, but only 9 of 15 with l = u are x.
        result = [
            (f.target_level, f.key, f.key_level, f.npairs, f.key_target_total, f.key_total)
            for f in pairs.itertuples()
        ]
        assert result == [("x", "k", "a", 9, 9, 10), ("y", "k", "b", 5, 5, 5)]
        assert pairs["PctTargetKeyLevel"].tolist() == [90.0, 100.0]

    def test_small_cells_are_not_looked_at(self) -> None:
        counts = table(original=[[4, 0, 0]], synthetic=[[2, 0, 0]])
        assert two_way_flags(counts, KEYS, NAMES, LEVELS).empty
        assert len(two_way_flags(counts, KEYS, NAMES, LEVELS, thresholds=(3, 80))) == 2

    def test_the_share_must_be_exceeded_and_not_only_reached(self) -> None:
        counts = table(original=[[8, 0, 0], [2, 0, 0]], synthetic=[[2, 0, 0], [0, 0, 0]])
        assert two_way_flags(counts, KEYS, NAMES, LEVELS).empty  # exactly 80 percent

    def test_many_levels_give_the_same_flags_as_few(self) -> None:
        counts = table(original=[[9, 0, 0], [1, 0, 5]], synthetic=[[2, 0, 0], [0, 0, 1]])
        few = two_way_flags(counts, KEYS, NAMES, LEVELS)
        wide = {"k": ("a", "b", *(f"k{i}" for i in range(40_000))), "l": ("u", "v")}
        assert two_way_flags(counts, KEYS, wide, LEVELS).equals(few)
