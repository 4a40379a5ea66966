"""What a column can be asked: which levels and values are told apart, and in which words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.expressions.tree import Name, Number
from sdcmetrics.measures.rules.features import Feature, features_of
from sdcmetrics.measures.rules.tree import Comparison, Flag, Text
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise


def asked(values: object, other: object = None) -> list[Feature]:
    frames = [pd.DataFrame({"x": values}), pd.DataFrame({"x": values if other is None else other})]
    first, second = (as_microdata(frame, "file") for frame in frames)
    data = harmonise(first, [second])
    return [*features_of(data.variables["x"], data.sizes)]


@pytest.mark.parametrize(("levels", "number"), [(1, 0), (2, 1), (50, 1), (51, 0)])
def test_columns_of_two_to_fifty_levels_are_asked(levels: int, number: int) -> None:
    features = asked([f"level {i:02}" for i in range(levels)])
    assert len(features) == number
    for feature in features:
        assert feature.size == len(feature.literals) == levels
        assert feature.literals[1] == Text("level 01")


def test_each_of_up_to_twenty_numbers_is_told_apart() -> None:
    (feature,) = asked([*range(20), np.nan, 5], [3, 40, -1, 19.5, 0, *[np.nan] * 17])[:1]
    assert [literal.value for literal in feature.literals if isinstance(literal, Number)] == [
        *range(20)
    ]
    assert feature.size == 21  # the last is any other value
    assert feature.codes[0].tolist() == [*range(20), -1, 5]
    assert feature.codes[1].tolist()[:5] == [3, 20, 20, 20, 0]
    assert set(feature.codes[1].tolist()[5:]) == {-1}
    assert not asked([7, 7, 7])
    (feature,) = asked([7, 8, 7])
    assert feature.literals == (Number(7.0), Number(8.0))


@pytest.mark.parametrize(("times", "number"), [(4, 0), (5, 1)])
def test_of_more_numbers_the_one_that_a_twentieth_has(times: int, number: int) -> None:
    values = [8] * times + [100 + i for i in range(100 - times)]
    features = asked(values)
    assert len(features) == number
    for feature in features:
        assert feature.literals == (Number(8.0),)
        assert feature.codes[0].tolist() == [0] * times + [1] * (100 - times)


@pytest.mark.parametrize(
    ("values", "number"),
    [([1.0, None, 1.0], 1), ([1.0, 1.0], 0), ([None, None], 0), (["a", None], 1)],
)
def test_whether_a_value_is_missing_is_asked_where_some_are(
    values: list[object], number: int
) -> None:
    features = [feature for feature in asked(values) if not feature.literals]
    assert len(features) == number
    for feature in features:
        assert feature.size == 2
        assert feature.codes[0].tolist() == [int(value is None) for value in values]


def test_whether_a_value_is_missing_is_a_question_of_the_original() -> None:
    gaps = [1.0, None, 1.0]
    assert [feature.literals for feature in asked(gaps, [None] * 3)] == [()]
    assert not asked([None] * 3, gaps)


THREE = Feature("x", (), (Text("a"), Text("b"), Text("c")), 3)
FIVE = Feature("x", (), tuple(map(Text, "abcde")), 5)
OPEN = Feature("x", (), (Number(1.0), Number(2.0)), 3)
MISSING = Feature("x", (), (), 2)


@pytest.mark.parametrize(
    ("feature", "levels", "words"),
    [
        (THREE, [0], 'x == "a"'),
        (THREE, [0, 1], 'x != "c"'),
        (FIVE, [0, 1], 'x in ["a", "b"]'),
        (FIVE, [0, 1, 4], 'x not in ["c", "d"]'),
        (OPEN, [1], "x == 2"),
        (OPEN, [0, 2], "x != 2"),  # any other value is among them
        (OPEN, [2], "x not in [1, 2]"),
        (OPEN, [0, 1], "x in [1, 2]"),
        (MISSING, [1], "x is missing"),
        (MISSING, [0], "x is not missing"),
    ],
)
def test_a_condition_is_as_short_as_it_can_be(
    feature: Feature, levels: list[int], words: str
) -> None:
    assert str(feature.says(levels)) == words


def test_booleans_are_true_or_false() -> None:
    (feature,) = asked([True, False, True])
    assert feature.literals == (Flag(False), Flag(True))
    for level in (0, 1):
        expected = Comparison(("==",), (Name("x"), feature.literals[level]))
        assert feature.says([level]) == expected
