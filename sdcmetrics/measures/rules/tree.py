"""The conditions of a rule as a tree: what the parser makes and everything else reads."""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.measures.expressions.tree import Node, Number, joined, wrapped


def quoted(text: str) -> str:
    """Return a text as the language writes it, its quotes doubled.

    Examples
    --------
    >>> print(quoted('a "b" c'))
    "a ""b"" c"
    """
    return '"' + text.replace('"', '""') + '"'


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
class Comparison(Node):
    """Two or more operands and what must hold between each and the next."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]
    level = 5

    def __str__(self) -> str:
        """Return the operands with their operators between them."""
        return joined(self.operators, self.operands, self.level + 1, self.level + 1)


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
        return f"{wrapped(self.operand, self.level + 1)} {word} [{members}]"


@dataclass(frozen=True)
class Missing(Node):
    """Whether a value is, or is not, missing."""

    operand: Node
    negated: bool = False
    level = 5

    def __str__(self) -> str:
        """Return the test."""
        word = "is not missing" if self.negated else "is missing"
        return f"{wrapped(self.operand, self.level + 1)} {word}"


@dataclass(frozen=True)
class Not(Node):
    """The opposite of a condition."""

    operand: Node
    level = 4

    def __str__(self) -> str:
        """Return the negated condition."""
        return f"not {wrapped(self.operand, self.level)}"


@dataclass(frozen=True)
class AllOf(Node):
    """Conditions joined by ``and``."""

    operands: tuple[Node, ...]
    level = 3

    def __str__(self) -> str:
        """Return the conditions with ``and`` between them."""
        return " and ".join(wrapped(operand, self.level + 1) for operand in self.operands)


@dataclass(frozen=True)
class AnyOf(Node):
    """Conditions joined by ``or``."""

    operands: tuple[Node, ...]
    level = 2

    def __str__(self) -> str:
        """Return the conditions with ``or`` between them."""
        return " or ".join(wrapped(operand, self.level + 1) for operand in self.operands)


@dataclass(frozen=True)
class IfThen(Node):
    """``if A then B``, or ``if A then B else C``."""

    condition: Node
    then: Node
    otherwise: Node | None = None
    level = 1

    def __str__(self) -> str:
        """Return the sentence."""
        parts = f"if {wrapped(self.condition, 2)} then {wrapped(self.then, 2)}"
        if self.otherwise is None:
            return parts
        return f"{parts} else {wrapped(self.otherwise, 2)}"
