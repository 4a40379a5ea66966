"""Original, one synthesis and perhaps a holdout as plain columns: what tests of files take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.repetition import numbered, rows_once
from sdcmetrics.microdata.arrays import Array, Floats, Ints
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, Variable

FEW_VALUES = 10
"""A number with more different values in the pooled file is a number, any other a category."""
_APART, _BY_CHANCE = 0.3, 2.6
"""Kolmogorov and Smirnov's distance from which on a number is on another scale; by chance, times
the root of 1/N + 1/m, of the values that are there."""
_NEARLY_ALL, _TELLING = 0.99, 10
"""Where ten values are beyond ten others, that is no chance."""

REPEATED = 1.5
"""How often a replica has each different record that repeats more than the original, at least."""

Weights = tuple[Floats, Floats | None]
"""How many people each record of original and replica stands for; see `Records`."""


@dataclass(frozen=True, repr=False)
class Column:
    """One column of all files.

    Attributes
    ----------
    name : str
    kind : Kind
    original, replica : arrays, one value per record
        Numbers and dates as floats, NaN where missing; categories as codes over `levels`, -1 where
        missing.
    holdout : array or None
    levels : tuple of str
        Of a category, over all files.
    """

    name: str
    kind: Kind
    original: Array
    replica: Array
    holdout: Array | None = None
    levels: tuple[str, ...] = ()

    @property
    def numeric(self) -> bool:
        """Whether its values are floats."""
        return self.original.dtype.kind == "f"

    @property
    def parts(self) -> tuple[Array, ...]:
        """The values of original, replica and, where there is one, holdout."""
        return tuple(p for p in (self.original, self.replica, self.holdout) if p is not None)


@dataclass(frozen=True, repr=False)
class Records:
    """An original, one synthesis and perhaps a holdout over the same columns.

    Attributes
    ----------
    columns : tuple of Column
        Those that every file has, but for `cluster`.
    n, m, h : int
        Records of original, replica and holdout; h is 0 without one.
    cluster : Column or None
        Which records belong together (a household, a school); its replica or holdout is empty
        where that file does not say it.
    absent : tuple of str
        Columns of the original that the replica, or the holdout, does not have.
    incomparable : tuple of str
        Columns that are numbers in the original and text in the replica.
    holdout_lacks : tuple of str
        Columns that a holdout lacks, which is then not among these records.
    sampled : str
        Which part of the records these are, where files are too large for memory; else "".
    weights : pair of float arrays, or None
        How many people each record of original and replica stands for, where a sample says so; the
        second is None where the replica does not.
    sizes : tuple of int
        Records of each file, one after the other, where the replica is several together.
    """

    columns: tuple[Column, ...]
    n: int
    m: int
    h: int = 0
    cluster: Column | None = None
    absent: tuple[str, ...] = ()
    incomparable: tuple[str, ...] = ()
    holdout_lacks: tuple[str, ...] = ()
    sampled: str = ""
    weights: Weights | None = None
    sizes: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def without_holdout(self) -> Records:
        """Return the same without the holdout."""
        if not self.h:
            return self
        columns = tuple(replace(column, holdout=None) for column in self.columns)
        cluster = None if self.cluster is None else replace(self.cluster, holdout=None)
        return replace(self, columns=columns, h=0, cluster=cluster)

    def each_once(self) -> Records:
        """Return the same with one in k records of a replica of which every one occurs k times.

        Where those of the original do so, too, weigh differently or belong together, it is
        returned as it is.
        """
        if self.cluster is not None or self.weights is not None:
            return self
        rows = rows_once(column.replica for column in self.columns)
        if rows is None or rows_once(column.original for column in self.columns) is not None:
            return self
        return self._some(rows)

    def different(self) -> Records | None:
        """Return each different record of a replica that repeats most, and more than people, once.

        None of other replicas, and where records belong together or weigh differently.
        """
        if self.cluster is not None or self.weights is not None:
            return None
        equal = numbered(column.replica for column in self.columns)
        _, rows, counts = np.unique(equal, return_index=True, return_counts=True)
        people = len(np.unique(numbered(column.original for column in self.columns)))
        alone = int((counts == 1).sum())
        if 2 * alone >= self.m or self.m * people <= REPEATED * self.n * len(rows):
            return None
        return self._some(np.sort(rows))

    def _some(self, rows: Ints) -> Records:
        """Return the same with some of the replica's records."""
        columns = tuple(replace(column, replica=column.replica[rows]) for column in self.columns)
        return replace(self, columns=columns, m=len(rows))


def records_of(data: Harmonised, synthesis: int = 1, *, holdout: bool = False) -> Records:
    """Return the records of an original, one synthesis and perhaps the holdout.

    Parameters
    ----------
    data : Harmonised
        Original, syntheses and, with `holdout`, that last.
    synthesis : int
        From 1.
    """
    places = (0, synthesis, *((len(data.sizes) - 1,) if holdout else ()))
    columns = tuple(_column(variable, places) for variable in data.variables.values())
    sizes = [data.sizes[place] for place in places]
    return Records(columns, sizes[0], sizes[1], sizes[2] if holdout else 0)


def records_of_pair(pair: Pair, synthesis: int = 1) -> Records:
    """Return what one synthesis of a pair is compared with, the holdout too where there is one."""
    with_holdout = pair.holdout is not None
    data = pair.beside_holdout if with_holdout else pair.data
    return records_of(data, synthesis, holdout=with_holdout)


def _column(variable: Variable, places: Sequence[int]) -> Column:
    parts = variable.values or variable.codes
    each = [np.asarray(parts[place]) for place in places]
    aside = each[2] if len(each) > 2 else None  # noqa: PLR2004  (original and replica)
    return Column(variable.name, variable.kind, each[0], each[1], aside, variable.levels)


def largest_gap_by_chance(*sizes: float) -> float:
    """Return a Kolmogorov-Smirnov distance that samples of one distribution hardly exceed.

    Examples
    --------
    >>> [round(largest_gap_by_chance(n, n), 2) for n in (1000, 100, 10, 5)]
    [0.3, 0.37, 0.99, 1.64]
    """
    smallest = min(sizes)
    by_chance = _BY_CHANCE * sum(1 / size for size in sizes) ** 0.5 if smallest else 0.0
    most = _NEARLY_ALL if smallest >= _TELLING else by_chance
    return max(_APART, min(by_chance, most))
