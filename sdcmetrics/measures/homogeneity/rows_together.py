"""Columns that say which rows belong together, where the study names none."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.records import Column
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Ints

_FEWEST_VALUES, _FEWEST_EACH = 10, 1.5
_MOSTLY, _BY_CHANCE = 0.9, 0.5
_ONCE_BY_CHANCE = 0.25
"""Of ten groups nine have different levels by chance in three of 100,000 then."""
_FEWEST_SERIES, _LONG, _HARDLY_EVER = 3, 8, 0.01
"""Series of fewer groups are longer, and have different levels hardly ever by chance."""
_ALIKE = 1e-4
_MOST_ROWS, _MOST_TIMES = 20_000, 12
"""Rows by which series are told, and columns of which two may be the time."""
EQUAL_VALUES = "equal values"
"""Stands for a column where records of one person, or of many, are repeated as wholes."""
_MOST_EQUAL = 8
"""Times that a record occurs up to which it is asked whether it is repeated."""
_NEVER = 4.6
"""Expected number of which none at all comes by chance in one of a hundred cases."""
_NAMES = re.compile(
    r"(^|_)(hh|hid|hhid|hhold|household|dwelling|family|school|class|pupil|student|cluster|psu|person"
    r"|individual|respondent|patient|subject|participant|insured|resident|citizen|user|customer"
    r"|client|employee|taxpayer|firm|company|establishment)(_?(id|no|nr|num|number))?$"
    r"|(^|_)(member|worker|child|mother|card|account)_?(id|no|nr|num|number)$"
    r"|^(id|pid|uid|caseid)$"
)


def suspected_cluster(columns: Sequence[Column]) -> str:
    """Return the first column of the original that looks like a household, a school or a person.

    One with ten values or more, of 1.5 records or more on average and of even sizes; and either
    with such a name, or with its records together and another column constant in nine groups of
    ten, though not by chance. Or, as in series of stations: values of a column or two (the year and
    the month) come once in nine groups of ten, though not by chance, and those of another column
    are more alike within groups.

    Returns
    -------
    str
        Empty where there is none.
    """
    for column in columns:
        if _looks_like_one(column, columns):
            return column.name
    return ""


def together_by(columns: Sequence[Column], others: Sequence[Column] = ()) -> str:
    """Return by what the original's rows seem to belong together: a column, or EQUAL_VALUES.

    Parameters
    ----------
    columns : sequence of Column
        Those that are compared.
    others : sequence of Column
        Further ones, of which one may be a cluster.
    """
    return suspected_cluster([*columns, *others]) or (
        EQUAL_VALUES if _are_repeated(_occurrences(columns)) else ""
    )


def _occurrences(columns: Sequence[Column]) -> Ints:
    """Return how often each record occurs."""
    numbers: Ints = np.zeros(len(columns[0].original) if columns else 0, dtype=np.int64)
    for column in columns:
        numbers = _crossed((numbers, _levels(column.original)))
        if numbers.max(initial=-1) + 1 == len(numbers):  # each record has values of its own
            break
    return np.bincount(numbers)


def _are_repeated(occurrences: Ints) -> bool:
    """Tell whether records are repeated as wholes: far fewer occur k times than can be by chance.

    Of records drawn one by one f_k, those that occur k times, are expected to be moments of a
    mixture of Poisson laws: f_k f_{k+2} (k + 2) >= f_{k+1}^2 (k + 1).

    Examples
    --------
    >>> _are_repeated(np.repeat([2, 3, 4, 5], 20)), _are_repeated(np.repeat([1, 2, 3], [60, 30, 9]))
    (True, False)
    """
    times = np.bincount(np.minimum(occurrences, _MOST_EQUAL), minlength=_MOST_EQUAL + 1)
    apart = 2.0 * np.sqrt(times)  # two standard deviations
    low, high = np.maximum(times - apart, 0.0), times + apart + 2.0
    k = np.arange(1, _MOST_EQUAL - 2)
    expected = low[k + 1] ** 2 * (k + 1) / ((k + 2) * high[k + 2])
    return bool((times[k] + apart[k] + _NEVER <= expected).any())


def is_named_so(name: str) -> bool:
    """Tell whether a column has the name of a household, a school or a person."""
    return _NAMES.search(name.lower()) is not None


def are_even(sizes: Ints) -> bool:
    """Tell whether there are ten groups or more, of 1.5 records or more and of even sizes."""
    if len(sizes) < _FEWEST_VALUES or sizes.mean() < _FEWEST_EACH:
        return False
    return bool(sizes.std() <= sizes.mean())


def _looks_like_one(column: Column, columns: Sequence[Column]) -> bool:
    values = column.original
    n = len(values)
    named = is_named_so(column.name)
    changes = 1 + int(np.count_nonzero(values[1:] != values[:-1]))
    if n == 0 or (not named and changes * _FEWEST_EACH > n):  # records of one value lie apart
        return False
    numbers = _levels(values)
    sizes = np.bincount(numbers)
    even = are_even(sizes)
    if named or not (even or _are_long(sizes)):
        return named and even
    if 1 + int(np.count_nonzero(np.diff(numbers))) > len(sizes):
        return False
    others = [_levels(other.original) for other in columns if other is not column]
    if even and any(_constant_within(levels, numbers, sizes) for levels in others):
        return True
    others = [levels[:_MOST_ROWS] for levels in others]
    return _are_series(others, _levels(numbers[:_MOST_ROWS]))


def _are_long(sizes: Ints) -> bool:
    """Tell whether there are a few groups of many records, and of even sizes."""
    mean = float(sizes.mean())
    return len(sizes) >= _FEWEST_SERIES and mean >= _LONG and bool(sizes.std() <= mean)


def _levels(values: npt.NDArray[Any]) -> Ints:
    """Number the values in their order, missing as one of them."""
    codes: Ints = pd.factorize(values, sort=True, use_na_sentinel=False)[0].astype(np.int64)
    return codes


def _constant_within(levels: Ints, numbers: Ints, sizes: Ints) -> bool:
    if levels.max(initial=0) == 0:
        return False
    shuffled = np.random.default_rng(0).permutation(numbers)
    each = [_constant(levels, groups)[sizes > 1].mean() for groups in (numbers, shuffled)]
    return bool(each[0] >= _MOSTLY and each[1] < _BY_CHANCE)


def _are_series(others: Sequence[Ints], numbers: Ints) -> bool:
    """Tell whether groups are series: their rows of different times, and alike in something."""
    few = [levels for levels in others if 0 < levels.max(initial=0) < len(numbers) // 2]
    times = itertools.chain(few, map(_crossed, itertools.combinations(few[:_MOST_TIMES], 2)))
    return any(_once_within(levels, numbers) for levels in times) and any(
        _alike_within(levels, numbers) for levels in others
    )


def _crossed(pair: tuple[Ints, Ints]) -> Ints:
    first, second = pair
    return _levels(first * (1 + second.max(initial=0)) + second)


def _once_within(levels: Ints, numbers: Ints) -> bool:
    """Tell whether in most groups no two rows have the same level, though not by chance."""
    sizes = np.bincount(numbers)
    shuffled = np.random.default_rng(0).permutation(levels)
    each = []
    for part in (levels, shuffled):
        cells = np.unique(_crossed((numbers, part)), return_index=True)[1]
        each.append((np.bincount(numbers[cells]) == sizes)[sizes > 1].mean())
    by_chance = _ONCE_BY_CHANCE if len(sizes) >= _FEWEST_VALUES else _HARDLY_EVER
    return bool(each[0] >= _MOSTLY and each[1] < by_chance)


def _alike_within(levels: Ints, numbers: Ints) -> bool:
    """Tell whether ranks differ between groups by more than chance, by an analysis of variance.

    Codes of categories have some order, which is as good as any.
    """
    counts, sizes = np.bincount(levels), np.bincount(numbers)
    ranks = (np.cumsum(counts) - counts / 2)[levels]  # all a half too low
    n, groups = len(ranks), len(sizes)
    between = float((np.bincount(numbers, ranks) ** 2 / sizes).sum() - n * ranks.mean() ** 2)
    within = float(((ranks - ranks.mean()) ** 2).sum()) - between
    if within <= 0.0 or n <= groups:
        return within <= 0.0 < between
    f = between / (groups - 1) / (within / (n - groups))
    return bool(lazy.special.fdtrc(groups - 1, n - groups, f) <= _ALIKE)


def _constant(levels: Ints, groups: Ints) -> npt.NDArray[np.bool_]:
    """Tell in which groups all records have the same level."""
    order = np.argsort(groups, kind="stable")
    by_group = levels[order]
    starts = np.append(0, np.cumsum(np.bincount(groups)))[:-1]
    same: npt.NDArray[np.bool_] = np.minimum.reduceat(by_group, starts) == np.maximum.reduceat(
        by_group, starts
    )
    return same
