"""Minimal sample uniques: the smallest sets of keys by which a record is alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.microdata.arrays import Bools, Ints

_WIDEST = 1 << 62


@dataclass(frozen=True)
class MinimalUniques:
    """Records that are unique by a set of keys, and by no part of it.

    Attributes
    ----------
    keys : tuple of int
        Positions of the keys.
    records : int array
        Positions of the records.
    """

    keys: tuple[int, ...]
    records: Ints


def minimal_uniques(
    codes: Ints, max_size: int, *, present: Bools | None = None
) -> Iterator[MinimalUniques]:
    """Yield the minimal sample uniques, smaller sets of keys first.

    Parameters
    ----------
    codes : int array of shape (keys, records), from 0
    max_size : the largest set of keys to look at
    present : bool array of the same shape, optional
        False for a missing value that is to fit nothing.
    """
    alone: dict[tuple[int, ...], Bools] = {}
    nothing = np.zeros(codes.shape[1], dtype=bool)
    for size in range(1, max_size + 1):
        larger = {}
        for keys in itertools.combinations(range(len(codes)), size):
            before = nothing
            for part in itertools.combinations(keys, size - 1):
                before = before | alone.get(part, nothing)
            counted = (
                np.flatnonzero(present[list(keys)].all(axis=0)) if present is not None else None
            )
            index = combine(
                codes[list(keys)] if counted is None else codes[np.ix_(np.array(keys), counted)]
            )
            unique = (np.bincount(index) == 1)[index]
            if counted is not None:
                there = nothing.copy()
                there[counted] = unique
                unique = there
            minimal = np.flatnonzero(unique & ~before)
            if len(minimal):
                yield MinimalUniques(keys, minimal)
            larger[keys] = unique
        alone = larger


def combine(codes: Sequence[Ints] | Ints) -> Ints:
    """Number the combinations of the columns from 0; shape (records,)."""
    index = np.zeros(len(codes[0]), dtype=np.int64)
    size = 1
    for code in codes:
        levels = int(code.max(initial=0)) + 1
        if size * levels >= _WIDEST:
            index = np.unique(index, return_inverse=True)[1]
            size = int(index.max()) + 1
        index = index * levels + code
        size *= levels
    if size > 4 * len(index):  # so that a table of all combinations stays small
        index = np.unique(index, return_inverse=True)[1]
    return index
