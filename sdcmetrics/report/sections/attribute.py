"""Attribute disclosure: what an intruder who knows the keys can learn about the target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sdcmetrics.report.figures.charts import Dot, Dots, Panel, Reference, Row
from sdcmetrics.report.safety.cells import (
    Name,
    SafeCell,
    SafeColumn,
    SafeTable,
    Sentence,
    blank,
    joined,
    plain,
    said,
    sentence,
    text_cell,
)
from sdcmetrics.report.sections.flags import flag_table
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario

__all__ = [
    "AttributeBlock",
    "attribute_blocks",
    "disclosed_sentence",
    "dot",
    "position",
    "relative_chance",
]

_DETAILS = ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO", "max_denom", "mean_denom")
_CHANCES = ("baseCAPd", "CAPd", "CAPs", "DCAP", "TCAP_matched", "TCAP_certain")
_FRAMEWORK = (
    "CAP_o",
    "CAP_b",
    "CAP_s",
    "CAP_s_zero",
    "CAP_s_undefined",
    "CAP_ratio",
    "non_match",
    "TCAP_synthetic",
)
_NARROW = 5.0
"""Percentage points between baseline and original below which a position says little."""


@dataclass(frozen=True, slots=True)
class AttributeBlock:
    """One target in one scenario."""

    scenario: Name
    target: Name
    worst: Sentence
    figure: Dots
    table: SafeTable
    details: SafeTable
    flags: SafeTable


def attribute_blocks(source: Source) -> tuple[AttributeBlock, ...]:
    """Return one block a scenario and target."""
    return tuple(
        _block(source, scenario, target)
        for scenario in source.review.scenarios
        for target in scenario.targets
    )


def disclosed_sentence(source: Source, replica: str, scenario: Scenario, target: str) -> Sentence:
    """Say what a replica discloses of a target, beside what the original would."""
    cell = source.risk(replica, "DiSCO", scenario.name, target)
    own = source.risk(replica, "Dorig", scenario.name, target)
    return sentence(
        "For target ",
        source.name(target),
        *source.within(scenario.name),
        ", ",
        source.name(replica),
        f" discloses {said(cell)} of the original records correctly (DiSCO); the original itself "
        f"would disclose {said(own)} (Dorig).",
        status=cell.status,
    )


def position(source: Source, replica: str, scenario: str, target: str) -> SafeCell:
    """Return where DCAP lies: 0 % at the baseline, 100 % at the original."""
    low, value, high = _chances(source, replica, scenario, target)
    if low is None or value is None or high is None or high - low < _NARROW:
        return blank()
    if value < low:
        return SafeCell("below")
    percent = 100.0 * (value - low) / (high - low)
    if source.release:
        percent = 10.0 * round(percent / 10.0)
    return SafeCell(f"{percent:.0f}\N{NO-BREAK SPACE}%", "number", percent)


def relative_chance(source: Source, replica: str, scenario: str, target: str) -> float | None:
    """Return DCAP in percent of what the original itself gives (CAPd)."""
    _, value, high = _chances(source, replica, scenario, target)
    return None if value is None or not high else 100.0 * value / high


def _chances(source: Source, replica: str, scenario: str, target: str) -> list[float | None]:
    metrics = ("baseCAPd", "DCAP", "CAPd")
    return [source.risk(replica, metric, scenario, target).number for metric in metrics]


def _block(source: Source, scenario: Scenario, target: str) -> AttributeBlock:
    def cell(metric: str) -> Callable[[str], SafeCell]:
        return lambda replica: source.risk(replica, metric, scenario.name, target)

    worst = max(source.replicas, key=lambda r: cell("DiSCO")(r).number or 0.0)
    return AttributeBlock(
        scenario=source.name(scenario.name),
        target=source.name(target),
        worst=disclosed_sentence(source, worst, scenario, target),
        figure=_figure(source, scenario, target, cell),
        table=_table(source, scenario, target, cell),
        details=_all_measures(source, target, cell),
        flags=flag_table(source, scenario.name, target),
    )


Cells = Callable[[str], Callable[[str], SafeCell]]


def _table(source: Source, scenario: Scenario, target: str, cell: Cells) -> SafeTable:
    first = source.replicas[0]
    rows = [
        (
            text_cell("Original itself"),
            cell("Dorig")(first),
            blank(),
            blank(),
            cell("CAPd")(first),
            blank(),
            blank(),
        ),
        (
            text_cell("Baseline: only its distribution"),
            blank(),
            blank(),
            blank(),
            cell("baseCAPd")(first),
            blank(),
            blank(),
        ),
    ]
    rows += [
        (
            source.named(replica),
            cell("DiSCO")(replica),
            cell("DiSDiO")(replica),
            cell("iS")(replica),
            cell("DCAP")(replica),
            position(source, replica, scenario.name, target),
            cell("TCAP_matched")(replica),
        )
        for replica in source.replicas
    ]
    keys = joined((source.name(key) for key in scenario.keys), last=" and ")
    return SafeTable(
        caption=("What is learned about ", source.name(target), " by someone who knows ", *keys),
        columns=(
            SafeColumn("Data set", "data_set"),
            _number("Disclosed and right", "DiSCO", "DiSCO; original: Dorig"),
            _number("also disclosive in the original", "DiSDiO", "DiSDiO"),
            _number("Keys found in the replica", "iS", "iS"),
            _number("Guessed right", "DCAP", "DCAP; CAPd; baseCAPd"),
            _number("between baseline and original", "position", "0 % to 100 %"),
            _number("Right among the found", "TCAP_matched", "TCAP_matched"),
        ),
        rows=tuple(rows),
        note="Percent of the original records; TCAP_matched: of those whose keys are in the "
        "replica. DCAP "
        "counts a record whose keys are not in the replica as guessed wrong, so it can lie below "
        "the baseline: an intruder who finds no match would still guess.",
    )


def _number(title: str, field: str, detail: str) -> SafeColumn:
    return SafeColumn(title, field, numeric=True, detail=detail)


def _all_measures(source: Source, target: str, cell: Cells) -> SafeTable:
    metrics = [metric for metric in (*_DETAILS, *_CHANCES, *_FRAMEWORK) if source.released(metric)]
    columns = [SafeColumn("Measure", "metric")]
    for replica in source.replicas:
        name = source.name(replica)
        columns.append(SafeColumn(name.text, name.full, numeric=True, full=name.full))
    rows = tuple(
        (text_cell(metric), *(cell(metric)(replica) for replica in source.replicas))
        for metric in metrics
    )
    return SafeTable(("All measures for ", source.name(target)), tuple(columns), rows)


def _figure(source: Source, scenario: Scenario, target: str, cell: Cells) -> Dots:
    first = source.replicas[0]
    disclosed = Panel(
        heading="Disclosed and right (DiSCO)",
        references=_references(("original (Dorig)", cell("Dorig")(first), False)),
        rows=tuple(
            Row(source.name(replica).text, dot(cell("DiSCO")(replica)))
            for replica in source.replicas
        ),
    )
    guessed = Panel(
        heading="Guessed right (DCAP)",
        references=_references(
            ("baseline (baseCAPd)", cell("baseCAPd")(first), True),
            ("original (CAPd)", cell("CAPd")(first), False),
        ),
        rows=tuple(
            Row(source.name(replica).text, dot(cell("DCAP")(replica)))
            for replica in source.replicas
        ),
    )
    panels = (disclosed, guessed)
    words = [
        f"{panel.heading}, percent of original records: "
        + "; ".join(
            [f"{r.name} {r.dot.text if r.dot else 'not shown'}" for r in panel.rows]
            + [f"{r.name} {r.dot.text}" for r in panel.references]
        )
        for panel in panels
    ]
    place = (source.name(target), *source.within(scenario.name))
    title = plain(("Disclosure of ", *place, " beside baseline and original"))
    return Dots(title, ". ".join(words) + ".", panels)


def dot(cell: SafeCell) -> Dot | None:
    """Return the dot of a cell: hollow, at the bound, where the value is not shown."""
    if cell.number is not None:
        return Dot(cell.number, cell.text)
    if cell.bound is not None:
        side = "above" if cell.text.startswith(">") else "below"
        return Dot(cell.bound, cell.text, bound=side)
    return None


def _references(*found: tuple[str, SafeCell, bool]) -> tuple[Reference, ...]:
    out = []
    for name, cell, dashed in found:
        place = dot(cell)
        if place is not None:
            out.append(Reference(name, place, dashed))
    return tuple(out)
