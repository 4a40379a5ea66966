"""Identity disclosure: columns are key combinations, rows target levels."""

from __future__ import annotations

import numpy as np

from sdcmetrics.measures.disclosure.identity import rep_u, ui_o, ui_oi_s, ui_s
from sdcmetrics.results import Share
from tests.measures.counts import table

# Key combinations: unique in both, unique in the original alone, in the replica twice,
# absent from the replica, only in the replica.
COUNTS = table(
    original=[[1, 2, 0, 1, 0], [0, 0, 1, 0, 0]],
    synthetic=[[0, 1, 1, 0, 0], [1, 0, 1, 0, 1]],
)


class TestUniqueInOriginal:
    def test_counts_key_combinations_of_one_original_record(self) -> None:
        assert ui_o(COUNTS) == Share(3, 5)

    def test_two_records_of_different_targets_are_not_unique(self) -> None:
        assert ui_o(table(original=[[1], [1]], synthetic=[[1], [0]])).count == 0


class TestUniqueInSynthetic:
    def test_is_a_share_of_the_synthetic_records(self) -> None:
        assert ui_s(COUNTS) == Share(3, 5)


class TestUniqueInOriginalInSynthetic:
    def test_counts_uniques_that_the_replica_has_in_any_number(self) -> None:
        assert ui_oi_s(COUNTS) == Share(2, 5)

    def test_what_the_replica_has_can_be_said_where_exclusions_emptied_it(self) -> None:
        result = np.array([True, True, True, True, True])
        assert ui_oi_s(COUNTS, present=result).count == 3


class TestReplicatedUniques:
    def test_counts_uniques_that_are_unique_again(self) -> None:
        assert rep_u(COUNTS) == Share(1, 5)

    def test_does_not_ask_for_the_same_target(self) -> None:
        assert rep_u(table(original=[[1], [0]], synthetic=[[0], [1]])).percent == 100.0

    def test_a_replica_equal_to_the_original_replicates_every_unique(self) -> None:
        original = [[1, 2, 0, 1], [0, 1, 1, 0]]
        counts = table(original=original, synthetic=original)
        assert rep_u(counts) == ui_o(counts) == ui_oi_s(counts) == ui_s(counts) == Share(3, 6)

    def test_the_denominator_is_all_original_records(self) -> None:
        assert rep_u(table(original=[[1, 99]], synthetic=[[1, 0]])).percent == 1.0
