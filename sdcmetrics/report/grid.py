"""Tables: of measures, whose cells the source has, and of records of the evidence.

Which measures stand in a part of the report, and under which headings, `Measure.show` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.report.safety.cells import (
    Content,
    SafeColumn,
    SafeTable,
    Words,
    column,
    number,
    table,
    without_detail,
)
from sdcmetrics.report.source import Source

Place = Mapping[str, Any]
"""The place of a cell, as `Source.at` takes it; rows and columns each fix a part of it."""
Row = tuple[tuple[Content, ...], Place]
"""The names of a row, and the place of its cells."""
Column = tuple[SafeColumn, Place | Callable[[Place], Content]]
"""A heading, and the place of its cells, or what makes a cell of the place of its row."""


def grid(
    source: Source,
    caption: Words | str,
    heads: Iterable[SafeColumn],
    rows: Iterable[Row],
    columns: Iterable[Column],
    *,
    details: bool = True,
    note: str = "",
    **of: Any,
) -> SafeTable:
    """Return a table with the measurement of every row and column.

    Parameters
    ----------
    heads : headings of what names the rows
    rows, columns : places; a column may have a function of the row's place instead
        Where a column has several symbols by role, the row's `role` picks one of them, by default
        the empty one; a cell of a role that the column does not have is blank.
    details : whether cells have the evidence behind them
    of : what all cells are of
    """
    columns = tuple(columns)

    def cell(row: Place, column: Place | Callable[[Place], Content]) -> Content:
        if callable(column):
            return column(row)
        place = {**of, **row, **column}
        symbol, role = place["metric"], place.pop("role", "")
        place["metric"] = symbol.get(role) if isinstance(symbol, Mapping) else symbol
        if not place["metric"]:
            return None
        shown = source.at(**place)
        return shown if details else without_detail(shown)

    return table(
        caption,
        (*heads, *(heading for heading, _ in columns)),
        ((*names, *(cell(row, column) for _, column in columns)) for names, row in rows),
        note,
    )


Entry = tuple[SafeColumn, Callable[[Any], Content]]
"""A heading, and what makes a cell of a record."""


def listing(
    caption: Words | str, columns: Iterable[Entry], records: Iterable[Any], note: str = ""
) -> SafeTable:
    """Return a table with a row per record: of evidence that no measure is a summary of."""
    heads, cells = zip(*columns, strict=True)
    return table(caption, heads, ([cell(record) for cell in cells] for record in records), note)


def texts(cell: Callable[[Any], Content] = str, **titles: str) -> list[Entry]:
    """Return a column of texts per field of a record, with its title."""
    return [(column(title, field), _of_field(field, cell)) for field, title in titles.items()]


def figures(cell: Callable[[Any], Content], **titles: str | tuple[str, str]) -> list[Entry]:
    """Return a column of numbers per field, with its title, and what stands below that if any."""
    heads = {f: (t, "") if isinstance(t, str) else t for f, t in titles.items()}
    return [
        (number(title, field, detail), _of_field(field, cell))
        for field, (title, detail) in heads.items()
    ]


def _of_field(field: str, cell: Callable[[Any], Content]) -> Callable[[Mapping[Any, Any]], Content]:
    return lambda record: cell(record[field])


def replica_rows(source: Source) -> list[Row]:
    """Return a row per replica."""
    return [((source.named(replica),), {"replica": replica}) for replica in source.replicas]


def by_replica(source: Source) -> list[Column]:
    """Return a column per replica."""
    return [
        (heading, {"replica": replica})
        for heading, replica in zip(replica_columns(source), source.replicas, strict=True)
    ]


def replica_columns(source: Source) -> tuple[SafeColumn, ...]:
    """Return the heading of each replica, for numbers."""
    names = map(source.name, source.replicas)
    return tuple(SafeColumn(n.text, n.full, numeric=True, full=n.full) for n in names)


def by_measure(source: Source, part: str, **roles: Callable[[Measure], str]) -> list[Column]:
    """Return a column per measure of a part, for which `show` has a heading and a remark.

    `roles` say of which symbol a cell is in rows of that role.
    """
    return [
        (
            number(title, m.symbol, detail),
            {"metric": {"": m.symbol, **{role: of(m) for role, of in roles.items()}}},
        )
        for m in shown_in(source, part)
        for _, title, detail in [m.show[part]]
    ]


def by_symbol(symbols: Iterable[str]) -> list[Column]:
    """Return a column per symbol, which is its heading."""
    return [(number(symbol), {"metric": symbol}) for symbol in symbols]


def shown_in(source: Source, part: str) -> list[Measure]:
    """Return the measures that declare their place in a part of the report, in its order.

    In a release only those that declare how they may be handed out: others are not even named.
    """
    shown = [m for m in MEASURES.values() if part in m.show and source.released(m.symbol)]
    return sorted(shown, key=lambda m: m.show[part])


def measured(source: Source, measures: Iterable[Measure] | None = None) -> list[Measure]:
    """Return the measures, of these or of all, that the review has and the mode shows."""
    symbols = set(source.measures.metrics)
    each = MEASURES.values() if measures is None else measures
    return [m for m in each if m.symbol in symbols and source.released(m.symbol)]


def chief_of_disclosure() -> Measure:
    """Return the measure of what is learnt of people that the first page shows first."""
    return next(m for m in MEASURES.values() if "first_page" in m.show)


def chief_of_tables() -> Measure:
    """Return the measure of tables that counts for a ranking at every size of tables."""
    ranked = [m for m in MEASURES.values() if m.ranked and m.of.per == "table"]
    return max(ranked, key=lambda m: len(m.ranked))
