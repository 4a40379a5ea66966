"""Marginal tables in full, empty cells included; of many data sets with each record's cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.crosstables.scanning import scan
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.coding import Coded, CodedVariable

_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class Margin:
    """One cross-table of every data set.

    Attributes
    ----------
    variables : tuple of names
    counts : int array of shape (data sets, cells)
        Original or training data first; empty cells included.
    cells : tuple of int arrays
        The cell of each record of each data set; -1 for a record that is left out. None of data
        sets too large for memory.
    """

    variables: tuple[str, ...]
    counts: Counts
    cells: tuple[Counts, ...]


def count_margins(
    coded: Coded, tables: Sequence[tuple[str, ...]], *, use_missing: bool = True
) -> Iterator[Margin]:
    """Count each table in every data set.

    Parameters
    ----------
    coded : Coded
    tables : sequence of tuples of variable names
    use_missing : bool
        False leaves out records with a missing value in a variable of the table.

    Raises
    ------
    StudyError
        If a table has more than 20 million cells.
    NotComputable
        If no record of a data set is left in a table.
    """
    large = [scan(coded, tables, part) for part in range(len(coded.large))]
    parts = range(len(coded.sizes))
    begun: tuple[Sequence[str], list[Counts]] = (("",), [])
    for i, table in enumerate(tables):
        variables = [coded.variables[name] for name in table]
        size = math.prod(variable.size for variable in variables)
        if size > _MOST_CELLS:
            names = " by ".join(repr(name) for name in table)
            msg = (
                f"max_levels: the table of {names} has {size:,} cells, more than can be counted. "
                f"Allow fewer levels for tables of {len(table)} variables."
            )
            raise StudyError(msg)
        cells: tuple[Counts, ...] = ()
        if large:
            counts = np.zeros((len(large), size), dtype=np.int64)
            for row, large_cells in zip(counts, large, strict=True):
                row[large_cells[i][0]] = large_cells[i][1]
            counts[:, _missing(variables) & (not use_missing)] = 0
        else:
            if begun[0] != table[:-1]:  # tables that begin alike follow each other
                begun = table[:-1], [_cells(variables[:-1], part) for part in parts]
            cells = tuple(
                _with_last(begun[1][part], variables, part, use_missing=use_missing)
                for part in parts
            )
            counts = np.stack([_count(part, size, use_missing=use_missing) for part in cells])
        if not counts.any(axis=1).all():
            names = ", ".join(repr(name) for name in table)
            msg = f"no record of a data set has a value in all of: {names}"
            raise NotComputable(msg)
        yield Margin(table, counts, cells)


def count_two_way(
    rows: npt.NDArray[np.signedinteger],
    columns: npt.NDArray[np.signedinteger],
    shape: tuple[int, int],
) -> Counts:
    """Count one two-way table of one data set with all its cells, the empty ones too.

    Parameters
    ----------
    rows, columns : int arrays of shape (n,)
        Codes of each record; records with a negative code are left out.
    shape : number of rows and of columns

    Examples
    --------
    >>> count_two_way(np.array([0, 0, 1, -1]), np.array([1, 1, 0, 0]), (2, 2)).tolist()
    [[0, 2], [1, 0]]
    """
    # Codes that are missing get a row and a column of their own, which is cheaper than a mask.
    index = np.multiply(rows + 1, shape[1] + 1, dtype=np.intp)
    index += columns
    index += 1
    counts = np.bincount(index, minlength=(shape[0] + 1) * (shape[1] + 1))
    out: Counts = counts.reshape(shape[0] + 1, shape[1] + 1)[1:, 1:]
    return out


def _cells(variables: Sequence[CodedVariable], part: int) -> Counts:
    """Number the cell of each record in the table of some variables; of none, all are in one."""
    cells = np.zeros(0, dtype=np.int64)
    for variable in variables:
        cells = _times(cells, variable, part)
    return cells


def _times(cells: Counts, variable: CodedVariable, part: int) -> Counts:
    codes = variable.parts[part]
    if not len(cells):
        return codes.astype(np.int64)
    out = cells * variable.size
    out += codes
    return out


def _with_last(
    cells: Counts, variables: Sequence[CodedVariable], part: int, *, use_missing: bool
) -> Counts:
    """Return the cells of a table from those of all its variables but the last."""
    cells = _times(cells, variables[-1], part)
    if not use_missing:
        for variable in variables:
            if variable.missing_code >= 0:
                cells[variable.parts[part] == variable.missing_code] = -1
    return cells


def _missing(variables: Sequence[CodedVariable]) -> npt.NDArray[np.bool_]:
    """Tell which cells of a table are of records with a missing value."""
    levels = np.indices([variable.size for variable in variables])
    missing = [level == v.missing_code for level, v in zip(levels, variables, strict=True)]
    out: npt.NDArray[np.bool_] = np.logical_or.reduce(missing).ravel()
    return out


def _count(cells: Counts, size: int, *, use_missing: bool) -> Counts:
    return np.bincount(cells if use_missing else cells[cells >= 0], minlength=size)
