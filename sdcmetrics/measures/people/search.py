"""Nearest records of original, holdout and replica, exact and over all configurations.

Distances are whole numbers (`Files.ranks`), so that equal means equal; ties are broken at random,
record by record, and never by the order of files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sdcmetrics.microdata.arrays import Array, Bools, Ints, Ints32
from sdcmetrics.microdata.compiled import compiled

GROUPS = 8
"""Groups of columns, one left out at a time."""

NOBODY = -1
"""The person nearest to a record that was not compared with people."""

_WIDE = 31  # bits of a whole number without its sign
_BYTE = 255
_TRIED = 64  # records whose distances have the median of all
_BITS = 8  # random bits behind a distance, where there is room for them


def steps_of_pair(columns: int) -> int:
    """Return the steps that a search takes for a pair of records."""
    return columns + 4 * (1 + min(columns, GROUPS))


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
        The person nearest to each record of the replica, or `NOBODY`.
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


class Searchable(Protocol):
    """Records of which the nearest ones can be told."""

    @property
    def n(self) -> int:
        """Records of the original."""

    @property
    def h(self) -> int:
        """Records of the holdout."""

    @property
    def pool(self) -> int:
        """People."""

    @property
    def size(self) -> int:
        """Records in all."""

    @property
    def steps(self) -> int:
        """What a search takes."""

    @property
    def people(self) -> Ints:
        """Which person of original and holdout each person is."""

    @property
    def is_original(self) -> Bools:
        """Who of the people is of the original."""

    def nearest(self, rng: np.random.Generator, people: Among | None = None) -> Nearest:
        """Search all records, those of the people only once where that was done."""

    def cells(self, radii: Sequence[float]) -> Ints:
        """Count cells of the replica's records, by radius, in shares of their median distance."""

    def among(self) -> Among | None:
        """Return who is near to whom among the people, where that stays the same."""

    def shuffled(self, rng: np.random.Generator) -> Searchable:
        """Return the same with each column of the replica permuted on its own."""


def among(ranks: Ints32, pool: int, unit: int) -> Among:
    """Search two or more people for those nearest to them, once for all permuted replicas."""
    from sdcmetrics.measures.people import kernels

    configurations, _ = _plan(len(ranks), unit)
    out = np.empty((2, configurations, pool), np.int32)
    starts = np.zeros(configurations * pool + 1, np.int64)
    ties = np.empty(max(4 * configurations * pool, 1), np.int32)
    columns, groups = _columns(ranks[:, :pool], unit)
    fill = compiled(kernels.among, _AMONG.format(columns[0].dtype))
    if fill(columns, unit, out, ties, starts, groups) > len(ties):
        ties = np.empty(int(starts[-1]), np.int32)
        fill(columns, unit, out, ties, starts, groups)
    return Among(out[0], out[1], ties, starts)


def _plan(columns: int, unit: int) -> tuple[int, int]:
    """Return configurations, and the random bits behind a distance."""
    groups = min(columns, GROUPS)
    configurations = 1 + (groups if groups > 2 else 0)  # noqa: PLR2004  (something must be left)
    room = _WIDE - int(columns * unit).bit_length()
    return configurations, max(0, min(_BITS, room))


def _columns(ranks: Ints32, unit: int) -> tuple[tuple[Array, Array, Array], Ints]:
    """Return numbers, codes of a byte and wider codes, and which columns of each a group has.

    A column of multiples of the unit is one of codes: two of them are equal or one unit apart.
    Groups are of shape (groups + 1, 3, 2): the first column and that after the last, of each kind;
    the last one is of all columns. Numbers have two bytes where these hold three distances.
    """
    sides: tuple[list[Array], list[Array], list[Array]] = ([], [], [])
    groups = min(len(ranks), GROUPS)
    bounds = np.zeros((groups + 1, 3, 2), np.int64)
    for group in range(groups):
        bounds[group, :, 0] = [len(side) for side in sides]
        for column in ranks[group::GROUPS]:
            level, rest = np.divmod(column, unit)
            if rest.any():
                sides[0].append(column)
                continue
            level -= level.min()
            sides[1 if level.max() <= _BYTE else 2].append(level)
        bounds[group, :, 1] = [len(side) for side in sides]
    bounds[-1, :, 1] = bounds[-2, :, 1]
    numbers, codes, wide = (np.array(side).reshape(-1, ranks.shape[1]) for side in sides)
    narrow = np.iinfo(np.int16)
    ends = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    fits = max(3 * unit, ends[1] - ends[0]) <= narrow.max and ends[0] > narrow.min
    kind = np.int16 if fits and ends[1] <= narrow.max else np.int32
    return (numbers.astype(kind), codes.astype(np.uint8), wide.astype(np.int32)), bounds


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

    size = ranks.shape[1]
    configurations, shift = _plan(len(ranks), unit)
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
    columns, groups = _columns(ranks, unit)
    search = compiled(kernels.search, _SEARCH.format(columns[0].dtype))
    none = np.zeros((0, 0), np.int32)
    nearest_known = (none, none) if people is None else (people.distance, people.second)
    ties = np.zeros(0, np.int32) if people is None else people.ties
    starts = np.zeros(0, np.int64) if people is None else people.starts
    search(columns, pool, unit, groups, shift, noise, nearest_known, ties, starts, results)
    return out


def cells(ranks: Ints32, original: Bools, unit: int, radii: Sequence[float]) -> Ints:
    """Count cells about records of the replica, each farther than two radii from those before it.

    Parameters
    ----------
    ranks : int array of shape (columns, records)
        People, and then the replica's records in random order.
    original : bool array
        Which of the people are of the original.
    unit : int
    radii : sequence of float
        In shares of the median distance of two records of the replica.

    Returns
    -------
    int array of shape (radii, 5)
        Cells of at least two records, with nobody of the original, with one person, and with two;
        with one of all people, of the original, and of the holdout.
    """
    from sdcmetrics.measures.people import kernels

    out = np.zeros((len(radii), 5), np.int64)
    replica = ranks[:, len(original) :]
    if replica.shape[1] < 2:  # noqa: PLR2004  (two have a distance)
        return out
    some = replica[:, :_TRIED]
    apart = np.minimum(np.abs(some[:, :, None] - replica[:, None, :]), unit).sum(0)
    median = float(np.median(apart[~np.eye(*apart.shape, dtype=np.bool_)]))
    limits = (median * np.asarray(radii)).astype(np.int64)
    columns, groups = _columns(ranks, unit)
    fill = compiled(kernels.cells, _CELLS.format(columns[0].dtype))
    fill(columns, original.astype(np.int64), unit, groups[-1], limits, out)
    return out


def crowd(ranks: Ints32, unit: int, k: int, rng: np.random.Generator) -> tuple[Ints32, Any, Any]:
    """Return each record's k nearest, its mean distance to them, and to everybody."""
    from sdcmetrics.measures.people import kernels

    size = ranks.shape[1]
    _, shift = _plan(len(ranks), unit)
    noise = rng.integers(0, 2**32, (2, size), dtype=np.uint32)
    near = np.empty((size, k), np.int32)
    means = np.empty((2, size))
    columns, groups = _columns(ranks, unit)
    fill = compiled(kernels.crowd, _CROWD.format(columns[0].dtype))
    fill(columns, unit, groups, shift, noise, near, means)
    return near, means[0], means[1]


_RECORDS = "Tuple(({}[:,::1], uint8[:,::1], int32[:,::1]))"
_SEARCH = (
    f"void({_RECORDS}, int64, int64, int64[:,:,::1], int64, uint32[:,::1], "
    "UniTuple(int32[:,::1], 2), int32[::1], int64[::1], UniTuple(int32[:,::1], 6))"
)
_AMONG = f"int64({_RECORDS}, int64, int32[:,:,::1], int32[::1], int64[::1], int64[:,:,::1])"
_CELLS = f"void({_RECORDS}, int64[::1], int64, int64[:,::1], int64[::1], int64[:,::1])"
_CROWD = (
    f"void({_RECORDS}, int64, int64[:,:,::1], int64, uint32[:,::1], int32[:,::1], float64[:,::1])"
)
