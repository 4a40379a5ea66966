"""Correlations of all columns, each category as a number: the mean target of its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.association.matrix import correlations
from sdcmetrics.microdata.arrays import Floats, Ints

_PAIR = 2


def target_means(codes: Ints, target: Ints, levels: int) -> Floats:
    """Mean target of the records of each level, drawn to the mean of all by one record.

    Parameters
    ----------
    codes, target : int arrays of shape (n,); the target is 0 or 1
    levels : int
        A level without a record has the mean of all.

    Returns
    -------
    float array of shape (levels,)

    Notes
    -----
    CatBoost's target statistic as a mapping. What CatBoost gives its own training records takes
    those before each only, and depends on their order: a replica equal to them would not score 1.

    Examples
    --------
    >>> target_means(np.array([0, 0, 1, 0]), np.array([1, 0, 1, 1]), 3).round(4).tolist()
    [0.6875, 0.875, 0.75]
    """
    size = np.bincount(codes, minlength=levels)
    sums = np.bincount(codes, weights=target, minlength=levels)
    out: Floats = (sums + target.mean()) / (size + 1.0)
    return out


@dataclass(frozen=True)
class TargetCorrelations:
    """Spearman's correlations of every two columns in two data sets.

    Attributes
    ----------
    names : tuple of str
        Columns that vary in both.
    test, synthetic : float arrays of shape (columns, columns)
    """

    names: tuple[str, ...]
    test: Floats
    synthetic: Floats

    @property
    def cosine(self) -> float:
        """Cosine of both matrices, diagonal included: 1 less the correlation matrix distance.

        References
        ----------
        Herdin, Czink, Ozcelik and Bonek (2005), IEEE Vehicular Technology Conference.
        """
        size = np.linalg.norm(self.test) * np.linalg.norm(self.synthetic)
        return float((self.test * self.synthetic).sum() / size)


def target_correlations(
    test: Sequence[Floats], synthetic: Sequence[Floats], names: Sequence[str]
) -> TargetCorrelations:
    """Correlate the columns of two data sets, categories being numbers already.

    Raises
    ------
    NotComputable
        If fewer than two columns vary in both.
    """
    varying = [
        i for i, both in enumerate(zip(test, synthetic, strict=True)) if all(map(np.ptp, both))
    ]
    if len(varying) < _PAIR:
        msg = "fewer than two columns vary in both data sets"
        raise NotComputable(msg)
    matrices = [
        correlations(np.array([part[i] for i in varying]), "spearman") for part in (test, synthetic)
    ]
    return TargetCorrelations(tuple(names[i] for i in varying), matrices[0], matrices[1])
