"""Total variation distance as a sum over people, exactly, for releases with noise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sdcmetrics.measures.crosstables.counting import TablePairs


def people_to_move(tables: TablePairs) -> Fraction:
    """Return n TVD, on average over tables: how many people would have to be in other cells.

    One person more in a cell that has the share s of the replica's records changes it by at most
    1 - s: the person's own cell by that, and all others by as much together.

    Parameters
    ----------
    tables : TablePairs
        Original beside a replica that has records; the original may have none.

    Examples
    --------
    >>> tables = TablePairs(np.array([3, 1]), np.array([1, 1]), np.array([0]), (0,))
    >>> people_to_move(tables)
    Fraction(1, 1)
    """
    n, size = (
        np.add.reduceat(cells, tables.starts) for cells in (tables.original, tables.synthetic)
    )
    spread = np.repeat(np.arange(len(tables)), np.diff([*tables.starts, len(tables.original)]))
    apart = np.abs(tables.original * size[spread] - tables.synthetic * n[spread])
    return sum(
        (
            Fraction(int(apart[size[spread] == records].sum()), 2 * records * len(tables))
            for records in np.unique(size).tolist()
        ),
        Fraction(0),
    )
