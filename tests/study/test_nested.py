"""Clusters that are numbered within strata."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.measures.survey.design import PARTS_OF_CLUSTERS
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.study.nested import with_nested_clusters


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
