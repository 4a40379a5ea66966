"""A sample's risks: those of the functions, in percent, each where the sample has what it needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.anonymity.sampled import MEASURES, SAMPLED_FILE, Computed
from sdcmetrics.measures.kind import Given
from sdcmetrics.measures.pair import Pair
from sdcmetrics.results import Counted, Share
from tests.study.test_sample import study, survey


def test_values_are_in_percent_and_nan_where_there_is_none() -> None:
    computed = Computed({"shares": Share(3, 8), "counted": Counted(12.5, 1, 4)}, "", ())
    assert computed.number("shares") == 37.5
    assert computed.number("counted") == 12.5
    assert math.isnan(computed.number("other"))


KEYS = ["sex", "age"]
BY_SYMBOL = {measure.symbol: measure for measure in MEASURES}


def test_risks_of_the_sample_are_shares_in_percent() -> None:
    shares = [measure for measure in MEASURES if measure.unit == "percent"]
    assert shares
    assert {(measure.low, measure.high) for measure in shares} == {(0, 100)}


def given(sample: dict[str, Any] | None, **asked: Any) -> list[Given]:
    plan = study(sample=sample, **asked)
    pair = Pair("one", plan.original, plan.replicas["one"])
    return list(SAMPLED_FILE.places(pair, plan, lambda _: None))


def of(given: Given, symbol: str) -> float:
    value = BY_SYMBOL[symbol].function(given.each[0])
    if isinstance(value, Share):
        return value.percent
    return value.value if isinstance(value, Counted) else float(value)


def test_every_risk_is_that_of_its_function() -> None:
    (place,) = given({"weight": "w", "household": "home"})
    file = survey()
    people = float(file["w"].sum())
    individual = sdc.individual_risk(file, keys=KEYS, weight="w", household="home")
    uniques = sdc.population_uniques(file, keys=KEYS, weight="w")
    attackers = sdc.attacker_risks(file, keys=KEYS, population_size=people)
    households = sdc.household_uniqueness(file, keys=KEYS, household="home")
    expected = {
        "individual_risk": 100 * individual.mean,
        "household_risk": 100 * individual.household_mean,
        "population_uniques": 100 * uniques.population_uniques / 240,
        "population_matches": 100 * uniques.matches / 240,
        "prosecutor_risk": 100 * attackers.prosecutor_mean,
        "journalist_risk": 100 * attackers.journalist_largest,
        "marketer_risk": 100 * attackers.marketer,
        "household_uniques": households.in_unique.percent,
    }
    assert set(expected) == set(BY_SYMBOL)
    assert place.references is not None
    beside = place.references(MEASURES, 0)
    for symbol, number in expected.items():
        assert of(place, symbol) == pytest.approx(number, rel=1e-12), symbol
        assert beside[symbol].copy == pytest.approx(number, rel=1e-12)
    (computed,) = place.each
    assert isinstance(computed, Computed)
    counts = {
        "individual_risk": individual.expected,
        "household_risk": individual.household_expected,
        "population_uniques": uniques.population_uniques,
        "population_matches": uniques.matches,
        "prosecutor_risk": attackers.prosecutor_mean * 240,
        "journalist_risk": 1,
        "marketer_risk": attackers.marketer * 240,
    }
    for symbol, count in counts.items():
        counted = computed.values[symbol]
        assert isinstance(counted, Counted)
        assert (counted.count, counted.total) == (pytest.approx(count), 240)
    assert computed.records is not None
    pd.testing.assert_frame_equal(
        computed.records[["risk"]], individual.records[["risk"]], check_exact=False
    )
    assert (place.leaves_out, place.undefined) == (frozenset(), "")


HOMES, PEOPLE = {"household_uniques"}, {
    "population_uniques", "population_matches", "prosecutor_risk", "journalist_risk",
    "marketer_risk",
}  # fmt: skip


@pytest.mark.parametrize(
    ("sample", "symbols"),
    [
        ({"household": "home"}, HOMES),
        ({"population_size": 5_000}, PEOPLE),
        ({"weight": "w"}, PEOPLE | {"individual_risk"}),
        ({"strata": "st", "household": "home", "population_size": 9_000}, PEOPLE | HOMES),
    ],
)
def test_a_sample_has_the_risks_that_it_can_tell(sample: dict[str, Any], symbols: set[str]) -> None:
    (place,) = given(sample)
    (computed,) = place.each
    assert isinstance(computed, Computed)
    assert set(computed.values) == symbols
    assert place.leaves_out == set(BY_SYMBOL) - symbols
    assert (computed.records is not None) is ("individual_risk" in symbols)


def test_a_stated_population_is_that_of_the_functions() -> None:
    (place,) = given({"population_size": 5_000})
    uniques = sdc.population_uniques(survey(), keys=KEYS, population_size=5_000)
    assert of(place, "population_uniques") == pytest.approx(
        100 * uniques.population_uniques / 240, rel=1e-12
    )
    attackers = sdc.attacker_risks(survey(), keys=KEYS, population_size=5_000)
    assert of(place, "marketer_risk") == pytest.approx(100 * attackers.marketer)


def test_nothing_is_said_without_a_sample_or_of_one_that_tells_nothing() -> None:
    assert given(None) == []
    assert given({"strata": "st"}) == []


@pytest.mark.parametrize(("weight", "told"), [(1.0, True), (0.999, False)])
def test_weights_of_fewer_people_than_records_tell_of_no_population(
    weight: float, *, told: bool
) -> None:
    result = given({"weight": "w", "household": "home"}, original=survey().assign(w=weight))
    symbols = {*result[0].each[0].values} if result else set()  # type: ignore[attr-defined]
    assert ("individual_risk" in symbols) is told


def test_each_scenario_has_its_keys_and_what_fails_says_why() -> None:
    scenarios = [sdc.Scenario("a", ("sex",), ("ill",)), sdc.Scenario("b", ("age", "sex"), ("ill",))]
    plan = sdc.Study(
        survey(), {"one": survey(2)}, scenarios=scenarios, sample={"weight": "w"}, perturbed=()
    )
    pair = Pair("one", plan.original, plan.replicas["one"])
    places = list(SAMPLED_FILE.places(pair, plan, lambda _: None))
    assert [place.places[0].keys for place in places] == [("sex",), ("age", "sex")]
    alone = sdc.individual_risk(survey(), keys=["sex"], weight="w")
    assert of(places[0], "individual_risk") == pytest.approx(100 * alone.mean)
    few = survey().assign(w=[0.01] * 120 + [30.0] * 120)
    (place,) = given({"weight": "w"}, original=few)
    assert "fewer people than they have records" in place.undefined
    assert math.isnan(of(place, "individual_risk"))
    assert not math.isnan(of(place, "marketer_risk"))


def test_keys_are_grouped_as_the_study_groups_them() -> None:
    ages = np.resize([20, 21, 38, 39], 240)
    file, replica = survey().assign(age=ages), survey(2).assign(age=ages)
    (place,) = given({"weight": "w"}, ngroups_keys={"age": 2}, original=file, replica=replica)
    halves = file.assign(age=np.where(ages < 30, "low", "high"))
    expected = sdc.individual_risk(halves, keys=KEYS, weight="w")
    assert of(place, "individual_risk") == pytest.approx(100 * expected.mean)
