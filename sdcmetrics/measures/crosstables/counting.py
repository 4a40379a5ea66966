"""Coded microdata to counts over the same cells; the only place that counts.

Two shapes are made here. `TablePairs` holds any number of cross-tables of the original beside
the same tables of one synthesis, as one long list of non-empty cells. `KeyTargetCounts` holds
one table of key combinations by target levels, again only its non-empty cells, so that memory
grows with the records and never with keys times targets.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.crosstables.scanning import (
    Cells,
    Composite,
    composite,
    scan,
    scan_codes,
    share_blocks,
)
from sdcmetrics.microdata.coding import Coded, CodedVariable
from sdcmetrics.microdata.sources.distinct import merge

Counts = npt.NDArray[np.int64]
Codes = npt.NDArray[np.signedinteger]
Floats = npt.NDArray[np.float64]

_BLOCK = 1 << 16
_CELLS_A_BATCH = 1 << 20
_DENSE_AT_LEAST = 1 << 16
_LARGEST_INDEX = 1 << 62
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


@dataclass(frozen=True)
class KeyTargetCounts:
    """Non-empty cells of the table of key combinations by target levels.

    Attributes
    ----------
    original, synthetic : int arrays of shape (cells,)
        Counts. Exclusions may have zeroed some of them. One of them may be of shape (draws, cells),
        all of which are beside the other; sums over keys then are by draw too.
    key, target : int arrays of shape (cells,)
        Position of the key combination (0..n_keys-1) and of the target level.
    n_keys, n_targets : int
    n_original, n_synthetic : int
        All records, never reduced by exclusions.
    """

    original: Counts
    synthetic: Counts
    key: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    n_keys: int
    n_targets: int
    n_original: int
    n_synthetic: int

    @cached_property
    def original_by_key(self) -> Counts:
        """Number of original records with each key combination; shape (n_keys,)."""
        return self.key_sums(self.original)

    @cached_property
    def synthetic_by_key(self) -> Counts:
        """Number of synthetic records with each key combination; shape (n_keys,)."""
        return self.key_sums(self.synthetic)

    @cached_property
    def original_of_key(self) -> Counts:
        """`original_by_key`, repeated for each cell."""
        return np.take(self.original_by_key, self.key, axis=-1)

    @cached_property
    def synthetic_of_key(self) -> Counts:
        """`synthetic_by_key`, repeated for each cell."""
        return np.take(self.synthetic_by_key, self.key, axis=-1)

    @cached_property
    def right_by_original(self) -> float:
        """Expected right guesses of original records from the records with the same keys."""
        filled = self.original > 0
        return float((self.original[filled] ** 2 / self.original_of_key[filled]).sum())

    @cached_property
    def right_by_synthetic(self) -> Any:
        """Expected right guesses of original records from synthetic ones with the same keys.

        A number, or one per draw.
        """
        both = (self.original > 0) & (self.synthetic > 0)
        original = np.broadcast_to(self.original, both.shape)
        right = original[both] * self.synthetic[both] / self.synthetic_of_key[both]
        if both.ndim > 1:
            each = np.split(right, np.cumsum(both.sum(axis=1))[:-1])
            return np.array([one.sum() for one in each])
        return float(right.sum())

    def key_sums(self, cells: npt.NDArray[np.integer[Any] | np.bool_]) -> Counts:
        """Add up counts of cells over each key combination; shape (n_keys,)."""
        if cells.ndim > 1:
            many = len(cells) * self.n_keys
            key = self.key + self.n_keys * np.arange(len(cells))[:, None]
            by_draw = np.bincount(key.ravel(), weights=cells.ravel(), minlength=many)
            return by_draw.astype(np.int64).reshape(len(cells), self.n_keys)
        sums = np.bincount(self.key, weights=cells, minlength=self.n_keys)
        out: Counts = sums.astype(np.int64)
        return out

    def per_key(self, cells: npt.NDArray[np.integer[Any] | np.bool_]) -> Counts:
        """Add up counts over each key combination, and repeat the sum for each of its cells."""
        out: Counts = self.key_sums(cells)[self.key]
        return out

    def target_sums(self, cells: npt.NDArray[np.integer[Any] | np.bool_]) -> Counts:
        """Add up counts of cells over each target level; shape (n_targets,)."""
        sums = np.bincount(self.target, weights=cells, minlength=self.n_targets)
        out: Counts = sums.astype(np.int64)
        return out


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
    pairs = _pair(coded, synthesis, tables)
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


def _pair(coded: Coded, synthesis: int, tables: Sequence[tuple[str, ...]]) -> _Pair:
    if coded.large:
        return _LargePair(tables, coded, synthesis)
    many = coded.sizes[0] + coded.sizes[synthesis] >= _MANY_RECORDS
    together = share_blocks(coded, tables) if many else []
    return _InBlocks(together, coded, synthesis) if together else _PairIndex(coded, synthesis)


class _LargePair(_Pair):
    """Counts tables of two data sets too large for memory, as many as there are in one pass."""

    def __init__(self, tables: Sequence[tuple[str, ...]], coded: Coded, synthesis: int) -> None:
        super().__init__(coded, synthesis)
        self._found = {
            table: sides
            for table, *sides in zip(
                tables, *(scan(coded, tables, part) for part in self._parts), strict=True
            )
        }

    def _counted(
        self, variables: list[CodedVariable], *, use_missing: bool
    ) -> tuple[list[Counts], Sequence[npt.NDArray[np.signedinteger]]]:
        names = tuple(variable.name for variable in variables)
        return _of_cells(self._coded, names, self._found[names], use_missing=use_missing)


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
    for counts, (filled, found) in zip(both, sides, strict=True):
        counts[np.searchsorted(cells, filled)] = found
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
        if size > max(_DENSE_AT_LEAST, records):
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


class _InBlocks(_PairIndex):
    """Counts small tables of many records in memory as margins of larger ones."""

    def __init__(self, tables: Sequence[tuple[str, ...]], coded: Coded, synthesis: int) -> None:
        super().__init__(coded, synthesis)
        sides = (scan_codes(coded, tables, part) for part in self._parts)
        self._found = {table: both for table, *both in zip(tables, *sides, strict=True)}

    def _counted(
        self, variables: list[CodedVariable], *, use_missing: bool
    ) -> tuple[list[Counts], Sequence[npt.NDArray[np.signedinteger]]]:
        names = tuple(variable.name for variable in variables)
        if names not in self._found:
            return super()._counted(variables, use_missing=use_missing)
        return _of_cells(self._coded, names, self._found[names], use_missing=use_missing)


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
    index, _ = _wide_index(variables, parts)
    split = len(variables[0].parts[parts[0]])
    _, first, cell = np.unique(index, return_index=True, return_inverse=True)
    both = [
        np.bincount(cell[:split], minlength=len(first)),
        np.bincount(cell[split:], minlength=len(first)),
    ]
    levels = tuple(np.concatenate([v.parts[part] for part in parts])[first] for v in variables)
    return both, levels


def _wide_index(
    variables: Sequence[CodedVariable], parts: Sequence[int]
) -> tuple[npt.NDArray[np.int64], int]:
    """Return one number a record (all parts stacked) that tells combinations of levels apart."""
    size = 1
    index = np.zeros(sum(len(variables[0].parts[part]) for part in parts), dtype=np.int64)
    for variable in variables:
        if size * variable.size >= _LARGEST_INDEX:
            distinct, index = np.unique(index, return_inverse=True)
            size = len(distinct)
        index *= variable.size
        index += np.concatenate([variable.parts[part] for part in parts])
        size *= variable.size
    return index, size


@dataclass(frozen=True)
class KeyIndex:
    """Key combinations of an original and m syntheses, numbered in one codebook.

    Attributes
    ----------
    parts : tuple of int arrays
        Number of the combination of each record, original first. Of data sets too large for
        memory two records stand for two and more of a combination: who is alone is still told.
    levels : dict of key name to int array of shape (combinations,)
        Code of the key in each combination.
    composite : Composite or None
        How the codes of a record of a large data set make the number that tells its combination;
        None in memory.
    """

    parts: tuple[npt.NDArray[np.int64], ...]
    levels: dict[str, npt.NDArray[np.int64]]
    composite: Composite | None = None

    @property
    def size(self) -> int:
        """Number of combinations that occur anywhere."""
        return len(next(iter(self.levels.values())))


def index_keys(coded: Coded, keys: Sequence[str]) -> KeyIndex:
    """Number the key combinations that occur in any of the data sets."""
    if coded.large:
        return _index_large(coded, keys)
    variables = [coded.variables[name] for name in keys]
    everything = range(coded.m + 1)
    index, size = _wide_index(variables, everything)
    number, first = _number(index, size)
    stacked = {v.name: np.concatenate([v.parts[part] for part in everything]) for v in variables}
    levels = {name: codes[first].astype(np.int64) for name, codes in stacked.items()}
    bounds = np.cumsum(coded.sizes)[:-1]
    return KeyIndex(tuple(np.split(number, bounds)), levels)


def count_combinations(
    coded: Coded, names: Sequence[str], part: int = 0
) -> tuple[dict[str, npt.NDArray[np.int64]], Counts]:
    """Return the combinations of levels that one data set has, and how many records have each.

    Returns
    -------
    dict of name to int array of shape (combinations,)
    int array of shape (combinations,)
    """
    if coded.large:
        cells, counts = scan(coded, [tuple(names)], part)[0]
        return composite(coded, names).levels(cells), counts
    variables = [coded.variables[name] for name in names]
    index, _ = _wide_index(variables, [part])
    _, first, counts = np.unique(index, return_index=True, return_counts=True)
    return {v.name: v.parts[part][first].astype(np.int64) for v in variables}, counts


_TOLD_APART = 2  # records of one combination: one is alone, two are not


def _index_large(coded: Coded, keys: Sequence[str]) -> KeyIndex:
    how = composite(coded, keys)
    sides = [scan(coded, [tuple(keys)], part)[0] for part in range(coded.m + 1)]
    cells, counts = over_same_cells(sides)
    number = np.arange(len(cells))
    parts = tuple(np.repeat(number, np.minimum(side, _TOLD_APART)) for side in counts)
    return KeyIndex(parts, how.levels(cells), how)


def _beside_large(
    coded: Coded, keys: KeyIndex, target: str, used: Sequence[int]
) -> tuple[Counts, Counts, npt.NDArray[np.int64]]:
    """Return the key combination and target level of each cell, and each data set's counts."""
    names = (*keys.levels, target)
    how = composite(coded, names)
    cells, counts = over_same_cells([scan(coded, [names], part)[0] for part in used])
    levels = how.levels(cells)
    level = levels.pop(target)
    assert keys.composite is not None  # noqa: S101  (they were indexed as these data sets are)
    known = keys.composite.index(keys.levels)
    return np.searchsorted(known, keys.composite.index(levels)), level, counts


def _number(
    index: npt.NDArray[np.int64], size: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number distinct values 0, 1, ... in sorted order; also return where each occurs first."""
    if size > max(_DENSE_AT_LEAST, 4 * len(index)):
        _, first, number = np.unique(index, return_index=True, return_inverse=True)
        return number, first
    first_of = np.full(size, -1, dtype=np.int64)
    backwards = index[::-1]
    first_of[backwards] = np.arange(len(index) - 1, -1, -1)
    used = np.flatnonzero(first_of >= 0)
    number_of = np.zeros(size, dtype=np.int64)
    number_of[used] = np.arange(len(used))
    return number_of[index], first_of[used]


def count_keys_and_target(
    coded: Coded, keys: KeyIndex, target: str, *, synthesis: int = 1
) -> tuple[KeyTargetCounts, npt.NDArray[np.int64]]:
    """Count key combinations by target levels in the original and one synthesis.

    Returns
    -------
    KeyTargetCounts
    int array of shape (original records,)
        The cell of each original record, so that records at risk can be found; empty for data sets
        too large for memory.
    """
    (counts,), (cells, _) = count_beside_each_other(coded, keys, target, [synthesis])
    return counts, cells


def count_beside_each_other(
    coded: Coded, keys: KeyIndex, target: str, others: Sequence[int]
) -> tuple[tuple[KeyTargetCounts, ...], tuple[npt.NDArray[np.int64], ...]]:
    """Count the original beside each of some other data sets, all over the same cells.

    Beside the counts the cell of each record of the original and of these data sets; none of data
    sets too large for memory.
    """
    variable = coded.variables[target]
    used = (0, *others)
    sizes = [coded.sizes[part] for part in used]
    if coded.large:
        key, level, (original, *counted) = _beside_large(coded, keys, target, used)
        parts = [np.empty(0, dtype=np.int64)] * len(used)
    else:
        key, level, (original, *counted), parts = _beside(coded, keys, target, used)
    made = (
        KeyTargetCounts(
            original=original,
            synthetic=one,
            key=key,
            target=level,
            n_keys=keys.size,
            n_targets=variable.size,
            n_original=sizes[0],
            n_synthetic=size,
        )
        for one, size in zip(counted, sizes[1:], strict=True)
    )
    return tuple(made), tuple(parts)


def _beside(
    coded: Coded, keys: KeyIndex, target: str, used: Sequence[int]
) -> tuple[Counts, Counts, list[Counts], list[npt.NDArray[np.int64]]]:
    """Return what `_beside_large` does, and the cell of each record."""
    variable = coded.variables[target]
    stacked = np.concatenate(
        [keys.parts[part] * variable.size + variable.parts[part] for part in used]
    )
    number, first = _number(stacked, keys.size * variable.size)
    cells = stacked[first]
    key, level = np.divmod(cells, variable.size)
    parts = np.split(number, np.cumsum([coded.sizes[part] for part in used])[:-1])
    counts = [np.bincount(part, minlength=len(cells)) for part in parts]
    return key, level, counts, parts
