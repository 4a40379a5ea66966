"""Columns derived from others: tails, trailing zeros, orders and multiplicities.

Rounding, tails, the order of two columns and repeated records. All are made from the pooled values
of both sides, without a look at whose they are, so that labels stay exchangeable.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.records import Column
from sdcmetrics.microdata.arrays import Bools, Codes, Counts, Floats
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.grouping import quantile_breaks

REPEATS = "multiplicity of the record"

_NO_CODES: Codes = np.empty(0, dtype=np.int8)
_FEW = 20
"""Different values up to which a column's own groups show its rounding, tails and order."""
_HEAD = 2048
_TAIL = 0.01
_ORDERED = 0.9
"""Share of one order from which on two columns are taken to be ordered."""
_MULTIPLICITIES = 6
_POWERS = (0.1, 1, 10, 100, 1000)
_EXACT = 1e-12  # what a double holds of a decimal, in parts of itself
_MISSING_ZEROS = len(_POWERS) + 1


@dataclass(frozen=True, repr=False)
class Derived:
    """A derived column.

    Attributes
    ----------
    name : str
        In words.
    variables : tuple of str
        What it is derived from; empty where that is all columns.
    codes : pair of int arrays
        Of original and synthesis.
    records : pair of int arrays, or empty
        Where codes are those of distinct values: how many records have each.
    p : float or None
        Where the cells were chosen by whose records they hold: how likely a fresh sample is to have
        such a choice. None where they were not, and the table itself is tested.
    invented : bool
        Whether it is the synthesis that has values which the original has nowhere; missing ones
        are no values.
    """

    name: str
    variables: tuple[str, ...]
    codes: tuple[Codes, Codes]
    records: tuple[Counts, ...] = ()
    p: float | None = None
    invented: bool = False

    def without_codes(self) -> Derived:
        """Return the same without its records."""
        return replace(self, codes=(_NO_CODES, _NO_CODES), records=())

    def counts(self) -> tuple[Counts, Counts]:
        """Return the counts of original and synthesis over the same levels."""
        size = 1 + max(int(part.max(initial=0)) for part in self.codes)
        each = self.records or (None, None)
        first, second = (
            np.bincount(part, weights=times, minlength=size).astype(np.int64)
            for part, times in zip(self.codes, each, strict=True)
        )
        return first, second


@dataclass(frozen=True, repr=False)
class Numbers:
    """A number or a date, of which columns are derived.

    Attributes
    ----------
    name : str
    dates : bool
    parts : pair of float arrays
        Of original and synthesis; missing, codes of missing included, is NaN.
    records : pair of int arrays, or empty
        Where these are distinct values: how many records have each.
    """

    name: str
    dates: bool
    parts: tuple[Floats, Floats]
    records: tuple[Counts, ...] = ()

    @property
    def pooled(self) -> Floats:
        """The values of both sides."""
        return np.concatenate(self.parts)

    def split(self, codes: Codes) -> tuple[Codes, Codes]:
        """Part codes of the pooled values into those of original and synthesis."""
        n = len(self.parts[0])
        return codes[:n], codes[n:]


def derived_columns(numbers: Sequence[Numbers], columns: Sequence[Column]) -> Iterator[Derived]:
    """Yield tails and trailing zeros of numbers, orders of two, and multiplicities of records.

    Parameters
    ----------
    numbers : those with many values; see `many_valued`
    columns : all columns that are compared; without them (where records are not in memory) there
        are neither orders nor multiplicities
    """
    for number in numbers:
        yield tails(number)
        if not number.dates:
            yield trailing_zeros(number)
    if columns:
        yield from orders(numbers)
        yield multiplicity(columns)


def many_valued(numbers: Sequence[Numbers]) -> list[Numbers]:
    """Return the numbers with more than 20 different values in the pooled file."""
    return [number for number in numbers if _has_many(number.pooled)]


def _has_many(values: Floats) -> bool:
    head = pd.unique(values[:_HEAD])
    if np.count_nonzero(head == head) > _FEW:  # noqa: PLR0124  (NaN is no value)
        return True
    distinct = pd.unique(values)
    return bool(np.count_nonzero(distinct == distinct) > _FEW)  # noqa: PLR0124


def tails(numbers: Numbers) -> Derived:
    """Return whether values are in the lowest or the highest hundredth of both sides together."""
    values = numbers.pooled
    present = ~np.isnan(values)
    low, high = _ends(numbers, values, present)
    codes = np.ones(len(values), dtype=np.int8)
    with np.errstate(invalid="ignore"):
        codes -= values < low
        codes += values >= high
    codes[~present] = 3
    name = f"tail of {numbers.name}"
    return Derived(name, (numbers.name,), numbers.split(codes), numbers.records)


def _ends(numbers: Numbers, values: Floats, present: npt.NDArray[np.bool_]) -> tuple[float, float]:
    usable = values if present.all() else values[present]
    if not numbers.records:
        low, high = np.quantile(usable, [_TAIL, 1.0 - _TAIL])
        return float(low), float(high)
    breaks = quantile_breaks(usable, 100, np.concatenate(numbers.records)[present])
    return float(breaks[1]), float(breaks[-2])


def trailing_zeros(numbers: Numbers) -> Derived:
    """Return how many of 0.1, 1, 10, 100 and 1000 divide a value; 0 itself counts as not round.

    Examples
    --------
    >>> sides = np.array([1200.0, 0.25, 0.0]), np.array([7.5, 35000.0, np.nan])
    >>> [codes.tolist() for codes in trailing_zeros(Numbers("x", False, sides)).codes]
    [[4, 0, 0], [1, 5, 6]]
    """
    values = np.abs(numbers.pooled)
    codes = np.zeros(len(values), dtype=np.int8)
    left = np.flatnonzero(values > 0.0)
    rest = values[left] * 10.0
    for _ in _POWERS:  # what one does not divide, the next does not
        whole = np.rint(rest)
        divides = np.abs(rest - whole) <= _EXACT * rest
        if not divides.all():
            left, whole = left[divides], whole[divides]
        codes[left] += 1
        rest = whole / 10.0
    codes[np.isnan(values)] = _MISSING_ZEROS
    name = f"trailing zeros of {numbers.name}"
    return Derived(name, (numbers.name,), numbers.split(codes), numbers.records)


def orders(numbers: Sequence[Numbers]) -> Iterator[Derived]:
    """Yield which of two columns is less, where nine tenths of all records agree on it.

    Only of two numbers or two dates, and where the order is not the same in every record.
    """
    parts = {number.name: number.parts for number in numbers}
    for first, other in itertools.combinations(numbers, 2):
        if first.dates is not other.dates:
            continue
        less = equal = greater = 0
        for x, y in zip(parts[first.name], parts[other.name], strict=True):
            less += int(np.count_nonzero(x < y))
            equal += int(np.count_nonzero(x == y))
            greater += int(np.count_nonzero(x > y))
        both = less + equal + greater
        if both and max(less, equal, greater) >= _ORDERED * both:
            name = f"order of {first.name} and {other.name}"
            codes = [_order(x, y) for x, y in zip(first.parts, other.parts, strict=True)]
            yield Derived(name, (first.name, other.name), (codes[0], codes[1]))


def _order(x: Floats, y: Floats) -> Codes:
    codes = (x >= y).astype(np.int8)
    codes += x > y
    codes[np.isnan(x) | np.isnan(y)] = 3
    return codes


def multiplicity(columns: Sequence[Column]) -> Derived:
    """Return how often each record occurs on both sides together, six and more as one.

    By a hash of 64 bits: of a million records any two share one with probability 3 in 100 million.
    """
    n = len(columns[0].original)
    mixed = np.zeros(n + len(columns[0].replica), dtype=np.uint64)
    for column in columns:
        values = np.concatenate([column.original, column.replica])
        if column.numeric:
            values = values + 0.0  # -0 is 0
            values[np.isnan(values)] = np.nan  # of which there are several
        else:
            values = values.astype(np.int64)
        mixed = pd.util.hash_array(mixed + values.view(np.uint64))
    records = pd.factorize(mixed)[0]
    times = np.minimum(np.bincount(records), _MULTIPLICITIES).astype(np.int8)[records]
    return Derived(REPEATS, (), (times[:n], times[n:]))


def tables_of(columns: Sequence[Derived]) -> TablePairs:
    """Return the one-way tables of derived columns."""
    originals, syntheses = zip(*(column.counts() for column in columns), strict=True)
    sizes = [len(counts) for counts in originals]
    original, synthetic = np.concatenate(originals), np.concatenate(syntheses)
    filled = np.flatnonzero(original + synthetic)
    bounds = np.searchsorted(filled, np.cumsum([0, *sizes]))
    empty = tuple((np.array(sizes) - np.diff(bounds)).tolist())
    return TablePairs(original[filled], synthetic[filled], bounds[:-1], empty)


def numbers_of(columns: Sequence[Column], codes: Mapping[str, Sequence[float]]) -> list[Numbers]:
    """Return the numbers and dates among columns; codes of missing are missing."""
    return [
        Numbers(
            column.name,
            column.kind is Kind.DATE,
            (
                without_codes(column.original, codes.get(column.name, ())),
                without_codes(column.replica, codes.get(column.name, ())),
            ),
        )
        for column in columns
        if column.numeric
    ]


def without_codes(values: Floats, codes: Sequence[float]) -> Floats:
    """Return numbers with codes of missing as missing."""
    return np.where(np.isin(values, codes), np.nan, values) if codes else values


def are_repeats(labels: Sequence[object]) -> Bools:
    """Return which tables are of how often a record is repeated."""
    return np.array([isinstance(label, Derived) and label.name == REPEATS for label in labels])
