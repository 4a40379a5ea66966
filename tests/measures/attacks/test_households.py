"""Attacks where it is told who lives together: whole households are exchanged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import DataError
from sdcmetrics.measures.attacks.belonging import belonging
from sdcmetrics.measures.attacks.epsilon import EpsilonBound, bound_epsilon
from sdcmetrics.measures.attacks.membership import rank_test
from sdcmetrics.measures.attacks.people import labels_drawn, people, permuted_p
from sdcmetrics.measures.survey.households import Households
from tests.measures.attacks.populations import drawn

NUMBER = np.array([1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 6, 6])
HOMES = Households(NUMBER, 6)  # of two, three and one, on either side


def exchanges() -> Iterator[np.ndarray]:
    """Yield who is of the original, in every way to exchange homes of one size."""
    homes = [np.flatnonzero(number == NUMBER) for number in range(1, 7)]
    by_size = [[homes[0], homes[3]], [homes[1], homes[5]], [homes[2], homes[4]]]
    for chosen in product(*by_size):
        label = np.zeros(12, dtype=bool)
        label[np.concatenate(chosen)] = True
        yield label


def test_labels_are_those_of_whole_households() -> None:
    labels = list(labels_drawn(12, 6, 80, seed=1, households=HOMES))
    assert {tuple(label) for label in labels} == {tuple(label) for label in exchanges()}


@pytest.mark.parametrize("seed", range(4))
def test_p_of_successes_and_of_ranks_is_that_of_all_exchanges(seed: int) -> None:
    scores = np.random.default_rng(seed).integers(0, 4, 12) / 4
    sums = np.array([scores[label].sum() for label in exchanges()])
    exact = (sums >= scores[:6].sum() - 1e-9).mean()
    assert permuted_p(scores, 6, 4_999, 1, HOMES) == pytest.approx(exact, abs=0.03)
    auc, p = rank_test(scores, 6, 1, HOMES)
    wins = np.subtract.outer(scores[:6], scores[6:])
    assert auc == pytest.approx(((wins > 0) + (wins == 0) / 2).mean())
    ranks = np.array([(scores < x).sum() + ((scores == x).sum() + 1) / 2 for x in scores])
    sums = np.array([ranks[label].sum() for label in exchanges()])
    assert p == pytest.approx((sums >= ranks[:6].sum()).mean(), abs=0.03)


def test_ranks_of_many_households_have_the_normal_law_of_their_exchanges() -> None:
    rng = np.random.default_rng(2)
    homes = Households(np.repeat(np.arange(60), 2), 60)
    scores = np.repeat(rng.normal(size=60), 2) + np.where(np.arange(120) < 60, 0.9, 0)
    drawn_p = permuted_p(scores.argsort().argsort().astype(float), 60, 9_999, 3, homes)
    _, p = rank_test(scores, 60, 1, homes)
    assert p == pytest.approx(drawn_p, abs=0.02)
    _, single = rank_test(scores, 60, 1)
    assert single < p  # people who live together say less
    assert rank_test(np.zeros(120), 60, 1, homes) == (0.5, 1.0)


def exact(replica: list[int], homes: np.ndarray) -> Any:
    frames = [pd.DataFrame({"x": values}) for values in (range(6), replica, range(6, 12))]
    return sdc.exact_matches(*frames, household=Households(homes, 6))


def test_matches_are_of_households_families_and_persons() -> None:
    result = exact([0, 1, 2, 3, 5, 6, 8, 99], NUMBER)  # all of 1, two of 2, 3, one of 4, 5
    assert result.figures["matched"] == (5, 2)
    assert result.figures["households"] == (3, 2)
    assert result.figures["families"] == (1, 0)  # 3 and 5 are one person each
    assert result.figures["persons"] == (2, 0)
    assert result.figures["p_families"] == pytest.approx(1 / 2, abs=0.03)
    assert result.seed == 1  # p is drawn
    marked = np.isin(np.arange(12), [0, 1, 2, 3, 5, 6, 8])
    as_many = [marked[label].sum() >= 5 for label in exchanges()]
    assert result.p_value == pytest.approx(np.mean(as_many), abs=0.03)
    none = exact([99], NUMBER)
    assert (none.figures["families"], none.p_value, none.figures["p_families"]) == ((0, 0), 1, 1)
    alone = exact([0, 1, 6], np.arange(12))
    assert alone.figures["families"] == (0, 0)
    assert alone.figures["households"] == (2, 1)


def homes_of(size: int, *, start: int = 0) -> np.ndarray:
    return start + np.arange(size) // 2


ATTACKS: dict[str, Callable[..., sdc.AttackResult]] = {
    "membership": sdc.membership,
    "matches": sdc.exact_matches,
    "singling out": partial(sdc.singling_out, columns=2, permutations=199),
    "linkability": partial(
        sdc.linkability, keys=["age", "region"], other_keys=["income", "job"], permutations=199
    ),
    "nearest": partial(sdc.attribute_inference, target="job", learner="nearest", permutations=199),
    "forest": partial(sdc.attribute_inference, target="job", learner="forest", seeds=1),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_of_people_who_live_alone_an_attack_is_the_same_and_of_one_house_p_says_nothing(
    name: str,
) -> None:
    rng = np.random.default_rng(5)
    files = [drawn(rng, n).iloc[np.repeat(np.arange(n), 2)] for n in (20, 20)]
    original, holdout = (file.reset_index(drop=True) for file in files)
    for frame in (original, holdout):
        frame["age"] += np.arange(40) * 0.01  # nobody is like anybody
    replica = pd.concat([original.iloc[:16], drawn(rng, 24)], ignore_index=True)
    attack = ATTACKS[name]
    plain = attack(original, replica, holdout)
    alone = attack(original, replica, holdout, household=Households(np.arange(80), 40))
    couples = attack(original, replica, holdout, household=Households(homes_of(80), 40))
    house = attack(original, replica, holdout, household=Households(np.arange(80) // 40, 40))
    for result in (alone, couples, house):
        assert result.training == plain.training
        assert result.control == plain.control
        assert result.per_record.tolist() == pytest.approx(plain.per_record, nan_ok=True)
    if not math.isnan(plain.p_value):
        assert alone.p_value == pytest.approx(plain.p_value, abs=0.04)
        assert house.p_value > 0.4  # one of two, or both
    if not math.isnan(plain.interval[0]):
        assert alone.interval == pytest.approx(plain.interval)
        assert couples.interval[0] <= plain.interval[0] + 1e-12


def test_what_is_of_single_persons_is_not_asked_of_households() -> None:
    rng = np.random.default_rng(6)
    original, replica, holdout = (drawn(rng, n) for n in (40, 40, 40))
    data = people(original, replica, holdout, household=Households(homes_of(80), 40))
    assert belonging(data, seed=1) is None
    with pytest.raises(DataError, match="divided by households, or by persons of several records"):
        bound_epsilon(data, seed=1)
    single = people(original, replica, holdout)
    assert belonging(single, seed=1) is not None
    assert bound_epsilon(single, seed=1).epsilon >= 0


@pytest.mark.parametrize(("delta", "shown"), [(0.0002, True), (0.00025, False), (0.1, False)])
def test_a_large_delta_leaves_no_level(delta: float, *, shown: bool) -> None:
    guesses = pd.DataFrame({"guesses": [10, 30], "right": [10, 30]})
    bound = EpsilonBound(1.0, 2.0, guesses, n_training=60, n_control=40, seed=1)
    value, largest = bound.at_delta(delta)  # 0.05 is left of twice delta times 100
    assert (value > 0, largest > 0) == (shown, shown)
    assert bound.at_delta(0.0)[0] >= value
