"""The cross-check of general utility: every table of the study, natively and by utility.tab."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from sdcmetrics.agreement.compared import Answer, Compared
from sdcmetrics.agreement.verdict import agree
from sdcmetrics.errors import NotComputable, RError
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.crosstables.utility import coded_tables
from sdcmetrics.microdata.coding import Coded, by_groups, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised
from sdcmetrics.rbridge import presentation as shown
from sdcmetrics.rbridge.session import Patience
from sdcmetrics.rbridge.synds import Synds
from sdcmetrics.rbridge.utility import utility_tabs
from sdcmetrics.study.study import Options

_BATCH = 12  # tables per call of R: what is lost when it dies
_MOST_WAYS = 3  # the largest tables that synthpop's utility.tables() makes

Table = tuple[str, ...]


def compare_tables(
    data: Harmonised, ways: int, options: Options, patience: Patience
) -> Iterator[Compared]:
    """Compare every table of `ways` variables."""
    names = options.compared(data.variables)
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
    for start in range(0, len(tables), _BATCH):
        batch = tables[start : start + _BATCH]
        native = native_tables(coded, batch, k_syn=options.k_syn)
        theirs = _ask(plain, batch, shown.r_names(names), options, patience)
        comparisons = {
            table: Compared(
                CROSSTABLES,
                "utility.tab",
                {"variables": table},
                native[table],
                theirs[table],
                defect=_why(data, table, dates=options.group_dates),
            )
            for table in batch
        }
        open_ = [t for t in batch if comparisons[t].worth_asking_again(patience.version)]
        again = _ask(alike, open_, shown.safe_names(names), options, patience) if open_ else {}
        for table in batch:
            yield _without_ratios(replace(comparisons[table], aligned=again.get(table)))


def _without_ratios(comparison: Compared) -> Compared:
    """Explain ratios to a df that is not above 0: there are none, but for rounding in R."""
    native, theirs = comparison.native, comparison.synthpop
    if isinstance(native, str) or theirs is None or isinstance(theirs, RError):
        return comparison
    none = {
        name: value
        for name, value in native.items()
        if name.startswith("S_")
        and (math.isnan(value) or math.isinf(theirs.get(name, 0.0)))
        and not agree(value, theirs.get(name, value))
    }
    if not none:
        return comparison
    other = comparison.aligned
    aligned = {**({} if other is None or isinstance(other, RError) else other), **none}
    return replace(comparison, aligned=aligned, defects=dict.fromkeys(none, "cell"))


def native_tables(
    coded: Coded, tables: Sequence[Table], *, k_syn: bool
) -> dict[Table, dict[str, float] | str]:
    """Return the native statistics of each table, means over the syntheses, or why not."""
    out: dict[Table, dict[str, float] | str] = {}
    for table in tables:
        try:
            each = [
                coded_tables(coded, [table], synthesis=i, k_syn=k_syn).iloc[0]
                for i in range(1, coded.m + 1)
            ]
        except NotComputable as reason:
            out[table] = str(reason)
        else:
            out[table] = {str(name): value for name, value in pd.DataFrame(each).mean().items()}
    return out


def _ask(
    synds: Synds,
    tables: Sequence[Table],
    names: Mapping[str, str],
    options: Options,
    patience: Patience,
) -> dict[Table, Answer]:
    """Ask about some tables; `names` are the variables' names in the handle."""
    renamed = [tuple(names[name] for name in table) for table in tables]
    chosen = {"ngroups": options.ngroups, "style": options.style, "k_syn": options.k_syn}
    answer = patience.ask(lambda: utility_tabs(synds, renamed, **chosen))
    if isinstance(answer, RError):
        return dict.fromkeys(tables, answer)
    return {
        table: row if isinstance(row, RError) else dict(row)
        for table, row in zip(tables, (answer[other] for other in renamed), strict=True)
    }


def _is_grouped(data: Harmonised, name: str, *, dates: bool) -> bool:
    kind = data.variables[name].kind
    return kind is Kind.NUMBER or (dates and kind is Kind.DATE)


def _why(data: Harmonised, table: Table, *, dates: bool) -> str:
    """Return the known defect of synthpop that explains a difference, if there is one."""
    for name in table:
        variable = data.variables[name]
        if variable.only_syntheses_miss:
            return "A9"
        if _is_grouped(data, name, dates=dates) and shown.needs_grouping_here(variable):
            return "A1"
    return "B1"
