"""The board's first page: one decision per replica, each with its reason in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES, Measure
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    SafeCell,
    SafeTable,
    Words,
    as_name,
    blank,
    column,
    plain,
    said,
    table,
)
from sdcmetrics.report.safety.guard import in_brief, is_mean
from sdcmetrics.report.sections.answers import RISK, UTILITY, statuses
from sdcmetrics.report.sections.comparison import highest
from sdcmetrics.report.sections.copies import copied_cell, in_short, singled_out_cell
from sdcmetrics.report.sections.finding_words import limit_words, where_of
from sdcmetrics.report.sections.sizes import as_judged
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status
from sdcmetrics.review.verdict import RELEASABLE, USEFUL

_BEYOND = (Status.FAIL, Status.REVIEW)


def chief_risks() -> list[Measure]:
    """Return the measures of risk that count for a ranking and stand beside the original's."""
    return [m for m in MEASURES.values() if m.ranked and m.beside and m.family == DISCLOSURE_RISK]


def board_table(source: Source) -> SafeTable:
    """Return one row per replica: both verdicts with their reasons, and who is at risk."""
    risks, utilities = statuses(source, RISK), statuses(source, UTILITY)
    rows: list[tuple[Content, ...]] = []
    for replica in source.replicas:
        risk, utility = risks[replica], utilities[replica]
        rows.append(
            (
                source.named(replica),
                SafeCell(risk.value, "status", status=risk, detail=RELEASABLE[risk]),
                _said(_risk_reason(source, replica, risk)),
                SafeCell("; ".join(_at_risk(source, replica)) or blank().text),
                SafeCell(utility.value, "status", status=utility, detail=USEFUL[utility]),
                _said(_reason(source, replica, UTILITY, utility)),
            )
        )
    return table(
        "The decision on every replica, and why",
        (
            column("Replica", "replica"),
            column("May it be released?", "risk"),
            column("Why", "risk_reason"),
            column("Who is at risk", "at_risk", "original records"),
            column("Is it worth it?", "utility"),
            column("Why", "utility_reason"),
        ),
        rows,
    )


def _said(words: Words) -> SafeCell:
    return SafeCell(plain(words), "name", full=as_name(words).full)


def _risk_reason(source: Source, replica: str, status: Status) -> Words:
    words = _reason(source, replica, RISK, status)
    found = source.copying.get(replica)
    if found is None or not found.alarming:
        return words
    people = f"{found.words}{in_short(source, found)}"
    judged = any(f.status is not Status.NOT_JUDGED for f in _limited(source, replica, RISK))
    return (f"It {people}. ", *words) if judged else (f"It {people}.",)


def _limited(source: Source, replica: str, families: Sequence[str]) -> list[Finding]:
    return [
        f
        for f in source.findings
        if f.replica == replica and f.family in families and f.threshold is not None
    ]


def _reason(source: Source, replica: str, families: Sequence[str], status: Status) -> Words:
    of = _limited(source, replica, families)
    beyond = [f for f in of if f.status in _BEYOND]
    if beyond:
        judged = sum(f.status is not Status.NOT_JUDGED for f in of)
        return (*_worst(source, beyond[0]), _of_all(len(beyond), judged))
    if status is Status.NOT_JUDGED:
        hidden = sum(f.status is Status.NOT_JUDGED for f in of)
        if hidden:
            return (f"Rounding hides on which side of a limit {_values(hidden)}.",)
        return ("The profile holds no limit on it.",)
    within = sum(f.status is Status.WITHIN for f in of)
    return (f"{numbers.plural(within, 'value')} judged, none beyond a limit.",)


def _values(count: int) -> str:
    return f"{count:,} {'value lies' if count == 1 else 'values lie'}"


def _worst(source: Source, finding: Finding) -> Words:
    found = source.measures.of(finding)
    cell = source.cell(found) if found is not None else blank()
    value = "a value that is not shown" if cell.kind == "hidden" else said(cell)
    where = where_of(source, finding)
    size = as_judged(source, finding)
    return (
        f"{finding.metric} {value}",
        *where,
        f" ({f'{size}: ' if size else ''}{limit_words(finding)})",
    )


def _of_all(beyond: int, judged: int) -> str:
    if beyond > 1:
        return f"; {beyond:,} of {judged:,} values judged are beyond a limit."
    return f"; the only one of {judged:,} values judged." if judged > 1 else "."


def _at_risk(source: Source, replica: str) -> Iterator[str]:
    """Yield how many original records each way of looking finds at risk."""
    for cell, what in (
        (copied_cell(source, replica), "copied"),
        (singled_out_cell(source, replica), "singled out"),
    ):
        if cell.number or cell.kind == "hidden":
            yield f"{what} {cell.text}"
    for measure in chief_risks():
        found = highest(source, replica, measure.symbol)
        if found is not None:
            scenario, target = found
            cell = source.risk(replica, measure.symbol, scenario.name, target)
            if cell.number or cell.kind == "hidden":
                many = re.sub(r" records?$", "", in_brief(cell).detail) or cell.text
                yield f"{measure.symbol} {many}{' (mean)' if is_mean(cell) else ''}"
