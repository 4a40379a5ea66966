"""Conditions on a column: its levels, its most frequent value, missingness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.expressions.tree import Name, Node, Number, known_values
from sdcmetrics.measures.rules.tree import Comparison, Flag, Literal, Membership, Missing, Text
from sdcmetrics.microdata.arrays import Floats, Ints32
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Variable

_MOST_LEVELS = 50
_MOST_VALUES = 20
_COMMON = 0.05


@dataclass(frozen=True)
class Feature:
    """A column cut into a few levels that a condition can name.

    Attributes
    ----------
    column : str
    codes : tuple of int arrays
        Level of each record, original first; -1 where the condition would be unknown.
    literals : tuple of literals
        What the levels are called in a rule. One fewer than `size` where the last level is "any
        other value"; empty for whether the column is missing (level 1) or not (level 0).
    size : int
        Number of levels.
    """

    column: str
    codes: tuple[Ints32, ...]
    literals: tuple[Literal, ...]
    size: int

    def says(self, levels: Sequence[int]) -> Node:
        """Return the shortest condition that holds of these levels and of no other."""
        name = Name(self.column)
        if not self.literals:
            return Missing(name, negated=levels[0] == 0)
        inside = [self.literals[i] for i in levels if i < len(self.literals)]
        chosen = set(levels)
        outside = [literal for i, literal in enumerate(self.literals) if i not in chosen]
        if isinstance(self.literals[0], Flag):
            return Comparison(("==",), (name, inside[0]))
        negated = len(inside) < len(chosen) or 0 < len(outside) < len(inside)
        members = outside if negated else inside
        if len(members) == 1:
            return Comparison(("!=" if negated else "==",), (name, members[0]))
        return Membership(name, tuple(members), negated)


def features_of(variable: Variable, sizes: tuple[int, ...]) -> Iterator[Feature]:
    """Yield what a column can be asked; levels that too many columns would need are left out."""
    if variable.kind in (Kind.NUMBER, Kind.DATE):
        parts = [known_values(variable, part) for part in range(len(sizes))]
        missing = [np.isnan(values) for values in parts]
        if variable.kind is Kind.NUMBER:
            yield from _of_numbers(variable.name, parts)
    else:
        missing = [codes < 0 for codes in variable.codes]
        yield from _of_levels(variable)
    if missing[0].any() and not missing[0].all():
        codes = tuple(part.astype(np.int32) for part in missing)
        yield Feature(variable.name, codes, (), 2)


def _of_levels(variable: Variable) -> Iterator[Feature]:
    if not 2 <= len(variable.levels) <= _MOST_LEVELS:  # noqa: PLR2004  (one level says nothing)
        return
    literals: tuple[Literal, ...] = tuple(Text(level) for level in variable.levels)
    if variable.kind is Kind.BOOLEAN:
        literals = tuple(Flag(level == "TRUE") for level in variable.levels)
    yield Feature(variable.name, variable.codes, literals, len(literals))


def _of_numbers(name: str, parts: list[Floats]) -> Iterator[Feature]:
    present = parts[0][~np.isnan(parts[0])]
    distinct, counts = np.unique(present, return_counts=True)
    if len(distinct) < 2:  # noqa: PLR2004  (a constant says nothing)
        return
    if len(distinct) > _MOST_VALUES:
        commonest = int(np.argmax(counts))
        if counts[commonest] < _COMMON * len(present):
            return
        distinct = distinct[[commonest]]
    codes = tuple(_placed(values, distinct) for values in parts)
    literals = tuple(Number(float(value)) for value in distinct)
    yield Feature(name, codes, literals, len(literals) + 1)


def _placed(values: Floats, distinct: Floats) -> Ints32:
    """Return the place of each value among those that are told apart; the last for all others."""
    place = np.minimum(np.searchsorted(distinct, values), len(distinct) - 1)
    other = np.where(np.isnan(values), -1, len(distinct))
    return np.where(distinct[place] == values, place, other).astype(np.int32)
