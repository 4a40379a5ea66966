"""The third answer, which replica to choose: from the decisions on all, and a ranking.

Every true sentence is stated, and exactly one of `ANSWERS` is true:
`tests/decision/test_choice.py` walks over all combinations of statuses and orders.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sdcmetrics.decision.answer import Decision
from sdcmetrics.decision.choice_sentences import ANSWERS, BESIDES, Candidates, Row
from sdcmetrics.decision.statement import Names, Statement, Value
from sdcmetrics.decision.status import Status, severity

QUESTION = "Which replica?"

_LISTED = 3
"""Names that an answer lists; the others are counted."""


class Ordered(Protocol):
    """A ranking of the replicas that are decided on."""

    @property
    def places(self) -> Mapping[str, float]:
        """Place by replica, 1 is first; ties share their mean."""

    def sure(self, first: str, rival: str) -> bool | None:
        """Whether one replica is ahead of another beyond chance; None if not measured."""


@dataclass(frozen=True)
class Choice:
    """Which replica to choose.

    Attributes
    ----------
    status : Status
        That of the best replica, by the worse of its two answers.
    short : Statement
        The answer.
    besides : tuple of Statement
        What stands beside it.
    """

    status: Status
    short: Statement
    besides: tuple[Statement, ...]

    @property
    def text(self) -> str:
        """The answer and its sentences as plain text."""
        return " ".join(part.text for part in (self.short, *self.besides))


def choose(
    decisions: Collection[Decision], ranking: Ordered | None = None, *, protected: bool = False
) -> Choice | None:
    """Say which replica to choose; None where there is none.

    Parameters
    ----------
    decisions : collection of Decision
    ranking : Ordered, optional
        Of the same replicas.
    protected : bool
        Whether it is of protected figures.

    Examples
    --------
    >>> from sdcmetrics.decision.answer import decide
    >>> from sdcmetrics.decision.state import State
    >>> choose([decide("cart", State())]).text
    'None yet. Both questions are open for cart: look at them first.'
    """
    if not decisions:
        return None
    state = candidates(decisions, ranking, protected=protected)
    (short,) = stated(state, ANSWERS)
    besides = tuple(stated(state, BESIDES))
    return Choice(min((decision.status for decision in decisions), key=severity), short, besides)


def stated(state: Candidates, table: Sequence[Row]) -> list[Statement]:
    """Return the sentences of a table that are true."""
    return [Statement(None, row.words, state.words) for row in table if row.condition(state)]


def candidates(
    decisions: Collection[Decision], ranking: Ordered | None = None, *, protected: bool = False
) -> Candidates:
    """Return the replicas to choose from, by what speaks against them."""
    parts: dict[str, list[str]] = {
        name: [] for name in ("ready", "held", "unused", "both", "useless", "out")
    }
    for decision in decisions:
        parts[_part(decision)].append(decision.replica)
    ranked = ranking is not None and all(
        decision.replica in ranking.places for decision in decisions
    )
    places = ranking.places if ranking is not None and ranked else {}
    ready = sorted(parts["ready"], key=lambda name: places.get(name, 0.0))
    best = places.get(ready[0]) if ready else None
    level = [name for name in ready if best is not None and places[name] == best]
    sure = {}
    if ranking is not None and len(level) == 1:
        sure = {name: ranking.sure(level[0], name) for name in ready[1:]}
    top = min(places.values(), default=None)
    state = Candidates(
        ready=tuple(ready),
        held=tuple(parts["held"]),
        unused=tuple(parts["unused"]),
        both=tuple(parts["both"]),
        useless=tuple(parts["useless"]),
        out=tuple(parts["out"]),
        level=tuple(level),
        doubted=tuple(name for name, how in sure.items() if how is False),
        measured=None not in sure.values(),
        first=tuple(name for name in places if places[name] == top),
        protected=protected,
    )
    return _with_words(state, decisions)


def verdict(decision: Decision) -> str:
    """Return in brief why a replica is not to be chosen; empty where it may be.

    Examples
    --------
    >>> from sdcmetrics.decision.answer import decide
    >>> from sdcmetrics.decision.state import LimitFacts, State
    >>> bad = LimitFacts(status=Status.FAIL)
    >>> verdict(decide("noise", State(rules=bad, words={"rules_fail": "age"})))
    'not judged for release; not useful for what is named'
    """
    return verdict_of(decision.risk.status, decision.utility.status)


def verdict_of(risk: Status, utility: Status) -> str:
    """Return the verdict that follows from the two statuses alone."""
    parts = (_RISKS.get(risk), "not useful for what is named" if utility is Status.FAIL else None)
    return "; ".join(part for part in parts if part)


_RISKS = {
    Status.FAIL: "may not be released",
    Status.REVIEW: "not to be released without a closer look",
    Status.NOT_JUDGED: "not judged for release",
}


_USES = {
    Status.REVIEW: "to be looked at for its use",
    Status.NOT_JUDGED: "not judged for its use",
}


def _part(decision: Decision) -> str:
    risk, utility = decision.risk.status, decision.utility.status
    if risk is Status.FAIL or (utility is Status.FAIL and risk is not Status.WITHIN):
        return "out"
    if utility is Status.FAIL:
        return "useless"
    if risk is Status.WITHIN:
        return "ready" if utility is Status.WITHIN else "unused"
    return "held" if utility is Status.WITHIN else "both"


def _with_words(state: Candidates, decisions: Collection[Decision]) -> Candidates:
    risks = {decision.replica: decision.risk.status for decision in decisions}
    uses = {decision.replica: decision.utility.status for decision in decisions}
    close = (*state.level, *state.doubted)
    shown = state.level if len(state.level) > 1 else close if state.doubted else state.ready
    alone = len(shown) == 1
    brief = {
        decision.replica: verdict(decision) or _USES.get(decision.utility.status, "")
        for decision in decisions
    }
    after = [name for name in state.ready if name not in close]
    words: dict[str, Value] = {
        "ready": _names(state.ready),
        "it": "it" if alone else "them",
        "it_is": "it is" if alone else "they are",
        "level": _names(state.level),
        "close": _names(close),
        "best": _names(state.level),
        "number": len(state.ready),
        "held": _names(state.held),
        "held_is": _be(state.held),
        "only_useful": "is useful"
        if state.few
        else "is the only useful one that may still go out"
        if len(state.held) == 1
        else "are the useful ones that may still go out",
        "settle": _by_status(
            [risks[name] for name in state.held],
            looked="look at what speaks against a release",
            judged="have the risk judged",
        ),
        "unused": _names(state.unused),
        "try_out": _by_status(
            [uses[name] for name in state.unused],
            looked="look at what differs from the original",
            judged="have the usefulness judged",
        ),
        "both": _names(state.both),
        "useless": _names(state.useless),
        "useless_is": "it is" if len(state.useless) == 1 else "they are",
        "all_out": _all_out(state, risks),
        "after": _names(after),
        "first_of_all": _explained(state.first, brief, state.ready),
    }
    return replace(state, words=words)


def _by_status(statuses: Sequence[Status], *, looked: str, judged: str) -> str:
    """Return the next step for statuses that are still open, in words."""
    ways = {Status.REVIEW: looked, Status.NOT_JUDGED: judged}
    return " and ".join(words for status, words in ways.items() if status in statuses)


def _all_out(state: Candidates, risks: Mapping[str, Status]) -> str:
    failing = [name for name in state.out if risks[name] is Status.FAIL]
    if state.out and len(failing) == len(state.out):
        return "It may not go out." if state.few else "No replica may go out."
    if not failing and state.few:
        unjudged = any(risks[name] is Status.NOT_JUDGED for name in state.out)
        risk = "whether it may go out is not judged" if unjudged else "there are objections to it"
        return f"It is not useful for what is named, and {risk}."
    if not failing:
        return "No replica is useful for what is named."
    return "Each replica either may not go out, or is not useful for what is named."


def _explained(
    names: Sequence[str], brief: Mapping[str, str], ready: Sequence[str]
) -> tuple[str | Names, ...]:
    """Return names, each with the reason why it is not to be chosen."""
    parts: list[str | Names] = []
    for i, name in enumerate(names):
        parts += [", " if i else "", Names((name,))]
        if name not in ready:
            parts.append(f" ({brief[name]})")
    return tuple(part for part in parts if part)


def _be(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _names(names: Sequence[str]) -> tuple[str | Names, ...]:
    """Return names with "and" before the last; of a long list their number."""
    shown, left = [*names[:_LISTED]], len(names) - _LISTED
    last = f"{left:,} more" if left > 0 else ""
    parts: list[str | Names] = []
    for i, name in enumerate(shown):
        final = not last and i == len(shown) - 1
        parts += [" and " if final and i else ", " if i else "", Names((name,))]
    return tuple(part for part in (*parts, " and " if last else "", last) if part)
