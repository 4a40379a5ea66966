"""What a copy of the original would have, and who is matched, record by record."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.closeness.assessment import _match, _singled_out
from sdcmetrics.measures.closeness.copied import copy_of
from sdcmetrics.measures.closeness.declared import _p, _permuted
from sdcmetrics.measures.closeness.search import _room
from sdcmetrics.measures.exchangeable import LabelTest
from sdcmetrics.measures.neighbours import Points


def test_twins_share_a_copy_out_among_them() -> None:
    # a twice and b in the original; a, c and c in the holdout
    points: Any = SimpleNamespace(
        training=Points.from_columns([np.array([0, 0, 1])], [np.array([1.0, 1.0, np.nan])]),
        holdout=Points.from_columns([np.array([0, 1, 1])], [np.array([1.0, 2.0, 2.0])]),
        identities=(np.array([0, 0, 1]), np.array([0]), np.array([0, 2, 2])),
    )
    pool: Any = SimpleNamespace(
        training=np.array([0.0, 0.5, 0.4]), training_to_holdout=np.array([0.0, 0.0, 0.6])
    )
    copied = copy_of(points, pool, 0.5)
    assert copied.weights.tolist() == pytest.approx([2 / 9, 2 / 9, 1 / 3, 2 / 9, 0, 0])
    assert copied.to_holdout == pytest.approx(0.2)
    assert (copied.in_holdout.count, copied.in_holdout.total) == (2, 3)
    # of the original only b is alone
    assert (copied.identical.training, copied.identical.holdout) == (1, 0)
    assert (copied.identical.n_training, copied.identical.n_holdout) == (3, 3)
    assert (copied.singled_out.training, copied.singled_out.holdout) == (1, 0)
    assert copy_of(points, pool, 0.0).singled_out.training == 2  # at no distance is nobody


@pytest.mark.parametrize(
    ("itself", "in_holdout"),
    [(None, [True, True, True]), (np.arange(3), [False, True, False])],
)
def test_records_are_matched_by_their_values(
    itself: np.ndarray | None, in_holdout: list[bool]
) -> None:
    # values 0 0 1 of the original, 0 2 4 of the replica, 0 2 2 4 of the holdout
    points: Any = SimpleNamespace(
        training=SimpleNamespace(n=3), holdout=SimpleNamespace(n=4),
        identities=(np.array([0, 0, 1]), np.array([0, 2, 4]), np.array([0, 2, 2, 4])),
    )  # fmt: skip
    result: Any = SimpleNamespace(training=np.ones(3), holdout=np.zeros(3))
    pool: Any = SimpleNamespace(
        holdout_to_training=np.ones(4), holdout_to_holdout=np.zeros(4), holdout_of_training=None
    )
    tied: Any = SimpleNamespace(of_training=np.full(3, 0.5))
    closest, baseline, matched = _match(points, result, pool, itself, tied)
    assert (closest.n_training, closest.n_holdout) == (3, 4)
    assert closest.copies_training.tolist() == [True, False, False]
    assert closest.copies_holdout.tolist() == in_holdout
    assert closest.of_training is tied.of_training
    assert baseline.copies_training.tolist() == [True, False, False, False]
    assert baseline.copies_holdout.tolist() == [False, True, True, False]
    assert matched[0].tolist() == [False, False, False]
    assert matched[1].tolist() == [False, False, False, itself is None]


def test_who_is_singled_out_by_how_much_nearer_a_synthetic_record_is() -> None:
    replica: Any = SimpleNamespace(
        from_training=np.array([0.0, 0.2, 0.5, 0.3]), from_holdout=np.array([0.0, 0.1])
    )
    pool: Any = SimpleNamespace(
        training=np.array([0.25, 0.4, 0.75, 0.3]), holdout=np.array([0.2, 0.1])
    )
    test = _singled_out(0.25, replica, pool, None)
    assert (test.training, test.holdout, test.n_training, test.n_holdout) == (2, 0, 4, 2)
    nothing = _singled_out(0.0, replica, pool, None)
    assert (nothing.training, nothing.holdout) == (3, 1)


def test_p_values_have_their_counts() -> None:
    test: Any = SimpleNamespace(p_value=0.2, reached=3, permutations=19)
    counted = _permuted(test)
    assert (counted.value, counted.count, counted.total) == (0.2, 3, 19)
    nothing = _permuted(SimpleNamespace(p_value=np.nan))  # type: ignore[arg-type]
    assert np.isnan([nothing.value, nothing.count, nothing.total]).all()
    labels = _p(LabelTest(3, 0, 3, 3), 3)
    assert [labels.value, labels.count, labels.total] == pytest.approx([0.05, 3, 3])


@pytest.mark.parametrize(
    ("sizes", "room"),
    [
        ((1, 100, 100), 32),  # 27 are enough for half of the labels each: 2^-27 is below 1e-8
        ((1, 300, 100), 65),  # 0.75^65
        ((1, 100, 300), 65),
        ((1, 100_000, 1), 512),
        ((1_000_000, 300, 100), 32),  # 64 million in all, of both sides
        ((4_000_000, 300, 100), 8),
        ((100_000_000, 300, 100), 1),
    ],
)
def test_lists_of_ties_have_room_for_both_labels_and_for_memory(
    sizes: tuple[int, int, int], room: int
) -> None:
    assert _room(*sizes) == room
