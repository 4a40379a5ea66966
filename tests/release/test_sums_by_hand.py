"""The sums that noise is added to, counted again record by record."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release.public import Public
from sdcmetrics.release.questions import REPLICATED, questions_of, sum_of
from sdcmetrics.release.sums import exact_sums
from tests.release.studies import COLUMNS, confidential, people, public_of, write_study

NAMES = ["sex", "region", "seen"]
REPLICAS = {"cart": (1,), "other": (2, 3)}
"""Seeds of the files of each replica, as the study has them."""


@pytest.fixture(scope="module")
def sets() -> tuple[pd.DataFrame, pd.DataFrame]:
    return people(90, 5), people(40, 6)


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory, sets: tuple[pd.DataFrame, ...]) -> Public:
    folder: Path = tmp_path_factory.mktemp("sums")
    return public_of(
        write_study(folder, *sets, more='[options]\nvariables = ["age", "sex", "region", "seen"]\n')
    )


def sums(
    public: Public, sets: tuple[pd.DataFrame, ...], measure: str
) -> dict[tuple[str, tuple[str, ...]], tuple[int, ...]]:
    given = confidential(*sets)
    return {
        (question.replica, question.place.variables): exact_sums(question, public, given)
        for question in questions_of(public)
        if question.measure == measure
    }


def to_move(original: pd.DataFrame, replica: pd.DataFrame, names: list[str]) -> Fraction:
    """Return how many people would have to have other values for the replica's shares."""
    counts, shares = (Counter(map(tuple, frame[names].to_numpy())) for frame in (original, replica))
    n, m = len(original), len(replica)
    cells = counts.keys() | shares.keys()
    return sum((abs(counts[c] - Fraction(n * shares[c], m)) for c in cells), Fraction(0)) / 2


@pytest.mark.parametrize("replica", REPLICAS)
@pytest.mark.parametrize("name", NAMES)
def test_people_to_move_of_one_column(
    public: Public, sets: tuple[pd.DataFrame, ...], replica: str, name: str
) -> None:
    moved = [to_move(sets[0], people(120, seed), [name]) for seed in REPLICAS[replica]]
    mean = sum(moved, Fraction(0)) / len(moved)
    assert sums(public, sets, "TVD")[replica, (name,)] == (int(mean + Fraction(1, 2)),)


def test_people_by_the_nearest_record_of_a_replica(
    public: Public, sets: tuple[pd.DataFrame, ...]
) -> None:
    given = confidential(*sets)
    asked = [question for question in questions_of(public) if question.measure == "nearest"]
    assert {question.replica for question in asked} == {*REPLICAS}
    for question in asked:
        seeds = REPLICAS[question.replica]
        records = pd.concat([people(120, seed) for seed in seeds])[COLUMNS].astype(str).to_numpy()
        expected: list[int] = []
        for frame in sets:
            apart = [
                int((records != row).sum(axis=1).min())
                for row in frame[COLUMNS].astype(str).to_numpy()
            ]
            cells = [sum(distance > edge for edge in question.edges) for distance in apart]
            expected += np.bincount(cells, minlength=question.cells).tolist()
        assert exact_sums(question, public, given) == tuple(expected)


def test_records_are_those_of_each_set(public: Public, sets: tuple[pd.DataFrame, ...]) -> None:
    (count,) = sums(public, sets, "records").values()
    assert count == (90, 40)


def test_pairs_are_the_mean_of_their_tables(tmp_path: Path, sets: tuple[pd.DataFrame, ...]) -> None:
    few = '[options]\nvariables = ["sex", "region", "seen"]\n'
    three = public_of(write_study(tmp_path, *sets, more=few))
    given = confidential(*sets)
    asked = [question for question in questions_of(three) if question.measure == "TVD of pairs"]
    assert {question.replica for question in asked} == {*REPLICAS}
    for question in asked:
        tables = [
            to_move(sets[0], people(120, seed), list(pair))
            for seed in REPLICAS[question.replica]
            for pair in itertools.combinations(NAMES, 2)
        ]
        mean = sum(tables, Fraction(0)) / len(tables)
        assert exact_sums(question, three, given) == (int(mean + Fraction(1, 2)),)


@pytest.mark.parametrize("replica", REPLICAS)
@pytest.mark.parametrize(("seed", "size"), [(5, 120), (9, 120), (0, 100)])
def test_people_who_are_alone_and_in_the_replica(
    tmp_path: Path, replica: str, seed: int, size: int
) -> None:
    sets = people(14, seed), people(11, seed + 1)
    if not seed:  # everybody is alone, and two have the keys of one record of a replica
        each = people(24, 1).assign(age=18 + np.arange(24) // 2, sex=["1", "2"] * 12)
        sets = each[:12], each[12:]
    public = public_of(write_study(tmp_path, *sets, size=size))
    keys = ["age", "sex"]
    (question,) = (
        item
        for item in questions_of(public)
        if item.measure == REPLICATED and item.replica == replica
    )
    assert question.place.keys == tuple(keys)
    both = Counter(tuple(row) for frame in sets for row in frame[keys].astype(str).to_numpy())
    held = {
        tuple(row)
        for of_file in REPLICAS[replica]
        for row in people(size, of_file)[keys].astype(str).to_numpy()
    }
    expected = tuple(
        sum(
            both[tuple(row)] == 1 and tuple(row) in held
            for row in frame[keys].astype(str).to_numpy()
        )
        for frame in sets
    )
    assert min(expected) > 0
    assert exact_sums(question, public, confidential(*sets)) == expected


def test_only_sums_over_people_are_told() -> None:
    for symbol in ("TVD", "DiSCO", "UiO"):
        assert sum_of(symbol).function is not None
    for symbol in (s for s, m in MEASURES.items() if m.release is None or m.release.sum is None):
        with pytest.raises(StudyError, match=f"{symbol} declares no sum over people"):
            sum_of(symbol)
