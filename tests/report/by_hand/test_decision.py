"""Answers, verdicts and the overview, of sources made by hand."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.measure import DISCLOSURE_RISK, SPECIFIC_UTILITY
from sdcmetrics.report.judging import _is_by_chance
from sdcmetrics.report.safety.cells import Name, SafeCell, blank, column, plain, text_cell
from sdcmetrics.report.sections import answers, decision, overview
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status
from tests.report.by_hand.cells import cell
from tests.report.conftest import threshold


@pytest.mark.parametrize(
    ("metric", "family", "place", "shown", "words", "link"),
    [
        (
            "CIO", SPECIFIC_UTILITY, Place(model="y ~ x, gaussian"), cell(0.4),
            "r has CIO 0.4 (Confidence interval overlap): y ~ x. The", "specific",
        ),
        (
            "CIO", SPECIFIC_UTILITY, Place(model="y ~ x, gaussian"), SafeCell("?", "hidden"),
            "r has CIO a value that is not shown (Confidence interval", "specific",
        ),
        (
            "CIO", SPECIFIC_UTILITY, Place(model="y ~ x, gaussian"), None,
            f"r has CIO {blank().text} (Confidence interval overlap). The",
            "specific",
        ),
        ("pMSE", "", Place(), cell(0.4), "r has pMSE 0.4 (", "overview"),
        ("pMSE", DISCLOSURE_RISK, Place(), cell(0.4), "r has pMSE 0.4 (", "fresh"),
    ],
)  # fmt: skip
def test_a_measurement_beyond_a_limit_is_told_with_its_value_and_place(
    metric: str, family: str, place: Place, shown: SafeCell | None, words: str, link: str
) -> None:
    limit = threshold(metric, 0.7, 0.5)
    finding = Finding(Status.FAIL, "r", family, metric, place, 0.4, None, None, limit, 1.0, 0.4)
    measured = None if shown is None else With(scenario="")
    source: Any = With(
        measures=With(of=lambda f: measured if f is finding else 1 / 0),
        cell=lambda m: shown if m is measured else 1 / 0,
        subject=lambda m: "y ~ x" if m is measured else 1 / 0,
        name=lambda name: Name(name, name),
        release=False,
        review=With(inputs=[With(name="r", n=90)], n_original=90),
    )  # fmt: skip
    told = decision._place_sentence(source, finding)
    assert plain(told.words).startswith(words)
    assert plain(told.words).endswith(" profile says fail beyond 0.5 (rule).")
    assert (told.status, told.link) == (Status.FAIL, link)


def test_a_row_of_the_overview_is_linked_by_scenario_and_target() -> None:
    first, second, other = (
        With(name=name, targets=targets)
        for name, targets in (("a", ("vote",)), ("b", ("income", "vote")), ("c", ("vote",)))
    )
    source: Any = With(review=With(scenarios=(first, second)))
    wanted = {
        (0, "vote"): "risk-0-0", (1, "vote"): "risk-1-1", (1, "income"): "risk-1-0",
        (0, ""): "risk-0", (1, "age"): "risk-1",
    }  # fmt: skip
    for (i, target), link in wanted.items():
        assert Source.anchor(source, (first, second)[i], target) == link  # type: ignore[arg-type]
    assert Source.anchor(source, other, "vote") == "overview"  # type: ignore[arg-type]


def test_an_answer_rests_on_limits_of_its_question_that_were_measured() -> None:
    limits = [threshold(metric, 1.0, 2.0) for metric in ("DiSCO", "repU", "S_pMSE", "CIO")]
    source: Any = With(
        profile=With(
            thresholds={limit.metric: limit for limit in limits}, tables=None, excess=None
        ),
        review=With(study=With(roles={})), release=True,
        measures=With(metrics=("S_pMSE", "DiSCO", "TVD")),
    )  # fmt: skip
    texts = [plain(item.words) for item in answers._rests(source, "utility")]
    assert texts == [
        "Usefulness is judged by S_pMSE (review beyond 1, fail beyond 2; rule).",
    ]  # fmt: skip


def test_of_each_replica_and_measure_the_worst_is_told_with_how_many_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def finding(replica: str, metric: str, scenario: str, **other: Any) -> Finding:
        limit, place = threshold(metric, 5, 15), Place(scenario=scenario)
        status, family = other.get("status", Status.FAIL), other.get("family", DISCLOSURE_RISK)
        return Finding(status, replica, family, metric, place, 0.4, None, None, limit, 1.0, 0.4)

    findings = [
        finding("r", "DiSCO", "s"), finding("q", "DiSCO", "s"), finding("r", "DiSCO", "t"),
        finding("r", "repU", "s"), finding("r", "CAP", ""), finding("r", "DiSCO", "u"),
        finding("q", "repU", "s", status=Status.REVIEW),
        finding("q", "CIO", "s", family=SPECIFIC_UTILITY),
    ]  # fmt: skip
    monkeypatch.setattr(decision, "_beyond", lambda _, worst, others: (worst, others))
    monkeypatch.setattr(decision, "_place_sentence", lambda _, worst: worst)
    source: Any = With(findings=findings)
    a, b, _, c, d, *_ = findings
    assert [*decision.risk_sentences(source, Status.FAIL)] == [(a, 2), (b, 0), (c, 0), d]


@pytest.mark.parametrize(
    ("kind", "value"), [("hidden", ", whose value is not shown."), ("number", " with 40.")]
)
def test_the_worst_table_is_told_with_its_value_where_that_is_shown(
    kind: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision, "_expected_of_fresh", lambda *_: "")

    def finding(replica: str, status: Status, *, limited: bool = True, rule: str = "") -> Any:
        limit = threshold("S_pMSE", 3, 10)
        return With(
            replica=replica, metric="S_pMSE", status=status, limited=limited, rule=rule,
            threshold=limit, variables=("a", "b"),
        )  # fmt: skip

    worst = finding("r", Status.FAIL)
    findings = [
        worst, finding("r", Status.REVIEW), finding("r", Status.WITHIN),
        finding("q", Status.FAIL), finding("r", Status.FAIL, limited=False),
    ]  # fmt: skip
    source: Any = With(
        findings=findings,
        table=lambda *_: SafeCell("40", kind),
        name=lambda name: Name(name, name),
        described=lambda name: Name(name, name),
    )
    told = plain(decision._tables_sentence(source, worst).words)
    assert told.startswith("r: of 3 tables, 2 are beyond 3 (review) and 1 is beyond 10 (fail) by")
    assert told.endswith(f"The worst is a \N{MULTIPLICATION SIGN} b{value}")


def test_a_measure_of_no_target_has_a_row_per_scenario_and_others_one_per_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    risks = [
        With(symbol="repU", baseline="UiO", any_target=True),
        With(symbol="DiSCO", baseline="Dorig", any_target=False),
    ]
    monkeypatch.setattr(overview, "chief_risks", lambda: risks)
    monkeypatch.setattr(overview, "commonest_share", lambda *_: cell(60.0))
    monkeypatch.setattr(overview, "_intruder", lambda _, scenario: text_cell(scenario.name))
    monkeypatch.setattr(
        overview, "_risk", lambda _, replica, symbol, *place: (replica, symbol, *place)
    )
    scenarios = With(name="s", targets=("vote", "pay")), With(name="t", targets=("vote",))
    source: Any = With(
        review=With(scenarios=scenarios), replicas=("r",),
        named=text_cell, risk=lambda *_: cell(9.0),
    )  # fmt: skip
    rows = {
        anchor: (str(a.text), b.text, b.detail, d.text, *e)
        for anchor, (a, b, _, d, *e) in overview._of_targets(source)
    }
    assert rows == {
        "risk-0": ("s", "who somebody is", "repU", blank().text, ("r", "repU", "s", "vote", 9.0)),
        "risk-0-0": ("s", "vote", "DiSCO", "60", ("r", "DiSCO", "s", "vote", 9.0)),
        "risk-0-1": ("s", "pay", "DiSCO", "60", ("r", "DiSCO", "s", "pay", 9.0)),
        "risk-1": ("t", "who somebody is", "repU", blank().text, ("r", "repU", "t", "vote", 9.0)),
        "risk-1-0": ("t", "vote", "DiSCO", "60", ("r", "DiSCO", "t", "vote", 9.0)),
    }


@pytest.mark.parametrize("replicas", ["r", "rq"])
@pytest.mark.parametrize("question", ["risk", "utility"])
def test_a_statement_names_its_replica_where_there_are_several(
    replicas: str, question: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "said_of", lambda _, statement: (statement.words,))
    decisions = {
        replica: With(
            **{
                name: With(statements=[With(words=f"{name} of {replica}", status=Status.FAIL)])
                for name in ("risk", "utility")
            }
        )
        for replica in replicas
    }
    source: Any = With(decisions=decisions, name=lambda name: Name(name, name))
    told = [plain(statement.words) for statement in answers._statements(source, question)]
    starts = [f"{replica}: " if len(replicas) > 1 else "" for replica in replicas]
    assert told == [
        f"{start}{question} of {replica}" for start, replica in zip(starts, replicas, strict=True)
    ]


@pytest.mark.parametrize(("replicas", "room"), [("abc", 60), ("abcd", 30)])
@pytest.mark.parametrize(("risks", "listed"), [(1, 28), (9, 12), (10, 10), (14, 10)])
def test_utility_has_the_worst_variables_first_and_as_many_as_risks_leave_room_for(
    replicas: str, room: int, risks: int, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "any_other", lambda *_: False)
    monkeypatch.setattr(overview, "to_original_size", lambda *_: 1.0)
    monkeypatch.setattr(overview, "expected", lambda *_: "")
    monkeypatch.setattr(overview, "replica_columns", lambda _: [column(r, r) for r in replicas])
    rooms: set[int] = set()
    pairs = {3: ("v0", "v1"), 4: ("v0", "v2")}
    source: Any = With(
        replicas=tuple(replicas),
        measures=With(
            by_table=lambda _: [("a", "S_pMSE", [3, 4]), ("a", "pMSE", [5])],
            values=lambda tables: ([pairs[i] for i in tables], [50.0, None]),
            table=lambda replica, *_: replica,
            at=lambda i: With(variables=pairs[i]),
        ),
        table=lambda *place: cell(float(place[-1][0][1:])),
        cell=lambda _: cell(50.0),
        review=With(variables=[f"v{i}" for i in range(31)]),
        name=lambda name: Name(name, name),
        labelled=lambda name, most: (rooms.add(most), text_cell(name))[1],
    )
    result = overview._utility(source, risks)
    assert rooms == {room}
    order = ["v0", "v1", *(f"v{i}" for i in range(30, 1, -1))]
    assert [row[0].text for row in result.rows] == order[:listed]
    first, last = result.rows[0][1], result.rows[2][2]
    assert (first.number, first.detail, first.shade) == (50.0, "with v1", 4)
    assert (last.number, last.detail, last.shade) == (30.0, "alone", 3)
    assert result.note.endswith(f" {31 - listed} better variables in the annex.")


@pytest.mark.parametrize(("count", "more"), [(30, ""), (31, " 1 better variable in the annex.")])
def test_variables_that_are_not_listed_are_counted(
    count: int, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("any_other", False), ("to_original_size", 1.0), ("expected", "")):
        monkeypatch.setattr(overview, name, lambda *_, value=value: value)
    monkeypatch.setattr(overview, "replica_columns", lambda _: [column("a", "a")])
    source: Any = With(
        replicas=("a",),
        measures=With(by_table=lambda _: [], table=lambda replica, *_: replica),
        table=lambda *_: cell(1.0),
        review=With(variables=[f"v{i}" for i in range(count)]),
        labelled=lambda name, _: text_cell(name),
    )
    result = overview._utility(source, 0)
    assert len(result.rows) == 30
    assert result.note.endswith(f"a stronger colour above 1, 3, 10, 30.{more}")


@pytest.mark.parametrize(
    ("metrics", "roles", "rule"),
    [
        (("repU", "DiSCO"), {}, "repU and DiSCO beside"), (("repU",), {"household": "h"}, ""),
        (("repU", "DiSCO"), {"cluster": "c"}, "DiSCO beside"), (None, {}, ""),
    ],
)  # fmt: skip
def test_what_is_held_against_other_people_is_told_of_measures_that_can_be(
    metrics: tuple[str, ...] | None, roles: dict[str, str], rule: str
) -> None:
    excess = None if metrics is None else With(
        metrics=metrics, excess=1, chance=0.05, excess_share=0.5, kind="a convention"
    )  # fmt: skip
    source: Any = With(
        profile=With(excess=excess, tables=None, thresholds={}),
        review=With(study=With(roles=roles)), measures=With(metrics=()), replicas=(),
        release=True,
    )  # fmt: skip
    text = " ".join(plain(item.words) for item in answers._rests(source, "risk"))
    assert ("beside people who were not in the original (1 point or more" in text) is bool(rule)
    assert rule in text
    assert ("repU is not judged" in text) is bool(roles)


@pytest.mark.parametrize(
    ("threshold", "status", "by_chance"),
    [
        (None, Status.FAIL, False),
        (With(chance=None), Status.FAIL, False),
        (With(chance=0.01), Status.FAIL, True),
        (With(chance=0.01), Status.WITHIN, False),
    ],
)
def test_a_finding_by_chance_is_one_beyond_a_limit_on_chance(
    threshold: Any, status: Status, *, by_chance: bool
) -> None:
    finding: Any = With(threshold=threshold, status=status)
    assert _is_by_chance(finding) is by_chance


def test_only_who_is_a_member_has_notes_on_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    place = With(name="friend"), "job"
    measures = {
        symbol: With(symbol=symbol, says="x", show=(), of=of, any_target=False)
        for symbol, of in {"auc": decision.MEMBERSHIP, "risk": "another"}.items()
    }
    put = monkeypatch.setattr
    put(decision, "MEASURES", measures)
    put(decision, "_beyond_chance", lambda *_: None)
    put(decision, "highest", lambda *_, **__: place)
    put(decision, "risk_sentence", lambda *given: With(words=(given[2],)))
    put(decision, "membership_notes", lambda *_: (" notes",))
    source: Any = With(
        profile=With(limited=()), replicas=("r",), anchor=lambda *_: "link",
        risk=lambda *_: With(number=1.0),
    )  # fmt: skip
    sentences = decision.unjudged_sentences(source, tested=False)
    assert [each.words for each in sentences] == [("auc", " notes"), ("risk",)]
