"""Questions of an intruder, and the codes of pooled files that answer them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.records import FEW_VALUES, Column, largest_gap_by_chance
from sdcmetrics.microdata.arrays import Ints

GROUPS = 10
"""Pooled quantile groups of numbers; a number with no more values than that stays as it is."""
AS_THEY_ARE, IN_GROUPS = "as they are", "in ten groups"
ENCODINGS = (AS_THEY_ARE, IN_GROUPS)
"""Keys and targets as they are, and with numbers in ten pooled groups: a family of tests each."""
_SHARED, _HALF = 0.2, 0.5
"""Of the pool's records so many share their value, and under half as many of the replica's have one
of the pool: then its values are in other words."""
_DENSE = 4
"""Codes per record up to which numbering them anew takes longer than it saves."""


@dataclass(frozen=True)
class KeyQuestion:
    """A question on people whose keys an intruder knows.

    Attributes
    ----------
    keys : tuple of str
    target : str
        "" where it is asked who is alone with the keys (repU), else what DiSCO discloses.
    """

    keys: tuple[str, ...]
    target: str = ""

    @property
    def name(self) -> str:
        """In words: "age, sex -> vote", or "alone with age, sex"."""
        keys = ", ".join(self.keys)
        return f"{keys} -> {self.target}" if self.target else f"alone with {keys}"

    @property
    def columns(self) -> tuple[str, ...]:
        """All that are needed to answer it."""
        return (*self.keys, self.target) if self.target else self.keys


@dataclass(frozen=True)
class Scenario:
    """What an intruder is assumed to know and to want; studies have their own with a name."""

    keys: tuple[str, ...]
    targets: tuple[str, ...] = ()


def questions_of(scenarios: Iterable[Any], *, alone: bool = True) -> tuple[KeyQuestion, ...]:
    """List the questions of scenarios, each once: every target, and who is alone with the keys.

    Parameters
    ----------
    scenarios : items with `keys` and `targets`
    alone : bool
        Whether repU is asked too; where whole clusters are exchanged it is not.

    Examples
    --------
    >>> [question.name for question in questions_of([Scenario(("age", "sex"), ("vote",))])]
    ['age, sex -> vote', 'alone with age, sex']
    """
    out: dict[tuple[frozenset[str], str], KeyQuestion] = {}
    for scenario in scenarios:
        keys = tuple(dict.fromkeys(scenario.keys))
        if not keys:
            continue
        targets = [name for name in scenario.targets if name not in keys]
        for target in [*targets, *([""] if alone else [])]:
            out.setdefault((frozenset(keys), target), KeyQuestion(keys, target))
    return tuple(out.values())


class Pool:
    """The records of several files one after the other, as codes that know no label.

    Parameters
    ----------
    columns : mapping of name to array
        Numbers as floats with NaN for missing, categories as codes with -1 for it.
    sizes : tuple of int
        Records of each file: original, replica and perhaps holdout.
    """

    def __init__(self, columns: Mapping[str, npt.NDArray[Any]], sizes: tuple[int, ...]) -> None:
        self.columns, self.sizes = columns, sizes
        self._coded: dict[Any, tuple[Ints, int]] = {}

    @cached_property
    def size(self) -> int:
        """Records in all."""
        return sum(self.sizes)

    def grouped(self, name: str) -> bool:
        """Whether a column is another in ten groups than as it is."""
        return self.columns[name].dtype.kind == "f" and self.codes(name, AS_THEY_ARE)[1] > GROUPS

    def codes(self, name: str, encoding: str) -> tuple[Ints, int]:
        """Return the code of each record, and how many there are; missing has one."""
        if encoding == IN_GROUPS and not self.grouped(name):
            encoding = AS_THEY_ARE
        if (name, encoding) not in self._coded:
            values = self.columns[name]
            if encoding == IN_GROUPS:
                codes = _groups(values)
            elif values.dtype.kind == "f":
                codes = pd.factorize(values, use_na_sentinel=False)[0].astype(np.int64)
            else:
                codes = values.astype(np.int64) + 1
            self._coded[name, encoding] = codes, int(codes.max()) + 1
        return self._coded[name, encoding]

    def combinations(self, keys: tuple[str, ...], encoding: str) -> tuple[Ints, int]:
        """Return the number of each record's combination of keys, and how many there are."""
        if (keys, encoding) not in self._coded:
            codes, size = self.codes(keys[0], encoding)
            for name in keys[1:]:
                more, levels = self.codes(name, encoding)
                codes, size = codes * levels + more, size * levels
                if size > _DENSE * self.size:
                    codes = pd.factorize(codes)[0].astype(np.int64)
                    size = int(codes.max()) + 1
            self._coded[keys, encoding] = codes, size
        return self._coded[keys, encoding]

    def encodings(self, questions: Iterable[KeyQuestion]) -> tuple[str, ...]:
        """Return the encodings that differ for some of the questions."""
        names = {name for question in questions for name in question.columns}
        return ENCODINGS if any(map(self.grouped, names)) else ENCODINGS[:1]


def pool_of(
    columns: Iterable[Column], sizes: tuple[int, ...], places: tuple[int, ...] = (0, 1, 2)
) -> Pool:
    """Return columns with the named parts (0 original, 1 replica, 2 holdout) as one pool."""
    pooled = {}
    for column in columns:
        parts = column.original, column.replica, column.holdout
        chosen = [part for place in places if (part := parts[place]) is not None]
        pooled[column.name] = np.concatenate(chosen)
    return Pool(pooled, sizes)


def with_copy(
    columns: Iterable[Column], sizes: tuple[int, int, int], records: npt.NDArray[np.integer[Any]]
) -> Pool:
    """Return the pool with these records of the original in the replica's place."""
    copies = (replace(column, replica=column.original[records]) for column in columns)
    return pool_of(copies, sizes if sizes[2] else sizes[:2])


def _groups(values: npt.NDArray[np.float64]) -> Ints:
    """Return the pooled quantile group of each value; missing is one of its own."""
    there = ~np.isnan(values)
    real = values[there]
    breaks = np.unique(np.quantile(real, np.arange(1, GROUPS) / GROUPS))
    if len(breaks) < 2:  # noqa: PLR2004  (nine in ten are one value: its two sides and a scale)
        scale = np.linspace(real.min(), real.max(), GROUPS + 1)[1:-1]
        breaks = np.unique(np.append(breaks, scale))
    codes = np.zeros(len(values), dtype=np.int64)
    codes[there] = 1 + np.searchsorted(breaks, real, side="right")
    return codes


def in_other_words(column: Column, effective: tuple[int, int]) -> bool:
    """Whether the replica has other units, labels or bands in a column.

    Looks at the pool of original and holdout and at the replica, at no label.

    Parameters
    ----------
    column : Column
    effective : (int, int)
        Records, or clusters, of original and holdout together, and of the replica.
    """
    aside = [] if column.holdout is None else [column.holdout]
    pool, replica = np.concatenate([column.original, *aside]), column.replica
    codes = pd.factorize(np.concatenate([pool, replica]), use_na_sentinel=False)[0]
    counts = np.bincount(codes[: len(pool)], minlength=int(codes.max()) + 1)
    if column.numeric:
        values, others = (np.sort(x[~np.isnan(x)]) for x in (pool, replica))
        if not len(others):
            return bool(len(values))
        if len(np.unique(values)) > FEW_VALUES:
            sizes = [
                size * len(there) / len(side)
                for size, there, side in zip(
                    effective, (values, others), (pool, replica), strict=True
                )
            ]
            return bool(_largest_gap(values, others) > largest_gap_by_chance(*sizes))
    shared = float((counts[codes[: len(pool)]] > 1).mean())
    have = float((counts[codes[len(pool) :]] > 0).mean())
    return bool(shared >= _SHARED and have < _HALF * shared)


def _largest_gap(values: npt.NDArray[Any], others: npt.NDArray[Any]) -> float:
    """Return Kolmogorov and Smirnov's distance of two sorted samples."""
    at = np.concatenate([values, others])
    shares = [np.searchsorted(x, at, side="right") / len(x) for x in (values, others)]
    return float(np.abs(shares[0] - shares[1]).max())
