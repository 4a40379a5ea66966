"""One block per variable: bars, values, and its one-way measures."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sdcmetrics.report.distributions import SafeDistribution, SafeLevel
from sdcmetrics.report.figures.charts import Bars, Series
from sdcmetrics.report.grid import by_replica, chief_of_tables, grid, replica_columns
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Name,
    SafeTable,
    column,
    number,
    plain,
    table,
    text_cell,
)
from sdcmetrics.report.sections.utility import one_way_measures
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Status

_DRAWN = 12
_LISTED = 60
_BLOCKS = 100
"""Variables with a block of their own: keys, targets, and the worst of the others."""
_GROUPS = (
    "These groups are the same for all replicas. S_pMSE and TVD group the original and one "
    "replica at a time, as synthpop does, so they can differ from what the bars suggest."
)


@dataclass(frozen=True, slots=True)
class VariableBlock:
    """One variable: what it is, how it is distributed, how well it is replicated.

    `figures` has one per replica for groups of numbers, and is empty for levels.
    """

    name: Name
    summary: str
    figure: Bars | None
    table: SafeTable
    measures: SafeTable
    figures: tuple[Bars, ...] = ()


def variable_blocks(source: Source) -> tuple[VariableBlock, ...]:
    """Return the blocks in the order of the original's columns; of many variables the worst."""
    chief = chief_of_tables().symbol

    def worst(name: str) -> float:
        cells = (source.table(replica, chief, (name,)) for replica in source.replicas)
        return max((cell.number for cell in cells if cell.number is not None), default=0.0)

    named = {n for s in source.review.scenarios for n in (*s.keys, *s.targets)}
    ordered = sorted(source.distributions, key=lambda name: (name not in named, -worst(name)))
    shown = set(ordered[:_BLOCKS])
    return tuple(
        _block(source, raw, distribution)
        for raw, distribution in source.distributions.items()
        if raw in shown
    )


def worst_variables(source: Source) -> tuple[Bars, ...]:
    """Return, per replica that is not useless, its worst variable beside the original's."""
    chief = chief_of_tables().symbol
    figures = []
    for i, replica in enumerate(source.replicas):
        decided = source.decisions.get(replica)
        cells = {name: source.table(replica, chief, (name,)) for name in source.distributions}
        drawn = {
            n: c.number for n, c in cells.items() if c.number and source.distributions[n].levels
        }
        if not drawn or decided is None or decided.utility.status is Status.FAIL:
            continue
        worst = max(drawn, key=lambda name: drawn[name])
        distribution = source.distributions[worst]
        whole = _bars(source, distribution)
        figure = whole.each[i] if distribution.grouped else whole.of(i)
        value = f"{chief} {cells[worst].text}"
        title = plain((distribution.name, f", {value}: original and ", source.name(replica)))
        figures.append(replace(figure, title=title))
    return tuple(figures)


def _block(source: Source, raw: str, distribution: SafeDistribution) -> VariableBlock:
    label = source.label(raw)
    parts = [distribution.kind, numbers.plural(distribution.size, "level")]
    if distribution.grouped:
        parts[1] = numbers.plural(distribution.size, "group")
    if distribution.folded:
        parts.append(f"{distribution.folded:,} of them folded")
    figure = _bars(source, distribution) if distribution.levels else None
    return VariableBlock(
        name=distribution.name,
        summary=f"{label}; {', '.join(parts)}" if label else ", ".join(parts),
        figure=figure,
        figures=figure.each if figure is not None and distribution.grouped else (),
        table=_table(source, raw, distribution),
        measures=_measures(source, raw, grouped=distribution.grouped),
    )


def _table(source: Source, raw: str, distribution: SafeDistribution) -> SafeTable:
    shown = _largest(distribution.levels, _LISTED)
    rows = (
        (
            replace(text_cell(level.label), detail=source.value_label(raw, level.label.full)),
            level.count,
            level.share,
            *level.replicas,
        )
        for level in shown
    )
    left = len(distribution.levels) - len(shown)
    notes = []
    if source.release:
        notes.append(
            f"Counts of the original are rounded to {source.guard.base}; shares are made "
            "from the rounded counts."
        )
    if not distribution.levels:
        notes = ["Not shown: too few original records."]
    if left:
        notes.append(f"{numbers.plural(left, 'smaller level')} not listed here; see the CSV file.")
    return table(
        ("Records of the original, and shares in percent: ", distribution.name),
        (
            column("Level", "level"),
            number("Original records", "count"),
            number("Original", "original"),
            *replica_columns(source),
        ),
        rows,
        " ".join(notes),
    )


def _measures(source: Source, raw: str, *, grouped: bool) -> SafeTable:
    return grid(
        source,
        ("One-way measures: ", source.name(raw)),
        (column("Measure", "metric"),),
        [((symbol,), {"metric": symbol}) for symbol in one_way_measures(source)],
        by_replica(source),
        variables=(raw,),
        # What a release says of numbers is of these very groups.
        note=_GROUPS if grouped and not source.release else "",
    )


def _largest(levels: tuple[SafeLevel, ...], most: int) -> tuple[SafeLevel, ...]:
    """Return the largest levels, in their own order."""
    order = sorted(range(len(levels)), key=lambda i: -(levels[i].count.number or 0.0))
    largest = set(order[:most])
    return tuple(level for i, level in enumerate(levels) if i in largest)


def _bars(source: Source, distribution: SafeDistribution) -> Bars:
    drawn = _largest(distribution.levels, _DRAWN)
    left = len(distribution.levels) - len(drawn)
    shares = {
        "Original": [level.share for level in drawn],
        **{
            source.name(replica).text: [level.replicas[i] for level in drawn]
            for i, replica in enumerate(source.replicas)
        },
    }
    series = tuple(
        Series(name, tuple(c.number for c in cells), tuple(c.text for c in cells))
        for name, cells in shares.items()
    )
    which = (
        f"the {len(drawn)} largest of {len(distribution.levels):,} levels" if left else "the levels"
    )
    more = f" The {left:,} smaller levels are not drawn." if left else ""
    words = "; ".join(f"{level.label.text}: {level.share.text}" for level in drawn)
    return Bars(
        title=plain(
            (f"Shares of {which} of ", distribution.name, ": original beside every replica")
        ),
        description=f"Original, percent of records: {words}.{more} All values are in the table.",
        levels=tuple(level.label.text for level in drawn),
        series=series,
    )
