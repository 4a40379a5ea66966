"""A rule as a tree: what the parser makes and everything else reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sdcmetrics.microdata.frames import label_of

__all__ = [
    "RESERVED",
    "AllOf",
    "AnyOf",
    "Arithmetic",
    "Call",
    "Comparison",
    "Flag",
    "IfThen",
    "Literal",
    "Membership",
    "Missing",
    "Name",
    "Node",
    "Not",
    "Number",
    "Sign",
    "Text",
    "columns_of",
    "nodes_of",
    "quoted",
]

RESERVED = frozenset(
    {"if", "then", "else", "and", "or", "not", "in", "is", "missing", "true", "false"}
)
"""Words of the language; a column of such a name goes between backticks."""

_PLAIN = re.compile(r"[^\W\d][\w.]*")


def quoted(text: str) -> str:
    """Return a text as the language writes it, its quotes doubled.

    Examples
    --------
    >>> print(quoted('a "b" c'))
    "a ""b"" c"
    """
    return '"' + text.replace('"', '""') + '"'


@dataclass(frozen=True)
class Node:
    """A part of a rule; `at` is where it begins in the text."""

    at: int = field(default=0, compare=False, kw_only=True)

    level = 9
    """How tightly it binds; what binds less goes between brackets."""


@dataclass(frozen=True)
class Name(Node):
    """A column."""

    text: str

    def __str__(self) -> str:
        """Return the name, between backticks where it is no plain word."""
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
class Text(Node):
    """A text in quotes: a level, or a date."""

    text: str

    def __str__(self) -> str:
        """Return the text in quotes."""
        return quoted(self.text)


@dataclass(frozen=True)
class Flag(Node):
    """``true`` or ``false``."""

    value: bool

    def __str__(self) -> str:
        """Return the word."""
        return "true" if self.value else "false"


Literal = Number | Text | Flag


@dataclass(frozen=True)
class Sign(Node):
    """A sign before a quantity."""

    operator: str
    operand: Node
    level = 8

    def __str__(self) -> str:
        """Return the sign and its operand."""
        return f"{self.operator}{_wrapped(self.operand, self.level)}"


@dataclass(frozen=True)
class Arithmetic(Node):
    """A sum (+ -) or a product (* /) of two or more operands, from left to right."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]

    @property
    def level(self) -> int:  # type: ignore[override]  # a sum binds less than a product
        """How tightly it binds."""
        return 6 if self.operators[0] in "+-" else 7

    def __str__(self) -> str:
        """Return the operands with their operators between them."""
        first, *others = self.operands
        out = _wrapped(first, self.level)
        for operator, operand in zip(self.operators, others, strict=True):
            out += f" {operator} {_wrapped(operand, self.level + 1)}"
        return out


@dataclass(frozen=True)
class Call(Node):
    """A call of a known function."""

    function: str
    arguments: tuple[Node, ...]

    def __str__(self) -> str:
        """Return the call."""
        return f"{self.function}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Comparison(Node):
    """Two or more operands and what must hold between each and the next."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]
    level = 5

    def __str__(self) -> str:
        """Return the operands with their operators between them."""
        first, *others = self.operands
        out = _wrapped(first, self.level + 1)
        for operator, operand in zip(self.operators, others, strict=True):
            out += f" {operator} {_wrapped(operand, self.level + 1)}"
        return out


@dataclass(frozen=True)
class Membership(Node):
    """Whether a value is, or is not, one of a list."""

    operand: Node
    members: tuple[Literal, ...]
    negated: bool = False
    level = 5

    def __str__(self) -> str:
        """Return the test with its list."""
        word = "not in" if self.negated else "in"
        members = ", ".join(map(str, self.members))
        return f"{_wrapped(self.operand, self.level + 1)} {word} [{members}]"


@dataclass(frozen=True)
class Missing(Node):
    """Whether a value is, or is not, missing."""

    operand: Node
    negated: bool = False
    level = 5

    def __str__(self) -> str:
        """Return the test."""
        word = "is not missing" if self.negated else "is missing"
        return f"{_wrapped(self.operand, self.level + 1)} {word}"


@dataclass(frozen=True)
class Not(Node):
    """The opposite of a condition."""

    operand: Node
    level = 4

    def __str__(self) -> str:
        """Return the negated condition."""
        return f"not {_wrapped(self.operand, self.level)}"


@dataclass(frozen=True)
class AllOf(Node):
    """Conditions joined by ``and``."""

    operands: tuple[Node, ...]
    level = 3

    def __str__(self) -> str:
        """Return the conditions with ``and`` between them."""
        return " and ".join(_wrapped(operand, self.level + 1) for operand in self.operands)


@dataclass(frozen=True)
class AnyOf(Node):
    """Conditions joined by ``or``."""

    operands: tuple[Node, ...]
    level = 2

    def __str__(self) -> str:
        """Return the conditions with ``or`` between them."""
        return " or ".join(_wrapped(operand, self.level + 1) for operand in self.operands)


@dataclass(frozen=True)
class IfThen(Node):
    """``if A then B``, or ``if A then B else C``."""

    condition: Node
    then: Node
    otherwise: Node | None = None
    level = 1

    def __str__(self) -> str:
        """Return the sentence."""
        parts = f"if {_wrapped(self.condition, 2)} then {_wrapped(self.then, 2)}"
        if self.otherwise is None:
            return parts
        return f"{parts} else {_wrapped(self.otherwise, 2)}"


def _wrapped(node: Node, level: int) -> str:
    return f"({node})" if node.level < level else str(node)


def _children(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Sign | Not | Missing):
        return (node.operand,)
    if isinstance(node, Membership):
        return (node.operand, *node.members)
    if isinstance(node, Arithmetic | Comparison | AllOf | AnyOf):
        return node.operands
    if isinstance(node, Call):
        return node.arguments
    if isinstance(node, IfThen):
        parts = (node.condition, node.then)
        return parts if node.otherwise is None else (*parts, node.otherwise)
    return ()


def nodes_of(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it, from left to right."""
    yield node
    for child in _children(node):
        yield from nodes_of(child)


def columns_of(node: Node) -> tuple[str, ...]:
    """Return the columns that a rule names, each once, in the order of the text."""
    return tuple(dict.fromkeys(n.text for n in nodes_of(node) if isinstance(n, Name)))
