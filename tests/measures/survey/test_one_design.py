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
    "weighted_tables": lambda **how: sdc.survey.weighted_tables(SAMPLE, REPLICA, **how).table,
    "weighted_compare": lambda **how: sdc.survey.weighted_compare(SAMPLE, REPLICA, **how).table,
    "weighted_fidelity": lambda **how: (
        sdc.survey.weighted_fidelity(SAMPLE, REPLICA, ways=[1], **how).table
    ),
    "weighted_wasserstein": lambda **how: sdc.survey.weighted_wasserstein(
        SAMPLE, REPLICA, draws=9, **how
    ),
    "survey_overlap": lambda **how: (
        sdc.survey.survey_overlap(SAMPLE, REPLICA, formula="y ~ x", **how).coefficients
    ),
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_design_gives_what_its_columns_give(name: str) -> None:
    function = FUNCTIONS[name]
    by_value = function(design=sdc.survey.Design(**DESIGN))
    pd.testing.assert_frame_equal(by_value, function(**DESIGN))
    assert not by_value.equals(function(weight="w"))


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_design_beside_a_column_is_refused_by_name(name: str) -> None:
    with pytest.raises(StudyError, match="weight already"):
        FUNCTIONS[name](design=sdc.survey.Design(strata="region"), weight="w")


def test_what_is_done_with_a_lonely_stratum_belongs_to_the_design() -> None:
    lonely = SAMPLE.assign(region=np.where(np.arange(N) == 0, 9, SAMPLE["region"]), block=range(N))
    with pytest.raises(StudyError):
        sdc.survey.weighted_tables(lonely, REPLICA, design=sdc.survey.Design(**DESIGN))
    how = sdc.survey.Design(**DESIGN, lonely="adjust")
    assert len(sdc.survey.weighted_tables(lonely, REPLICA, design=how).table)
