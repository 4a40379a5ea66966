"""Individual and household risk from weights, against exact values and sdcMicro."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import integrate

from sdcmetrics import household_uniqueness, individual_risk
from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.anonymity.individual_risk import risk_given_weights
from tests.demo import answers, demo

TOY = pd.DataFrame(
    {"age": [30, 30, 41, 41, 50], "w": [10.0, 10, 20, 5, 8], "home": [1, 1, 2, None, 2]}
)


@pytest.mark.parametrize("f", [1, 2, 3, 29, 30, 400])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.51, 0.97])
def test_the_risk_is_the_mean_of_one_over_a_negative_binomial(f: int, p: float) -> None:
    # E[1/F] = integral of the generating function over t, substituted so that it is smooth
    value, _ = integrate.quad(
        lambda t: t ** (f - 1) * (p / (1 - (1 - p) * t)) ** f, 0, 1, epsabs=0, epsrel=1e-11
    )
    result = risk_given_weights(np.array([float(f)]), np.array([f / p]))
    assert result[0] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("approximate", [False, True])
def test_a_census_leaves_one_over_the_records(*, approximate: bool) -> None:
    sizes = np.array([1.0, 2.0, 4.0])
    assert risk_given_weights(sizes, sizes, approximate=approximate).tolist() == [1.0, 0.5, 0.25]


def test_a_household_is_at_risk_where_one_of_its_members_is() -> None:
    result = individual_risk(TOY, keys="age", weight="w", household="home")
    risk, home = result.records["risk"], result.records["household_risk"]
    assert home[0] == pytest.approx(1 - (1 - risk[0]) * (1 - risk[1]))
    assert home[2] == pytest.approx(1 - (1 - risk[2]) * (1 - risk[4]))
    assert home[3] == pytest.approx(risk[3], rel=1e-14)
    assert "1 record without a household" in result.fixes[-1]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -1, 1, 1, 1], "1 of 5 weights are negative"),
        ([1, 0, 1, 1, 1], "1 of 5 weights are zero"),
        ([1, None, 1, 1, 1], "1 of 5 weights are missing"),
        ([0.5, 0.4, 1, 1, 1], "fewer people than they have records"),
        (list("abcde"), "expected weights"),
    ],
)
def test_weights_that_are_none_are_refused(weights: list[object], words: str) -> None:
    with pytest.raises(ColumnError, match=words):
        individual_risk(TOY.assign(w=weights), keys="age", weight="w")


def test_equal_weights_are_said_to_tell_uniques_from_no_other() -> None:
    result = individual_risk(TOY.assign(w=7.0), keys="age", weight="w")
    assert "All weights are equal" in result.notes[0]


@pytest.mark.filterwarnings("error")
def test_a_household_of_somebody_who_stands_for_nobody_else_is_surely_at_risk() -> None:
    file = pd.DataFrame({"age": [1, 2, 2, 2], "w": [1.0, 9.0, 9.0, 9.0], "home": [*"aabb"]})
    result = individual_risk(file, keys="age", weight="w", household="home").records
    assert result["risk"][0] == 1
    assert result["household_risk"][:2].tolist() == [1, 1]
    assert result["household_risk"][2] < 1


def test_a_household_of_ordinary_members_can_be_unique() -> None:
    file = pd.DataFrame({"home": [1, 1, 2, 2, 3, 3, 3], "age": [40, 8, 8, 40, 40, 40, 8]})
    result = household_uniqueness(file, keys="age", household="home")
    assert result.of_record.tolist() == [2, 2, 2, 2, 1, 1, 1]
    assert (result.unique.count, result.in_unique.count, result.unique_alone.count) == (1, 3, 0)


class TestRecorded:
    def test_exact_values_from_400_bits(self) -> None:
        recorded = answers("anonymity")["individual risk"]
        pi, sizes, exact, approximate = np.array(recorded["rows"]).T
        result = risk_given_weights(sizes, sizes / pi)
        np.testing.assert_allclose(result, exact, rtol=2e-15)
        result = risk_given_weights(sizes, sizes / pi, approximate=True)
        np.testing.assert_allclose(result, approximate, rtol=2e-15)

    @pytest.mark.parametrize("keys", [["educ", "PID"], ["age", "educ", "PID"]])
    def test_every_record_of_the_demo_as_sdcmicro_has_it(self, keys: list[str]) -> None:
        file = demo()
        i = np.arange(len(file))
        file = file.assign(w=5 + 10 * (i % 7), home=i // 3)
        near = individual_risk(file, keys=keys, weight="w", household="home", approximate=True)
        exact = individual_risk(file, keys=keys, weight="w", household="home")
        alike = household_uniqueness(file, keys=keys, household="home").of_record
        recorded = answers("anonymity")["household risk"]["_".join(keys)]
        for ours, theirs in (
            (near.records["risk"], "risk"),
            (near.records["household_risk"], "hier_risk"),
            (exact.records["risk"], "risk_exact"),
            (exact.records["household_risk"], "hier_exact"),
            (alike, "fk_household_multiset"),
        ):
            some = np.asarray(ours)[recorded["records"]]
            np.testing.assert_allclose(some, recorded[theirs], rtol=1e-12)
            assert ours.sum() == pytest.approx(recorded["sums"][theirs], rel=1e-12)
