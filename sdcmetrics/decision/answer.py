"""One answer to each of two questions: whether a replica may be released, and is useful."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sdcmetrics.decision.risk_sentences import RISK
from sdcmetrics.decision.state import State
from sdcmetrics.decision.statement import Statement
from sdcmetrics.decision.status import Status, severity, worst
from sdcmetrics.decision.table import Question, Row
from sdcmetrics.decision.utility_sentences import UTILITY

SENTENCES = (*RISK, *UTILITY)
"""The one table: of both questions, worst first."""

RISK_WORDS: Mapping[Status, str] = {
    Status.WITHIN: "no objection",
    Status.NOT_JUDGED: "not judged, which is no approval",
    Status.REVIEW: "not without a closer look",
    Status.FAIL: "no",
}
"""What the first answer says: may it be released?"""

UTILITY_WORDS: Mapping[Status, str] = {
    Status.WITHIN: "useful as far as tested",
    Status.NOT_JUDGED: "not judged",
    Status.REVIEW: "look first",
    Status.FAIL: "not useful for what is named",
}
"""What the second answer says: is it useful?"""

WORDS: Mapping[Question, Mapping[Status, str]] = {"risk": RISK_WORDS, "utility": UTILITY_WORDS}


@dataclass(frozen=True, repr=False)
class Answer:
    """The answer to one question about one replica; as text, with its sentences, a line each.

    Attributes
    ----------
    question : "risk" or "utility"
    status : Status
        The worst of its statements.
    statements : tuple of Statement
        Every sentence that is true, worst first; those without a status last.
    """

    question: Question
    status: Status
    statements: tuple[Statement, ...]

    def __repr__(self) -> str:
        return f"Answer({self.question}: {self.words}; {len(self.statements)} sentences)"

    def __str__(self) -> str:
        return "\n".join([f"{_ASKED[self.question]} {self.words}", *map(str, self.statements)])

    @property
    def words(self) -> str:
        """The answer in words."""
        return WORDS[self.question][self.status]

    @property
    def because(self) -> tuple[Statement, ...]:
        """The statements that the answer rests on."""
        return tuple(statement for statement in self.statements if statement.status is self.status)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "status": self.status.value,
            "answer": self.words,
            "because": [statement.text for statement in self.because],
            "besides": [statement.text for statement in self.besides],
        }

    @property
    def besides(self) -> tuple[Statement, ...]:
        """The other statements."""
        return tuple(
            statement for statement in self.statements if statement.status is not self.status
        )


_ASKED: Mapping[Question, str] = {
    "risk": "May it be released?",
    "utility": "Is it useful?",
}


@dataclass(frozen=True, repr=False)
class Decision:
    """What is decided on one replica; as text, both answers with their sentences.

    Attributes
    ----------
    replica : str
    risk, utility : Answer
    basis : str
        What the first answer rests on: "holdout", "other people of the original", "limits" or
        "claims".
    """

    replica: str
    risk: Answer
    utility: Answer
    basis: str = "claims"

    def __repr__(self) -> str:
        return f"Decision({self.replica!r}, {self.risk.words}; {self.utility.words})"

    def __str__(self) -> str:
        return f"{self.replica}\n\n{self.risk}\n\n{self.utility}"

    @property
    def status(self) -> Status:
        """The worse of both answers."""
        return worst((self.risk.status, self.utility.status))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values: both answers, each with its status and its sentences."""
        return {
            "replica": self.replica,
            "status": self.status.value,
            "risk": {**self.risk.to_dict(), "basis": self.basis},
            "utility": self.utility.to_dict(),
        }

    @property
    def in_brief(self) -> Decision:
        """The same answers, without what they rest on."""
        risk, utility = replace(self.risk, statements=()), replace(self.utility, statements=())
        return replace(self, risk=risk, utility=utility)

    @property
    def words(self) -> str:
        """Both answers in one line, without the replica's name."""
        return f"may it be released: {self.risk.words}; is it useful: {self.utility.words}"


def answer(state: State, question: Question, table: Sequence[Row] = SENTENCES) -> Answer:
    """Answer one question from what is known of a replica.

    Parameters
    ----------
    state : State
    question : "risk" or "utility"
    table : sequence of Row, optional

    Examples
    --------
    >>> answer(State(), "utility").status.value
    'not judged'
    >>> print(*answer(State(), "utility").statements)
    No limit on tables, rules or models is set.
    """
    true = [
        Statement(row.status, row.words, state.words)
        for row in table
        if row.question == question and row.condition(state)
    ]
    status = worst(statement.status for statement in true if statement.status is not None)
    true.sort(key=lambda s: math.inf if s.status is None else -severity(s.status))
    return Answer(question, status, tuple(true))


def decide(replica: str, state: State) -> Decision:
    """Decide on one replica."""
    return Decision(replica, answer(state, "risk"), answer(state, "utility"), _basis(state))


def _basis(state: State) -> str:
    if state.excess.basis == "holdout":
        return "holdout"
    if state.excess.basis:
        return "other people of the original"
    return "limits" if state.limits.status != "off" else "claims"


def summary(decisions: Iterable[Decision]) -> str:
    """Say the answers of several replicas in one line, worst first.

    Examples
    --------
    >>> summary([decide("cart", State())])
    'cart: may it be released: not judged, which is no approval; is it useful: not judged.'
    """
    order = sorted(decisions, key=lambda decision: -severity(decision.status))
    return " ".join(f"{decision.replica}: {decision.words}." for decision in order)
