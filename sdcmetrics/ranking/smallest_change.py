"""How little the weights would have to change for another replica to be first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from sdcmetrics.ranking.criteria import Floats

__all__ = ["Change", "smallest_changes"]


@dataclass(frozen=True)
class Change:
    """The nearest weights under which a replica is first, or level with the first.

    Attributes
    ----------
    replica : str
    moved : float
        The part of the whole weight that moves from some metrics to others: half the sum of
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
    """Return for every replica the smallest change of weights that puts it first, least first.

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
    found = [_nearest(points, weights, i, replica, criteria) for i, replica in enumerate(replicas)]
    return tuple(sorted(found, key=lambda change: change.moved))


def _nearest(
    points: Floats, weights: Floats, i: int, replica: str, criteria: Sequence[str]
) -> Change:
    n, k = points.shape
    # Variables: the new weights, then the size of each change.
    cost = np.concatenate([np.zeros(k), np.full(k, 0.5)])
    ahead = np.delete(points - points[i], i, axis=0)
    identity = np.eye(k)
    limits = [
        np.hstack([ahead, np.zeros((n - 1, k))]),
        np.hstack([identity, -identity]),
        np.hstack([-identity, -identity]),
    ]
    bounds = np.concatenate([np.zeros(n - 1), weights, -weights])
    done = linprog(
        cost,
        A_ub=np.vstack(limits),
        b_ub=bounds,
        A_eq=np.concatenate([np.ones(k), np.zeros(k)])[None, :],
        b_eq=[1.0],
        bounds=(0.0, None),
        method="highs",
    )
    if done.x is None:
        return Change(replica, float("inf"), {}, {}, {})
    new = np.clip(np.round(done.x[:k], 12), 0.0, None)
    change = np.round(new - weights, 9)
    return Change(
        replica,
        float(np.clip(change, 0.0, None).sum()),
        dict(zip(criteria, new.tolist(), strict=True)),
        {name: float(-c) for name, c in zip(criteria, change, strict=True) if c < 0},
        {name: float(c) for name, c in zip(criteria, change, strict=True) if c > 0},
    )
