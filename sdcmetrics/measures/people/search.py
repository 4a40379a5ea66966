"""Nearest records of original, holdout and replica, in all configurations at once, exactly.

Distances are whole numbers (`Files.ranks`), so that equal means equal; ties are broken at random,
record by record, and never by the order of files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.compiled import compiled

Ints = npt.NDArray[np.int32]

GROUPS = 8
"""Groups of columns, one left out at a time."""

_WIDE = 31  # bits of a whole number without its sign
_BITS = 8  # random bits behind a distance, where there is room for them


@dataclass(frozen=True, repr=False)
class Nearest:
    """Nearest records per configuration (first axis): all columns, then without one group.

    Attributes
    ----------
    own : int array, (configurations, people)
        Distance of each person to the nearest other person.
    replica : int array, (configurations, people)
        Distance of each person to the nearest record of the replica.
    person : int array, (configurations, replica records)
        The person nearest to each record of the replica.
    first : int array, (configurations, records)
        The record nearest to each record; people come before the replica's records.
    distance, second : int arrays, (configurations, records)
        Distances to the nearest record, and to the nearest but this.
    """

    own: Ints
    replica: Ints
    person: Ints
    first: Ints
    distance: Ints
    second: Ints


def nearest(ranks: Ints, pool: int, unit: int, rng: np.random.Generator) -> Nearest:
    """Search all records of three files for their nearest ones.

    Parameters
    ----------
    ranks : int array of shape (columns, records)
        People first, then the replica's records, each in random order.
    pool : int
        People.
    unit : int
        The largest distance in one column.
    rng : numpy Generator
        Breaks ties.
    """
    from sdcmetrics.measures.people import kernels  # the compiler: only when a search is made

    columns, size = ranks.shape
    groups = min(columns, GROUPS)
    configurations = 1 + (groups if groups > 2 else 0)  # noqa: PLR2004  (something must be left)
    room = _WIDE - int(columns * unit).bit_length()
    shift = max(0, min(_BITS, room))
    noise = rng.integers(0, 2**32, (2, size), dtype=np.uint32)
    shape = configurations, size
    out = Nearest(
        np.empty((configurations, pool), np.int32),
        np.empty((configurations, pool), np.int32),
        np.empty((configurations, size - pool), np.int32),
        np.empty(shape, np.int32),
        np.empty(shape, np.int32),
        np.empty(shape, np.int32),
    )
    results = (out.own, out.replica, out.person, out.first, out.distance, out.second)
    search = compiled(kernels.search, kernels.SEARCH)
    search(np.ascontiguousarray(ranks), pool, unit, groups, shift, noise, results)
    return out


def crowd(ranks: Ints, unit: int, k: int, rng: np.random.Generator) -> tuple[Ints, Any, Any]:
    """Return each record's k nearest, its mean distance to them, and to everybody."""
    from sdcmetrics.measures.people import kernels

    columns, size = ranks.shape
    shift = max(0, min(_BITS, _WIDE - int(columns * unit).bit_length()))
    noise = rng.integers(0, 2**32, (2, size), dtype=np.uint32)
    near = np.empty((size, k), np.int32)
    means = np.empty((2, size))
    search = compiled(kernels.crowd, kernels.CROWD)
    search(np.ascontiguousarray(ranks), unit, shift, noise, near, means)
    return near, means[0], means[1]
