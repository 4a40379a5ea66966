"""Whether a file is the original, in any order, or the original with its values renamed."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.people.columns import Files, PooledColumn, codes_of, is_number
from sdcmetrics.measures.people.equal import Keys, hashed
from sdcmetrics.microdata.arrays import Ints

_TELLING = 3  # tables that must say something
_DIVISIONS = 499
"""Of which none may do as well: at most one fresh file in a thousand passes."""


LARGEST_CHANCE = 1e-3
"""With which files of nobody in particular may hold the same records, for it to be copying."""

_WORD = 2**64
"""Sums of bits wrap round."""


def may_be_copy(files: Files) -> bool:
    """Whether the sums of all columns' values, bit by bit, are those of the original repeated."""
    times, rest = divmod(files.m, files.n)
    if rest or not times:
        return False
    for part in files.parts:
        bits = part.values.astype(np.float64).view(np.uint64)
        original, replica = int(bits[: files.n].sum()), int(bits[files.pool :].sum())
        if original * times % _WORD != replica:
            return False
    return True


def is_copy(original: Keys, replica: Keys) -> bool:
    """Whether every whole record is equally often in both files, in any order.

    A replica that holds the original several times over is a copy too.
    """
    times, rest = divmod(len(replica), max(len(original), 1))
    return (
        not rest
        and times > 0
        and bool(np.array_equal(np.repeat(np.sort(original), times), np.sort(replica)))
    )


def chance_of_copy(
    original: Keys,
    replica: Keys,
    clusters: tuple[Ints | None, Ints | None],
    rng: np.random.Generator,
) -> float:
    """Return how often a file that holds nobody of the original has just its records.

    Clusters are exchanged as a whole where they are the same, too; where only the original names
    them, its records count as so many as there are clusters.

    Parameters
    ----------
    original, replica : arrays of keys
        Of each record; the replica is a copy.
    clusters : pair of int arrays or None
        Of each record of original and replica.
    rng : numpy Generator
        Of the clusters' keys.
    """
    ours, theirs = clusters
    if ours is None:
        return chance_of_division(original, len(replica) // len(original))
    count = int(ours.max()) + 1
    if theirs is not None:
        # Hashed once more, as sums of plain keys lose which values stand in one record.
        keys = hashed(np.concatenate([original, replica]), rng)
        parts = np.split(keys, [len(original)])
        whole = [_keys_of_clusters(*part) for part in zip(parts, (ours, theirs), strict=True)]
        if is_copy(*whole):
            return chance_of_division(whole[0], len(whole[1]) // count)
    alone = chance_of_division(original, len(replica) // len(original))
    return float(alone ** (count / len(original)))


def _keys_of_clusters(keys: Keys, numbers: Ints) -> Keys:
    """Return the sum of the keys of each cluster's records."""
    out = np.zeros(int(numbers.max()) + 1, np.uint64)
    np.add.at(out, numbers, keys)
    return out


def chance_of_division(keys: Keys, times: int) -> float:
    """Return how often one part of many records has just these keys, the others each `times`.

    Whoever knows all records, and not which are whose, divides them at random. Files of few
    different records are the same by chance.

    Examples
    --------
    >>> from fractions import Fraction
    >>> keys = np.array([1, 1, 2], np.uint64)
    >>> Fraction(chance_of_division(keys, 1)).limit_denominator(100)  # 6 x 2 of 20
    Fraction(3, 5)
    """
    counts = np.unique(keys, return_counts=True)[1]
    n = len(keys)
    log = _log_choose((times + 1) * counts, counts).sum() - _log_choose((times + 1) * n, n)
    return float(np.exp(log))


def _log_choose(n: Any, k: Any) -> Any:
    from scipy.special import gammaln

    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)


def is_renamed(files: Files, rng: np.random.Generator) -> bool:
    """Whether every two-way table is the same up to names, in integers, and not by chance.

    Numbers may be rescaled by any increasing or decreasing function and categories renamed one by
    one; rows may stand in any order. A table whose cells all hold equally many records says
    nothing, and three must say something. Of few records, or of columns that follow from each
    other, two samples may be the same up to names: it is chance if any of 499 random divisions of
    the records of both files into two of as many is, too.
    """
    n = files.n
    if n != files.m:
        return False
    rows = np.r_[:n, files.pool : files.size]
    if not _are_same(files, rows[:n], rows[n:]):
        return False
    divisions = (rng.permutation(rows) for _ in range(_DIVISIONS))
    return not any(_are_same(files, each[:n], each[n:]) for each in divisions)


def _are_same(files: Files, first: Ints, second: Ints) -> bool:
    """Whether all tables of some records are those of as many others, up to names."""
    if not all(_as_often(part, first, second) for part in files.parts):
        return False
    original, replica = (
        [_column(part.values[rows]) for part in files.parts] for rows in (first, second)
    )
    telling = 0
    for i, j in combinations(range(len(original)), 2):
        table = _table(original[i], original[j])
        if table != _table(replica[i], replica[j]):
            return False
        telling += not (isinstance(table, tuple) and len(set(table)) <= 1)
    return telling >= _TELLING


def _as_often(column: PooledColumn, first: Ints, second: Ints) -> bool:
    """Whether values occur as often in both, whatever they are; else no table is the same."""
    counts = [
        np.sort(np.unique(column.values[rows], return_counts=True)[1]) for rows in (first, second)
    ]
    return np.array_equal(counts[0], counts[1])


_Column = tuple[bool, Ints]


def _column(values: npt.NDArray[Any]) -> _Column:
    """Return whether it is a number, and centred ranks or codes."""
    if not is_number(values):
        return False, codes_of(values)
    there = ~np.isnan(values)
    _, place, equal = np.unique(values[there], return_inverse=True, return_counts=True)
    out = np.zeros(len(values), np.int64)
    out[there] = (2 * np.cumsum(equal) - equal + 1)[place] - (there.sum() + 1)
    return True, out


def _table(first: _Column, second: _Column) -> Any:
    """Return what a two-way table is up to names."""
    if first[0] and second[0]:
        return abs(int((first[1] * second[1]).sum()))  # exact up to three million records
    if not first[0] and not second[0]:
        cells = first[1] * (int(second[1].max()) + 1) + second[1]
        return tuple(np.sort(np.unique(cells, return_counts=True)[1]).tolist())
    ranks, codes = (first[1], second[1]) if first[0] else (second[1], first[1])
    counts = np.bincount(codes)
    sums = np.zeros(len(counts), np.int64)
    np.add.at(sums, codes, ranks)
    counts, sums = counts[counts > 0], sums[counts > 0]
    ways = (sorted(zip(counts.tolist(), (sign * sums).tolist(), strict=True)) for sign in (1, -1))
    return tuple(min(ways))
