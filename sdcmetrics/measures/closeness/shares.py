"""Distances from synthetic records to the closest real records: of the training data, of a holdout.

A replica that has learned the population is as close to fresh records as to those that it was
trained on. Every function takes `ClosestRecords`. Distances tell of copying and nothing else: a
replica that passes can still be attacked.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError
from sdcmetrics.results import Share

_DECIMALS = 12  # of a mean of exact shares: what rounding leaves


@dataclass(frozen=True)
class ClosestRecords:
    """What is closest to each synthetic record.

    Attributes
    ----------
    training, holdout : arrays of shape (synthetic records,)
        Distance to the closest training record and to the closest holdout record.
    n_training, n_holdout : int
        Records that were searched.
    copies_training, copies_holdout : bool arrays of shape (synthetic records,)
        Whether a training record, a holdout record, has the same value in every column.
    of_training : float array of shape (synthetic records,), optional
        Share of training records among the real records that are closest; without it, ties are
        split by the sizes of both data sets, as the published figures have it.

    Raises
    ------
    DataError
        If there are no records, or not one distance for each on both sides.
    """

    training: npt.NDArray[Any]
    holdout: npt.NDArray[Any]
    n_training: int
    n_holdout: int
    copies_training: npt.NDArray[np.bool_]
    copies_holdout: npt.NDArray[np.bool_]
    of_training: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        sides = (self.training, self.holdout, self.copies_training, self.copies_holdout)
        if {len(side) for side in sides} != {self.n} or min(self.sizes) < 1:
            msg = "closest records: expected one distance per synthetic record, to each data set."
            raise DataError(msg)

    @property
    def n(self) -> int:
        """Number of synthetic records."""
        return len(self.training)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Number of training, synthetic and holdout records."""
        return self.n_training, self.n, self.n_holdout

    @property
    def closer(self) -> int:
        """Synthetic records that are closer to a training record than to any holdout record."""
        return int((self.training < self.holdout).sum())

    @property
    def further(self) -> int:
        """Synthetic records that are closer to a holdout record than to any training record."""
        return int((self.training > self.holdout).sum())

    @property
    def equal(self) -> int:
        """Synthetic records that are as close to a training as to a holdout record."""
        return self.n - self.closer - self.further

    @property
    def of_ties(self) -> Fraction:
        """Part of the equally close records that the published figures count as training data."""
        return Fraction(self.n_training, self.n_training + self.n_holdout)


def dcr_share(closest: ClosestRecords) -> float:
    """Share of synthetic records closer to the training data than to the holdout (DCR share).

    Returns
    -------
    float, 0 to 1
        Lower is better down to what chance gives: n_T / (n_T + n_H); 1 for copies without
        duplicates in the holdout. A record that is as close to both counts the share of training
        records among those at its smallest distance.

    References
    ----------
    Platzer and Reutterer (2021), Frontiers in Big Data 4, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.zeros(4, dtype=bool)
    >>> closest = ClosestRecords(np.array([0, 1, 2, 2]), np.array([1, 1, 2, 1]), 5, 5, none, none)
    >>> closest.closer, closest.equal, closest.further, dcr_share(closest)
    (1, 2, 1, 0.5)
    """
    if closest.of_training is not None:
        return share_of_training(closest.of_training)
    return float((closest.closer + closest.of_ties * closest.equal) / closest.n)


def share_of_training(of_training: npt.NDArray[np.float64]) -> float:
    """Return the mean share of training records among those at the smallest distance."""
    return round(float(of_training.mean()), _DECIMALS)


def dcr_training(closest: ClosestRecords) -> float:
    """Mean distance to the closest training record (DCR); 0 or more, 0 if all are copies.

    To be read beside `dcr_holdout`: what matters is whether it is smaller.

    References
    ----------
    Park et al. (2018), VLDB 11(10); Platzer and Reutterer (2021), Frontiers in Big Data 4.
    """
    return float(np.mean(closest.training, dtype=np.float64))


def dcr_holdout(closest: ClosestRecords) -> float:
    """Mean distance to the closest holdout record (DCR): what is expected without copying."""
    return float(np.mean(closest.holdout, dtype=np.float64))


def ims_training(closest: ClosestRecords) -> Share:
    """Identical Match Share: synthetic records equal to a training record in every value.

    To be read beside `ims_holdout`: common records are matched by chance, in fresh data too.

    References
    ----------
    Platzer and Reutterer (2021), Frontiers in Big Data 4, section 3.2.
    """
    return Share(int(closest.copies_training.sum()), closest.n)


def ims_holdout(closest: ClosestRecords) -> Share:
    """Identical Match Share with the holdout: what is expected without copying."""
    return Share(int(closest.copies_holdout.sum()), closest.n)
