"""Methods and limits: what each measure means, where it is from, and what it does not see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety.cells import Content, SafeTable, column, number, number_cell, table
from sdcmetrics.report.source import Source
from sdcmetrics.study.limits import ExcessRule, TableRule, Threshold

_AT_MOST = "\N{LESS-THAN OR EQUAL TO}"

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
            ("Where", metric.where),
            ("Limits", metric.limits),
            ("Source", metric.source),
            ("In synthpop", synthpop),
            ("Differs", metric.twin.differs if metric.twin else ""),
        )
        shown = tuple((heading, text) for heading, text in facts if text)
        out.append(Method(metric.symbol, metric.title, metric.family, metric.meaning, shown))
    return tuple(out)


def thresholds_table(source: Source) -> SafeTable:
    """Return the limits and rules of the profile with who answers for them."""
    profile = source.profile
    limits: list[tuple[str, Threshold | TableRule | ExcessRule]] = [*profile.thresholds.items()]
    if profile.tables is not None:
        limits.append((profile.tables.metric, profile.tables))
    if profile.excess is not None:
        limits += [(metric, profile.excess) for metric in profile.excess.metrics]
    ruled = any(limit.rule for _, limit in limits)
    rows = (
        (
            metric,
            _end(limit, "review"),
            _end(limit, "fail"),
            *((limit.rule or "its limits",) if ruled else ()),
            limit.kind,
            limit.source,
            limit.owner,
            limit.date.isoformat(),
        )
        for metric, limit in limits
    )
    columns = (
        column("Measure", "measure"),
        number("Review beyond", "review_beyond"),
        number("Fail beyond", "fail_beyond"),
        *((column("Rule", "rule"),) if ruled else ()),
        *(column(title, title.lower()) for title in ("Kind", "Source", "Owner", "Date")),
    )
    return table(
        f"Thresholds of the profile: {source.profile.title}",
        columns,
        rows,
    )


def _end(limit: Threshold | TableRule | ExcessRule, name: Literal["review", "fail"]) -> Content:
    """Return the end of a plain limit; a rule has none that judges by itself."""
    end = getattr(limit, name) if isinstance(limit, Threshold) else None
    return "none" if end is None else number_cell(end)
