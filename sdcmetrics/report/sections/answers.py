"""The board's two questions, and what is decided on every replica: one procedure, its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sdcmetrics.decision.answer import RISK_WORDS, UTILITY_WORDS, WORDS
from sdcmetrics.decision.answer import Answer as Decided
from sdcmetrics.decision.sentences import Question
from sdcmetrics.decision.statement import Names, Statement
from sdcmetrics.decision.status import Status, severity
from sdcmetrics.measures.registry import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    MEASURES,
    SPECIFIC_UTILITY,
)
from sdcmetrics.report.safety.cells import Sentence, Words, joined, sentence
from sdcmetrics.report.sections.disclosure import ruler_sentences
from sdcmetrics.report.source import Source

RISK = (DISCLOSURE_RISK,)
UTILITY = (GENERAL_UTILITY, SPECIFIC_UTILITY)

_FAMILIES: Mapping[Question, tuple[str, ...]] = {"risk": RISK, "utility": UTILITY}


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the board's two questions, and the answer per replica.

    Attributes
    ----------
    question, short : str
    status : Status
        Of the best replica: whether there is one to choose.
    replicas : tuple of Sentence
        Which replicas have which answer; nothing where there is one replica.
    sentences : tuple of Sentence
        What the answers rest on: every statement that is true, replica by replica.
    rests : tuple of Sentence
        Whose limits and rules were asked.
    """

    question: str
    short: str
    status: Status
    replicas: tuple[Sentence, ...]
    sentences: tuple[Sentence, ...]
    rests: tuple[Sentence, ...]


def answers(source: Source) -> tuple[Answer, Answer]:
    """Return the answers to "may it be released" and "is it useful"."""
    return (
        _answer(source, "May it be released?", "risk"),
        _answer(source, "Is it useful?", "utility"),
    )


def statuses(source: Source, question: Question) -> dict[str, Status]:
    """Return the status of every replica on a question."""
    return {
        replica: (one.risk if question == "risk" else one.utility).status
        for replica, one in source.decisions.items()
    }


def said_of(source: Source, statement: Statement) -> Words:
    """Return a statement with its names as they are shown."""
    words: Words = ()
    for part in statement.parts():
        words += joined(map(source.name, part.names)) if isinstance(part, Names) else (part,)
    return words


def _answer(source: Source, title: str, question: Question) -> Answer:
    status = statuses(source, question)
    lines = _by_status(source, status, WORDS[question]) if len(status) > 1 else ()
    best = min(status.values(), key=severity, default=Status.NOT_JUDGED)
    return Answer(
        title,
        _short(status, question),
        best,
        lines,
        tuple(_statements(source, question)),
        tuple(_rests(source, question)),
    )


def _statements(source: Source, question: Question) -> Iterator[Sentence]:
    """Yield all that is stated, those that an answer rests on first."""
    decided: list[tuple[str, Decided]] = [
        (replica, one.risk if question == "risk" else one.utility)
        for replica, one in source.decisions.items()
    ]
    several = len(decided) > 1
    for replica, one in decided:
        start: Words = (source.name(replica), ": ") if several else ()
        for statement in one.statements:
            words = said_of(source, statement)
            yield sentence(*start, *words, status=statement.status)


def _short(found: Mapping[str, Status], question: Question) -> str:
    """Return the answer in a line: of several replicas how many have which."""
    words = RISK_WORDS if question == "risk" else UTILITY_WORDS
    counts = {status: sum(one is status for one in found.values()) for status in Status}
    given = {status: count for status, count in counts.items() if count}
    if len(found) == 1 or len(given) == 1:
        (status, *_) = given
        start = words[status][0].upper() + words[status][1:]
        return start if len(found) == 1 else f"{start}: all {len(found)} replicas"
    return f"Of {len(found)} replicas, " + "; ".join(
        f"{count}: {words[status]}" for status, count in given.items()
    )


def _by_status(
    source: Source, found: Mapping[str, Status], words: Mapping[Status, str]
) -> tuple[Sentence, ...]:
    lines = []
    for status in Status:
        names = [source.name(replica) for replica, of in found.items() if of is status]
        if names:
            which = joined(names, last=" and ")
            lines.append(sentence(*which, f": {words[status]}", status=status))
    return tuple(lines)


def _rests(source: Source, question: Question) -> Iterator[Sentence]:
    """Say whose limits and rules were asked, and how often chance answers."""
    profile = source.profile
    rules: list[str] = []
    if question == "utility" and profile.tables is not None:
        rule = profile.tables
        rules.append(
            f"tables beside chance (p \N{LESS-THAN OR EQUAL TO} {rule.chance:g} over all) and size "
            f"(w above {rule.size_review:g}; its lower limit above {rule.size_fail:g} fails; "
            f"{rule.kind})"
        )
    if question == "risk" and profile.excess is not None:
        excess = profile.excess
        points = "1 point" if excess.excess == 1 else f"{excess.excess:g} points"
        rules.append(
            f"{' and '.join(excess.metrics)} beside people who were not in the original "
            f"({points} or more, p \N{LESS-THAN OR EQUAL TO} {excess.chance:g}; "
            f"{excess.kind}, no published limit)"
        )
    measured = set(source.measures.metrics)
    families = _FAMILIES[question]
    limits = [
        one
        for one in profile.thresholds.values()
        if MEASURES[one.metric].family in families and one.metric in measured
    ]
    for one in limits:
        ends = (("review", one.review), ("fail", one.fail))
        words = ", ".join(f"{word} beyond {end:g}" for word, end in ends if end is not None)
        rules.append(f"{one.metric} ({words}; {one.kind})")
    if rules:
        what = "Disclosure" if question == "risk" else "Usefulness"
        yield sentence(f"{what} is judged by {'; '.join(rules)}.")
    if {one.kind for one in limits} == {"illustration"}:
        yield sentence(
            "These limits are made up for illustration: put your own in their place before you "
            "rely on a verdict."
        )
    if question == "risk":
        yield from ruler_sentences(source)
        if not source.release and not _clusters_unnamed(source):
            yield sentence(
                "By chance about one in fifty replicas made only of people who were not in the "
                "original is called for a closer look for risk, and one in a hundred for "
                "usefulness; limits of your own are not counted."
            )
    if source.release and question == "risk":
        yield sentence(
            "The answers are those of the internal edition, which states what they rest on."
        )


def _clusters_unnamed(source: Source) -> bool:
    """Whether rows seem to belong together that the study does not name: no rate holds then."""
    return any(
        "belong together" in statement.text
        for one in source.decisions.values()
        for statement in (*one.risk.statements, *one.utility.statements)
    )
