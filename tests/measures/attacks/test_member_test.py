"""One test of several scores: its level, and that it sees what any of them sees."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics import membership
from sdcmetrics.measures.attacks import member_test
from sdcmetrics.measures.attacks import membership as subject
from sdcmetrics.measures.attacks.member_test import surest_difference
from sdcmetrics.measures.attacks.membership import member_scores, rank_test
from sdcmetrics.measures.attacks.people import people
from sdcmetrics.measures.attacks.scores import closeness_scores
from sdcmetrics.measures.survey.households import Households
from tests.measures.attacks.populations import three


def test_labels_given_at_random_are_found_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(1)
    values = []
    for _ in range(200):
        base = rng.normal(size=80)
        scores = {
            "a": base,
            "b": base + rng.normal(size=80),
            "few": (base > 1.5).astype(float),
        }
        values.append(surest_difference(scores, 50, seed=int(rng.integers(2**31))).p_value)
    assert sum(p <= 0.05 for p in values) <= 20  # Binomial(200, .05): 1 in 1,000
    assert sum(p <= 0.5 for p in values) >= 75


def test_the_score_that_differs_is_named() -> None:
    rng = np.random.default_rng(2)
    scores = {"noise": rng.normal(size=100), "tells": np.repeat([1.0, 0.0], 50)}
    result = surest_difference(scores, 50)
    assert result.surest == "tells"
    assert result.p_value < 1e-9  # below what draws can show
    assert result.standardised["tells"] == pytest.approx(9.95, abs=0.01)
    assert result.others == pytest.approx(stats.norm.sf(result.standardised["noise"]))
    assert surest_difference({"tells": scores["tells"]}, 50).others == 1.0
    both = surest_difference({**scores, "too": 1 - scores["tells"][::-1]}, 50)
    assert both.others < 1e-9


def test_whole_households_are_exchanged() -> None:
    """Ten households on either side, each wholly of one kind, are ten draws and not forty."""
    rng = np.random.default_rng(3)
    values = []
    for _ in range(100):
        score = np.repeat(rng.normal(size=20), 4)
        households = Households(np.repeat(np.arange(20), 4), 40)
        values.append(surest_difference({"a": score}, 40, households=households).p_value)
    assert sum(p <= 0.05 for p in values) <= 12
    alone = surest_difference({"a": np.repeat([1.0, 0.0], 40)}, 40).p_value
    assert alone < 1e-6


def test_scores_do_not_depend_on_who_was_in() -> None:
    original, holdout, replica = three(5, n=60, h=60, m=80)
    first = closeness_scores(people(original, replica, holdout))
    other = closeness_scores(people(holdout, replica, original))
    for name in ("ratio", "density", "share", "parents", "values", "apart"):
        swapped = np.roll(getattr(other, name), 60)
        assert getattr(first, name) == pytest.approx(swapped)


def test_every_replica_record_has_its_parents() -> None:
    original, holdout, replica = three(6, n=60, h=40, m=90)
    result = closeness_scores(people(original, replica, holdout))
    assert result.parents.sum() == pytest.approx(90)
    assert 0 <= result.share.min() <= result.share.max() <= 1


def test_rare_people_whose_numbers_are_jittered_are_found() -> None:
    hits = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        original, holdout, replica = rng.normal(size=(3, 400, 4))
        rare = np.argsort((original**2).sum(axis=1))[-8:]
        replica[:8] = original[rare] * (1 + 0.001 * rng.normal(size=(8, 4)))
        frames = (pd.DataFrame(part, columns=list("abcd")) for part in (original, replica, holdout))
        hits += membership(*frames).p_value <= 0.05
    assert hits >= 5


def test_of_many_records_sums_of_the_normal_law_say_what_permutations_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(4)
    base = rng.permutation(10_000).astype(float)
    base[:5_000] += 60  # a difference of one standard deviation
    scores = {"ranks": base, "others": rng.permutation(10_000).astype(float), "top": base > 9_000}
    of_law = surest_difference(scores, 5_000).p_value
    monkeypatch.setattr(member_test, "_MANY", 10**9)
    assert surest_difference(scores, 5_000).p_value == pytest.approx(of_law, abs=0.06)


@pytest.mark.parametrize("members", [9, 20, 31])
def test_of_many_records_rare_marks_are_drawn_record_by_record(
    members: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(members)
    rare = np.zeros(600)
    rare[:members] = rare[400 : 440 - members] = 1  # 40 of 600, of whom two thirds are first
    base = rng.permutation(600) + 100 * rare
    scores = {"rare": rare, "ranks": base, "common": base % 2}
    values = np.column_stack(list(scores.values()))
    monkeypatch.setattr(member_test, "_DRAWS", 8_000)
    sums = {}
    for from_records in (100, 10**9):
        monkeypatch.setattr(member_test, "_MANY", from_records)
        sums[from_records] = member_test._drawn_sums(values, 400, None, np.random.default_rng(1))
    of_law, permuted = sums.values()
    assert np.isin(of_law[:, 0], np.arange(41)).all()
    assert of_law.mean(axis=0) == pytest.approx(permuted.mean(axis=0), rel=0.003)
    assert of_law.std(axis=0) == pytest.approx(permuted.std(axis=0), rel=0.05)
    assert np.corrcoef(of_law.T) == pytest.approx(np.corrcoef(permuted.T), abs=0.05)
    tails = [(part[:, 0] >= members).mean() for part in (of_law, permuted)]
    assert tails[0] == pytest.approx(tails[1], abs=0.025)


@pytest.mark.parametrize("n", [20, 580])
def test_where_either_side_has_few_records_they_are_drawn_one_by_one(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_test, "_MANY", 50)
    monkeypatch.setattr(member_test, "_DRAWS", 20)
    sums = member_test._drawn_sums(np.arange(600.0)[:, None], n, None, np.random.default_rng(1))
    assert (sums == np.rint(sums)).all()  # of whole numbers; those of a normal law are none


def test_columns_of_the_original_drawn_one_by_one_are_found_by_their_values() -> None:
    surest = []
    for seed in range(6):
        original, holdout, _ = three(seed, n=200, h=200)
        rng = np.random.default_rng(seed)
        replica = original.apply(lambda column, rng=rng: rng.permutation(column.to_numpy()))
        result = membership(original, replica, holdout)
        assert result.p_value <= 1e-3
        surest.append((result.figures["surest"], *result.notes))
    assert sum(score == "single values" for score, *_ in surest) == 6
    assert sum("only values of single columns" in "".join(notes) for _, *notes in surest) >= 5


def test_values_are_not_said_to_be_taken_where_chance_explains_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, holdout, replica = three(1, n=60, h=60)
    notes = []
    for p, others in ((0.06, 1.0), (0.05, 0.06), (0.01, 0.05)):
        difference = member_test.Difference(p, "single values", {"single values": 2.0}, others)
        monkeypatch.setattr(subject, "surest_difference", lambda *_, of=difference, **__: of)
        notes.append(membership(original, replica, holdout).notes)
    assert notes == [(), (subject.OF_VALUES,), ()]


def test_values_are_shared_out_among_those_who_have_the_nearest() -> None:
    """As they are defined, pair by pair, in another way than they are computed."""
    original, holdout, replica = three(7, n=50, h=40, m=70)
    data = people(original, replica, holdout)
    expected = np.zeros(90)
    for name in data.columns:
        pool = data.pooled(name)
        drawn = (data.codes.get(name) or data.numbers[name])[1].astype(float)
        for value in drawn:
            far = np.abs(pool - value)
            far[np.isnan(pool)] = 0.0 if np.isnan(value) else np.inf
            if np.isnan(value):
                far[~np.isnan(pool)] = np.inf
            if name in data.codes:
                far[far > 0] = np.inf
            near = np.isfinite(far) & (far == far.min())
            levels = np.unique(pool[near])  # NaN is one level
            for level in levels:
                having = (pool == level) | (np.isnan(pool) & np.isnan(level))
                expected[having] += 1.0 / len(levels) / having.sum()
    assert closeness_scores(data).values == pytest.approx(expected)


def test_so_few_are_looked_at_as_are_seldom_all_of_the_original() -> None:
    sizes = ((300, 300, 6), (200, 100, 10), (400, 100, 18), (100, 400, 6), (900, 900, 18))
    for n, h, count in sizes:
        original, holdout, replica = three(8, n=n, h=h, m=50)
        far = np.arange(n + h, dtype=float)
        scores = member_scores(people(original, replica, holdout), far)
        assert scores["nearest few"].sum() == count


def test_as_many_are_looked_at_whatever_a_quotient_rounds_to() -> None:
    # of 47, in one of two samples of equal size, six are all of one in 1 of 64 cases; 6 / 47 * 47
    # is below 6
    original, holdout, replica = three(8, n=24, h=23, m=50)
    scores = member_scores(people(original, replica, holdout), np.arange(47.0))
    assert scores["nearest few"].sum() == 6


@pytest.mark.parametrize("n", [50, 60])
def test_the_nearest_of_the_rare_are_asked_where_a_half_of_the_rare_is_enough(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, holdout, replica = three(8, n=n, h=n, m=20)
    rng = np.random.default_rng(2)
    apart, ratio = rng.permutation(2 * n).astype(float), rng.permutation(2 * n).astype(float)
    data = people(original, replica, holdout)
    scores = replace(closeness_scores(data), ratio=ratio, apart=apart)
    monkeypatch.setattr(subject, "closeness_scores", lambda _: scores)
    few = member_scores(data, np.zeros(2 * n)).get("nearest of the rare")
    rare = np.argsort(apart)[-2 * n // 10 :]
    if n == 50:  # six are needed, and ten of a hundred are rare
        assert few is None
    else:
        assert few is not None
        assert set(np.flatnonzero(few)) == set(rare[np.argsort(ratio[rare])[-6:]])


def test_ranks_that_no_permutation_reaches_have_the_least_p() -> None:
    # one of 184,756 ways to choose ten of twenty
    assert rank_test(-np.arange(20.0), 10, seed=1) == (1.0, 1 / 10_000)


def test_from_twenty_on_either_side_ranks_have_the_normal_law_with_ties() -> None:
    rng = np.random.default_rng(7)
    for n, h in ((20, 20), (20, 31), (45, 20)):
        scores = rng.integers(0, 6, n + h).astype(float)
        scores[:n] += rng.integers(0, 2, n)
        theirs = stats.mannwhitneyu(
            scores[:n],
            scores[n:],
            alternative="greater",
            use_continuity=False,
            method="asymptotic",
        )
        assert rank_test(scores, n, seed=1) == pytest.approx(
            (theirs.statistic / (n * h), theirs.pvalue), rel=1e-9
        )
    scores = rng.permutation(49).astype(float)
    exact = stats.mannwhitneyu(
        scores[:19], scores[19:], alternative="greater", method="exact"
    ).pvalue
    p = rank_test(scores, 19, seed=1)[1]
    assert p == pytest.approx(exact, abs=0.02)
    assert p * 10_000 == pytest.approx(round(p * 10_000))
    for n in (3, 20):  # all alike
        assert rank_test(np.ones(2 * n), n, seed=1) == (0.5, 1.0)


def test_values_of_a_category_are_shared_out_among_all_who_have_it() -> None:
    frames = (pd.DataFrame({"g": list(values)}) for values in ("ab", "aac", "bbd"))
    # a: two for one person; b: none, for three; c: nobody; d: none
    values = closeness_scores(people(*frames)).values
    assert values.tolist() == [2.0, 0.0, 0.0, 0.0, 0.0]


def test_the_nearest_few_are_first_in_either_rank_and_then_in_their_sum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, holdout, replica = three(8, n=30, h=30, m=20)
    rng = np.random.default_rng(2)
    far, ratio = rng.permutation(60).astype(float), rng.permutation(60).astype(float)
    data = people(original, replica, holdout)
    scores = replace(closeness_scores(data), ratio=ratio)
    monkeypatch.setattr(subject, "closeness_scores", lambda _: scores)
    few = np.flatnonzero(member_scores(data, far)["nearest few"])
    ranks = np.stack([59 - far, ratio])
    order = np.lexsort((ranks.sum(axis=0), ranks.max(axis=0)))
    assert set(few) == set(order[-len(few) :])
    assert len(few) == 6


def test_the_rate_at_a_share_of_others_needs_as_many_of_them() -> None:
    scores = np.array([9.0, 7, 5, 1, *range(10)])  # 9 is in both
    assert subject._tpr(scores, 4, 0.1) == 0.25
    assert subject._tpr(scores, 4, 0.2) == 0.25
    assert subject._tpr(scores, 4, 0.3) == 0.5
    assert math.isnan(subject._tpr(scores[:-1], 4, 0.1))
