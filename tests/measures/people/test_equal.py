from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from sdcmetrics.measures.people.equal import (
    bundles_of,
    equal_records,
    largest_chance,
    speaks,
    twins_p,
)


def keys(*letters: str) -> Any:
    """Return a key per letter, of original, holdout and replica."""
    return np.array([ord(letter) << 8 for letter in "".join(letters)], np.uint64)


def test_a_label_hit_is_a_value_of_one_person_alone_that_the_replica_has() -> None:
    # a, b are one person of the original each; c one left out; d two people; e nobody's
    original, holdout, replica = "abdxyz", "cduvw", "aabcde"
    e = equal_records(bundles_of(keys(original, holdout, replica), 6, 5), 6, 5)
    assert (e.original, e.holdout) == (2, 1)
    assert e.p_label == pytest.approx(hypergeom.sf(1, 11, 6, 3))


def test_a_twin_joins_original_and_replica_and_not_the_holdout() -> None:
    # a: O R, joined; b: O H, not; c: H R, against; d: O O R, joined; f: R R, not; g alone
    e = equal_records(bundles_of(keys("abddg", "bch", "acdff"), 5, 3), 5, 3)
    assert (e.joined, e.bundles, e.contradicts) == (2, 5, 1)


def test_bundles_of_more_than_six_do_not_count() -> None:
    e = equal_records(bundles_of(keys("aaaab", "", "aaacd"), 5, 0), 5, 0)
    assert (e.joined, e.bundles) == (0, 0)


@pytest.mark.parametrize("rho", [0.0, 0.05, 0.5, 1.0, 2.0])
def test_a_pair_joins_original_and_replica_in_half_of_the_original_s_share_at_most(
    rho: Any,
) -> None:
    assert largest_chance(2, rho) == pytest.approx(1 / (2 * (1 + rho)), rel=2e-3)


def test_no_density_of_the_replica_joins_more_than_the_largest_chance() -> None:
    rng = np.random.default_rng(1)
    for x in (0.3, 1.0, 2.0, 5.0):
        file = rng.choice(3, (40_000, 3), p=np.array([1, 0.5, x]) / (1.5 + x))
        joined = (file == 0).any(1) & (file == 2).any(1) & ~(file == 1).any(1)
        assert joined.mean() <= largest_chance(3, 0.5) + 0.01


def test_p_of_twins_is_the_tail_of_a_sum_of_binomials() -> None:
    assert twins_p(3, (10,), (0.5,)) == pytest.approx(binom.sf(2, 10, 0.5))
    by_hand = sum(
        binom.pmf(i, 2, 0.5) * binom.pmf(j, 1, 0.25)
        for i in range(3)
        for j in range(2)
        if i + j > 1
    )
    assert twins_p(2, (2, 1), (0.5, 0.25)) == pytest.approx(by_hand)
    assert twins_p(300, (500,), (0.5,)) == pytest.approx(binom.sf(299, 500, 0.5))
    assert twins_p(240, (500,), (0.5,)) == 1  # no more than expected


def test_the_holdout_speaks_once_all_hits_in_the_original_were_no_accident() -> None:
    assert not speaks(7, 0, 1000, 1000)
    assert speaks(8, 0, 1000, 1000)
    assert speaks(4, 4, 1000, 1000)
    assert not speaks(100, 0, 1000, 0)


def test_the_holdout_speaks_of_few_records_by_the_exact_chance() -> None:
    # C(8, k) / C(16, k) of k hits: .0035 of six, .0128 of five, where .5^6 = .016
    assert speaks(6, 0, 8, 8)
    assert speaks(0, 6, 8, 8)
    assert not speaks(5, 0, 8, 8)
