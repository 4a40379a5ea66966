"""Coded microdata to cross-tables over the same cells.

`TablePairs` holds any number of cross-tables of the original beside the same tables of one
synthesis, as one long list of non-empty cells.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.crosstables.bits import BitTables, narrow_tables
from sdcmetrics.measures.crosstables.indexing import DENSE_AT_LEAST, wide_index
from sdcmetrics.measures.crosstables.scanning import (
    Cells,
    composite,
    scan,
    scan_codes,
    share_blocks,
)
from sdcmetrics.microdata.arrays import Codes, Counts, Floats
from sdcmetrics.microdata.coding import Coded, CodedVariable
from sdcmetrics.microdata.sources.distinct import merge

_BLOCK = 1 << 16
_CELLS_A_BATCH = 1 << 18
_RECORDS_A_COMPARISON = 600
_RECORDS_COMPARED = 25
"""Comparing all records with a level takes as long as counting 600 and a 25th of the records."""
_MANY_RECORDS = 1 << 19
"""From which on tables of blocks are twice as fast, at 2 million four to six times."""


@dataclass(frozen=True)
class TablePairs:
    """Cross-tables of an original and one synthesis: their non-empty cells, end to end.

    Attributes
    ----------
    original, synthetic : int arrays of shape (cells,)
        Counts of the cells that at least one side fills, table after table.
    starts : int array of shape (tables,)
        Where each table begins.
    empty : tuple of int
        Number of cells of each table that neither side fills.
    k_syn : bool
        Whether the number of synthetic records was drawn, so that nothing is taken off df.
    """

    original: Counts
    synthetic: Counts
    starts: npt.NDArray[np.int64]
    empty: tuple[int, ...]
    k_syn: bool = False

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self.starts)

    def sum(self, cells: npt.NDArray[np.generic]) -> Floats:
        """Add up a quantity over the cells of each table."""
        out: Floats = np.add.reduceat(cells, self.starts).astype(np.float64, copy=False)
        return out

    def spread(self, per_table: npt.NDArray[np.generic]) -> Floats:
        """Repeat a quantity of each table for each of its cells."""
        out: Floats = np.repeat(per_table, self.cells).astype(np.float64, copy=False)
        return out

    @cached_property
    def cells(self) -> npt.NDArray[np.int64]:
        """Number of non-empty cells of each table."""
        return np.diff(np.append(self.starts, len(self.original)))

    @cached_property
    def n_original(self) -> Floats:
        """Number of tabulated original records of each table."""
        return self.sum(self.original)

    @cached_property
    def n_synthetic(self) -> Floats:
        """Number of tabulated synthetic records of each table."""
        return self.sum(self.synthetic)

    @cached_property
    def p_original(self) -> Floats:
        """Share of the original records in each cell."""
        return self.original / self.spread(self.n_original)

    @cached_property
    def p_synthetic(self) -> Floats:
        """Share of the synthetic records in each cell."""
        return self.synthetic / self.spread(self.n_synthetic)


def count_tables(
    coded: Coded,
    tables: Sequence[tuple[str, ...]],
    *,
    synthesis: int = 1,
    use_missing: bool = True,
    k_syn: bool = False,
) -> Iterator[tuple[slice, TablePairs]]:
    """Count cross-tables of the original and one synthesis, in batches of bounded memory.

    Parameters
    ----------
    coded : Coded
    tables : sequence of tuples of variable names
    synthesis : int, from 1
    use_missing : bool
        False leaves out records with a missing value in a variable of the table.
    k_syn : bool
        Whether the number of synthetic records was drawn, see `TablePairs`.

    Yields
    ------
    slice, TablePairs
        Which of `tables` these are, and their counts.

    Raises
    ------
    NotComputable
        If no record of one side is left in a table.
    """
    first = 0
    batch: list[_Table] = []
    cells = 0
    pairs = _pair(coded, synthesis, tables, use_missing=use_missing)
    for i, table in enumerate(tables, start=1):
        batch.append(pairs.count(table, use_missing=use_missing))
        cells += len(batch[-1][0])
        if cells >= _CELLS_A_BATCH or i == len(tables):
            yield slice(first, i), _join(tables[first:i], batch, k_syn=k_syn)
            first, batch, cells = i, [], 0


_Table = tuple[Counts, Counts, int]
"""Counts of original and synthesis, perhaps with cells that neither fills; number of all cells."""


def _join(tables: Sequence[tuple[str, ...]], batch: list[_Table], *, k_syn: bool) -> TablePairs:
    originals, synthetics, sizes = zip(*batch, strict=True)
    bounds = np.cumsum([0, *map(len, originals)])
    sides = np.concatenate(originals), np.concatenate(synthetics)
    totals = [np.add.reduceat(counts, bounds[:-1]) for counts in sides]
    if not np.all(totals):
        for table, in_original, in_synthetic in zip(tables, *totals, strict=True):
            _check(table, in_original, in_synthetic)
    filled = np.flatnonzero(sides[0] + sides[1])
    ends = np.searchsorted(filled, bounds)
    return TablePairs(
        original=sides[0][filled],
        synthetic=sides[1][filled],
        starts=ends[:-1],
        empty=tuple(map(operator.sub, sizes, np.diff(ends).tolist())),
        k_syn=k_syn,
    )


def _check(table: tuple[str, ...], original: int, synthetic: int) -> None:
    if not original or not synthetic:
        side = "synthetic" if original else "original"
        names = ", ".join(repr(name) for name in table)
        msg = f"no {side} record has a value in all of: {names}"
        raise NotComputable(msg)


class _Pair:
    """Counts tables of one pair of data sets."""

    def __init__(self, coded: Coded, synthesis: int) -> None:
        self._coded = coded
        self._parts = (0, synthesis)

    def count(self, table: tuple[str, ...], *, use_missing: bool) -> _Table:
        variables = [self._coded.variables[name] for name in table]
        (original, synthetic), levels = self._counted(variables, use_missing=use_missing)
        if use_missing:
            return original, synthetic, math.prod(variable.size for variable in variables)
        codes = zip(levels, variables, strict=True)
        there = ~np.logical_or.reduce([level == v.missing_code for level, v in codes])
        size = math.prod(v.size - (v.missing_code >= 0) for v in variables)
        return original * there, synthetic * there, size

    def _counted(
        self, variables: list[CodedVariable], *, use_missing: bool
    ) -> tuple[list[Counts], Sequence[npt.NDArray[np.signedinteger]]]:
        """Return both sides' counts, and, where missing is left out, the levels of the cells."""
        raise NotImplementedError


def _pair(
    coded: Coded, synthesis: int, tables: Sequence[tuple[str, ...]], *, use_missing: bool
) -> _Pair:
    if coded.large:
        return _LargePair(tables, coded, synthesis)
    large = coded.sizes[0] + coded.sizes[synthesis] >= _MANY_RECORDS
    if together := share_blocks(coded, tables) if large else []:
        return _InBlocks(together, coded, synthesis)
    if narrow := narrow_tables(coded, tables) if use_missing else []:
        return _InBits(narrow, coded, synthesis)
    return _PairIndex(coded, synthesis)


class _LargePair(_Pair):
    """Counts tables of two data sets too large for memory, as many as there are in one pass."""

    def __init__(self, tables: Sequence[tuple[str, ...]], coded: Coded, synthesis: int) -> None:
        super().__init__(coded, synthesis)
        self._counts = {
            table: sides
            for table, *sides in zip(
                tables, *(scan(coded, tables, part) for part in self._parts), strict=True
            )
        }

    def _counted(
        self, variables: list[CodedVariable], *, use_missing: bool
    ) -> tuple[list[Counts], Sequence[npt.NDArray[np.signedinteger]]]:
        names = tuple(variable.name for variable in variables)
        return _of_cells(self._coded, names, self._counts[names], use_missing=use_missing)


def _of_cells(
    coded: Coded, names: tuple[str, ...], sides: Sequence[Cells], *, use_missing: bool
) -> tuple[list[Counts], Sequence[npt.NDArray[np.signedinteger]]]:
    cells, both = over_same_cells(sides)
    levels = () if use_missing else composite(coded, names).levels(cells).values()
    return list(both), list(levels)


def over_same_cells(sides: Sequence[Cells]) -> tuple[Counts, npt.NDArray[np.int64]]:
    """Return the cells that any data set fills, and each one's counts, shape (data sets, cells)."""
    every = np.concatenate([filled for filled, _ in sides])
    cells, _ = merge(every, np.ones_like(every))
    both = np.zeros((len(sides), len(cells)), dtype=np.int64)
    for counts, (filled, times) in zip(both, sides, strict=True):
        counts[np.searchsorted(cells, filled)] = times
    return cells, both


class _PairIndex(_Pair):
    """Counts tables of records in memory; keeps the index that the last table began with."""

    def __init__(self, coded: Coded, synthesis: int) -> None:
        super().__init__(coded, synthesis)
        self._head: tuple[str, ...] | None = None
        self._head_index: list[Codes] = []

    def _counted(
        self, variables: list[CodedVariable], *, use_missing: bool
    ) -> tuple[list[Counts], Sequence[npt.NDArray[np.signedinteger]]]:
        size = math.prod(variable.size for variable in variables)
        records = sum(self._coded.sizes[part] for part in self._parts)
        if size > max(DENSE_AT_LEAST, records):
            return _count_sparse(variables, self._parts)
        sizes = [variable.size for variable in variables]
        levels = () if use_missing else np.unravel_index(np.arange(size), sizes)
        return self._count_dense(variables, size), levels

    def _count_dense(self, variables: list[CodedVariable], size: int) -> list[Counts]:
        *head, last = variables
        if not head:
            return [_tally(last.parts[part], size) for part in self._parts]
        out = []
        for first, part in zip(self._index_of(head), self._parts, strict=True):
            codes = last.parts[part]
            counts = np.zeros(size, dtype=np.int64)
            for block in _blocks(codes, size):
                index = np.multiply(first[block], last.size, dtype=np.intp)
                index += codes[block]
                counts += np.bincount(index, minlength=size)
            out.append(counts)
        return out

    def _index_of(self, variables: list[CodedVariable]) -> list[Codes]:
        # Tables come in lexical order, so a two-way index serves many three-way tables.
        head = tuple(variable.name for variable in variables)
        if head != self._head:
            self._head_index = [
                _composite([v.parts[part] for v in variables], [v.size for v in variables])
                for part in self._parts
            ]
            self._head = head
        return self._head_index


class _InBits(_PairIndex):
    """Counts tables of two variables of few levels, all those at once that begin alike."""

    def __init__(self, tables: Sequence[tuple[str, ...]], coded: Coded, synthesis: int) -> None:
        super().__init__(coded, synthesis)
        self._narrow = frozenset(tables)
        self._sides = [BitTables(tables, coded, part) for part in self._parts]

    def count(self, table: tuple[str, ...], *, use_missing: bool) -> _Table:
        if table not in self._narrow:
            return super().count(table, use_missing=use_missing)
        original, synthetic = (side.counts(table) for side in self._sides)
        return original, synthetic, len(original)


class _InBlocks(_PairIndex):
    """Counts small tables of many records in memory as margins of larger ones."""

    def __init__(self, tables: Sequence[tuple[str, ...]], coded: Coded, synthesis: int) -> None:
        super().__init__(coded, synthesis)
        sides = (scan_codes(coded, tables, part) for part in self._parts)
        self._counts = {table: both for table, *both in zip(tables, *sides, strict=True)}

    def _counted(
        self, variables: list[CodedVariable], *, use_missing: bool
    ) -> tuple[list[Counts], Sequence[npt.NDArray[np.signedinteger]]]:
        names = tuple(variable.name for variable in variables)
        if names not in self._counts:
            return super()._counted(variables, use_missing=use_missing)
        return _of_cells(self._coded, names, self._counts[names], use_missing=use_missing)


def _blocks(codes: Codes, size: int) -> Iterator[slice]:
    """Cut records so that a block's index stays in cache, and adding up its counts is cheap."""
    step = max(_BLOCK, 8 * size)
    return (slice(at, at + step) for at in range(0, len(codes), step))


def _tally(codes: Codes, size: int) -> Counts:
    """Count each code; where they are few, one by one, as comparing takes so much less time."""
    counts = np.zeros(size, dtype=np.int64)
    for block in _blocks(codes, size):
        part = codes[block]
        comparing = size * (_RECORDS_A_COMPARISON + len(part) // _RECORDS_COMPARED)
        if comparing > len(part):
            counts += np.bincount(part, minlength=size)
        else:
            counts += [np.count_nonzero(part == code) for code in range(size)]
    return counts


def _composite(codes: Sequence[Codes], sizes: Sequence[int]) -> Codes:
    if len(codes) == 1:
        return codes[0]
    index = codes[0].astype(np.int32)
    for code, size in zip(codes[1:], sizes[1:], strict=True):
        index *= size
        index += code
    return index


def _count_sparse(
    variables: Sequence[CodedVariable], parts: tuple[int, int]
) -> tuple[list[Counts], tuple[npt.NDArray[np.signedinteger], ...]]:
    """Count by sorting, for tables far larger than the data; also return each cell's levels."""
    index, _ = wide_index(variables, parts)
    split = len(variables[0].parts[parts[0]])
    _, first, cell = np.unique(index, return_index=True, return_inverse=True)
    both = [
        np.bincount(cell[:split], minlength=len(first)),
        np.bincount(cell[split:], minlength=len(first)),
    ]
    levels = tuple(np.concatenate([v.parts[part] for part in parts])[first] for v in variables)
    return both, levels
