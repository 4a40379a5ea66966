"""Findings in words, and the cells of the overview, of sources made by hand."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.measure import DISCLOSURE_RISK, GENERAL_UTILITY, SPECIFIC_UTILITY
from sdcmetrics.measures.reference_values import References
from sdcmetrics.report.safety.cells import Name, SafeCell, blank, plain, text_cell
from sdcmetrics.report.sections import decision, disclosure, overview
from sdcmetrics.review.judge import Status
from sdcmetrics.study.roles import UNNAMED
from tests.report.conftest import threshold

REVIEW, FAIL, WITHIN = Status.REVIEW, Status.FAIL, Status.WITHIN
PERCENT = "\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("others", "scenarios", "words"),
    [
        (0, 1, ""),
        (1, 1, " 1 other target is beyond it too."),
        (2, 1, " 2 other targets are beyond it too."),
        (1, 2, " 1 other scenario or target is beyond it too."),
        (3, 2, " 3 other scenarios or targets are beyond it too."),
    ],
)
@pytest.mark.parametrize(("metric", "target"), [("DiSCO", "pay"), ("repU", "")])
def test_a_risk_says_how_many_others_are_beyond_the_limit(
    metric: str, target: str, others: int, scenarios: int, words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(
        decision, "risk_sentence", lambda _, *of: With(words=(f"{of[1]} of {of[3]}.",))
    )
    monkeypatch.setattr(decision, "_limit", lambda *_: "The limit.")
    each = [With(name=name, targets=("vote", "pay")) for name in "ts"[2 - scenarios :]]
    source: Any = With(
        review=With(scenarios=each), anchor=lambda of, target: f"{of.name} at {target}"
    )
    finding: Any = With(
        place=Place(scenario="s"), replica="r", metric=metric, target="pay", status=FAIL
    )
    told = decision._beyond(source, finding, others)
    assert plain(told.words) == f"{metric} of {target or 'vote'}. The limit.{words}"
    assert (told.link, told.status) == (f"s at {target}", FAIL)


@pytest.mark.parametrize(
    ("metric", "family", "scenario", "part"),
    [
        ("CIO", SPECIFIC_UTILITY, "", "specific"),
        ("repU", DISCLOSURE_RISK, "s", "attribute"),
        ("DCR_share", DISCLOSURE_RISK, "", "fresh"),
        ("S_pMSE", GENERAL_UTILITY, "", "overview"),
        ("energy", GENERAL_UTILITY, "", "utility"),
    ],
)
def test_a_finding_is_shown_in_the_section_of_its_measure(
    metric: str, family: str, scenario: str, part: str
) -> None:
    finding: Any = With(metric=metric, family=family, place=Place(scenario=scenario))
    assert decision.part_of(finding) == part


@pytest.mark.parametrize(
    ("metric", "status", "rule", "words"),
    [
        ("DiSCO", FAIL, "", f"fail beyond 15{PERCENT} (rule)"),
        ("DiSCO", REVIEW, "", f"review beyond 5{PERCENT} (rule)"),
        ("S_pMSE", REVIEW, "", "review beyond 5 (rule)"),
        ("S_pMSE", FAIL, "more than chance", "fail: more than chance"),
    ],
)
def test_a_limit_is_that_of_the_status(metric: str, status: Status, rule: str, words: str) -> None:
    finding: Any = With(metric=metric, status=status, rule=rule, threshold=threshold(metric, 5, 15))
    assert decision.limit_words(finding) == words


def test_what_another_sample_gives_is_told_with_the_size_it_is_of() -> None:
    """Of S_pMSE, (n + m) / n times (n + m) / (n + m - 1)."""
    here = {"of": With(references=References(fresh=4.25))}
    source: Any = With(
        release=False,
        measures=With(table=lambda *_: here["of"]),
        review=With(
            n_original=100,
            study=With(roles={}),
            inputs=[With(name="r", n=100), With(name="q", n=50)],
        ),
        guard=With(rounded=lambda n: n),
    )

    def told(metric: str, replica: str = "r") -> str:
        finding: Any = With(metric=metric, replica=replica, variables=("a",))
        return decision._expected_of_fresh(source, finding)

    assert told("S_pMSE") == "; 2.0 is expected of a fresh sample of its size"
    size = ". Values are judged as if the replica had the size of the original"
    assert told("S_pMSE", "q") == f"; 1.5 is expected of a fresh sample of its size{size}"
    assert told("pMSE") == ""
    assert told("S_FT") == "; 4.2 is expected of a fresh sample of its size"  # of these counts
    source.release = True
    assert told("S_FT") == ""
    assert told("S_pMSE") == "; 2.0 is expected of a fresh sample of its size"


def test_what_calls_for_attention_comes_before_larger_numbers() -> None:
    ordered = [
        SafeCell("", number=0.5, status=FAIL),
        SafeCell("", number=1.0, status=REVIEW),
        SafeCell("", number=200.0, status=WITHIN),
        SafeCell("", number=99.0),
        SafeCell("", bound=50.0),
        SafeCell("", number=0.0),
        SafeCell("not shown"),
    ]
    for cells in (ordered, ordered[::-1]):
        assert sorted(cells, key=overview._badness, reverse=True) == ordered


def test_a_number_is_shown_at_the_size_of_the_original() -> None:
    shown = SafeCell("3.00", "number", 3.0)
    assert overview._at_size(shown, 1) is shown
    assert overview._at_size(shown, 2.0) == SafeCell("6.00", "number", 6.0)
    hidden = SafeCell("< 0.5", "hidden", bound=0.5)
    assert overview._at_size(hidden, 2.0) is hidden


@pytest.mark.parametrize(
    ("value", "own", "shade"),
    [
        (1.9, 40.0, 0), (2.0, 40.0, 1), (10.0, 40.0, 1), (10.1, 40.0, 2), (40.0, 40.0, 4),
        (60.0, 40.0, 4), (5.0, 0.0, 0), (5.0, None, 0), (None, 40.0, 0),
    ],
)  # fmt: skip
def test_a_risk_is_the_darker_the_nearer_to_the_originals(
    value: float | None, own: float | None, shade: int
) -> None:
    """A twentieth of what the original gives away is pale; each quarter is a shade."""
    source: Any = With(
        measures=With(risk=lambda *_: None),
        cell=lambda _: SafeCell("x", number=value),
        release=False,
    )
    assert overview._risk(source, "r", "DiSCO", "s", "vote", own).shade == shade


@pytest.mark.parametrize(
    ("references", "release", "detail"),
    [
        (References(value_at=12.0, fresh=9.0), False, f"12.0 vs{PERCENT[0]}9.0{PERCENT}"),
        (References(value_at=25.0, fresh=9.0), False, f"vs{PERCENT[0]}9.0{PERCENT}"),
        (References(value_at=12.0, fresh=9.0), True, "of 40"),
        (References(value_at=12.0), False, "of 40"),
    ],
)
def test_a_risk_has_that_of_the_holdout_below_it(
    references: References, detail: str, *, release: bool
) -> None:
    source: Any = With(
        measures=With(risk=lambda *_: With(references=references)), release=release,
        cell=lambda _: SafeCell(f"25.0{PERCENT}", number=25.0, detail="of 40"),
    )  # fmt: skip
    assert overview._risk(source, "r", "DiSCO", "s", "vote", 40.0).detail == detail


def test_an_intruder_without_a_name_is_called_by_what_is_known() -> None:
    source: Any = With(name=lambda n: Name(n, n), named=text_cell)
    for name, keys, words in (
        ("neighbour", "abcd", "neighbour"), (UNNAMED, "abcd", "knows 4 columns"),
        (UNNAMED, "abc", "knows a, b and c"),
    ):  # fmt: skip
        scenario: Any = With(name=name, keys=tuple(keys))
        assert overview._intruder(source, scenario).text == words


def test_tables_beyond_limits_are_counted_of_those_that_are_judged() -> None:
    def finding(status: Status, replica: str = "r", **other: Any) -> Any:
        given = {"metric": "S_pMSE", "family": GENERAL_UTILITY, "variables": ("a",)} | other
        return With(status=status, replica=replica, **given)

    findings = [
        *(finding(status) for status in (FAIL, REVIEW, WITHIN, Status.NOT_JUDGED)),
        finding(FAIL, "q"), finding(FAIL, variables=()), finding(FAIL, family=DISCLOSURE_RISK),
        finding(FAIL, metric="energy"),
    ]  # fmt: skip
    source: Any = With(findings=findings)
    assert overview._tables_beyond(source, "r").text == "2 / 1 of 3"
    assert overview._tables_beyond(source, "q").text == "1 / 1 of 1"
    assert overview._tables_beyond(source, "p") == blank()


@pytest.mark.parametrize("measure", [None, With(value=None)])
def test_where_nothing_was_measured_no_copy_is_told_of(measure: Any) -> None:
    source: Any = With(
        replicas=("r",), targets=((With(name="s"), "t"),), release=False,
        measures=With(risk=lambda *_: measure),
    )  # fmt: skip
    assert disclosure.ruler_sentences(source) == ()
