"""synthpop's general utility: utility.tab, utility.tables, utility.gen, compare."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from sdcmetrics.errors import NotComputable, RError, StudyError
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.rbridge.call import call, in_order, only_given, with_defects
from sdcmetrics.rbridge.flat import annotate, by_synthesis, long_frame, wide
from sdcmetrics.rbridge.session import Session
from sdcmetrics.rbridge.synds import Pair, Synds, handle
from sdcmetrics.tables.utility import table_index

__all__ = [
    "Comparison",
    "PropensityUtility",
    "compare",
    "utility_gen",
    "utility_tab",
    "utility_tables",
    "utility_tabs",
]

_TABLES = {1: "oneway", 2: "twoway", 3: "threeway"}
_BLOWN_UP = 1e8  # coefficients beyond this mean that the fit left the ground


def utility_tab(  # noqa: PLR0913  (synthpop's own options)
    data: Pair,
    variables: str | Sequence[str],
    *,
    ngroups: int = 5,
    style: str = "quantile",
    missing_codes: MissingCodes | None = None,
    use_missing: bool = True,
    k_syn: bool = False,
    per_synthesis: bool = False,
    printed: bool = False,
    session: Session | None = None,
) -> pd.Series[float] | pd.DataFrame:
    """Compare one cross-table, by ``synthpop::utility.tab``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    variables, ngroups, style, use_missing, k_syn, per_synthesis
        As in `sdcmetrics.utility_tab`.
    missing_codes : mapping, optional
        For a tuple; a handle has its own.
    printed : bool
        Let R print the result; what it prints is ``.attrs["output"]``.
    session : Session, optional
        For a tuple; a handle has its own.

    Returns
    -------
    Series, or DataFrame with one row a synthesis
        As `sdcmetrics.utility_tab`. ``.attrs`` has fixes, output, warnings and defects.

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.
    """
    synds = handle(data, missing_codes=missing_codes, session=session)
    names = _known([variables] if isinstance(variables, str) else list(variables), synds)
    options: dict[str, Any] = {"ngroups": ngroups, "useNA": use_missing, "k.syn": k_syn}
    options["max.table"] = 1e9
    if style != "quantile":
        options["style"] = style
    answer = call(synds, "utility_tab", "utility.tab", vars=names, options=options, print=printed)
    frame = by_synthesis(answer.value)
    result = frame if per_synthesis else frame.mean()
    annotate(result, synds, answer)
    return result


def utility_tabs(
    synds: Synds,
    tables: Sequence[tuple[str, ...]],
    *,
    ngroups: int = 5,
    style: str = "quantile",
    k_syn: bool = False,
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
    options: dict[str, Any] = {"ngroups": ngroups, "k.syn": k_syn, "max.table": 1e9}
    if style != "quantile":
        options["style"] = style
    asked = dict(zip(map(str, range(len(tables))), map(list, tables), strict=True))
    answer = call(synds, "utility_tabs", "utility.tab", tables=asked, options=options)
    found: dict[tuple[str, ...], pd.Series[float] | RError] = {}
    errors = long_frame(answer.value["errors"], ["table", "error"])
    for place, text in zip(errors["table"], errors["error"], strict=True):
        found[tables[int(place) - 1]] = with_defects(RError(text), "utility.tab", synds)
    if answer.value["values"] is not None:
        frame = wide(answer.value["values"], ["table", "synthesis"]).astype("float64")
        means = frame.groupby(level="table").mean()
        for place, row in means.iterrows():
            found[tables[int(str(place)) - 1]] = row
    return {table: found[table] for table in tables}


def utility_tables(  # noqa: PLR0913  (synthpop's own options)
    data: Pair,
    *,
    ways: int = 2,
    variables: Sequence[str] | None = None,
    ngroups: int = 5,
    style: str = "quantile",
    missing_codes: MissingCodes | None = None,
    use_missing: bool = True,
    k_syn: bool = False,
    printed: bool = False,
    session: Session | None = None,
) -> pd.DataFrame:
    """Compare every cross-table of 1, 2 or 3 variables, by ``synthpop::utility.tables``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    ways, variables, ngroups, style, use_missing, k_syn
        As in `sdcmetrics.utility_tables`.
    others : see `utility_tab`

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
    synds = handle(data, missing_codes=missing_codes, session=session)
    if ways not in _TABLES:
        msg = f"ways: synthpop has tables of 1, 2 or 3 variables, not of {ways}. Use utility_tab."
        raise StudyError(msg)
    names = synds.columns if variables is None else _known(list(variables), synds)
    names = in_order(names, list(synds.syntheses[0].columns))
    if len(names) < ways:
        msg = f"there are {len(names)} variables, too few for tables of {ways}"
        raise NotComputable(msg)
    tables = list(itertools.combinations(names, ways))
    options: dict[str, Any] = {"ngroups": ngroups, "useNA": use_missing, "k.syn": k_syn}
    options["maxtables"] = float(len(tables))  # more would be a random sample of the tables
    if style != "quantile":
        options["style"] = style
    answer = call(
        synds,
        "utility_tables",
        "utility.tables",
        tables=_TABLES[ways],
        vars=names,
        options=options,
        print=printed,
    )
    frame = wide(answer.value["tabs"], "row").astype("float64")
    if len(frame) != len(tables):
        msg = f"synthpop returned {len(frame)} tables where {len(tables)} were asked for"
        raise NotComputable(msg)
    frame.index = table_index(tables)
    scores = long_frame(answer.value["scores"])
    out: pd.DataFrame = annotate(frame, synds, answer)
    out.attrs["var.scores"] = dict(zip(scores["symbol"], scores["value"], strict=True))
    return out


@dataclass(frozen=True)
class PropensityUtility:
    """What ``synthpop::utility.gen`` says.

    Attributes
    ----------
    statistics : Series
        pMSE, S_pMSE, SPECKS, S_SPECKS, PO50, S_PO50, U, S_U, df; means over the syntheses.
    per_synthesis : DataFrame
        The same, one row a synthesis.
    resampling : str
        How the null distribution was found: "none", "perm", "pairs" or "" (formula).
    fixes, output, warnings, defects : tuples and text
    """

    statistics: pd.Series[float]
    per_synthesis: pd.DataFrame
    resampling: str
    fixes: tuple[str, ...] = ()
    output: str = ""
    warnings: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()


def utility_gen(  # noqa: PLR0913  (synthpop's own options)
    data: Pair,
    *,
    method: Literal["logit", "cart"] = "cart",
    variables: Sequence[str] | None = None,
    maxorder: int = 1,
    k_syn: bool = False,
    ngroups: int | None = None,
    resampling: str | None = None,
    nperms: int = 50,
    max_parameters: int = 400,
    maxit: int = 200,
    statistics: Sequence[str] | str = ("pMSE", "S_pMSE"),
    seed: int | None = None,
    missing_codes: MissingCodes | None = None,
    printed: bool = False,
    session: Session | None = None,
) -> PropensityUtility:
    """Tell synthetic from original records with a model, by ``synthpop::utility.gen``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    method : "logit" or "cart"
    variables : names, optional
    maxorder : int
        Order of the interactions of the logit model; 0 has main effects only.
    k_syn : bool
        The number of synthetic records was drawn.
    ngroups : int, optional
        Group numeric variables.
    resampling : "none", "perm" or "pairs", optional
        synthpop's resamp.method.
    nperms : int
        Permutations for "perm".
    max_parameters, maxit : int
        Limits of the logit model.
    statistics : names, or "all"
        Ratios to be made; S_SPECKS, S_PO50 and S_U force "pairs".
    seed : int, optional
        Seed of the permutations.
    missing_codes, printed, session : see `utility_tab`

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
    synds = handle(data, missing_codes=missing_codes, session=session)
    options = only_given(
        {
            "method": method,
            "maxorder": maxorder,
            "k.syn": k_syn,
            "ngroups": ngroups,
            "resamp.method": resampling,
            "nperms": nperms,
            "max.params": float(max_parameters),
            "maxit": maxit,
            "vars": None if variables is None else _known(list(variables), synds),
            "print.stats": statistics if isinstance(statistics, str) else list(statistics),
        }
    )
    answer = call(synds, "utility_gen", "utility.gen", options=options, seed=seed, print=printed)
    frame = by_synthesis(answer.value["statistics"])
    found = ["B4"] if any(answer.value["largest"] > _BLOWN_UP) else []
    resampled = "".join(answer.value["resampling"] or [])
    if resampled == "pairs":
        found.append("B5")
    return PropensityUtility(
        statistics=frame.mean(),
        per_synthesis=frame,
        resampling=resampled,
        fixes=synds.fixes,
        output=answer.output,
        warnings=answer.warnings,
        defects=tuple(dict.fromkeys((*synds.defects, *found))),
    )


@dataclass(frozen=True)
class Comparison:
    """What ``synthpop::compare`` says of the variables.

    Attributes
    ----------
    tables : DataFrame
        One row a variable and level: observed and synthetic, in percent of the records.
    utility : DataFrame
        One row a variable: pMSE, S_pMSE, df of its one-way table.
    fixes, output, warnings, defects : tuples and text
    """

    tables: pd.DataFrame
    utility: pd.DataFrame
    fixes: tuple[str, ...] = ()
    output: str = ""
    warnings: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()


def compare(
    data: Pair,
    *,
    variables: Sequence[str] | None = None,
    stat: Literal["percents", "counts"] = "percents",
    ngroups: int = 5,
    missing_codes: MissingCodes | None = None,
    printed: bool = False,
    session: Session | None = None,
) -> Comparison:
    """Compare the distribution of every variable, by ``synthpop::compare``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    variables : names, optional
    stat : "percents" or "counts"
    ngroups : int
        Groups of numeric variables in the utility measures.
    missing_codes, printed, session : see `utility_tab`

    Returns
    -------
    Comparison

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops: as it does with syntheses of
        unequal size (B20).
    """
    synds = handle(data, missing_codes=missing_codes, session=session)
    options = only_given(
        {
            "stat": stat,
            "ngroups": ngroups,
            "vars": None if variables is None else _known(list(variables), synds),
        }
    )
    answer = call(synds, "compare", "compare", options=options, print=printed)
    tables = wide(answer.value["tables"], ["variable", "level"])
    return Comparison(
        tables=tables,
        utility=wide(answer.value["utility"], "variable"),
        fixes=synds.fixes,
        output=answer.output,
        warnings=answer.warnings,
        defects=synds.defects,
    )


def _known(names: list[str], synds: Synds) -> list[str]:
    import pyarrow as pa

    if not names:
        msg = "variables: expected at least one column name but got none."
        raise StudyError(msg)
    header = pa.table({name: pa.array([], pa.null()) for name in synds.columns})
    check_names(names, Microdata(header, "the data"), "variable")
    return names
