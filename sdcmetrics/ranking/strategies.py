"""From values to points: one column per measure, more points are better.

`rank` is the Comparative Metrics Framework's first approach, `linear`, `normal`, `quantile` and
`summation` are SynthEval's (Lautrup et al. 2024, section 3.2.1), `anchored` is the framework's
second approach: measures on one scale, between references that were computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.study.criteria import Criterion
from sdcmetrics.study.ranking import Strategy

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12
"""The same records in another order agree far better than this, and nothing else does."""


def level(table: Floats) -> Floats:
    """Make values of a column that differ by rounding only one value, so that they tie.

    The same records in another order give the same statistic but for its last digits, and no
    rank may depend on these. Values that agree to 9 digits, or to 12 decimals, count as one.

    Examples
    --------
    >>> level(np.array([[0.1 + 0.2], [0.5], [0.3]])).ravel().tolist()
    [0.3, 0.5, 0.3]
    """
    table = np.asarray(table, dtype=float)
    order = np.argsort(table, axis=0)  # NaN comes last
    values = np.take_along_axis(table, order, axis=0)
    same = np.isclose(values[1:], values[:-1], rtol=_RELATIVE, atol=_ABSOLUTE)
    first = np.zeros(table.shape, dtype=np.int64)
    first[1:] = np.where(same, 0, np.arange(1, len(table))[:, None])
    np.maximum.accumulate(first, axis=0, out=first)
    out = np.empty_like(table)
    np.put_along_axis(out, order, np.take_along_axis(values, first, axis=0), axis=0)
    return out


def goodness(table: Floats, criteria: Sequence[Criterion]) -> Floats:
    """Turn values so that more is better: lower is better with its sign changed, closest is best.

    Values that differ by rounding only are made one; see `level`.

    Examples
    --------
    >>> from sdcmetrics.study.criteria import criterion
    >>> goodness(np.array([[3.0, 0.9]]), [criterion("DiSCO"), criterion("ROC")]).tolist()
    [[-3.0, 0.9]]
    """
    out = np.array(table, dtype=float)
    for j, criterion in enumerate(criteria):
        if criterion.better == "lower":
            out[:, j] = -out[:, j]
        elif criterion.better == "closest":
            out[:, j] = -np.abs(out[:, j] - criterion.ideal)
    return level(out)


def rank(good: Floats) -> Floats:
    """Ranks of each column, 1 for the best; ties share the mean of their ranks, NaN is last.

    Examples
    --------
    >>> rank(np.array([[5.0], [9.0], [5.0], [1.0]])).ravel().tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    last = np.where(np.isnan(good), -np.inf, good)
    return _mean_ranks(last)


def linear(good: Floats) -> Floats:
    """Min-max: 1 for the best of the replicas, 0 for the worst, the others in proportion.

    A column in which all are equal is 0.5 throughout: it decides nothing. NaN is 0.

    Examples
    --------
    >>> linear(np.array([[5.0], [9.0], [1.0]])).ravel().tolist()
    [0.5, 1.0, 0.0]
    """
    low, high = _ends(good)
    span = high - low
    with np.errstate(invalid="ignore", divide="ignore"):
        out = np.where(span > 0, (good - low) / span, 0.5)
    return np.where(np.isnan(good), 0.0, out)


def normal(good: Floats) -> Floats:
    """Give 1 to the best, 0 to the worst and 0.5 to the rest; all get 0.5 where all are equal.

    Examples
    --------
    >>> normal(np.array([[5.0], [9.0], [1.0], [2.0]])).ravel().tolist()
    [0.5, 1.0, 0.0, 0.5]
    """
    low, high = _ends(good)
    out = 0.5 + 0.5 * (good == high) - 0.5 * (good == low)
    return np.where(np.isnan(good), 0.0, out)


def quantile(good: Floats) -> Floats:
    """Points 0 to 3 by quarters of the replicas; a value on an edge is in the lower quarter.

    Edges that coincide are one, so with ties there are fewer than four groups. NaN is 0.

    Examples
    --------
    >>> quantile(np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])).ravel().tolist()
    [0.0, 0.0, 1.0, 2.0, 3.0]
    """
    out = np.zeros_like(good)
    for j in range(good.shape[1]):
        present = ~np.isnan(good[:, j])
        if present.any():
            edges = np.unique(np.quantile(good[present, j], _QUARTERS))
            group = np.searchsorted(edges, good[present, j], side="left") - 1
            out[present, j] = np.clip(group, 0, None)
    return out


def summation(table: Floats, criteria: Sequence[Criterion]) -> Floats:
    """Values on 0 to 1 by each metric's own range, 1 for its best value.

    A range with one end, such as 0 to infinity, is bent: d / (1 + d) at a distance d from its
    end. "Closest" metrics are measured as a distance from the ideal. NaN is 0.

    Examples
    --------
    >>> from sdcmetrics.study.criteria import criterion
    >>> both = [criterion("DiSCO"), criterion("S_pMSE_two_way")]
    >>> summation(np.array([[25.0, 3.0]]), both).tolist()
    [[0.75, 0.25]]
    """
    columns = [_own_range(table[:, j], criterion) for j, criterion in enumerate(criteria)]
    out = level(np.stack(columns, axis=1)) if columns else np.zeros_like(table)
    return np.where(np.isnan(out), 0.0, out)


def points(strategy: Strategy, table: Floats, criteria: Sequence[Criterion]) -> Floats:
    """Return points, n x k, more being better; "rank" counts how many ranks above the last.

    The anchored strategy needs references and is not made here; see `anchors`.
    """
    if strategy == "summation":
        return summation(table, criteria)
    functions: dict[str, Callable[[Floats], Floats]] = {
        "rank": lambda good: len(good) - rank(good),
        "linear": linear,
        "normal": normal,
        "quantile": quantile,
    }
    return functions[strategy](goodness(table, criteria))


def order(totals: Floats) -> Floats:
    """Places by total points, 1 for the most; totals that differ by rounding only are ties.

    Examples
    --------
    >>> order(np.array([0.1 + 0.2, 0.3, 0.9])).tolist()
    [2.5, 2.5, 1.0]
    """
    return _mean_ranks(np.round(totals, 12))


def _mean_ranks(good: Floats) -> Floats:
    """Rank along the first axis, as scipy.stats.rankdata, which takes long to import."""
    better = (good[None] > good[:, None]).sum(axis=1)
    alike = (good[None] == good[:, None]).sum(axis=1)
    return np.asarray(better + (alike + 1) / 2)


def _own_range(values: Floats, criterion: Criterion) -> Floats:
    ends = (criterion.measure.low, criterion.measure.high)
    best, worst = ends if criterion.better == "lower" else ends[::-1]
    if criterion.better == "closest":
        best, worst = criterion.ideal, None
    if best is not None and worst is not None:
        return np.asarray((values - worst) / (best - worst))
    bent = 1.0 / (1.0 + np.abs(values - (best if best is not None else worst or 0.0)))
    return np.asarray(bent if best is not None else 1.0 - bent)


def _ends(good: Floats) -> tuple[Floats, Floats]:
    low = np.where(np.isnan(good), np.inf, good).min(axis=0)
    high = np.where(np.isnan(good), -np.inf, good).max(axis=0)
    return low, high
