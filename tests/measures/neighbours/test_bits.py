"""The search by bits against numbers one by one; the loops run as Python, which checks bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from sdcmetrics.measures.neighbours import Points, bits, kernels, nearest, search
from tests.measures.loops import as_python

N = 150  # references in three words, the last of which is not full
NONE = 255

pytestmark = pytest.mark.traced


@pytest.fixture(autouse=True)
def _loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few records, and Python, run what is otherwise compiled."""
    ones = bits._ones.py_func  # type: ignore[attr-defined]  # compiled
    as_python(monkeypatch, bits)

    def count(x: Any) -> Any:
        with np.errstate(over="ignore"):  # what does not fit is cut off
            return ones(x)

    monkeypatch.setattr(bits, "_ones", count)
    monkeypatch.setattr(kernels, "compiled", lambda kernel: kernel)
    monkeypatch.setattr(search, "MOST_PAIRS", 0)


def words(flags: Any) -> npt.NDArray[np.uint64]:
    """Return one bit per reference."""
    whole = np.zeros(-(-len(flags) // 64) * 64, np.bool_)
    whole[: len(flags)] = flags
    return np.packbits(whole, bitorder="little").view(np.uint64)


def flags_of(row: npt.NDArray[np.uint64], n: int = N) -> list[bool]:
    """Return the bits of references, and check that no other is set."""
    whole = np.unpackbits(row.view(np.uint8), bitorder="little").astype(bool)
    assert not whole[n:].any()
    return whole[:n].tolist()


def planes_of(numbers: Any, levels: int) -> npt.NDArray[np.uint64]:
    """Return numbers bit by bit, and a row that says which is none."""
    numbers = np.asarray(numbers, np.int64)
    rows = [words(numbers >> p & 1) for p in range(levels)]
    return np.array([*rows, words(numbers == NONE)])


def numbers_of(planes: npt.NDArray[np.uint64], n: int = N) -> list[int]:
    """Return the numbers of planes."""
    rows = [np.unpackbits(row.view(np.uint8), bitorder="little")[:n] for row in planes[:-1]]
    return sum(row.astype(int) << p for p, row in enumerate(rows)).tolist()  # type: ignore[union-attr]


def drawn(levels: int, seed: int, n: int = N) -> npt.NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, min(2**levels, NONE), n)


def test_bits_of_a_word_are_counted() -> None:
    rng = np.random.default_rng(1)
    some = [*rng.integers(0, 2**64, 200, dtype=np.uint64), np.uint64(0), np.uint64(2**64 - 1)]
    some += [np.uint64(1) << np.uint64(b) for b in range(64)]
    assert [int(bits._ones(word)) for word in some] == [int(word).bit_count() for word in some]


@pytest.mark.parametrize("number", [0, 1, 64, 65, N])
def test_as_many_bits_are_valid_as_there_are_references(number: int) -> None:
    valid = np.full(3, 2**64 - 1, np.uint64)
    bits._write_valid(valid, number)
    assert flags_of(valid) == [b < number for b in range(N)]


@pytest.mark.parametrize("levels", [4, 8])
class TestNumbersBitByBit:
    def test_a_number_is_read(self, levels: int) -> None:
        numbers = drawn(levels, 2)
        planes = planes_of(numbers, levels)
        read = [
            int(bits._read(planes, b >> 6, np.uint64(1) << np.uint64(b & 63))) for b in range(N)
        ]
        assert read == numbers.tolist()

    def test_distances_of_before_are_written(self, levels: int) -> None:
        column = drawn(levels, 3).astype(np.uint8)
        column[::7] = NONE
        best = np.full((levels + 1, 3), 2**64 - 1, np.uint64)
        bits._read_column(best, column)
        assert np.array_equal(best, planes_of(column, levels))

    def test_a_number_is_copied_and_no_other(self, levels: int) -> None:
        numbers, before = drawn(levels, 4), drawn(levels, 5)
        before[[3, 70, 149, 20]] = NONE
        planes, best = planes_of(numbers, levels), planes_of(before, levels)
        for b in (3, 70, 149, 12):
            bits._copy(planes, best, b >> 6, np.uint64(1) << np.uint64(b & 63))
            before[b] = numbers[b]
        assert np.array_equal(best, planes_of(before, levels))

    @pytest.mark.parametrize("reach", [0, 1, 5, 6, 10, 15, 21, 100, 200])
    def test_those_are_marked_that_are_near_or_nearer_than_before_and_nobody_else(
        self, levels: int, reach: int
    ) -> None:
        reach = min(reach, 2**levels - 1)
        numbers, before, there = drawn(levels, 6), drawn(levels, 7), drawn(1, 8) == 0
        before[::9] = NONE
        flags = np.zeros((2, 3), np.uint64)
        best = planes_of(before, levels)
        bits._mark(planes_of(numbers, levels), best, reach, words(there), flags)
        assert flags_of(flags[0]) == (there & ((numbers <= reach) | (numbers < before))).tolist()

    def test_the_smallest_is_that_of_those_asked_for_and_whose_it_is(self, levels: int) -> None:
        numbers = drawn(levels, 9)
        for seed in range(8):
            some = np.random.default_rng(seed).random(N) < 0.1
            among = words(some)
            least = bits._least(planes_of(numbers, levels), among, np.empty(3, np.uint64))
            assert int(least) == numbers[some].min()
            assert flags_of(among) == (some & (numbers == least)).tolist()

    def test_the_kth_smallest_is_that_of_sorted_numbers(self, levels: int) -> None:
        numbers, some = drawn(levels, 10), drawn(2, 11) == 0
        for k, number in enumerate(np.sort(numbers[some]).tolist(), start=1):
            assert int(bits._kth(planes_of(numbers, levels), k, words(some))) == number
        most = bits._kth(planes_of(numbers, levels), int(some.sum()) + 1, words(some))
        assert int(most) == 2**levels - 1  # of too few, each is near enough

    def test_those_closer_than_a_radius_and_at_it_are_added(self, levels: int) -> None:
        numbers, some = drawn(levels, 12), drawn(1, 13) == 0
        for radius in range(16):
            counts = np.array([100, 200])
            bits._count_within(planes_of(numbers, levels), radius, words(some), counts)
            closer, at = (numbers < radius) & some, (numbers == radius) & some
            assert counts.tolist() == [100 + closer.sum(), 200 + at.sum()]


@pytest.mark.parametrize("own", [0, 63, 64, 149, -1, -64, N, 1000])
def test_a_query_is_taken_out_and_put_back_where_it_is_in_the_block(own: int) -> None:
    valid = words(np.ones(N, np.bool_))
    bits._flip(valid, own, N)
    assert flags_of(valid) == [b != own for b in range(N)]
    bits._flip(valid, own, N)
    assert flags_of(valid) == [True] * N


@pytest.mark.parametrize(
    ("narrow", "wide"), [(1, 0), (7, 0), (8, 0), (9, 0), (15, 0), (16, 0), (40, 0), (254, 0),
                         (0, 1), (2, 2), (7, 1), (13, 2), (30, 3)],
)  # fmt: skip
def test_columns_that_differ_are_counted(narrow: int, wide: int) -> None:
    rng = np.random.default_rng(narrow + wide)
    codes = rng.integers(0, 5, (narrow + 4 * wide, N)).astype(np.uint8)
    codes[narrow:][rng.random((4 * wide, N)) < 0.8] = 0  # most wide codes are equal
    query = codes[:, 77].copy()
    query[:narrow:3] = 4
    query[: narrow // 2] = 5  # a level of no reference
    columns, levels = narrow + wide, 4 if narrow + wide < 16 else 8
    starts = np.arange(0, 6 * len(codes) + 1, 6)
    table = np.empty((starts[-1] + 1 + wide, 3), np.uint64)
    bits._write_bits(table, np.pad(codes, ((0, 0), (5, 2))), starts, 5, 5 + N)
    rows = np.full(-(-columns // 8) * 8, starts[-1])
    rows[narrow:columns] = starts[-1] + 1 + np.arange(wide)
    planes = np.empty((levels + 1, 3), np.uint64)
    bits._differ(planes, table, query, starts, rows)
    apart = codes != query[:, None]
    parts = apart[narrow:].reshape(wide, 4, N).any(axis=1)
    assert numbers_of(planes) == (apart[:narrow].sum(axis=0) + parts.sum(axis=0)).tolist()


@pytest.mark.parametrize("block", [64, 8192])
@pytest.mark.parametrize("itself", [False, True])
@pytest.mark.parametrize("asked", ["nearest", "two", "several", "lists", "reverse", "within"])
@pytest.mark.parametrize(("columns", "wide"), [(3, 0), (17, 0), (3, 1), (12, 4)])
def test_a_search_in_blocks_is_that_of_all_distances(
    block: int,
    asked: str,
    columns: int,
    wide: int,
    *,
    itself: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bits, "BLOCK", block)
    rng = np.random.default_rng(columns)
    codes = [*rng.integers(0, 3, (columns, N)), *rng.choice([0, 256, 70_000, 70_001], (wide, N))]
    points = Points.from_columns(codes)
    chosen = np.array([140, 0, 63, 64, 100, 149, 128, 70])
    apart = np.array([sum(c[i] != c for c in points.codes) for i in chosen]).astype(float)
    if itself:
        apart[np.arange(len(chosen)), chosen] = np.inf
    options: dict[str, Any] = {"exclude_self": chosen if itself else False, "threads": 1}
    k = {"two": 2, "several": 4}.get(asked, 1)
    radii = np.array([[1.0, columns]] * len(chosen))
    options |= {"k": k, "list_ties": 5 if asked == "lists" else 0, "reverse": asked == "reverse"}
    result = nearest(
        points.subset(chosen), points, within=radii if asked == "within" else None, **options
    )
    first = np.argsort(apart, axis=1, kind="stable")[:, :k]
    assert result.indices.tolist() == first.tolist()
    assert result.distances.tolist() == np.take_along_axis(apart, first, axis=1).tolist()
    tied = apart == apart.min(axis=1, keepdims=True)
    assert result.tied.tolist() == tied.sum(axis=1).tolist()
    if asked == "lists":
        lists = np.split(result.ties.indices, result.ties.offsets[1:-1])
        assert [part.tolist() for part in lists] == [np.flatnonzero(t)[:5].tolist() for t in tied]
    if asked == "reverse":
        assert result.reverse.tolist() == apart.min(axis=0).tolist()
    if asked == "within":
        counts = [[[(row < r).sum(), (row == r).sum()] for r in radii[0]] for row in apart]
        assert result.within.tolist() == counts
