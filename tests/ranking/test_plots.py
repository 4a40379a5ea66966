"""A ranking is drawn by utility and protection, or by totals where there is no scale for them."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.ranking.result import Ranking

pytestmark = pytest.mark.usefixtures("plots")


@pytest.mark.parametrize(
    ("strategy", "unit"),
    [("rank", "mean rank: less is better"), ("linear", "mean of points: more is better")],
)
def test_without_references_totals_are_drawn_the_best_on_top(strategy: str, unit: str) -> None:
    ranking: Any = SimpleNamespace(
        scale=None, replicas=("a", "b", "c"), totals=(1.5, 3.0, 2.0), by_place=["b", "c", "a"],
        strategy=strategy,
    )  # fmt: skip
    ax = Ranking.plot(ranking)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "c", "a"]
    assert [bar.get_width() for bar in ax.patches] == [3.0, 2.0, 1.5]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == f"weighted {unit}"


def test_with_references_every_mark_is_where_it_is_on_the_map() -> None:
    frame = pd.DataFrame(
        {"utility": [0.2, math.nan, 1.0], "protection": [0.7, 0.5, 0.0]}, ["a", "gone", "original"]
    )
    ranking: Any = SimpleNamespace(scale=object(), map=frame)
    ax = Ranking.plot(ranking)
    (marks,) = ax.collections
    assert marks.get_offsets().tolist() == [[0.2, 0.7], [1.0, 0.0]]
    assert [text.get_text() for text in ax.texts] == ["a", "original"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("utility", "protection")
