"""Large files: near records are looked for in places, the neighbourhoods of a few random records.

A random part of large files would lose the parents of most records. Places are blind to labels:
centres are drawn from all records, and their nearest records are of all files alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.people.columns import Files, PooledColumn, codes_of
from sdcmetrics.measures.people.near import Arranged, arranged
from sdcmetrics.measures.people.search import GROUPS
from sdcmetrics.microdata.arrays import Array, Floats, Ints
from sdcmetrics.microdata.compiled import compiled

Floats32 = npt.NDArray[np.float32]

LARGE = 4_500
"""Records in all above which near tests look at places; and how many these hold at first."""

_CENTRES = 6
_MOST_CENTRES = 24
_KNOTS = 1_024  # values by which ranks of numbers are told, to a thousandth
_MISSING = -9
_STEPS = 2e10
"""Of the search in larger places, which is as the square of the records and some two seconds."""


def places(files: Files, rng: np.random.Generator, records: int = LARGE) -> Ints:
    """Return the positions of the records in places, sorted: so many or, in overlaps, some more."""
    each = min(records // _CENTRES, files.size - 1)
    scales = [_scale(part, rng) for part in files.parts]
    chosen = np.zeros(files.size, np.bool_)
    centres = rng.choice(files.size, _MOST_CENTRES, replace=False)
    for start in range(0, _MOST_CENTRES, _CENTRES):
        for distances in _distances(files, scales, centres[start : start + _CENTRES]):
            if start and chosen.sum() >= records:
                return np.flatnonzero(chosen)
            apart = distances + rng.random(files.size, dtype=np.float32) * np.float32(1e-5)
            chosen[np.argpartition(apart, each)[:each]] = True
    return np.flatnonzero(chosen)


def in_places(files: Files, rng: np.random.Generator, records: int) -> tuple[Arranged, Ints]:
    """Return records in random order, in places where they are more, and which people are in."""
    rows = places(files, rng, records) if files.size > records else np.arange(files.size)
    some = files.at(rows) if len(rows) < files.size else files
    given = arranged(some, rng)
    return given, rows[given.people]


def most_records(files: Files) -> int:
    """Return how many records the search in larger places may have."""
    columns = len(files.parts)
    return int((_STEPS / (columns + 4 * (1 + min(columns, GROUPS)))) ** 0.5)


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


def _scale(part: PooledColumn, rng: np.random.Generator) -> _Scale | None:
    """Return how numbers are compared; None of categories."""
    if not part.number:
        return None
    values = _values(part)
    there = values[~np.isnan(values)]
    some = np.sort(there if len(there) <= _KNOTS else rng.choice(there, _KNOTS, replace=False))
    if not len(some):
        return _Scale(np.zeros(1), np.zeros(1), 0.0, 1.0)
    knots, counts = np.unique(some, return_counts=True)
    low, high = np.quantile(some, (0.025, 0.975))
    width = float(high - low) or float(some[-1] - some[0]) or 1.0
    return _Scale(knots, (np.cumsum(counts) - counts / 2) / len(some), float(low), width)


def _values(part: PooledColumn) -> Array:
    return part.values if part.mapped is None else part.mapped


def _distances(files: Files, scales: Sequence[_Scale | None], centres: Ints) -> Floats32:
    """Return how far all records are from each centre, by all columns.

    Numbers are as near as by their ranks or by their values: noise takes values that many share
    far in ranks, and a tail is far apart in values.
    """
    out = np.zeros((len(centres), files.size), np.float32)
    add = compiled(_add_distances, _SIGNATURE)
    for part, scale in zip(files.parts, scales, strict=True):
        values = _values(part)
        if scale is None:
            codes = codes_of(values).astype(np.float32)
            add(codes, codes, centres, False, out)  # noqa: FBT003  (compiled)
        else:
            add(scale.shares(values), scale.parts(values), centres, True, out)  # noqa: FBT003
    return out


def _add_distances(ranks: Any, values: Any, centres: Any, number: bool, out: Any) -> None:  # noqa: FBT001
    """Add the distances of all records to each centre in one column."""
    unit = np.float32(1)
    for c in range(len(centres)):
        rank, value = ranks[centres[c]], values[centres[c]]
        row = out[c]
        if number:
            for b in range(len(row)):
                row[b] += min(abs(ranks[b] - rank), abs(values[b] - value), unit)
        else:
            for b in range(len(row)):
                row[b] += unit if ranks[b] != rank else np.float32(0)


_SIGNATURE = "void(float32[::1], float32[::1], int64[::1], boolean, float32[:,::1])"
