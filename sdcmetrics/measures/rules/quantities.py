"""Numbers and dates with the rounding error that arithmetic leaves in them.

0.1 + 0.2 is not 0.3 in floating point, and no user means that. Every value carries a bound on
what rounding can have done to it (first-order running error analysis), and two values count as
equal when their bounds explain the difference. Whole numbers below 10^15 keep exact comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.rules.truth import Truth
from sdcmetrics.microdata.arrays import Bools, Floats

_ROUNDING = 2.0**-52
"""Twice the most that rounding to a double changes a value, relative to it."""


@dataclass(frozen=True)
class Quantity:
    """Values of all records, or one value for all.

    Attributes
    ----------
    values : float array
        NaN is unknown.
    error : float array
        Bound on the rounding error of each value.
    """

    values: Floats
    error: Floats


def column(values: Floats) -> Quantity:
    """Return values as they were read: decimal text that was rounded once."""
    return Quantity(values, np.abs(values) * _ROUNDING)


def constant(value: float) -> Quantity:
    """Return one value for all records."""
    return column(np.asarray(value, dtype=np.float64))


def combine(operator: str, left: Quantity, right: Quantity) -> Quantity:
    """Add, subtract, multiply or divide; unknown where one side is, or dividing by 0."""
    a, b, da, db = left.values, right.values, left.error, right.error
    with np.errstate(all="ignore"):
        if operator == "*":
            values = a * b
            error = np.abs(a) * db + np.abs(b) * da
        elif operator == "/":
            values = a / b
            error = (da + np.abs(values) * db) / np.abs(b)
        else:
            values = a + b if operator == "+" else a - b
            error = da + db
        return _nonmissing(values, error + np.abs(values) * _ROUNDING)


def apply(function: str, arguments: Sequence[Quantity]) -> Quantity:
    """Call one of abs, floor, round, min and max.

    A value within rounding error of a whole number is floored and rounded as that number; halves
    go to the even neighbour, as in R.
    """
    first = arguments[0]
    with np.errstate(invalid="ignore"):
        if function == "abs":
            return Quantity(np.abs(first.values), first.error)
        if function in ("floor", "round"):
            near = np.rint(first.values)
            whole = np.abs(first.values - near) <= first.error
            plain = np.floor(first.values) if function == "floor" else near
            return Quantity(np.where(whole, near, plain), np.zeros_like(near))
        pick = np.minimum if function == "min" else np.maximum
        out = first
        for other in arguments[1:]:  # NaN wins: the smallest of something unknown is unknown
            error = np.maximum(out.error, other.error)
            out = Quantity(pick(out.values, other.values), error)
        return out


def compare(operator: str, left: Quantity, right: Quantity) -> Truth:
    """Compare, taking what rounding can explain as equal."""
    with np.errstate(invalid="ignore"):
        difference = left.values - right.values
        present = ~np.isnan(difference)
        equal: Bools = np.abs(difference) <= left.error + right.error
        yes: Bools
        if operator in ("==", "!="):
            yes = equal if operator == "==" else ~equal
        elif operator in ("<", "<="):
            yes = (difference < 0) & ~equal if operator == "<" else (difference < 0) | equal
        else:
            yes = (difference > 0) & ~equal if operator == ">" else (difference > 0) | equal
    return Truth(yes & present, ~yes & present)


def _nonmissing(values: Floats, error: Floats) -> Quantity:
    finite = np.isfinite(values) & np.isfinite(error)
    return Quantity(np.where(finite, values, np.nan), np.where(finite, error, 0.0))
