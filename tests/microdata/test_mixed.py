"""Columns as categories and numbers: which is which, in which order, with which values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdcmetrics.errors import ColumnError
from sdcmetrics.microdata.arrow_columns import as_kind
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.mixed import split_kinds
from sdcmetrics.microdata.schema import Harmonised, harmonise

ORIGINAL = pd.DataFrame(
    {
        "few": [*range(9), *range(9)],
        "many": [*range(10), *[3.5, np.nan] * 4],
        "job": [*"ab"] * 9,
        "when": pd.to_datetime(["2020-01-01", "2021-01-01", "NaT"] * 6),
    }
)
REPLICA = pd.DataFrame(
    {
        "few": [50, 1],
        "many": [99.0, 7],
        "job": ["c", None],
        "when": pd.to_datetime(["2020-01-01"] * 2),
    }
)


def both(codes: dict[str, float] | None = None, drop: str = "") -> Harmonised:
    frames = [frame.drop(columns=drop or []) for frame in (ORIGINAL, REPLICA)]
    first, second = (as_microdata(f, name) for f, name in zip(frames, ("o", "r"), strict=True))
    return harmonise(first, [second], missing_codes=codes)


def test_numbers_with_fewer_than_ten_values_in_the_original_are_categories() -> None:
    original, replica = split_kinds(both({"many": 99}))
    assert original.categories == replica.categories == ("few", "job")
    assert original.numeric == ("many", "when")
    assert original.names == ("few", "job", "many", "when")
    assert (original.n, replica.n) == (18, 2)
    assert original.numbers.shape == (2, 18)
    np.testing.assert_array_equal(replica.numbers[0], [np.nan, 7])
    assert original.levels[1] == ("a", "b", "c", None)
    assert [original.levels[1][code] for code in replica.codes[1]] == ["c", None]
    some = original.subset(np.array([17, 2]))
    assert some.n == 2
    np.testing.assert_array_equal(some.numbers[0], [np.nan, 2])
    assert some.codes[1].tolist() == [original.codes[1][17], original.codes[1][2]]


def test_what_is_named_is_a_category_and_nothing_else() -> None:
    named, _ = split_kinds(both(), categorical=["job", "many"])
    assert named.categories == ("many", "job")  # in the order of the columns
    assert named.numeric == ("few", "when")
    every, _ = split_kinds(both(), few=0)
    assert every.numeric == ("few", "many", "when")
    nine, _ = split_kinds(both(), few=9)
    assert nine.numeric == ("few", "many", "when")
    none, _ = split_kinds(both(drop="job"), categorical=[])
    assert (none.categories, none.n) == ((), 18)
    with pytest.raises(ColumnError, match="o: column 'job' holds categories"):
        split_kinds(both(), categorical=["few"])
    with pytest.raises(
        ColumnError, match=r"categorical: there is no column 'jobs'. Did you mean 'job'"
    ):
        split_kinds(both(), categorical=["jobs", "job"])


def test_a_category_keeps_its_levels_in_their_order_as_a_category() -> None:
    levels = pa.chunked_array([pa.DictionaryArray.from_arrays([0, 1], ["z", "a"])])
    assert as_kind(levels, "category") is levels
    for first, text in ((1.0, "1"), (1.5, "1.5")):
        category = as_kind(pa.chunked_array([[first, 2.0]]), "category")
        assert category is not None
        assert category.to_pylist() == [text, "2"]


@pytest.mark.parametrize(
    ("numbers", "kept"),
    [([0, 1, None], [False, True, None]), ([], []), ([None], [None]), ([0, 2], None)],
)
def test_numbers_are_yes_and_no_where_all_are_0_and_1(
    numbers: list[int | None], kept: list[bool | None] | None
) -> None:
    column = as_kind(pa.chunked_array([pa.array(numbers, pa.int64())]), "boolean")
    assert (None if column is None else column.to_pylist()) == kept
