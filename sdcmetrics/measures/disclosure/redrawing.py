"""Records drawn again and again, and counted by cell."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from sdcmetrics.microdata.arrays import Counts

_TOGETHER = 1 << 15
"""Redraws are looked at together in arrays of so many cells, which stay in the nearest caches."""
_KEPT = 4_000_000
"""Records of all draws up to which they are kept: 16 MB."""


def draw(seed: int, records: Counts, size: int, cells: int, draws: int) -> Iterator[Counts]:
    """Draw so many of the records, each given by its cell, and count them by cell.

    Yields
    ------
    int array of shape (some draws, cells)
    """
    together = max(1, _TOGETHER // cells)
    choices = _choices(seed, len(records), size, draws)
    while some := list(itertools.islice(choices, together)):
        cell = records.take(np.stack(some)) + cells * np.arange(len(some))[:, None]
        yield np.bincount(cell.ravel(), minlength=cells * len(some)).reshape(-1, cells)


def _choices(seed: int, n: int, size: int, draws: int) -> Iterator[Counts]:
    """Choose so many of n records, again and again; few are kept, as every target has the same."""
    if draws * size <= _KEPT:
        return iter(_kept_choices(seed, n, size, draws))
    return _choose(seed, n, size, draws)


@lru_cache(maxsize=8)
def _kept_choices(*how: int) -> tuple[Counts, ...]:
    return tuple(choice.astype(np.int32) for choice in _choose(*how))


def _choose(seed: int, n: int, size: int, draws: int) -> Iterator[Counts]:
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        yield rng.choice(n, size, replace=False, shuffle=False)
