"""Limits of draws and of what looks like clusters, just at them and just beyond."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.homogeneity import monte_carlo
from sdcmetrics.measures.homogeneity.monte_carlo import passes_plain_draws
from sdcmetrics.measures.homogeneity.rows_together import are_even


class Draws:
    """Draws of which so many are as far as what is observed, all at the beginning."""

    def __init__(self, over: int, value: float) -> None:
        self.over, self.value, self.sizes = over, value, list[int]()

    def __call__(self, number: int) -> np.ndarray:
        start = sum(self.sizes)
        self.sizes.append(number)
        return np.where(np.arange(start, start + number) < self.over, self.value, 0.0)


@pytest.mark.parametrize("value", [2.0, 2.0 * (1 - 5e-10)])
@pytest.mark.parametrize(("over", "passes"), [(9, True), (10, False)])
def test_either_look_has_half_of_the_level(
    value: float, over: int, *, passes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # of 200 draws (1 + over) / 201 is at most 0.05 up to nine
    monkeypatch.setattr(monte_carlo, "_FIRST", 200)
    draws = Draws(over, value)
    assert passes_plain_draws(draws, 2.0, factor=1.0, chance=0.1) is passes
    assert sum(draws.sizes) == 200
    apart = Draws(200, 2.0 * (1 - 2e-9))
    assert passes_plain_draws(apart, 2.0, factor=1.0, chance=0.1)


def test_a_second_look_is_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monte_carlo, "_FIRST", 10)
    # first 40 draws, of which none may be as far; then 200, of which four may
    for over, passes in ((0, True), (1, True), (4, True), (5, False)):
        draws = Draws(over, 2.0)
        assert passes_plain_draws(draws, 2.0, factor=2.0, chance=0.1, batch=50) is passes
        assert max(draws.sizes) <= 50
        if passes:
            assert sum(draws.sizes) == (200 if over else 40)


@pytest.mark.parametrize(
    ("sizes", "even"),
    [
        ([1] * 9 + [6], True),  # mean and standard deviation are 1.5
        ([1] * 9 + [7], False),
        ([2] * 10, True),
        ([2] * 9, False),  # too few
        ([1] * 6 + [2] * 4, False),  # fewer than 1.5 each
        ([1] * 5 + [2] * 5, True),
    ],
)
def test_even_sizes_look_like_clusters(sizes: list[int], *, even: bool) -> None:
    assert are_even(np.array(sizes)) is even
