"""Limits of draws and of what looks like clusters, just at them and just beyond."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics.measures.homogeneity import homogeneity, judging, monte_carlo, rows_together
from sdcmetrics.measures.homogeneity.monte_carlo import passes_plain_draws
from sdcmetrics.measures.homogeneity.rows_together import are_even
from sdcmetrics.measures.records import records_of
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise


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
            assert draws.sizes[:2] == [10, 50 if over else 30]


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


@pytest.mark.parametrize(("broken", "constant"), [(2, True), (3, False)])
def test_a_column_is_constant_in_nine_of_ten_groups_of_several(
    broken: int, *, constant: bool
) -> None:
    numbers = np.append(np.repeat(np.arange(20), 3), np.arange(20, 26))  # and six of one record
    levels = np.append(np.repeat(np.arange(20) % 7, 3), np.arange(6))
    levels[: 3 * broken : 3] = 7
    sizes = np.bincount(numbers)
    assert rows_together._constant(levels, numbers)[sizes > 1].mean() == 1 - broken / 20
    assert rows_together._constant_within(levels, numbers, sizes) is constant
    assert not rows_together._constant_within(np.zeros_like(numbers), numbers, sizes)


@pytest.mark.parametrize(
    ("s_p_mse", "p", "w", "beyond"),
    [
        (3.1, 0.01, 0.11, True),
        (3.0, 0.01, 0.11, False),
        (3.1, 0.0101, 0.11, False),
        (3.1, 0.01, 0.1, False),
        (np.nan, 0.01, 0.11, True),  # a table that has none is judged by the others
    ],
)
def test_a_table_differs_beyond_all_three_limits(
    s_p_mse: float, p: float, w: float, *, beyond: bool
) -> None:
    of: Any = SimpleNamespace(s_p_mse=np.array([s_p_mse]), w=np.array([w]))
    limits: Any = SimpleNamespace(review=3.0, chance=0.01, size_review=0.1)
    assert judging._beyond(of, np.array([p]), limits).tolist() == [beyond]


@pytest.mark.parametrize(
    ("values", "status", "looks"),
    [
        ([1, 1, 2, 2, 3, 4, 5, 6], "review", 1),  # half of them repeat
        ([1, 1, 2, 2, 2, 4, 5, 6], "review", 2),
        ([1, 1, 2, 2, 2, 4, 5, 6], "fail", 2),
        ([1, 1, 2, 2, 2, 4, 5, 6], "within", 1),
    ],
)
def test_equal_records_are_one_draw_where_most_of_a_synthesis_repeats(
    values: list[int], status: str, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def family(records: Any) -> Any:
        seen.append(records.cluster)

    result = SimpleNamespace(status=status, repeats=True)
    monkeypatch.setattr(homogeneity, "judge", lambda *_, **__: result)
    original, replica = pd.DataFrame({"x": range(5)}), pd.DataFrame({"x": values})
    records = records_of(harmonise(as_microdata(original, "o"), [as_microdata(replica, "r")]))
    limits: Any = None
    homogeneity.judged(family, records, limits, seed=1, number=1)
    assert len(seen) == looks
    if looks > 1:
        of_replica = seen[1].replica
        assert [bool(a == b) for a, b in itertools.pairwise(of_replica)] == [
            a == b for a, b in itertools.pairwise(values)
        ]
        assert len(set(seen[1].original)) == 5


@pytest.mark.parametrize(
    ("sizes", "long"),
    [
        ([8, 8, 8], True),
        ([8, 8], False),
        ([8, 8, 7], False),
        ([1, 1, 1, 1, 36], False),  # a mean of 8 and a deviation of 14
        ([4, 4, 16], True),
    ],
)
def test_series_are_three_or_more_of_eight_records_each(sizes: list[int], *, long: bool) -> None:
    assert rows_together._are_long(np.array(sizes)) is long


def test_groups_are_alike_where_their_ranks_differ_beyond_chance() -> None:
    rng = np.random.default_rng(6)
    answers = []
    for i in range(40):
        numbers = np.append(np.arange(12), rng.integers(0, 12, 40))
        levels = (rng.normal(size=52) + i / 15 * (numbers % 4)).round().astype(int)
        levels -= levels.min()
        ranks = stats.rankdata(levels)
        p = stats.f_oneway(*(ranks[numbers == k] for k in range(12))).pvalue
        answers.append(rows_together._alike_within(levels, numbers))
        assert answers[-1] is bool(p <= 1e-4)
    assert 5 < sum(answers) < 35
    assert rows_together._alike_within(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    assert not rows_together._alike_within(np.zeros(4, np.int64), np.array([0, 0, 1, 1]))
    assert rows_together._alike_within(np.arange(4), np.array([1, 0, 2, 3]))


@pytest.mark.parametrize(("once", "series"), [(89, False), (90, True)])
def test_rows_of_different_times_are_asked_of_groups_of_several(once: int, *, series: bool) -> None:
    times = np.tile(np.arange(4), 100)
    times[np.arange(once, 100) * 4] = 1  # which has a second row of that time
    numbers = np.append(np.repeat(np.arange(100), 4), np.arange(100, 110))  # ten have one row
    assert rows_together._once_within(np.append(times, np.zeros(10, np.int64)), numbers) is series
    shuffled = np.random.default_rng(1).permutation(numbers)
    assert not rows_together._once_within(np.append(times, np.zeros(10, np.int64)), shuffled)
