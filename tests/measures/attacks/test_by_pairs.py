"""Scores and attacks beside their definitions, pair of records by pair of records."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sdcmetrics.measures.attacks.exact_matches import match_exactly
from sdcmetrics.measures.attacks.inference import _constant, _right, _tolerance
from sdcmetrics.measures.attacks.linkability import _chances
from sdcmetrics.measures.attacks.manifold import NAMES, measure_manifold
from sdcmetrics.measures.attacks.people import People
from sdcmetrics.measures.attacks.record_linkage import _Agreements, _Found, _row
from sdcmetrics.measures.attacks.scores import _nearest_values, closeness_scores

NAN = math.nan


def drawn(seed: int, sizes: tuple[int, int, int] = (14, 11, 9)) -> People:
    """Draw original, replica and holdout of few values, so that ties are many."""
    rng = np.random.default_rng(seed)
    codes = {
        name: tuple(rng.integers(0, levels, n) for n in sizes)
        for name, levels in (("g", 2), ("h", 3))
    }
    numbers = {
        name: tuple(np.where(rng.random(n) < 0.15, NAN, rng.integers(0, 5, n)) for n in sizes)
        for name in ("x", "y")
    }
    return People(codes, numbers, sizes, ())


def values_of(data: People, name: str) -> tuple[Any, ...]:
    return data.codes.get(name) or data.numbers[name]


def pooled(parts: Any) -> Any:
    return np.concatenate([parts[0], parts[2]])


def apart(data: People, scaled: dict[str, tuple[Any, ...]], first: Any, other: Any) -> Any:
    """Return Gower's distances: 1 a level, the difference of numbers, 1 where one is missing."""
    total: Any = 0.0
    for parts in data.codes.values():
        total = total + (first(parts)[:, None] != other(parts)[None]).astype(float)
    for parts in scaled.values():
        a, b = first(parts)[:, None], other(parts)[None]
        missing = np.isnan(a).astype(int) + np.isnan(b)
        total = total + np.where(missing == 0, np.minimum(np.abs(a - b), 1), missing == 1)
    return total / (len(data.codes) + len(scaled))


def ranks(data: People) -> dict[str, tuple[Any, ...]]:
    out = {}
    for name, parts in data.numbers.items():
        whole = np.concatenate(parts)
        ranked = np.full(len(whole), NAN)
        there = ~np.isnan(whole)
        ranked[there] = stats.rankdata(whole[there]) / len(whole)
        out[name] = tuple(np.split(ranked, np.cumsum(data.sizes)[:-1]))
    return out


def replica(parts: Any) -> Any:
    return parts[1]


def original(parts: Any) -> Any:
    return parts[0]


@pytest.mark.parametrize("seed", range(3))
def test_closeness_is_that_of_all_pairs(seed: int) -> None:
    data = drawn(seed)
    scaled = ranks(data)
    near = apart(data, scaled, pooled, replica).round(9)
    others = apart(data, scaled, pooled, pooled).round(9)
    np.fill_diagonal(others, np.inf)
    people, copies = near.shape
    result = closeness_scores(data)
    assert closeness_scores(data) is result
    five = np.sort(others, axis=1)[:, :5], np.sort(near, axis=1)[:, :5]
    small = 1 / (people + copies)
    ratio = np.log((five[0][:, 0] + small) / (five[1][:, 0] + small))
    assert result.ratio == pytest.approx(ratio)
    means = [part.mean(axis=1) for part in five]
    assert result.density == pytest.approx(np.log((means[0] + small) / (means[1] + small)))
    assert result.apart == pytest.approx(means[0])
    parents = np.zeros(people)
    for j in range(copies):
        closest = near[:, j] == near[:, j].min()
        parents += closest / closest.sum()
    assert result.parents == pytest.approx(parents)
    for i in range(people):
        both = np.concatenate([five[1][i], five[0][i]])
        is_copy = np.arange(10) < 5
        bar = np.sort(both)[4]
        inside, at = both < bar, both == bar
        share = (is_copy & inside).sum() + (5 - inside.sum()) * (is_copy & at).sum() / at.sum()
        assert result.share[i] == pytest.approx(share / 5)


@pytest.mark.parametrize("seed", range(3))
def test_values_are_given_to_the_people_who_have_the_nearest(seed: int) -> None:
    data = drawn(seed)
    total = np.zeros(data.n + data.h)
    for name in data.columns:
        parts = values_of(data, name)
        people = pooled(parts).astype(float)
        for value in parts[1]:
            gap = np.abs(people - value)
            if np.isnan(value):
                nearest = [np.isnan(people)]
            elif name in data.codes:  # levels are equal or not
                nearest = [people == value]
            else:
                nearest = [people == v for v in np.unique(people[gap == np.nanmin(gap)])]
            for who in nearest:
                total += who / max(who.sum(), 1) / len(nearest)
    assert closeness_scores(data).values == pytest.approx(total)


def test_a_number_beyond_all_others_is_of_the_last_and_without_people_of_nobody() -> None:
    assert _nearest_values(np.array([1.0, 4.0]), np.array([-9.0, 9.0, 9.0])).tolist() == [1, 2]
    assert _nearest_values(np.array([1.0, 4.0]), np.array([NAN])).tolist() == [0, 0]
    assert _nearest_values(np.array([NAN, NAN]), np.array([NAN, 3.0])).tolist() == [0.5, 0.5]


def test_an_original_of_few_records_has_fewer_neighbours() -> None:
    data = drawn(7, (3, 2, 1))
    result = closeness_scores(data)
    others = apart(data, ranks(data), pooled, pooled)
    np.fill_diagonal(others, NAN)
    assert result.apart == pytest.approx(np.nanmean(others, axis=1))


@pytest.mark.parametrize("seed", range(3))
def test_a_manifold_is_that_of_all_pairs(seed: int) -> None:
    data = drawn(seed, (25, 25, 25))
    scaled = ranks(data)
    both = apart(data, scaled, original, replica).round(9)
    own = apart(data, scaled, original, original).round(9)
    np.fill_diagonal(own, np.inf)
    radius = np.sort(own, axis=1)[:, 4]
    held = both <= radius[:, None]

    def away(which: int, of: int) -> Any:
        out: Any = 0.0
        for parts in data.codes.values():
            shares = np.bincount(parts[of], minlength=3) / len(parts[of])
            out = out + ((np.eye(3)[parts[which]] - shares) ** 2).sum(axis=1) / 2
        for parts in scaled.values():
            gaps = (parts[which] - np.nanmean(parts[of])) ** 2
            out = out + np.where(np.isnan(gaps), 1.0, gaps)
        return out

    steps = np.linspace(0, 1, 101)
    below = away(1, 0) <= np.quantile(away(0, 0), steps)[:, None] + 1e-12
    place = away(1, 1)[[int(row.argmin()) for row in both]]
    covered = both.min(axis=1) <= own.min(axis=1)
    inner = covered & (place <= np.quantile(place, steps)[:, None])
    result = measure_manifold(data, seed=1).table["replica"]
    assert result["density"] == pytest.approx(held.sum() / (5 * 25))
    assert result["coverage"] == pytest.approx(held.any(axis=1).mean())
    authentic = [both[:, j].min() > own.min(axis=1)[int(both[:, j].argmin())] for j in range(25)]
    assert result["authenticity"] == pytest.approx(np.mean(authentic))
    assert [*result.index] == [*NAMES]
    for name, curve in (("alpha_precision", below), ("beta_recall", inner)):
        off = np.abs(curve.mean(axis=1) - steps).sum() / steps.sum()
        assert result[name] == pytest.approx(1 - off)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("once", [True, False])
def test_exact_matches_are_of_records_that_nobody_shares(seed: int, *, once: bool) -> None:
    data = drawn(seed, (30, 30, 20))
    names = ["g", "x", "y"]
    rows = [
        [repr([values_of(data, name)[part][i] for name in names]) for i in range(size)]
        for part, size in enumerate(data.sizes)
    ]
    people = rows[0] + rows[2]
    alone = [people.count(row) == 1 for row in people]
    times = [rows[1].count(row) for row in people]
    matched = [a and (t == 1 if once else t > 0) for a, t in zip(alone, times, strict=True)]
    result = match_exactly(data, variables=names, unique_in_replica=once)
    unique = sum(alone[:30]), sum(alone[30:])
    counts = sum(matched[:30]), sum(matched[30:])
    assert result.figures["unique"] == unique
    assert result.figures["matched"] == counts
    assert (result.training, result.control) == (counts[0] / unique[0], counts[1] / unique[1])
    assert result.excess == pytest.approx(1 - (1 - result.training) / (1 - result.control))
    expected = stats.hypergeom.sf(counts[0] - 1, sum(unique), sum(counts), unique[0])
    assert result.p_value == pytest.approx(expected)
    each = [float(m) if a else NAN for m, a in zip(matched, alone, strict=True)][:30]
    assert result.per_record is not None
    assert np.array_equal(result.per_record, each, equal_nan=True)
    agree: list[list[bool]] = [[], []]
    h = [*data.codes["h"][0], *data.codes["h"][2]]
    for i in np.flatnonzero(matched):
        first = rows[1].index(people[i])
        agree[int(i >= 30)].append(h[i] == data.codes["h"][1][first])
    means = [np.mean(side) if side else NAN for side in agree]
    assert np.array_equal(np.array(result.figures["agreement"]), means, equal_nan=True)


def test_without_unique_records_there_is_no_share_and_no_p() -> None:
    parts = np.array([0, 0, 1, 1]), np.array([0, 2]), np.array([0, 1])
    result = match_exactly(People({"g": parts}, {}, (4, 2, 2), ()))
    assert (result.figures["unique"], result.figures["matched"]) == ((0, 0), (0, 0))
    for value in (result.training, result.control, result.excess, result.p_value, result.copy):
        assert math.isnan(value)
    assert all(map(math.isnan, result.interval))
    one = np.array([0, 0, 1, 2]), np.array([1, 1]), np.array([0, 0])
    result = match_exactly(People({"g": one}, {}, (4, 2, 2), ()))
    assert (result.figures["unique"], result.training, result.copy) == ((2, 0), 0.5, 1.0)
    assert math.isnan(result.control)
    assert math.isnan(result.excess)
    assert result.p_value == 1


@pytest.mark.parametrize("seed", range(3))
def test_parts_meet_in_one_of_the_nearest_to_both(seed: int) -> None:
    data = drawn(seed)
    chances = []
    sets = []
    for names in (["g", "x"], ["h", "y"]):
        some = People(
            {n: data.codes[n] for n in names if n in data.codes},
            {n: data.numbers[n] for n in names if n in data.numbers},
            data.sizes,
            (),
        )
        scaled = {
            n: tuple(part / data.range_of(n) for part in parts) for n, parts in some.numbers.items()
        }
        gaps = apart(some, scaled, pooled, replica).round(9)
        sets.append(gaps == gaps.min(axis=1, keepdims=True))
    for a, b in zip(*sets, strict=True):
        chances.append((a & b).sum() / (a.sum() * b.sum()))
    assert _chances(data, ["g", "x"], ["h", "y"]) == pytest.approx(chances)


def test_a_number_is_right_within_a_twentieth_of_its_middle_nine_tenths() -> None:
    values = np.arange(201.0)
    data = People({"g": (np.zeros(1, int),) * 3}, {"x": (values, values, values[:0])}, (201, 201, 0), ())  # noqa: E501  # fmt: skip
    assert _tolerance(data, "x") == pytest.approx(0.05 * 180)
    assert math.isnan(_tolerance(data, "g"))
    truth = np.array([1.0, 1.0, NAN, NAN, 1.0])
    guess = np.array([1.1, 1.2, NAN, 1.0, NAN])
    assert _right(truth, guess, 0.1).tolist() == [1, 0, 1, 0, 0]
    assert _right(truth, guess, NAN).tolist() == [0, 0, 0, 0, 0]
    assert _right(np.array([3.0, 4]), np.array([3.0, 3]), NAN).tolist() == [1, 0]


def test_weights_of_agreement_tie_that_are_the_same_in_nine_digits() -> None:
    agree = _Agreements(np.array([[0, 0], [0, 1]]), np.array([[0, 1], [1, 0]]))
    for apart, candidates in ((4e-10, 2), (6e-10, 1)):
        # of the first record one key agrees with each: the first with one, the second with other
        result = agree.best(np.array([0.0, 1.0, 1.0 + apart, 2.0]))
        assert result.candidates[0] == candidates
        assert result.risk[0] == (0.5 if candidates == 2 else 0)
        assert result.rank[0] == (1.5 if candidates == 2 else 2)


def test_the_z_of_a_linkage_is_that_of_permuted_records() -> None:
    rng = np.random.default_rng(3)
    n = m = 7
    top = rng.random((n, m)) < 0.4
    top[np.arange(n), rng.integers(0, m, n)] = True
    chance = top / top.sum(axis=1, keepdims=True)
    result = _Found(np.diag(chance), top.sum(axis=1), np.zeros(n), chance.mean(axis=0))
    row = _row(result, result)
    assert row["risk"] == pytest.approx(np.trace(chance) / n)
    assert row["candidates"] == pytest.approx(top.sum() / n)
    assert row["among_candidates"] == pytest.approx(np.diag(top).mean())
    assert (row["itself"], row["protection"]) == (row["risk"], 0)
    # over all permutations: mean 1 / m, variance of sum_i c[i, s(i)] / n
    centred = chance - chance.mean(axis=0) - chance.mean(axis=1, keepdims=True) + chance.mean()
    variance = (centred**2).sum() / (n - 1) / n**2
    assert row["z"] == pytest.approx((row["risk"] - 1 / m) / math.sqrt(variance))
    every = np.full((n, m), 1 / m)
    none = _Found(np.diag(every), np.full(n, m), np.zeros(n), every.mean(axis=0))
    assert math.isnan(_row(none, none)["z"])
    single = _Found(np.ones(1), np.ones(1, int), np.zeros(1), np.ones(1))
    assert math.isnan(_row(single, single)["z"])


@pytest.mark.parametrize(
    ("replica", "within", "people", "share"),
    [
        ([0, 0, 0.4, 5, 5, 5.3, NAN], 0.5, [0, 0, 0.5, 5], 3 / 4),  # of two as good the smaller
        ([0, 0.4, 5, 5, 5.3, 5.5], 0.5, [0, 0, 0.5, 5], 1 / 4),
        ([0, 0, 5, 5.1, 5.2], 0.5, [5, 5.5], 1),
        ([0, 2, 4, 4], 1, [4], 1),  # 2 does not reach either
        ([0, 0, 2, 9], 1, [0], 1),
        ([0.7, 0.8, 0.8, 5, 5], 0.1, [0.6], 1),  # rounded, 0.7 + 0.1 is below 0.8
        ([0.7, 0.7, 0.8, 0.9], 0.1, [0.9], 1),  # and 0.8 - 0.1 above 0.7
        ([NAN], 0.1, [1], NAN),
    ],
)
def test_the_best_constant_has_most_values_of_the_replica_within_reach(
    replica: list[float], within: float, people: list[float], share: float
) -> None:
    parts = np.array(people, float), np.array(replica, float), np.array([99.0])
    data = People({}, {"x": parts}, (len(people), len(replica), 1), ())
    assert _constant(data, "x", within) == pytest.approx(share, nan_ok=True)


def test_the_best_constant_of_levels_is_the_most_frequent() -> None:
    parts = np.array([1, 0, 1]), np.array([0, 1, 0]), np.array([1])
    assert _constant(People({"g": parts}, {}, (3, 3, 1), ()), "g", NAN) == pytest.approx(1 / 3)
