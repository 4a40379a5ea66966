"""An expression as a tree: columns, numbers, and the arithmetic between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from sdcmetrics.microdata.frames import label_of

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
        return joined(self.operators, self.operands, self.level, self.level + 1)


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
