"""Cross-tables of a weighted sample beside those of a replica, with the sample's own errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.indexing import renumbered, wide_index
from sdcmetrics.measures.crosstables.utility import table_index
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.measures.survey.design import Design, DesignColumns, SurveyDesign
from sdcmetrics.measures.survey.files import read_sampled
from sdcmetrics.measures.survey.linearised import (
    NO_VARIANCE,
    first_order_p,
    joint_freedom,
    second_order_p,
    share_variances,
    shares,
)
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.coding import Coded, by_groups, encode
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

MOST_CELLS = 2_000
"""Cells of a table whose covariance matrix is made, for the second-order p: 32 MB."""

COLUMNS = (
    "cells",
    "df",
    "TVD",
    "TVD_expected",
    "TVD_drawn",
    "ROC",
    "VW",
    "S_VW",
    "design_effect",
    "S_VW_fresh",
    "S_VW_corrected",
    "p",
    "p_first_order",
    "p_unweighted",
    "p_drawn",
)
"""What `two_samples` returns."""


@dataclass(frozen=True)
class WeightedTables(
    Readable, shows=("n", "m", "kish", "degrees_of_freedom", "against"), table="table"
):
    """Cross-tables of a weighted sample beside those of a replica.

    Attributes
    ----------
    table : DataFrame
        One row per table, index its variables; means over the syntheses, and of p the smallest
        times their number. Columns

        * cells, df: cells that either side fills, and one less;
        * TVD, and its mean of an independent sample of the population (TVD_expected) and of a
          draw from the original's own weighted shares (TVD_drawn);
        * ROC, the mean ratio of the smaller to the larger weighted share of a cell;
        * VW, S_VW: the statistic of Voas and Williamson, and its ratio to df;
        * design_effect: the mean over cells of the sample's variance relative to a simple random
          sample's;
        * S_VW_fresh: what S_VW is expected to be of an independent sample of the population;
        * S_VW_corrected: S_VW over what is expected, by `against`: about 1 is ideal;
        * p: of a replica no nearer to the sample than fresh data are, by the second-order
          correction of Rao and Scott; p_first_order by the first; p_unweighted as if the sample
          were a simple one, which it is not; p_drawn, of a replica no nearer than a draw from the
          original's own weighted shares is, which the design does not change.
    n, m : int
        Records of the original and of a synthesis.
    kish : float
        The design effect of unequal weights alone.
    degrees_of_freedom : int
        Clusters minus strata of the original.
    against : "population" or "original"
    fixes : tuple of str
        Changes made to the inputs.
    """

    table: pd.DataFrame
    n: int
    m: int
    kish: float
    degrees_of_freedom: int
    against: str
    fixes: tuple[str, ...] = ()


@checked
def weighted_tables(  # noqa: PLR0913  (a survey's own options)
    original: Frame,
    synthetic: Replica,
    *,
    design: Design | None = None,
    against: Literal["population", "original"] = "population",
    ways: int = 1,
    tables: Sequence[Sequence[str]] | None = None,
    variables: Sequence[str] | None = None,
    ngroups: int = 5,
    style: str = "quantile",
    missing_codes: MissingCodes | None = None,
    **columns: Unpack[DesignColumns],
) -> WeightedTables:
    """Compare cross-tables of a weighted, stratified or clustered sample with a replica's.

    Parameters
    ----------
    original : data frame
        A sample with its weights, and columns that say how it was drawn.
    synthetic : data frame, or list of data frames
        A list holds m > 1 syntheses of one method.
    design : survey.Design, optional
        How the sample was drawn. Its columns are in no table unless `variables` or `tables` name
        them.
    against : "population" or "original"
        What `S_VW_corrected` is measured by: an independent sample of the population, or a draw
        from the original's own weighted shares, which is what a synthesiser makes.
    ways : int
        Number of variables in each table.
    tables, variables, ngroups, style, missing_codes : see `utility_tables`
    **columns
        In place of `design` what it is made of, each by its keyword: weight, strata, cluster,
        lonely, synthetic_weight.

    Returns
    -------
    WeightedTables
        TVD is 0 (best) to 1, ROC 0 to 1 (best); S_VW is 0 and more, fresh data having S_VW_fresh on
        average; each p is 0 to 1, a small one being of a replica that differs.

    Raises
    ------
    ColumnError
        If a column is absent, or a weight is missing, zero or negative.
    StudyError
        If a stratum has one cluster, and `lonely` does not say what to do.

    Notes
    -----
    With n and m records and the mean design effect d of the original's shares, fresh data give
    S_VW a mean of ``1 + m d / n``: dividing by the design effect alone is right under neither
    meaning of 1. The test adds the covariances of both sides (linearised, clusters within
    strata) and takes X2 over the sum of its eigenvalues as F, with the degrees of freedom of the
    side that has fewer. In simulated designs with 5 to 20 cells it rejected fresh data in 4 to 6 %
    at 5 %, and in fewer where tables are sparse or there are few clusters (1 to 4 % with 3 to 6 a
    side). Variances equal those of R's survey package; its ``svychisq`` of both files as one design
    adds their degrees of freedom, and rejects up to 18 % where one side has far fewer clusters.

    References
    ----------
    Rao and Scott (1984), Annals of Statistics 12(1), 46-60; Voas and Williamson (2001),
    Geographical and Environmental Modelling 5(2), 177-200.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = pd.DataFrame({"x": list("aabb"), "w": [10.0, 20.0, 30.0, 40.0]})
    >>> replica = pd.DataFrame({"x": list("abbb")})
    >>> result = weighted_tables(sample, replica, weight="w").table.loc["x"]
    >>> round(float(result["TVD"]), 3), round(float(result["design_effect"]), 3)
    (0.05, 1.257)
    """
    files = read_sampled(original, synthetic, design, **columns)
    if tables is not None:
        variables = list(dict.fromkeys(name for table in tables for name in table))
    both = files.compared(variables, missing_codes)
    names = list(both.variables)
    if not names:
        msg = "variables: expected at least one column that is compared."
        raise StudyError(msg)
    if not 1 <= ways <= len(names):
        msg = f"ways: expected a whole number from 1 to {len(names)} but got {ways}."
        raise StudyError(msg)
    chosen = [tuple(t) for t in tables or itertools.combinations(names, ways)]
    if not chosen or not all(chosen):
        msg = "tables: expected at least one table, of at least one variable."
        raise StudyError(msg)
    coded = encode(both, by_groups(ngroups, style), names)
    rows = [
        [two_coded(coded, table, i, files.design, own) for table in chosen]
        for i, own in enumerate(files.designs, start=1)
    ]
    values = np.array(rows, dtype=np.float64).mean(axis=0)
    tested = [COLUMNS.index(name) for name in COLUMNS if name.startswith("p")]
    smallest = np.array(rows)[:, :, tested].min(axis=0) * len(rows)
    values[:, tested] = np.minimum(smallest, 1.0)
    table = pd.DataFrame(values, columns=list(COLUMNS), index=table_index(chosen))
    fresh = table["S_VW_fresh"]
    expected = fresh.where(fresh > NO_VARIANCE) if against == "population" else 1.0
    table["S_VW_corrected"] = table["S_VW"] / expected
    return WeightedTables(
        table=table,
        n=files.design.n,
        m=files.designs[0].n,
        kish=files.design.kish,
        degrees_of_freedom=files.design.degrees_of_freedom,
        against=against,
        fixes=files.fixes(both),
    )


def two_coded(
    coded: Coded,
    table: tuple[str, ...],
    synthesis: int,
    design: SurveyDesign,
    synthetic_design: SurveyDesign,
) -> list[float]:
    """Compare one table of coded columns; see `two_samples`."""
    variables = [coded.variables[name] for name in table]
    cells, first = renumbered(*wide_index(variables, (0, synthesis)))
    original, synthetic = np.split(cells, [coded.sizes[0]])
    return two_samples(original, synthetic, len(first), design, synthetic_design)


def two_samples(
    original: Ints,
    synthetic: Ints,
    size: int,
    design: SurveyDesign,
    synthetic_design: SurveyDesign,
) -> list[float]:
    """Compare one table of a designed sample with one of a replica.

    Parameters
    ----------
    original, synthetic : int arrays of shape (records,)
        The cell of each record, 0 to size - 1; every cell occurs on one side.
    design, synthetic_design : how the original, and the replica, were sampled

    Returns
    -------
    list of float
        cells, df, TVD, TVD_expected, TVD_drawn, ROC, VW, S_VW, design_effect, S_VW_fresh, NaN
        (S_VW_corrected), p, p_first_order, p_unweighted, p_drawn. NaN where one cell is all there
        is.
    """
    n, m, df = len(original), len(synthetic), size - 1
    full, simple = size <= MOST_CELLS, synthetic_design.simple
    estimate = shares if full else share_variances
    p_original, variance = estimate(original, size, design)
    of_original = np.maximum(np.diagonal(variance) if full else variance, 0.0)
    if simple:
        p_synthetic = np.bincount(synthetic, minlength=size) / m
    else:
        p_synthetic, of_own = estimate(synthetic, size, synthetic_design)
    pooled = (n * p_original + m * p_synthetic) / (n + m)
    of_draws = _of_draws(pooled, m) if simple else np.diagonal(of_own) if full else of_own
    of_synthetic = np.maximum(of_draws, 0.0)
    apart = p_original - p_synthetic
    expected = 0.5 * np.sqrt(2.0 / math.pi * (of_original + of_synthetic)).sum()
    tvd = 0.5 * float(np.abs(apart).sum())
    of_draw = _of_draws(p_original, m) if simple else of_synthetic
    drawn = 0.5 * float(np.sqrt(2.0 / math.pi * of_draw).sum())
    roc = float((np.minimum(p_original, p_synthetic) / np.maximum(p_original, p_synthetic)).mean())
    if not df:
        return [size, 0, tvd, expected, drawn, roc, 0.0, *[math.nan] * 8]
    vw = m * float((apart**2 / pooled).sum())
    effect = n * float((of_original / pooled).sum()) / df
    effect_own = m * float((of_synthetic / pooled).sum()) / df
    fresh = effect_own + m / n * effect
    x2 = vw * n / (n + m)
    scale = n * m / (n + m)
    first = scale * df * (effect / n + effect_own / m)  # sum of the eigenvalues
    p_first = first_order_p(x2, first, df)
    p, p_drawn = math.nan, float(lazy.stats.chi2.sf(vw, df)) if simple else math.nan
    if full:
        root = np.sqrt(pooled)
        multinomial = (np.diag(pooled) - np.outer(pooled, pooled)) / m
        total = (variance + (multinomial if simple else of_own)) / np.outer(root, root)
        second = scale**2 * float((total**2).sum())  # sum of their squares
        p = second_order_p(x2, first, second, joint_freedom(design, synthetic_design))
        if not simple:
            second = m**2 * float((of_own**2 / np.outer(pooled, pooled)).sum())
            p_drawn = second_order_p(
                vw, df * effect_own, second, synthetic_design.degrees_of_freedom
            )
    unweighted = float(lazy.stats.chi2.sf(x2, df))
    return [
        size,
        df,
        tvd,
        float(expected),
        drawn,
        roc,
        vw,
        vw / df,
        effect,
        fresh,
        math.nan,
        p,
        p_first,
        unweighted,
        p_drawn,
    ]


def _of_draws(shares: Floats, m: int) -> Floats:
    """Return the variances of shares of m draws; never below 0, as rounding may leave it."""
    out: Floats = shares * np.maximum(1.0 - shares, 0.0) / m
    return out
