"""The language of rules: what it understands, and what it says of what it does not."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.expressions.tree import Name, Number, columns_of
from sdcmetrics.measures.rules.parser import parse_rule
from sdcmetrics.measures.rules.rule import Rule, make_rules
from sdcmetrics.measures.rules.tree import AllOf, Comparison, IfThen, Text


class TestReading:
    def test_a_rule_becomes_a_tree(self) -> None:
        rule = parse_rule("if employed == 'no' then 0 <= income < 10")
        assert rule == IfThen(
            Comparison(("==",), (Name("employed"), Text("no"))),
            Comparison(("<=", "<"), (Number(0.0), Name("income"), Number(10.0))),
        )

    @pytest.mark.parametrize(
        ("text", "same"),
        [
            ("a+b*c == 0", "a + b * c == 0"),
            ("(a+b)*c==0", "(a + b) * c == 0"),
            ("a - (b - c) > 0", "a - (b - c) > 0"),
            ("a / (b * c) > 0", "a / (b * c) > 0"),
            ("not (a or b) and c", "not (a or b) and c"),
            ("not a or b and c", "not a or b and c"),
            ("(a or b) and c", "(a or b) and c"),
            ("- a < -1.50", "-a < -1.5"),
            ("if a then b else (if c then d)", "if a then b else (if c then d)"),
            ("if a then b else (c or d)", "if a then b else c or d"),
            ("a or (if b then c)", "a or (if b then c)"),
            ("(x is missing) == (y is not missing)", "(x is missing) == (y is not missing)"),
            ("(a < b) is missing", "(a < b) is missing"),
            ("(a+b) is not missing", "a + b is not missing"),
            ("(a < b) in [1]", "(a < b) in [1]"),
            ("(a + b) in [1]", "a + b in [1]"),
            ("(not a) is missing", "(not a) is missing"),
            ("`my col` in ['a', -1, true]", '`my col` in ["a", -1, true]'),
            ("`if` not in [1e3]", "`if` not in [1000]"),
            ("`a``b` == 'it''s'", '`a``b` == "it\'s"'),
            ("Straße <= größe_2", "Straße <= größe_2"),
            ("hours.week >= .5", "hours.week >= 0.5"),
            ("max(a, b, 3) == abs(c)", "max(a, b, 3) == abs(c)"),
            ("x == 0.1234567890123456789", "x == 0.12345678901234568"),
        ],
    )
    def test_it_is_written_with_as_few_brackets_as_it_needs(self, text: str, same: str) -> None:
        assert str(parse_rule(text)) == same
        assert parse_rule(same) == parse_rule(text)

    def test_columns_are_in_the_order_of_the_text(self) -> None:
        rule = parse_rule("if b in [1] and not `a b` is missing then max(z, b) > -y else z == b")
        assert columns_of(rule) == ("b", "a b", "z", "y")

    def test_a_function_is_one_only_before_a_bracket(self) -> None:
        assert columns_of(parse_rule("min <= max")) == ("min", "max")

    def test_long_chains_are_no_deep_trees(self) -> None:
        rule = parse_rule(" and ".join(["a > 0"] * 5000) + " + 1" * 5000)
        assert isinstance(rule, AllOf)
        assert len(rule.operands) == 5000
        assert parse_rule(str(rule)) == rule


class TestRefusing:
    @pytest.mark.parametrize(
        ("text", "says", "points_at"),
        [
            ("age = 3", "write == to compare", "="),
            ("a <> b", "write != for", "<>"),
            ("a > 1 && b > 1", "write 'and'", "&&"),
            ("a > 1 | b > 1", "write 'and'|write 'or'", "|"),
            ("!a", "write 'not'", "!"),
            ("a ^ 2 > 1", "powers are not known", "^"),
            ("a AND b", "write 'and' in small letters", "AND"),
            ("IF a THEN b", "write 'if' in small letters|did not expect", None),
            ("a > 1 then b", "'then' without an 'if'", "then"),
            ("if a b", "expected 'then' after the condition of 'if' but got 'b'", "b"),
            ("if a", "expected 'then'", None),
            ("a is 3", "expected 'missing' after 'is'; write == to compare", "3"),
            ("a in (1, 2)", "expected '\\[' after 'in'", "("),
            ("a in [1, b]", "expected a number, or a text in quotes but got 'b'", "b"),
            ("a in [1, 2", "expected '\\]' at the end of the list", None),
            ("a in [- b]", "expected a number after the sign", "b"),
            ("a not 3", "expected 'in' after 'not'", "3"),
            ("(a > 1", "expected '\\)'", None),
            ("a > 1)", "did not expect '\\)'", ")"),
            ("a >", "it ends too early", None),
            ("", "it is empty", None),
            ("  ", "it is empty", None),
            ("a > 1e999", "too large", "1e999"),
            ("a > 3x", "cannot read '3'", "3"),
            ("a ? b", "cannot read '\\?'", "?"),
            ("a == 'b", "begins with ' does not end", "'"),
            ('a == "b', 'begins with " does not end', '"'),
            ("`a > 3", "begins with ` does not end", "`"),
            ("flor(a) > 1", "unknown function 'flor'. Did you mean 'floor'", "flor"),
            ("__import__('os') == 1", "unknown function '__import__'", "__import__"),
            ("a.__class__('x') > 1", "unknown function", "a.__class__"),
            ("NOT(a)", "write 'not' in small letters", "NOT"),
            ("abs(a, b) > 1", "abs takes one argument but got 2", "abs"),
            ("max(a) > 1", "max takes at least 2 arguments but got 1", "max"),
            ("missing > 1", "write 'is missing' after", "missing"),
            ("a != missing", "write 'is missing' after", "missing"),
            ("a and if b then c", "put 'if ... then ...' between brackets", "if"),
            ("in > 1", "goes between backticks", "in"),
            ("hours week > 1", "no plain word goes between backticks", "week"),
            ("a > 1 adn b > 1", "Did you mean 'and'", "adn"),
            ("a; b", "cannot read ';'", ";"),
            ("lambda: 0", "cannot read ':'", ":"),
        ],
    )
    def test_the_place_and_the_remedy_are_named(
        self, text: str, says: str, points_at: str | None
    ) -> None:
        with pytest.raises(StudyError, match=says) as caught:
            parse_rule(text)
        _, shown, pointer = str(caught.value).splitlines()
        marked = shown[pointer.index("^") : pointer.rindex("^") + 1]
        if points_at is not None:
            assert marked == points_at

    def test_a_long_rule_is_shown_around_the_place(self) -> None:
        text = "a > 1 and " * 50 + "b = 2"
        with pytest.raises(StudyError) as caught:
            parse_rule(text)
        lines = str(caught.value).splitlines()
        assert all(len(line) < 130 for line in lines)
        assert lines[1][lines[2].index("^")] == "="

    def test_lines_and_control_characters_are_blanks(self) -> None:
        with pytest.raises(StudyError) as caught:
            parse_rule("a\n\t> \x1b[31m")
        assert str(caught.value).count("\n") == 2
        assert "\x1b" not in str(caught.value)

    @pytest.mark.parametrize(
        "text",
        [
            "(" * 10_000 + "a" + ")" * 10_000,
            "not " * 10_000 + "a",
            "-" * 10_000 + "a > 1",
            "abs(" * 10_000 + "a",
            "(if a then " * 10_000 + "b",
        ],
    )
    def test_what_is_nested_deeply_is_refused_and_never_a_crash(self, text: str) -> None:
        with pytest.raises(StudyError, match="nested more than 30 deep"):
            parse_rule(text)

    @given(st.text(alphabet="ab01.'\"`()[]<>=!+-*/, ifthenlsorandot", max_size=40))
    @settings(max_examples=200, deadline=None, database=None)
    def test_any_text_is_a_rule_or_a_study_error(self, text: str) -> None:
        try:
            rule = parse_rule(text)
        except StudyError:
            return
        assert parse_rule(str(rule)) == rule

    @given(st.text(max_size=30))
    @settings(max_examples=100, deadline=None, database=None)
    def test_so_is_any_unicode(self, text: str) -> None:
        with suppress(StudyError):
            assert str(parse_rule(text))


class TestRules:
    def test_texts_mappings_and_rules_are_taken(self) -> None:
        given = ["a > 1 ", {"text": "b > 1", "name": "B", "description": "why"}, Rule("c > 1")]
        assert make_rules(given) == (Rule("a > 1"), Rule("b > 1", "B", "why"), Rule("c > 1"))
        assert make_rules("a > 1") == make_rules(Rule("a > 1")) == make_rules({"text": "a > 1"})

    @pytest.mark.parametrize(
        ("given", "says"),
        [
            (["a > 1", "a>1"], "more than once"),
            ([{"text": "a > 1", "name": "x"}, {"text": "a > 2", "name": "x"}], "named 'x'"),
            ([{"txt": "a > 1"}], "Did you mean 'text'"),
            ([{"name": "x"}], "expected texts"),
            ([{"text": "a > 1", "name": 3}], "expected texts"),
            ([3], "expected texts"),
            ([["a > 1"]], "not lists of them"),
            (["1 == 1"], "names no column"),
        ],
    )
    def test_others_are_refused(self, given: object, says: str) -> None:
        with pytest.raises(StudyError, match=says):
            make_rules(given)
