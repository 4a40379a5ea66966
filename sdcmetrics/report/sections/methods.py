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
    limits: list[tuple[str, str, Threshold | TableRule | ExcessRule]] = [
        (threshold.metric, _rule_of_chance(threshold), threshold)
        for threshold in profile.thresholds.values()
    ]
    if profile.tables is not None:
        limits.append((profile.tables.metric, _rule_of_tables(profile.tables), profile.tables))
    if profile.excess is not None:
        words = _rule_of_excess(profile.excess)
        limits += [(metric, words, profile.excess) for metric in profile.excess.metrics]
    ruled = any(words for _, words, _ in limits)
    rows = (
        (
            metric,
            _end(limit, "review"),
            _end(limit, "fail"),
            *((words or "its limits",) if ruled else ()),
            limit.kind,
            limit.source,
            limit.owner,
            limit.date.isoformat(),
        )
        for metric, words, limit in limits
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


def _rule_of_chance(limit: Threshold) -> str:
    if limit.chance is None:
        return ""
    return (
        "its limits; where people break the rule, too, and it has a p, only with p "
        f"{_AT_MOST} {limit.chance:g} over all such rules of a replica"
    )


def _rule_of_tables(rule: TableRule) -> str:
    return (
        f"review: above {rule.review:g}, p {_AT_MOST} {rule.chance:g} over all tables of a replica "
        f"and w above {rule.size_review:g}; fail: the lower limit of w above {rule.size_fail:g}"
    )


def _rule_of_excess(rule: ExcessRule) -> str:
    points = "1 point" if rule.excess == 1 else f"{rule.excess:g} points"
    return (
        f"review: {points} or more above people "
        "who were not in the original, "
        f"p {_AT_MOST} {rule.chance:g} over all questions of a replica; fail: more than "
        f"{rule.excess_share:g} of what the original itself would add"
    )
