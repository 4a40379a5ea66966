"""The same statistics as the slow program of the specification, where that is at hand."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.excess.excess import excess
from sdcmetrics.measures.excess.left_out import LeftOut
from sdcmetrics.measures.excess.questions import (
    AS_THEY_ARE,
    IN_GROUPS,
    Scenario,
    pool_of,
    questions_of,
)
from sdcmetrics.study import demo
from tests.measures.excess.people import KEYS, people, records

FOLDER = Path(__file__).parents[4] / "shared" / "reference" / "decision"
SCENARIO = Scenario(KEYS, ("vote", "income"))
ASKED = [(KEYS, target) for target in SCENARIO.targets]


@pytest.fixture(scope="module")
def reference() -> Any:
    if not (FOLDER / "verdict3.py").exists():
        pytest.skip("the program of the specification is not at hand")
    sys.path.insert(0, str(FOLDER))
    try:
        import verdict3
    finally:
        sys.path.remove(str(FOLDER))
    return verdict3


@pytest.mark.parametrize("encoding", [AS_THEY_ARE, IN_GROUPS])
@pytest.mark.parametrize("m", [50, 300, 299, 900])
def test_statistics_of_any_labels(reference: Any, m: int, encoding: str) -> None:
    rng = np.random.default_rng(m)
    original, replica = people(rng, 300), people(rng, m)
    pool = pd.concat([original, replica], ignore_index=True)
    grouped = encoding == IN_GROUPS
    questions = [(KEYS, reference.Question(pool, list(KEYS), t, grouped)) for _, t in ASKED]
    labels = np.repeat([1, 0], [300, m]).astype(np.int8)
    labels = np.vstack([labels, *(rng.permutation(labels) for _ in range(9))])
    statistics = reference.LeaveOneOut(300, m)
    ours = records(original, replica)
    names = ["age, region -> vote", "alone with age, region", "age, region -> income"]
    asked = {one.name: one for one in questions_of([SCENARIO])}
    left_out = LeftOut(
        pool_of(ours.columns, (300, m), (0, 1)), [asked[name] for name in names], encoding
    )
    drawn = np.ascontiguousarray(labels.astype(np.uint8)[:, left_out.records].T)
    expected = statistics(questions, labels)
    np.testing.assert_allclose(left_out.statistics(drawn), expected, atol=1e-7)
    copy = statistics(questions, labels[:1], copy=True)[0]
    np.testing.assert_allclose(left_out.of_copy(), copy, atol=1e-7)


def judged(reference: Any, frames: list[pd.DataFrame], scenarios: list[Any]) -> tuple[Any, Any]:
    original, replica, holdout = frames
    asked = [(tuple(one.keys), target) for one in scenarios for target in one.targets]
    keys, targets = zip(*asked, strict=True)
    theirs = reference.decide_excess(original, replica, holdout, keys, targets, people_alarm=True)
    return excess(records(original, replica, holdout), scenarios), theirs


@pytest.mark.parametrize("h", [300, 0])
@pytest.mark.parametrize("copied", [0, 60, 300])
def test_whole_verdicts(reference: Any, copied: int, h: int) -> None:
    rng = np.random.default_rng([copied, h])
    original, fresh = people(rng, 300), people(rng, 300 - copied or 1)
    replica = pd.concat([original.iloc[:copied], fresh], ignore_index=True).iloc[:300]
    holdout: Any = people(rng, h) if h else None
    ours, theirs = judged(reference, [original, replica, holdout], [SCENARIO])
    assert ours.status(people_alarm=True) == theirs["status"]
    assert set(ours.flags) == set(theirs["flags"])
    assert set(ours.copyable) == set(theirs["copyable"])
    if h:  # nothing is drawn: excess and p are the same to the last digit
        for one in (one for one in ours.questions if one.flagged):
            each = [(size, p) for name, size, p, _ in theirs["raw"] if name == one.name]
            assert any(pair == pytest.approx((one.excess, one.p)) for pair in each)


@pytest.mark.parametrize("name", ["cart", "independent", "parametric", "perturbed"])
@pytest.mark.parametrize("with_holdout", [True, False])
def test_the_demo(reference: Any, name: str, with_holdout: bool) -> None:
    original, replica = demo.load_original(), demo.load_replicas()[name]
    replica = replica[0] if isinstance(replica, list) else replica
    holdout: Any = demo.load_holdout() if with_holdout else None
    texts = [
        None if one is None else one.astype({c: str for c in one if one[c].dtype == "category"})
        for one in (original, replica, holdout)
    ]
    scenarios = [demo.study().scenarios[0]]
    ours, theirs = judged(reference, texts, scenarios)  # type: ignore[arg-type]  # None too
    assert ours.status(people_alarm=True) == theirs["status"]
    assert set(ours.flags) == set(theirs["flags"])
    assert set(ours.fails) == set(theirs["fails"])
