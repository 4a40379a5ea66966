"""An integer program in blocks, and what its solutions have shown so far of every unknown."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array

from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.report.safety.protect.filling import Filling

_TRIES = 6
_TOLERANCE = 1e-6
_PROGRAMS = 100
_NEAR = 0.1
"""So far from the end of a direction at random any solution does as well."""
_AT_ONCE = 1_000_000
_NODES, _SECONDS = 500, 60.0
"""Of one program; a cell that needs more, or more programs, is not known to be protected. Nodes, as
what is withheld must not depend on how busy a computer is; seconds as a last resort."""


class Program:
    """Unknown counts, their bounds, and the sums that are known of them.

    Attributes
    ----------
    low, high : float arrays of shape (unknowns,)
    block : int array of shape (unknowns,)
        Which block an unknown is of; -1 for what ties blocks together, such as margins.
    cells : dict of names to int arrays
        Where the unknowns of something are: tables, margins, and by no name their total.
    integral : bool array of shape (unknowns,)
        Whether an unknown has to be asked to be a whole number even where all other blocks are
        known. Of one table it need not: that is a transport problem, whose corners are whole.
    """

    def __init__(self) -> None:
        self.low, self.high = np.zeros(0), np.zeros(0)
        self.block: Ints = np.zeros(0, dtype=np.int64)
        self.cells: dict[tuple[str, ...], Ints] = {}
        self.integral: npt.NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self._filling: Filling | None = None
        self._columns: list[Ints] = []
        self._weights: list[Floats] = []
        self._limits: list[tuple[float, float]] = []
        self._tables: Ints = np.zeros((0, 3), dtype=np.int64)  # first unknown, rows, columns
        self._parts: dict[int, tuple[Ints, csr_array, csr_array, Floats]] = {}
        self._matrix: csr_array | None = None
        self._least, self._most = np.zeros(0), np.zeros(0)

    def unknowns(
        self, low: npt.ArrayLike, high: npt.ArrayLike, block: int = -1, *, integral: bool = False
    ) -> Ints:
        """Add unknowns within bounds; return where they are, in the shape of the bounds."""
        bottom, top = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        start = len(self.low)
        missing = max(block + 1 - len(self._tables), 0)
        self._tables = np.concatenate([self._tables, np.zeros((missing, 3), dtype=np.int64)])
        if bottom.ndim == 2:  # noqa: PLR2004  (a table)
            self._tables[block] = start, *bottom.shape
        self.low = np.concatenate([self.low, bottom.ravel()])
        self.high = np.concatenate([self.high, top.ravel()])
        self.block = np.concatenate([self.block, np.full(bottom.size, block)])
        self.integral = np.concatenate([self.integral, np.full(bottom.size, integral)])
        self._least = np.concatenate([self._least, np.full(bottom.size, np.inf)])
        self._most = np.concatenate([self._most, np.full(bottom.size, -np.inf)])
        return np.arange(start, len(self.low)).reshape(bottom.shape)

    def row(self, at: npt.ArrayLike, weights: npt.ArrayLike, low: float, high: float) -> None:
        """Add that a weighted sum of unknowns is between two numbers."""
        columns = np.asarray(at, dtype=np.int64).ravel()
        each = np.broadcast_to(np.asarray(weights, dtype=float), columns.shape)
        # What weighs nothing takes no part: it is bounded by no sum, and hides no bound of others.
        self._columns.append(columns[each != 0])
        self._weights.append(each[each != 0])
        self._limits.append((low, high))

    def small(self, least: int) -> Ints:
        """Return the unknowns of blocks that are known to be below the threshold, but not which."""
        narrow = (self.low < self.high) & (self.high < least) & (self.block >= 0)
        return np.flatnonzero(narrow)

    def adopt_ends(self, other: Program, cells: Ints, of_other: Ints) -> None:
        """Adopt the ends that the solutions of a program with more conditions have reached."""
        self._least[cells], self._most[cells] = other._least[of_other], other._most[of_other]

    def least(self, cells: Ints) -> Floats:
        """Return the least value of some unknowns that was seen, or else may be."""
        feasible: Floats = np.where(np.isfinite(self._least), self._least, self.low)
        return feasible[cells]

    @property
    def spans(self) -> Ints:
        """How many values each unknown is known to be able to have; not above 0 for none."""
        feasible = np.isfinite(self._least)
        out = np.zeros(len(feasible), dtype=np.int64)
        out[feasible] = np.rint(self._most[feasible] - self._least[feasible]).astype(np.int64) + 1
        return out

    def find_ends(self, cells: Ints, enough: int, *, quickly: bool = False) -> Ints:
        """Solve for the ends of some cells, until `enough` values of each are seen; return others.

        Tables are filled, and one corner shows an end of many cells. From a solution, cells of all
        blocks are moved, and blocks solved one by one with all others as they are, which is quick,
        and still a solution of the whole. What is left is asked for its ends, cell by cell; but
        not `quickly`.
        """
        rng = np.random.default_rng(1)
        bare = cells[self.spans[cells] < enough]
        tables = not self.integral.any()
        for turn in range(_TRIES):
            before = len(bare)
            if not before or (turn and tables and before == 1):
                break
            wanted = self._toward(bare, rng.standard_normal(len(bare)))
            for sign in (1.0, -1.0):
                solution = self._solve(sign * wanted, _NEAR)
                if solution is None:
                    return bare
                self._turn(solution, bare)
                bare = bare[self.spans[bare] < enough]
                if self._several and not quickly and (not tables or sign < 0):
                    bare = self._one_by_one(solution, bare, enough)
            if quickly or before == len(bare) <= _PROGRAMS:
                break  # each is better asked alone
        for cell in () if quickly else bare[:_PROGRAMS]:
            for sign in (1.0, -1.0):
                if self.spans[cell] >= enough:
                    break
                solution = self._solve(self._toward(np.array([cell]), sign))
                if solution is None:
                    break
                self._turn(solution, bare)
        return bare[self.spans[bare] < enough]

    def _one_by_one(self, values: Floats, bare: Ints, enough: int) -> Ints:
        ends = self._bounds(values)
        for block in np.unique(self.block[bare]):
            self._within(values, ends, int(block), bare[self.block[bare] == block], enough)
        return bare[self.spans[bare] < enough]

    def _toward(self, cells: Ints, weights: Floats | float) -> Floats:
        wanted = np.zeros(len(self.low))
        wanted[cells] = weights
        return wanted

    @property
    def _several(self) -> bool:
        return bool(self.block.max(initial=0) > 0)

    @property
    def _sums(self) -> tuple[csr_array, Floats]:
        if self._matrix is None or self._matrix.shape != (len(self._limits), len(self.low)):
            at = np.repeat(np.arange(len(self._columns)), [len(column) for column in self._columns])
            entries = (np.concatenate(self._weights), (at, np.concatenate(self._columns)))
            self._matrix = csr_array(entries, shape=(len(self._limits), len(self.low)))
            self._by_column = csc_array(self._matrix)
            self._ends = np.array(self._limits)
            self._alone = self._bounding()
            self._parts.clear()
            self._asked: Ints = np.zeros(0, dtype=np.int64)
            self._filling, self._near = None, (self.low, self.high)
            if self._several and not self.integral.any():
                self._filling = Filling(self.cells)
                self._near = self._filling.bounds(self.low, self.high)
        return self._matrix, self._ends

    def _bounding(self) -> tuple[Ints, Ints, Floats]:
        """Return the sums in which only one unknown of a block takes part, which, and how much."""
        at = np.repeat(np.arange(len(self._columns)), [len(column) for column in self._columns])
        column, weight = np.concatenate(self._columns), np.concatenate(self._weights)
        blocks = int(self.block.max(initial=0)) + 1
        part = at * (blocks + 1) + self.block[column] + 1
        _, where, times = np.unique(part, return_inverse=True, return_counts=True)
        alone = (times[where] == 1) & (self.block[column] >= 0)
        return at[alone], column[alone], weight[alone]

    def _solve(self, wanted: Floats, gap: float = 0.0) -> Floats | None:
        """Return a solution that is farthest in a direction, or nearly so.

        Of tables, those that are asked for and all margins are solved, and the others filled; what
        cannot be is asked for too.
        """
        matrix, _ = self._sums
        blocks = np.union1d(self._asked, self.block[wanted != 0])
        for _ in range(_TRIES):
            if self._filling is None:
                break
            cells, margins = np.isin(self.block, blocks), self.block < 0
            own = matrix @ cells != 0
            solution = self._corner(
                wanted, gap, own | (matrix @ ~margins == 0), np.flatnonzero(cells | margins)
            )
            if solution is None:
                return None
            covered = cells | (abs(matrix[own]).sum(axis=0) > 0)
            low, high = (np.where(covered, solution, end) for end in self._near)
            filled, short = self._filling.fill(low, high, np.random.default_rng(1))
            if filled is not None:
                return self._record(np.arange(len(filled)), filled)
            if not len(short):
                break
            self._asked = np.union1d(self._asked, short)
            blocks = np.union1d(blocks, short)
        every = np.arange(len(self.low))
        solution = self._corner(wanted, gap, np.ones(len(self._limits), dtype=bool), every)
        return None if solution is None else self._record(every, solution)

    def _corner(
        self, wanted: Floats, gap: float, rows: npt.NDArray[np.bool_], inside: Ints
    ) -> Floats | None:
        """Return whole values of some unknowns that some sums are of, and the least of all others.

        Where all else is whole, tables nearly always are, as corners of a linear program: only if
        not, margins are asked to be, and then all.
        """
        matrix, limits = self._sums
        part, limits = matrix[rows][:, inside], limits[rows]
        low, high = (end[inside] for end in self._near)
        whole = self.integral
        for more in (whole, self.block < 0, np.ones_like(whole)):
            whole = whole | (more & self._several)
            corner = _milp(wanted[inside], part, limits, low, high, whole[inside], gap)
            if corner is None:
                return None
            rounded: Floats = np.rint(corner)
            if np.abs(corner - rounded).max() < _TOLERANCE:
                break
        values = self.low.copy()
        values[inside] = rounded
        return values

    def _record(self, at: Ints, values: Floats) -> Floats:
        self._least[at] = np.minimum(self._least[at], values)
        self._most[at] = np.maximum(self._most[at], values)
        return values

    def _within(
        self, values: Floats, ends: tuple[Floats, Floats], block: int, bare: Ints, enough: int
    ) -> None:
        """Look at cells of one block with all that is outside it as in a solution."""
        at, part, sums, limits = self._part(block)
        left = limits - (sums @ values - part @ values[at])[:, None]
        low, high = (end[at] for end in ends)
        place = np.searchsorted(at, bare)
        whole = self.integral[at]
        rng = np.random.default_rng(1)
        while len(place):
            # All that are left at random, then the first of them alone.
            wanted = np.zeros(len(at))
            wanted[place] = rng.standard_normal(len(place))
            alone = np.zeros(len(at))
            alone[place[0]] = 1.0
            for weights, gap in ((wanted, _NEAR), (alone, 0.0)):
                for sign in (1.0, -1.0):
                    if self.spans[at[place[0]]] >= enough:
                        break
                    solution = _milp(sign * weights, part, left, low, high, whole, gap)
                    if solution is None:
                        return
                    self._record(at, np.rint(solution))
            place = place[1:]
            place = place[self.spans[at[place]] < enough]

    def _part(self, block: int) -> tuple[Ints, csr_array, csr_array, Floats]:
        """Return the unknowns of a block, its part of the sums it is in, and these sums."""
        if block not in self._parts:
            matrix, limits = self._sums
            at = np.flatnonzero(self.block == block)
            sums = self._by_column[:, at]
            rows = np.unique(sums.indices)
            self._parts[block] = at, csr_array(sums)[rows], matrix[rows], limits[rows]
        return self._parts[block]

    def _bounds(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the bounds of every unknown of a block where other blocks are as in a solution.

        A sum that only one of the block's unknowns takes part in is a bound of it.
        """
        matrix, limits = self._sums
        row, column, weight = self._alone
        low, high = self.low.copy(), self.high.copy()
        if not len(row):
            return low, high
        left = limits[row] - (matrix @ values)[row][:, None] + (weight * values[column])[:, None]
        ends = np.sort(left / weight[:, None], axis=1)
        np.maximum.at(low, column, np.ceil(ends[:, 0] - _TOLERANCE))
        np.minimum.at(high, column, np.floor(ends[:, 1] + _TOLERANCE))
        return low, high

    def _turn(self, values: Floats, bare: Ints) -> None:
        """Look how far cells of tables can go from a solution by four cells alone.

        What a cell gains, one in its row and one in its column lose, and the fourth gains.
        """
        low, high = self._bounds(values)
        up, down = high - values, values - low
        where = np.where(self.block[bare, None] < 0, 0, self._tables[self.block[bare]])
        for shape in np.unique(where[where[:, 1] > 0, 1:], axis=0):
            alike = (where[:, 1:] == shape).all(axis=1)
            size = int(shape.prod())
            for cells in np.array_split(bare[alike], 1 + int(alike.sum()) * size // _AT_ONCE):
                self._turn_alike(values, up, down, cells, shape)

    def _turn_alike(
        self, values: Floats, up: Floats, down: Floats, cells: Ints, shape: Ints
    ) -> None:
        """Turn cells of tables of one shape."""
        start = self._tables[self.block[cells], 0]
        tables = start[:, None, None] + np.arange(shape.prod()).reshape(shape)
        i, j = np.divmod(cells - start, shape[1])
        each = np.arange(len(cells))
        for sign, gain, loss in ((1.0, up, down), (-1.0, down, up)):
            lost = loss[tables]
            far = np.minimum(lost[each, i][:, None, :], lost[each, :, j][:, :, None])
            far = np.minimum(far, gain[tables])
            far[each, i] = 0
            far[each, :, j] = 0
            end = np.minimum(far.max(axis=(1, 2), initial=0), gain[cells])
            self._record(cells, values[cells] + sign * np.maximum(end, 0))


def _milp(
    wanted: Floats,
    matrix: csr_array,
    limits: Floats,
    low: Floats,
    high: Floats,
    whole: npt.NDArray[np.bool_],
    gap: float = 0.0,
) -> Floats | None:
    # 0.4 s of imports, for a release only.
    from scipy.optimize import Bounds, LinearConstraint, milp

    places = (
        matrix.indices.astype(np.int32),
        matrix.indptr.astype(np.int32),
    )  # all scipy < 1.12 takes
    solution = milp(
        wanted,
        constraints=LinearConstraint(
            csr_array((matrix.data, *places), shape=matrix.shape), limits[:, 0], limits[:, 1]
        ),
        bounds=Bounds(low, high),
        integrality=whole.astype(np.int64),
        options={"node_limit": _NODES, "time_limit": _SECONDS}
        | ({"mip_rel_gap": gap} if gap else {}),
    )
    x: Floats | None = solution.x
    return x
