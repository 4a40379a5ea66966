"""The search among numbers and codes, its loops run as Python, against sums over columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from sdcmetrics.measures.neighbours import (
    Distance,
    Euclidean,
    Gower,
    Points,
    bits,
    boxes,
    kernels,
    nearest,
    search,
)
from tests.measures.loops import as_python

NAN = math.nan

pytestmark = pytest.mark.traced


@pytest.fixture(autouse=True)
def _loops(monkeypatch: pytest.MonkeyPatch) -> None:
    as_python(monkeypatch, bits, kernels)
    monkeypatch.setattr(kernels, "compiled", lambda kernel: kernel)
    monkeypatch.setattr(search, "MOST_PAIRS", 0)
    monkeypatch.setattr(boxes, "_SIZES", (8, 8))
    monkeypatch.setattr(boxes, "_FEWEST", 1)


@pytest.mark.parametrize(("start", "stop"), [(0, 1), (0, 4), (2, 7), (1, 9), (0, 11), (3, 3)])
def test_columns_that_differ_are_added_to_counts(start: int, stop: int) -> None:
    codes = np.random.default_rng(stop).integers(0, 3, (12, 20)).astype(np.uint8)
    count = np.arange(5, dtype=np.uint8)
    kernels._add_differences(count, codes[:, 19], codes, start, stop, 3)
    differ = codes[start:stop, 3:8] != codes[start:stop, 19:]
    assert count.tolist() == (np.arange(5) + differ.sum(axis=0)).tolist()


@pytest.mark.parametrize("columns", [1, 251, 252, 253, 600])
def test_differences_in_more_columns_than_a_byte_counts_are_added(columns: int) -> None:
    codes = np.random.default_rng(columns).integers(0, 9, (columns, 12)).astype(np.uint8)
    differ = (codes[:, 2:7] != codes[:, 11:]).sum(axis=0)
    sums = np.arange(5.0)
    kernels._add_many(sums, np.empty(5, np.uint8), codes[:, 11], codes, 2)
    assert sums.tolist() == (np.arange(5) + differ).tolist()
    sums = np.zeros(5)
    kernels._add_codes(sums, np.full(5, 7, np.uint8), codes[:, 11], codes, np.empty(0), 2)
    assert sums.tolist() == differ.tolist()


def test_wide_codes_and_codes_that_count_differently_are_added() -> None:
    codes = np.random.default_rng(1).integers(0, 2, (3, 12))
    differ = codes[:, 4:9] != codes[:, :1]
    sums = np.arange(5.0)
    kernels._add_wide(sums, codes[:, 0].astype(np.int32), codes.astype(np.int32), 4)
    assert sums.tolist() == (np.arange(5) + differ.sum(axis=0)).tolist()
    shares, sums = np.array([0.25, 2.0, 0.5]), np.arange(5.0)
    narrow = codes.astype(np.uint8)
    kernels._add_codes(sums, np.zeros(5, np.uint8), narrow[:, 0], narrow, shares, 4)
    assert sums.tolist() == (np.arange(5) + shares @ differ).tolist()


def term(a: float, b: float, weight: float, power: int) -> float:
    """Return what two numbers are apart: missing is 1 away from a number."""
    if math.isnan(a) or math.isnan(b):
        return float(math.isnan(a) != math.isnan(b))
    apart = abs(a - b) * weight
    return apart**2 if power == 2 else min(apart, 1.0)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("query", [(0.5, 0.0), (NAN, 1.5), (2.0, NAN)])
def test_numbers_are_added_scaled_and_by_share(power: int, query: tuple[float, float]) -> None:
    numbers = np.array([[9.0, 0.0, NAN, 0.5, 3.0, 1.0], [9.0, 1.0, 2.0, NAN, 0.25, 0.0]])
    weights = np.array([[0.5, 2.0], [3.0, 0.25]])
    sums = np.arange(4.0)
    kernels._add_numbers(sums, np.array(query), numbers, weights, 1, power)
    expected = [
        b + sum(
            share * term(q, column[1 + b], weight, power)
            for q, column, weight, share in zip(query, numbers, *weights, strict=True)
        )
        for b in range(4)
    ]  # fmt: skip
    assert sums.tolist() == pytest.approx(expected, rel=1e-12, abs=0)


def test_ends_of_values() -> None:
    for values in ([3.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0], [2.0, 3.0, 3.0]):
        assert kernels._most(np.array(values)) == max(values)
        assert kernels._least(np.array(values)) == min(values)
        assert kernels._last(np.array(values)) == values.index(max(values))


def test_records_closer_than_a_radius_and_at_it_are_added() -> None:
    counts = np.array([10, 20])
    kernels._count_within(np.array([0.5, 1.0, 1.0, 2.0, np.inf, 0.0]), 1.0, counts)
    assert counts.tolist() == [12, 22]


@pytest.mark.parametrize("room", [0, 1, 2, 3, 7, 40])
def test_the_first_of_those_at_the_smallest_distance_are_listed(room: int) -> None:
    rng = np.random.default_rng(room)
    for _ in range(8):
        places, apart = rng.permutation(36).astype(np.int32), rng.choice([1.0, 2.0, 3.0], 36)
        near, tied, ties = (
            np.array([[9.0], [9.0]]),
            np.array([7, 0]),
            np.full((2, room), 99, np.int32),
        )
        output: Any = (near, None, tied, ties, None, None, None)
        for first in range(0, 36, 4):  # boxes are met in another order than records stand in
            part = apart[first : first + 4]
            if part.min() <= near[1, 0]:
                kernels._keep_ties(part, places[first : first + 4], 1, part.min(), output)
                near[1, 0] = part.min()
            met = apart[: first + 4]
            equal = places[: first + 4][met == met.min()]
            assert tied.tolist() == [7, len(equal)]
            listed = np.sort(ties[1, : len(equal)])
            assert listed.tolist() == np.sort(equal)[:room].tolist()
        assert (ties[0] == 99).all()


@pytest.mark.parametrize("shares", [(), (2.0, 0.5)])
@pytest.mark.parametrize("power", [1, 2])
def test_a_box_is_as_far_as_the_nearest_record_that_it_could_hold(
    power: int, shares: tuple[float, ...]
) -> None:
    rng = np.random.default_rng(power)
    codes = rng.choice([0, 1, 2, 65], (2, 60))
    wide = rng.choice([0, 300, 70_001], (2, 60))
    numbers = rng.integers(0, 9, (2, 60)) / 4
    numbers[rng.random((2, 60)) < 0.2] = NAN
    weights = np.array([[0.75, 1.5], [1.0, 0.5]])
    held = boxes.boxes_of(Points.from_columns([*codes, *wide], numbers), weights[0], np.ones(6))
    parts = (held.codes, held.lowest, held.highest, held.complete, held.starts, held.order)
    queries = rng.permutation(60)[:20]
    asked = (codes[:, queries].T.astype(np.uint8), wide[:, queries].T.astype(np.int32),
             numbers[:, queries].T + 0.5)  # fmt: skip
    members = np.split(held.order, held.starts[1:-1])
    each = [*(shares or (1.0, 1.0)), 1.0, 1.0]
    assert len(members) > 4
    for i in range(20):
        bound = np.full(len(members), 99.0)
        kernels._reach_boxes(bound, i, asked, parts, (weights, np.array(shares), power))
        for box, rows in zip(bound, members, strict=True):
            least = sum(
                share * ((column[rows] & 63) != (own & 63)).min()
                for share, column, own in zip(
                    each, [*codes, *wide], [*asked[0][i], *asked[1][i]], strict=True
                )
            )
            for j, own in enumerate(asked[2][i]):
                there = numbers[j, rows][~np.isnan(numbers[j, rows])]
                inside = [max(there.min(), min(there.max(), own))] if len(there) else []
                missing = [NAN] if len(there) < len(rows) else []
                least += weights[1, j] * min(
                    term(own, other, weights[0, j], power) for other in [*inside, *missing]
                )
            assert box < least + 1e-13  # never farther, whatever is rounded
            assert box == pytest.approx(least - 1e-11 * (1 + least), rel=0, abs=1e-13)


def matrix(queries: Points, references: Points, distance: Distance) -> npt.NDArray[np.float64]:
    """Return the distance of each query to each reference, from the definition."""
    sizes = distance.ranges if isinstance(distance, Gower) else distance.scales  # type: ignore[union-attr]
    power = 1 if isinstance(distance, Gower) else 2
    shares = getattr(distance, "weights", ()) or (1.0,) * queries.columns
    out = np.zeros((queries.n, references.n))
    for share, own, others in zip(shares, queries.codes, references.codes, strict=False):
        out += share * (own[:, None] != others)
    for share, size, own, others in zip(
        shares[len(queries.codes) :], sizes, queries.numbers, references.numbers, strict=True
    ):
        out += share * np.array([[term(a, b, 1 / size, power) for b in others] for a in own])
    return out / sum(shares) if power == 1 else np.sqrt(out)


@pytest.mark.parametrize("itself", [False, True])
@pytest.mark.parametrize("asked", ["nearest", "several", "lists", "reverse", "within"])
@pytest.mark.parametrize(
    "distance", [Gower((2.0, 0.5)), Gower((2.0, 0.5), (1.0, 0.25, 3.0, 1.0, 2.0)),
                 Euclidean((2.0, 0.5))],
)  # fmt: skip
def test_a_search_by_boxes_is_that_of_all_distances(
    distance: Distance, asked: str, *, itself: bool
) -> None:
    rng = np.random.default_rng(4)
    codes = [*rng.integers(0, 2, (2, 70)), rng.choice([0, 300], 70)]
    numbers = rng.integers(0, 4, (2, 70)) / 2
    numbers[rng.random((2, 70)) < 0.1] = NAN
    points = Points.from_columns(codes, numbers)
    chosen = np.array([3, 69, 10, 11, 0])
    queries = points.subset(chosen)
    apart = matrix(queries, points, distance).round(11)
    if itself:
        apart[np.arange(5), chosen] = np.inf
    k = 4 if asked == "several" else 1
    more = 0.0 if distance == Gower((2.0, 0.5)) else 1e-6  # quotients of others are not exact
    radii = np.array([[np.sort(row)[6], np.sort(row)[30]] for row in apart]) + more
    result = nearest(
        queries,
        points,
        distance=distance,
        k=k,
        exclude_self=chosen if itself else False,
        list_ties=5 if asked == "lists" else 0,
        reverse=asked == "reverse",
        within=radii if asked == "within" else None,
        threads=1,
    )
    first = np.argsort(apart, axis=1, kind="stable")[:, :k]
    assert result.indices.tolist() == first.tolist()
    near = np.take_along_axis(apart, first, axis=1)
    assert result.distances == pytest.approx(near, rel=0, abs=1e-9)
    tied = apart == apart.min(axis=1, keepdims=True)
    assert result.tied.tolist() == tied.sum(axis=1).tolist()
    if asked == "lists":
        lists = np.split(result.ties.indices, result.ties.offsets[1:-1])
        assert [part.tolist() for part in lists] == [np.flatnonzero(t)[:5].tolist() for t in tied]
    if asked == "reverse":
        assert result.reverse == pytest.approx(apart.min(axis=0), rel=0, abs=1e-9)
    if asked == "within":
        whole = [[[(row < r).sum(), (row == r).sum()] for r in own]
                 for row, own in zip(apart, radii, strict=True)]  # fmt: skip
        assert result.within.tolist() == whole


@pytest.mark.parametrize("k", [1, 3])
def test_boxes_whose_codes_alone_are_as_far_as_what_was_found_have_ties(k: int) -> None:
    rng = np.random.default_rng(k)
    queries, points = (
        Points.from_columns(list(rng.integers(0, 3, (3, n))), np.zeros((1, n))) for n in (9, 64)
    )
    apart = matrix(queries, points, Gower((1.0,)))  # quarters: numbers are all equal
    radii = np.tile([0.25, 0.5], (9, 1))
    for within in (None, radii):
        result = nearest(
            queries, points, distance=Gower((1.0,)), k=k, list_ties=3, within=within, threads=1
        )
        assert result.indices.tolist() == np.argsort(apart, axis=1, kind="stable")[:, :k].tolist()
        assert result.tied.tolist() == [(row == row.min()).sum() for row in apart]
    counts = [[[(row < r).sum(), (row == r).sum()] for r in radii[0]] for row in apart]
    assert result.within.tolist() == counts


@pytest.mark.parametrize(
    ("chosen", "options", "looks"),
    [
        ([0], {}, 1),
        ([0], {"k": 9}, 2),
        ([0], {"within": [[0.1]]}, 1),
        ([0], {"within": [[12.0]]}, 2),
        ([0], {"within": [[3.0, 21.0]]}, 3),
        ([0, 8, 16, 24, 32, 0], {}, 6),
        ([0, 8, 16, 24, 32, 0], {"reverse": True}, 5 + 4 + 3 + 2 + 1 + 1),  # those far from all yet
    ],
)
def test_boxes_that_are_too_far_are_not_looked_at(
    chosen: list[int], options: dict[str, Any], looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = np.repeat(np.arange(5), 8)
    points = Points.from_columns([groups], [groups * 10.0 + np.tile([0, 1, 1, 1, 1, 1, 1, 1], 5)])
    asked: list[int] = []
    add = kernels._add_numbers

    def count(*parts: Any) -> None:
        asked.append(parts[4])
        add(*parts)

    monkeypatch.setattr(kernels, "_add_numbers", count)
    nearest(points.subset(chosen), points, distance=Euclidean((1.0,)), threads=1, **options)
    assert len(asked) == looks
