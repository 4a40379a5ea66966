"""The text of a rule cut into words, and errors that point at one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sdcmetrics.errors import SdcMetricsError, StudyError
from sdcmetrics.measures.rules.tree import RESERVED

__all__ = ["Token", "tokens", "wrong"]

_WINDOW = 60

_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))"
    r"|`(?P<column>(?:[^`]|``)+)`"
    r'|"(?P<double>(?:[^"]|"")*)"'
    r"|'(?P<single>(?:[^']|'')*)'"
    r"|(?P<word>[^\W\d][\w.]*)"
    r"|(?P<operator><=|>=|==|!=|<>|=|<|>|\*\*|&&|\|\||[-+*/(),\[\]&|!~^%])"
)
_INSTEAD = {
    "=": "write == to compare",
    "<>": "write != for 'differs from'",
    "&": "write 'and'",
    "&&": "write 'and'",
    "|": "write 'or'",
    "||": "write 'or'",
    "!": "write 'not', or != to compare",
    "~": "write 'not'",
    "^": "powers are not known; multiply instead",
    "**": "powers are not known; multiply instead",
    "%": "remainders are not known",
}
_UNCLOSED = {
    '"': 'a text that begins with " does not end',
    "'": "a text that begins with ' does not end",
    "`": "a column's name that begins with ` does not end",
}


@dataclass(frozen=True)
class Token:
    """A word of a rule.

    Attributes
    ----------
    kind : "number", "column", "text", "word" (reserved), "name", "operator" or "end"
    text : the word without its quotes
    at, end : where it begins and ends in the rule
    """

    kind: str
    text: str
    at: int
    end: int


def wrong(
    rule: str,
    what: str,
    at: int,
    end: int | None = None,
    kind: type[SdcMetricsError] = StudyError,
) -> SdcMetricsError:
    """Return an error that shows the rule and points at a place in it.

    Examples
    --------
    >>> print(wrong("age <= agee", "unknown column 'agee'", 7, 11))
    rule 'age <= agee': unknown column 'agee'.
      age <= agee
             ^^^^
    """
    shown = "".join(" " if c.isspace() or not c.isprintable() else c for c in rule)
    first = max(0, min(at - _WINDOW // 2, len(shown) - _WINDOW))
    part = shown[first : first + _WINDOW]
    marks = max(1, min(end or at + 1, first + len(part)) - at)
    name = shown if len(shown) <= _WINDOW else shown[: _WINDOW - 1] + "…"
    pointer = " " * (at - first) + "^" * marks
    stop = "" if what.endswith((".", "?")) else "."
    return kind(f"rule '{name}': {what}{stop}\n  {part}\n  {pointer}")


def tokens(rule: str) -> list[Token]:
    """Cut a rule into its words; the last is the end.

    Raises
    ------
    StudyError
        For a sign that is none of the language.

    Examples
    --------
    >>> [token.text for token in tokens("if `is it` then x >= 1.5")]
    ['if', 'is it', 'then', 'x', '>=', '1.5', '']
    """
    out = []
    at = 0
    while at < len(rule):
        if rule[at].isspace():
            at += 1
            continue
        found = _TOKEN.match(rule, at)
        if found is None:
            raise wrong(rule, _UNCLOSED.get(rule[at], f"cannot read {rule[at]!r}"), at)
        out.append(_token(rule, found))
        at = found.end()
    return [*out, Token("end", "", len(rule.rstrip()), len(rule.rstrip()) + 1)]


def _token(rule: str, found: re.Match[str]) -> Token:
    kind, at, end = str(found.lastgroup), found.start(), found.end()
    text = found[kind]
    if kind == "operator" and text in _INSTEAD:
        raise wrong(rule, f"{text!r}: {_INSTEAD[text]}", at, end)
    if kind == "column":
        return Token(kind, text.replace("``", "`"), at, end)
    if kind in ("double", "single"):
        quote = rule[at]
        return Token("text", text.replace(quote * 2, quote), at, end)
    if kind == "word":
        return Token("word" if text in RESERVED else "name", text, at, end)
    return Token(kind, text, at, end)
