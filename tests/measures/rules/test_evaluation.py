"""What rules make of records: every kind of column, missing values, and two outside judges."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.rules.binding import bind
from sdcmetrics.measures.rules.parser import parse_rule
from tests.measures.rules import slow

DAYS = [dt.date(2020, 1, 31), dt.date(2020, 2, 29), None]
FRAME = pd.DataFrame(
    {
        "age": [30.0, 40.0, np.nan],
        "wed": [20, 50, 30],
        "flag": pd.array([True, False, None], dtype="boolean"),
        "job": ["clerk", None, "farmer"],
        "was": ["farmer", "clerk", "farmer"],
        "born": pd.to_datetime(pd.Series(DAYS)),
        "moved": pd.to_datetime(pd.Series(["2021-01-31", "2020-03-01", "2020-01-01"])),
        "codes": ["1", "2", "1"],
        "two words": [1, 2, 3],
    }
)


def verdicts(rule: str, frame: pd.DataFrame = FRAME, **options: Any) -> str:
    """One letter a record: kept, broken or unknown."""
    out = ""
    for i in range(len(frame)):
        # The record beside the whole frame, so that kinds and levels are the frame's.
        one = sdc.check_rules(frame, frame.iloc[[i]], rule, **options).outcomes[0].syntheses[0]
        out += "k" * one.fulfilled + "b" * one.broken + "u" * one.unknown
    return out


class TestKinds:
    @pytest.mark.parametrize(
        ("rule", "expected"),
        [
            ("wed <= age", "kbu"),
            ("age is missing", "bbk"),
            ("age is not missing", "kkb"),
            ("age is missing or wed > 0", "kkk"),
            ("age > 0 or wed > 0", "kkk"),
            ("age > 0 and wed > 40", "bkb"),
            ("not age > 35", "kbu"),
            ("20 < age <= 40 != wed", "kku"),
            ("age in [30, 31]", "kbu"),
            ("age not in [30, 31]", "bku"),
            ("flag", "kbu"),
            ("not flag", "bku"),
            ("flag == false", "bku"),
            ("flag is missing", "bbk"),
            ("flag != (age > 35)", "kku"),
            ('job == "clerk"', "kub"),
            ('"clerk" == job', "kub"),
            ('job != "clerk"', "buk"),
            ('job in ["clerk", "farmer"]', "kuk"),
            ("job is missing", "bkb"),
            ("job == was", "buk"),
            ("job != was", "kub"),
            ('born < "2020-02-01"', "kbu"),
            ('"2020-01-31" == born', "kbu"),
            ('born in ["2020-02-29"]', "bku"),
            ("moved - born <= 365", "bku"),
            ("moved - born == 366", "kbu"),
            ("born + 1 == moved", "bku"),
            ("1 + born == moved", "bku"),
            ("moved - 1 == born", "bku"),
            ("min(born, moved) == born", "kku"),
            ("year(born) == 2020 and year(moved) == 2020", "bku"),
            ("(`two words` + wed) / 2 == 10.5", "kbb"),
            ("`two words` / 0 == 1", "uuu"),
            ("1 / (wed - 20) > 0", "ukk"),
            ("floor(age / 7) == 4", "kbu"),
            ("round(age / 4) == 8", "kbu"),
            ("abs(wed - 40) == 10 * `two words`", "bbb"),
            ("max(age, wed) == 50", "bku"),
            ("-wed + 20 == 0", "kbb"),
            ("+wed == 20", "kbb"),
            ("wed == -20", "bbb"),
            ('if job == "clerk" then flag', "kuk"),
            ("if flag then wed == 20 else wed == 50", "kkb"),
            ("if flag then wed == 20 else wed == 30", "kbu"),
            ("if age > 0 then wed > 0 else wed > 20", "kkk"),
            ("(age is missing) == (wed == 30)", "kkk"),
            ("true == flag", "kbu"),
        ],
    )
    def test_by_hand(self, rule: str, expected: str) -> None:
        assert verdicts(rule) == expected

    @pytest.mark.parametrize(
        ("rule", "expected"),
        [
            ("income <= 5", "kbuu"),
            ("income == 0", "kbuu"),
            ("income != 0", "bkuu"),
            ("income == -8", "bbku"),
            ("income != -8", "kkbu"),
            ("income in [0, -8]", "kbku"),
            ("-8 == income", "bbku"),
            ("income + 1 == -7", "bbuu"),
            ("income is missing", "bbkk"),
            ("income == other", "kbuu"),
        ],
    )
    def test_a_missing_code_is_missing_unless_the_rule_names_it(
        self, rule: str, expected: str
    ) -> None:
        frame = pd.DataFrame({"income": [0, 7, -8, np.nan], "other": [0.0, 6, -8, 1]})
        assert verdicts(rule, frame, missing_codes={"income": -8}) == expected

    def test_missing_codes_of_other_columns_do_not_matter(self) -> None:
        codes = {"age": -8, "two words": -1}
        assert verdicts("wed > 25", missing_codes=codes) == "bkk"
        with pytest.raises(StudyError, match="Did you mean 'age'"):
            verdicts("wed > 25", missing_codes={"agee": -8})

    def test_decimals_are_equal_up_to_rounding_and_no_further(self) -> None:
        frame = pd.DataFrame({"a": [0.1, 0.1, 1e9], "b": [0.2, 0.2, 0.1], "c": [0.3, 0.30001, 1e9]})
        assert verdicts("c == a + b", frame) == "kbb"
        assert verdicts("a + b <= c", frame) == "kkb"
        assert verdicts("a + b > c", frame) == "bbk"
        assert verdicts("c - b == a", frame) == "kbb"
        assert verdicts("floor((a + b) * 10) == 3", frame) == "kkb"

    def test_whole_numbers_are_told_apart_exactly(self) -> None:
        frame = pd.DataFrame({"a": [10**15 - 1], "b": [10**15]})
        assert verdicts("a == b", frame) == "b"
        assert verdicts("a + 1 == b", frame) == "k"
        assert verdicts("a < b", frame) == "k"

    def test_overflow_is_unknown(self) -> None:
        frame = pd.DataFrame({"a": [1e35]})
        assert verdicts(" * ".join("a" * 9) + " > 0", frame) == "u"
        assert verdicts("a * a > 0", frame) == "k"

    def test_declared_levels_that_nobody_has_may_be_named(self) -> None:
        job = pd.Categorical(["a", "b"], categories=["a", "b", "c"])
        assert verdicts('job != "c"', pd.DataFrame({"job": job})) == "kk"


class TestRefusing:
    @pytest.mark.parametrize(
        ("rule", "error", "says"),
        [
            ("agee > 1", ColumnError, r"'agee' is not a column of original. Did you mean 'age'\?"),
            ("__import__ > 1", ColumnError, "'__import__' is not a column"),
            ('age == "30"', StudyError, "a number cannot be compared with text. Remove the quotes"),
            ('age == "old"', StudyError, "a number cannot be compared with text. Write a number"),
            (
                '"wed" <= 30 or flag',
                StudyError,
                "A column goes without quotes, or between backticks",
            ),
            ("codes == 1", StudyError, 'Put the level in quotes: "1"'),
            ("1 == codes", StudyError, 'Put the level in quotes: "1"'),
            ("codes == age", StudyError, "text cannot be compared with a number"),
            ("age < codes", StudyError, "a number cannot be compared with text"),
            ('job < "clerk"', StudyError, r"text has no order. Use ==, !=, or in \[...\]"),
            ("flag < true", StudyError, "true or false has no order"),
            ("flag == 1", StudyError, "Write true or false"),
            ('flag == "TRUE"', StudyError, "Write true or false, without quotes"),
            ('"a" == "b" or flag', StudyError, "this compares two texts"),
            ("job + 1 == 2", StudyError, "expected a number, but column 'job' is text"),
            ("age", StudyError, "expected a condition, but column 'age' is a number"),
            ("job or flag", StudyError, "expected a condition, but column 'job' is text"),
            ("not (age + 1)", StudyError, "expected a condition, but this is a number"),
            ('"a" is missing or flag', StudyError, "a text in quotes is never missing"),
            ("born == 2020", StudyError, "Write a date in quotes"),
            ('born == "someday"', StudyError, "expected a date such as"),
            ("born == age", StudyError, "a date cannot be compared with a number"),
            ("born * 2 > moved", StudyError, "dates can only be subtracted"),
            ("5 - born > 2", StudyError, "dates can only be subtracted"),
            ("born + moved > born", StudyError, "dates can only be subtracted"),
            ("-born < moved", StudyError, "a date has no sign"),
            ("year(age) > 1", StudyError, "year takes a date"),
            ("abs(born) > 1", StudyError, "abs takes a number"),
            ("min(born, age) > 1", StudyError, "numbers, or dates, but not both"),
        ],
    )
    def test_what_cannot_be_compared(self, rule: str, error: type[Exception], says: str) -> None:
        with pytest.raises(error, match=says) as caught:
            sdc.check_rules(FRAME, FRAME, rule)
        assert len(str(caught.value).splitlines()) == 3

    def test_a_level_that_nobody_has_is_named_and_no_other(self) -> None:
        with pytest.raises(StudyError, match='no record has the level "clark"') as caught:
            sdc.check_rules(FRAME, FRAME, 'job == "clark"')
        assert "clerk" not in str(caught.value)
        assert "farmer" not in str(caught.value)

    def test_a_level_of_the_replica_alone_may_be_named(self) -> None:
        result = sdc.check_rules(FRAME, FRAME.assign(job="new"), 'job != "new"').outcomes[0]
        assert (result.original.fulfilled, result.syntheses[0].broken) == (2, 3)
        assert result.level_counts == (0,)

    def test_the_column_that_is_not_there_is_pointed_at(self) -> None:
        frame = pd.DataFrame({"age": [1]})
        with pytest.raises(ColumnError) as caught:
            sdc.check_rules(frame, frame, ["age > 0 and agee > 1"])
        assert str(caught.value).splitlines()[1:] == ["  age > 0 and agee > 1", f"{'^^^^':>18}"]

    def test_a_rule_is_bound_to_what_is_there(self) -> None:
        for rule, error, says in (
            ("agee > 1", ColumnError, "'agee' is not a column of the data"),
            ("1 == 1", StudyError, "it names no column"),
        ):
            with pytest.raises(error, match=says):
                bind(rule, parse_rule(rule), {})


# Against the slow evaluator, whatever the rule and the record

number_column = st.sampled_from(["x", "y", "`z z`"])
level = st.sampled_from(['"a"', '"b"', '"c ""d"""'])
number = st.integers(0, 4).map(str) | st.sampled_from(["0.5", "1.5"])
quantity = st.recursive(
    number_column | number,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        )
        | inner.map(lambda t: f"-{t}")
        | inner.map(lambda t: f"abs({t})")
        | st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(
            lambda t: f"{t[0]}({t[1]}, {t[2]})"
        )
    ),
    max_leaves=4,
)
comparison = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
tested = (
    st.tuples(quantity, comparison, quantity).map(" ".join)
    | st.tuples(quantity, comparison, quantity, comparison, quantity).map(" ".join)
    | st.tuples(number_column, st.sampled_from(["in", "not in"]), st.lists(number, min_size=1)).map(
        lambda t: f"{t[0]} {t[1]} [{', '.join(t[2])}]"
    )
    | st.tuples(st.just("g"), st.sampled_from(["in", "not in"]), st.lists(level, min_size=1)).map(
        lambda t: f"{t[0]} {t[1]} [{', '.join(t[2])}]"
    )
    | st.tuples(st.sampled_from(["g", "x", "b"]), st.sampled_from(["is", "is not"])).map(
        lambda t: f"{t[0]} {t[1]} missing"
    )
    | st.tuples(st.sampled_from(["g == ", "g != "]), level).map("".join)
    | st.sampled_from(["b", "not b", "b == true", "false != b", "g == h", "h != g"])
)
condition = st.recursive(
    tested,
    lambda inner: (
        st.tuples(inner, st.sampled_from([" and ", " or "]), inner).map("".join)
        | inner.map(lambda t: f"not ({t})")
        | inner.map(lambda t: f"({t})")
        | st.tuples(inner, inner).map(lambda t: f"(if {t[0]} then {t[1]})")
        | st.tuples(inner, inner, inner).map(lambda t: f"(if {t[0]} then {t[1]} else {t[2]})")
        | st.tuples(inner, inner).map(lambda t: f"(({t[0]}) == ({t[1]}))")
    ),
    max_leaves=5,
)
record = st.fixed_dictionaries(
    {
        "x": st.sampled_from([0, 1, 2, 0.5, None]),
        "y": st.sampled_from([0, 1, 3, None]),
        "z z": st.sampled_from([1, -2, 0.25, None]),
        "g": st.sampled_from(["a", "b", 'c "d"', None]),
        "h": st.sampled_from(["b", "a", None]),
        "b": st.sampled_from([True, False, None]),
    }
)


def as_frame(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    frame = pd.DataFrame(records, columns=["x", "y", "z z", "g", "h", "b"])
    levels = ["a", "b", 'c "d"']
    return frame.assign(
        x=frame["x"].astype("Float64"),
        y=frame["y"].astype("Float64"),
        **{"z z": frame["z z"].astype("Float64")},
        g=pd.Categorical(frame["g"], categories=levels),
        h=pd.Categorical(frame["h"], categories=["b", "a"]),
        b=frame["b"].astype("boolean"),
    )


def exact(value: Any) -> Any:
    return (
        Fraction(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    )


@given(rule=condition, records=st.lists(record, min_size=1, max_size=8))
@settings(max_examples=80, deadline=None, database=None)
def test_as_record_by_record(rule: str, records: list[dict[str, Any]]) -> None:
    one = {"x": 1, "y": 1, "z z": 1, "g": "a", "h": "b", "b": True}
    everything = [one, *records]  # no column is without any value
    rule = f"({rule}) and (x is missing or x is not missing)"  # it names a column
    result = sdc.check_rules(as_frame(everything), as_frame(records), rule).outcomes[0]
    slowly = [slow.evaluate(rule, {k: exact(v) for k, v in r.items()}) for r in everything]
    for counts, verdict in ((result.original, slowly), (result.syntheses[0], slowly[1:])):
        assert (counts.fulfilled, counts.broken, counts.unknown) == (
            verdict.count(True),
            verdict.count(False),
            verdict.count(None),
        )


plain = st.recursive(
    st.sampled_from([*"xyz"]) | number,
    lambda inner: (
        st.tuples(inner, st.sampled_from([*"+-*"]), inner).map(lambda t: f"({' '.join(t)})")
        | inner.map(lambda t: f"(-{t})")
        | inner.map(lambda t: f"abs({t})")
    ),
    max_leaves=6,
)


@given(
    rule=st.tuples(st.just("x +"), plain, comparison, plain).map(" ".join), seed=st.integers(0, 99)
)
@settings(max_examples=80, deadline=None, database=None)
def test_as_pandas_evaluates_it(rule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Powers of 2 leave no rounding error, so that pandas is right about equality too.
    frame = pd.DataFrame({name: rng.choice([1.0, 2.0, 0.5, 4.0, -8.0], 20) for name in "xyz"})
    columns = dict(frame.items())
    by_pandas = pd.eval(rule, local_dict=columns, engine="python", parser="pandas")
    counts = sdc.check_rules(frame, frame, rule).outcomes[0].original
    assert (counts.fulfilled, counts.unknown) == (int(np.sum(by_pandas)), 0)
