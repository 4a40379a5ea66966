"""Cells of a question that can count under any labels, sorted once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.excess import kernels
from sdcmetrics.microdata.arrays import Array, Floats, Ints
from sdcmetrics.microdata.compiled import compiled

_NEGLIGIBLE = 1e-13
"""Of a record: cells that give away less than that under exchange, on average, are left out."""


def avoiding(of: int, k: int, most: int) -> Floats:
    """Return the chance that k of so many records avoid j given ones, j = 0..most.

    C(of - j, k) / C(of, k), as a product, so that nothing is lost to rounding.

    Examples
    --------
    >>> avoiding(4, 2, 3).round(4).tolist()
    [1.0, 0.5, 0.1667, 0.0]
    """
    j = np.arange(min(most, of))
    out = np.zeros(most + 1)
    out[: len(j) + 1] = np.cumprod(np.append(1.0, np.maximum(of - j - k, 0) / (of - j)))
    return out


@dataclass(frozen=True, repr=False)
class Cells:
    """Records by key combination, and within it by cell, those that no cell counts last.

    Attributes
    ----------
    records : int32 array
        Places in the pool.
    key_starts : int array of shape (keys + 1,)
        Where the records of a key combination begin.
    cells_of_key : int array of shape (keys + 1,)
        Where its cells begin.
    cell_starts, cell_sizes : int arrays of shape (cells,)
    """

    records: npt.NDArray[np.int32]
    key_starts: Ints
    cells_of_key: Ints
    cell_starts: Ints
    cell_sizes: Ints

    def some(self, keys: npt.NDArray[np.bool_]) -> Cells:
        """Return those of some key combinations."""
        sizes, cells = np.diff(self.key_starts), np.diff(self.cells_of_key)
        cell = np.repeat(keys, cells)
        shift = np.repeat(self.key_starts[:-1] - _starts(np.where(keys, sizes, 0))[:-1], cells)
        return Cells(
            self.records[np.repeat(keys, sizes)],
            _starts(sizes[keys]),
            _starts(cells[keys]),
            (self.cell_starts - shift)[cell],
            self.cell_sizes[cell],
        )

    def numbered(self, place: npt.NDArray[np.int32]) -> Cells:
        """Return the same with the records numbered anew."""
        return Cells(
            place[self.records],
            self.key_starts,
            self.cells_of_key,
            self.cell_starts,
            self.cell_sizes,
        )


def sorted_records(codes: Array, size: int, before: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the records in the order of their codes, those of one code in the order before."""
    out = np.empty(len(before), dtype=np.int32)
    starts = _starts(np.bincount(codes[before], minlength=size))[:-1].copy()
    compiled(kernels.order, kernels.ORDER)(codes, before.astype(np.int64), starts, out)
    return out


def key_cells(keys: tuple[Ints, int], expected: Floats) -> Cells:
    """Return the key combinations that may have somebody alone, without cells within.

    Parameters
    ----------
    keys : codes of the records' combinations, and how many there are
    expected : by the records of a combination, how many people are alone, on average
    """
    codes, size = keys
    counts = np.bincount(codes, minlength=size)
    used = (counts > 1) & (expected[np.minimum(counts, len(expected) - 1)] > _NEGLIGIBLE)
    records = np.flatnonzero(used[codes])
    ordered = sorted_records(codes, size, records.astype(np.int32))
    none = np.zeros(0, dtype=np.int64)
    starts = _starts(counts[used])
    return Cells(ordered, starts, np.zeros_like(starts), none, none)


def target_cells(keys: tuple[Ints, int], target: tuple[Ints, int], k: int) -> Cells:
    """Return the cells of keys by target that may give away somebody.

    A cell met once in the pool never counts: its person is the original's, and then nobody tells,
    or the replica's. Of the others those are left out that k records drawn from the pool hardly
    ever agree on; both the value and its baseline are as small, on average.
    """
    (codes, n_keys), (levels, n_levels) = keys, target
    pool = len(codes)
    counts = np.bincount(codes, minlength=n_keys)
    records = np.flatnonzero(counts[codes] > 1).astype(np.int32)
    if not len(records):
        empty, zero = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
        return Cells(records, zero, zero, empty, empty)
    records = sorted_records(levels, n_levels, records)
    records = sorted_records(codes, n_keys, records)
    key, level = codes[records], levels[records]
    new_key = np.append(True, key[1:] != key[:-1])
    first = np.flatnonzero(new_key | np.append(True, level[1:] != level[:-1]))
    cell_sizes = np.diff(np.append(first, len(records)))
    per_key = counts[key[first]]
    avoid = avoiding(pool - 1, k, int(per_key.max()))
    expected = cell_sizes * (avoid[per_key - cell_sizes] - avoid[per_key - 1])
    tells = (cell_sizes > 1) & (expected > _NEGLIGIBLE)
    number = np.cumsum(new_key)[first] - 1  # of the key combination, cell by cell
    n_used = int(number[-1]) + 1
    used = np.bincount(number, weights=tells, minlength=n_used) > 0
    stays = used[number]
    records = records[np.repeat(stays, cell_sizes)]
    number, tells, cell_sizes = number[stays], tells[stays], cell_sizes[stays]
    rest_last = np.argsort(2 * number + ~tells, kind="stable")
    starts = _starts(cell_sizes)[:-1]
    lengths = cell_sizes[rest_last]
    within = np.arange(len(records)) - np.repeat(_starts(lengths)[:-1], lengths)
    records = records[np.repeat(starts[rest_last], lengths) + within]
    by_key = np.bincount(number, weights=cell_sizes, minlength=n_used)[used].astype(np.int64)
    cells = np.bincount(number, weights=tells, minlength=n_used)[used].astype(np.int64)
    counted = tells[rest_last]
    return Cells(
        records,
        _starts(by_key),
        _starts(cells),
        _starts(lengths)[:-1][counted],
        lengths[counted],
    )


def _starts(sizes: Array) -> Ints:
    return np.append(0, np.cumsum(sizes)).astype(np.int64)
