"""The comparisons of a rule: what may be compared with what, and what the remedy is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.measures.rules import quantities, tree
from sdcmetrics.measures.rules.arithmetic import ArithmeticBinder
from sdcmetrics.measures.rules.bound import (
    Bound,
    Condition,
    Levelled,
    Measured,
    Quoted,
    same_level,
    words,
)
from sdcmetrics.measures.rules.truth import Truth
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Variable
from sdcmetrics.microdata.text_columns import looks_like_number

__all__ = ["ComparisonBinder"]


class ComparisonBinder(ArithmeticBinder):
    """Binds comparisons; `level_counts` has the original records of every level that is named.

    Parameters
    ----------
    text, variables, source : see `ArithmeticBinder`
    any_level : bool
        Let pass a level that no data set has.
    """

    def __init__(
        self, text: str, variables: Mapping[str, Variable], source: str, *, any_level: bool
    ) -> None:
        super().__init__(text, variables, source)
        self._any_level = any_level
        self.level_counts: dict[tuple[str, str | float], int] = {}

    def comparison(
        self, operator: str, left: Bound, right: Bound, nodes: tuple[tree.Node, tree.Node]
    ) -> Callable[[int], Truth]:
        """Return what a comparison of two operands says of the records."""
        if isinstance(left, Quoted) and not isinstance(right, Quoted):
            return self.comparison(_turned(operator), right, left, (nodes[1], nodes[0]))
        if isinstance(left, Measured) and isinstance(right, Quoted):
            right = self._date_literal(left, right, nodes)
        if isinstance(left, Measured) and isinstance(right, Measured):
            return self._of_quantities(operator, left, right, nodes)
        if operator not in ("==", "!="):
            what = f"{words(left)} has no order. Use ==, !=, or in [...] with the levels"
            if isinstance(left, Measured):
                what = f"{words(left)} cannot be compared with {words(right)}"
            raise self.wrong(what, nodes[0])
        equal = self._equal(left, right, nodes)
        return equal if operator == "==" else lambda part: ~equal(part)

    def _equal(
        self, left: Bound, right: Bound, nodes: tuple[tree.Node, tree.Node]
    ) -> Callable[[int], Truth]:
        if isinstance(left, Condition) and isinstance(right, Condition):
            return lambda part: left.of(part).same(right.of(part))
        if isinstance(left, Levelled) and isinstance(right, Quoted):
            return self._has_level(left.variable, right.text, nodes[1])
        if isinstance(left, Levelled) and isinstance(right, Levelled):
            return same_level(left.variable, right.variable)
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

    def _date_literal(
        self, left: Measured, right: Quoted, nodes: tuple[tree.Node, tree.Node]
    ) -> Measured:
        if left.kind is Kind.NUMBER:
            hint = "Remove the quotes" if looks_like_number(right.text) else "Write a number"
            if left.variable is None:
                hint = "A column goes without quotes, or between backticks"
            raise self.wrong(f"a number cannot be compared with text. {hint}", nodes[1])
        try:
            stamp = pc.cast(pa.array([right.text.strip()]), pa.timestamp("ms"))
        except pa.ArrowInvalid:
            what = 'expected a date such as "2020-01-31"'
            raise self.wrong(what, nodes[1]) from None
        value = float(stamp.cast(pa.int64())[0].as_py())
        found = quantities.constant(value)
        return Measured(Kind.DATE, lambda _: found, literal=value)

    def _of_quantities(
        self, operator: str, left: Measured, right: Measured, nodes: tuple[tree.Node, tree.Node]
    ) -> Callable[[int], Truth]:
        if left.kind is not right.kind:
            hint = ' Write a date in quotes, such as "2020-01-31"'
            what = f"{words(left)} cannot be compared with {words(right)}.{hint}"
            raise self.wrong(what, nodes[1])
        if operator in ("==", "!="):
            for side, other in ((left, right), (right, left)):
                if side.variable is not None and other.literal is not None:
                    return self._has_value(operator, side, side.variable, other.literal)
        return lambda part: quantities.compare(operator, left.of(part), right.of(part))

    def _has_value(
        self, operator: str, side: Measured, variable: Variable, value: float
    ) -> Callable[[int], Truth]:
        """Compare a column with a value; a missing code that the rule itself names is a value."""
        count = int(np.count_nonzero(variable.values[0] == value))
        self.level_counts[variable.name, value] = count
        wanted = quantities.constant(value)
        if value in variable.missing_codes:
            return lambda part: quantities.compare(
                operator, quantities.column(variable.values[part]), wanted
            )
        return lambda part: quantities.compare(operator, side.of(part), wanted)

    def _has_level(self, variable: Variable, level: str, node: tree.Node) -> Callable[[int], Truth]:
        if level not in variable.levels and not self._any_level:
            # The levels are data; only the one that the rule itself names may be printed.
            raise self.wrong(
                f"no record has the level {tree.quoted(level)} in column {variable.name!r}. Check "
                "its spelling, blanks, and capital and small letters",
                node,
            )
        code = variable.levels.index(level) if level in variable.levels else -2
        self.level_counts[variable.name, level] = int(np.count_nonzero(variable.codes[0] == code))

        def of(part: int) -> Truth:
            codes = variable.codes[part]
            yes = codes == code
            return Truth(yes, ~yes & (codes >= 0))

        return of


def _turned(operator: str) -> str:
    return {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
