"""Errors show a text and point at a place in it, of a long text at the part around the place."""

from __future__ import annotations

import math

import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.expressions import tokens as cutting
from sdcmetrics.measures.expressions.parser import Parser
from sdcmetrics.measures.expressions.tokens import Language, Token, tokens
from sdcmetrics.measures.expressions.tree import Node

SIGNS = frozenset({"+", "-", "*", "/", "^", "(", ")", ","})
LANGUAGE = Language("rule", SIGNS, {"abs": (1, 1), "max": (2, 9)}, frozenset({"and"}))
ALPHABET = "abcdefghij" * 3


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show ten characters at once."""
    monkeypatch.setattr(cutting, "_WINDOW", 10)


@pytest.mark.parametrize(
    ("text", "at", "end", "lines"),
    [
        ("abcdefghij", 2, 5, ["'abcdefghij': no.", "abcdefghij", "  ^^^"]),  # it fits
        ("abcdefghij", 2, 0, ["'abcdefghij': no.", "abcdefghij", "  ^"]),
        ("abcdefghij", 10, 11, ["'abcdefghij': no.", "abcdefghij", " " * 10 + "^"]),
        ("abcdefghijk", 0, 1, ["'abcdefghi…': no.", "abcdefghij", "^"]),
        (ALPHABET, 12, 14, ["'abcdefghi…': no.", "hijabcdefg", "     ^^"]),  # from 7 to 17
        (ALPHABET, 15, 25, ["'abcdefghi…': no.", "abcdefghij", "     ^^^^^"]),
        (ALPHABET, 29, 30, ["'abcdefghi…': no.", "abcdefghij", " " * 9 + "^"]),
        ("a\tb\nc\x00d", 2, 3, ["'a b c d': no.", "a b c d", "  ^"]),
    ],
)
def test_an_error_points_at_its_place(text: str, at: int, end: int, lines: list[str]) -> None:
    error = LANGUAGE.wrong(text, "no", at, end)
    shown = str(error).splitlines()
    assert shown == ["rule " + lines[0], *("  " + line for line in lines[1:])]


@pytest.mark.parametrize("what", ["no.", "no?", "no"])
def test_a_sentence_ends_once_and_the_remedy_follows(what: str) -> None:
    first = str(LANGUAGE.wrong("a", what, 0)).splitlines()[0]
    assert first == f"rule 'a': {what.removesuffix('.')}{'' if what == 'no?' else '.'}"
    remedied = Language("rule", SIGNS, {}, remedy="Write it so.")
    assert str(remedied.wrong("a", what, 0)).splitlines()[0] == f"{first} Write it so."


def test_words_lie_where_they_are() -> None:
    text = " a + `b ``c` and 1.5  "
    assert tokens(text, LANGUAGE) == [
        Token("name", "a", 1, 2),
        Token("operator", "+", 3, 4),
        Token("column", "b `c", 5, 12),
        Token("word", "and", 13, 16),
        Token("number", "1.5", 17, 20),
        Token("end", "", 20, 20),
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("8 - 2 - 3", 3),
        ("2 + 3 * 4", 14),
        ("8 / 2 / 2", 2),
        ("-2 ^ 2", -4),
        ("2 ^ -1", 0.5),
        ("2 ^ 3 ^ 2", 512),
        ("(8 - 2) * 2", 12),
        ("max(1, 2, 3)", 3),
        ("abs(-(1 - 3))", 2),
    ],
)
def test_signs_bind_as_in_school(text: str, values: float) -> None:
    parser = Parser(text, LANGUAGE)
    node = parser.alone(parser.sum)
    assert eval(str(node).replace("^", "**"), {"abs": abs, "max": max}) == values  # noqa: S307


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("max(1)", "max takes at least 2 arguments but got 1"),
        ("abs(1, 2)", "abs takes one argument but got 2"),
        ("1 2", "did not expect '2' there"),
        ("1 +", "it ends too early"),
        ("(1", "expected ')' as a bracket is not closed."),
        ("(1 2", "expected ')' as a bracket is not closed but got '2'"),
        ("(" * 31 + "1" + ")" * 31, "it is nested more than 30 deep"),
        ("-" * 31 + "1", "it is nested more than 30 deep"),
        ("(1) + " * 9 + "(" * 31 + "1" + ")" * 31, "it is nested more than 30 deep"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_WINDOW", 100)
    parser = Parser(text, LANGUAGE)
    with pytest.raises(StudyError) as caught:
        parser.alone(parser.sum)
    assert says in str(caught.value)


def test_thirty_brackets_are_read_and_levels_that_were_left_do_not_count() -> None:
    for text in ("(" * 30 + "1" + ")" * 30, " + ".join(["(1)"] * 40)):
        parser = Parser(text, LANGUAGE)
        parser.alone(parser.sum)


@pytest.mark.parametrize("texts", [True, False])
def test_a_text_that_does_not_end_is_said_where_there_are_texts(*, texts: bool) -> None:
    language = Language("rule", SIGNS, {}, texts=texts)
    says = "a text that begins with ' does not end" if texts else 'cannot read "\'"'
    with pytest.raises(StudyError) as caught:
        tokens("a 'b", language)
    assert says in str(caught.value)
    with pytest.raises(StudyError, match="cannot read '='"):
        tokens("a = 'b'", language)


def test_a_number_is_finite() -> None:
    parser = Parser("1e308", LANGUAGE)
    assert math.isfinite(parser.number(parser.now))
    parser = Parser("1e309", LANGUAGE)
    with pytest.raises(StudyError, match="the number is too large"):
        parser.number(parser.now)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a+b*c", "a + b * c"), ("(a+b)*c", "(a + b) * c"), ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"), ("a*(b/c)", "a * (b / c)"), ("-(-a)", "--a"),
        ("-(a+b)", "-(a + b)"), ("(-a)^2", "(-a) ^ 2"), ("-(a^2)", "-a ^ 2"),
        ("a^b^2", "a ^ (b ^ 2)"), ("(a^b)^2", "(a ^ b) ^ 2"), ("(a^b)*2", "a ^ b * 2"),
        ("`my col`+1.50", "`my col` + 1.5"), ("`a``b`", "`a``b`"), ("`if`", "`if`"),
        ("`plain`", "plain"), ("0.1+0.30000000000000004", "0.1 + 0.30000000000000004"),
        ("1e22", "1e+22"), ("12", "12"), ("max(a, b+c)", "max(a, b + c)"),
    ],
)  # fmt: skip
def test_what_was_read_is_written_so_that_it_reads_the_same(text: str, written: str) -> None:
    def read(text: str) -> Node:
        parser = Parser(text, LANGUAGE)
        return parser.alone(parser.sum)

    assert str(read(text)) == str(read(written)) == written
