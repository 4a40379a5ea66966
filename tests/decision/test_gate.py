"""What --fail-on takes, and the exit code that follows from it."""

from __future__ import annotations

import pytest

from sdcmetrics.decision.answer import Answer, Decision
from sdcmetrics.decision.gate import exit_code, read_gate, warning
from sdcmetrics.decision.status import Status, severity
from sdcmetrics.errors import StudyError


def decision(risk: Status, utility: Status) -> Decision:
    return Decision("cart", Answer("risk", risk, ()), Answer("utility", utility, ()))


# Of the truth table: risk, utility, and the exit codes for unjudged, review, fail.
TABLE = [
    ("within", "within", 0, 0, 0),
    ("within", "not judged", 1, 0, 0),
    ("within", "review", 1, 1, 0),
    ("within", "fail", 1, 1, 1),
    ("not judged", "within", 1, 0, 0),
    ("not judged", "not judged", 1, 0, 0),
    ("not judged", "review", 1, 1, 0),
    ("not judged", "fail", 1, 1, 1),
    ("review", "within", 1, 1, 0),
    ("review", "fail", 1, 1, 1),
    ("fail", "within", 1, 1, 1),
]


@pytest.mark.parametrize(("risk", "utility", "unjudged", "review", "fail"), TABLE)
def test_exit_code_follows_the_truth_table(
    risk: str, utility: str, unjudged: int, review: int, fail: int
) -> None:
    result = [decision(Status(risk), Status(utility))]
    codes = [exit_code(result, read_gate(bar)) for bar in ("never", "unjudged", "review", "fail")]
    assert codes == [0, unjudged, review, fail]


@pytest.mark.parametrize("risk", Status)
@pytest.mark.parametrize("utility", Status)
def test_only_within_opens_the_default_gate(risk: Status, utility: Status) -> None:
    gate = read_gate("risk=unjudged")
    assert exit_code([decision(risk, utility)], gate) == (risk is not Status.WITHIN)


def test_each_question_has_a_bar_of_its_own() -> None:
    gate = read_gate("risk=review, utility=fail")
    assert exit_code([decision(Status.NOT_JUDGED, Status.REVIEW)], gate) == 0
    assert exit_code([decision(Status.NOT_JUDGED, Status.FAIL)], gate) == 1
    assert exit_code([decision(Status.REVIEW, Status.WITHIN)], gate) == 1


def test_a_gate_that_lets_pass_what_was_not_judged_says_so() -> None:
    result = [decision(Status.NOT_JUDGED, Status.WITHIN)]
    assert "cart" in warning(result, read_gate("fail"))
    assert warning(result, read_gate("unjudged")) == ""
    assert warning([decision(Status.WITHIN, Status.FAIL)], read_gate("never")) == ""


@pytest.mark.parametrize("text", ["maybe", "risk", "risk=", "risk=maybe", "money=fail", "", ","])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(StudyError, match="--fail-on"):
        read_gate(text)


def test_not_judged_is_worse_than_within() -> None:
    assert severity(Status.NOT_JUDGED) > severity(Status.WITHIN)
    assert decision(Status.WITHIN, Status.NOT_JUDGED).status is Status.NOT_JUDGED
