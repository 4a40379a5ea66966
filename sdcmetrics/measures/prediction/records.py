"""Data sets as models take them: columns of codes and columns of numbers, one codebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.pair import Pair
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised


@dataclass(frozen=True, eq=False)
class Records:
    """One data set.

    Attributes
    ----------
    codes : mapping of column to int array of shape (n,)
        Texts and categories: 0 is missing, levels from 1, the same in every data set compared.
    numbers : mapping of column to float array of shape (n,)
        Numbers and dates; a missing value, and a missing code, is NaN.
    n : int
    """

    codes: Mapping[str, Ints]
    numbers: Mapping[str, Floats]
    n: int

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, codes first."""
        return (*self.codes, *self.numbers)

    def values(self, name: str) -> Floats:
        """Return a column as numbers; codes of levels are whole ones."""
        column = self.codes[name] if name in self.codes else self.numbers[name]
        return column.astype(np.float64)

    def levels(self, name: str) -> int:
        """Return how many levels a column has here, missing among them; 0 of a number."""
        return len(np.unique(self.codes[name])) if name in self.codes else 0

    def taken(self, index: npt.NDArray[np.bool_] | Ints) -> Records:
        """Return some records."""
        codes = {name: part[index] for name, part in self.codes.items()}
        numbers = {name: part[index] for name, part in self.numbers.items()}
        return Records(codes, numbers, len(np.arange(self.n)[index]))

    def joined(self, other: Records) -> Records:
        """Return these records, then those of another data set of the same columns."""
        codes = {k: np.concatenate([v, other.codes[k]]) for k, v in self.codes.items()}
        numbers = {k: np.concatenate([v, other.numbers[k]]) for k, v in self.numbers.items()}
        return Records(codes, numbers, self.n + other.n)

    def replaced(self, name: str, values: npt.NDArray[np.generic]) -> Records:
        """Return the same with another column of codes (whole numbers) or of numbers."""
        if np.issubdtype(values.dtype, np.integer):
            return Records({**self.codes, name: values.astype(np.int64)}, self.numbers, self.n)
        return Records(self.codes, {**self.numbers, name: values.astype(np.float64)}, self.n)

    @cached_property
    def identity(self) -> Ints:
        """A number per record that is the same for records alike in every column."""
        whole = np.zeros(self.n, dtype=np.int64)
        for column in (*self.codes.values(), *self.numbers.values()):
            # NaN is one value here: a missing number is as alike as any other
            code, levels = pd.factorize(column, use_na_sentinel=False)
            whole = pd.factorize(whole * len(levels) + code)[0].astype(np.int64)
        return whole

    @cached_property
    def digest(self) -> str:
        """A digest of the data set."""
        digest = blake2b(repr(self.columns).encode(), digest_size=16)
        for column in (*self.codes.values(), *self.numbers.values()):
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.hexdigest()


def records_of(data: Harmonised) -> tuple[Records, ...]:
    """Return the data sets of a comparison, in its order."""
    parts: list[tuple[dict[str, Ints], dict[str, Floats]]] = [({}, {}) for _ in data.sizes]
    for name, variable in data.variables.items():
        for i, (codes, numbers) in enumerate(parts):
            if variable.kind in (Kind.NUMBER, Kind.DATE):
                values = variable.values[i].copy()
                values[np.isin(values, variable.missing_codes)] = np.nan
                numbers[name] = values
            else:
                codes[name] = variable.codes[i].astype(np.int64) + 1
    return tuple(Records(*part, n) for part, n in zip(parts, data.sizes, strict=True))


def records_of_pair(pair: Pair, columns: Sequence[str] | None = None) -> tuple[Records, ...]:
    """Return original, syntheses and, where there is one, holdout over the columns; made once.

    Without `columns`, over those that the pair compares.
    """

    def make() -> tuple[Records, ...]:
        if columns is not None:
            return records_of(pair.columns(columns, holdout=True))
        return records_of(pair.data if pair.holdout is None else pair.beside_holdout)

    records: tuple[Records, ...] = pair.cached(("records", columns and tuple(columns)), make)
    return records
