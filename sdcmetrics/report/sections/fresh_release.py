"""Replicas beside fresh data, for a release: bands, and protected counts of copies."""

from __future__ import annotations

from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.fidelity.places import MARGINS
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety.cells import (
    SafeTable,
    column,
    number,
    table,
)
from sdcmetrics.report.safety.protect.protected import ProtectedFresh
from sdcmetrics.report.source import Source

QUIET = (
    "Nothing that this edition shows says that a replica is closer to the original than fresh data "
    "are. It shows bands and rounded counts; the internal edition tests single records too."
)
_BANDS = "Bands, as exact means over a replica could be solved for the records behind them."


def _measured(source: Source, kind: object) -> list[str]:
    measured = set(source.measures.metrics)
    return [m.symbol for m in MEASURES.values() if m.of is kind and m.symbol in measured]


def _table(source: Source, caption: str, symbols: list[str]) -> SafeTable:
    shown = [symbol for symbol in symbols if source.released(symbol)]
    return table(
        caption,
        (column("Replica", "replica"), *map(column, shown)),
        (
            (
                source.named(replica),
                *(source.cell(source.measures.worst(replica, symbol)) for symbol in shown),
            )
            for replica in source.replicas
        ),
        _BANDS,
    )


def fidelity_table(source: Source) -> SafeTable:
    """Return mean distances of tables, as bands, beside those of the holdout."""
    caption = "Mean distance of tables from those of the original"
    return _table(source, caption, _measured(source, MARGINS))


def closeness_table(source: Source) -> SafeTable:
    """Return shares of records closer to the original, as bands."""
    caption = "Distance to the closest record of the original and of the holdout"
    return _table(source, caption, _measured(source, CLOSEST))


def copies_table(source: Source, told: ProtectedFresh) -> SafeTable:
    """Return protected counts of real records that are copied or singled out."""
    titles = {
        "copied": "Original records copied",
        "copied_holdout": "Holdout records copied",
        "singled_out": "Original records singled out",
        "singled_out_holdout": "Holdout records singled out",
    }
    return table(
        "Copies of single records",
        (
            column("Replica", "replica"),
            number("Synthesis", "synthesis"),
            *(number(title, field) for field, title in titles.items()),
        ),
        (
            (
                source.named(replica),
                synthesis,
                *(source.guard.records(counts[field]) for field in titles),
            )
            for (replica, synthesis), counts in told.copies.items()
        ),
        f"Counts are rounded to {source.guard.base}. Copied: a replica record has the same value "
        "in every column. Singled out: a replica record is nearer than any other real record.",
    )
