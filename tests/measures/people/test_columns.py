from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people.columns import (
    Files,
    Part,
    comparable,
    files_of,
    is_running,
    running_numbers,
)
from tests.measures.people.drawn import people_of, records


def prepared(original: pd.DataFrame, replica: pd.DataFrame) -> Any:
    given = records(original, replica)
    return comparable(files_of(given, given.names), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("values", "runs"),
    [
        (np.arange(5.0, 25.0), True),
        (np.arange(5.0, 25.0)[::-1], True),
        (np.arange(5.0, 15.0), False),  # ten values are no running number
        (np.r_[np.arange(5.0, 24.0), 26.0], False),  # a gap
        (np.r_[np.arange(5.0, 24.0), 5.0], False),  # a repeat
        (np.r_[np.arange(5.0, 24.0), np.nan], False),
        (np.linspace(0, 19, 20) + 0.5, False),  # no whole numbers
    ],
)
def test_a_running_number_is_whole_without_gap_or_repeat(values: Any, runs: Any) -> None:
    assert is_running(values) == runs


def test_numbered_rows_are_set_aside_where_both_files_number_them() -> None:
    rng = np.random.default_rng(1)
    frames = [people_of(rng, 40).assign(id=np.arange(40) + start) for start in (1, 500)]
    assert running_numbers(records(*frames)) == ("id",)
    frames[1]["id"] = rng.permutation(900)[:40]
    assert running_numbers(records(*frames)) == ()


def test_a_number_on_another_scale_is_mapped_for_near_tests_only() -> None:
    rng = np.random.default_rng(2)
    original, replica = people_of(rng, 200), people_of(rng, 200)
    replica["income"] *= 100
    out = prepared(original, replica)
    assert out.mapped == ("income",)
    assert out.left_out == ()
    part = next(part for part in out.files.parts if part.name == "income")
    assert np.array_equal(part.values[200:], replica["income"])  # as written
    assert abs(np.median(part.mapped[200:]) / original["income"].median() - 1) < 0.1


def test_a_category_in_other_words_is_left_out() -> None:
    rng = np.random.default_rng(3)
    original, replica = people_of(rng, 200), people_of(rng, 200)
    replica["region"] = "new " + replica["region"]
    assert prepared(original, replica).left_out == ("region",)


def test_a_number_cut_into_few_values_far_away_is_left_out() -> None:
    rng = np.random.default_rng(4)
    original, replica = people_of(rng, 200), people_of(rng, 200)
    replica["income"] = np.repeat([1.0, 2.0, 3.0, 4.0], 50)
    assert prepared(original, replica).left_out == ("income",)


def test_text_where_the_original_has_numbers_is_left_out() -> None:
    rng = np.random.default_rng(5)
    original, replica = people_of(rng, 100), people_of(rng, 100)
    replica["income"] = np.where(replica["income"] > 5000, "much", "little")
    assert records(original, replica).incomparable == ("income",)


def test_distances_are_differences_of_mid_ranks_and_one_unit_per_category() -> None:
    values = np.array([1.0, 2.0, 2.0, np.nan, *range(3, 13)])  # ranks 1, 2.5, 2.5, -, 4, ...
    codes = np.array([0, 1, 1, -1, *[0] * 10])
    files = Files((Part("x", values, number=True), Part("c", codes, number=False)), 10, 0, 4)
    assert files.unit == 28
    ranks = files.ranks
    assert np.minimum(np.abs(ranks[0, 0] - ranks[0]), 28)[:5].tolist() == [0, 3, 3, 28, 6]
    assert np.minimum(np.abs(ranks[1, 0] - ranks[1]), 28)[:5].tolist() == [0, 28, 28, 28, 0]
