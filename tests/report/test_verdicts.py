"""Whatever the profile limits, first page, JSON, terminal and exit code say one thing."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import json
import re
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdcmetrics as sdc
from sdcmetrics.cli import run
from sdcmetrics.decision.answer import Decision
from sdcmetrics.decision.choice import Ordered, choose
from sdcmetrics.decision.gate import BARS, DEFAULT, QUESTIONS, exit_code, read_gate
from sdcmetrics.decision.status import severity, worst
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.document import as_json
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.sections.answers import _LINES, _VERBS
from sdcmetrics.review.decided import decisions
from sdcmetrics.review.judge import Status
from sdcmetrics.study.profile import Profile, Threshold, load_profile

ASKED = ("", "[[model]]", "[[rule]]", "[propensity]")
JUDGED = sorted(
    symbol
    for symbol, item in MEASURES.items()
    if item.better != "none" and item.of.option in ASKED and not symbol.startswith("match_risk")
)
"""What the study below measures: the population's size is another option."""
limits = st.dictionaries(
    st.sampled_from(JUDGED),
    st.tuples(st.floats(-1, 100), st.booleans()),
    min_size=1,
    max_size=4,
)


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 60, n)
    return pd.DataFrame(
        {"age": age, "sex": rng.choice(["f", "m"], n), "pay": 10.0 * age + rng.normal(0, 50, n)}
    )


@cache
def review() -> sdc.Review:
    study = sdc.Study(
        people(90, 1),
        {"one": [people(90, 2), people(80, 3)], "copy": people(90, 1)},
        keys=["sex"],
        targets=["age"],
        holdout=people(60, 4),
        models=["pay ~ age", ("sex ~ age", "binomial")],
        rules=["age >= 20"],
        propensity=True,
        permutations=9,
        perturbed=[],
    )
    return sdc.conduct(study)


def profile(chosen: dict[str, tuple[float, bool]]) -> Profile:
    day = dt.date(2026, 11, 1)
    return Profile(
        "test",
        "Test",
        "nobody",
        {
            symbol: Threshold(
                symbol, None if fails else limit, limit if fails else None, "s", "o", day
            )
            for symbol, (limit, fails) in chosen.items()
        },
    )


def test_every_measure_with_a_direction_is_measured_here() -> None:
    assert set(review().frame["metric"]) >= set(JUDGED)


def answers_agree(
    document: dict[str, Any], decided: list[Decision], ranking: Ordered | None
) -> None:
    """See that the board and the JSON hold what was decided."""
    assert [row["replica"] for row in document["decision"]] == [item.replica for item in decided]
    for row, one in zip(document["decision"], decided, strict=True):
        for question, answer in (("risk", one.risk), ("utility", one.utility)):
            assert row[question]["status"] == answer.status.value
            assert row[question]["answer"] == answer.words
            assert row[question]["because"] == [str(ground) for ground in answer.because]
            assert row[question]["besides"] == [str(item) for item in answer.besides]
            assert (
                worst(statement.status for statement in answer.statements if statement.status)
                is answer.status
            )
        assert row["status"] == one.status.value
        assert row["risk"]["basis"] == one.basis
    for row, one in zip(document["replicas"], decided, strict=True):
        assert (row["risk"], row["utility"]) == (one.risk.status.value, one.utility.status.value)
    *each, which = document["answers"]
    choice = choose(decided, ranking)
    assert choice is not None
    assert (which["answer"], which["status"]) == (choice.short.text, choice.status.value)
    for answer, question in zip(each, QUESTIONS, strict=True):
        given_ = {item.replica: getattr(item, question).status for item in decided}
        assert answer["status"] == min(given_.values(), key=severity).value
        entries = {line["finding"]: line["status"] for line in answer["replicas"]}
        for name, status in given_.items():
            (line,) = [text for text in entries if name in text]
            end = _LINES[question][status].partition("{names}")[2]
            ends = [end.format(**verbs) for verbs in ({verb: verb for verb in _VERBS}, _VERBS)]
            assert line.endswith(tuple(ends))
            assert entries[line] == status.value


def cells_of(html: str) -> list[list[str]]:
    """Return the text of every cell of the board, row by row, without its links."""
    table = html[html.index('class="scroll wide board') :]
    body = table[table.index("<tbody>") : table.index("</tbody>")]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    return [
        [
            unescape(re.sub(r"<[^>]+>", "", cell)).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def page_agrees(html: str, decided: list[Decision]) -> None:
    """See that the first page has one row per replica: both answers, and what each rests on."""
    rows = cells_of(html)
    assert len(rows) == len(decided)
    for cells, item in zip(rows, decided, strict=True):
        name, risk, why, utility, why_useful = cells
        assert item.replica in name
        assert item.risk.status.value in risk
        assert item.risk.words in risk or item.risk.status.value == item.risk.words
        assert item.utility.status.value in utility
        for reason in item.risk.because:
            assert str(reason) in why
        for reason in item.utility.because:
            assert str(reason) in why_useful


def terminal_agrees(decided: list[Decision]) -> None:
    """See that the terminal says of each replica both answers, and under them the reasons."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run._summarise(review(), decided, Path("report.html"), "internal", which="~", quiet=False)
    lines = out.getvalue().splitlines()
    for item in decided:
        (at,) = [i for i, text in enumerate(lines) if text.startswith(f"  {item.replica} ")]
        assert lines[at].split(maxsplit=1)[1] == item.words
        reasons = [*item.risk.because, *item.utility.because]
        for text, reason in zip(lines[at + 1 :], reasons, strict=False):
            assert str(reason).startswith(text.strip().removesuffix("\N{HORIZONTAL ELLIPSIS}"))
        assert len(lines) > at + len(reasons)


@settings(max_examples=6, deadline=None, database=None)
@given(chosen=limits)
def test_every_place_says_what_is_decided(chosen: dict[str, tuple[float, bool]]) -> None:
    rules = profile(chosen)
    every_place_agrees(rules)
    findings = sdc.judge(review(), rules)
    document = json.loads(as_json(safe_report(review(), rules, "internal")))
    beyond_limits = [f for f in findings if f.status in (Status.REVIEW, Status.FAIL)]
    assert bool(beyond_limits) == any(
        row["status"] in ("review", "fail") for row in document["findings"]
    )


@pytest.mark.parametrize("name", ["default", "synthpop", "illustration"])
def test_every_place_says_what_is_decided_by_our_profiles(name: str) -> None:
    every_place_agrees(load_profile(name))


def every_place_agrees(rules: Profile) -> None:
    decided = list(decisions(review(), rules))
    report = safe_report(review(), rules, "internal")
    answers_agree(json.loads(as_json(report)), decided, report.ranking.standing)
    page_agrees(render(report), decided)
    terminal_agrees(decided)
    worst_of_all = worst(item.status for item in decided)
    for word, bar in BARS.items():
        closed = bar is not None and severity(worst_of_all) >= severity(bar)
        assert exit_code(decided, read_gate(word)) == int(closed)
    risks = {item.risk.status for item in decided}
    assert exit_code(decided, read_gate(DEFAULT)) == int(risks != {Status.WITHIN})
    by_name = {item.replica: item for item in decided}
    assert by_name["copy"].risk.status is Status.FAIL
    assert "It is the original." in map(str, by_name["copy"].risk.because)


def test_a_rule_that_is_broken_is_named_by_its_text() -> None:
    of_package = load_profile("illustration")
    (first, _) = decisions(review(), of_package)
    assert not any(
        "rule_severity" in str(ground) for ground in first.utility.because
    )  # it does so, too
    plain = replace(of_package.thresholds["rule_severity"], chance=None)
    limits = {**of_package.thresholds, "rule_severity": plain}
    (first, _) = decisions(review(), replace(of_package, thresholds=limits))
    assert any("rule_severity of age >= 20 is" in str(ground) for ground in first.utility.because)
