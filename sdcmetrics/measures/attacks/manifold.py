"""Precision, recall, authenticity, density and coverage, with reference values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sdcmetrics.errors import DataError
from sdcmetrics.measures.attacks.people import People, people
from sdcmetrics.measures.attacks.scores import ranked_points
from sdcmetrics.measures.neighbours import Gower, Points, nearest
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

NAMES = ("alpha_precision", "beta_recall", "authenticity", "density", "coverage")
_NEIGHBOURS = 5
_STEPS = np.linspace(0.0, 1.0, 101)
_FEWEST, _MOST = 10, 10_000
"""Records that are set beside the original."""
_DRAWS = 20
"""Of parts of a data set, where it has more records than are set beside the original."""


@dataclass(frozen=True, repr=False)
class Manifold(Readable, shows=("n", "size"), table="table"):
    """Five figures of a replica, of a copy of the original and of the holdout.

    Attributes
    ----------
    table : DataFrame
        One row per figure: replica, copy, holdout.
    n : int
        Records of the original.
    size : int
        Records of each of the three that were set beside it: as many as the smallest has.
    seed : int
        Of the records that were drawn, up to 20 times where they are fewer than 10,000.
    fixes : tuple of str
    """

    table: pd.DataFrame
    n: int
    size: int
    seed: int
    fixes: tuple[str, ...] = field(default=(), repr=False)

    def value(self, name: str, of: str = "replica") -> float:
        """Return one figure of the replica, of the copy or of the holdout."""
        return float(self.table[of].to_numpy()[NAMES.index(name)])


@checked
def manifold(
    original: Frame,
    synthetic: Replica,
    holdout: Frame,
    *,
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
    seed: Seed = 1,
) -> Manifold:
    """Set a replica's precision, recall, authenticity, density and coverage beside references.

    None of them tells a good replica from a copy by itself: a copy has the best precision, recall,
    density and coverage, and people who were not in the original have an authenticity of about one
    half. Read each between what a copy and what the holdout has.

    Parameters
    ----------
    original, synthetic, holdout : data frames
        Of several syntheses, a list, figures are means over the files.
    variables : names, optional
        By default every column that all data sets have.
    missing_codes : mapping of column to code or codes, optional
    seed : int

    Returns
    -------
    Manifold
        alpha_precision: 1 where the replica's records are as far from the middle of the original as
        its own, 0 to 1. beta_recall: the same of original records that have a replica record as
        near as their nearest other, by its place in the replica, 0 to 1. authenticity: share of
        replica records that are farther from the nearest original than that is from its nearest
        other, 0 to 1. density: replica records in the balls of originals that reach to their fifth
        nearest, per ball and neighbour, 0 or more. coverage: share of these balls that hold a
        replica record, 0 to 1.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or one has fewer than ten records.

    Notes
    -----
    Numbers are ranks over all data sets, levels equal or not, differences added up (Gower); for
    distances to the middle squares are added up, a level's from the shares of all levels. Balls
    hold what is on their edge, so that records alike are inside. Replica, copy and holdout are cut
    to as many records, 10,000 at most, drawn at random, as coverage and recall grow with them; the
    figures are means over up to 20 draws, as many as make 10,000 records.

    References
    ----------
    Naeem et al. (2020), Reliable fidelity and diversity metrics for generative models, ICML; Alaa
    et al. (2022), How faithful is your synthetic data?, ICML.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> people_of = lambda n: pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    >>> original, holdout = people_of(300), people_of(300)
    >>> copy = manifold(original, original, holdout)
    >>> copy.value("authenticity"), copy.value("coverage")
    (0.0, 1.0)
    >>> 0.4 < copy.value("authenticity", "holdout") < 0.6
    True
    """
    data = people(original, synthetic, holdout, variables=variables, missing_codes=missing_codes)
    return measure_manifold(data, seed=seed)


def measure_manifold(data: People, *, seed: int) -> Manifold:
    """Do what `manifold` does, on data sets of one codebook.

    Raises
    ------
    DataError
        If one has fewer than ten records.
    """
    files = data.by_file()
    if len(files) > 1:
        each = [measure_manifold(file, seed=seed) for file in files]
        mean = sum((result.table for result in each[1:]), start=each[0].table) / len(each)
        return Manifold(mean, data.n, min(result.size for result in each), seed, data.fixes)
    size = min(*data.sizes, _MOST)
    if size < _FEWEST:
        msg = f"expected at least {_FEWEST} records in each data set but got {size}."
        raise DataError(msg)
    pool, replica, distance = ranked_points(data)
    original = pool.subset(np.arange(data.n))
    holdout = pool.subset(np.arange(data.n, pool.n))
    rng = np.random.default_rng(seed)
    manifold = _Known(original, distance)
    figures = {}
    for name, points in (("replica", replica), ("copy", original), ("holdout", holdout)):
        draws = 1 if points.n == size else min(_DRAWS, -(-_MOST // size))
        drawn = (np.sort(rng.choice(points.n, size, replace=False)) for _ in range(draws))
        figures[name] = np.mean([manifold.figures(points.subset(rows)) for rows in drawn], axis=0)
    table = pd.DataFrame(figures, index=pd.Index(NAMES, name="figure"))
    return Manifold(table, data.n, size, seed, data.fixes)


class _Known:
    """The original: its centre, and the distances between its records."""

    def __init__(self, original: Points, distance: Gower) -> None:
        self._original, self._distance = original, distance
        k = min(_NEIGHBOURS, original.n - 1)
        others = nearest(
            original, original, distance=distance, k=k, exclude_self=True, indices=False
        ).distances.reshape(original.n, k)
        self._k, self._first, self._radius = k, others[:, 0], others[:, -1]
        self._away = _from_middle(original, original)

    def figures(self, points: Points) -> list[float]:
        """Return the five figures of some records, in the order of their names."""
        original, distance = self._original, self._distance
        inside = nearest(original, points, distance=distance, within=self._radius[:, None])
        held = inside.within[:, 0, :].sum(axis=1)
        back = nearest(points, original, distance=distance)
        authentic = back.distances[:, 0] > self._first[back.indices[:, 0]]
        places = _from_middle(points, points)[inside.indices[:, 0]]
        covered = inside.distances[:, 0] <= self._first
        precision = _mean_below(_from_middle(points, original), np.quantile(self._away, _STEPS))
        bars = np.quantile(places, _STEPS)
        recall = np.array([(covered & (places <= bar)).mean() for bar in bars])
        return [
            _agreement(precision),
            _agreement(recall),
            float(authentic.mean()),
            float(held.sum()) / (self._k * points.n),
            float((held > 0).mean()),
        ]


def _from_middle(points: Points, of: Points) -> Floats:
    """Return the squared distance of each record from the centre of a data set."""
    out = np.zeros(points.n)
    for own, column in zip(points.codes, of.codes, strict=True):
        shares = np.bincount(column, minlength=int(max(own.max(), column.max())) + 1) / of.n
        out += (1.0 - 2.0 * shares[own] + (shares**2).sum()) / 2.0
    for own, column in zip(points.numbers, of.numbers, strict=True):
        there = column[~np.isnan(column)]
        middle = float(there.mean()) if len(there) else 0.0
        out += np.where(np.isnan(own), 1.0, (own - middle) ** 2)
    return out


def _mean_below(values: Floats, bars: Floats) -> Floats:
    """Return the share of values up to each bar."""
    # 1e-12: sums of the same numbers in another order
    below = np.searchsorted(np.sort(values), bars + 1e-12, side="right")
    return np.asarray(below / len(values), dtype=np.float64)


def _agreement(curve: Floats) -> float:
    """Return 1 less the area between a curve and the diagonal, over that below the diagonal."""
    return float(1.0 - np.abs(curve - _STEPS).sum() / _STEPS.sum())
