"""A sample's design is one value, or given column by column: the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError

RNG = np.random.default_rng(4)
N = 80
SAMPLE = pd.DataFrame(
    {
        "x": RNG.integers(0, 3, N),
        "y": RNG.normal(size=N),
        "w": RNG.uniform(1, 5, N),
        "region": np.arange(N) % 4,
        "block": np.arange(N) // 4,
    }
)
REPLICA = SAMPLE[["x", "y"]].sample(frac=1.0, random_state=1)
DESIGN = {"weight": "w", "strata": "region", "cluster": "block"}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "weighted_tables": lambda o, **how: sdc.survey.weighted_tables(o, REPLICA, **how).table,
    "weighted_compare": lambda o, **how: sdc.survey.weighted_compare(o, REPLICA, **how).table,
    "weighted_fidelity": lambda o, **how: (
        sdc.survey.weighted_fidelity(o, REPLICA, ways=[1], **how).table
    ),
    "weighted_wasserstein": lambda o, **how: sdc.survey.weighted_wasserstein(
        o, REPLICA, draws=9, **how
    ),
    "survey_overlap": lambda o, **how: (
        sdc.survey.survey_overlap(o, REPLICA, formula="y ~ x", **how).coefficients
    ),
    "analysis": lambda o, **how: sdc.analysis(o, REPLICA, "mean", "y", **how).estimates,
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_design_gives_what_its_columns_give(name: str) -> None:
    function = FUNCTIONS[name]
    by_value = function(SAMPLE, design=sdc.survey.Design(**DESIGN))
    pd.testing.assert_frame_equal(by_value, function(SAMPLE, **DESIGN))
    assert not by_value.equals(function(SAMPLE, weight="w"))


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_design_beside_a_column_is_refused_by_name(name: str) -> None:
    with pytest.raises(StudyError, match="weight already"):
        FUNCTIONS[name](SAMPLE, design=sdc.survey.Design(strata="region"), weight="w")


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_what_is_done_with_a_lonely_stratum_belongs_to_the_design(name: str) -> None:
    region = np.where(np.arange(N) == 0, 9, SAMPLE["region"])
    lonely, function = SAMPLE.assign(region=region, block=range(N)), FUNCTIONS[name]
    with pytest.raises(StudyError, match="lonely"):
        function(lonely, design=sdc.survey.Design(**DESIGN))
    by_value = function(lonely, design=sdc.survey.Design(**DESIGN, lonely="adjust"))
    pd.testing.assert_frame_equal(by_value, function(lonely, **DESIGN, lonely="adjust"))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "analysis"])
def test_a_keyword_that_no_design_has_is_named(name: str) -> None:
    with pytest.raises(TypeError, match=r"argument 'wieght'. Did you mean 'weight'\?"):
        FUNCTIONS[name](SAMPLE, wieght="w")
