"""Codes of records: each level once, missing with a level of its own, no level without records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sdcmetrics.measures.excess.questions import (
    AS_THEY_ARE,
    IN_GROUPS,
    Pool,
    _groups,
    in_other_words,
    with_copy,
)
from sdcmetrics.measures.records import Column
from sdcmetrics.microdata.columns import Kind

NAN = float("nan")


def pool(**columns: np.ndarray) -> Pool:
    """Return columns of one part."""
    return Pool(columns, (len(next(iter(columns.values()))),))


def same_partition(codes: np.ndarray, values: list[object]) -> bool:
    """Whether two records have one code exactly where they have one value."""
    pairs = set(zip(codes.tolist(), map(repr, values), strict=True))
    return len(pairs) == len({code for code, _ in pairs}) == len({value for _, value in pairs})


def test_a_level_a_code_and_as_many_as_there_are() -> None:
    given = pool(g=np.array([0, 2, -1, 2]), x=np.array([0.5, NAN, 0.5, 7.0]))
    codes, size = given.codes("g", AS_THEY_ARE)
    assert (codes.tolist(), size) == ([1, 3, 0, 3], 4)
    codes, size = given.codes("x", AS_THEY_ARE)
    assert same_partition(codes, [0.5, NAN, 0.5, 7.0])
    assert size == 3


@pytest.mark.parametrize(("distinct", "grouped"), [(9, False), (10, False), (11, True)])
def test_only_numbers_of_more_than_ten_values_are_grouped(distinct: int, grouped: bool) -> None:
    values = np.repeat(np.arange(float(distinct)), 3)
    given = pool(x=values, g=np.arange(3 * distinct))
    assert given.grouped("x") == grouped
    assert not given.grouped("g")
    codes, size = given.codes("x", IN_GROUPS)
    assert len(set(codes.tolist())) == min(distinct, 10)
    assert size > codes.max()
    assert given.codes("g", IN_GROUPS)[1] == 3 * distinct + 1


def test_groups_are_tenths_and_missing_is_none_of_them() -> None:
    values = np.append(np.arange(100.0), [NAN] * 5)
    codes, size = pool(x=values).codes("x", IN_GROUPS)
    assert np.bincount(codes).tolist() == [5] + [10] * 10
    assert size == 11


def test_a_number_that_is_one_value_mostly_is_cut_by_its_scale() -> None:
    values = np.append(np.zeros(185), np.arange(1.0, 21))  # every tenth is 0
    codes, size = pool(x=values).codes("x", IN_GROUPS)
    # breaks at 0, 2, 4, ..., 18, each the first value of its group
    assert codes.tolist() == [2] * 185 + [2 + min(k // 2, 9) for k in range(1, 21)]
    assert size == 12


@pytest.mark.parametrize("levels", [2, 40])
def test_combinations_are_those_of_the_values(levels: int) -> None:
    rng = np.random.default_rng(levels)
    columns = {name: rng.integers(-1, levels, 60) for name in "abc"}
    codes, size = pool(**columns).combinations(("a", "b", "c"), AS_THEY_ARE)
    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    assert same_partition(codes, rows)  # type: ignore[arg-type]
    assert codes.max() < size <= max(4 * 60, (levels + 1) ** 3)
    if levels == 40:  # numbered anew, and no more than there are
        assert size == len(set(rows))


@pytest.mark.parametrize(("records", "size"), [(60, 240), (59, 59)])
def test_combinations_are_numbered_anew_where_more_than_four_are_possible_for_each_record(
    records: int, size: int
) -> None:
    row = np.arange(records)
    given = pool(a=row % 15 - 1, b=row % 16 - 1)  # of 240 rows no two are alike
    codes, possible = given.combinations(("a", "b"), AS_THEY_ARE)
    assert possible == size
    assert len(set(codes.tolist())) == records


def test_a_copy_stands_in_the_place_of_the_replica() -> None:
    original, replica, holdout = np.array([5, 6]), np.array([7, 8, 9]), np.array([1])
    column = Column("x", Kind.CATEGORY, original, replica)
    drawn = np.array([1, 1, 0])
    two = with_copy([column], (2, 3, 0), drawn)
    assert (two.columns["x"].tolist(), two.sizes) == ([5, 6, 6, 6, 5], (2, 3))
    three = with_copy([replace(column, holdout=holdout)], (2, 3, 1), drawn)
    assert (three.columns["x"].tolist(), three.sizes) == ([5, 6, 6, 6, 5, 1], (2, 3, 1))


def other(original: list[float], replica: list[float], effective: tuple[int, int]) -> bool:
    """Whether a column of numbers is on another scale."""
    parts = np.array(original, float), np.array(replica, float)
    return in_other_words(Column("x", Kind.NUMBER, *parts), effective)


def test_groups_are_of_a_scale_where_nine_in_ten_are_one_value() -> None:
    two = np.array([0.0] * 25 + [0.5] + [1.0] * 75 + [NAN])
    assert _groups(two).tolist() == [2] * 26 + [3] * 75 + [0]
    heavy = np.array([0.0] * 95 + [1.0, 2.5, 3.0, 4.0, 10.0])
    assert _groups(heavy).tolist() == [2] * 95 + [3, 4, 5, 6, 11]


@pytest.mark.parametrize(("below", "words"), [(300, False), (301, True)])
def test_numbers_may_be_three_tenths_apart_and_no_more(below: int, *, words: bool) -> None:
    replica = below - 0.5 + np.arange(1_000) * 0.5
    assert other([*range(1_000)], [*replica], (1_000, 1_000)) is words


@pytest.mark.parametrize(
    ("original", "replica", "words"),
    [
        ("aabb", "aabb", False),
        ("aabb", "ccdd", True),  # two people share a value
        ("abcd", "efgh", False),  # nobody does
        ("aa" + "bcdefghi", "xyz", True),  # a fifth do
        ("aa" + "bcdefghij", "xyz", False),
        ("aabb", "acdd", True),  # a quarter have one of the pool
        ("aabb", "abcd", False),  # half do
        ("aabbcd", "axyz", True),  # a quarter, and a third are half of who shares
        ("aabbcd", "axy", False),
        ("--aa", "---b", False),  # to be missing is a value, too
        ("aabbcdef", "cdef", False),  # all have one that one person has
    ],
)
def test_labels_are_others_where_few_have_one_that_people_share(
    original: str, replica: str, *, words: bool
) -> None:
    place = {letter: i - 1 for i, letter in enumerate(sorted({*original, *replica} | {"-"}))}
    parts = (np.array([place[letter] for letter in part]) for part in (original, replica))
    assert in_other_words(Column("x", Kind.CATEGORY, *parts), (4, 4)) is words


def test_labels_of_a_holdout_are_of_the_pool() -> None:
    parts = np.array([0, 1, 2, 3]), np.array([4, 4, 5, 5])
    assert not in_other_words(Column("x", Kind.CATEGORY, *parts), (4, 4))
    assert in_other_words(Column("x", Kind.CATEGORY, *parts, np.array([0, 1])), (6, 4))
    assert not in_other_words(Column("x", Kind.CATEGORY, *parts, np.array([4, 5, 4])), (7, 4))


def test_a_scale_is_another_where_distributions_are_three_tenths_apart_and_more_than_chance() -> (
    None
):
    tens = list(range(20))
    for moved, apart in ((5, False), (7, True)):  # of 20
        shifted = [value + moved for value in tens]
        assert other(tens, shifted, (10**6, 10**6)) is apart
        assert not other(tens, shifted, (20, 20))  # chance is 2.6 times the root of a tenth
    # 2.6 (2 / n)^1/2 is below 0.35 from n = 110.4 on
    shifted = [value + 7 for value in tens]
    assert [other(tens, shifted, (n, n)) for n in (110, 111)] == [False, True]
    assert [other(tens, shifted, (n, 10**9)) for n in (55, 56)] == [False, True]


def test_of_a_column_that_few_have_chance_is_that_of_those_who_have_it() -> None:
    rng, none = np.random.default_rng(1), [NAN] * 400
    for _ in range(300):
        first, second = rng.normal(size=(2, 14)).tolist()
        assert not other([*none, *first], [*none, *second], (414, 414))
        assert other([*none, *first], [*none, *(value + 9 for value in second)], (414, 414))
    two = [*none, 1.0, 2.0]
    assert not other([*none, *first], two, (414, 402))
    assert other([*none, *range(400)], [*none, *range(200, 600)], (800, 800))


def test_numbers_of_few_values_are_labels_and_a_number_that_is_nowhere_is_another() -> None:
    few = [float(value) for value in range(10)] * 2
    moved = [value + 0.5 for value in few]
    assert other(few, moved, (10**6, 10**6))  # nobody has one of the pool
    assert not other([*few, 10.0], [*moved, 10.5], (10**6, 10**6))  # eleven values have a scale
    assert other(few, [NAN] * 3, (20, 3))
    assert not other([NAN, NAN], [NAN, NAN], (2, 2))
