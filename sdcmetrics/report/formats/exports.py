"""The tables that go to files: one row a measurement, from the same safe cells as the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sdcmetrics.measures.registry import DISCLOSURE_RISK, GENERAL_UTILITY
from sdcmetrics.report.measures import Measure
from sdcmetrics.report.safety.cells import SafeCell, SafeColumn, SafeTable, blank, text_cell
from sdcmetrics.report.sections.proof import proof_table
from sdcmetrics.report.sections.provenance import fixes_table
from sdcmetrics.report.sections.relations import relations_table
from sdcmetrics.report.sections.rules import rules_table
from sdcmetrics.report.sections.specific import specific_table
from sdcmetrics.report.source import Source

__all__ = ["export_tables"]

_EMPTY = SafeCell("")


def export_tables(source: Source) -> dict[str, SafeTable]:
    """Return the tables by the name of their file."""
    one, two = 1, 2
    tables = {
        "measurements": _measurements(source),
        "disclosure": _wide(
            source,
            ("scenario", "target", "replica"),
            [m for m in source.measures if m.family == DISCLOSURE_RISK and m.scenario],
            lambda m: (m.scenario, m.target, m.replica),
        ),
        "utility_oneway": _wide(
            source,
            ("variable", "replica"),
            _tables(source, one),
            lambda m: (*m.variables, m.replica),
        ),
        "utility_twoway": _wide(
            source,
            ("variable_1", "variable_2", "replica"),
            _tables(source, two),
            lambda m: (*m.variables, m.replica),
        ),
        "specific_utility": specific_table(source),
        "rules": rules_table(source),
        "distributions": _distributions(source),
        "fixes": fixes_table(source),
    }
    inside = {"crosscheck": proof_table(source), "relations": relations_table(source)}
    return tables | {name: table for name, table in inside.items() if table is not None}


def _tables(source: Source, ways: int) -> list[Measure]:
    tables = (m for m in source.measures if m.family == GENERAL_UTILITY and not m.scenario)
    return [m for m in tables if len(m.variables) == ways]


def _measurements(source: Source) -> SafeTable:
    titles = ("replica", "family", "metric", "scenario", "keys", "target", "variables")
    columns = [SafeColumn(title, title) for title in titles]
    columns += [
        SafeColumn("value", "value", numeric=True),
        SafeColumn("unit", "unit"),
        SafeColumn("shown", "shown"),
        SafeColumn("evidence", "evidence"),
        SafeColumn("status", "status"),
    ]
    rows = []
    for m in source.measures:
        if not source.released(m.metric):
            continue
        cell = source.cell(m)
        rows.append(
            (
                text_cell(source.name(m.replica)),
                text_cell(m.family),
                text_cell(m.metric),
                text_cell(source.asked(m)) if m.scenario else _EMPTY,
                _many(source, m.keys),
                text_cell(source.name(m.target)) if m.target else _EMPTY,
                _many(source, m.variables),
                cell,
                text_cell(m.unit),
                text_cell(cell.text),
                text_cell(cell.detail),
                text_cell(source.status(m).value),
            )
        )
    return SafeTable(("Measurements",), tuple(columns), tuple(rows))


def _many(source: Source, names: Iterable[str]) -> SafeCell:
    full = " | ".join(source.name(name).full for name in names)
    return SafeCell(full, "name", full=full)


def _wide(
    source: Source,
    by: tuple[str, ...],
    measures: Iterable[Measure],
    key: Callable[[Measure], tuple[str, ...]],
) -> SafeTable:
    rows: dict[tuple[str, ...], dict[str, SafeCell]] = {}
    metrics: dict[str, None] = {}
    for m in measures:
        if source.released(m.metric):
            metrics[m.metric] = None
            rows.setdefault(key(m), {})[m.metric] = source.cell(m)
    columns = [SafeColumn(name, name) for name in by]
    columns += [SafeColumn(metric, metric, numeric=True) for metric in metrics]
    columns.append(SafeColumn("not shown", "not_shown"))
    out = []
    for names, cells in rows.items():
        hidden = [
            f"{metric} {cell.text}".replace("\N{NO-BREAK SPACE}", " ")
            for metric, cell in cells.items()
            if cell.kind == "hidden"
        ]
        out.append(
            (
                *(text_cell(source.name(name)) for name in names),
                *(cells.get(metric, blank()) for metric in metrics),
                text_cell("; ".join(hidden)),
            )
        )
    return SafeTable((f"Measures by {', '.join(by)}",), tuple(columns), tuple(out))


def _distributions(source: Source) -> SafeTable:
    rows = []
    for found in source.distributions.values():
        for level in found.levels:
            name = text_cell(found.name)
            label = text_cell(level.label)
            rows.append((name, label, text_cell("original"), level.count, level.share))
            rows += [
                (name, label, text_cell(source.name(replica)), blank(), share)
                for replica, share in zip(source.replicas, level.replicas, strict=True)
            ]
    columns = (
        SafeColumn("variable", "variable"),
        SafeColumn("level", "level"),
        SafeColumn("data set", "data_set"),
        SafeColumn("count", "count", numeric=True),
        SafeColumn("percent", "percent", numeric=True),
    )
    return SafeTable(("Distributions",), columns, tuple(rows))
