"""Disclosure: who can be found by what an intruder knows, and what can be learned of them.

Beside the risks stand reference values: what a verbatim copy and the holdout score. Each is a fact
about the original or the holdout, so none is in a release.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from string import Formatter

from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.report.figures.charts import Dot, Dots, Reference, Row
from sdcmetrics.report.grid import (
    Column,
    Place,
    by_measure,
    by_replica,
    chief_of_disclosure,
    grid,
    measured,
    replica_rows,
    shown_in,
)
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Name,
    SafeCell,
    SafeTable,
    Sentence,
    Words,
    blank,
    column,
    in_sentence,
    joined,
    number,
    p_cell,
    percent_of,
    sentence,
)
from sdcmetrics.report.sections.levels import flags_table
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario

_NARROW = 5.0
"""Percentage points between baseline and original below which a position says little."""
_SAYS = "For target {target}{where}, {replica} has {symbol} {value} ({title})."
_POSITION_NOTE = (
    " Last: how the replica, a verbatim copy of the original and the holdout (people who were not "
    "in the original, in the replica\N{RIGHT SINGLE QUOTATION MARK}s place) compare at as many "
    "records each; p: how often such people score as much."
)
_NO_HOLDOUT = (
    " The original itself is what a verbatim copy would have. A holdout would add what people who "
    "were not in the original have, and so how much of a number is about those who were in the "
    "original."
)


@dataclass(frozen=True, slots=True)
class AttributeBlock:
    """One target in one scenario."""

    scenario: Name
    target: Name
    label: str
    worst: Sentence
    figures: tuple[Dots, ...]
    table: SafeTable
    details: SafeTable
    flags: SafeTable


def identity_tables(source: Source) -> tuple[SafeTable, ...]:
    """Return one table per scenario: who can be found."""
    return tuple(_identity(source, scenario) for scenario in source.review.scenarios)


def attribute_blocks(source: Source) -> tuple[AttributeBlock, ...]:
    """Return one block per scenario and target: what can be learned."""
    return tuple(_block(source, scenario, target) for scenario, target in source.targets)


def _identity(source: Source, scenario: Scenario) -> SafeTable:
    columns = by_measure(source, "found")
    place = scenario.name, scenario.targets[0]
    references = reference_columns(source, columns[-1][0].field, *place)
    alone = number("Unique in this data set", "unique", "UiO, UiS")
    return grid(
        source,
        ("Records that are alone with their combination of ", *_keys(source, scenario)),
        (column("Data set", "data_set"),),
        [
            (("Original itself",), {"replica": source.replicas[0], "role": "original"}),
            *replica_rows(source),
        ],
        [(alone, {"metric": {"original": "UiO", "": "UiS"}}), *columns, *references],
        scenario=place[0],
        target=place[1],
        note="Percent of the original records; UiS: of the replica\N{RIGHT SINGLE QUOTATION MARK}s."
        " The same for every target. A replicated unique need not be the same person, but an "
        f"intruder will think so.{_note(source, references)}",
    )


def _keys(source: Source, scenario: Scenario) -> Words:
    return joined(map(source.name, scenario.keys), last=" and ")


def _note(source: Source, references: list[Column]) -> str:
    if references:
        return _POSITION_NOTE
    held_out = any(data.role == "holdout" for data in source.review.inputs)
    return "" if source.release or held_out else _NO_HOLDOUT


def _block(source: Source, scenario: Scenario, target: str) -> AttributeBlock:
    chief = chief_of_disclosure().symbol
    cells = {r: source.risk(r, chief, scenario.name, target) for r in source.replicas}
    worst = max(cells, key=lambda replica: cells[replica].number or 0.0)
    return AttributeBlock(
        scenario=source.name(scenario.name),
        target=source.name(target),
        label=source.label(target),
        worst=risk_sentence(source, worst, chief, scenario, target),
        figures=_figures(source, scenario, target),
        table=_table(source, scenario, target),
        details=_all_measures(source, scenario.name, target),
        flags=flags_table(source, scenario.name, target),
    )


def _baseline(measure: Measure) -> str:
    return str(measure.show.get("between", ("",))[0])


def _original(measure: Measure) -> str:
    return str(measure.show.get("between", ("", measure.baseline))[1])


def _table(source: Source, scenario: Scenario, target: str) -> SafeTable:
    columns = by_measure(source, "learnt", baseline=_baseline, original=_original)
    for i, measure in [*enumerate(shown_in(source, "learnt"))][::-1]:
        if "between" in measure.show:
            head = number("between baseline and original", "position", "0 % to 100 %")
            columns.insert(i + 1, (head, _position(source, measure, scenario, target)))
    chief = chief_of_disclosure().symbol
    references = reference_columns(source, chief, scenario.name, target)
    first = source.replicas[0]
    return grid(
        source,
        (
            "What somebody who knows ",
            *_keys(source, scenario),
            " learns about ",
            source.name(target),
        ),
        (column("Data set", "data_set"),),
        [
            (("Original itself",), {"replica": first, "role": "original"}),
            (("Baseline: only its distribution",), {"replica": first, "role": "baseline"}),
            *replica_rows(source),
        ],
        [*columns, *references],
        scenario=scenario.name,
        target=target,
        note="Percent of the original records; TCAP_matched: of those whose keys are in the "
        "replica. DCAP counts a record whose keys are not in the replica as guessed wrong, so it "
        "can lie below the baseline: an intruder who finds no match would still guess."
        f"{_note(source, references)}",
    )


def _position(
    source: Source, measure: Measure, scenario: Scenario, target: str
) -> Callable[[Place], Content]:
    """Return the position of a value in words: 0 % is the baseline, 100 % the original."""

    def position(row: Place) -> SafeCell | None:
        if "role" in row:
            return None
        ends = (_baseline(measure), _original(measure), measure.symbol)
        low, high, value = (
            source.risk(row["replica"], symbol, scenario.name, target).number for symbol in ends
        )
        if low is None or value is None or high is None or high - low < _NARROW:
            return blank()
        if value < low:
            return SafeCell("below")
        percent = 100.0 * (value - low) / (high - low)
        if source.release:
            percent = 10.0 * round(percent / 10.0)
        return SafeCell(f"{percent:.0f}\N{NO-BREAK SPACE}%", "number", percent)

    return position


def _all_measures(source: Source, scenario: str, target: str) -> SafeTable:
    """Return every measure that is made per target, whoever declared it."""
    shown = [m for m in measured(source) if m.of.per == "target" and not m.any_target]
    beyond = ", ".join(m.symbol for m in shown if m.unit == "percent" and m.high is None)
    return grid(
        source,
        ("All measures for ", source.name(target)),
        (column("Measure", "metric"),),
        [((m.symbol,), {"metric": m.symbol}) for m in shown],
        by_replica(source),
        scenario=scenario,
        target=target,
        note=f"{beyond} can exceed 100 %: where the replica is smaller, they count original "
        "records per synthetic one. DiSCO and DCAP count per original record."
        if beyond
        else "",
    )


def _figures(source: Source, scenario: Scenario, target: str) -> tuple[Dots, ...]:
    """Return a figure per measure, and one beside a copy and the holdout where there are such."""

    def beside_ends(measure: Measure) -> Dots:
        symbol = measure.symbol
        cells = {r: source.risk(r, symbol, scenario.name, target) for r in source.replicas}
        rows = tuple(Row(source.name(r).text, dot(cell)) for r, cell in cells.items())
        ends = {"baseline": _baseline(measure), "original": _original(measure)}
        places = {
            name: dot(source.risk(source.replicas[0], end, scenario.name, target))
            for name, end in ends.items()
        }
        references = tuple(
            Reference(f"{name} ({ends[name]})", place, dashed=name == "baseline")
            for name, place in places.items()
            if place is not None
        )
        return Dots.of(f"{measure.show['learnt'][1]} ({symbol})", references, rows)

    drawn = [m for m in shown_in(source, "learnt") if _baseline(m) or _original(m)]
    symbols = [measure.symbol for measure in drawn]
    return (*map(beside_ends, drawn), *_beside_copy(source, symbols, scenario.name, target))


def dot(cell: SafeCell) -> Dot | None:
    """Return the dot of a cell: hollow, at the bound, where the value is not shown."""
    if cell.number is not None:
        return Dot(cell.number, cell.text)
    if cell.bound is not None:
        side = "above" if cell.text.startswith(">") else "below"
        return Dot(cell.bound, cell.text, bound=side)
    return None


def risk_sentence(
    source: Source, replica: str, metric: str, scenario: Scenario, target: str
) -> Sentence:
    """Return what a measure says of one target; `Measure.says` has the words."""
    measure = MEASURES[metric]
    cell = source.risk(replica, metric, scenario.name, target)
    own = measure.baseline and in_sentence(
        source.risk(replica, measure.baseline, scenario.name, target)
    )
    texts: dict[str, Words] = {
        "replica": (source.name(replica),),
        "target": source.described(target),
        "where": source.within(scenario.name),
        "value": (in_sentence(cell),),
        "beside": (own,),
        "symbol": (measure.symbol,),
        "title": (measure.title,),
    }
    words: Words = ()
    for text, name, _, _ in Formatter().parse(measure.says or _SAYS):
        words += (text, *texts.get(name or "", ()))
    first, *rest = (part for part in words if part)
    if isinstance(first, str):
        first = first[:1].upper() + first[1:]
    return sentence(first, *rest, status=cell.status)


def reference_columns(source: Source, metric: str, scenario: str, target: str) -> list[Column]:
    """Return columns of what a copy and the holdout score; none in a release or without one."""
    references = _marks(source, metric, scenario, target)
    if not references:
        return []
    sizes = {mark.at for mark in references.values()}
    at = f"at {numbers.count_text(sizes.pop())} records" if len(sizes) == 1 else "at equal sizes"
    columns = {
        "value_at": number(f"{metric} {at}", "value_at", metric),
        "copy_at": number("of a copy", "copy_at", "verbatim"),
        "fresh": number("of the holdout", "fresh"),
        "p": number("p", "p", "beside the holdout"),
    }

    def value(name: str, row: Place) -> SafeCell | None:
        if "role" in row:
            return None
        mark = getattr(references[row["replica"]], name)
        return p_cell(mark) if name == "p" else percent_of(mark)

    return [(head, partial(value, name)) for name, head in columns.items()]


def _beside_copy(
    source: Source, metrics: Iterable[str], scenario: str, target: str
) -> Iterator[Dots]:
    """Yield a figure per measure, of the values at as many records, with two ticks each."""
    for metric in metrics:
        rows = tuple(
            Row(
                source.name(replica).text,
                _percent_dot(mark.value_at),
                (
                    Reference("copy", _percent_dot(mark.copy_at)),
                    Reference("holdout", _percent_dot(mark.fresh), dashed=True),
                ),
            )
            for replica, mark in _marks(source, metric, scenario, target).items()
        )
        if rows:
            key = "At as many records each. Ticks: a verbatim copy (solid), the holdout (dashed)."
            yield Dots.of(f"{metric} beside a copy and the holdout", (), rows, key)


def _percent_dot(percent: float) -> Dot:
    return Dot(percent, numbers.percent_text(percent))


def ruler_sentences(source: Source) -> tuple[Sentence, ...]:
    """Return how many people the riskiest replica discloses, beside a copy and the holdout."""
    chief = chief_of_disclosure()
    values = [
        (measure.value, replica, scenario, target)
        for replica in source.replicas
        for scenario, target in source.targets
        for measure in [source.measures.risk(replica, chief.symbol, scenario.name, target)]
        if measure is not None and measure.value is not None
    ]
    if source.release or not values:
        return ()
    _, replica, scenario, target = max(values, key=lambda item: item[0])
    n = source.review.n_original
    place = (source.name(target), *source.within(scenario.name))
    references = _marks(source, chief.symbol, scenario.name, target).get(replica)
    if references is None:
        own = source.measures.risk(replica, chief.baseline, scenario.name, target)
        if own is None or own.value is None:
            return ()
        return (
            sentence(
                f"A verbatim copy would disclose {_people(own.value, n)} of {n:,} people (",
                *place,
                "). A holdout would show how many are disclosed by people who were not in the "
                "original.",
            ),
        )
    records = numbers.plural(references.at, "record")
    return (
        sentence(
            f"{records} of ",
            source.name(replica),
            f" would disclose {_people(references.value_at, n)} of {n:,} people (",
            *place,
            f"); {records} of the original itself, {_people(references.copy_at, n)}; {records} of "
            f"people who were not in the original, {_people(references.fresh, n)}.",
        ),
    )


def _marks(source: Source, metric: str, scenario: str, target: str) -> dict[str, References]:
    if source.release:
        return {}
    rows = {r: source.measures.risk(r, metric, scenario, target) for r in source.replicas}
    references = {r: References() if row is None else row.references for r, row in rows.items()}
    return {} if any(math.isnan(m.fresh + m.value_at) for m in references.values()) else references


def _people(percent: float, n: int) -> str:
    return numbers.count_text(round(percent * n / 100))
