"""Changes since the review whose results these replace; for internal use only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdcmetrics.report.results_file import ResultsFile
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Content, SafeTable, column, number, table
from sdcmetrics.report.safety.names import Names
from sdcmetrics.report.since import Changes, changes

_MOST = 30
"""Measurements in the table, those of most people first; `sdcmetrics diff` lists them all."""


@dataclass(frozen=True, slots=True)
class Since:
    """When the review before was made, what has changed in a sentence, and in tables."""

    date: str
    summary: str
    tables: tuple[SafeTable, ...]


def since_section(before: ResultsFile, now: ResultsFile) -> Since:
    """Return what one internal review says otherwise than the one before it."""
    changed = changes(before, now)
    return Since(str(before.document.get("date", "")), _summary(changed), tuple(_tables(changed)))


def _summary(differences: Changes) -> str:
    kinds = differences.measurements["change"].value_counts()
    parts = [
        f"{kinds[name]:,} {name}" for name in ("better", "worse", "new", "gone") if name in kinds
    ]
    if "neither" in kinds:
        parts.append(f"{kinds['neither']:,} changed, neither better nor worse")
    values = f"Measurements: {', '.join(parts)}." if parts else "No measurement has changed."
    verdicts = len(differences.verdicts)
    if not verdicts:
        return f"No verdict has changed. {values}"
    return f"{numbers.plural(verdicts, 'verdict')} changed. {values}"


def _tables(differences: Changes) -> Iterator[SafeTable]:
    names = Names()
    ends = (column("Before", "before"), column("Now", "after"))

    def named(*given: str) -> tuple[Content, ...]:
        return tuple(names(name) if name else None for name in given)

    verdicts = differences.verdicts.astype(object).where(differences.verdicts.notna(), None)
    yield table(
        "Verdicts that have changed",
        (column("Replica", "replica"), column("Question", "question"), *ends),
        [(*named(itertuple[0]), *itertuple[1:]) for itertuple in verdicts.itertuples(index=False)],
    )
    rows = differences.measurements
    moved = rows[rows["change"].isin(["better", "worse"])]
    left = len(moved) - _MOST
    worst: Any = moved.head(_MOST).itertuples(index=False)
    yield table(
        "Measurements that are better or worse, those of most people first",
        (
            column("Replica", "replica"),
            column("Measure", "metric"),
            column("Of", "of"),
            number("Before", "before"),
            number("Now", "after"),
            column("Change", "change"),
        ),
        [
            (
                *named(change.replica),
                change.metric,
                *named(_place(change)),
                *map(_value, (change.before, change.after)),
                change.change,
            )
            for change in worst
        ],
        f"{left:,} more: sdcmetrics diff lists all." if left > 0 else "",
    )
    for title, frame in (
        ("Data that have changed", differences.data),
        ("Options, limits and versions that have changed", differences.settings),
    ):
        heads = [column(name.replace("_", " ").capitalize(), name) for name in frame.columns[:-2]]
        yield table(
            title,
            (*heads, *ends),
            [named(*map(_text, itertuple)) for itertuple in frame.itertuples(index=False)],
        )


def _place(row: object) -> str:
    parts = (getattr(row, name) for name in ("scenario", "target", "variables"))
    return ", ".join(part for part in parts if part)


def _value(value: Any) -> str | None:
    return None if pd.isna(value) else numbers.with_commas(value)


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value)
