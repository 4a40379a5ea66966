from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import alignment as subject
from sdcmetrics.measures.people.alignment import alignment
from sdcmetrics.measures.people.columns import files_of
from tests.measures.people.drawn import people_of, records


def aligned(original: pd.DataFrame, replica: pd.DataFrame) -> Any:
    given = records(original, replica)
    return alignment(files_of(given, given.names), np.random.default_rng(1))


def masked(original: pd.DataFrame, rng: np.random.Generator) -> Any:
    out = original.copy()
    out["income"] *= rng.normal(1, 0.1, len(out))
    out["rent"] *= rng.normal(1, 0.1, len(out))
    out["region"] = np.where(rng.random(len(out)) < 0.3, "a", out["region"])
    return out


@pytest.mark.parametrize("most", [50, 5000])
def test_a_masked_file_is_aligned_and_not_once_its_rows_are_mixed(
    most: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "_ROWS", most)
    rng = np.random.default_rng(1)
    original = people_of(rng, 200)
    replica = masked(original, rng)
    assert aligned(original, replica).aligned
    assert not aligned(original, replica.sample(frac=1, random_state=1)).aligned


def test_other_people_in_the_same_sorted_order_are_not_aligned() -> None:
    rng = np.random.default_rng(2)
    files = [people_of(rng, 200).sort_values(["region", "sex", "age"]) for _ in range(2)]
    assert not aligned(*files).aligned


def test_rows_of_the_same_stratum_stand_in_order() -> None:
    rng = np.random.default_rng(3)
    original, replica = people_of(rng, 400), people_of(rng, 400)
    for column in ("region", "sex", "age"):  # of the rows, not of the people
        replica[column] = original[column].to_numpy()
    out = aligned(original, replica)
    assert not out.aligned
    assert out.ordered


@pytest.mark.parametrize("share", [0.4, 0.7, 1.0])
def test_says_how_many_rows_are_their_own_person(share: float) -> None:
    rng = np.random.default_rng(5)
    original = people_of(rng, 400)
    replica = original.copy()
    mixed = np.arange(round((1 - share) * len(original)))
    replica.iloc[mixed] = original.iloc[rng.permutation(mixed)].to_numpy()
    out = aligned(original, replica.infer_objects())
    assert out.aligned
    assert out.own == pytest.approx(share, abs=0.06)
    assert out.own - 0.09 < out.low <= share
