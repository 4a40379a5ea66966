"""Estimates of one analysis of one data set, with their errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.fits.overlap import normal_quantile
from sdcmetrics.measures.survey.design import SurveyDesign
from sdcmetrics.measures.survey.linearised import covariance
from sdcmetrics.microdata.arrays import Bools, Floats, Ints

LEVEL = 0.95
"""Of all confidence intervals."""


@dataclass(frozen=True)
class Category:
    """A column of categories of one data set.

    Attributes
    ----------
    codes : int array of shape (n,)
        Codes over `levels`; -1 is missing.
    levels : tuple of str
        Those of original and replica alike.
    """

    codes: Ints
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Records:
    """The columns of one data set that an analysis uses.

    Attributes
    ----------
    source : str
    columns : mapping of name to Category, or to a float array with NaN for missing
    design : SurveyDesign
        How each record was sampled; a simple random sample where nothing is said.
    designed : bool
        Whether weights, strata or clusters are told.
    """

    source: str
    columns: Mapping[str, Category | Floats]
    design: SurveyDesign
    designed: bool = False

    @property
    def n(self) -> int:
        """Number of records."""
        return self.design.n

    def numbers(self, name: str) -> Floats:
        """Return a column of numbers.

        Raises
        ------
        NotComputable
            If it holds categories.
        """
        column = self.columns[name]
        if isinstance(column, Category):
            msg = f"{self.source}, column {name!r}: expected numbers but it holds categories"
            raise NotComputable(msg)
        return column

    def categories(self, name: str) -> Category:
        """Return a column of categories; a number with few values is one.

        Raises
        ------
        NotComputable
            If it holds numbers.
        """
        column = self.columns[name]
        if not isinstance(column, Category):
            msg = (
                f"{self.source}, column {name!r}: expected categories but it holds numbers. Read "
                f'it as such, kinds = {{{name} = "category"}} in [read]'
            )
            raise NotComputable(msg)
        return column

    def within(self, rows: Bools) -> Floats:
        """Return the weights of some records, and 0 for others.

        Raises
        ------
        NotComputable
            If none is left.
        """
        if not rows.any():
            msg = f"{self.source} has no record without a missing value in this analysis"
            raise NotComputable(msg)
        return np.where(rows, self.design.weights, 0.0)

    def observed(self, name: str, rows: Bools) -> tuple[Floats, Floats]:
        """Return the values of a column, 0 where they are left out, and the weights."""
        values = self.numbers(name)
        weights = self.within(rows & ~np.isnan(values))
        return np.where(weights > 0, values, 0.0), weights


@dataclass(frozen=True)
class Estimates:
    """Estimates of one analysis, with standard errors and intervals.

    Attributes
    ----------
    terms : tuple of str
    value, error : float arrays of shape (q,)
        Estimates and standard errors; NaN where there is none.
    lower, upper : float arrays of shape (q,)
        Ends of the 95 % confidence interval.
    null : float
        What an estimate is tested against, such as 0 for a coefficient; NaN for no such test.
    """

    terms: tuple[str, ...]
    value: Floats
    error: Floats
    lower: Floats
    upper: Floats
    null: float = math.nan


def normal(terms: Sequence[str], value: Any, error: Any, *, null: float = math.nan) -> Estimates:
    """Return estimates whose intervals are normal."""
    values, errors = np.asarray(value, np.float64), np.asarray(error, np.float64)
    half = normal_quantile(LEVEL) * errors
    return Estimates(tuple(terms), values, errors, values - half, values + half, null)


def linearised(
    terms: Sequence[str],
    value: Any,
    influence: Floats,
    design: SurveyDesign,
    *,
    null: float = math.nan,
) -> Estimates:
    """Return estimates with the errors that their influences have by a design.

    Parameters
    ----------
    terms : sequence of str
    value : floats of shape (q,)
    influence : float array of shape (n, q)
        What each record adds to each estimate: the derivative by its weight times the weight.
    design : SurveyDesign
    null : float
        See `Estimates`.
    """
    variances = np.diagonal(covariance(influence, design))
    return normal(terms, value, np.sqrt(variances), null=null)


def joined(parts: Sequence[Estimates]) -> Estimates:
    """Return the estimates of several groups one after the other."""

    def column(name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in parts])

    terms = tuple(term for part in parts for term in part.terms)
    ends = column("lower"), column("upper")
    return Estimates(terms, column("value"), column("error"), *ends, parts[0].null)
