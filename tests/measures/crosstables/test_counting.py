"""Counting: every way of counting gives the same counts, and memory grows with the records."""

from __future__ import annotations

import itertools
import math
import sys
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.crosstables import counting as tabulate
from sdcmetrics.measures.crosstables import scanning
from sdcmetrics.measures.crosstables.counting import count_tables
from sdcmetrics.measures.crosstables.scanning import share_blocks
from sdcmetrics.microdata.coding import Coded
from tests.measures.coded import coded, random_data, variable

Codes = Sequence[Sequence[int]]


def cells_of(data: Coded, table: tuple[str, ...], part: int, *, use_missing: bool = True) -> Any:
    """Count cells record by record."""
    variables = [data.variables[name] for name in table]
    result = Counter(zip(*(v.parts[part].tolist() for v in variables), strict=True))
    if use_missing:
        return result
    missing = [v.missing_code for v in variables]
    return Counter(
        {
            cell: n
            for cell, n in result.items()
            if all(code != m for code, m in zip(cell, missing, strict=True))
        }
    )


def assert_counts(
    data: Coded, tables: Sequence[tuple[str, ...]], *, synthesis: int = 1, use_missing: bool = True
) -> None:
    seen = 0
    for where, counts in count_tables(data, tables, synthesis=synthesis, use_missing=use_missing):
        assert where.start == seen
        seen = where.stop
        ends = np.append(counts.starts, len(counts.original))
        assert len(counts) == where.stop - where.start
        for i, table in enumerate(tables[where]):
            original = cells_of(data, table, 0, use_missing=use_missing)
            synthetic = cells_of(data, table, synthesis, use_missing=use_missing)
            cells = sorted(set(original) | set(synthetic))
            block = slice(ends[i], ends[i + 1])
            assert counts.original[block].tolist() == [original[cell] for cell in cells]
            assert counts.synthetic[block].tolist() == [synthetic[cell] for cell in cells]
            sizes = [
                v.size - (not use_missing and v.missing_code >= 0)
                for v in (data.variables[name] for name in table)
            ]
            assert counts.empty[i] == math.prod(sizes) - len(cells)
    assert seen == len(tables)


def all_tables(data: Coded, *ways: int) -> list[tuple[str, ...]]:
    return [table for k in ways for table in itertools.combinations(data.variables, k)]


class TestCountTables:
    def test_counts_by_hand(self) -> None:
        data = coded(
            variable("x", 3, [[0, 0, 1], [1, 1]]),
            variable("y", 2, [[0, 1, 1], [1, 0]]),
        )
        ((where, tables),) = count_tables(data, [("x",), ("x", "y")])
        assert where == slice(0, 2)
        assert tables.starts.tolist() == [0, 2]
        assert tables.original.tolist() == [2, 1, 1, 1, 0, 1]
        assert tables.synthetic.tolist() == [0, 2, 0, 0, 1, 1]
        assert tables.empty == (1, 2)
        assert tables.cells.tolist() == [2, 4]
        assert tables.n_original.tolist() == [3.0, 3.0]
        assert tables.n_synthetic.tolist() == [2.0, 2.0]
        assert tables.p_original.tolist() == pytest.approx([2 / 3, *[1 / 3] * 3, 0, 1 / 3])

    def test_one_to_four_ways(self) -> None:
        data = random_data([2, 3, 4, 2, 5], [40, 23])
        assert_counts(data, all_tables(data, 1, 2, 3, 4))

    def test_tables_in_any_order(self) -> None:
        data = random_data([2, 3, 4, 2], [40, 23])
        tables = all_tables(data, 3, 1, 2)
        assert_counts(data, tables[::-1])
        assert_counts(data, [("c", "a", "b"), ("a", "c", "b"), ("c", "a", "d")])

    def test_takes_the_synthesis_that_was_asked_for(self) -> None:
        data = random_data([2, 3, 4], [30, 20, 25])
        for synthesis in (1, 2):
            assert_counts(data, all_tables(data, 1, 2, 3), synthesis=synthesis)

    def test_more_than_127_levels(self) -> None:
        data = random_data([300, 200, 2], [500, 400])
        assert_counts(data, all_tables(data, 1, 2, 3))

    @given(
        sizes=st.lists(st.integers(1, 6), min_size=4, max_size=4),
        records=st.lists(st.integers(1, 30), min_size=2, max_size=2),
        seed=st.integers(0, 2**32),
        cache=st.sampled_from([10, 100, 1 << 16]),
        missing=st.booleans(),
    )
    @settings(max_examples=60, deadline=None)
    def test_tables_of_blocks_have_all_others_as_margins(
        self, sizes: list[int], records: list[int], seed: int, cache: int, missing: bool
    ) -> None:
        data = random_data(sizes, records, seed, missing=missing)
        tables = all_tables(data, 1, 2, 3)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tabulate, "_MANY_RECORDS", 0)
            patch.setattr(scanning, "_IN_CACHE", cache)
            patch.setattr(scanning, "BATCH", 7)
            assert (cache < 1 << 16) or share_blocks(data, tables)
            assert_counts(data, tables)
            assert_counts(data, tables[::-1])

    def test_pairs_are_margins_of_what_is_counted_for_triples_and_the_rest_is_not(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data = random_data([2, 3, 4, 5], [20, 20])
        alone, pair, triple = ("a",), ("b", "a"), ("a", "b", "c")
        assert share_blocks(data, [alone, triple, pair]) == [triple, pair]
        assert share_blocks(data, [alone, triple]) == []
        assert share_blocks(data, [alone]) == []
        size = math.prod(data.variables[name].size for name in triple)
        monkeypatch.setattr(scanning, "_IN_CACHE", size)
        assert share_blocks(data, [triple, pair]) == [triple, pair]
        monkeypatch.setattr(scanning, "_IN_CACHE", size - 1)
        assert share_blocks(data, [triple, pair]) == []

    def test_many_levels_are_not_gone_through_one_by_one(self) -> None:
        data = random_data([3000], [9000, 9000])
        assert_counts(data, [("a",)])
        calls: Counter[str] = Counter()
        sys.setprofile(lambda _, event, __: calls.update([event]))
        try:
            list(count_tables(data, [("a",)]))
        finally:
            sys.setprofile(None)
        assert 0 < calls["call"] < 1000

    @given(
        sizes=st.lists(st.integers(1, 6), min_size=4, max_size=4),
        records=st.lists(st.integers(1, 30), min_size=2, max_size=2),
        seed=st.integers(0, 2**32),
        dense=st.sampled_from([0, 10, 100, 1 << 16]),
        missing=st.booleans(),
    )
    @settings(max_examples=60, deadline=None)
    def test_dense_and_sparse_counting_agree(
        self, sizes: list[int], records: list[int], seed: int, dense: int, missing: bool
    ) -> None:
        data = random_data(sizes, records, seed, missing=missing)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tabulate, "DENSE_AT_LEAST", dense)
            assert_counts(data, all_tables(data, 1, 2, 3, 4))

    def test_a_table_far_larger_than_the_data_is_counted_by_sorting(self) -> None:
        data = random_data([20_000, 30_000, 20_000], [200, 100])
        assert_counts(data, all_tables(data, 2, 3))

    def test_batches_split_the_tables_and_lose_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        data = random_data([2, 3, 4, 2, 5], [40, 23])
        tables = all_tables(data, 1, 2)
        for limit, batches in ((1, len(tables)), (1 << 20, 1)):
            monkeypatch.setattr(tabulate, "_CELLS_A_BATCH", limit)
            assert_counts(data, tables)
            assert len(list(count_tables(data, tables))) == batches

    def test_blocks_of_records_add_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tabulate, "_BLOCK", 1)
        data = random_data([2, 3, 2], [1000, 777])
        assert_counts(data, all_tables(data, 1, 2, 3))

    def test_no_table_gives_no_batch(self) -> None:
        assert list(count_tables(random_data([2], [3, 3]), [])) == []


class TestMissing:
    def test_is_a_level_like_any_other(self) -> None:
        data = random_data([3, 3], [30, 30], missing=True)
        assert_counts(data, all_tables(data, 1, 2))

    def test_can_be_left_out_table_by_table(self) -> None:
        data = coded(
            variable("x", 3, [[0, 1, 2, 2], [0, 0, 2]], missing=True),
            variable("y", 2, [[0, 1, 0, 1], [1, 1, 1]]),
        )
        assert_counts(data, all_tables(data, 1, 2), use_missing=False)
        ((_, tables),) = count_tables(data, [("y",), ("x", "y")], use_missing=False)
        assert tables.n_original.tolist() == [4.0, 2.0]
        assert tables.n_synthetic.tolist() == [3.0, 2.0]

    @pytest.mark.parametrize("dense", [0, 1 << 16])
    def test_can_be_left_out_in_either_way_of_counting(
        self, dense: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tabulate, "DENSE_AT_LEAST", dense)
        data = random_data([4, 5, 6], [20, 15], missing=True)
        assert_counts(data, all_tables(data, 1, 2, 3), use_missing=False)

    @pytest.mark.parametrize(
        ("side", "parts"), [("original", [[1], [0]]), ("synthetic", [[0], [1]])]
    )
    def test_a_side_without_any_value_is_a_reason_that_names_side_and_columns(
        self, side: str, parts: Codes
    ) -> None:
        data = coded(variable("x", 2, parts, missing=True), variable("y", 1, [[0], [0]]))
        with pytest.raises(
            NotComputable, match=f"no {side} record has a value in all of: 'y', 'x'"
        ):
            list(count_tables(data, [("y", "x")], use_missing=False))


class TestLargestTables:
    def test_more_cells_than_64_bits_can_number_are_counted(self) -> None:
        data = random_data([1000] * 7, [5, 5])
        assert_counts(data, [tuple("abcdefg")])

    def test_nearly_as_many_are_counted(self) -> None:
        data = random_data([1000] * 6, [50, 50])
        assert_counts(data, [tuple("abcdef")])


class TestMemory:
    def test_grows_with_the_records(self) -> None:
        n = 20_000
        data = random_data([20_000, 20_000], [n, n])
        tracemalloc.start()
        try:
            list(count_tables(data, [("a", "b")]))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 400 * 2 * n  # a dense table would take 3.2 GB


@pytest.mark.parametrize("records", [1, 3_999, 4_000, 70_000, 200_000])
@pytest.mark.parametrize("size", [1, 2, 3, 40])
def test_one_by_one_or_all_at_once_codes_are_counted_alike(size: int, records: int) -> None:
    codes = np.random.default_rng(records).integers(0, size, records).astype(np.int8)
    counts = Counter(codes.tolist())
    assert tabulate._tally(codes, size).tolist() == [counts[code] for code in range(size)]


@pytest.mark.parametrize("side", ["original", "synthetic"])
def test_the_first_table_without_a_record_is_named(side: str) -> None:
    filled, empty = [0, 0, 1], [2, 2, 2]
    parts = [empty, filled] if side == "original" else [filled, empty]
    data = coded(
        variable("a", 3, [filled, filled], missing=True),
        variable("b", 3, parts, missing=True),
        variable("c", 3, parts[::-1], missing=True),
    )
    with pytest.raises(NotComputable, match=f"no {side} record has a value in all of: 'b'"):
        list(count_tables(data, [("a",), ("b",), ("c",)], use_missing=False))
