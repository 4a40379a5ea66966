"""Descriptions of single records of a replica, and of whom they are right."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.attacks.people import People
from sdcmetrics.microdata.arrays import Bools, Floats, Ints

_ENUMERATED = 200_000
"""Descriptions up to which all are made; beyond, they are drawn."""
_DRAWN = 5_000
_TRIES = 1_000_000
_SIFTED = 2_048
"""Replica records on which descriptions are tried first: most fit several of them already."""
_STAGES = 4
_AT_A_TIME = 4_000
_TABLED = 512
"""Values at a time whose fits are compared before they are bits, so that they stay in the cache."""


@dataclass(frozen=True)
class Description:
    """Values of a few columns: equal to, or for numbers at least or at most."""

    columns: tuple[str, ...]
    signs: tuple[int, ...]
    values: tuple[float, ...]


def descriptions(
    data: People, matches: Matches, columns: int, rng: np.random.Generator
) -> list[Description]:
    """Return descriptions that fit exactly one synthetic record, each once."""
    names, m = data.columns, data.sizes[1]
    if columns == 1:
        return list(_of_one_column(data, matches))
    sets = list(itertools.combinations(range(len(names)), columns))
    sieve = _Sieve(matches, rng)
    every = m * len(sets) <= _ENUMERATED
    drawn: dict[Description, bool] = {}
    n_single = 0
    for rows, which in _all(m, len(sets)) if every else _drawn(m, len(sets), rng):
        picked = np.array(sets)[which]
        left = sieve.left(rows, picked)
        for row, some in zip(rows[left].tolist(), picked[left].tolist(), strict=True):
            description = matches.describe(row, tuple(names[i] for i in some))
            if description not in drawn:
                drawn[description] = sieve.is_exact or matches.of_replica(description) == 1
                n_single += drawn[description]
                if n_single == _DRAWN and not every:
                    return [description for description, single in drawn.items() if single]
    return [description for description, single in drawn.items() if single]


def _all(m: int, sets: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield every record with every set of columns, a set at a time."""
    for i in range(sets):
        yield np.arange(m), np.full(m, i)


def _drawn(m: int, sets: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Ints]]:
    """Yield records and sets of columns at random, many at a time."""
    for _ in range(_TRIES // _AT_A_TIME):
        yield rng.integers(m, size=_AT_A_TIME), rng.integers(sets, size=_AT_A_TIME)


class _Sieve:
    """Filters descriptions: drops those that fit two of a sample of records, in batches.

    In stages: each tries what the one before has left, on other records.
    """

    def __init__(self, matches: Matches, rng: np.random.Generator) -> None:
        values = list(matches.replica.values())
        m = len(values[0])
        order = np.arange(m) if m <= _SIFTED else rng.permutation(m)
        stages = [order[at : at + _SIFTED] for at in range(0, min(m, _SIFTED * _STAGES), _SIFTED)]
        self.is_exact = sum(map(len, stages)) == m
        self._places = np.empty((len(values), m), dtype=np.int64)
        tables: list[list[npt.NDArray[np.uint64]]] = [[] for _ in stages]
        offset = 0
        for i, (name, column) in enumerate(matches.replica.items()):
            distinct, self._places[i] = np.unique(column, return_inverse=True)
            self._places[i] += offset
            offset += len(distinct)
            for table, some in zip(tables, stages, strict=True):
                table.append(_fitting(column[some], distinct, matches.middle(name)))
        self._tables = [np.concatenate(table) for table in tables]

    def left(self, rows: Ints, picked: Ints) -> Ints:
        """Return which descriptions, each of a record by some columns, fit at most one record."""
        out = []
        for at in range(0, len(rows), _AT_A_TIME):
            part = slice(at, at + _AT_A_TIME)
            columns = self._places[picked[part].T, rows[part]]
            still = np.arange(columns.shape[1])
            fits = np.zeros(columns.shape[1], dtype=np.int64)
            for table in self._tables:
                words = functools.reduce(
                    np.bitwise_and, (table[column[still]] for column in columns)
                )
                filled = (words != 0).sum(axis=1)
                word = words.max(axis=1)  # the only one, where there is one
                single = (filled <= 1) & ((word & (word - (word > 0))) == 0)
                fits[still] += filled
                still = still[single & (fits[still] <= 1)]
            out.append(at + still)
        return np.concatenate(out)


def _fitting(values: Floats, distinct: Floats, middle: float) -> npt.NDArray[np.uint64]:
    """Return which of some values each distinct one describes, as bits: one row per distinct."""
    ranks = np.searchsorted(distinct, values).astype(np.int32)  # a missing one is the last
    present = ~np.isnan(values)
    below, above = (int(marked.sum()) for marked in (distinct <= middle, distinct > middle))
    rows = []
    for at in range(0, len(distinct), _TABLED):
        own = np.arange(at, min(at + _TABLED, len(distinct)), dtype=np.int32)[:, None]
        at_most, rest = np.split(own, [int((own < below).sum())])
        at_least, equal = np.split(rest, [int((rest < below + above).sum())])
        fits = [ranks <= at_most, (ranks >= at_least) & present, ranks == equal]
        rows.append(np.packbits(np.concatenate(fits), axis=1))
    bits = np.concatenate(rows)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8))).view(np.uint64)


def _of_one_column(data: People, matches: Matches) -> Iterator[Description]:
    for name in data.columns:
        values = matches.replica[name]
        distinct, counts = np.unique(values, return_counts=True)
        for value, count in zip(distinct, counts, strict=True):
            if count == 1:
                yield Description((name,), (0,), (_shown(float(value)),))
        present = values[~np.isnan(values)]
        if name in data.numbers and len(present):
            for sign, value in ((-1, present.min()), (1, present.max())):
                if (present == value).sum() == 1:
                    yield Description((name,), (sign,), (float(value),))


class Matches:
    """Finds the records that a description fits; matches of single values are cached."""

    def __init__(self, data: People) -> None:
        self.replica = {
            name: (data.codes.get(name) or data.numbers[name])[1].astype(np.float64)
            for name in data.columns
        }
        self._pool = {name: data.pooled(name) for name in data.columns}
        with np.errstate(all="ignore"):
            self._middle = {
                name: float(np.nanmedian(self.replica[name]))
                for name in data.numbers
                if not np.isnan(self.replica[name]).all()
            }
        self._of_replica: dict[tuple[str, int, float], npt.NDArray[np.uint8]] = {}
        self._of_people: dict[tuple[str, int, float], npt.NDArray[np.uint8]] = {}

    def describe(self, row: int, columns: tuple[str, ...]) -> Description:
        """Return the description of a synthetic record by some of its columns."""
        values = tuple(float(self.replica[name][row]) for name in columns)
        signs = tuple(self.sign(name, v) for name, v in zip(columns, values, strict=True))
        return Description(columns, signs, tuple(map(_shown, values)))

    def middle(self, name: str) -> float:
        """Return the median of a number; NaN of a column that is compared for equality."""
        return self._middle.get(name, math.nan)

    def sign(self, name: str, value: float) -> int:
        """Return whether a value is compared as equal, as at least or as at most."""
        if name not in self._middle or math.isnan(value):
            return 0
        return 1 if value > self._middle[name] else -1

    def of_replica(self, description: Description) -> int:
        """Return how many synthetic records a description fits."""
        return int.from_bytes(
            self._all(description, self.replica, self._of_replica).tobytes()
        ).bit_count()

    def of_people(self, description: Description) -> Bools:
        """Return which original and holdout records a description fits."""
        bits = self._all(description, self._pool, self._of_people)
        n = len(next(iter(self._pool.values())))
        return np.unpackbits(bits, count=n).astype(bool)

    def _all(
        self,
        description: Description,
        data: dict[str, Floats],
        cached: dict[tuple[str, int, float], npt.NDArray[np.uint8]],
    ) -> npt.NDArray[np.uint8]:
        parts = list(zip(description.columns, description.signs, description.values, strict=True))
        for part in parts:
            if part not in cached:
                cached[part] = np.packbits(_fits(data[part[0]], part[1], part[2]))
        return functools.reduce(np.bitwise_and, (cached[part] for part in parts))


def _shown(value: float) -> float:
    """Return a value as text for a description; missing equals itself."""
    return math.inf if math.isnan(value) else value


def _fits(values: Floats, sign: int, value: float) -> Bools:
    """Return which values fit; infinity stands for missing."""
    if math.isinf(value):
        return np.isnan(values)
    return values >= value if sign > 0 else values <= value if sign < 0 else values == value
