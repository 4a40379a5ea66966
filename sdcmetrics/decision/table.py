"""Rows of the table of sentences: each with question and status, and when it is true.

Every true sentence is stated, and the answer to a question is the worst status of its true
sentences. So no state can have two answers, and none a sentence that does not hold;
`tests/decision/test_states.py` walks over all reachable states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sdcmetrics.decision.state import State
from sdcmetrics.decision.status import Status

Question = Literal["risk", "utility"]
Condition = Callable[[State], bool]


@dataclass(frozen=True)
class Row:
    """One sentence of the table.

    Attributes
    ----------
    question : "risk" or "utility"
    status : Status or None
        None where it only stands beside others.
    condition : function of a State
    words : str
        With the fields of `State.words` in braces.
    """

    question: Question
    status: Status | None
    condition: Condition
    words: str


def when(condition: Condition, words: str) -> tuple[Condition, str]:
    """Return a sentence with its condition."""
    return condition, words


def rows(
    question: Question, sentences: Mapping[Status | None, Sequence[tuple[Condition, str]]]
) -> tuple[Row, ...]:
    """Return the sentences that answer a question, by status: each with its condition."""
    return tuple(
        Row(question, status, condition, words)
        for status, each in sentences.items()
        for condition, words in each
    )
