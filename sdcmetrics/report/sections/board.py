"""The board's first page: one decision per replica, each with all that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sdcmetrics.decision.answer import RISK_WORDS, UTILITY_WORDS
from sdcmetrics.decision.answer import Answer as Decided
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES, Measure
from sdcmetrics.report.safety.cells import (
    Content,
    SafeCell,
    SafeTable,
    Words,
    as_name,
    column,
    plain,
    table,
)
from sdcmetrics.report.sections.answers import said_of
from sdcmetrics.report.source import Source

_INSIDE = "The internal edition says why."


def chief_risks() -> list[Measure]:
    """Return the measures of risk that count for a ranking and stand beside the original's."""
    return [m for m in MEASURES.values() if m.ranked and m.baseline and m.family == DISCLOSURE_RISK]


def board_table(source: Source) -> SafeTable:
    """Return one row per replica: both answers with what they rest on."""
    rows: list[tuple[Content, ...]] = []
    for replica, decision in source.decisions.items():
        risk, utility = decision.risk, decision.utility
        rows.append(
            (
                source.named(replica),
                SafeCell(
                    risk.status.value,
                    "status",
                    status=risk.status,
                    detail=RISK_WORDS[risk.status],
                ),
                _why(source, risk),
                SafeCell(
                    utility.status.value,
                    "status",
                    status=utility.status,
                    detail=UTILITY_WORDS[utility.status],
                ),
                _why(source, utility),
            )
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
