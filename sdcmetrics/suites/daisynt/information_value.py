"""Predictive power: the information value (IV) of each variable for a target of two classes.

Everything is a function of counts: how many records of each class every group of a variable has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.survey.households import Households, relabelled
from sdcmetrics.microdata.arrays import Counts, Floats

_FEWEST = 3
"""Variables for a correlation: that of two points is 1 or -1 whatever they are."""


def information_value(counts: npt.ArrayLike, *, add: float = 0.0) -> float:
    """Information value: sum over groups of (g - d) ln(g / d), g and d shares of both classes.

    Parameters
    ----------
    counts : array of shape (2, groups)
        Records of one class of the target, and of the other; a group without any is left out.
    add : float
        Added to every count: 0.5 is usual where a class lacks a group, whose term is infinite.

    Returns
    -------
    float, 0 or more
        0 where the groups say nothing of the class; infinite where a group has one class only.

    References
    ----------
    Zdravevski, Lameski and Kulakov (2011); it is Jeffreys' divergence of both distributions.

    Examples
    --------
    >>> round(information_value([[40, 30, 20, 10], [5, 10, 20, 15]]), 6)
    0.814787
    >>> information_value([[50, 30], [0, 10]])
    inf
    """
    cells = np.asarray(counts, dtype=np.float64)
    cells = cells[:, cells.sum(axis=0) > 0] if add == 0 else cells + add
    if not cells.sum(axis=1).all():
        return math.nan
    g, d = cells / cells.sum(axis=1, keepdims=True)
    if not (g.all() and d.all()):
        return math.inf
    return float(((g - d) * np.log(g / d)).sum())


def corrected_iv(counts: npt.ArrayLike) -> Floats:
    """Information value less what chance adds to it; NaN where a class lacks a group.

    Parameters
    ----------
    counts : array of shape (..., 2, groups)
        One table, or many of the same groups; a group without any record is left out.

    Returns
    -------
    float array of shape (...)

    Notes
    -----
    By the second order of Taylor's series, as counts of a class are multinomial: 1/2 sum
    [(1 + d/g)(1 - g)/G + (1 + g/d)(1 - d)/D]. Without an association that is (C - 1)(1/G + 1/D).
    The result may be below 0.

    Examples
    --------
    >>> float(corrected_iv([[40, 30, 20, 10], [5, 10, 20, 15]]).round(6))
    0.69187
    """
    cells = np.asarray(counts, dtype=np.float64)
    sizes = cells.sum(axis=-1)[..., None]
    filled = cells.sum(axis=-2) > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        g, d = np.moveaxis(cells / sizes, -2, 0)
        n_good, n_bad = np.moveaxis(sizes, -2, 0)
        chance = ((1 + d / g) * (1 - g) / n_good + (1 + g / d) * (1 - d) / n_bad) / 2
        terms = np.where(filled, (g - d) * np.log(g / d) - chance, 0.0)
    whole: Floats = terms.sum(axis=-1)
    return np.where(np.isfinite(whole), whole, np.nan)


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Pearson's correlation of two lists; NaN where one of them is constant.

    Examples
    --------
    >>> round(pearson([1, 2, 4], [1, 3, 4]), 4)
    0.9286
    """
    x, y = (np.asarray(each, dtype=np.float64) for each in (first, second))
    x, y = x - x.mean(), y - y.mean()
    size = math.sqrt(float((x @ x) * (y @ y)))
    return float(x @ y) / size if size else math.nan


def concordance(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Lin's concordance: a correlation that falls with a different mean or spread, -1 to 1.

    References
    ----------
    Lin (1989), Biometrics 45, 255-268.
    """
    x, y = (np.asarray(each, dtype=np.float64) for each in (first, second))
    (of_x, of_both), (_, of_y) = np.cov(x, y, ddof=0)
    whole = float(of_x + of_y + (x.mean() - y.mean()) ** 2)
    return 2 * float(of_both) / whole if whole else math.nan


@dataclass(frozen=True)
class PredictivePower:
    """Information values of every variable in two data sets.

    Attributes
    ----------
    test, synthetic : float arrays of shape (variables,)
    added : bool array of shape (variables,)
        Where 0.5 was added to every count, as a class lacks a group in either data set.
    """

    test: Floats
    synthetic: Floats
    added: npt.NDArray[np.bool_]

    @property
    def raw(self) -> float:
        """Pearson's correlation of both lists, -1 to 1.

        Raises
        ------
        NotComputable
            With fewer than 3 variables, or if all values of a list are equal.
        """
        if len(self.test) < _FEWEST:
            msg = f"a correlation over {len(self.test)} variables says nothing"
            raise NotComputable(msg)
        correlation = pearson(self.test, self.synthetic)
        if math.isnan(correlation):
            msg = "every variable has the same information value"
            raise NotComputable(msg)
        return correlation


def predictive_power(test: Sequence[Counts], synthetic: Sequence[Counts]) -> PredictivePower:
    """Compare information values, as published.

    Parameters
    ----------
    test, synthetic : sequences of int arrays of shape (2, groups)
        One per variable, over the same groups.

    Raises
    ------
    NotComputable
        If a data set has one class of the target only.
    """
    values, added = [], []
    for first, other in zip(test, synthetic, strict=True):
        filled = (first + other).sum(axis=0) > 0
        both = first[:, filled], other[:, filled]
        if not all(each.sum(axis=1).all() for each in both):
            msg = "a data set has one class of the target only"
            raise NotComputable(msg)
        added.append(not all(each.all() for each in both))
        values.append([information_value(each, add=0.5 * added[-1]) for each in both])
    pairs = np.array(values, dtype=np.float64).reshape(-1, 2)
    return PredictivePower(pairs[:, 0], pairs[:, 1], np.array(added, dtype=np.bool_))


@dataclass(frozen=True)
class PowerGap:
    """Corrected information values of a holdout and of a replica, and how far they are apart.

    Attributes
    ----------
    holdout, synthetic : float arrays of shape (variables,)
        `corrected_iv`; NaN where a class lacks a group.
    error : float array of shape (variables,)
        Standard deviation of synthetic less holdout, by resampled records.
    gap, ccc : float
        Largest absolute difference; Lin's concordance, NaN with fewer than 3 variables.
    fresh_gap, fresh_ccc : float
        Their means for fresh data in the replica's place, by permuted labels.
    gap_p, ccc_p : float
        Probability that fresh data are as far apart, or further.
    """

    holdout: Floats
    synthetic: Floats
    error: Floats
    gap: float
    ccc: float
    fresh_gap: float
    fresh_ccc: float
    gap_p: float
    ccc_p: float


def power_gap(
    groups: Sequence[npt.NDArray[Any]],
    target: npt.NDArray[Any],
    n_holdout: int,
    *,
    rng: np.random.Generator,
    permutations: int = 199,
    households: Households | None = None,
) -> PowerGap:
    """Compare information values of a holdout and of a replica beside fresh data.

    Parameters
    ----------
    groups : sequence of int arrays of shape (records,)
        The group of every record in each variable: holdout records first, then the replica's.
        Groups must not depend on which is which: cut numbers by both together.
    target : int array of shape (records,), 0 or 1
    n_holdout : int
    rng : Generator
    permutations : int
    households : Households, optional
        Of all records. `error` takes them to be independent all the same.

    Notes
    -----
    Fresh data are what holdout and replica together are with labels given at random, of the
    same numbers: resampling the holdout alone would not do, as its own chance is in both.

    Raises
    ------
    NotComputable
        If a data set has no record, or in no variable both classes have every group in both.
    """
    if not 0 < n_holdout < len(target):
        msg = "a data set has no record with a value of the target"
        raise NotComputable(msg)
    labels = [np.arange(n_holdout)]
    labels += [relabelled(rng, len(target), n_holdout, households) for _ in range(permutations)]
    holdout, synthetic, error = [], [], []
    for codes in groups:
        size = int(codes.max()) + 1
        cells = codes + size * target  # groups of class 0, then of class 1
        first = np.array([np.bincount(cells[some], minlength=2 * size) for some in labels])
        rest = np.bincount(cells, minlength=2 * size) - first
        tables = [each.reshape(-1, 2, size) for each in (first, rest)]
        holdout.append(corrected_iv(tables[0]))
        synthetic.append(corrected_iv(tables[1]))
        error.append(_error(first[0], rest[0], rng))
    values = np.array(holdout).T, np.array(synthetic).T
    apart = np.abs(values[0] - values[1])
    compared = ~np.isnan(apart)
    if not compared[0].any():
        msg = "in every variable a class of the target lacks a group"
        raise NotComputable(msg)
    gaps = np.where(compared, apart, 0.0).max(axis=1)
    gaps[~compared.any(axis=1)] = np.nan
    cccs = np.array([_ccc(*both) for both in zip(*values, strict=True)])
    return PowerGap(
        holdout=values[0][0],
        synthetic=values[1][0],
        error=np.array(error),
        gap=float(gaps[0]),
        ccc=float(cccs[0]),
        fresh_gap=_mean(gaps[1:]),
        fresh_ccc=_mean(cccs[1:]),
        # What cannot be compared counts as further apart.
        gap_p=float(1 + (~(gaps[1:] < gaps[0])).sum()) / (1 + permutations),
        ccc_p=float(1 + (~(cccs[1:] > cccs[0])).sum()) / (1 + permutations),
    )


_RESAMPLES = 200
"""A standard deviation of so many has an error of 5 %."""


def _error(first: Counts, second: Counts, rng: np.random.Generator) -> float:
    """Return the standard deviation of a variable's difference, records resampled."""
    drawn = [
        corrected_iv(
            rng.multinomial(cells.sum(), cells / cells.sum(), _RESAMPLES).reshape(_RESAMPLES, 2, -1)
        )
        for cells in (first, second)
    ]
    apart = drawn[1] - drawn[0]
    defined = apart[~np.isnan(apart)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else math.nan


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _ccc(holdout: Floats, synthetic: Floats) -> float:
    defined = ~np.isnan(holdout + synthetic)
    if defined.sum() < _FEWEST:
        return math.nan
    return concordance(holdout[defined], synthetic[defined])
