"""The language that formulas and rules share: what neither understands is said alike by both."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.expressions.tokens import Language, tokens
from sdcmetrics.measures.expressions.tree import Node, columns_of, known_values
from sdcmetrics.measures.fits.design import make_design
from sdcmetrics.measures.fits.formula import as_in_r, parse, read_formula
from sdcmetrics.measures.pair import pair
from sdcmetrics.measures.rules.parser import parse_rule


def formula(inside: str) -> Node:
    return parse(f"y ~ I({inside})")[1]


def rule(inside: str) -> Node:
    return parse_rule(f"0 < ({inside})")


@pytest.mark.parametrize("reads", [formula, rule])
class TestBoth:
    def test_name_the_same_columns(self, reads: Callable[[str], Node]) -> None:
        assert columns_of(reads("-a.b*(`c ``d` + 1.5e3)/abs(e)")) == ("a.b", "c `d", "e")

    @pytest.mark.parametrize(
        ("text", "says", "points_at"),
        [
            ("(a b)", "expected '\\)' as a bracket is not closed but got 'b'", "b"),
            ("a +", "did not expect '\\)' there", ")"),
            ("a ? b", "cannot read '\\?'", "?"),
            ("3x", "cannot read '3'", "3"),
            ("`a", "begins with ` does not end", "`"),
            ("1e999", "too large", "1e999"),
            ("abz(a)", "unknown function 'abz'. Did you mean 'abs'", "abz"),
            ("abs(a, b)", "abs takes one argument but got 2", "abs"),
            ("-" * 1000 + "a", "nested more than 30 deep", None),
        ],
    )
    def test_refuse_the_same_and_point_at_it(
        self, reads: Callable[[str], Node], text: str, says: str, points_at: str | None
    ) -> None:
        with pytest.raises(StudyError, match=says) as caught:
            reads(text)
        _, shown, pointer = str(caught.value).splitlines()
        if points_at is not None:
            assert shown[pointer.index("^") : pointer.rindex("^") + 1] == points_at


@pytest.mark.parametrize(
    ("text", "says"),
    [("a <= b", "cannot read '<'"), ("'a'", 'cannot read "\'"'), ("a[1]", "'\\['")],
)
def test_a_formula_knows_no_conditions(text: str, says: str) -> None:
    with pytest.raises(StudyError, match=says):
        parse(f"y ~ {text}")


@pytest.mark.parametrize("text", [".x > 1", "a:b > 1", "y ~ x"])
def test_a_rule_knows_no_signs_of_formulas(text: str) -> None:
    with pytest.raises(StudyError, match=r"cannot read|write 'not'"):
        parse_rule(text)


@given(st.text(alphabet="ab01. `()+-*/^:~,log", max_size=30))
@settings(max_examples=150, deadline=None, database=None)
def test_any_text_is_a_formula_that_prints_as_itself_or_a_study_error(text: str) -> None:
    with suppress(StudyError):
        _, inside = parse(f"y ~ {text}")
        assert parse(f"y ~ {as_in_r(inside)}")[1] == inside


NUMBERS = st.sampled_from(["a", "b", "2", "0.5"])
SIGNS = st.sampled_from([*"+-*"])
SUMS = st.recursive(
    NUMBERS,
    lambda inner: (
        st.tuples(inner, SIGNS, inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})")
        | st.tuples(inner, SIGNS, inner, SIGNS, inner).map(
            "({0[0]}{0[1]}{0[2]}{0[3]}{0[4]})".format
        )
        | inner.map(lambda t: f"(-{t})")
        | inner.map(lambda t: f"abs({t})")
    ),
    max_leaves=6,
)


@given(text=SUMS, seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None, database=None)
def test_a_formula_computes_what_a_rule_computes(text: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Powers of 2 leave no rounding error, so that equality is exact in both.
    frame = pd.DataFrame({name: rng.choice([1.0, 2.0, 0.5, -8.0], 12) for name in "ab"})
    frame["y"] = frame["a"] + rng.normal(size=12)
    read = read_formula(f"y ~ I(a + {text})", list(frame.columns))
    design = make_design(read, pair(frame, frame))
    frame["same"] = design.matrix(0)[:, 1]
    assert frame["same"].tolist() == frame.eval(f"a + {text}").tolist()
    counts = sdc.check_rules(frame, frame, f"same == a + {text}").outcomes[0].original
    assert counts.fulfilled == 12


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_quote_within_a_text_is_written_twice(quote: str) -> None:
    two = quote * 2
    (read,) = (
        token.text
        for token in tokens(
            f"{quote}a {two}b{two}{quote}", Language("rule", frozenset(), {}, texts=True)
        )
        if token.kind == "text"
    )
    assert read == f"a {quote}b{quote}"


def test_values_of_one_data_set_or_of_all_without_codes_for_missing() -> None:
    frames = pd.DataFrame({"x": [1.0, -8.0, 3.0]}), pd.DataFrame({"x": [np.nan, -8.0]})
    coded = pair(*frames, missing_codes={"x": -8}).variables["x"]
    plain = pair(*frames).variables["x"]
    np.testing.assert_equal(known_values(coded), [1, np.nan, 3, np.nan, np.nan])
    np.testing.assert_equal(known_values(coded, 1), [np.nan, np.nan])
    np.testing.assert_equal(known_values(plain), [1, -8, 3, np.nan, -8])
    np.testing.assert_equal(known_values(plain, 0), [1, -8, 3])
