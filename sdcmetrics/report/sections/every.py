"""Every measure of the review, also those that no other section knows: where each is worst."""

from __future__ import annotations

from dataclasses import replace

from sdcmetrics.measures.measure import FAMILIES
from sdcmetrics.measures.measure import Measure as Declared
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.measures import Measure
from sdcmetrics.report.safety.cells import (
    Name,
    SafeCell,
    SafeTable,
    blank,
    column,
    joined,
    plain,
    table,
)
from sdcmetrics.report.sections.utility import replica_columns
from sdcmetrics.report.source import Source


def every_measure(source: Source) -> tuple[SafeTable, ...]:
    """Return one table per family, one row per measure; nothing in checker mode."""
    if source.release:
        return ()
    found = (_table(source, family) for family in FAMILIES)
    return tuple(one for one in found if one.rows)


def _table(source: Source, family: str) -> SafeTable:
    measured = set(source.measures.metrics)
    shown = (m for m in MEASURES.values() if m.family == family and m.symbol in measured)
    return table(
        f"{family.capitalize()}: the worst value of every measure, and where",
        (column("Measure", "metric"), column("in words", "title"), *replica_columns(source)),
        (
            (
                Name(measure.symbol, measure.symbol),
                _in_words(measure),
                *(worst_cell(source, replica, measure.symbol) for replica in source.replicas),
            )
            for measure in shown
        ),
        "The largest value where a measure has no better or worse.",
    )


def _in_words(measure: Declared) -> str:
    """Return the title, and of a risk that cannot tell a copy from fresh people that it cannot."""
    told = measure.yardstick
    return f"{measure.title}. {told.words}" if told and told.tells == "no" else measure.title


def worst_cell(source: Source, replica: str, metric: str) -> SafeCell:
    """Return the worst value of a measure, and where that is; blank if it was not measured."""
    worst = source.measures.worst(replica, metric)
    return blank() if worst is None else replace(source.cell(worst), detail=_place(source, worst))


def _place(source: Source, m: Measure) -> str:
    if m.variables:
        return plain(joined(map(source.name, m.variables), " \N{MULTIPLICATION SIGN} "))
    if m.target and not MEASURES[m.metric].any_target:
        return source.placed(m.target, m.scenario).text
    return source.asked(m).text
