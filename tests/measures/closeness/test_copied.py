"""What a copy of the original would have, record by record."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.closeness.copied import copy_of
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
