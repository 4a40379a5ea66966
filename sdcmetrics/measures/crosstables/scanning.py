"""Count data sets too large for memory: one pass for many tables, partial counts that add up.

Tables of few cells are not counted one by one. Variables are put into blocks, and what is counted
are tables of whole blocks, of which all the others are margins: 105 tables of 15 variables in five
groups each are margins of 15.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sdcmetrics.errors import DataError
from sdcmetrics.measures.crosstables.loops import count_cells, count_three, count_two, extend, loop
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.coding import Coded
from sdcmetrics.microdata.sources.codes import Coder
from sdcmetrics.microdata.sources.distinct import merge
from sdcmetrics.microdata.sources.source import BATCH, COUNT, PARTIAL, partial_counts

Indices = dict["Composite", npt.NDArray[np.uint16]]
Codes = Mapping[str, npt.NDArray[np.signedinteger]]
Cells = tuple[Counts, Counts]
"""Which cells of a table are filled, in increasing order, and how many records each has."""

_IN_CACHE = 1 << 16
"""Cells of a table of blocks: its counts stay in the second-level cache, 512 KiB."""
_JOINED: dict[int, Callable[..., Any]] = {2: count_two, 3: count_three}
"""How cells are counted of tables of so many blocks, whose numbers are joined meanwhile."""
_DENSE = 1 << 24  # cells of a table that is held in full, 128 MB
_CELLS_A_PASS = 1 << 25
_PILE = 1 << 22
MOST_CELLS = 1 << 24
"""Filled cells of a table: what is made of so many on both sides takes some 6 GB."""
_LARGEST_INDEX = 1 << 62


@dataclass(frozen=True, eq=False)
class Composite:
    """How the codes of some variables make one number per record, in lexical order.

    Attributes
    ----------
    names : tuple of variables
    sizes : tuple of int
        Levels of each.
    occurring : tuple of int arrays or None
        Before a variable, where all combinations of those so far would make too large a number:
        which of them occur, so that their positions are used instead.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    occurring: tuple[Counts | None, ...]

    @property
    def size(self) -> int:
        """Numbers that may come out, from 0."""
        size = 1
        for occurring_, levels in zip(self.occurring, self.sizes, strict=True):
            size = (size if occurring_ is None else len(occurring_)) * levels
        return size

    def index(self, codes: Codes) -> Counts:
        """Return the number of each record."""
        index = np.zeros(len(codes[self.names[0]]), dtype=np.int64)
        for name, size, occurring_ in zip(self.names, self.sizes, self.occurring, strict=True):
            if occurring_ is not None:
                index = np.searchsorted(occurring_, index)
            loop(extend, codes[name].dtype.name)(index, size, codes[name])
        return index

    def levels(self, index: Counts) -> dict[str, Counts]:
        """Return the codes that make these numbers."""
        out = {}
        steps = list(zip(self.names, self.sizes, self.occurring, strict=True))
        for name, size, occurring_ in reversed(steps):
            index, out[name] = np.divmod(index, size)
            if occurring_ is not None:
                index = occurring_[index]
        return {name: out[name] for name in self.names}


@dataclass(frozen=True, eq=False)
class _Table:
    """A table to count: over blocks of variables where it is small, else as requested."""

    blocks: tuple[Composite, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for block in self.blocks for name in block.names)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(size for block in self.blocks for size in block.sizes)

    @cached_property
    def size(self) -> int:
        return math.prod(block.size for block in self.blocks)

    def index(self, codes: Codes, indices: Indices) -> Counts:
        """Return the cell of each record; what was made for a block serves other tables too."""
        first, *others = self.blocks
        if not others:
            return first.index(codes)
        index = _index(first, codes, indices).astype(np.int64)
        for block in others:
            loop(extend, "uint16")(index, block.size, _index(block, codes, indices))
        return index

    def count(self, codes: Codes, indices: Indices, counts: Counts) -> None:
        """Count the cell of each record."""
        if count := _JOINED.get(len(self.blocks)):
            blocks = [_index(block, codes, indices) for block in self.blocks]
            sizes = [block.size for block in self.blocks[1:]]
            loop(count, "uint16")(*blocks, *sizes, counts)
        else:
            loop(count_cells, "int64")(self.index(codes, indices), counts)

    def margin(self, cells: Cells, wanted: Composite) -> Cells:
        """Return the counts of a table of some of the variables."""
        filled, counts = cells
        if wanted.names == self.names:
            return cells
        full = np.zeros(self.size, dtype=np.int64)
        full[filled] = counts
        shape = full.reshape(self.sizes)
        order = [self.names.index(name) for name in wanted.names]
        others = tuple(i for i in range(shape.ndim) if i not in order)
        axes = sorted(order)
        sums = shape.sum(axis=others).transpose([axes.index(i) for i in order]).ravel()
        filled = np.flatnonzero(sums)
        return filled, sums[filled]


def _index(block: Composite, codes: Codes, indices: Indices) -> npt.NDArray[np.uint16]:
    """Return the number of each record in a block of a table of several, which are small."""
    if block not in indices:
        indices[block] = block.index(codes).astype(np.uint16)
    return indices[block]


@dataclass(frozen=True)
class _Kernel:
    """Counts tables over batches of records, in this process or another.

    What it yields are the tables that are wanted, which have far fewer cells than those of blocks.
    """

    coders: Mapping[str, Coder]
    wanted: tuple[Composite, ...]
    plan: tuple[_Table, ...]

    @property
    def sparse(self) -> bool:
        """Whether there are more cells than are held, so that an engine had better group."""
        return any(block.size > _DENSE for block in self.plan)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the filled cells of every table, with their counts."""
        sums = _Sums(self.plan)
        for batch in batches:
            codes = {n: coder.codes(batch.column(coder.name)) for n, coder in self.coders.items()}
            times = np.asarray(batch.column(COUNT)) if COUNT in batch.schema.names else None
            sums.add(codes, times)
        for i, (filled, counts) in enumerate(sums.of(self.wanted)):
            yield partial_counts(filled, counts, i)


class _Sums:
    """Adds up the tables of a plan."""

    def __init__(self, plan: Sequence[_Table]) -> None:
        self.plan = plan
        self.sums = {
            block: _Dense(block.size) if block.size <= _DENSE else SparseSums() for block in plan
        }

    def add(self, codes: Codes, times: Counts | None = None) -> None:
        indices: Indices = {}
        for table, total in self.sums.items():
            if times is None and isinstance(total, _Dense):
                table.count(codes, indices, total.counts)
            else:
                total.add(table.index(codes, indices), times)

    def of(self, wanted: Sequence[Composite]) -> Iterator[Cells]:
        """Yield the table that each of the plan was made for."""
        cells = {table: total.cells() for table, total in self.sums.items()}
        for block, table in zip(wanted, self.plan, strict=True):
            yield table.margin(cells[table], block)


class _Dense:
    def __init__(self, size: int) -> None:
        self.counts = np.zeros(size, dtype=np.int64)

    def add(self, index: Counts, times: Counts | None) -> None:
        np.add.at(self.counts, index, 1 if times is None else times)

    def cells(self) -> Cells:
        filled = np.flatnonzero(self.counts)
        return filled, self.counts[filled]


class SparseSums:
    """Counts of the cells that occur, batch after batch."""

    def __init__(self) -> None:
        self.pile: list[Cells] = []
        self.waiting = 0

    def add(self, index: Counts, times: Counts | None) -> None:
        """Count the cell of each record; `times` is how many records each stands for."""
        counted = np.unique(index, return_counts=True) if times is None else merge(index, times)
        self.pile.append(counted)
        self.waiting += len(counted[0])
        if self.waiting > _PILE + 2 * len(self.pile[0][0]):
            self.pile = [self.cells()]
            self.waiting = len(self.pile[0][0])

    def cells(self) -> Cells:
        """Return all cells so far."""
        return _of_pile(self.pile)


def scan(coded: Coded, tables: Sequence[tuple[str, ...]], part: int) -> list[Cells]:
    """Count tables in one data set, in as few passes as their cells fit in memory.

    A table of one variable needs no pass, as its distinct values were counted in the first.
    """
    wanted = [composite(coded, table) for table in tables]
    cells_of: dict[tuple[str, ...], Cells] = {}
    for table in tables:
        if len(table) == 1:
            counts = coded.variables[table[0]].count(part)
            cells_of[table] = np.flatnonzero(counts), counts[counts > 0]
    left = [block for block in wanted if block.names not in cells_of]
    while left:
        some: list[Composite] = []
        cells = 0
        while left and (not some or cells + min(left[0].size, _DENSE) <= _CELLS_A_PASS):
            cells += min(left[0].size, _DENSE)
            some.append(left.pop(0))
        cells_of |= _pass(coded, some, part)
    return [cells_of[table] for table in tables]


def share_blocks(coded: Coded, tables: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the tables that are margins of one that has others too."""
    some = [
        table
        for table in tables
        if len(table) > 1 and math.prod(coded.variables[name].size for name in table) <= _IN_CACHE
    ]
    plan = _plan([composite(coded, table) for table in some]) if some else []
    uses = Counter(plan)
    return [table for table, block in zip(some, plan, strict=True) if uses[block] > 1]


def scan_codes(coded: Coded, tables: Sequence[tuple[str, ...]], part: int) -> list[Cells]:
    """Count tables of one data set in memory, which share blocks, in one pass over its codes."""
    wanted = [composite(coded, table) for table in tables]
    names = dict.fromkeys(name for table in tables for name in table)
    sums = _Sums(_plan(wanted))
    for first in range(0, coded.sizes[part], BATCH):
        some = slice(first, first + BATCH)
        sums.add({name: coded.variables[name].parts[part][some] for name in names})
    return list(sums.of(wanted))


def composite(coded: Coded, names: Sequence[str]) -> Composite:
    """Return how the codes of variables make one number, small enough for 64 bits."""
    block = Composite((), (), ())
    for name in names:
        size = coded.variables[name].size
        levels = None
        if block.size * size >= _LARGEST_INDEX:
            levels = occurring(coded, block)
        block = Composite((*block.names, name), (*block.sizes, size), (*block.occurring, levels))
    return block


def occurring(coded: Coded, block: Composite) -> Counts:
    """Return the combinations of levels that occur in any data set."""
    parts = range(len(coded.sizes))
    return np.unique(np.concatenate([_pass(coded, [block], i)[block.names][0] for i in parts]))


def _pass(coded: Coded, wanted: Sequence[Composite], part: int) -> dict[tuple[str, ...], Cells]:
    """Count tables in one pass, or take them from the last ones."""
    data = coded.large[part]
    names = list(dict.fromkeys(name for block in wanted for name in block.names))
    coders = {name: data.coder(name, coded.variables[name].parts[part]) for name in names}
    # Beside other data sets there may be more levels, and a cell then has another number.
    occurring_ = (levels is not None and levels.tobytes() for b in wanted for levels in b.occurring)
    tables = tuple((block.names, block.sizes) for block in wanted), tuple(occurring_)
    key = tables, tuple(coder.key for coder in coders.values())

    def count() -> dict[tuple[str, ...], Cells]:
        kernel = _Kernel(coders, tuple(wanted), tuple(_plan(wanted)))
        partial = pa.Table.from_batches(data.count(names, kernel), PARTIAL)
        cells = add_up(partial, len(wanted))
        for block, (filled, counts) in zip(wanted, cells, strict=True):
            data.check_records(int(counts.sum()))
            refuse_many(data.source, block, filled)
        return {block.names: cells_ for block, cells_ in zip(wanted, cells, strict=True)}

    return data.cached(key, count, lambda counted: sum(len(cells) for cells, _ in counted.values()))


def refuse_many(source: str, block: Composite, filled: Counts) -> None:
    """Refuse a table of more cells than are held."""
    if len(filled) > MOST_CELLS:
        msg = (
            f"{source}: {' x '.join(block.names)}: more than {MOST_CELLS:,} combinations occur, "
            "and each is held. Group the columns that have most values (ngroups_keys and "
            "ngroups_targets in [options]), or name fewer."
        )
        raise DataError(msg)


def add_up(partial: pa.Table, tables: int) -> list[Cells]:
    """Add up the partial counts of each table."""
    number, cell, count = (np.asarray(column) for column in partial.columns)
    bounds = np.flatnonzero(number[1:] != number[:-1]) + 1
    piles: list[list[Cells]] = [[] for _ in range(tables)]
    starts = [0, *bounds.tolist(), len(number)]
    for first, end in itertools.pairwise(starts):
        if end > first:
            piles[number[first]].append((cell[first:end], count[first:end]))
    return [_of_pile(pile) for pile in piles]


def _of_pile(pile: list[Cells]) -> Cells:
    if len(pile) == 1:
        return pile[0]
    if not pile:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    cells, counts = zip(*pile, strict=True)
    return merge(np.concatenate(cells), np.concatenate(counts))


def _plan(wanted: Sequence[Composite]) -> list[_Table]:
    """Return for each table the one that is counted, of which it is a margin."""
    ways = max(len(block.names) for block in wanted)
    most = int(_IN_CACHE ** (1.0 / ways)) if ways > 1 else _IN_CACHE
    block_of = {name: block for block in _blocks(wanted, most) for name in block.names}
    tables: dict[frozenset[Composite], _Table] = {}
    chosen: list[frozenset[Composite] | None] = []
    for wanted_block in wanted:
        blocks = tuple(dict.fromkeys(block_of[name] for name in wanted_block.names))
        table = _Table(tuple(sorted(blocks, key=lambda block: block.names)))
        small = table.size <= _IN_CACHE and all(
            levels_ is None for levels_ in wanted_block.occurring
        )
        chosen.append(frozenset(blocks) if small else None)
        if small:
            tables[frozenset(blocks)] = table
    largest = {
        key: max((other for other in tables if key <= other), key=len, default=key)
        for key in tables
    }
    return [
        _Table((block,)) if key is None else tables[largest[key]]
        for block, key in zip(wanted, chosen, strict=True)
    ]


def _blocks(wanted: Sequence[Composite], most: int) -> list[Composite]:
    """Put variables into blocks of up to so many cells, each into the first with room."""
    sizes = {n: s for block in wanted for n, s in zip(block.names, block.sizes, strict=True)}
    blocks: list[list[str]] = []
    for name, size in sizes.items():
        for block in blocks:
            if size * math.prod(sizes[other] for other in block) <= most:
                block.append(name)
                break
        else:
            blocks.append([name])
    return [
        Composite(tuple(block), tuple(sizes[n] for n in block), (None,) * len(block))
        for block in blocks
    ]
