"""Formulas as text to a tree: names, numbers, operators and calls of a few known functions.

A formula may come from a study file, so it is parsed here and never handed to `eval`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sdcmetrics.errors import StudyError, did_you_mean

__all__ = ["FUNCTIONS", "Binary", "Call", "Name", "Node", "Number", "Unary", "names_in", "parse"]

FUNCTIONS = ("log", "log2", "log10", "log1p", "exp", "sqrt", "abs", "I", "factor")
"""Functions that a formula may call."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|`(?P<quoted>[^`]+)`"
    r"|(?P<name>(?:[^\W\d]|\.)[\w.]*)"
    r"|(?P<operator>\*\*|[-+*/^:~(),]))"
)
_BINDING = {"+": 10, "-": 10, "*": 20, "/": 20, ":": 30, "^": 50}
_UNARY = 40


@dataclass(frozen=True)
class Name:
    """A column, or ``.`` for all columns but the response."""

    text: str

    def __str__(self) -> str:
        """Return the name, in backticks where R would need them."""
        plain = re.fullmatch(r"(?:[^\W\d_]|\.(?!\d))[\w.]*", self.text)
        return self.text if plain else f"`{self.text}`"


@dataclass(frozen=True)
class Number:
    """A number."""

    value: float

    def __str__(self) -> str:
        """Return the number in up to 15 significant digits."""
        return f"{self.value:.15g}"


@dataclass(frozen=True)
class Unary:
    """A sign before an operand."""

    operator: str
    operand: Node

    def __str__(self) -> str:
        """Return the sign and its operand."""
        return f"{self.operator}{_wrap(self.operand, _UNARY)}"


@dataclass(frozen=True)
class Binary:
    """Two operands around an operator."""

    operator: str
    left: Node
    right: Node

    def __str__(self) -> str:
        """Return the text that R prints, with spaces around + - * only."""
        power = _BINDING[self.operator]
        space = " " if self.operator in "+-*" else ""
        left = _wrap(self.left, power + (self.operator == "^"))
        right = _wrap(self.right, power + (self.operator != "^"))
        return f"{left}{space}{self.operator}{space}{right}"


@dataclass(frozen=True)
class Call:
    """A call of one of `FUNCTIONS`."""

    function: str
    argument: Node

    def __str__(self) -> str:
        """Return the call as R prints it."""
        return f"{self.function}({self.argument})"


Node = Name | Number | Unary | Binary | Call


def _wrap(node: Node, power: int) -> str:
    own = {Binary: 0, Unary: _UNARY}.get(type(node), 99)
    if isinstance(node, Binary):
        own = _BINDING[node.operator]
    return f"({node})" if own < power else str(node)


def parse(text: str) -> tuple[Node, Node]:
    """Parse ``response ~ predictors`` into two trees.

    Raises
    ------
    StudyError
        If the text is no formula.

    Examples
    --------
    >>> response, predictors = parse("log(income) ~ age + I(age^2)*sex")
    >>> str(response), str(predictors)
    ('log(income)', 'age + I(age^2) * sex')
    """
    return _Parser(text).formula()


def names_in(node: Node) -> Iterator[str]:
    """Yield the names in a tree, from left to right."""
    if isinstance(node, Name):
        yield node.text
    elif isinstance(node, Call):
        yield from names_in(node.argument)
    elif isinstance(node, Unary):
        yield from names_in(node.operand)
    elif isinstance(node, Binary):
        yield from names_in(node.left)
        yield from names_in(node.right)


class _Parser:
    """Precedence climbing over the tokens of one formula."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._split(text))
        self._at = 0

    def formula(self) -> tuple[Node, Node]:
        left = self._expression(0)
        if self._next() != ("operator", "~"):
            what = "expected 'response ~ predictors'"
            raise self._wrong(what)
        right = self._expression(0)
        if self._at < len(self._tokens):
            raise self._wrong(f"did not expect {self._tokens[self._at][1]!r} there")
        return left, right

    def _split(self, text: str) -> Iterator[tuple[str, str]]:
        at, end = 0, len(text.rstrip())
        while at < end:
            found = _TOKEN.match(text, at)
            if found is None:
                raise self._wrong(f"cannot read {text[at:].strip()[0]!r}")
            kind = str(found.lastgroup)
            written = found[kind]
            yield kind, "^" if written == "**" else written
            at = found.end()

    def _wrong(self, what: str) -> StudyError:
        return StudyError(
            f"formula {self._text!r}: {what}. Write it as in R, such as 'income ~ age + sex'; put "
            "a column whose name is no plain word between backticks."
        )

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        self._at += 1
        return token

    def _expression(self, power: int) -> Node:
        left = self._operand()
        while True:
            kind, operator = self._peek()
            binding = _BINDING.get(operator, 0) if kind == "operator" else 0
            if binding <= power:
                return left
            self._next()
            # powers go from right to left, everything else from left to right
            right = self._expression(binding - 1 if operator == "^" else binding)
            left = Binary(operator, left, right)

    def _operand(self) -> Node:
        kind, text = self._next()
        if kind == "number":
            return Number(float(text))
        if kind == "quoted":
            return Name(text)
        if kind == "operator" and text in "+-":
            return Unary(text, self._expression(_UNARY))
        if kind == "operator" and text == "(":
            inside = self._expression(0)
            self._close()
            return inside
        if kind != "name":
            raise self._wrong("it ends too early" if kind == "end" else f"did not expect {text!r}")
        if self._peek() != ("operator", "("):
            return Name(text)
        if text not in FUNCTIONS:
            hint = did_you_mean(text, FUNCTIONS) or f" Known: {', '.join(FUNCTIONS)}."
            raise self._wrong(f"unknown function {text!r}.{hint}".rstrip("."))
        self._next()
        argument = self._expression(0)
        self._close()
        return Call(text, argument)

    def _close(self) -> None:
        if self._next() != ("operator", ")"):
            what = "a bracket is not closed"
            raise self._wrong(what)
