"""One codebook for all data sets: which records share a level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.pair import pair
from sdcmetrics.microdata.coarsening import Bands, Coarsening, Levels, Periods, Steps, in_order
from sdcmetrics.microdata.coding import (
    MISSING,
    CodedVariable,
    Rule,
    by_groups,
    by_rounding,
    by_value,
    encode,
    pack,
)
from sdcmetrics.microdata.columns import Kind, coded, is_missing, numbers
from sdcmetrics.microdata.frames import label_of
from sdcmetrics.microdata.frames import labels_of as texts_of


def code(original: Any, *syntheses: Any, rule: Rule = by_value, codes: Any = None) -> CodedVariable:
    frames = [pd.DataFrame({"x": column}) for column in (original, *syntheses)]
    given = None if codes is None else {"x": codes}
    data = pair(frames[0], frames[1:], missing_codes=given)
    return encode(data, rule, ["x"]).variables["x"]


def labels_of(variable: CodedVariable, part: int) -> list[str | None]:
    return [variable.labels[i] for i in variable.parts[part]]


class TestByValue:
    def test_declared_levels_keep_their_order_and_new_ones_follow(self) -> None:
        original = pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"])
        variable = code(original, ["hi", "new", "also"])
        assert variable.labels == ("lo", "mid", "hi", "also", "new")
        assert labels_of(variable, 1) == ["hi", "new", "also"]

    def test_levels_are_matched_by_label_and_not_by_position(self) -> None:
        first = pd.Categorical(["x", "y"], categories=["x", "y"])
        other = pd.Categorical(["x", "y"], categories=["y", "x"])
        variable = code(first, other)
        assert variable.parts[0].tolist() == variable.parts[1].tolist()

    def test_text_levels_are_sorted(self) -> None:
        assert code(["b", "a"], ["c", "a"]).labels == ("a", "b", "c")

    def test_numbers_are_sorted_as_numbers(self) -> None:
        assert code([10, 9, 100], [2, 9, 10]).labels == ("2", "9", "10", "100")

    def test_numbers_of_any_type_are_the_same_level(self) -> None:
        variable = code(np.array([1, 100_000], dtype="int32"), [1.0, 1e5])
        assert variable.labels == ("1", "100000")
        assert variable.parts[0].tolist() == variable.parts[1].tolist() == [0, 1]

    def test_numbers_that_agree_in_15_digits_are_one_level(self) -> None:
        variable = code([0.1 + 0.2, 0.4], [0.3, 0.4])
        assert variable.labels == ("0.3", "0.4")
        assert labels_of(variable, 0) == labels_of(variable, 1)

    def test_dates_are_levels_of_their_own(self) -> None:
        days = pd.to_datetime(["2024-02-29", "1969-12-31"])
        variable = code(days, days[::-1])
        assert variable.labels == ("1969-12-31", "2024-02-29")
        assert labels_of(variable, 1) == ["1969-12-31", "2024-02-29"]

    def test_times_of_one_day_are_told_apart(self) -> None:
        stamps = pd.to_datetime(["2024-02-29 10:00:00.000", "2024-02-29 10:00:00.001"])
        assert code(stamps, stamps).size == 2

    def test_booleans_have_both_levels(self) -> None:
        assert code([True, True], [True, True]).labels == ("FALSE", "TRUE")


class TestMissing:
    def test_is_the_last_level_in_every_data_set(self) -> None:
        variable = code(["a", "b"], ["a", None])
        assert variable.labels == ("a", "b", MISSING)
        assert variable.missing_code == 2
        assert labels_of(variable, 1) == ["a", MISSING]

    def test_is_no_level_where_nothing_is_missing(self) -> None:
        assert code(["a"], ["a"]).missing_code == -1

    @pytest.mark.parametrize("text", ["Missing", "NA", "None", "nan", ""])
    def test_is_no_text(self, text: str) -> None:
        variable = code([text, None], [text, None])
        assert variable.labels == (text, MISSING)

    def test_of_numbers_is_the_last_level_too(self) -> None:
        variable = code([1.0, math.nan], [2.0, 1.0])
        assert variable.labels == ("1", "2", MISSING)

    def test_of_groups_follows_the_codes(self) -> None:
        variable = code([*range(20), -8, math.nan], range(20), rule=by_groups(5), codes=-8)
        assert variable.labels[5:] == ("-8", MISSING)
        assert labels_of(variable, 0)[-2:] == ["-8", MISSING]

    def test_everywhere_is_one_level(self) -> None:
        variable = code([None, None], [None], rule=by_groups(5))
        assert variable.labels == (MISSING,)
        assert variable.parts[0].tolist() == [0, 0]


class TestByGroups:
    def test_groups_numbers_from_the_pool(self) -> None:
        variable = code(range(50), range(50, 100), rule=by_groups(4))
        assert variable.groups is not None
        assert variable.groups.breaks.tolist() == pytest.approx([0, 24.75, 49.5, 74.25, 99])
        assert np.bincount(variable.parts[0]).tolist() == [25, 25]

    def test_leaves_categories_alone(self) -> None:
        assert code(list("abcdefgh"), list("abcdefgh"), rule=by_groups(2)).size == 8

    def test_leaves_dates_alone_unless_told(self) -> None:
        days = pd.date_range("2024-01-01", periods=40)
        assert code(days, days, rule=by_groups(4)).size == 40
        grouped = code(days, days, rule=by_groups(4, dates=True))
        assert grouped.size == 4
        assert len(set(grouped.labels)) == 4
        assert str(grouped.labels[0]).startswith("[2024-01-01,")
        assert np.bincount(grouped.parts[0]).tolist() == [10, 10, 10, 10]

    def test_dates_of_one_day_get_labels_of_their_own(self) -> None:
        stamps = pd.date_range("2024-01-01", periods=40, freq="min")
        assert len(set(code(stamps, stamps, rule=by_groups(4, dates=True)).labels)) == 4

    def test_a_constant_is_one_level(self) -> None:
        assert code([3, 3], [3, 3], rule=by_groups(5)).size == 1


class TestByRounding:
    def test_matches_bins_by_value(self) -> None:
        variable = code([0, 2400], [2600, 5100], rule=by_rounding(2500))
        assert variable.labels == ("0", "2500", "5000")
        assert labels_of(variable, 1) == ["2500", "5000"]

    def test_steps_below_one_do_not_leave_rounding_errors_in_the_levels(self) -> None:
        assert code([0.31, 0.1], [0.29, 0.7], rule=by_rounding(0.1)).labels == ("0.1", "0.3", "0.7")

    def test_codes_are_not_rounded(self) -> None:
        variable = code([-8, 12], [1, 9], rule=by_rounding(10), codes=-8)
        assert variable.labels == ("-8", "0", "10")

    def test_missing_stays_missing(self) -> None:
        assert code([math.nan, 12.0], [1.0, 9.0], rule=by_rounding(10)).labels[-1] is MISSING

    def test_leaves_categories_alone(self) -> None:
        assert code(["12", "x"], ["12", "x"], rule=by_rounding(10)).labels == ("12", "x")

    def test_a_step_of_zero_is_refused(self) -> None:
        with pytest.raises(StudyError, match="round_to"):
            code([1.0], [2.0], rule=by_rounding(0))


class TestCodes:
    @pytest.mark.parametrize(
        ("size", "kind"), [(127, np.int8), (128, np.int16), (32_767, np.int16), (32_768, np.int32)]
    )
    def test_are_as_small_as_the_levels_allow(self, size: int, kind: Any) -> None:
        variable = code(np.arange(size), np.arange(size))
        assert variable.size == size
        assert all(part.dtype == kind for part in variable.parts)
        assert variable.parts[0].tolist() == list(range(size))

    def test_leave_room_for_the_missing_level(self) -> None:
        values: Sequence[float] = [*map(float, range(127)), math.nan]
        variable = code(values, values)
        assert variable.size == 128
        assert variable.parts[0].max() == variable.missing_code == 127

    def test_a_rule_can_be_given_for_each_column(self) -> None:
        frame = pd.DataFrame({"x": range(10), "y": range(10)})
        data = pair(frame, frame)
        coded = encode(data, {"x": by_groups(2), "y": by_value}, ["y", "x"])
        assert list(coded.variables) == ["y", "x"]
        assert [v.size for v in coded.variables.values()] == [10, 2]
        assert coded.sizes == (10, 10)
        assert coded.m == 1


@pytest.mark.parametrize(
    "values", [[3.0, -0.0, -17.0], [1e14, 1e15, 2.0**53, 1e17], [0.5, 2.0], [], [np.nan, 1.0]]
)
def test_texts_of_numbers_are_those_of_one_by_one(values: list[float]) -> None:
    assert texts_of(np.array(values)) == [label_of(value) for value in values]


def test_a_record_without_a_value_is_told_from_the_first_level_and_from_0() -> None:
    values = numbers(np.array([0.0, math.nan, 1.0]))
    for column in (
        values,
        numbers(values.values, Kind.DATE),
        coded(np.array([0, -1, 1], np.int32), ("a", "b")),
        coded(np.array([0, -1, 1], np.int32), ("False", "True"), Kind.BOOLEAN),
    ):
        assert is_missing(column).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("number", "kind"), [(126, np.int8), (127, np.int16), (32766, np.int16), (32767, np.int32)]
)
def test_codes_take_the_smallest_type_that_holds_them_and_the_missing_level(
    number: int, kind: type
) -> None:
    last = number - 1
    parts = [np.array(part, np.int32) for part in ([0, -1, last], [], [last, 0], [-1])]
    packed = pack("x", [str(i) for i in range(number)], parts)
    assert [part.dtype for part in packed.parts] == [kind] * 4
    assert [part.tolist() for part in packed.parts] == [[0, number, last], [], [last, 0], [number]]
    assert packed.labels[number] is None
    assert len(packed.labels) == number + 1
    whole = pack("x", ["a", "b"], [parts[1], np.array([1, 0], np.int32)])
    assert whole.labels == ("a", "b")  # where nothing is missing there is no such level


@pytest.mark.parametrize(
    ("rule", "ordered"),
    [
        (Steps(5.0), ["-5 to under 0", "0 to under 5", "5 to under 10", "10 to under 15"]),
        (Periods("month"), ["1999-12", "2000-01", "2000-10"]),
        (Levels({"west": ("a",), "east": ("b", "c")}), ["west", "east"]),
        (Bands((0.0, 18.0, 65.0)), [*Bands((0.0, 18.0, 65.0)).names]),
    ],
)
def test_coarser_values_stand_in_the_order_of_their_rule(
    rule: Coarsening, ordered: list[str]
) -> None:
    assert in_order(rule, [*ordered[::-1], ordered[0]]) == ordered
    assert in_order(rule, ordered[1:]) == ordered[1:]
