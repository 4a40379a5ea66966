from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import Claim, whose_records
from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.copies import (
    _are_same,
    _as_often,
    _column,
    _table,
    chance_of_copy,
    chance_of_division,
    is_copy,
    is_renamed,
    may_be_copy,
)
from tests.measures.people.drawn import mixed, people_of, records


def divisions() -> np.random.Generator:
    return np.random.default_rng(5)


def files(original: pd.DataFrame, replica: pd.DataFrame) -> Any:
    given = records(original, replica)
    return files_of(given, given.names)


@pytest.fixture
def original() -> Any:
    return people_of(np.random.default_rng(1), 120)


def test_a_copy_in_another_order_is_a_copy(original: pd.DataFrame) -> None:
    assert whose_records(records(original, mixed(original))).claims[0] is Claim.COPY


def test_a_copy_in_the_same_order_is_a_copy_and_nothing_masked(original: pd.DataFrame) -> None:
    people = whose_records(records(original, original.copy()))
    assert Claim.COPY in people.claims
    assert Claim.ALIGNED not in people.claims
    assert people.in_order is None


def test_one_changed_value_is_no_copy(original: pd.DataFrame) -> None:
    other = mixed(original)
    other.loc[0, "age"] += 1
    claims = whose_records(records(original, other)).claims
    assert Claim.COPY not in claims
    assert not may_be_copy(files(original, other))


def test_columns_permuted_on_their_own_are_no_copy_although_every_column_is(
    original: pd.DataFrame,
) -> None:
    rng = np.random.default_rng(2)
    other = original.apply(lambda column: rng.permutation(column.to_numpy()))
    assert may_be_copy(files(original, other))
    assert not {Claim.COPY, Claim.RENAMED} & set(whose_records(records(original, other)).claims)


def test_renamed_categories_and_rescaled_numbers_are_the_original(original: pd.DataFrame) -> None:
    other = mixed(original)
    other["sex"] = other["sex"].map({"f": "m", "m": "f"})
    other["region"] = "R" + other["region"]
    other["income"] = -np.log(other["income"])
    assert is_renamed(files(original, other), divisions())
    other.loc[3, "sex"] = {"f": "m", "m": "f"}[other.loc[3, "sex"]]
    assert not is_renamed(files(original, other), divisions())


def test_other_people_are_not_the_original_renamed(original: pd.DataFrame) -> None:
    assert not is_renamed(files(original, people_of(np.random.default_rng(9), 120)), divisions())


def one_variable(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Return columns that all say the same."""
    here = rng.integers(0, 2, n)
    return pd.DataFrame({"code": here + 1, "name": np.where(here, "b", "a"), "yes": here == 1})


def test_columns_that_follow_from_one_are_the_same_up_to_names_by_chance() -> None:
    hits = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        pair = [one_variable(rng, 40) for _ in "xy"]
        counts = [sorted(frame["code"].value_counts()) for frame in pair]
        claimed = is_renamed(files(*pair), rng)
        hits += counts[0] == counts[1]  # then all three tables are the same
        assert not claimed
    assert hits >= 5


def test_few_records_of_many_values_are_renamed_still() -> None:
    original = people_of(np.random.default_rng(4), 20)
    other = mixed(original)
    other["region"] = "R" + other["region"]
    assert is_renamed(files(original, other), divisions())


@pytest.mark.parametrize(
    ("original", "replica", "copy"),
    [
        ([1, 1, 2], [2, 1, 1], True),
        ([1, 1, 2], [1, 1, 2, 1, 2, 1], True),
        ([1, 1, 2], [1, 2, 2], False),
        ([1, 1, 2], [1, 2], False),
        ([1, 1, 2], [], False),
        ([1], [1], True),
        ([], [], False),
    ],
)
def test_a_copy_has_every_record_equally_often(
    original: list[int], replica: list[int], *, copy: bool
) -> None:
    keys = [np.array(part, np.uint64) for part in (original, replica)]
    assert is_copy(*keys) is copy


def rows_of(n: int, *columns: list[Any]) -> Any:
    """Return files of which the first n rows are the original."""
    parts = [SimpleNamespace(values=np.array(column)) for column in columns]
    size = len(columns[0])
    return SimpleNamespace(parts=parts, n=n, pool=n, m=size - n, size=size)


@pytest.mark.parametrize(("size", "copy"), [(2, False), (6, False), (7, False), (8, True)])
def test_a_copy_has_a_multiple_of_the_records_whatever_their_sums(size: int, *, copy: bool) -> None:
    assert may_be_copy(rows_of(4, [0.0] * (4 + size))) is copy  # whose bits are all 0


@pytest.mark.parametrize(
    ("columns", "same"),
    [
        (([0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]), True),
        # the cells of the first two hold one record each
        (([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]), False),
        (([0, 0, 1, 1], [0, 1, 1, 1]), False),
    ],
)
def test_three_tables_must_say_something(columns: tuple[list[int], ...], *, same: bool) -> None:
    files = rows_of(4, *(column + column[::-1] for column in columns))
    assert _are_same(files, np.arange(4), np.arange(4, 8)) is same


@pytest.mark.parametrize(
    ("replica", "same"), [([5, 6, 6, 6], True), ([5, 5, 6, 6], False), ([5, 6, 7, 7], False)]
)
def test_values_of_a_renamed_column_are_as_often(replica: list[int], *, same: bool) -> None:
    part: Any = SimpleNamespace(values=np.array([1, 1, 1, 2, *replica]))
    assert _as_often(part, np.arange(4), np.arange(4, 8)) is same


def test_a_number_is_its_ranks_about_their_middle_and_anything_else_a_code() -> None:
    values = np.array([3, np.nan, 1, 3, *range(11, 20)])
    number, ranks = _column(values)
    # ranks 1, 2.5 twice and 4 to 12, twice, less twice 6.5, their mean
    assert (number, ranks.tolist()) == (True, [-8, 0, -11, -8, *range(-5, 12, 2)])
    number, codes = _column(values[:4])
    assert (number, len(set(codes.tolist()))) == (False, 3)
    assert codes[0] == codes[3]


def test_a_table_up_to_names_by_hand() -> None:
    number, kind = (True, np.array([-3, -1, 1, 3])), (False, np.array([0, 1, 1, 1]))
    other = True, np.array([3, 1, -3, -1])
    assert _table(number, other) == _table(other, number) == 16  # |-9 - 1 - 3 - 3|
    assert _table(number, kind) == _table(kind, number) == ((1, -3), (3, 3))
    assert _table((True, -number[1]), kind) == ((1, -3), (3, 3))  # the other way round
    assert _table(kind, (False, np.array([0, 0, 0, 1]))) == (1, 1, 2)


@pytest.mark.parametrize(("keys", "times"), [([1, 1, 2], 1), ([1, 2, 2, 3], 1), ([1, 1, 2], 2)])
def test_the_chance_of_a_copy_is_that_of_a_random_division(keys: list[int], times: int) -> None:
    every = keys * (times + 1)
    parts = [sorted(every[i] for i in part) for part in combinations(range(len(every)), len(keys))]
    share = parts.count(sorted(keys)) / len(parts)
    assert chance_of_division(np.array(keys, np.uint64), times) == pytest.approx(share)


def test_other_people_of_few_kinds_are_no_copy() -> None:
    same = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        pair = [pd.DataFrame(rng.random((10, 2)) < 0.1, columns=["a", "b"]) for _ in "xy"]
        same += pair[0].value_counts().equals(pair[1].value_counts())
        assert Claim.COPY not in whose_records(records(*pair)).claims
    assert same >= 10


def test_a_copy_of_one_column_is_one_where_its_values_cannot_be_chance() -> None:
    original = pd.DataFrame({"income": np.random.default_rng(1).normal(size=40).round(3)})
    claims = whose_records(records(original, mixed(original))).claims
    assert claims == (Claim.COPY, Claim.FEW_COLUMNS)
    other = pd.DataFrame({"income": np.random.default_rng(2).normal(size=40).round(3)})
    assert whose_records(records(original, other)).claims == (Claim.FEW_COLUMNS,)


def pair_of_clusters(count: int, *, same: bool) -> tuple[Any, Any, tuple[Any, Any]]:
    """Return keys of clusters of two equal records and their copy, in the same clusters or not."""
    keys = np.repeat(np.arange(count, dtype=np.uint64), 2)
    numbers = np.repeat(np.arange(count), 2)
    return keys, keys[::-1], (numbers, numbers if same else np.roll(numbers, 1))


def test_the_chance_of_a_copy_exchanges_whole_clusters() -> None:
    rng = np.random.default_rng(3)
    keys, replica, numbers = pair_of_clusters(5, same=True)
    assert chance_of_copy(keys, replica, numbers, rng) == pytest.approx(2**5 / 252)  # of 10 over 5
    *pair, numbers = pair_of_clusters(5, same=False)
    alone = chance_of_division(keys, 1)
    assert chance_of_copy(*pair, numbers, rng) == pytest.approx(alone**0.5)
    assert chance_of_copy(*pair, (numbers[0], None), rng) == pytest.approx(alone**0.5)
    assert chance_of_copy(*pair, (None, None), rng) == pytest.approx(alone)


def test_a_copy_of_every_cluster_twice_is_of_two_parts_in_three() -> None:
    keys, _, (numbers, _) = pair_of_clusters(4, same=True)
    twice = np.concatenate([keys, keys]), np.concatenate([numbers, numbers + 4])
    chance = chance_of_copy(keys, twice[0], (numbers, twice[1]), np.random.default_rng(3))
    assert chance == pytest.approx(3**4 / 495)  # one of three each, of 12 over 4


def test_clusters_that_exchange_their_columns_are_others() -> None:
    """The sum of the keys of two records is the same where they exchange a column."""
    keys = np.array([1 + 10, 2 + 20, 5, 5], np.uint64)
    other = np.array([1 + 20, 2 + 10, 5, 5], np.uint64)
    numbers = np.array([0, 0, 1, 1])
    chance = chance_of_copy(keys, other, (numbers, numbers), np.random.default_rng(1))
    assert chance == pytest.approx(chance_of_division(keys, 1) ** 0.5)
