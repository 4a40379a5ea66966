"""Formulas as declared, in plain text, set as MathML: browsers show it without a script.

Nothing is added: a / becomes a fraction where both sides are mathematics, and stays a stroke
between words; a formula of words stays as it is.
"""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"(?P<space>\s*)(?P<piece>[a-z]{2,}(?:-[a-z]{2,})+|[A-Za-z]{2,}'s?|2F1|\d[\d,]*\d(?:\.\d+)?|\d+(?:\.\d+)?"
    r"|[A-Za-z]\w*|<=|>=|-\+|\.\.\.|\S)"
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_SIGNS = {
    "<=": "≤",
    ">=": "≥",
    "-": "\N{MINUS SIGN}",
    "-+": "∓",
    "*": "\N{MULTIPLICATION SIGN}",
    "...": "…",
    "sum": "∑",
}
_GREEK = {"pi": "π", "mu": "μ", "eta": "η"}
_FUNCTIONS = {"ln", "log2", "exp", "max", "min"}
_QUANTITIES = {"score", "rate", "share", "mean", "median", "broken", "kept", "sd", "se"}
_ENDS = {"+", "-", "-+", "=", "<", ">", "<=", ">=", ",", ";", ":", "%", "sum", "mean", "and", "or"}


def typeset(formula: str) -> str:
    """Return a formula as MathML with its words between, or "" where it has words only.

    Examples
    --------
    >>> typeset("VW / (k - 1)")
    '<math><mfrac><mi>VW</mi><mrow><mi>k</mi><mo>&#8722;</mo><mn>1</mn></mrow></mfrac></math>'
    >>> typeset("one-sided, by exact counts")
    ''
    """
    tokens = [(m["piece"], bool(m["space"])) for m in _PIECE.finditer(formula.strip())]
    parts = _Reader(tokens).row()
    text = "".join(parts)
    words = sum(_is_word(piece) for piece, _ in tokens)
    if words and not re.search(r"<m(frac|sup|sqrt|sub)>|&#8721;", text):
        return ""
    if words > 6 and not re.search(r"<m(frac|sup|sqrt)>|&#8721;|&#124;", text):  # noqa: PLR2004
        return ""  # a sentence with a symbol or two
    between = [_between(part) for part in parts]
    return "".join(between).replace("</math><math>", "").replace("  ", " ").strip()


def _between(part: str) -> str:
    """Words between formulas are text, so that a line can break there."""
    text = re.fullmatch(r"<m(text|o)>( \S+ |&#(44|59|58);)</m\1>", part)
    if text is None:
        return f"<math>{part}</math>"
    return text[2] if text[1] == "text" else f"{text[2]} "


def _mark(tag: str, text: str) -> str:
    # As entities, because the page around it is Markdown.
    safe = "".join(
        character
        if character.isascii() and (character.isalnum() or character in " .'-")
        else f"&#{ord(character)};"
        for character in text
    )
    return f"<{tag}>{safe}</{tag}>"


def _is_word(piece: str) -> bool:
    plain = re.sub(r"[-']", "", piece)
    named = {*_FUNCTIONS, *_GREEK, *_QUANTITIES, "sum", "sqrt"}
    return (
        len(plain) > 1
        and plain.isalpha()
        and ("'" in piece or plain.islower())
        and (piece not in named)
    )


class _Reader:
    """Reads tokens from left to right; every method returns MathML."""

    def __init__(self, tokens: list[tuple[str, bool]]) -> None:
        self.tokens, self.at = tokens, 0

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def tight(self, ahead: int = 0) -> bool:
        at = self.at + ahead
        return at < len(self.tokens) and not self.tokens[at][1]

    def row(self, closing: str = "") -> list[str]:
        """Read up to a closing sign."""
        done: list[str] = []
        term: list[str] = []
        while self.peek() and self.peek() != closing:
            piece = self.peek()
            if piece == "/" and term and self._divides():
                tight = self.tight()
                self.at += 1
                above = [term.pop()] if tight else term
                below = self._operand()
                fraction = f"<mfrac>{_joined(above)}{below}</mfrac>"
                term = [*term, fraction] if tight else [fraction]
            elif piece in _ENDS or piece == "/" or self._a_word() or self._lonely_bar(closing):
                done += [*term, self._sign()]
                term = []
            else:
                term.append(self.atom())
        self.at += 1
        return [*done, *term]

    def _divides(self) -> bool:
        return bool(self.peek(1)) and not self._a_word(1)

    def _a_word(self, ahead: int = 0) -> bool:
        piece, before, after = (self.peek(ahead + step) for step in (0, -1, 1))
        if piece == "sum":  # the word, or the sign
            return after == "of" or (self.at + ahead > 0 and _is_word(before))
        return _is_word(piece) or (piece in ("median", "sqrt") and after in ("over", "of"))

    def _lonely_bar(self, closing: str) -> bool:
        return self.peek() == "|" and (closing == "|" or not self._bar_ahead())

    def _bar_ahead(self) -> bool:
        depth = 0
        for piece, _ in self.tokens[self.at + 1 :]:
            if piece == "|" and depth == 0:
                return True
            depth += (piece in _CLOSING) - (piece in _CLOSING.values())
            if depth < 0:
                return False
        return False

    def _sign(self) -> str:
        piece, word = self.peek(), self._a_word() or self.peek() in ("mean", "and", "or")
        self.at += 1
        if word:
            return _mark("mtext", f" {piece} ")
        return _mark("mo", _SIGNS.get(piece, piece))

    def _operand(self) -> str:
        if self.peek() == "sum":
            self.at += 1
            return f"<mrow>{_mark('mo', '∑')}{self.atom()}</mrow>"
        return self.atom(bare=True)

    def atom(self, *, bare: bool = False) -> str:
        """Read one factor with what is written above it; `bare` without its brackets."""
        piece = self.peek()
        self.at += 1
        if piece in _CLOSING or piece == "|":
            inside = self.row(_CLOSING.get(piece, "|"))
            keep = not (bare and piece == "(" and self.peek() not in ("^", "'"))
            fences = (
                (_mark("mo", piece), _mark("mo", _CLOSING.get(piece, "|"))) if keep else ("", "")
            )
            element = f"<mrow>{fences[0]}{''.join(inside)}{fences[1]}</mrow>"
        elif piece == "sqrt" and self.peek() == "(":
            self.at += 1
            element = f"<msqrt>{''.join(self.row(')'))}</msqrt>"
        elif piece == "#" and self.peek() != "":
            element = f"<mrow>{_mark('mo', '#')}{self.atom()}</mrow>"
        elif piece in _FUNCTIONS and self.peek() and not _is_word(self.peek()):
            element = f"<mrow>{_mark('mi', piece)}{self.atom()}</mrow>"
        elif piece[0].isdigit() and piece != "2F1":
            element = _mark("mn", piece)
        elif piece[0].isalpha() or piece == "2F1":
            element = _name(piece)
            if self.peek() in ("(", "[") and self.tight():
                element = f"<mrow>{element}{self.atom()}</mrow>"
        else:
            element = _mark("mo", _SIGNS.get(piece, piece))
        while self.peek() in ("^", "'", "_"):
            place = "sub" if self.peek() == "_" else "sup"
            element = f"<m{place}>{element}{self._beside()}</m{place}>"
        return element

    def _beside(self) -> str:
        piece = self.peek()
        self.at += 1
        if piece == "'":
            return _mark("mo", "\N{PRIME}")
        sign = _mark("mo", "\N{MINUS SIGN}") if self.peek() == "-" else ""
        self.at += bool(sign)
        number = _mark("mn", self.peek()) if self.peek()[:1].isdigit() else _name(self.peek())
        self.at += 1
        return f"<mrow>{sign}{number}</mrow>"


def _name(piece: str) -> str:
    head, _, below = piece.partition("_")
    if head in ("R2", "X2"):
        shown = f"<msup><mi>{head[0]}</mi><mn>2</mn></msup>"
    else:
        shown = _mark("mi", _GREEK.get(head, head))
    return f"<msub>{shown}{_mark('mi', below)}</msub>" if below else shown


def _joined(parts: list[str]) -> str:
    (first, *others) = parts
    if not others and first.startswith(f"<mrow>{_mark('mo', '(')}") and first.count("<mrow>") == 1:
        return (
            first.replace(_mark("mo", "("), "", 1).removesuffix(f"{_mark('mo', ')')}</mrow>")
            + "</mrow>"
        )
    return first if not others else f"<mrow>{''.join(parts)}</mrow>"
