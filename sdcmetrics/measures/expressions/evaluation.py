"""Evaluation of expressions on the columns of harmonised data."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np

from sdcmetrics.measures.expressions.tree import Arithmetic, Call, Node, Sign
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.schema import Variable

DAY = 86_400_000.0
"""Milliseconds, the unit of dates."""

T = TypeVar("T")


class Algebra(Protocol[T]):
    """What arithmetic is made of: floats in a formula, values with their kind and error in a rule.

    Every method gets the node as well, for messages that point at it.
    """

    def leaf(self, node: Node, /) -> T:
        """Return the operand of a leaf: a column or a number."""

    def sign(self, node: Sign, operand: T, /) -> T:
        """Return an operand with a sign before it."""

    def combine(self, node: Node, operator: str, left: T, right: T, /) -> T:
        """Return the result of an operator on two operands; `node` is the right one."""

    def call(self, node: Call, arguments: list[T], /) -> T:
        """Return the value of a function."""


def evaluate(node: Node, algebra: Algebra[T]) -> T:
    """Evaluate an expression, operands from left to right."""
    if isinstance(node, Sign):
        return algebra.sign(node, evaluate(node.operand, algebra))
    if isinstance(node, Call):
        return algebra.call(node, [evaluate(argument, algebra) for argument in node.arguments])
    if not isinstance(node, Arithmetic):
        return algebra.leaf(node)
    out = evaluate(node.operands[0], algebra)
    for operator, operand in zip(node.operators, node.operands[1:], strict=True):
        out = algebra.combine(operand, operator, out, evaluate(operand, algebra))
    return out


def known_values(variable: Variable, part: int | None = None) -> Floats:
    """Return the values of a data set, or of all one after the other; missing codes as NaN."""
    values = np.concatenate(variable.values) if part is None else variable.values[part]
    if not variable.missing_codes:
        return values
    return np.where(np.isin(values, variable.missing_codes), np.nan, values)
