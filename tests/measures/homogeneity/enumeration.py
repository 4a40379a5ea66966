"""Every way to part the records of a small table, with its probability under exchange."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def ways(both: list[int], m: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the synthetic counts of every table with these cells, and their probabilities."""
    every = [s for s in itertools.product(*(range(c + 1) for c in both)) if sum(s) == m]
    total = math.comb(sum(both), m)
    chance = [math.prod(map(math.comb, both, s)) / total for s in every]
    return np.array(every), np.array(chance)


def pearson(both: list[int], synthetic: npt.NDArray[np.int64]) -> Floats:
    """Return X2 as it is defined, of one table or of many."""
    counts, total = np.array(both, dtype=float), sum(both)
    share = synthetic.sum(axis=-1, keepdims=True) / total
    apart = synthetic - counts * share
    out: Floats = (apart**2 / (counts * share * (1 - share))).sum(axis=-1)
    return out
