"""Attribute disclosure: columns are key combinations, rows target levels."""

from __future__ import annotations

import math

import numpy as np

from sdcmetrics.measures.disclosure.attribution import (
    d_orig,
    d_syn,
    di_s,
    di_s_di_o,
    disco,
    i_s,
    max_denom,
    mean_denom,
)
from sdcmetrics.results import Share
from tests.measures.counts import table

# Key combinations, from left: unanimous in both and right; unanimous in both but wrong;
# unanimous in the replica, right for 2 of 3; not unanimous in the replica; only in the original.
COUNTS = table(
    original=[[4, 1, 2, 1, 1], [0, 0, 1, 0, 0]],
    synthetic=[[3, 0, 5, 1, 0], [0, 2, 0, 1, 0]],
)


class TestDisclosiveInOriginal:
    def test_counts_records_whose_key_determines_the_target(self) -> None:
        assert d_orig(COUNTS) == Share(7, 10)

    def test_does_not_depend_on_the_replica(self) -> None:
        other = table(original=[[4, 1, 2], [0, 0, 1]], synthetic=[[0, 0, 1], [9, 1, 1]])
        again = table(original=[[4, 1, 2], [0, 0, 1]], synthetic=[[1, 1, 1], [0, 0, 0]])
        assert d_orig(other) == d_orig(again) == Share(5, 8)


class TestDisclosiveInSynthetic:
    def test_is_a_share_of_the_synthetic_records(self) -> None:
        assert d_syn(COUNTS) == Share(10, 12)


class TestInSynthetic:
    def test_counts_originals_whose_key_the_replica_has(self) -> None:
        assert i_s(COUNTS) == Share(9, 10)


class TestDis:
    def test_counts_originals_with_a_unanimous_key_right_or_wrong(self) -> None:
        assert di_s(COUNTS) == Share(8, 10)

    def test_a_key_whose_replica_records_disagree_is_no_inference(self) -> None:
        assert di_s(table(original=[[5], [0]], synthetic=[[5], [1]])).count == 0


class TestDisco:
    def test_counts_originals_whose_key_is_unanimous_and_right(self) -> None:
        counts = table(original=[[2, 1], [0, 1]], synthetic=[[3, 1], [0, 2]])
        assert disco(counts).count == 2

    def test_counts_only_the_records_for_which_the_inference_is_right(self) -> None:
        assert disco(COUNTS) == Share(6, 10)

    def test_a_unanimous_but_wrong_inference_is_no_disclosure(self) -> None:
        counts = table(original=[[0], [4]], synthetic=[[3], [0]])
        assert disco(counts).percent == 0.0

    def test_a_key_that_only_the_replica_has_discloses_nobody(self) -> None:
        assert disco(table(original=[[4, 0]], synthetic=[[0, 4]])).count == 0

    def test_one_dissenting_synthetic_record_takes_the_disclosure_away(self) -> None:
        assert disco(table(original=[[9], [0]], synthetic=[[99], [1]])).count == 0


class TestDisdio:
    def test_asks_for_unanimity_in_the_original_as_well(self) -> None:
        assert di_s_di_o(COUNTS) == Share(4, 10)


class TestDenominators:
    def test_are_numbers_of_original_records_in_the_disclosive_cells(self) -> None:
        assert max_denom(COUNTS) == 4
        assert mean_denom(COUNTS) == 3.0

    def test_without_a_disclosive_cell_there_is_no_mean(self) -> None:
        counts = table(original=[[3], [0]], synthetic=[[1], [1]])
        assert max_denom(counts) == 0
        assert math.isnan(mean_denom(counts))


class TestKeep:
    def test_cells_left_out_do_not_count_but_decide_what_is_unanimous(self) -> None:
        counts = table(original=[[3, 2], [1, 0]], synthetic=[[2, 2], [1, 0]])
        first_level = counts.target == 0
        # Key 1 stays undisclosive although its dissenting cell does not count.
        assert disco(counts, keep=first_level) == Share(2, 6)
        assert i_s(counts, keep=first_level) == Share(5, 6)
        assert d_orig(counts, keep=first_level) == Share(2, 6)
        assert max_denom(counts, keep=first_level) == 2  # cells of 3 and 1 are not disclosive
        assert max_denom(counts, keep=~first_level) == 0

    def test_keeping_everything_changes_nothing(self) -> None:
        everything = np.ones(len(COUNTS.key), dtype=bool)
        for measure in (d_orig, d_syn, i_s, di_s, disco, di_s_di_o, max_denom, mean_denom):
            assert measure(COUNTS, keep=everything) == measure(COUNTS), measure
