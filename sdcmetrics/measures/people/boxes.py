"""Large files: near records are looked for in boxes of records that are near to each other.

All records against all others would take as the square of their number. Boxes are blind to labels:
a centre is drawn from all records, its nearest ones of all files are its box, and so on with the
rest. Who is in another box than a copy is lost to it, of some data one in three, of most few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdcmetrics.measures.people.columns import Files, PooledColumn
from sdcmetrics.measures.people.near import Arranged, arranged
from sdcmetrics.measures.people.places import Coordinates, places
from sdcmetrics.measures.people.search import NOBODY, Among, Nearest, Searchable, steps_of_pair
from sdcmetrics.microdata.arrays import Bools, Ints

LARGE = 4_500
"""Records in all up to which all are compared with all; and how many a box holds at most."""

_LEAST = 700  # records of a box
_ROOM = 1.2  # boxes that are left over at the end are a box
_AT_ONCE = 16  # boxes that are taken from the same records; of more, boxes of boxes
_STEPS = 5e9
"""Of a search, some half a second."""


def in_boxes(files: Files, rng: np.random.Generator) -> Searchable:
    """Return records ready to be searched, large files in boxes.

    Of files that are too large for a search a part is taken that lies near to some records.
    """
    if files.size <= LARGE:
        return arranged(files, rng)
    most = most_records(files)
    rows = places(files, rng, most) if files.size > most else np.arange(files.size)
    some = files.at(rows) if len(rows) < files.size else files
    return boxed(some, rows[: some.pool], rng)


def most_records(files: Files) -> int:
    """Return of how many records all are searched."""
    return int(_pairs(files) / _LEAST)


def _pairs(files: Files) -> float:
    """Return how many pairs of records a search may compare."""
    return _STEPS / steps_of_pair(len(files.parts))


@dataclass(frozen=True, repr=False)
class Boxed:
    """Records in boxes, ready to be searched.

    Attributes
    ----------
    files : Files
    boxes : tuple of Arranged
        Each with two people or more, and a record of the replica; others are not searched.
    rows : tuple of int arrays
        Which records each box has.
    people : int array
        Which person of original and holdout each person is.
    """

    files: Files
    boxes: tuple[Arranged, ...]
    rows: tuple[Ints, ...]
    people: Ints

    @property
    def n(self) -> int:
        """Records of the original."""
        return self.files.n

    @property
    def h(self) -> int:
        """Records of the holdout."""
        return self.files.h

    @property
    def pool(self) -> int:
        """People."""
        return self.files.pool

    @property
    def size(self) -> int:
        """Records in all."""
        return self.files.size

    @property
    def is_original(self) -> Bools:
        """Who of the people is of the original."""
        return np.arange(self.pool) < self.n

    @property
    def steps(self) -> int:
        """What a search takes."""
        return sum(box.steps for box in self.boxes)

    def cells(self, radii: Sequence[float]) -> Ints:
        """Count the cells of all boxes."""
        out: Ints = np.zeros((len(radii), 5), np.int64)
        for box in self.boxes:
            out += box.cells(radii)
        return out

    def among(self) -> Among | None:
        """Return nothing: other replicas have other boxes."""
        return None

    def shuffled(self, rng: np.random.Generator) -> Boxed:
        """Return the same with each column of the replica permuted on its own, in boxes anew."""
        pool = np.arange(self.pool)

        def permuted(column: PooledColumn) -> PooledColumn:
            return column.at(np.concatenate([pool, self.pool + rng.permutation(self.files.m)]))

        parts = tuple(map(permuted, self.files.parts))
        return boxed(replace(self.files, parts=parts), self.people, rng)

    def nearest(self, rng: np.random.Generator, people: Among | None = None) -> Nearest:
        """Search every box."""
        del people  # none are known
        return _joined(self, [box.nearest(rng) for box in self.boxes])


def _joined(files: Boxed, results: Sequence[Nearest]) -> Nearest:
    """Put the results of boxes together; who is in none is next to nobody."""
    pool, size = files.pool, files.size
    shape = len(results[0].own), size
    apart = [np.ones(shape, np.int32) for _ in range(4)]
    out = Nearest(
        own=apart[0][:, :pool],
        replica=apart[1][:, :pool],
        person=np.full((shape[0], size - pool), NOBODY, np.int32),
        first=np.tile(np.arange(size, dtype=np.int32), (shape[0], 1)),
        distance=apart[2],
        second=apart[3],
    )
    for box, rows, near in zip(files.boxes, files.rows, results, strict=True):
        at = rows[box.order].astype(np.int32)
        here, copies = at[: box.pool], at[box.pool :] - pool
        out.own[:, here], out.replica[:, here] = near.own, near.replica
        out.person[:, copies] = here[near.person]
        out.first[:, at] = at[near.first]
        out.distance[:, at], out.second[:, at] = near.distance, near.second
    return out


def boxed(files: Files, people: Ints, rng: np.random.Generator) -> Boxed:
    """Put records into boxes, as large as there is time for.

    People are those of all files that the first records are.
    """
    each = int(min(LARGE, max(_LEAST, _pairs(files) / files.size)))
    coordinates = Coordinates.of(files, rng)
    boxes = (np.sort(rows) for rows in _boxes(coordinates, np.arange(files.size), each, rng))
    mixed = tuple(rows for rows in boxes if _is_mixed(rows, files.pool))
    return Boxed(files, tuple(arranged(files.at(rows), rng) for rows in mixed), mixed, people)


def _is_mixed(rows: Ints, pool: int) -> bool:
    """Whether a box has two people or more, and a record of the replica."""
    return int(rows[min(1, len(rows) - 1)]) < pool <= int(rows[-1])


def _boxes(
    coordinates: Coordinates, rows: Ints, each: int, rng: np.random.Generator
) -> Iterator[Ints]:
    """Yield the records of boxes: of larger ones first, where these are many."""
    number = len(rows) / each
    if number <= _ROOM:
        yield rows
        return
    larger = each if number <= _AT_ONCE else -(-len(rows) // _AT_ONCE)
    here = coordinates.at(rows)
    while len(rows) > _ROOM * larger:
        distances = here.distances(int(rng.integers(len(rows))), rng)
        order = np.argpartition(distances, larger)
        near, rest = order[:larger], order[larger:]
        yield from _boxes(coordinates, rows[near], each, rng)
        rows, here = rows[rest], here.at(rest)
    yield from _boxes(coordinates, rows, each, rng)
