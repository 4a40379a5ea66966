"""Implications between levels: cells of two-way tables that the original never fills."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.crosstables.margins import count_two_way
from sdcmetrics.measures.rules.candidate import Candidate, least_expected
from sdcmetrics.measures.rules.features import Feature
from sdcmetrics.measures.rules.tree import IfThen
from sdcmetrics.microdata.arrays import Bools, Counts, Floats

_FEW = 3


@dataclass(frozen=True)
class _Table:
    """A two-way table: which cells are remarkably empty, and who fills them in the replicas."""

    row: Feature
    column: Feature
    empty: Bools
    expected: Floats
    broken: Floats

    @property
    def turned(self) -> _Table:
        """The same with rows for columns."""
        return _Table(self.column, self.row, self.empty.T, self.expected.T, self.broken.T)


def cells_to_test(features: Sequence[Feature]) -> int:
    """Return how many cells the two-way tables of all features have."""
    return sum(a.size * b.size for a, b in _pairs(features))


def find_implications(
    features: Sequence[Feature], sizes: tuple[int, ...], tested: int
) -> Iterator[Candidate]:
    """Yield ``if a == ... then b ...`` that all original records keep, and some replica breaks.

    A cell counts as empty on purpose when so many original records would fall into it by chance
    that its being empty is no accident; see `least_expected`.
    """
    least = least_expected(tested)
    for a, b in _pairs(features):
        shape = (a.size, b.size)
        original = count_two_way(a.codes[0], b.codes[0], shape)
        total = original.sum()
        if not total or original.all():
            continue
        expected = np.outer(original.sum(axis=1), original.sum(axis=0)) / total
        if expected[original == 0].sum() <= least:  # nor is any cell or row of it
            continue
        shares = np.zeros(shape)
        for part, size in enumerate(sizes[1:], start=1):
            shares += count_two_way(a.codes[part], b.codes[part], shape) / size
        if not shares[original == 0].any():
            continue
        empty = _remarkable(original, expected, least)
        empty |= _remarkable(original.T, expected.T, least).T
        broken = np.where(empty, shares / (len(sizes) - 1), 0.0)
        if broken.any():
            expected = np.where(empty, expected, 0.0)
            yield from _implications(_Table(a, b, empty, expected, broken))


def _pairs(features: Sequence[Feature]) -> Iterator[tuple[Feature, Feature]]:
    for a, b in itertools.combinations(features, 2):
        if a.column != b.column:
            yield a, b


def _implications(table: _Table) -> Iterator[Candidate]:
    """Yield one implication for all rows whose empty cells are the same ones; or columns."""
    ways = [(_grouped(direction.empty), direction) for direction in (table, table.turned)]
    groups, table = min(ways, key=lambda way: len(way[0]))
    for rows in groups:
        broken = float(table.broken[rows].sum())
        if broken > 0:
            allowed = np.flatnonzero(~table.empty[rows[0]]).tolist()
            yield Candidate(
                IfThen(table.row.says(rows), table.column.says(allowed)),
                "levels that exclude each other",
                frozenset((table.row.column, table.column.column)),
                float(table.expected[rows].sum()),
                broken,
            )


def _remarkable(original: Counts, expected: Floats, least: float) -> Bools:
    """Return the cells that are empty on purpose: each by itself, or all others of its row.

    A row that fills few of its cells is as remarkable as what is expected of all others, less
    what choosing these few among all cells makes likely.
    """
    empty = original == 0
    out: Bools = empty & (expected > least)
    filled = original.shape[1] - empty.sum(axis=1)
    others = (expected * empty).sum(axis=1)
    few = (filled <= _FEW) & (others > least + filled * math.log(original.shape[1]))
    out[few] |= empty[few]
    return out


def _grouped(empty: Bools) -> list[list[int]]:
    """Return the rows that have empty cells, those with the same ones together."""
    groups: dict[bytes, list[int]] = {}
    for row in np.flatnonzero(empty.any(axis=1)).tolist():
        groups.setdefault(empty[row].tobytes(), []).append(row)
    return list(groups.values())
