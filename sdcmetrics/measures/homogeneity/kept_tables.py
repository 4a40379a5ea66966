"""Tables of two columns whose small counts a replica keeps, file by file."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdcmetrics.errors import ColumnError, StudyError, did_you_mean
from sdcmetrics.measures.crosstables.counting import TablePairs, count_tables, over_same_cells
from sdcmetrics.measures.crosstables.scanning import scan
from sdcmetrics.measures.homogeneity.calendar_days import fixed_by_calendar
from sdcmetrics.measures.homogeneity.homogeneity import code_by_groups, share_of_level
from sdcmetrics.measures.homogeneity.small_counts import Cells, may_be_near, nearness
from sdcmetrics.measures.pair import Frame, Pair, Replica, list_syntheses
from sdcmetrics.measures.survey.design import households_of
from sdcmetrics.measures.survey.files import compared_columns
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.coding import Coded
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, alone
from sdcmetrics.results import Readable

LEVEL = 0.01
"""Of all tables of a first file together."""
_AS_WELL = 0.05
"""p from which on the holdout is not as near to the original."""


@dataclass(frozen=True)
class KeptTable(Readable, shows=("name", "cells", "ratio", "p")):
    """One table of two columns whose small counts are the original's.

    Attributes
    ----------
    variables : pair of str
    synthesis : int
        In which file of the replica, from 1.
    cells : int
        Small cells: by the original's counts they expect from one to ten of its records.
    ratio : float
        Their spread around what they expect, beside that of a random draw: 0 or more, 1 by chance.
    p : float
        How likely a random draw from the original is to be as near, times the tables of the file
        over its part of the level.
    """

    variables: tuple[str, str]
    synthesis: int
    cells: int
    ratio: float
    p: float

    @property
    def name(self) -> str:
        """The table in words."""
        return " by ".join(self.variables)


@dataclass(frozen=True)
class KeptTables(Readable, shows=("kept", "tables")):
    """The tables of a replica whose small counts are those of its original.

    Attributes
    ----------
    kept : tuple of KeptTable
        The smallest p first, each table once.
    tables : int
        How many were looked at, of each file.
    """

    kept: tuple[KeptTable, ...]
    tables: int


def kept_tables_of(
    coded: Coded,
    aside: Harmonised | None = None,
    *,
    fixed: Collection[str] = (),
    clusters: Ints | None = None,
    beside: Sequence[tuple[str, ...]] = (),
    level: float = LEVEL,
) -> KeptTables:
    """Look for kept tables in all files of a replica, whose numbers are coded by groups.

    Parameters
    ----------
    aside : original and holdout, optional
        A table that the holdout would keep as well is none: so its records were drawn.
    fixed : names of columns that a design fixes: no table is of two of them
    clusters : int array, one per original record, optional
        To which household or person it belongs, from 0.
    beside : tables that others count of files too large for memory, optional
        These are counted together, so that nobody reads the files again for them.
    """
    names = [name for name in coded.variables if coded.variables[name].size > 1]
    pairs = itertools.combinations(names, 2)
    tables = [pair for pair in pairs if not set(pair) <= set(fixed)]
    near: list[KeptTable] = []
    for synthesis in range(1, coded.m + 1):
        factor = len(tables) / share_of_level(synthesis)
        for table, cells in _candidates(coded, tables, synthesis, beside):
            result = nearness(cells, clusters)
            p = min(result.p * factor, 1.0)
            if result.near and p <= level:
                near.append(KeptTable(table, synthesis, result.cells, result.ratio, p))
    near.sort(key=lambda each: each.p)
    first = {entry.variables: entry for entry in reversed(near)}
    drawn = _of_holdout(aside, list(first), clusters)
    kept = sorted(set(first) - drawn, key=lambda table: near.index(first[table]))
    return KeptTables(tuple(first[table] for table in kept), len(tables))


def _candidates(
    coded: Coded,
    tables: Sequence[tuple[str, str]],
    synthesis: int,
    beside: Sequence[tuple[str, ...]] = (),
) -> Iterator[tuple[tuple[str, str], Cells]]:
    """Yield the tables that may be near."""
    if not tables or not min(coded.sizes[0], coded.sizes[synthesis]):
        return
    if coded.large:
        for table, counts, cells in _scanned(coded, tables, synthesis, beside):
            if may_be_near(counts)[0]:
                yield table, cells
        return
    for part, counts in count_tables(coded, tables, synthesis=synthesis):
        for table in itertools.compress(tables[part], may_be_near(counts).tolist()):
            yield table, _cells(coded, table, synthesis)


def _scanned(
    coded: Coded,
    tables: Sequence[tuple[str, str]],
    synthesis: int,
    beside: Sequence[tuple[str, ...]] = (),
) -> Iterator[tuple[tuple[str, str], TablePairs, Cells]]:
    """Yield tables of files too large for memory, which are counted batch by batch."""
    every = list(dict.fromkeys([*beside, *tables]))
    sides = (scan(coded, every, part) for part in (0, synthesis))
    counted = dict(zip(every, zip(*sides, strict=True), strict=True))
    for table in tables:
        cells, (original, synthetic) = over_same_cells(counted[table])
        wide = coded.variables[table[1]].size
        yield (
            table,
            TablePairs(original, synthetic, np.zeros(1, dtype=np.int64), (0,)),
            Cells.counted(cells, original, synthetic, wide),
        )


def _cells(coded: Coded, table: tuple[str, str], part: int) -> Cells:
    first, second = (coded.variables[name] for name in table)
    rows, columns = ((each.parts[0], each.parts[part]) for each in (first, second))
    return Cells.of(rows, columns, second.size)


def _of_holdout(
    aside: Harmonised | None, tables: Sequence[tuple[str, str]], clusters: Ints | None
) -> set[tuple[str, str]]:
    """Return the tables in which the holdout is as near, as people drawn by a design are."""
    if aside is None:
        return set()
    tables = [table for table in tables if set(table) <= set(aside.variables)]
    used = {name: aside.variables[name] for table in tables for name in table}
    if not used:
        return set()
    coded = code_by_groups(replace(aside, variables=used))
    cells = (
        ((table, each) for table, _, each in _scanned(coded, tables, coded.m))
        if coded.large
        else ((table, _cells(coded, table, coded.m)) for table in tables)
    )
    near = ((table, nearness(each, clusters)) for table, each in cells)
    return {table for table, result in near if result.near and result.p <= _AS_WELL}


@checked
def kept_tables(
    original: Frame,
    synthetic: Replica,
    holdout: Frame | None = None,
    *,
    variables: Sequence[str] | None = None,
    cluster: str | None = None,
    level: float = LEVEL,
    missing_codes: MissingCodes | None = None,
) -> KeptTables:
    """Look for tables of two columns whose small counts are those of the original.

    Whoever has a replica has its tables. Where people were synthesised, small counts are made up:
    they vary at least as those of records that are drawn at random from the original. Where values
    of its people stay together in some columns, whatever is done to the others or to the order of
    rows, or where counts are fitted to the original's, small counts are (nearly) exact.

    Parameters
    ----------
    original, synthetic, holdout : data frames; of the synthetic several as a list
        The holdout, optional: where it is as near to the original, the table is not kept, but
        fixed by a design.
    variables : names, optional
        By default every column that all data sets have.
    cluster : name, optional
        The column of the original that says which records belong together: a household, a person
        of a panel. Small counts must then be nearer than those of drawn clusters as well.
    level : float
        Chance of a false table in a first file, between 0 and 1; the i-th has 1/(i (i + 1)) of it.
    missing_codes : mapping of column to code or codes, optional
        Codes that are levels of their own.

    Returns
    -------
    KeptTables

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or the original lacks `cluster`.
    StudyError
        If `level` is none.

    Notes
    -----
    The margins of the replica are taken as given, so that a column that is only permuted keeps no
    table. Numbers and dates are in five pooled groups. The null hypothesis is that records are
    drawn one by one, by any model. The gamma law is of draws from the original itself, beside which
    other models and fresh samples vary more; see `sdcmetrics.measures.homogeneity.small_counts`.
    Where the original has each day of a stretch of time as often, tables of the day by its month,
    week, day of the month or of the week are left out: a calendar fixes them.
    With `cluster` the covariance of the cells is that of the original's clusters as well. A review
    takes the cluster, household or person of `[sample]`, or a column that looks like one of them.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> def people() -> pd.DataFrame:
    ...     job = rng.integers(0, 12, 500)
    ...     return pd.DataFrame({"job": job, "town": (job + rng.poisson(3, 500)) % 9})
    >>> original, replica = people(), people()
    >>> kept_tables(original, replica)
    KeptTables(kept=0, tables=1)
    >>> replica[["job", "town"]] = original.sample(frac=1, random_state=1).to_numpy()
    >>> [table.name for table in kept_tables(original, replica).kept]
    ['job by town']
    """
    if not 0.0 < level < 1.0:
        msg = f"level: expected a number between 0 and 1 but got {level:g}."
        raise StudyError(msg)
    data, replicas = as_microdata(original, "original"), list_syntheses(synthetic, None)
    if cluster is not None and cluster not in data.columns:
        msg = f"original: there is no column {cluster!r}.{did_you_mean(cluster, data.columns)}"
        raise ColumnError(msg)
    aside = None if holdout is None else as_microdata(holdout, "holdout")
    every = [*replicas, *([] if aside is None else [aside])]
    names = compared_columns(data, every, variables, (cluster,))
    pair = Pair("replica", data, replicas, aside, variables=names, missing_codes=missing_codes)
    return kept_tables_of(
        code_by_groups(pair.data),
        None if aside is None else pair.real(),
        fixed=fixed_by_calendar(pair.data),
        clusters=None if cluster is None else households_of(alone(data, [cluster]), cluster)[0],
        level=level,
    )
