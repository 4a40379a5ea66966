"""Data of the figures of the corrected tests; for internal eyes only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.daisynt.information_value import PowerGap
from sdcmetrics.suites.daisynt.one_variable import Discrepancy

_GROUPS = 30
_TAIL = 0.01
"""Share of records beyond each end of a histogram, counted in its outer groups."""
_GRID = np.linspace(0.0, 1.0, 101)
"""Steps of a ROC curve: finer ones are single records where few are positive."""


@dataclass(frozen=True)
class PowerTable:
    """Information values of variables by name, in the order of `found`."""

    names: tuple[str, ...]
    gap: PowerGap


@dataclass(frozen=True)
class Shape:
    """A number in holdout and replica: shares between `edges`, and how far these are apart."""

    name: str
    edges: Floats
    holdout: Floats
    synthetic: Floats
    discrepancy: Discrepancy


@dataclass(frozen=True)
class Numbers:
    """The numbers, those first whose distributions are furthest beyond chance."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class RocCurve:
    """How many of the target's second class a model finds at each share of false alarms.

    Attributes
    ----------
    learner, learnt_from : str
    x, y : float arrays
    auc : float
    """

    learner: str
    learnt_from: str
    x: Floats
    y: Floats
    auc: float


@dataclass(frozen=True)
class RocCurves:
    """The models of one target, of original and replica."""

    target: str
    curves: tuple[RocCurve, ...]


def shape(name: str, holdout: Floats, synthetic: Floats, discrepancy: Discrepancy) -> Shape:
    """Return the shares of two samples in groups of one width, NaN left out; not both constant."""
    parts = [values[~np.isnan(values)] for values in (holdout, synthetic)]
    both = np.concatenate(parts)
    low, high = np.quantile(both, (_TAIL, 1 - _TAIL), method="inverted_cdf")
    if low == high:  # nearly all records have one value
        low, high = both.min(), both.max()
    if (both == np.round(both)).all():
        # Groups of as many whole numbers each: others would show a comb.
        width = max(1.0, np.ceil((high - low + 1) / _GROUPS))
        edges = low - 0.5 + width * np.arange(np.ceil((high - low + 1) / width) + 1)
    else:
        edges = np.linspace(low, high, _GROUPS + 1)
    shares = [
        np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0] / len(values)
        for values in parts
    ]
    return Shape(name, edges, shares[0], shares[1], discrepancy)


def roc(positive: npt.NDArray[np.bool_], score: Floats) -> tuple[Floats, Floats]:
    """Return the ROC curve at whole percents of false alarms.

    Examples
    --------
    >>> x, y = roc(np.array([True, False, True, False]), np.array([0.9, 0.1, 0.4, 0.4]))
    >>> y[[0, 25, 50, 100]]   # the curve rises to 1/2 at once, then straight through the tie
    array([0.5 , 0.75, 1.  , 1.  ])
    """
    order = np.argsort(-score, kind="stable")
    last = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    true, false = (np.cumsum(labels)[last] for labels in (positive[order], ~positive[order]))
    x, y = np.append(0, false / false[-1]), np.append(0, true / true[-1])
    # Of several heights at one place the highest: np.interp takes the last of them.
    return _GRID, np.interp(_GRID, x, y)
