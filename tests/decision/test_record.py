"""Facts of a decision that another profile reads again."""

from __future__ import annotations

import datetime as dt

import pytest

from sdcmetrics.decision.answer import decide
from sdcmetrics.decision.record import _text, recalled, record
from sdcmetrics.decision.state import ExcessFacts, LimitFacts, PeopleFacts, State, TableFacts
from sdcmetrics.decision.statement import Names, Statement
from sdcmetrics.decision.status import Status
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.people.claims import Claim
from sdcmetrics.study.limits import ExcessRule, TableRule

RULE = TableRule("S_pMSE", 3.0, 10.0, 0.05, 0.1, 0.3, "a paper", "the unit", dt.date(2026, 11, 23))


@pytest.mark.parametrize("status", ["off", *Status])
def test_the_answer_of_tables_is_the_recorded_one(status: Status) -> None:
    facts = record(State(tables=TableFacts(status=status)), RULE, None)
    state = recalled(facts, (), tables=RULE, excess=None)
    assert state.tables.status is status or (state.tables.status, status) == ("off", "off")
    assert state.excess == ExcessFacts()
    assert state.rules == LimitFacts()


def test_results_on_disk_name_questions_as_before() -> None:
    date = dt.date(2026, 11, 23)
    rule = ExcessRule(("DiSCO",), 0.1, 0.05, 0.1, "a paper", "the unit", date)
    facts = record(State(excess=ExcessFacts(questions=7)), None, rule)
    assert facts["excess"]["asked"] == 7
    assert recalled(facts, (), tables=None, excess=rule).excess.questions == 7


def test_words_that_earlier_results_lack_are_those_that_were_always_true() -> None:
    people = PeopleFacts(tested=True, claims=frozenset({Claim.HOLDS}), holdout="used")
    facts = record(State(people=people, words={"hits": "5 of 9"}), None, None)
    state = recalled(facts, (), tables=None, excess=None)
    reasons = [str(reason) for reason in decide("a", state).risk.because]
    assert "It holds records of people of the original: 5 of 9." in reasons
    assert (
        recalled({**facts, "words": {"its": "Theirs"}}, (), tables=None, excess=None).words["its"]
        == "Theirs"
    )


def test_facts_that_only_earlier_versions_recorded_are_left_out() -> None:
    facts = record(State(people=PeopleFacts(tested=True)), None, None)
    facts["people"] |= {"gathered": True}
    assert recalled(facts, (), tables=None, excess=None).people == PeopleFacts(tested=True)


def test_results_of_another_version_that_lack_a_word_are_refused() -> None:
    statement = Statement(Status.REVIEW, "{deciding} would decide.", {"larger": "A "})
    with pytest.raises(StudyError, match=r"'deciding'.*another version.*Review it again"):
        _ = statement.text


def test_that_columns_are_lacking_is_recorded_and_not_of_earlier_results() -> None:
    facts = record(State(lacking=True, words={"lacking": Names(("x", "y"))}), None, None)
    state = recalled(facts, (), tables=None, excess=None)
    assert "nothing of them was tested: x, y." in str(decide("a", state).utility)
    del facts["lacking"]
    assert not recalled(facts, (), tables=None, excess=None).lacking


def test_words_are_texts_and_numbers_stay() -> None:
    words = {"a": 3, "b": "x", "c": ("of ", Names(("y", "z"))), "d": Names(("w",))}
    assert [_text(value) for value in words.values()] == [3, "x", "of y, z", "w"]
