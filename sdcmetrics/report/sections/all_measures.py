"""Every measure of the review, also those that no other section knows: where each is worst."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from sdcmetrics.measures.measure import FAMILIES
from sdcmetrics.measures.measure import Measure as Declared
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.grid import (
    Column,
    Entry,
    Place,
    Row,
    figures,
    grid,
    listing,
    measured,
    replica_columns,
    shown_in,
    texts,
)
from sdcmetrics.report.measure import Measure
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Name,
    SafeCell,
    SafeTable,
    blank,
    column,
    joined,
    number,
    number_cell,
    p_cell,
    plain,
    three_decimals,
)
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.source import Source
from sdcmetrics.study.limits import ExcessRule, TableRule, Threshold
from sdcmetrics.study.profile import Criterion

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
    rule = column("Rule", "rule"), lambda of: of[1].rule or "its limits"
    columns: list[Entry] = [
        (column("Measure", "measure"), lambda of: of[0]),
        (number("Review beyond", "review_beyond"), lambda of: _end(of[1], "review")),
        (number("Fail beyond", "fail_beyond"), lambda of: _end(of[1], "fail")),
        *([rule] if any(limit.rule for _, limit in limits) else []),
        (column("Kind", "kind"), lambda of: of[1].kind),
        (column("Source", "source"), lambda of: of[1].source),
        (column("Owner", "owner"), lambda of: of[1].owner),
        (column("Date", "date"), lambda of: of[1].date.isoformat()),
    ]
    return listing(f"Thresholds of the profile: {profile.title}", columns, limits)


def _end(limit: Threshold | TableRule | ExcessRule, name: Literal["review", "fail"]) -> Content:
    """Return the end of a plain limit; a rule has none that judges by itself."""
    end = getattr(limit, name) if isinstance(limit, Threshold) else None
    return "none" if end is None else number_cell(end)


_GROUPS = 10


def every_measure(source: Source) -> tuple[SafeTable, ...]:
    """Return one table per family, one row per measure; nothing in checker mode."""
    if source.release:
        return ()
    shown = measured(source)
    tables = (
        _worst(
            source,
            f"{family.capitalize()}: the worst value of every measure, and where",
            [
                ((Name(m.symbol, m.symbol), _in_words(m)), {"metric": m.symbol})
                for m in shown
                if m.family == family
            ],
            _place,
        )
        for family in FAMILIES
    )
    return tuple(table for table in tables if table.rows)


def not_computed(source: Source) -> SafeTable:
    """Return the measurements that have no value, each with its reason; nothing in checker mode."""
    absent = [] if source.release else source.measures.without_value()
    return listing(
        "What could not be computed, and why",
        (
            (column("Replica", "replica"), lambda m: source.named(m.replica)),
            (column("Measure", "metric"), lambda m: Name(m.metric, m.metric)),
            (column("Of", "place"), lambda m: SafeCell(_place(source, m), "name")),
            (column("Reason", "reason"), lambda m: SafeCell(clean(m.reason), "name")),  # has names
        ),
        absent,
    )


def beside_holdout(source: Source) -> tuple[SafeTable, ...]:
    """Return the measures that declare `show={"beside_fresh": place}`, and the worst groups."""
    if source.release:
        return ()
    shown = measured(source, shown_in(source, "beside_fresh"))
    holdout = any(data.role == "holdout" for data in source.review.inputs)
    others = "the holdout" if holdout else "a copy"
    scores = _worst(
        source,
        f"Scores and distances beside {others}: where each is worst",
        [((m.symbol, m.title), {"metric": m.symbol}) for m in shown],
        _reference_words,
    )
    return tuple(table for table in (scores, _groups(source)) if table.rows)


def frame_tables(source: Source) -> tuple[SafeTable, ...]:
    """Return one table per guideline of the profile: its criteria, and what speaks to each."""
    frames = dict.fromkeys(criterion.frame for criterion in source.profile.criteria)
    return tuple(_frame(source, frame) for frame in frames)


def _frame(source: Source, frame: str) -> SafeTable:
    criteria: list[Criterion] = [
        criterion for criterion in source.profile.criteria if criterion.frame == frame
    ]
    return grid(
        source,
        f"By the criteria of {frame}",
        (column("Criterion", "criterion"), column("Measure", "metric")),
        [((c.name, metric), {"metric": metric}) for c in criteria for metric in c.measures],
        _worst_columns(source, _place),
        note=f"{'; '.join(dict.fromkeys(c.source for c in criteria))}. The worst value of every "
        "measure that speaks to a criterion; whether it is met is for people to say.",
    )


def _worst(
    source: Source, caption: str, rows: Iterable[Row], detail: Callable[[Source, Measure], str]
) -> SafeTable:
    heads = (column("Measure", "metric"), column("in words", "title"))
    return grid(source, caption, heads, rows, _worst_columns(source, detail))


def _worst_columns(source: Source, detail: Callable[[Source, Measure], str]) -> list[Column]:
    """Return a column per replica: where the measure of a row is worst."""

    def worst(replica: str, row: Place) -> Content:
        if not source.released(row["metric"]):
            return "inside only"
        return worst_cell(source, replica, row["metric"], detail)

    heads = zip(replica_columns(source), source.replicas, strict=True)
    return [(heading, partial(worst, replica)) for heading, replica in heads]


def _in_words(measure: Declared) -> str:
    """Return the title, and of a risk that cannot tell a copy from others that it cannot."""
    reference_values = measure.reference_values
    if reference_values is None or reference_values.tells != "no":
        return measure.title
    return f"{measure.title}. {reference_values.words}"


def _place(source: Source, m: Measure) -> str:
    if m.variables:
        return plain(joined(map(source.name, m.variables), " \N{MULTIPLICATION SIGN} "))
    if m.target and m.of.per not in ("model", "analysis") and not MEASURES[m.metric].any_target:
        return source.placed(m.target, m.scenario).text
    of_scenario = m.of.per == "scenario" or MEASURES[m.metric].any_target
    if of_scenario and len(source.review.scenarios) == 1:
        return ""
    return source.subject(m).text


def _reference_words(source: Source, m: Measure) -> str:
    references = m.references
    words = [plain(joined(map(source.name, m.variables)))] if m.variables else []
    if not math.isnan(references.at):
        at = numbers.plural(references.at, "record")
        words.append(f"at {at} {_brief(references.value_at)}")
    copy = references.copy if math.isnan(references.copy_at) else references.copy_at
    for name, value in (("the holdout", references.fresh), ("a copy", copy)):
        if not math.isnan(value):
            words.append(f"{name} {_brief(value)}")
    return "; ".join(words)


def _brief(value: float) -> str:
    text = numbers.with_commas(value, 3 if abs(value) < 1 else 4)
    return text.rstrip("0").rstrip(".") if "." in text else text


def worst_cell(
    source: Source,
    replica: str,
    metric: str,
    detail: Callable[[Source, Measure], str] = _place,
) -> SafeCell:
    """Return the worst value of a measure, and where that is; blank if it was not measured."""
    worst = source.measures.worst(replica, metric)
    return blank() if worst is None else replace(source.cell(worst), detail=detail(source, worst))


def _level_text(level: object) -> str:
    return level if isinstance(level, str) else "(missing)"


def _groups(source: Source) -> SafeTable:
    groups = [
        {"replica": replica, "variable": variable, "group": _level_text(row["level"]), **row}
        for (replica, variable), frames in source.inside.subgroups.items()
        for row in frames[0].to_dict("records")
        if row["note"] == "missing in the replica" or row["TVD_holm"] <= 1
    ]
    # A group that is missing comes first, then the least likely by chance.
    groups.sort(key=lambda row: -1.0 if math.isnan(row["TVD_holm"]) else row["TVD_holm"])
    return listing(
        "Groups of people that the replicas serve worst",
        [
            *texts(source.named, replica="Replica", variable="Variable", group="Group"),
            *figures(int, original="Original", synthetic="Synthetic"),
            *figures(three_decimals, TVD="TVD", TVD_null="by its size"),
            *figures(p_cell, TVD_holm="p, adjusted"),
        ],
        groups[:_GROUPS],
    )
