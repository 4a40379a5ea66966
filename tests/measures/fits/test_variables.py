"""Predictors of a formula, record by record: what is a number, a category, missing or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.fits.formula import parse
from sdcmetrics.measures.fits.variables import Categories, Numbers, values_of
from sdcmetrics.measures.pair import pair

ORIGINAL = pd.DataFrame(
    {
        "x": [1.0, 4.0, np.nan, -8.0],
        "n": [3, 1, 2, 1],
        "g": ["b", None, "a", "b"],
        "yes": pd.array([True, False, None, True], dtype="boolean"),
        "born": pd.to_datetime(["1970-01-01", "1970-01-11", None, "1969-12-31"]),
    }
)
REPLICA = pd.DataFrame(
    {
        "x": [9.0, -8.0],
        "n": [2, 5],
        "g": ["c", "a"],
        "yes": pd.array([False, True], dtype="boolean"),
        "born": pd.to_datetime(["1970-01-02", "1970-02-01"]),
    }
)


def of(text: str) -> Any:
    data = pair(ORIGINAL, REPLICA, missing_codes={"x": -8})
    return values_of(parse(f"x ~ {text}")[1], data)


@pytest.mark.parametrize(
    ("text", "original", "synthetic"),
    [
        ("x", [1, 4, np.nan, np.nan], [9, np.nan]),
        ("sqrt(x)", [1, 2, np.nan, np.nan], [3, np.nan]),
        ("log2(n)", [np.log2(3), 0, 1, 0], [1, np.log2(5)]),
        ("log10(n)", [np.log10(3), 0, np.log10(2), 0], [np.log10(2), np.log10(5)]),
        ("log(n)", [np.log(3), 0, np.log(2), 0], [np.log(2), np.log(5)]),
        ("log1p(n)", [np.log(4), np.log(2), np.log(3), np.log(2)], [np.log(3), np.log(6)]),
        ("exp(n)", [np.exp(3), np.e, np.exp(2), np.e], [np.exp(2), np.exp(5)]),
        ("abs(I(2 - n))", [1, 1, 0, 1], [0, 3]),
        ("I(n + 1)", [4, 2, 3, 2], [3, 6]),
        ("I(n * x)", [3, 4, np.nan, np.nan], [18, np.nan]),
        ("I(x / n)", [1 / 3, 4, np.nan, np.nan], [4.5, np.nan]),
        ("I(n^2)", [9, 1, 4, 1], [4, 25]),
        ("I(-n)", [-3, -1, -2, -1], [-2, -5]),
        ("I(yes + 1)", [2, 1, np.nan, 2], [1, 2]),
        ("born", [0, 10, np.nan, -1], [1, 31]),
    ],
)
def test_numbers_are_those_of_arithmetic(
    text: str, original: list[float], synthetic: list[float]
) -> None:
    values = of(text)
    assert isinstance(values, Numbers)
    for part, expected in zip(values.parts, (original, synthetic), strict=True):
        np.testing.assert_allclose(part, expected)
    assert values.missing(0).tolist() == np.isnan(original).tolist()


@pytest.mark.parametrize(
    ("text", "original", "synthetic"),
    [
        ("g", ["b", None, "a", "b"], ["c", "a"]),
        ("yes", ["TRUE", "FALSE", None, "TRUE"], ["FALSE", "TRUE"]),
        ("factor(n)", ["3", "1", "2", "1"], ["2", "5"]),
        ("factor(x)", ["1", "4", None, None], ["9", None]),
        ("factor(g)", ["b", None, "a", "b"], ["c", "a"]),
    ],
)
def test_categories_are_levels(text: str, original: list[Any], synthetic: list[Any]) -> None:
    values = of(text)
    assert isinstance(values, Categories)
    for part, expected in zip(values.parts, (original, synthetic), strict=True):
        assert [values.levels[code] if code >= 0 else None for code in part] == expected
    assert values.missing(0).tolist() == [level is None for level in original]


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("I(g + 1)", ColumnError, "column 'g' of original holds text"),
        ("log(g)", ColumnError, "column 'g' of original holds text"),
        ("log(I(n - 1))", ColumnError, r"original: log\(I\(n - 1\)\) is infinite for 2 record"),
        ("log(factor(n))", StudyError, r"factor\(\) makes categories, which have no arithmetic"),
    ],
)
def test_what_has_no_number_is_refused(text: str, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        of(text)


def test_levels_that_no_complete_record_has_go_and_the_originals_come_first() -> None:
    codes = Categories((np.array([2, 0, -1, 3]), np.array([4, 1, 2])), tuple("abcde"))
    every = np.array([True, True, False, True]), np.ones(3, bool)
    ordered = codes.ordered_by_use(every)
    assert ordered.levels == ("a", "c", "d", "b", "e")
    assert [part.tolist() for part in ordered.parts] == [[1, 0, -1, 2], [4, 3, 1]]
    declared = codes.ordered_by_use(every, as_declared=True)
    assert declared.levels == ("a", "b", "c", "d", "e")
    some = np.array([True, False, False, True]), np.array([True, False, True])
    kept = codes.ordered_by_use(some)
    assert kept.levels == ("c", "d", "e")
    assert [part.tolist() for part in kept.parts] == [[0, -1, -1, 1], [2, -1, 0]]
    assert codes.ordered_by_use(some, as_declared=True).levels == ("c", "d", "e")
