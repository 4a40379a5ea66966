"""CAP and everything made of it: columns are key combinations, rows target levels."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sdcmetrics.measures.disclosure.attribution import disco
from sdcmetrics.measures.disclosure.correct_attribution import (
    cap_and_rule,
    cap_baseline,
    cap_by_rule,
    cap_in_synthetic,
    cap_original,
    cap_ratio,
    dcap_undefined,
    dcap_zero,
    non_match,
    tcap_matched,
    tcap_synthetic,
)
from sdcmetrics.results import Share
from tests.measures.counts import Rows, table

# Original a-x, a-x, a-y, b-x, c-y; replica a-x, a-x, b-y, d-x, d-y: columns a, b, c, d.
SIDE_BY_SIDE = table(
    original=[[2, 1, 0, 0], [1, 0, 1, 0]],
    synthetic=[[2, 0, 0, 1], [0, 1, 0, 1]],
)
NO_MATCH = table(original=[[3, 0], [1, 0]], synthetic=[[0, 2], [0, 2]])


class TestPublishedDefinitionsSideBySide:
    """Three different numbers are published as TCAP, two as DCAP: each under its own name."""

    def test_original(self) -> None:
        assert cap_original(SIDE_BY_SIDE) == pytest.approx((2 * 2 / 3 + 1 / 3 + 2) / 5)
        assert cap_original(SIDE_BY_SIDE) == pytest.approx(0.7333, abs=5e-5)

    def test_baseline_is_weighted_by_the_shares(self) -> None:
        assert cap_baseline(SIDE_BY_SIDE) == pytest.approx(0.52)  # not 1 / #levels = 0.50

    def test_zero_variant_is_synthpops_dcap(self) -> None:
        assert dcap_zero(SIDE_BY_SIDE) == pytest.approx(0.40)

    def test_undefined_variant(self) -> None:
        assert dcap_undefined(SIDE_BY_SIDE) == pytest.approx(0.50)  # not 1.00

    def test_synthpops_tcap(self) -> None:
        assert tcap_matched(SIDE_BY_SIDE) == Share(2, 4)

    def test_synthgauges_tcap_is_disco(self) -> None:
        assert disco(SIDE_BY_SIDE).proportion == 0.40

    def test_tcap_over_synthetic_records(self) -> None:
        # Unanimous: a (2 records, CAP 2/3 each), b (1 record, CAP 0); d is not in the original.
        assert tcap_synthetic(SIDE_BY_SIDE) == pytest.approx(4 / 9)
        assert tcap_synthetic(SIDE_BY_SIDE) == pytest.approx(0.444, abs=5e-4)


class TestOriginal:
    def test_is_one_where_keys_determine_the_target(self) -> None:
        assert cap_original(table(original=[[3, 0], [0, 2]], synthetic=[[1, 1], [1, 1]])) == 1.0

    def test_the_seed_authors_own_example(self) -> None:
        # k aaaabb, t xxxyxy
        counts = table(original=[[3, 1], [1, 1]], synthetic=[[1, 0], [0, 0]])
        assert cap_original(counts) == pytest.approx(0.5833, abs=5e-5)


class TestBaseline:
    def test_nine_against_one_is_not_one_half(self) -> None:
        counts = table(original=[[9], [1]], synthetic=[[1], [0]])
        assert cap_baseline(counts) == pytest.approx(0.82)

    def test_does_not_depend_on_the_keys(self) -> None:
        one = table(original=[[9], [1]], synthetic=[[1], [0]])
        many = table(original=[[4, 5], [1, 0]], synthetic=[[1, 0], [0, 0]])
        assert cap_baseline(one) == cap_baseline(many)


class TestInSynthetic:
    def test_is_the_cap_of_the_replica_about_itself(self) -> None:
        assert cap_in_synthetic(SIDE_BY_SIDE) == pytest.approx((2 + 1 + 2 * 0.5) / 5)


class TestZeroVariant:
    def test_all_synthetic_records_with_the_key_share_the_guess(self) -> None:
        # The published code takes the smaller of both counts instead, and gets 0.3333.
        counts = table(original=[[3, 1], [1, 1]], synthetic=[[1, 1], [7, 1]])
        assert dcap_zero(counts) == pytest.approx(0.3750)

    def test_a_split_replica_is_right_half_of_the_time(self) -> None:
        counts = table(original=[[1], [0]], synthetic=[[1], [1]])
        assert dcap_zero(counts) == 0.5  # not 1.0

    def test_is_zero_where_nothing_matches(self) -> None:
        assert dcap_zero(NO_MATCH) == 0.0

    def test_of_a_replica_equal_to_the_original_is_the_cap_of_the_original(self) -> None:
        original = [[3, 1, 0], [1, 1, 2]]
        counts = table(original=original, synthetic=original)
        assert dcap_zero(counts) == cap_original(counts)


class TestUndefinedVariant:
    def test_a_matched_key_whose_target_was_never_seen_counts_as_zero_and_not_as_undefined(
        self,
    ) -> None:
        # Original k aaaabb, t xxxyxy; replica a: z, z; b: x, y. The published code gets 0.5.
        counts = table(
            original=[[3, 1], [1, 1], [0, 0]],
            synthetic=[[0, 1], [0, 1], [2, 0]],
        )
        assert dcap_undefined(counts) == pytest.approx(0.1667, abs=5e-5)

    def test_does_not_exist_where_nothing_matches(self) -> None:
        assert math.isnan(dcap_undefined(NO_MATCH))

    def test_is_the_zero_variant_over_the_matched_share(self) -> None:
        share = 1 - non_match(SIDE_BY_SIDE).proportion
        assert dcap_undefined(SIDE_BY_SIDE) == pytest.approx(dcap_zero(SIDE_BY_SIDE) / share)


class TestByRule:
    def test_is_the_mean_of_both_variants(self) -> None:
        assert cap_by_rule(SIDE_BY_SIDE) == pytest.approx(0.45)
        assert cap_ratio(SIDE_BY_SIDE) == pytest.approx(0.45 / (11 / 15))

    def test_takes_the_original_for_an_undefined_variant_that_exceeds_it(self) -> None:
        # Original a: x, x, y and b: x, y; the replica has only a-x and is right 2 times of 3.
        counts = table(original=[[2, 1], [1, 1]], synthetic=[[1, 0], [0, 0]])
        assert cap_original(counts) == pytest.approx((5 / 3 + 1) / 5)
        assert dcap_undefined(counts) == pytest.approx(2 / 3)
        assert dcap_zero(counts) == pytest.approx(0.4)
        assert cap_by_rule(counts) == pytest.approx((0.4 + cap_original(counts)) / 2)

    def test_is_never_below_the_zero_variant(self) -> None:
        counts = table(original=[[2], [1]], synthetic=[[1], [0]])
        assert cap_original(counts) == pytest.approx(5 / 9)
        assert cap_by_rule(counts) == dcap_zero(counts) == pytest.approx(2 / 3)

    def test_equal_to_the_original_is_not_above_it(self) -> None:
        counts = table(original=[[1, 1], [1, 1]], synthetic=[[1, 0], [0, 0]])
        assert cap_by_rule(counts) == pytest.approx((0.25 + 0.5) / 2)

    @pytest.mark.parametrize(
        ("original", "synthetic", "rule"),
        [
            ([[3, 1, 0], [1, 1, 2]], [[3, 1, 0], [1, 1, 2]], "mean of both"),
            ([[1, 1], [1, 1]], [[1, 0], [0, 0]], "mean of both"),
            ([[2, 1], [1, 1]], [[1, 0], [0, 0]], "mean of zero and original"),
            ([[3, 3, 1], [1, 1, 0]], [[1, 1, 0], [0, 0, 0]], "zero"),  # 6 of 9, as the original
            ([[2], [1]], [[1], [0]], "zero"),
            ([[3, 0], [1, 0]], [[0, 2], [0, 2]], "zero"),
        ],
        ids=["a copy", "at the bound", "above it", "at and above it", "both above it", "no match"],
    )
    def test_says_what_it_is(self, original: Rows, synthetic: Rows, rule: str) -> None:
        counts = table(original=original, synthetic=synthetic)
        assert cap_and_rule(counts) == (pytest.approx(float(cap_by_rule(counts))), rule)

    def test_is_the_zero_variant_where_nothing_matches(self) -> None:
        assert cap_by_rule(NO_MATCH) == 0.0
        assert cap_ratio(NO_MATCH) == 0.0
        draws = np.stack([NO_MATCH.synthetic, NO_MATCH.synthetic])
        assert cap_by_rule(replace(NO_MATCH, synthetic=draws)).tolist() == [0.0, 0.0]

    def test_of_a_replica_equal_to_the_original_the_ratio_is_one(self) -> None:
        original = [[3, 1, 0], [1, 1, 2]]
        assert cap_ratio(table(original=original, synthetic=original)) == pytest.approx(1.0)


class TestNonMatch:
    def test_counts_originals_whose_key_the_replica_lacks(self) -> None:
        assert non_match(SIDE_BY_SIDE) == Share(1, 5)
        assert non_match(NO_MATCH).proportion == 1.0


class TestTcapMatched:
    def test_does_not_exist_where_nothing_matches(self) -> None:
        assert math.isnan(tcap_matched(NO_MATCH).percent)

    def test_takes_over_a_disco_that_exclusions_reduced(self) -> None:
        assert tcap_matched(SIDE_BY_SIDE, disclosed=Share(1, 5)) == Share(1, 4)


class TestTcapSynthetic:
    def test_does_not_exist_without_a_unanimous_key_of_the_original(self) -> None:
        assert math.isnan(tcap_synthetic(NO_MATCH))
        assert math.isnan(tcap_synthetic(table(original=[[2], [0]], synthetic=[[1], [1]])))

    def test_a_unanimous_but_wrong_key_counts_as_zero(self) -> None:
        assert tcap_synthetic(table(original=[[2], [0]], synthetic=[[0], [3]])) == 0.0
