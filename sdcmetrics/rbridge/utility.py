"""synthpop's cross-tables: utility.tab, utility.tables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pandas as pd

from sdcmetrics.errors import NotComputable, RError, StudyError
from sdcmetrics.measures.crosstables.utility import table_index
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.rbridge.call import call, in_order, known, with_defects
from sdcmetrics.rbridge.flat import annotate, by_synthesis, long_frame, wide
from sdcmetrics.rbridge.session import Session
from sdcmetrics.rbridge.synds import Pair, Synds, handle

__all__ = [
    "utility_tab",
    "utility_tables",
    "utility_tabs",
]

_TABLES = {1: "oneway", 2: "twoway", 3: "threeway"}


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
    names = known([variables] if isinstance(variables, str) else list(variables), synds)
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
    names = synds.columns if variables is None else known(list(variables), synds)
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
