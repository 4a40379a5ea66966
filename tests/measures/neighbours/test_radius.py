"""Weighted distances and counts within a radius beside those of all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.neighbours import (
    Distance,
    Euclidean,
    Gower,
    Hamming,
    nearest,
)
from tests.measures.neighbours.points import matrix, points


@pytest.mark.parametrize(
    "distance",
    [Gower((4.0, 5.0)), Gower((4.0, 5.0), (1.0, 2.0, 3.0, 0.5)), Euclidean((1.0, 2.0)), Hamming()],
    ids=str,
)
def test_radius_and_weights_are_those_of_every_pair(distance: Distance) -> None:
    numbers = not isinstance(distance, Hamming)
    first, other = points(90, numbers=numbers), points(60, numbers=numbers)
    every = matrix(first, other, distance)
    least, radius = np.sort(every, axis=1)[:, [2, 5]].T
    result = nearest(first, other, distance=distance, within=np.stack([radius, least], axis=1))
    np.testing.assert_allclose(result.distances[:, 0], every.min(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(result.within[:, 0, 0], (every < radius[:, None]).sum(axis=1))
    np.testing.assert_array_equal(result.within[:, 0, 1], (every == radius[:, None]).sum(axis=1))
    np.testing.assert_array_equal(result.within[:, 1, 0], (every < least[:, None]).sum(axis=1))


def test_weights_are_of_every_column_and_a_radius_of_every_query() -> None:
    one = points(5)
    with pytest.raises(StudyError, match="it has 2 weights, but the points have 4 columns"):
        nearest(one, one, distance=Gower((1.0, 1.0), (1.0, 1.0)))
    with pytest.raises(StudyError, match="all are 0"):
        Gower((), (0.0, 0.0))
    with pytest.raises(DataError, match="for each of 5 queries"):
        nearest(one, one, distance=Gower((1.0, 1.0)), within=[[1.0]])
