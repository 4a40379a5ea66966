"""The search against plain numpy, scipy and scikit-learn."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.neighbours import (
    Distance,
    Euclidean,
    Gower,
    Hamming,
    Points,
    bits,
    boxes,
    contributions,
    kernels,
    nearest,
    prepared,
    search,
)
from sdcmetrics.microdata.compiled import compiled


@pytest.fixture(autouse=True, scope="module")
def _loops() -> Iterator[None]:
    """Search few records by the loops, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MOST_PAIRS", 0)
        yield


ROOT = Path(__file__).parents[3]
NAN = math.nan


def brute(queries: Points, references: Points, distance: Distance) -> Any:
    """Distance of every query to every reference, from the definition, one pair at a time."""
    out = np.zeros((queries.n, references.n))
    for i in range(queries.n):
        for j in range(references.n):
            terms = [
                float(a != b)
                for a, b in zip(queries.codes[:, i], references.codes[:, j], strict=True)
            ]
            numbers = zip(queries.numbers[:, i], references.numbers[:, j], strict=True)
            for column, (a, b) in enumerate(numbers):
                if math.isnan(a) or math.isnan(b):
                    terms.append(float(math.isnan(a) != math.isnan(b)))
                elif isinstance(distance, Gower):
                    size = distance.ranges[column]
                    terms.append(min(1.0, abs(a - b) / size) if size else float(a != b))
                elif isinstance(distance, Euclidean):
                    terms.append(((a - b) / distance.scales[column]) ** 2)
            total = math.fsum(terms)
            if isinstance(distance, Gower):
                total /= len(terms)
            out[i, j] = math.sqrt(total) if isinstance(distance, Euclidean) else total
    return out


def assert_nearest(found: Any, distances: Any, k: int) -> None:
    """Compare with the whole matrix of distances; infinite is no neighbour."""
    assert found.distances.shape == found.indices.shape == (len(distances), k)
    near = np.sort(distances, axis=1)
    assert found.distances == pytest.approx(near[:, :k], abs=1e-6)
    rows = np.arange(len(distances))[:, None]
    assert distances[rows, found.indices] == pytest.approx(near[:, :k], abs=1e-6)
    assert all(len(set(row)) == k for row in found.indices.tolist())
    tied = np.isclose(distances, near[:, :1], atol=1e-6)
    assert found.tied.tolist() == tied.sum(axis=1).tolist()
    for row, index in zip(tied, found.indices, strict=True):
        first = np.flatnonzero(row)[:k]
        assert index[: len(first)].tolist() == first.tolist()  # ties in the order of references
    lists = np.split(found.ties.indices, found.ties.offsets[1:-1])
    for row, listed, capped in zip(tied, lists, found.ties.capped, strict=True):
        assert listed.tolist() == np.flatnonzero(row)[: len(listed)].tolist()
        assert capped == (len(listed) < row.sum())
    if len(found.reverse):
        assert found.reverse == pytest.approx(distances.min(axis=0), abs=1e-6)


@dataclass
class Case:
    queries: Points
    references: Points
    distance: Distance
    k: int
    itself: bool
    list_ties: int


@st.composite
def cases(draw: Any) -> Case:
    """Few levels and round numbers, so that most distances tie."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    itself = draw(st.booleans())
    k = draw(st.integers(1, 4))
    n = draw(st.integers(k + 1, 30))
    m = draw(st.integers(1 + itself, n if itself else 20))
    narrow, wide = draw(st.integers(0, 9)), draw(st.integers(0, 2))
    kind = draw(st.sampled_from([Hamming, Gower, Euclidean]))
    floats = 0 if kind is Hamming else draw(st.integers(0, 3))
    if narrow + wide + floats == 0:
        narrow = 1

    def points(size: int) -> Points:
        numbers = rng.integers(0, 5, size=(floats, size)) / 10.0
        numbers[rng.random(numbers.shape) < 0.2] = NAN
        codes = [*rng.integers(0, 3, size=(narrow, size))]
        codes += [*rng.choice([0, 1, 255, 256, 70_000], size=(wide, size))]
        return Points.from_columns(codes, numbers)

    references = points(n)
    queries = references.subset(range(m)) if itself else points(m)
    sizes = tuple(rng.choice([0.1, 0.4, 2.0], size=floats).tolist())
    distance: Distance = Hamming() if kind is Hamming else kind(sizes)
    return Case(queries, references, distance, k, itself, draw(st.sampled_from([0, 1, 3, 50])))


@given(case=cases(), threads=st.sampled_from([1, 2, 3]), size=st.sampled_from([1, 3, 128]))
@settings(max_examples=80, deadline=None)
def test_what_is_found_is_what_the_whole_matrix_says(case: Case, threads: int, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boxes, "_SIZES", (size, size))
        patch.setattr(boxes, "_FEWEST", 1)
        compare_with_the_whole_matrix(case, threads)


def compare_with_the_whole_matrix(case: Case, threads: int) -> None:
    distances = brute(case.queries, case.references, case.distance)
    if case.itself:
        np.fill_diagonal(distances, np.inf)
    result = nearest(
        case.queries,
        case.references,
        distance=case.distance,
        k=case.k,
        exclude_self=case.itself,
        list_ties=case.list_ties,
        reverse=True,
        threads=threads,
    )
    assert_nearest(result, distances, case.k)
    lengths = np.diff(result.ties.offsets)
    assert lengths.tolist() == np.minimum(result.tied, case.list_ties).tolist()


@given(case=cases(), indices=st.booleans(), seed=st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_few_records_are_searched_without_the_compiler_and_found_the_same(
    case: Case, indices: bool, seed: int
) -> None:
    if not isinstance(case.distance, Hamming):
        return
    options: Any = {"k": case.k, "exclude_self": case.itself, "list_ties": case.list_ties}
    radii = np.random.default_rng(seed).integers(0, 12, size=(case.queries.n, 2)) / 2
    options |= {"reverse": True, "within": radii, "indices": indices}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MOST_PAIRS", 10**6)
        patch.setattr(search, "Search", None)
        few = nearest(case.queries, case.references, **options)
    loops = nearest(case.queries, case.references, **options)
    for name in ("distances", "indices", "tied", "reverse", "within"):
        first, other = getattr(few, name), getattr(loops, name)
        np.testing.assert_array_equal(first, other, err_msg=name)
        assert first.dtype == other.dtype
    for name in ("offsets", "indices", "capped"):
        np.testing.assert_array_equal(getattr(few.ties, name), getattr(loops.ties, name))


def many(n: int, columns: int, levels: int, seed: int) -> Points:
    return Points.from_columns(np.random.default_rng(seed).integers(0, levels, size=(columns, n)))


class TestBeyondOneBlock:
    """More references than a block holds, more queries than a task answers."""

    @pytest.mark.parametrize("columns", [1, 3, 4, 7, 15, 254, 255, 600])
    def test_equals_scipy_for_any_number_of_columns(self, columns: int) -> None:
        n = bits.BLOCK + 5 if columns <= bits.MOST_COLUMNS + 1 else 500  # wide: block by columns
        queries, references = many(20, columns, 3, 1), many(n, columns, 3, 2)
        distances = cdist(queries.codes.T, references.codes.T, "hamming") * columns
        result = nearest(queries, references, k=3, list_ties=20, reverse=True)
        assert result.distances.dtype.kind == "i"
        assert_nearest(result, distances.round(), 3)

    def test_equals_scipy_for_euclid(self) -> None:
        rng = np.random.default_rng(3)
        queries, references = rng.normal(size=(3, 50)), rng.normal(size=(3, 5000))
        scales = (0.5, 1.0, 2.0)
        distances = cdist(queries.T, references.T, "seuclidean", V=np.square(scales))
        result = nearest(
            Points.from_columns(numbers=[*queries]),
            Points.from_columns(numbers=[*references]),
            distance=Euclidean(scales),
            k=5,
            reverse=True,
        )
        assert_nearest(result, distances, 5)

    def test_equals_scikit_learn_for_the_neighbours_of_every_record(self) -> None:
        neighbors = pytest.importorskip("sklearn.neighbors")
        values = np.random.default_rng(4).random((4, 3000))
        points = Points.from_columns(numbers=[*values])
        result = nearest(points, points, distance=Gower((1.0,) * 4), k=2, exclude_self=True)
        model = neighbors.NearestNeighbors(n_neighbors=2, metric="manhattan").fit(values.T)
        distances, indices = model.kneighbors()
        assert result.distances == pytest.approx(distances / 4)
        assert result.indices.tolist() == indices.tolist()

    def test_threads_and_blocks_do_not_change_the_answer(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queries, references = many(500, 5, 3, 5), many(5000, 5, 3, 6)
        first, *others = [
            nearest(queries, references, k=2, list_ties=8, reverse=True, threads=threads)
            for threads in (1, 2, 5)
        ]
        monkeypatch.setattr(prepared, "_MOST_QUERIES", 7)
        others.append(nearest(queries, references, k=2, list_ties=8, reverse=True))
        for other in others:
            for name in ("distances", "indices", "tied", "reverse"):
                assert np.array_equal(getattr(first, name), getattr(other, name))
            for name in ("offsets", "indices", "capped"):
                assert np.array_equal(getattr(first.ties, name), getattr(other.ties, name))

    @pytest.mark.parametrize("columns", [7, 8, 15, 16, 130, 254])
    def test_references_far_from_earlier_queries_are_found_nearer_to_later_ones(
        self, columns: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prepared, "_MOST_QUERIES", 7)
        queries, references = many(60, columns, 200, 8), many(90, columns, 200, 9)
        for step, row in enumerate(range(9, 17)):  # nearer and nearer, in one task and the next
            own = min(2 * step + 1, columns)
            queries.codes[:step, row] = references.codes[:step, 3]
            queries.codes[step:own, row] = references.codes[step:own, 5]  # nearer yet
        distances = cdist(queries.codes.T, references.codes.T, "hamming") * columns
        assert distances.min(axis=0)[3] <= max(0, columns - 7)
        result = nearest(queries, references, k=1, reverse=True, threads=1)
        assert_nearest(result, distances.round(), 1)

    def test_a_record_is_no_neighbour_of_itself_in_any_block_but_its_duplicate_is(self) -> None:
        n = bits.BLOCK // 2 + 5  # twice as many are more than one block
        references = Points.from_columns([np.arange(n)])
        alone = nearest(references, references, exclude_self=True, reverse=True)
        assert alone.distances.min() == 1
        assert alone.reverse.min() == 1
        some = nearest(references.subset([7, 8]), references, exclude_self=[7, -1])
        assert some.distances.tolist() == [[1], [0]]
        twice = references.append(references)
        result = nearest(twice, twice, exclude_self=True)
        assert result.distances.max() == 0
        assert (result.indices[:, 0] % n).tolist() == [*range(n), *range(n)]


class TestDistances:
    """By hand."""

    def test_missing_is_far_from_a_value_and_equal_to_missing(self) -> None:
        queries = Points.from_columns(numbers=[[NAN]])
        for distance in (Gower((10.0,)), Euclidean((10.0,))):
            result = nearest(
                queries, Points.from_columns(numbers=[[3.0, NAN]]), distance=distance, k=2
            )
            assert result.indices.tolist() == [[1, 0]]
            assert result.distances.tolist() == [[0.0, 1.0]]

    def test_gower_is_the_mean_over_columns_of_numbers_and_of_codes(self) -> None:
        queries = Points.from_columns([[0]], [[2.0], [5.0]])
        references = Points.from_columns([[1]], [[4.0], [50.0]])
        result = nearest(queries, references, distance=Gower((8.0, 20.0)))
        assert result.distances.tolist() == [[(1 + 2 / 8 + 1) / 3]]  # 45 is beyond the range of 20

    def test_without_a_range_any_difference_counts_in_full(self) -> None:
        queries = Points.from_columns(numbers=[[1.0]])
        references = Points.from_columns(numbers=[[1.0 + 1e-12, 1.0]])
        result = nearest(queries, references, distance=Gower((0.0,)), k=2)
        assert result.distances.tolist() == [[0.0, 1.0]]

    def test_euclid_is_the_root_of_the_squares_and_of_the_columns_that_differ(self) -> None:
        queries = Points.from_columns([[0]], [[0.0], [0.0]])
        references = Points.from_columns([[1]], [[6.0], [2.0]])
        result = nearest(queries, references, distance=Euclidean((3.0, 1.0)))
        assert result.distances.tolist() == [[3.0]]

    def test_equal_distances_tie_though_their_sums_differ_in_the_last_digit(self) -> None:
        assert (0.1 + 0.2) + 0.3 != (0.3 + 0.2) + 0.1
        references = Points.from_columns(numbers=[[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
        queries = Points.from_columns(numbers=[[0.0], [0.0], [0.0]])
        result = nearest(queries, references, distance=Gower((1.0,) * 3))
        assert result.tied.tolist() == [2]

    @given(case=cases())
    @settings(max_examples=50, deadline=None)
    def test_contributions_add_up_to_the_distance(self, case: Case) -> None:
        result = nearest(case.queries, case.references, distance=case.distance)
        parts = contributions(
            case.queries, case.references.subset(result.indices[:, 0]), case.distance
        )
        total = parts.sum(axis=0)
        if isinstance(case.distance, Gower):
            total /= len(parts)
        if isinstance(case.distance, Euclidean):
            total = np.sqrt(total)
        assert result.distances[:, 0] == pytest.approx(total, abs=1e-6)


@pytest.mark.traced
class TestTheLoopsAsTheyAreWritten:
    """The functions that are compiled, not compiled: they do the same."""

    @pytest.mark.parametrize("distance", [Hamming(), Gower((1.0, 0.5)), Euclidean((1.0, 0.5))])
    def test_compiled_or_not(self, distance: Distance, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(8)
        numbers = rng.integers(0, 4, size=(2, 40)) / 4.0
        numbers[rng.random(numbers.shape) < 0.3] = NAN
        codes = [*rng.integers(0, 2, size=(5, 40)), rng.integers(0, 2, size=40) * 300]
        points = Points.from_columns(codes, () if isinstance(distance, Hamming) else numbers)
        options: Any = {"distance": distance, "k": 3, "exclude_self": True, "list_ties": 2}
        fast = nearest(points, points, reverse=True, **options)
        alone: Any = {"distance": distance, "exclude_self": True}
        fast_alone = nearest(points, points, **alone)
        assert np.array_equal(fast_alone.distances[:, 0], fast.distances[:, 0])
        assert np.array_equal(fast_alone.indices[:, 0], fast.indices[:, 0])
        assert np.array_equal(fast_alone.tied, fast.tied)
        monkeypatch.setattr(kernels, "compiled", lambda kernel: kernel)
        for module in (bits, kernels):
            for name, part in vars(module).copy().items():
                if hasattr(part, "py_func"):
                    monkeypatch.setattr(module, name, part.py_func)
        monkeypatch.setattr(bits, "_ones", lambda x: int(x).bit_count())
        slow = nearest(points, points, reverse=True, threads=1, **options)
        slow_alone = nearest(points, points, threads=1, **alone)
        for name, values in vars(slow_alone).items():
            if name != "ties":
                assert np.array_equal(values, getattr(fast_alone, name)), name
        assert np.array_equal(fast.distances, slow.distances)
        assert np.array_equal(fast.indices, slow.indices)
        assert np.array_equal(fast.ties.indices, slow.ties.indices)
        assert np.array_equal(fast.reverse, slow.reverse)


class TestWithoutIndices:
    """Most references are left out, and nothing that is found changes."""

    @pytest.mark.parametrize("shares", [(), (0.3, 1.0, 2.7, 0.1, 1.3, 0.7)])
    @pytest.mark.parametrize("exclude", [False, True])
    def test_all_else_is_the_same(self, shares: tuple[float, ...], *, exclude: bool) -> None:
        rng = np.random.default_rng(3)
        codes = [rng.integers(0, levels, 3000) for levels in (2, 5, 9, 300)]
        points = Points.from_columns(codes, rng.integers(0, 8, (2, 3000)) / 8.0)
        queries = points if exclude else points.subset(np.arange(0, 3000, 7))
        radii = rng.choice([0.0, 0.05, 0.1, 0.3], (queries.n, 2))
        options: Any = {"distance": Gower((1.0, 0.5), shares), "k": 2, "exclude_self": exclude}
        every = nearest(queries, points, within=radii, reverse=True, **options)
        for asked in ("within", "reverse", ""):
            result = nearest(
                queries,
                points,
                indices=False,
                within=radii if asked == "within" else None,
                reverse=asked == "reverse",
                **options,
            )
            assert result.indices.shape == (queries.n, 0)
            for name in filter(None, ("distances", "tied", asked)):
                assert np.array_equal(getattr(result, name), getattr(every, name)), name

    def test_a_search_that_fails_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: Any) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(kernels, "compiled", lambda _: broken)
        points = many(3000, 3, 4, 9)
        with pytest.raises(ZeroDivisionError):
            nearest(points, points)


class TestProgress:
    def test_counts_up_to_the_number_of_queries(self) -> None:
        seen: list[tuple[int, int]] = []
        points = many(3000, 3, 4, 9)
        nearest(points, points, progress=lambda done, total: seen.append((done, total)))
        assert seen[-1] == (3000, 3000)
        assert seen == sorted(seen)
        assert len(seen) > 1

    @pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
    def test_an_interruption_stops_the_search_and_its_threads(
        self, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prepared, "_MOST_QUERIES", 1)
        answered: list[int] = []
        run = prepared.Search.run

        def count(self: Any, *arguments: Any) -> None:
            answered.append(1)
            run(self, *arguments)

        def stop(*_: int) -> None:
            raise error

        monkeypatch.setattr(prepared.Search, "run", count)
        points = many(2000, 3, 4, 10)
        with pytest.raises(error):
            nearest(points, points, progress=stop, threads=2)
        assert len(answered) < 20


class TestTheCompiler:
    def test_is_not_loaded_before_a_search_is_made(self) -> None:
        code = "import sys, sdcmetrics.measures.neighbours; print('numba' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == "False"

    def test_what_it_makes_is_kept_for_the_next_process(self, tmp_path: Path) -> None:
        code = (
            "from sdcmetrics.microdata.compiled import compiled;"
            "from sdcmetrics.measures.closeness.share_permutation import _add;"  # the shortest
            "c = compiled(_add, 'void(float64[:,::1], int64[::1], float64[::1])');"
            "print(sum(c.stats.cache_hits.values()), len(c.signatures))"
        )
        for hits in ("0 1", "1 1"):
            done = subprocess.run(
                [sys.executable, "-W", "error", "-c", code],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
                env={"NUMBA_CACHE_DIR": str(tmp_path), "PATH": ""},
            )
            assert done.stdout.strip() == hits
            assert done.stderr == ""

    def test_a_search_works_where_nothing_can_be_kept(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = []

        def njit(signature: str, **options: Any) -> Any:
            if options.get("cache"):
                msg = "cannot cache function: no locator available"
                raise RuntimeError(msg)
            made.append(signature)
            return lambda kernel: kernel

        monkeypatch.setattr("numba.njit", njit)
        monkeypatch.setattr("sdcmetrics.microdata.compiled.compiled", compiled.__wrapped__)
        assert kernels.compiled(kernels.search_mixed) is kernels.search_mixed
        assert len(made) == 1


class TestWrongUse:
    points = Points.from_columns([[0, 1], [1, 1]])

    def test_columns_must_be_the_same(self) -> None:
        says = "2 columns of codes and 0 of numbers, the references 1 and 3"
        with pytest.raises(DataError, match=says):
            nearest(self.points, Points.from_columns([[0, 1]], [[1.0, 2.0]] * 3))

    def test_there_must_be_queries_and_references(self) -> None:
        with pytest.raises(DataError, match="no queries"):
            nearest(self.points.subset(np.empty(0, int)), self.points)
        with pytest.raises(DataError, match=r"at least 2 references besides .* but got 1"):
            nearest(self.points, self.points, k=2, exclude_self=True)
        with pytest.raises(DataError, match="fewer references"):
            nearest(self.points, self.points.subset([0]), exclude_self=True)
        with pytest.raises(DataError, match="position of a reference, or -1, for each of 2"):
            nearest(self.points, self.points, exclude_self=[0, 2])
        with pytest.raises(DataError, match="nothing is nearest"):
            nearest(self.points.subset([0]), self.points, exclude_self=True, reverse=True)

    @pytest.mark.parametrize("option", [{"k": 0}, {"list_ties": -1}, {"threads": 0}])
    def test_options_must_be_in_range(self, option: Any) -> None:
        with pytest.raises(StudyError, match=f"{next(iter(option))}: expected"):
            nearest(self.points, self.points, **option)

    @pytest.mark.parametrize(
        ("codes", "numbers", "columns", "lengths"),
        [
            ([], [], 0, []),
            ([[0, 1]], [[0.5], [1.5]], 3, [1, 2]),
            ([[0, 1], [1, 0], [0]], [], 3, [1, 2]),
            ([[0]], [[0.5, 1.0, 2.0]], 2, [1, 3]),
        ],
    )
    def test_columns_must_be_of_one_length(
        self, codes: Any, numbers: Any, columns: int, lengths: list[int]
    ) -> None:
        text = f"one length but got {columns} columns of lengths {lengths}. Pass"
        with pytest.raises(DataError, match=re.escape(text)):
            Points.from_columns(codes, numbers)

    def test_a_distance_must_fit_the_columns(self) -> None:
        with pytest.raises(StudyError, match=r"Gower: it has 1 ranges, but .* 0 columns"):
            nearest(self.points, self.points, distance=Gower((1.0,)))
        mixed = Points.from_columns(numbers=[[1.0, 2.0]])
        with pytest.raises(StudyError, match="Hamming: it has no column of numbers"):
            nearest(mixed, mixed)

    def test_ranges_and_scales_must_be_numbers(self) -> None:
        with pytest.raises(StudyError, match="at least 0"):
            Gower((-1.0,))
        with pytest.raises(StudyError, match="above 0"):
            Euclidean((0.0,))

    @pytest.mark.parametrize(
        ("codes", "numbers", "message"),
        [
            ([[0, -1]], (), "at least 0"),
            ([[0.5, 1.0]], (), "whole numbers"),
            ([[0, 2**31]], (), "above"),
            ([[0, 1], [1]], (), r"lengths \[1, 2\]"),
            ((), (), "at least one column"),
            ((), [[1.0, math.inf]], "infinite"),
        ],
    )
    def test_points_must_be_points(self, codes: Any, numbers: Any, message: str) -> None:
        with pytest.raises(DataError, match=message):
            Points.from_columns(codes, numbers)


@pytest.mark.parametrize("most", [0, 10**6])
def test_what_is_not_asked_for_is_empty(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_PAIRS", most)
    result = nearest(many(5, 3, 4, 1), many(7, 3, 4, 2), k=2, indices=False)
    assert result.distances.shape == (5, 2)
    assert result.indices.shape == (5, 0)
    assert result.reverse.shape == (0,)
    assert result.within.size == 0
    assert len(result.ties.indices) == 0
    assert result.ties.offsets.tolist() == [0] * 6


def test_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = {0: {1, 2, 5}}  # of process 0, which is this one
    monkeypatch.setattr(
        search.os, "sched_getaffinity", lambda process: cores[process], raising=False
    )
    assert search._cores() == 3
    monkeypatch.delattr(search.os, "sched_getaffinity")
    monkeypatch.setattr(search.os, "cpu_count", lambda: None)
    assert search._cores() == 1


@pytest.mark.parametrize("columns", [253, 254, 255, 300])
def test_differences_in_many_columns_are_all_counted(columns: int) -> None:
    points = Points.from_columns([[0, 1, 0]] * columns)
    result = search.differences(points, points, np.array([0, -1, -1]))
    assert result.tolist() == [[columns + 1, columns, 0], [columns, 0, columns], [0, columns, 0]]


def test_queries_of_one_task_need_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    answered: list[tuple[int, int]] = []
    told: list[tuple[int, int]] = []
    pool = search.ThreadPoolExecutor

    def run(n: int) -> None:
        search._run(lambda *ends: answered.append(ends), n, 5, 1, lambda *done: told.append(done))

    def none(_: int) -> None:
        pytest.fail("a thread was asked for")

    monkeypatch.setattr(search, "ThreadPoolExecutor", none)
    run(5)
    assert (answered, told) == ([(0, 5)], [(5, 5)])
    with pytest.raises(pytest.fail.Exception):
        run(6)
    monkeypatch.setattr(search, "ThreadPoolExecutor", pool)
    run(6)
    assert sorted(answered) == [(0, 5), (0, 5), (5, 6)]
    assert told[-1] == (6, 6)


def test_as_many_tasks_are_answered_at_a_time_as_there_are_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points, run = many(60, 3, 4, 1), search.Search.run
    expected = nearest(points, points, threads=1)
    all_three = threading.Barrier(3)
    tasks: list[Any] = []

    def meet(*task: Any) -> None:
        all_three.wait(timeout=20)  # an error if one of them has to wait for another's end
        tasks.append(task)
        run(*task)

    monkeypatch.setattr(search.Search, "run", meet)
    assert nearest(points, points, threads=3).indices.tolist() == expected.indices.tolist()
    assert len(tasks) == 12  # four to a thread
