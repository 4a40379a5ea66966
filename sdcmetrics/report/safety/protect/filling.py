"""Tables of two variables, filled so that all agree on their margins: by a flow, and no program.

Once the margins are known, each table is a transport problem of its own, and all are one flow.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sdcmetrics.microdata.arrays import Floats, Ints


class Filling:
    """Tables of two variables as a flow: from a source by rows, cells and columns to a sink.

    Parameters
    ----------
    cells : dict of names to int arrays
        Where the unknowns of each table of two variables are, of each margin, and by no name of
        the sum of each margin.
    """

    def __init__(self, cells: Mapping[tuple[str, ...], Ints]) -> None:
        self._total = cells[()]
        self._margins = [at for of, at in cells.items() if len(of) == 1]
        tables = [(of, at) for of, at in cells.items() if len(of) > 1]
        shapes = np.array([at.shape for _, at in tables])
        first = np.cumsum(shapes.sum(axis=1)) - shapes.sum(axis=1)
        row = [np.repeat(np.arange(a, a + r), c) for a, (r, c) in zip(first, shapes, strict=True)]
        column = [
            np.tile(np.arange(a + r, a + r + c), r) for a, (r, c) in zip(first, shapes, strict=True)
        ]
        self._cells = np.concatenate([at.ravel() for _, at in tables])
        self._row, self._column = np.concatenate(row), np.concatenate(column)
        self._margin = np.concatenate([cells[name,] for of, _ in tables for name in of])
        lines = np.arange(len(self._margin))
        self._table = np.repeat(np.arange(len(tables)), shapes.sum(axis=1))
        source, sink = np.full_like(lines, -2), np.full_like(lines, -1)
        above = np.isin(lines, self._row)
        self._from = 2 + np.concatenate([self._row, np.where(above, source, lines)])
        self._to = 2 + np.concatenate([self._column, np.where(above, lines, sink)])

    def bounds(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return bounds of all unknowns, those of margins by what cells can add up to."""
        least, most = low.copy(), high.copy()
        np.maximum.at(least, self._margin, self._sums(low))
        np.minimum.at(most, self._margin, self._sums(high))
        return least, most

    def fill(
        self, low: Floats, high: Floats, rng: np.random.Generator
    ) -> tuple[Floats | None, Ints]:
        """Return values of all unknowns, margins near the middle, and tables that cannot be so.

        Parameters
        ----------
        low, high : float arrays of shape (unknowns,)
            As `bounds` gives them, or closer.
        rng : numpy.random.Generator
            Chooses among the values near the middle.

        Returns
        -------
        float array of shape (unknowns,) or None, and int array
            None where no margins agree on a total, or where a table is named.
        """
        from scipy.sparse import csr_matrix  # for a release only
        from scipy.sparse.csgraph import maximum_flow

        parts = [self._total, *self._margins]
        fewest, most = max(low[at].sum() for at in parts), min(high[at].sum() for at in parts)
        if fewest > most or (low > high).any():
            return None, self._table[:0]
        n = int(rng.integers(int(fewest), int(most) + 1))
        values = low.copy()
        for at in parts:
            width = high[at] - low[at]
            part = width * (n - low[at].sum()) / max(width.sum(), 1)
            more = np.floor(part)
            left = rng.permutation(np.flatnonzero(part > more))
            more[left[: round(n - low[at].sum() - more.sum())]] += 1
            values[at] += more
        sums = values[self._margin] - self._sums(low)
        room = np.concatenate([(high - low)[self._cells], sums]).astype(np.int32)
        size = len(sums) + 2
        # All that scipy < 1.12 takes is a matrix.
        filled = maximum_flow(csr_matrix((room, (self._from, self._to)), shape=(size, size)), 0, 1)
        come = filled.flow[[0]].toarray().ravel()[2:]
        short = np.unique(self._table[(come < sums) & np.isin(self._from[len(self._row) :], 0)])
        if len(short):
            return None, short
        flow = filled.flow[self._row + 2, self._column + 2]
        values[self._cells] += np.asarray(flow).ravel()
        return values, short

    def _sums(self, values: Floats) -> Floats:
        cells, lines = values[self._cells], len(self._margin)
        by_row = np.bincount(self._row, cells, lines)
        return (by_row + np.bincount(self._column, cells, lines)).astype(float)
