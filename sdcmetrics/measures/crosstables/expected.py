"""What the holdout is expected to score in a table: exact, however sparse the table is.

If the replica is as fresh as the original, then of the c records of both in a cell those that are
synthetic are a random part, whatever the data look like: hypergeometric. A statistic that adds up
over cells has the sum of its means over these as its expectation, which is what permuting all
records would come to in the end. No record is drawn for it.

References
----------
Fisher's randomisation of labels. S_pMSE and S_VW need no more than the numbers of records: see
`fresh` in `statistics`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.statistics import cached_with_tables, df, over_df
from sdcmetrics.measures.exchangeable import hypergeometric
from sdcmetrics.microdata.arrays import Floats

_EXACT = 30.0
"""Records that a cell needs of either side for three points in place of all ways to part it: there
they differ by less than 1 % of what the cell adds."""
_TABLED = 1 << 20  # records of a cell up to which totals are looked up, in 8 MB
_NODES = 100  # more than 12 standard deviations above 30


class _Parted(NamedTuple):
    """Ways to part cells into synthetic and original records, for every total that there is."""

    place: npt.NDArray[np.int64]
    """Which total each cell has."""
    totals: npt.NDArray[np.int64]
    groups: tuple[tuple[npt.NDArray[np.bool_], Floats, Floats, Floats], ...]
    """Which totals; synthetic and original records and weights of each, shape (totals, ways)."""


def expected_s_ft(tables: TablePairs) -> Floats:
    """Return what S_FT is expected to be of the holdout, table by table.

    Examples
    --------
    Two records in a cell of their own each, one of them synthetic, whichever it is:

    >>> pair = TablePairs(np.array([1, 0]), np.array([0, 1]), np.array([0]), (0,))
    >>> expected_s_ft(pair).round(6).tolist()
    [8.0]
    """
    odds = tables.n_synthetic[0] / tables.n_original[0]
    total = _mean(tables, lambda s, d: 4.0 * (np.sqrt(s) - np.sqrt(d * odds)) ** 2)
    return over_df(total, df(tables))


def expected_s_jsd(tables: TablePairs) -> Floats:
    """Return what S_JSD is expected to be of the holdout, table by table."""
    n_s, n_d = tables.n_synthetic[0], tables.n_original[0]

    def divergence(s: Floats, d: Floats) -> Floats:
        p_s, p_d = s / n_s, d / n_d
        middle = np.maximum((p_s + p_d) / 2.0, np.finfo(float).tiny)
        out: Floats = (_times_log(p_s, p_s / middle) + _times_log(p_d, p_d / middle)) / 2.0
        return out

    bits = _mean(tables, divergence) / math.log(2.0)
    return over_df(bits * 2.0 * (n_s + n_d) / math.log(2.0), df(tables))


def expected_s_g(tables: TablePairs) -> Floats:
    """Return what S_G is expected to be of the holdout, table by table.

    G adds up over the cells that both sides fill, and so do its degrees of freedom: this is the
    ratio of the two expectations, 1 to 5 % from the expectation of the ratio.
    """

    def if_both(value: Callable[[Floats, Floats], Floats]) -> Floats:
        return _mean(tables, lambda s, d: np.where((s > 0) & (d > 0), value(s, d), 0.0))

    s, d = if_both(lambda s, _: s), if_both(lambda _, d: d)
    log = if_both(lambda s, d: _times_log(s, s / np.maximum(d, 1.0)))
    filled = if_both(lambda s, _: np.ones_like(s)) - (0 if tables.k_syn else 1)
    of_sums = _times_log(s, s / np.maximum(d, np.finfo(float).tiny))
    return over_df(2.0 * (log - of_sums), filled)


def _mean(tables: TablePairs, of: Callable[[Floats, Floats], Floats]) -> Floats:
    """Add up over the cells of each table the mean of a statistic over all ways to part a cell."""
    parted = _part(tables)
    by_total = np.zeros(len(parted.totals))
    for which, synthetic, original, weights in parted.groups:
        by_total[which] = (weights * of(synthetic, original)).sum(axis=1)
    return tables.sum(by_total[parted.place])


@cached_with_tables
def _part(tables: TablePairs) -> _Parted:
    """List the ways to part cells; all tables of a batch are of the same records."""
    n_s, n_d = tables.n_synthetic[0], tables.n_original[0]
    both = tables.original + tables.synthetic
    if both.max() < _TABLED:  # several times as fast as sorting
        totals = np.flatnonzero(np.bincount(both))
        place = np.zeros(int(totals[-1]) + 1, dtype=np.int64)
        place[totals] = np.arange(len(totals))
        place = place[both]
    else:
        totals, place = np.unique(both, return_inverse=True)
    share = n_s / (n_s + n_d)
    few = totals * min(share, 1.0 - share) < _EXACT
    groups = []
    for which, ways in ((few, _all_ways), (~few, _three_ways)):
        if which.any():
            c = totals[which, None].astype(np.float64)
            fewer, weights = ways(c, min(n_s, n_d), max(n_s, n_d))
            sides = fewer, c - fewer
            synthetic, original = sides if n_s <= n_d else sides[::-1]
            groups.append((which, synthetic, original, weights))
    return _Parted(place, totals, tuple(groups))


def _all_ways(c: Floats, fewer: float, more: float) -> tuple[Floats, Floats]:
    """Return records of the smaller side, 0 to c, and their hypergeometric probabilities."""
    fewest = np.arange(min(int(c.max()), _NODES) + 1.0)
    chance = hypergeometric(fewest, fewer + more, fewer, c)
    return np.where(chance > 0, fewest, np.maximum(c - more, 0.0)), chance


def _three_ways(c: Floats, fewer: float, more: float) -> tuple[Floats, Floats]:
    """Return three points that have the mean and the variance, and those of a normal law on."""
    n = fewer + more
    mean, spread = c * fewer / n, np.sqrt(c * fewer * more / n**2 * (n - c) / (n - 1.0))
    points = mean + spread * np.array([-1.0, 0.0, 1.0]) * math.sqrt(3.0)  # Gauss and Hermite
    return points, np.broadcast_to(np.array([1.0, 4.0, 1.0]) / 6.0, points.shape)


def _times_log(value: Floats, ratio: Floats) -> Floats:
    return value * np.log(np.where(value > 0, ratio, 1.0))
