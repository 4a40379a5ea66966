"""Samples of few households per stratum: what the design fixes is no sign of copied people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.decision.status import Status
from sdcmetrics.measures.people.subject import _without_fixed
from sdcmetrics.measures.records import Column, records_of
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise

STRATA = 100


def drawn(seed: int, homes: int = 2) -> pd.DataFrame:
    """Draw new households in each stratum of one population, which differ between strata."""
    levels = np.random.default_rng(99).normal(0, 1, (STRATA, 3))
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(STRATA * homes), rng.choice([1, 2, 3], STRATA * homes))
    stratum = home // homes
    n = len(home)
    own = rng.normal(0, 0.4, (STRATA * homes, 3))[home] + rng.normal(0, 0.5, (n, 3))
    data = pd.DataFrame({"home": home, "stratum": stratum + 1, "area": stratum // 25})
    data["sex"] = rng.choice(["f", "m"], n)
    data["age"] = rng.integers(0, 95, n)
    for i in range(3):
        data[f"x{i}"] = np.clip(np.round(3 + 1.5 * (levels[stratum, i] + own[:, i])), 0, 7)
    return data


def status_of(original: pd.DataFrame, replica: pd.DataFrame) -> Status:
    study = sdc.Study(
        original,
        {"one": replica},
        keys=["sex", "age"],
        targets=["x0"],
        sample={"strata": "stratum", "household": "home"},
        candidates=0,
        permutations=0,
        perturbed=(),
    )
    return sdc.conduct(study).decisions["one"].risk.status


@pytest.mark.parametrize("seed", [2, 16])
def test_other_people_of_the_same_strata_are_not_taken_for_copies(seed: int) -> None:
    assert status_of(drawn(seed), drawn(seed + 1)) is Status.WITHIN


def test_a_tenth_of_the_households_and_a_copy_are_noticed() -> None:
    original, other = drawn(10), drawn(11)
    tenth = original["home"] % 10 == 0
    part = pd.concat([other[other["home"] % 10 != 0], original[tenth]], ignore_index=True)
    assert status_of(original, part) is Status.REVIEW
    shuffled = original.sample(frac=1, random_state=1).reset_index(drop=True)
    assert status_of(original, shuffled) is Status.FAIL


def columns_left(strata: list[int], home: list[int]) -> tuple[str, ...]:
    data = pd.DataFrame({"stratum": strata, "home": home})
    data["area"] = data["stratum"] // 5
    data["dwelling"] = data["home"] % 2
    data["age"] = np.arange(len(data)) % 7
    given = as_microdata(data, "original")
    records = records_of(
        harmonise(given, [given], variables=["stratum", "area", "dwelling", "age"])
    )
    home_codes = data["home"].to_numpy(dtype=float)
    records = replace(records, cluster=Column("home", Kind.NUMBER, home_codes, home_codes))
    return _without_fixed(records, Sample(given, strata="stratum", household="home")).names


class TestColumns:
    def test_that_are_the_same_throughout_small_strata_are_left_out(self) -> None:
        strata = np.repeat(np.arange(20), 4).tolist()
        assert columns_left(strata, np.repeat(np.arange(40), 2).tolist()) == ("dwelling", "age")

    def test_of_households_alone_in_their_stratum_are_no_matter_of_strata(self) -> None:
        homes = np.repeat(np.arange(40), 2).tolist()
        strata = [min(home, 35) for home in homes]
        assert columns_left(strata, homes) == ("area", "dwelling", "age")

    def test_of_large_strata_are_all_looked_at(self) -> None:
        strata = np.repeat(np.arange(4), 20).tolist()
        assert len(columns_left(strata, np.repeat(np.arange(40), 2).tolist())) == 4
