"""Columns prepared for comparison without knowing the labels of people.

Running numbers are set aside, columns on another scale are mapped for near tests, and columns in
other words are left out. Everything here looks at original and holdout as one pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from sdcmetrics.measures.records import FEW_VALUES, Column, Records, largest_gap_by_chance
from sdcmetrics.measures.repetition import is_running
from sdcmetrics.microdata.arrays import Array, Floats, Ints, Ints32
from sdcmetrics.microdata.columns import Kind

_SAMPLE = 50_000  # values of a file by which scales and spellings are compared, if it has more
_QUANTILES = np.linspace(0, 1, 21)
_SHARED = 0.2  # share of people with whom others share a value, from which on it tells anything
_HALF = 0.5
_GROUPS = 40  # of numbers that were changed a little


@dataclass(frozen=True, repr=False)
class PooledColumn:
    """A column of all records: of the original, the holdout and the replica, one after the other.

    Attributes
    ----------
    name : str
    values : array of shape (n + h + m,)
        Floats, NaN where missing, or codes, -1 where missing.
    number : bool
        Whether distances between values mean anything.
    mapped : float array or None
        Values on the scale of the pool, where those of the replica are on another.
    """

    name: str
    values: Array
    number: bool
    mapped: Floats | None = None

    def at(self, rows: Array) -> PooledColumn:
        """Return some of the records."""
        mapped = None if self.mapped is None else self.mapped[rows]
        return replace(self, values=self.values[rows], mapped=mapped)


@dataclass(frozen=True, repr=False)
class Files:
    """Original, holdout and replica over the compared columns, one after the other.

    Attributes
    ----------
    parts : tuple of Part
    n, h, m : int
        Records of original, holdout and replica, in this order.
    sizes : tuple of int
        Records of each file, where the replica is several together.
    """

    parts: tuple[PooledColumn, ...]
    n: int
    h: int
    m: int
    sizes: tuple[int, ...] = ()

    @property
    def pool(self) -> int:
        """People: of the original and left out."""
        return self.n + self.h

    @property
    def size(self) -> int:
        """Records in all."""
        return self.n + self.h + self.m

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(part.name for part in self.parts)

    def at(self, rows: Array) -> Files:
        """Return some of the records, by their sorted positions."""
        n, pool = np.searchsorted(rows, [self.n, self.pool])
        parts = tuple(part.at(rows) for part in self.parts)
        ends = np.searchsorted(rows, self.pool + np.cumsum([0, *self.sizes]))
        sizes = tuple(np.diff(ends).tolist())
        return Files(parts, int(n), int(pool - n), len(rows) - int(pool), sizes)

    def without_holdout(self) -> Files:
        """Return original and replica."""
        if not self.h:
            return self
        return self.at(np.r_[: self.n, self.pool : self.size])

    @cached_property
    def ranks(self) -> Ints32:
        """Return what distances are computed from, exactly, shape (columns, records).

        The distance of two records is the sum over columns of min(|difference|, `unit`): twice
        the difference of mid-ranks of numbers, and one `unit` between categories and between a
        missing and any other value.
        """
        return np.array([ranked(part, self.unit) for part in self.parts], np.int32)

    @property
    def unit(self) -> int:
        """The distance between two categories."""
        return 2 * self.size


def grouped(files: Files) -> Files | None:
    """Return files with numbers in 40 groups of as many records: what is near is equal there.

    None where no number has more values than groups.
    """
    parts = tuple(map(_grouped, files.parts))
    same = all(part is before for part, before in zip(parts, files.parts, strict=True))
    return None if same else replace(files, parts=parts)


def _grouped(column: PooledColumn) -> PooledColumn:
    cuts = _cuts(column)
    if cuts is None:
        return column
    values = column.values if column.mapped is None else column.mapped
    groups = np.searchsorted(cuts, values, side="right")
    return PooledColumn(column.name, np.where(np.isnan(values), -1, groups), number=False)


def _cuts(column: PooledColumn) -> Floats | None:
    """Return where groups of a number end; None where it has no more values than groups."""
    values = column.values if column.mapped is None else column.mapped
    if not column.number:
        return None
    different = np.unique(values[~np.isnan(values)])
    if len(different) <= _GROUPS:
        return None
    out: Floats = np.nanquantile(values, np.arange(1, _GROUPS) / _GROUPS)
    return out


def ranked(column: PooledColumn, unit: int) -> Ints32:
    """Return one column as integers whose differences, cut off at `unit`, are its distances."""
    values = column.values if column.mapped is None else column.mapped
    if not column.number:
        return np.asarray(codes_of(values) * unit, np.int32)
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = 2 * np.cumsum(counts) - counts + 1
    out = middle[place].astype(np.int32)
    out[np.isnan(values)] = -unit
    return out


def codes_of(values: Array) -> Ints:
    """Return which distinct value each one is, missing being one of them."""
    if values.dtype.kind == "f" or np.ptp(values) > 4 * len(values):
        return pd.factorize(values, use_na_sentinel=False)[0].astype(np.int64)
    return values.astype(np.int64) - int(values.min(initial=0))


def is_number(values: Array) -> bool:
    """Whether a column has more different values than a few."""
    if values.dtype.kind != "f":
        return False
    for part in (values[: 64 * FEW_VALUES], values):  # most columns need the start only
        distinct = pd.unique(part)
        if np.count_nonzero(~np.isnan(distinct)) > FEW_VALUES:
            return True
    return False


@dataclass(frozen=True, repr=False)
class Comparable:
    """The records of all files over the columns that can be compared.

    Attributes
    ----------
    files : Files
    left_out, mapped : tuple of str
    """

    files: Files
    left_out: tuple[str, ...]
    mapped: tuple[str, ...]


def running_numbers(records: Records) -> tuple[str, ...]:
    """Return the columns that number the records of original and replica."""
    return tuple(
        column.name
        for column in records.columns
        if column.kind is not Kind.DATE
        and is_running(column.original)
        and is_running(column.replica)
    )


def files_of(records: Records, names: Sequence[str]) -> Files:
    """Put the records of all files one after the other, over the named columns."""
    chosen = set(names)
    parts = tuple(_part(column) for column in records.columns if column.name in chosen)
    return Files(parts, records.n, records.h, records.m, records.sizes)


def _part(column: Column) -> PooledColumn:
    aside = () if column.holdout is None else (column.holdout,)
    values = np.concatenate([column.original, *aside, column.replica])
    if values.dtype.kind == "f":
        values = values + 0.0  # minus zero is zero
    return PooledColumn(column.name, values, is_number(values))


def comparable(files: Files, rng: np.random.Generator, whole: Files | None = None) -> Comparable:
    """Map columns on another scale and leave out those in other words.

    Parameters
    ----------
    files : Files
    rng : generator
    whole : Files, optional
        All rows, where `files` has one of each cluster: in the original these may be of the first
        wave, and of all waves in a replica whose rows were made one by one. A column is on another
        scale, or in other words, where all rows say so, too.
    """
    parts, left_out, mapped = [], [], []
    for i, part in enumerate(files.parts):
        pool, replica = part.values[: files.pool], part.values[files.pool :]
        rows = pool, replica
        if whole is not None:
            values = whole.parts[i].values
            rows = values[: whole.pool], values[whole.pool :]
        if is_number(pool):
            scale = _scale(pool, replica, rng)
            if whole is not None and scale is not replica and _scale(*rows, rng) is rows[1]:
                scale = replica
            if scale is None:
                left_out.append(part.name)
                continue
            if scale is not replica:
                mapped.append(part.name)
                values = np.concatenate([pool, scale])
                parts.append(replace(part, mapped=values, number=is_number(values)))
                continue
        elif _other_words(pool, replica) and _other_words(*rows):
            left_out.append(part.name)
            continue
        parts.append(part)
    return Comparable(replace(files, parts=tuple(parts)), tuple(left_out), tuple(mapped))


def _scale(pool: Floats, replica: Floats, rng: np.random.Generator) -> Floats | None:
    """Return the replica's values on the pool's scale, or None where they cannot be compared."""
    present = [values[~np.isnan(values)] for values in (pool, replica)]
    first, second = (_some(values, rng) for values in present)
    if _distance(first, second) <= largest_gap_by_chance(*map(len, present)):
        return replica
    if len(np.unique(second)) <= FEW_VALUES:
        return None
    own = np.quantile(second, _QUANTILES)
    own += np.arange(len(own)) * 1e-12 * max(1.0, float(np.abs(own).max()))  # ascending
    return np.asarray(np.interp(replica, own, np.quantile(first, _QUANTILES)), np.float64)


def _some(values: Floats, rng: np.random.Generator) -> Floats:
    """Return values in order; a random part of them where there are very many."""
    few = values if len(values) <= _SAMPLE else values[rng.integers(0, len(values), _SAMPLE)]
    return np.sort(few)


def _distance(first: Floats, second: Floats) -> float:
    """Return the Kolmogorov-Smirnov distance of two sorted samples."""
    if not len(first) or not len(second):
        return 1.0
    both = np.concatenate([first, second])
    shares = [np.searchsorted(x, both, side="right") / len(x) for x in (first, second)]
    return float(np.abs(shares[0] - shares[1]).max())


def _other_words(pool: Array, replica: Array) -> bool:
    """Whether hardly any record of the replica has a value that people share."""
    codes = codes_of(np.concatenate([pool, replica]))
    counts = np.bincount(codes[: len(pool)], minlength=int(codes.max()) + 1)
    shared = float((counts[codes[: len(pool)]] > 1).mean())
    share_known = float((counts[codes[len(pool) :]] > 0).mean())
    return shared >= _SHARED and share_known < _HALF * shared
