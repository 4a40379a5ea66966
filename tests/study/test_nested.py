"""Clusters that are numbered within strata, and households within clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.survey.design import PARTS_OF_CLUSTERS
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.study.nested import (
    HOUSEHOLDS_OF_CLUSTERS,
    with_nested_clusters,
    with_nested_households,
)


def told_apart(original: pd.DataFrame, *others: pd.DataFrame) -> list[Microdata]:
    files = [as_microdata(frame, f"file {i}") for i, frame in enumerate((original, *others))]
    return with_nested_clusters(
        files[0], files[1:], strata="st", cluster="psu", roles={"st", "psu"}
    )


def clusters(data: Microdata) -> list[Any]:
    return data.table["psu"].to_pylist()  # type: ignore[no-any-return]


def survey(rng: np.random.Generator, effects: Any) -> pd.DataFrame:
    """Draw four records of each cluster of six strata, with an effect of each cluster."""
    st, psu = np.repeat(np.arange(6), 20), np.tile(np.repeat([1, 2, 3, 4, 5], 4), 6)
    income = effects[st, psu - 1] + rng.normal(size=120)
    return pd.DataFrame({"st": st, "psu": psu, "income": income, "id": np.arange(120)})


def test_one_of_each_stratum_is_another() -> None:
    original = pd.DataFrame({"st": list("aaabbb"), "psu": [1, 1, 2, 1, 2, None], "x": range(6)})
    replica = pd.DataFrame({"st": list("bab"), "psu": [2, 1, 1], "x": range(3)})
    lacks, alone = replica.drop(columns="st"), replica.drop(columns="psu")
    first, *others = told_apart(original, replica, lacks, alone)
    assert clusters(first) == [1, 1, 2, 3, 4, None]
    assert clusters(others[0]) == [2, 0, 1]
    assert others[1].columns == ["x"]
    assert others[2].columns == ["st", "x"]
    assert [fix.what for fix in first.fixes] == [PARTS_OF_CLUSTERS]
    assert [len(data.fixes) for data in others] == [0, 1, 0]


def test_clusters_of_one_stratum_each_stay_as_they_are() -> None:
    frame = pd.DataFrame({"st": list("aabb"), "psu": [7, 8, 9, 9], "x": range(4)})
    assert clusters(told_apart(frame)[0]) == [7, 8, 9, 9]


def test_clusters_that_strata_cross_stay_whole() -> None:
    rng = np.random.default_rng(1)
    numbered = survey(rng, 3 * rng.normal(size=(6, 5)))  # though they run in the file's order
    assert max(clusters(told_apart(numbered)[0])) == 29
    crossed = survey(rng, np.tile(3 * rng.normal(size=5), (6, 1)))
    assert max(clusters(told_apart(crossed)[0])) == 5


def test_who_belongs_together_does_not_depend_on_how_clusters_are_numbered() -> None:
    rng = np.random.default_rng(2)
    nested = survey(rng, rng.normal(size=(6, 5))).assign(sex=rng.choice(["f", "m"], 120))
    unique = nested.assign(psu=nested["st"] * 10 + nested["psu"])
    numbers = []
    for frame in (nested, unique):
        sample = {"strata": "st", "cluster": "psu"}
        study = sdc.Study(frame, {"copy": frame}, keys=["sex"], targets=["income"], sample=sample)
        assert study.sample is not None
        own = study.sample.syntheses[study.replicas["copy"][0].source]
        numbers += [study.sample.numbers_together, np.unique(clusters(own), return_inverse=True)[1]]
    assert all(np.array_equal(numbers[0], each) for each in numbers)


def with_own_households(original: pd.DataFrame, *others: pd.DataFrame) -> list[Microdata]:
    files = [as_microdata(frame, f"file {i}") for i, frame in enumerate((original, *others))]
    return with_nested_households(
        files[0], files[1:], groups="psu", household="home", within="clusters",
        roles={"psu", "home"},
    )  # fmt: skip


def homes(data: Microdata) -> list[Any]:
    return data.table["home"].to_pylist()  # type: ignore[no-any-return]


def test_a_household_of_each_cluster_is_another() -> None:
    original = pd.DataFrame({"psu": list("aabbc"), "home": [1, 1, 1, 2, 1], "x": [1, 2, 3, 4, 5]})
    replica = pd.DataFrame({"psu": list("bab"), "home": [2, 1, 1], "x": range(3)})
    lacks, single = replica.drop(columns="psu"), replica.drop(columns="home")
    first, *others = with_own_households(original, replica, lacks, single)
    assert homes(first) == [0, 0, 1, 2, 3]
    assert homes(others[0]) == [2, 0, 1]
    assert others[1].columns == ["x"]
    assert others[2].columns == ["psu", "x"]
    assert [fix.what for fix in first.fixes] == [HOUSEHOLDS_OF_CLUSTERS.format("clusters")]
    assert [fix.what for data in others for fix in data.fixes] == [
        "households are numbered within clusters, which it lacks: who belongs together is not known"
    ]


@pytest.mark.parametrize(
    ("home", "own"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8], False),
        ([1, 1, 3, 4, 5, 6, 7, 8], False),  # one that moved
        ([1, 1, 1, 4, 5, 6, 7, 8], False),  # in a half of them
        ([1, 1, 1, 1, 5, 6, 7, 8], True),
    ],
)
def test_a_few_that_moved_stay_one(home: list[int], own: bool) -> None:
    frame = pd.DataFrame({"psu": list("abcdefff"), "home": home, "x": range(8)})
    expected = [0, 1, 2, 3, 4, 5, 6, 7] if own else home
    assert homes(with_own_households(frame)[0]) == expected


def test_households_that_come_again_stay_one() -> None:
    rng = np.random.default_rng(3)
    wave, home = np.repeat(np.arange(4), 40), np.tile(np.arange(40), 4)
    again = pd.DataFrame({"psu": wave, "home": home, "income": rng.normal(size=40)[home]})
    again["income"] += 0.5 * rng.normal(size=160)
    assert homes(with_own_households(again)[0]) == home.tolist()
    anew = again.assign(income=rng.normal(size=160))
    assert len(set(homes(with_own_households(anew)[0]))) == 160


@pytest.mark.parametrize(
    ("sample", "own"),
    [
        ({"strata": "st", "cluster": "psu", "household": "home"}, 40),
        ({"strata": "st", "household": "home"}, 8),
        ({"cluster": "area", "household": "home"}, 40),
        ({"cluster": "home", "household": "home"}, 4),
        ({"household": "home"}, 4),
    ],
)
def test_a_study_tells_households_apart(sample: dict[str, str], own: int) -> None:
    rng = np.random.default_rng(4)
    st, psu = np.repeat([0, 1], 60), np.tile(np.repeat([1, 2, 3, 4, 5], 12), 2)
    home = np.tile(np.repeat([1, 2, 3, 4], 3), 10)
    frame = pd.DataFrame({"st": st, "psu": psu, "area": st * 5 + psu, "home": home})
    frame = frame.assign(income=rng.normal(size=120).round(3), sex=rng.choice(["f", "m"], 120))
    study = sdc.Study(frame, {"r": frame}, keys=["sex"], targets=["income"], sample=sample)
    assert study.sample is not None
    assert study.sample.households is not None
    assert study.sample.households.max() + 1 == own
    replica = study.sample.syntheses[study.replicas["r"][0].source]
    assert len(set(homes(replica))) == own


def test_columns_that_are_left_out_of_a_file_are_listed_with_it() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"psu": np.repeat([1, 2, 3], 20), "home": np.tile([1, 2, 3, 4], 15)})
    frame = frame.assign(income=rng.normal(size=60).round(3), sex=rng.choice(["f", "m"], 60))
    files = {"whole": frame, "lacking": frame.drop(columns="psu")}
    study = sdc.Study(
        frame, files, keys=["sex"], targets=["income"],
        sample={"cluster": "psu", "household": "home"},
    )  # fmt: skip
    listed = [(name, fix) for name, fix in sdc.conduct(study).fixes if "numbered" in fix.what]
    assert [(name, fix.column, fix.compared) for name, fix in listed] == [
        ("lacking", "home", True),  # and so in no edition for outside
        ("original", "home", False),
    ]
