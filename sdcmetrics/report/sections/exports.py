"""The tables that go to files: one row per measurement, from the same safe cells as the report."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from operator import attrgetter
from typing import Any

import numpy as np

from sdcmetrics.measures.reference_values import REFERENCES
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.report.measure import UNMARKED
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    AnyTable,
    Content,
    LongTable,
    SafeCell,
    SafeColumn,
    SafeTable,
    column,
    number,
    table,
    text_cell,
)
from sdcmetrics.report.safety.rows import values_of
from sdcmetrics.report.sections.data import fixes_table
from sdcmetrics.report.sections.fits import specific_table
from sdcmetrics.report.sections.proof import proof_table
from sdcmetrics.report.sections.rules import relations_table, rules_table
from sdcmetrics.report.source import Source

_EMPTY = SafeCell("")


def export_tables(source: Source) -> dict[str, AnyTable]:
    """Return the tables by the name of their file."""
    risks = (m for m in source.measures.of_no_table() if m.family == DISCLOSURE_RISK and m.target)
    rows = (((m.scenario, m.target, m.replica), m.metric, source.cell(m)) for m in risks)
    tables = {
        "measurements": _measurements(source),
        "disclosure": _wide(source, ("scenario", "target", "replica"), rows),
        "utility_oneway": _tables(source, ("variable", "replica")),
        "utility_twoway": _tables(source, ("variable_1", "variable_2", "replica")),
        "specific_utility": specific_table(source),
        "rules": rules_table(source),
        "distributions": _distributions(source),
        "fixes": fixes_table(source),
    }
    inside = {"crosscheck": proof_table(source), "relations": relations_table(source)}
    return tables | {name: table for name, table in inside.items() if table is not None}


def _tables(source: Source, by: tuple[str, ...]) -> AnyTable:
    """Return the statistics of all tables of so many variables, one row per table and replica."""
    tables = source.measures.by_table(len(by) - 1)
    if source.release:
        cells = (
            ((*m.variables, replica), metric, source.cell(m))
            for replica, metric, rows in tables
            if source.released(metric)
            for m in map(source.measures.at, rows)
        )
        return _wide(source, by, cells)
    places: dict[tuple[str, ...], int] = {}
    values: dict[str, list[tuple[Ints, Ints]]] = {}
    at: dict[str, tuple[list[tuple[str, ...]], Ints]] = {}
    for replica, metric, rows in tables:
        names = source.measures.tables(rows)
        if replica not in at or at[replica][0] != names:  # most measures have the same tables
            of_replica = ((*name, replica) for name in names)
            at[replica] = names, np.array([places.setdefault(p, len(places)) for p in of_replica])
        values.setdefault(metric, []).append((at[replica][1], rows))
    shown = {raw: source.name(raw).full for raw in dict.fromkeys(itertools.chain(*places))}
    texts = [[shown[key[k]] for key in places] for k in range(len(by))]

    def part(chosen: slice) -> tuple[list[str] | Floats, ...]:
        start, stop, _ = chosen.indices(len(places))
        columns = []
        for parts in values.values():
            columns.append(np.full(stop - start, math.nan))
            for place, rows in parts:
                inside = (start <= place) & (place < stop)
                columns[-1][place[inside] - start] = source.measures.numbers(rows[inside])
        shown = [names[chosen] for names in texts]
        return *shown, *columns, [""] * (stop - start)

    return LongTable(_columns(by, values), len(places), part)


def _columns(by: tuple[str, ...], metrics: Iterable[str]) -> tuple[SafeColumn, ...]:
    return (*map(column, by), *map(number, metrics), column("not shown", "not_shown"))


def _measurements(source: Source) -> AnyTable:
    titles = ("replica", "family", "metric", "scenario", "keys", "target", "variables")
    after = ("unit", "shown", "evidence", "status")
    # What a copy and the holdout score is a fact about original and holdout.
    references = () if source.release else REFERENCES
    tells = ("tells",) if references else ()
    columns = (
        *map(column, titles),
        number("value"),
        *map(column, after),
        *map(number, references),
        *map(column, tells),
    )
    rows = []
    unmarked = (_EMPTY,) * len(references)
    isnan, plain, of_marks = math.isnan, cache(_plain), attrgetter(*REFERENCES)
    words = cache(text_cell)
    names_of = cache(partial(_names, source))
    apart, plain_rows = source.measures.listed
    many_pairs = bool(plain_rows) and not source.release
    for m in map(source.measures.at, apart) if many_pairs else source.measures:
        if not source.released(m.metric):
            continue
        cell = source.cell(m)
        rows.append(
            (
                source.named(m.replica),
                words(m.family),
                words(m.metric),
                text_cell(source.subject(m)) if m.scenario else _EMPTY,
                names_of(m.keys),
                source.named(m.target) if m.target else _EMPTY,
                names_of(m.variables),
                cell,
                words(m.unit),
                words(cell.text),
                words(cell.detail),
                words(source.status(m).value),
                *(
                    unmarked
                    if not references or m.references is UNMARKED
                    else [_EMPTY if isnan(v) else plain(v) for v in of_marks(m.references)]
                ),
                *([words(_tells(m.metric))] if references else []),
            )
        )
    table = SafeTable(("Measurements",), columns, tuple(rows))
    return _with_pairs(source, table, apart, plain_rows) if many_pairs else table


def _with_pairs(
    source: Source, table: SafeTable, apart: list[int], plain: list[tuple[str, str, Ints]]
) -> LongTable:
    """Return measurements with those that are a number of a pair of variables, in their order."""
    of_cells = values_of(table)
    shown = cache(lambda names: _names(source, names).full)
    groups = [np.array(apart, np.int64), *(rows for _, _, rows in plain)]
    order = np.argsort(np.concatenate(groups), kind="stable")
    starts = np.cumsum([0, *map(len, groups)])

    def part(rows: slice) -> tuple[list[Any], ...]:
        # Wide data have hundreds of thousands of rows: their values are made as they are written.
        chosen = order[rows]
        within = [
            chosen[(start <= chosen) & (chosen < stop)] - start
            for start, stop in itertools.pairwise(starts.tolist())
        ]
        values = [[column[i] for i in within[0].tolist()] for column in of_cells]
        for (replica, metric, of_pairs), some in zip(plain, within[1:], strict=True):
            given = _of_pairs(source, replica, metric, of_pairs[some], shown)
            for head, before in zip(table.columns, values, strict=True):
                before.extend(given.get(head.field, [None if head.numeric else ""] * len(some)))
        back = np.argsort(np.argsort(chosen, kind="stable"), kind="stable").tolist()
        return tuple([column[place] for place in back] for column in values)

    return LongTable(table.columns, len(order), part)


def _of_pairs(
    source: Source,
    replica: str,
    metric: str,
    rows: Ints,
    shown: Callable[[tuple[str, ...]], str],
) -> dict[str, Sequence[str | float | None]]:
    """Return columns of `measurements` for one measure of some pairs; others are empty."""
    names, values = source.measures.values(rows)
    measure = MEASURES[metric]
    return {
        "replica": [source.named(replica).full] * len(rows),
        "family": [measure.family] * len(rows),
        "metric": [metric] * len(rows),
        "variables": list(map(shown, names)),
        "value": values,
        "unit": [measure.unit] * len(rows),
        "shown": [numbers.with_commas(x) for x in values if x is not None],
        "status": [status.value for status in source.measures.statuses(replica, metric, names)],
        "tells": [_tells(metric)] * len(rows),
        **source.measures.references(rows),
    }


def _tells(metric: str) -> str:
    """Return whether a measure of risk tells a copy from the holdout; empty for others."""
    reference_values = MEASURES[metric].reference_values
    return reference_values.tells if reference_values else ""


def _plain(value: float) -> SafeCell:
    """Return the cell of a number as it is, for internal use."""
    return SafeCell(f"{value:.4g}", "number", value)


def _names(source: Source, names: Iterable[str]) -> SafeCell:
    full = " | ".join(source.name(name).full for name in names)
    return SafeCell(full, "name", full=full)


def _wide(
    source: Source, by: tuple[str, ...], entries: Iterable[tuple[tuple[str, ...], str, SafeCell]]
) -> SafeTable:
    """Return one row per place, one column per measure."""
    rows: dict[tuple[str, ...], dict[str, SafeCell]] = {}
    metrics: dict[str, None] = {}
    for place, metric, cell in entries:
        if source.released(metric):
            metrics[metric] = None
            rows.setdefault(place, {})[metric] = cell
    out = []
    for names, cells in rows.items():
        hidden = [
            f"{metric} {cell.text}".replace("\N{NO-BREAK SPACE}", " ")
            for metric, cell in cells.items()
            if cell.kind == "hidden"
        ]
        out.append((*map(source.named, names), *map(cells.get, metrics), "; ".join(hidden)))
    return table(f"Measures by {', '.join(by)}", _columns(by, metrics), out)


def _distributions(source: Source) -> SafeTable:
    rows: list[tuple[Content, ...]] = []
    for distribution in source.distributions.values():
        for level in distribution.levels:
            name, label = text_cell(distribution.name), text_cell(level.label)
            rows.append((name, label, "original", level.count, level.share))
            rows += [
                (name, label, source.named(replica), None, share)
                for replica, share in zip(source.replicas, level.replicas, strict=True)
            ]
    columns = (
        column("variable"),
        column("level"),
        column("data set", "data_set"),
        number("count"),
        number("percent"),
    )
    return table("Distributions", columns, rows)
