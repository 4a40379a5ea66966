"""What rules of chance, size and excess make of single findings: all combinations, by hand."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import pytest

from sdcmetrics.decision.status import Status
from sdcmetrics.measures.evidence import Evidence
from sdcmetrics.measures.excess.places import EXCESS
from sdcmetrics.measures.homogeneity.places import KIND as EQUAL_TABLES
from sdcmetrics.measures.kind import Kind, Place
from sdcmetrics.measures.people.claims import Claim
from sdcmetrics.measures.people.subject import PEOPLE
from sdcmetrics.review.judge import OF_EXCESS, OF_TABLES, Finding, with_rules
from sdcmetrics.study.limits import ExcessRule, TableRule, Threshold
from sdcmetrics.study.profile import Profile

SOURCE = ("x", "Unit", dt.date(2026, 1, 1))
LIMIT = Threshold("S_pMSE", 1.0, 2.0, *SOURCE)
OF_ALL_TABLES = TableRule("S_pMSE", 3.0, None, 0.01, 0.1, 0.3, *SOURCE)
PROFILE = Profile(
    "p", "P", "Unit", {}, OF_ALL_TABLES, ExcessRule(("DiSCO",), 1.0, 0.01, 0.5, *SOURCE)
)
GOODNESS = [Status.WITHIN, Status.NOT_JUDGED, Status.REVIEW, Status.FAIL]
TABLE = Place(variables=("age", "sex"))
ASKED = Place(keys=("sex", "age"), target="vote")


def finding(
    status: Status = Status.NOT_JUDGED, metric: str = "S_pMSE", place: Place = TABLE
) -> Finding:
    """Return a value of 4 of one replica, without a limit."""
    return Finding(status, "cart", "f", metric, place, 4.0, None, None, None, 0.5, 4.0)


def tables_of(status: Status, *variables: str, derived: bool = False) -> SimpleNamespace:
    """Return tables of which one has this status."""
    table = SimpleNamespace(variables=variables, derived=derived)
    return SimpleNamespace(
        status="not judged" if status == Status.NOT_JUDGED else "within",
        called=[table] if status in (Status.REVIEW, Status.FAIL) else [],
        failed=[table] if status == Status.FAIL else [],
        frame={"variables": [variables, "zeros of age"]},
    )


def question_of(*, target: str = "vote", **of_it: bool) -> SimpleNamespace:
    """Return a question that nothing is said of, unless told otherwise."""
    names = ("flagged", "failed", "failed_if_people", "copyable", "drift")
    measure = "DiSCO" if target else "repU"
    return SimpleNamespace(
        measure=measure, keys=ASKED.keys, target=target, **dict.fromkeys(names, False) | of_it
    )


def ruled(result: object, *findings: Finding, kind: Kind = EQUAL_TABLES) -> list[Finding]:
    """Return findings beside one result of their replica."""
    return with_rules(findings, Evidence({(kind, "cart", Place()): result}), PROFILE)


@pytest.mark.parametrize("by_rule", GOODNESS)
@pytest.mark.parametrize("by_limit", GOODNESS)
def test_the_worse_of_limit_and_rule_holds_and_says_which_it_is(
    by_limit: Status, by_rule: Status
) -> None:
    plain = replace(finding(by_limit), threshold=LIMIT)
    (out,) = ruled(tables_of(by_rule, "sex", "age"), plain)
    if GOODNESS.index(by_limit) > GOODNESS.index(by_rule):
        assert out == plain
        return
    size = 5.0 if by_rule in (Status.REVIEW, Status.FAIL) else 0.8  # beyond 1 where it is beyond
    assert out == replace(plain, status=by_rule, rule=OF_TABLES, exceeds=size)


@pytest.mark.parametrize("by_rule", GOODNESS)
def test_without_a_limit_the_rule_alone_judges(by_rule: Status) -> None:
    for status in GOODNESS:
        (out,) = ruled(tables_of(by_rule, "age", "sex"), finding(status))
        assert (out.status, out.rule) == (by_rule, OF_TABLES)


def test_a_rule_judges_its_own_measure_replica_and_table() -> None:
    others = [
        finding(place=Place(variables=("age",))),
        finding(place=Place(variables=("age", "sex", "vote"))),
        finding(metric="TVD"),
        replace(finding(), replica="other"),
    ]
    assert ruled(tables_of(Status.FAIL, "age", "sex"), *others) == others
    (derived,) = ruled(tables_of(Status.FAIL, "age", "sex", derived=True), finding())
    assert derived.status == Status.WITHIN


@pytest.mark.parametrize("claims", [(), (Claim.COLUMNS,), (Claim.HOLDS,)])
def test_questions_fail_by_themselves_or_beside_people(claims: tuple[Claim, ...]) -> None:
    names = ("flagged", "failed", "failed_if_people", "copyable", "drift")
    for truth in product([False, True], repeat=5):
        flagged, failed, failed_if_people, copyable, drift = truth
        if flagged and (failed or (failed_if_people and Claim.HOLDS in claims)):
            expected = Status.FAIL
        elif flagged:
            expected = Status.REVIEW
        elif copyable and not drift:
            expected = Status.WITHIN
        else:
            expected = Status.NOT_JUDGED
        asked = SimpleNamespace(questions=[question_of(**dict(zip(names, truth, strict=True)))])
        people = SimpleNamespace(claims=claims)
        evidence = {(EXCESS, "cart", Place()): asked, (PEOPLE, "cart", Place()): people}
        (out,) = with_rules([finding(metric="DiSCO", place=ASKED)], Evidence(evidence), PROFILE)
        assert (out.status, out.rule) == (expected, OF_EXCESS), truth


def test_a_question_has_its_keys_in_any_order_and_its_target() -> None:
    asked = SimpleNamespace(questions=[question_of(flagged=True), question_of(target="")])
    others = [
        finding(metric="DiSCO", place=Place(keys=("sex", "age"), target="income")),
        finding(metric="DiSCO", place=Place(keys=("sex",), target="vote")),
        finding(metric="repU", place=Place(keys=("sex", "age"))),  # the rule is of DiSCO alone
        finding(metric="DCAP", place=ASKED),
    ]
    assert ruled(asked, *others, kind=EXCESS) == others
    for keys in (("sex", "age"), ("age", "sex")):  # places have them sorted, scenarios as named
        place = Place(keys=keys, target="vote")
        (out,) = ruled(asked, finding(metric="DiSCO", place=place), kind=EXCESS)
        assert out.status == Status.REVIEW  # of people nothing is claimed


def test_without_rules_nothing_changes_but_the_order() -> None:
    plain = replace(PROFILE, tables=None, excess=None)
    evidence = Evidence({(EQUAL_TABLES, "cart", Place()): tables_of(Status.FAIL, "age", "sex")})
    mild, bad = finding(Status.WITHIN), replace(finding(Status.REVIEW), exceeds=2.0)
    worse, worst = replace(bad, exceeds=3.0), replace(finding(Status.FAIL), exceeds=1.0)
    unjudged = finding(Status.NOT_JUDGED)
    findings = [mild, bad, unjudged, worst, worse]
    assert with_rules(findings, evidence, plain) == [worst, worse, bad, unjudged, mild]
