"""What "near" means: Hamming's, Gower's and Euclid's distance between records.

A column of codes contributes 0 where the codes are equal and 1 where they differ. In a column of
numbers, two missing values are equal, and a missing value is as far from a number as two
categories are from each other.

============  ===============================================  ==============================
distance      a column of numbers contributes                  all columns together
============  ===============================================  ==============================
`Hamming`     (has none: numbers are cut into groups before)   their sum: columns that differ
`Gower`       abs(x - y) / range, at most 1; missing 1         their mean, 0 to 1
`Euclidean`   ((x - y) / scale) squared; missing 1             the root of their sum
============  ===============================================  ==============================

Gower's and the square of Euclid's distance are sums of fractions, in which the same distance can
come out in two ways that differ in the last digit. The sums are rounded to multiples of 2^-40
(some 1e-12; beyond 2^11 to 52 binary digits), so that such ties are ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.neighbours.points import Points
from sdcmetrics.microdata.arrays import Floats

_CERTAIN = 1e300  # a weight with which any difference counts in full


@dataclass(frozen=True)
class Hamming:
    """Number of columns in which two records differ; 0 to the number of columns."""


@dataclass(frozen=True)
class Gower:
    """Mean over columns of what they differ by, each from 0 to 1.

    Attributes
    ----------
    ranges : tuple of float
        Range of each column of numbers, at least 0. A difference beyond the range counts as 1;
        with a range of 0 any difference does.
    weights : tuple of float
        Of every column, codes first, at least 0 and not all 0; the mean over columns is then
        weighted. Empty for equal weights, which is faster.

    References
    ----------
    Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27.
    """

    ranges: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for what, given in (("range", self.ranges), ("weight", self.weights)):
            if not all(np.isfinite(size) and size >= 0 for size in given):
                msg = f"Gower: a {what} must be a number of at least 0."
                raise StudyError(msg)
        if self.weights and not any(self.weights):
            msg = "Gower: expected a weight above 0 but all are 0."
            raise StudyError(msg)


@dataclass(frozen=True)
class Euclidean:
    """Root of the sum of squared differences; 0 or more.

    Attributes
    ----------
    scales : tuple of float
        What each column of numbers is divided by, above 0: such as its standard deviation.
    """

    scales: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not all(np.isfinite(scale) and scale > 0 for scale in self.scales):
            msg = "Euclidean: a scale must be a number above 0; code a constant column instead."
            raise StudyError(msg)


Distance = Hamming | Gower | Euclidean


def weights(distance: Distance, columns: int) -> Floats:
    """What each column of numbers is multiplied by.

    Raises
    ------
    StudyError
        If the distance has not one range or scale for each of the columns.
    """
    given = {Gower: "ranges", Euclidean: "scales"}.get(type(distance))
    sizes = () if given is None else getattr(distance, given)
    if len(sizes) != columns:
        takes = "no column of numbers" if given is None else f"{len(sizes)} {given}"
        msg = (
            f"{type(distance).__name__}: it has {takes}, but the points have {columns} columns "
            "of numbers."
        )
        raise StudyError(msg)
    return np.array([1.0 / size if size * _CERTAIN > 1.0 else _CERTAIN for size in sizes])


def shares(distance: Distance, columns: int) -> Floats:
    """What each column counts for, codes first; 1 on average.

    Raises
    ------
    StudyError
        If the distance has weights for another number of columns.
    """
    given = distance.weights if isinstance(distance, Gower) else ()
    if not given:
        return np.ones(columns)
    if len(given) != columns:
        msg = f"Gower: it has {len(given)} weights, but the points have {columns} columns."
        raise StudyError(msg)
    return np.array(given) * (columns / float(np.sum(given)))


def contributions(queries: Points, references: Points, distance: Distance) -> Floats:
    """What each column contributes to the distance of pairs of records, before root and mean.

    Parameters
    ----------
    queries, references : Points of the same number of records
        Record i of the one is compared with record i of the other.
    distance : Hamming, Gower or Euclidean

    Returns
    -------
    float array of shape (columns, n)
        Columns of codes first, then columns of numbers.

    Examples
    --------
    >>> point = Points.from_columns(codes=[[0, 1]], numbers=[[1.0, float("nan")]])
    >>> other = Points.from_columns(codes=[[0, 2]], numbers=[[3.0, 3.0]])
    >>> contributions(point, other, Gower(ranges=(4.0,)))
    array([[0. , 1. ],
           [0.5, 1. ]])
    """
    scale = weights(distance, len(queries.numbers))[:, None]
    coded: Floats = (queries.codes != references.codes).astype(np.float64)
    if isinstance(distance, Hamming):
        return coded
    with np.errstate(over="ignore"):  # a certain difference is infinite, and then 1
        size = np.abs(queries.numbers - references.numbers) * scale
    size = np.minimum(size, 1.0) if isinstance(distance, Gower) else np.square(size)
    missing = np.isnan(queries.numbers), np.isnan(references.numbers)
    size[missing[0] | missing[1]] = 1.0
    size[missing[0] & missing[1]] = 0.0
    each = np.concatenate([coded, size])
    return each * shares(distance, len(each))[:, None]


def finish(sums: Floats, distance: Distance, columns: int) -> Floats:
    """Turn sums over columns into distances."""
    if isinstance(distance, Euclidean):
        return np.sqrt(sums)
    return sums / columns if isinstance(distance, Gower) else sums
