"""What an outsider can derive of small counts, and what is hidden so that it is not too much.

Everything that a release says of a table is a function of its protected cells, of the protected
margins, and of public things. So it is enough to bound every small cell given all of these; a
statistic adds nothing to them. Each cell is in its rounding interval, rows and columns add up to
margins, and margins are the same in all tables. An integer program finds the ends.

A small cell whose possible values span less than the base is protected by hiding large cells
beside it, smallest first; where that does not help, the table is withheld. Then all tables are
looked at together, as margins tie them: a table with a cell that is not shown to be open, or not
within so many programs, is withheld.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, lil_array

__all__ = ["Ends", "System", "hide", "withheld_together"]

Ints = npt.NDArray[np.int64]

_ROUNDS = 6
_TRIES = 4
_PROGRAMS = 100
_SECONDS = 5.0
"""Of one program; a cell that needs longer, or more programs, is not known to be protected."""


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
    system = System([("row", "column")], [ends])
    for _ in range(_ROUNDS):
        # Hiding only widens: what solved the table before still does.
        system.widen(ends.without(hidden))
        system.look(bare, base)
        bare = bare[system.spans[bare] < base]
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


def withheld_together(
    names: Sequence[tuple[str, ...]], tables: Sequence[Ends], least: int, base: int
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
    """
    gone: set[int] = set()
    while len(gone) < len(tables):
        left = [i for i in range(len(tables)) if i not in gone]
        system = System([names[i] for i in left], [tables[i] for i in left])
        small = np.flatnonzero((system.low == 0) & (system.high < least) & (system.table >= 0))
        if not len(small):
            break
        system.look(small, base)
        bare = small[system.spans[small] < base]
        if not len(bare):
            break
        gone |= {left[i] for i in np.unique(system.table[bare])}
    return gone


class System:
    """Tables of two variables as one linear system, and what its solutions have shown so far.

    Attributes
    ----------
    low, high : float arrays of shape (unknowns,)
        Bounds: the cells table by table, row by row, and the margins.
    table : int array of shape (unknowns,)
        Which table a cell is of; -1 for a margin.
    """

    def __init__(self, names: Sequence[tuple[str, ...]], tables: Sequence[Ends]) -> None:
        sizes = [ends.low.size for ends in tables]
        starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        low = [ends.low.ravel() for ends in tables]
        high = [ends.high.ravel() for ends in tables]
        margins: dict[str, int] = {}
        lines: list[tuple[Ints, int]] = []
        totals: list[Ints] = []
        count = starts[-1]
        for of, ends, start in zip(names, tables, starts[:-1], strict=True):
            cells = np.arange(start, start + ends.low.size).reshape(ends.low.shape)
            for name, margin, sums in zip(
                of, (ends.rows, ends.columns), (cells, cells.T), strict=True
            ):
                if name not in margins:
                    margins[name] = count
                    low.append(margin[0])
                    high.append(margin[1])
                    totals.append(np.arange(count, count + len(sums)))
                    count += len(sums)
                lines += [(line, margins[name] + i) for i, line in enumerate(sums)]
        self.low = np.concatenate(low).astype(float)
        self.high = np.concatenate(high).astype(float)
        self.table = np.repeat([*range(len(tables)), -1], [*sizes, count - starts[-1]])
        every = [*(line for line, _ in lines), *totals]
        at = np.repeat(np.arange(len(every)), [len(one) for one in every])
        matrix = lil_array((len(every), count))
        matrix[at, np.concatenate(every)] = 1.0
        matrix[np.arange(len(lines)), [margin for _, margin in lines]] = -1.0
        limits = np.zeros((2, len(every)))
        limits[:, len(lines) :] = np.array(tables[0].total)[:, None]
        self._sums = LinearConstraint(csr_array(matrix), *limits)
        # One table is a transport problem, of which every corner is in whole numbers.
        self._whole = np.full(count, int(len(tables) > 1))
        self._least, self._most = self.high.copy(), self.low.copy()

    @property
    def spans(self) -> Ints:
        """How many values each unknown is known to be able to have; not above 0 for none."""
        out: Ints = np.rint(self._most - self._least).astype(np.int64) + 1
        return out

    def widen(self, ends: Ends) -> None:
        """Take other bounds of the cells of the first table."""
        self.low[: ends.low.size], self.high[: ends.low.size] = ends.low.ravel(), ends.high.ravel()

    def look(self, cells: Ints, enough: int) -> None:
        """Solve for the ends of some cells, until `enough` values of each are seen."""
        rng = np.random.default_rng(1)
        for _ in range(_TRIES):  # one corner shows an end of many cells
            wanted = np.zeros(len(self.low))
            wanted[cells] = rng.standard_normal(len(cells))
            if not self._solve(wanted) or not self._solve(-wanted):
                return
        for cell in cells[self.spans[cells] < enough][:_PROGRAMS]:
            for sign in (1.0, -1.0):
                wanted = np.zeros(len(self.low))
                wanted[cell] = sign
                if self.spans[cell] >= enough or not self._solve(wanted):
                    break

    def _solve(self, wanted: npt.NDArray[np.float64]) -> bool:
        found = milp(
            wanted,
            constraints=self._sums,
            bounds=Bounds(self.low, self.high),
            integrality=self._whole,
            options={"time_limit": _SECONDS},
        )
        if found.x is None:
            return False
        self._least = np.minimum(self._least, found.x)
        self._most = np.maximum(self._most, found.x)
        return True
