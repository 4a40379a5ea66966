"""What is read beside fresh people, or beside its own null; nothing of it is released."""

from __future__ import annotations

import math
from dataclasses import replace

from sdcmetrics.report.measures import Measure
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    SafeCell,
    SafeTable,
    blank,
    column,
    joined,
    number,
    plain,
    table,
    three_decimals,
)
from sdcmetrics.report.sections.shown import shown_in
from sdcmetrics.report.sections.utility import replica_columns
from sdcmetrics.report.source import Source

_GROUPS = 10


def beside_fresh(source: Source) -> tuple[SafeTable, ...]:
    """Return the measures that declare `show={"beside_fresh": place}`, and the worst groups."""
    if source.release:
        return ()
    measured = set(source.measures.metrics)
    found = table(
        "Scores and distances beside fresh people: where each is worst",
        (column("Measure", "metric"), column("in words", "title"), *replica_columns(source)),
        (
            (one.symbol, one.title, *(_worst(source, r, one.symbol) for r in source.replicas))
            for one in shown_in(source, "beside_fresh")
            if one.symbol in measured
        ),
        "Fresh people: the holdout in the replica's place, or what a test itself expects of them. "
        "A replica is to come up to them; one that is nearer to a copy than to them is too close "
        "to the original.",
    )
    groups = _groups(source)
    return tuple(one for one in (found, groups) if one.rows)


def _worst(source: Source, replica: str, metric: str) -> SafeCell:
    worst = source.measures.worst(replica, metric)
    if worst is None:
        return blank()
    return replace(source.cell(worst), detail="; ".join(_beside(source, worst)))


def _beside(source: Source, m: Measure) -> list[str]:
    marks = m.marks
    words = [plain(joined(map(source.name, m.variables)))] if m.variables else []
    if not math.isnan(marks.at):
        words.append(f"at {numbers.count_text(marks.at)} records {marks.value_at:.4g}")
    for name, value in (("fresh people", marks.fresh), ("a copy", marks.copy_at)):
        shown = marks.copy if name == "a copy" and math.isnan(value) else value
        if not math.isnan(shown):
            words.append(f"{name} {shown:.3g}" if abs(shown) < 1 else f"{name} {shown:.4g}")
    return words


def _groups(source: Source) -> SafeTable:
    rows = [
        (row["TVD_holm"], replica, variable, row)
        for (replica, variable), frames in source.inside.subgroups.items()
        for row in frames[0].to_dict("records")
        if row["note"] == "missing in the replica" or row["TVD_holm"] <= 1
    ]
    # A group that is missing comes first, then the least likely by chance.
    rows.sort(key=lambda one: -1.0 if math.isnan(one[0]) else one[0])
    return table(
        "Groups of people that the replicas serve worst",
        (
            column("Replica", "replica"),
            column("Variable", "variable"),
            column("Group", "group"),
            number("Original", "original"),
            number("Synthetic", "synthetic"),
            number("TVD", "TVD"),
            number("by its size", "TVD_null"),
            number("p, adjusted", "TVD_holm"),
        ),
        (
            (
                source.named(replica),
                source.named(variable),
                source.named(row["level"]),
                int(row["original"]),
                int(row["synthetic"]),
                *(three_decimals(row[name]) for name in ("TVD", "TVD_null", "TVD_holm")),
            )
            for _, replica, variable, row in rows[:_GROUPS]
        ),
        "Mean distance of all pairs of the other variables; beside it that of as many of the "
        "group's own records with the labels original and synthetic permuted. Of the first "
        "synthesis; a group without a distance is missing in the replica.",
    )
