"""What households say in closed form, beside sums over all ways to exchange them."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from sdcmetrics.measures.survey.households import Households

# two alone and two couples and a three of the first side; one alone, two couples, a three of other
NUMBER = np.array([3, 5, 5, 8, 1, 1, 1, 0, 9, 9, 2, 2, 4, 4, 7, 7, 7, 3 + 9])
HOMES = Households(np.append(NUMBER[:8], NUMBER[8:]), 8)


def sums(scores: np.ndarray) -> np.ndarray:
    """Return the first side's sum in every way to exchange households of one size."""
    per_size = []
    for rows, first in HOMES.by_size:
        each = scores[rows].sum(axis=1)
        per_size.append([each[list(some)].sum() for some in combinations(range(len(each)), first)])
    return np.array([sum(parts) for parts in product(*per_size)])


def test_households_by_size_are_those_that_the_numbers_say() -> None:
    result = {rows.shape[1]: (rows, first) for rows, first in HOMES.by_size}
    assert {size: (len(rows), first) for size, (rows, first) in result.items()} == {
        1: (4, 3), 2: (4, 1), 3: (2, 1),
    }  # fmt: skip
    for rows, _ in result.values():
        assert all(len(set(HOMES.number[row])) == 1 for row in rows)
    assert sorted(np.concatenate([rows.ravel() for rows, _ in result.values()])) == list(range(18))
    assert HOMES.exchangeable
    assert not Households(np.array([0, 0, 1, 2]), 2).exchangeable
    assert HOMES.total == 18


def test_moments_are_those_over_all_exchanges() -> None:
    scores = np.random.default_rng(1).normal(size=18)
    every = sums(scores)
    mean, variance, changing = HOMES.moments(scores)
    assert mean == pytest.approx(every.mean())
    assert variance == pytest.approx(every.var())
    assert changing == 5  # of either side: 3 + 1 + 1 of the first, 1 + 3 + 1 of the other
    mean, variance, changing = Households(np.array([0, 0, 1, 2]), 2).moments(scores[:4])
    assert (mean, variance, changing) == (scores[:2].sum(), 0.0, 0)
    # three of four: sums of 6, 9, 10 and 11; one changes sides whichever it is
    for side, moments in ((3, (9, 3.5, 1)), (1, (3, 3.5, 1))):
        result = Households(np.arange(4), side).moments(np.array([1.0, 2, 3, 6]))
        assert result == pytest.approx(moments)
    # couples of one side only stay there
    result = Households(np.array([0, 1, 2, 3, 4, 4, 5, 5]), 3).moments(
        np.array([1.0, 2, 3, 6, 9, 9, 8, 9])
    )
    assert result == pytest.approx((9, 3.5, 1))


@pytest.mark.parametrize("many", [1_000, 0])
def test_drawn_sums_are_among_all_and_as_often(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdcmetrics.measures.survey.households._MANY", many)
    monkeypatch.setattr("sdcmetrics.measures.survey.households._AT_ONCE", 900)
    scores = np.array([1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 3, 5, 9, 17, 33, 65, 129, 257])
    every = sums(scores)
    drawn = HOMES.sums(scores, 4_000, np.random.default_rng(2))
    assert set(drawn) == set(every)
    assert drawn.mean() == pytest.approx(every.mean(), rel=0.02)
    assert drawn.std() == pytest.approx(every.std(), rel=0.05)


@pytest.mark.parametrize("unit", [1.0, 2.0**-10, 2.0**100])
def test_the_design_effect_is_the_variance_of_sums_of_households(unit: float) -> None:
    scores = np.array([1.0, 3, 3, 0, 5, 5, 5, 2, 1, 1, 0, 0, 4, 4, 2, 2, 2, 3]) * unit
    off = scores - np.repeat([scores[:8].mean(), scores[8:].mean()], [8, 10])
    by_home = [off[HOMES.number == home].sum() for home in set(HOMES.number)]
    expected = np.square(by_home).sum() / np.square(off).sum()
    assert HOMES.design_effect(scores) == pytest.approx(expected)
    assert (
        HOMES.design_effect(np.full(18, unit))
        == HOMES.design_effect(np.full(18, 0.3 * unit))
        == 1.0
    )
    assert Households(np.arange(18), 8).design_effect(scores) == pytest.approx(1.0)
    for n in (0, 18):
        assert Households(HOMES.number, n).design_effect(scores) == 1.0


def test_some_records_keep_their_households_and_their_side() -> None:
    part = HOMES.subset(np.arange(18) % 3 != 0)
    rows = [i for i in range(18) if i % 3]
    assert part.number.tolist() == HOMES.number[rows].tolist()
    assert part.n == sum(i < 8 for i in rows)
    assert HOMES.subset(np.array([7, 8, 2])).n == 2


def test_households_are_drawn_with_replacement_and_whole() -> None:
    rng = np.random.default_rng(3)
    totals = np.zeros(18)
    for _ in range(600):
        first, other = HOMES.resampled(rng)
        assert len(first) == 8
        assert len(other) == 10
        times = np.append(first, other)
        for home in set(HOMES.number):
            assert len(set(times[HOMES.number == home])) == 1
        sides = HOMES.number[:8], HOMES.number[8:]
        for side, of_side in zip(sides, (first, other), strict=True):
            each = [of_side[side == home][0] for home in set(side)]
            assert sum(each) == len(each)
        totals += times
    np.testing.assert_allclose(totals / 600, 1, atol=0.15)
