"""Changes since the review whose results these replace; for internal use only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdcmetrics.report.grid import figures, listing, texts
from sdcmetrics.report.results_file import ResultsFile
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Content, SafeTable
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
    """Return the section on changes between an internal review and the one before it."""
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

    def name(value: Any) -> Content:
        return None if pd.isna(value) or not str(value) else names(str(value))

    def text(value: Any) -> Content:
        return None if pd.isna(value) else str(value)

    ends = {"before": "Before", "after": "Now"}
    yield listing(
        "Verdicts that have changed",
        [*texts(name, replica="Replica"), *texts(text, question="Question", **ends)],
        differences.verdicts.to_dict("records"),
    )
    moved = differences.moved
    left = len(moved) - _MOST
    yield listing(
        "Measurements that are better or worse, those of most people first",
        [
            *texts(name, replica="Replica"),
            *texts(metric="Measure"),
            *texts(name, of="Of"),
            *figures(_value, **ends),
            *texts(change="Change"),
        ],
        ({**row, "of": _place(row)} for row in moved.head(_MOST).to_dict("records")),
        f"{left:,} more: sdcmetrics diff lists all." if left > 0 else "",
    )
    for title, frame in (
        ("Data that have changed", differences.data),
        ("Options, limits and versions that have changed", differences.settings),
    ):
        heads = {field: field.replace("_", " ").capitalize() for field in frame.columns[:-2]}
        yield listing(title, texts(name, **heads, **ends), frame.to_dict("records"))


def _place(row: Mapping[Any, Any]) -> str:
    return ", ".join(row[part] for part in ("scenario", "target", "variables") if row[part])


def _value(value: Any) -> str | None:
    return None if pd.isna(value) else numbers.with_commas(value)
