"""Values that a replica repeats: beside the law of occupancy, and in whole searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics.measures.people import Claim, searches, whose_records
from sdcmetrics.measures.people.claims import Interval
from sdcmetrics.measures.people.equal import bundles_of
from sdcmetrics.measures.people.intervals import beyond_repeated
from sdcmetrics.measures.people.repeated import Repeated, repeated_values
from tests.measures.people.drawn import people_of, records


def occupancy(people: int, values: int) -> Any:
    """Return the law of how many of equally likely values so many people have, from 0."""
    law = np.zeros(people + 2)
    law[0] = 1.0
    taken = np.minimum(np.arange(people + 2) / values, 1.0)
    for _ in range(people):
        law = law * taken + np.r_[0.0, (law * (1 - taken))[:-1]]
    return law[:-1]


@pytest.mark.parametrize("values", [2, 5, 20, 60, 400, 9_000])
@pytest.mark.parametrize("people", [2, 6, 25, 150])
def test_p_is_no_smaller_than_that_of_equally_likely_values(people: int, values: int) -> None:
    law = occupancy(people, values)
    for different in range(1, min(people, values) + 1):
        exact = float(law[different:].sum())
        p = Repeated(people, different, values).p
        if exact < 0.05:
            assert exact * 0.999999 <= p
    mean = people - float(law @ np.arange(people + 1))
    likely = Repeated(people, min(people, values), values)
    if people <= values:
        assert likely.p == pytest.approx(np.exp(-mean))  # nobody is alike, by Poisson's law


def test_people_are_counted_among_the_values_that_are_repeated() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        original, replica = rng.integers(0, 30, 12), rng.integers(0, 30, 40)
        values, counts = np.unique(replica, return_counts=True)
        repeated = set(values[counts > 1].tolist())
        people = [value for value in original.tolist() if value in repeated]
        keys = np.concatenate([original, replica]).astype(np.uint64) << np.uint64(2)
        result = repeated_values(bundles_of(keys, 12, 0))
        assert result == Repeated(len(people), len(set(people)), len(repeated))


def test_without_values_or_people_nothing_is_said() -> None:
    assert Repeated().p == 1
    assert Repeated(1, 1, 1).p == 1
    assert Repeated(1, 1, 40).p == 1
    assert Repeated(5, 1, 1).expected == 4  # all have the one value there is
    assert beyond_repeated(Repeated(), 9) == Interval(0, 0, 0, 9)


def limits(values: Repeated) -> tuple[float, float]:
    out = beyond_repeated(values, 300)
    assert (out.high, out.of) == (values.people, 300)
    return out.low, out.estimate


def test_as_many_are_copied_as_chance_does_not_make() -> None:
    everybody = Repeated(200, 200, 200)
    low, likely = limits(everybody)
    assert 170 < low < 200
    assert likely == 199  # one alone meets nobody
    low, likely = limits(Repeated(200, 126, 200))  # 126.6 are expected
    assert low == 0
    assert likely < 3
    low, likely = limits(Repeated(150, 120, 200))
    assert 0 < low < likely < 120

    def expected(k: int) -> float:
        values = 200 - k
        return float(150 - k - values * (1 - (1 - 1 / values) ** (150 - k)))

    assert likely == min(k for k in range(120) if expected(k) <= 30)
    assert low == min(k for k in range(120) if stats.poisson.cdf(30, expected(k)) > 0.025)


@pytest.mark.parametrize("numbers", [True, False])
def test_a_tenth_of_the_level_is_for_what_is_repeated(
    numbers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    original, fresh = people_of(rng, 100), people_of(rng, 100)
    if not numbers:
        original, fresh = (file.select_dtypes(exclude="number") for file in (original, fresh))
    monkeypatch.setattr(Repeated, "p", 0.0004)
    monkeypatch.setattr(searches, "repeated_values", lambda *_: Repeated(4, 3, 5))
    out = whose_records(records(original, fresh))
    test = out.tests["TE"]
    assert test.p == pytest.approx(0.0004 / (0.05 if numbers else 0.1))
    assert (test.smallest, test.original) == (pytest.approx(0.0004), 3)
    assert not out.accused  # every permuted replica has this p
    assert (Claim.COLUMNS in out.claims) is not numbers
    held = whose_records(records(original, fresh, people_of(rng, 100)[list(original)]))
    assert held.tests["TE"].p == test.p


@pytest.mark.parametrize("times", [1, 4, 12])
@pytest.mark.parametrize("changed", [False, True])
def test_many_copies_of_everybody_are_noticed(times: int, changed: bool) -> None:
    rng = np.random.default_rng(2)
    original = people_of(rng, 300)
    drawn = original.iloc[rng.integers(0, 300, 300 * times)].reset_index(drop=True)
    if changed:
        years = drawn["age"] + rng.normal(0, 0.05, len(drawn))
        drawn = drawn.assign(age=years.round(2))
    out = whose_records(records(original, drawn))
    assert Claim.EITHER in out.claims
    assert out.tests["TE"].p is not None
    if not changed:
        assert out.people is not None
        assert out.people.low > 100
        assert out.people.high <= 300


@pytest.mark.parametrize("constants", [0, 1, 6])
def test_constant_columns_hide_no_copies(constants: int) -> None:
    rng = np.random.default_rng(6)
    original, fresh = (people_of(rng, 150)[["age", "region", "income"]] for _ in range(2))
    aside = {f"c{i}": "x" for i in range(constants)}
    many = original.iloc[rng.integers(0, 150, 1_500)].reset_index(drop=True)
    some = pd.concat([original.head(40), fresh.tail(110)], ignore_index=True)
    for replica, accused in ((many, True), (some, True), (fresh, False)):
        out = whose_records(records(original.assign(**aside), replica.assign(**aside)))
        assert out.accused is accused


@pytest.mark.parametrize("times", [1, 4, 12])
def test_other_people_of_the_same_values_are_not(times: int) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        original, fresh = (people_of(rng, n).round(-2) for n in (200, 200 * times))
        for replica in (fresh, original.apply(lambda column: rng.choice(column, 200 * times))):
            out = whose_records(records(original, pd.DataFrame(replica)))
            assert not out.accused


def test_what_columns_permuted_one_by_one_do_as_well_is_no_claim() -> None:
    rng = np.random.default_rng(4)
    grid = pd.DataFrame({"row": np.repeat(np.arange(15), 15), "place": np.tile(np.arange(15), 15)})
    grid = grid.assign(kind=rng.integers(0, 2, 225))
    permuted = grid.apply(lambda column: rng.choice(column, 2_250))
    out = whose_records(records(grid, permuted))  # each of the grid's places once, by design
    assert out.tests["TE"].p is not None
    assert out.tests["TE"].p < 0.001
    assert (Claim.COLUMNS in out.claims, out.accused) == (True, False)
