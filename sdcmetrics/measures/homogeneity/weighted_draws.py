"""Whether the p of a weighted table is as small as its eigenvalues say: by draws of rare cells.

The second-order test takes weighted shares to be normal. Those of rare cells are not: where the
smaller file has three records, it calls impossible what some of a thousand samples show. So what
would be called is drawn under the null hypothesis, where both sides have the pooled shares. Of each
cell a side has a Poisson number of records, as many on average as its share makes of records of
this weight, and the sum of their weights is a gamma variable with the spread that weights have
within cells (Tweedie's law), all divided by their total.

References
----------
Jorgensen, B. (1987). Exponential dispersion models. JRSS B 49, 127-162. Rao, J. N. K. and Scott,
A. J. (1984), see `clusters`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sdcmetrics.microdata.arrays import Floats, Ints

_MOST_DRAWS, _LEAST_DRAWS = 200_000, 2_000
_HELD = 2_000_000
"""Numbers held at a time."""
_OVER = 10  # draws as far apart that settle that a p is above the level


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

    def drawn(self, pooled: Floats, draws: int, rng: np.random.Generator) -> Floats:
        """Draw shares of cells whose expected shares are the pooled ones."""
        number = rng.poisson(pooled / self.each, (draws, len(pooled))).astype(np.float64)
        varies = self.spread > 0.0
        some = number[:, varies]
        number[:, varies] = rng.standard_gamma(some / self.spread[varies]) * self.spread[varies]
        sums = number * self.each
        out: Floats = sums / np.maximum(sums.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        return out


def passes_with_weights(
    cells: tuple[Ints, Ints],
    weights: tuple[Floats, Floats],
    size: int,
    *,
    factor: float,
    chance: float,
    rng: np.random.Generator,
) -> bool:
    """Tell whether a p of X2 from draws, times a factor, is at most the level.

    Parameters
    ----------
    cells : pair of int arrays, one per record
        0 to size - 1, of which each is filled on some side.
    weights : pair of float arrays
    factor : float
        What Holm's method multiplies this p by.
    """
    first, second = (_Side.of(c, w, size) for c, w in zip(cells, weights, strict=True))
    pooled = _pooled(first.shares, second.shares, first.n, second.n)
    x2 = float(_x2(first.shares, second.shares, first.n, second.n))
    wanted = math.ceil(2.0 * factor / chance)
    draws = min(max(5 * wanted, _LEAST_DRAWS), _MOST_DRAWS)
    over = done = 0
    while done < draws:
        batch = min(draws - done, max(_HELD // size, 1))
        original, synthetic = (side.drawn(pooled, batch, rng) for side in (first, second))
        over += int((_x2(original, synthetic, first.n, second.n) >= x2 * (1.0 - 1e-9)).sum())
        done += batch
        if over >= _OVER and over * factor > chance * draws:
            return False
    return (over + 1.0) / (done + 1.0) * factor <= chance


def _pooled(first: Floats, second: Floats, n: int, m: int) -> Floats:
    out: Floats = (n * first + m * second) / (n + m)
    return out


def _x2(first: Floats, second: Floats, n: int, m: int) -> Floats:
    pooled = _pooled(first, second, n, m)
    apart = (first - second) ** 2 / np.where(pooled > 0.0, pooled, 1.0)
    out: Floats = n * m / (n + m) * apart.sum(axis=-1)
    return out
