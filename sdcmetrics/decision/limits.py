"""The evidence that one replica is decided from, and the statuses and words of its limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sdcmetrics.decision.state import Intruder, LimitFacts
from sdcmetrics.decision.statement import Names, Phrase, Value
from sdcmetrics.decision.status import Status, severity, worst
from sdcmetrics.measures.attacks.places import Bounded
from sdcmetrics.measures.excess.result import ExcessOfFiles
from sdcmetrics.measures.generator import Claim
from sdcmetrics.measures.homogeneity.files import HomogeneityOfFiles
from sdcmetrics.measures.homogeneity.kept_tables import KeptTables
from sdcmetrics.measures.identifiers.result import Identifiers
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.study.limits import ExcessRule, TableRule

LimitSubject = Literal["limits", "table_limits", "rules", "models"]
"""What a limit of a profile is on: disclosure, or one of three parts of utility."""


LISTED = 3
"""Names of tables, questions and limits that a sentence lists."""


@dataclass(frozen=True)
class Limited:
    """One measurement that a profile limits.

    Attributes
    ----------
    part : "limits", "table_limits", "rules" or "models"
    status : Status
        "not judged" where it could not be computed.
    words : Phrase
        What was measured, with its value: "DiSCO of vote is 48.1 %".
    owner : str
    illustrative : bool
        Whether the limit is made up to show what one looks like, so that no owner answers for it.
    keys, target : tuple of str and str
        The question, where it is on disclosure.
    """

    part: LimitSubject
    status: Status
    words: Phrase
    owner: str = ""
    illustrative: bool = False
    keys: tuple[str, ...] = ()
    target: str = ""


@dataclass(frozen=True)
class Grounds:
    """The evidence that one replica is decided from; None where it was not measured.

    Attributes
    ----------
    people, identifiers, kept, excess, tables : results of the measures
    limited : sequence of Limited
    untested : str
        Why nobody looked for people, in words; "" where somebody did.
    intruder : "passed", "failed" or ""
        How the test by a motivated intruder ended.
    claim : Claim or None
        What the generator is said to keep of differential privacy.
    bound : Bounded or None
        What the replica shows of that.
    unbounded : str
        Why it shows nothing, in words.
    sampled : bool
        Whether people were looked for on a random part of the records.
    census : bool
        Whether the original holds everybody.
    of_holdout : bool
        Whether a file of the replica is the holdout itself.
    cluster : str
        The column by which the study says that rows belong together; empty where it names none.
    large : bool
        Whether the original is too large for memory.
    lacking : tuple of str
        Columns of the original that the replica lacks, and that the study does not leave out.
    """

    people: PeopleOfFiles | None = None
    identifiers: Identifiers | None = None
    kept: KeptTables | None = None
    excess: ExcessOfFiles | None = None
    tables: HomogeneityOfFiles | None = None
    limited: Sequence[Limited] = ()
    untested: str = ""
    intruder: Intruder = ""
    claim: Claim | None = None
    bound: Bounded | None = None
    unbounded: str = ""
    sampled: bool = False
    census: bool = False
    of_holdout: bool = False
    cluster: str = ""
    large: bool = False
    lacking: tuple[str, ...] = ()
    asked_tables: TableRule | None = None
    asked_excess: ExcessRule | None = None
    judge: Literal["either", "both"] = "either"
    words: Mapping[str, Value] = field(default_factory=dict)


def limit_facts(grounds: Grounds, subject: LimitSubject, words: dict[str, Value]) -> LimitFacts:
    """Return the statuses of the limits on one part of the measures, and their words."""
    if subject == "limits":
        return _limits_on_risk(grounds, words)
    limited = [limit for limit in grounds.limited if limit.part == subject]
    if not limited:
        return LimitFacts()
    if subject == "table_limits":
        words["tables_origin"] = _origin(limited)
    return _stated(subject, limited, words)


def _stated(
    subject: LimitSubject, limited: Sequence[Limited], words: dict[str, Value]
) -> LimitFacts:
    """Return the statuses of limits, and the words on values outside them."""
    status = worst(facts.status for facts in limited)
    for answer in Status:
        of = [each for each in limited if each.status is answer]
        if of:
            words[f"{subject}_{answer.name}"] = _clauses(of)
            words[f"{subject}_{answer.name}_origin"] = _origin(of)
    besides = {facts.status for facts in limited} - {status, Status.WITHIN}
    return LimitFacts(status=status, besides=frozenset(besides))


def _limits_on_risk(grounds: Grounds, words: dict[str, Value]) -> LimitFacts:
    """Return statuses of limits on disclosure; with `judge` some count only beside an excess."""
    limited = [facts for facts in grounds.limited if facts.part == "limits"]
    if not limited:
        return LimitFacts()
    passed = [
        facts
        for facts in limited
        if severity(facts.status) > severity(Status.NOT_JUDGED) and _is_passed(grounds, facts)
    ]
    words |= {"passed": _clauses(passed), "passed_origin": _origin(passed)}
    counted = [facts for facts in limited if facts not in passed]
    facts = _stated("limits", counted, words) if counted else LimitFacts()
    return replace(facts, passed=bool(passed))


def _is_passed(grounds: Grounds, limit: Limited) -> bool:
    """Whether a limit does not count, as a copy would be noticed there and this replica was not."""
    result = grounds.excess
    if grounds.judge != "both" or grounds.asked_excess is None or result is None:
        return False
    return any(
        question.copyable and not question.flagged
        for question in result.questions
        if (set(question.keys), question.target) == (set(limit.keys), limit.target)
    )


def _clauses(limited: Sequence[Limited]) -> Phrase:
    parts: list[str | Names] = []
    for limit in limited[:LISTED]:
        parts += ["; " if parts else "", *limit.words]
    if len(limited) > LISTED:
        parts.append(f"; and {len(limited) - LISTED:,} more")
    return tuple(parts)


def _origin(limited: Sequence[Limited]) -> str:
    """Return whose the limits are, to stand after "limit": "of the unit"."""
    owned = [limit for limit in limited if not limit.illustrative]
    owners = " and ".join(dict.fromkeys(limit.owner for limit in owned if limit.owner))
    if limited and not owned:
        return "made up for illustration"
    others = ", or made up for illustration," if len(owned) < len(limited) else ""
    return f"of {owners or 'the profile'}{others}"
