"""Methods and limits: what each measure means, where it is from, and what it does not see."""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety.cells import SafeTable, column, number, number_cell, table
from sdcmetrics.report.source import Source

_DIRECTION = {
    "lower": "lower is better",
    "higher": "higher is better",
    "none": "neither better nor worse; it helps to read others",
}


@dataclass(frozen=True, slots=True)
class Method:
    """One measure, explained: (heading, text) pairs, empty texts left out."""

    symbol: str
    title: str
    family: str
    meaning: str
    facts: tuple[tuple[str, str], ...]


def methods(source: Source) -> tuple[Method, ...]:
    """Return the measures that this report shows, in the catalogue's order."""
    used = set(source.measures.metrics)
    out = []
    for metric in MEASURES.values():
        if metric.symbol not in used or not source.released(metric.symbol):
            continue
        unit = f", {metric.unit}" if metric.unit else ""
        synthpop = f"equals {metric.twin.words}" if metric.twin else ""
        facts = (
            ("Range", f"{metric.range}{unit}; {_DIRECTION[metric.better]}"),
            ("Formula", metric.formula),
            ("Limits", metric.limits),
            ("Source", metric.source),
            ("In synthpop", synthpop),
            ("Differs", metric.twin.differs if metric.twin else ""),
        )
        shown = tuple((heading, text) for heading, text in facts if text)
        out.append(Method(metric.symbol, metric.title, metric.family, metric.meaning, shown))
    return tuple(out)


def thresholds_table(source: Source) -> SafeTable:
    """Return the thresholds of the profile with who answers for them."""
    rows = (
        (
            t.metric,
            "none" if t.review is None else number_cell(t.review),
            "none" if t.fail is None else number_cell(t.fail),
            t.kind,
            t.source,
            t.owner,
            t.date.isoformat(),
        )
        for t in source.profile.thresholds.values()
    )
    columns = (
        column("Measure", "measure"),
        number("Review beyond", "review_beyond"),
        number("Fail beyond", "fail_beyond"),
        *(column(title, title.lower()) for title in ("Kind", "Source", "Owner", "Date")),
    )
    return table(
        f"Thresholds of the profile: {source.profile.title}",
        columns,
        rows,
        "A measure without a threshold is not judged. That is not an approval.",
    )
