"""Statistical parity: how much more often one group has an outcome, in original and replica."""

from __future__ import annotations

import math

import numpy as np

from sdcmetrics.errors import ColumnError, NotComputable, did_you_mean
from sdcmetrics.measures.crosstables.margins import count_two_way
from sdcmetrics.suites.metric import Metric, Quantities, Quantity
from sdcmetrics.suites.syntheval import published
from sdcmetrics.suites.trio import Trio

_Z = 1.959963984540054
"""Normal quantile of a two-sided interval of 95 %."""
_BINARY = 2
_EMPTY = "a group is empty"


def newcombe(first: tuple[int, int], second: tuple[int, int]) -> tuple[float, float]:
    """Interval of 95 % for the difference of two shares, made of Wilson's (Newcombe 1998, 10).

    Parameters
    ----------
    first, second : tuples of count and total

    Examples
    --------
    Newcombe's first example, 56 of 70 and 48 of 80:

    >>> [round(end, 4) for end in newcombe((56, 70), (48, 80))]
    [0.0524, 0.3339]
    """
    p, low, high = _wilson(*first)
    q, other_low, other_high = _wilson(*second)
    return (
        p - q - math.hypot(p - low, other_high - q),
        p - q + math.hypot(high - p, q - other_low),
    )


def _wilson(count: int, total: int) -> tuple[float, float, float]:
    p, z = count / total, _Z
    centre = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    return p, centre - half, centre + half


def _parity(trio: Trio) -> Quantities:
    original = trio.original
    if not trio.target or not trio.sensitive:
        msg = "it needs a target and a sensitive column"
        raise NotComputable(msg)
    for name in (*trio.target, *trio.sensitive):
        if name not in original.names:
            msg = f"target and sensitive: there is no column {name!r}."
            msg += did_you_mean(name, original.names)
            raise ColumnError(msg)
    out: dict[str, Quantity] = {}
    for target in trio.target:
        for group in trio.sensitive:
            if target != group:
                out |= _of(trio, target, group)
    if not out:
        msg = "no target and sensitive column have two levels each in the original"
        raise NotComputable(msg)
    shifts = [
        abs(quantity.value) for name, quantity in out.items() if name.startswith("difference")
    ]
    mean = float(np.mean(shifts))
    if math.isnan(mean):
        return {"avg difference": Quantity(mean, reason=_EMPTY), **out}
    return {"avg difference": Quantity(mean, normalised=1 - min(1.0, mean)), **out}


def _of(trio: Trio, target: str, group: str) -> dict[str, Quantity]:
    names = trio.original.categories
    if target not in names or group not in names:
        return {}
    i, j = names.index(group), names.index(target)
    shape = (len(trio.original.levels[i]), len(trio.original.levels[j]))
    counts = count_two_way(trio.original.codes[i], trio.original.codes[j], shape)
    rows, columns = (np.flatnonzero(counts.sum(axis=axis)) for axis in (1, 0))
    if (len(rows), len(columns)) != (_BINARY, _BINARY):
        return {}
    where = f"{target} by {group}"
    out, rates = {}, []
    for name, part in (("original", trio.original), ("synthetic", trio.synthetic)):
        table = count_two_way(part.codes[i], part.codes[j], shape)[np.ix_(rows, columns)]
        sizes = table.sum(axis=1)
        if not sizes.all():
            value, reason = math.nan, _EMPTY
        else:
            high, low = ((int(table[g, 1]), int(sizes[g])) for g in (1, 0))
            value = high[0] / high[1] - low[0] / low[1]
            ends = newcombe(high, low)
            reason = f"interval of 95 %: {ends[0]:.3f} to {ends[1]:.3f}"
        rates.append(value)
        out[f"{name}: {where}"] = Quantity(value, better="none", reason=reason)
    apart = rates[1] - rates[0]
    reason = _EMPTY if math.isnan(apart) else ""
    out[f"difference: {where}"] = Quantity(apart, better="none", reason=reason)
    return out


PARITY = Metric(
    "statistical_parity",
    _parity,
    "fairness",
    ("avg difference",),
    published.parity,
    published_quantities=("statistical_parity",),
    defect="A forest is trained and tested on the replica alone, and never compared with the "
    "original: a faithful copy of an unfair original is called unfair.",
)
