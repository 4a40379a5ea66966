"""Marginal fidelity: how far replicas and fresh data are from training data, over many tables.

Source: Platzer & Reutterer (2021), Holdout-based empirical assessment of mixed-type synthetic
data, Frontiers in Big Data 4, section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.margins import Margin
from sdcmetrics.measures.exchangeable import hypergeometric
from sdcmetrics.microdata.arrays import Floats

_MANY = 60
"""From so many records per cell the number that is kept is binomial enough: within 1 % of what the
cell adds, and 3 % where nearly all records are in it or are kept."""
_TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class Fidelity:
    """Mean total variation distance from the training data, over tables.

    Attributes
    ----------
    values : float array of shape (data sets,)
        0 (the same shares in every table) to 1 (no cell in common).
    covariance : float array of shape (data sets, data sets)
        Of `values`, if training data and data sets are samples: their square roots on the
        diagonal are standard errors. The training data are in all of them, so that the values
        move together. NaN where a data set has one record, or is too large for memory.
    by_table : float array of shape (tables, data sets)
    by_chance : float array of shape (data sets,)
        What the last data set would show with so many records: with fewer than it has by
        `distances_of_fewer`, with more in proportion to `distances_by_chance`.
    """

    values: Floats
    covariance: Floats
    by_table: Floats
    by_chance: Floats


def distances(counts: npt.NDArray[np.int64]) -> Floats:
    """Total variation distance of each data set from the first, of one table.

    Half the sum of absolute differences between shares: 0 where the shares are equal, 1 where
    no cell is filled by both. Lower is better; below what fresh data show it is too good.

    Parameters
    ----------
    counts : int array of shape (1 + data sets, cells)

    Examples
    --------
    >>> distances(np.array([[2, 2, 0], [1, 3, 0], [0, 0, 4]])).tolist()
    [0.25, 1.0]
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    out: Floats = np.abs(shares[1:] - shares[0]).sum(axis=1) / 2.0
    return out


def distances_by_chance(counts: npt.NDArray[np.int64]) -> Floats:
    """Distances, about, if the first and each data set were samples of one population.

    The population is what the first and the last data set show together. The mean difference of
    a cell's shares is that of a normal distribution, but at most that of two single records; so
    the distance goes with the root of 1/first + 1/other records and does not pass 1 where cells
    have hardly a record.

    Parameters
    ----------
    counts : int array of shape (1 + data sets, cells)

    Examples
    --------
    >>> distances_by_chance(np.array([[50, 50], [200, 200], [50, 50]])).round(4).tolist()
    [0.0446, 0.0564]
    >>> distances_by_chance(np.array([[50, 50], [1, 0], [50, 50]])).round(4).tolist()
    [0.4009, 0.0564]
    """
    totals = counts.sum(axis=1)
    shares = (counts[0] + counts[-1]) / (totals[0] + totals[-1])
    of_record = shares * (1.0 - shares)
    spread = np.sqrt(2.0 / np.pi * of_record * (1.0 / totals[0] + 1.0 / totals[1:])[:, None])
    out: Floats = np.minimum(spread, 2.0 * of_record).sum(axis=1) / 2.0
    return out


def distances_of_fewer(counts: npt.NDArray[np.int64]) -> Floats:
    """Distance of the last data set if it had as many records as another one, NaN where not fewer.

    The mean over all its subsets of that size, beside the first data set as it is.

    Parameters
    ----------
    counts : int array of shape (1 + data sets, cells)

    Examples
    --------
    Of one record in each of two cells one is kept, and then all are in one cell:

    >>> distances_of_fewer(np.array([[2, 2], [1, 0], [1, 1]])).tolist()
    [0.5, nan]
    """
    first, last = counts[0] / counts[0].sum(), counts[-1]
    totals = counts.sum(axis=1)
    size, few = int(totals[-1]), last < _MANY
    out = np.full(len(counts) - 1, np.nan)
    for i, fewer in enumerate(totals[1:].tolist()):
        if fewer < size:
            left = np.abs(first[few, None] - np.arange(_MANY) / fewer)
            repeated = float((_chance_present(size, fewer)[last[few]] * left).sum())
            away = _binomial_distance(first[~few] * fewer, last[~few] / size, size, fewer)
            out[i] = (repeated + float(away.sum()) / fewer) / 2.0
    return out


@lru_cache(maxsize=64)  # tables of one data set have one size, or few
def _chance_present(size: int, fewer: int) -> Floats:
    """Probability that so many of a cell's records are kept, shape (records, kept)."""
    times = np.arange(_MANY)
    return hypergeometric(times, size, np.minimum(times, size)[:, None], fewer)


def _binomial_distance(point: Floats, shares: Floats, size: int, fewer: int) -> Floats:
    """Mean distance from a point of how many of a cell's records are kept.

    The number is taken for binomial, with the mean and the variance that it has. Of x the mean
    distance is E x - point + 2 (point P(x <= point) - E(x; x <= point)).
    """
    from scipy import special

    mean = shares * fewer
    p = 1.0 - (1.0 - shares) * (size - fewer) / (size - 1)
    below = np.floor(point)
    rest = mean / p - below  # of the trials
    chance, part = (
        np.where(
            rest > 0.0,
            special.betainc(np.maximum(rest, _TINY), np.maximum(least, _TINY), 1.0 - p),
            1.0,
        )
        for least in (below + 1.0, below)
    )
    out: Floats = mean - point + 2.0 * (point * chance - mean * part)
    return out


def fidelity(margins: Iterable[Margin]) -> Fidelity:
    """Average the total variation distance over tables, with standard errors.

    Parameters
    ----------
    margins : iterable of Margin
        At least one; the training data are the first data set of each.

    Notes
    -----
    The covariance is that of the linearised mean: moving one record moves each table's distance
    by the difference of the signs of its cells, over twice the records. The mean over tables of
    what each record moves is averaged over records as any mean is. Where two data sets hardly
    differ, signs are a matter of chance, and the standard error is too large rather than too
    small.

    Examples
    --------
    >>> cells = (np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    >>> result = fidelity([Margin(("x",), np.array([[2, 2], [1, 3]]), cells)])
    >>> result.values.tolist(), np.sqrt(result.covariance).round(4).tolist()
    ([0.25], [[0.3819]])
    """
    by_table, by_chance, of_fewer = [], [], []
    moved: list[tuple[Floats, Floats]] = []
    for margin in margins:
        by_table.append(distances(margin.counts))
        by_chance.append(distances_by_chance(margin.counts))
        of_fewer.append(distances_of_fewer(margin.counts))
        if not moved and margin.cells:
            moved = [
                (np.zeros(len(margin.cells[0])), np.zeros(len(part))) for part in margin.cells[1:]
            ]
        if margin.cells:
            _move(margin, moved)
    values = np.array(by_table)
    tables = len(by_table)
    covariance = np.full((values.shape[1], values.shape[1]), np.nan)
    if moved:
        of_training = np.stack([training for training, _ in moved]) / tables
        own = [_spread(replica[None, :] / tables)[0, 0] for _, replica in moved]
        covariance = _spread(of_training) + np.diag(own)
    mean, chance = values.mean(axis=0), np.mean(by_chance, axis=0)
    more = mean[-1] * (chance / chance[-1] if chance[-1] else 1.0)
    fewer = np.mean(of_fewer, axis=0)
    shown = np.minimum(np.where(np.isnan(fewer), more, fewer), 1.0)
    return Fidelity(mean, covariance, values, shown)


def _spread(moves: Floats) -> Floats:
    """Return the covariance of the sums over records; NaN of a single record."""
    series, records = moves.shape
    if records == 1:
        return np.full((series, series), np.nan)
    out: Floats = np.atleast_2d(np.cov(moves)) * records
    return out


def _move(margin: Margin, moved: list[tuple[Floats, Floats]]) -> None:
    """Add how far each record moves the distance of this table."""
    totals = margin.counts.sum(axis=1)
    shares = margin.counts / totals[:, None]
    for i, arrays in enumerate(moved, start=1):
        sign = np.append(np.sign(shares[i] - shares[0]), 0.0)  # the last for records left out
        np.subtract(arrays[0], (sign / (2.0 * totals[0])).take(margin.cells[0]), out=arrays[0])
        np.add(arrays[1], (sign / (2.0 * totals[i])).take(margin.cells[i]), out=arrays[1])
