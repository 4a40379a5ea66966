"""The text of a formula or a rule cut into words, and errors that point at one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sdcmetrics.errors import SdcMetricsError, StudyError

_WINDOW = 60
"""Signs of a long text that an error shows: they fit a terminal with the pointer below them."""

_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))"
    r"|`(?P<column>(?:[^`]|``)+)`"
    r'|"(?P<double>(?:[^"]|"")*)"'
    r"|'(?P<single>(?:[^']|'')*)'"
    r"|(?P<word>(?:[^\W\d]|\.(?![0-9]))[\w.]*)"
    r"|(?P<operator><=|>=|==|!=|<>|=|<|>|\*\*|&&|\|\||[-+*/(),\[\]&|!~^%:])"
)
_UNCLOSED = {
    '"': 'a text that begins with " does not end',
    "'": "a text that begins with ' does not end",
    "`": "a column's name that begins with ` does not end; a ` within a name is written ``",
}


@dataclass(frozen=True)
class Language:
    """The tokens of a language, and the error for other characters.

    Attributes
    ----------
    kind : what errors call the text, such as "rule"
    operators : the signs that it knows
    functions : the fewest and the most arguments of every function
    reserved : words that are no columns
    texts : whether a text may stand in quotes
    points : whether a name may begin with a point
    instead : what to write for a sign that it does not know
    remedy : how such a text is written
    """

    kind: str
    operators: frozenset[str]
    functions: Mapping[str, tuple[int, int]]
    reserved: frozenset[str] = frozenset()
    texts: bool = False
    points: bool = False
    instead: Mapping[str, str] = field(default_factory=dict)
    remedy: str = ""

    def wrong(
        self,
        text: str,
        problem: str,
        at: int,
        end: int = 0,
        error: type[SdcMetricsError] = StudyError,
    ) -> SdcMetricsError:
        """Return an error that shows a text and points at a place in it.

        Examples
        --------
        >>> rules = Language("rule", frozenset({"<="}), {})
        >>> print(rules.wrong("age <= agee", "unknown column 'agee'", 7, 11))
        rule 'age <= agee': unknown column 'agee'.
          age <= agee
                 ^^^^
        """
        shown = "".join(" " if c.isspace() or not c.isprintable() else c for c in text)
        first = max(0, min(at - _WINDOW // 2, len(shown) - _WINDOW))
        part = shown[first : first + _WINDOW]
        width = max(1, min(end, first + len(part)) - at)
        name = shown if len(shown) <= _WINDOW else shown[: _WINDOW - 1] + "…"
        pointer = " " * (at - first) + "^" * width
        stop = "" if problem.endswith((".", "?")) else "."
        remedy = f" {self.remedy}" if self.remedy else ""
        return error(f"{self.kind} '{name}': {problem}{stop}{remedy}\n  {part}\n  {pointer}")


@dataclass(frozen=True)
class Token:
    """A word of a text.

    Attributes
    ----------
    kind : "number", "column", "text", "word" (reserved), "name", "operator" or "end"
    text : the word without its quotes
    at, end : where it begins and ends
    """

    kind: str
    text: str
    at: int
    end: int


def tokens(text: str, language: Language) -> list[Token]:
    """Cut a text into its words; the last is the end.

    Raises
    ------
    StudyError
        For a sign that the language does not have.

    Examples
    --------
    >>> language = Language("formula", frozenset({"~", "*"}), {})
    >>> [token.text for token in tokens("`my y` ~ x * 1.5", language)]
    ['my y', '~', 'x', '*', '1.5', '']
    """
    out = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _TOKEN.match(text, at)
        token = None if match is None else _token(text, match, language)
        if token is None:
            quoted = text[at] == "`" or language.texts
            what = _UNCLOSED.get(text[at], "") if quoted and match is None else ""
            raise language.wrong(text, what or f"cannot read {text[at]!r}", at)
        out.append(token)
        at = token.end
    end = len(text.rstrip())
    return [*out, Token("end", "", end, end)]


def _token(text: str, match: re.Match[str], language: Language) -> Token | None:
    kind, at, end = str(match.lastgroup), match.start(), match.end()
    word = match[kind]
    if kind == "operator" and word not in language.operators:
        if word in language.instead:
            raise language.wrong(text, f"{word!r}: {language.instead[word]}", at, end)
        return None
    if kind == "column":
        return Token(kind, word.replace("``", "`"), at, end)
    if kind in ("double", "single"):
        quote = text[at]
        return Token("text", word.replace(quote * 2, quote), at, end) if language.texts else None
    if kind == "word":
        if word[0] == "." and not language.points:
            return None
        return Token("word" if word in language.reserved else "name", word, at, end)
    return Token(kind, word, at, end)
