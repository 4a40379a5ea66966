"""Files of which every record occurs several times, as where rows were doubled."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from sdcmetrics.microdata.arrays import Array, Floats, Ints

_TELLING = 20
"""Combinations of values from which it is no chance that all occur several times."""
_RUNNING = 10
"""A running number has more records."""


def repeated(counts: Ints) -> int:
    """Return how many times each record occurs, or a multiple of that; 1 if nothing is to be said.

    Of few combinations of values it would be chance.

    Examples
    --------
    >>> repeated(np.array([2, 4, 0, 2] * 10)), repeated(np.array([2, 3] * 10))
    (2, 1)
    """
    filled = counts[counts > 0]
    return int(np.gcd.reduce(filled)) if len(filled) >= _TELLING else 1


def rows_once(columns: Iterable[Array]) -> Ints | None:
    """Return the rows of a file of which each record occurs k times that leave one in k of each.

    Parameters
    ----------
    columns : iterable of arrays
        The file's values or codes, column by column. Running numbers tell no records apart.

    Returns
    -------
    int array or None
        The first of each, in order; None where records do not all occur several times.

    Examples
    --------
    >>> rows_once([np.tile(np.arange(25.0), 2), np.tile(np.arange(25) % 4, 2)])
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,
           17, 18, 19, 20, 21, 22, 23, 24])
    """
    times, coded = 0, []
    for values in columns:
        if is_running(values):
            continue
        codes = pd.factorize(values, use_na_sentinel=False)[0].astype(np.int64)
        times = int(np.gcd(times, np.gcd.reduce(np.bincount(codes), initial=0)))
        if times == 1:  # most files are left here, after a column or two
            return None
        coded.append(codes)
    records = numbered(coded)
    counts = np.bincount(records)
    times = repeated(counts)
    if times == 1:
        return None
    order = np.argsort(records, kind="stable")
    first = np.cumsum(counts) - counts
    place = np.arange(len(records)) - first[records[order]]
    return np.sort(order[place < counts[records[order]] // times])


def numbered(columns: Iterable[Array]) -> Ints:
    """Return a number per record, the same for records with equal values.

    Examples
    --------
    >>> numbered([np.array([1.0, np.nan, 1.0, np.nan]), np.array([0, 2, 1, 2])])
    array([0, 1, 2, 1])
    """
    records = np.zeros(0, np.int64)
    for values in columns:
        codes = pd.factorize(values, use_na_sentinel=False)[0].astype(np.int64)
        if len(records):
            codes += records * (int(codes.max(initial=0)) + 1)
            codes = pd.factorize(codes)[0].astype(np.int64)
        records = codes
    return records


def is_running(values: Array) -> bool:
    """Tell whether values are whole numbers without gaps or repeats, in any order."""
    if values.dtype.kind != "f" or len(values) <= _RUNNING:
        return False
    numbers: Floats = values
    if np.isnan(numbers).any():
        return False
    first, last = numbers.min(), numbers.max()
    if last - first + 1 != len(numbers) or (numbers != np.floor(numbers)).any():
        return False
    return len(np.unique(numbers)) == len(numbers)
