"""A rule that cuts numbers at the deciles of chosen data sets, groups closed on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import CodedVariable, Rule, pack
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import label_of
from sdcmetrics.microdata.grouping import usable
from sdcmetrics.microdata.schema import Variable

Quantile = Literal["linear", "inverted_cdf"]

_TENTHS = np.arange(1, 10) / 10


def decile_edges(values: Floats, method: Quantile = "linear") -> Floats:
    """Return the inner ends of the groups between deciles; equal deciles are one end.

    Parameters
    ----------
    values : float array without NaN
    method : "linear" or "inverted_cdf"
        Linear is type 7. The inverse of the distribution function takes values that occur, so
        that the groups of log(x) are those of x.

    Examples
    --------
    >>> decile_edges(np.array([0.0] * 8 + [1, 2, 2, 3, 5, 8, 13, 21])).tolist()
    [0.0, 0.5, 2.0, 2.5, 5.0, 10.5]
    """
    if not len(values):
        return np.empty(0)
    edges: Floats = np.unique(np.quantile(values, _TENTHS, method=method))
    return edges


def by_deciles(reference: Sequence[int], method: Quantile = "linear") -> Rule:
    """Return the rule that groups numbers and dates between the deciles of some data sets.

    Parameters
    ----------
    reference : positions of the data sets whose values, together, make the deciles
    method : see `decile_edges`

    Notes
    -----
    The first group is open below and the last one above, so that no value is outside; missing
    values, and each missing code, are groups of their own. Categories keep their levels.
    """

    def rule(variable: Variable) -> CodedVariable:
        if variable.kind not in (Kind.NUMBER, Kind.DATE):
            return pack(variable.name, variable.levels, variable.codes)
        together = np.concatenate([variable.values[part] for part in reference])
        edges = decile_edges(usable(together, variable.missing_codes), method)
        parts = []
        for values in variable.values:
            codes = np.searchsorted(edges, values, side="left").astype(np.int32)
            for i, code in enumerate(variable.missing_codes):
                codes[values == code] = len(edges) + 1 + i
            codes[np.isnan(values)] = -1
            parts.append(codes)
        labels = [f"group {i + 1}" for i in range(len(edges) + 1)]
        return pack(variable.name, (*labels, *map(label_of, variable.missing_codes)), parts)

    return rule
