"""The same statistics as a slow program for them; reference/decision holds what that answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.excess.left_out import LeftOut
from sdcmetrics.measures.excess.questions import (
    AS_THEY_ARE,
    IN_GROUPS,
    Scenario,
    pool_of,
    questions_of,
)
from sdcmetrics.study import demo
from tests.measures.excess.people import KEYS, excess, people, records
from tests.recorded import decision

SCENARIO = Scenario(KEYS, ("vote", "income"))
SIZES = (50, 300, 299, 900)
COPIED = (0, 60, 300)
REPLICAS = ("cart", "independent", "parametric", "perturbed")
Frames = tuple[Any, Any, Any]


def labelled(m: int) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    """Return an original of 300, a replica of m, and ten labellings of all: theirs comes first."""
    rng = np.random.default_rng(m)
    original, replica = people(rng, 300), people(rng, m)
    labels = np.repeat([1, 0], [300, m]).astype(np.int8)
    return original, replica, np.vstack([labels, *(rng.permutation(labels) for _ in range(9))])


def partly_copied(copied: int, h: int) -> Frames:
    """Return an original of 300, a replica that copies some of it, and a holdout of h or None."""
    rng = np.random.default_rng([copied, h])
    original, other = people(rng, 300), people(rng, 300 - copied or 1)
    replica = pd.concat([original.iloc[:copied], other], ignore_index=True).iloc[:300]
    return original, replica, people(rng, h) if h else None


def of_the_demo(name: str, *, with_holdout: bool) -> Frames:
    """Return original, replica and holdout of the demo, categories as texts."""
    replica = demo.load_replicas()[name]
    replica = replica[0] if isinstance(replica, list) else replica
    frames = [demo.load_original(), replica, demo.load_holdout() if with_holdout else None]
    original, replica, holdout = (
        None
        if frame is None
        else frame.astype({c: str for c in frame if frame[c].dtype == "category"})
        for frame in frames
    )
    return original, replica, holdout


@pytest.mark.parametrize("encoding", [AS_THEY_ARE, IN_GROUPS])
@pytest.mark.parametrize("m", SIZES)
def test_statistics_of_any_labels(m: int, encoding: str) -> None:
    original, replica, labels = labelled(m)
    names = ["age, region -> vote", "alone with age, region", "age, region -> income"]
    asked = {item.name: item for item in questions_of([SCENARIO])}
    left_out = LeftOut(
        pool_of(records(original, replica).columns, (300, m), (0, 1)),
        [asked[name] for name in names],
        encoding,
    )
    drawn = np.ascontiguousarray(labels.astype(np.uint8)[:, left_out.records].T)
    grouped = "in groups" if encoding == IN_GROUPS else "as they are"
    expected = decision("excess")["statistics"][f"{m}, {grouped}"]
    np.testing.assert_allclose(left_out.statistics(drawn), expected["drawn"], atol=1e-7)
    np.testing.assert_allclose(left_out.of_copy(), expected["copy"], atol=1e-7)


@pytest.mark.parametrize("h", [300, 0])
@pytest.mark.parametrize("copied", COPIED)
def test_whole_verdicts(copied: int, h: int) -> None:
    expected = decision("excess")["verdicts"][f"{copied}, {h}"]
    ours = excess(records(*partly_copied(copied, h)), [SCENARIO])
    assert ours.status(people_alarm=True) == expected["status"]
    assert set(ours.flags) == set(expected["flags"])
    assert set(ours.copyable) == set(expected["copyable"])
    if h:  # nothing is drawn: excess and p are the same to the last digit
        for item in (question for question in ours.questions if question.flagged):
            each = [(size, p) for name, size, p in expected["raw"] if name == item.name]
            assert any(pair == pytest.approx((item.excess, item.p)) for pair in each)


@pytest.mark.parametrize("name", REPLICAS)
@pytest.mark.parametrize("with_holdout", [True, False])
def test_the_demo(name: str, with_holdout: bool) -> None:
    expected = decision("excess")["demo"][f"{name}, {'with' if with_holdout else 'no'} holdout"]
    files = records(*of_the_demo(name, with_holdout=with_holdout))
    ours = excess(files, [demo.study().scenarios[0]])
    assert ours.status(people_alarm=True) == expected["status"]
    assert set(ours.flags) == set(expected["flags"])
    assert set(ours.fails) == set(expected["fails"])
