"""Subsets of a replica, one by one and together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure.reference_values import TargetReferences
from sdcmetrics.measures.registry import MEASURES


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
