"""Closed forms equal the mean over every way to draw, and nobody gains by chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

import numpy as np
import pytest

from sdcmetrics.measures.excess.left_out import LeaveOneOut, LeftOut
from sdcmetrics.measures.excess.questions import AS_THEY_ARE, KeyQuestion, Pool

DISCO, REPU = KeyQuestion(("key",), "target"), KeyQuestion(("key",))
Person = tuple[int, int]


def pool_of_people(people: Sequence[Person], n: int) -> Pool:
    key, target = np.array(people).T
    return Pool({"key": key, "target": target}, (n, len(people) - n))


def disclosed(person: Person, others: Iterable[Person]) -> bool:
    levels = {target for key, target in others if key == person[0]}
    return levels == {person[1]}


def disco(original: Sequence[Person], replica: Sequence[Person], k: int) -> float:
    ways = list(combinations(replica, k))
    return 100 * float(np.mean([disclosed(item, way) for item in original for way in ways]))


def disco_left_out(original: Sequence[Person], k: int) -> float:
    hits = [
        disclosed(item, way)
        for i, item in enumerate(original)
        for way in combinations([*original[:i], *original[i + 1 :]], k)
    ]
    return 100 * float(np.mean(hits))


def alone(keys: Sequence[int], others: Sequence[int]) -> int:
    return sum(keys.count(key) == 1 and others.count(key) == 1 for key in keys)


def repu(original: Sequence[Person], replica: Sequence[Person], half: int, k: int) -> float:
    ways = [
        alone([key for key, _ in some], [key for key, _ in rest])
        for some in combinations(original, half)
        for rest in combinations(replica, k)
    ]
    return 100 * float(np.mean(ways)) / half


def repu_left_out(original: Sequence[Person], half: int, k: int) -> float:
    ways = []
    for some in combinations(range(len(original)), half):
        rest = [i for i in range(len(original)) if i not in some]
        first = [original[i][0] for i in some]
        ways += [alone(first, [original[i][0] for i in other]) for other in combinations(rest, k)]
    return 100 * float(np.mean(ways)) / half


@pytest.mark.parametrize(("n", "m"), [(6, 3), (6, 6), (5, 8), (7, 5), (2, 4), (6, 1)])
def test_values_and_baselines_are_means_over_every_way_to_draw(n: int, m: int) -> None:
    rng = np.random.default_rng([n, m])
    for _ in range(12):
        people = [(int(a), int(b)) for a, b in rng.integers(0, (3, 2), (n + m, 2))]
        left_out = LeftOut(pool_of_people(people, n), [DISCO, REPU], AS_THEY_ARE)
        (value,), (base,) = left_out.values(left_out.labels)
        k, (half, rest) = left_out.forms.k, left_out.forms.halves
        original, replica = people[:n], people[n:]
        counted = [  # cells met once in the pool, and keys, are not counted on either side
            (disco(original, replica, k), disco_left_out(original, k)),
            (repu(original, replica, half, rest), repu_left_out(original, half, rest)),
        ]
        np.testing.assert_allclose(np.transpose([value, base]), counted, atol=1e-9)
        copies = disco(original, original, k) - disco_left_out(original, k)
        alike = repu(original, original, half, rest) - repu_left_out(original, half, rest)
        np.testing.assert_allclose(left_out.of_copy(), [copies, alike], atol=1e-9)


@pytest.mark.parametrize(("n", "m"), [(4, 4), (5, 3), (3, 6)])
def test_over_all_exchanges_of_labels_the_mean_excess_is_nothing(n: int, m: int) -> None:
    rng = np.random.default_rng([n, m, 1])
    people = [(int(a), int(b)) for a, b in rng.integers(0, (3, 2), (n + m, 2))]
    left_out = LeftOut(pool_of_people(people, n), [DISCO, REPU], AS_THEY_ARE)
    ways = list(combinations(range(n + m), n))
    labels = np.zeros((n + m, len(ways)), dtype=np.uint8)
    for column, way in enumerate(ways):
        labels[list(way), column] = 1
    each = left_out.statistics(np.ascontiguousarray(labels[left_out.records]))
    assert len(each) == comb(n + m, n)
    np.testing.assert_allclose(each.mean(axis=0), 0, atol=1e-9)
    assert each.std(axis=0).min() > 1


def test_by_hand() -> None:
    # key 0: two of the original with target 0; the replica agrees on it. key 1: of the original
    # one of each target; the replica says 1. Three records of the replica are all: k = m.
    original, replica = [(0, 0), (0, 0), (1, 0), (1, 1)], [(0, 0), (0, 0), (1, 1)]
    left_out = LeftOut(pool_of_people([*original, *replica], 4), [DISCO], AS_THEY_ARE)
    (value,), (base,) = left_out.values(left_out.labels)
    assert value[0] == pytest.approx(75)  # both of key 0 and the last
    assert base[0] == pytest.approx(50)  # both of key 0 tell each other; of key 1 they mislead


def test_the_cells_left_out_of_large_tables_do_not_matter() -> None:
    rng = np.random.default_rng(5)
    people = np.column_stack([np.minimum(rng.zipf(1.3, 1500), 60), rng.integers(0, 3, 1500)])
    for n in (500, 750, 1200):
        pool = Pool({"key": people[:, 0], "target": people[:, 1]}, (n, 1500 - n))
        left_out = LeftOut(pool, [DISCO, REPU], AS_THEY_ARE)
        assert len(left_out.records) < 1500
        forms, (value,), (base,) = LeaveOneOut(n, 1500 - n), *left_out.values(left_out.labels)
        d, s, ds, ss = (np.zeros((61, 3)) for _ in range(4))
        np.add.at(d, (people[:n, 0], people[:n, 1]), 1)
        np.add.at(s, (people[n:, 0], people[n:, 1]), 1)
        d, s = d.astype(int), s.astype(int)
        ds, ss = d.sum(axis=1, keepdims=True), s.sum(axis=1, keepdims=True)
        gain = forms.of_replica[ss - s] - forms.of_replica[ss]
        own = forms.of_others[ds - d] - forms.of_others[np.maximum(ds - 1, 0)]
        whole = [100 / n * (d * gain).sum(), 100 / n * (d * own).sum()]
        np.testing.assert_allclose([value[0], base[0]], whole, atol=1e-7)


def test_key_combinations_are_drawn_whole() -> None:
    rng = np.random.default_rng(7)
    people = np.column_stack([rng.integers(0, 400, 2000), rng.integers(0, 2, 2000)])
    pool = Pool({"key": people[:, 0], "target": people[:, 1]}, (1000, 1000))
    part = LeftOut(pool, [DISCO, REPU], AS_THEY_ARE).some(500, rng)
    used = np.unique(people[part.records, 0])
    assert 50 < len(used) < 150
    assert len(part.records) == np.isin(people[:, 0], used).sum()
    of_disco, of_repu = (set(people[item.records, 0]) for item in part.placed)
    assert len(of_disco ^ of_repu) < 0.2 * len(used)  # one draw for all questions of the same keys
