"""Rules evaluated record by record, in plain Python, from the tree's text alone.

Written against the documented grammar and not against the package's parser or evaluator: a rule
is cut into words here by another method and evaluated while it is read, None being unknown.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

WORDS = re.compile(
    r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|[A-Za-z_]\w*|\d+(?:\.\d+)?|[<>=!]=|[-+*/<>(),\[\]]'
)
COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def evaluate(rule: str, record: Mapping[str, Any]) -> bool | None:
    """Return True, False or None (unknown)."""
    words = WORDS.findall(rule)
    value, rest = whole(words, record)
    assert rest == []
    return value


def both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def opposite(value: bool | None) -> bool | None:
    return None if value is None else not value


def either(left: bool | None, right: bool | None) -> bool | None:
    return opposite(both(opposite(left), opposite(right)))


def whole(words: list[str], record: Mapping[str, Any]) -> Any:
    if words[0] != "if":
        return disjunction(words, record)
    condition, words = disjunction(words[1:], record)
    assert words[0] == "then"
    then, words = disjunction(words[1:], record)
    if not words or words[0] != "else":
        return either(opposite(condition), then), words
    otherwise, words = disjunction(words[1:], record)
    if condition is None:
        return (then if then == otherwise else None), words
    return (then if condition else otherwise), words


def disjunction(words: list[str], record: Mapping[str, Any]) -> Any:
    value, words = conjunction(words, record)
    while words and words[0] == "or":
        other, words = conjunction(words[1:], record)
        value = either(value, other)
    return value, words


def conjunction(words: list[str], record: Mapping[str, Any]) -> Any:
    value, words = negation(words, record)
    while words and words[0] == "and":
        other, words = negation(words[1:], record)
        value = both(value, other)
    return value, words


def negation(words: list[str], record: Mapping[str, Any]) -> Any:
    if words[0] == "not":
        value, words = negation(words[1:], record)
        return opposite(value), words
    return test(words, record)


def test(words: list[str], record: Mapping[str, Any]) -> Any:
    value, words = total(words, record)
    if words[:3] == ["is", "not", "missing"]:
        return value is not None, words[3:]
    if words[:2] == ["is", "missing"]:
        return value is None, words[2:]
    if words[:2] == ["not", "in"] or words[:1] == ["in"]:
        negated = words[0] == "not"
        words = words[2 + negated :]
        members = []
        while True:
            member, words = operand(words, record)
            members.append(member)
            sign, words = words[0], words[1:]
            if sign == "]":
                break
        result = None if value is None else value in members
        return (opposite(result) if negated else result), words
    if not words or words[0] not in COMPARE:
        return value, words
    out: bool | None = True
    while words and words[0] in COMPARE:
        compare = COMPARE[words[0]]
        other, words = total(words[1:], record)
        known = value is not None and other is not None
        out = both(out, compare(value, other) if known else None)
        value = other
    return out, words


def total(words: list[str], record: Mapping[str, Any]) -> Any:
    value, words = product(words, record)
    while words and words[0] in "+-":
        sign = words[0]
        other, words = product(words[1:], record)
        if value is None or other is None:
            value = None
        else:
            value = value + other if sign == "+" else value - other
    return value, words


def product(words: list[str], record: Mapping[str, Any]) -> Any:
    value, words = operand(words, record)
    while words and words[0] in "*/":
        sign = words[0]
        other, words = operand(words[1:], record)
        if value is None or other is None or (sign == "/" and other == 0):
            value = None
        else:
            value = value * other if sign == "*" else value / other
    return value, words


def operand(words: list[str], record: Mapping[str, Any]) -> Any:
    first, rest = words[0], words[1:]
    if first == "-":
        value, rest = operand(rest, record)
        return (None if value is None else -value), rest
    if first == "(":
        value, rest = whole(rest, record)
        assert rest[0] == ")"
        return value, rest[1:]
    if first in ("min", "max", "abs"):
        values = []
        rest = rest[1:]
        while True:
            value, rest = total(rest, record)
            values.append(value)
            sign, rest = rest[0], rest[1:]
            if sign == ")":
                break
        if None in values:
            return None, rest
        return {"min": min, "max": max, "abs": lambda item: abs(item[0])}[first](values), rest
    if first[0] == '"':
        return first[1:-1].replace('""', '"'), rest
    if first[0] == "`":
        return record[first[1:-1].replace("``", "`")], rest
    if first[0].isdigit():
        return Fraction(first), rest
    return {"true": True, "false": False}.get(first, record.get(first)), rest
