from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import exchange as subject
from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.exchange import exchange, writing
from tests.measures.people.drawn import people_of, records


def exchanged(original: pd.DataFrame, holdout: pd.DataFrame, seed: int = 1) -> Any:
    given = records(original, original.head(20), holdout)
    return exchange(files_of(given, given.names), seed)


def test_a_random_part_is_seldom_said_to_differ() -> None:
    rng = np.random.default_rng(1)
    p = [exchanged(people_of(rng, 120), people_of(rng, 60)).p for _ in range(60)]
    assert sum(one <= 0.01 for one in p) <= 3
    assert sum(one <= 0.5 for one in p) >= 15  # and it is no constant


@pytest.mark.parametrize("large", [False, True])
def test_a_drifted_or_rounded_holdout_differs_and_says_where(
    large: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(subject, "_PERMUTED", 100)
    rng = np.random.default_rng(2)
    original, holdout = people_of(rng, 300), people_of(rng, 300)
    moved = holdout.assign(income=holdout["income"] * 1.5)
    out = exchanged(original, moved)
    assert out.differs
    assert "income" in out.most
    rounded = holdout.assign(rent=holdout["rent"].round(-1))
    out = exchanged(original, rounded)
    assert out.differs
    assert out.most == "rent: decimals and trailing zeros"


def test_counts_drawn_from_their_normal_law_are_as_permuted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    original, holdout = people_of(rng, 400), people_of(rng, 300)
    holdout.loc[:24, "region"] = "a"
    exact = exchanged(original, holdout).p
    monkeypatch.setattr(subject, "_PERMUTED", 100)
    assert abs(exchanged(original, holdout).p - exact) < 0.15


def test_numbers_are_written_with_decimals_or_trailing_zeros() -> None:
    values = np.array([0.5, 0.25, 1e-7, 3.0, 10.0, 5000.0, 0.0, np.nan, 1e15, -2.5])
    assert writing(values).tolist() == [-1, -2, 90, 0, 1, 3, 90, -99, 15, -1]
