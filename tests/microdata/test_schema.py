"""Making data sets comparable: every change is listed, every refusal names the column."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, DataError, SdcMetricsError, StudyError
from sdcmetrics.measures.pair import pair
from sdcmetrics.microdata import Microdata, as_microdata
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import DAYS_IN_TEXT, Harmonised, Variable, harmonise

NAME_OF_A_PERSON = "Zebediah-4711"
INCOME_OF_A_PERSON = 918273645.5


def compare(original: Any, *syntheses: Any, **options: Any) -> Harmonised:
    return harmonise(
        as_microdata(original, "original"),
        [as_microdata(s, f"synthetic {i}") for i, s in enumerate(syntheses, start=1)],
        **options,
    )


def column(original: Any, *syntheses: Any, **options: Any) -> Harmonised:
    """Compare one column called x."""
    return compare(*(pd.DataFrame({"x": values}) for values in (original, *syntheses)), **options)


def values(variable: Variable, part: int) -> list[Any]:
    """Values as they are compared: numbers, or labels; None is missing."""
    if variable.kind in (Kind.NUMBER, Kind.DATE):
        return [None if math.isnan(v) else v for v in variable.values[part].tolist()]
    return [None if code < 0 else variable.levels[code] for code in variable.codes[part]]


def only(texts: Sequence[str]) -> str:
    (text,) = texts
    return text


def whats(data: Harmonised) -> list[str]:
    return [fix.what for fix in data.fixes]


class TestConversions:
    """The original's kind decides; what is done to a replica is listed."""

    def test_equal_kinds_need_no_fix(self) -> None:
        assert column([1, 2], [2.0, 3.5]).fixes == ()
        assert column(["a"], ["a"]).fixes == ()
        assert column([True], [False]).fixes == ()

    def test_text_is_read_as_numbers_where_the_original_has_numbers(self) -> None:
        data = column([1, 2, 3], ["1", "2.50", None])
        assert values(data.variables["x"], 1) == [1.0, 2.5, None]
        assert whats(data) == ["text was read as numbers"]
        assert str(data.fixes[0]) == "synthetic 1, column 'x': text was read as numbers"
        assert data.fixes[0].cells == 3

    def test_numbers_of_the_original_stay_numbers_where_only_one_synthesis_is_text(self) -> None:
        data = column([1, 2], [2, 1], ["1", "2"])
        assert [values(data.variables["x"], i) for i in range(3)] == [[1, 2], [2, 1], [1, 2]]
        assert [fix.source for fix in data.fixes] == ["synthetic 2"]

    def test_categories_of_numbers_are_read_as_numbers(self) -> None:
        data = column([10, 20], pd.Categorical([20, 10]))
        assert values(data.variables["x"], 1) == [20.0, 10.0]

    def test_booleans_are_read_as_0_and_1_where_the_original_has_numbers(self) -> None:
        data = column([0, 1, 1], pd.array([True, None, False], dtype="boolean"))
        assert values(data.variables["x"], 1) == [1.0, None, 0.0]
        assert whats(data) == ["booleans were read as 0 and 1"]

    def test_0_and_1_are_read_as_booleans_where_the_original_has_booleans(self) -> None:
        data = column([True, False], [0.0, 1.0])
        assert data.variables["x"].kind is Kind.BOOLEAN
        assert values(data.variables["x"], 1) == ["FALSE", "TRUE"]
        assert only(whats(data)).endswith("read as booleans")

    def test_missing_0_and_1_stay_missing(self) -> None:
        data = column([True, False], [0.0, math.nan])
        assert values(data.variables["x"], 1) == ["FALSE", None]

    @pytest.mark.parametrize(
        ("false", "true"),
        [("FALSE", "TRUE"), ("false", "true"), ("F", "T"), ("no", "Yes"), (" 0", "1 ")],
    )
    def test_words_are_read_as_booleans(self, false: str, true: str) -> None:
        data = column([True, False], [false, true, None])
        assert values(data.variables["x"], 1) == ["FALSE", "TRUE", None]
        assert only(whats(data)).endswith("read as booleans")

    def test_numbers_are_read_as_labels_where_the_original_has_categories(self) -> None:
        data = column(["1", "2", "10"], [10.0, 2.0, math.nan])
        assert data.variables["x"].levels == ("1", "10", "2")
        assert values(data.variables["x"], 1) == ["10", "2", None]
        assert only(whats(data)).endswith("read as labels")

    def test_numbers_are_read_as_labels_of_declared_codes(self) -> None:
        data = column(pd.Categorical([1, 2], categories=[3, 2, 1]), [3.0, 1.0])
        assert data.variables["x"].levels == ("3", "2", "1")
        assert values(data.variables["x"], 1) == ["3", "1"]

    @pytest.mark.parametrize(("false", "true"), [("FALSE", "TRUE"), ("False", "True")])
    def test_booleans_are_read_as_the_labels_of_the_original(self, false: str, true: str) -> None:
        data = column([false, true], [True, False])
        assert data.variables["x"].levels == (false, true)
        assert values(data.variables["x"], 1) == [true, false]
        assert only(whats(data)).endswith("read as labels")

    @pytest.mark.parametrize("text", [["2024-02-29", None], ["2024-02-29 00:00:00", None]])
    def test_text_is_read_as_dates_where_the_original_has_dates(self, text: list[Any]) -> None:
        data = column(pd.to_datetime(["2024-02-29", "2020-01-01"]), text)
        variable = data.variables["x"]
        assert variable.kind is Kind.DATE
        assert values(variable, 1) == [values(variable, 0)[0], None]
        assert whats(data) == ["text was read as dates"]

    def test_dates_that_are_text_everywhere_are_pointed_out_as_categories(self) -> None:
        days = ["2024-02-29", "2020-01-01 12:30:00", None]
        data = column(days, days)
        assert data.variables["x"].kind is Kind.CATEGORY
        assert whats(data) == [DAYS_IN_TEXT]
        assert not whats(column(pd.Categorical(days), days))  # somebody made them categories
        assert not whats(column(["2024-02", "2020-01"], ["2020-01", "2024-02"]))

    def test_dates_of_any_resolution_are_the_same_dates(self) -> None:
        days = [dt.date(2024, 2, 29), dt.date(1969, 12, 31)]
        for kind in (pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns")):
            data = compare(pa.table({"x": days}), pa.table({"x": pa.array(days).cast(kind)}))
            assert values(data.variables["x"], 0) == values(data.variables["x"], 1), kind

    def test_instants_with_and_without_a_time_zone_can_be_compared(self) -> None:
        plain = pa.array([0, 86_400_000], pa.timestamp("ms"))
        zoned = pa.array([0, 86_400_000], pa.timestamp("ms", tz="UTC"))
        data = compare(pa.table({"x": plain}), pa.table({"x": zoned}))
        assert values(data.variables["x"], 0) == values(data.variables["x"], 1)

    def test_levels_that_the_original_lacks_are_kept_and_counted(self) -> None:
        data = column(["a", "b"], ["a", "c", "d", "d"])
        assert data.variables["x"].levels == ("a", "b", "c", "d")
        (fix,) = data.fixes
        assert fix.what.startswith("2 levels that original does not have")
        assert fix.cells == 3

    def test_levels_that_are_declared_but_not_used_are_no_foreign_levels(self) -> None:
        data = column(["a", "b"], pd.Categorical(["a"], categories=["a", "zz"]))
        assert data.fixes == ()

    def test_no_level_in_common_is_listed_as_a_likely_mistake(self) -> None:
        data = column(["a", "b"], ["A", "B"])
        assert any(what.startswith("no level in common with original") for what in whats(data))

    def test_levels_of_a_second_synthesis_come_last(self) -> None:
        data = column(["b"], ["c"], ["a"])
        assert data.variables["x"].levels == ("b", "c", "a")

    def test_text_of_one_side_and_a_category_of_the_other_are_the_same_kind(self) -> None:
        data = column(["b", "a"], pd.Categorical(["a", "b"], categories=["b", "a"]))
        assert data.fixes == ()
        assert values(data.variables["x"], 1) == ["a", "b"]

    def test_the_original_is_never_changed(self) -> None:
        frame = pd.DataFrame({"x": [1, 2], "y": ["a", None]})
        before = frame.copy(deep=True)
        compare(frame, pd.DataFrame({"x": ["1", "2"], "y": [1.0, math.nan]}), variables=["x"])
        pd.testing.assert_frame_equal(frame, before)


class TestAllMissing:
    @pytest.mark.parametrize(
        "original",
        [[1.0, 2.0], ["a", "b"], [True, False], pd.to_datetime(["2020-01-01", "2021-01-01"])],
    )
    def test_a_column_without_values_fits_any_kind(self, original: Any) -> None:
        data = column(original, [None, None])
        assert values(data.variables["x"], 1) == [None, None]
        assert ("synthetic 1", "every value is missing") in [(f.source, f.what) for f in data.fixes]

    @pytest.mark.parametrize("synthetic", [[1.0, 2.0], ["a", "b"], [True, False]])
    def test_an_original_without_values_takes_the_kind_of_the_replica(self, synthetic: Any) -> None:
        data = column([None, None], synthetic)
        assert values(data.variables["x"], 0) == [None, None]
        assert None not in values(data.variables["x"], 1)

    def test_everywhere_is_accepted(self) -> None:
        data = column([None, None], [None])
        assert values(data.variables["x"], 1) == [None]

    def test_declared_levels_stay_declared(self) -> None:
        data = column(pd.Categorical([None], categories=["a", "b"]), ["b"])
        assert data.variables["x"].levels == ("a", "b")

    def test_numbers_that_are_all_nan_and_not_null_fit_too(self) -> None:
        data = compare(pl.DataFrame({"x": [math.nan, math.nan]}), pl.DataFrame({"x": [1.5]}))
        assert values(data.variables["x"], 0) == [None, None]

    def test_syntheses_of_several_kinds_are_labels_where_the_original_has_no_value(self) -> None:
        data = column([None, None], [1.5, 2.5], ["a", "b"])
        assert values(data.variables["x"], 1) == ["1.5", "2.5"]
        assert values(data.variables["x"], 2) == ["a", "b"]


class TestColumns:
    def test_by_default_the_common_columns_are_compared_and_the_others_listed(self) -> None:
        original = pd.DataFrame({"income": [1], "sex": ["f"]})
        synthetic = pd.DataFrame({"sex": ["m"], "incme": [2]})
        data = compare(original, synthetic)
        assert list(data.variables) == ["sex"]
        assert [str(fix) for fix in data.fixes if fix.column != "sex"] == [
            "synthetic 1, column 'income': absent, so it is not compared. Did you mean 'incme'?",
            "synthetic 1, column 'incme': not in original, so it is left out",
        ]

    def test_are_compared_in_the_order_of_the_original(self) -> None:
        frame = pd.DataFrame({"b": [1], "a": [2], "c": [3]})
        assert list(compare(frame, frame[["a", "b", "c"]]).variables) == ["b", "a", "c"]
        assert list(compare(frame, frame, variables=["c", "b"]).variables) == ["b", "c"]

    def test_a_column_that_one_synthesis_lacks_is_left_out(self) -> None:
        frame = pd.DataFrame({"a": [1], "b": [2]})
        data = compare(frame, frame, frame[["a"]])
        assert list(data.variables) == ["a"]
        assert [fix.source for fix in data.fixes] == ["synthetic 2"]

    def test_an_unknown_name_is_refused_with_the_closest_one(self) -> None:
        frame = pd.DataFrame({"income": [1]})
        with pytest.raises(ColumnError, match=r"'incme' is not a column of original. Did you mean"):
            compare(frame, frame, variables=["incme"])

    def test_a_name_that_the_replica_lacks_is_refused_with_the_closest_one(self) -> None:
        with pytest.raises(ColumnError, match=r"'income'.*missing from synthetic 1.*'Income'"):
            compare(
                pd.DataFrame({"income": [1]}), pd.DataFrame({"Income": [1]}), variables=["income"]
            )

    def test_a_required_column_that_is_absent_is_refused(self) -> None:
        frame = pd.DataFrame({"a": [1], "b": [2]})
        with pytest.raises(ColumnError, match="'b'"):
            compare(frame, frame[["a"]], required=["b"])

    def test_a_name_given_twice_is_refused(self) -> None:
        frame = pd.DataFrame({"a": [1], "b": [2]})
        with pytest.raises(ColumnError, match="'b' is given more than once"):
            compare(frame, frame, variables=["a", "b", "b"])

    def test_no_column_in_common_is_refused(self) -> None:
        with pytest.raises(DataError, match="original and synthetic 1 have no column in common"):
            compare(pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]}))

    def test_no_synthesis_is_refused(self) -> None:
        with pytest.raises(DataError, match="at least one synthetic data set"):
            pair(pd.DataFrame({"a": [1]}), [])

    @pytest.mark.parametrize("names", [["a", "a"], ["a", ""], ["a", 7]])
    def test_duplicate_empty_and_numeric_names_are_refused(self, names: list[Any]) -> None:
        frame = pd.DataFrame([[1, 2]], columns=names)
        with pytest.raises(ColumnError, match=r"original: .*name"):
            compare(frame, pd.DataFrame({"a": [1]}))

    def test_a_name_with_a_quote_or_an_operator_is_a_name_like_any_other(self) -> None:
        frame = pd.DataFrame({"a(b": [1, 2], "it's": [1, 2], "x | y": [1, 2]})
        assert list(compare(frame, frame).variables) == list(frame.columns)

    def test_a_single_name_given_as_text_is_that_column(self) -> None:
        frame = pd.DataFrame({"a": [1, 2], "b": [1, 2], "ab": [1, 2]})
        assert list(compare(frame, frame, variables="ab").variables) == ["ab"]
        assert sdc.utility_tables(frame, frame, ways=1, variables="ab").index.tolist() == ["ab"]


class TestRefusals:
    """A refusal names the column and never holds a data value."""

    BAD: Sequence[tuple[Any, Any]] = [
        ([1, 2], [NAME_OF_A_PERSON, "1"]),
        ([1, 2], ["inf", "1"]),
        ([1, 2], pd.to_datetime(["2020-01-01", "2020-01-02"])),
        ([True, False], [INCOME_OF_A_PERSON, 0.0]),
        ([True, False], [NAME_OF_A_PERSON, "yes"]),
        ([True, False], pd.to_datetime(["2020-01-01", "2020-01-02"])),
        ([NAME_OF_A_PERSON, "b"], [INCOME_OF_A_PERSON, 1.0]),
        ([NAME_OF_A_PERSON, "b"], [True, False]),
        ([NAME_OF_A_PERSON, "b"], pd.to_datetime(["2020-01-01", "2020-01-02"])),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), [NAME_OF_A_PERSON, "2020-01-01"]),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), [INCOME_OF_A_PERSON, 1.0]),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), [True, False]),
        ([INCOME_OF_A_PERSON, math.inf], [1.0, 2.0]),
        ([1.0, 2.0], [INCOME_OF_A_PERSON, -math.inf]),
        ([[NAME_OF_A_PERSON], [NAME_OF_A_PERSON]], [[NAME_OF_A_PERSON], [NAME_OF_A_PERSON]]),
        (
            [{"a": NAME_OF_A_PERSON}, {"a": NAME_OF_A_PERSON}],
            [{"a": NAME_OF_A_PERSON}, {"a": NAME_OF_A_PERSON}],
        ),
        ([NAME_OF_A_PERSON.encode(), b"b"], [NAME_OF_A_PERSON.encode(), b"b"]),
    ]

    @pytest.mark.parametrize(("original", "synthetic"), BAD)
    def test_names_the_column_and_no_value(self, original: Any, synthetic: Any) -> None:
        frames = [pd.DataFrame({"income": c, "other": ["a", "b"]}) for c in (original, synthetic)]
        with pytest.raises(ColumnError) as caught:
            compare(*frames)
        error: BaseException | None = caught.value
        assert "'income'" in str(error)
        while error is not None:
            for secret in (NAME_OF_A_PERSON, "918273645", "2020-01"):
                assert secret not in str(error)
            error = error.__cause__ if error.__suppress_context__ else error.__context__

    @pytest.mark.parametrize(("original", "synthetic"), BAD)
    def test_other_columns_can_be_compared_all_the_same(
        self, original: Any, synthetic: Any
    ) -> None:
        frames = [pd.DataFrame({"income": c, "other": ["a", "b"]}) for c in (original, synthetic)]
        assert list(compare(*frames, variables=["other"]).variables) == ["other"]

    def test_infinite_values_are_counted_in_the_refusal(self) -> None:
        with pytest.raises(ColumnError, match=r"original: column 'x' has 2 infinite values"):
            column([math.inf, 1.0, -math.inf], [1.0])

    @pytest.mark.parametrize("function", [sdc.utility_tables, sdc.tvd, sdc.ratio_of_counts])
    def test_table_functions_refuse_alike(self, function: Any) -> None:
        with pytest.raises(SdcMetricsError, match="'x'") as caught:
            function(pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": [NAME_OF_A_PERSON, "1"]}))
        assert NAME_OF_A_PERSON not in str(caught.value)

    def test_no_fix_holds_a_value(self) -> None:
        original = pd.DataFrame(
            {
                "a": [1.0, 2.0],
                "b": ["u", "v"],
                "c": [10**17 + 4711, 2],
                "d": pd.Series([1, NAME_OF_A_PERSON], dtype=object),
            }
        )
        synthetic = pd.DataFrame(
            {
                "a": ["918273645.5", "2"],
                "b": [NAME_OF_A_PERSON, NAME_OF_A_PERSON],
                "c": [10**17 + 4711, 2],
                "d": pd.Series([2, NAME_OF_A_PERSON], dtype=object),
            }
        )
        data = compare(original, synthetic)
        assert len(data.fixes) >= 6
        text = "\n".join(str(fix) for fix in data.fixes)
        for secret in (NAME_OF_A_PERSON, "918273645", "4711"):
            assert secret not in text


class TestTypes:
    """What a frame may hold, and what becomes of it."""

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "number": [1.5, math.nan, 3.0, 1.5],
                "count": [1, 2, 3, 2],
                "text": ["b", None, "a", "b"],
                "flag": pd.array([True, None, False, True], dtype="boolean"),
                "day": pd.to_datetime(["2024-02-29", None, "1969-12-31", "2024-02-29"]),
                "level": pd.Categorical(["lo", "hi", None, "lo"], categories=["lo", "mid", "hi"]),
            }
        )

    def test_pandas_polars_and_arrow_give_the_same_result(self) -> None:
        original = self.frame()
        synthetic = original.iloc[[0, 0, 2, 3, 1]].reset_index(drop=True)
        ways_of_giving = {
            "pandas": lambda f: f,
            "polars": pl.from_pandas,
            "arrow": lambda f: pa.Table.from_pandas(f, preserve_index=False),
            "pandas with an index": lambda f: f.set_axis(range(5, 5 + len(f))),
            "nullable pandas": lambda f: f.convert_dtypes(),
            "arrow pandas": lambda f: f.convert_dtypes(dtype_backend="pyarrow"),
            "microdata": lambda f: as_microdata(f, "original"),
        }
        results = {}
        for name, give in ways_of_giving.items():
            utility = sdc.utility_tables(give(original), give(synthetic), ways=2)
            risk = sdc.disclosure(
                give(original), give(synthetic), keys=["text", "day"], target="level"
            )
            results[name] = (utility, risk.per_synthesis)
        for utility, risk in results.values():
            # A polars Categorical has no unused levels, and so fewer empty cells.
            ours, theirs = (f.drop(columns="nempty") for f in (utility, results["pandas"][0]))
            pd.testing.assert_frame_equal(ours, theirs)
            pd.testing.assert_frame_equal(risk, results["pandas"][1])

    def test_frames_of_two_libraries_can_be_compared(self) -> None:
        frame = self.frame()
        result = sdc.utility_tables(frame, pl.from_pandas(frame), ways=2)
        assert (result["VW"] == 0).all()
        assert result.attrs["fixes"] == ()

    @pytest.mark.parametrize("dtype", ["Int8", "Int64", "UInt16", "Float32", "Float64"])
    def test_nullable_numbers(self, dtype: str) -> None:
        data = column(pd.array([1, None, 3], dtype=dtype), [1.0, math.nan, 3.0])
        assert values(data.variables["x"], 0) == [1.0, None, 3.0]
        assert data.fixes == ()

    @pytest.mark.parametrize("dtype", ["string", "str", object, "category"])
    def test_text_of_any_dtype(self, dtype: Any) -> None:
        data = column(pd.Series(["b", None, "a"], dtype=dtype), ["a", "b", None])
        assert values(data.variables["x"], 0) == ["b", None, "a"]
        assert data.fixes == ()

    def test_ordered_categories_keep_their_order(self) -> None:
        levels = ["low", "middle", "high"]
        original = pd.Categorical(["high", "low"], categories=levels, ordered=True)
        data = column(original, ["low", "middle"])
        assert data.variables["x"].levels == tuple(levels)

    def test_polars_enums_and_categoricals(self) -> None:
        enum = pl.Series("x", ["hi", None], dtype=pl.Enum(["lo", "hi"]))
        data = compare(pl.DataFrame({"x": enum}), pl.DataFrame({"x": enum.cast(pl.Categorical)}))
        assert data.variables["x"].levels == ("lo", "hi")
        assert values(data.variables["x"], 1) == ["hi", None]

    def test_polars_nan_is_missing_like_null(self) -> None:
        data = compare(pl.DataFrame({"x": [1.0, math.nan, None]}), pl.DataFrame({"x": [1.0]}))
        assert values(data.variables["x"], 0) == [1.0, None, None]

    def test_decimals_are_numbers(self) -> None:
        money = [decimal.Decimal("1.50"), None]
        data = compare(pa.table({"x": money}), pa.table({"x": [1.5, 2.0]}))
        assert values(data.variables["x"], 0) == [1.5, None]
        assert data.fixes == ()

    def test_durations_are_numbers_and_say_so(self) -> None:
        data = column(pd.to_timedelta([1, 2], unit="s"), pd.to_timedelta([2, 3], unit="s"))
        assert values(data.variables["x"], 0) == [1e6, 2e6]
        assert "durations were read as numbers" in whats(data)[0]

    def test_times_of_day_are_categories_and_say_so(self) -> None:
        times = pa.table({"x": [dt.time(10, 30), None]})
        data = compare(times, times)
        assert data.variables["x"].kind is Kind.CATEGORY
        assert "times of day" in whats(data)[0]

    def test_chunked_columns_with_dictionaries_of_their_own(self) -> None:
        chunks = pa.chunked_array(
            [
                pa.array(["a", "b"]).dictionary_encode(),
                pa.array(["c", "b", None]).dictionary_encode(),
            ]
        )
        data = compare(pa.table({"x": chunks}), pa.table({"x": ["b"]}))
        assert values(data.variables["x"], 0) == ["a", "b", "c", "b", None]

    def test_a_dictionary_with_a_null_or_a_label_twice(self) -> None:
        twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), ["a", None, "a"])
        data = compare(pa.table({"x": twice}), pa.table({"x": ["a"]}))
        assert data.variables["x"].levels == ("a",)
        assert values(data.variables["x"], 0) == ["a", None, "a", None]

    def test_categories_of_numbers_agree_with_text(self) -> None:
        data = column(pd.Categorical([1.0, 2.0]), ["1", "2"])
        assert data.variables["x"].levels == ("1", "2")
        assert data.fixes == ()

    @pytest.mark.parametrize(
        "frame", [[1, 2], "data.csv", None, {"x": [1]}, pl.LazyFrame({"x": [1]})]
    )
    def test_what_is_no_frame_is_refused(self, frame: Any) -> None:
        with pytest.raises(DataError, match="original: expected a data frame"):
            as_microdata(frame, "original")

    @pytest.mark.parametrize(
        ("frame", "reason"),
        [(pd.DataFrame({"x": []}), "no records"), (pd.DataFrame(index=[1, 2]), "no columns")],
    )
    def test_a_frame_without_records_or_columns_is_refused(
        self, frame: pd.DataFrame, reason: str
    ) -> None:
        with pytest.raises(DataError, match=f"original: the data set has {reason}"):
            as_microdata(frame, "original")

    def test_only_the_columns_asked_for_are_taken_over(self) -> None:
        frame = pd.DataFrame({"a": [1], "b": [2], "c": [3]})
        data = as_microdata(frame, "original", ["c", "a"])
        assert data.columns == ["a", "c"]
        assert data.not_taken == ("b",)
        assert isinstance(as_microdata(data, "other"), Microdata)


class TestLargeIntegers:
    def test_above_2_to_the_53_become_categories_so_that_none_merge(self) -> None:
        big = 2**53
        data = column([big, big + 1, big + 2], [big + 1, big, big + 3])
        assert data.variables["x"].kind is Kind.CATEGORY
        assert len(set(values(data.variables["x"], 0))) == 3
        assert any("10^15" in what for what in whats(data))

    def test_up_to_2_to_the_53_stay_numbers(self) -> None:
        assert column([10**15, 1], [1, 2]).variables["x"].kind is Kind.NUMBER

    def test_of_16_digits_do_not_merge_either(self) -> None:
        # Card numbers: alike in the 15 digits by which numbers are compared.
        cards = pd.DataFrame({"card": [4_000_000_000_000_001 + i for i in range(8)], "t": 1})
        result = sdc.disclosure(cards, cards, keys=["card"], target="t")
        assert result.identity["repU"] == 100.0

    def test_below_minus_2_to_the_53_become_categories_too(self) -> None:
        data = column([-(2**53) - 1, 0], [0, -(2**53) - 1])
        assert data.variables["x"].kind is Kind.CATEGORY

    def test_of_64_unsigned_bits(self) -> None:
        data = column(np.array([2**64 - 1, 2**64 - 2], dtype="uint64"), [1, 2**60])
        assert len(set(values(data.variables["x"], 0))) == 2

    def test_beyond_64_bits_are_kept_apart(self) -> None:
        huge = pd.Series([2**70, 2**70 + 1, None], dtype=object)
        data = column(huge, huge)
        assert len(set(values(data.variables["x"], 0)[:2])) == 2
        assert values(data.variables["x"], 0)[2] is None


class TestMixedColumns:
    def test_are_read_as_text_and_say_so(self) -> None:
        mixed = pd.Series([1, "a", None, math.nan], dtype=object)
        data = column(mixed, ["a", "1"])
        assert values(data.variables["x"], 0) == ["1", "a", None, None]
        assert values(data.variables["x"], 1) == ["a", "1"]
        assert only(whats(data)).endswith("read as text")

    def test_numbers_in_them_agree_whether_whole_or_not(self) -> None:
        whole = pd.Series([1, "a"], dtype=object)
        with_point = pd.Series([1.0, "a"], dtype=object)
        variable = column(whole, with_point).variables["x"]
        assert values(variable, 0) == values(variable, 1)

    def test_booleans_in_them_are_spelled_like_other_booleans(self) -> None:
        variable = column(pd.Series([True, "a"], dtype=object), ["TRUE", "a"]).variables["x"]
        assert values(variable, 0) == values(variable, 1)

    def test_whole_and_broken_numbers_are_numbers(self) -> None:
        data = column(pd.Series([1, 2.5, None], dtype=object), [1.0, 2.5])
        assert values(data.variables["x"], 0) == [1.0, 2.5, None]


class TestMissingCodes:
    def test_belong_to_their_column(self) -> None:
        frame = pd.DataFrame({"a": [1.0, -8.0], "b": [2.0, 3.0]})
        data = compare(frame, frame, missing_codes={"a": [-8, -9]})
        assert data.variables["a"].missing_codes == (-8.0, -9.0)
        assert data.variables["b"].missing_codes == ()

    @pytest.mark.parametrize("code", [-8, -8.0, [-8], (-8,), np.int64(-8), np.float64(-8)])
    def test_are_one_number_or_many(self, code: Any) -> None:
        frame = pd.DataFrame({"a": [1.0, -8.0]})
        assert compare(frame, frame, missing_codes={"a": code}).variables["a"].missing_codes == (
            -8.0,
        )

    def test_of_a_file_and_of_the_call_add_up(self) -> None:
        table = pa.table({"a": [1.0, -8.0, -9.0]})
        original = Microdata(table, "original", missing_codes={"a": (-8.0,)})
        data = harmonise(original, [as_microdata(table, "synthetic")], missing_codes={"a": -9})
        assert data.variables["a"].missing_codes == (-8.0, -9.0)

    def test_for_an_unknown_column_are_refused_with_the_closest_one(self) -> None:
        frame = pd.DataFrame({"income": [1.0]})
        with pytest.raises(StudyError, match=r"'incme'.*Did you mean 'income'"):
            compare(frame, frame, missing_codes={"incme": -8})

    @pytest.mark.parametrize(
        ("code", "got"),
        [("-8", "text"), (["-8"], "text"), ([-9, "-8"], "text"), ([1j], "something else")],
    )
    def test_that_are_no_numbers_are_refused(self, code: Any, got: str) -> None:
        frame = pd.DataFrame({"income": [1.0]})
        message = f"missing_codes for 'income': expected numbers but got {got}[.]"
        with pytest.raises(StudyError, match=message):
            compare(frame, frame, missing_codes={"income": code})

    def test_for_a_category_are_refused(self) -> None:
        frame = pd.DataFrame({"sex": ["f", "m"]})
        with pytest.raises(ColumnError, match="'sex', which is not numeric in original"):
            compare(frame, frame, missing_codes={"sex": -8})

    def test_for_a_column_that_is_not_compared_are_no_mistake(self) -> None:
        frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]})
        result = sdc.utility_tab(frame, frame, "a", missing_codes={"b": -8})
        assert result["VW"] == 0
