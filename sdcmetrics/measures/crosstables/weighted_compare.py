"""Variable by variable: means, quantiles and shares of a designed sample beside a replica's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import pandas as pd

from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.measures.survey.design import Design, DesignColumns, SurveyDesign
from sdcmetrics.measures.survey.files import read_sampled
from sdcmetrics.measures.survey.linearised import (
    NO_VARIANCE,
    joint_freedom,
    mean,
    quantile,
    share_variances,
)
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import by_value
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import MissingCodes, Variable
from sdcmetrics.results import Readable

COMPARED = [
    "variable",
    "statistic",
    "original",
    "se_original",
    "lower",
    "upper",
    "synthetic",
    "se_synthetic",
    "z",
]
"""Columns of the table."""
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class WeightedComparison(
    Readable, shows=("n", "m", "kish", "degrees_of_freedom", "fixes"), table="table"
):
    """Means, quantiles and shares of a designed sample beside a replica's.

    Attributes
    ----------
    table : DataFrame
        One row per variable and statistic: "mean" and "quantile 0.5" of numbers, the level of
        categories (None is missing). Columns original, se_original (design-based; NaN for
        quantiles), lower, upper (95 %), synthetic, se_synthetic (means over the syntheses) and z,
        the difference over its standard error.
    n, m : int
        Records of the original and of a synthesis.
    kish : float
        The design effect of unequal weights alone: 1 for equal ones.
    degrees_of_freedom : int
        Clusters minus strata of the original.
    fixes : tuple of str
        Changes made to the inputs.
    """

    table: pd.DataFrame
    n: int
    m: int
    kish: float
    degrees_of_freedom: int
    fixes: tuple[str, ...] = ()


@checked
def weighted_compare(
    original: Frame,
    synthetic: Replica,
    *,
    design: Design | None = None,
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
    **columns: Unpack[DesignColumns],
) -> WeightedComparison:
    """Compare means, quantiles and shares of a designed sample with a replica's.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    design, variables, **columns : see `weighted_tables`
    missing_codes : mapping of column to code or codes, optional
        Missing in means and quantiles, which are of the other records.

    Returns
    -------
    WeightedComparison
        Means and quantiles are in the unit of the column, shares are 0 to 1. z is 0 at best, and
        that of an independent sample mostly between -2 and 2; quantiles have none.

    Raises
    ------
    ColumnError
        If a column is absent, or a weight is missing, zero or negative.
    DataError
        If the data sets cannot be compared.
    StudyError
        If a stratum has one cluster, and `lonely` does not say what to do.

    Notes
    -----
    Equals ``svymean`` and ``svyquantile`` (its defaults: the inverse distribution function, with
    Woodruff's interval) of R's survey package. Intended difference: where the smallest value alone
    has more of the weight than a quantile or an end of its interval asks for, it is that
    quantile; survey 4.1 answers the next larger value. Degrees of freedom of an interval are
    clusters minus strata of the records that have a value.

    References
    ----------
    Binder (1983), International Statistical Review 51(3), 279-292; Woodruff (1952), Journal of the
    American Statistical Association 47, 635-646.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = pd.DataFrame({"x": [1.0, 3.0], "w": [1.0, 3.0]})
    >>> result = weighted_compare(sample, pd.DataFrame({"x": [2.0, 3.0]}), weight="w")
    >>> result.table.loc[0, ["original", "synthetic"]].astype(float).tolist()
    [2.5, 2.5]
    """
    files = read_sampled(original, synthetic, design, **columns)
    ours, both = files.design, files.compared(variables, missing_codes)
    rows = [
        row
        for variable in both.variables.values()
        for row in compared_rows(variable, ours, files.designs)
    ]
    return WeightedComparison(
        table=pd.DataFrame(rows, columns=COMPARED),
        n=ours.n,
        m=files.designs[0].n,
        kish=ours.kish,
        degrees_of_freedom=ours.degrees_of_freedom,
        fixes=files.fixes(both),
    )


def compared_rows(
    variable: Variable, ours: SurveyDesign, theirs: Sequence[SurveyDesign]
) -> Iterator[tuple[object, ...]]:
    """Yield the statistics of one variable of data sets whose designs are known."""
    if variable.kind is Kind.NUMBER:
        parts = [_known(variable, part) for part in range(len(variable.values))]
        if all((~np.isnan(part)).any() for part in parts):
            yield _mean_row(variable.name, parts, ours, theirs)
            for share in _QUANTILES:
                value, lower, upper = quantile(parts[0], share, ours)
                other = np.mean(
                    [quantile(p, share, d)[0] for p, d in zip(parts[1:], theirs, strict=True)]
                )
                name = f"quantile {share:g}"
                yield (variable.name, name, value, np.nan, lower, upper, other, np.nan, np.nan)
        return
    levels = by_value(variable)
    sides = zip(levels.parts, (ours, *theirs), strict=True)
    shares = [share_variances(part, len(levels.labels), design) for part, design in sides]
    original, *others = (np.stack([share, np.sqrt(variance)]) for share, variance in shares)
    compared = _beside(original, np.mean(others, axis=0), ours.degrees_of_freedom)
    for label, row in zip(levels.labels, np.transpose(compared).tolist(), strict=True):
        yield variable.name, label, *row


def _known(variable: Variable, part: int) -> Floats:
    """Return the numbers of a data set, NaN where one is missing or a code that means missing."""
    values = variable.values[part]
    return np.where(np.isin(values, variable.missing_codes), np.nan, values)


def joint_freedom_of(
    variable: Variable, design: SurveyDesign, part: int, synthetic_design: SurveyDesign
) -> int:
    """Return `joint_freedom` of the records that have a value, where those without are left out."""
    if variable.kind is not Kind.NUMBER:
        return joint_freedom(design, synthetic_design)
    freedom = design.degrees_of_freedom_within(~np.isnan(_known(variable, 0)))
    if synthetic_design.simple:
        return freedom
    return min(
        freedom, synthetic_design.degrees_of_freedom_within(~np.isnan(_known(variable, part)))
    )


def _mean_row(
    name: str, parts: Sequence[Floats], ours: SurveyDesign, theirs: Sequence[SurveyDesign]
) -> tuple[object, ...]:
    others = np.array([mean(p, d) for p, d in zip(parts[1:], theirs, strict=True)])
    freedom = ours.degrees_of_freedom_within(~np.isnan(parts[0]))
    compared = _beside(np.array(mean(parts[0], ours)), others.mean(axis=0), freedom)
    return name, "mean", *(float(x) for x in compared)


def _beside(original: Floats, synthetic: Floats, freedom: int) -> list[Any]:
    """Return estimates of the original with an interval, a replica's, and how far they are apart.

    Both are estimates and their errors; z is NaN where neither varies.
    """
    (value, error), (other, other_error) = original, synthetic
    spread = np.hypot(error, other_error)
    wide = float(lazy.stats.t.ppf(0.975, freedom)) * error
    z = (other - value) / np.where(spread > NO_VARIANCE, spread, np.nan)
    return [value, error, value - wide, value + wide, other, other_error, z]
