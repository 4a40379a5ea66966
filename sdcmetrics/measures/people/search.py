"""Nearest records of original, holdout and replica, in all configurations at once, exactly.

Distances are whole numbers (`Files.ranks`), so that equal means equal; ties are broken at random,
record by record, and never by the order of files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcmetrics.microdata.arrays import Ints, Ints32
from sdcmetrics.microdata.compiled import compiled

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

    own: Ints32
    replica: Ints32
    person: Ints32
    first: Ints32
    distance: Ints32
    second: Ints32


@dataclass(frozen=True, repr=False)
class Among:
    """Nearest people of people per configuration, whatever the replica is and whoever wins ties.

    Attributes
    ----------
    distance, second : int arrays, (configurations, people)
        The smallest distance to another person, and the smallest above it.
    ties : int array
        Who is as near: one list per person and configuration, person by person.
    starts : int array
        Where each list of them starts, and where the last one ends.
    """

    distance: Ints32
    second: Ints32
    ties: Ints32
    starts: Ints


def among(ranks: Ints32, pool: int, unit: int) -> Among:
    """Search two or more people for those nearest to them, once for all permuted replicas."""
    from sdcmetrics.measures.people import kernels

    groups, configurations, _ = _plan(len(ranks), unit)
    out = np.empty((2, configurations, pool), np.int32)
    starts = np.zeros(configurations * pool + 1, np.int64)
    ties = np.empty(max(4 * configurations * pool, 1), np.int32)
    fill = compiled(kernels.among, _AMONG)
    people = np.ascontiguousarray(ranks[:, :pool])
    if fill(people, unit, out, ties, starts, groups) > len(ties):
        ties = np.empty(int(starts[-1]), np.int32)
        fill(people, unit, out, ties, starts, groups)
    return Among(out[0], out[1], ties, starts)


def _plan(columns: int, unit: int) -> tuple[int, int, int]:
    """Return groups of columns, configurations, and the random bits behind a distance."""
    groups = min(columns, GROUPS)
    configurations = 1 + (groups if groups > 2 else 0)  # noqa: PLR2004  (something must be left)
    room = _WIDE - int(columns * unit).bit_length()
    return groups, configurations, max(0, min(_BITS, room))


def nearest(
    ranks: Ints32, pool: int, unit: int, rng: np.random.Generator, people: Among | None = None
) -> Nearest:
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
    people : Among, optional
        Of these people, so that they need not be compared with each other.
    """
    from sdcmetrics.measures.people import kernels

    columns, size = ranks.shape
    groups, configurations, shift = _plan(columns, unit)
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
    search = compiled(kernels.search, _SIGNATURE)
    none = np.zeros((0, 0), np.int32)
    nearest_known = (none, none) if people is None else (people.distance, people.second)
    ties = np.zeros(0, np.int32) if people is None else people.ties
    starts = np.zeros(0, np.int64) if people is None else people.starts
    given = np.ascontiguousarray(ranks)
    search(given, pool, unit, groups, shift, noise, nearest_known, ties, starts, results)
    return out


def crowd(ranks: Ints32, unit: int, k: int, rng: np.random.Generator) -> tuple[Ints32, Any, Any]:
    """Return each record's k nearest, its mean distance to them, and to everybody."""
    from sdcmetrics.measures.people import kernels

    columns, size = ranks.shape
    shift = max(0, min(_BITS, _WIDE - int(columns * unit).bit_length()))
    noise = rng.integers(0, 2**32, (2, size), dtype=np.uint32)
    near = np.empty((size, k), np.int32)
    means = np.empty((2, size))
    compiled(kernels.crowd, _CROWD)(np.ascontiguousarray(ranks), unit, shift, noise, near, means)
    return near, means[0], means[1]


_SIGNATURE = (
    "void(int32[:,::1], int64, int64, int64, int64, uint32[:,::1], UniTuple(int32[:,::1], 2), "
    "int32[::1], int64[::1], UniTuple(int32[:,::1], 6))"
)
_AMONG = "int64(int32[:,::1], int64, int32[:,:,::1], int32[::1], int64[::1], int64)"
_CROWD = "void(int32[:,::1], int64, int64, uint32[:,::1], int32[:,::1], float64[:,::1])"
