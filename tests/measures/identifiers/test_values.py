"""Values of columns as they are compared: their kinds, forms, codes, ranks and steps."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sdcmetrics.measures.identifiers.values import (
    Values,
    entries_of,
    kind_of,
    missing_of,
    texts_of,
    values_of,
)
from sdcmetrics.microdata.frames import as_microdata


def counts(*columns: Any, **options: Any) -> list[dict[Any, int]] | None:
    """Return how often each value stands in each file, as Python has it."""
    data = [as_microdata(pa.table({"x": column}), f"file {i}") for i, column in enumerate(columns)]
    values = values_of("x", data, **options)
    if values is None:
        return None
    levels = values.levels.to_pylist()
    return [
        {level: n for level, n in zip(levels, values.counts(i).tolist(), strict=True) if n}
        for i in range(len(columns))
    ]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (pa.null(), "none"),
        (pa.int8(), "number"),
        (pa.float32(), "number"),
        (pa.decimal128(5, 2), "number"),
        (pa.date32(), "date"),
        (pa.timestamp("s"), "date"),
        (pa.bool_(), "text"),
        (pa.time32("s"), "text"),
        (pa.string(), "text"),
        (pa.large_string(), "text"),
        (pa.string_view(), "text"),
        (pa.binary(), "other"),
        (pa.list_(pa.int8()), "other"),
    ],
)
def test_kinds(kind: pa.DataType, name: str) -> None:
    assert kind_of(kind) == name


LONG = 2**53
FIRST = dt.date(1970, 1, 2)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (([1, 2, 2], [2.0, None, np.inf]), [{1.0: 1, 2.0: 2}, {2.0: 1}]),
        ((["b ", "A"], ["a", ""]), [{"b": 1, "a": 1}, {"a": 1}]),  # blanks and capitals
        (([1, 2], ["1", "x"]), [{"1": 1, "2": 1}, {"1": 1, "x": 1}]),
        (([1.0, 2.5], ["1.0", "02.50 ", ""]), [{1.0: 1, 2.5: 1}, {1.0: 1, 2.5: 1}]),
        (([7, 30], ["P007", "P030", None]), [{7.0: 1, 30.0: 1}, {7.0: 1, 30.0: 1}]),
        (([7, 30], ["P7", "Q30"]), [{"7": 1, "30": 1}, {"p7": 1, "q30": 1}]),  # other beginnings
        ((["H7"], [7]), [{7.0: 1}, {7.0: 1}]),
        (([True], [1]), [{"true": 1}, {"1": 1}]),
        (([LONG, LONG], [1]), [{float(LONG): 2}, {1.0: 1}]),
        (([LONG + 1, LONG], [1]), [{str(LONG + 1): 1, str(LONG): 1}, {"1": 1}]),
        (([-LONG - 1], [1]), [{str(-LONG - 1): 1}, {"1": 1}]),
        (([Decimal("1.50")], [1.5]), [{1.5: 1}, {1.5: 1}]),
        (([FIRST], [dt.datetime(1970, 1, 2)]), [{86_400_000_000: 1}] * 2),  # noqa: DTZ001
        (([None, None], [3]), [{}, {3.0: 1}]),
        (([True], ["true"]), [{"true": 1}, {"true": 1}]),
        (([b"x"], [b"x"]), None),
        (([FIRST], ["1970-01-02"]), [{86_400_000_000: 1}] * 2),
        (([FIRST], ["1970-01-02", "?"]), [{"1970-01-02": 1}, {"1970-01-02": 1, "?": 1}]),
        (([FIRST], [1.0]), [{"1970-01-02": 1}, {"1": 1}]),
    ],
)
def test_values_are_equal_however_they_are_stored(
    columns: tuple[Any, ...], expected: list[dict[Any, int]] | None
) -> None:
    assert counts(*columns) == expected


def test_large_floats_as_text_keep_their_digits() -> None:
    whole = float(2**53)
    result = counts([whole, whole / 2], ["a"])
    assert result is not None
    assert str(2**52) in result[0]
    assert str(2**53) not in result[0]  # such a float may stand for several numbers


def test_codes_that_mean_missing_are_none() -> None:
    assert counts([1, -8, 9], missing=(-8.0, 9.0)) == [{1.0: 1}]
    assert counts(["-8"], missing=(-8.0,)) == [{"-8": 1}]
    assert missing_of({"x": -8}, "x") == (-8.0,)
    assert missing_of({"x": [-8, "a", 9.5]}, "x") == (-8.0, 9.5)
    assert missing_of({"x": (1,), "y": {2}}, "y") == (2.0,)
    assert missing_of({"x": 1}, "y") == missing_of(None, "y") == ()


def test_numbers_are_the_same_however_they_are_written() -> None:
    written = ["+49 (30) 123", "004930123", "49-30-123", "- -", None]
    assert counts(written, compact=True) == [{"4930123": 3}]
    result = counts(written)
    assert result is not None
    assert len(result[0]) == 4
    assert counts(["Ä 1", "ä1", "000"], compact=True) == [{"ä1": 2}]


def test_entries_may_be_categories() -> None:
    column = pa.chunked_array([["a", None], ["b", "a"]]).dictionary_encode()
    data = as_microdata(pa.table({"x": column}), "file")
    assert entries_of(data, "x").to_pylist() == ["a", None, "b", "a"]
    assert counts(column, ["b", "c"]) == [{"a": 2, "b": 1}, {"b": 1, "c": 1}]


def values(levels: Any, kind: str) -> Values:
    return Values((np.arange(len(levels)),), (None,), pa.array(levels), kind)


def test_entries_stand_for_so_many_records() -> None:
    weighted = Values(
        (np.array([0, -1, 1]), np.array([1])),
        (np.array([2, 5, 3]), None),
        pa.array(["a", "b"]),
        "text",
    )
    assert weighted.counts(0).tolist() == [2, 3]
    assert weighted.counts(1).tolist() == [0, 1]
    assert not weighted.by_record


@pytest.mark.parametrize(
    ("levels", "kind", "steps"),
    [
        ([3.0, 1.0], "number", [3, 1]),
        ([3.0, 1.5], "number", None),
        ([5, 7], "date", [5, 7]),
        (["A1", "A02", "A30"], "text", [1, 2, 30]),
        (["17", "3"], "text", [17, 3]),
        (["A1", "B1"], "text", None),
        (["A", "B"], "text", None),
        ([f"A{i}" for i in range(19)] + ["B7"], "text", [*range(19), None]),  # 95 %
        ([f"A{i}" for i in range(18)] + ["B7"], "text", None),
        (["A" + "1" * 15], "text", [111_111_111_111_111]),
    ],
)
def test_steps_of_values(levels: list[Any], kind: str, steps: list[float] | None) -> None:
    result = values(levels, kind).steps
    expected = None if steps is None else np.array(steps, dtype=float)
    assert result is None if expected is None else np.array_equal(result, expected, equal_nan=True)


def test_only_digits_at_the_end_of_sixteen_are_cut() -> None:
    result = values(["1" * 16, "1" * 15 + "2"], "text").steps
    assert result is not None
    assert result.tolist() == [111_111_111_111_111, 111_111_111_111_112]


def test_ranks_are_places_in_order() -> None:
    assert values([3.0, -1.0, 10.0], "number").ranks.tolist() == [1, 0, 2]
    assert values(["b", "10", "a"], "text").ranks.tolist() == [2, 0, 1]


def test_texts_to_be_looked_at() -> None:
    entries = pa.array([3, None, 3, 5, 7])
    assert texts_of(entries, np.array([0, 1, 2, 3])) == ["3", "5"]
    assert texts_of(pa.array([b"x"]), np.array([0])) == []
    assert texts_of(pa.nulls(2), np.array([0])) == []
    assert len(texts_of(pa.array(range(600)), np.arange(600))) == 500
