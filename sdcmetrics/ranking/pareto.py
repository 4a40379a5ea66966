"""Which replicas no other one beats on everything."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sdcmetrics.ranking.criteria import Floats

__all__ = ["pareto"]


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
