"""Replicas made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.microdata.frames import as_microdata

N = 4000
TRAINING = pd.DataFrame(
    {
        "x": np.arange(N),
        "y": np.arange(N) * 2.0,
        "c": pd.Categorical(np.where(np.arange(N) % 3 == 0, "a", "b"), categories=["b", "a", "z"]),
    }
)


def kept(frame: pd.DataFrame) -> float:
    return float((frame["x"] * 2 == frame["y"]).mean())


def test_a_share_of_0_draws_whole_records_with_replacement() -> None:
    result = sdc.perturb(TRAINING, 0, seed=1)
    assert kept(result) == 1.0
    assert len(result) == N
    assert result["x"].nunique() / N == pytest.approx(1 - np.exp(-1), abs=0.03)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_both_values_of_a_pair_are_kept_in_the_expected_share(share: float) -> None:
    assert kept(sdc.perturb(TRAINING, share, seed=2)) == pytest.approx((1 - share) ** 2, abs=0.03)


def test_a_share_of_1_keeps_no_value_of_its_record_and_makes_variables_independent() -> None:
    result = sdc.perturb(TRAINING, 1, rows=20_000, seed=3)
    assert kept(result) < 0.001
    assert abs(np.corrcoef(result["x"], result["y"])[0, 1]) < 0.03
    assert (result["c"] == "a").mean() == pytest.approx((TRAINING["c"] == "a").mean(), abs=0.02)


def test_kinds_of_columns_and_of_frames_are_kept() -> None:
    result = sdc.perturb(TRAINING, 0.5, rows=7, seed=1)
    assert result.dtypes.equals(TRAINING.dtypes)
    assert result.index.tolist() == list(range(7))
    of_polars = sdc.perturb(pl.from_pandas(TRAINING), 0.5, rows=7, seed=1)
    assert isinstance(of_polars, pl.DataFrame)
    assert of_polars["x"].to_list() == result["x"].tolist()
    assert sdc.perturb(pa.table({"x": [1, 2]}), 1, rows=5, seed=1).num_rows == 5
    data = sdc.perturb(as_microdata(TRAINING, "original"), 0.5, rows=7, seed=1)
    assert data.to_pandas()["y"].tolist() == result["y"].tolist()


def test_the_same_seed_gives_the_same_records() -> None:
    assert sdc.perturb(TRAINING, 0.3, seed=5).equals(sdc.perturb(TRAINING, 0.3, seed=5))
    assert not sdc.perturb(TRAINING, 0.3, seed=5).equals(sdc.perturb(TRAINING, 0.3, seed=6))


def test_the_training_data_stay_as_they_are() -> None:
    before = TRAINING.copy()
    sdc.perturb(TRAINING, 1, seed=1)
    assert TRAINING.equals(before)


def test_one_record_can_only_be_repeated() -> None:
    assert sdc.perturb(pd.DataFrame({"x": [7]}), 1, rows=3)["x"].tolist() == [7, 7, 7]


def test_of_two_records_a_value_is_replaced_by_the_other_one() -> None:
    two = pd.DataFrame({"x": [0, 1]})
    drawn, replaced = (sdc.perturb(two, share, rows=20, seed=1)["x"] for share in (0, 1))
    assert (drawn + replaced).tolist() == [1] * 20
    assert len(sdc.perturb(two, 1, rows=1)) == 1


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan])
def test_a_share_is_from_0_to_1(share: float) -> None:
    with pytest.raises(StudyError, match="share: expected a number from 0 to 1"):
        sdc.perturb(TRAINING, share)


def test_a_share_is_a_number() -> None:
    share: Any = "half"
    with pytest.raises(StudyError, match="share: expected a number but got str"):
        sdc.perturb(TRAINING, share)


def test_at_least_one_record_is_drawn() -> None:
    with pytest.raises(StudyError, match="rows: expected a whole number of at least 1 but got 0"):
        sdc.perturb(TRAINING, 0.5, rows=0)


def test_needs_a_data_frame() -> None:
    with pytest.raises(DataError, match="expected a data frame"):
        sdc.perturb("training.csv", 0.5)
