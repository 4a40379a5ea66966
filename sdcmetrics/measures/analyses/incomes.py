"""Quantiles and inequality: Gini, poverty, S80/S20 and Lorenz ordinates, with linearised errors.

Each influence is the derivative of the estimator by a record's weight. Where that needs a density,
it is a normal kernel's of width s / N^(1/5), as official statistics of income take it.

References
----------
Deville (1999), Survey Methodology 25(2), 193-203. Osier (2009), Survey Research Methods 3(3),
167-195. Kovacevic and Binder (1997), Journal of Official Statistics 13(1), 41-58.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.analyses.estimates import Estimates, Records, linearised
from sdcmetrics.measures.survey import linearised as survey
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Bools, Floats

FIFTH = 0.2
"""Of S80/S20."""


def quantile(records: Records, rows: Bools, variable: str, *, at: Sequence[float]) -> Estimates:
    """Estimate quantiles, with Woodruff's intervals and the errors that these stand for."""
    values = np.where(rows, records.numbers(variable), np.nan)
    observed = ~np.isnan(values)
    records.within(observed)
    df = records.design.degrees_of_freedom_within(observed)
    wide = 2.0 * float(lazy.stats.t.ppf(0.975, df))
    ends = [survey.quantile(values, p, records.design) for p in at]
    value, lower, upper = np.array(ends).T
    terms = tuple(f"{variable}, {100 * share:.15g} %" for share in at)
    return Estimates(terms, value, (upper - lower) / wide, lower, upper)


def gini(records: Records, rows: Bools, variable: str) -> Estimates:
    """Estimate the Gini coefficient, sum (2 r - 1) w y / (N T) - 1, r the weights up to a record.

    As convey has it. With weights of mean w it is above half the mean difference over the mean by
    about (w - 1) / N: less than one over the number of records. Records of one value stand in no
    order: each has the mean rank of its value.
    """
    values, weights = _incomes(records, rows, variable)
    order = np.argsort(values, kind="stable")
    y, w = values[order], weights[order]
    size, whole = w.sum(), w @ y
    first = np.concatenate([[True], y[1:] != y[:-1]])
    group = np.cumsum(first) - 1
    heap = np.bincount(group, w)
    before = np.cumsum(heap) - heap
    square = np.bincount(group, w**2)
    # the mean rank of a value's records, by weight; and what stands above a record, on average
    rank = (before + heap / 2 + np.divide(square, 2 * heap, where=heap > 0, out=0 * heap))[group]
    above = whole - np.cumsum(w * y)
    value = (w @ ((2 * rank - 1) * y)) / (size * whole) - 1
    upto = np.cumsum(heap * y[first])
    above = (whole - upto + (heap * y[first]) / 2)[group] + w * y / 2
    slope = (2 * rank - 1) * y + 2 * above - (value + 1) * (whole + size * y)
    influence = np.zeros(len(values))
    influence[order] = w * slope / (size * whole)
    return linearised([variable], [value], influence[:, None], records.design)


def poverty_threshold(records: Records, rows: Bools, variable: str, *, line: float) -> Estimates:
    """Estimate the poverty threshold: a share of the median."""
    values, weights = _incomes(records, rows, variable)
    threshold, influence = _threshold(values, weights, line)
    return linearised([variable], [threshold], influence[:, None], records.design)


def poverty_rate(records: Records, rows: Bools, variable: str, *, line: float) -> Estimates:
    """Estimate the share of people at or below the poverty threshold."""
    values, weights = _incomes(records, rows, variable)
    threshold, moved = _threshold(values, weights, line)
    poor = (values <= threshold).astype(np.float64)
    value = (weights @ poor) / weights.sum()
    influence = weights * (poor - value) / weights.sum()
    influence += _density(values, weights, threshold) * moved
    return linearised([variable], [value], influence[:, None], records.design)


def s80_s20(records: Records, rows: Bools, variable: str) -> Estimates:
    """Estimate the income of the richest fifth over that of the poorest fifth."""
    values, weights = _incomes(records, rows, variable)
    low, high = (_quantile(values, weights, share) for share in (FIFTH, 1 - FIFTH))
    poorest, poor = _upto(values, weights, low, FIFTH)
    rest, others = _upto(values, weights, high, 1 - FIFTH)
    richest = weights @ values - rest
    value = richest / poorest
    rich = weights * values - others
    influence = (rich - value * poor) / poorest
    return linearised([variable], [value], influence[:, None], records.design)


def lorenz(records: Records, rows: Bools, variable: str, *, at: Sequence[float]) -> Estimates:
    """Estimate Lorenz ordinates: the share of all income that the poorest have.

    The curve and the quantiles are straight between records. Records of one value stand in no
    order: each has the mean weight of its value.
    """
    values, weights = _incomes(records, rows, variable)
    whole = weights @ values
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    _, group, ties = np.unique(values[order], return_inverse=True, return_counts=True)
    even = (np.bincount(group, weights[order]) / ties)[group]
    people = np.cumsum(even) / weights.sum()
    income = np.cumsum(even * values[order]) / whole
    ordinates = np.interp(at, np.append(0.0, people), np.append(0.0, income))
    limits = np.interp(at, people, values[order])
    inside = np.where(values[:, None] <= limits, values[:, None] - limits, 0.0)
    pieces = inside + np.asarray(at) * limits - values[:, None] * ordinates
    influence = weights[:, None] * pieces / whole
    influence[:, np.isin(at, (0.0, 1.0))] = 0.0  # all have nothing of nothing, all of all
    terms = [f"{variable}, poorest {100 * share:.15g} %" for share in at]
    return linearised(terms, ordinates, influence, records.design)


def _incomes(records: Records, rows: Bools, variable: str) -> tuple[Floats, Floats]:
    """Return values (0 where left out) and weights.

    Raises
    ------
    NotComputable
        If the total is not above 0.
    """
    observed, weights = records.observed(variable, rows)
    if weights @ observed <= 0:
        msg = f"{records.source}: the total of {variable!r} is not above 0"
        raise NotComputable(msg)
    return observed, weights


def _quantile(values: Floats, weights: Floats, share: float) -> float:
    """Return the smallest value up to which the weighted share of records reaches `share`."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    at = int(np.searchsorted(reached, share * reached[-1] * (1.0 - 1e-12)))
    return float(values[order[at]])


def _upto(values: Floats, weights: Floats, limit: float, share: float) -> tuple[float, Floats]:
    """Return the total up to a quantile, and its influence.

    When the quantile moves, so does what lies beside it: the kernel's mean, as the density has it.
    """
    below = values <= limit
    total = float(weights @ (values * below))
    near = _kernel(values, weights, limit) * weights
    moved = (near @ values) / near.sum()
    return total, weights * ((values - moved) * below + share * moved)


def _threshold(values: Floats, weights: Floats, line: float) -> tuple[float, Floats]:
    median = _quantile(values, weights, 0.5)
    density = _density(values, weights, median)
    below = (values <= median).astype(np.float64)
    influence = -weights * (below - 0.5) / (weights.sum() * density)
    return line * median, line * influence


def _density(values: Floats, weights: Floats, at: float) -> float:
    return float(weights @ _kernel(values, weights, at) / weights.sum())


def _kernel(values: Floats, weights: Floats, at: float) -> Floats:
    """Return the normal density of each distance from a value.

    Raises
    ------
    NotComputable
        If all values are equal.
    """
    if np.ptp(values[weights > 0]) == 0:
        msg = "all values are equal, so that they have no density"
        raise NotComputable(msg)
    size = weights.sum()
    spread = np.sqrt(weights @ (values - weights @ values / size) ** 2 / size)
    width = spread / size**FIFTH
    near: Floats = np.exp(-(((at - values) / width) ** 2) / 2) / (width * np.sqrt(2 * np.pi))
    return near
