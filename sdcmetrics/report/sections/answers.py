"""The board's three questions, and what is decided on every replica: one procedure, its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sdcmetrics.decision.answer import WORDS
from sdcmetrics.decision.answer import Answer as Decided
from sdcmetrics.decision.choice import QUESTION, Ordered, choose
from sdcmetrics.decision.statement import Names, Statement
from sdcmetrics.decision.status import Status, severity
from sdcmetrics.decision.table import Question
from sdcmetrics.measures.registry import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    MEASURES,
    SPECIFIC_UTILITY,
)
from sdcmetrics.report.safety.cells import Name, Sentence, Words, joined, sentence
from sdcmetrics.report.sections.disclosure import ruler_sentences
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Study

RISK = (DISCLOSURE_RISK,)
UTILITY = (GENERAL_UTILITY, SPECIFIC_UTILITY)

_FAMILIES: Mapping[Question, tuple[str, ...]] = {"risk": RISK, "utility": UTILITY}


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the board's three questions, and the answer.

    Attributes
    ----------
    question : str
    short : Words
        The answer in a line, which names the replicas that it speaks of.
    status : Status
        Of the best replica: whether there is one to choose.
    replicas : tuple of Sentence
        Which replicas have which answer, nothing where there is one replica; of the third
        question what stands beside its answer.
    sentences : tuple of Sentence
        What the answers rest on: every statement that is true, replica by replica.
    rests : tuple of Sentence
        Whose limits and rules were asked.
    """

    question: str
    short: Words
    status: Status
    replicas: tuple[Sentence, ...]
    sentences: tuple[Sentence, ...]
    rests: tuple[Sentence, ...]


def answers(source: Source, ranking: Ordered | None = None) -> tuple[Answer, ...]:
    """Return the answers to "may it be released", "is it useful" and "which replica"."""
    return (
        _answer(source, "May it be released?", "risk"),
        _answer(source, "Is it useful?", "utility"),
        *_which(source, ranking),
    )


def _which(source: Source, ranking: Ordered | None) -> Iterator[Answer]:
    choice = choose(source.decisions.values(), ranking, protected=source.release)
    if choice is not None:
        besides = tuple(sentence(*said_of(source, part)) for part in choice.besides)
        short = said_of(source, choice.short)
        yield Answer(QUESTION, short, choice.status, besides, (), ())


def statuses(source: Source, question: Question) -> dict[str, Status]:
    """Return the status of every replica on a question."""
    return {
        replica: (decision.risk if question == "risk" else decision.utility).status
        for replica, decision in source.decisions.items()
    }


def said_of(source: Source, statement: Statement) -> Words:
    """Return a statement with its names as they are shown."""
    words: Words = ()
    for part in statement.parts():
        words += joined(map(source.name, part.names)) if isinstance(part, Names) else (part,)
    return words


def _answer(source: Source, title: str, question: Question) -> Answer:
    status = statuses(source, question)
    lines = _by_status(source, status, question) if len(status) > 1 else ()
    best = min(status.values(), key=severity, default=Status.NOT_JUDGED)
    return Answer(
        title,
        _short(status, question, source.name),
        best,
        lines,
        tuple(_statements(source, question)),
        tuple(_rests(source, question)),
    )


def _statements(source: Source, question: Question) -> Iterator[Sentence]:
    """Yield all that is stated, those that an answer rests on first."""
    decided: list[tuple[str, Decided]] = [
        (replica, decision.risk if question == "risk" else decision.utility)
        for replica, decision in source.decisions.items()
    ]
    several = len(decided) > 1
    for replica, decision in decided:
        start: Words = (source.name(replica), ": ") if several else ()
        for statement in decision.statements:
            words = said_of(source, statement)
            yield sentence(*start, *words, status=statement.status)


_SHORT: Mapping[Question, Mapping[Status, tuple[str, str]]] = {
    "risk": {
        Status.WITHIN: (
            "There is no objection to {number} of {of} replicas: ",
            "There is no objection to any of the {of} replicas",
        ),
        Status.NOT_JUDGED: (
            "None of {of} replicas is free of objections; not judged, which is no approval: ",
            "None of the {of} replicas was judged, which is no approval",
        ),
        Status.REVIEW: (
            "None of {of} replicas may go out without a closer look; nearest to it: ",
            "None of the {of} replicas may go out without a closer look",
        ),
        Status.FAIL: ("", "No, none of the {of} replicas"),
    },
    "utility": {
        Status.WITHIN: (
            "{number} of {of} replicas {is} useful as far as tested: ",
            "All {of} replicas are useful as far as tested",
        ),
        Status.NOT_JUDGED: (
            "None of {of} replicas is shown to be useful; not judged: ",
            "The use of the {of} replicas was not judged",
        ),
        Status.REVIEW: (
            "None of {of} replicas is useful without a look first; nearest to it: ",
            "None of the {of} replicas is useful without a look first",
        ),
        Status.FAIL: ("", "None of the {of} replicas is useful for what is named"),
    },
}
"""The answer in a line: where some of the replicas have the best status, and where all have it."""

_LINES: Mapping[Question, Mapping[Status, str]] = {
    "risk": {
        Status.WITHIN: "There is no objection to {names}.",
        Status.NOT_JUDGED: "{names} {was} not judged, which is no approval.",
        Status.REVIEW: "{names} may not go out without a closer look.",
        Status.FAIL: "{names} may not go out.",
    },
    "utility": {
        Status.WITHIN: "{names} {is} useful as far as tested.",
        Status.NOT_JUDGED: "{names} {was} not judged.",
        Status.REVIEW: "{names} {differs} from the original: look first.",
        Status.FAIL: "{names} {is} not useful for what is named.",
    },
}
"""What is stated of the replicas of a status, with verbs as for one of them."""
_VERBS = {"is": "are", "was": "were", "differs": "differ"}
"""Each verb of these lines, as it is of several."""
_NAMED = 4
"""Names that the answer in a line holds; the lines below it have all."""


def _short(status: Mapping[str, Status], question: Question, name: Callable[[str], Name]) -> Words:
    """Return the answer in a line: of several replicas, which have the best one."""
    best = min(status.values(), key=severity, default=Status.NOT_JUDGED)
    if len(status) == 1:
        words = WORDS[question][best]
        return (words[0].upper() + words[1:],)
    names = [name(replica) for replica, statu in status.items() if statu is best]
    some, all_of_them = _SHORT[question][best]
    number = len(names)
    filled = {"number": number, "of": len(status), "is": "is" if number == 1 else "are"}
    if number == len(status):
        return (all_of_them.format(**filled),)
    return (some.format(**filled), *_listed(names))


def _listed(names: Sequence[Name]) -> Words:
    """Return names in a sentence; many are counted."""
    if len(names) <= _NAMED:
        return joined(names, last=" and ")
    return (*joined(names[:_NAMED]), f" and {len(names) - _NAMED} more")


def _by_status(
    source: Source, status: Mapping[str, Status], question: Question
) -> tuple[Sentence, ...]:
    """Return a line per status with all replicas that have it."""
    lines = []
    for verdict in Status:
        names = [source.name(replica) for replica, of in status.items() if of is verdict]
        if names:
            start, _, end = _LINES[question][verdict].partition("{names}")
            verbs = {verb: verb if len(names) == 1 else of for verb, of in _VERBS.items()}
            words = (start, *joined(names, last=" and "), end.format(**verbs))
            lines.append(sentence(*words, status=verdict))
    return tuple(lines)


def _rests(source: Source, question: Question) -> Iterator[Sentence]:
    """Yield whose limits and rules were applied, and how often chance reaches them."""
    profile = source.profile
    rules: list[str] = []
    study = source.review.study
    sample = study.sample if isinstance(study, Study) else None
    whole = not {"cluster", "household", "person"}.isdisjoint(study.roles)
    whole = whole and (sample is None or bool(sample.together))
    if question == "utility" and profile.tables is not None:
        rule = profile.tables
        rules.append(
            f"tables beside chance (p \N{LESS-THAN OR EQUAL TO} {rule.chance:g} over all) and size "
            f"(w above {rule.size_review:g}; its lower limit above {rule.size_fail:g} fails; "
            f"{rule.kind})"
        )
    excess = profile.excess if question == "risk" else None
    # Rows that belong together are exchanged as a whole, and then nobody is alone with his keys.
    metrics = [name for name in excess.metrics if name != "repU" or not whole] if excess else []
    if excess is not None and metrics:
        points = "1 point" if excess.excess == 1 else f"{excess.excess:g} points"
        rules.append(
            f"{' and '.join(metrics)} beside people who were not in the original "
            f"({points} or more, p \N{LESS-THAN OR EQUAL TO} {excess.chance:g}; "
            f"it fails from {excess.excess_share:g} of what the original itself would add; "
            "without a holdout other people of the original stand in, and it fails only beside a "
            "claim about people; "
            f"{excess.kind}, no published limit)"
        )
    measured = set(source.measures.metrics)
    families = _FAMILIES[question]
    limits = [
        threshold
        for threshold in profile.thresholds.values()
        if MEASURES[threshold.metric].family in families and threshold.metric in measured
    ]
    for limit in limits:
        ends = (("review", limit.review), ("fail", limit.fail))
        words = ", ".join(f"{word} beyond {end:g}" for word, end in ends if end is not None)
        if limit.chance is not None:
            at_most = f"p \N{LESS-THAN OR EQUAL TO} {limit.chance:g}"
            words += f", and {at_most} where people break a rule and it has a p"
        rules.append(f"{limit.metric} ({words}; {limit.kind})")
    if rules:
        what = "Disclosure" if question == "risk" else "Usefulness"
        yield sentence(f"{what} is judged by {'; '.join(rules)}.")
    if excess is not None and len(metrics) < len(excess.metrics):
        yield sentence("Where rows belong together repU is not judged.")
    if {limit.kind for limit in limits} == {"illustration"}:
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
        "the study does not name that column" in statement.text
        for decision in source.decisions.values()
        for statement in (*decision.risk.statements, *decision.utility.statements)
    )
