"""Whole clusters are left out and exchanged."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from sdcmetrics.measures.excess.households import ClustersLeftOut, clusters_of
from sdcmetrics.measures.excess.questions import AS_THEY_ARE, KeyQuestion, Pool, Scenario
from sdcmetrics.measures.excess.result import Excess
from sdcmetrics.measures.records import Column, Records
from sdcmetrics.microdata.columns import Kind
from tests.measures.excess.people import excess, households, records
from tests.measures.excess.test_left_out import Person, disclosed

Way = tuple[int, ...]
SCENARIO = Scenario(("region", "income"), ("tenure", "vote", "sex"))


def test_clusters_are_numbered_side_by_side() -> None:
    sides = np.array([4.0, 4.0, np.nan, 7.0, np.nan]), np.array([4.0, 2.0, 2.0])
    numbers = clusters_of(*sides)
    assert numbers[0] == numbers[1]
    assert len(set(numbers[:5])) == 4  # who lives with nobody is a cluster
    assert numbers[5] != numbers[6] == numbers[7]
    assert set(numbers[:5]).isdisjoint(numbers[5:])


def disclosed_by(person: Person, people: list[Person], number: list[int], some: Way) -> bool:
    return disclosed(person, [item for item, c in zip(people, number, strict=True) if c in some])


@pytest.mark.parametrize("seed", range(6))
def test_values_and_baselines_are_means_over_every_way_to_draw_clusters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = [(int(a), int(b)) for a, b in rng.integers(0, (3, 2), (15, 2))]
    key, target = np.array(people).T
    number = [0, 0, 1, 1, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 7]
    pool = Pool({"key": key, "target": target}, (8, 7))
    asked = [KeyQuestion(("key",), "target")]
    for n_replica in (2, 4):
        size = 8 + [0, 0, 5, 0, 7][n_replica]
        pool = Pool({"key": key[:size], "target": target[:size]}, (8, size - 8))
        clusters = np.array(number[:size])
        left_out = ClustersLeftOut(pool, clusters, asked, AS_THEY_ARE)
        labels = (np.arange(4 + n_replica) < 4).astype(np.uint8)[:, None]
        (value,), (base,) = left_out.values(labels)
        k = left_out.k
        assert k == min(n_replica, 3)
        ways = list(combinations(range(4, 4 + n_replica), k))
        hits = [disclosed_by(item, people, number, way) for item in people[:8] for way in ways]
        others = [
            disclosed_by(people[i], people, number, way)
            for i in range(8)
            for way in combinations([c for c in range(4) if c != number[i]], k)
        ]
        # each person counts as often: three clusters of the others can be drawn in as many ways
        assert value[0] == pytest.approx(100 * np.mean(hits))
        assert base[0] == pytest.approx(100 * np.mean(others))


@pytest.mark.parametrize("first", [3, 4, 2])
def test_over_all_exchanges_of_clusters_the_mean_excess_is_nothing(first: int) -> None:
    rng = np.random.default_rng(9)
    key, target = rng.integers(0, (3, 2), (14, 2)).T
    pool = Pool({"key": key, "target": target}, (2 * first, 14 - 2 * first))
    asked = [KeyQuestion(("key",), "target")]
    left_out = ClustersLeftOut(pool, np.repeat(np.arange(7), 2), asked, AS_THEY_ARE)
    ways = list(combinations(range(7), first))
    labels = np.zeros((7, len(ways)), dtype=np.uint8)
    for column, way in enumerate(ways):
        labels[list(way), column] = 1
    value, base = left_out.values(labels)
    assert (value - base).mean() == pytest.approx(0, abs=1e-9)
    assert (value - base).std() > 1


def of_households(
    parts: list[tuple[object, np.ndarray]], *, named: bool = True, **kwargs: str
) -> Excess:
    data: Records = records(*(frame for frame, _ in parts))
    if named:
        numbers = [number for _, number in parts]
        data = replace(data, cluster=Column("home", Kind.CATEGORY, *numbers))
    return excess(data, [SCENARIO], **kwargs)


def test_households_of_other_people_are_within_and_a_copy_fails() -> None:
    rng = np.random.default_rng(1)
    original = households(rng, 300)
    for holdout in ([households(rng, 300)], []):
        fresh = of_households([original, households(rng, 300), *holdout])
        assert fresh.status(people_alarm=True) == "within"
        assert fresh.cluster == "home"
        assert all(
            question.target for question in fresh.questions
        )  # who is alone has no meaning here
        copy = of_households([original, original, *holdout])
        assert copy.status(people_alarm=True) == "fail"
        assert copy.status(people_alarm=False) == ("fail" if holdout else "review")


def test_without_the_column_it_is_not_judged() -> None:
    rng = np.random.default_rng(2)
    original, (replica, _) = households(rng, 200), households(rng, 200)
    none = np.zeros(0, dtype=np.int64)
    missing = of_households([original, (replica, none)])
    assert (missing.reason, missing.status(people_alarm=True)) == ("clusters", "not judged")
    assert missing.cluster == "home"


def test_a_holdout_without_the_column_is_not_used() -> None:
    rng = np.random.default_rng(3)
    parts = [households(rng, 200) for _ in range(3)]
    parts[2] = (parts[2][0], np.zeros(0, dtype=np.int64))
    assert of_households(parts).basis == "other people"
