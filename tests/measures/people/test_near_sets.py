"""Sets of pairs and of people who are near, counted by hand."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from sdcmetrics.measures.people import near
from sdcmetrics.measures.people.near import (
    Arranged,
    Near,
    _drawn_duplicates,
    _drawn_p,
    _Duplicates,
    _duplicates,
    _label_sets,
    _sets,
    _test_duplicates,
    _test_label_sets,
    _wanted,
    largest_share,
)
from sdcmetrics.measures.people.tails import binomial_tails

Put = pytest.MonkeyPatch


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


def arranged(is_original: list[bool], m: int) -> Arranged:
    """Return people of the original and the holdout in an order, and m replica records."""
    n, pool = sum(is_original), len(is_original)
    people = np.empty(pool, np.int64)
    people[np.array(is_original)] = np.arange(n)
    people[~np.array(is_original)] = np.arange(n, pool)
    return Arranged(np.zeros((1, pool + m), np.int32), people, n, pool - n, 2 * (pool + m))


def test_sets_are_of_each_limit_and_of_those_far_from_others() -> None:
    closeness = np.array([0.0, 0.0, 0.0, 0.04, 0.05, 0.1, 0.4, 0.8, 0.81, 0.0])
    others = ints(*[1] * 3, *[9] * 7)
    result = [some.tolist() for some in _sets(closeness, others)]
    every = [[0, 1, 2, 9], [0, 1, 2, 3, 4, 9], [0, 1, 2, 3, 4, 5, 9], [0, 1, 2, 3, 4, 5, 6, 9]]
    every.append([*range(8), 9])
    rare = [[3, 4, 9], [3, 4, 5, 9], [3, 4, 5, 6, 9], [3, 4, 5, 6, 7, 9]]  # of two there is none
    assert result == every + rare
    assert _sets(np.array([0.0, 0.0]), ints(1, 1)) == []


def test_pairs_are_mutual_and_each_once() -> None:
    first = np.array([1, 0, 1, 4, 3])
    result = _duplicates(
        SimpleNamespace(  # type: ignore[arg-type]
            first=[first, first],
            distance=[ints(2, 2, 5, 0, 0), ints(2, 2, 5, 0, 0)],
            second=[ints(4, 9, 9, 0, 7), ints(4, 9, 9, 0, 7)],
        ),
        skip_equal=False,
    )
    assert result.first.tolist() == [0, 3, 0, 3]
    assert result.second.tolist() == [1, 4, 1, 4]
    assert result.sets == []  # fewer than three
    skipped = _duplicates(
        SimpleNamespace(first=[first], distance=[ints(2, 2, 5, 0, 0)], second=[ints(*[9] * 5)]),  # type: ignore[arg-type]
        skip_equal=True,
    )
    assert (skipped.first.tolist(), skipped.second.tolist()) == ([0], [1])
    none = _duplicates(
        SimpleNamespace(
            first=[np.array([1, 2, 0])], distance=[ints(1, 1, 1)], second=[ints(1, 1, 1)]
        ),  # type: ignore[arg-type]
        skip_equal=False,
    )
    assert (len(none.first), len(none.second), none.sets) == (0, 0, [])


def test_a_pair_is_as_tight_as_to_the_nearer_of_its_others() -> None:
    pairs = 4
    first = np.arange(2 * pairs) ^ 1
    distance = np.repeat([0, 1, 4, 8], 2).astype(np.int32)
    second = ints(10, 10, 10, 20, 20, 10, 0, 9)  # tight 0, 0.1, 0.4 and, as another is equal, 1
    given: Any = SimpleNamespace(first=[first] * 2, distance=[distance] * 2, second=[second] * 2)
    result = _duplicates(given, skip_equal=False)
    assert result.first.tolist() == [0, 2, 4, 6] * 2
    # at two limits, of all and of those far from others
    assert [some.tolist() for some in result.sets] == [[0, 1, 2]] * 4 + [[4, 5, 6]] * 4


def test_people_are_as_close_as_their_record_is_to_the_next_person() -> None:
    given: Any = SimpleNamespace(
        own=[ints(10, 10, 10, 0, 10)],
        replica=[ints(0, 4, 9, 0, 1)],
        person=[ints(2, 2, 0, 1)],
    )
    result = [some.tolist() for some in _label_sets(given)]
    assert result == [[0, 1, 4], [0, 1, 4], [0, 1, 4], [0, 1, 4], [0, 1, 2]]


def test_pairs_that_join_both_files_are_counted_in_the_set_of_the_smallest_p() -> None:
    # people 0 to 5, of whom 0, 1 and 4 are of the original; replica records 6 to 11
    given = arranged([True, True, False, False, True, False], 6)
    first, second = np.array([0, 1, 4, 2, 3, 8]), np.array([6, 7, 10, 9, 5, 11])
    sets = [np.array([0, 1, 2]), np.arange(6), np.array([3, 4, 5])]
    rng = np.random.default_rng(1)
    result = _test_duplicates(Near(), _Duplicates(first, second, sets), given, rng, None)
    chance = 3 / (2 * 6)
    assert largest_share(3, 3) == chance
    assert result.smallest_twins == pytest.approx(binom.sf(2, 3, chance))
    assert (result.joined, result.pairs, result.contradicts) == (3, 3, 0)
    assert result.p_twins == 1
    both = _test_duplicates(Near(), _Duplicates(first, second, sets[1:2]), given, rng, None)
    assert (both.joined, both.pairs, both.contradicts) == (3, 6, 1)
    high = _test_duplicates(Near(), _Duplicates(first, second, sets), given, rng, 1e-9)
    assert high.p_twins == pytest.approx(3 * result.smallest_twins)
    level = 2 * result.smallest_twins
    drawn = _test_duplicates(Near(), _Duplicates(first, second, sets), given, rng, level)
    assert result.smallest_twins < drawn.p_twins < 3.5 * result.smallest_twins


def test_marked_people_are_counted_in_the_set_of_the_smallest_p() -> None:
    of_original = np.array([True] * 6 + [False] * 6)
    sets = [np.array([0, 1, 2, 6]), np.arange(5), np.array([6, 7])]
    rng = np.random.default_rng(1)
    result = _test_label_sets(Near(), sets, of_original, rng, None, None)
    assert result.smallest_label == pytest.approx(hypergeom.sf(4, 12, 6, 5))
    assert (result.marked_original, result.marked_holdout) == (5, 0)
    assert result.p_label == 1
    above = _test_label_sets(Near(), sets, of_original, rng, result.smallest_label / 2, None)
    assert above.p_label == pytest.approx(3 * result.smallest_label)
    drawn = _test_label_sets(Near(), sets, of_original, rng, 2 * result.smallest_label, None)
    exact = 0
    for chosen in itertools.combinations(range(12), 6):
        hits = [len({*chosen} & {*some.tolist()}) for some in sets]
        p = [hypergeom.sf(k - 1, 12, 6, len(some)) for k, some in zip(hits, sets, strict=True)]
        exact += min(p) <= result.smallest_label * (1 + 1e-9)
    assert drawn.p_label == pytest.approx(exact / 924, rel=0.4)


def test_pairs_join_by_chance_as_often_as_they_can_at_most(monkeypatch: Put) -> None:
    pairs = _Duplicates(np.array([0, 1]), np.array([2, 1 + 2]), [])
    monkeypatch.setattr(near, "_AT_ONCE", 40_000)
    given = arranged([True] * 3 + [False], 4)
    draws = _drawn_duplicates(pairs, given, np.random.default_rng(1), 8_000)
    one = next(draws)
    assert one.shape == (8_000, 2)
    assert one.mean(axis=0) == pytest.approx([3 / 8] * 2, abs=0.02)
    assert np.corrcoef(one.T)[0, 1] == pytest.approx(0, abs=0.04)
    monkeypatch.setattr(near, "_AT_ONCE", 1)
    assert next(_drawn_duplicates(pairs, given, np.random.default_rng(1), 9)).shape == (1, 2)


def test_draws_end_when_there_are_enough_or_p_must_exceed_the_level(monkeypatch: Put) -> None:
    monkeypatch.setattr(near, "DRAWS", 99)
    assert _wanted(0.5) == 99
    assert _wanted(0.1) == 200  # so that twenty draws are below a level
    sets = [np.array([0, 1])]
    tails = [binomial_tails(2, 0.5)]
    none, both = np.zeros((30, 2), bool), np.ones((30, 2), bool)

    def p(smallest: float, level: float, *draws: Any) -> tuple[float, int]:
        left = iter(draws)
        return _drawn_p(smallest, left, sets, tails, level), len([*left])

    assert p(0.25, 0.5, *[none] * 9) == (1 / 100, 9 - 4)
    assert p(0.25, 0.5, none, both, both, both) == ((1 + 60) / 91, 1)  # above 50 of 100
    assert p(0.25, 0.5, none, none, both, both) == ((1 + 39) / 100, 0)
    assert p(0.25, 0.1, both, none) == (1.0, 1)
    monkeypatch.setattr(near, "_MOST_STEPS", 197)
    assert p(0.25, 0.5, both) == (0.25, 0)
    monkeypatch.setattr(near, "_MOST_STEPS", 198)
    assert p(0.25, 0.5, *[none] * 9)[0] == 1 / 100
