"""The audit of a generator: bounds by hand, generators whose epsilon is known, and the null."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics import rbridge
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.attacks.generator_audit import _attacked, _Seen, epsilon_bound
from tests.live_r import live_session


def original() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 3, 30).astype(str), "x": rng.normal(size=30).round(2)}
    )
    frame.loc[7, "x"] = 9.0
    return frame


def bootstrap(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    return frame.sample(30, replace=True, random_state=seed)


def fresh(_: pd.DataFrame, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.integers(0, 3, 30).astype(str), "x": rng.normal(size=30)})


def test_a_bound_is_that_of_clopper_and_pearson() -> None:
    low = stats.binomtest(40, 50).proportion_ci(0.95, "exact").low
    high = stats.binomtest(5, 50).proportion_ci(0.95, "exact").high
    assert epsilon_bound(40, 5, worlds=50, level=0.025) == pytest.approx(math.log(low / high))
    with_delta = epsilon_bound(40, 5, worlds=50, level=0.025, delta=0.1)
    assert with_delta == pytest.approx(math.log((low - 0.1) / high))
    assert epsilon_bound(0, 0, worlds=50, level=0.025) == 0


def test_a_copy_is_told_as_surely_as_the_rounds_allow() -> None:
    found = sdc.audit_generator(original(), generate=lambda frame, _: frame, rounds=16)
    assert found.epsilon == found.largest > 0
    assert found.targets["record"].tolist() == [7]  # the one that lies apart
    assert found.syntheses == 32


def test_records_drawn_again_are_found_and_fresh_ones_are_not() -> None:
    assert sdc.audit_generator(original(), generate=bootstrap, rounds=40).epsilon > 0.3
    assert sdc.audit_generator(original(), generate=fresh, rounds=16).epsilon == 0


@pytest.mark.long
def test_chance_proves_nothing() -> None:
    """What is chosen on half of the worlds is tried on the other half."""
    rng = np.random.default_rng(1)
    proved = 0
    for _ in range(60):
        worlds = [
            _Seen(float(rng.integers(4)), float(rng.random() < 0.3), rng.normal(size=8))
            for _ in range(40)
        ]
        proved += _attacked(worlds, 0.025, 0.0)["epsilon"] > 0
    assert proved <= stats.binom.ppf(0.9999, 60, 0.05)


def test_summaries_tell_worlds_that_single_records_do_not() -> None:
    rng = np.random.default_rng(3)
    worlds = [_Seen(1.0, 0.0, rng.normal(size=5) + 2.0 * (i % 2 == 0)) for i in range(80)]
    found = _attacked(worlds, 0.025, 0.0)
    assert found["attack"] == "summaries"
    assert found["epsilon"] > 1


@pytest.mark.parametrize("sign", [1, -1])
def test_worlds_are_told_in_either_direction(sign: int) -> None:
    """A generator that avoids its records shows where one is not."""
    rng = np.random.default_rng(2)
    none = np.zeros(1)
    worlds = [
        _Seen(1.0, float((i % 2 == 0) == (sign > 0) and rng.random() < 0.6), none)
        for i in range(80)
    ]
    found = _attacked(worlds, 0.025, 0.0)
    assert found["epsilon"] > 0.3
    assert found["direction"] == ("in" if sign > 0 else "out")
    assert found["false_rate"] == 0


def test_several_targets_are_paid_for() -> None:
    one, both = (
        sdc.audit_generator(original(), generate=lambda frame, _: frame, records=records, rounds=16)
        for records in ([7], [7, 8])
    )
    assert both.epsilon < one.epsilon
    assert both.targets["record"].tolist() == [7, 8]


def test_refuses_too_few_rounds_and_records_that_are_not_there() -> None:
    with pytest.raises(StudyError, match="rounds: 10 per target can prove nothing"):
        sdc.audit_generator(original(), generate=fresh, rounds=10)
    with pytest.raises(StudyError, match="positions from 0 to 29 but got 30"):
        sdc.audit_generator(original(), generate=fresh, records=[30], rounds=16)


@pytest.mark.r
def test_audits_synthpop_through_the_bridge() -> None:
    r = live_session()
    found = sdc.audit_generator(
        original(),
        generate=lambda frame, seed: rbridge.syn(frame, seed=seed, session=r)[0],
        rounds=11,
    )
    assert 0 <= found.epsilon <= found.largest
    assert found.syntheses == 22
