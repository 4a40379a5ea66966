"""A rule bound to the columns of data sets: kinds checked, levels found, records judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from sdcmetrics.errors import ColumnError, SdcMetricsError, StudyError, did_you_mean
from sdcmetrics.measures.expressions.tree import (
    DAY,
    Arithmetic,
    Call,
    Name,
    Node,
    Number,
    Sign,
    columns_of,
    evaluate,
    known_values,
)
from sdcmetrics.measures.rules import quantities, tree
from sdcmetrics.measures.rules.bound import (
    Bound,
    Condition,
    Levelled,
    Measured,
    Quoted,
    has_code,
    words,
    years,
)
from sdcmetrics.measures.rules.comparing import Comparing
from sdcmetrics.measures.rules.parser import LANGUAGE
from sdcmetrics.measures.rules.truth import Truth
from sdcmetrics.microdata.arrays import Bools
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Variable

_IN_DAYS = quantities.constant(DAY)
_ZERO = quantities.constant(0.0)


@dataclass(frozen=True)
class BoundRule:
    """What a rule says of every data set that it was bound to.

    Attributes
    ----------
    node : Node
    columns : tuple of str
        The columns that it names, in the order of the text.
    named : dict of (column, level or value) to int
        Original records that have each level, or value, that the rule names as equal or not
        equal.
    """

    node: Node
    columns: tuple[str, ...]
    named: Mapping[tuple[str, str | float], int]
    _truth: Truth
    _applies: Bools
    _sizes: tuple[int, ...]

    @property
    def level_counts(self) -> tuple[int, ...]:
        """The counts of `named`, sorted. What may be told of the rule depends on the smallest."""
        return tuple(sorted(self.named.values()))

    def truth(self, part: int) -> Truth:
        """Return what is known of every record: of the original (0) or a synthesis (1, ...)."""
        return Truth(self._of(self._truth.yes, part), self._of(self._truth.no, part))

    def applies(self, part: int) -> Bools:
        """Return which records meet the condition of ``if``; all where there is none."""
        return self._of(self._applies, part)

    def _of(self, every: Bools, part: int) -> Bools:
        start = sum(self._sizes[:part])
        return np.broadcast_to(every, (sum(self._sizes),))[start : start + self._sizes[part]]


def bind(
    text: str,
    node: Node,
    variables: Mapping[str, Variable],
    *,
    source: str = "the data",
    any_level: bool = False,
) -> BoundRule:
    """Bind a parsed rule to harmonised columns, and evaluate it.

    Parameters
    ----------
    text : the rule as it was written, for messages
    node : what `parse_rule` made of it
    variables : columns by name
    source : what messages call the data
    any_level : bool
        Let pass a level that no data set has, where not all data sets are known yet.

    Raises
    ------
    ColumnError
        If the rule names a column that is not there.
    StudyError
        If it compares what cannot be compared, or names a level that no record has.
    """
    binder = _Binder(text, variables, source, any_level=any_level)
    columns = columns_of(node)
    if not columns:
        what = "it names no column. A column goes without quotes, or between backticks"
        raise LANGUAGE.wrong(text, what, 0, len(text))
    truth = binder.condition(node)
    applies: Bools = np.asarray(True)  # noqa: FBT003  (of every record)
    if isinstance(node, tree.IfThen):
        applies = binder.condition(node.condition).yes
    first = variables[columns[0]]
    sizes = tuple(map(len, first.values or first.codes))
    return BoundRule(node, columns, binder.level_counts, truth, applies, sizes)


class _Binder(Comparing):
    """Evaluates every kind of node; an `Algebra` of quantities.

    Parameters
    ----------
    text : the rule as it was written
    variables : columns by name
    source : what messages call the data
    any_level : see `bind`
    """

    def __init__(
        self, text: str, variables: Mapping[str, Variable], source: str, *, any_level: bool
    ) -> None:
        super().__init__(any_level=any_level)
        self._text = text
        self._variables = variables
        self._source = source

    def wrong(
        self, problem: str, node: Node, error: type[SdcMetricsError] = StudyError
    ) -> SdcMetricsError:
        leaf = isinstance(node, Name | tree.Text | Number | tree.Flag)
        end = node.at + (len(str(node)) if leaf else 1)
        return LANGUAGE.wrong(self._text, problem, node.at, end, error)

    def condition(self, node: Node) -> Truth:
        """Return the truth of a node for every record, if it is a condition."""
        bound = self.bound(node)
        if isinstance(bound, Condition):
            return bound.truth
        name = f"column {node.text!r}" if isinstance(node, Name) else "this"
        what = f"expected a condition, but {name} is {words(bound)}. Compare it, such as with =="
        raise self.wrong(what, node)

    def bound(self, node: Node) -> Bound:
        """Return what a node stands for."""
        if isinstance(node, Name):
            return self._column(node)
        if isinstance(node, Number | Sign | Arithmetic | Call):
            return evaluate(node, self)
        if isinstance(node, tree.Text):
            return Quoted(node.text)
        return Condition(self._logic(node))

    def _column(self, node: Name) -> Bound:
        """Return a column: booleans are conditions, categories levels, the rest quantities."""
        if node.text not in self._variables:
            hint = did_you_mean(node.text, self._variables)
            what = f"{node.text!r} is not a column of {self._source}.{hint}"
            raise self.wrong(what, node, ColumnError)
        variable = self._variables[node.text]
        if variable.kind is Kind.BOOLEAN:
            return Condition(has_code(variable, "TRUE"))
        if variable.kind is Kind.CATEGORY:
            return Levelled(variable)
        return Measured(variable.kind, quantities.column(known_values(variable)), variable)

    # Arithmetic

    def leaf(self, node: Node) -> Measured:
        if isinstance(node, Number):
            return _number(node.value)
        bound = self.bound(node)
        if isinstance(bound, Measured):
            return bound
        name = f"column {node.text!r}" if isinstance(node, Name) else "this"
        raise self.wrong(f"expected a number, but {name} is {words(bound)}", node)

    def sign(self, node: Sign, operand: Measured) -> Measured:
        if operand.kind is Kind.DATE:
            what = "a date has no sign"
            raise self.wrong(what, node)
        if node.operator == "+":
            return operand
        if operand.literal is not None:
            return _number(-operand.literal)
        return Measured(Kind.NUMBER, quantities.combine("-", _ZERO, operand.quantity))

    def combine(self, node: Node, operator: str, left: Measured, right: Measured) -> Measured:
        """Combine two quantities; dates differ by days."""
        kinds = (left.kind, right.kind)
        if operator == "+" and kinds == (Kind.NUMBER, Kind.DATE):
            left, right, kinds = right, left, (Kind.DATE, Kind.NUMBER)
        first, other = left.quantity, right.quantity
        if Kind.DATE not in kinds:
            return Measured(Kind.NUMBER, quantities.combine(operator, first, other))
        if operator == "-" and kinds == (Kind.DATE, Kind.DATE):
            apart = quantities.combine("-", first, other)
            return Measured(Kind.NUMBER, quantities.combine("/", apart, _IN_DAYS))
        if operator in "+-" and kinds == (Kind.DATE, Kind.NUMBER):
            days = quantities.combine("*", other, _IN_DAYS)
            return Measured(Kind.DATE, quantities.combine(operator, first, days))
        what = "dates can only be subtracted, or have days added or subtracted"
        raise self.wrong(what, node)

    def call(self, node: Call, arguments: list[Measured]) -> Measured:
        kinds = {argument.kind for argument in arguments}
        function = node.function
        if function == "year":
            if kinds != {Kind.DATE}:
                what = "year takes a date"
                raise self.wrong(what, node)
            return Measured(Kind.NUMBER, years(arguments[0].quantity.values))
        if len(kinds) > 1 or (function not in ("min", "max") and Kind.DATE in kinds):
            takes = "numbers, or dates, but not both" if function in ("min", "max") else "a number"
            raise self.wrong(f"{function} takes {takes}", node)
        quantity = quantities.apply(function, [argument.quantity for argument in arguments])
        return Measured(kinds.pop(), quantity)

    # Logic

    def _logic(self, node: Node) -> Truth:
        if isinstance(node, tree.Flag):
            return Truth(np.asarray(node.value), np.asarray(not node.value))
        if isinstance(node, tree.Comparison):
            bound = [self.bound(operand) for operand in node.operands]
            steps = enumerate(node.operators)
            return reduce(
                Truth.__and__,
                [self.compared(op, bound[i : i + 2], node.operands[i : i + 2]) for i, op in steps],
            )
        if isinstance(node, tree.Membership):
            first = self.bound(node.operand)
            truth = reduce(
                Truth.__or__,
                [
                    self.compared("==", [first, self.bound(m)], (node.operand, m))
                    for m in node.members
                ],
            )
            return ~truth if node.negated else truth
        if isinstance(node, tree.Missing):
            missing = self._missing(node.operand)
            return Truth(~missing, missing) if node.negated else Truth(missing, ~missing)
        if isinstance(node, tree.Not):
            return ~self.condition(node.operand)
        if isinstance(node, tree.IfThen):
            condition, then = self.condition(node.condition), self.condition(node.then)
            if node.otherwise is None:
                return ~condition | then
            return condition.choose(then, self.condition(node.otherwise))
        assert isinstance(node, tree.AllOf | tree.AnyOf)  # noqa: S101  (all other nodes are above)
        join = Truth.__and__ if isinstance(node, tree.AllOf) else Truth.__or__
        return reduce(join, [self.condition(operand) for operand in node.operands])

    def _missing(self, node: Node) -> Bools:
        bound = self.bound(node)
        if isinstance(bound, Quoted):
            what = "a text in quotes is never missing. Write the column without quotes"
            raise self.wrong(what, node)
        if isinstance(bound, Measured):
            return np.isnan(bound.quantity.values)
        return bound.codes < 0 if isinstance(bound, Levelled) else bound.truth.unknown


def _number(value: float) -> Measured:
    return Measured(Kind.NUMBER, quantities.constant(value), literal=value)
