"""Normalised mutual information of every two columns, on bins of the original."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.association.difference import AssociationDifference
from sdcmetrics.measures.crosstables.margins import count_two_way
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import Coded

Codes = list[npt.NDArray[np.signedinteger]]

_SHUFFLES = 10
"""Of every column: their mean is what chance gives, with a third of one draw's noise."""


def compare_information(coded: Coded, *, rng: np.random.Generator) -> AssociationDifference:
    """Compare the normalised mutual information of original and replica, less what chance gives.

    Both data sets are cut to one size, since chance gives small data sets more.

    Parameters
    ----------
    coded : Coded
        Numbers on bins of the original, such as `by_training(10)` makes.
    rng : numpy Generator
        Draws the records of the larger data set, and the shuffles that chance is told by.
    """
    variables = list(coded.variables.values())
    size = min(coded.sizes[:2])
    matrices = []
    for part in (0, 1):
        columns: Codes = [variable.parts[part] for variable in variables]
        if coded.sizes[part] > size:
            rows = rng.choice(coded.sizes[part], size, replace=False)
            columns = [column[rows] for column in columns]
        chance = [
            _information([rng.permutation(column) for column in columns]) for _ in range(_SHUFFLES)
        ]
        matrices.append(normalised_information(columns, chance=np.mean(chance, axis=0)))
    names = tuple(variable.name for variable in variables)
    return AssociationDifference(names, matrices[0], matrices[1])


def normalised_information(columns: Codes, *, chance: Floats | None = None) -> Floats:
    """Mutual information of every two columns of codes, over the mean of their entropies.

    Parameters
    ----------
    columns : sequence of int arrays of shape (n,)
    chance : float array of shape (columns, columns), optional
        Mutual information that chance gives; taken off numerator and denominator.

    Returns
    -------
    float array of shape (columns, columns)
        The diagonal is 1. NaN where a column is constant; without `chance` 1 where both are, as
        in scikit-learn, and 0 where one is.

    Examples
    --------
    >>> x, y = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> normalised_information([x, x, y])
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    shared = _information(columns)
    entropy = np.diag(shared).copy()
    mean = (entropy[:, None] + entropy[None, :]) / 2
    if chance is None:
        out = np.where(mean > 0, shared / np.where(mean > 0, mean, 1.0), 1.0)
    else:
        least = np.minimum(entropy[:, None], entropy[None, :]) > 0
        room = mean - chance
        out = np.where(least & (room > 0), (shared - chance) / np.where(room > 0, room, 1), np.nan)
    np.fill_diagonal(out, 1.0)
    return out


def _information(columns: Codes) -> Floats:
    """Return the mutual information of every two columns, entropies on the diagonal."""
    sizes = [int(column.max()) + 1 for column in columns]
    entropy = [_entropy(np.bincount(c, minlength=k)) for c, k in zip(columns, sizes, strict=True)]
    out = np.diag(np.array(entropy, dtype=np.float64))
    for i, j in _pairs(len(columns)):
        joint = _entropy(count_two_way(columns[i], columns[j], (sizes[i], sizes[j])))
        out[i, j] = out[j, i] = max(0.0, entropy[i] + entropy[j] - joint)
    return out


def _entropy(counts: npt.NDArray[np.integer]) -> float:
    filled = counts[counts > 0].astype(np.float64)
    if len(filled) == 1:  # the difference below is not 0 for every n
        return 0.0
    n = float(filled.sum())
    return float(np.log(n) - (filled * np.log(filled)).sum() / n)


def _pairs(size: int) -> Iterator[tuple[int, int]]:
    return itertools.combinations(range(size), 2)
