"""Arithmetic as text to a tree, by recursive descent; nothing of it is ever executed as code.

::

    sum      = product {("+" | "-") product}
    product  = crossed {("*" | "/") crossed}
    crossed  = signed {":" signed}
    signed   = ("+" | "-") signed | power
    power    = operand [("^" | "**") signed]
    operand  = number | column | function "(" sum {"," sum} ")" | "(" inside ")"

A column is a word, or any name between backticks; a backtick within is doubled. What a language
adds (conditions, ``response ~ predictors``) and which of these signs it knows is its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from sdcmetrics.errors import SdcMetricsError, did_you_mean
from sdcmetrics.measures.expressions.tokens import Language, Token, tokens
from sdcmetrics.measures.expressions.tree import Arithmetic, Call, Name, Node, Number, Sign

_DEEPEST = 30
"""Brackets within brackets: far more than anybody writes, far fewer than Python's stack holds."""

AnyNode = TypeVar("AnyNode", bound=Node)


class Parser:
    """One method per line of the grammar; `_depth` bounds the recursion."""

    def __init__(self, text: str, language: Language) -> None:
        self._text = text
        self._language = language
        self._tokens = tokens(text, language)
        self._place = 0
        self._depth = 0

    def alone(self, parse: Callable[[], AnyNode]) -> AnyNode:
        """Parse what must be the whole rest of the text."""
        node = parse()
        if self.now.kind != "end":
            raise self.unexpected()
        return node

    @property
    def now(self) -> Token:
        """The word that comes next."""
        return self._tokens[self._place]

    def next(self) -> Token:
        """Take the next word."""
        token = self.now
        self._place += token.kind != "end"
        return token

    def sees(self, *texts: str) -> bool:
        """Tell whether one of some words or signs comes next."""
        return self.now.kind in ("word", "operator") and self.now.text in texts

    def accept(self, text: str) -> bool:
        """Take a word or sign, if it comes next."""
        matches = self.sees(text)
        self._place += matches
        return matches

    def expect(self, text: str, why: str) -> None:
        """Take a word or sign that must come next."""
        if not self.accept(text):
            raise self.wrong(f"expected {text!r} {why}{self.got()}")

    def wrong(self, problem: str, token: Token | None = None) -> SdcMetricsError:
        """Return an error that points at a word."""
        token = token or self.now
        return self._language.wrong(self._text, problem, token.at, token.end)

    def got(self) -> str:
        """Say what came instead."""
        return "" if self.now.kind == "end" else f" but got {self.now.text!r}"

    def unexpected(self) -> SdcMetricsError:
        """Return an error that says that the next word does not belong there."""
        if self.now.kind == "end":
            return self.wrong("it ends too early")
        return self.wrong(f"did not expect {self.now.text!r} there")

    def deeper(self, parse: Callable[[], Node]) -> Node:
        """Parse one level further down."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self.wrong(
                f"it is nested more than {_DEEPEST} deep; make several {self._language.kind}s of it"
            )
        node = parse()
        self._depth -= 1
        return node

    def sum(self) -> Node:
        """Parse a sum, a product, or anything that binds more."""
        return self._chain(("+", "-"), self._product)

    def _product(self) -> Node:
        return self._chain(("*", "/"), self._crossed)

    def _crossed(self) -> Node:
        return self._chain((":",), self._signed)

    def _chain(self, symbols: tuple[str, ...], parse: Callable[[], Node]) -> Node:
        at = self.now.at
        operators, operands = [], [parse()]
        while self.sees(*symbols):
            operators.append(self.next().text)
            operands.append(parse())
        if not operators:
            return operands[0]
        return Arithmetic(tuple(operators), tuple(operands), at=at)

    def _signed(self) -> Node:
        token = self.now
        if self.sees("+", "-"):
            self.next()
            return Sign(token.text, self.deeper(self._signed), at=token.at)
        base = self.operand()
        if not self.sees("^", "**"):
            return base
        self.next()
        return Arithmetic(("^",), (base, self.deeper(self._signed)), at=token.at)

    def operand(self) -> Node:
        """Parse a number, a column, a call, or what stands between brackets."""
        token = self.now
        if token.kind == "number":
            return Number(self.number(self.next()), at=token.at)
        if token.kind == "column":
            return Name(self.next().text, at=token.at)
        if self.accept("("):
            inside = self.deeper(self.inside)
            self.expect(")", "as a bracket is not closed")
            return inside
        if token.kind != "name":
            raise self.unexpected()
        self.next()
        return self._call(token) if self.accept("(") else Name(token.text, at=token.at)

    def unknown(self, name: Token) -> SdcMetricsError:
        """Return an error that says that a name before a bracket is not a function."""
        functions = self._language.functions
        hint = did_you_mean(name.text, functions) or f" Known: {', '.join(functions)}"
        return self.wrong(f"unknown function {name.text!r}.{hint}", name)

    def inside(self) -> Node:
        """Parse what may stand between brackets."""
        return self.sum()

    def number(self, token: Token) -> float:
        """Return the value of a number."""
        value = float(token.text)
        if math.isinf(value):
            what = "the number is too large"
            raise self.wrong(what, token)
        return value

    def _call(self, name: Token) -> Node:
        functions = self._language.functions
        if name.text not in functions:
            raise self.unknown(name)
        arguments = [self.deeper(self.sum)]
        while self.accept(","):
            arguments.append(self.deeper(self.sum))
        self.expect(")", f"after the arguments of {name.text}")
        fewest, most = functions[name.text]
        if not fewest <= len(arguments) <= most:
            expected = "one argument" if most == 1 else f"at least {fewest} arguments"
            raise self.wrong(f"{name.text} takes {expected} but got {len(arguments)}", name)
        return Call(name.text, tuple(arguments), at=name.at)
