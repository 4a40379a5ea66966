"""A lower bound of epsilon: what a copy proves, and that it proves too much of nobody."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from sdcmetrics import epsilon_of_release
from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.attacks.epsilon import bound_by, odds_bound
from tests.measures.attacks.populations import three


def tail(right: int, guesses: int, n: int, total: int, odds: float) -> float:
    """Return the chance of as many right guesses, by counting all of them."""
    weights = {
        v: math.comb(n, v) * math.comb(total - n, guesses - v) * math.exp(odds * v)
        for v in range(max(0, guesses - total + n), min(n, guesses) + 1)
    }
    return sum(w for v, w in weights.items() if v >= right) / sum(weights.values())


def test_the_bound_is_where_fishers_noncentral_law_has_the_level() -> None:
    for right, guesses, (n, total) in product((9, 10), (10,), ((20, 40), (30, 50))):
        bound = odds_bound(right, guesses, n, total, 0.0125)
        if not bound:
            assert tail(right, guesses, n, total, 0.0) > 0.0125
            continue
        assert tail(right, guesses, n, total, bound) == pytest.approx(0.0125)
    assert odds_bound(6, 10, 20, 40, 0.0125) == 0


def test_more_right_guesses_prove_more() -> None:
    bounds = [odds_bound(v, 30, 100, 200, 0.0125) for v in range(15, 31)]
    assert bounds == sorted(bounds)


def test_a_copy_is_bounded_from_below_and_other_people_are_not() -> None:
    original, holdout, replica = three(1, n=300, h=300, m=300)
    copy = epsilon_of_release(original, original, holdout, random_holdout=True)
    assert copy.epsilon > 5
    assert copy.epsilon <= copy.largest
    assert copy.contradicts(1.0)
    assert not copy.contradicts(copy.at_delta(0.0)[0])  # no less than the bound
    assert not copy.contradicts((copy.epsilon + copy.largest) / 2)
    assert epsilon_of_release(original, replica, holdout, random_holdout=True).epsilon == 0


def test_without_a_random_holdout_there_is_no_number() -> None:
    original, holdout, replica = three(1)
    with pytest.raises(StudyError, match="divided at random before"):
        epsilon_of_release(original, replica, holdout, random_holdout=False)


def test_too_few_people_are_refused() -> None:
    original, holdout, replica = three(1, n=10, h=5)
    with pytest.raises(DataError, match="at least 20"):
        epsilon_of_release(original, replica, holdout, random_holdout=True)


def test_one_person_on_either_side_is_enough_for_a_bound_and_none_is_not() -> None:
    scores = np.arange(20.0)
    assert bound_by(scores, 1, seed=1).epsilon == bound_by(scores, 19, seed=1).epsilon == 0
    for n in (0, 20):
        with pytest.raises(DataError, match=f"got {n} and {20 - n}"):
            bound_by(scores, n, seed=1)


def test_ties_are_broken_without_the_labels() -> None:
    bounds = [bound_by(np.zeros(600), 300, seed=seed).epsilon for seed in range(60)]
    assert sum(bound > 0 for bound in bounds) <= 8  # Binomial(60, .05) beyond it: 1 in 1,000


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_each_membership_told_with_epsilon_is_bounded_below_it(epsilon: float) -> None:
    rng = np.random.default_rng(1)
    bounds = []
    for _ in range(100):
        member = np.repeat([True, False], 300)
        # Exchanging one pair changes two answers, so each is told with half of epsilon.
        truth = rng.random(600) < 1 / (1 + math.exp(-epsilon / 2))
        bounds.append(bound_by(np.where(truth, member, ~member).astype(float), 300, seed=3).epsilon)
    assert sum(bound > epsilon for bound in bounds) <= 11  # Binomial(100, .05): 1 in 200
    assert np.median(bounds) > 0.1 * epsilon
