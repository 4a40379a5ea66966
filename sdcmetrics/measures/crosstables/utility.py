"""General utility from two frames: utility_tab, utility_tables, tvd, ratio_of_counts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError, counted
from sdcmetrics.measures.crosstables.counting import count_tables
from sdcmetrics.measures.crosstables.statistics import STATISTICS, table_statistics
from sdcmetrics.measures.crosstables.statistics import tvd as _tvd
from sdcmetrics.measures.pair import Frame, Replica, pair
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coding import Coded, by_groups, encode
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import draw_bars, draw_pairs, label_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@checked
def utility_tab(  # noqa: PLR0913  (synthpop's own options)
    original: Frame,
    synthetic: Replica,
    variables: str | Sequence[str],
    *,
    ngroups: int = 5,
    style: str = "quantile",
    missing_codes: MissingCodes | None = None,
    use_missing: bool = True,
    k_syn: bool = False,
    per_synthesis: bool = False,
) -> pd.Series[float] | pd.DataFrame:
    """Compare one cross-table of the original and of a replica.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
        A list holds m > 1 syntheses of one method.
    variables : name or names of the columns to cross-tabulate
    ngroups : int
        Number of groups for numeric variables, chosen from the pooled values. Dates are levels, as
        in synthpop; a review groups them unless its study says ``group_dates=False``.
    style : "quantile" or "equal"
    missing_codes : mapping of column to code or codes, optional
        Codes such as -8 that are levels of their own in a numeric column.
    use_missing : bool
        True counts missing as a level; False leaves out records with a missing value.
    k_syn : bool
        True if the replica had its total drawn rather than fixed: nothing is taken off df.
    per_synthesis : bool
        True returns a frame with one row per synthesis instead of their mean.

    Returns
    -------
    Series
        VW, FT, JSD, SPECKS, WMabsDD, U, G, pMSE, PO50, MabsDD, dBhatt, S_VW, S_FT, S_JSD,
        S_WMabsDD, S_G, S_pMSE, df, dfG, nempty. Ratios are NaN where df is 0 (one cell).
        ``.attrs["fixes"]`` lists every change made to the inputs.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    NotComputable
        If no record of one side is left.

    Notes
    -----
    Equals ``synthpop::utility.tab(object, data, vars)`` to rounding error. Intended
    differences: cells are matched by label, where synthpop goes by position (its results are
    wrong when level orders differ); levels and missing values on one side only are counted,
    where synthpop stops or drops them; a constant numeric column is one level, where synthpop
    stops.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": ["a"] * 80 + ["b"] * 20})
    >>> replica = pd.DataFrame({"x": ["a"] * 70 + ["b"] * 30})
    >>> result = utility_tab(original, replica, "x")
    >>> round(float(result["S_pMSE"]), 3), int(result["df"])  # 10**2 / 75 + 10**2 / 25
    (5.333, 1)
    """
    names = [variables] if isinstance(variables, str) else list(variables)
    if not names:
        msg = "variables: expected at least one column name but got none."
        raise StudyError(msg)
    data = pair(original, synthetic, variables=names, missing_codes=missing_codes)
    coded = encode(data, by_groups(ngroups, style), names)
    rows = [
        coded_tables(coded, [tuple(names)], synthesis=i, use_missing=use_missing, k_syn=k_syn)
        for i in range(1, coded.m + 1)
    ]
    frame = pd.concat(rows, ignore_index=True)
    frame.index = pd.RangeIndex(1, coded.m + 1, name="synthesis")
    result = frame if per_synthesis else frame.mean()
    result.attrs["fixes"] = tuple(str(fix) for fix in data.fixes)
    return result


class UtilityTables(pd.DataFrame):
    """Statistics of cross-tables, one row per table: a frame that draws itself."""

    def plot(  # type: ignore[override]  # in place of the accessor of pandas
        self, measure: str = "S_pMSE", *, ax: Axes | None = None
    ) -> Axes:
        """Draw one statistic: of tables of two variables a square, of others bars.

        Parameters
        ----------
        measure : str
            A column.
        ax : matplotlib Axes, optional
            Where to draw; by default on new ones.

        Raises
        ------
        StudyError
            If matplotlib is not installed, or there is no such column.
        """
        if measure not in self.columns:
            msg = f"plot: expected one of {', '.join(self.columns)} but got {measure!r}."
            raise StudyError(msg)
        drawn = new_axes(ax)
        names = [n for n in self.index.names if n != "synthesis"]
        values = pd.DataFrame(self)[measure].groupby(level=names, sort=False).mean()
        if len(names) == 2:  # noqa: PLR2004  (tables of two variables)
            variables = list(dict.fromkeys([label for pair in values.index for label in pair]))
            square = values.unstack().reindex(index=variables, columns=variables)  # noqa: PD010  (of an index)
            both = square.to_numpy(dtype=float)
            both = np.where(np.isnan(both), both.T, both)
            draw_pairs(drawn, both, variables, of=measure)
            axis = "variable"
            return label_axes(drawn, x=axis, y=axis, title=f"{measure} of pairs of variables")
        listed = [
            " by ".join((label,) if isinstance(label, str) else label) for label in values.index
        ]
        draw_bars(drawn, listed, {measure: values.to_list()})
        return label_axes(drawn, x=measure, y="table", title=f"{measure} of every table")


@checked
def utility_tables(  # noqa: PLR0913  (synthpop's own options)
    original: Frame,
    synthetic: Replica,
    *,
    ways: int = 2,
    tables: Sequence[Sequence[str]] | None = None,
    variables: Sequence[str] | None = None,
    ngroups: int = 5,
    style: str = "quantile",
    missing_codes: MissingCodes | None = None,
    use_missing: bool = True,
    k_syn: bool = False,
    per_synthesis: bool = False,
) -> UtilityTables:
    """Compare every cross-table of `ways` variables, or the tables that are named.

    Parameters
    ----------
    ways : int
        Number of variables in each table: 1, 2, 3, ...
    tables : sequence of tuples of names, optional
        The tables to compare, all of as many variables, instead of every combination; such as
        `select_pairs` answers.
    variables : names, optional
        By default every column that all data sets have.
    others : see `utility_tab`

    Returns
    -------
    UtilityTables
        A DataFrame whose `plot` draws one statistic. One row per combination, in the original's
        column order; columns as in `utility_tab`. The index holds the names of the variables (a
        MultiIndex where ways > 1). With several syntheses: their mean, or with
        ``per_synthesis=True`` one row for each, `synthesis` being the last level of the index.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    NotComputable
        If there are fewer variables than `ways`, or no record of one side is left.
    StudyError
        If an option is wrong.

    Notes
    -----
    Equals ``synthpop::utility.tables(object, data, tables=, tab.stats="all")$tabs``; see
    `utility_tab` for the intended differences.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": ["a", "b", "b"], "y": ["u", "u", "v"], "z": [1, 2, 3]})
    >>> utility_tables(frame, frame, ways=2)["S_pMSE"].to_dict()
    {('x', 'y'): 0.0, ('x', 'z'): 0.0, ('y', 'z'): 0.0}
    """
    if tables is not None:
        tables = _named_tables(tables, variables)
        variables = list(dict.fromkeys(name for table in tables for name in table))
    data = pair(original, synthetic, variables=variables, missing_codes=missing_codes)
    names = list(data.variables)
    chosen = _all_tables(names, ways) if tables is None else [tuple(table) for table in tables]
    coded = encode(data, by_groups(ngroups, style), names)
    frames = [
        coded_tables(coded, chosen, synthesis=i, use_missing=use_missing, k_syn=k_syn)
        for i in range(1, coded.m + 1)
    ]
    index = table_index(chosen)
    for frame in frames:
        frame.index = index
    if per_synthesis:
        keys = pd.RangeIndex(1, coded.m + 1, name="synthesis")
        result = pd.concat(frames, keys=keys)
        result = result.reorder_levels([*range(1, result.index.nlevels), 0])
    else:
        result = frames[0] if len(frames) == 1 else sum(frames[1:], frames[0]) / len(frames)
    tables_ = UtilityTables(result)
    tables_.attrs["fixes"] = tuple(str(fix) for fix in data.fixes)
    return tables_


@checked
def tvd(
    original: Frame,
    synthetic: Replica,
    *,
    ways: int = 1,
    variables: Sequence[str] | None = None,
    ngroups: int = 5,
    style: str = "quantile",
    missing_codes: MissingCodes | None = None,
) -> pd.DataFrame:
    """Total variation distance of every table of `ways` variables.

    Half the sum over cells of ``|p_synthetic - p_original|``: the largest difference in share that
    any set of cells can have. 0 (best) to 1; half of synthpop's MabsDD.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    ways : int, at least 1
        Number of variables in each table.
    others : see `utility_tables`

    Returns
    -------
    DataFrame
        One row per table, indexed as those of `utility_tables`: TVD (mean over syntheses), cells
        (filled on either side, first synthesis), n_original, n_synthetic (records).

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    NotComputable
        If there are fewer variables than `ways`.
    StudyError
        If an option is wrong.

    Examples
    --------
    >>> import pandas as pd
    >>> tvd(pd.DataFrame({"x": list("aab")}), pd.DataFrame({"x": list("abb")}))["TVD"].round(4)
    variable
    x    0.3333
    Name: TVD, dtype: float64
    """
    data = pair(original, synthetic, variables=variables, missing_codes=missing_codes)
    tables = _all_tables(list(data.variables), ways)
    coded = encode(data, by_groups(ngroups, style), data.variables)
    distance = np.zeros(len(tables))
    evidence = pd.DataFrame(index=table_index(tables))
    for synthesis in range(coded.m, 0, -1):
        parts = [tables_ for _, tables_ in count_tables(coded, tables, synthesis=synthesis)]
        distance += np.concatenate([_tvd(part) for part in parts]) / coded.m
    evidence["TVD"] = distance
    evidence["cells"] = np.concatenate([part.cells for part in parts])
    evidence["n_original"] = np.concatenate([part.n_original for part in parts]).astype(int)
    evidence["n_synthetic"] = np.concatenate([part.n_synthetic for part in parts]).astype(int)
    evidence.attrs["fixes"] = tuple(str(fix) for fix in data.fixes)
    return evidence


def coded_tables(
    coded: Coded,
    tables: Sequence[tuple[str, ...]],
    *,
    synthesis: int = 1,
    use_missing: bool = True,
    k_syn: bool = False,
) -> pd.DataFrame:
    """Return every table statistic, one row per table; see `utility_tab`."""
    parts = [
        list(table_statistics(counts).values())
        for _, counts in count_tables(
            coded, tables, synthesis=synthesis, use_missing=use_missing, k_syn=k_syn
        )
    ]
    return pd.DataFrame(np.hstack(parts).T, columns=list(STATISTICS))


def table_index(tables: Sequence[tuple[str, ...]]) -> pd.Index[str]:
    """Index of a frame with one row per table: the names of its variables."""
    if len(tables[0]) == 1:
        return pd.Index([table[0] for table in tables], name="variable")
    names = [f"variable_{i}" for i in range(1, len(tables[0]) + 1)]
    return pd.MultiIndex.from_tuples(tables, names=names)


def _named_tables(
    tables: Sequence[Sequence[str]], variables: Sequence[str] | None
) -> list[tuple[str, ...]]:
    if variables is not None:
        msg = "tables and variables: give the one or the other."
        raise StudyError(msg)
    named = [(table,) if isinstance(table, str) else tuple(table) for table in tables]
    if not named or len({len(table) for table in named}) > 1 or not named[0]:
        msg = "tables: expected at least one tuple of column names, all of the same length."
        raise StudyError(msg)
    for table in named:
        if len(set(table)) < len(table):
            twice = next(name for name in table if table.count(name) > 1)
            msg = f"tables: column {twice!r} is named twice in one table."
            raise StudyError(msg)
    return named


def _all_tables(names: Sequence[str], ways: int) -> list[tuple[str, ...]]:
    if ways < 1:
        msg = f"ways: expected a whole number of at least 1 but got {ways}."
        raise StudyError(msg)
    if len(names) < ways:
        msg = (
            f"of {counted(len(names), 'variable')} there are no tables of {ways}: name more "
            "variables, or ask for smaller tables"
        )
        raise NotComputable(msg)
    return list(itertools.combinations(names, ways))
