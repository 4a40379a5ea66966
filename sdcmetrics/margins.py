"""Marginal tables of many data sets at once, in full, with the cell that each record is in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.microdata.coding import Coded, CodedVariable

__all__ = ["Margin", "count_margins"]

Counts = npt.NDArray[np.int64]

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
        The cell of each record of each data set; -1 for a record that is left out.
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
    for table in tables:
        variables = [coded.variables[name] for name in table]
        size = math.prod(variable.size for variable in variables)
        if size > _MOST_CELLS:
            names = " by ".join(repr(name) for name in table)
            msg = (
                f"max_levels: the table of {names} has {size:,} cells, more than can be counted. "
                f"Allow fewer levels for tables of {len(table)} variables."
            )
            raise StudyError(msg)
        cells = tuple(
            _cells(variables, part, use_missing=use_missing) for part in range(len(coded.sizes))
        )
        counts = np.stack([_count(part, size, use_missing=use_missing) for part in cells])
        if not counts.any(axis=1).all():
            names = ", ".join(repr(name) for name in table)
            msg = f"no record of a data set has a value in all of: {names}"
            raise NotComputable(msg)
        yield Margin(table, counts, cells)


def _cells(variables: Sequence[CodedVariable], part: int, *, use_missing: bool) -> Counts:
    cells = variables[0].parts[part].astype(np.int64)
    for variable in variables[1:]:
        cells *= variable.size
        cells += variable.parts[part]
    if not use_missing:
        for variable in variables:
            if variable.missing_code >= 0:
                cells[variable.parts[part] == variable.missing_code] = -1
    return cells


def _count(cells: Counts, size: int, *, use_missing: bool) -> Counts:
    return np.bincount(cells if use_missing else cells[cells >= 0], minlength=size)
