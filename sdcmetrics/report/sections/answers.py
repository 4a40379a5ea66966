"""The board's two questions, and what the profile answers for every replica."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdcmetrics.measures.registry import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    MEASURES,
    SPECIFIC_UTILITY,
)
from sdcmetrics.report.safety.cells import Sentence, joined, sentence
from sdcmetrics.report.safety.protect.figures import NOT_SHOWN
from sdcmetrics.report.sections.copies import people_sentence
from sdcmetrics.report.sections.ruled import ruler_sentences
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Status
from sdcmetrics.review.verdict import RELEASABLE, USEFUL
from sdcmetrics.study.profile import Threshold

RISK = (DISCLOSURE_RISK,)
UTILITY = (GENERAL_UTILITY, SPECIFIC_UTILITY)


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the board's two questions, and the answer per replica.

    Attributes
    ----------
    question, short : str
    status : Status
        Of the best replica: whether there is one to choose.
    first : Sentence or None
        What has to be known before any limit: people of the original in a replica.
    replicas : tuple of Sentence
        Which replicas have which verdict; nothing where there is one replica.
    sentences : tuple of Sentence
        What the verdict rests on.
    """

    question: str
    short: str
    status: Status
    first: Sentence | None
    replicas: tuple[Sentence, ...]
    sentences: tuple[Sentence, ...]


def answers(source: Source) -> tuple[Answer, Answer]:
    """Return the answers to "may it be released" and "is it worth it"."""
    no_limit_on_risk = (
        f"The profile holds no limit on disclosure: nothing in it judges {_or(_chief(RISK))}. "
        "Read them beside what the original itself and the baseline would give away; how much is "
        "too much is the board\N{RIGHT SINGLE QUOTATION MARK}s decision."
    )
    no_limit_on_utility = "The profile holds no limit on utility: compare the replicas below."
    return (
        _answer(source, "May it be released?", RISK, RELEASABLE, no_limit_on_risk),
        _answer(source, "Is it worth releasing?", UTILITY, USEFUL, no_limit_on_utility),
    )


def statuses(source: Source, families: Sequence[str]) -> dict[str, Status]:
    """Return the status of every replica in some families."""
    return {verdict.replica: verdict.of(*families) for verdict in source.verdicts}


def _answer(
    source: Source,
    question: str,
    families: Sequence[str],
    words: Mapping[Status, str],
    no_limit: str,
) -> Answer:
    first = people_sentence(source) if families is RISK else None
    beside = ruler_sentences(source) if families is RISK else ()
    limits, inside = _limits(source, families), _inside_only(source, families)
    found = statuses(source, families)
    judged = [status for status in found.values() if status is not Status.NOT_JUDGED]
    best = min(judged, key=list(Status).index, default=Status.NOT_JUDGED)
    lines = _by_status(source, found, words) if len(found) > 1 else ()
    if not limits:  # and people of the original, if any, have been found
        why = inside or [sentence(no_limit)]
        short = f"This {'edition' if inside else 'profile'} does not say"
        told = (_short(found, words), best, first, lines) if judged else (short, best, first, ())
        return Answer(question, *told, (*why, *beside))
    rests = [sentence(f"Judged by {'; '.join(map(_limit_words, limits))}."), *beside]
    if source.release:
        said = families is not RISK and _limits(source, RISK)  # beside the other answer
        hidden = _hidden(source, families)
        if rest := (hidden.strip() if said else _PROTECTED + hidden):
            rests.append(sentence(rest))
    without = [one for one in _chief(families) if one not in source.profile.thresholds]
    if without and families is RISK:
        rests.append(sentence(f"Nothing in this profile judges {_or(without)}."))
    if {limit.kind for limit in limits} == {"illustration"}:
        rests.append(
            sentence(
                "These limits are made up for illustration: put your own in their place before "
                "you rely on a verdict."
            )
        )
    return Answer(question, _short(found, words), best, first, lines, (*rests, *inside))


def _hidden(source: Source, families: Sequence[str]) -> str:
    """Say of how many values protection hides the status."""
    of = [f for f in source.findings if f.family in families and f.threshold is not None]
    rounded = sum(f.status is Status.NOT_JUDGED for f in of)
    frame = source.review.frame
    limited = frame["metric"].isin([limit.metric for limit in _limits(source, families)])
    unseen = int((limited & (frame["shown"] == NOT_SHOWN)).sum())
    why = (
        (rounded, "rounding hides on which side it is", "rounding hides on which side they are"),
        (unseen, "it is not shown", "they are not shown"),
    )
    words = [f"{many:,} as {one if many == 1 else more}" for many, one, more in why if many]
    if not words:
        return ""
    return f" Not judged, of {len(of) + unseen:,} values: {', '.join(words)}."


def _short(found: Mapping[str, Status], words: Mapping[Status, str]) -> str:
    total, good = len(found), sum(status is Status.WITHIN for status in found.values())
    if total == 1:
        (status,) = found.values()
        return words[status][0].upper() + words[status][1:]
    if all(status is Status.NOT_JUDGED for status in found.values()):
        return "Not judged"
    word = words[Status.WITHIN]
    if good == total:
        return f"All {total} replicas are {word}"
    many = f"{good} of {total} replicas" if good else f"None of the {total} replicas"
    verb = "are" if good > 1 else "is"
    if hidden := sum(status is Status.NOT_JUDGED for status in found.values()):
        return f"{many} {verb} judged {word}; {hidden} not judged"
    return f"{many} {verb} {word}"


def _by_status(
    source: Source, found: Mapping[str, Status], words: Mapping[Status, str]
) -> tuple[Sentence, ...]:
    lines = []
    for status in (Status.WITHIN, Status.REVIEW, Status.FAIL, Status.NOT_JUDGED):
        names = [source.name(replica) for replica, of in found.items() if of is status]
        if names:
            parts = joined(names, last=" and ")
            lines.append(sentence(*parts, f": {words[status]}", status=status))
    return tuple(lines)


def _chief(families: Sequence[str]) -> list[str]:
    """Return the measures that count when replicas are ranked, unless a study says otherwise."""
    return [m.symbol for m in MEASURES.values() if m.ranked and m.family in families]


_PROTECTED = (
    "Statuses here follow from protected counts; near a limit, and of what is not shown, the "
    "internal edition can say otherwise."
)


def _limits(source: Source, families: Sequence[str]) -> list[Threshold]:
    """Return the limits on what was measured of some families, where the edition applies them."""
    return [t for t in _measured(source, families) if source.judges(t.metric)]


def _measured(source: Source, families: Sequence[str]) -> list[Threshold]:
    measured = set(source.measures.metrics)
    return [
        t
        for t in source.profile.thresholds.values()
        if MEASURES[t.metric].family in families and t.metric in measured
    ]


def _inside_only(source: Source, families: Sequence[str]) -> list[Sentence]:
    """Say which limits this edition does not apply, since silence would read as approval."""
    names = [t.metric for t in _measured(source, families) if not source.judges(t.metric)]
    if not names:
        return []
    words = f"Limits on {', '.join(names)} are not applied in this edition: no value of theirs is"
    return [sentence(f"{words} released.")]


def _limit_words(limit: Threshold) -> str:
    ends = (("review", limit.review), ("fail", limit.fail))
    words = [f"{word} beyond {value:g}" for word, value in ends if value is not None]
    return f"{limit.metric} ({', '.join(words)}; {limit.kind})"


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
