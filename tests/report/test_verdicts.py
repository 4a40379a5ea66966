"""Whatever the profile limits, first page, JSON, terminal and exit code say one thing."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import sdcmetrics as sdc
from sdcmetrics.cli import run
from sdcmetrics.measures.registry import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    MEASURES,
    SPECIFIC_UTILITY,
)
from sdcmetrics.report.document import as_json
from sdcmetrics.report.safety.safe import safe_report
from sdcmetrics.review.judge import Status
from sdcmetrics.review.verdict import RELEASABLE, USEFUL, verdicts
from sdcmetrics.study.profile import Profile, Threshold

UTILITY = (GENERAL_UTILITY, SPECIFIC_UTILITY)
ASKED = ("", "[[model]]", "[[rule]]", "[propensity]")
JUDGED = sorted(
    symbol
    for symbol, one in MEASURES.items()
    if one.better != "none" and one.of.option in ASKED and not symbol.startswith("match_risk")
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


@settings(max_examples=25, deadline=None, database=None)
@given(chosen=limits)
def test_every_place_says_what_judge_says(chosen: dict[str, tuple[float, bool]]) -> None:
    rules = profile(chosen)
    findings = sdc.judge(review(), rules)
    said = {one.replica: one for one in verdicts(review(), findings)}
    report = safe_report(review(), rules, "internal")
    document = json.loads(as_json(report))
    for row in document["replicas"]:
        one = said[row["replica"]]
        assert row["risk"] == one.of(DISCLOSURE_RISK).value
        assert row["utility"] == one.of(*UTILITY).value
    order = list(Status)
    both = (((DISCLOSURE_RISK,), RELEASABLE), (UTILITY, USEFUL))
    for answer, (families, words) in zip(document["answers"], both, strict=True):
        judged = [one.of(*families) for one in said.values()]
        known = [status for status in judged if status is not Status.NOT_JUDGED]
        best = min(known, key=order.index, default=Status.NOT_JUDGED)
        assert answer["status"] == best.value
        told = {line["finding"]: line["status"] for line in answer["replicas"]}
        for name, one in said.items() if answer["replicas"] else ():
            status = one.of(*families)
            (line,) = [text for text in told if name in text.partition(":")[0]]
            assert line.endswith(f": {words[status]}")
            assert told[line] == status.value
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run._summarise(review(), said.values(), Path("report.html"), "internal", quiet=False)
    for name, one in said.items():
        line = next(text for text in out.getvalue().splitlines() if text.split()[:1] == [name])
        risk, utility = one.of(DISCLOSURE_RISK), one.of(*UTILITY)
        assert line.split(maxsplit=1)[1] == (
            f"{RELEASABLE[risk]};  utility: {utility.value};  disclosure risk: {risk.value}"
            + (f";  {one.people}" if one.people else "")
        )
        (decided,) = [row for row in document["decision"] if row["replica"] == name]
        assert (decided["people"] == "yes") == bool(one.people)
    worst_of_all = max((one.status for one in said.values()), key=order.index)
    for least in ("review", "fail"):
        beyond = order.index(worst_of_all) >= order.index(Status(least))
        assert run.exit_code(said.values(), least) == int(beyond)
    every = [one.of(*families) for one in said.values() for families, _ in both]
    assert run.exit_code(said.values(), "unjudged") == int(set(every) != {Status.WITHIN})
    assert said["copy"].of(DISCLOSURE_RISK) is not Status.WITHIN
    beyond_limits = [f for f in findings if f.status in (Status.REVIEW, Status.FAIL)]
    assert bool(beyond_limits) == any(
        row["status"] in ("review", "fail") for row in document["findings"]
    )
