from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import Claim, clusters, whose_records
from sdcmetrics.measures.people.clusters import (
    Labels,
    are_others,
    drawn_label_p,
    labels_of,
    numbers_of,
    one_row_each,
)
from sdcmetrics.measures.people.columns import files_of
from tests.measures.people.drawn import people_of, records


def panel(rng: np.random.Generator, persons: Any, rows: int = 5, first: int = 0) -> Any:
    """Return persons with several rows each, nearly all alike."""
    out = people_of(rng, persons).loc[np.repeat(np.arange(persons), rows)].reset_index(drop=True)
    out["wave"] = np.tile(np.arange(rows), persons)
    out["person"] = first + np.repeat(np.arange(persons), rows)
    return out


def test_one_row_of_each_cluster_is_the_first_in_value_order() -> None:
    frame = pd.DataFrame({"x": [3.0, 1.0, 2.0, 9.0], "y": list("bacd"), "home": [1, 1, 2, 2]})
    copied = frame.iloc[[1, 0, 3, 2]].assign(home=[7, 7, 8, 8])
    given = records(frame, copied, cluster="home")
    rows = one_row_each(files_of(given, given.names), numbers_of(given.cluster))
    assert rows.tolist() == [1, 2, 4, 7]  # 1.0 and 2.0 of each file


def test_rows_without_a_cluster_are_clusters_of_their_own() -> None:
    frame = pd.DataFrame({"x": [3.0, 1.0, 2.0], "y": list("bac"), "home": [1.0, np.nan, np.nan]})
    numbers = numbers_of(records(frame, frame, cluster="home").cluster)
    assert len(set(numbers[0].tolist())) == 3
    frame = pd.DataFrame({"x": range(6), "home": [None, "u", "u", "v", None, "v"]})
    number, _, copied = numbers_of(records(frame, frame, cluster="home").cluster)
    for rows in (number.tolist(), copied.tolist()):
        assert (rows[1], rows[3], len({*rows})) == (rows[2], rows[5], 4)


@pytest.mark.parametrize(
    ("original", "holdout", "others"),
    [
        ([1.0, 2.0, np.nan], [3.0, 4.0, np.nan], True),
        (["a", "b", None], ["c", "d", None], True),
        (["a", "b", None], ["c", "b", None], False),
        ([1.0, 2.0, np.nan], [3.0, 1.0, 4.0], False),
    ],
)
def test_clusters_of_the_holdout_are_others_where_no_name_is_that_of_one_of_the_original(
    original: list[Any], holdout: list[Any], others: bool
) -> None:
    file, aside = (
        pd.DataFrame({"x": [3.0, 1.0, 2.0], "home": homes}) for homes in (original, holdout)
    )
    assert are_others(records(file, file, aside, cluster="home").cluster) == others
    assert not are_others(records(file, file, cluster="home").cluster)


def test_labels_are_drawn_by_whole_clusters() -> None:
    labels = Labels(np.array([0, 0, 1, 1, 2, 3]), np.array([True, False, True, False]))
    draw = next(labels.drawn(np.random.default_rng(1)))[:500]
    assert (draw[:, 0] == draw[:, 1]).all()
    assert (draw[:, [0, 2, 4, 5]].sum(1) == 2).all()
    few = labels.of(np.array([5, 0, 1]))
    assert few.number.tolist() == [1, 0, 0]
    assert few.first.tolist() == [True, False]


@pytest.mark.parametrize(("at_once", "rows"), [(5, 1), (29, 4), (30, 5), (31, 5)])
def test_labels_are_drawn_as_many_times_at_once_as_there_is_room(
    at_once: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "_AT_ONCE", at_once)
    rng = np.random.default_rng(1)
    for labels in (
        Labels(np.array([0, 0, 1, 1, 2, 3]), np.arange(4) < 2),
        Labels(np.array([0, 1, 5, 3]), np.arange(6) < 3),  # of six clusters, four have people here
    ):
        draws = labels.drawn(rng)
        for _ in range(2):
            assert next(draws).shape == (rows, len(labels.number))


@pytest.mark.parametrize(
    ("level", "high", "blocks"),
    [
        (0.01, 0, [17] * 235 + [4]),
        (0.003, 3, [17] * 392 + [3]),
        (0.01, 17, [17] * 48),  # with the 800th draw as high it is a fifth of 4,000
    ],
)
def test_labels_are_drawn_until_a_fifth_of_all_are_as_high(
    level: float, high: int, blocks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "_AT_ONCE", 35)
    asked: list[int] = []

    class Draws:
        def multivariate_hypergeometric(self, sizes: Any, first: int, rows: int, **_: Any) -> Any:
            assert (sizes.tolist(), first) == ([4, 2], 3)  # clusters without a hit, and with one
            asked.append(rows)
            return np.where(np.arange(rows)[:, None] < high, [1, 2], [2, 1])

    labels = Labels(np.array([0, 0, 1, 2, 3, 4, 5]), np.arange(6) < 3)
    p = drawn_label_p(np.array([0, 2]), labels, level, Draws())  # type: ignore[arg-type]
    assert asked == blocks
    assert p == pytest.approx((1 + sum(min(high, n) for n in asked)) / (1 + sum(asked)), abs=0)


def test_labels_say_who_is_of_the_original() -> None:
    alone = Labels.alone(5, 3)
    assert alone.number.tolist() == [0, 1, 2, 3, 4]
    assert alone.first.tolist() == [True, True, True, False, False]
    both = labels_of(np.array([0, 1, 1, 0]), np.array([0, 2, 1]))
    assert both.number.tolist() == [0, 1, 1, 0, 2, 4, 3]
    assert both.first.tolist() == [True, True, False, False, False]
    whole = labels_of(np.array([0, 1, 2]), np.zeros(0, np.int64))
    assert whole.first.tolist() == [True] * 3


@pytest.mark.parametrize("hits", [[0, 1, 2], [0, 3, 4, 9], [2, 5, 8], [9], []])
def test_p_of_hits_is_that_of_all_ways_to_exchange_clusters(hits: list[int]) -> None:
    number = np.array([0, 0, 0, 1, 1, 2, 3, 4, 4, 5])  # three clusters of either file
    labels = Labels(number, np.array([True, True, True, False, False, False]))
    weight = np.bincount(number[hits], minlength=6)
    ways = [weight[list(way)].sum() for way in combinations(range(6), 3)]
    exact = np.mean(np.array(ways) >= weight[:3].sum()) if hits else 1.0
    for level, draws in ((0.02, 3_999), (0.002, 10_000)):
        p = drawn_label_p(np.array(hits, int), labels, level, np.random.default_rng(4))
        if exact <= 0.2:  # else it ends as soon as nothing depends on it
            assert p * (draws + 1) == pytest.approx(round(p * (draws + 1)))
        assert p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 3_999))


def test_ten_hits_of_one_cluster_are_one_accident() -> None:
    labels = Labels(np.repeat(np.arange(40), 10), np.arange(40) < 20)
    rng = np.random.default_rng(2)
    assert abs(drawn_label_p(np.arange(10), labels, 0.002, rng) - 0.5) < 0.05
    assert drawn_label_p(np.arange(0, 200, 10), labels, 0.002, rng) < 0.001


def test_a_panel_is_accused_only_where_its_people_are_in_the_replica() -> None:
    rng = np.random.default_rng(3)
    original, holdout = panel(rng, 60), panel(rng, 60, first=1000)
    fresh, leak = panel(rng, 60, first=5000), panel(rng, 60, first=5000)
    leak.iloc[:100, :-1] = original.iloc[:100, :-1]
    out = whose_records(records(original, fresh, holdout, cluster="person"))
    assert (out.clusters, out.other_clusters, out.accused) == (60, True, False)
    out = whose_records(records(original, leak, holdout, cluster="person"))
    assert Claim.HOLDS in out.claims
    assert out.tests["LE"].original >= 90
    assert out.tests["LE"].p is not None
    assert out.tests["LE"].p <= 0.002
