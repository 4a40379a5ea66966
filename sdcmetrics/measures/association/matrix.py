"""Association of every two columns: numbers, categories, and one with the other.

====================  ==============================================================  =========
columns               association                                                     range
====================  ==============================================================  =========
numbers               Pearson's or Spearman's correlation                             -1 to 1
a category, a number  correlation ratio eta: root of the share of the number's        0 to 1
                      variance that lies between the levels
categories            Cramer's V: root of chi-square over its largest value           0 to 1
====================  ==============================================================  =========

In small samples eta and V of independent columns are far above 0, the more so the more levels
there are. They are corrected for that unless the published definitions are asked for.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.margins import count_two_way
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.mixed import Mixed

Mode = Literal["corrected", "plain", "published"]
Numbers = Literal["pearson", "spearman"]


def association_matrix(
    data: Mixed, *, mode: Mode = "corrected", numbers: Numbers = "pearson"
) -> Floats:
    """Return the association of every two columns of one data set.

    Parameters
    ----------
    data : Mixed
        A missing category is a level; a missing number leaves its record out of the pairs of that
        column.
    mode : "corrected", "plain" or "published"
        Corrected: V after Bergsma, eta squared less what chance gives. Plain: without these.
        Published: what SynthEval computes, which is eta squared, and V squared with Yates'
        correction in tables of two by two.
    numbers : "pearson" or "spearman"

    Returns
    -------
    float array of shape (columns, columns)
        Categories first, then numbers, as in `data.names`; the diagonal is 1. NaN where a
        column is constant, in published mode 0 for categories.
    """
    k, size = len(data.categories), len(data.names)
    out = np.eye(size)
    tables = itertools.combinations(range(k), 2)
    for i, j in tables:
        shape = (len(data.levels[i]), len(data.levels[j]))
        counts = count_two_way(data.codes[i], data.codes[j], shape)
        out[i, j] = out[j, i] = cramers_v(counts, mode=mode)
    if data.numeric:
        centred = [_centred(column) for column in data.numbers]
        for i, codes in enumerate(data.codes):
            out[i, k:] = out[k:, i] = _eta(codes, len(data.levels[i]), centred, mode)
        out[k:, k:] = correlations(data.numbers, numbers)
    return out


def cramers_v(counts: npt.NDArray[np.integer], *, mode: Mode = "corrected") -> float:
    """Cramer's V of a two-way table; levels that do not occur are left out.

    Returns
    -------
    float, 0 to 1
        NaN where one of the variables is constant, in published mode 0.

    References
    ----------
    Cramer (1946), Mathematical Methods of Statistics; Bergsma (2013), A bias-correction for
    Cramer's V and Tschuprow's T, Journal of the Korean Statistical Society 42.

    Examples
    --------
    >>> cramers_v(np.array([[5, 0], [0, 5]]), mode="plain")
    1.0
    >>> cramers_v(np.array([[5, 0], [0, 5]]), mode="published")  # of ten records, Yates takes a lot
    0.64
    """
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    table = counts[np.ix_(rows > 0, columns > 0)].astype(np.float64)
    rows, columns = rows[rows > 0], columns[columns > 0]
    n, (r, c) = float(rows.sum()), table.shape
    if min(r, c) < 2:  # noqa: PLR2004  (a constant)
        return 0.0 if mode == "published" else np.nan
    expected = np.outer(rows, columns) / n
    off = table - expected
    if mode == "published" and (r, c) == (2, 2):
        off = np.abs(off) - np.minimum(0.5, np.abs(off))
    phi2 = float((np.square(off) / expected).sum()) / n
    if mode == "published":
        return float(phi2 / (min(r, c) - 1))
    if mode == "corrected":
        phi2 = max(0.0, phi2 - (r - 1) * (c - 1) / (n - 1))
        r, c = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    most = min(r, c) - 1
    return float(np.sqrt(min(1.0, phi2 / most))) if most > 0 else np.nan


def eta(
    codes: npt.NDArray[np.integer], levels: int, numbers: Floats, *, mode: Mode = "corrected"
) -> Floats:
    """Correlation ratio of a category and each of several columns of numbers.

    Parameters
    ----------
    codes : int array of shape (n,)
    levels : int
    numbers : float array of shape (columns, n)

    Returns
    -------
    float array of shape (columns,), 0 to 1
        NaN where the category or the number is constant; in published mode 0 for the category.

    References
    ----------
    Pearson (1911), On a correction to be made to the correlation ratio, Biometrika 8; the
    correction is Ezekiel's, n - 1 over n - levels.

    Examples
    --------
    >>> eta(np.array([0, 0, 1, 1]), 2, np.array([[1.0, 1, 3, 3], [1, 3, 1, 3]]), mode="plain")
    array([1., 0.])
    """
    return _eta(codes, levels, [_centred(column) for column in numbers], mode)


_Centred = tuple[npt.NDArray[np.bool_] | None, Floats, float]
"""Where a column has values (None: everywhere), these less their mean, and the sum of squares."""


def _centred(column: Floats) -> _Centred:
    there: npt.NDArray[np.bool_] | None = ~np.isnan(column)
    if np.all(there):
        there = None
    values = column if there is None else column[there]
    if len(values) == 0 or np.ptp(values) == 0:
        return there, values, math.nan
    off = values - values.mean()
    return there, off, float(off @ off)


def _eta(
    codes: npt.NDArray[np.integer], levels: int, columns: Sequence[_Centred], mode: Mode
) -> Floats:
    index = codes.astype(np.intp)
    size = np.bincount(index, minlength=levels).astype(np.float64)
    out = np.full(len(columns), np.nan)
    for j, (there, off, total) in enumerate(columns):
        if math.isnan(total):
            continue
        place, here = index, size
        if there is not None:
            place = index[there]
            here = np.bincount(place, minlength=levels).astype(np.float64)
        n, k = len(off), int((here > 0).sum())
        sums = np.bincount(place, weights=off, minlength=levels)
        ratio = float((np.square(sums) / np.maximum(here, 1)).sum()) / total
        if mode == "published":
            out[j] = ratio
        elif k > 1 and mode == "plain":
            out[j] = np.sqrt(min(1.0, ratio))
        elif 1 < k < n:
            out[j] = np.sqrt(max(0.0, 1 - (1 - ratio) * (n - 1) / (n - k)))
    return out


def correlations(numbers: Floats, method: Numbers = "pearson") -> Floats:
    """Pearson's or Spearman's correlation of every two columns, of the records that have both.

    Parameters
    ----------
    numbers : float array of shape (columns, n)
        NaN is missing. Spearman's ranks are those among the values of a column.
    method : "pearson" or "spearman"

    Returns
    -------
    float array of shape (columns, columns), -1 to 1
        The diagonal is 1, also for a constant, whose other entries are NaN.

    Examples
    --------
    >>> correlations(np.array([[1.0, 2, 3], [1, 4, 9]]), "spearman")
    array([[1., 1.],
           [1., 1.]])
    """
    values = np.array(numbers, dtype=np.float64)
    there = ~np.isnan(values)
    if method == "spearman":
        for column, present in zip(values, there, strict=True):
            column[present] = lazy.stats.rankdata(column[present])
    varies = np.array(
        [len(column) > 0 and bool(np.ptp(column) > 0) for column in map(_present, values)]
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        values[~there] = 0.0
        values -= (values.sum(axis=1) / there.sum(axis=1))[:, None]
        spread = np.sqrt((np.square(values) * there).sum(axis=1) / there.sum(axis=1))
        values /= np.where(varies, spread, np.nan)[:, None]
        values[~there] = 0.0
        if there.all():
            out = values @ values.T / values.shape[1]
        else:
            mask = there.astype(np.float64)
            n, sums, squares = mask @ mask.T, values @ mask.T, np.square(values) @ mask.T
            cross = values @ values.T - sums * sums.T / n
            variances = squares - np.square(sums) / n
            out = cross / np.sqrt(variances * variances.T)
    np.fill_diagonal(out, 1.0)
    result: Floats = np.clip(out, -1.0, 1.0)
    return result


def _present(column: Floats) -> Floats:
    return column[~np.isnan(column)]
