"""Codes of the second pass: what the distinct values say, and nothing of what they do not know."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from sdcmetrics.errors import DataError
from sdcmetrics.microdata.sources.codes import Coder
from sdcmetrics.microdata.sources.distinct import Distinct, count_values

WIDE = [-(2**62), 5, 2**62]
COLUMNS = {
    "whole": pa.array([3, None, -7, 3, 12]),
    "far apart": pa.array([*WIDE, None]),
    "money": pa.array([0.29, 12.5, None, -0.01, 0.29]),
    "no decimals": pa.array([1 / 3, 2.5e300, -1e-300, np.nan]),
    "with NaN": pa.array([1.5, np.nan, None, -0.0, 0.0]),
    "days": pa.array([18_000, 19_000, None], pa.int32()).cast(pa.date32()),
    "yes or no": pa.array([True, None, False]),
    "text": pa.array(["b", None, "a", "b"]),
    "levels": pa.array(["b", None, "a", "b"]).dictionary_encode(),
    "missing only": pa.array([None, None], pa.float64()),
}
NEW = {
    "whole": pa.array([4]),
    "money": pa.array([0.295]),
    "with NaN": pa.array([2.0]),
    "days": pa.array([18_001], pa.int32()).cast(pa.date32()),
    "text": pa.array(["c"]),
    "levels": pa.array(["c"]).dictionary_encode(),
    "missing only": pa.array([1.0]),
}


def of(name: str, lookup: np.ndarray | None = None) -> tuple[Coder, Distinct]:
    array = COLUMNS[name]
    batch = pa.RecordBatch.from_arrays([array], names=[name])
    distinct = count_values({name: array.type}, [batch])[name]
    codes = np.arange(len(distinct.values), dtype=np.int16) if lookup is None else lookup
    return Coder(name, "survey", distinct, codes), distinct


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64])
def test_each_value_has_the_code_of_its_distinct_value(name: str, kind: type) -> None:
    _, distinct = of(name)
    lookup = np.arange(len(distinct.values))[::-1].astype(kind) + 1
    coder, _ = of(name, lookup)
    place = {str(value): i for i, value in enumerate(distinct.values.to_pylist())}
    values = [str(value) for value in COLUMNS[name].to_pylist()]
    expected = [lookup[place.get(value, place.get("0.0", -1))] for value in values]
    codes = coder.codes(COLUMNS[name])
    assert codes.dtype == kind
    assert codes.tolist() == expected
    assert coder.codes(COLUMNS[name].slice(1)).tolist() == expected[1:]


def test_many_runs_are_searched_as_few_are_compared() -> None:
    values = np.random.default_rng(1).normal(size=200)
    array = pa.array(values)
    batch = pa.RecordBatch.from_arrays([array], names=["x"])
    distinct = count_values({"x": array.type}, [batch])["x"]
    for runs in (2, 16, 17, 18, 200):
        lookup = (np.arange(200) * runs // 200).astype(np.int16)
        codes = Coder("x", "survey", distinct, lookup).codes(array)
        np.testing.assert_array_equal(codes, lookup[np.argsort(np.argsort(values))])


@pytest.mark.parametrize("name", NEW)
def test_a_value_that_was_not_there_is_refused(name: str) -> None:
    coder, _ = of(name)
    with pytest.raises(DataError, match=rf"survey: column '{name}' has other values than"):
        coder.codes(NEW[name])


def test_missing_values_that_were_not_there_are_refused() -> None:
    batch = pa.RecordBatch.from_arrays([pa.array([1.0, 2.0])], names=["x"])
    distinct = count_values({"x": pa.float64()}, [batch])["x"]
    coder = Coder("x", "survey", distinct, np.arange(2, dtype=np.int8))
    for array in (pa.array([None], pa.float64()), pa.array([np.nan])):
        with pytest.raises(DataError, match="has other values"):
            coder.codes(array)


@pytest.mark.parametrize(
    ("values", "others"),
    [
        ([5, None, 2**60 + 1, 0], [2**60 + 1, 5, 0]),
        ([0.5, None, np.nan, -0.0], [np.nan, 0.5, 0.0]),
    ],
)
def test_values_that_are_rounded_are_told_apart_to_the_last_digit(
    values: list[float | None], others: list[float]
) -> None:
    array, other = pa.array(values), pa.array(others)
    _, distinct = of("whole" if array.type == pa.int64() else "money")
    coder = Coder("x", "survey", replace(distinct, rounded=True), np.zeros(9, np.int8))
    first, second = coder.identities(array).tolist(), coder.identities(other).tolist()
    assert len(set(first)) == 4
    assert [first[2], first[0], first[3]] == second
