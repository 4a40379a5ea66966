"""People who are in the original and in the holdout, by hand and in drawn files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures import overlap
from sdcmetrics.measures.overlap import holdout_overlaps, pairs_in_both
from tests.measures.people.drawn import people_of, records


def test_pairs_of_both_labels_count_less_where_many_are_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 3, 4, 3, 1, 5, 3], "y": list("aabbcbadb")})
    columns = [
        pd.util.hash_array(frame[name].to_numpy()) * np.uint64(k)
        for name, k in (("x", 3), ("y", 5))
    ]
    label = np.arange(9) < 5

    def drawn(rows: Any) -> Any:
        return np.array([label[rows], np.zeros(len(rows), np.bool_)])

    rng = np.random.default_rng(8)
    (both,) = pairs_in_both(columns, 5, drawn, rng)
    assert both.tolist() == [1 + 2 * 2 / 3, 0]  # the pair of 1, and two and two of 3
    monkeypatch.setattr(overlap, "_MOST", 1)
    for _ in range(5):
        (both,) = pairs_in_both(columns, 5, drawn, rng)
        assert both[0] in (1, 4 / 3)


def test_an_overlap_is_noticed_beside_a_drift_and_numbers_of_records() -> None:
    rng = np.random.default_rng(9)
    original, others = people_of(rng, 400), people_of(rng, 200)
    others["income"] *= 2
    some = pd.concat([original[:30], others[30:]], ignore_index=True)
    for frame in (original, others, some):
        frame["number"] = np.arange(1.0, len(frame) + 1)
    assert not holdout_overlaps(records(original, original[:50], others), 1)
    assert holdout_overlaps(records(original, original[:50], some), 1)
    numbers = [frame[["number"]] for frame in (original, original[:50], some)]
    assert not holdout_overlaps(records(*numbers), 1)


def test_of_households_one_row_each_is_compared() -> None:
    rng = np.random.default_rng(10)
    original, others = (people_of(rng, 150).loc[np.repeat(np.arange(150), 3)] for _ in range(2))
    for frame, start in ((original, 0), (others, 1000)):
        frame["home"] = start + np.repeat(np.arange(150), 3)
    files = [frame.reset_index(drop=True) for frame in (original, original, others)]
    assert not holdout_overlaps(records(*files, cluster="home"), 1)
    both = pd.concat([original[:90].assign(home=5000 + original["home"][:90]), others[90:]])
    files[2] = both.reset_index(drop=True)
    assert holdout_overlaps(records(*files, cluster="home"), 1)


@pytest.mark.parametrize("n", [60, 400])
def test_other_people_overlap_in_one_of_a_hundred_files(n: int) -> None:
    rng = np.random.default_rng(n)
    calls = sum(
        holdout_overlaps(records(people_of(rng, n), people_of(rng, 30), people_of(rng, n // 2)), i)
        for i in range(60)
    )
    assert calls <= 2
