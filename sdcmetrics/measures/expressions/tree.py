"""An expression as a tree: columns, numbers, and the arithmetic between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Protocol, TypeVar

import numpy as np

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.frames import label_of
from sdcmetrics.microdata.schema import Variable

RESERVED = frozenset(
    {"if", "then", "else", "and", "or", "not", "in", "is", "missing", "true", "false"}
)
"""Words of the language of rules; there, a column of such a name goes between backticks."""

_PLAIN = re.compile(r"[^\W\d][\w.]*")
_LEVELS = {"+": 6, "-": 6, "*": 7, "/": 7, ":": 8, "^": 10}


@dataclass(frozen=True)
class Node:
    """A part of an expression; `at` is where it begins in the text."""

    at: int = field(default=0, compare=False, kw_only=True)

    level = 11
    """How tightly it binds; what binds less goes between brackets."""


@dataclass(frozen=True)
class Name(Node):
    """A column."""

    text: str

    def __str__(self) -> str:
        """Return the name, between backticks where it is not a plain word."""
        if _PLAIN.fullmatch(self.text) and self.text not in RESERVED:
            return self.text
        return "`" + self.text.replace("`", "``") + "`"


@dataclass(frozen=True)
class Number(Node):
    """A number."""

    value: float

    def __str__(self) -> str:
        """Return the number in as few digits as tell it from every other."""
        short = label_of(self.value)
        return short if float(short) == self.value else repr(self.value)


@dataclass(frozen=True)
class Sign(Node):
    """A sign before a quantity."""

    operator: str
    operand: Node
    level = 9

    def __str__(self) -> str:
        """Return the sign and its operand."""
        return f"{self.operator}{wrapped(self.operand, self.level)}"


@dataclass(frozen=True)
class Arithmetic(Node):
    """Two or more operands of one precedence, from left to right; of two only for a power."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]

    @property
    def level(self) -> int:  # type: ignore[override]  # a sum binds less than a product
        """How tightly it binds."""
        return _LEVELS[self.operators[0]]

    def __str__(self) -> str:
        """Return the operands with their operators between them."""
        first = self.level + (self.operators[0] == "^")  # the right one of two powers binds first
        return joined(self.operators, self.operands, first, self.level + 1)


@dataclass(frozen=True)
class Call(Node):
    """A call of a known function."""

    function: str
    arguments: tuple[Node, ...]

    def __str__(self) -> str:
        """Return the call."""
        return f"{self.function}({', '.join(map(str, self.arguments))})"


def wrapped(node: Node, level: int) -> str:
    """Return the text of a node, between brackets if it binds less than a level."""
    return f"({node})" if node.level < level else str(node)


def joined(operators: tuple[str, ...], operands: tuple[Node, ...], first: int, others: int) -> str:
    """Return operands with operators between them, those that bind less between brackets."""
    out = wrapped(operands[0], first)
    for operator, operand in zip(operators, operands[1:], strict=True):
        out += f" {operator} {wrapped(operand, others)}"
    return out


def nodes_of(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it, from left to right."""
    yield node
    for part in fields(node):
        value = getattr(node, part.name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, Node):
                yield from nodes_of(child)


def columns_of(node: Node) -> tuple[str, ...]:
    """Return the columns that an expression names, each once, in the order of the text."""
    return tuple(dict.fromkeys(n.text for n in nodes_of(node) if isinstance(n, Name)))


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
