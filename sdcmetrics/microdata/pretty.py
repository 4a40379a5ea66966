"""Round breaks for a histogram, the same as R's `pretty` chooses."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.arrays import Floats

_BIAS = 1.5
_BIAS_5 = 0.5 + 1.5 * _BIAS
_SHRINK = 0.75
_ROUNDING = 1e-10
_FUZZ = 1e-7
_NOTHING = 1e-14


def pretty(low: float, high: float, n: int) -> Floats:
    """Return about n + 1 equally spaced round values that cover [low, high].

    The step is 1, 2 or 5 times a power of 10: the one that is nearest to (high - low) / n, with
    a preference for the larger one. At least n // 3 intervals are made.

    References
    ----------
    Becker, Chambers and Wilks (1988), The New S Language; R's help page `pretty`.

    Examples
    --------
    >>> pretty(18, 91, 5).tolist()
    [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    >>> pretty(3, 3, 6).tolist()
    [2.0, 3.0, 4.0]
    """
    least = n // 3
    cell = _cell(low, high, n, least)
    base = 10.0 ** math.floor(math.log10(cell))
    step = base
    for multiple, bias in ((2, _BIAS), (5, _BIAS_5), (10, _BIAS)):
        if multiple * base - cell >= bias * (cell - step):
            break
        step = multiple * base
    first = math.floor(low / step + _ROUNDING)
    last = math.ceil(high / step - _ROUNDING)
    while first * step > low + _ROUNDING * step:
        first -= 1
    while last * step < high - _ROUNDING * step:
        last += 1
    short = max(least - (last - first), 0)
    less, more = short // 2, short - short // 2
    if first >= 0:
        first, last = first - more, last + less
    else:
        first, last = first - less, last + more
    # an end that rounding put inside the range is moved out to it
    ends = min(low, first * step), max(high, last * step)
    values: Floats = np.linspace(*ends, last - first + 1)
    values[np.abs(values) < _NOTHING * step] = 0.0
    return values


def _cell(low: float, high: float, n: int, least: int) -> float:
    """Width to aim at; where there is no range, one that fits the size of the numbers."""
    size = max(abs(low), abs(high))
    if low == high == 0:
        return 1.0 * _SHRINK / max(least, 1)
    smallest = size * (1 + 1 / (1 + _BIAS)) * max(1, n) * np.finfo(np.float64).eps * 3
    if high - low >= smallest:
        return (high - low) / n
    return min(size, 9 + size / 10) * _SHRINK / max(least, 1)  # large numbers need not double


def histogram_groups(values: Floats, breaks: Floats) -> npt.NDArray[np.int64]:
    """Number of the interval that holds each value: open left, closed right, the first both.

    As in R's `hist`, a value up to 1e-7 of a width above a break counts as equal to it.

    Examples
    --------
    >>> breaks = np.array([0.0, 10.0, 20.0])
    >>> histogram_groups(np.array([0.0, 10.0, 10.5, 20.0]), breaks).tolist()
    [0, 0, 1, 1]
    """
    fuzz = _FUZZ * float(np.median(np.diff(breaks)))
    inner = breaks[1:-1] + fuzz
    return np.searchsorted(inner, values, side="left").astype(np.int64)
