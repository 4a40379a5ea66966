"""An audit of what outsiders can derive of small counts, and what is hidden against it.

Everything that a release says of a table is a function of its protected cells, of the protected
margins, and of public things. So it is enough to bound every small cell given all of these; a
statistic adds nothing to them. Each cell is in its rounding interval, rows and columns add up to
margins, and margins are the same in all tables. An integer program finds the ends.

A small cell whose possible values span less than the base is protected by hiding large cells
beside it, smallest first; where that does not help, the table is withheld. Then all tables are
looked at together, as margins tie them, and with them the counts of records by keys (`keyed`): what
has a cell that is not shown to be open, or not within so many programs, is withheld.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.report.safety.protect.program import Program

_ROUNDS = 6


@dataclass(frozen=True)
class Ends:
    """Least and largest values of the cells and margins of a table, for who has the release.

    Attributes
    ----------
    low, high : int arrays of shape (rows, columns)
    rows, columns : int arrays of shape (2, rows) and (2, columns)
    total : two ints
    """

    low: Ints
    high: Ints
    rows: Ints
    columns: Ints
    total: tuple[int, int]

    def without(self, hidden: npt.NDArray[np.bool_]) -> Ends:
        """Return the same where some cells are not told at all."""
        low, high = np.where(hidden, 0, self.low), np.where(hidden, self.total[1], self.high)
        return replace(self, low=low, high=high)


def hide(ends: Ends, small: npt.NDArray[np.bool_], base: int) -> npt.NDArray[np.bool_] | None:
    """Return which large cells to hide so that small ones are protected; None if nothing helps.

    Parameters
    ----------
    ends : Ends
    small : bool array
        Cells below the threshold.
    base : int
        So many values every small cell has to have.
    """
    hidden = np.zeros_like(small)
    most = ends.total[1]
    bare = np.flatnonzero(small)
    program = tables_program([("row", "column")], [ends])
    for _ in range(_ROUNDS):
        # Hiding only widens: what solved the table before still does.
        wide = ends.without(hidden)
        program.low[: small.size], program.high[: small.size] = wide.low.ravel(), wide.high.ravel()
        bare = program.find_ends(bare, base)
        if not len(bare):
            return hidden
        before = hidden.sum()
        for row, column in zip(*np.unravel_index(bare, small.shape), strict=True):
            for line in (np.s_[row, :], np.s_[:, column]):
                left = np.where(small[line] | hidden[line], most + 1, ends.high[line])
                if left.min() <= most:
                    hidden[line] |= np.arange(len(left)) == left.argmin()
        if hidden.sum() == before:
            return None
    return None


def hide_each(
    names: Sequence[tuple[str, ...]],
    tables: Sequence[Ends],
    small: Sequence[npt.NDArray[np.bool_]],
    base: int,
) -> tuple[list[npt.NDArray[np.bool_] | None], Program]:
    """Return what to `hide` of each table, and the program of all of them with nothing hidden.

    What all tables together leave open, each alone leaves open: few have to be looked at alone.
    """
    program = tables_program(names, tables)
    cells = [program.cells[of][mask] for of, mask in zip(names, small, strict=True)]
    every = np.concatenate([*cells, np.zeros(0, dtype=np.int64)])
    bare = program.block[program.find_ends(every, base, quickly=True)]
    hidden = [
        hide(ends, mask, base) if i in bare else np.zeros_like(mask)
        for i, (ends, mask) in enumerate(zip(tables, small, strict=True))
    ]
    return hidden, program


def withheld_together(
    names: Sequence[tuple[str, ...]],
    tables: Sequence[Ends],
    least: int,
    base: int,
    before: Program | None = None,
) -> set[int]:
    """Return which tables to withhold so that all others together leave every small cell open.

    Parameters
    ----------
    names : the variables of each table
    tables : sequence of Ends
    least : int
        Counts below it are small.
    base : int
        So many values every small cell has to have.
    before : Program, optional
        Of these tables and others, with fewer hidden: what solved it solves this.
    """
    program = tables_program(names, tables)
    if before is not None:
        for of in names:
            program.adopt_ends(before, program.cells[of], before.cells[of])
    bare = program.find_ends(program.small(least), base)
    # Without their tables, what has shown the other cells to be open still does.
    return {int(i) for i in np.unique(program.block[bare])}


def tables_program(names: Sequence[tuple[str, ...]], tables: Sequence[Ends]) -> Program:
    """Return tables of two variables as one program: a block per table, then the margins.

    Its `cells` are the unknowns of each table, of each margin by the name of its variable, and of
    the sum of every margin by no name.
    """
    program = Program()
    for i, (of, ends) in enumerate(zip(names, tables, strict=True)):
        program.cells[of] = program.unknowns(ends.low, ends.high, block=i)
    for of, ends in zip(names, tables, strict=True):
        cells = program.cells[of]
        for name, margin, sums in zip(of, (ends.rows, ends.columns), (cells, cells.T), strict=True):
            if (name,) not in program.cells:
                program.cells[name,] = program.unknowns(*margin)
                if () not in program.cells:
                    program.cells[()] = program.unknowns(ends.total[:1], ends.total[1:])
                every = [*program.cells[name,], *program.cells[()]]
                program.row(every, [1.0] * (len(every) - 1) + [-1.0], 0, 0)
            for line, total in zip(sums, program.cells[name,], strict=True):
                program.row([*line, total], [1.0] * len(line) + [-1.0], 0, 0)
    return program
