"""Means, totals, shares, ratios, differences, correlations and tables, with linearised errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.analyses.estimates import LEVEL, Category, Estimates, Records, linearised
from sdcmetrics.measures.fits.overlap import normal_quantile
from sdcmetrics.measures.survey.linearised import covariance
from sdcmetrics.microdata.arrays import Bools, Floats

MOST_CELLS = 400
"""Cells of a table with intervals; a larger one is no table that anybody reads."""


def mean(records: Records, rows: Bools, variable: str) -> Estimates:
    """Estimate a mean, (sum w y) / (sum w)."""
    observed, weights = records.observed(variable, rows)
    estimate = (weights @ observed) / weights.sum()
    influence = weights * (observed - estimate) / weights.sum()
    return linearised([variable], [estimate], influence[:, None], records.design)


def total(records: Records, rows: Bools, variable: str) -> Estimates:
    """Estimate a total, sum w y."""
    observed, weights = records.observed(variable, rows)
    influence = weights * observed
    return linearised([variable], [influence.sum()], influence[:, None], records.design)


def share(records: Records, rows: Bools, variable: str) -> Estimates:
    """Estimate the share of each level."""
    column = records.categories(variable)
    weights = records.within(rows & (column.codes >= 0))
    terms = [f"{variable} = {level}" for level in column.levels]
    return _shares(records, weights, np.maximum(column.codes, 0), terms)


def table(records: Records, rows: Bools, *variables: str) -> Estimates:
    """Estimate the share of each cell of a contingency table."""
    columns = [records.categories(name) for name in variables]
    sizes = [len(column.levels) for column in columns]
    cells = int(np.prod(sizes))
    if cells > MOST_CELLS:
        msg = f"a table of {cells:,} cells is no table with intervals: at most {MOST_CELLS}"
        raise NotComputable(msg)
    complete = np.logical_and.reduce([column.codes >= 0 for column in columns])
    weights = records.within(rows & complete)
    cell = np.ravel_multi_index([np.maximum(column.codes, 0) for column in columns], sizes)
    return _shares(records, weights, cell, _cells(variables, columns))


def _cells(variables: tuple[str, ...], columns: list[Category]) -> list[str]:
    grid = np.stack(
        np.unravel_index(
            range(int(np.prod([len(c.levels) for c in columns]))), [len(c.levels) for c in columns]
        ),
        axis=1,
    )
    return [
        ", ".join(
            f"{name} = {column.levels[level]}"
            for name, column, level in zip(variables, columns, cell, strict=True)
        )
        for cell in grid
    ]


def _shares(
    records: Records, weights: Floats, cell: npt.NDArray[Any], terms: list[str]
) -> Estimates:
    inside = cell[:, None] == np.arange(len(terms))
    estimate = weights @ inside / weights.sum()
    influence = weights[:, None] * (inside - estimate) / weights.sum()
    return linearised(terms, estimate, influence, records.design)


def ratio(records: Records, rows: Bools, numerator: str, denominator: str) -> Estimates:
    """Estimate a ratio of totals, (sum w y) / (sum w x)."""
    above, below = records.numbers(numerator), records.numbers(denominator)
    weights = records.within(rows & ~np.isnan(above) & ~np.isnan(below))
    above, below = (np.where(weights > 0, values, 0.0) for values in (above, below))
    base = weights @ below
    if base == 0:
        msg = f"{records.source}: the total of {denominator!r} is 0, so that there is no ratio"
        raise NotComputable(msg)
    estimate = (weights @ above) / base
    influence = weights * (above - estimate * below) / base
    return linearised(
        [f"{numerator} / {denominator}"], [estimate], influence[:, None], records.design
    )


def difference(records: Records, rows: Bools, variable: str, groups: str) -> Estimates:
    """Estimate the difference of each group's mean from the first group's."""
    values, column = records.numbers(variable), records.categories(groups)
    weights = records.within(rows & ~np.isnan(values) & (column.codes >= 0))
    observed = np.where(weights > 0, values, 0.0)
    inside = (column.codes[:, None] == np.arange(len(column.levels))) * weights[:, None]
    size = inside.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (inside * observed[:, None]).sum(axis=0) / size
        influence = inside * (observed[:, None] - means) / size  # of no record it is NaN
    terms = [f"{level} - {column.levels[0]}" for level in column.levels[1:]]
    apart = influence[:, 1:] - influence[:, :1]
    return linearised(terms, means[1:] - means[0], apart, records.design, null=0.0)


def correlation(records: Records, rows: Bools, first: str, second: str) -> Estimates:
    """Estimate Pearson's correlation; its interval is that of Fisher's z, turned back."""
    left, right = records.numbers(first), records.numbers(second)
    weights = records.within(rows & ~np.isnan(left) & ~np.isnan(right))
    size = weights.sum()

    def standardised(values: Floats) -> Floats:
        observed = np.where(weights > 0, values, 0.0)
        centred = observed - (weights @ observed) / size
        spread = np.sqrt((weights @ centred**2) / size)
        if spread == 0:
            msg = f"{records.source}: a column of the correlation is constant"
            raise NotComputable(msg)
        return np.asarray(centred / spread)

    x, y = standardised(left), standardised(right)
    value = float(weights @ (x * y) / size)
    influence = weights * (x * y - value * (x**2 + y**2) / 2) / size
    error = float(np.sqrt(covariance(influence[:, None], records.design)[0, 0]))
    slack = 1.0 - value**2
    half = normal_quantile(LEVEL) * error / slack if slack > 0 else 0.0
    ends = np.tanh(np.arctanh(np.clip(value, -1.0, 1.0)) + np.array([-half, half]))
    terms = (f"{first}, {second}",)
    return Estimates(terms, np.array([value]), np.array([error]), ends[:1], ends[1:], null=0.0)
