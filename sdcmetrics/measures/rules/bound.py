"""What a part of a rule stands for once its columns are known: numbers, levels, text, truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.rules import quantities
from sdcmetrics.measures.rules.quantities import Quantity
from sdcmetrics.measures.rules.truth import Truth
from sdcmetrics.microdata.columns import FloatArray, Kind
from sdcmetrics.microdata.schema import Variable

__all__ = [
    "Bound",
    "Condition",
    "Levelled",
    "Measured",
    "Quoted",
    "flags",
    "known_values",
    "same_level",
    "words",
    "years",
]


@dataclass(frozen=True)
class Measured:
    """A number or a date; `variable` where it is a column, `literal` where it is a number."""

    kind: Kind
    of: Callable[[int], Quantity]
    variable: Variable | None = None
    literal: float | None = None


@dataclass(frozen=True)
class Levelled:
    """A column of text or labels."""

    variable: Variable


@dataclass(frozen=True)
class Quoted:
    """A text in quotes: a level or a date, which the other side of a comparison tells."""

    text: str


@dataclass(frozen=True)
class Condition:
    """Something that is true or false of a record."""

    of: Callable[[int], Truth]


Bound = Measured | Levelled | Quoted | Condition
_KINDS = {Kind.NUMBER: "a number", Kind.DATE: "a date"}


def words(bound: Bound) -> str:
    """Return what kind of thing it is, in words."""
    if isinstance(bound, Measured):
        return _KINDS[bound.kind]
    return "text" if isinstance(bound, Levelled | Quoted) else "true or false"


def known_values(variable: Variable, part: int) -> FloatArray:
    """Return the values of a data set, missing codes as NaN."""
    values = variable.values[part]
    if not variable.missing_codes:
        return values
    return np.where(np.isin(values, variable.missing_codes), np.nan, values)


def flags(variable: Variable, part: int) -> Truth:
    """Return a boolean column as a condition."""
    codes = variable.codes[part]
    true = variable.levels.index("TRUE") if "TRUE" in variable.levels else -2
    yes = codes == true
    return Truth(yes, ~yes & (codes >= 0))


def years(values: FloatArray) -> Quantity:
    """Return the years of dates."""
    missing = np.isnan(values)
    stamps = np.where(missing, 0, values).astype("datetime64[ms]")
    years = stamps.astype("datetime64[Y]").astype(np.int64).astype(np.float64) + 1970.0
    return quantities.column(np.where(missing, np.nan, years))


def same_level(left: Variable, right: Variable) -> Callable[[int], Truth]:
    """Compare two categories by the texts of their levels."""
    place = {level: i for i, level in enumerate(right.levels)}
    matched = np.array([*(place.get(level, -2) for level in left.levels), -1])

    def of(part: int) -> Truth:
        one, other = matched[left.codes[part]], right.codes[part]
        known = (left.codes[part] >= 0) & (other >= 0)
        same = one == other
        return Truth(same & known, ~same & known)

    return of
