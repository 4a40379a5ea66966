"""Tables of two columns whose small counts a replica keeps, file by file."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sdcmetrics.errors import ColumnError, StudyError, did_you_mean
from sdcmetrics.measures.homogeneity.calendar_days import fixed_by_calendar
from sdcmetrics.measures.homogeneity.judging import share_of_level
from sdcmetrics.measures.homogeneity.small_counts import nearness
from sdcmetrics.measures.homogeneity.small_tables import beside_holdout, small_tables
from sdcmetrics.measures.pair import Frame, Pair, Replica, list_syntheses
from sdcmetrics.measures.survey.design import households_of
from sdcmetrics.measures.survey.files import compared_columns
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, alone
from sdcmetrics.results import Readable

LEVEL = 0.01
"""Of all tables of a first file together."""
_ENOUGH = 100
"""Kept tables of a file by one coding, after which no other is looked for: it may be a copy."""
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
        The smallest p first, each table once; of a file up to 200.
    tables : int
        How many were looked at, of each file.
    """

    kept: tuple[KeptTable, ...]
    tables: int


def kept_tables_of(
    data: Harmonised,
    aside: Harmonised | None = None,
    *,
    fixed: Collection[str] = (),
    clusters: Ints | None = None,
    level: float = LEVEL,
) -> KeptTables:
    """Look for kept tables in all files of a replica.

    Parameters
    ----------
    data : original and replica
    aside : original and holdout, optional
        A table that the holdout would keep as well is none: so its records were drawn.
    fixed : names of columns that a design fixes: no table is of two of them
    clusters : int array, one per original record, optional
        To which household or person it belongs, from 0.
    """
    tables = small_tables(data, fixed)
    number = sum(len(each.names) for each in tables)
    near: list[tuple[KeptTable, int]] = []
    for synthesis in range(1, len(data.sizes)):
        factor = number / share_of_level(synthesis)
        for coding, each in enumerate(tables):
            of = (
                KeptTable(name, synthesis, result.cells, result.ratio, result.p * factor)
                for name, cells in each.candidates(synthesis)
                if (result := nearness(cells, clusters)).near
            )
            below = (table for table in of if table.p <= level)
            near += [(table, coding) for table in itertools.islice(below, _ENOUGH)]
    drawn = set() if aside is None else _kept_by_holdout(aside, near, clusters)
    near = [(table, coding) for table, coding in near if (coding, table.variables) not in drawn]
    near.sort(key=lambda each: each[0].p)
    smallest = {table.variables: table for table, _ in reversed(near)}
    kept = sorted(smallest.values(), key=lambda table: table.p)
    return KeptTables(tuple(kept), len(tables[0].names))


def _kept_by_holdout(
    aside: Harmonised, near: Sequence[tuple[KeptTable, int]], clusters: Ints | None
) -> set[tuple[int, tuple[str, str]]]:
    """Return the tables in which the holdout is as near, as people drawn by a design are."""
    names: defaultdict[int, dict[tuple[str, str], None]] = defaultdict(dict)
    for table, coding in near:
        names[coding][table.variables] = None
    of = beside_holdout(aside, {coding: list(pairs) for coding, pairs in names.items()})
    results = ((coding, name, nearness(cells, clusters)) for coding, name, cells in of)
    return {(coding, name) for coding, name, each in results if each.near and each.p <= _AS_WELL}


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
        `kept` is empty where no table is nearer than by chance, and each of its tables has p up to
        `level`. A kept table is a reason to ask how the replica was made, and no proof of copies.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or the original lacks `cluster`.
    StudyError
        If `level` is not between 0 and 1.

    Notes
    -----
    The margins of the replica are taken as given, so that a column that is only permuted keeps no
    table. Numbers and dates are in five pooled groups; numbers of up to 1,000 different ones, each
    in five records on average, are levels of their own as well, in as many tables more. The null
    hypothesis is that records are drawn one by one, by any model. The gamma law is of draws from
    the original itself, beside which other models and fresh samples vary more; see
    `sdcmetrics.measures.homogeneity.small_counts`.
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
    pair = pair.once if cluster is None else pair
    return kept_tables_of(
        pair.data,
        None if aside is None else pair.real(),
        fixed=fixed_by_calendar(pair.data),
        clusters=None if cluster is None else households_of(alone(data, [cluster]), cluster)[0],
        level=level,
    )
