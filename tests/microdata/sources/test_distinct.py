"""Values of a batch are counted as they are, by whichever way is quicker."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sdcmetrics.microdata.sources import distinct
from sdcmetrics.microdata.sources.distinct import _count_batch, of_table


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
