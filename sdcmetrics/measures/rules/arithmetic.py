"""The arithmetic of a rule: which quantities may be combined, and how."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial

from sdcmetrics.errors import ColumnError, SdcMetricsError, StudyError, did_you_mean
from sdcmetrics.measures.rules import quantities, tree
from sdcmetrics.measures.rules.bound import (
    Bound,
    Condition,
    Levelled,
    Measured,
    flags,
    known_values,
    words,
    years,
)
from sdcmetrics.measures.rules.quantities import DAY, Quantity
from sdcmetrics.measures.rules.tokens import wrong
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Variable

__all__ = ["ArithmeticBinder"]

_IN_DAYS = quantities.constant(DAY)


class ArithmeticBinder(ABC):
    """Binds columns, signs, sums, products and calls.

    Parameters
    ----------
    text : the rule as it was written
    variables : columns by name
    source : what messages call the data
    """

    def __init__(self, text: str, variables: Mapping[str, Variable], source: str) -> None:
        self._text = text
        self._variables = variables
        self._source = source

    @abstractmethod
    def bound(self, node: tree.Node) -> Bound:
        """Return what a node stands for."""

    def wrong(
        self, what: str, node: tree.Node, kind: type[SdcMetricsError] = StudyError
    ) -> SdcMetricsError:
        """Return an error that points at a node."""
        leaf = isinstance(node, tree.Name | tree.Text | tree.Number | tree.Flag)
        return wrong(self._text, what, node.at, node.at + (len(str(node)) if leaf else 1), kind)

    def column(self, node: tree.Name) -> Bound:
        """Return a column: booleans are conditions, categories levels, the rest quantities."""
        if node.text not in self._variables:
            hint = did_you_mean(node.text, self._variables)
            what = f"{node.text!r} is not a column of {self._source}.{hint}"
            raise self.wrong(what, node, ColumnError)
        variable = self._variables[node.text]
        if variable.kind is Kind.BOOLEAN:
            return Condition(lambda part: flags(variable, part))
        if variable.kind is Kind.CATEGORY:
            return Levelled(variable)
        return Measured(
            variable.kind, lambda part: quantities.column(known_values(variable, part)), variable
        )

    def quantity(self, node: tree.Node) -> Measured:
        """Return what a node stands for, if it is a number or a date."""
        bound = self.bound(node)
        if isinstance(bound, Measured):
            return bound
        name = f"column {node.text!r}" if isinstance(node, tree.Name) else "this"
        raise self.wrong(f"expected a number, but {name} is {words(bound)}", node)

    def arithmetic(self, node: tree.Sign | tree.Arithmetic | tree.Call) -> Measured:
        """Return the quantity that a sign, a sum, a product or a call makes."""
        if isinstance(node, tree.Call):
            return self._call(node)
        if isinstance(node, tree.Sign):
            return self._sign(node)
        first = self.quantity(node.operands[0])
        kind, steps = first.kind, []
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            right = self.quantity(operand)
            kind, step = self._step(operator, kind, right.kind, operand)
            steps.append((step, right.of))

        def of(part: int) -> Quantity:  # a loop, so that a long sum does not nest
            out = first.of(part)
            for step, right in steps:
                out = step(out, right(part))
            return out

        return Measured(kind, of)

    def _sign(self, node: tree.Sign) -> Measured:
        inner = self.quantity(node.operand)
        if inner.kind is Kind.DATE:
            what = "a date has no sign"
            raise self.wrong(what, node)
        if node.operator == "+":
            return inner
        if inner.literal is not None:
            negative = quantities.constant(-inner.literal)
            return Measured(Kind.NUMBER, lambda _: negative, literal=-inner.literal)
        zero = quantities.constant(0.0)
        return Measured(Kind.NUMBER, lambda part: quantities.combine("-", zero, inner.of(part)))

    def _step(
        self, operator: str, left: Kind, right: Kind, node: tree.Node
    ) -> tuple[Kind, Callable[[Quantity, Quantity], Quantity]]:
        """Return how two quantities are combined, and to what; dates differ by days."""
        kinds = (left, right)
        if Kind.DATE not in kinds:
            return Kind.NUMBER, partial(quantities.combine, operator)
        if operator == "-" and kinds == (Kind.DATE, Kind.DATE):
            return Kind.NUMBER, _days_between
        if operator == "+" and kinds == (Kind.NUMBER, Kind.DATE):
            return Kind.DATE, lambda days, date: _moved("+", date, days)
        if operator in "+-" and kinds == (Kind.DATE, Kind.NUMBER):
            return Kind.DATE, partial(_moved, operator)
        what = "dates can only be subtracted, or have days added or subtracted"
        raise self.wrong(what, node)

    def _call(self, node: tree.Call) -> Measured:
        arguments = [self.quantity(argument) for argument in node.arguments]
        kinds = {argument.kind for argument in arguments}
        function = node.function
        if function == "year":
            if kinds != {Kind.DATE}:
                what = "year takes a date"
                raise self.wrong(what, node)
            return Measured(Kind.NUMBER, lambda part: years(arguments[0].of(part).values))
        if len(kinds) > 1 or (function not in ("min", "max") and Kind.DATE in kinds):
            takes = "numbers, or dates, but not both" if function in ("min", "max") else "a number"
            raise self.wrong(f"{function} takes {takes}", node)
        return Measured(
            kinds.pop(),
            lambda part: quantities.apply(function, [one.of(part) for one in arguments]),
        )


def _days_between(left: Quantity, right: Quantity) -> Quantity:
    return quantities.combine("/", quantities.combine("-", left, right), _IN_DAYS)


def _moved(operator: str, date: Quantity, days: Quantity) -> Quantity:
    return quantities.combine(operator, date, quantities.combine("*", days, _IN_DAYS))
