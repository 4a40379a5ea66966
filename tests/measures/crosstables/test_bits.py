from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.crosstables import bits, counting
from sdcmetrics.measures.crosstables.counting import count_tables
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.coding import MISSING, Coded, CodedVariable
from tests.versions import NUMPY_2


def drawn(levels: list[int], sizes: tuple[int, ...], seed: int) -> Coded:
    rng = np.random.default_rng(seed)
    variables = {
        f"v{i}": CodedVariable(
            f"v{i}",
            (*map(str, range(size - 1)), MISSING if i % 2 else "last"),
            tuple(rng.integers(0, size, n).astype(np.int16) for n in sizes),
        )
        for i, size in enumerate(levels)
    }
    return Coded(variables, sizes)


@pytest.mark.skipif(not NUMPY_2, reason="NumPy 1 counts no bits: tables are counted by records")
@pytest.mark.parametrize("sizes", [(1, 1), (64, 65), (130, 63), (700, 1000)])
@pytest.mark.parametrize("use_missing", [True, False])
def test_bits_are_counted_as_records_are(
    sizes: tuple[int, int], use_missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    coded = drawn([2, 5, 16, 17, 1, 9, 3, 4, 40, 2], sizes, seed=sum(sizes))
    if not use_missing and min(sizes) == 1:  # one record may have no value
        return
    tables = [*itertools.combinations(coded.variables, 2), ("v3", "v0"), ("v1", "v0"), ("v2",)]
    assert len(bits.narrow_tables(coded, tables)) == 29
    by_bits = list(count_tables(coded, tables, use_missing=use_missing))
    monkeypatch.setattr(counting, "narrow_tables", lambda *_: [])
    by_records = list(count_tables(coded, tables, use_missing=use_missing))
    for (_, item), (_, other) in zip(by_bits, by_records, strict=True):
        for name in ("original", "synthetic", "starts"):
            pair: Any = getattr(item, name), getattr(other, name)
            assert pair[0].dtype == pair[1].dtype
            assert np.array_equal(*pair), name
        assert item.empty == other.empty


@pytest.mark.skipif(not NUMPY_2, reason="NumPy 1 counts no bits: tables are counted by records")
def test_tables_that_begin_alike_are_counted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    coded = drawn([2, 3, 4], (100, 130), seed=1)
    tables = [("v0", "v1"), ("v0", "v2"), ("v1", "v2")]
    begun: list[int] = []
    count_with = bits.count_with

    def count(first: bits.Bits, others: Sequence[bits.Bits]) -> list[Counts]:
        begun.append(len(others))
        return count_with(first, others)

    monkeypatch.setattr(bits, "count_with", count)
    counted = bits.BitTables(tables, coded, 1)
    for table in tables:
        first, second = (coded.variables[name].parts[1] for name in table)
        sizes = [coded.variables[name].size for name in table]
        assert (
            counted.counts(table).tolist()
            == np.bincount(first * sizes[1] + second, minlength=sizes[0] * sizes[1]).tolist()
        )
    assert begun == [2, 1]


def test_few_tables_are_not_worth_their_bits() -> None:
    coded = drawn([2] * 5, (80, 90), seed=1)
    assert not bits.narrow_tables(coded, [("v0", "v1"), ("v1", "v2")])
    assert not bits.narrow_tables(coded, list(itertools.combinations(coded.variables, 3)))


@pytest.mark.skipif(not NUMPY_2, reason="NumPy 1 counts no bits: tables are counted by records")
def test_three_tables_a_variable_of_sixteen_levels_are_worth_them() -> None:
    coded = drawn([16] * 7 + [17], (80, 90), seed=2)
    seven = [(f"v{i}", f"v{j}") for i, j in itertools.combinations(range(7), 2)]
    assert bits.narrow_tables(coded, [*seven, ("v0", "v7"), ("v0",)]) == seven
    assert bits.narrow_tables(coded, seven[1:]) == []


def test_sixty_four_records_take_one_word() -> None:
    shapes = [bits.bits_of(np.zeros(n, dtype=np.int64), 3).shape for n in (1, 64, 65, 128)]
    assert shapes == [(3, 1), (3, 1), (3, 2), (3, 2)]
