"""Comparisons in rules: checks of their operands, and evaluation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.measures.expressions.tree import Node
from sdcmetrics.measures.rules import quantities, tree
from sdcmetrics.measures.rules.bound import (
    Bound,
    Condition,
    Levelled,
    Measured,
    Quoted,
    has_code,
    same_level,
    words,
)
from sdcmetrics.measures.rules.truth import Truth
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Variable
from sdcmetrics.microdata.text_columns import looks_like_number

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Comparing(ABC):
    """Evaluates comparisons; `level_counts` has the original records of every level named.

    Parameters
    ----------
    any_level : bool
        Let pass a level that no data set has.
    """

    def __init__(self, *, any_level: bool) -> None:
        self._any_level = any_level
        self.level_counts: dict[tuple[str, str | float], int] = {}

    @abstractmethod
    def wrong(self, problem: str, node: Node) -> SdcMetricsError:
        """Return an error that points at a node."""

    def compared(self, operator: str, sides: Sequence[Bound], nodes: Sequence[Node]) -> Truth:
        """Return the truth of a comparison of two operands, by record."""
        left, right = sides
        if isinstance(left, Quoted) and not isinstance(right, Quoted):
            turned = _TURNED.get(operator, operator)
            return self.compared(turned, (right, left), (nodes[1], nodes[0]))
        if isinstance(left, Measured) and isinstance(right, Quoted):
            right = self._date_literal(left, right, nodes[1])
        if isinstance(left, Measured) and isinstance(right, Measured):
            return self._of_quantities(operator, left, right, nodes[1])
        if operator not in ("==", "!="):
            what = f"{words(left)} has no order. Use ==, !=, or in [...] with the levels"
            if isinstance(left, Measured):
                what = f"{words(left)} cannot be compared with {words(right)}"
            raise self.wrong(what, nodes[0])
        equal = self._equal(left, right, nodes)
        return equal if operator == "==" else ~equal

    def _equal(self, left: Bound, right: Bound, nodes: Sequence[Node]) -> Truth:
        if isinstance(left, Condition) and isinstance(right, Condition):
            return left.truth.same(right.truth)
        if isinstance(left, Levelled) and isinstance(right, Quoted):
            return self._has_level(left.variable, right.text, nodes[1])
        if isinstance(left, Levelled) and isinstance(right, Levelled):
            return same_level(left, right)
        what = f"{words(left)} cannot be compared with {words(right)}"
        for bound, node, other in ((left, nodes[0], right), (right, nodes[1], left)):
            if isinstance(bound, Measured) and bound.literal is not None:
                if isinstance(other, Levelled):
                    what += f". Put the level in quotes: {tree.quoted(str(node))}"
                elif isinstance(other, Condition):
                    what += ". Write true or false"
            if isinstance(bound, Quoted) and isinstance(other, Condition):
                what += ". Write true or false, without quotes"
            if isinstance(bound, Quoted) and isinstance(other, Quoted):
                what = "this compares two texts. Write a column without quotes"
        raise self.wrong(what, nodes[1])

    def _date_literal(self, left: Measured, right: Quoted, node: Node) -> Measured:
        if left.kind is Kind.NUMBER:
            hint = "Remove the quotes" if looks_like_number(right.text) else "Write a number"
            if left.variable is None:
                hint = "A column goes without quotes, or between backticks"
            raise self.wrong(f"a number cannot be compared with text. {hint}", node)
        try:
            stamp = pc.cast(pa.array([right.text.strip()]), pa.timestamp("ms"))
        except pa.ArrowInvalid:
            what = 'expected a date such as "2020-01-31"'
            raise self.wrong(what, node) from None
        value = float(stamp.cast(pa.int64())[0].as_py())
        return Measured(Kind.DATE, quantities.constant(value), literal=value)

    def _of_quantities(self, operator: str, left: Measured, right: Measured, node: Node) -> Truth:
        if left.kind is not right.kind:
            hint = ' Write a date in quotes, such as "2020-01-31"'
            what = f"{words(left)} cannot be compared with {words(right)}.{hint}"
            raise self.wrong(what, node)
        first, other = left.quantity, right.quantity
        if operator in ("==", "!="):
            for side, value in ((left, right.literal), (right, left.literal)):
                if side.variable is None or value is None:
                    continue
                self._count(side.variable, value, side.variable.values[0] == value)
                if value in side.variable.missing_codes:  # which the rule itself names: a value
                    first = quantities.column(np.concatenate(side.variable.values))
                    other = quantities.constant(value)
        return quantities.compare(operator, first, other)

    def _has_level(self, variable: Variable, level: str, node: Node) -> Truth:
        if level not in variable.levels and not self._any_level:
            # The levels are data; only the one that the rule itself names may be printed.
            raise self.wrong(
                f"no record has the level {tree.quoted(level)} in column {variable.name!r}. Check "
                "its spelling, blanks, and capital and small letters",
                node,
            )
        truth = has_code(variable, level)
        self._count(variable, level, truth.yes[: len(variable.codes[0])])
        return truth

    def _count(self, variable: Variable, value: str | float, records: object) -> None:
        self.level_counts[variable.name, value] = int(np.count_nonzero(np.asarray(records)))
