"""Who wins under which weights: all weights at random, or utility against risk exactly."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import qmc

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking.criteria import Floats
from sdcmetrics.ranking.strategies import order
from sdcmetrics.ranking.weights import Weights

__all__ = ["DRAWS", "Stretch", "rank_acceptability", "rank_shares", "stretches", "weight_draws"]

DRAWS = 4096
_SAME = 1e-9


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


def weight_draws(weights: Weights, *, draws: int = DRAWS, seed: int = 1) -> Floats:
    """Draw weights evenly from all that are possible: families first, then metrics in each.

    Every simplex is drawn from uniformly (a flat Dirichlet distribution), so a family with many
    metrics has no more say than one with few. The draws are a scrambled Sobol sequence, a
    quasi-Monte Carlo design; shares from it repeat with the same seed and are correct to about
    one percentage point for 4,096 draws.

    Returns
    -------
    array of floats, draws x criteria
        Each row sums to 1.

    Raises
    ------
    StudyError
        If `draws` is below 1.
    """
    if draws < 1:
        msg = f"draws: expected a whole number of at least 1 but got {draws}."
        raise StudyError(msg)
    sizes = [len(weights.within), *(len(metrics) for metrics in weights.within.values())]
    power = int(np.ceil(np.log2(draws)))
    design = qmc.Sobol(d=sum(sizes), seed=np.random.default_rng(seed)).random_base2(power)
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
    """Return who is first as the weight of disclosure risk goes from 0 to 1, exactly.

    Parameters
    ----------
    utility, protection : arrays of length n
        Points of each replica by either kind of metrics alone; more is better.

    Notes
    -----
    The total is a line in the weight, so the winners are the upper envelope of n lines.

    Examples
    --------
    >>> found = stretches(np.array([1.0, 0.0]), np.array([0.2, 0.6]), ["a", "b"])
    >>> [(round(s.low, 3), round(s.high, 3), s.first) for s in found]
    [(0.0, 0.714, ('a',)), (0.714, 1.0, ('b',))]
    """
    slopes = protection - utility
    cuts = {0.0, 1.0}
    for i in range(len(replicas)):
        for j in range(i):
            if abs(slopes[i] - slopes[j]) > _SAME:
                cut = (utility[j] - utility[i]) / (slopes[i] - slopes[j])
                if _SAME < cut < 1 - _SAME:
                    cuts.add(float(cut))
    ends = sorted(cuts)
    out: list[Stretch] = []
    for low, high in itertools.pairwise(ends):
        if high - low < _SAME:
            continue
        middle = (low + high) / 2
        ranks = order((1 - middle) * utility + middle * protection)
        first = tuple(r for r, place in zip(replicas, ranks, strict=True) if place == ranks.min())
        if out and out[-1].first == first:
            low = out.pop().low  # noqa: PLW2901  (the stretch goes on)
        out.append(Stretch(low, high, first))
    return tuple(out)


def _simplex(uniform: Floats) -> Floats:
    """Map points of the unit cube to the simplex, uniformly: exponentials over their sum."""
    spaced = -np.log1p(-np.clip(uniform, 0.0, 1.0 - 1e-12))
    spaced = np.clip(spaced, 1e-15, None)
    return np.asarray(spaced / spaced.sum(axis=1, keepdims=True))
