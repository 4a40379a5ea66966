"""SynthEval's confidence interval overlap: of the means of numeric columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.fits import overlap as ov
from sdcmetrics.measures.fits.moments import Moments, moments
from sdcmetrics.measures.pair import Frame, Replica, pair
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, MissingCodes
from sdcmetrics.results import Readable


@dataclass(frozen=True)
class MeanOverlap(
    Readable,
    shows=("mean", "mean_untruncated", "non_overlaps", "share_non_overlaps", "fixes"),
    table="by_variable",
):
    """Overlap of the confidence intervals of means.

    Attributes
    ----------
    mean : float
        Mean of the overlaps truncated at 0, over columns (and syntheses).
    mean_untruncated : float
    non_overlaps : float
        Number of columns whose intervals lie apart (mean over syntheses).
    share_non_overlaps : float
    by_variable : DataFrame
        Index variable; columns original, se_original, synthetic, se_synthetic, overlap (not
        truncated), overlap_truncated, note (why there is no value); means over the syntheses.
    fixes : tuple of str
        Changes made to the inputs.
    """

    mean: float
    mean_untruncated: float
    non_overlaps: float
    share_non_overlaps: float
    by_variable: pd.DataFrame
    fixes: tuple[str, ...] = ()


@checked
def mean_ci_overlap(
    original: Frame,
    synthetic: Replica,
    *,
    variables: Sequence[str] | None = None,
    level: float = 0.95,
    missing_codes: MissingCodes | None = None,
) -> MeanOverlap:
    """Overlap of the confidence intervals of the mean, for every numeric column.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames (their mean is reported)
    variables : names, optional
        By default every numeric column that all data sets have.
    level : float
    missing_codes : mapping of column to code or codes, optional
        Values that are left out.

    Returns
    -------
    MeanOverlap

    Raises
    ------
    NotComputable
        If no column is numeric.

    Notes
    -----
    Karr's symmetric overlap of ``mean -+ z s / sqrt(n)``, missing values left out. It says
    nothing of the relation between columns, and it is not `fit_overlap`, which is what
    synthpop calls CI overlap.

    References
    ----------
    Lautrup, Hyrup, Zimek and Schneider-Kamp (2024), SynthEval, "Average confidence interval
    overlap"; Karr et al. (2006), The American Statistician 60.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": [1.0, 2, 3], "y": [1.0, 2, 3]})
    >>> replica = pd.DataFrame({"x": [1.0, 2, 3], "y": [21.0, 22, 23]})
    >>> result = mean_ci_overlap(original, replica)
    >>> round(result.mean, 6), result.non_overlaps, result.by_variable["overlap"].round(2).tolist()
    (0.5, 1.0, [1.0, -7.84])
    """
    if not 0 < level < 1:
        msg = f"level: expected a share between 0 and 1, such as 0.95, but got {level}."
        raise StudyError(msg)
    data = pair(original, synthetic, variables=variables, missing_codes=missing_codes)
    return overlap_of_means(data, level=level)


def overlap_of_means(
    data: Harmonised, *, variables: Sequence[str] | None = None, level: float = 0.95
) -> MeanOverlap:
    """Return the overlap for the numeric columns of harmonised data; see `mean_ci_overlap`."""
    numeric = [
        variable
        for name, variable in data.variables.items()
        if variable.kind is Kind.NUMBER and (variables is None or name in variables)
    ]
    if not numeric:
        msg = "no column is numeric in the original, so there is no mean to compare"
        raise NotComputable(msg)
    rows = {variable.name: _row(moments(data, variable), level) for variable in numeric}
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.index.name = "variable"
    used = frame[frame["overlap"].notna()]
    apart = used.pop("apart")
    del frame["apart"]
    return MeanOverlap(
        mean=float(used["overlap_truncated"].mean()),
        mean_untruncated=float(used["overlap"].mean()),
        non_overlaps=float(apart.sum()),
        share_non_overlaps=float(apart.mean()) if len(apart) else math.nan,
        by_variable=frame,
        fixes=tuple(str(fix) for fix in data.fixes),
    )


def _row(data_sets: Iterable[Moments], level: float) -> dict[str, object]:
    means, errors = [], []
    for data_set in data_sets:
        means.append(data_set.mean)
        errors.append(data_set.deviation / math.sqrt(max(data_set.n, 1)))
    m = len(means) - 1
    original, se_original = np.full(m, means[0]), np.full(m, errors[0])
    synthetic, se_synthetic = np.array(means[1:]), np.array(errors[1:])
    overlap = ov.interval_overlap(original, synthetic, se_original, se_synthetic, level=level)
    note = ""
    if np.isnan(original).any() or np.isnan(synthetic).any():
        note = "fewer than two values"
    elif not (se_original > 0).all() or not (se_synthetic > 0).all():
        note = "a data set has one value only, so its interval has no width"
    if note:
        overlap = np.full(m, np.nan)
    return {
        "original": means[0],
        "se_original": errors[0],
        "synthetic": float(synthetic.mean()),
        "se_synthetic": float(se_synthetic.mean()),
        "overlap": float(overlap.mean()),
        "overlap_truncated": float(ov.truncated(overlap).mean()),
        "apart": float((overlap < 0).mean()),
        "note": note,
    }
