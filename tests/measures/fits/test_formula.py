from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import ColumnError, NotComputable, StudyError
from sdcmetrics.measures.fits.design import make_design
from sdcmetrics.measures.fits.formula import as_in_r, parse, read_formula
from sdcmetrics.measures.pair import pair

COLUMNS = ["y", "x", "z", "g", "h", "hours.per.week", "a column"]


def terms(text: str) -> list[str]:
    return [":".join(term) for term in read_formula(text, COLUMNS).terms]


class TestFormula:
    @pytest.mark.parametrize(
        ("text", "means"),
        [
            ("y ~ x + g", ["x", "g"]),
            ("y ~ x*g", ["x", "g", "x:g"]),
            ("y ~ g:x + x", ["x", "g:x"]),
            ("y ~ (x + z + g)^2", ["x", "z", "g", "x:z", "x:g", "z:g"]),
            ("y ~ (x + z)**2 - x:z", ["x", "z"]),
            ("y ~ g/x", ["g", "g:x"]),
            ("y ~ x:x", ["x"]),
            ("y ~ x - x", []),
            ("y ~ 1", []),
            ("y ~ hours.per.week + `a column`", ["hours.per.week", "`a column`"]),
            ("y ~ I(x^2) + log(z)", ["I(x^2)", "log(z)"]),
            ("y ~ I( x+1 )", ["I(x + 1)"]),
        ],
    )
    def test_terms_are_those_of_r(self, text: str, means: list[str]) -> None:
        assert terms(text) == means

    def test_a_point_stands_for_all_other_columns(self) -> None:
        assert terms("log(y) ~ . - x") == ["z", "g", "h", "hours.per.week", "`a column`"]

    @pytest.mark.parametrize("text", ["y ~ 0 + x", "y ~ x - 1", "y ~ -1 + x", "y ~ x + 0"])
    def test_the_intercept_can_be_left_out(self, text: str) -> None:
        assert not read_formula(text, COLUMNS).intercept
        assert terms(text) == ["x"]

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("y", "expected 'response ~ predictors'"),
            ("y ~", "it ends too early"),
            ("y ~ x +", "it ends too early"),
            ("y ~ (x", "a bracket is not closed"),
            ("y ~ x z", "did not expect 'z' there"),
            ("y ~ x ~ z", "did not expect '~' there"),
            ("y ~ 2", "use I\\(\\) for arithmetic"),
            ("y ~ x^z", "\\^ needs a whole number"),
            ("y ~ lg(x)", "unknown function 'lg'"),
            ("y ~ __import__(x)", "unknown function '__import__'"),
            ("y ~ x & z", "cannot read '&'"),
            ("y ~ x + y", "the response is among the predictors"),
            ("", "it ends too early"),
        ],
    )
    def test_what_is_no_formula_is_refused(self, text: str, says: str) -> None:
        with pytest.raises(StudyError, match=says):
            read_formula(text, COLUMNS)

    def test_leaving_out_a_term_keeps_the_hierarchy(self) -> None:
        formula = read_formula("y ~ x*g + z", COLUMNS)
        assert formula.removable == (("z",), ("x", "g"))
        assert str(formula.without(("x", "g"))) == "y ~ x + g + z"
        assert formula.without(("z",)).columns == ["y", "x", "g"]

    @pytest.mark.parametrize(
        "text",
        ["-x^2", "(-x)^2", "x/(z/2)", "x - (z - 1)", "2^x^z", "-(x + 1) * 2", "`a``b` + `c d`"],
    )
    def test_printing_keeps_the_meaning(self, text: str) -> None:
        _, inside = parse(f"y ~ I({text})")
        assert parse(f"y ~ {as_in_r(inside)}")[1] == inside


FRAME = pd.DataFrame(
    {
        "y": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        "x": [1.0, 2.0, 3.0, 4.0, np.nan, 6.0],
        "g": pd.Categorical(list("baabcb"), categories=["c", "b", "unused", "a"]),
        "flag": [True, False, True, True, False, True],
        "day": pd.to_datetime(["1970-01-02"] * 3 + ["1970-01-03"] * 3),
    }
)


def design(text: str, original: pd.DataFrame = FRAME, synthetic: pd.DataFrame = FRAME) -> object:
    formula = read_formula(text, list(original.columns))
    return make_design(formula, pair(original, synthetic, variables=formula.columns))


class TestDesign:
    def test_records_with_a_missing_value_are_left_out(self) -> None:
        made = design("y ~ x + g")
        assert made.dropped == (1, 1)
        assert [rows.sum() for rows in made.complete] == [5, 5]
        # c is used by the record that is left out only, so b is the level to compare with
        assert made.names == ("(Intercept)", "x", "ga")
        assert made.matrix(0)[:, 2].tolist() == [0, 1, 1, 0, 0]

    def test_booleans_are_levels_and_dates_are_days(self) -> None:
        made = design("y ~ flag + day")
        assert made.names == ("(Intercept)", "flagTRUE", "day")
        assert made.matrix(0)[:, 2].tolist() == [1, 1, 1, 2, 2, 2]

    def test_a_level_that_only_the_replica_has_gets_a_column(self) -> None:
        replica = FRAME.assign(g=list("baabcd"))
        made = design("y ~ g", synthetic=replica)
        assert made.names == ("(Intercept)", "gb", "ga", "gd")
        assert made.unseen == ("gd",)

    def test_text_in_arithmetic_is_refused(self) -> None:
        with pytest.raises(ColumnError, match="column 'g' of original holds text"):
            design("y ~ I(g + 1)")

    def test_an_infinite_value_is_refused_with_a_remedy(self) -> None:
        with pytest.raises(ColumnError, match=r"log\(x\) is infinite for 1 record.*log1p"):
            design("y ~ log(x)", FRAME.assign(x=[0.0, 1, 2, 3, 4, 5]))

    def test_a_constant_factor_is_refused(self) -> None:
        frame = FRAME.assign(g="a")
        words = (
            "column 'g' has one level only among the complete records of original and synthetic,"
        )
        with pytest.raises(ColumnError, match=words):
            design("y ~ g", frame, frame)

    def test_no_complete_record_is_a_reason(self) -> None:
        with pytest.raises(NotComputable, match="synthetic has no record without a missing value"):
            design("y ~ x", synthetic=FRAME.assign(x=np.full(6, np.nan)))
