"""A copy and fresh people beside the risks: columns, ticks, and the sentence of the first page.

Every mark is a fact about the original or the holdout, so nothing of this is in a release.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from sdcmetrics.measures.yardstick import Marks
from sdcmetrics.report.figures.charts import Dot, Panel, Reference, Row
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    SafeCell,
    SafeColumn,
    Sentence,
    number,
    percent_of,
    sentence,
)
from sdcmetrics.report.sections.fresh_cells import p_cell
from sdcmetrics.report.sections.shown import chief_of_disclosure
from sdcmetrics.report.source import Source


def columns_of_marks(
    source: Source, metric: str, scenario: str, target: str
) -> list[tuple[SafeColumn, dict[str, SafeCell]]]:
    """Return columns with a cell per replica; none in a release, or without a holdout."""
    marks = _marks(source, metric, scenario, target)
    if not marks:
        return []
    sizes = {one.at for one in marks.values()}
    at = f"at {numbers.count_text(sizes.pop())} records" if len(sizes) == 1 else "at equal sizes"
    columns = (
        (number(f"{metric} {at}", "value_at", metric), "value_at"),
        (number("of a copy", "copy_at", "verbatim"), "copy_at"),
        (number("of fresh people", "fresh", "holdout"), "fresh"),
    )
    found = [
        (column, {r: percent_of(getattr(one, name)) for r, one in marks.items()})
        for column, name in columns
    ]
    p = {r: p_cell(one.p) for r, one in marks.items()}
    return [*found, (number("p", "p", "beside fresh"), p)]


def ruled_panels(
    source: Source, metrics: Iterable[str], scenario: str, target: str
) -> tuple[Panel, ...]:
    """Return a panel per measure, of the values at as many records, with two ticks each."""
    panels = []
    for metric in metrics:
        marks = _marks(source, metric, scenario, target)
        rows = tuple(
            Row(
                source.name(replica).text,
                _dot(one.value_at),
                (
                    Reference("copy", _dot(one.copy_at)),
                    Reference("fresh", _dot(one.fresh), dashed=True),
                ),
            )
            for replica, one in marks.items()
        )
        if rows:
            key = "At as many records each. Ticks: a verbatim copy (solid), fresh people (dashed)."
            panels.append(Panel(f"{metric} beside a copy and fresh people", (), rows, key))
    return tuple(panels)


def ruler_sentences(source: Source) -> tuple[Sentence, ...]:
    """Say how many people the riskiest replica discloses, beside a copy and fresh people."""
    chief = chief_of_disclosure()
    found = [
        (one.value, replica, scenario, target)
        for replica in source.replicas
        for scenario, target in source.targets
        if (one := source.measures.risk(replica, chief.symbol, scenario.name, target)) is not None
        and one.value is not None
    ]
    if source.release or not found:
        return ()
    _, replica, scenario, target = max(found, key=lambda item: item[0])
    n = source.review.n_original
    place = (source.name(target), *source.within(scenario.name))
    marks = _marks(source, chief.symbol, scenario.name, target).get(replica)
    if marks is None:
        own = source.measures.risk(replica, chief.beside, scenario.name, target)
        if own is None or own.value is None:
            return ()
        return (
            sentence(
                f"A verbatim copy would disclose {_people(own.value, n)} of {n:,} people (",
                *place,
                "). A holdout would show how many fresh people disclose.",
            ),
        )
    people = _people(marks.value_at, n)
    return (
        sentence(
            f"Of {n:,} people, {people} {'is' if people == '1' else 'are'} disclosed (",
            *place,
            f") by {numbers.count_text(marks.at)} {'record' if marks.at == 1 else 'records'} of ",
            source.name(replica),
            f"; by a copy of that size {_people(marks.copy_at, n)}, by as many fresh people "
            f"{_people(marks.fresh, n)}.",
        ),
    )


def _marks(source: Source, metric: str, scenario: str, target: str) -> dict[str, Marks]:
    if source.release:
        return {}
    found = {r: source.measures.risk(r, metric, scenario, target) for r in source.replicas}
    marks = {r: Marks() if one is None else one.marks for r, one in found.items()}
    return {} if any(math.isnan(one.fresh + one.value_at) for one in marks.values()) else marks


def _people(percent: float, n: int) -> str:
    return numbers.count_text(round(percent * n / 100))


def _dot(percent: float) -> Dot:
    return Dot(percent, numbers.percent_text(percent))
