"""Whether small counts of a table are nearer to the original's than a random draw leaves them.

A replica whose records are drawn one by one, from whatever model, has counts that vary: around
those of the original itself, if the model is the original. With the margins of the replica given,
the cells of a table of two columns then have an expectation E, the original's table raked to these
margins (iterative proportional fitting), and a variance of about E (1 - E / R) (1 - E / C), with R
and C the sums of row and column; it is less where one column follows from the other, as
`sdcmetrics.measures.homogeneity.drawn_records` has it, and counts are near only beside either law.
Records that are kept, permuted or fitted to the table vary less.
So sum (|s - E| + 1/2)^2 / E over the cells that expect from one to ten records is small beside its
gamma law; half a record is added as counts are whole.

Where records belong together, whole clusters may have been drawn, whose counts can vary less: each
person of a panel has each wave. Their covariance is that of the original's clusters, see
`sdcmetrics.measures.homogeneity.drawn_clusters`; counts are near only beside either law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.homogeneity.drawn_clusters import covariance_of_drawn
from sdcmetrics.measures.homogeneity.drawn_records import covariance_of_records
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Bools, Floats, Ints

LEAST, MOST = 1.0, 10.0
"""Records that a small cell expects: below, counts can tell little; above, they are of many."""
FEW_CELLS = 5
"""Small cells below which nothing is said of a table."""
_FREE = 0.3
"""Part of the variance of a cell that its margins leave, below which it is left out."""
_NEAR = 0.75
"""Part of the spread of a random draw above which counts are not called kept."""
_BY_DESIGN = 0.05
"""p below which the original's own counts are as even as a design, or a panel, makes them."""
_LEAST_OF_A_DESIGN = LEAST / 2
"""Records that a cell of a design expects: where each pair comes once, less than one."""
_CELLS_OF_A_DESIGN = 1 << 20
"""Cells up to which it is asked whether a design made them so."""
_NOTHING = 1e-9
_ROUNDS = 100
_CLOSE = 1e-3


@dataclass(frozen=True)
class Cells:
    """The cells of one table of two columns that either side fills.

    Attributes
    ----------
    row, column : int arrays of shape (cells,)
        Levels of the two columns.
    original, synthetic : int arrays of shape (cells,)
        Counts.
    shape : numbers of levels
    cell : int array, one per original record
        In which cell it is.
    """

    row: Ints
    column: Ints
    original: Ints
    synthetic: Ints
    shape: tuple[int, int]
    cell: Ints

    @classmethod
    def counted(cls, cells: Ints, original: Ints, synthetic: Ints, wide: int) -> Cells:
        """Return cells that are counted, by their numbers; `wide` is the number of columns."""
        shape = 1 + int(cells.max(initial=0)) // wide, wide
        none = np.empty(0, dtype=np.int64)
        return cls(cells // wide, cells % wide, original, synthetic, shape, none)

    @classmethod
    def of(cls, rows: tuple[Ints, Ints], columns: tuple[Ints, Ints], wide: int) -> Cells:
        """Count the levels of original and synthetic records; `wide` is the number of columns."""
        sides = [
            row.astype(np.int64) * wide + column for row, column in zip(rows, columns, strict=True)
        ]
        cells, index = np.unique(np.concatenate(sides), return_inverse=True)
        n = len(sides[0])
        first, second = (np.bincount(part, minlength=len(cells)) for part in (index[:n], index[n:]))
        return replace(cls.counted(cells, first, second, wide), cell=index[:n])


@dataclass(frozen=True)
class Nearness:
    """How near small counts are to those expected.

    Attributes
    ----------
    cells : number of small cells
    ratio : their spread beside that of a random draw
    p : how likely a random draw is to be as near
    """

    cells: int
    ratio: float
    p: float

    @property
    def near(self) -> bool:
        """Whether they are nearer by enough to matter, whatever the chance."""
        return self.ratio <= _NEAR


NOT_NEAR = Nearness(0, np.inf, 1.0)


def may_be_near(tables: TablePairs) -> Bools:
    """Return which tables are worth raking: their counts are near without that.

    Examples
    --------
    >>> pair = TablePairs(np.full(24, 3), np.full(24, 3), np.array([0]), (0,))
    >>> may_be_near(pair).tolist()
    [True]
    """
    expected = tables.original * tables.spread(tables.n_synthetic / tables.n_original)
    small = (expected >= LEAST / 2) & (expected < 2 * MOST)
    apart = (tables.synthetic - expected) ** 2 / np.where(small, expected, 1.0)
    cells, spread = tables.sum(small), tables.sum(np.where(small, apart, 0.0))
    out: Bools = (cells >= FEW_CELLS) & (spread <= _NEAR * cells)
    return out


def nearness(table: Cells, clusters: Ints | None = None) -> Nearness:
    """Return how near the synthetic counts are to the original's raked to their margins.

    Parameters
    ----------
    clusters : int array, one per original record, optional
        To which cluster it belongs, from 0; where clusters vary less than records, beside them.

    Examples
    --------
    A table whose every count is kept, and one of other people:

    >>> rng = np.random.default_rng(1)
    >>> people = rng.integers(0, 10, (3, 400))
    >>> nearness(Cells.of((people[0],) * 2, (people[1],) * 2, 10)).p < 1e-9
    True
    >>> nearness(Cells.of((people[0], people[2]), (people[1], people[1]), 10)).p > 0.01
    True
    """
    sums = [
        np.bincount(level, table.synthetic, minlength=size)
        for level, size in zip((table.row, table.column), table.shape, strict=True)
    ]
    expected = _raked(table, sums)
    free = 1.0 - expected / np.maximum(sums[0][table.row], 1.0)
    free *= 1.0 - expected / np.maximum(sums[1][table.column], 1.0)
    small = (expected >= LEAST) & (expected < MOST) & (free >= _FREE)
    if small.sum() < FEW_CELLS:
        return NOT_NEAR
    rare = expected < LEAST
    # What the original has (nearly) nowhere was not kept.
    others = max(float(table.synthetic[rare].sum() - expected[rare].sum()), 0.0)
    apart = (np.abs(table.synthetic - expected) + 0.5)[small] ** 2 / expected[small]
    spread = float(apart.sum()) + others
    laws = [_Law.of_free(expected[small], free[small])]
    near = laws[0].nearness(spread, len(apart))
    if not near.near or _is_by_design(table):
        return NOT_NEAR if near.near else near
    levels = table.row, table.column
    exact = covariance_of_records(levels, expected, small)
    if exact.size:
        laws.append(_Law.of_cells(expected[small], exact))
    if clusters is not None:
        drawn = covariance_of_drawn(levels, expected, table.cell, clusters, small)
        laws.append(_Law.of_cells(expected[small], drawn))
    beside = [law.nearness(spread, len(apart)) for law in laws]
    return Nearness(near.cells, max(each.ratio for each in beside), max(each.p for each in beside))


@dataclass(frozen=True)
class _Law:
    """Mean and variance of the spread of small counts that were drawn."""

    mean: float
    variance: float

    @classmethod
    def of_free(cls, expected: Floats, free: Floats) -> _Law:
        """Return that of cells which vary each on their own, by the free part of their variance."""
        return cls(float(free.sum()), float((free**2 * (2.0 + 1.0 / expected)).sum()))

    @classmethod
    def of_cells(cls, expected: Floats, covariance: Floats) -> _Law:
        """Return that of cells by their covariance, or by their variances alone."""
        if covariance.ndim == 1:
            return cls.of_free(expected, covariance / expected)
        root = np.sqrt(expected)
        scaled = covariance / np.outer(root, root)
        free = np.diagonal(scaled)
        squares = 2.0 * float((scaled**2).sum()) + float((free**2 / expected).sum())
        return cls(float(free.sum()), squares)

    def nearness(self, spread: float, cells: int) -> Nearness:
        if self.mean <= _NOTHING * cells:  # whatever is drawn has these counts
            return NOT_NEAR
        shape = self.mean**2 / self.variance
        p = float(lazy.special.gammainc(shape, shape * spread / self.mean))
        return Nearness(cells, spread / self.mean, p)


def _raked(table: Cells, sums: Sequence[Ints]) -> Floats:
    """Rake the original's counts to the sums of rows and columns."""
    out = table.original.astype(np.float64)
    for _ in range(_ROUNDS):
        for level, aimed in zip((table.row, table.column), sums, strict=True):
            has = np.bincount(level, out, minlength=len(aimed))
            out *= np.divide(aimed, has, out=np.zeros_like(has), where=has > 0)[level]
        rows = np.bincount(table.row, out, minlength=len(sums[0]))
        if np.abs(rows - sums[0]).max() < _CLOSE:
            break
    return out


def _is_by_design(table: Cells) -> bool:
    """Whether the original's counts are as good as the product of their margins.

    So they are in a balanced design, in a panel in which everybody has every wave, and in games of
    everybody with everybody: any sample has such counts, and nobody's values were kept.
    """
    if table.shape[0] * table.shape[1] > _CELLS_OF_A_DESIGN:
        return False
    counts = np.zeros(table.shape)
    counts[table.row, table.column] = table.original
    rows, columns = counts.sum(axis=1, keepdims=True), counts.sum(axis=0)
    expected = rows * columns / counts.sum()
    free = (1.0 - rows / counts.sum()) * (1.0 - columns / counts.sum())
    enough = (expected >= _LEAST_OF_A_DESIGN) & (free >= _FREE)
    if enough.sum() < FEW_CELLS:
        return False
    spread = float(((counts - expected)[enough] ** 2 / expected[enough]).sum())
    law = _Law.of_free(expected[enough], free[enough])
    return law.nearness(spread, FEW_CELLS).p <= _BY_DESIGN
