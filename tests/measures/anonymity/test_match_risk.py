"""The chance that a unique match is a right one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import match_risk
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity.match_risk import risk_of_match
from tests.demo import answers, demo


def test_it_is_the_share_of_right_ones_among_unique_matches_of_a_population() -> None:
    rng = np.random.default_rng(3)
    people = np.column_stack([rng.zipf(1.6, 40_000).clip(max=60) for _ in range(3)])
    _, cell, sizes = np.unique(people, axis=0, return_inverse=True, return_counts=True)
    cell = cell.reshape(-1)
    inside = 0
    for _ in range(20):
        drawn = rng.choice(len(people), 4_000, replace=False)
        alone = np.bincount(cell[drawn], minlength=len(sizes)) == 1
        truth = alone.sum() / sizes[alone].sum()
        result = match_risk(
            pd.DataFrame(people[drawn], columns=list("abc")),
            keys=list("abc"),
            population_size=40_000,
        )
        assert result.risk == pytest.approx(truth, rel=0.2)
        inside += result.lower <= truth <= result.upper
    assert inside >= 16  # 20 intervals of 95 % hold fewer in one of 2,500 cases


def test_without_pairs_it_is_a_lower_bound() -> None:
    result = match_risk(pd.DataFrame({"a": range(50)}), keys="a", sampling_fraction=0.1)
    assert (result.risk, result.upper) == (1.0, 1.0)
    assert result.lower == pytest.approx(5 / (5 + 6 * 0.9))
    assert np.isnan(result.standard_error)


def test_without_uniques_nobody_is_found() -> None:
    result = match_risk(pd.DataFrame({"a": [1, 1, 2, 2]}), keys="a", sampling_fraction=0.1)
    assert (result.risk, result.lower, result.upper) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("people", "fraction"), [(4, 1.0), (10**12, 4e-12)])
def test_a_population_has_from_the_records_to_a_million_millions(
    people: int, fraction: float
) -> None:
    file = pd.DataFrame({"a": [1, 2, 2, 3]})
    assert match_risk(file, keys="a", population_size=people).fraction == fraction
    for size in (3, 10**12 + 1):
        with pytest.raises(StudyError, match="the 4 records of the file, and at most 1,000,000"):
            match_risk(file, keys="a", population_size=size)


def test_a_census_makes_every_unique_match_right() -> None:
    file = pd.DataFrame({"a": [1, 2, 2, 3, 3, 3]})
    result = match_risk(file, keys="a", sampling_fraction=1.0)
    assert (result.risk, result.lower, result.upper) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "either"),
        ({"population_size": 10, "sampling_fraction": 0.5}, "either"),
        ({"population_size": 2}, "at least the 3 records"),
        ({"sampling_fraction": 0.0}, "above 0"),
        ({"sampling_fraction": 1.5}, "at most 1"),
        ({"sampling_fraction": "a"}, "a number"),
    ],
)
def test_a_fraction_that_cannot_be_is_refused(given: dict[str, float], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        match_risk(pd.DataFrame({"a": [1, 2, 3]}), keys="a", **given)


@pytest.mark.parametrize("keys", [["age", "educ", "PID"], ["educ", "PID", "income"]])
def test_it_equals_the_recorded_value(keys: list[str]) -> None:
    answer = answers("anonymity")["match risk"][f"dis_{'_'.join(keys)}_pi0.01"]
    result = match_risk(demo(), keys=keys, sampling_fraction=0.01)
    assert (result.uniques, result.doubles) == (answer["n1"], answer["n2"])
    assert result.risk == pytest.approx(answer["theta"], rel=1e-12)


@pytest.mark.parametrize(
    ("classes", "fraction", "people", "variance"),
    [((6, 2, 1), 0.25, 18, 138), ((100, 10, 2), 0.5, 120, 72), ((7, 3, 0), 0.1, 61, 1026)],
)
def test_the_variance_is_that_of_the_classes_of_two_and_three(
    classes: tuple[int, int, int], fraction: float, people: int, variance: int
) -> None:
    # 2 (1 - f)(2 - f) doubles + 6 (1 - f)^2 triples, over f^2
    risk, error, lower, upper = risk_of_match(*classes, fraction)
    spread, uniques = 1.959964 * variance**0.5, classes[0]
    assert risk == pytest.approx(uniques / people)
    assert error == pytest.approx(uniques / people**2 * variance**0.5)
    assert lower == pytest.approx(uniques / (people + spread), rel=1e-6)
    assert upper == pytest.approx(
        1 if people - spread < uniques else uniques / (people - spread), rel=1e-6
    )
