"""Distances of one column and their p, beside scipy and all permutations."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.distributions import wasserstein
from sdcmetrics.measures.distributions.wasserstein import distance_of, tails_of
from sdcmetrics.measures.survey.households import Households

X, Y = np.array([0.0, 1, 2, 4, 4]), np.array([2.0, 5, 6, 9])


def test_p_is_the_share_of_all_permutations_that_are_as_far() -> None:
    pool = np.concatenate([X, Y])
    value = stats.wasserstein_distance(X, Y)
    every = [
        stats.wasserstein_distance(pool[[*chosen]], np.delete(pool, chosen))
        for chosen in combinations(range(9), 5)
    ]
    exact = np.mean(np.array(every) >= value * (1 - 1e-9))
    assert 0.02 < exact < 0.3
    result = distance_of(X, Y, permutations=2_000, draws=0, seed=1)
    assert result["p"] == pytest.approx(exact, abs=4 * np.sqrt(exact / 2_000))
    assert result["p"] * 2_001 == pytest.approx(round(result["p"] * 2_001))
    assert result["W1"] * result["scale"] == pytest.approx(value)
    assert distance_of(X, X + 100, permutations=19, draws=0, seed=1)["p"] >= 1 / 20
    assert distance_of(X, X, permutations=19, draws=0, seed=1)["p"] == 1


def test_a_holdout_is_brought_to_the_sizes_of_the_replica() -> None:
    holdout = np.array([1.0, 3, 3, 5, 8, np.nan])
    result = distance_of(X, Y, holdout, permutations=0, draws=0, seed=1)
    apart = stats.wasserstein_distance(X, holdout[:5])
    times = np.sqrt((1 / 5 + 1 / 4) / (1 / 5 + 1 / 5))
    assert result["fresh"] * result["scale"] == pytest.approx(apart * times)
    assert np.isnan(result["p"])


def test_the_unit_is_the_interquartile_range_or_the_standard_deviation() -> None:
    few = np.array([1.0, 1, 1, 1, 9])
    for x, scale in ((X, 3.0), (few, few.std(ddof=1))):
        assert distance_of(x, Y, permutations=0, draws=0, seed=1)["scale"] == pytest.approx(scale)
    for x in (np.full(3, 2.0), np.array([2.0])):  # no unit
        result = distance_of(x, Y, permutations=3, draws=0, seed=1)
        assert all(np.isnan(result[name]) for name in ("W1", "p", "scale"))


@pytest.mark.parametrize("shift", [0.0, 1.5])
def test_tails_of_people_who_live_alone_are_those_of_fisher(shift: float) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=150), rng.normal(size=100) + shift
    plain = tails_of(x, y)
    alone = tails_of(x, y, Households(np.arange(250), 150))
    pool = np.concatenate([x, y])
    assert plain["p"].notna().any()
    for (_, item), (_, other) in zip(plain.iterrows(), alone.iterrows(), strict=True):
        beyond = pool > item["cut"] if item["quantile"] > 0.5 else pool <= item["cut"]
        counts = beyond[:150].sum(), beyond[150:].sum()
        assert (item["original"], item["synthetic"]) == counts
        assert item["expected"] == pytest.approx(sum(counts) * 0.4)
        if np.isnan(item["p"]):
            assert min(item["expected"], sum(counts) - item["expected"]) < 5
            assert np.isnan(other["p"])
            continue
        # exchanged: at least as far from what is expected; Fisher: at most as likely
        of_original = np.arange(sum(counts) + 1)
        law = stats.hypergeom(250, sum(counts), 150)
        usual = sum(counts) * 0.6
        as_far = np.abs(of_original - usual) >= abs(counts[0] - usual) - 1e-9
        exact = law.pmf(of_original[as_far]).sum()
        assert other["p"] == pytest.approx(exact, abs=0.002 + 4 * np.sqrt(exact / 999))


def test_five_expected_records_are_enough_for_a_p() -> None:
    x, y = np.arange(100) * 2.0, np.arange(100) * 2.0 + 1
    for households in (None, Households(np.arange(200), 100)):
        rows = tails_of(x, y, households)
        least = np.minimum(
            rows["expected"], rows["original"] + rows["synthetic"] - rows["expected"]
        )
        assert {1.0, 5.0, 10.0} <= {*least}
        assert (rows["p"].notna() == (least >= 5)).all()


def test_of_just_five_expected_records_households_count_too() -> None:
    x, y = np.arange(100) * 2.0, np.arange(100) * 2.0 + 60.5
    rows = tails_of(x, y, Households(np.arange(200) // 4, 25))
    plain = tails_of(x, y)
    five = (rows["expected"] == 5) & (rows["original"] != rows["synthetic"])
    assert five.any()
    draws = rows["p"][five] * (1 + wasserstein._DRAWS)
    np.testing.assert_allclose(draws, draws.round())
    assert (rows["p"][five] > 1.5 * plain["p"][five]).all()


def test_tails_do_not_depend_on_the_order_of_records() -> None:
    rng = np.random.default_rng(4)
    first, other = (pd.DataFrame({"x": rng.integers(0, 30, n)}) for n in (120, 90))
    mixed = [frame.sample(frac=1, random_state=1) for frame in (first, other)]
    pd.testing.assert_frame_equal(sdc.tails(first, other), sdc.tails(*mixed))


def test_p_of_tails_with_households_counts_the_labels_themselves() -> None:
    low, high = np.arange(200.0), np.arange(1_000.0, 1_200.0)
    alone = Households(np.arange(400), 200)
    assert set(tails_of(low, high, alone)["p"].dropna()) == {1 / (1 + wasserstein._DRAWS)}
    assert set(tails_of(low, low, alone)["p"].dropna()) == {1.0}


def test_an_interval_reaches_0_where_chance_explains_the_distance() -> None:
    x = np.random.default_rng(1).normal(size=60)
    for shift, reaches in ((0.01, True), (3.0, False)):
        row = distance_of(x, x + shift, permutations=99, draws=99, seed=1)
        assert (row["p"] > 0.05) is reaches
        assert (row["low"] == 0) is reaches
        assert row["high"] > row["W1"] * 0.5


def test_labels_that_move_the_values_exactly_as_far_count_as_far() -> None:
    # 2 of the 6 choices of two records are 10 apart: the samples, and the samples exchanged
    result = distance_of(
        np.array([0.0, 0.1]), np.array([10.0, 10.1]), permutations=600, draws=0, seed=1
    )
    assert result["p"] == pytest.approx(1 / 3, abs=4 * np.sqrt(2 / 9 / 600))


def test_everything_but_the_scale_is_free_of_the_unit() -> None:
    rng = np.random.default_rng(2)
    parts = rng.normal(size=40), rng.normal(2, 1, 30), rng.normal(size=20)
    plain, other = (
        distance_of(*(unit * part for part in parts), permutations=39, draws=39, seed=1)
        for unit in (1.0, 1024.0)
    )
    assert 0 < plain["low"] < plain["W1"] < plain["high"]
    scale = plain.pop("scale")
    assert other.pop("scale") == pytest.approx(1024 * scale)
    assert other == pytest.approx(plain)


@pytest.mark.parametrize("of_original", [True, False])
def test_a_data_set_without_a_value_has_no_distance_and_no_tails(*, of_original: bool) -> None:
    gone = np.full(4, np.nan)
    parts = (gone, X) if of_original else (X, gone)
    with pytest.raises(NotComputable, match="a data set has no value"):
        distance_of(*parts, permutations=0, draws=0, seed=1)
    with pytest.raises(NotComputable, match="a data set has no value"):
        tails_of(*parts)


def test_a_tail_needs_five_expected_records_of_the_smaller_file_too() -> None:
    few, many = np.arange(40) * 10.0 + 5, np.arange(400.0)
    for first, other in ((few, many), (many, few)):
        tenth = tails_of(first, other).set_index("quantile").loc[0.1]
        assert tenth["original"] + tenth["synthetic"] == 44  # 4 of them of the smaller
        assert np.isnan(tenth["p"])


def test_extremes_are_named_with_their_records() -> None:
    frames = pd.DataFrame({"x": [3.0, 3, 5, 7, 8, 8, 8]}), pd.DataFrame({"x": [3.0, 6, 9]})
    ends = sdc.tails(*frames).attrs["extremes"].loc["x"].to_dict()
    assert ends == {
        "copied_min": True, "min_records": 2, "copied_max": False, "max_records": 3
    }  # fmt: skip


def test_an_interval_of_a_small_distance_is_as_wide_below_as_above() -> None:
    rng = np.random.default_rng(3)
    row = distance_of(
        rng.normal(size=300), rng.normal(0.3, 1, 200), permutations=99, draws=99, seed=1
    )
    assert 0 < row["low"] == pytest.approx(2 * row["W1"] - row["high"])


@pytest.mark.parametrize(("permutations", "above"), [(19, True), (18, False)])
def test_an_interval_is_above_0_where_p_is_at_most_a_twentieth(
    permutations: int, *, above: bool
) -> None:
    x = np.arange(30.0)
    row = distance_of(x, x + 90, permutations=permutations, draws=9, seed=1)
    assert row["p"] == 1 / (1 + permutations)
    assert (row["low"] > 0) is above
