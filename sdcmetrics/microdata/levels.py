"""One codebook for a category: the original's levels, then those that only a replica has."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np

from sdcmetrics.errors import counted
from sdcmetrics.microdata.arrays import Floats, Ints32
from sdcmetrics.microdata.columns import Column
from sdcmetrics.microdata.frames import Fix, Microdata, label_of

NONE_IN_COMMON = "no level in common with {}; check that both are coded alike"
"""What is listed of a category whose levels are all others than the original's."""
_NEAR = 1e-14
"""Numbers farther apart than this part of them differ in 15 digits."""


def one_codebook(
    name: str, columns: Sequence[Column], data: Sequence[Microdata], fixes: list[Fix]
) -> tuple[tuple[str, ...], tuple[Ints32, ...]]:
    """Return all levels and every column's codes over them; list what the original lacks."""
    if all(column.levels == columns[0].levels for column in columns):
        return columns[0].levels, tuple(column.codes for column in columns)
    levels = tuple(dict.fromkeys(level for column in columns for level in column.levels))
    place = {level: i for i, level in enumerate(levels)}
    codes = tuple(_recode(column, place) for column in columns)
    _note_foreign_levels(name, levels, columns, codes, data, fixes)
    return levels, codes


def _recode(column: Column, place: Mapping[str, int]) -> Ints32:
    rank = [*(place[level] for level in column.levels), -1]
    if rank[:-1] == [*range(len(rank) - 1)]:
        return column.codes
    out: Ints32 = np.array(rank, dtype=np.int32).take(column.codes)
    return out


def _note_foreign_levels(
    name: str,
    levels: Sequence[str],
    columns: Sequence[Column],
    codes: Sequence[Ints32],
    data: Sequence[Microdata],
    fixes: list[Fix],
) -> None:
    originals = len(columns[0].levels)
    if originals == len(levels):
        return
    original = data[0].source
    similar = {_normal(level) for level in levels[:originals]}
    for column, part, source in zip(columns[1:], codes[1:], data[1:], strict=True):
        cells = part >= originals
        unseen = np.unique(part[cells]).tolist()
        if not unseen:
            continue
        what = f"{counted(len(unseen), 'level')} that {original} does not have, kept as "
        what += "a level of its own" if len(unseen) == 1 else "levels of their own"
        alike = sum(_normal(levels[code]) in similar for code in unseen)
        if alike:
            differ = "differs" if alike == 1 else "differ"
            what += (
                f"; {alike} of them {differ} only in case, blanks or how Unicode writes them "
                f"from levels of {original}: spell them alike if they mean the same"
            )
        fixes.append(Fix(source.source, name, what, column.cells(cells)))
        if originals and not np.any((part >= 0) & ~cells):
            fixes.append(Fix(source.source, name, NONE_IN_COMMON.format(original)))


def _normal(level: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", level).split()).casefold()


def beyond_fifteen_digits(parts: Sequence[Floats]) -> int:
    """Return how many distinct numbers have the level of another, being equal in 15 digits.

    Examples
    --------
    >>> beyond_fifteen_digits([np.array([0.1, 0.3]), np.array([0.1 + 0.2, np.nan])])
    1
    """
    values = np.concatenate(parts)
    if bool((np.isnan(values) | (values == np.rint(values))).all()):
        return 0  # whole numbers have a level each
    distinct = np.unique(values[~np.isnan(values)])
    with np.errstate(over="ignore"):
        gap = np.diff(distinct)
    near = gap <= np.abs(distinct[1:]) * _NEAR
    if not near.any():
        return 0
    below = np.flatnonzero(near)
    return sum(label_of(distinct[i]) == label_of(distinct[i + 1]) for i in below.tolist())
