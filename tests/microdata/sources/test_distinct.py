"""Values of a batch are counted as they are, by whichever way is quicker."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.microdata.sources.distinct import _count_batch


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
    found, counts = _count_batch(array)
    expected, times = np.unique(array, return_counts=True)
    assert found.tolist() == expected.tolist()
    assert found.dtype == array.dtype
    assert counts.tolist() == times.tolist()
