"""Wrong holdouts are found, right ones are not accused."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, chi2_contingency

import sdcmetrics as sdc
from sdcmetrics.measures.fidelity.holdout_check import (
    _clustered_p,
    check_harmonised,
    chi_square,
)
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise


def population(n: int, seed: int, *, shift: float = 0.0, tied: float = 0.7) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = (40 + shift + 12 * rng.standard_normal(n)).round()
    job = np.where(rng.random(n) < tied, np.where(age > 40, "office", "field"), "none")
    return pd.DataFrame({"age": age, "job": job, "wage": rng.lognormal(7, 0.5, n).round(1)})


class TestRightHoldouts:
    def test_random_splits_are_hardly_ever_accused(self) -> None:
        pool = pd.concat(
            [population(300, 1), population(300, 2).sample(300, replace=True, random_state=1)]
        )
        accused = 0
        for seed in range(60):
            mixed = pool.sample(frac=1, random_state=seed)
            accused += not sdc.check_holdout(mixed[:350], mixed[350:]).ok
        assert accused <= 3

    def test_nor_are_splits_of_columns_with_many_levels_or_of_uneven_sizes(self) -> None:
        rng = np.random.default_rng(3)
        pool = pd.DataFrame(
            {
                "name": [f"n{i}" for i in range(1200)],
                "place": rng.integers(0, 150, 1200).astype(str),
                "wage": rng.lognormal(0, 2, 1200),
            }
        )
        accused = 0
        for seed in range(20):
            mixed = pool.sample(frac=1, random_state=seed)
            for cut in (600, 1100, 100):
                accused += sdc.check_holdout(mixed[:cut], mixed[cut:]).other_population
        assert accused <= 3

    def test_the_expected_number_is_the_mean_over_splits(self) -> None:
        pool = pd.DataFrame({"x": [1, 1, 2, 2, 2, 3, 4, 5, 6, 6]})
        counts = []
        for seed in range(3000):
            mixed = pool.sample(frac=1, random_state=seed)["x"].to_numpy()
            counts.append(np.isin(mixed[6:], mixed[:6]).sum())
        result = sdc.check_holdout(pool[:6], pool[6:])
        assert result.expected_identical == pytest.approx(np.mean(counts), abs=0.06)


class TestWrongHoldouts:
    def test_training_records_in_the_holdout(self) -> None:
        training, fresh = population(800, 1), population(760, 2)
        result = sdc.check_holdout(training, pd.concat([fresh, training[:40]]))
        assert result.identical == 40
        assert len(result.problems) == 1
        assert "40 of 800 records of holdout equal a record of original" in result.problems[0]
        assert "overlaps the training data" in result.problems[0]

    def test_another_population(self) -> None:
        result = sdc.check_holdout(population(800, 1), population(800, 2, shift=6))
        assert "distribution of 'age'" in result.problems[0]
        assert result.by_table["variables"].iloc[0] == ("age",)
        assert result.p_population < 1e-6

    def test_another_relation_between_the_same_variables(self) -> None:
        training = population(800, 1)
        other = population(800, 2)
        other["job"] = other["job"].sample(frac=1, random_state=1).to_numpy()
        result = sdc.check_holdout(training, other)
        assert "distribution of 'age' and 'job'" in result.problems[0]

    def test_repeated_records_kept_together(self) -> None:
        pool = pd.concat([population(300, 1)] * 2)
        training = pd.concat([population(200, 3), pool[:0]])
        result = sdc.check_holdout(training, pool)
        assert result.identical == 0
        assert "records that occur more than once" in result.problems[0]

    def test_no_message_holds_a_value_of_the_data(self) -> None:
        training = pd.DataFrame({"x": ["secret"] * 90 + ["hidden"] * 10})
        other = pd.DataFrame({"x": ["secret"] * 10 + ["hidden"] * 90})
        text = " ".join(sdc.check_holdout(training, other).problems)
        assert "'x'" in text
        assert "secret" not in text
        assert "hidden" not in text


class TestChiSquare:
    def test_a_few_records_in_a_rare_cell_are_no_evidence_of_their_own(self) -> None:
        # Five of 25 rare records among the 3 % of the holdout: 0.75 are expected there.
        counts = np.array([[480, 465, 20], [10, 15, 5]])
        together, df = chi_square(np.array([[480, 485], [10, 20]]))
        assert chi_square(counts) == (pytest.approx(together), df)

    def test_agrees_with_scipy(self) -> None:
        counts = np.random.default_rng(1).integers(20, 60, size=(2, 7))
        expected = chi2_contingency(counts, correction=False)
        statistic, df = chi_square(counts)
        assert (statistic, df) == (pytest.approx(expected.statistic), expected.dof)

    def test_small_cells_are_taken_together(self) -> None:
        counts = np.array([[50, 1, 2, 3, 0], [50, 3, 2, 1, 0]])
        assert chi_square(counts) == (pytest.approx(0.0), 1)

    def test_one_cell_tells_nothing(self) -> None:
        assert chi_square(np.array([[50, 0], [40, 0]])) == (0.0, 0)


def test_with_households_of_one_the_expected_number_is_that_of_records() -> None:
    pool = pd.DataFrame({"x": [1, 1, 2, 2, 2, 3, 4, 5, 6, 6]})
    sets = as_microdata(pool[:6], "original"), as_microdata(pool[6:], "holdout")
    result = check_harmonised(
        harmonise(sets[0], [sets[1]]), households=Households(np.arange(10), 6)
    )
    splits = [
        np.isin(pool["x"].to_numpy()[list(rows)], np.delete(pool["x"].to_numpy(), list(rows))).sum()
        for rows in itertools.combinations(range(10), 4)
    ]
    assert result.expected_identical == pytest.approx(np.mean(splits), abs=0.2)


def test_with_households_of_one_p_is_that_of_chi_square() -> None:
    groups, households = (
        np.repeat([0, 2, 5, 7], [90, 60, 120, 130]),
        Households(np.arange(400), 200),
    )
    assert _clustered_p(6.0, groups, households) == pytest.approx(chi2.sf(6.0, 3), abs=0.01)
