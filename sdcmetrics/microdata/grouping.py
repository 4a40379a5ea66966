"""Rules that turn numbers into groups.

`quantile` and `equal` reproduce synthpop's grouping bit for bit: quantiles are of type 7 at
probabilities ``i * (1/n)`` (not ``i / n``), repeated breaks are dropped, groups are closed on
the left, and where there are no more than n distinct values each is a group of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.arrays import Counts, Floats, Ints32

STYLES = ("quantile", "equal")
_FEW_BREAKS = 16
_BUCKETS = 1024
_MANY = 1 << 15
_FEW = 64
_SAMPLE = 4096
_LARGEST_IN_32_BITS = 1 << 30  # so that differences are too
_MINIMUM_LEVELS = 3

_LARGEST_EXACT = 2.0**53


@dataclass(frozen=True)
class Groups:
    """Breaks of a grouped numeric variable.

    Attributes
    ----------
    breaks : float array of shape (groups + 1,)
        Increasing; group i is [breaks[i], breaks[i+1]), the last one closed on both sides.
        Empty when there was no number to group.
    missing_codes : tuple of float
        Codes that are levels of their own, after the groups.
    style : str
        The rule that was used in the end; the equal-width rule may have replaced quantiles.
    """

    breaks: Floats
    missing_codes: tuple[float, ...]
    style: str

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the groups, then of the missing codes. Labels are never used to match."""
        texts = _distinct_texts(self.breaks)
        pairs = list(itertools.pairwise(texts))
        groups = [f"[{low},{high})" for low, high in pairs[:-1]]
        groups += [f"[{low},{high}]" for low, high in pairs[-1:]]
        return (*groups, *(f"{code:.15g}" for code in self.missing_codes))

    def assign(self, values: Floats) -> Ints32:
        """Return the group of each value; missing codes follow the groups, NaN is -1."""
        inner = self.breaks[1:-1]
        group: Ints32
        if len(inner) <= _FEW_BREAKS:
            above = (values == values).view(np.uint8)  # noqa: PLR0124  (0 where it is NaN)
            for cut in inner.tolist():
                above += (values >= cut).view(np.uint8)
            group = above.astype(np.int32)
            group -= 1
        else:
            group = np.searchsorted(inner, values, side="right").astype(np.int32)
            group[np.isnan(values)] = -1
        for i, code in enumerate(self.missing_codes):
            group[values == code] = max(len(self.breaks) - 1, 0) + i
        return group


def check_groups(number: int, option: str = "ngroups") -> None:
    """Raise StudyError if an option asks for fewer than two groups: one says nothing."""
    if number < 2:  # noqa: PLR2004  (R's classInt refuses it, too)
        msg = f"{option}: expected a whole number of at least 2 but got {number}."
        raise StudyError(msg)


def group_numbers(
    original: Floats,
    syntheses: Sequence[Floats],
    *,
    ngroups: int,
    style: str = "quantile",
    missing_codes: tuple[float, ...] = (),
    fewest: int = _MINIMUM_LEVELS,
    counts: Sequence[Counts] = (),
) -> Groups:
    """Choose groups from the pooled values of the original and of all syntheses.

    Parameters
    ----------
    original, syntheses : float arrays, NaN is missing
    ngroups : int, at least 1
    style : "quantile" or "equal"
    missing_codes : tuple of float
        Left out of the breaks; each is a level of its own.
    fewest : int
        If fewer levels (groups and codes together) are left, groups of equal width are used
        instead, as synthpop does with three in its tables.
    counts : int arrays, one per data set, optional
        How many records have each of the values; by default one each.

    Returns
    -------
    Groups
        With fewer groups than asked for where quantiles coincide.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(1.0, 12.0)
    >>> groups = group_numbers(x, [x[:0]], ngroups=5)
    >>> groups.labels
    ('[1,3)', '[3,5)', '[5,7)', '[7,9)', '[9,11]')
    >>> np.bincount(groups.assign(x)).tolist()  # 7 falls below the third break, 7.000000000000001
    [2, 2, 3, 1, 3]
    """
    if style not in STYLES:
        msg = f"style: expected one of {', '.join(STYLES)} but got {style!r}."
        raise StudyError(msg)
    if ngroups < 1:
        msg = f"ngroups: expected a whole number of at least 1 but got {ngroups}."
        raise StudyError(msg)
    pooled = np.concatenate([original, *syntheses])
    keep = is_usable(pooled, missing_codes)
    times = np.concatenate(counts)[keep] if counts else None
    if not keep.all():
        pooled = pooled[keep]
    if len(pooled) == 0:
        return Groups(np.empty(0), missing_codes, style)
    breaks = _breaks(pooled, ngroups, style, times)
    if len(breaks) - 1 + len(missing_codes) < fewest and style == "quantile":
        style = "equal"
        breaks = _breaks(pooled, ngroups, style, times)
    return Groups(breaks, missing_codes, style)


def quantile_breaks(values: Floats, n: int, counts: Counts | None = None) -> Floats:
    """Type-7 quantiles at ``min(1, i * (1/n))``, i = 0..n, in R's order of operations.

    With `counts` that many records have each value, and the quantiles are those of the records.
    """
    records = len(values) if counts is None else int(counts.sum())
    # R counts positions from 1, and adding the 1 rounds: the weight must come after it.
    positions = [1.0 + (records - 1) * min(1.0, i * (1.0 / n)) for i in range(n + 1)]
    places = np.array(
        [(math.floor(position) - 1, math.ceil(position) - 1) for position in positions]
    )
    if counts is None:
        ordered = _ordered(values, places.ravel())
    else:
        order = np.argsort(values)
        up_to = np.cumsum(counts[order])
        ordered = values[order][np.searchsorted(up_to, places.ravel(), side="right")]
    pairs = zip(positions, ordered[::2].tolist(), ordered[1::2].tolist(), strict=True)
    return np.array([_between(low, high, at % 1.0) for at, low, high in pairs])


def _between(low: float, high: float, weight: float) -> float:
    return low if low == high else (1.0 - weight) * low + weight * high


def _ordered(values: Floats, places: npt.NDArray[np.int64]) -> Floats:
    """Return what stands at some places in the order of the values.

    Whole numbers of a short range, as ages are, are counted, which is several times as fast.
    """
    least, most = values.min(), values.max()
    ordered: Floats
    with np.errstate(all="ignore"):
        span = most - least
        scale = _BUCKETS / span
    short = span < 2 * len(values) and max(-least, most) < _LARGEST_IN_32_BITS
    if short and least.is_integer():
        whole = values.astype(np.int32)
        if (whole == values).all():
            up_to = np.cumsum(np.bincount(whole - np.int32(least)))
            ordered = np.searchsorted(up_to, places, side="right") + least
            return ordered
    if len(values) >= _MANY and 0 < scale < np.inf:
        return _in_buckets(values, places, least, scale)
    ordered = np.partition(values, places)
    return ordered[places]


def _in_buckets(
    values: Floats, places: npt.NDArray[np.int64], least: float, scale: float
) -> Floats:
    """Do the same by putting in order only what is near, a sixth of the time for even values."""
    scaled = values - least
    scaled *= scale
    bucket = scaled.astype(np.int16)  # rounding keeps the order
    up_to = np.cumsum(np.bincount(bucket))
    of_place = np.searchsorted(up_to, places, side="right")
    out = np.empty(len(places))
    for bucket_ in set(of_place.tolist()):
        here = of_place == bucket_
        near = values[bucket == bucket_]
        at = places[here] - (up_to[bucket_] - len(near))
        out[here] = np.partition(near, at)[at]
    return out


def equal_breaks(values: Floats, n: int) -> Floats:
    """Breaks of n intervals of equal width, in the arithmetic of R's `seq`."""
    low, high = values.min(), values.max()
    breaks = low + np.arange(n + 1) * ((high - low) / n)
    breaks[-1] = high
    out: Floats = breaks
    return out


def round_half_even(values: Floats, to: float) -> Floats:
    """Round to the nearest multiple of `to`; halves go to the even multiple, as in R.

    Examples
    --------
    >>> import numpy as np
    >>> round_half_even(np.array([1250.0, 3750.0, 2600.0]), 2500.0).tolist()
    [0.0, 5000.0, 2500.0]
    """
    if not (np.isfinite(to) and to > 0):
        msg = f"round_to: expected a number above 0 but got {to}."
        raise StudyError(msg)
    with np.errstate(over="ignore", invalid="ignore"):
        times = values / to
        rounded = np.round(times) * to + 0.0  # + 0.0 so that -0 and 0 are one level
    # A step below the precision of a value leaves it as it is.
    out: Floats = np.where(np.abs(times) < _LARGEST_EXACT, rounded, values)
    return out


def usable(values: Floats, missing_codes: tuple[float, ...]) -> Floats:
    """Return the values that are neither missing nor a missing code."""
    keep = is_usable(values, missing_codes)
    return values if keep.all() else values[keep]


def is_usable(values: Floats, missing_codes: tuple[float, ...]) -> npt.NDArray[np.bool_]:
    """Tell which values are neither missing nor a missing code."""
    keep: npt.NDArray[np.bool_] = ~np.isnan(values)
    for code in missing_codes:
        keep &= values != code
    return keep


def _breaks(pooled: Floats, n: int, style: str, counts: Counts | None) -> Floats:
    distinct = _few_distinct(pooled, n)
    if distinct is not None:
        return _midpoint_breaks(distinct)
    breaks = quantile_breaks(pooled, n, counts) if style == "quantile" else equal_breaks(pooled, n)
    return np.unique(breaks)


def _few_distinct(values: Floats, n: int) -> Floats | None:
    """Return the sorted distinct values if there are at most n, else None."""
    if len({*values[:_FEW].tolist()}) > n or len(pd.unique(values[:_SAMPLE])) > n:
        return None
    distinct = np.unique(values)
    return distinct if len(distinct) <= n else None


def _midpoint_breaks(distinct: Floats) -> Floats:
    if len(distinct) == 1:
        return np.array([distinct[0], distinct[0]])
    gaps = np.diff(distinct)
    margin = float(gaps.astype(np.longdouble).mean()) / 2.0
    inner = distinct[:-1] + gaps / 2.0
    return np.concatenate([[distinct[0] - margin], inner, [distinct[-1] + margin]])


def _distinct_texts(breaks: Floats) -> list[str]:
    for digits in (3, 4, 5, 6, 8, 10, 12, 17):
        texts = [f"{value:.{digits}g}" for value in breaks]
        if len(set(texts)) == len(texts):
            break
    return texts if len(breaks) else []
