"""The first page: may it be released, is it worth it, what is worst, what was not checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sdcmetrics.decision.answer import Decision as Decided
from sdcmetrics.decision.choice import Ordered
from sdcmetrics.decision.record import record
from sdcmetrics.decision.statement import Statement
from sdcmetrics.report.safety.cells import Name, SafeTable, Sentence, as_name
from sdcmetrics.report.sections.answers import Answer, answers, said_of
from sdcmetrics.report.sections.board import board_table, status_table
from sdcmetrics.report.sections.finding_words import (
    risk_sentences,
    unjudged_sentences,
    utility_sentences,
)
from sdcmetrics.report.sections.holdout import holdout_findings
from sdcmetrics.report.sections.levels import level_sentences
from sdcmetrics.report.sections.people import people_sentences
from sdcmetrics.report.sections.unchecked import not_checked
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Status

_FIRST = 4


@dataclass(frozen=True, slots=True)
class Findings:
    """The worst findings of one family, in words; `more` has the others."""

    heading: str
    worst: tuple[Sentence, ...]
    more: tuple[Sentence, ...]
    none: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The first page: answers, findings, and what was not checked.

    `people` names the replicas of which people of the original are claimed; `decided` is what the
    decisions are as plain values, for files.
    """

    answers: tuple[Answer, ...]
    board: SafeTable
    grid: SafeTable
    findings: tuple[Findings, ...]
    unchecked: tuple[Sentence, ...]
    people: tuple[Name, ...]
    decided: tuple[dict[str, Any], ...]


def decision(source: Source, ranking: Ordered | None = None) -> Decision:
    """Return the decision page: people first, then the limits, then what nothing judges."""
    people = people_sentences(source)
    beside_holdout = [
        *people,
        *(finding for finding in holdout_findings(source) if finding not in people),
    ]
    risks = [
        *people,
        *unjudged_sentences(source, tested=True),
        *(replace(finding, link="fresh") for finding in beside_holdout[len(people) :]),
        *level_sentences(source),
        *risk_sentences(source, Status.FAIL),
        *risk_sentences(source, Status.REVIEW),
        *unjudged_sentences(source, tested=False),
    ]
    gaps = list(utility_sentences(source))
    return Decision(
        answers=answers(source, ranking),
        board=board_table(source),
        grid=status_table(source),
        findings=(
            _first("What could be disclosed", risks, "No measure is beyond a limit."),
            _first("What differs from the original", gaps, "No table is beyond a limit."),
        ),
        unchecked=not_checked(source),
        decided=tuple(_plain(source, decision) for decision in source.decisions.values()),
        people=tuple(source.name(r) for r, held in source.held.items() if held.alarming),
    )


def _plain(source: Source, decided: Decided) -> dict[str, Any]:
    """Return a decision as plain values; inside, with the facts that it follows from."""

    def texts(statements: Iterable[Statement]) -> list[str]:
        return [as_name(said_of(source, statement)).full for statement in statements]

    answers = {
        name: {
            "status": part.status.value,
            "answer": part.words,
            "because": texts(part.because),
            "besides": texts(part.besides),
        }
        for name, part in (("risk", decided.risk), ("utility", decided.utility))
    }
    answers["risk"]["basis"] = decided.basis
    out = {"replica": source.name(decided.replica).full, "status": decided.status.value, **answers}
    state = source.states.get(decided.replica)
    if state is not None:
        out["facts"] = record(state, source.profile.tables, source.profile.excess)
    return out


def _first(heading: str, sentences: list[Sentence], none: str) -> Findings:
    return Findings(heading, tuple(sentences[:_FIRST]), tuple(sentences[_FIRST:]), none)
