"""Populations in which records belong together, drawn anew cluster by cluster, without end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pandas as pd

Rng = np.random.Generator
Draw = TypeVar("Draw", bound=Callable[..., pd.DataFrame])

CLUSTER = "cluster"
"""The column that says which records belong together; numbered from 0 in every draw."""

CLUSTERS: dict[str, Callable[[Rng, int], pd.DataFrame]] = {}
"""By name: draws so many clusters."""


def _kind(draw: Draw) -> Draw:
    CLUSTERS[draw.__name__.replace("_", " ")] = draw
    return draw


def _names(values: np.ndarray, letter: str) -> np.ndarray:
    return np.char.add(letter, values.astype(str))


def _within(sizes: np.ndarray) -> np.ndarray:
    """Number the records of each cluster from 0."""
    return np.concatenate([np.arange(size) for size in sizes])


@_kind
def households(rng: Rng, n: int) -> pd.DataFrame:
    """Couples of two sexes and like ages, and their children."""
    sizes = rng.choice(5, n, p=[0.3, 0.33, 0.16, 0.14, 0.07]) + 1
    home, place = np.repeat(np.arange(n), sizes), _within(sizes)
    head, age = rng.integers(0, 2, n)[home], rng.integers(20, 90, n)[home]
    members = len(home)
    sex = np.select([place == 0, place == 1], [head, 1 - head], rng.integers(0, 2, members))
    years = np.where(
        place < 2,
        age + rng.integers(-4, 5, members),
        np.maximum(age - rng.integers(20, 40, members), 0),
    )
    school = np.clip(rng.integers(0, 4, n)[home] + rng.integers(-1, 2, members), 0, 5)
    work = np.where(years < 16, 0, 1 + (2 * school + rng.poisson(2, members)) % 12)
    return pd.DataFrame(
        {
            CLUSTER: home,
            "region": _names(rng.integers(0, 16, n)[home], "r"),
            "tenure": _names(rng.integers(0, 3, n)[home], "t"),
            "role": np.array(["head", "partner", "child", "child", "other"])[place],
            "sex": _names(sex, "s"),
            "age": years,
            "school": _names(school, "e"),
            "work": _names(work, "w"),
        }
    )


@_kind
def panel(rng: Rng, n: int, waves: int = 5) -> pd.DataFrame:
    """Persons in every wave, of whom one of ten changes jobs."""
    person, wave = np.repeat(np.arange(n), waves), np.tile(np.arange(waves), n)
    records = len(person)
    work = np.where(
        rng.random(records) < 0.1, rng.integers(0, 15, records), rng.integers(0, 15, n)[person]
    )
    return pd.DataFrame(
        {
            CLUSTER: person,
            "wave": _names(wave, "w"),
            "sex": _names(rng.integers(0, 2, n)[person], "s"),
            "region": _names(rng.integers(0, 12, n)[person], "r"),
            "born": rng.integers(1940, 2003, n)[person],
            "work": _names(work, "j"),
            "status": _names((work + (rng.random(records) < 0.2)) % 4, "e"),
            "income": np.exp(rng.normal(7, 0.4, n)[person] + rng.normal(0, 0.15, records)).round(2),
        }
    )


@_kind
def panel_with_gaps(rng: Rng, n: int) -> pd.DataFrame:
    """Persons who come and go."""
    frame = panel(rng, n, waves=6)
    person, wave = frame[CLUSTER].to_numpy(), np.tile(np.arange(6), n)
    first = rng.integers(0, 4, n)[person]
    last = first + rng.integers(1, 5, n)[person]
    part: pd.DataFrame = frame[(wave >= first) & (wave < last)]
    return part.reset_index(drop=True)


@_kind
def rotating_panel(rng: Rng, n: int) -> pd.DataFrame:
    """Cohorts of which everybody is asked in four quarters in a row."""
    cohort = rng.integers(0, 20, n)
    person = np.repeat(np.arange(n), 4)
    work = rng.integers(0, 12, n)[person]
    status = np.where(rng.random(4 * n) < 0.8, work % 4, rng.integers(0, 4, 4 * n))
    return pd.DataFrame(
        {
            CLUSTER: person,
            "cohort": _names(cohort[person], "c"),
            "quarter": _names(cohort[person] + np.tile(np.arange(4), n), "q"),
            "region": _names(rng.integers(0, 9, n)[person], "r"),
            "work": _names(work, "j"),
            "status": _names(status, "e"),
        }
    )


@_kind
def schools(rng: Rng, n: int) -> pd.DataFrame:
    """Some 25 pupils each of schools that differ, a fifth as many schools."""
    n = max(n // 5, 4)
    sizes = rng.integers(15, 35, n)
    school = np.repeat(np.arange(n), sizes)
    pupils, level = len(school), rng.normal(0, 1, n)[school]
    speaks = np.where(rng.random(pupils) < 0.6, 0, rng.integers(1, 12, pupils))
    return pd.DataFrame(
        {
            CLUSTER: school,
            "kind": _names(rng.integers(0, 4, n)[school], "k"),
            "district": _names(rng.integers(0, 9, n)[school], "d"),
            "sex": _names(rng.integers(0, 2, pupils), "s"),
            "mark": _names(np.clip(np.round(3 + level + rng.normal(0, 1, pupils)), 1, 6), "m"),
            "speaks": _names(speaks, "l"),
            "score": np.round(500 + 60 * level + rng.normal(0, 80, pupils)),
            "books": _names(np.clip(rng.poisson(2 + np.maximum(level, 0)), 0, 9), "b"),
        }
    )


@_kind
def events(rng: Rng, n: int) -> pd.DataFrame:
    """Purchases of customers, six of ten of what each likes best."""
    user = np.repeat(np.arange(n), np.minimum(1 + rng.geometric(0.25, n), 40))
    purchases = len(user)
    likes = rng.integers(0, 20, n)[user]
    return pd.DataFrame(
        {
            CLUSTER: user,
            "home": _names(rng.integers(0, 10, n)[user], "h"),
            "device": _names(rng.integers(0, 3, n)[user], "d"),
            "item": _names(
                np.where(rng.random(purchases) < 0.6, likes, rng.integers(0, 20, purchases)), "i"
            ),
            "hour": _names(rng.integers(0, 24, purchases), "o"),
            "day": _names(rng.integers(0, 7, purchases), "w"),
            "price": np.round(np.exp(rng.normal(2, 1, purchases)), 2),
        }
    )


@_kind
def stays(rng: Rng, n: int) -> pd.DataFrame:
    """Stays in hospital, half of them for what a patient has had before."""
    patient = np.repeat(np.arange(n), 1 + rng.poisson(1.2, n))
    records = len(patient)
    before, now = rng.integers(0, 40, n)[patient], rng.integers(0, 40, records)
    ill = np.where(rng.random(records) < 0.5, before, now)
    return pd.DataFrame(
        {
            CLUSTER: patient,
            "sex": _names(rng.integers(0, 2, n)[patient], "s"),
            "age": rng.integers(0, 95, n)[patient],
            "diagnosis": _names(ill, "d"),
            "ward": _names((ill // 4 + (rng.random(records) < 0.2)) % 10, "w"),
            "days": rng.poisson(3, records),
            "leaves": _names(rng.integers(0, 5, records), "l"),
        }
    )


@_kind
def matched_pairs(rng: Rng, n: int) -> pd.DataFrame:
    """A case and a control of one age, sex and hospital."""
    pair, case = np.repeat(np.arange(n), 2), np.tile([0, 1], n)
    return pd.DataFrame(
        {
            CLUSTER: pair,
            "case": _names(case, "c"),
            "age": _names(rng.integers(0, 12, n)[pair], "a"),
            "sex": _names(rng.integers(0, 2, n)[pair], "s"),
            "hospital": _names(rng.integers(0, 10, n)[pair], "h"),
            "exposed": _names(rng.integers(0, 8, 2 * n), "e"),
            "smokes": _names(rng.random(2 * n) < 0.3 + 0.2 * case, "m"),
            "weight": _names(rng.integers(0, 9, 2 * n), "w"),
        }
    )


@_kind
def ranked_items(rng: Rng, n: int) -> pd.DataFrame:
    """Everybody ranks eight items, each once."""
    likes = rng.normal(size=(n, 8)) + 0.3 * np.arange(8)
    person = np.repeat(np.arange(n), 8)
    return pd.DataFrame(
        {
            CLUSTER: person,
            "item": _names(np.tile(np.arange(8), n), "i"),
            "rank": _names(likes.argsort(axis=1).argsort(axis=1).ravel(), "p"),
            "sex": _names(rng.integers(0, 2, n)[person], "s"),
            "region": _names(rng.integers(0, 9, n)[person], "r"),
            "seconds": _names(rng.integers(0, 6, 8 * n), "t"),
        }
    )


@_kind
def teams(rng: Rng, n: int) -> pd.DataFrame:
    """Five members each, whom the kind of a team fixes."""
    kind, of_kind = rng.integers(0, 8, n), np.random.default_rng(0).integers(0, 15, (8, 5))
    team = np.repeat(np.arange(n), 5)
    return pd.DataFrame(
        {
            CLUSTER: team,
            "kind": _names(kind[team], "k"),
            "member": _names(of_kind[kind].ravel(), "m"),
            "task": _names(rng.integers(0, 7, 5 * n), "t"),
            "town": _names(rng.integers(0, 7, n)[team], "o"),
        }
    )
