"""The cross-check of general utility: every table of the study, natively and by utility.tab."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from sdcmetrics.agreement.verdict import EQUAL, Agreement, judge_pair
from sdcmetrics.errors import NotComputable, RError
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.crosstables.utility import coded_tables
from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.microdata.coding import Coded, by_groups, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised
from sdcmetrics.rbridge import presentation as shown
from sdcmetrics.rbridge.patience import Patience
from sdcmetrics.rbridge.synds import Synds
from sdcmetrics.rbridge.utility import utility_tabs
from sdcmetrics.study.study import Options

__all__ = ["METRICS", "behind", "check_tables", "native_tables"]

METRICS: tuple[Measure, ...] = tuple(m for m in MEASURES.values() if m.twin and m.of is CROSSTABLES)
_BATCH = 12  # tables a call of R: what is lost when it dies
_MOST_WAYS = 3  # the largest tables that synthpop's utility.tables() makes

Table = tuple[str, ...]
Answers = dict[Table, "pd.Series[float] | RError"]


def check_tables(
    data: Harmonised, ways: int, options: Options, patience: Patience
) -> Iterator[dict[str, Any]]:
    """Yield one row a table of `ways` variables and statistic."""
    names = [n for n in data.variables if options.variables is None or n in options.variables]
    tables = list(itertools.combinations(names, ways))
    if ways > _MOST_WAYS or not tables:
        return
    rule = by_groups(options.ngroups, options.style, dates=options.group_dates)
    coded = encode(data, rule, names)
    here = [n for n in names if shown.needs_grouping_here(data.variables[n])]
    grouped = [n for n in names if _is_grouped(data, n, dates=options.group_dates)]
    plain = shown.as_user_would(data, names, patience.session, dates_as_numbers=options.group_dates)
    alike = shown.aligned(
        data,
        names,
        patience.session,
        numbers=[n for n in grouped if n not in here],
        rules=dict.fromkeys(here, rule),
    )
    called, safe = shown.r_names(names), shown.safe_names(names)
    for start in range(0, len(tables), _BATCH):
        batch = tables[start : start + _BATCH]
        native = native_tables(coded, batch, k_syn=options.k_syn)
        theirs = _ask(plain, batch, called, options, patience)
        again = _again(alike, safe, native, theirs, options, patience)
        for table in batch:
            why = _why(data, table, dates=options.group_dates)
            for metric in METRICS:
                agreement = _judge(metric, native[table], theirs[table], again.get(table), why)
                yield {
                    "family": metric.family,
                    "metric": metric.symbol,
                    "function": "utility.tab",
                    "variables": table,
                    **asdict(agreement),
                }


def native_tables(
    coded: Coded, tables: Sequence[Table], *, k_syn: bool
) -> dict[Table, pd.Series[float] | NotComputable]:
    """Return the native statistics of each table, means over the syntheses."""
    out: dict[Table, pd.Series[float] | NotComputable] = {}
    for table in tables:
        try:
            each = [
                coded_tables(coded, [table], synthesis=i, k_syn=k_syn).iloc[0]
                for i in range(1, coded.m + 1)
            ]
        except NotComputable as reason:
            out[table] = reason
        else:
            out[table] = pd.DataFrame(each).mean()
    return out


def _ask(
    synds: Synds,
    tables: Sequence[Table],
    names: Mapping[str, str],
    options: Options,
    patience: Patience,
) -> Answers:
    """Ask about some tables; `names` are the variables' names in the handle."""
    renamed = [tuple(names[name] for name in table) for table in tables]
    answer = patience.ask(
        lambda: utility_tabs(
            synds, renamed, ngroups=options.ngroups, style=options.style, k_syn=options.k_syn
        )
    )
    if isinstance(answer, RError):
        return dict.fromkeys(tables, answer)
    return {table: answer[other] for table, other in zip(tables, renamed, strict=True)}


def _again(
    alike: Synds,
    safe: dict[str, str],
    native: dict[Table, pd.Series[float] | NotComputable],
    theirs: Answers,
    options: Options,
    patience: Patience,
) -> Answers:
    """Ask again, with levels shown in one order, about tables that are not equal."""
    open_ = [
        table
        for table, answer in theirs.items()
        if not (isinstance(answer, RError) and answer.kind != "error")
        and any(_judge(m, native[table], answer, None, "").verdict != EQUAL for m in METRICS)
    ]
    if not open_:
        return {}
    return _ask(alike, open_, safe, options, patience)


def _judge(
    metric: Measure,
    native: pd.Series[float] | NotComputable,
    theirs: pd.Series[float] | RError,
    again: pd.Series[float] | RError | None,
    why: str,
) -> Agreement:
    name = metric.twin_name
    if isinstance(native, NotComputable):
        return judge_pair(float("nan"), None, reason=str(native), known=True)
    error = theirs if isinstance(theirs, RError) else again if isinstance(again, RError) else None
    return judge_pair(
        float(native[metric.symbol]),
        None if isinstance(theirs, RError) else float(theirs[name]),
        float(again[name]) if isinstance(again, pd.Series) else None,
        metric=metric.symbol,
        rtol=metric.rtol,
        defect=behind(error) or why,
        reason="" if error is None else error.reason,
        known=error is not None and bool(error.defects),
    )


def behind(error: RError | None) -> str:
    """Return the defects that an error is known to come from."""
    return "" if error is None else ", ".join(error.defects)


def _is_grouped(data: Harmonised, name: str, *, dates: bool) -> bool:
    kind = data.variables[name].kind
    return kind is Kind.NUMBER or (dates and kind is Kind.DATE)


def _why(data: Harmonised, table: Table, *, dates: bool) -> str:
    """Return the defect that makes synthpop's own answer differ, should it be right otherwise."""
    for name in table:
        variable = data.variables[name]
        if _is_grouped(data, name, dates=dates):
            if shown.needs_grouping_here(variable):
                return "A9" if shown.missing_only_in_synthetic(variable) else "A1"
        elif shown.missing_only_in_synthetic(variable):
            return "A9"
    return "B1"
