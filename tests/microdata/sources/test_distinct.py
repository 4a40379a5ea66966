"""Values of a batch are counted as they are, by whichever way is quicker."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sdcmetrics.microdata.sources import distinct
from sdcmetrics.microdata.sources.distinct import _count_batch, count_values, of_table


@pytest.mark.parametrize(
    "values",
    [
        [1.5, 1.5, -2.25, 1e15],
        [0.1, 0.2, 0.1, 0.30000000000000004],
        [-1e12, 1e12, 3.0, 3.0],  # far apart, and the middle is 0
        [5e5, 5e5 + 1, 5e5],
        [-7.0],
        [0.01, 0.02, 0.01, 2.5],
        [0.001, 0.002, 0.001],
    ],
)
@pytest.mark.parametrize("kind", [np.float64, np.int64])
def test_values_of_a_batch_are_counted_as_they_are(values: list[float], kind: type) -> None:
    array = np.array(values, kind)
    result, counts = _count_batch(array)
    expected, times = np.unique(array, return_counts=True)
    assert result.tolist() == expected.tolist()
    assert result.dtype == array.dtype
    assert counts.tolist() == times.tolist()


def test_texts_of_many_batches_are_merged_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "_PILE", 10)
    texts = distinct._Texts(pa.string())
    lengths = []
    for i in range(300):
        texts.add(pa.array([f"{i}", f"{i}", "of all", None]))
        lengths.append(len(texts.pile))
    # whenever new levels are twice those before: at most 300 levels are merged about six times
    merges = int((np.diff(lengths) < 0).sum())
    assert 3 <= merges <= 8
    result = texts.distinct()
    assert result.values.to_pylist() == ["0", "of all", *map(str, range(1, 300)), None]
    assert result.counts.tolist() == [2, 300, *[2] * 299, 300]


@pytest.mark.parametrize(
    ("values", "kind", "order"),
    [
        ([3, None, 1, 2], pa.int64(), [2, 3, 0, 1]),
        ([None, 7], pa.int64(), [1, 0]),
        ([None], pa.int64(), [0]),
        ([], pa.int64(), []),
        ([2.5, float("nan"), None, -1.5], pa.float64(), [3, 0, 1, 2]),
        (["b", None, "a"], pa.string(), [0, 2, 1]),  # as they come
    ],
)
def test_what_an_engine_counted_is_sorted_if_numbers_and_missing_is_last(
    values: list[object], kind: pa.DataType, order: list[int]
) -> None:
    times = np.arange(len(values)) + 10
    result = of_table(
        pa.chunked_array([pa.array(values, kind)], kind),
        pa.chunked_array([pa.array(times)]),
        pa.field("x", kind),
    )
    assert repr(result.values.to_pylist()) == repr([values[i] for i in order])
    assert result.counts.tolist() == times[order].tolist()
    assert result.complete


def test_too_many_values_of_an_engine_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    values = pa.chunked_array([pa.array([1, 2, 3])])
    for most, complete in ((3, True), (2, False)):
        monkeypatch.setattr(distinct, "MOST_VALUES", most)
        result = of_table(values, values, pa.field("x", pa.int64()))
        assert (result.complete, len(result.values)) == (complete, 3 * complete)


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.date32(), pa.string()])
def test_a_column_without_a_value_has_as_many_missing_ones_as_records(kind: pa.DataType) -> None:
    for rows in (0, 3):
        batch = pa.RecordBatch.from_arrays([pa.nulls(rows, kind)], names=["x"])
        result = count_values({"x": kind}, [batch])["x"]
        assert result.values.to_pylist() == [None] * bool(rows)
        assert result.counts.tolist() == [rows] * bool(rows)
        assert (result.values.type, result.has_null) == (kind, rows > 0)
        assert (result.complete, result.records) == (True, rows)
        assert kind == pa.string() or len(result.keys) == 0


def test_numbers_of_many_batches_are_counted_with_those_that_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nan = float("nan")
    parts = [pa.array([3.0, None, nan, 3.0]), pa.array([1.5, nan, None, None]), pa.array([3.0])]
    batches = [pa.RecordBatch.from_arrays([part], names=["x"]) for part in parts]
    for pile in (0, 100):
        monkeypatch.setattr(distinct, "_PILE", pile)
        result = count_values({"x": pa.float64()}, batches)["x"]
        assert repr(result.values.to_pylist()) == "[1.5, 3.0, nan, None]"
        assert result.counts.tolist() == [1, 3, 2, 3]
    for most, complete in ((2, True), (1, False)):
        monkeypatch.setattr(distinct, "MOST_VALUES", most)
        result = count_values({"x": pa.float64()}, batches)["x"]
        assert result.complete is complete
        assert result.records == (9 if complete else 0)


def test_what_an_engine_counted_has_the_type_of_the_column() -> None:
    values = pa.chunked_array([pa.array([2, 1], pa.int32())])
    result = of_table(values, values, pa.field("x", pa.int64()))
    assert (result.values.type, result.values.to_pylist()) == (pa.int64(), [1, 2])
