"""Sensitivity of the order to the weights: random, along a line, smallest change."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.ranking.strategies import order
from sdcmetrics.study.ranking import RankingOptions
from sdcmetrics.study.weights import Weights

_SAME = 1e-9
"""Weights that differ by less are one; they are shown to whole percents."""


@dataclass(frozen=True)
class Stretch:
    """A range of the weight of disclosure risk in which the same replicas are first.

    Attributes
    ----------
    low, high : float
        Ends, 0 to 1.
    first : tuple of str
        More than one where they tie throughout.
    """

    low: float
    high: float
    first: tuple[str, ...]


def weight_draws(weights: Weights, *, draws: int = RankingOptions.draws, seed: int = 1) -> Floats:
    """Draw weights evenly from all that are possible: families first, then measures in each.

    Every simplex is drawn from uniformly (a flat Dirichlet distribution), so a family with many
    measures has no more say than one with few. The draws are a scrambled Sobol sequence, a
    quasi-Monte Carlo design; shares from it repeat with the same seed and are correct to about
    one percentage point for 4,096 draws.

    Returns
    -------
    array of floats, draws x criteria
        Each row sums to 1.
    """
    sizes = [len(weights.within), *(len(metrics) for metrics in weights.within.values())]
    power = int(np.ceil(np.log2(draws)))
    sobol = lazy.stats.qmc.Sobol(d=sum(sizes), seed=np.random.default_rng(seed))
    design = sobol.random_base2(power)
    parts = np.split(design[:draws], np.cumsum(sizes)[:-1], axis=1)
    families, *within = (_simplex(part) for part in parts)
    return np.concatenate([families[:, [f]] * part for f, part in enumerate(within)], axis=1)


def rank_acceptability(points: Floats, draws: Floats) -> Floats:
    """Return how often each replica has each rank when the weights vary.

    Parameters
    ----------
    points : array, replicas x criteria; more is better
    draws : array, draws x criteria

    Returns
    -------
    array of floats, replicas x ranks
        Shares, 0 to 1; each row and each column sums to 1. Replicas that tie share the ranks
        that they fill.

    Notes
    -----
    The rank acceptability indices of stochastic multicriteria acceptability analysis
    (Lahdelma and Salminen 2001, Operations Research 49(3)).

    Examples
    --------
    >>> points = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> rank_acceptability(points, np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.5, 0.5]]))
    array([[0.625, 0.375],
           [0.375, 0.625]])
    """
    return rank_shares(points @ draws.T)


def rank_shares(totals: Floats) -> Floats:
    """Return how often each replica has each rank, from totals: replicas x draws."""
    n, times = totals.shape
    rounded = np.round(totals, 12)
    better = (rounded[None, :, :] > rounded[:, None, :]).sum(axis=1)
    alike = (rounded[None, :, :] == rounded[:, None, :]).sum(axis=1)
    out = np.zeros((n, n))
    for place in range(n):
        fills = (better <= place) & (place < better + alike)
        out[:, place] = np.where(fills, 1.0 / alike, 0.0).sum(axis=1) / times
    return out


def stretches(utility: Floats, protection: Floats, replicas: Sequence[str]) -> tuple[Stretch, ...]:
    """Return the stretches of the weight of disclosure risk in which each winner is first, exactly.

    Parameters
    ----------
    utility, protection : arrays of length n
        Points of each replica by either kind of measures alone; more is better.

    Notes
    -----
    The total is a line in the weight, so the winners are the upper envelope of n lines.

    Examples
    --------
    >>> result = stretches(np.array([1.0, 0.0]), np.array([0.2, 0.6]), ["a", "b"])
    >>> [(round(s.low, 3), round(s.high, 3), s.first) for s in result]
    [(0.0, 0.714, ('a',)), (0.714, 1.0, ('b',))]
    """
    slopes = protection - utility
    cuts = {0.0, 1.0}
    for i, j in itertools.combinations(range(len(replicas)), 2):
        if abs(slopes[i] - slopes[j]) > _SAME:
            cut = float((utility[j] - utility[i]) / (slopes[i] - slopes[j]))
            cuts |= {cut} if _SAME < cut < 1 - _SAME else set()
    out: list[Stretch] = []
    for low, high in itertools.pairwise(sorted(cuts)):
        if high - low < _SAME:
            continue
        ranks = order(utility + (low + high) / 2 * slopes)
        first = tuple(r for r, place in zip(replicas, ranks, strict=True) if place == ranks.min())
        start = out.pop().low if out and out[-1].first == first else low  # the stretch goes on
        out.append(Stretch(start, high, first))
    return tuple(out)


@dataclass(frozen=True)
class Change:
    """The nearest weights under which a replica is first, or level with the first.

    Attributes
    ----------
    replica : str
    moved : float
        The part of the whole weight that moves from some measures to others: half the sum of
        absolute changes (total variation), 0 to 1. Infinite where no weights make it first.
    weights : dict of criterion to float
        The new weights; empty where there are none.
    taken, given : dict of criterion to float
        What moves away from, and to.
    """

    replica: str
    moved: float
    weights: dict[str, float]
    taken: dict[str, float]
    given: dict[str, float]

    @property
    def possible(self) -> bool:
        """Whether any weights make the replica first."""
        return bool(np.isfinite(self.moved))


def smallest_changes(
    points: Floats, weights: Floats, replicas: Sequence[str], criteria: Sequence[str]
) -> tuple[Change, ...]:
    """Return the smallest weight change that puts each replica first, smallest first.

    Parameters
    ----------
    points : array, replicas x criteria; more is better
    weights : array of length k, summing to 1

    Returns
    -------
    tuple of Change
        The replicas that are first already have a change of 0.

    Notes
    -----
    A linear program: minimise 1/2 sum |w' - w| over weights w' that are non-negative, sum to 1,
    and give no other replica more points.

    Examples
    --------
    >>> points = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> first, other = smallest_changes(points, np.array([0.7, 0.3]), ["a", "b"], ["U", "R"])
    >>> other.replica, round(other.moved, 3), other.taken, other.given
    ('b', 0.2, {'U': 0.2}, {'R': 0.2})
    """
    changes = [
        _nearest(points, weights, i, replica, criteria) for i, replica in enumerate(replicas)
    ]
    return tuple(sorted(changes, key=lambda change: change.moved))


def pareto(points: Floats) -> npt.NDArray[np.bool_]:
    """Return which rows are undominated.

    A row is dominated if another one is at least as good in every column and better in one.

    Parameters
    ----------
    points : array, replicas x columns; more is better

    Examples
    --------
    >>> pareto(np.array([[0.9, 0.1], [0.5, 0.5], [0.4, 0.5], [0.1, 0.9]])).tolist()
    [True, True, False, True]
    """
    good = np.round(points, 12)
    at_least = (good[None, :, :] >= good[:, None, :]).all(axis=2)
    more = (good[None, :, :] > good[:, None, :]).any(axis=2)
    beaten = np.asarray(at_least & more).any(axis=1)
    return np.asarray(~beaten)


def _nearest(
    points: Floats, weights: Floats, i: int, replica: str, criteria: Sequence[str]
) -> Change:
    n, k = points.shape
    # Variables: the new weights, then the size of each change.
    ahead = np.delete(points - points[i], i, axis=0)
    eye = np.eye(k)
    done = lazy.optimize.linprog(
        np.repeat([0.0, 0.5], k),
        A_ub=np.block([[ahead, np.zeros((n - 1, k))], [eye, -eye], [-eye, -eye]]),
        b_ub=np.concatenate([np.zeros(n - 1), weights, -weights]),
        A_eq=np.repeat([[1.0, 0.0]], k, axis=1),
        b_eq=[1.0],
        method="highs",
    )
    if done.x is None:
        return Change(replica, float("inf"), {}, {}, {})
    new = np.clip(np.round(done.x[:k], 12), 0.0, None)
    change = dict(zip(criteria, np.round(new - weights, 9).tolist(), strict=True))
    taken = {name: -c for name, c in change.items() if c < 0}
    given = {name: c for name, c in change.items() if c > 0}
    moved = float(sum(given.values()))
    return Change(replica, moved, dict(zip(criteria, new.tolist(), strict=True)), taken, given)


def _simplex(uniform: Floats) -> Floats:
    """Map points of the unit cube to the simplex, uniformly: exponentials over their sum."""
    spaced = np.clip(-np.log1p(-np.clip(uniform, 0.0, 1.0 - 1e-12)), 1e-15, None)
    return np.asarray(spaced / spaced.sum(axis=1, keepdims=True))
