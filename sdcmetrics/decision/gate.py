"""Gates of a pipeline: the values of ``--fail-on``, and the exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sdcmetrics.decision.answer import Decision
from sdcmetrics.decision.status import Status, severity
from sdcmetrics.decision.table import Question
from sdcmetrics.errors import StudyError, did_you_mean

BARS: Mapping[str, Status | None] = {
    "never": None,
    "unjudged": Status.NOT_JUDGED,
    "review": Status.REVIEW,
    "fail": Status.FAIL,
}
"""From which status on a gate is closed."""

QUESTIONS: tuple[Question, ...] = ("risk", "utility")
DEFAULT = "risk=unjudged"
"""Only "within" for risk opens the default gate."""

Gate = Mapping[Question, Status]
"""From which status on each question closes it; a question that is not in it never does."""


def read_gate(text: str) -> Gate:
    """Return the gate that a value of ``--fail-on`` describes.

    Parameters
    ----------
    text : str
        "never", "unjudged", "review" or "fail" for both questions, or for each of its own, as
        "risk=unjudged,utility=fail".

    Raises
    ------
    StudyError
        For anything else.

    Examples
    --------
    >>> read_gate("risk=unjudged,utility=fail")["utility"].value
    'fail'
    >>> read_gate("never")
    {}
    """
    out: dict[Question, Status] = {}
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 1 and "=" not in text:
        bar = _bar(text)
        return {} if bar is None else dict.fromkeys(QUESTIONS, bar)
    for part in parts:
        name, _, word = (text.strip() for text in part.partition("="))
        question = next((name_ for name_ in QUESTIONS if name_ == name), None)
        if question is None or not word:
            msg = (
                f"--fail-on: expected {', '.join(BARS)}, or one of them for each question, as "
                f"risk=unjudged,utility=fail, but got {text!r}.{did_you_mean(name, QUESTIONS)}"
            )
            raise StudyError(msg)
        bar = _bar(word)
        if bar is not None:
            out[question] = bar
    return out


def exit_code(decisions: Iterable[Decision], gate: Gate) -> int:
    """Return 1 if the answer on any replica closes the gate, else 0."""
    return int(any(_closed(decision, gate) for decision in decisions))


def warning(decisions: Iterable[Decision], gate: Gate) -> str:
    """Return a warning where a gate passes answers that were not judged; else nothing."""
    each = list(decisions)
    if exit_code(each, gate):
        return ""
    names = [decision.replica for decision in each if decision.risk.status is Status.NOT_JUDGED]
    if not names:
        return ""
    return f"risk is not judged of {', '.join(names)}, and this --fail-on lets it pass"


def _closed(decision: Decision, gate: Gate) -> bool:
    answers = {"risk": decision.risk.status, "utility": decision.utility.status}
    return any(severity(answers[question]) >= severity(bar) for question, bar in gate.items())


def _bar(word: str) -> Status | None:
    if word not in BARS:
        hint = did_you_mean(word, BARS)
        msg = f"--fail-on: expected one of {', '.join(BARS)} but got {word!r}.{hint}"
        raise StudyError(msg)
    return BARS[word]
