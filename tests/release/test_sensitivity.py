"""One person more or less moves no declared sum by more than it declares, whoever it is."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.measure import PeopleSum
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release.questions import questions_of
from sdcmetrics.release.sums import exact_sums
from tests.release.studies import COLUMNS, confidential, people, public_of, with_row, write_study

NEIGHBOURS = 200
MORE = """
[release]
measures = ["UiO", "repU", "DiSCO", "DCAP", "TVD"]

[[scenario]]
name = "village"
keys = ["age", "sex", "region"]
targets = ["seen"]
"""
GROUPED = MORE + "\n[options]\nngroups_keys = { age = 3 }\n"
DECLARED: dict[str, PeopleSum] = {
    symbol: measure.release.sum
    for symbol, measure in MEASURES.items()
    if measure.release is not None and measure.release.sum is not None
}
EXPECTED = {
    *("UiO", "UiOiS", "repU", "iS", "DiS", "DiSCO", "DCAP", "CAPd", "baseCAPd", "TVD"),
}


def of_keys(original: np.ndarray, synthetic: np.ndarray) -> KeyTargetCounts:
    """Return a table of keys by levels as counts."""
    keys, targets = original.shape
    return KeyTargetCounts(
        original=original.ravel(),
        synthetic=synthetic.ravel(),
        key=np.repeat(np.arange(keys), targets),
        target=np.tile(np.arange(targets), keys),
        n_keys=keys,
        n_targets=targets,
        n_original=int(original.sum()),
        n_synthetic=int(synthetic.sum()),
    )


def value(symbol: str, original: np.ndarray, synthetic: np.ndarray) -> Fraction:
    """Return a declared sum for a table."""
    function = DECLARED[symbol].function
    if MEASURES[symbol].of is KEYS:
        return Fraction(function(of_keys(original, synthetic)))
    starts = np.arange(len(original)) * original.shape[1]  # each row is a table of its own
    return Fraction(function(TablePairs(original.ravel(), synthetic.ravel(), starts, ())))


def test_what_is_declared_is_what_was_measured() -> None:
    # No count of a whole key group, and no statistic that one person moves without bound.
    assert set(DECLARED) == EXPECTED
    assert {MEASURES[symbol].of for symbol in DECLARED} == {KEYS, CROSSTABLES}
    assert {item.sensitivity for item in DECLARED.values()} == {1}


@pytest.mark.parametrize("symbol", sorted(EXPECTED))
def test_tables_with_one_person_more(symbol: str) -> None:
    rng = np.random.default_rng(19)
    largest = Fraction(0)
    for _ in range(1_500):
        shape = int(rng.integers(1, 7)), int(rng.integers(2, 4))
        mean = rng.choice([0.3, 1, 5, 40])
        original, synthetic = (rng.poisson(mean * rng.random(shape) ** 3) for _ in range(2))
        if MEASURES[symbol].of is CROSSTABLES:
            synthetic[:, 0] += 1  # a replica that has records, in each table
            original = np.tile(original.sum(axis=0), (shape[0], 1))  # of the same people
            more = original.copy()
            more[np.arange(shape[0]), rng.integers(shape[1], size=shape[0])] += 1
        else:
            more = original.copy()
            more[rng.integers(shape[0]), rng.integers(shape[1])] += 1
        change = abs(value(symbol, more, synthetic) - value(symbol, original, synthetic))
        largest = max(largest, change)
    assert largest <= DECLARED[symbol].sensitivity
    assert largest > Fraction(1, 2)  # positions are hostile enough to see what a person can do


@pytest.mark.parametrize("symbol", ["Dorig", "DiSDiO"])
def test_sums_of_key_groups_would_not_hold(symbol: str) -> None:
    # All of a group of one level cease to be disclosive when one person with another level comes.
    original, synthetic = np.array([[30, 0]]), np.array([[9, 0]])
    more = original + np.array([[0, 1]])
    counts = (
        MEASURES[symbol].function(of_keys(item, synthetic)).count for item in (original, more)
    )
    assert abs(np.diff(list(counts))[0]) == 30
    release = MEASURES[symbol].release
    assert release is not None
    assert release.sum is None


def hostile(frame: pd.DataFrame, replica: pd.DataFrame, rng: np.random.Generator) -> dict[str, str]:
    """Return a person who is like another, like a replica record, or like nobody."""
    row = dict(zip(COLUMNS, ("x", "3", "moon", "05/06/2020"), strict=True))
    for source in (frame, replica):
        if len(source) and rng.random() < 0.6:
            taken = source.iloc[int(rng.integers(len(source)))]
            for name in COLUMNS:
                if rng.random() < 0.85:
                    row[name] = taken[name]
    return row


@pytest.mark.parametrize("into", ["original", "holdout"])
def test_neighbours_of_each_question(tmp_path: Path, into: str) -> None:
    file = write_study(tmp_path, people(30, 5), people(20, 6), more=MORE)
    public = public_of(file)
    replica = people(120, 1)
    questions = questions_of(public)
    assert len({q.measure for q in questions}) == 9
    rng = np.random.default_rng(7 if into == "original" else 8)
    largest: dict[str, float] = {}
    for i in range(NEIGHBOURS // 20):  # half of them in either data set
        sets = {
            "original": people(int(rng.integers(0, 40)), 100 + i),
            "holdout": people(int(rng.integers(0, 40)), 900 + i),
        }
        present = confidential(sets["original"], sets["holdout"])
        before = [exact_sums(q, public, present) for q in questions]
        for _ in range(10):
            more = sets | {into: with_row(sets[into], hostile(sets[into], replica, rng))}
            after = confidential(more["original"], more["holdout"])
            for question, old in zip(questions, before, strict=True):
                new = exact_sums(question, public, after)
                change = math.dist(old, new)
                assert change <= question.sensitivity, question
                largest[question.measure] = max(largest.get(question.measure, 0.0), change)
    alone = {"UiO", "repU", "TVD", "TVD of pairs"}  # is asked of the original only
    assert {name for name, change in largest.items() if not change} == (
        alone if into == "holdout" else set()
    )


def test_a_replaced_person_moves_a_sum_by_at_most_two(tmp_path: Path) -> None:
    file = write_study(tmp_path, people(30, 5), people(20, 6), more=GROUPED)
    public = public_of(file)
    rng = np.random.default_rng(11)
    aside = people(20, 6)
    questions = questions_of(public)
    for i in range(6):
        frame = people(25, 300 + i)
        changed = with_row(frame.iloc[1:], hostile(frame, people(120, 1), rng))
        sums = [
            [exact_sums(q, public, given) for q in questions]
            for given in (confidential(item, aside) for item in (frame, changed))
        ]
        assert all(math.dist(a, b) <= 2 for a, b in zip(*sums, strict=True))


def test_sums_are_those_of_a_review(tmp_path: Path) -> None:
    # On the demo's data, whose columns are of one kind, both read entries alike.
    from sdcmetrics import disclosure
    from sdcmetrics.study.demo.data import load_original, load_replicas
    from sdcmetrics.study.demo.review import write_study as write_demo

    public = public_of(write_demo(tmp_path))
    original, replicas = load_original(), load_replicas()
    given = confidential(original)
    exact = {
        (q.measure, q.replica, q.place.scenario, q.place.target): exact_sums(q, public, given)[0]
        for q in questions_of(public)
        if q.sets == 1 or q.measure == "DiSCO"
    }
    for scenario in public.scenarios:
        for name in ("independent", "perturbed"):
            for target in scenario.targets:
                risk = disclosure(original, replicas[name], keys=list(scenario.keys), target=target)
                place = (name, scenario.name)
                for symbol, table, at in (
                    ("DiSCO", risk.attribution, target),
                    ("repU", risk.identity, ""),
                ):
                    count = float(table[symbol]) * len(original) / 100
                    assert exact[(symbol, *place, at)] == pytest.approx(count, abs=1e-6)
                count = float(risk.identity["UiO"]) * len(original) / 100
                assert exact["UiO", "", scenario.name, ""] == pytest.approx(count, abs=1e-6)
