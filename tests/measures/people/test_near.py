from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, hypergeom

from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.near import Arranged, arranged, near_records
from sdcmetrics.measures.people.near import _quantile as quantile_of
from sdcmetrics.measures.people.search import among, crowd, nearest
from sdcmetrics.measures.people.tails import (
    binomial_tails,
    hypergeometric_tails,
    smallest_hypergeometric,
)
from tests.measures.people.all_pairs import assert_crowd, assert_nearest
from tests.measures.people.drawn import people_of, records


@pytest.mark.parametrize("columns", [1, 2, 3, 11, 40])
@pytest.mark.parametrize("clusters", [1, 15], ids=["all near", "few near"])
def test_nearest_records_are_those_of_all_distances(columns: Any, clusters: int) -> None:
    rng = np.random.default_rng(columns)
    size, pool, unit = 150, 90, 300
    ranks = np.where(
        np.arange(columns)[:, None] % 2,
        rng.integers(0, 3, (columns, size)) * unit,
        rng.integers(0, 150, (columns, size)) * 2,
    ).astype(np.int32)
    ranks += (1000 * rng.integers(0, clusters, size)).astype(np.int32)
    assert_nearest(nearest(ranks, pool, unit, rng), ranks, pool, unit)


@pytest.mark.parametrize(
    ("size", "kinds"),
    [(1050, (4, 5, 2)), (1050, (1, 1, 1)), (60, (1, 254, 1)), (60, (0, 507, 0))],
    ids=["several blocks", "codes one by one", "more codes than a byte counts", "only codes"],
)
def test_columns_of_every_kind_and_number_are_counted(size: int, kinds: tuple[int, ...]) -> None:
    rng = np.random.default_rng(size)
    unit, pool = 2 * size, size // 2
    values = [  # numbers, codes of a byte, wider codes
        rng.integers(0, size, (kinds[0], size)) * 2,
        rng.integers(0, 3, (kinds[1], size)) * unit,
        rng.integers(0, 400, (kinds[2], size)) * unit,
    ]
    ranks = np.concatenate(values).astype(np.int32)
    near = nearest(ranks, pool, unit, rng)
    assert_nearest(near, ranks, pool, unit)
    known = nearest(ranks, pool, unit, rng, among(ranks, pool, unit))
    assert np.array_equal(known.distance, near.distance)
    assert np.array_equal(known.second, near.second)
    assert_crowd(crowd(ranks, unit, 5, rng), ranks, unit)


def test_numbers_whose_difference_needs_more_than_two_bytes_are_far_apart() -> None:
    ends = np.tile([-32_767, 32_767, -32_761, 32_761], 3)  # two of them are 2 apart in 16 bits
    ranks = np.array([ends, ends[::-1]], np.int32)
    near = nearest(ranks, 2, 24, np.random.default_rng(1))
    assert near.own[0].tolist() == [48, 48]
    assert_nearest(near, ranks, 2, 24)


def test_ties_fall_on_every_file_alike() -> None:
    rng = np.random.default_rng(5)
    size, pool = 400, 200
    near = nearest(np.zeros((1, size), np.int32), pool, 800, rng)
    assert abs((near.first[0] < pool).mean() - 0.5) < 0.1
    assert len(np.unique(near.person[0])) > 80  # and on every person


@pytest.mark.parametrize(("columns", "size", "pool"), [(2, 40, 2), (5, 300, 140), (12, 280, 256)])
@pytest.mark.parametrize("values", [2, 8, 2_000])
def test_people_who_are_near_to_each_other_need_not_be_searched_again(
    columns: int, size: int, pool: int, values: int
) -> None:
    ranks = np.random.default_rng(values).integers(0, values, (columns, size), np.int32)
    people = among(ranks, pool, 2 * size)
    for seed in range(3):
        for column in ranks:  # the replica's values change places, those of people do not
            np.random.default_rng(seed).shuffle(column[pool:])
        searched = nearest(ranks, pool, 2 * size, np.random.default_rng(seed))
        given = nearest(ranks, pool, 2 * size, np.random.default_rng(seed), people)
        for name, values_of in vars(searched).items():
            assert np.array_equal(getattr(given, name), values_of), name


def test_who_is_near_to_whom_takes_two_people() -> None:
    alone, two = (Arranged(np.zeros((1, 3), np.int32), np.arange(n), 1, n - 1, 1) for n in (1, 2))
    assert alone.among() is None
    assert two.among() is not None


def test_the_quantile_is_that_of_numpy() -> None:
    rng = np.random.default_rng(3)
    for size in range(1, 200):
        distances = rng.integers(0, 5 * size, size, np.int32)
        assert quantile_of(distances, 0.9) == np.quantile(distances, 0.9)


def test_a_crowd_is_the_five_nearest() -> None:
    rng = np.random.default_rng(6)
    ranks = rng.permutation(60).astype(np.int32)[None] * 2
    assert_crowd(crowd(ranks, 120, 5, rng), ranks, 120)


def test_tails_are_those_of_scipy() -> None:
    assert np.allclose(binomial_tails(30, 0.3), binom.sf(np.arange(-1, 30), 30, 0.3), rtol=1e-10)
    for drawn, having, pool in ((20, 30, 50), (45, 30, 50), (300, 500, 1000)):
        expected = hypergeom.sf(np.arange(-1, drawn), pool, having, drawn)
        assert np.allclose(hypergeometric_tails(drawn, having, pool), expected, rtol=1e-8)


def test_the_smallest_tail_is_the_smallest_of_all() -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        drawn = rng.integers(3, 200, 60)
        hits = rng.hypergeometric(200, 150, drawn)
        best, p = smallest_hypergeometric(hits, drawn, 200, 350)
        tails = hypergeom.sf(hits - 1, 350, 200, drawn)
        assert p == pytest.approx(tails.min(), rel=1e-9)
        assert tails[best] == pytest.approx(tails.min(), rel=1e-9)


def near_of(
    original: pd.DataFrame,
    replica: pd.DataFrame,
    holdout: pd.DataFrame,
    seed: int = 1,
    levels: tuple[float, float] = (0.003, 0.001),
) -> Any:
    given = records(original, replica, holdout)
    rng = np.random.default_rng(seed)
    return near_records(arranged(files_of(given, given.names), rng), rng, levels=levels)


def test_jittered_people_are_nearest_to_themselves() -> None:
    rng = np.random.default_rng(8)
    original, holdout = people_of(rng, 150), people_of(rng, 150)
    replica = original.copy()
    replica["income"] += rng.normal(0, 30, 150)
    replica["age"] += rng.choice([-1, 0, 1], 150)
    near = near_of(original, replica, holdout)
    assert near.p_twins < 1e-20
    assert near.p_label < 1e-20
    assert near.contradicts <= 3 < near.joined
    assert near.share > 0.9


def test_other_people_are_not() -> None:
    rng = np.random.default_rng(9)
    p = []
    for seed in range(30):
        frames = [people_of(rng, 100) for _ in range(3)]
        near = near_of(*frames, seed=seed)
        p.append((near.p_twins, near.p_label))
    low = np.array(p) <= (0.003, 0.001)
    assert low.sum() <= 1


def test_draws_decide_between_the_smallest_p_and_that_of_all_sets() -> None:
    rng = np.random.default_rng(10)
    original, holdout = people_of(rng, 150), people_of(rng, 150)
    replica = people_of(rng, 150)
    replica.iloc[:5] = original.iloc[:5]
    raw = near_of(original, replica, holdout).smallest_twins
    assert 1e-6 < raw < 0.02
    near = near_of(original, replica, holdout, levels=(2 * raw, 1e-9))
    assert raw < near.p_twins < 100 * raw
