"""Values of the parts of a rule bound to data: numbers, levels, text, truth.

Arrays hold the records of all data sets one after the other, or one value for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.rules import quantities
from sdcmetrics.measures.rules.quantities import Quantity
from sdcmetrics.measures.rules.truth import Truth
from sdcmetrics.microdata.arrays import Floats, Ints32
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Variable


@dataclass(frozen=True)
class Measured:
    """A number or a date; `variable` where it is a column, `literal` where it is a number."""

    kind: Kind
    quantity: Quantity
    variable: Variable | None = None
    literal: float | None = None


@dataclass(frozen=True)
class Levelled:
    """A column of text or labels."""

    variable: Variable

    @property
    def codes(self) -> Ints32:
        """Level of every record; -1 is missing."""
        return np.concatenate(self.variable.codes)


@dataclass(frozen=True)
class Quoted:
    """A text in quotes: a level or a date, which the other side of a comparison tells."""

    text: str


@dataclass(frozen=True)
class Condition:
    """Something that is true or false of a record."""

    truth: Truth


Bound = Measured | Levelled | Quoted | Condition
_KINDS = {Kind.NUMBER: "a number", Kind.DATE: "a date"}


def words(bound: Bound) -> str:
    """Return what kind of thing it is, in words."""
    if isinstance(bound, Measured):
        return _KINDS[bound.kind]
    return "text" if isinstance(bound, Levelled | Quoted) else "true or false"


def has_code(variable: Variable, level: str) -> Truth:
    """Return which records have a level, which may be a level of no record."""
    codes = Levelled(variable).codes
    yes = codes == (variable.levels.index(level) if level in variable.levels else -2)
    return Truth(yes, ~yes & (codes >= 0))


def years(values: Floats) -> Quantity:
    """Return the years of dates."""
    missing = np.isnan(values)
    stamps = np.where(missing, 0, values).astype("datetime64[ms]")
    years = stamps.astype("datetime64[Y]").astype(np.int64).astype(np.float64) + 1970.0
    return quantities.column(np.where(missing, np.nan, years))


def same_level(left: Levelled, right: Levelled) -> Truth:
    """Compare two categories by the texts of their levels."""
    place = {level: i for i, level in enumerate(right.variable.levels)}
    matched = np.array([*(place.get(level, -2) for level in left.variable.levels), -1])
    present = (left.codes >= 0) & (right.codes >= 0)
    same = matched[left.codes] == right.codes
    return Truth(same & present, ~same & present)
