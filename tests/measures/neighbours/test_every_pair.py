"""Squared distances of all pairs, in which equal records are at 0."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from sdcmetrics.measures.neighbours.every_pair import squared_distances

Floats = npt.NDArray[np.float64]


def slow(points: Floats) -> Floats:
    out: Floats = np.square(points[:, None] - points[None]).sum(axis=2)
    return out


@pytest.mark.parametrize("seed", range(5))
def test_equal_records_are_0_apart_and_no_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 3, (120, 4)) * np.array([0.1, 0.7, 1 / 3, np.pi])
    distances = squared_distances(points)
    assert np.array_equal(distances == 0, slow(points) == 0)
    assert distances == pytest.approx(slow(points), rel=1e-9, abs=1e-12)
