"""Rules as text to a tree, by recursive descent; nothing of a rule is ever executed as code.

::

    rule       = "if" condition "then" condition ["else" condition] | condition
    condition  = conjunction {"or" conjunction}
    conjunction = negation {"and" negation}
    negation   = "not" negation | test
    test       = sum [comparison {comparison} | ["not"] "in" "[" literal {"," literal} "]"
                      | "is" ["not"] "missing"]
    comparison = ("==" | "!=" | "<" | "<=" | ">" | ">=") sum
    sum        = product {("+" | "-") product}
    product    = signed {("*" | "/") signed}
    signed     = ("+" | "-") signed | operand
    operand    = literal | column | function "(" sum {"," sum} ")" | "(" rule ")"
    literal    = ["+" | "-"] number | text | "true" | "false"

A column is a word, or any name between backticks; a text stands in double or single quotes, and
dates are texts such as "2020-01-31". A quote or backtick within is doubled.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sdcmetrics.errors import SdcMetricsError, did_you_mean
from sdcmetrics.measures.rules.tokens import Token, tokens, wrong
from sdcmetrics.measures.rules.tree import (
    RESERVED,
    AllOf,
    AnyOf,
    Arithmetic,
    Call,
    Comparison,
    Flag,
    IfThen,
    Literal,
    Membership,
    Missing,
    Name,
    Node,
    Not,
    Number,
    Sign,
    Text,
)

__all__ = ["COMPARISONS", "FUNCTIONS", "parse_rule"]

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

FUNCTIONS: dict[str, tuple[int, int]] = {
    "abs": (1, 1),
    "floor": (1, 1),
    "max": (2, 99),
    "min": (2, 99),
    "round": (1, 1),
    "year": (1, 1),
}
"""Known functions, with the fewest and the most arguments that they take."""

_DEEPEST = 30

_INSTEAD = {
    "then": "'then' without an 'if' before it",
    "else": "'else' without an 'if' before it",
    "if": "put 'if ... then ...' between brackets, or at the beginning",
    "missing": "write 'is missing' after what is missing",
}


def parse_rule(text: str) -> Node:
    """Parse a rule.

    Raises
    ------
    StudyError
        If the text is no rule, with a pointer to the place.

    Examples
    --------
    >>> str(parse_rule("if employed == 'no' then income+benefits == 0"))
    'if employed == "no" then income + benefits == 0'
    >>> str(parse_rule("not (a < b <= c) or `d e` is missing"))
    'not a < b <= c or `d e` is missing'
    """
    return _Parser(text).rule_alone()


class _Parser:
    """One method a line of the grammar; `_depth` bounds the recursion."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._place = 0
        self._depth = 0

    def rule_alone(self) -> Node:
        if self._now.kind == "end":
            what = "it is empty"
            raise self._wrong(what)
        node = self._rule()
        if self._now.kind != "end":
            raise self._unexpected()
        return node

    @property
    def _now(self) -> Token:
        return self._tokens[self._place]

    def _next(self) -> Token:
        token = self._now
        self._place += token.kind != "end"
        return token

    def _is(self, *texts: str) -> bool:
        return self._now.kind in ("word", "operator") and self._now.text in texts

    def _take(self, text: str) -> bool:
        found = self._is(text)
        self._place += found
        return found

    def _expect(self, text: str, why: str) -> None:
        if not self._take(text):
            raise self._wrong(f"expected {text!r} {why}{self._got()}")

    def _wrong(self, what: str, token: Token | None = None) -> SdcMetricsError:
        token = token or self._now
        return wrong(self._text, what, token.at, token.end)

    def _got(self) -> str:
        return "" if self._now.kind == "end" else f" but got {self._now.text!r}"

    def _unexpected(self) -> SdcMetricsError:
        token = self._now
        if token.kind == "end":
            return self._wrong("it ends too early")
        if token.kind == "name" and token.text.lower() in RESERVED:
            return self._wrong(f"write {token.text.lower()!r} in small letters")
        if token.kind == "word" and token.text in _INSTEAD:
            return self._wrong(_INSTEAD[token.text])
        hint = ""
        if token.kind == "word":
            hint = "; a column of that name goes between backticks"
        elif token.kind == "name":
            hint = did_you_mean(token.text, RESERVED) or (
                "; a column whose name is no plain word goes between backticks, a text in quotes"
            )
        return self._wrong(f"did not expect {token.text!r} there{hint}")

    def _deeper(self, parse: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong(f"it is nested more than {_DEEPEST} deep; make several rules of it")
        node = parse()
        self._depth -= 1
        return node

    def _rule(self) -> Node:
        at = self._now.at
        if not self._take("if"):
            return self._condition()
        condition = self._condition()
        self._expect("then", "after the condition of 'if'")
        then = self._condition()
        otherwise = self._condition() if self._take("else") else None
        return IfThen(condition, then, otherwise, at=at)

    def _condition(self) -> Node:
        at = self._now.at
        operands = [self._conjunction()]
        while self._take("or"):
            operands.append(self._conjunction())
        return operands[0] if len(operands) == 1 else AnyOf(tuple(operands), at=at)

    def _conjunction(self) -> Node:
        at = self._now.at
        operands = [self._negation()]
        while self._take("and"):
            operands.append(self._negation())
        return operands[0] if len(operands) == 1 else AllOf(tuple(operands), at=at)

    def _negation(self) -> Node:
        at = self._now.at
        if self._take("not"):
            return Not(self._deeper(self._negation), at=at)
        return self._test()

    def _test(self) -> Node:
        at = self._now.at
        first = self._sum()
        if self._take("is"):
            negated = self._take("not")
            self._expect("missing", "after 'is'; write == to compare")
            return Missing(first, negated, at=at)
        if self._is("not", "in"):
            negated = self._take("not")
            self._expect("in", "after 'not'")
            return Membership(first, self._list(), negated, at=at)
        operators, operands = [], [first]
        while self._is(*COMPARISONS):
            operators.append(self._next().text)
            operands.append(self._sum())
        if not operators:
            return first
        return Comparison(tuple(operators), tuple(operands), at=at)

    def _list(self) -> tuple[Literal, ...]:
        self._expect("[", "after 'in'")
        members = [self._literal()]
        while self._take(","):
            members.append(self._literal())
        self._expect("]", "at the end of the list")
        return tuple(members)

    def _literal(self) -> Literal:
        at = self._now.at
        if self._is("+", "-"):
            sign = -1.0 if self._next().text == "-" else 1.0
            if self._now.kind != "number":
                raise self._wrong(f"expected a number after the sign{self._got()}")
            return Number(sign * self._number(self._next()), at=at)
        token = self._now
        if token.kind == "number":
            return Number(self._number(self._next()), at=at)
        if token.kind == "text":
            return Text(self._next().text, at=at)
        if self._is("true", "false"):
            return Flag(self._next().text == "true", at=at)
        raise self._wrong(f"expected a number, or a text in quotes{self._got()}")

    def _number(self, token: Token) -> float:
        value = float(token.text)
        if math.isinf(value):
            what = "the number is too large"
            raise self._wrong(what, token)
        return value

    def _sum(self) -> Node:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> Node:
        return self._chain(("*", "/"), self._signed)

    def _chain(self, known: tuple[str, str], parse: Callable[[], Node]) -> Node:
        at = self._now.at
        operators, operands = [], [parse()]
        while self._is(*known):
            operators.append(self._next().text)
            operands.append(parse())
        if not operators:
            return operands[0]
        return Arithmetic(tuple(operators), tuple(operands), at=at)

    def _signed(self) -> Node:
        token = self._now
        if self._is("+", "-"):
            self._next()
            return Sign(token.text, self._deeper(self._signed), at=token.at)
        return self._operand()

    def _operand(self) -> Node:
        token = self._now
        if token.kind in ("number", "text") or self._is("true", "false"):
            return self._literal()
        if token.kind == "column":
            return Name(self._next().text, at=token.at)
        if self._take("("):
            inside = self._deeper(self._rule)
            self._expect(")", "at the end of what the bracket opens")
            return inside
        if token.kind != "name":
            raise self._unexpected()
        self._next()
        return self._call(token) if self._take("(") else Name(token.text, at=token.at)

    def _call(self, name: Token) -> Node:
        if name.text not in FUNCTIONS:
            if name.text.lower() in RESERVED:
                raise self._wrong(f"write {name.text.lower()!r} in small letters", name)
            hint = did_you_mean(name.text, FUNCTIONS) or f" Known: {', '.join(FUNCTIONS)}"
            raise self._wrong(f"unknown function {name.text!r}.{hint}", name)
        arguments = [self._deeper(self._sum)]
        while self._take(","):
            arguments.append(self._deeper(self._sum))
        self._expect(")", f"after the arguments of {name.text}")
        fewest, most = FUNCTIONS[name.text]
        if not fewest <= len(arguments) <= most:
            expected = "one argument" if most == 1 else f"at least {fewest} arguments"
            raise self._wrong(f"{name.text} takes {expected} but got {len(arguments)}", name)
        return Call(name.text, tuple(arguments), at=name.at)
