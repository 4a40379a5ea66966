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
    n, size = (np.add.reduceat(side, tables.starts) for side in (tables.original, tables.synthetic))
    spread = np.repeat(np.arange(len(tables)), np.diff([*tables.starts, len(tables.original)]))
    apart = np.abs(tables.original * size[spread] - tables.synthetic * n[spread])
    # Whole numbers of Python: over many tables of many records sums exceed 64 bits.
    total: dict[int, int] = {}
    for people, records in zip(
        np.add.reduceat(apart, tables.starts).tolist(), size.tolist(), strict=True
    ):
        total[records] = total.get(records, 0) + people
    halves = (Fraction(people, 2 * records) for records, people in total.items())
    return sum(halves, Fraction(0)) / len(tables)
