"""Which known defects of synthpop errors, versions and data point to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.pair import pair
from sdcmetrics.rbridge.defects import _SIGNS, DEFECTS, explain_error, named_in, of_answer, of_data


@pytest.mark.parametrize(("sign", "number"), _SIGNS)
def test_errors_are_known_by_their_words(sign: str, number: str) -> None:
    assert explain_error(f"Error: {sign}!") == (number,)
    assert number in DEFECTS


def test_the_first_sign_counts_and_other_words_say_nothing() -> None:
    assert explain_error("a single unique value; non-conformable") == ("A1",)
    assert explain_error("something else") == ()


def test_verdicts_name_their_defects() -> None:
    verdicts = ["differs as documented: B2, B8", "not compared: B9", "differs as documented: ties"]
    assert [*named_in(verdicts)] == ["B2", "B8", "ties"]


@pytest.mark.parametrize(
    ("version", "sizes", "left_out", "numbers"),
    [
        ("1.9-3", (9, 9), False, ("B26",)),
        ("1.9-3", (9, 8), True, ("B25", "B26", "B27")),
        ("2.0-0", (9, 9), True, ("B26", "B27")),
        ("1.9-2", (9, 8), True, ()),
    ],
)
def test_defects_of_an_answer_are_those_of_its_version(
    version: str, sizes: tuple[int, ...], numbers: tuple[str, ...], *, left_out: bool
) -> None:
    assert of_answer(version, sizes=sizes, left_out=left_out) == numbers


DAYS = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-02"])


@pytest.mark.parametrize(
    ("original", "replica", "numbers"),
    [
        ([1.0, 2, 3], [1.0, 2, 2], ()),
        ([1.0, 2, 3], [1.0, np.nan, 2], ("A9", "B6")),
        ([1.0, np.nan, 3], [1.0, np.nan, 2], ()),
        ([1.0, 1, 1], [1.0, 1, 1], ("A1",)),
        ([1.0, 1, 1], [1.0, 1, 2], ()),
        ([1.0, np.nan, 1], [1.0, 1, 1], ("A1",)),
        ([1.0, 1, -8], [1.0, 1, -8], ("A1",)),  # a code is no value
        ([1.0, -8, -8], [-8.0, -8, -8], ("A1",)),
        ([-8.0, -8, -8], [-8.0, -8, -8], ()),
        (["a", "b", "b"], ["a", "b", "a"], ()),
        (["a", "b", "b"], ["a", None, "a"], ("A9",)),
        (["a", "Missing", "b"], ["a", "b", "a"], ()),
        (["a", "Missing", None], ["a", "b", "a"], ("B8",)),
        (["a", "Missing", "b"], ["a", None, "a"], ("A9", "B8")),
        (["a", "b", None], ["a", None, "b"], ()),
        ([True, False, True], [True, True, True], ("B1",)),
        ([True, False, True], [False, True, True], ()),
        (DAYS, DAYS[[1, 0, 0]], ()),
        (DAYS, DAYS[[1, 1, 1]], ("B1",)),
        ([DAYS[0], pd.NaT, DAYS[1]], DAYS, ("B6",)),
        ([True, False, None], [True, None, False], ("B6",)),
    ],
)
def test_defects_of_the_data(original: Any, replica: Any, numbers: tuple[str, ...]) -> None:
    frames = [pd.DataFrame({"x": values, "z": list("abb")}) for values in (original, replica)]
    given: Any = {"x": [-8]} if -8 in [*original] else None
    data = pair(frames[0], frames[1], missing_codes=given)
    assert of_data(data) == numbers


def test_syntheses_of_other_sizes_than_the_original_are_as_good_where_all_are_alike() -> None:
    frame = pd.DataFrame({"x": list("abcb")})
    assert of_data(pair(frame, [frame[:3], frame[1:]])) == ()
    assert of_data(pair(frame, [frame, frame, frame[1:]])) == ("B20",)


def test_numbers_stand_in_their_order_once_each() -> None:
    frame = pd.DataFrame({"a": [1.0, 1], "b": [True, False], "c": [1.0, 2], "d": [1.0, 2]})
    other = pd.DataFrame({"a": [1.0, 1], "b": [True, True], "c": [1, None], "d": [None, 2]})
    assert of_data(pair(frame, [other, other[:1]])) == ("A1", "A9", "B1", "B6", "B20")
