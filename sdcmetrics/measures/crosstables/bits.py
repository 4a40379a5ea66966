"""Tables of two variables with few levels: a bit per level and record, 64 records at a time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.arrays import Codes, Counts
from sdcmetrics.microdata.coding import Coded

_MOST_LEVELS = 16  # of a variable, up to which this is faster than to count record by record
_TABLES_A_VARIABLE = 3  # from which on it is worth while to write its bits

Bits = npt.NDArray[np.uint64]


def narrow_tables(coded: Coded, tables: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the tables of two variables of few levels; none where they are not worth their bits.

    Bits are counted by numpy, which does so from 2.0 on.
    """
    few = {name for name, variable in coded.variables.items() if variable.size <= _MOST_LEVELS}
    out: list[tuple[str, ...]] = [table for table in tables if _is_pair(table, few)]
    enough = len(out) >= _TABLES_A_VARIABLE * len({*itertools.chain(*out)})
    return out if enough and hasattr(np, "bitwise_count") else []


def _is_pair(table: tuple[str, ...], names: set[str]) -> bool:
    return len(table) == 2 and names.issuperset(table)  # noqa: PLR2004  (two)


class BitTables:
    """Tables of two variables of one data set, all those counted at once that begin alike."""

    def __init__(self, tables: Sequence[tuple[str, ...]], coded: Coded, part: int) -> None:
        self._others: dict[str, list[str]] = {}
        for first, second in tables:
            self._others.setdefault(first, []).append(second)
        self._coded, self._part = coded, part
        self._bits: dict[str, Bits] = {}
        self._first = ""
        self._counts: dict[tuple[str, ...], Counts] = {}

    def counts(self, table: tuple[str, ...]) -> Counts:
        """Return all cells of one of the tables, the empty ones too."""
        first = table[0]
        if first != self._first:
            others = self._others[first]
            counts = count_with(self._bits_of(first), [self._bits_of(name) for name in others])
            self._first = first
            self._counts = {
                (first, name): cells for name, cells in zip(others, counts, strict=True)
            }
        return self._counts[table]

    def _bits_of(self, name: str) -> Bits:
        if name not in self._bits:
            variable = self._coded.variables[name]
            self._bits[name] = bits_of(variable.parts[self._part], variable.size)
        return self._bits[name]


def bits_of(codes: Codes, levels: int) -> Bits:
    """Return which records have each level, shape (levels, records / 64).

    Examples
    --------
    >>> bits_of(np.array([0, 1, 1]), 2).view(np.uint8)[:, 0].tolist()
    [128, 96]
    """
    out = np.zeros((levels, 8 * -(-len(codes) // 64)), np.uint8)
    for level, row in enumerate(out):
        row[: -(-len(codes) // 8)] = np.packbits(codes == level)
    return out.view(np.uint64)


def count_with(first: Bits, others: Sequence[Bits]) -> list[Counts]:
    """Return the cells of the tables of one variable with each of some others, row by row.

    Examples
    --------
    >>> answers = bits_of(np.array([0, 1, 1]), 2)
    >>> [table.tolist() for table in count_with(answers, [answers])]
    [[1, 0, 0, 2]]
    """
    every = np.concatenate(others)
    counts = np.empty((len(first), len(every)), np.int64)
    both = np.empty_like(every)
    for level, row in zip(first, counts, strict=True):
        np.bitwise_and(every, level, out=both)
        np.add.reduce(np.bitwise_count(both), axis=1, dtype=np.int64, out=row)
    ends = itertools.accumulate(map(len, others))
    return [
        counts[:, end - len(bits) : end].ravel() for bits, end in zip(others, ends, strict=True)
    ]
