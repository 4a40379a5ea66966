"""Whether training records have more of the replica around them than holdout records have."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.attacks.membership import rank_test, top_records
from sdcmetrics.measures.exchangeable import LabelTest, label_test
from sdcmetrics.measures.neighbours import Around
from sdcmetrics.measures.prediction.scores import auc
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.arrays import Floats

_TOP = 0.01


@dataclass(frozen=True)
class LinkabilityDistance:
    """How well distances tell training from holdout records.

    Attributes
    ----------
    epsilon : float
        Median distance of a real record to its nearest synthetic record.
    nearest_auc, nearest_p : float, 0 to 1
        Corrected: the same for being nearer to the nearest synthetic record, and its one-sided p
        by permuted labels.
    top : LabelTest
        Labels of the 1 % of all real records that are nearest, whose p is exact.
    around : Around
        Of training records and then holdout records.
    """

    epsilon: float
    nearest_auc: float
    nearest_p: float
    top: LabelTest
    around: Around = field(repr=False, compare=False)

    @cached_property
    def auc(self) -> float:
        """Published: chance that a random training record has more of the replica within epsilon.

        Than a random holdout record; equal shares count half. 0 to 1.
        """
        shares = self.around.count(self.epsilon).astype(np.float64)
        training = np.arange(len(shares)) < self.top.n_training
        return auc(training, shares)

    @property
    def raw(self) -> float:
        """1 - (2 AUC - 1): the published score before it is cut to 0 to 1."""
        return 2.0 - 2.0 * self.auc

    @property
    def printed(self) -> float:
        """1 - AUC, as the formula is printed; 0.5 where nothing leaks."""
        return 1.0 - self.auc


def linkability_distance(
    training: Floats,
    synthetic: Floats,
    holdout: Floats,
    *,
    seed: int = 1,
    households: Households | None = None,
) -> LinkabilityDistance:
    """Compare distances of training and of holdout records to the replica.

    Parameters
    ----------
    training, synthetic, holdout : float arrays of shape (records, dimensions)
        Points whose axes do not depend on who was trained on, such as those of `famd` fitted to
        training and holdout records together.
    seed : int
        Of the permutations: below 20 records in a data set, and of households.
    households : Households, optional
        Of training and holdout records.

    References
    ----------
    Visani et al. (2022), arXiv 2204.06297, section 6.2; Hilprecht, Harterich and Bernau (2019),
    Proceedings on Privacy Enhancing Technologies, for epsilon.

    Examples
    --------
    >>> sets = [[0.0, 1, 2.5, 6], [0.1, 1.05, 2.4, 4], [0.6, 3.4, 5]]
    >>> result = linkability_distance(*(np.array(values)[:, None] for values in sets))
    >>> round(result.epsilon, 4), round(result.auc, 4), round(result.raw, 4)
    (0.45, 0.7083, 0.5833)
    """
    n = len(training)
    around = Around(np.concatenate([training, holdout]), synthetic)
    epsilon = float(np.median(around.nearest))
    nearest_auc, p = rank_test(-around.nearest, n, seed, households)
    return LinkabilityDistance(
        epsilon=epsilon,
        nearest_auc=nearest_auc,
        nearest_p=p,
        top=label_test(
            top_records(-around.nearest, math.floor(_TOP * len(around.nearest))),
            n,
            households,
            seed,
        ),
        around=around,
    )


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
    out: Floats = -np.log(np.maximum(right, _SMALLEST))
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
    >>> result = error_gap(np.array([0.1, 0.2, 0.2, 0.5, 0.9]), np.array([0.2, 0.3, 0.4, 0.8]))
    >>> round(result.gap, 4), result.tau, result.auc
    (0.35, 0.3, 0.6)
    """
    at = np.unique(np.concatenate([training, holdout]))
    below = [np.searchsorted(np.sort(each), at) / len(each) for each in (training, holdout)]
    gaps = np.append(0.0, below[0] - below[1])
    best = int(np.argmax(gaps))
    auc, p = rank_test(-np.concatenate([training, holdout]), len(training), seed, households)
    return ErrorGap(float(gaps[best]), float(np.append(np.inf, at)[best]), auc, p)
