"""Loops over permuted labels, uncompiled, beside the definitions of what they add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.distributions import kernels


def by_definition(cells: Any, labels: Any) -> tuple[float, float]:
    """Return TVD and S_pMSE of a table; labels are 1 for a record of the original."""
    n, m = int(labels.sum()), int((1 - labels).sum())
    number = int(cells.max()) + 1
    original = np.bincount(cells, labels, number)
    every = np.bincount(cells, minlength=number)
    apart = original / n - (every - original) / m
    share = m / (n + m)
    score = (every - original) / every  # of a record of each cell, to be of the replica
    pmse = float((every * (score - share) ** 2).sum()) / (n + m)
    expected = (number - 1) * (1 - share) ** 2 * share / (n + m)
    return float(np.abs(apart).sum() / 2), pmse / expected if number > 1 else 0.0


@pytest.mark.parametrize("n", [3, 6])
def test_distances_of_labellings_are_added_up_over_tables(n: int) -> None:
    rng = np.random.default_rng(1)
    size, draws = 9, 4
    tables = [
        np.array([0, 1, 1, 2, 2, 2, 3, 4, 4]), np.zeros(size, np.int64), np.arange(size),
        np.array([0, 0, 0, 0, 0, 0, 1, 1, 1]),
    ]  # fmt: skip
    labels = np.zeros((size, draws), np.uint8)
    for b in range(draws):
        labels[rng.permutation(size)[:n], b] = 1
    shuffled = [rng.permutation(cells) for cells in tables]
    order = np.array([np.argsort(cells, kind="stable") for cells in shuffled])
    ends = np.array([[*(np.diff(np.sort(cells)) > 0), True] for cells in shuffled])
    sums = np.zeros((2, draws))
    kernels.distances(labels, order, ends, n, size - n, sums)
    for b in range(draws):
        each = [by_definition(cells, labels[:, b].astype(int)) for cells in shuffled]
        assert sums[:, b] == pytest.approx(np.sum(each, axis=0))
