"""Where records lie, and places: the neighbourhoods of a few random records of very large files.

A random part of large files would lose the parents of most records. Places are blind to labels:
centres are drawn from all records, and their nearest records are of all files alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.people.columns import Files, PooledColumn, codes_of
from sdcmetrics.microdata.arrays import Array, Floats, Ints
from sdcmetrics.microdata.compiled import compiled

Floats32 = npt.NDArray[np.float32]

_CENTRES = 6
_MOST_CENTRES = 24
_KNOTS = 1_024  # values by which ranks of numbers are told, to a thousandth
_MISSING = -9
_APART = np.float32(1e-5)  # less than that tells nothing, and chance decides


def places(files: Files, rng: np.random.Generator, records: int) -> Ints:
    """Return the positions of the records in places, sorted: so many or, in overlaps, some more."""
    each = min(records // _CENTRES, files.size - 1)
    scales = [_scale(part, rng) for part in files.parts]
    chosen = np.zeros(files.size, np.bool_)
    centres = rng.choice(files.size, _MOST_CENTRES, replace=False)
    for start in range(0, _MOST_CENTRES, _CENTRES):
        for distances in _distances(files, scales, centres[start : start + _CENTRES]):
            if start and chosen.sum() >= records:
                return np.flatnonzero(chosen)
            chosen[np.argpartition(_untied(distances, rng), each)[:each]] = True
    return np.flatnonzero(chosen)


def _untied(distances: Floats32, rng: np.random.Generator) -> Floats32:
    """Return distances of which no two are alike."""
    return distances + rng.random(len(distances), dtype=np.float32) * _APART


@dataclass(frozen=True, repr=False)
class Coordinates:
    """Where records lie in each column.

    Attributes
    ----------
    ranks, values : float arrays of shape (columns, records)
        Of numbers; of categories both are codes.
    """

    ranks: Floats32
    values: Floats32

    @classmethod
    def of(cls, files: Files, rng: np.random.Generator) -> Coordinates:
        """Return where all records of files lie."""
        sides = [_sides(part, _scale(part, rng)) for part in files.parts]
        ranks, values = (np.array(side) for side in zip(*sides, strict=True))
        return cls(ranks, values)

    def at(self, rows: Ints) -> Coordinates:
        """Return those of some of the records."""
        return replace(self, ranks=self.ranks.take(rows, 1), values=self.values.take(rows, 1))

    def distances(self, centre: int, rng: np.random.Generator) -> Floats32:
        """Return how far all records are from one of them, no two as far."""
        out = np.zeros((1, self.ranks.shape[1]), np.float32)
        add, centres = compiled(_add_distances, _SIGNATURE), np.array([centre])
        for ranks, values in zip(self.ranks, self.values, strict=True):
            add(ranks, values, centres, out)
        return _untied(out[0], rng)


def _sides(column: PooledColumn, scale: _Scale | None) -> tuple[Floats32, Floats32]:
    """Return ranks and values of a column, or its codes twice."""
    values = _values(column)
    if scale is None:
        codes = codes_of(values).astype(np.float32)
        return codes, codes
    return scale.shares(values), scale.parts(values)


@dataclass(frozen=True)
class _Scale:
    """By what numbers are compared: their ranks, and their differences in an interval of 95 %."""

    knots: Floats
    ranks: Floats
    low: float
    width: float

    def shares(self, values: Floats) -> Floats32:
        """Return the share of records with smaller values, and half of those with the same."""
        out = np.interp(values, self.knots, self.ranks).astype(np.float32)
        out[np.isnan(values)] = _MISSING
        return out

    def parts(self, values: Floats) -> Floats32:
        """Return how far into the interval values are, at most four of its widths beyond."""
        out = np.clip((values - self.low) / self.width, -4, 5).astype(np.float32)
        out[np.isnan(values)] = _MISSING
        return out


def _scale(column: PooledColumn, rng: np.random.Generator) -> _Scale | None:
    """Return how numbers are compared; None of categories."""
    if not column.number:
        return None
    values = _values(column)
    there = values[~np.isnan(values)]
    some = np.sort(there if len(there) <= _KNOTS else rng.choice(there, _KNOTS, replace=False))
    if not len(some):
        return _Scale(np.zeros(1), np.zeros(1), 0.0, 1.0)
    knots, counts = np.unique(some, return_counts=True)
    low, high = np.quantile(some, (0.025, 0.975))
    width = float(high - low) or float(some[-1] - some[0]) or 1.0
    return _Scale(knots, (np.cumsum(counts) - counts / 2) / len(some), float(low), width)


def _values(column: PooledColumn) -> Array:
    return column.values if column.mapped is None else column.mapped


def _distances(files: Files, scales: Sequence[_Scale | None], centres: Ints) -> Floats32:
    """Return how far all records are from each centre, by all columns.

    Numbers are as near as by their ranks or by their values: noise takes values that many share
    far in ranks, and a tail is far apart in values.
    """
    out = np.zeros((len(centres), files.size), np.float32)
    add = compiled(_add_distances, _SIGNATURE)
    for part, scale in zip(files.parts, scales, strict=True):
        add(*_sides(part, scale), centres, out)
    return out


def _add_distances(ranks: Any, values: Any, centres: Any, out: Any) -> None:
    """Add the distances of all records to each centre in one column; of two codes it is 1."""
    unit = np.float32(1)
    for c in range(len(centres)):
        rank, value = ranks[centres[c]], values[centres[c]]
        row = out[c]
        for b in range(len(row)):
            row[b] += min(abs(ranks[b] - rank), abs(values[b] - value), unit)


_SIGNATURE = "void(float32[::1], float32[::1], int64[::1], float32[:,::1])"
