"""Ratio of counts (ROC): how far the category shares of one variable overlap.

References
----------
Taub, J., Elliot, M. and Sakshaug, J. W. (2020). The impact of synthetic data generation on data
utility with application to the 1991 UK samples of anonymised records. Transactions on Data
Privacy 13. Chan, M. F. Comparative metrics framework in R, equation 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.crosstables.counting import TablePairs, count_tables
from sdcmetrics.measures.pair import Frame, Replica, pair, per_name
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coding import by_rounding_or_value, encode
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable


def roc(tables: TablePairs) -> npt.NDArray[np.float64]:
    """Ratio of counts of each table: mean over categories of min(p_o, p_s) / max(p_o, p_s).

    A category that one side lacks counts as 0. Higher is better, 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sdcmetrics.measures.crosstables.counting import TablePairs
    >>> pair = TablePairs(np.array([3, 1]), np.array([2, 2]), np.array([0]), (0,))
    >>> round(float(roc(pair)[0]), 4)  # (0.5/0.75 + 0.25/0.5) / 2
    0.5833
    """
    low = np.minimum(tables.p_original, tables.p_synthetic)
    high = np.maximum(tables.p_original, tables.p_synthetic)
    return tables.sum(low / high) / tables.cells


def sparse_categories(tables: TablePairs, min_count: int) -> npt.NDArray[np.int64]:
    """Count the categories of each table that neither side fills with `min_count` records.

    A ratio of two such counts says little. A category that one side has in numbers and the
    other lacks is no such case: it is a difference, and counts as one.
    """
    larger = np.maximum(tables.original, tables.synthetic)
    return tables.sum((larger < min_count).astype(np.int64)).astype(np.int64)


def sparse_reason(each: Sequence[TablePairs], min_count: int, max_categories: int) -> str:
    """Say why one variable, counted in each synthesis, is skipped; empty if it is not."""
    if max(int(tables.cells[0]) for tables in each) > max_categories:
        return f"more than {max_categories} categories; group it with round_to"
    sparse = max(int(sparse_categories(tables, min_count)[0]) for tables in each)
    if sparse:
        return f"{sparse} categories with fewer than {min_count} records on both sides"
    return ""


@dataclass(frozen=True)
class RatioOfCounts(Readable, shows=("mean", "skipped", "fixes"), table="by_variable"):
    """Ratio of counts of every variable, and their mean.

    Attributes
    ----------
    mean : float
        Mean over the variables that were not skipped, 0 to 1 (best); NaN if all were.
    by_variable : DataFrame
        Index variable; columns ROC (NaN where skipped), categories, sparse (categories with
        too few records), skipped (the reason, or an empty text).
    fixes : tuple of str
        Changes made to the inputs.
    """

    mean: float
    by_variable: pd.DataFrame
    fixes: tuple[str, ...] = ()

    @property
    def skipped(self) -> dict[str, str]:
        """Reason by skipped variable."""
        left_out = self.by_variable[self.by_variable["skipped"] != ""]
        return {str(name): str(reason) for name, reason in left_out["skipped"].items()}


@checked
def ratio_of_counts(
    original: Frame,
    synthetic: Replica,
    *,
    variables: Sequence[str] | None = None,
    round_to: float | Mapping[str, float] | None = None,
    min_count: int = 5,
    max_categories: int = 2000,
    missing_codes: MissingCodes | None = None,
) -> RatioOfCounts:
    """Ratio of counts (ROC): min / max of the two shares, averaged over categories.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames (their mean is reported)
    variables : names, optional
        By default every column that all data sets have.
    round_to : number, or mapping of column to number, optional
        Numeric columns are rounded to the nearest multiple and compared bin by bin, matched by
        value. Without it every distinct number is a category.
    min_count : int
        A variable is skipped if it has a category that neither side fills with this many
        records. 1 skips nothing.
    max_categories : int
        A variable with more categories is skipped.

    Returns
    -------
    RatioOfCounts
        Each ROC is 0 (no category is on both sides) to 1 (best: equal shares).

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    StudyError
        If `round_to` is not above 0 or names no column of numbers, or missing codes name none.

    Notes
    -----
    The mean is taken per category first, then over variables. A category that one side lacks
    counts as 0; missing is a category. The framework's R code merges rounded numbers by row number
    and stops on missing values; this function matches by value and counts them. Its paper can be
    read to skip a variable for a category that is rare on either side; a category that only one
    side has in numbers is lost or made up, and is not skipped here.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": [0, 0, 2500, 2500, 5000]})
    >>> replica = pd.DataFrame({"x": [2400, 2600, 5100, 5000, 7500]})
    >>> ratio_of_counts(original, replica, round_to=2500, min_count=1).mean
    0.375
    """
    data = pair(original, synthetic, variables=variables, missing_codes=missing_codes)
    names = list(data.variables)
    steps = per_name("round_to", round_to, names, math.nan)
    rules = by_rounding_or_value(data.variables, round_to, steps)
    coded = encode(data, rules, names)
    rows = {}
    for name in names:
        each = [
            next(tables for _, tables in count_tables(coded, [(name,)], synthesis=synthesis))
            for synthesis in range(1, coded.m + 1)
        ]
        reason = sparse_reason(each, min_count, max_categories)
        rows[name] = (
            math.nan if reason else float(np.mean([roc(tables)[0] for tables in each])),
            max(int(tables.cells[0]) for tables in each),
            max(int(sparse_categories(tables, min_count)[0]) for tables in each),
            reason,
        )
    frame = pd.DataFrame.from_dict(
        rows, orient="index", columns=["ROC", "categories", "sparse", "skipped"]
    )
    frame.index.name = "variable"
    used = frame["ROC"].dropna()
    mean = float(used.mean()) if len(used) else math.nan
    return RatioOfCounts(mean, frame, tuple(str(fix) for fix in data.fixes))
