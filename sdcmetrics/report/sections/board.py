"""The board's first page: one decision per replica with all that it rests on, and its status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sdcmetrics.decision.answer import RISK_WORDS, UTILITY_WORDS
from sdcmetrics.decision.answer import Answer as Decided
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES, Measure
from sdcmetrics.report.safety.cells import (
    SafeCell,
    SafeColumn,
    SafeTable,
    Words,
    as_name,
    blank,
    column,
    number,
    plain,
    table,
)
from sdcmetrics.report.sections.answers import UTILITY, said_of, statuses
from sdcmetrics.report.sections.comparison import highest_cells
from sdcmetrics.report.sections.people import copied_cell, singled_out_cell
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Status

_INSIDE = "The internal edition says why."


def chief_risks() -> list[Measure]:
    """Return the measures of risk that count for a ranking and stand beside the original's."""
    return [m for m in MEASURES.values() if m.ranked and m.baseline and m.family == DISCLOSURE_RISK]


def board_table(source: Source) -> SafeTable:
    """Return a table of the decisions: one row per replica, both answers with their statements."""
    rows = (
        (
            source.named(replica),
            _status_cell(decision.risk.status, RISK_WORDS),
            _why(source, decision.risk),
            _status_cell(decision.utility.status, UTILITY_WORDS),
            _why(source, decision.utility),
        )
        for replica, decision in source.decisions.items()
    )
    return table(
        "The decision on every replica, and why",
        (
            column("Replica", "replica"),
            column("May it be released?", "risk"),
            column("Why", "risk_reason"),
            column("Is it useful?", "utility"),
            column("Why", "utility_reason"),
        ),
        rows,
    )


def _why(source: Source, answer: Decided) -> SafeCell:
    """Return the statements that an answer rests on."""
    each = tuple(said_of(source, statement) for statement in answer.because) or ((_INSIDE,),)
    text, full = (" ".join(texts) for texts in zip(*_texts(each), strict=True))
    return SafeCell(text, "name", full=full, sentences=each)


def _texts(sentences: Iterable[Words]) -> Iterator[tuple[str, str]]:
    """Yield each sentence as shown, and in full."""
    for words in sentences:
        yield plain(words), as_name(words).full


def status_table(source: Source) -> SafeTable:
    """Return one row per replica."""
    chief = [m for m in MEASURES.values() if "first_page" in m.show]
    risks, utilities = statuses(source, "risk"), statuses(source, "utility")
    aside = any(copy.singled_out is not None for copy in source.copied)
    columns = [
        column("Replica", "replica"),
        column("Disclosure risk", "risk"),
        number("Original records in it", "copied", "the same in every value"),
    ]
    if aside:
        columns.append(number("Single people it is close to", "singled_out", "singled out"))
    for measure in chief:
        columns += _columns(measure)
    columns += [column("Utility", "utility"), column("Tables beyond review / fail", "beyond")]
    rows = []
    for replica in source.replicas:
        cells = [
            source.named(replica),
            _status_cell(risks[replica], RISK_WORDS),
            copied_cell(source, replica),
        ]
        if aside:
            cells.append(singled_out_cell(source, replica))
        for measure in chief:
            cells += highest_cells(source, replica, measure)
        cells.append(_status_cell(utilities[replica], UTILITY_WORDS))
        rows.append((*cells, _tables_beyond(source, replica)))
    meanings = " ".join(f"{m.symbol}: {m.meaning}" for m in chief)
    return table(
        "Status of every replica",
        columns,
        rows,
        f"{meanings} The decision follows from the statements on the first page. In every "
        "table, values without a mark are within the limits or not judged.",
    )


def _status_cell(status: Status, words: Mapping[Status, str]) -> SafeCell:
    word = words[status]
    detail = "" if word == status.value else word
    return SafeCell(status.value, "status", status=status, detail=detail)


def _columns(measure: Measure) -> list[SafeColumn]:
    own = measure.baseline
    return [
        number(measure.show["first_page"], measure.symbol),
        number("Original itself", own, own),
        column("Target", "target"),
    ]


def _tables_beyond(source: Source, replica: str) -> SafeCell:
    findings = [
        f
        for f in source.findings
        if f.replica == replica
        and f.family in UTILITY
        and MEASURES[f.metric].of.per == "table"
        and f.variables
        and f.status is not Status.NOT_JUDGED
    ]
    if not findings:
        return blank()
    fail = sum(f.status is Status.FAIL for f in findings)
    beyond = fail + sum(f.status is Status.REVIEW for f in findings)
    return SafeCell(f"{beyond:,} / {fail:,} of {len(findings):,}")
