"""Labels drawn at random: the same ones for every attack, and the p they give."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.attacks import people
from sdcmetrics.measures.attacks.people import labels_drawn, permuted_p


def test_labels_are_the_same_kept_or_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [*labels_drawn(30, 11, 20, seed=3)]
    monkeypatch.setattr(people, "_MOST_BITS", 0)
    drawn = [*labels_drawn(30, 11, 20, seed=3)]
    assert np.array_equal(kept, drawn)
    assert np.sum(kept, axis=1).tolist() == [11] * 20
    assert not np.array_equal(kept, [*labels_drawn(30, 11, 20, seed=4)])


def test_the_p_is_that_of_permuted_successes() -> None:
    success = np.random.default_rng(0).random(40) ** 3
    rng = np.random.default_rng(5)
    sums = [rng.permutation(success)[:15].sum() for _ in range(99)]
    beyond = int((np.array(sums) >= success[:15].sum() - 1e-9).sum())
    assert permuted_p(success, 15, 99, seed=5) == (1 + beyond) / 100
