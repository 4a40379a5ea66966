"""Tables of original and replica under exchange of labels: moments, p, and how far they differ.

If the replica is as good as a fresh sample, which of the M = n + m records of a table are the
replica's m is chance. Then X2 = sum (s - c f)^2 / (c f (1 - f)), over cells with s synthetic of c
records and f = m / M, has a mean and a variance that are known exactly however sparse the table
is, and so has every cell's part in the size.

References
----------
Dawson, R. B. (1954). A simplified expression for the variance of the chi-squared function on a
contingency table. Biometrika 41, 280. Cohen, J. (1988), chapter 7, for the scale of w.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.statistics import s_p_mse, vw
from sdcmetrics.measures.exchangeable import hypergeometric
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats

_ENOUGH = 12.0
"""Records that a cell expects of the smaller side, from which on two terms of a series do."""
_MOST = 400  # records of a cell from which on they do in any case
_WIDE = 40.0  # standard deviations, beyond which no probability is above 1e-300
_TWO = 2


@dataclass(frozen=True)
class Statistics:
    """What is computed of each table; arrays of shape (tables,).

    Attributes
    ----------
    cells : float array
        Cells that either side fills.
    x2, expected, variance : float arrays
        Pearson's statistic, its mean and its variance under exchange.
    p : float array
        How likely a fresh sample is to have as large an X2.
    w : float array
        The size, 0 or more: a shift of a normal column by q standard deviations has about .95 q,
        and no share differs by more than w / 2.
    s_p_mse : float array
        S_pMSE of a replica of the original's size, 2 X2 / (cells - 1).
    inflation : float array
        How far the spread of X2 is that of clusters; 1 where records are exchanged one by one.
    """

    cells: Floats
    x2: Floats
    expected: Floats
    variance: Floats
    p: Floats
    w: Floats
    s_p_mse: Floats
    inflation: Floats

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self.cells)

    def subset(self, tables: npt.NDArray[np.bool_]) -> Statistics:
        """Return some of the tables."""
        return Statistics(*(getattr(self, field.name)[tables] for field in fields(self)))


def join(parts: Sequence[Statistics]) -> Statistics:
    """Put the statistics of several batches of tables end to end."""
    return Statistics(
        *(
            np.concatenate([getattr(part, each.name) for part in parts])
            for each in fields(Statistics)
        )
    )


def exchanged(tables: TablePairs) -> Statistics:
    """Return the statistics of tables of the same records, of which any may be exchanged.

    Examples
    --------
    Four records in two cells, all of one side in one of them; 1 of 3 ways to part them so does:

    >>> pair = TablePairs(np.array([2, 0]), np.array([0, 2]), np.array([0]), (0,))
    >>> result = exchanged(pair)
    >>> result.x2.tolist(), result.expected.round(6).tolist(), result.p.round(6).tolist()
    ([4.0], [1.333333], [0.333333])
    """
    n, m = int(tables.n_original[0]), int(tables.n_synthetic[0])
    total = n + m
    both = (tables.original + tables.synthetic).astype(np.float64)
    cells = tables.cells.astype(np.float64)
    x2 = vw(tables) * (n / total)
    expected = total / (total - 1.0) * (cells - 1.0)
    variance = _variance(n, m, cells, tables.sum(total / both))
    shares = tables.p_original + tables.p_synthetic
    distance = tables.sum((tables.p_synthetic - tables.p_original) ** 2 / shares)
    distance -= tables.sum(_chance_of(both, n, m))
    with np.errstate(invalid="ignore"):  # NaN where one cell is all there is
        advice = s_p_mse(tables) * (2.0 * n / total)
    return Statistics(
        cells=cells,
        x2=x2,
        expected=expected,
        variance=variance,
        p=_p_values(tables, x2, expected, variance),
        w=np.sqrt(2.0 * np.maximum(distance, 0.0)),
        s_p_mse=advice,
        inflation=np.ones(len(cells)),
    )


def _variance(n: int, m: int, cells: Floats, inverse: Floats) -> Floats:
    """Return the variance of X2 under exchange (Dawson 1954); `inverse` is the sum of M / c."""
    total = float(n + m)
    if total <= 3.0:  # noqa: PLR2004  (so few records have no variance of this form)
        return np.zeros_like(cells)
    v1 = (total - 2.0) / (total - 1.0)
    w1 = (total / m + total / n - 4.0) / (total - 2.0)
    v2 = (cells - 1.0) * (total - cells) / (total - 1.0)
    w2 = (inverse - cells**2) / (total - 2.0)
    out: Floats = 2.0 * total / (total - 3.0) * (v1 - w1) * (v2 - w2)
    out += total**2 / (total - 1.0) * w1 * w2
    return np.maximum(out, 0.0)


def _p_values(tables: TablePairs, x2: Floats, expected: Floats, variance: Floats) -> Floats:
    """Return gamma tails with the exact moments; exact where there are two cells; else 1."""
    p = np.ones_like(x2)
    varies = variance > 1e-9 * expected**2  # else X2 is the same whatever is exchanged
    mean, spread = expected[varies], variance[varies]
    p[varies] = lazy.special.gammaincc(mean**2 / spread, x2[varies] * mean / spread)
    n, m = int(tables.n_original[0]), int(tables.n_synthetic[0])
    for i in np.flatnonzero(tables.cells == _TWO).tolist():
        at = slice(tables.starts[i], tables.starts[i] + _TWO)
        both = tables.original[at] + tables.synthetic[at]
        rarer = int(both.argmin())
        p[i] = two_cells(int(tables.synthetic[at][rarer]), int(both[rarer]), n, m)
    return p


@lru_cache(maxsize=1 << 12)
def two_cells(synthetic: int, both: int, n: int, m: int) -> float:
    """Return twice the smaller tail of the number of synthetic records in one of two cells.

    Examples
    --------
    >>> round(two_cells(0, 2, 3, 3), 6)  # 3 of the 15 ways to choose 2 of 6
    0.4
    """
    total = n + m
    mean = both * m / total
    spread = np.sqrt(mean * n / total * (total - both) / max(total - 1.0, 1.0))
    reach = _WIDE * spread + 2.0
    low = max(int(mean - reach), both - n, 0)
    high = min(int(mean + reach), both, m)
    chance = hypergeometric(np.arange(low, high + 1), total, m, both)
    at = synthetic - low
    below, above = chance[: max(at + 1, 0)].sum(), chance[max(at, 0) :].sum()
    return float(min(1.0, 2.0 * min(below, above)))


def _chance_of(both: Floats, n: int, m: int) -> Floats:
    """Return the mean of each cell's part in the size, by its number of records."""
    exact = chance_sizes(n, m)
    total = float(n + m)
    share = m / total
    out: Floats = (total / (n * m)) ** 2 * share * (1.0 - share) * total / 2.0 * (total - both)
    out /= max(total - 1.0, 1.0)
    few = both < len(exact)
    out[few] = exact[both[few].astype(np.int64)]
    return out


@lru_cache(maxsize=64)
def chance_sizes(n: int, m: int) -> Floats:
    """Return the mean under exchange of (s/m - d/n)^2 / (s/m + d/n) of cells of 0, 1, ... records.

    Up to as many as need the exact sum. A cell of one record is either side's:

    Examples
    --------
    >>> chance_sizes(4, 4)[:2].round(9).tolist()
    [0.0, 0.25]
    """
    total, fewer = n + m, min(n, m)
    last = min(_MOST, int(np.ceil(_ENOUGH * total / fewer)), total + 1)
    both = np.arange(1, last, dtype=np.float64)[:, None]
    synthetic = np.arange(0, min(last - 1, m) + 1, dtype=np.float64)
    chance = hypergeometric(synthetic, total, m, both)
    a, b = synthetic / m, np.maximum(both - synthetic, 0.0) / n
    part = (a - b) ** 2 / (a + b)  # no cell is empty on both sides
    return np.append(0.0, (chance * part).sum(axis=1))


def lower_limit(of: Statistics, z: float) -> Floats:
    """Return the lower limit of w, where chance exceeds z standard deviations as it is wished.

    X2 of a population that differs has the variance it has under exchange, and four times (twice
    g, in clusters) what it differs by.
    """
    beyond = of.x2 - of.expected
    b = beyond + 2.0 * of.inflation * z**2
    with np.errstate(invalid="ignore", divide="ignore"):
        y = b - np.sqrt(np.maximum(b**2 - beyond**2 + z**2 * of.variance, 0.0))
        ratio = np.where((beyond > 0.0) & (y > 0.0), y / beyond, 0.0)
    out: Floats = of.w * np.sqrt(np.nan_to_num(ratio))
    return out


def noticed_size(n: int, m: int, df: float, tables: float, *, chance: float, least: float) -> float:
    """Return the smallest w that a table of so many degrees of freedom shows in four of five cases.

    Parameters
    ----------
    chance : the level, shared by all tables
    least : what X2 must exceed in any case, as a multiple of `df`
    """
    from scipy.special import chdtri, chndtr

    bar = max(float(chdtri(df, chance / tables)), least * df)
    low, high = 0.0, 1.0
    while chndtr(bar, df, high) > 0.2 and high < 1e12:  # noqa: PLR2004  (one of five)
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if chndtr(bar, df, middle) > 0.2 else (low, middle)  # noqa: PLR2004
    return float(np.sqrt(high * (n + m) / (n * m)))
