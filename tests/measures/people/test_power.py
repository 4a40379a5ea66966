from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.people import power as subject
from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.equal import (
    bundles_of,
    equal_records,
    keys_of,
    label_p,
    speaks,
)
from sdcmetrics.measures.people.levels import Levels
from sdcmetrics.measures.people.power import noticed
from tests.measures.people.drawn import people_of, records


def of_keys(keys: Any, n: Any, h: Any, seed: int = 1) -> Any:
    levels = Levels().of(holdout=bool(h))
    return noticed(keys, n, h, levels, np.random.default_rng(seed))


@pytest.mark.parametrize(("h", "least"), [(400, 4), (0, 8)])
@pytest.mark.parametrize("redrawn", [10_000, 100])
def test_where_nobody_has_a_twin_so_many_copied_people_are_noticed(
    h: Any, least: Any, redrawn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # with a holdout .25^4 <= .004 < .25^3; without .5^8 <= .005 < .5^7
    monkeypatch.setattr(subject, "_REDRAWN", redrawn)
    keys = np.arange(1, 801 + h, dtype=np.uint64) << np.uint64(8)
    assert abs(of_keys(keys, 400, h) - least) <= (1 if redrawn == 100 else 0)


def test_no_more_people_are_copied_than_a_replica_has_records() -> None:
    keys = np.arange(1, 104, dtype=np.uint64) << np.uint64(8)
    assert of_keys(keys, 60, 40) is None  # three of three hits in 60 of 100: .6^3 > .004


def test_people_who_are_all_alike_hide_every_copy() -> None:
    keys = np.repeat(np.arange(1, 4, dtype=np.uint64) << np.uint64(8), 100)
    assert of_keys(keys, 150, 0) is None


def is_noticed(keys: Any, n: int, h: int, levels: Any) -> bool:
    """Whether labels alarm, or pairs that the holdout cannot contradict."""
    bundles = bundles_of(keys, n, h)
    e = equal_records(bundles, n, h)
    copied = (e.joined - e.chance * e.bundles) / (1 - e.chance) * bundles.alone(n)
    void = e.p_label > 0.01 and speaks(e.original, e.holdout, n, h, round(max(0, copied)))
    return bool(e.p_label <= levels.get("LE", -1) or (e.p_twins <= levels["TE"] and not void))


def test_what_it_promises_is_noticed_in_new_files() -> None:
    rng = np.random.default_rng(2)

    def keys(copies: int = 0) -> Any:
        parts = [people_of(rng, 150)[["age", "sex", "region", "status"]] for _ in range(3)]
        parts[2].iloc[:copies] = parts[0].iloc[:copies]
        given = records(*[parts[i] for i in (0, 2, 1)])
        return keys_of(files_of(given, given.names), rng)

    number = of_keys(keys(), 150, 150)
    seen = 0
    for _ in range(60):
        seen += is_noticed(keys(number), 150, 150, {"LE": 0.002, "TE": 0.004})
    assert seen >= 50  # 54 are promised; 50 or more in 98 of 100 such tests


def of_another_law(kind: str, rng: Any, n: int, h: int) -> Any:
    """Return keys whose replica has values of its own, or repeats its records."""
    people = rng.integers(0, 4 * n, n + h)
    replica = rng.integers(0, 4 * n, n)
    if kind == "values of its own":
        replica = np.where(rng.random(n) < 0.1, replica, rng.integers(4 * n, 7 * n, n))
    if kind == "drawn again":
        replica = rng.choice(replica, n)
    return np.concatenate([people, replica]).astype(np.uint64) << np.uint64(8)


@pytest.mark.parametrize("h", [0, 100])
@pytest.mark.parametrize("n", [1_000, 6_000])  # drawn one by one, and by bundles
@pytest.mark.parametrize("kind", ["the same", "values of its own", "drawn again"])
def test_what_it_promises_is_noticed_in_a_replica_of_another_law(kind: str, n: int, h: int) -> None:
    rng = np.random.default_rng(3)
    keys = of_another_law(kind, rng, n, h)
    number, levels, seen = of_keys(keys, n, h), Levels().of(holdout=bool(h)), 0
    for _ in range(40):
        copied = keys.copy()
        leaving, people = (rng.choice(n, number, replace=False) for _ in range(2))
        copied[n + h + leaving] = keys[people]
        seen += is_noticed(copied, n, h, levels)
    assert seen >= 36  # 9 of 10
    if kind != "the same" and not h:  # labels that are exchanged promise too much
        draw = (subject._one_by_one if n < 5_000 else subject._by_bundles)(keys, n, h, rng)
        exchanged = subject._smallest(draw, n, lambda each: subject._alarms(each, n, h, levels))
        assert exchanged is not None
        assert number > 1.5 * exchanged


def test_copies_of_the_file_as_it_is_are_counted_as_they_are_made() -> None:
    rng = np.random.default_rng(5)
    keys, n = of_another_law("values of its own", rng, 6_000, 0), 6_000
    copied, draws = 1_500, 60
    drawn = subject._by_bundles(keys, n, 0, rng, as_they_are=True)(copied, draws)
    made = []
    for _ in range(draws):
        file = keys.copy()
        leaving, people = (rng.choice(n, copied, replace=False) for _ in range(2))
        file[n + leaving] = keys[people]
        bundles = bundles_of(file, n, 0)
        both = (bundles.original > 0) & (bundles.replica > 0)
        made.append(
            [int((bundles.sizes == k).sum()) for k in range(2, 7)]
            + [int((both & (bundles.sizes == k)).sum()) for k in range(2, 7)]
        )
    expected, means = np.mean(made, 0), np.mean([[*d[2], *d[3]] for d in drawn], 0)
    assert np.all(np.abs(means - expected) <= 0.03 * expected + 2)


def test_bundles_and_single_records_give_the_same_number(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    given = records(*[people_of(rng, 900)[["age", "sex", "region", "status"]] for _ in range(3)])
    keys = keys_of(files_of(given, given.names), rng)
    one_by_one = of_keys(keys, 900, 900)
    monkeypatch.setattr(subject, "_REDRAWN", 100)
    assert of_keys(keys, 900, 900) == pytest.approx(one_by_one, rel=0.2)


def by_hand(labels: Any, number: Any) -> Any:
    """Count one draw as the procedure defines it: labels 0 original, 1 holdout, 2 replica."""
    hits, sizes, joined = [0, 0], [0] * 5, [0] * 5
    for bundle in np.unique(number):
        t, b, r = (int((labels[number == bundle] == file).sum()) for file in range(3))
        if r and t + b == 1:  # of one person alone, and the replica has it
            hits[b] += 1
        if 2 <= t + b + r <= 6:
            sizes[t + b + r - 2] += 1
            joined[t + b + r - 2] += bool(t and r and not b)
    return (*hits, tuple(sizes), tuple(joined))


@pytest.mark.parametrize("seed", range(6))
def test_a_draw_is_counted_as_defined(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 6, 7, 8]
    number = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)).astype(np.int32)
    n, h = [(20, 20), (25, 0), (10, 30), (3, 2), (40, 5), (1, 1)][seed]
    out = np.zeros((1, 16), np.int64)
    subject._count(number[None], n, h, len(sizes), out)
    labels = np.where(np.arange(len(number)) < n, 0, np.where(np.arange(len(number)) < n + h, 1, 2))
    row = out[0].tolist()
    assert (row[0], row[1], tuple(row[4:9]), tuple(row[11:])) == by_hand(labels, number)
    assert subject._one_by_one(
        np.zeros(6, np.uint64), 2, 2, rng
    )(0, 3) == [(0, 0, (0, 0, 0, 0, 1), (0, 0, 0, 0, 0))] * 3  # fmt: skip


@pytest.mark.parametrize(("n", "h"), [(600, 400), (800, 0)])
@pytest.mark.parametrize("copied", [0, 60])
def test_bundles_are_drawn_as_single_records_are(n: Any, h: Any, copied: Any) -> None:
    rng = np.random.default_rng(7)
    sizes = np.repeat([1, 2, 3, 4, 5, 6, 7, 8, 9], [500, 100, 60, 40, 20, 10, 10, 5, 5])
    keys = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)

    def drawn(of: Any, rows: int) -> Any:
        draws = of(keys, n, h, rng)(copied, rows)
        return np.array([(a, b, *c, *d) for a, b, c, d in draws], dtype=float)

    one_by_one, bundles = drawn(subject._one_by_one, 400), drawn(subject._by_bundles, 400)
    error = np.sqrt((one_by_one.var(0) + bundles.var(0)) / 400)
    apart = np.abs(one_by_one.mean(0) - bundles.mean(0))
    # bundles are redrawn independently, with the files' sizes right on average only
    assert np.all(apart <= 4.5 * error + 0.02 * one_by_one.mean(0) + 0.05)
    assert one_by_one.mean(0)[0] > 0


def test_a_long_bundle_hits_where_the_replica_repeats_a_person() -> None:
    # one record in a bundle of 8 is a person's with probability 8 p q^7; 10,000 bundles of 8
    keys = np.repeat(np.arange(10_000, dtype=np.uint64), 8)
    n, h = 16_000, 8_000
    hits, of_holdout, sizes, joined = subject._by_bundles(
        keys, n, h, np.random.default_rng(1)
    )(0, 1)[0]  # fmt: skip
    expected = 10_000 * 8 * 0.3 * 0.7**7
    assert hits + of_holdout == pytest.approx(expected, abs=4 * np.sqrt(expected))
    assert of_holdout == pytest.approx(expected / 3, abs=4 * np.sqrt(expected / 3))
    assert sum(sizes) == sum(joined) == 0


@pytest.mark.parametrize("size", [1, 2, 4])
def test_compositions_have_the_chances_of_labels_in_any_order(size: Any) -> None:
    chance = np.array([0.5, 0.2, 0.3])
    expected: dict[tuple[int, ...], float] = {}
    for labels in itertools.product(range(3), repeat=size):
        make = tuple(labels.count(file) for file in range(3))
        expected[make] = expected.get(make, 0) + float(np.prod(chance[list(labels)]))
    makes = subject._compositions(size)
    law = dict(zip(map(tuple, makes.tolist()), subject._law(makes, chance), strict=True))
    assert law == pytest.approx(expected)


def test_few_hits_and_hits_of_half_of_all_are_never_ordinary() -> None:
    most = subject._MANY
    assert subject._ordinary(most // 2, most - most // 2, 1000, 1000)
    assert not subject._ordinary(most // 2 - 1, most - most // 2, 1000, 1000)
    assert subject._ordinary(500, 500, 1000, 1000)
    assert not subject._ordinary(500, 501, 1000, 1000)
    # half a standard deviation above what is expected: 5 of 100 hits
    assert subject._ordinary(103, 97, 1000, 1000)
    assert not subject._ordinary(104, 96, 1000, 1000)


@pytest.mark.parametrize(("hits", "n", "h"), [((30, 30), 500, 500), ((60, 20), 900, 300)])
def test_what_is_ordinary_is_far_from_significant(hits: Any, n: Any, h: Any) -> None:
    for more in range(-5, 30):
        a, b = hits[0] + more, hits[1] - more
        if b >= 0 and subject._ordinary(a, b, n, h):
            assert label_p(a, b, n, h) > 0.01
