"""The search for nearest records, its loops run as Python, against distances between all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.people import kernels, search
from sdcmetrics.measures.people.search import among, crowd, nearest
from tests.measures.loops import as_python
from tests.measures.people.all_pairs import assert_crowd, assert_nearest

LARGEST = 2**31 - 1

pytestmark = pytest.mark.traced


@pytest.fixture(autouse=True)
def _loops(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cut a few records into as many blocks as are made of thousands."""
    as_python(monkeypatch, kernels)
    monkeypatch.setattr(search, "compiled", lambda kernel, _: kernel)
    for name, size in (("_CHUNK", 8), ("_BLOCK", 16), ("_TRIED", 4), ("_FULL", 8)):
        monkeypatch.setattr(kernels, name, size)
    with np.errstate(over="ignore"):  # of random bits
        yield


@pytest.mark.parametrize(("start", "stop"), [(0, 30), (0, 8), (3, 4), (5, 29), (7, 24), (6, 6)])
def test_the_smallest_key_of_a_stretch_is_the_first_of_several(start: int, stop: int) -> None:
    rng = np.random.default_rng(stop)
    for _ in range(20):
        key = rng.choice([*range(9), LARGEST], 30).astype(np.int32)
        minima = np.zeros(kernels._chunks(stop - start), np.int32)
        assert len(minima) == -(-(stop - start) // 8)
        for place in (-1, *rng.permutation(30).tolist()):
            kernels._take_away(key, place)
            part = key[start:stop].tolist()
            least = min(part, default=LARGEST)
            at = start + (part.index(least) if part else 0)
            if place < 0:
                assert kernels._least(key, start, stop, minima) == (least, at)
            else:
                assert kernels._next(key, start, stop, minima, place) == least
            assert minima.tolist() == [min(part[at : at + 8]) for at in range(0, len(part), 8)]
            assert kernels._first(key, start, stop, minima) == (least, at)
        assert key.tolist() == [LARGEST] * 30


@pytest.mark.parametrize("far", [5, 12, 100])
def test_those_are_close_who_are_as_far_as_the_second_nearest_and_a_slack(far: int) -> None:
    rng = np.random.default_rng(far)
    for slack in (0, 2, 3):
        total = rng.integers(1, 20, 40).astype(np.int32)
        close, before = np.full(41, 77, np.int32), total.copy()
        count = kernels._close(total, 5, 38, slack, far, np.zeros(5, np.int32), close, 2)
        limit = min(np.sort(before[5:38])[1] + slack, far)
        listed = [b for b in range(5, 38) if before[b] <= limit]
        assert close[:2].tolist() == [77, 77]
        assert close[2:count].tolist() == listed
        assert np.array_equal(total, before)


@pytest.mark.parametrize("shift", [0, 1, 2, 8])
def test_random_bits_are_the_upper_ones_of_a_sum_for_each_pair(shift: int) -> None:
    noises = np.random.default_rng(shift).integers(0, 2**32, (2, 12), dtype=np.uint32)
    bits = [
        [((int(a) + int(b)) % 2**32) >> (32 - shift) for b in noises[1]] for a in noises[0]
    ]  # fmt: skip
    every = [[int(kernels._bits(noises, i, b, shift)) for b in range(12)] for i in range(12)]
    assert every == bits
    ties = np.array([3, 9, 0, 7, 5, 1, 11, 2], np.int32)
    for i in range(12):
        for start in range(8):
            for stop in range(start + 1, 9):
                among = ties[start:stop].tolist()
                at, least = kernels._winner(ties, start, stop, noises, i, shift)
                assert (at, least) == min(
                    ((b, bits[i][b]) for b in among),
                    key=lambda pair: (pair[1], among.index(pair[0])),
                )


def test_keys_are_distances_without_a_group_and_random_bits_behind_them() -> None:
    key = np.zeros(3, np.int32)
    total, left_out, noise = (np.array(v, np.int32) for v in ([9, 7, 8], [2, 0, 8], [5, 0, 7]))
    kernels._set_keys(key, total, left_out, noise, 3)
    assert key.tolist() == [7 * 8 + 5, 7 * 8, 7]


@pytest.mark.parametrize("columns", [0, 1, 3, 4, 5, 8, 11])
def test_codes_that_differ_are_counted_from_one_column_to_another(columns: int) -> None:
    codes = np.random.default_rng(columns).integers(0, 2, (columns + 3, 30)).astype(np.uint8)
    count = np.arange(20, dtype=np.uint8)
    kernels._count_codes(codes, codes[:, 28:], 4, 2, 2 + columns, count)
    differ = codes[2 : 2 + columns, 4:24] != codes[2 : 2 + columns, 28:29]
    assert count.tolist() == (np.arange(20) + differ.sum(axis=0)).tolist()


@pytest.mark.parametrize("kind", [np.int16, np.int32])
@pytest.mark.parametrize("columns", [0, 1, 2, 3, 4, 6, 8])
def test_distances_of_numbers_are_cut_at_the_unit(columns: int, kind: Any) -> None:
    numbers = np.random.default_rng(columns).integers(-40, 40, (columns + 2, 30)).astype(kind)
    out = np.arange(20, dtype=np.int32)
    kernels._add_numbers(numbers, numbers[:, 28:], 4, 1, 1 + columns, 9, out)
    apart = np.abs(numbers[1 : 1 + columns, 4:24].astype(int) - numbers[1 : 1 + columns, 28:29])
    assert out.tolist() == (np.arange(20) + np.minimum(apart, 9).sum(axis=0)).tolist()


def ranks_of(kinds: tuple[int, int, int], size: int, clusters: int, seed: int) -> Any:
    """Return columns of numbers, of codes of a byte and of wider codes, and their unit."""
    rng, unit = np.random.default_rng(seed), 2 * size
    values = [
        rng.integers(0, size, (kinds[0], size)) * 2,
        rng.integers(0, 3, (kinds[1], size)) * unit,
        rng.integers(0, 400, (kinds[2], size)) * unit,
    ]
    ranks = np.concatenate(values).astype(np.int32)
    apart = 20 * unit * rng.integers(0, clusters, size)
    return (ranks + apart).astype(np.int32), unit


@pytest.mark.parametrize("clusters", [1, 9], ids=["all near", "few near"])
@pytest.mark.parametrize("pool", [17, 33])
@pytest.mark.parametrize("kinds", [(4, 5, 2), (1, 1, 1), (1, 19, 1), (0, 0, 5), (2, 0, 0)])
def test_nearest_records_are_those_of_all_distances(
    kinds: tuple[int, int, int], pool: int, clusters: int
) -> None:
    ranks, unit = ranks_of(kinds, 50, clusters, 1)
    near = nearest(ranks, pool, unit, np.random.default_rng(2))
    assert_nearest(near, ranks, pool, unit)
    people = among(ranks, pool, unit)
    known = nearest(ranks, pool, unit, np.random.default_rng(2), people)
    for name, values in vars(near).items():
        assert np.array_equal(getattr(known, name), values), name
    assert_crowd(crowd(ranks, unit, 5, np.random.default_rng(3)), ranks, unit)


def test_who_is_near_but_for_a_group_of_two_columns_is_close() -> None:
    ranks, unit = np.zeros((9, 12), np.int32), 24  # columns 0 and 8 are left out together
    ranks[[0, 8], 1] = 100
    others = np.arange(2, 12)
    ranks[others % 7 + 1, others] = others + 3
    near = nearest(ranks, 6, unit, np.random.default_rng(1))
    assert near.own[:2, 0].tolist() == [5, 0]
    assert_nearest(near, ranks, 6, unit)


def test_ties_fall_on_every_file_and_every_person_alike() -> None:
    near = nearest(np.zeros((1, 80), np.int32), 40, 160, np.random.default_rng(5))
    assert 0.3 < (near.first[0] < 40).mean() < 0.7
    assert len(np.unique(near.person[0])) > 20


def test_a_coin_for_each_configuration_decides_where_there_is_no_room_for_random_bits() -> None:
    near = nearest(np.zeros((3, 80), np.int32), 40, 2**29, np.random.default_rng(6))
    of_person = near.first < 40
    assert of_person.shape == (4, 80)
    for side in (of_person[:, :40], of_person[:, 40:]):
        assert ((side.mean(1) > 0.25) & (side.mean(1) < 0.75)).all()
        assert all((a != b).any() for a, b in pairwise(side))


@pytest.mark.parametrize(("clusters", "gathered"), [(1, 4), (6, 60)])
def test_those_who_may_be_near_are_gathered_unless_they_are_most(
    clusters: int, gathered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    gather = kernels._gather_all

    def count(*parts: Any) -> None:
        asked.append(len(parts[2]))
        gather(*parts)

    monkeypatch.setattr(kernels, "_gather_all", count)
    ranks, unit = ranks_of((6, 0, 0), 60, clusters, 3)
    nearest(ranks, 30, unit, np.random.default_rng(4))
    assert sum(number > 0 for number in asked) == gathered  # the first few are tried
