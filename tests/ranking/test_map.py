"""The map by hand: weighted means of two measures of utility and two of risk."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import numpy as np
import pytest

from sdcmetrics.ranking.map import Map, side_means

CRITERIA: Any = [With(utility=side) for side in (True, False, True, False)]
WEIGHTS: Any = With(vector=lambda: np.array([0.3, 0.1, 0.1, 0.5]))
SCORES = np.array([[1.0, 0.5, 0.2, 0.0], [0.4, 1.0, 0.0, 0.4]])


def means(row: Any) -> list[float]:
    """Return the mean score of utility and of protection."""
    return [(0.3 * row[0] + 0.1 * row[2]) / 0.4, (0.1 * row[1] + 0.5 * row[3]) / 0.6]


def drawn_map(caps: list[float], lacking: float = 0.0) -> Map:
    scale: Any = With(
        references=("noise", "copy"),
        table=np.array([[0.0, 1.0, 0.0, 1.0], [1.0, lacking, 1.0, 0.0]]),
        anchors=[With(score=lambda values: values)] * 4,
        scaled=None,
    )
    table: Any = With(replicas=("a", "b"), table=SCORES, criteria=CRITERIA)
    return Map(table, WEIGHTS, scale, np.array(caps))


def test_sides_are_weighted_means_of_what_counts() -> None:
    assert side_means(SCORES, CRITERIA, WEIGHTS) == pytest.approx(np.array([*map(means, SCORES)]))
    some = side_means(SCORES, CRITERIA, WEIGHTS, [0, 3])
    assert some == pytest.approx(SCORES[:, [0, 3]])
    alone = side_means(SCORES, CRITERIA, WEIGHTS, [0])
    assert alone[:, 0] == pytest.approx(SCORES[:, 0])
    assert np.isnan(alone[:, 1]).all()


def test_replicas_stand_before_references_and_no_safer_than_what_they_do_not_hand_out() -> None:
    places = drawn_map([1.0, 0.3]).places()
    assert places.index.tolist() == ["a", "b", "noise (reference)", "copy (reference)"]
    (a, own), (b, other) = map(means, SCORES)
    assert other > 0.3
    assert places["utility"].tolist() == pytest.approx([a, b, 0.0, 1.0])
    assert places["protection"].tolist() == pytest.approx([own, 0.3, 1.0, 0.0])
    assert places["front"].tolist() == [True, True, False, False]
    assert places["reference"].tolist() == [False, False, True, True]
    beaten = drawn_map([1.0, 0.05]).places()
    assert beaten["front"].tolist() == [True, False, False, False]
    without = drawn_map([1.0, 1.0], lacking=np.nan).places()
    assert without.loc["copy (reference)", ["utility", "protection"]].isna().all()


def test_intervals_are_of_places_drawn_again_but_for_a_protection_that_is_what_goes_out() -> None:
    draws = np.linspace(0.0, 0.2, 21)[:, None, None] * np.array([1.0, 0.0, 0.0, 0.5]) + SCORES * 0.5
    ends = drawn_map([1.0, 0.3]).interval_ends(draws)
    assert ends.shape == (2, 4)
    sides = np.array([[means(row) for row in table] for table in draws])
    low, high = np.quantile(sides, [0.025, 0.975], axis=0)
    assert ends[0] == pytest.approx([low[0, 0], high[0, 0], low[0, 1], high[0, 1]])
    assert ends[1, :2] == pytest.approx([low[1, 0], high[1, 0]])
    assert np.isnan(ends[1, 2:]).all()
    capped = drawn_map([0.1, 1.0]).interval_ends(draws)
    assert capped[0, 3] == pytest.approx(min(0.1, high[0, 1]))
