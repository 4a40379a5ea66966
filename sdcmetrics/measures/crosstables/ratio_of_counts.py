"""Ratio of counts (ROC): how far the category shares of one variable overlap.

References
----------
Taub, J., Elliot, M. and Sakshaug, J. W. (2020). The impact of synthetic data generation on data
utility with application to the 1991 UK samples of anonymised records. Transactions on Data
Privacy 13. Chan, M. F. Comparative metrics framework in R, equation 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.counting import TablePairs


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
