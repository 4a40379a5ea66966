"""Whether a model of the replica is more right about training records than about others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.attacks.membership import rank_test
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.arrays import Floats

_SMALLEST = 1e-15
"""A probability of 0 for what is true would be an infinite error."""


@dataclass(frozen=True)
class ErrorGap:
    """Errors of training records beside those of holdout records.

    Attributes
    ----------
    gap : float, 0 to 1
        Largest excess of training records below a threshold (Kolmogorov and Smirnov, one-sided).
    tau : float
        The threshold; infinite where no gap is above 0.
    auc : float, 0 to 1
        Chance that a random training record has the smaller error; equal ones count half.
    p_value : float
        One-sided, of the AUC, by permuted labels.
    """

    gap: float
    tau: float
    auc: float
    p_value: float


def log_loss(truth: npt.NDArray[np.integer], chance: Floats) -> Floats:
    """Cross-entropy of each record whose truth is 0 or 1, from the chance of 1."""
    right = np.where(truth == 1, chance, 1 - chance)
    out: Floats = -np.log(np.clip(right, _SMALLEST, 1 - _SMALLEST))
    return out


def error_gap(
    training: Floats, holdout: Floats, *, seed: int = 1, households: Households | None = None
) -> ErrorGap:
    """Compare errors of a model of the replica on training and on holdout records.

    Parameters
    ----------
    training, holdout : float arrays, one error per record
    seed : int
        Of the permutations: below 20 records in a data set, and of households.
    households : Households, optional
        Of training and holdout records.

    Examples
    --------
    >>> found = error_gap(np.array([0.1, 0.2, 0.2, 0.5, 0.9]), np.array([0.2, 0.3, 0.4, 0.8]))
    >>> round(found.gap, 4), found.tau, found.auc
    (0.35, 0.3, 0.6)
    """
    at = np.unique(np.concatenate([training, holdout]))
    below = [np.searchsorted(np.sort(each), at) / len(each) for each in (training, holdout)]
    gaps = np.append(0.0, below[0] - below[1])
    best = int(np.argmax(gaps))
    auc, p = rank_test(-np.concatenate([training, holdout]), len(training), seed, households)
    return ErrorGap(float(gaps[best]), float(np.append(np.inf, at)[best]), auc, p)
