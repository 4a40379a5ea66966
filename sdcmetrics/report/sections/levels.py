"""Disclosure by level of the target, flagged relations and records at risk. Internal only."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from sdcmetrics.report.grid import Entry, figures, listing, texts
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Mark,
    Name,
    SafeCell,
    SafeTable,
    Sentence,
    blank,
    column,
    number,
    number_cell,
    percent_of,
    sentence,
    table,
    withheld,
)
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario

_MOST = 8
"""Levels, and pairs of levels, that a table lists per replica."""
_FIRST = 12
"""Positions of records at risk that a table lists."""
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
        worst = [
            (float(row["excess"]), scenario, target, row)
            for scenario, target, frame in _frames(source, replica)
            for row in frame.head(1).to_dict("records")
            if row["excess"] > 0
            and row["excess"] + row["base"] > frame["disclosed"].sum() / frame["records"].sum()
        ]
        if worst:
            _, scenario, target, row = max(worst, key=lambda item: item[0])
            out.append((row["excess"], _sentence(source, replica, scenario, target, row)))
    return [row for _, row in sorted(out, key=lambda item: -item[0])]


def _sentence(
    source: Source, replica: str, scenario: Scenario, target: str, row: dict[Any, Any]
) -> Sentence:
    n = int(row["records"])
    disclosed = _mean(row["disclosed"])
    who = f"{disclosed} of the {numbers.plural(n, 'original record')}"
    if n == 1:
        who = "the only original record" + ("" if disclosed == "1" else f" ({disclosed})")
    return sentence(
        "From ",
        source.name(replica),
        ", an intruder learns ",
        *source.described(target),
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
    return listing(
        ("Disclosure of ", source.name(target), " by level, the worst first"),
        _entries(source),
        _levels(source, scenario, target, most=_MOST),
    )


def levels_file(source: Source) -> dict[str, SafeTable]:
    """Return all levels of all targets as a table for a file; nothing in a release."""
    if source.release:
        return {}
    start = texts(source.named, scenario="Scenario", target="Target")
    levels = itertools.chain.from_iterable(_levels(source, *of) for of in source.targets)
    return {"disclosure_by_level": listing(_WITHHELD, [*start, *_entries(source)], levels)}


def commonest_share(source: Source, scenario: Scenario, target: str) -> SafeCell:
    """Return how often a guess of the commonest level is right, in percent of original records.

    A release has it where levels are shown one by one, and not of groups of numbers.
    """
    if not source.release:
        for replica in source.replicas:
            result = source.inside.disclosures.get((replica, scenario.name, target))
            if result is not None and len(result.by_level):
                return percent_of(100 * float(result.by_level["base"].max()))
        return blank()
    shown = source.distributions.get(target)
    single = [] if shown is None or shown.grouped else [x for x in shown.levels if not x.folded]
    if not single:
        return withheld()
    return max((level.share for level in single), key=lambda share: share.number or 0.0)


def _entries(source: Source) -> list[Entry]:
    share = number("Share of them", "share")
    return [
        *texts(source.named, replica="Replica"),
        (column("Level", "level"), lambda row: source.level(row["target"], row["level"])),
        *figures(int, records="Records with it"),
        *figures(lambda count: number_cell(count, _count(count)), disclosed="Disclosed"),
        (share, lambda row: percent_of(100 * (row["disclosed"] / row["records"]))),
        *figures(lambda base: percent_of(100 * base), base=("Have it", "share of all records")),
        *figures(int, by_original="Disclosed by the original itself"),
    ]


def _levels(
    source: Source, scenario: Scenario, target: str, most: int | None = None
) -> Iterator[dict[Any, Any]]:
    for replica in source.replicas:
        disclosure = source.inside.disclosures.get((replica, scenario.name, target))
        for row in [] if disclosure is None else disclosure.by_level[:most].to_dict("records"):
            yield {"replica": replica, "scenario": scenario.name, "target": target, **row}


def flags_table(source: Source, scenario: str, target: str) -> SafeTable:
    """Return the flagged relations of one target; nothing in checker mode."""
    caption = ("Relations that may explain the disclosure of ", source.name(target))
    if source.release:
        source.guard.suppress("Relations that may explain a disclosure")
        return table(caption, (column("Replica", "replica"),))
    rows: list[tuple[Content, ...]] = []
    for replica in source.replicas:
        result = source.inside.disclosures.get((replica, scenario, target))
        if result is None:
            continue
        for row in _records(result.one_way):
            level = _level(source, target, row["Level"])
            share = percent_of(row["PctLevelDis"])
            numbered = (int(row["nLevelDis"]), share, "of all disclosed records")
            rows.append((source.named(replica), level, None, None, *numbered))
        for row in _records(result.two_way)[:_MOST]:
            key = source.named(row["key"]), _level(source, row["key"], row["key_level"])
            share = percent_of(row["PctTargetKeyLevel"])
            numbered = (int(row["npairs"]), share, "of the original records with this key level")
            level = _level(source, target, row["target_level"])
            rows.append((source.named(replica), level, *key, *numbered))
    return table(
        caption,
        (
            column("Replica", "replica"),
            column("Target level", "target_level"),
            column("Key", "key"),
            column("Key level", "key_level"),
            number("Disclosed records", "records"),
            number("Share", "share"),
            column("Share of what", "share_of"),
        ),
        rows,
    )


def _records(frame: Any) -> list[dict[str, Any]]:
    # The flags of the first synthesis that has any: those of the others repeat most of them.
    if not len(frame):
        return []
    first = frame[frame["synthesis"] == frame["synthesis"].min()]
    return [{str(k): v for k, v in row.items()} for row in first.to_dict("records")]


def _level(source: Source, variable: str, label: object) -> SafeCell:
    return source.level(variable, label if isinstance(label, str) else None)


def risky_tables(source: Source) -> tuple[SafeTable, ...]:
    """Return how many original records are at risk and where the first of them are.

    Empty in checker mode.
    """
    if source.release:
        source.guard.suppress("Positions of the records at risk", 1)
        return ()
    return tuple(_risky(source, scenario) for scenario in source.review.scenarios)


def _risky(source: Source, scenario: Scenario) -> SafeTable:
    counted = (
        number("Unique in both (repU)", "repU"),
        number("Disclosed (DiSCO)", "DiSCO"),
        number("Disclosive in both (DiSDiO)", "DiSDiO"),
    )
    rows: list[tuple[Content, ...]] = []
    for target, replica in itertools.product(scenario.targets, source.replicas):
        result = source.inside.disclosures.get((replica, scenario.name, target))
        if result is not None:
            frame = result.records_at_risk
            first = ", ".join(f"{i:,}" for i in frame.index[:_FIRST].tolist())
            more = f" and {len(frame) - _FIRST:,} more" if len(frame) > _FIRST else ""
            counts = (int((frame[of.field] > 0).sum()) for of in counted)
            rows.append((source.named(target), source.named(replica), *counts, first + more))
    return table(
        ("Original records at risk", *source.within(scenario.name)),
        (
            column("Target", "target"),
            column("Replica", "replica"),
            *counted,
            column("First positions in the original, from 0", "first"),
        ),
        rows,
    )


def _frames(source: Source, replica: str) -> Iterator[tuple[Scenario, str, Any]]:
    for scenario, target in source.targets:
        disclosure = source.inside.disclosures.get((replica, scenario.name, target))
        if disclosure is not None:
            yield scenario, target, disclosure.by_level


def _mean(count: float) -> str:
    """Return a count in a sentence, which says where it is a mean."""
    return f"{'' if float(count).is_integer() else 'on average '}{_count(count)}"


def _count(count: float) -> str:
    """Return a count, which is a mean over syntheses where there are several."""
    return f"{count:,.0f}" if float(count).is_integer() else f"{count:,.1f}"
