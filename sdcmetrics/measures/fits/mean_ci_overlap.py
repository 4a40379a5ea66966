"""SynthEval's confidence interval overlap: of the means of numeric columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.fits import overlap as ov
from sdcmetrics.measures.pair import Frame, Replica, pair
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, Variable
from sdcmetrics.microdata.sources.distinct import to_numpy
from sdcmetrics.microdata.sources.large import Large
from sdcmetrics.microdata.sources.source import PARTIAL, partial_counts
from sdcmetrics.results import Readable

_N, _SUM, _SQUARES = range(3)


@dataclass(frozen=True)
class Moments:
    """Number of values, their mean, and their standard deviation by n - 1; NaN of fewer than two.

    Attributes
    ----------
    n : int
    mean, deviation : float
    """

    n: int
    mean: float
    deviation: float


def moments(data: Harmonised, variable: Variable) -> Iterator[Moments]:
    """Yield the moments of a numeric variable in each data set, missing codes left out.

    They are those of the distinct values, each as often as it occurs, in memory and in batches,
    so that both are equal. Of numbers with too many values to be held the records are read once
    more, and added up.
    """
    distinct, ranks = variable.ranked
    usable = ~np.isin(distinct, variable.missing_codes)
    for part, rank in enumerate(ranks):
        times = variable.counts[part] if variable.counts else None
        counts = np.bincount(rank + 1, weights=times, minlength=len(distinct) + 1)[1:] * usable
        n = int(counts.sum())
        if n < 2:  # noqa: PLR2004
            yield Moments(n, math.nan, math.nan)
            continue
        mean = float((distinct * counts).sum() / n)
        if variable.counts and variable.name in data.large[part].rounded:
            yield _of_batches(data.large[part], variable, mean)
            continue
        squares = float((counts * (distinct - mean) ** 2).sum())
        yield Moments(n, mean, math.sqrt(squares / (n - 1)))


def _of_batches(data: Large, variable: Variable, near: float) -> Moments:
    """Add up the sums of differences from a number near the mean, batch by batch."""
    sums = _Sums(data.names[variable.name], variable.missing_codes, near)
    table = pa.Table.from_batches(data.count([variable.name], sums), PARTIAL)
    columns = (np.asarray(table.column(name)) for name in ("table", "cell", "count"))
    which, cells, counts = columns
    totals: Mapping[int, float] = {
        sort: math.fsum(cells[which == sort].view(np.float64) * counts[which == sort])
        for sort in (_SUM, _SQUARES)
    }
    n = int(counts[which == _N].sum())
    squares = totals[_SQUARES] - totals[_SUM] ** 2 / n
    return Moments(n, near + totals[_SUM] / n, math.sqrt(squares / (n - 1)))


@dataclass(frozen=True)
class _Sums:
    """Adds up the differences of each batch from a number: the bits of a sum are its cell."""

    column: str
    missing_codes: tuple[float, ...]
    near: float

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            array = batch.column(self.column)
            values = to_numpy(array.drop_null() if array.null_count else array).astype(np.float64)
            values = values[~np.isnan(values) & ~np.isin(values, self.missing_codes)]
            if len(values):
                away = values - self.near
                n = np.array([len(values)])
                yield partial_counts(np.zeros(1, np.int64), n, _N)
                for sort, total in ((_SUM, away.sum()), (_SQUARES, (away**2).sum())):
                    bits = np.array([total]).view(np.int64)
                    yield partial_counts(bits, np.ones(1, np.int64), sort)


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
        `mean` is 0 to 1 (best); `mean_untruncated` is at most 1, and falls without bound as means
        part. Both count columns with an overlap, NaN if there is none.

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
