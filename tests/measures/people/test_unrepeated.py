"""Equal records of a replica that repeats nothing, as where its repeats were dropped."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, hypergeom

from sdcmetrics.measures.people import people_of_files, whose_records
from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.equal import bundles_of, column_keys, refutes, sum_keys
from sdcmetrics.measures.people.searches import Searches
from sdcmetrics.measures.people.unrepeated import (
    NearPairs,
    Pairs,
    dropped_p,
    expected_share,
    fewest_copies,
    nearly_equal,
    pairs_of,
    repeats_less,
    without_repeats,
)
from tests.measures.people.drawn import mixed, records


def persons(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw people of three columns, of whom a few hundred repeat none to two."""
    z = rng.normal(size=n)
    age = np.clip(np.round(45 + 15 * z), 16, 95).astype(int)
    income = np.round(np.exp(8 + 0.4 * z + 0.5 * rng.normal(size=n)), -1)
    return pd.DataFrame({"age": age, "income": income, "sex": rng.choice(["m", "f"], n)})


def searches(
    original: pd.DataFrame, replica: pd.DataFrame, holdout: pd.DataFrame | None = None
) -> Searches:
    given = records(original, replica, holdout)
    files, rng = files_of(given, given.names), np.random.default_rng(2)
    return Searches(files, column_keys(files, rng), (), rng)


@pytest.mark.parametrize("aside", [0, 25])
def test_pairs_are_those_of_a_slow_count(aside: int) -> None:
    rng = np.random.default_rng(1)
    original, replica, holdout = (
        pd.DataFrame(rng.integers(0, 4, (n, 3)), columns=list("abc")) for n in (30, 40, aside)
    )
    given = records(original, replica, holdout if aside else None)
    files = files_of(given, given.names)
    columns = column_keys(files, rng)
    values = np.array([part.values for part in files.parts]).T
    counts = np.zeros((2, 2), int)
    for i, j in itertools.combinations(range(len(values)), 2):
        differ = int((values[i] != values[j]).sum())
        if differ < 2 and i < files.pool:
            across = i < files.n and j >= files.pool
            counts[differ, int(not across)] += 1
    equal = pairs_of(bundles_of(sum_keys(columns), files.n, files.h))
    assert [*equal] == counts[0].tolist()
    assert [*nearly_equal(columns, files.n, files.h)[:2]] == counts[1].tolist()


def test_as_many_equal_pairs_are_expected_as_go_with_those_that_differ_in_a_column() -> None:
    rng, counts = np.random.default_rng(2), []
    for _ in range(30):
        sides = [rng.integers(0, 6, (100, 4)) for _ in range(2)]  # a chance of 1 in 1296 a pair
        given = records(*(pd.DataFrame(side, columns=list("abcd")) for side in sides))
        columns = column_keys(files_of(given, given.names), rng)
        near = nearly_equal(columns, 100, 0)
        counts.append((near.equal, pairs_of(bundles_of(sum_keys(columns), 100, 0)).across))
    estimate, equal = np.mean(counts, axis=0)
    assert equal <= estimate <= 2 * equal  # the largest of four


@pytest.mark.parametrize(("differ", "equal"), [(4, 0.0), (5, 5 * (3 / 8) / (5 / 8))])
def test_of_columns_in_which_fewer_than_five_differ_nothing_is_expected(
    differ: int, equal: float
) -> None:
    original = pd.DataFrame({"a": np.arange(8), "b": 0, "c": np.arange(8)})
    given = records(original, original.assign(b=np.repeat([1, 0], [differ, 8 - differ])))
    columns = column_keys(files_of(given, given.names), np.random.default_rng(1))
    near = nearly_equal(columns, 8, 0)
    assert near.across == differ
    assert near.equal == pytest.approx(equal)


def test_equal_pairs_are_across_as_those_that_differ_in_a_column() -> None:
    p = dropped_p(Pairs(20, 1), NearPairs(300, 30, 9.0), 0.5)
    assert p == pytest.approx(hypergeom.sf(19, 351, 320, 21))
    p = dropped_p(Pairs(21, 1), NearPairs(60, 9, 6.0), 0.5)  # 21 of 3 (6 + 1)
    assert p == pytest.approx(hypergeom.sf(20, 91, 81, 22))


def test_where_fewer_equal_ones_are_expected_they_are_copies_or_a_list() -> None:
    assert dropped_p(Pairs(22, 0), NearPairs(60, 9, 6.0), 0.5) == 0
    p = dropped_p(Pairs(22, 1), NearPairs(60, 9, 6.0), 0.9)
    assert p == pytest.approx(binom.sf(21, 23, 0.9))


@pytest.mark.parametrize(("n", "h", "m"), [(100, 0, 100), (200, 50, 300), (100, 100, 1000)])
def test_the_share_is_that_of_records_of_one_law(n: int, h: int, m: int) -> None:
    pairs = n * m + (n + h) ** 2 / 2 + h * m
    assert expected_share(n, h, m) == pytest.approx(n * m / pairs)


def test_as_few_copies_are_told_as_are_not_chance() -> None:
    equal, near = Pairs(3, 1), NearPairs(400, 200, 40.0)
    more = NearPairs(400 + 63, 200, 40 * 463 / 400)  # of a file with more, by three roots and one
    fewest = fewest_copies(equal, near, 0.6, 0.004)
    assert dropped_p(Pairs(fewest, 1), more, 0.6) <= 0.004
    assert dropped_p(Pairs(fewest - 1, 1), more, 0.6) > 0.004
    # of 9 and 12 with 2 and 2 2/3 expected, more than 3 (4 2/3 + 1) are no chance
    assert fewest_copies(Pairs(0, 0), NearPairs(9, 4, 2.0), 0.6, 1e-9) == 18
    assert fewest_copies(Pairs(0, 0), NearPairs(0, 0, 0.0), 0.6, 1e-9) == 4


@pytest.mark.parametrize(
    ("equal", "near", "share"),
    [
        (Pairs(0, 1), NearPairs(60, 60, 8.0), 0.857),  # beside near pairs 16 are, by one law 50
        (Pairs(0, 2), NearPairs(60, 90, 4.0), 0.667),
        (Pairs(0, 0), NearPairs(120, 40, 9.0), 0.667),
    ],
)
def test_of_more_copies_than_are_told_each_number_is(
    equal: Pairs, near: NearPairs, share: float
) -> None:
    factor = 1 + 3 * (near.across**0.5 + 1) / near.across
    more = NearPairs(math.ceil(near.across * factor), near.others, near.equal * factor)
    fewest = fewest_copies(equal, near, share, 0.004)
    p = [dropped_p(Pairs(copies, equal.others), more, share) for copies in range(fewest, 300)]
    assert max(p) <= 0.004


def test_each_of_several_files_repeats_nothing() -> None:
    keys = np.array([1, 1, 5, 6, 7, 5, 8], np.uint64)
    assert without_repeats(keys, 2, (3, 2))
    assert not without_repeats(keys, 2, (4, 1))
    assert not without_repeats(keys, 2)
    assert without_repeats(keys[:5], 2)


@pytest.mark.parametrize("aside", [0, 20])
@pytest.mark.parametrize("times", [1, 3, 10])
def test_others_without_repeats_are_not_accused(times: int, aside: int) -> None:
    rng = np.random.default_rng(3)
    for n in (300, 400, 500):
        original, holdout = persons(rng, n), persons(rng, aside) if aside else None
        replica = mixed(persons(rng, times * n).drop_duplicates())
        out = whose_records(records(original, replica, holdout))
        assert not out.accused
    files = [records(original, mixed(persons(rng, 2000).drop_duplicates())) for _ in range(2)]
    assert not people_of_files(files).accused


def test_pairs_decide_where_repeats_may_have_been_dropped() -> None:
    rng = np.random.default_rng(4)
    original = persons(rng, 400).drop_duplicates()
    fresh = searches(original, persons(rng, 4000).drop_duplicates())
    assert fresh.equal.p_twins < 1e-4
    assert fresh.p_pairs > 0.05
    assert fresh.lacks_pairs
    assert not fresh.distinct
    repeated = searches(original, persons(rng, 4000))
    assert not repeated.unrepeated
    assert repeated.p_pairs == repeated.equal.p_twins
    assert repeated.fewest_copies(0.005) == 0
    files = [persons(rng, 400).drop_duplicates()] * 2
    for times, told in ((3, True), (4, False)):  # it could as well have had none
        again = searches(original, pd.concat([files[0], files[1][:times]]))
        assert (again.fewest_copies(0.005) > 0) is told


def test_copies_of_people_whose_values_are_their_own_are_seen_as_before() -> None:
    rng = np.random.default_rng(5)
    original, fresh = (pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc")) for _ in "12")
    copied = searches(original, pd.concat([original[:12], fresh]))
    assert copied.unrepeated
    assert copied.p_pairs == copied.equal.p_twins < 1e-3
    assert not copied.lacks_pairs
    assert searches(original, fresh).fewest_copies(0.005) == 4


@pytest.mark.parametrize("aside", [0, 100])
def test_so_many_copies_as_are_said_are_noticed(aside: int) -> None:
    rng, calls = np.random.default_rng(6), 0
    original = persons(rng, 400).drop_duplicates()
    holdout = persons(rng, aside) if aside else None
    number = None
    while number is None:
        quiet = whose_records(records(original, persons(rng, 1200).drop_duplicates(), holdout))
        number = quiet.noticed
    for _ in range(10):
        others = persons(rng, 1200).drop_duplicates()[number:]
        copied = original.sample(number, random_state=int(rng.integers(1 << 30)))
        replica = mixed(pd.concat([copied, others]).drop_duplicates())
        calls += whose_records(records(original, replica, holdout)).accused
    assert calls >= 9


def test_far_fewer_pairs_than_of_people_are_few_unless_it_is_chance() -> None:
    people = np.repeat(np.arange(100, dtype=np.uint64), 2)
    others = np.arange(100, 400, dtype=np.uint64)
    half = np.concatenate([np.repeat(np.arange(60, dtype=np.uint64), 2), others[:80]])
    two_thirds = np.concatenate([np.repeat(np.arange(67, dtype=np.uint64), 2), others[:66]])
    assert repeats_less(people, half)
    assert not repeats_less(people, two_thirds)
    assert repeats_less(people, others[:200])
    for pairs in range(2, 8):  # by chance none of so many: a half to the power of them
        some = np.concatenate([people[: 2 * pairs], others[: 200 - 2 * pairs]])
        assert repeats_less(some, others[:200]) is (pairs >= 5)
    crowd = np.concatenate([np.zeros(6, np.uint64), others[:194]])  # fifteen pairs, five repeats
    assert not repeats_less(crowd, np.concatenate([np.zeros(3, np.uint64), others[:197]]))
    assert repeats_less(crowd, others[:200])


def test_a_holdout_with_more_hits_than_copies_leave_refutes_them() -> None:
    # 100 hits: of 68 copied people 32 are left, of whom binom has 12 or more in the holdout
    assert refutes(88, 12, 400, 55, 68) is bool(binom.sf(11, 32, 55 / 455) <= 0.05)
    for theirs in range(10):
        p = binom.sf(theirs - 1, 32, 55 / 455)
        assert refutes(100 - theirs, theirs, 400, 55, 68) is bool(p <= 0.05)
    assert not refutes(88, 12, 400, 0, 68)
    assert refutes(88, 12, 400, 55, 95)  # more than the original's hits
