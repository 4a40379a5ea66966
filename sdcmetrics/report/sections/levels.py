"""Disclosure by target level: what happens to the few who have a rare one. Internal only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Mark,
    Name,
    SafeTable,
    Sentence,
    column,
    number,
    number_cell,
    percent_of,
    sentence,
    table,
)
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario

_MOST = 8
"""Levels that a table lists per replica."""
_WITHHELD = "Disclosure by target level"


def level_sentences(source: Source) -> list[Sentence]:
    """Return, per replica, the level that fares worst, where the share of all records hides it.

    It is told where the share of its records that are disclosed surely lies above both the share
    of all records that are, and the share of records that have the level.
    """
    if source.release:
        return []
    out = []
    for replica in source.replicas:
        found = [
            (float(row["excess"]), scenario, target, row)
            for scenario, target, frame in _frames(source, replica)
            if len(frame) > 1
            for row in frame.head(1).to_dict("records")
            if row["excess"] > 0
            and row["excess"] + row["base"] > frame["disclosed"].sum() / frame["records"].sum()
        ]
        if found:
            _, scenario, target, row = max(found, key=lambda one: one[0])
            out.append((row["excess"], _sentence(source, replica, scenario, target, row)))
    return [found for _, found in sorted(out, key=lambda one: -one[0])]


def _sentence(
    source: Source, replica: str, scenario: Scenario, target: str, row: dict[Any, Any]
) -> Sentence:
    n = int(row["records"])
    many = _mean(row["disclosed"])
    who = f"{many} of the {numbers.plural(n, 'original record')}"
    if n == 1 and many == "1":
        who = "the only original record"
    return sentence(
        "From ",
        source.name(replica),
        ", an intruder learns ",
        *source.said(target),
        " = ",
        Name((cell := source.level(target, row["level"])).text, cell.full),
        f" ({cell.detail})" if cell.detail else "",
        *source.within(scenario.name),
        f" correctly for {who} with this level "
        f"({numbers.percent_text(100 * row['disclosed'] / n)}); from the original itself, for "
        f"{_count(row['by_original'])}. Of all original records "
        f"{numbers.percent_text(100 * row['base'])} have it.",
        status=Mark.NOTICE,
        link="attribute",
    )


def level_table(source: Source, scenario: Scenario, target: str) -> SafeTable:
    """Return what is disclosed of each level of one target, the worst first; empty in a release."""
    if source.release:
        source.guard.suppress(_WITHHELD)
        return table("", ())
    return table(
        ("Disclosure of ", source.name(target), " by level, the worst first"),
        _COLUMNS,
        _rows(source, scenario, target, most=_MOST),
        "Disclosed: original records with this level for which the replica gives it (DiSCO). Have "
        "it: the share of all original records with this level, which is how often a guess of it "
        "is right. The worst level is that whose share surely lies furthest above this (lower end "
        f"of a 95 % interval). At most {_MOST} levels per replica; all are in "
        "disclosure_by_level.csv.",
    )


def levels_file(source: Source) -> dict[str, SafeTable]:
    """Return all levels of all targets as a table for a file; nothing in a release."""
    if source.release:
        return {}
    rows: list[tuple[Content, ...]] = []
    for scenario, target in source.targets:
        start = (source.named(scenario.name), source.named(target))
        rows += [(*start, *row) for row in _rows(source, scenario, target)]
    columns = (column("Scenario", "scenario"), column("Target", "target"), *_COLUMNS)
    return {"disclosure_by_level": table("Disclosure by target level", columns, rows)}


_COLUMNS = (
    column("Replica", "replica"),
    column("Level", "level"),
    number("Records with it", "records"),
    number("Disclosed", "disclosed"),
    number("Share of them", "share"),
    number("Have it", "base", "share of all records"),
    number("Disclosed by the original itself", "by_original"),
)


def _rows(
    source: Source, scenario: Scenario, target: str, most: int | None = None
) -> Iterator[tuple[Content, ...]]:
    for replica in source.replicas:
        found = source.inside.disclosures.get((replica, scenario.name, target))
        for row in [] if found is None else found.by_level[:most].to_dict("records"):
            yield (
                source.named(replica),
                source.level(target, row["level"]),
                int(row["records"]),
                number_cell(row["disclosed"], _count(row["disclosed"])),
                percent_of(100 * (row["disclosed"] / row["records"])),
                percent_of(100 * row["base"]),
                int(row["by_original"]),
            )


def _frames(source: Source, replica: str) -> Iterator[tuple[Scenario, str, Any]]:
    for scenario, target in source.targets:
        found = source.inside.disclosures.get((replica, scenario.name, target))
        if found is not None:
            yield scenario, target, found.by_level


def _mean(count: float) -> str:
    """Return a count in a sentence, which says where it is a mean."""
    return f"{'' if float(count).is_integer() else 'on average '}{_count(count)}"


def _count(count: float) -> str:
    """Return a count, which is a mean over syntheses where there are several."""
    return f"{count:,.0f}" if float(count).is_integer() else f"{count:,.1f}"
