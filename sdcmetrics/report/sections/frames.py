"""The review laid out by what guidelines ask for without a number."""

from __future__ import annotations

from collections.abc import Iterator

from sdcmetrics.report.safety.cells import Content, SafeTable, column, table
from sdcmetrics.report.sections.every import worst_cell
from sdcmetrics.report.sections.utility import replica_columns
from sdcmetrics.report.source import Source
from sdcmetrics.study.profile import Criterion


def frame_tables(source: Source) -> tuple[SafeTable, ...]:
    """Return one table per guideline of the profile: its criteria, and what speaks to each."""
    frames = dict.fromkeys(one.frame for one in source.profile.criteria)
    return tuple(_table(source, frame) for frame in frames)


def _table(source: Source, frame: str) -> SafeTable:
    criteria = [one for one in source.profile.criteria if one.frame == frame]
    sources = dict.fromkeys(one.source for one in criteria)
    return table(
        f"By the criteria of {frame}",
        (column("Criterion", "criterion"), column("Measure", "metric"), *replica_columns(source)),
        (row for one in criteria for row in _rows(source, one)),
        f"{'; '.join(sources)}. The worst value of every measure that speaks to a criterion; "
        "whether it is met is for people to say.",
    )


def _rows(source: Source, criterion: Criterion) -> Iterator[tuple[Content, ...]]:
    for metric in criterion.measures:
        shown = source.released(metric)
        cells = (worst_cell(source, r, metric) if shown else "inside only" for r in source.replicas)
        yield criterion.name, metric, *cells
