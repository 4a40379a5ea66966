"""Data sets as columns of categories and columns of numbers, over one codebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import ColumnError, did_you_mean
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import by_value
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, Variable

FEW = 10
"""A number with fewer distinct values in the original is a category, as SynthEval takes it."""


@dataclass(frozen=True, eq=False)
class Mixed:
    """One data set as codes and numbers; every data set of a comparison has the same columns.

    Attributes
    ----------
    categories, numeric : tuple of names
    levels : tuple of tuple
        The labels of each category, missing (None) being the last where any data set has it.
    codes : tuple of int arrays of shape (n,)
    numbers : float array of shape (numeric columns, n)
        NaN is missing.
    """

    categories: tuple[str, ...]
    numeric: tuple[str, ...]
    levels: tuple[tuple[str | None, ...], ...]
    codes: tuple[npt.NDArray[np.signedinteger], ...]
    numbers: Floats

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.codes[0]) if self.codes else int(self.numbers.shape[1])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns: categories, then numbers."""
        return self.categories + self.numeric

    def subset(self, rows: npt.NDArray[np.integer]) -> Mixed:
        """Return some of the records."""
        codes = tuple(column[rows] for column in self.codes)
        return Mixed(
            self.categories, self.numeric, self.levels, codes, np.take(self.numbers, rows, axis=1)
        )


def split_kinds(
    data: Harmonised, *, categorical: Sequence[str] | None = None, few: int = FEW
) -> tuple[Mixed, ...]:
    """Return every data set as codes and numbers, the original first.

    Parameters
    ----------
    data : Harmonised
    categorical : names, optional
        The columns that are categories; all others must then be numbers or dates. By default
        what is neither a number nor a date, and numbers with fewer than `few` distinct values in
        the original.
    few : int
        0 leaves every number a number.

    Raises
    ------
    ColumnError
        If a named column is not there, or one that is not named holds text.
    """
    names = list(data.variables)
    for name in categorical or ():
        if name not in names:
            msg = f"categorical: there is no column {name!r}.{did_you_mean(name, names)}"
            raise ColumnError(msg)
    coded, numeric = [], []
    for name, variable in data.variables.items():
        if name in categorical if categorical is not None else _is_category(variable, few):
            coded.append(by_value(variable))
        elif variable.kind in (Kind.NUMBER, Kind.DATE):
            numeric.append(variable)
        else:
            msg = (
                f"{data.sources[0]}: column {name!r} holds categories. Name it in categorical=, "
                "or leave that out."
            )
            raise ColumnError(msg)
    return tuple(
        Mixed(
            categories=tuple(variable.name for variable in coded),
            numeric=tuple(variable.name for variable in numeric),
            levels=tuple(variable.labels for variable in coded),
            codes=tuple(variable.parts[part] for variable in coded),
            numbers=np.array([_numbers(v, part) for v in numeric]).reshape(len(numeric), size),
        )
        for part, size in enumerate(data.sizes)
    )


def _is_category(variable: Variable, few: int) -> bool:
    if variable.kind not in (Kind.NUMBER, Kind.DATE):
        return True
    values = _numbers(variable, 0)
    return variable.kind is Kind.NUMBER and len(pd.unique(values[~np.isnan(values)])) < few


def _numbers(variable: Variable, part: int) -> Floats:
    values = variable.values[part]
    if not variable.missing_codes:
        return values
    return np.where(np.isin(values, variable.missing_codes), np.nan, values)
