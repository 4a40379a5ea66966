"""The map of a ranking: utility and protection of replicas between the references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.ranking import sensitivity
from sdcmetrics.ranking.anchors import Scale, anchored, counted
from sdcmetrics.ranking.standing import LEVEL
from sdcmetrics.ranking.uncertainty import intervals
from sdcmetrics.ranking.values import Values
from sdcmetrics.study.criteria import Criterion
from sdcmetrics.study.weights import Weights


def side_means(
    scores: Floats,
    criteria: Sequence[Criterion],
    weights: Weights,
    only: Sequence[int] | None = None,
) -> Floats:
    """Return weighted means over the criteria of utility, and of risk; NaN for a side of 0.

    Parameters
    ----------
    scores : array, anything x criteria
    criteria : sequence of Criterion
    weights : Weights
    only : sequence of int, optional
        Places of the criteria that count; by default all.
    """
    utility = np.array([criterion.utility for criterion in criteria])
    counts = np.isin(np.arange(len(utility)), only) if only is not None else True
    by_side = np.stack([utility, ~utility]) * counts * weights.vector()
    sums = by_side.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(scores @ (by_side / sums).T)


@dataclass(frozen=True)
class Map:
    """Where replicas and references stand, by weighted means of anchored scores.

    Attributes
    ----------
    table : Values
    weights : Weights
    scale : Scale
    caps : array of length n
        The share of the original that each replica does not hand out: the most its protection is.
    """

    table: Values
    weights: Weights
    scale: Scale
    caps: Floats

    def places(self) -> pd.DataFrame:
        """Return utility, protection, "front" and "reference" of replicas, then references."""
        n, references = len(self.table.replicas), self.scale.references
        sides = self._sides(np.vstack([self.table.table, self.scale.table]))
        sides[:n, 1] = np.minimum(sides[:n, 1], self.caps)
        sides[n:][np.isnan(self.scale.table).any(axis=1)] = np.nan
        front = np.zeros(len(sides), dtype=bool)
        front[:n] = sensitivity.pareto(sides[:n]) & ~np.isnan(sides[:n]).any(axis=1)
        names = [*self.table.replicas, *(f"{name} (reference)" for name in references)]
        out = pd.DataFrame(
            sides, index=pd.Index(names, name="data"), columns=["utility", "protection"]
        )
        return out.assign(front=front, reference=np.arange(len(sides)) >= n)

    def interval_ends(self, tables: Floats) -> Floats:
        """Return the ends of the two coordinates, replicas x 4, from tables that were drawn again.

        None is given of a protection that is what the replica hands out of the original.
        """
        times, n, k = tables.shape
        sides = self._sides(tables.reshape(times * n, k)).reshape(times, n, 2)
        sides[:, self.places()["protection"].to_numpy()[:n] >= self.caps, 1] = np.nan
        sides[:, :, 1] = np.minimum(sides[:, :, 1], self.caps)
        return np.stack(intervals(sides, LEVEL), axis=2).reshape(n, 4)

    def _sides(self, values: Floats) -> Floats:
        scores = counted(anchored(values, self.scale.anchors))
        return side_means(scores, self.table.criteria, self.weights, self.scale.scaled)
