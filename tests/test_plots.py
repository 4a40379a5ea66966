"""Replicas side by side, and what all plots share: whose axes, and what they need."""

from __future__ import annotations

import sys

import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from tests.axes import ORIGINAL, REPLICA, named, ticks, widths

pytestmark = pytest.mark.usefixtures("plots")


class TestReplicas:
    review = staticmethod(
        lambda: sdc.conduct(
            sdc.Study(
                ORIGINAL,
                {"fresh": REPLICA, "copy": ORIGINAL.copy()},
                keys=["age", "place"],
                targets=["ill"],
                permutations=99,
            )
        )
    )

    def test_replicas_are_points_and_bars(self) -> None:
        review = self.review()
        ax = review.plot()
        rows = review.mean_rows()
        risk = rows[rows["metric"] == "DiSCO"].groupby("replica")["value"].mean()
        places = dict(
            zip([t.get_text() for t in ax.texts], ax.collections[0].get_offsets(), strict=True)
        )
        assert {name: float(place[1]) for name, place in places.items()} == pytest.approx(
            risk.to_dict()
        )
        assert named(ax)
        ranking = sdc.compare_replicas(review)
        totals = dict(zip(ranking.replicas, ranking.totals, strict=True))
        ax = ranking.plot()
        assert ticks(ax) == list(ranking.by_place)
        assert widths(ax) == [totals[name] for name in ranking.by_place]
        assert named(ax)


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = sdc.compare(ORIGINAL, REPLICA)
    with pytest.raises(StudyError, match=r'pip install "sdcmetrics\[plot\]"'):
        result.plot()


def test_axes_of_the_user_are_drawn_on() -> None:
    from matplotlib import pyplot as plt

    _, own = plt.subplots()
    assert sdc.compare(ORIGINAL, REPLICA).plot("ill", ax=own) is own
