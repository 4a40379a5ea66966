"""Replicas of many more records than the original: near records in a part of them, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import testing, whose_records
from sdcmetrics.measures.people.clusters import Labels
from sdcmetrics.measures.people.columns import comparable, files_of
from sdcmetrics.measures.people.near import Near
from tests.measures.people.drawn import people_of, records


def drawn_often(rng: np.random.Generator, times: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return people, and many times as many records of them whose numbers are changed by 3 %."""
    original = people_of(rng, 150)
    drawn = original.iloc[rng.integers(0, 150, 150 * times)].reset_index(drop=True)
    for name in ("age", "income", "rent"):
        drawn[name] = (drawn[name] * rng.normal(1, 0.03, len(drawn))).round(1)
    return original, drawn


@pytest.mark.parametrize("times", [2, 5, 12])
def test_more_changed_copies_of_everybody_are_no_less_noticed(times: int) -> None:
    out = whose_records(records(*drawn_often(np.random.default_rng(8), times)))
    assert out.tests["TN"].alarmed, out.tests["TN"]
    assert out.people is not None
    assert out.people.low > 30


def test_people_who_are_drawn_more_often_are_not_called() -> None:
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        out = whose_records(records(people_of(rng, 60), people_of(rng, 480)))
        alarms += bool(out.accused)
    assert alarms <= 1


@pytest.mark.parametrize(
    ("m", "h", "sets"),
    [(60, 0, [(40, 60)]), (61, 0, [(40, 61), (40, 40)]), (61, 40, [(40, 61), (40, 40)])],
)
def test_the_level_is_for_both_sets_of_near_records(
    m: int, h: int, sets: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[Any, float]] = []

    def near(given: Any, *_: Any, levels: tuple[float, float], **__: Any) -> Near:
        calls.append((given, levels[0]))
        p = 0.001 if given.ranks.shape[1] == 80 + h else 0.004
        return Near(p_twins=p, smallest_twins=p)

    monkeypatch.setattr(testing, "near_records", near)
    rng = np.random.default_rng(1)
    files = (people_of(rng, size) for size in (40, m, h))
    original, replica, holdout = files
    whole = records(original, replica, holdout if h else None)
    given = comparable(files_of(whole, whole.names), rng)
    tests = testing.PeopleTests(given, {"TN": 0.01, "TE": 0.01}, rng)
    assert tests.near.p_twins == (0.002 if len(sets) > 1 else 0.004)
    assert [(part.n, part.ranks.shape[1] - part.pool) for part, _ in calls] == sets
    assert [level for _, level in calls] == pytest.approx([0.009 / len(sets)] * len(sets))
    assert tests.arranged is calls[-1][0]  # that of the smallest p
    people = tests.arranged.ranks[:, np.argsort(tests.arranged.people)]
    assert people.shape == (tests.files.ranks.shape[0], 40 + h)  # every person is among them


def test_one_row_of_each_cluster_is_looked_at_once_however_many_rows_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[Any, Any]] = []

    def near(*_: Any, levels: tuple[float, float], tests: Any, **__: Any) -> Near:
        calls.append((levels, set(tests)))
        return Near(p_twins=0.9, smallest_twins=0.01)

    monkeypatch.setattr(testing, "near_records", near)
    monkeypatch.setattr(testing, "most_records", lambda _: 200)
    rng = np.random.default_rng(1)
    whole, single = (
        records(people_of(rng, size), people_of(rng, size), people_of(rng, size))
        for size in (80, 40)
    )
    given = comparable(files_of(single, single.names), rng)
    tests = testing.PeopleTests(given, {"TN": 0.01, "TE": 0.01, "LN": 0.02}, rng)
    tests.clustered = files_of(whole, whole.names), Labels.alone(160, 80)
    assert tests.places  # of the 240 rows that labels are tested by
    assert tests.near.p_twins == 0.9
    assert [(pytest.approx(0.009), 0.0)] == [levels for levels, _ in calls]
    assert [asked for _, asked in calls] == [{"TN"}]
