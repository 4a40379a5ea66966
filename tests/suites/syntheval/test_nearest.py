"""Adversarial accuracy in closed form, and shifts of counts and numbers, beside their draws."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.neighbours import Gower
from sdcmetrics.suites.syntheval.adversarial import adversarial_accuracy, strict_accuracy
from sdcmetrics.suites.syntheval.passes import PairDistances, Searches
from sdcmetrics.suites.syntheval.shifts import shift_of_counts, shift_of_numbers
from tests.measures.neighbours.points import matrix, points

RNG = np.random.default_rng(6)


@pytest.mark.parametrize(("n", "m"), [(30, 12), (12, 30), (15, 15)])
def test_accuracy_at_one_size_is_the_mean_over_samples(n: int, m: int) -> None:
    first, other = points(n), points(m)
    distance = Gower((2.0, 8.0))  # with ties
    first.numbers[1], other.numbers[1] = np.round(first.numbers[1]), np.round(other.numbers[1])
    exact = adversarial_accuracy(
        Searches({"original": first, "synthetic": other}, distance).compare("original", "synthetic")
    ).value
    size, drawn = min(n, m), []
    for _ in range(400):
        parts = [part.subset(RNG.permutation(part.n)[:size]) for part in (first, other)]
        within = [matrix(part, part, distance) + 9 * np.eye(size) for part in parts]
        across = matrix(*parts, distance)
        sides = [
            (across.min(axis=1), within[0].min(axis=1)),
            (across.min(axis=0), within[1].min(axis=1)),
        ]
        drawn.append(np.mean([np.mean((a > b) + 0.5 * (a == b)) for a, b in sides]))
        if n == m:
            break
    error = np.std(drawn) / np.sqrt(len(drawn))
    assert exact == pytest.approx(np.mean(drawn), abs=4 * error + 1e-12)


def test_a_copy_of_everybody_has_an_accuracy_of_0() -> None:
    one = points(40)
    made = Searches(
        {"original": one, "synthetic": one.subset(np.arange(40)[::-1])}, Gower((4.0, 5.0))
    )
    result = made.compare("original", "synthetic")
    assert adversarial_accuracy(result).value == strict_accuracy(result).value == 0.0


def test_p_of_counts_is_that_of_permuted_records() -> None:
    rng = np.random.default_rng(1)
    first, other = np.repeat([0, 1, 2], [30, 14, 6]), np.repeat([0, 1, 2], [12, 12, 6])
    pool, seen = np.concatenate([first, other]), 0

    def distance(records: np.ndarray) -> float:
        shares = [np.bincount(part, minlength=3) / len(part) for part in np.split(records, [50])]
        return float(np.abs(shares[0] - shares[1]).sum() / 2)

    for _ in range(2000):
        seen += distance(rng.permutation(pool)) >= distance(pool) - 1e-12
    result = shift_of_counts(np.array([30, 14, 6]), np.array([12, 12, 6]), rng, permutations=4000)
    assert result.statistic == pytest.approx(distance(pool))
    assert result.p == pytest.approx(seen / 2000, abs=0.04)


def test_p_of_fresh_numbers_with_ties_rejects_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    p = [
        shift_of_numbers(rng.poisson(1.0, 60) * 1.0, rng.poisson(1.0, 90) * 1.0, rng).p
        for _ in range(300)
    ]
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.085
    large = shift_of_numbers(rng.normal(size=3000), rng.normal(size=2000) + 0.3, rng)
    assert large.p <= 0.002


def test_an_own_record_as_near_as_the_other_is_no_further_one() -> None:
    none = np.empty((0, 2), np.int64)
    distances = [
        np.array(item) for item in ([1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [2.0, 5.0], [2.0, 4.0])
    ]
    result = strict_accuracy(
        PairDistances(*distances, first_larger=True, small_within=none, large_within=none)
    )
    assert result.first.tolist() == [0.0, 0.0, 1.0]
    assert result.second.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(("ordered", "statistic"), [(True, 0.6), (False, 0.7)])
def test_how_far_counts_moved_by_hand(ordered: bool, statistic: float) -> None:
    # shares are .3 more, .1 less, .4 more and .6 less: in order .3 .2 .6 0
    first, other = np.array([5, 1, 4, 0]), np.array([1, 1, 0, 3])
    given = np.array([[5, 1, 4, 0], [4, 1, 3, 2], [5, 1, 3, 1]])
    result = shift_of_counts(first, other, np.random.default_rng(1), ordered=ordered, drawn=given)
    assert result.statistic == pytest.approx(statistic)
    assert result.p == (1 + 1) / (1 + 3)


@pytest.mark.parametrize(
    ("name", "words"), [("holdout", "the holdout"), ("synthetic", "the synthetic data")]
)
def test_too_few_records_are_said_of_their_file(name: str, words: str) -> None:
    few = Searches({"original": points(9), name: points(0)}, Gower((4.0, 5.0)))
    with pytest.raises(NotComputable, match=f"^nearest records: {words} have too few records$"):
        few.nearest("original", name, 1)
