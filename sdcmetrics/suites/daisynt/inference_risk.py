"""How well a value is inferred from the replica, for people who were in it and for others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.survey.households import Households, relabelled
from sdcmetrics.microdata.arrays import Floats


@dataclass(frozen=True)
class InferenceRisk:
    """Errors of inferences over those of the mean, in two data sets.

    Attributes
    ----------
    training, holdout : float, 0 or more
        `error_ratio`: 0 where all is inferred, 1 what the mean gives, above 1 worse.
    p_value : float
        One-sided, by permuted labels: that the difference is as large, or larger. NaN where either
        has one value only, or none: then there is nothing to infer.
    """

    training: float
    holdout: float
    p_value: float

    @property
    def excess(self) -> float:
        """Holdout less training: what is inferred of people because they were in the original."""
        return self.holdout - self.training


def error_ratio(truth: Floats, guess: Floats) -> float:
    """Sum of squared errors over that around the mean; 1 - R squared. NaN of one value only.

    Parameters
    ----------
    truth, guess : float arrays of shape (n,) or (n, k)
        Of a category, the indicators of its levels and their chances.

    Examples
    --------
    >>> round(error_ratio(np.array([3.0, 5, 2, 8]), np.array([2.5, 5.5, 3, 6])), 6)
    0.261905
    """
    if not len(truth) or not np.ptp(truth, axis=0).any():
        return math.nan
    around = float(((truth - truth.mean(axis=0)) ** 2).sum())
    return float(((truth - guess) ** 2).sum()) / around


def inference_risk(
    truth: Floats,
    guess: Floats,
    n: int,
    *,
    permutations: int = 999,
    rng: np.random.Generator,
    households: Households | None = None,
) -> InferenceRisk:
    """Compare error ratios of training and holdout records.

    Parameters
    ----------
    truth, guess : float arrays of shape (records,) or (records, k)
        Training records first.
    n : int
        Training records.
    permutations : int
    rng : Generator
    households : Households, optional
        Of all records.
    """
    training, holdout = error_ratio(truth[:n], guess[:n]), error_ratio(truth[n:], guess[n:])
    if math.isnan(training + holdout):
        return InferenceRisk(training, holdout, math.nan)
    # A ratio is made of three sums, so that a permutation only adds up again.
    whole = [part.reshape(len(truth), -1) for part in (truth, guess)]
    errors = ((whole[0] - whole[1]) ** 2).sum(axis=1)
    squares = (whole[0] ** 2).sum(axis=1)
    totals = errors.sum(), squares.sum(), whole[0].sum(axis=0)

    def difference(members: npt.NDArray[np.int64]) -> float:
        inside: list[Any] = [errors[members].sum(), squares[members].sum()]
        inside.append(whole[0][members].sum(axis=0))
        outside = [t - i for t, i in zip(totals, inside, strict=True)]
        ratios = []
        for sums, count in ((inside, n), (outside, len(truth) - n)):
            ratios.append(sums[0] / (sums[1] - float((sums[2] ** 2).sum()) / count))
        return float(ratios[1] - ratios[0])

    observed = difference(np.arange(n))
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = [
            difference(relabelled(rng, len(truth), n, households)) for _ in range(permutations)
        ]
    as_much = int((~(np.array(drawn) < observed - 1e-12)).sum())  # sums in another order
    return InferenceRisk(training, holdout, (1 + as_much) / (1 + permutations))
