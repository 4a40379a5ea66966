"""An integer program in blocks, and what its solutions have shown so far of every unknown."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csc_array, csr_array

__all__ = ["Program"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_TRIES = 6
_TOLERANCE = 1e-6
_PROGRAMS = 100
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
        Where the unknowns of something are.
    knotty : bool array of shape (unknowns,)
        Whether an unknown has to be asked to be a whole number even where all other blocks are
        known. Of one table it need not: that is a transport problem, whose corners are whole.
    """

    def __init__(self) -> None:
        self.low, self.high = np.zeros(0), np.zeros(0)
        self.block: Ints = np.zeros(0, dtype=np.int64)
        self.cells: dict[tuple[str, ...], Ints] = {}
        self.knotty: npt.NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self._columns: list[Ints] = []
        self._weights: list[Floats] = []
        self._limits: list[tuple[float, float]] = []
        self._shapes: dict[int, tuple[int, int]] = {}
        self._parts: dict[int, tuple[Ints, csr_array, csr_array, Floats]] = {}
        self._matrix: csr_array | None = None
        self._least, self._most = np.zeros(0), np.zeros(0)

    def unknowns(
        self, low: npt.ArrayLike, high: npt.ArrayLike, block: int = -1, *, knotty: bool = False
    ) -> Ints:
        """Add unknowns within bounds; return where they are, in the shape of the bounds."""
        bottom, top = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        start = len(self.low)
        if bottom.ndim == 2:  # noqa: PLR2004  (a table)
            self._shapes[block] = bottom.shape
        self.low = np.concatenate([self.low, bottom.ravel()])
        self.high = np.concatenate([self.high, top.ravel()])
        self.block = np.concatenate([self.block, np.full(bottom.size, block)])
        self.knotty = np.concatenate([self.knotty, np.full(bottom.size, knotty)])
        self._least = np.concatenate([self._least, np.full(bottom.size, np.inf)])
        self._most = np.concatenate([self._most, np.full(bottom.size, -np.inf)])
        return np.arange(start, len(self.low)).reshape(bottom.shape)

    def row(self, at: npt.ArrayLike, weights: npt.ArrayLike, low: float, high: float) -> None:
        """Add that a weighted sum of unknowns is between two numbers."""
        columns = np.asarray(at, dtype=np.int64).ravel()
        self._columns.append(columns)
        self._weights.append(np.broadcast_to(np.asarray(weights, dtype=float), columns.shape))
        self._limits.append((low, high))

    def small(self, least: int) -> Ints:
        """Return the unknowns of blocks that are known to be below the threshold."""
        found = (self.low == 0) & (self.high < least) & (self.block >= 0)
        return np.flatnonzero(found)

    def least(self, cells: Ints) -> Floats:
        """Return the least value of some unknowns that was seen, or else may be."""
        seen: Floats = np.where(np.isfinite(self._least), self._least, self.low)
        return seen[cells]

    @property
    def spans(self) -> Ints:
        """How many values each unknown is known to be able to have; not above 0 for none."""
        seen = np.isfinite(self._least)
        out = np.zeros(len(seen), dtype=np.int64)
        out[seen] = np.rint(self._most[seen] - self._least[seen]).astype(np.int64) + 1
        return out

    def look(self, cells: Ints, enough: int) -> Ints:
        """Solve for the ends of some cells, until `enough` values of each are seen; return others.

        One corner shows an end of many cells. From it, blocks are solved one by one with all others
        as they are, which is quick, and still a solution of the whole.
        """
        rng = np.random.default_rng(1)
        bare = cells[self.spans[cells] < enough]
        for turn in range(_TRIES):
            if not len(bare):
                return bare
            wanted = self._toward(bare, rng.standard_normal(len(bare)))
            for sign in (1.0, -1.0):
                found = self._solve(sign * wanted)
                if found is None:
                    return bare
                bare = bare[self.spans[bare] < enough]
                for block in np.unique(self.block[bare]):
                    own = bare[self.block[bare] == block]
                    solve = self._several and (bool(self.knotty.any()) or (turn > 0 and sign < 0))
                    self._within(found, int(block), own, enough, solve=solve)
                bare = bare[self.spans[bare] < enough]
        for cell in bare[:_PROGRAMS]:
            for sign in (1.0, -1.0):
                if (
                    self.spans[cell] >= enough
                    or self._solve(self._toward(np.array([cell]), sign)) is None
                ):
                    break
        return bare[self.spans[bare] < enough]

    def _toward(self, cells: Ints, weights: Floats | float) -> Floats:
        wanted = np.zeros(len(self.low))
        wanted[cells] = weights
        return wanted

    @property
    def _several(self) -> bool:
        return bool(self.block.max(initial=0) > 0)

    @property
    def _whole(self) -> npt.NDArray[np.bool_]:
        return self.knotty | self._several

    @property
    def _sums(self) -> tuple[csr_array, Floats]:
        if self._matrix is None or self._matrix.shape != (len(self._limits), len(self.low)):
            at = np.repeat(np.arange(len(self._columns)), [len(one) for one in self._columns])
            entries = (np.concatenate(self._weights), (at, np.concatenate(self._columns)))
            self._matrix = csr_array(entries, shape=(len(self._limits), len(self.low)))
            self._by_column = csc_array(self._matrix)
            self._parts.clear()
        return self._matrix, np.array(self._limits)

    def _solve(self, wanted: Floats) -> Floats | None:
        matrix, limits = self._sums
        found = _milp(wanted, matrix, limits, self.low, self.high, self._whole)
        if found is not None:
            self._saw(np.arange(len(found)), found)
        return found

    def _saw(self, at: Ints, values: Floats) -> None:
        self._least[at] = np.minimum(self._least[at], values)
        self._most[at] = np.maximum(self._most[at], values)

    def _within(self, values: Floats, block: int, bare: Ints, enough: int, *, solve: bool) -> None:
        """Look at cells of one block with all that is outside it as in a solution."""
        at, part, sums, limits = self._part(block)
        left = limits - (sums @ values - part @ values[at])[:, None]
        low, high = self.low[at], self.high[at]
        single = np.flatnonzero(np.diff(part.indptr) == 1)
        column, weight = part.indices[part.indptr[single]], part.data[part.indptr[single]]
        # A sum that only one of the cells takes part in is a bound of it.
        ends = np.sort(left[single] / weight[:, None], axis=1)
        low, high = low.copy(), high.copy()
        np.maximum.at(low, column, np.ceil(ends[:, 0] - _TOLERANCE))
        np.minimum.at(high, column, np.floor(ends[:, 1] + _TOLERANCE))
        if block in self._shapes:
            self._turn(at, values[at], low, high, self._shapes[block], enough)
        place = np.searchsorted(at, bare)
        place = place[self.spans[bare] < enough]
        rng = np.random.default_rng(1)
        while solve and len(place):
            # All that are left at random, then the first of them alone.
            for weights in (rng.standard_normal(len(place)), np.eye(1, len(place))[0]):
                wanted = np.zeros(len(at))
                wanted[place] = weights
                for sign in (1.0, -1.0):
                    found = _milp(sign * wanted, part, left, low, high, self.knotty[at])
                    if found is None:
                        return
                    self._saw(at, found)
            place = place[1:]
            place = place[self.spans[at[place]] < enough]

    def _part(self, block: int) -> tuple[Ints, csr_array, csr_array, Floats]:
        """Return the unknowns of a block, its part of the sums it is in, and these sums."""
        if block not in self._parts:
            matrix, limits = self._sums
            at = np.flatnonzero(self.block == block)
            mine = self._by_column[:, at]
            rows = np.unique(mine.indices)
            self._parts[block] = at, csr_array(mine)[rows], matrix[rows], limits[rows]
        return self._parts[block]

    def _turn(
        self,
        at: Ints,
        values: Floats,
        low: Floats,
        high: Floats,
        shape: tuple[int, int],
        enough: int,
    ) -> None:
        """Look how far cells of a table can go from a solution by four cells alone.

        What a cell gains, one in its row and one in its column lose, and the fourth gains.
        """
        now = values.reshape(shape)
        up, down = high.reshape(shape) - now, now - low.reshape(shape)
        for place in np.flatnonzero(self.spans[at] < enough):
            i, j = divmod(int(place), shape[1])
            ends = []
            for gain, loss in ((up, down), (down, up)):
                far = np.minimum(np.minimum(loss[i][None], loss[:, j][:, None]), gain)
                far[i], far[:, j] = 0, 0
                ends.append(max(min(far.max(), gain[i, j]), 0))
            self._saw(at[[place]], values[[place]] + ends[0])
            self._saw(at[[place]], values[[place]] - ends[1])


def _milp(
    wanted: Floats,
    matrix: csr_array,
    limits: Floats,
    low: Floats,
    high: Floats,
    whole: npt.NDArray[np.bool_],
) -> Floats | None:
    places = (
        matrix.indices.astype(np.int32),
        matrix.indptr.astype(np.int32),
    )  # all scipy < 1.12 takes
    found = milp(
        wanted,
        constraints=LinearConstraint(
            csr_array((matrix.data, *places), shape=matrix.shape), limits[:, 0], limits[:, 1]
        ),
        bounds=Bounds(low, high),
        integrality=whole.astype(np.int64),
        options={"node_limit": _NODES, "time_limit": _SECONDS},
    )
    return None if found.x is None else np.rint(found.x)
