"""Which measures stand in a part of the report, and under which headings: `Measure.show` says."""

from __future__ import annotations

from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.report.safety.cells import SafeColumn, number
from sdcmetrics.report.source import Source


def shown_in(source: Source, part: str) -> list[Measure]:
    """Return the measures that declare their place in a part of the report, in its order.

    In a release only those that declare how they may be handed out: others are not even named.
    """
    found = [m for m in MEASURES.values() if part in m.show and source.released(m.symbol)]
    return sorted(found, key=lambda one: one.show[part])


def columns_in(source: Source, part: str) -> list[SafeColumn]:
    """Return a column per measure of a part, for which `show` has a heading and a remark."""
    return [
        number(title, one.symbol, detail)
        for one in shown_in(source, part)
        for _, title, detail in [one.show[part]]
    ]


def chief_of_disclosure() -> Measure:
    """Return the measure of what is learnt of people that the first page shows first."""
    return next(one for one in MEASURES.values() if "first_page" in one.show)
