from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import Claim, whose_records
from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.copies import is_copy, is_renamed, may_be_copy
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
    ("replica", "copy"),
    [
        ([2, 1, 1], True),
        ([1, 1, 2, 1, 2, 1], True),
        ([1, 2, 2], False),
        ([1, 2], False),
        ([], False),
    ],
)
def test_a_copy_has_every_record_equally_often(replica: list[int], *, copy: bool) -> None:
    keys = [np.array(part, np.uint64) for part in ([1, 1, 2], replica)]
    assert is_copy(*keys) is copy
