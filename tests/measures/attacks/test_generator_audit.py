"""The audit of a generator: bounds by hand, generators whose epsilon is known, and the null."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics import rbridge
from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.attacks import generator_audit as subject
from sdcmetrics.measures.attacks.generator_audit import (
    _attacked,
    _by_summaries,
    _farthest,
    _Seen,
    _seen,
    _summary,
    epsilon_bound,
    largest_bound,
)
from sdcmetrics.measures.attacks.people import linked
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
    assert epsilon_bound(50, 50, worlds=50, level=0.025) == 0
    assert epsilon_bound(40, 5, worlds=50, level=0.025, delta=low) == 0
    assert largest_bound(50) == epsilon_bound(50, 0, 50, 0.025)


def test_a_copy_is_told_as_surely_as_the_rounds_allow() -> None:
    seeds = []

    def copy(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
        seeds.append(seed)
        return frame

    result = sdc.audit_generator(original(), generate=copy, rounds=16)
    assert len(set(seeds)) == 32
    assert 0 <= min(seeds) < max(seeds) < 2**31  # as R takes them
    assert result.epsilon == result.largest > 0
    assert result.targets["record"].tolist() == [7]  # the one that lies apart
    assert result.syntheses == 32


def test_records_drawn_again_are_found_and_fresh_ones_are_not() -> None:
    assert sdc.audit_generator(original(), generate=bootstrap, rounds=40).epsilon > 0.3
    assert sdc.audit_generator(original(), generate=fresh, rounds=16).epsilon == 0


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
    result = _attacked(worlds, 0.025, 0.0)
    assert result["attack"] == "summaries"
    assert result["epsilon"] > 1


@pytest.mark.parametrize("sign", [1, -1])
def test_worlds_are_told_in_either_direction(sign: int) -> None:
    """A generator that avoids its records shows where one is not."""
    rng = np.random.default_rng(2)
    none = np.zeros(1)
    worlds = [
        _Seen(1.0, float((i % 2 == 0) == (sign > 0) and rng.random() < 0.6), none)
        for i in range(80)
    ]
    result = _attacked(worlds, 0.025, 0.0)
    assert result["epsilon"] > 0.3
    assert result["direction"] == ("in" if sign > 0 else "out")
    assert result["false_rate"] == 0


def world(near: float = 1.0, equal: float = 0.0, summary: float = 0.0) -> _Seen:
    return _Seen(near, equal, np.array([summary]))


def test_an_attack_is_chosen_on_the_first_half_and_counted_on_the_second() -> None:
    # with the person, without, and so on; the nearer tells the first three pairs
    near = [0, 1, 0, 2, 0.5, 1, 0, 1, 0, 0, 1, 1.0]
    result = _attacked([world(near=value) for value in near], 0.25, 0.0)
    assert (result["attack"], result["direction"]) == ("nearest record", "in")
    assert (result["true_rate"], result["false_rate"]) == (2 / 3, 1 / 3)
    assert result["right"] == 4 / 6
    assert result["epsilon"] == epsilon_bound(2, 1, 3, 0.25)
    # equal records in one of three worlds without the person, and in none with
    equal = [0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0.5, 0]
    result = _attacked([world(equal=value) for value in equal], 0.25, 0.0)
    assert (result["attack"], result["direction"]) == ("equal records", "out")
    assert (result["true_rate"], result["false_rate"]) == (2 / 3, 0)


def test_the_best_of_all_cuts_is_chosen_on_the_first_half() -> None:
    """As it is defined: every cut in both directions, the first of those that prove most."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        near = rng.integers(5, size=24).tolist()
        inside, outside, later = near[:12:2], near[1:12:2], (near[12::2], near[13::2])
        attacks = []
        for sign in (-1, 1):  # a nearer record, or one that is farther, tells
            for says, own, others in (("in", inside, outside), ("out", outside, inside)):
                for cut in sorted(sign * value for value in {*inside, *outside}):
                    true, false = (
                        sum(sign * value >= cut for value in part) for part in (own, others)
                    )
                    proved = epsilon_bound(true, false, 6, 0.2)
                    attacks.append((proved, true - false, says, sign, cut))
        *_, says, sign, cut = max(attacks, key=lambda attack: attack[:2])
        result = _attacked([world(near=value) for value in near], 0.2, 0.0)
        true, false = (sum(sign * value >= cut for value in part) / 6 for part in later)
        assert result["direction"] == says
        rates = (result["true_rate"], result["false_rate"])
        assert rates == ((true, false) if says == "in" else (false, true))


def test_what_proves_more_is_chosen_before_what_is_right_more_often() -> None:
    # of twenty pairs the first attack is right in 17 and 17, the other in 12 and never wrong
    near = [part for i in range(20) for part in (float(i >= 17), float(i < 17))]
    equal = [part for i in range(20) for part in (float(i < 12), 0.0)]
    worlds = [world(*both) for both in zip(near * 2, equal * 2, strict=True)]
    assert epsilon_bound(12, 0, 20, 0.025) > epsilon_bound(17, 3, 20, 0.025) > 0
    assert _attacked(worlds, 0.025, 0.0)["attack"] == "equal records"
    assert epsilon_bound(12, 0, 20, 1e-9) == 0  # where nothing is proved
    assert _attacked(worlds, 1e-9, 0.0)["attack"] == "nearest record"


def test_summaries_are_scored_as_by_leaving_each_world_out() -> None:
    rng = np.random.default_rng(4)
    summaries = rng.normal(size=(12, 4)) * [1, 2, 3, 0]
    summaries[:, 2] = 0.5  # never varies
    summaries[:, 3] = np.arange(12) % 2  # never within a kind
    label, first = np.arange(12) % 2 == 0, 8
    for columns in ([0, 1], [0, 1, 2], [3]):
        part = summaries[:, columns]
        result = _by_summaries(part, label, first)
        for i in range(12):
            rows = [j for j in range(first) if j != i]
            kinds = [part[[j for j in rows if label[j] == kind]] for kind in (True, False)]
            own = [part[:first][label[:first] == kind].var(axis=0) for kind in (True, False)]
            inside, outside = (kind.mean(axis=0) for kind in kinds)
            spread = own[0] + own[1]
            spread[spread == 0] = 1e-12
            expected = ((part[i] - (inside + outside) / 2) / spread * (inside - outside)).sum()
            assert result[i] == pytest.approx(expected)


def test_a_data_set_is_summed_up_column_by_column() -> None:
    first = pd.DataFrame({"g": list("aab"), "x": [1.0, 2, 3], "z": [5.0, 1, np.nan]})
    other = pd.DataFrame({"g": list("abcc"), "x": [0.0, 2, 4, np.nan], "z": [1.0, 2, 6, 3]})
    data = linked(first, other, variables=["g", "x", "z"], missing_codes=None)
    shares = [0, 1 / 4, 1 / 4, 2 / 4]  # none missing; what the original lacks together
    x = [2, 2, np.std([0, 2, 4]), 0, 4, 1 / 4]
    z = [3, 2.5, np.std([1, 2, 6, 3]), 1, 6, 0]
    related = np.corrcoef([0, 2, 4, 2], [1, 2, 6, 3])[0, 1]  # the mean for what is missing
    assert _summary(data) == pytest.approx([*shares, *x, *z, related])
    alone = linked(first[["x"]], other[["x"]], variables=["x"], missing_codes=None)
    assert _summary(alone) == pytest.approx(x)
    none = linked(first[["x", "z"]], other[["x", "z"]].assign(x=np.nan), variables=["x", "z"],
                  missing_codes=None)  # fmt: skip
    assert _summary(none) == pytest.approx([0, 0, 0, 0, 0, 1, *z, 0])


def test_a_target_is_seen_by_its_nearest_record_and_those_equal_to_it() -> None:
    first = pd.DataFrame({"g": list("aab"), "h": list("xyx")})
    other = pd.DataFrame({"g": list("abab"), "h": list("yyyx")})
    data = linked(first, other, variables=["g", "h"], missing_codes=None)
    seen = [_seen(data, target) for target in range(3)]
    assert [item.equal for item in seen] == [0, 2 / 4, 1 / 4]
    assert [item.near > 0 for item in seen] == [True, False, False]


def test_the_target_is_farthest_from_its_five_nearest() -> None:
    x = [0.0, 0, 0, 0, 0, 0, 50, 50, 90, 91, 92, 93, 94, 95]
    frame = pd.DataFrame({"x": x})
    data = linked(frame, frame, variables=["x"], missing_codes=None)
    # of 50: 0, and 40 to 43; of 0: none, or some of 0 and no other
    assert _farthest(data) == 6
    few = pd.DataFrame({"x": [0.0, 1, 9]})
    assert _farthest(linked(few, few, variables=["x"], missing_codes=None)) == 2


def test_several_targets_are_paid_for() -> None:
    first, both = (
        sdc.audit_generator(original(), generate=lambda frame, _: frame, records=records, rounds=16)
        for records in ([7], [7, 8])
    )
    assert both.epsilon < first.epsilon
    assert both.targets["record"].tolist() == [7, 8]


def test_refuses_too_few_rounds_and_records_that_are_not_there() -> None:
    with pytest.raises(StudyError, match="rounds: 10 per target can prove nothing"):
        sdc.audit_generator(original(), generate=fresh, rounds=10)
    with pytest.raises(DataError, match="at least 3 records but got 2"):
        sdc.audit_generator(original()[:2], generate=fresh)
    for delta in (-0.1, 1.0):
        with pytest.raises(StudyError, match="delta: expected a number from 0 to below 1"):
            sdc.audit_generator(original(), generate=fresh, delta=delta)
    with pytest.raises(StudyError, match="positions from 0 to 29 but got -1"):
        sdc.audit_generator(original(), generate=fresh, records=[-1], rounds=16)
    with pytest.raises(StudyError, match="positions from 0 to 29 but got 30"):
        sdc.audit_generator(original(), generate=fresh, records=[30], rounds=16)


@pytest.mark.r
def test_audits_synthpop_through_the_bridge() -> None:
    r = live_session()
    result = sdc.audit_generator(
        original(),
        generate=lambda frame, seed: rbridge.syn(frame, seed=seed, session=r)[0],
        rounds=11,
    )
    assert 0 <= result.epsilon <= result.largest
    assert result.syntheses == 22


def test_bounds_are_of_as_many_worlds_as_there_are_of_a_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def bound(true: int, false: int, worlds: int, *_: float) -> float:
        asked.append(worlds)
        return epsilon_bound(true, false, worlds, 0.025)

    monkeypatch.setattr(subject, "epsilon_bound", bound)
    _attacked([_Seen(float(i % 2), 0.0, np.ones(1)) for i in range(18)], 0.025, 0.0)
    assert set(asked[:-1]) == {4}  # nine pairs: four to choose by, and five to try
    assert asked[-1] == 5
