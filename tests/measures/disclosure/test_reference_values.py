"""Subsets of a replica, one by one and together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure.reference_values import TargetReferences, _of_its_keys
from sdcmetrics.measures.registry import MEASURES
from tests.measures.counts import table


def counts(seed: int) -> KeyTargetCounts:
    """Return counts of 40 and of 90 records; some cells and keys are empty on either side."""
    rng = np.random.default_rng(seed)
    key, target = np.repeat(np.arange(12), 3), np.tile(np.arange(3), 12)
    sides = [rng.multinomial(n, rng.dirichlet(np.full(36, 0.3))) for n in (40, 90)]
    return KeyTargetCounts(*sides, key, target, 12, 3, 40, 90)


@pytest.mark.parametrize("symbol", ["max_denom", "CAP_s", "CAP_ratio"])
@pytest.mark.parametrize("seed", range(4))
def test_many_draws_at_once_give_the_mean_of_draws_one_by_one(symbol: str, seed: int) -> None:
    together = MEASURES[symbol]
    assert together.reference_values is not None
    alone = replace(together, reference_values=replace(together.reference_values, at="sample"))
    result = counts(seed)
    values = [
        TargetReferences(result, None, measures=list(MEASURES.values()), draws=0).of(item).value_at
        for item in (together, alone)
    ]
    assert values[0] == values[1]
    assert values[0] > 0


def test_a_copy_has_the_mean_group_of_the_original() -> None:
    measure = MEASURES["mean_denom"]
    # keys 0 and 2 tell the target, of three people and of two; of key 1 they have either
    for original, mean in (([[3, 1, 0], [0, 1, 2]], 2.5), ([[1, 1, 1], [1, 1, 2]], np.nan)):
        result = table(original, original)
        copy = TargetReferences(result, None, measures=list(MEASURES.values()), draws=0).of(measure)
        assert copy.copy == pytest.approx(mean, nan_ok=True)


def test_combinations_that_the_original_does_not_have_are_one() -> None:
    sides = np.array([2, 1, 0, 1, 0]), np.array([1, 0, 3, 2, 5])
    key, target = np.array([0, 0, 1, 2, 3]), np.array([0, 1, 0, 1, 0])
    place, cut = _of_its_keys(KeyTargetCounts(*sides, key, target, 4, 2, 4, 11))
    assert place.tolist() == [0, 1, 3, 2, 3]
    assert (cut.original.tolist(), cut.synthetic.tolist()) == ([2, 1, 1, 0], [1, 0, 2, 3 + 5])
    assert (cut.key.tolist(), cut.target.tolist()) == ([0, 0, 1, 2], [0, 1, 1, 0])
    assert (cut.n_keys, cut.n_targets, cut.n_original, cut.n_synthetic) == (3, 2, 4, 11)
