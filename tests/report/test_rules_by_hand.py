"""What a replica makes of rules in words: which rule is the worst, and what of it is told."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.report.safety.cells import Name, SafeCell, plain, text_cell
from sdcmetrics.report.sections.rules import _broken, rule_sentence, rules_table
from sdcmetrics.review.judge import Status

RULES = [With(text=text, name=name) for text, name in (("a", "first"), ("b", "second"))]
LIMIT = With(kind="rule")


def finding(rule: str, status: Status, value: float, **changed: Any) -> Any:
    given = {"replica": "r", "metric": "rule_severity", "threshold": LIMIT}
    return With(scenario=rule, status=status, value=value, **(given | changed))


def source(findings: list[Any], kept: SafeCell, broken: SafeCell) -> Any:
    cells = {"rule_kept": kept, "rule_broken": broken}
    return With(
        findings=findings, replicas=("r",), release=True, name=lambda name: Name(name, name),
        review=With(study=With(rules=RULES), rules={}),
        at=lambda _, metric, **__: cells[metric],
    )  # fmt: skip


FAIL, REVIEW, WITHIN = Status.FAIL, Status.REVIEW, Status.WITHIN
SOME = SafeCell("2 %", "number", 2.0)
START = "r breaks {} more often than the profile allows (rule). The worst is "


@pytest.mark.parametrize(
    ("findings", "kept", "broken", "words"),
    [
        (
            [finding("a", WITHIN, 9.0), finding("b", REVIEW, 1.0)],
            SafeCell("98 %", "number", 98.0), SOME,
            START.format("1 of 2 rules")
            + "second: 2 % of its records break it, which 98 % of the original records keep.",
        ),
        (
            [finding("a", FAIL, 1.0), finding("b", REVIEW, 9.0)],
            SafeCell("> 97 %", "hidden", bound=97.0), SafeCell("< 1 %", "number", 0.0),
            START.format("2 of 2 rules") + "first: less than 1 % of its records break it, "
            "which more than 97 % of the original records keep.",
        ),
        (
            [
                finding("a", FAIL, 1.0), finding("b", FAIL, 9.0),
                finding("a", FAIL, 99.0, replica="s"), finding("a", FAIL, 99.0, metric="rule_p"),
                finding("a", WITHIN, 99.0, threshold=None),
            ],
            SafeCell("not shown", "hidden"), SOME,
            START.format("2 of 2 rules") + "second: 2 % of its records break it.",
        ),
    ],
)  # fmt: skip
def test_the_worst_rule_is_told_with_what_may_be_told_of_the_original(
    findings: list[Any], kept: SafeCell, broken: SafeCell, words: str
) -> None:
    first = next(f for f in findings if f.status is not WITHIN)
    told = rule_sentence(source(findings, kept, broken), first)
    assert (plain(told.words), told.status) == (words, first.status)


@pytest.mark.parametrize(
    ("severity", "status"),
    [(None, None), (With(value=None), None), (With(value=3.0), Status.FAIL)],
)
def test_a_share_is_judged_by_its_severity_where_that_has_a_value(
    severity: Any, status: Status | None
) -> None:
    given: Any = With(
        at=lambda *_, **__: SOME,
        measures=With(find=lambda *_: severity),
        guard=With(judged=lambda cell, of: SafeCell(cell.text, "number", cell.number, status=of)),
        status=lambda _: Status.FAIL,
    )
    assert _broken(given, "r", RULES[0]).status == status  # type: ignore[arg-type]


def test_the_file_of_rules_has_the_status_of_each_and_what_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept, none = SafeCell("9 %", "number", 9.0), SafeCell("not shown", "hidden")
    monkeypatch.setattr("sdcmetrics.report.sections.rules._broken", lambda *_: none)
    view = source([], kept, none)
    view.at = lambda *_, **__: kept
    severities = {"a": With(), "b": None}
    view.measures = With(find=lambda _, __, rule: severities[rule])
    view.status = lambda _: Status.FAIL
    view.rule_text = view.named = text_cell
    rows = [[cell.text for cell in row] for row in rules_table(view).rows]
    assert [(row[0], row[1], row[-2], row[-1]) for row in rows] == [
        ("a", "first", Status.FAIL.value, "rule_broken not shown"),
        ("b", "second", Status.NOT_JUDGED.value, "rule_broken not shown"),
    ]
