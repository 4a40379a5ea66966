"""Columns that the replica writes otherwise than the original: rounded, binned, averaged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sdcmetrics.measures.people.columns import Files, PooledColumn
from sdcmetrics.microdata.arrays import Array

_COARSER = 0.7
_FEWER = 0.8  # two in a bin leave .5 / .63 = .79 of the values that draws of different ones have
_OWN = 0.95
_DISTINCT = 20
_RECUR = 0.2
_HALF = 0.5
_LOOKED_AT = 50_000  # records whose spelling is looked at


def rewritten(files: Files) -> str:
    """Return a column whose values the replica writes otherwise than the original, or "".

    It has fewer different values than as many records of the original, and than as many draws of
    its values with replacement, or, of a number, hardly any value of people's although people
    share theirs.
    """
    for part, original, replica in _samples(files):
        if part.mapped is not None:
            return part.name
        if len(np.unique(original)) >= _DISTINCT and _is_coarser(files, part, original, replica):
            return part.name
        if part.number:
            every = part.values[: files.n]
            own, counts = np.unique(every[~np.isnan(every)], return_counts=True)
            recurring = float(counts[counts > 1].sum()) / max(1, int(counts.sum()))
            other = replica[~np.isnan(replica)]
            if recurring >= _RECUR and _share_shared(other, own) < _HALF * recurring:
                return part.name
    return ""


def coarser(files: Files) -> tuple[str, ...]:
    """Return the columns of numbers of which the replica has fewer different values."""
    return tuple(
        part.name
        for part, original, replica in _samples(files)
        if part.values.dtype.kind == "f" and _is_coarser(files, part, original, replica)
    )


def _samples(files: Files) -> Iterator[tuple[PooledColumn, Array, Array]]:
    """Yield each column, with its values in as many records of the original and the replica."""
    few = min(files.n, files.m, _LOOKED_AT)
    rng = np.random.default_rng(few)
    ours, theirs = (rng.choice(size, few, replace=False) for size in (files.n, files.m))
    for part in files.parts:
        yield part, part.values[: files.n][ours], part.values[files.pool :][theirs]


def _is_coarser(files: Files, part: PooledColumn, original: Array, replica: Array) -> bool:
    """Whether as many records have fewer different values, also than draws of the original's."""
    distinct = [len(np.unique(values)) for values in (original, replica)]
    fewer = distinct[1] < _COARSER * distinct[0]
    return fewer and not _as_drawn(replica, part.values[: files.n])


def _as_drawn(values: Array, original: Array) -> bool:
    """Whether values are the original's, and as many different ones as if drawn from it."""
    own, counts = np.unique(original, return_counts=True)
    different = np.unique(values)
    shared = np.isin(different, own) | np.isnan(different)
    absent = (1 - counts / len(original)) ** len(values)
    expected = len(own) - float(absent.sum())
    return bool(shared.mean() >= _OWN and len(different) >= _FEWER * expected)


def _share_shared(values: Array, distinct: Array) -> float:
    """Return the share of values that are among distinct ones in ascending order."""
    place = np.minimum(np.searchsorted(distinct, values), len(distinct) - 1)
    return float((distinct[place] == values).mean()) if len(values) else 0.0
