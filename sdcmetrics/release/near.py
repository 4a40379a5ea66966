"""People by how near the nearest record of a replica is, and those whom a record is alike.

All people are compared with all records of a replica up to some size. Of more records the pairs
would be too many, and of the people one in so many is compared; how many follows from the replica
alone. Of people who are alike in all columns every so-manieth is drawn, the first one by a keyed
hash of what they have. So one person more draws one more of those alike or none, and nobody else: a
count of the people who are drawn moves by at most 1. The variance of such a count is no larger than
that of independent draws.

The hash adds up a keyed word of 64 bits for each value (simple tabulation: Patrascu and Thorup
2012, The power of simple tabulation hashing, Journal of the ACM 59(3), 14); what differs has the
same once in 2^64 pairs. It also tells whom a record is alike in every column. The key follows from
the secret, so that an author who writes replicas cannot choose who is compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.neighbours import Points, nearest
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.release.coded import places_among
from sdcmetrics.release.people import Codes, Records
from sdcmetrics.release.public import Replica

Words = npt.NDArray[np.uint64]

_PAIRS = 40_000_000_000
"""Of people and records, where original and replica are of one size: some seconds."""
_FEWEST = 5_000
"""People who are compared at least, where original and replica are of one size."""
_QUERIES, _FEWER_QUERIES = 2_000, 500
"""Records of a replica that say how far its own are apart; fewer where people are drawn, too."""
_COPIES = 64
"""People alike; where more are, and none of fewer would be drawn, they are read once more."""
_BLOCK = 1 << 22
"""Hashes that are looked at together."""


def drawn_of(replica: Replica) -> int:
    """Return of how many people one is compared with a replica; 1 for all.

    Up to 200,000 records all are. Of more, so many are drawn that pairs stay as many, until 5,000
    of as many people as the replica has records are left.
    """
    return max(1, min(-(-(replica.n**2) // _PAIRS), -(-replica.n // _FEWEST)))


def apart_from_itself(replica: Replica, names: Sequence[str]) -> Codes:
    """Return in how many columns some records of a replica differ from the nearest other one."""
    number = min(replica.n, _QUERIES if drawn_of(replica) == 1 else _FEWER_QUERIES)
    queries: list[Points] = []
    for points in _points(replica.syntheses, replica, names):
        queries.append(points.subset(np.arange(min(points.n, number - sum(q.n for q in queries)))))
        if sum(q.n for q in queries) == number:
            break
    first = queries[0]
    for more in queries[1:]:
        first = first.append(more)
    return _apart(first, _points(replica.syntheses, replica, names), itself=True)


def distances_of(people: Records, replica: Replica, names: Sequence[str]) -> Iterator[Codes]:
    """Yield in how many columns people differ from the nearest record of a replica."""
    references = list(_points(replica.syntheses, replica, names))
    for points in _points([people], replica, names):
        yield _apart(points, references)


def _apart(queries: Points, references: Iterable[Points], *, itself: bool = False) -> Codes:
    """Return distances of points; with `itself` they are the first of the references."""
    least = np.full(queries.n, queries.columns, dtype=np.int64)
    first = 0
    for points in references:
        own = np.arange(queries.n) - first
        own[(own < 0) | (own >= points.n) | (not itself)] = -1
        if points.n == 1:  # nobody else is there for the record itself, but it is for others
            near = nearest(queries, points).distances[:, 0]
            np.minimum(least, near, out=least, where=own < 0)
        elif points.n:
            near = nearest(queries, points, exclude_self=own).distances[:, 0]
            np.minimum(least, near, out=least)
        first += points.n
    return least


def _points(data: Sequence[Records], replica: Replica, names: Sequence[str]) -> Iterator[Points]:
    """Yield records as points; an entry that the replica lacks differs from each that it has."""
    for records in data:
        places = {name: places_among(records.column(name), replica.levels(name)) for name in names}
        for batch in records.batches(names):
            yield Points.from_columns(codes=[places[name][batch[name]] for name in names])


@dataclass(frozen=True, repr=False)
class Drawn:
    """People of a data set who are compared with a large replica, and who are alike in it.

    Attributes
    ----------
    alike : int
        People, of all, whom a record of the replica is alike in every column.
    points : Points
        What people who were drawn have; each once.
    times : int array of shape (points,)
        How many of them there are.
    """

    alike: int
    points: Points
    times: Counts


class Drawing:
    """Draws people for one replica, whose records are hashed once.

    Parameters
    ----------
    replica : Replica
    names : columns that are compared
    key : bytes
        Follows from the secret.
    """

    def __init__(self, replica: Replica, names: Sequence[str], key: bytes) -> None:
        self._replica, self._names = replica, tuple(names)
        own = hashlib.blake2b(replica.digest.encode(), key=key, digest_size=32).digest()
        self._words = {name: _words(own, name, replica.levels(name)) for name in names}
        self._of_replica = np.empty(replica.n, dtype=np.uint64)
        first = 0
        for synthesis in replica.syntheses:
            for hashes, _ in self._hashed(synthesis):
                self._of_replica[first : first + len(hashes)] = hashes
                first += len(hashes)
        self._of_replica.sort()

    def drawn(self, people: Records) -> Drawn:
        """Return whom of a data set is compared, and how many are alike in the replica."""
        every = drawn_of(self._replica)
        hashes, likely, codes = self._read(people, every)
        hashes.sort()
        alike = 0
        chosen, times = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
        for values, counts in _runs(hashes):
            place = np.searchsorted(self._of_replica, values)
            alike += int(counts[self._of_replica.take(place, mode="clip") == values].sum())
            number = (counts + _starts(values, every)) // every
            chosen.append(values[number > 0])
            times.append(number[number > 0])
        del hashes
        points = self._having(people, np.concatenate(chosen), likely, codes)
        return Drawn(alike, points, np.concatenate(times))

    def _read(self, people: Records, every: int) -> tuple[Words, Words, Codes]:
        """Return the hash of each record, and the hashes and codes of those that may be drawn.

        These are the ones of which no more than `_COPIES` have to be there.
        """
        out = np.empty(people.n, dtype=np.uint64)
        likely: list[Words] = [out[:0].copy()]
        codes = [np.empty((len(self._names), 0), dtype=np.int32)]
        first = 0
        for hashes, batch in self._hashed(people):
            out[first : first + len(hashes)] = hashes
            first += len(hashes)
            rows = np.flatnonzero(_starts(hashes, every) >= every - _COPIES)
            likely.append(hashes[rows])
            codes.append(self._codes(batch, rows))
        return out, np.concatenate(likely), np.concatenate(codes, axis=1)

    def _codes(self, batch: Mapping[str, Codes], rows: Codes) -> Codes:
        return np.array([batch[name][rows] for name in self._names], dtype=np.int32)

    def _hashed(self, people: Records) -> Iterator[tuple[Words, dict[str, Codes]]]:
        """Yield the hash of each record, and the places of its texts."""
        words = {
            name: self._words[name][places_among(people.column(name), self._replica.levels(name))]
            for name in self._names
        }
        for batch in people.batches(self._names):
            hashes = np.zeros(len(batch[self._names[0]]), dtype=np.uint64)
            for name, codes in batch.items():
                hashes += words[name][codes]
            yield hashes, batch

    def _having(self, people: Records, chosen: Words, likely: Words, codes: Codes) -> Points:
        """Return a record of each hash, from those that were likely or else from all."""
        columns = np.zeros((len(self._names), len(chosen)), dtype=np.int32)
        left = np.ones(len(chosen), dtype=np.bool_)

        def wanted(hashes: Words) -> Codes:
            place = np.searchsorted(chosen, hashes)
            rows = np.flatnonzero(chosen.take(place, mode="clip") == hashes)
            return rows[left[place[rows]]]

        def put(hashes: Words, values: Codes) -> None:
            place = np.searchsorted(chosen, hashes)
            columns[:, place] = values
            left[place] = False

        if len(chosen):
            rows = wanted(likely)
            put(likely[rows], codes[:, rows])
        if left.any():
            for hashes, batch in self._hashed(people):
                rows = wanted(hashes)
                put(hashes[rows], self._codes(batch, rows))
                if not left.any():
                    break
        places = (places_among(people.column(n), self._replica.levels(n)) for n in self._names)
        return Points.from_columns(
            codes=[
                place[column] if len(place) else column
                for place, column in zip(places, columns, strict=True)
            ]
        )


def cells_of_drawn(
    drawn: Drawn, replica: Replica, names: Sequence[str], edges: Sequence[int]
) -> Counts:
    """Count those who were drawn by how near the nearest record of the replica is."""
    if not drawn.points.n:
        return np.zeros(len(edges) + 1, dtype=np.int64)
    apart = _apart(drawn.points, _points(replica.syntheses, replica, names))
    cell = np.searchsorted(np.array(edges), apart, side="left")
    counts = np.zeros(len(edges) + 1, dtype=np.int64)
    np.add.at(counts, cell, drawn.times)
    return counts


def _words(key: bytes, name: str, levels: Mapping[str | None, int]) -> Words:
    """Return a keyed word for each level, and one for what is none of them."""
    start = hashlib.blake2b(name.encode("utf-8", "backslashreplace"), key=key, digest_size=8)
    texts = ["m" if text is None else f"t{text}" for text in levels]
    out = []
    for text in (*texts, "o"):
        word = start.copy()
        word.update(b"\0" + text.encode("utf-8", "backslashreplace"))
        out.append(word.digest())
    return np.frombuffer(b"".join(out), dtype="<u8").astype(np.uint64)


def _starts(hashes: Words, every: int) -> Codes:
    """Return how many of those alike are drawn past, as it were, before the first: 0 to every - 1.

    With every - 1 the first of them is drawn, with 0 the last of `every`.
    """
    return (hashes % np.uint64(every)).astype(np.int64)


def _runs(hashes: Words) -> Iterator[tuple[Words, Counts]]:
    """Yield hashes in order, each once, and how often each occurs."""
    first = 0
    while first < len(hashes):
        end = min(first + _BLOCK, len(hashes))
        end = int(np.searchsorted(hashes, hashes[end - 1], side="right"))
        part = hashes[first:end]
        starts = np.flatnonzero(np.concatenate([[True], part[1:] != part[:-1]]))
        yield part[starts], np.diff(np.append(starts, len(part)))
        first = end


__all__ = [
    "Drawing",
    "Drawn",
    "apart_from_itself",
    "cells_of_drawn",
    "distances_of",
    "drawn_of",
]
