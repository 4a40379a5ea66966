"""synthpop's general utility: utility.tab, utility.tables, utility.gen, compare."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdcmetrics.errors import NotComputable, RError, StudyError, counted
from sdcmetrics.measures.crosstables.utility import table_index
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.rbridge.call import FromR, Question, in_order, names_of, with_defects
from sdcmetrics.rbridge.columns import by_synthesis, long_frame, wide
from sdcmetrics.rbridge.synds import Pair, Synds

_TABLES = {1: "oneway", 2: "twoway", 3: "threeway"}
_BLOWN_UP = 1e8  # coefficients beyond this mean that the fit left the ground


@checked
def utility_tab(
    data: Pair, variables: str | Sequence[str], *, per_synthesis: bool = False, **options: Any
) -> pd.Series[float] | pd.DataFrame:
    """Compare one cross-table, by ``synthpop::utility.tab``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    variables, per_synthesis : as in `sdcmetrics.utility_tab`
    **options
        ngroups, style, use_missing, k_syn as in `sdcmetrics.utility_tab`. ``printed=True`` lets
        R print the result; what it prints is ``.attrs["output"]``. For a tuple also
        missing_codes and session; a handle has its own.

    Returns
    -------
    Series, or DataFrame with one row per synthesis
        As `sdcmetrics.utility_tab`. ``.attrs`` has fixes, output, warnings and defects.

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.
    """
    question = Question("utility.tab", data, options)
    answer = question.ask(vars=names_of(variables, question.synds))
    frame = by_synthesis(answer.value)
    result: pd.Series[float] | pd.DataFrame = question.annotate(
        frame if per_synthesis else frame.mean(), answer
    )
    return result


def utility_tabs(
    synds: Synds, tables: Sequence[tuple[str, ...]], **options: Any
) -> dict[tuple[str, ...], pd.Series[float] | RError]:
    """Compare many cross-tables in one call of R; a table that stops synthpop stops no other.

    Returns
    -------
    dict of table to Series as of `utility_tab`, or to the error that took its place

    Raises
    ------
    RError
        If R is not there, dies or is late.
    """
    tables_of = dict(zip(map(str, range(len(tables))), map(list, tables), strict=True))
    answer = Question("utility.tab", synds, options).ask("utility_tabs", tables=tables_of)
    rows_of: dict[tuple[str, ...], pd.Series[float] | RError] = {}
    errors = long_frame(answer.value["errors"], ["table", "error"])
    for place, text in zip(errors["table"], errors["error"], strict=True):
        rows_of[tables[int(place) - 1]] = with_defects(RError(text), "utility.tab", synds)
    if answer.value["values"] is not None:
        frame = wide(answer.value["values"], ["table", "synthesis"]).astype("float64")
        for place, row in frame.groupby(level="table").mean().iterrows():
            rows_of[tables[int(str(place)) - 1]] = row
    return {table: rows_of[table] for table in tables}


@checked
def utility_tables(
    data: Pair, *, ways: int = 2, variables: Sequence[str] | None = None, **options: Any
) -> pd.DataFrame:
    """Compare every cross-table of 1, 2 or 3 variables, by ``synthpop::utility.tables``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    ways, variables : as in `sdcmetrics.utility_tables`
    **options : see `utility_tab`

    Returns
    -------
    DataFrame
        As `sdcmetrics.utility_tables`, without nempty: means over the syntheses.
        ``.attrs["var.scores"]`` is synthpop's score of each variable.

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.
    """
    question = Question("utility.tables", data, options)
    synds = question.synds
    if ways not in _TABLES:
        msg = f"ways: synthpop has tables of 1, 2 or 3 variables, not of {ways}. Use utility_tab."
        raise StudyError(msg)
    names = synds.columns if variables is None else names_of(variables, synds)
    names = in_order(names, list(synds.syntheses[0].columns))
    if len(names) < ways:
        msg = (
            f"of {counted(len(names), 'variable')} there are no tables of {ways}: name more "
            "variables, or ask for smaller tables"
        )
        raise NotComputable(msg)
    tables = list(itertools.combinations(names, ways))
    question.fixed["maxtables"] = float(len(tables))  # more would be a random sample
    answer = question.ask(tables=_TABLES[ways], vars=names)
    frame = wide(answer.value["tabs"], "row").astype("float64")
    if len(frame) != len(tables):
        msg = f"synthpop returned {len(frame)} tables where {len(tables)} were asked for"
        raise NotComputable(msg)
    frame.index = table_index(tables)
    scores = long_frame(answer.value["scores"])
    out: pd.DataFrame = question.annotate(frame, answer)
    out.attrs["var.scores"] = dict(zip(scores["symbol"], scores["value"], strict=True))
    return out


@dataclass(frozen=True)
class PropensityUtility(FromR):
    """Result of ``synthpop::utility.gen``.

    Attributes
    ----------
    statistics : Series
        pMSE, S_pMSE, SPECKS, S_SPECKS, PO50, S_PO50, U, S_U, df; means over the syntheses.
    per_synthesis : DataFrame
        The same, one row per synthesis.
    resampling : str
        How the null distribution was found: "none", "perm", "pairs" or "" (formula).
    fixes, output, warnings, defects : tuples and text
    """

    statistics: pd.Series[float]
    per_synthesis: pd.DataFrame
    resampling: str


@checked
def utility_gen(data: Pair, *, seed: int | None = None, **options: Any) -> PropensityUtility:
    """Tell synthetic from original records with a model, by ``synthpop::utility.gen``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    seed : int, optional
        Seed of the permutations.
    **options
        method ("cart" or "logit"), variables, maxorder, k_syn, ngroups, nperms,
        max_parameters, maxit as in `sdcmetrics.utility_gen`; resampling, synthpop's
        resamp.method ("none", "perm" or "pairs"); statistics, the ratios to be made, or "all":
        S_SPECKS, S_PO50 and S_U force "pairs". Others: see `utility_tab`.

    Returns
    -------
    PropensityUtility

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.

    Notes
    -----
    The PO50 of synthpop's utility.gen cuts scores at 0.5, whatever the share of synthetic
    records. A logit fit with coefficients beyond all measure is marked with defect B4.
    """
    question = Question("utility.gen", data, options)
    answer = question.ask(seed=seed)
    frame = by_synthesis(answer.value["statistics"])
    resampled = "".join(answer.value["resampling"] or [])
    defects_ = ["B4"] if any(answer.value["largest"] > _BLOWN_UP) else []
    defects_ += ["B5"] if resampled == "pairs" else []
    context = question.fields(answer, *defects_)
    return PropensityUtility(frame.mean(), frame, resampled, **context)


@dataclass(frozen=True)
class Comparison(FromR):
    """Result of ``synthpop::compare``.

    Attributes
    ----------
    tables : DataFrame
        One row per variable and level: observed and synthetic, in percent of the records.
    utility : DataFrame
        One row per variable: pMSE, S_pMSE, df of its one-way table.
    fixes, output, warnings, defects : tuples and text
    """

    tables: pd.DataFrame
    utility: pd.DataFrame


@checked
def compare(data: Pair, **options: Any) -> Comparison:
    """Compare the distribution of every variable, by ``synthpop::compare``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    **options
        variables; stat, "percents" or "counts"; ngroups of numeric variables in the utility
        measures. Others: see `utility_tab`.

    Returns
    -------
    Comparison

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops: as it does with syntheses of
        unequal size (B20).
    """
    question = Question("compare", data, options)
    answer = question.ask()
    tables = wide(answer.value["tables"], ["variable", "level"])
    utility = wide(answer.value["utility"], "variable")
    return Comparison(tables, utility, **question.fields(answer))
