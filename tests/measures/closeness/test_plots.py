"""Distances are drawn to both files."""

from __future__ import annotations

import pytest

import sdcmetrics as sdc
from tests.axes import ORIGINAL, REPLICA, named, people

pytestmark = pytest.mark.usefixtures("plots")


def test_distances_are_drawn_to_both_files() -> None:
    result = sdc.distance_to_closest_record(
        ORIGINAL, REPLICA, people(100, 3), permutations=9, seed=1
    )
    ax = result.plot()
    ends = [line.get_xdata()[-1] for line in ax.lines]
    assert ends == [result.closest.training.max(), result.closest.holdout.max()]
    assert named(ax)
