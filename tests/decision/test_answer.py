"""Answers: the worst of their sentences, what they rest on, and how they are written down."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.decision.answer import Answer, Decision, _basis, answer
from sdcmetrics.decision.state import State
from sdcmetrics.decision.statement import Statement
from sdcmetrics.decision.status import Status


@dataclass(frozen=True)
class Line:
    """A row of the table that is true or not, whatever is known."""

    question: str
    status: Status | None
    words: str
    true: bool = True

    def condition(self, _: State) -> bool:
        return self.true


TABLE: Any = (
    Line("risk", None, "Beside."),
    Line("risk", Status.WITHIN, "Fine."),
    Line("risk", Status.FAIL, "Not true.", true=False),
    Line("utility", Status.FAIL, "Of the other question."),
    Line("risk", Status.REVIEW, "First."),
    Line("risk", Status.REVIEW, "Second."),
)


def test_an_answer_is_the_worst_of_its_sentences_worst_first() -> None:
    risk = answer(State(), "risk", TABLE)
    assert risk.status is Status.REVIEW
    assert [s.template for s in risk.statements] == ["First.", "Second.", "Fine.", "Beside."]
    assert [s.template for s in risk.because] == ["First.", "Second."]
    assert [s.template for s in risk.besides] == ["Fine.", "Beside."]
    assert risk.words == "not without a closer look"
    assert risk.to_dict() == {
        "status": "review", "answer": "not without a closer look",
        "because": ["First.", "Second."], "besides": ["Fine.", "Beside."],
    }  # fmt: skip


def test_a_decision_is_the_worse_of_both_answers() -> None:
    risk = Answer("risk", Status.WITHIN, (Statement(Status.WITHIN, "Fine."),))
    utility = Answer("utility", Status.REVIEW, (Statement(Status.REVIEW, "Look."),))
    decision = Decision("a", risk, utility, "holdout")
    assert decision.status is Status.REVIEW
    assert decision.to_dict() == {
        "replica": "a", "status": "review", "risk": {**risk.to_dict(), "basis": "holdout"},
        "utility": utility.to_dict(),
    }  # fmt: skip
    assert decision.words == "may it be released: no objection; is it useful: look first"
    brief = decision.in_brief
    assert (brief.words, brief.status) == (decision.words, decision.status)
    assert brief.risk.statements == brief.utility.statements == ()


@pytest.mark.parametrize(
    ("excess", "limits", "basis"),
    [
        ("holdout", "off", "holdout"),
        ("original", "within", "other people of the original"),
        ("", "within", "limits"),
        ("", "off", "claims"),
    ],
)
def test_the_basis_is_the_strongest_there_is(excess: str, limits: str, basis: str) -> None:
    state: Any = SimpleNamespace(
        excess=SimpleNamespace(basis=excess), limits=SimpleNamespace(status=limits)
    )
    assert _basis(state) == basis


def test_a_sentence_shows_what_it_makes_the_answer() -> None:
    words = ("{n} records.", {"n": 1234})
    assert repr(Statement(Status.REVIEW, *words)) == "Statement(review: 1,234 records.)"
    assert repr(Statement(None, *words)) == "Statement(None: 1,234 records.)"
