"""Labels are exchanged as often as a p needs, and every set of records is as likely."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from sdcmetrics.measures.excess.exchange import (
    FIRST_DRAWS,
    Family,
    Stopping,
    _exceedances,
    largest_p,
    stopping,
)
from sdcmetrics.measures.excess.left_out import drawn_labels


def test_every_set_of_records_is_as_likely() -> None:
    labels = drawn_labels(2, 5, 20_000, np.random.default_rng(1))
    assert (labels.sum(axis=0) == 2).all()
    counts = Counter(tuple(np.flatnonzero(column)) for column in labels.T)
    assert len(counts) == 10
    expected = 2_000
    assert sum((c - expected) ** 2 / expected for c in counts.values()) < 27.9  # chi2(9), .001


class Draws:
    """Normal statistics, and how many were asked for."""

    def __init__(self) -> None:
        self.rng, self.asked = np.random.default_rng(2), 0

    def __call__(self, draws: int) -> np.ndarray:
        self.asked += draws
        return self.rng.normal(size=(draws, 3)) * [1, 5, 0.1]


WHEN = stopping(0.005, 0.001)
ALL = np.ones(3, dtype=np.bool_)


def test_1999_draws_are_the_most_that_the_default_asks_for() -> None:
    assert Stopping(0.005, 1999, 999) == WHEN
    assert WHEN.lost == 10


def test_nothing_is_drawn_where_nothing_is_to_be_decided() -> None:
    draw = Draws()
    assert largest_p(np.zeros(3), draw, ~ALL, WHEN).tolist() == [1, 1, 1]
    assert draw.asked == 0


@pytest.mark.parametrize(("observed", "draws"), [([0, 0, 0], FIRST_DRAWS), ([9, 0, 0], 999)])
def test_draws_stop_when_nothing_can_change(observed: list[float], draws: int) -> None:
    draw = Draws()
    p = largest_p(np.array(observed, dtype=np.float64), draw, ALL, WHEN)
    assert draw.asked == draws
    assert (p[0] == 1 / (1 + draws)) == (observed[0] > 0)


def test_draws_go_on_while_a_question_is_near_its_level() -> None:
    draw = Draws()
    p = largest_p(np.array([3.25, 0, 0]), draw, ALL, WHEN)
    assert draw.asked > 999
    assert 0.0005 < p[0] < 0.01


def test_each_question_is_measured_by_its_own_spread() -> None:
    p = largest_p(np.array([2.0, 10.0, 0.2]), Draws(), ALL, Stopping(0.5, 999, 999))
    assert np.ptp(p) < 0.02
    assert p == pytest.approx(1 - 0.9772**3, abs=0.03)  # the largest of three


def test_a_draw_as_large_is_as_large_by_the_spread_of_what_is_observed_too() -> None:
    observed = np.array([2.0, 1.0])
    drawn = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    # by their spreads: 2.236 and 2.041 are observed; the draws have 2.236, 2.041, 1.118 and 0
    assert _exceedances(observed, drawn).tolist() == [1, 2]
    constant = np.array([[0.0, 3.0]])
    assert _exceedances(np.array([0.0, 3.0]), constant).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("when", "over", "steps"),
    [
        (Stopping(0.005, 4999, 2999), 9, [199, 796, 1000, 1000, 4, 1000, 1000]),
        (Stopping(0.005, 150, 150), 1, [150]),
        (Stopping(0.1, 4999, 2999), 3, [199, 796, 1000, 1000, 4, 1000, 1000]),
        (Stopping(0.005, 1999, 999), 10, [199]),  # lost at the tenth
        (Stopping(0.005, 1999, 999), 0, [199, 796, 4]),  # clear after 999
    ],
)
def test_how_many_are_drawn_at_a_time(when: Stopping, over: int, steps: list[int]) -> None:
    asked: list[int] = []

    def draw(draws: int) -> np.ndarray:
        out = np.linspace(-1, 1, draws)[:, None]
        if not asked:
            out[:over] = 9
        asked.append(draws)
        return out

    p = largest_p(np.array([5.0]), draw, np.array([True]), when)
    assert asked == steps
    assert p.tolist() == [(1 + over) / (1 + sum(steps))]


def test_a_question_that_decides_nothing_is_not_waited_for() -> None:
    def draw(draws: int) -> np.ndarray:
        asked.append(draws)
        return np.column_stack([np.full(draws, 9.0), np.zeros(draws)])

    asked: list[int] = []
    largest_p(np.array([5.0, 0.0]), draw, np.array([True, False]), WHEN)
    assert asked == [FIRST_DRAWS]


def test_what_stands_out_has_its_points_and_its_p() -> None:
    family = Family(np.array([3.0, 3.0, 2.9]), np.full(3, 2.0), np.array([0.005, 0.006, 0.001]))
    assert family.stands_out(1.0, 0.005).tolist() == [True, False, False]
