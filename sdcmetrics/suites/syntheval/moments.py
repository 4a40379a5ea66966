"""SynthEval's metrics of means: dimension-wise means and overlap of confidence intervals."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.metric import Metric, Quantities, Quantity, mean_and_error
from sdcmetrics.suites.trio import Trio, numbers_of

_Z = {80: 1.28, 90: 1.645, 95: 1.96, 98: 2.33, 99: 2.58}
"""Normal quantiles, to the decimals that SynthEval has."""


def _numeric(parts: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    if not len(parts[0]):
        msg = "there is no column of numbers"
        raise NotComputable(msg)
    return parts[0], parts[1]


def _moments(numbers: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean, standard deviation and count of every column; NaN where there are too few."""
    there = ~np.isnan(numbers)
    n = there.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, numbers, 0.0).sum(axis=1) / n
        off = np.where(there, numbers - mean[:, None], 0.0)
        return mean, np.sqrt(np.square(off).sum(axis=1) / (n - 1)), n


def _dwm(trio: Trio) -> Quantities:
    first, other = _numeric(numbers_of(trio))
    (mean, sd, _), (other_mean, _, _) = _moments(first), _moments(other)
    varies = sd > 0
    if not varies.any():
        msg = "every column of numbers is constant in the original"
        raise NotComputable(msg)
    off = np.abs(other_mean - mean)[varies] / sd[varies]
    defined = off[~np.isnan(off)]
    value = float(defined.mean()) if len(defined) else math.nan
    left = len(varies) - len(defined)
    reason = f"{left} of {len(varies)} columns left out: constant or empty" if left else ""
    return {"avg": Quantity(value, normalised=1 / (1 + value), reason=reason)}


def _published_dwm(trio: Trio) -> Quantities:
    first, other = _numeric(numbers_of(trio, scaled=True))
    (mean, sd, n), (other_mean, other_sd, m) = _moments(first), _moments(other)
    value = float(np.abs(mean - other_mean).mean())
    if math.isnan(value):
        msg = "a column of numbers is empty in one of the data sets"
        raise NotComputable(msg)
    error = float(np.sqrt((sd**2 / n + other_sd**2 / m).sum())) / len(mean)
    return {"avg": Quantity(value, error, 1 - value)}


def interval_overlaps(first: Floats, second: Floats, half: tuple[Floats, Floats]) -> Floats:
    """Mean share of two intervals that they have in common, 0 to 1; 0 where they are apart.

    Parameters
    ----------
    first, second : float arrays of shape (columns,)
        Centres.
    half : two float arrays of shape (columns,)
        Half lengths. NaN is returned where one is 0.
    """
    low = np.maximum(first - half[0], second - half[1])
    common = np.minimum(first + half[0], second + half[1]) - low
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = (common / (2 * half[0]) + common / (2 * half[1])) / 2
        shares[(half[0] == 0) | (half[1] == 0)] = np.nan
    out: Floats = np.maximum(0.0, shares)
    return out


def _overlaps(
    original: Floats, other: Floats, confidence: int, ci: Literal["std", "sem"]
) -> Floats:
    if confidence not in _Z or ci not in ("std", "sem"):
        msg = f"cio: expected confidence {', '.join(map(str, _Z))} and ci 'std' or 'sem'."
        raise StudyError(msg)
    moments = [_moments(numbers) for numbers in (original, other)]
    z = _Z[confidence]
    with np.errstate(invalid="ignore"):  # a column without a value has no error
        first, second = (z * (sd / np.sqrt(n) if ci == "sem" else sd) for _, sd, n in moments)
    return interval_overlaps(moments[0][0], moments[1][0], (first, second))


def _cio(trio: Trio, *, confidence: int = 95) -> Quantities:
    first, other = _numeric(numbers_of(trio))
    overlaps = _overlaps(first, other, confidence, "sem")
    defined = overlaps[~np.isnan(overlaps)]
    if not len(defined):
        msg = "every column of numbers is constant"
        raise NotComputable(msg)
    left = len(overlaps) - len(defined)
    reason = f"{left} of {len(overlaps)} columns left out: constant or empty" if left else ""
    return _shown(defined, reason)


def _published_cio(
    trio: Trio, *, confidence: int = 95, ci: Literal["std", "sem"] = "std"
) -> Quantities:
    first, other = _numeric(numbers_of(trio, scaled=True))
    overlaps = _overlaps(first, other, confidence, ci)
    undefined = "a column of numbers is constant or empty in one of the data sets"
    return _shown(overlaps, undefined if np.isnan(overlaps).any() else "")


def _shown(overlaps: Floats, reason: str) -> Quantities:
    mean, error = mean_and_error(overlaps)
    apart = int((overlaps == 0).sum())
    return {
        "avg overlap": Quantity(mean, error, mean, "higher", reason),
        "num non-overlaps": Quantity(apart),
        "frac non-overlaps": Quantity(apart / len(overlaps)),
    }


DWM = Metric(
    "dwm",
    _dwm,
    "utility",
    ("avg",),
    _published_dwm,
    defect="Numbers are scaled over all data sets together, so that one outlier of any of them, "
    "an unused holdout too, makes every difference small.",
)
CIO = Metric(
    "cio",
    _cio,
    "utility",
    ("avg overlap",),
    _published_cio,
    defect="By default the interval is that of the values, mean and 1.96 standard deviations, and "
    "not of the mean: a shift by half a standard deviation scores 0.87.",
)
