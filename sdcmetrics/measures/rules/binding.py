"""A rule bound to the columns of data sets: kinds checked, levels found, ready to be evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from sdcmetrics.measures.rules import quantities, tree
from sdcmetrics.measures.rules.bound import Bound, Condition, Levelled, Measured, Quoted, words
from sdcmetrics.measures.rules.comparing import ComparisonBinder
from sdcmetrics.measures.rules.tokens import wrong
from sdcmetrics.measures.rules.truth import Bools, Truth
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Variable

__all__ = ["BoundRule", "bind"]


@dataclass(frozen=True)
class BoundRule:
    """A rule that can be evaluated on every data set it was bound to.

    Attributes
    ----------
    node : tree.Node
    columns : tuple of str
        The columns that it names, in the order of the text.
    level_counts : tuple of int
        Original records that have each level, or value, that the rule names as equal or not
        equal; sorted. What may be told of the rule depends on the smallest.
    """

    node: tree.Node
    columns: tuple[str, ...]
    level_counts: tuple[int, ...]
    _truth: Callable[[int], Truth]
    _applies: Callable[[int], Truth] | None
    _sizes: tuple[int, ...]

    def truth(self, part: int) -> Truth:
        """Return what is known of every record: of the original (0) or a synthesis (1, ...)."""
        found, shape = self._truth(part), (self._sizes[part],)
        return Truth(np.broadcast_to(found.yes, shape), np.broadcast_to(found.no, shape))

    def applies(self, part: int) -> Bools:
        """Return which records meet the condition of ``if``; all where there is none."""
        shape = (self._sizes[part],)
        if self._applies is None:
            return np.ones(shape, dtype=np.bool_)
        return np.broadcast_to(self._applies(part).yes, shape)


def bind(
    text: str,
    node: tree.Node,
    variables: Mapping[str, Variable],
    sizes: tuple[int, ...],
    *,
    source: str = "the data",
    any_level: bool = False,
) -> BoundRule:
    """Bind a parsed rule to harmonised columns.

    Parameters
    ----------
    text : the rule as it was written, for messages
    node : what `parse_rule` made of it
    variables : columns by name
    sizes : records of each data set
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
    columns = tree.columns_of(node)
    if not columns:
        raise wrong(
            text,
            "it names no column. A column goes without quotes, or between backticks",
            0,
            len(text),
        )
    truth = binder.condition(node)
    applies = binder.condition(node.condition) if isinstance(node, tree.IfThen) else None
    counts = tuple(sorted(binder.level_counts.values()))
    return BoundRule(node, columns, counts, truth, applies, sizes)


class _Binder(ComparisonBinder):
    """Binds conditions; one method a kind of node."""

    def condition(self, node: tree.Node) -> Callable[[int], Truth]:
        """Return what a node says of the records, if it says yes or no."""
        bound = self.bound(node)
        if isinstance(bound, Condition):
            return bound.of
        name = f"column {node.text!r}" if isinstance(node, tree.Name) else "this"
        raise self.wrong(
            f"expected a condition, but {name} is {words(bound)}. Compare it, such as with ==",
            node,
        )

    def bound(self, node: tree.Node) -> Bound:
        if isinstance(node, tree.Name):
            return self.column(node)
        if isinstance(node, tree.Number):
            value = quantities.constant(node.value)
            return Measured(Kind.NUMBER, lambda _: value, literal=node.value)
        if isinstance(node, tree.Text):
            return Quoted(node.text)
        if isinstance(node, tree.Flag):
            known = Truth(np.asarray(node.value), np.asarray(not node.value))
            return Condition(lambda _: known)
        if isinstance(node, tree.Sign | tree.Arithmetic | tree.Call):
            return self.arithmetic(node)
        return Condition(self._logic(node))

    def _logic(self, node: tree.Node) -> Callable[[int], Truth]:
        if isinstance(node, tree.Comparison):
            return self._chain(node)
        if isinstance(node, tree.Membership):
            return self._membership(node)
        if isinstance(node, tree.Missing):
            return self._missing(node)
        if isinstance(node, tree.Not):
            inner = self.condition(node.operand)
            return lambda part: ~inner(part)
        if isinstance(node, tree.IfThen):
            return self._if_then(node)
        assert isinstance(node, tree.AllOf | tree.AnyOf)  # noqa: S101  (all other nodes are above)
        parts = [self.condition(operand) for operand in node.operands]
        if isinstance(node, tree.AllOf):
            return lambda part: reduce(Truth.__and__, (one(part) for one in parts))
        return lambda part: reduce(Truth.__or__, (one(part) for one in parts))

    def _if_then(self, node: tree.IfThen) -> Callable[[int], Truth]:
        condition, then = self.condition(node.condition), self.condition(node.then)
        if node.otherwise is None:
            return lambda part: ~condition(part) | then(part)
        otherwise = self.condition(node.otherwise)
        return lambda part: condition(part).choose(then(part), otherwise(part))

    def _missing(self, node: tree.Missing) -> Callable[[int], Truth]:
        bound = self.bound(node.operand)
        if isinstance(bound, Quoted):
            what = "a text in quotes is never missing. Write the column without quotes"
            raise self.wrong(what, node.operand)

        def of(part: int) -> Truth:
            if isinstance(bound, Measured):
                found: Bools = np.isnan(bound.of(part).values)
            elif isinstance(bound, Levelled):
                found = bound.variable.codes[part] < 0
            else:
                found = bound.of(part).unknown
            return Truth(~found, found) if node.negated else Truth(found, ~found)

        return of

    def _chain(self, node: tree.Comparison) -> Callable[[int], Truth]:
        bound = [self.bound(operand) for operand in node.operands]
        parts = []
        for i, operator in enumerate(node.operators):
            nodes = (node.operands[i], node.operands[i + 1])
            parts.append(self.comparison(operator, bound[i], bound[i + 1], nodes))
        return lambda part: reduce(Truth.__and__, (one(part) for one in parts))

    def _membership(self, node: tree.Membership) -> Callable[[int], Truth]:
        bound = self.bound(node.operand)
        parts = [
            self.comparison("==", bound, self.bound(member), (node.operand, member))
            for member in node.members
        ]

        def of(part: int) -> Truth:
            found = reduce(Truth.__or__, (one(part) for one in parts))
            return ~found if node.negated else found

        return of
