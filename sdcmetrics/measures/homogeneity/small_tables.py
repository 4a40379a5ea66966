"""All tables of two columns of an original and its replica, by two codings.

Numbers and dates are in five pooled groups, as in the tests of tables; and numbers of which there
are few are levels of their own, as in a table that an office would publish, whatever their unit.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdcmetrics.measures.crosstables.counting import TablePairs, count_tables, over_same_cells
from sdcmetrics.measures.crosstables.scanning import scan
from sdcmetrics.measures.homogeneity.family import code_by_groups
from sdcmetrics.measures.homogeneity.small_counts import Cells, may_be_near
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import Coded, by_value, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, Variable

Names = tuple[str, str]

_MOST_LEVELS = 1_000
"""Numbers of a column that are levels of their own,"""
_RECORDS_A_LEVEL = 5
"""where the original has so many records of each on average."""


@dataclass(frozen=True)
class SmallTables:
    """The tables of one coding.

    Attributes
    ----------
    coded : Coded
    names : sequence of pairs of columns
    """

    coded: Coded
    names: Sequence[Names]

    def candidates(self, synthesis: int) -> Iterator[tuple[Names, Cells]]:
        """Yield the tables of a synthesis, from 1, whose small counts may be near."""
        coded, names = self.coded, self.names
        if not names or not min(coded.sizes[0], coded.sizes[synthesis]):
            return
        if coded.large:
            for name, pair, cells in self._scanned(synthesis):
                if may_be_near(pair)[0]:
                    yield name, cells
            return
        for part, counts in count_tables(coded, names, synthesis=synthesis):
            for name in itertools.compress(names[part], may_be_near(counts).tolist()):
                yield name, self._cells(name, synthesis)

    def each(self, synthesis: int) -> Iterator[tuple[Names, Cells]]:
        """Yield all tables of a synthesis, from 1."""
        if self.coded.large:
            yield from ((name, cells) for name, _, cells in self._scanned(synthesis))
        else:
            yield from ((name, self._cells(name, synthesis)) for name in self.names)

    def _scanned(self, synthesis: int) -> Iterator[tuple[Names, TablePairs, Cells]]:
        """Yield tables of files too large for memory, which are counted batch by batch."""
        sides = (scan(self.coded, self.names, part) for part in (0, synthesis))
        for name, counted in zip(self.names, zip(*sides, strict=True), strict=True):
            cells, (original, synthetic) = over_same_cells(counted)
            pair = TablePairs(original, synthetic, np.zeros(1, dtype=np.int64), (0,))
            wide = self.coded.variables[name[1]].size
            yield name, pair, Cells.counted(cells, original, synthetic, wide)

    def _cells(self, name: Names, synthesis: int) -> Cells:
        first, second = (self.coded.variables[column] for column in name)
        rows, columns = ((each.parts[0], each.parts[synthesis]) for each in (first, second))
        return Cells.of(rows, columns, second.size)


def small_tables(data: Harmonised, fixed: Collection[str] = ()) -> list[SmallTables]:
    """Return the tables of every two columns, by either coding where these differ.

    Parameters
    ----------
    data : Harmonised
    fixed : names of columns that a design fixes: no table is of two of them
    """
    grouped = code_by_groups(data)
    most = min(_MOST_LEVELS, data.sizes[0] // _RECORDS_A_LEVEL)
    few = {name for name, variable in data.variables.items() if _are_few(variable, most)}
    coarse = {name for name in few if grouped.variables[name].groups is not None}
    own = encode(data, by_value, coarse)
    finely = Coded({**grouped.variables, **own.variables}, grouped.sizes)
    names = [name for name, column in grouped.variables.items() if column.size > 1]
    pairs = [pair for pair in itertools.combinations(names, 2) if not set(pair) <= set(fixed)]
    return [
        SmallTables(grouped, pairs),
        SmallTables(finely, [pair for pair in pairs if coarse & set(pair)]),
    ]


def beside_holdout(
    data: Harmonised, names: Mapping[int, Sequence[Names]]
) -> Iterator[tuple[int, Names, Cells]]:
    """Yield some tables of original and holdout, by coding."""
    used = {name for pairs in names.values() for pair in pairs for name in pair}
    there = {name: column for name, column in data.variables.items() if name in used}
    if not there:
        return
    for coding, tables in enumerate(small_tables(replace(data, variables=there))):
        pairs = [pair for pair in names.get(coding, ()) if set(pair) <= set(there)]
        for name, cells in SmallTables(tables.coded, pairs).each(tables.coded.m):
            yield coding, name, cells


def _are_few(variable: Variable, most: int) -> bool:
    """Whether a column is of numbers, of which there are so few."""
    if variable.kind is not Kind.NUMBER:
        return False
    values: set[float] = set()
    for part in variable.values:
        distinct: Floats = np.unique(part[~np.isnan(part)])
        if len(distinct) > most:
            return False
        values.update(distinct.tolist())
    return len(values) <= most
