from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics.measures.people import columns
from sdcmetrics.measures.people.columns import (
    Files,
    PooledColumn,
    _distance,
    _other_words,
    _scale,
    _some,
    codes_of,
    comparable,
    files_of,
    is_number,
    ranked,
    running_numbers,
)
from tests.measures.people.drawn import people_of, records


def prepared(original: pd.DataFrame, replica: pd.DataFrame) -> Any:
    given = records(original, replica)
    return comparable(files_of(given, given.names), np.random.default_rng(1))


def test_numbered_rows_are_set_aside_where_both_files_number_them() -> None:
    rng = np.random.default_rng(1)
    frames = [people_of(rng, 40).assign(id=np.arange(40) + start) for start in (1, 500)]
    assert running_numbers(records(*frames)) == ("id",)
    frames[1]["id"] = rng.permutation(900)[:40]
    assert running_numbers(records(*frames)) == ()


def test_a_number_on_another_scale_is_mapped_for_near_tests_only() -> None:
    rng = np.random.default_rng(2)
    original, replica = people_of(rng, 200), people_of(rng, 200)
    replica["income"] *= 100
    out = prepared(original, replica)
    assert out.mapped == ("income",)
    assert out.left_out == ()
    part = next(part for part in out.files.parts if part.name == "income")
    assert np.array_equal(part.values[200:], replica["income"])  # as written
    assert abs(np.median(part.mapped[200:]) / original["income"].median() - 1) < 0.1


def test_a_category_in_other_words_is_left_out() -> None:
    rng = np.random.default_rng(3)
    original, replica = people_of(rng, 200), people_of(rng, 200)
    replica["region"] = "new " + replica["region"]
    assert prepared(original, replica).left_out == ("region",)


def test_a_number_cut_into_few_values_far_away_is_left_out() -> None:
    rng = np.random.default_rng(4)
    original, replica = people_of(rng, 200), people_of(rng, 200)
    replica["income"] = np.repeat([1.0, 2.0, 3.0, 4.0], 50)
    assert prepared(original, replica).left_out == ("income",)


def test_text_where_the_original_has_numbers_is_left_out() -> None:
    rng = np.random.default_rng(5)
    original, replica = people_of(rng, 100), people_of(rng, 100)
    replica["income"] = np.where(replica["income"] > 5000, "much", "little")
    assert records(original, replica).incomparable == ("income",)


def test_distances_are_differences_of_mid_ranks_and_one_unit_per_category() -> None:
    values = np.array([1.0, 2.0, 2.0, np.nan, *range(3, 13)])  # ranks 1, 2.5, 2.5, -, 4, ...
    codes = np.array([0, 1, 1, -1, *[0] * 10])
    files = Files(
        (PooledColumn("x", values, number=True), PooledColumn("c", codes, number=False)), 10, 0, 4
    )
    assert files.unit == 28
    ranks = files.ranks
    assert np.minimum(np.abs(ranks[0, 0] - ranks[0]), 28)[:5].tolist() == [0, 3, 3, 28, 6]
    assert np.minimum(np.abs(ranks[1, 0] - ranks[1]), 28)[:5].tolist() == [0, 28, 28, 28, 0]


@pytest.mark.parametrize(
    "values",
    [
        np.array([5, 7, 5, -1]),
        np.array([-1, 10, 3]),  # a width of 11 within four times three records
        np.array([0, 13, 13]),  # and of 13 beyond
        np.array([0.5, np.nan, 0.5, -2.0, np.nan]),
    ],
)
def test_codes_are_of_distinct_values_and_missing_is_one(values: Any) -> None:
    codes = codes_of(values)
    same = (values[:, None] == values) | ((values != values)[:, None] & (values != values))  # noqa: PLR0124  (NaN)
    assert ((codes[:, None] == codes) == same).all()
    assert 0 <= codes.min() <= codes.max() <= 4 * len(values)


def test_a_number_has_more_than_ten_values_wherever_they_stand() -> None:
    few, many = np.arange(10.0), np.arange(11.0)
    long = np.zeros(64 * 10)
    assert [is_number(values) for values in (few, many)] == [False, True]
    assert not is_number(np.append(few, [np.nan] * 3))
    assert not is_number(np.append(long, few[1:]))
    assert is_number(np.append(long, many[1:]))
    assert not is_number(np.arange(99))  # codes of a category


def test_some_records_are_of_the_files_that_they_were_of() -> None:
    values = np.arange(9.0)
    files = Files((PooledColumn("x", values, number=True, mapped=values * 10),), 4, 2, 3)
    some = files.at(np.array([0, 3, 4, 6, 7, 8]))
    assert (some.n, some.h, some.m, some.size, some.pool) == (2, 1, 3, 6, 3)
    (part,) = some.parts
    assert part.values.tolist() == [0, 3, 4, 6, 7, 8]
    assert part.mapped is not None
    assert part.mapped.tolist() == [0, 30, 40, 60, 70, 80]
    two = files.without_holdout()
    assert (two.n, two.h, two.m) == (4, 0, 3)
    assert two.parts[0].values.tolist() == [0, 1, 2, 3, 6, 7, 8]
    assert two.without_holdout() is two


def test_ranks_are_of_what_is_mapped_and_missing_is_a_unit_away() -> None:
    values = np.array([1.0, 3, np.nan, 2])
    part = PooledColumn("x", values, number=True, mapped=np.array([5.0, 5, np.nan, 1]))
    assert ranked(part, 8).tolist() == [5, 5, -8, 2]  # twice 2.5, 2.5 and 1
    assert ranked(replace(part, mapped=None), 8).tolist() == [2, 6, -8, 4]
    labels = PooledColumn("g", np.array([-1, 1, 1, 0]), number=False)
    assert ranked(labels, 8).tolist() == [0, 16, 16, 8]


@pytest.mark.parametrize(
    ("pool", "replica", "words"),
    [
        ("aabb", "aabb", False),
        ("aabb", "ccdd", True),
        ("abcd", "efgh", False),  # no two people share a value
        ("aabcdefghi", "xyz", True),  # a fifth of them do
        ("aabcdefghij", "xyz", False),
        ("aabb", "acdd", True),  # a quarter have one of the pool
        ("aabb", "abcd", False),  # half do
        ("--aa", "---b", False),
    ],
)
def test_labels_are_others_where_few_have_one_that_people_share(
    pool: str, replica: str, *, words: bool
) -> None:
    place = {letter: i - 1 for i, letter in enumerate(sorted({*pool, *replica, "-"}))}
    codes = [np.array([place[letter] for letter in part]) for part in (pool, replica)]
    assert _other_words(*codes) is words


def scaled(pool: Any, replica: Any) -> Any:
    given = np.asarray(replica, float)
    result = _scale(np.asarray(pool, float), given, np.random.default_rng(1))
    return "as it is" if result is given else result


def test_a_scale_is_another_three_tenths_apart_and_beyond_chance() -> None:
    pool = np.tile(np.arange(20.0), 20)
    assert scaled(pool, pool + 5) == "as it is"  # 0.25 apart
    moved = scaled(pool, pool + 7)  # 0.35
    assert moved == pytest.approx(pool)
    assert scaled(pool[:20], pool[:20] + 7) == "as it is"  # by chance 2.6 times the root of 0.1
    # 2.6 (1 / n + 1 / n)^1/2 is below 0.35 from n = 110.4 on
    steps = {n: np.arange(n) * 20 / n for n in (100, 120)}
    assert isinstance(scaled(steps[100], steps[100] + 7.05), str)
    assert not isinstance(scaled(steps[120], steps[120] + 7.05), str)
    assert scaled(pool, np.full(400, np.nan)) is None  # a replica without a value
    assert scaled(pool, np.tile(np.arange(10.0), 40) + 100) is None  # of ten values
    assert scaled(pool, np.tile(np.arange(11.0), 40) + 100) is not None


def test_of_a_column_that_few_have_chance_is_that_of_those_who_have_it() -> None:
    rng, none = np.random.default_rng(1), np.full(400, np.nan)
    for _ in range(300):
        first, second = rng.normal(size=(2, 14))
        pool = np.append(none, first)
        assert isinstance(scaled(pool, np.append(none, second)), str)
        assert not isinstance(scaled(pool, np.append(none, second + 9)), str)
    assert isinstance(scaled(pool, np.append(none, second[:3])), str)


def test_a_scale_is_mapped_by_twenty_quantiles() -> None:
    pool, replica = np.arange(101.0), np.arange(101.0) ** 2 + 1000
    mapped = scaled(pool, np.append(replica, np.nan))
    assert mapped[:-1:5] == pytest.approx(pool[::5])
    assert mapped[52] == pytest.approx(50 + 5 * (52**2 - 50**2) / (55**2 - 50**2))
    assert np.isnan(mapped[-1])
    lumps = np.append(np.full(90, 500.0), np.arange(600.0, 611))  # most are one value
    assert np.all(np.diff(scaled(pool, lumps)) >= 0)


def test_of_very_many_values_a_part_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_SAMPLE", 5)
    rng = np.random.default_rng(1)
    assert _some(np.array([3.0, 1, 2, 5, 4]), rng).tolist() == [1, 2, 3, 4, 5]
    some = _some(np.arange(6.0), rng)
    assert len(some) == 5
    assert (np.diff(some) >= 0).all()


def test_the_distance_of_samples_is_that_of_kolmogorov_and_smirnov() -> None:
    rng = np.random.default_rng(2)
    for sizes in ((7, 12), (3, 3)):
        first, second = (np.sort(rng.integers(0, 6, size).astype(float)) for size in sizes)
        assert _distance(first, second) == pytest.approx(stats.ks_2samp(first, second).statistic)
    none = np.zeros(0)
    assert _distance(none, np.ones(2)) == _distance(np.ones(2), none) == 1


def test_a_number_is_compared_by_its_pool_and_the_rest_by_its_words() -> None:
    rng = np.random.default_rng(3)
    pool, replica = rng.normal(size=400), rng.normal(size=300)
    labels = np.repeat([0, 1], 200)
    parts = (
        PooledColumn("same", np.append(pool, replica), number=True),
        PooledColumn("scaled", np.append(pool, replica * 1000), number=True),
        PooledColumn("cut", np.append(pool, np.sign(replica) * 50), number=True),
        PooledColumn("words", np.append(labels, np.full(300, 2)), number=False),
        PooledColumn("label", np.append(labels, np.ones(300, int)), number=False),
        # the replica alone has more than ten values
        PooledColumn("few", np.append(labels * 1.0, replica.round(1)), number=True),
    )
    result = comparable(Files(parts, 250, 150, 300), rng)
    assert result.mapped == ("scaled",)
    assert result.left_out == ("cut", "words", "few")
    assert result.files.names == ("same", "scaled", "label")
    assert (result.files.n, result.files.h, result.files.m) == (250, 150, 300)
    same, mapped, _ = result.files.parts
    assert same.mapped is None
    assert mapped.number
    assert mapped.mapped is not None
    assert mapped.mapped[:400] == pytest.approx(pool)
    assert np.abs(mapped.mapped[400:]).max() < 5


def test_rows_of_one_wave_are_in_no_other_words_where_all_rows_are_not() -> None:
    rng = np.random.default_rng(4)
    wave, income = np.tile(np.arange(5), 160), rng.normal(np.tile(np.arange(5), 160), 0.1)
    whole = Files(
        (PooledColumn("wave", wave, number=False), PooledColumn("income", income, number=True)),
        400,
        0,
        400,
    )
    rows = np.r_[np.arange(0, 400, 5), 400 + 5 * np.arange(80) + rng.integers(0, 5, 80)]
    chosen = whole.at(rows)  # of the original its first wave
    result = comparable(chosen, rng)
    assert (result.left_out, result.mapped) == (("wave",), ("income",))
    result = comparable(chosen, rng, whole)
    assert (result.left_out, result.mapped) == ((), ())
