"""People and households with several records each: are their numbers in the replica?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.decision.status import Status
from sdcmetrics.errors import DataError
from sdcmetrics.measures.identifiers.places import IDENTIFIERS
from sdcmetrics.measures.pair import Pair
from sdcmetrics.review.decided import decided_by_study

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


def test_a_holdout_of_the_same_people_is_none() -> None:
    rng = np.random.default_rng(5)
    everybody = records(rng, sparse(rng, 200))
    part = rng.random(len(everybody)) < 0.6
    original, rest = everybody[part], everybody[~part]
    fresh = records(rng, sparse(rng, 150))
    (entry,) = sdc.identifiers(original, fresh, rest).each
    both = set(original["patient_no"]) & set(rest["patient_no"])
    assert (entry.split, entry.in_holdout, entry.hit) == (True, len(both), False)
    assert f": {len(both)} of {original['patient_no'].nunique()} different" in entry.of_holdout
    (apart,) = sdc.identifiers(original, fresh, records(rng, sparse(rng, 90))).each
    assert (apart.split, apart.in_holdout, apart.of_holdout) == (False, 0, "")
    # numbers that are dense may have been given anew in each file
    dense = original.assign(patient_no=original["patient_no"].rank(method="dense") * 2)
    (asked,) = sdc.identifiers(dense, fresh, dense.assign(patient_no=dense["patient_no"] // 2)).each
    assert not asked.split
    assert "To ask: are they the same people?" in asked.of_holdout
    with pytest.raises(DataError, match=f"{len(both)} persons are also in original"):
        sdc.Study(
            original, {"a": fresh}, holdout=rest, keys=["days"], targets=["ward"],
            sample={"person": "patient_no"},
        )  # fmt: skip
    for column in (
        [1, 1, 2, 3] * 10,
        [1, None, 2, 3] * 10,
        [*range(4, 7), 9] * 10,
        ["a", "b", "c", "d"] * 10,
    ):
        frame = pd.DataFrame({"pid": column, "days": [*"abcd"] * 10, "ward": [*"xy"] * 20})
        other = frame.assign(days=frame["days"].iloc[::-1].to_numpy())
        declared: Any = {"keys": ["days"], "targets": ["ward"], "sample": {"person": "pid"}}
        if column[0] == 1:  # each file numbers its own from 1
            sdc.Study(frame, {"a": frame}, holdout=other, **declared)
            continue
        with pytest.raises(DataError, match="4 persons are also in original"):
            sdc.Study(frame, {"a": frame}, holdout=other, **declared)


def test_a_review_lists_that_its_holdout_has_people_of_the_original() -> None:
    rng = np.random.default_rng(6)
    everybody = records(rng, sparse(rng, 120))
    part = rng.random(len(everybody)) < 0.6
    study = sdc.Study(
        everybody[part], {"a": records(rng, sparse(rng, 80))}, holdout=everybody[~part],
        keys=["days"], targets=["ward"], variables=["days", "ward"],
    )  # fmt: skip
    pair = Pair("a", study.original, study.replicas["a"], study.holdout, variables=["days"])
    list(IDENTIFIERS.places(pair, study, lambda _: None))
    assert any("stand in the holdout too, more than by chance" in str(fix) for fix in pair.fixes)


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
        assert given.result.sources == tuple(part.source for part in pair.syntheses)
    assert hits == {"taken": [(name,)], "fresh": [], "without": []}


def test_columns_that_nothing_compares_leave_the_first_question_open() -> None:
    rng = np.random.default_rng(8)

    def frame(n: int) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "a": rng.choice([*"xyz"], n), "b": rng.choice([*"uv"], n),
                "c": rng.integers(0, 50, n), "q": rng.normal(size=n),
                "mail": [f"p{i}@x.org" for i in rng.integers(0, 10**9, n)], "w": np.ones(n),
            }
        )  # fmt: skip

    original, fresh = frame(400), frame(400)
    part = fresh.drop(columns="c")
    replicas = {
        "all": fresh,
        "second": [part, fresh],
        "part": part,  # a quantity of its own, and an identifier that is looked for
        "taken": part.assign(q=original["q"]),
        "own": part.assign(d=1),  # the original has no such column
    }
    study = sdc.Study(
        original, replicas, keys=["a"], targets=["b"], variables=["a", "b"],
        holdout=frame(300), sample={"weight": "w"},
    )  # fmt: skip
    decisions = {d.replica: d for d in decided_by_study(sdc.conduct(study))}
    words = {name: " ".join(map(str, d.risk.statements)) for name, d in decisions.items()}
    named = {name: text.partition("set of keys: ")[2][:2] for name, text in words.items()}
    assert named == {"all": "c.", "second": "c.", "part": "", "taken": "q.", "own": ""}
    assert decisions["all"].risk.status == Status.NOT_JUDGED


def test_quantities_of_the_holdout_say_nothing_of_a_split() -> None:
    rng = np.random.default_rng(31)
    both = pd.DataFrame(
        {"mail": [f"p{i * i}@example.org" for i in range(80)], "pay": rng.normal(size=80)}
    )
    replica = pd.DataFrame({"mail": [f"q{i}@example.org" for i in range(80)], "pay": range(80)})
    result = sdc.identifiers(both, replica, both.sample(frac=1, random_state=1))
    assert {entry.name: entry.split for entry in result.each} == {"mail": True, "pay": False}


def spells(rng: np.random.Generator, people: int, name: str) -> pd.DataFrame:
    """Return periods of employment, the last of which end when the survey does."""
    number = np.repeat(rng.permutation(5 * people)[:people], rng.integers(1, 6, people))
    n = len(number)
    end = pd.Timestamp("2012-01-01") + pd.to_timedelta(rng.integers(0, 3_000, n), "D")
    last = np.append(number[1:] != number[:-1], True)
    end = end.where(~last, pd.Timestamp("2021-12-31"))
    texts = [f"P{i:05}" for i in number]
    return pd.DataFrame({name: texts if name == "worker" else number, "end": end})


@pytest.mark.parametrize("name", ["pid", "worker"])
def test_what_a_person_has_once_by_design_names_nobody_with_its_number(name: str) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        original, fresh = (spells(rng, 250, name) for _ in range(2))
        result = sdc.identifiers(original, fresh)
        assert [hit.columns for hit in result.hits] == []
        assert all(len(entry.columns) == 1 for entry in result.each)


def test_columns_of_which_sets_repeat_by_chance_are_looked_at_together() -> None:
    rng = np.random.default_rng(3)
    day = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, 600), "D")
    original = pd.DataFrame({"name": rng.choice([f"n{i}" for i in range(250)], 600), "day": day})
    (hit,) = sdc.identifiers(original, original.sample(frac=1, random_state=1)).hits
    assert hit.columns == ("name", "day")
