"""Strata that a study does not name, by their names and by counts that are fixed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics.measures.homogeneity.fixed_strata import (
    _has_same_counts,
    _is_fixed,
    is_strata_name,
    suspected_strata,
)
from sdcmetrics.measures.records import records_of
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise


def suspected(original: pd.DataFrame, replica: pd.DataFrame) -> str:
    data = harmonise(as_microdata(original, "o"), [as_microdata(replica, "r")])
    return suspected_strata(records_of(data).columns)


def sample(seed: int, strata: int = 12, each: int = 5) -> pd.DataFrame:
    """Draw so many records of each district, which has a density of its own."""
    rng = np.random.default_rng(seed)
    district = rng.permutation(np.repeat(np.arange(strata), each))
    n = len(district)
    return pd.DataFrame(
        {
            "density": np.linspace(1, 9, strata).round(3)[district],
            "district": np.array([f"d{i}" for i in range(strata)])[district],
            "age": rng.integers(20, 60, n),
            "sex": rng.choice([*"fm"], n),
            "income": rng.integers(0, 900, n),
        }
    )


@pytest.mark.parametrize("name", ["stratum", "STRATA", "v_strata", "SDMVSTRA", "strat_id"])
def test_names_of_strata(name: str) -> None:
    assert is_strata_name(name)
    assert not is_strata_name(f"{name}egy")


def test_values_that_occur_as_often_in_both_files_are_strata() -> None:
    # of two that tell the same, the one of words
    assert suspected(sample(1), sample(2)) == "district"
    named = sample(1).rename(columns={"density": "stratum"})
    assert suspected(named, sample(2).rename(columns={"density": "stratum"})) == "stratum"
    assert suspected(sample(1), sample(2, each=15)) == "district"  # three times as many of each


def test_files_that_were_drawn_one_by_one_have_none() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        files = [sample(1).iloc[rng.integers(0, 60, 60)] for _ in range(2)]
        assert suspected(*files) == ""
    few = sample(1, strata=4, each=30)
    assert suspected(few, sample(2, strata=4, each=30)) == ""  # as by chance


def test_a_copy_has_none() -> None:
    assert suspected(sample(1), sample(1).sample(frac=1, random_state=3)) == ""
    half = sample(2).assign(age=sample(1)["age"], sex=sample(1)["sex"])
    assert suspected(sample(1), half) == ""
    alone = sample(1)[["district", "density"]]
    assert suspected(alone, sample(2)[["district", "density"]]) == ""


def test_of_a_replica_of_few_records_no_column_has_the_same_counts() -> None:
    rng = np.random.default_rng(1)
    benefit = np.where(rng.random(400) < 0.8, np.nan, rng.integers(0, 60, 400))
    original = pd.DataFrame({"benefit": benefit, "a": rng.random(400), "b": rng.random(400)})
    single = pd.DataFrame({"benefit": [np.nan], "a": [0.5], "b": [0.5]})
    assert suspected(original, single) == ""


def test_counts_are_fixed_where_files_drawn_one_by_one_are_hardly_ever_so_near() -> None:
    found = []
    for moved in range(40):
        sizes = np.array([3000, 2000, 2000, 1000, 500])
        other = 2 * sizes + moved * np.array([1, -1, 0, 0, 0])
        test = stats.chi2_contingency([sizes, other], correction=False)
        by_chance = stats.chi2.cdf(test.statistic, test.dof)
        fixed = _is_fixed(*(np.repeat(np.arange(5), counts) for counts in (sizes, other)))
        assert fixed is bool(by_chance <= 1e-6)
        found.append(fixed)
    assert 2 < sum(found) < 20
    assert not _is_fixed(np.arange(5).repeat(1), np.arange(5).repeat(2))  # two of each at least
    assert _is_fixed(np.arange(5).repeat(2), np.arange(5).repeat(2))
    assert not _is_fixed(np.arange(4).repeat(9), np.arange(4).repeat(9))  # and five levels


@pytest.mark.parametrize(("levels", "same"), [([0, 0, 1], True), ([0, 1, 1], False), ([0], False)])
def test_the_same_counts_are_those_of_each_level_of_either_file(
    levels: list[int], *, same: bool
) -> None:
    sides = np.array([0, 0, 0, 0, 1, 1]), np.array(levels)
    assert _has_same_counts(*sides) is same
    assert _has_same_counts(*sides[::-1]) is same
