"""The figures that a command prints of one file are those of its function, each under its name."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.cli import one_file, sample
from tests.study.test_sample import survey

KEYS = ["sex", "age"]


@pytest.fixture(scope="module")
def file() -> pd.DataFrame:
    return survey()


@pytest.mark.parametrize(
    ("looked_at", "function", "chosen", "figures"),
    [
        (one_file._k_anonymity, sdc.k_anonymity, {}, ["n", "k", "uniques"]),
        (one_file._l_diversity, sdc.l_diversity, {"target": "ill"},
         ["distinct", "entropy", "recursive", "below_2"]),
        (one_file._t_closeness, sdc.t_closeness, {"target": "ill"},
         ["largest", "null_largest", "mean", "null_mean"]),
        (one_file._match_risk, sdc.match_risk, {"sampling_fraction": 0.1},
         ["risk", "lower", "upper", "uniques", "doubles", "fraction"]),
        (one_file._special_uniques, sdc.special_uniques, {}, ["special", "uniques"]),
        (sample._individual_risk, sdc.individual_risk, {"weight": "w", "household": None},
         ["expected", "mean"]),
        (sample._individual_risk, sdc.individual_risk, {"weight": "w", "household": "home"},
         ["expected", "mean", "household_expected"]),
        (sample._population_uniques, sdc.population_uniques, {"weight": "w"},
         ["uniques", "population_uniques", "matches"]),
        (sample._attacker_risks, sdc.attacker_risks, {"population": None, "population_size": 9e3},
         ["prosecutor_largest", "prosecutor_mean", "prosecutor_above", "journalist_largest",
          "journalist_mean", "marketer"]),
    ],
)  # fmt: skip
def test_figures_are_those_of_the_function_in_their_order(
    file: pd.DataFrame, looked_at: Any, function: Any, chosen: dict[str, Any], figures: list[str]
) -> None:
    outcome, told, _, _ = looked_at(file, keys=KEYS, **chosen)
    result = function(file, keys=KEYS, **chosen)
    expected = [getattr(result, name) for name in figures]
    assert [*told.values()] == pytest.approx(expected, nan_ok=True)
    assert type(outcome) is type(result)


def test_each_set_of_few_keys_has_its_share(file: pd.DataFrame) -> None:
    result = sdc.key_importance(file, keys=KEYS, sampling_fraction=0.1)
    _, told, table, shown = one_file._key_importance(file, keys=KEYS, sampling_fraction=0.1)
    few = {
        "% unique by " + ", ".join(keys): percent
        for keys, percent in zip(result.few_keys["keys"], result.few_keys["percent"], strict=True)
    }
    assert few
    assert told == {"records": result.n, "unique by all keys": result.uniques} | few
    assert table is shown


def test_households_are_counted_in_percent(file: pd.DataFrame) -> None:
    result = sdc.household_uniqueness(file, keys=KEYS, household="home")
    _, told, table, _ = sample._household_uniqueness(file, keys=KEYS, household="home")
    shares = [result.unique, result.in_unique, result.unique_alone]
    assert [*told.values()] == [result.households, *(share.percent for share in shares)]
    assert table["households_alike"].tolist() == list(result.of_record)
