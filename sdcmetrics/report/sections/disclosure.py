"""Disclosure: who can be found by what an intruder knows, and what can be learned of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.report.figures.charts import Dot, Dots, Panel, Reference, Row
from sdcmetrics.report.safety.cells import (
    Content,
    Name,
    SafeCell,
    SafeTable,
    Sentence,
    blank,
    column,
    joined,
    number,
    percent_of,
    plain,
    table,
)
from sdcmetrics.report.sections.beside_marks import columns_of_marks, ruled_panels
from sdcmetrics.report.sections.risk_sentence import risk_sentence
from sdcmetrics.report.sections.shown import chief_of_disclosure, columns_in, shown_in
from sdcmetrics.report.sections.utility import replica_columns
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario

_NARROW = 5.0
"""Percentage points between baseline and original below which a position says little."""
_MOST = 8
"""Pairs of levels that a table lists per replica."""
_FIRST = 12
"""Positions of records at risk that a table lists."""
_BASELINE, _ORIGINAL, _OWN = range(3)
_FLAGGED = (
    "Flagged as in synthpop: one target level that most disclosed records share, or a key level "
    "whose original records nearly all have one target level. Disclosure that rests on a relation "
    "everybody knows differs in kind from disclosure about a person."
)


@dataclass(frozen=True, slots=True)
class AttributeBlock:
    """One target in one scenario."""

    scenario: Name
    target: Name
    label: str
    worst: Sentence
    figure: Dots
    table: SafeTable
    details: SafeTable
    flags: SafeTable


def identity_tables(source: Source) -> tuple[SafeTable, ...]:
    """Return one table per scenario: who can be found."""
    return tuple(_identity(source, scenario) for scenario in source.review.scenarios)


def attribute_blocks(source: Source) -> tuple[AttributeBlock, ...]:
    """Return one block per scenario and target: what can be learned."""
    return tuple(_block(source, scenario, target) for scenario, target in source.targets)


def _symbols(measure: Measure) -> tuple[str, str, str]:
    """Return the symbols of its baseline and of what the original gives, if any, and its own."""
    baseline, original = measure.show.get("between", ("", measure.beside))
    return baseline, original, measure.symbol


def _position(source: Source, *cells: SafeCell) -> SafeCell:
    """Return where a value lies: 0 % at the baseline, 100 % at the original."""
    low, high, value = (cell.number for cell in cells)
    if low is None or value is None or high is None or high - low < _NARROW:
        return blank()
    if value < low:
        return SafeCell("below")
    percent = 100.0 * (value - low) / (high - low)
    if source.release:
        percent = 10.0 * round(percent / 10.0)
    return SafeCell(f"{percent:.0f}\N{NO-BREAK SPACE}%", "number", percent)


def _identity(source: Source, scenario: Scenario) -> SafeTable:
    def cell(metric: str, replica: str = source.replicas[0]) -> SafeCell:
        return source.risk(replica, metric, scenario.name, scenario.targets[0])

    keys = joined(map(source.name, scenario.keys), last=" and ")
    found = [one.symbol for one in shown_in(source, "found")]
    marked = columns_of_marks(source, found[-1], scenario.name, scenario.targets[0])
    nothing = [None] * len(marked)
    rows: list[tuple[Content, ...]] = [
        ("Original itself", cell("UiO"), *[None] * len(found), *nothing)
    ]
    rows += [
        (
            source.named(r),
            *(cell(metric, r) for metric in ("UiS", *found)),
            *(cells[r] for _, cells in marked),
        )
        for r in source.replicas
    ]
    return table(
        ("Records that are alone with their combination of ", *keys),
        (
            column("Data set", "data_set"),
            number("Unique in this data set", "unique", "UiO, UiS"),
            *columns_in(source, "found"),
            *(column for column, _ in marked),
        ),
        rows,
        "Percent of the original records; UiS: of the replica\N{RIGHT SINGLE QUOTATION MARK}s. "
        "The same for every target. A replicated unique need not be the same person, but an "
        f"intruder will think so.{_note(source, marked)}",
    )


def _note(source: Source, marked: Sequence[object]) -> str:
    if marked:
        return (
            " Last: how the replica, a verbatim copy of the original and fresh people (the holdout "
            "in the replica\N{RIGHT SINGLE QUOTATION MARK}s place) compare at as many records "
            "each; p: how often fresh people score as much."
        )
    if source.release or any(one.role == "holdout" for one in source.review.inputs):
        return ""
    return (
        " The original itself is what a verbatim copy would have. A holdout would add what fresh "
        "people have, and so how much of a number is about those who were in the original."
    )


def _block(source: Source, scenario: Scenario, target: str) -> AttributeBlock:
    chief = chief_of_disclosure().symbol

    def disclosed(replica: str) -> float:
        return source.risk(replica, chief, scenario.name, target).number or 0.0

    worst = max(source.replicas, key=disclosed)
    return AttributeBlock(
        scenario=source.name(scenario.name),
        target=source.name(target),
        label=source.label(target),
        worst=risk_sentence(source, worst, chief, scenario, target),
        figure=_figure(source, scenario, target),
        table=_table(source, scenario, target),
        details=_all_measures(source, scenario.name, target),
        flags=_flags(source, scenario.name, target),
    )


def _table(source: Source, scenario: Scenario, target: str) -> SafeTable:
    def cells(row: int, replica: str = source.replicas[0]) -> Iterator[Content]:
        """Yield what a row has of every measure, and where a replica lies between the others."""
        for one in shown:
            found = [source.risk(replica, s, scenario.name, target) for s in _symbols(one)]
            yield found[row]
            if "between" in one.show:
                yield _position(source, *found) if row == _OWN else None

    shown, columns = shown_in(source, "learnt"), columns_in(source, "learnt")
    for i in (i for i, one in enumerate(shown) if "between" in one.show):
        columns.insert(i + 1, number("between baseline and original", "position", "0 % to 100 %"))
    marked = columns_of_marks(source, chief_of_disclosure().symbol, scenario.name, target)
    rows: list[tuple[Content, ...]] = [
        ("Original itself", *cells(_ORIGINAL), *[None] * len(marked)),
        ("Baseline: only its distribution", *cells(_BASELINE), *[None] * len(marked)),
        *(
            (source.named(r), *cells(_OWN, r), *(cell[r] for _, cell in marked))
            for r in source.replicas
        ),
    ]
    keys = joined(map(source.name, scenario.keys), last=" and ")
    return table(
        ("What somebody who knows ", *keys, " learns about ", source.name(target)),
        (column("Data set", "data_set"), *columns, *(column for column, _ in marked)),
        rows,
        "Percent of the original records; TCAP_matched: of those whose keys are in the replica. "
        "DCAP counts a record whose keys are not in the replica as guessed wrong, so it can lie "
        "below the baseline: an intruder who finds no match would still guess."
        f"{_note(source, marked)}",
    )


def _all_measures(source: Source, scenario: str, target: str) -> SafeTable:
    """Return every measure that is made per target, whoever declared it."""
    measured = {symbol for symbol in source.measures.metrics if source.released(symbol)}
    shown = [
        m.symbol
        for m in MEASURES.values()
        if m.of.per == "target" and not m.any_target and m.symbol in measured
    ]
    beyond = [s for s in shown if MEASURES[s].unit == "percent" and MEASURES[s].high is None]
    return table(
        ("All measures for ", source.name(target)),
        (column("Measure", "metric"), *replica_columns(source)),
        (
            (symbol, *(source.risk(r, symbol, scenario, target) for r in source.replicas))
            for symbol in shown
        ),
        f"{', '.join(beyond)} can exceed 100 %: where the replica is smaller, they count original "
        "records per synthetic one. DiSCO and DCAP count per original record."
        if beyond
        else "",
    )


def _figure(source: Source, scenario: Scenario, target: str) -> Dots:
    def panel(measure: Measure) -> Panel:
        symbol = measure.symbol
        cells = {r: source.risk(r, symbol, scenario.name, target) for r in source.replicas}
        rows = tuple(Row(source.name(r).text, dot(cell)) for r, cell in cells.items())
        references = []
        for name, end in zip(("baseline", "original"), _symbols(measure), strict=False):
            place = dot(source.risk(source.replicas[0], end, scenario.name, target))
            if place is not None:
                references.append(Reference(f"{name} ({end})", place, dashed=name == "baseline"))
        return Panel(f"{measure.show['learnt'][1]} ({symbol})", tuple(references), rows)

    drawn = [one for one in shown_in(source, "learnt") if any(_symbols(one)[:2])]
    marks = ruled_panels(source, [one.symbol for one in drawn], scenario.name, target)
    panels = (*map(panel, drawn), *marks)
    words = []
    for found in panels:
        shown = [f"{r.name} {r.dot.text if r.dot else 'not shown'}" for r in found.rows]
        shown += [f"{r.name} {r.dot.text}" for r in found.references]
        ticks = (tick for row in found.rows for tick in row.ticks)
        shown += dict.fromkeys(f"{tick.name} {tick.dot.text}" for tick in ticks)
        words.append(f"{found.heading}, percent of original records: {'; '.join(shown)}.")
    place = (source.name(target), *source.within(scenario.name))
    title = plain(("Disclosure of ", *place, " beside baseline and original"))
    return Dots(title, " ".join(words), panels)


def dot(cell: SafeCell) -> Dot | None:
    """Return the dot of a cell: hollow, at the bound, where the value is not shown."""
    if cell.number is not None:
        return Dot(cell.number, cell.text)
    if cell.bound is not None:
        side = "above" if cell.text.startswith(">") else "below"
        return Dot(cell.bound, cell.text, bound=side)
    return None


def _flags(source: Source, scenario: str, target: str) -> SafeTable:
    """Return the flagged relations of one target; nothing in checker mode."""
    caption = ("Relations that may explain the disclosure of ", source.name(target))
    if source.release:
        source.guard.suppress("Relations that may explain a disclosure")
        return table(caption, (column("Replica", "replica"),))
    results = {
        replica: found
        for replica in source.replicas
        if (found := source.inside.disclosures.get((replica, scenario, target))) is not None
    }
    listed: list[tuple[Content, ...]] = []
    for replica, found in results.items():
        listed += [_one_way(source, replica, target, row) for row in _records(found.one_way)]
        two_way = _records(found.two_way)[:_MOST]
        listed += [_two_way(source, replica, target, row) for row in two_way]
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
        listed,
        f"{_FLAGGED} At most {_MOST} pairs per replica, most records first.",
    )


def risky_tables(source: Source) -> tuple[SafeTable, ...]:
    """Return how many original records are at risk and where the first of them are.

    Empty in checker mode.
    """
    if source.release:
        source.guard.suppress("Positions of the records at risk", 1)
        return ()
    return tuple(_risky(source, scenario) for scenario in source.review.scenarios)


def _risky(source: Source, scenario: Scenario) -> SafeTable:
    columns = (
        column("Target", "target"),
        column("Replica", "replica"),
        number("Unique in both (repU)", "repU"),
        number("Disclosed (DiSCO)", "DiSCO"),
        number("Disclosive in both (DiSDiO)", "DiSDiO"),
        column("First positions in the original, from 0", "first"),
    )

    def rows() -> Iterator[tuple[Content, ...]]:
        for target in scenario.targets:
            for replica in source.replicas:
                result = source.inside.disclosures.get((replica, scenario.name, target))
                if result is not None:
                    frame = result.records_at_risk
                    first = ", ".join(f"{i:,}" for i in frame.index[:_FIRST].tolist())
                    more = len(frame) - _FIRST
                    counts = (int((frame[one.field] > 0).sum()) for one in columns[2:-1])
                    places = first + (f" and {more:,} more" if more > 0 else "")
                    yield source.named(target), source.named(replica), *counts, places

    return table(
        ("Original records at risk in scenario ", source.name(scenario.name)),
        columns,
        rows(),
        "Records at risk in at least one synthesis. All of them, with the number of "
        "syntheses, are in review.disclosures[replica, scenario, target].records_at_risk.",
    )


def _records(frame: Any) -> list[dict[str, Any]]:
    # The flags of the first synthesis that has any: those of the others repeat most of them.
    if not len(frame):
        return []
    first = frame[frame["synthesis"] == frame["synthesis"].min()]
    return [{str(k): v for k, v in row.items()} for row in first.to_dict("records")]


def _one_way(source: Source, replica: str, target: str, row: dict[str, Any]) -> tuple[Content, ...]:
    start = (source.named(replica), _level(source, target, row["Level"]), None, None)
    return *start, int(row["nLevelDis"]), percent_of(row["PctLevelDis"]), "of all disclosed records"


def _two_way(source: Source, replica: str, target: str, row: dict[str, Any]) -> tuple[Content, ...]:
    level, key = _level(source, target, row["target_level"]), source.named(row["key"])
    start = (source.named(replica), level, key, _level(source, row["key"], row["key_level"]))
    share = percent_of(row["PctTargetKeyLevel"])
    return *start, int(row["npairs"]), share, "of the original records with this key level"


def _level(source: Source, variable: str, label: object) -> SafeCell:
    return source.level(variable, label if isinstance(label, str) else None)
