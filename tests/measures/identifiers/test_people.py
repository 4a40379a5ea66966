"""People and households with several records each: are their numbers in the replica?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.identifiers.places import IDENTIFIERS
from sdcmetrics.measures.pair import Pair

SEEDS = range(12)


def sparse(rng: np.random.Generator, people: int) -> np.ndarray:
    """Draw numbers of a register, each once."""
    return rng.choice(9_000_000, people, replace=False) + 1_000_000


def by_place(rng: np.random.Generator, people: int) -> np.ndarray:
    """Number the people of each of some places from 1: 1001, 1002, ..., 2001, ..."""
    sizes = rng.integers(5, 30, people // 17)
    return np.concatenate([1_000 * i + np.arange(1, n + 1) for i, n in enumerate(sizes, 1)])


def records(rng: np.random.Generator, people: np.ndarray, name: str = "patient_no") -> pd.DataFrame:
    """Return one to four visits of each."""
    ids = np.repeat(people, rng.integers(1, 5, len(people)))
    return pd.DataFrame(
        {name: ids, "days": rng.poisson(5, len(ids)), "ward": rng.choice([*"AB"], len(ids))}
    )


@pytest.mark.parametrize("with_holdout", [False, True])
def test_numbers_of_people_that_were_taken_over_are_hits(*, with_holdout: bool) -> None:
    rng = np.random.default_rng(1)
    everybody = sparse(rng, 300)
    original, aside = records(rng, everybody[:200]), records(rng, everybody[200:])
    fresh = records(rng, sparse(rng, 200))
    drawn = original.apply(rng.permutation)
    holdout = aside if with_holdout else None
    (hit,) = sdc.identifiers(original, drawn, holdout).hits
    assert (hit.columns, hit.shared, hit.distinct) == (("patient_no",), 200, 200)
    assert hit.records == len(original)
    assert not sdc.identifiers(original, fresh, holdout).hits
    few = pd.concat([original[original["patient_no"].isin(everybody[:10])], fresh])
    assert sdc.identifiers(original, few, holdout).hits  # ten in 200


@pytest.mark.parametrize("scheme", [sparse, by_place])
def test_people_numbered_anew_by_the_same_rule_are_no_hits(scheme: Any) -> None:
    hits = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        original, fresh = (records(rng, scheme(rng, 300)) for _ in range(2))
        hits += bool(sdc.identifiers(original, fresh).hits)
    assert hits <= 1  # 1 % each


def test_people_numbered_one_after_the_other_are_nobody() -> None:
    rng = np.random.default_rng(2)
    original = records(rng, np.arange(1, 101))
    result = sdc.identifiers(original, original)
    (running,) = result.running
    assert running.sentence(["r"]).endswith(
        "they number whoever the records belong to, and name nobody."
    )
    assert not result.hits


def test_schools_are_no_people() -> None:
    rng = np.random.default_rng(3)
    original = records(rng, sparse(rng, 60), "school_id")
    assert not sdc.identifiers(original, original.sample(frac=1, random_state=1)).each


@pytest.mark.parametrize("role", ["person", "household", "cluster"])
def test_columns_of_the_sample_are_looked_at_though_they_are_set_aside(role: str) -> None:
    rng = np.random.default_rng(4)
    name = "hid" if role == "cluster" else "z"  # a cluster may be a village: by its name only
    original = records(rng, sparse(rng, 80), name)
    fresh = records(rng, sparse(rng, 80), name)
    taken = original.apply(rng.permutation)
    study = sdc.Study(
        original,
        {"taken": taken, "fresh": fresh, "without": fresh.drop(columns=name)},
        keys=["days"],
        targets=["ward"],
        sample={role: name},
    )
    assert name not in study.original.columns
    hits = {}
    for replica, syntheses in study.replicas.items():
        pair = Pair(replica, study.original, syntheses, None, variables=study.options.variables)
        (given,) = IDENTIFIERS.places(pair, study, lambda _: None)
        hits[replica] = [hit.columns for hit in given.result.hits]
    assert hits == {"taken": [(name,)], "fresh": [], "without": []}
