"""Whether the p of a weighted table is as small as its eigenvalues say: by draws of rare cells.

The second-order test takes weighted shares to be normal. Those of rare cells are not: where the
smaller file has three records, it calls impossible what some of a thousand samples show. So what
would be called is drawn under the null hypothesis, where both sides have the pooled shares. Of each
cell a side has a Poisson number of records, as many on average as its share makes of records of
this weight, and the sum of their weights is a gamma variable with the spread that weights have
within cells (Tweedie's law), all divided by their total. Where many records are in every cell but
one, into which the rare ones are put, weighted shares are normal, and nothing need be drawn if this
coarser table is beyond all doubt.

References
----------
Jorgensen, B. (1987). Exponential dispersion models. JRSS B 49, 127-162. Rao, J. N. K. and Scott,
A. J. (1984), see `clusters`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.homogeneity.clusters import ClusterTest
from sdcmetrics.measures.homogeneity.monte_carlo import passes_plain_draws
from sdcmetrics.microdata.arrays import Floats, Ints

_HELD = 2_000_000
"""Numbers held at a time."""
_ENOUGH = 100.0
"""Records of equal weight from which the share of a cell is normal enough: of fresh tables whose
weights spread over three powers of ten (lognormal, 1.5) none of 4,100 had a p below .0008."""
_BEYOND_DOUBT = 1e-9
"""Of the level: how small a p must be that the normal law gives."""
_SPARE = 100
"""Cells of tables that are drawn to be named, too, once another table has settled the status."""
_FIRST = 4_000
"""Draws that show how fast larger values of X2 become rare."""
_LOPSIDED = 0.05
"""Of all records, so many of the smaller side: a record alone in its cell is drawn as often, and of
fewer, few draws may show none."""
_SLOWER, _RARER = 2.0, 0.01
"""How much slower that is taken to be, and of the level, how small a p must then be: of 200 tables
of 2 to 150 cells, from 30 to 30,000 records a side, none passed by this of which draws said no."""


@dataclass(frozen=True, repr=False)
class _Side:
    """What is known of the weights of one side of a table.

    Attributes
    ----------
    shares : float array, one per cell
    each : float array, one per cell
        The mean share of a record of the cell.
    spread : float array, one per cell
        The squared coefficient of variation of weights within the cell.
    n : int
    """

    shares: Floats
    each: Floats
    spread: Floats
    n: int

    @classmethod
    def of(cls, cells: Ints, weights: Floats, size: int) -> _Side:
        n, total = len(cells), weights.sum()
        number = np.bincount(cells, minlength=size).astype(np.float64)
        sums = np.bincount(cells, weights=weights, minlength=size) / total
        squares = np.bincount(cells, weights=weights**2, minlength=size) / total**2
        each = np.where(number > 0.0, sums / np.maximum(number, 1.0), 1.0 / n)
        within = float(np.maximum(squares - number * each**2, 0.0).sum())
        overall = within / float((number * each**2).sum())
        own = squares / (np.maximum(number, 1.0) * each**2) - 1.0
        return cls(sums, each, np.maximum(own, overall), n)

    def expected(self, pooled: Floats) -> Floats:
        """Return as how many records of equal weight those count that a cell is to have."""
        return pooled / (self.each * (1.0 + self.spread))

    def drawn(self, pooled: Floats, draws: int, rng: np.random.Generator) -> Floats:
        """Draw shares of cells whose expected shares are the pooled ones."""
        number = rng.poisson(pooled / self.each, (draws, len(pooled))).astype(np.float64)
        varies = self.spread > 0.0
        some = number[:, varies]
        number[:, varies] = rng.standard_gamma(some / self.spread[varies]) * self.spread[varies]
        sums = number * self.each
        out: Floats = sums / np.maximum(sums.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        return out


class WeightedTable:
    """One weighted table, and draws of it under the null hypothesis.

    Parameters
    ----------
    cells : pair of int arrays, one per record
        From 0 without gaps: each cell is filled on some side.
    weights : pair of float arrays
    test : ClusterTest
        Of these records.
    """

    def __init__(
        self, cells: tuple[Ints, Ints], weights: tuple[Floats, Floats], test: ClusterTest
    ) -> None:
        self._cells, self._test = cells, test
        self.size = 1 + int(max(side.max() for side in cells))
        first, second = (_Side.of(c, w, self.size) for c, w in zip(cells, weights, strict=True))
        self._sides = first, second
        self._pooled = _pooled(first.shares, second.shares, first.n, second.n)

    @property
    def cost(self) -> float:
        """What draws of it cost, as a part of what may be spent on a name."""
        return self.size / _SPARE

    def is_beyond_doubt(self, level: float) -> bool:
        """Tell whether its sides differ so much that nothing need be drawn."""
        coarse = _rare_as_one(np.min([side.expected(self._pooled) for side in self._sides], axis=0))
        original, synthetic = (coarse[side] for side in self._cells)
        number = 1 + int(coarse.max())
        return number > 1 and self._test(original, synthetic, number)[4] <= _BEYOND_DOUBT * level

    def passes(self, factor: float, chance: float, rng: np.random.Generator) -> bool:
        """Tell whether a p of X2 from draws, times Holm's factor, is at most the level."""
        first, second = self._sides
        observed = float(_x2(first.shares, second.shares, first.n, second.n))
        batch = max(_HELD // self.size, 1)

        def distances(draws: int) -> Floats:
            original, synthetic = (side.drawn(self._pooled, draws, rng) for side in self._sides)
            return _x2(original, synthetic, first.n, second.n)

        even = min(first.n, second.n) >= _LOPSIDED * (first.n + second.n)
        if even and factor > chance * _FIRST:
            sizes = np.diff([*range(0, _FIRST, batch), _FIRST]).tolist()
            drawn = np.concatenate([distances(size) for size in sizes])
            if observed > _rarely_reached(drawn, _RARER * chance / factor):
                return True
        return passes_plain_draws(distances, observed, factor=factor, chance=chance, batch=batch)


def _rarely_reached(drawn: Floats, chance: float) -> float:
    """Return what larger draws than these reach with at most that chance.

    Each further record in a rare cell is less likely by a factor, and adds a bounded part to X2:
    its tail is exponential at most. How fast it falls is read off the largest twentieth and the
    largest hundredth of the draws, whichever is slower.

    Examples
    --------
    >>> drawn = -np.log(np.arange(0.5, 4000) / 4000)  # exponential: some 3 + 2 log(.05 / chance)
    >>> round(_rarely_reached(drawn, 1e-6), 1)
    24.5
    """
    largest = np.sort(drawn)[::-1]
    limits = []
    for share in (0.05, 0.01):
        beyond = largest[: int(share * len(drawn))]
        falls = _SLOWER * (beyond.mean() - beyond[-1])
        limits.append(float(beyond[-1] + falls * np.log(share / chance)))
    return max(limits)


def _rare_as_one(expected: Floats) -> Ints:
    """Return a coarser cell for each cell: 0 for the rare ones, joined until they are not rare.

    Examples
    --------
    >>> _rare_as_one(np.array([900.0, 30.0, 400.0, 300.0, 50.0])).tolist()
    [2, 0, 1, 0, 0]
    """
    order = np.argsort(expected, kind="stable")
    rare = int((expected < _ENOUGH).sum())
    if rare:
        rare = max(rare, 1 + int(np.searchsorted(expected[order].cumsum(), _ENOUGH)))
    out = np.zeros(len(expected), dtype=np.int64)
    common = order[rare:]
    out[common] = np.arange(len(common)) + (rare > 0)
    return out


def _pooled(first: Floats, second: Floats, n: int, m: int) -> Floats:
    out: Floats = (n * first + m * second) / (n + m)
    return out


def _x2(first: Floats, second: Floats, n: int, m: int) -> Floats:
    pooled = _pooled(first, second, n, m)
    apart = (first - second) ** 2 / np.where(pooled > 0.0, pooled, 1.0)
    out: Floats = n * m / (n + m) * apart.sum(axis=-1)
    return out
