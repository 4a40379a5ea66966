"""Marginal fidelity from frames: training data, a replica, and fresh data as the reference."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError, counted
from sdcmetrics.measures.crosstables.counting import count_tables
from sdcmetrics.measures.crosstables.margins import count_margins
from sdcmetrics.measures.fidelity import distance as marginals
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.microdata import published
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coding import Coded, encode
from sdcmetrics.microdata.discretise import ABOVE, BELOW, NOVEL, by_training
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise

MAX_LEVELS: Mapping[int, int] = {1: 100, 2: 10, 3: 5}
MOST_TABLES = 100_000


class MarginalFidelity(pd.DataFrame):
    """One row per size of tables, by index `ways`; what else is known is one attribute away.

    The columns are described under `marginal_fidelity`.

    Attributes
    ----------
    tables : DataFrame
        One row per table: ways, variables, tvd, holdout_tvd.
    novel : DataFrame
        Index variable; columns synthetic and holdout: share of records outside the categories
        of the training data (out of its range, or a level that it does not have), 0 to 1.
    method : "corrected" or "published"
    sizes : tuple of int
        Records of the training data, of each synthesis, and of the holdout where there is one.
    fixes : tuple of str
        Changes made to the inputs.
    """

    tables: pd.DataFrame
    novel: pd.DataFrame
    method: str
    sizes: tuple[int, ...]
    fixes: tuple[str, ...]

    _metadata = ["tables", "novel", "method", "sizes", "fixes"]  # noqa: RUF012  (a list, as pandas has it)

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return MarginalFidelity  # copies keep the attributes

    def _constructor_from_mgr(self, mgr: Any, axes: Any) -> pd.DataFrame:
        frame = pd.DataFrame._from_mgr(mgr, axes=axes)  # type: ignore[attr-defined]  # noqa: SLF001
        return MarginalFidelity(frame)  # as pandas 3 does it; pandas 2.2 hands on what it warns of

    def figure(self, ways: int, column: str) -> float:
        """Return one number of the frame."""
        return float(self[column].to_dict()[ways])


@checked
def marginal_fidelity(
    original: Frame,
    synthetic: Replica,
    *,
    holdout: Frame | None = None,
    ways: int | Sequence[int] = (1, 2, 3),
    max_levels: Mapping[int, int] = MAX_LEVELS,
    mode: Literal["corrected", "published"] = "corrected",
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
) -> MarginalFidelity:
    """Mean total variation distance over all tables of 1, 2, 3 variables, beside fresh data's.

    How well a replica keeps distributions and relations. Records of the same population that
    were not used for training (the holdout) show which distance is sampling noise: a replica
    should be as close to the training data as they are, and no closer.

    Parameters
    ----------
    original : data frame
        The data that the synthesis was trained on
        What the replica was made from.
    synthetic : data frame, or list of data frames
        A list holds m > 1 syntheses of one method; their mean is given.
    holdout : data frame, optional
    ways : int or sequence of int
        Sizes of the tables.
    max_levels : mapping of ways to int
        Categories that a variable may have in tables of that size.
    mode : "corrected" or "published"
        See Notes.
    variables : names, optional
        By default every column that all data sets have.
    missing_codes : mapping of column to code or codes, optional
        Codes such as -8 that are categories of their own in a numeric column.

    Returns
    -------
    MarginalFidelity
        A frame with one row per size of tables, and these columns:

        tvd, holdout_tvd
            Mean distance from the training data, 0 (equal) to 1; F^k of the paper. Lower is
            better, but well below `fresh_tvd` is too close to the training data.
        se, holdout_se
            Standard errors, for training data, replica and holdout drawn from a population, record
            by record: for whole households they are too small.
        fresh_tvd
            The holdout's distance, brought to the replica's number of records: what fresh data
            of that number would show. Exact where the holdout is as large, or larger with fewer
            than 60 records per cell, and within 3 % for fuller cells; where it is
            smaller, off by some 5 % with nearly as many categories as records, and by some 10 %
            with more of them than the training data have records.
        ratio, ratio_se
            tvd / holdout_tvd, and its standard error.
        n_tables, max_levels, worst, worst_tvd
            How many tables, categories at most, and the table with the largest distance.

    Raises
    ------
    StudyError
        For an unknown mode, a wrong number of ways or levels, or too many or too large tables.
    ColumnError, DataError
        If the data sets cannot be compared.
    NotComputable
        If no record is left in a table.

    Notes
    -----
    "corrected" makes categories of the training data alone by declared kinds, as the paper
    says: at most `max_levels` of them, a missing value and each missing code being categories
    of their own, as are values outside the training data's range and levels it does not have. A
    value on which several quantiles fall keeps a category, so that a binary or zero-inflated
    number still counts.

    "published" follows the code behind the paper's tables, which differs from its text: see
    `sdcmetrics.microdata.published`.

    `fresh_tvd` is the mean over all subsets of the holdout that have the replica's size. For a
    replica that is larger than the holdout it uses that sampling noise goes with the root of
    1/training + 1/others records, in cells of hardly a record with less; see
    `distances_by_chance`.
    `se` comes from a linearisation and is too large where data sets hardly differ.

    References
    ----------
    Platzer & Reutterer (2021), Holdout-based empirical assessment of mixed-type synthetic data,
    Frontiers in Big Data 4, section 3.1.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": list("aabb"), "y": list("uuvv")})
    >>> replica = pd.DataFrame({"x": list("aabb"), "y": list("uvuv")})  # x and y unrelated
    >>> result = marginal_fidelity(original, replica, ways=(1, 2))
    >>> result["tvd"].tolist()
    [0.0, 0.5]
    >>> result.loc[2, "worst"]
    ('x', 'y')
    """
    names = [variables] if isinstance(variables, str) else variables
    first = as_microdata(original, "original", names)
    others = list_syntheses(synthetic, names)
    m = len(others)
    if holdout is not None:
        others.append(as_microdata(holdout, "holdout", names))
    if mode == "published":
        data = published.read_as_published(first, others, variables=names)
    else:
        data = harmonise(first, others, variables=names, missing_codes=missing_codes)
    return fidelity_of(data, m=m, ways=ways, max_levels=max_levels, mode=mode)


def fidelity_of(
    data: Harmonised,
    *,
    m: int,
    ways: int | Sequence[int] = (1, 2, 3),
    max_levels: Mapping[int, int] = MAX_LEVELS,
    mode: str = "corrected",
) -> MarginalFidelity:
    """Return the marginal fidelity of harmonised data: training, m syntheses, maybe a holdout."""
    given: Any = ways  # a caller may pass anything
    sizes = list(dict.fromkeys(given)) if isinstance(given, Iterable) else [given]
    if not sizes:
        msg = "ways: expected whole numbers of at least 1 but got none."
        raise StudyError(msg)
    levels = {k: _levels(k, max_levels) for k in sizes}
    names = list(data.variables)
    rows, tables = {}, []
    grouped: dict[int, Coded] = {}
    for k in sizes:
        combinations = combinations_of(names, k)
        coded = _coded(data, names, levels[k], mode, grouped)
        margins = count_margins(coded, combinations, use_missing=mode == "corrected")
        result = marginals.fidelity(margins)
        rows[k] = {**_row(result, m), "n_tables": len(combinations)}
        of_tables = _tables(result, combinations, m)
        worst = int(of_tables["tvd"].argmax())
        rows[k] |= {"max_levels": levels[k], "worst": combinations[worst]}
        rows[k]["worst_tvd"] = float(of_tables["tvd"].iloc[worst])
        tables.append(of_tables)
    out = MarginalFidelity(pd.DataFrame.from_dict(rows, orient="index").rename_axis("ways"))
    out.tables = pd.concat(tables, ignore_index=True)
    out.novel = _novel(_coded(data, names, max(levels.values()), "", grouped), m)
    out.method = mode
    out.sizes = data.sizes
    out.fixes = tuple(str(fix) for fix in data.fixes)
    return out


def mean_distance(data: Harmonised, *, ways: int) -> float:
    """Return the mean distance of one synthesis over tables: `fidelity_of`, and nothing else."""
    coded = encode(data, by_training(MAX_LEVELS[ways]), data.variables)
    tables = combinations_of(list(data.variables), ways)
    each = [
        pairs.sum(np.abs(pairs.p_original - pairs.p_synthetic)) / 2.0
        for _, pairs in count_tables(coded, tables)  # no record's cell is needed, as for errors
    ]
    return float(np.concatenate(each).mean())


def _coded(
    data: Harmonised, names: list[str], levels: int, mode: str, grouped: dict[int, Coded]
) -> Coded:
    """Group the variables; what was grouped by training data into so many levels is kept."""
    if mode == "published":
        return encode(data, published.for_tables(levels), names)
    if levels not in grouped:
        grouped[levels] = encode(data, by_training(levels), names)
    return grouped[levels]


def cells_of(data: Harmonised, table: tuple[str, ...], *, m: int, max_levels: int) -> pd.DataFrame:
    """Return the cells of one table, those in which training data and replica differ most first.

    Returns
    -------
    DataFrame
        Columns labels (a tuple, None for missing), training, synthetic (mean over the m
        syntheses) and holdout (NaN without one): shares of records, 0 to 1.
    """
    coded = encode(data, by_training(max_levels), table)
    (margin,) = count_margins(coded, [table])
    shares = margin.counts / margin.counts.sum(axis=1, keepdims=True)
    filled = np.flatnonzero(margin.counts.any(axis=0))
    variables = [coded.variables[name] for name in table]
    codes = np.unravel_index(filled, [variable.size for variable in variables])
    labels = [
        tuple(variable.labels[code] for variable, code in zip(variables, cell, strict=True))
        for cell in zip(*(part.tolist() for part in codes), strict=True)
    ]
    cells = pd.DataFrame(
        {
            "labels": pd.Series(labels, dtype=object),
            "training": shares[0, filled],
            "synthetic": shares[1 : m + 1, filled].mean(axis=0),
            "holdout": shares[-1, filled] if len(shares) > m + 1 else math.nan,
        }
    )
    order = (cells["synthetic"] - cells["training"]).abs().sort_values(ascending=False).index
    return cells.loc[order].reset_index(drop=True)


def _levels(k: Any, max_levels: Mapping[int, int]) -> int:
    if not isinstance(k, int) or k < 1:
        msg = f"ways: expected whole numbers of at least 1 but got {k!r}."
        raise StudyError(msg)
    if k not in max_levels:
        msg = f"max_levels: there is no number of levels for tables of {k} variables. Add {k}: 4."
        raise StudyError(msg)
    return max_levels[k]


def combinations_of(names: Sequence[str], k: int) -> list[tuple[str, ...]]:
    """Return every k of the names; refuse where there are none or too many."""
    count = math.comb(len(names), k)
    if count == 0:
        msg = f"ways: of {counted(len(names), 'variable')} there are no tables of {k}."
        raise StudyError(msg)
    if count > MOST_TABLES:
        msg = (
            f"ways: {len(names)} variables have {count:,} tables of {k}, too many to measure. Name "
            "fewer variables, or leave out this number of ways."
        )
        raise StudyError(msg)
    return list(itertools.combinations(names, k))


def _row(result: marginals.Fidelity, m: int) -> dict[str, Any]:
    mean = np.zeros((2, len(result.values)))
    mean[0, :m] = 1.0 / m
    mean[1, m:] = 1.0  # the holdout, where there is one
    tvd, held = (mean @ result.values).tolist()
    (variance, both), (_, of_held) = (mean @ result.covariance @ mean.T).tolist()
    row = {"tvd": tvd, "se": math.sqrt(variance)}
    if len(result.values) == m:
        nothing = ("holdout_tvd", "holdout_se", "fresh_tvd", "ratio", "ratio_se")
        return {**row, **dict.fromkeys(nothing, math.nan)}
    row |= {"holdout_tvd": held, "holdout_se": math.sqrt(of_held)}
    row["fresh_tvd"] = float(result.by_chance[:m].mean())
    if held == 0:
        return {**row, "ratio": math.nan, "ratio_se": math.nan}
    ratio = tvd / held
    of_ratio = variance - 2 * ratio * both + ratio**2 * of_held
    return {**row, "ratio": ratio, "ratio_se": math.sqrt(max(of_ratio, 0.0)) / held}


def _tables(
    result: marginals.Fidelity, combinations: list[tuple[str, ...]], m: int
) -> pd.DataFrame:
    held = result.by_table[:, m] if result.by_table.shape[1] > m else math.nan
    return pd.DataFrame(
        {
            "ways": len(combinations[0]),
            "variables": pd.Series(combinations, dtype=object),
            "tvd": result.by_table[:, :m].mean(axis=1),
            "holdout_tvd": held,
        }
    )


def _novel(coded: Coded, m: int) -> pd.DataFrame:
    rows = {}
    for name, variable in coded.variables.items():
        outside = [i for i, label in enumerate(variable.labels) if label in (BELOW, ABOVE, NOVEL)]
        shares = [
            int(variable.count(part)[outside].sum()) / coded.sizes[part]
            for part in range(1, len(coded.sizes))
        ]
        held = shares[m] if len(shares) > m else math.nan
        rows[name] = {"synthetic": sum(shares[:m]) / m, "holdout": held}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variable")
