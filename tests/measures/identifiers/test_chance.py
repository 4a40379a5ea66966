"""Chances of shared values, each by an independent definition or by hand."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from sdcmetrics.measures.identifiers import chance as module
from sdcmetrics.measures.identifiers.chance import (
    Counted,
    _binomial,
    _chance,
    _duplicates_p,
    confirms,
    density,
    differ,
    duplicates_p,
    expected_shared,
    is_running,
)

RNG = np.random.default_rng(0)


def counted(original: list[int], synthetic: list[int], holdout: list[int] | None = None) -> Counted:
    held = None if holdout is None else np.array(holdout)
    return Counted(
        np.array(original),
        np.array(synthetic),
        held,
        sum(original),
        0 if holdout is None else sum(holdout),
    )


def test_marks_are_values_of_one_person_alone() -> None:
    # of one of the original; of the holdout; of two; of both files; not in the replica; of none
    both = counted([1, 0, 2, 1, 1, 0], [1, 3, 1, 1, 0, 1], [0, 1, 0, 1, 0, 0])
    assert both.marked == (1, 1)
    assert both.shared == 3
    assert counted([1, 1], [1, 1]).marked == (0, 0)


@pytest.mark.parametrize(("k", "rho"), [(2, 0.0), (3, 0.0), (2, 1.0), (4, 0.5)])
def test_equal_records_of_original_and_replica_and_of_no_holdout(k: int, rho: float) -> None:
    # where each record is of one of three files, by their sizes; the worst size of the replica
    def of(x: float) -> float:
        total = 1 + rho + x
        here, there = 1 / total, x / total
        return sum(math.comb(k, a) * here**a * there ** (k - a) for a in range(1, k))

    worst = max(of(10.0**e) for e in np.linspace(-3, 3, 4_001))
    assert _chance(k, rho) == pytest.approx(worst, rel=1e-4)


def test_two_equal_records_are_of_two_files_every_second_time() -> None:
    assert _chance(2, 0.0) == pytest.approx(0.5)
    assert _chance(3, 0.0) == pytest.approx(0.75)


def test_a_binomial_distribution() -> None:
    assert _binomial(7, 0.3) == pytest.approx(stats.binom.pmf(np.arange(8), 7, 0.3))
    assert _binomial(0, 0.3).tolist() == [1]


@pytest.mark.parametrize(
    ("original", "synthetic", "holdout"),
    [
        ([1] * 6 + [2, 0], [1] * 6 + [0, 2], None),  # of eight pairs six are of both files
        ([1] * 6 + [2, 0, 1], [1] * 6 + [0, 2, 5], None),  # six equal records are too many
        ([1] * 6 + [2, 0, 1], [1] * 6 + [0, 2, 4], None),
        ([1] * 6 + [2, 0, 1], [1] * 6 + [0, 2, 1], [0] * 8 + [4]),
        ([2, 2, 1, 1], [1, 1, 2, 1], None),
        ([1] * 3 + [9], [1] * 3 + [0], [0] * 3 + [2]),
    ],
)
def test_values_of_both_files_given_those_that_few_records_have(
    original: list[int], synthetic: list[int], holdout: list[int] | None
) -> None:
    given = counted(original, synthetic, holdout)
    held = [0] * len(original) if holdout is None else holdout
    rho = given.h / given.n
    trials = [
        (_chance(size, rho), o > 0 and s > 0 and h == 0)
        for o, s, h in zip(original, synthetic, held, strict=True)
        if 2 <= (size := o + s + h) <= 6 and _chance(size, rho) <= 0.95
    ]
    times = sum(success for _, success in trials)
    exact = 0.0
    for ways in itertools.product([0, 1], repeat=len(trials)):
        if sum(ways) >= times:
            exact += math.prod(
                p if way else 1 - p for way, (p, _) in zip(ways, trials, strict=True)
            )
    mean = sum(p for p, _ in trials)
    assert _duplicates_p(given) == pytest.approx(exact if times > mean else 1.0)
    assert duplicates_p(given, rng=RNG) == _duplicates_p(given)


def test_as_many_as_expected_are_no_sign() -> None:
    assert _duplicates_p(counted([1, 1, 2, 0], [1, 1, 0, 2])) == 1  # two of four, each at a half
    assert _duplicates_p(counted([1, 1, 1, 0], [1, 1, 1, 2])) == pytest.approx(5 / 16)


def test_of_many_one_binomial_stands_for_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    given = counted([1] * 6 + [2, 1], [1] * 6 + [0, 2])  # seven pairs, one of three
    monkeypatch.setattr(module, "_MOST_CONVOLVED", 8)
    sure = _duplicates_p(given)
    assert sure != pytest.approx(stats.binom.sf(6, 8, (7 * 0.5 + 0.75) / 8))
    monkeypatch.setattr(module, "_MOST_CONVOLVED", 7)
    assert _duplicates_p(given) == pytest.approx(stats.binom.sf(6, 8, (7 * 0.5 + 0.75) / 8))


def test_a_replica_of_more_than_twice_the_records_is_looked_at_twice() -> None:
    each = [1] * 10
    assert duplicates_p(counted(each, [2] * 10), rng=np.random.default_rng(1)) == pytest.approx(
        _chance(3, 0.0) ** 10
    )
    more = counted([*each, 0], [*each, 11])  # 21 of ten
    whole = _duplicates_p(more)
    assert whole == pytest.approx(0.5**10)
    assert duplicates_p(more, rng=np.random.default_rng(1)) == pytest.approx(2 * whole)
    # nothing in the whole, where each value stands three times; in a part many stand once
    three = counted(each, [6] * 10)
    assert _duplicates_p(three) == 1
    assert duplicates_p(three, rng=np.random.default_rng(1)) < 1


@pytest.mark.parametrize(
    ("n", "label", "confirmed"),
    [
        (9, 0.01, True),
        (9, 0.011, False),
        (3, 0.9, True),  # 1 of 20 ways: it could not say so if it wanted to
    ],
)
def test_a_holdout_contradicts_if_it_could_confirm(
    n: int, label: float, *, confirmed: bool
) -> None:
    here, there = [1] * n + [0] * n, [0] * n + [1] * n
    assert confirms(counted(here, here, there), label) is confirmed
    assert confirms(counted(here, here), 0.9)


def test_a_holdout_that_would_just_be_clear_can_contradict() -> None:
    # all marked of the original: C(2n - 8, n - 8) / C(2n, n) of 8 of the 2n
    chances = {n: Fraction(math.comb(2 * n - 8, n - 8), math.comb(2 * n, n)) for n in (40, 12)}
    assert all(chance < Fraction(1, 200) for chance in chances.values())
    marked = [1] * 8 + [0] * 72
    given = counted([1] * 40 + [0] * 40, marked, [0] * 40 + [1] * 40)
    assert not confirms(given, 0.5)
    assert confirms(replaced(given, 6), 0.5)  # of six: 1.1 %


def test_a_holdout_speaks_at_the_chance_at_which_it_would_be_clear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = counted([1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1])
    least = module.more_than_hypergeometric(2, 3, 3, 6)
    assert least == pytest.approx(1 / 20)
    for speaks, confirmed in ((least, False), (np.nextafter(least, 0), True)):
        monkeypatch.setattr(module, "_SPEAKS", speaks)
        assert confirms(given, 0.5) is confirmed


def replaced(given: Counted, marks: int) -> Counted:
    synthetic = np.zeros_like(given.synthetic)
    synthetic[:marks] = 1
    return Counted(given.original, synthetic, given.holdout, given.n, given.h)


def beside(original: np.ndarray, synthetic: np.ndarray, cut: int) -> tuple[float, float]:
    """Return the share and p of `density` for one cut, by sets of Python."""
    here, there = {int(x) // cut for x in original}, {int(x) // cut for x in synthetic}
    step = math.gcd(*(b - a for a, b in itertools.pairwise(sorted(here))))
    near = {x + sign * k * step for x in here for k in (1, 2, 3, 5, 7) for sign in (1, -1)} - here
    near = {x for x in near if min(here) <= x <= max(here)}
    rate = (len(near & there) + 1) / (len(near) + 2)
    last = {x for x in here if x + step not in here}
    p = more_hits(here, near, there)
    if 1.5 * len(last) <= len(here):
        p = max(p, more_hits(last, {x + step for x in last}, there))
    return rate, p


def more_hits(here: set[int], near: set[int], there: set[int]) -> float:
    hits = len(here & there)
    drawn = hits + len(near & there)
    return float(stats.hypergeom.sf(hits - 1, len(here) + len(near), len(here), drawn))


@pytest.mark.parametrize(("unit", "among"), [(1, 3_000), (3, 3_000), (1, 100), (3, 110)])
def test_how_dense_numbers_lie_beside_those_of_the_original(unit: int, among: int) -> None:
    rng = np.random.default_rng(2)
    original = np.sort(rng.choice(among, 60, replace=False)).astype(float) * unit
    synthetic = np.union1d(original[::3], rng.choice(among, among // 6) * unit).astype(float)
    cuts = [cut for cut in (1, 10, 100) if len(np.unique(original // cut)) >= 0.95 * 60]
    assert cuts == ([1, 10] if among == 3_000 else [1])
    each = [beside(original, synthetic, cut) for cut in cuts]
    expected = tuple(max(part) for part in zip(*each, strict=True))
    assert density(original, synthetic) == pytest.approx(expected)


def test_check_digits_are_left_off() -> None:
    rng = np.random.default_rng(3)
    stem = np.sort(rng.choice(np.arange(100, 2_100), 50, replace=False))
    original = (stem * 10 + stem * 7 % 10).astype(float)
    everybody = np.arange(100, 2_100)
    synthetic = (everybody * 10 + everybody * 7 % 10).astype(float)
    share, p = density(original, synthetic)
    assert share == pytest.approx(beside(original, synthetic, 10)[0])
    assert share > 0.95 > beside(original, synthetic, 1)[0]
    assert p > 0.1


def test_nineteen_of_twenty_numbers_without_a_last_digit_are_near_unique() -> None:
    stem = np.random.default_rng(4).choice(300, 19, replace=False)
    original = np.sort(np.append(stem * 10 + 3, stem[0] * 10 + 4)).astype(float)
    synthetic = np.arange(300.0) * 10 + 5  # each with another last digit
    assert density(original, synthetic)[0] == beside(original, synthetic, 10)[0]


@pytest.mark.parametrize(("free", "judged"), [(19, False), (20, True)])
def test_of_few_free_numbers_nothing_is_said(free: int, *, judged: bool) -> None:
    original = np.append(np.arange(1, 2 * free, 2), 2 * free + 1).astype(float)
    original = np.append(original, [2 * free + 2.0])  # so that the step is 1
    near = set(range(1, 2 * free + 3)) - {int(x) for x in original}
    assert len(near) == free
    assert (density(original, original) != (1.0, 1.0)) is judged


def test_running_numbers() -> None:
    assert is_running(np.arange(11.0))
    assert not is_running(np.arange(10.0))  # years of a decade
    assert not is_running(np.append(np.arange(11.0), np.nan))
    assert not is_running(np.append(np.arange(11.0), 12.0))


@pytest.mark.parametrize(("values", "records"), [([3, 1, 2, 1], 4), ([3, 1, 2], 9), ([2, 2], 1)])
def test_values_that_others_of_the_original_would_share(values: list[int], records: int) -> None:
    people = np.repeat(np.arange(len(values)), values).tolist()
    n = len(people)
    k = min(records, n - 1)
    each = [
        np.mean([person in drawn for drawn in itertools.combinations(others, k)])
        for i, person in enumerate(people)
        for others in [people[:i] + people[i + 1 :]]
    ]
    shared = sum(each[people.index(v)] for v in range(len(values)))
    scaled = min(shared * max(1.0, records / (n - 1)), len(values))
    assert expected_shared(np.array([*values, 0]), records) == pytest.approx(scaled)


def test_one_record_shares_with_nobody() -> None:
    assert expected_shared(np.array([1]), 5) == 0
    assert expected_shared(np.array([2]), 5) == 1


def test_two_populations() -> None:
    assert differ(np.arange(0), np.arange(3))
    assert differ(np.arange(3), np.arange(0))
    assert differ(np.arange(100), np.arange(100) + 50)
    assert not differ(np.arange(100), np.arange(100) + 1)


def test_numbers_run_where_runs_are_of_one_and_a_half() -> None:
    """Ten pairs and ten alone: a run counts by its last, beside the next number."""
    starts = np.cumsum(np.random.default_rng(0).integers(4, 9, 20)).astype(float)
    original = np.sort(np.concatenate([starts, starts[:10] + 1]))
    last = original[~np.isin(original + 1, original)]
    assert len(original) == 1.5 * len(last)
    synthetic = np.unique(np.concatenate([original[:20], last[:3] + 1]))
    hits, others = (int(np.isin(numbers, synthetic).sum()) for numbers in (last, last + 1))
    by_runs = stats.hypergeom.sf(hits - 1, 2 * len(last), hits + others, len(last))
    assert density(original, synthetic)[1] == pytest.approx(by_runs)
    more = np.append(original, original[-1] + 50)  # one more alone: they no longer run
    assert density(more, synthetic)[1] < by_runs / 1000
