"""What the best constant of a replica is right about, counted by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sdcmetrics.measures.attacks.inference import _constant
from sdcmetrics.measures.attacks.people import People


def people(original: list[float], replica: list[float]) -> People:
    """Return original and replica with one number, and a holdout like the original."""
    parts = tuple(np.array(part, dtype=np.float64) for part in (original, replica, original))
    sizes = (len(original), len(replica), len(original))
    return People(codes={}, numbers={"x": parts}, sizes=sizes, fixes=())


@pytest.mark.parametrize(
    ("within", "share"),
    [
        (math.nan, 1 / 4),  # the value that is most frequent in the replica: 9
        (0.0, 1 / 4),
        (1.0, 3 / 4),  # 1, 2 and 3 together are more: all within 1 of 2
        (0.5, 1 / 4),
    ],
)
def test_the_best_constant_has_most_of_the_replica_about_it(within: float, share: float) -> None:
    assert _constant(people([1, 2, 3, 9], [1, 2, 3, 9, 9]), "x", within) == share


def test_a_missing_number_is_nobodys_and_without_numbers_there_is_none() -> None:
    assert _constant(people([1, math.nan], [1, math.nan, math.nan]), "x", 0.0) == 0.5
    assert math.isnan(_constant(people([1, 2], [math.nan]), "x", 0.0))
