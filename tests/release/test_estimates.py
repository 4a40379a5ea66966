"""What noisy sums say: shares with ranges that hold what they promise, and statuses."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.release import estimates
from sdcmetrics.release.accounting import half_width
from sdcmetrics.release.answers import NoisySum, NoisySums, noisy
from sdcmetrics.release.estimates import (
    Estimate,
    _share_of_drawn,
    estimates_of,
    holds_nearly_all,
    judged,
    rounded,
    worst_of,
)
from sdcmetrics.release.public import Public
from sdcmetrics.release.questions import questions_of
from sdcmetrics.release.sums import Confidential, exact_sums
from sdcmetrics.review.judge import Status
from tests.release.studies import confidential, people, public_of, write_study

VARIANCE = Fraction(70)


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Public:
    folder = tmp_path_factory.mktemp("estimates")
    return public_of(write_study(folder, people(400, 5), people(300, 7)))


def sums_of(public: Public, given: Confidential, key: bytes | None) -> NoisySums:
    """Return noisy sums; without a key, those that noise would be added to."""
    answers = {}
    for question in questions_of(public):
        exact = exact_sums(question, public, given)
        answers[question] = (
            NoisySum(exact, Fraction(1, 10**12))
            if key is None
            else noisy(question, exact, VARIANCE, key)
        )
    return NoisySums(answers, 1.0)


def test_the_error_of_a_share_of_people_who_were_drawn(public: Public) -> None:
    # Five cells with noise in each, of 2,000 people drawn independently: simulated.
    nearest = next(q for q in questions_of(public) if q.measure == "nearest")
    question = replace(nearest, cells=5, drawn=10)
    shares = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
    values = tuple((2000 * shares).astype(int).tolist())
    variance = 900
    share, sd = _share_of_drawn(question, 600.0, NoisySum(values, Fraction(variance)), 0)
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(2000, shares, 40_000) + rng.normal(0, variance**0.5, (40_000, 5))
    assert share == 0.3
    assert sd == pytest.approx((drawn[:, 0] / drawn.sum(axis=1)).std(), rel=0.02)


def test_nine_of_ten_ranges_hold_the_figure_without_noise(public: Public) -> None:
    given = confidential(people(400, 5), people(300, 7))
    exact = estimates_of(sums_of(public, given, None), public.profile)
    held: dict[bool, list[bool]] = {False: [], True: []}
    exactly = {q: exact_sums(q, public, given) for q in questions_of(public)}
    for i in range(60):
        key = hashlib.sha256(bytes([i])).digest()
        sums = NoisySums({q: noisy(q, v, VARIANCE, key) for q, v in exactly.items()}, 1.0)
        for item, true in zip(estimates_of(sums, public.profile), exact, strict=True):
            held[item.people == "difference"].append(item.low <= true.value <= item.high)
    for each in held.values():
        assert 0.9 <= sum(each) / len(each) <= 0.96


def test_a_difference_is_that_of_the_figures_beside_it(public: Public) -> None:
    given = confidential(people(400, 5), people(300, 7))
    exactly = {q: exact_sums(q, public, given) for q in questions_of(public)}
    apart = 0
    for i in range(20):
        key = hashlib.sha256(bytes([i])).digest()
        sums = NoisySums({q: noisy(q, v, VARIANCE, key) for q, v in exactly.items()}, 1.0)
        each = estimates_of(sums, public.profile)
        for first, other, difference in zip(each, each[1:], each[2:], strict=False):
            if difference.people == "difference":
                told = first.value - other.value
                assert abs(difference.value - told) <= 2 * 10.0**-difference.decimals
                apart += told != 0 and 0.0 in (first.value, other.value)
    assert apart  # noise took some of them below 0


def test_an_original_lost_in_noise_has_no_shares(public: Public) -> None:
    sums = sums_of(public, confidential(people(1, 9), people(300, 7)), bytes(32))
    estimates = estimates_of(sums, public.profile)
    shares = [
        estimate
        for estimate in estimates
        if estimate.measure == "DiSCO" and estimate.people == "original"
    ]
    assert shares
    assert all(math.isnan(share.value) for share in shares)
    assert {share.status for share in shares} == {Status.NOT_JUDGED}


def test_no_noise_hides_a_copy(tmp_path: Path) -> None:
    # The replica cart is drawn by the same seed.
    frame = pd.concat([people(120, 1)] * 10, ignore_index=True)
    file = write_study(tmp_path, frame)
    sums = sums_of(public_of(file), confidential(frame), bytes(32))
    alike = {
        item.replica: holds_nearly_all(item)
        for item in estimates_of(sums, public_of(file).profile)
        if item.measure == "nearest" and item.cell == 0
    }
    assert alike == {"cart": True, "other": False}


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [
        (0, 14, "within"),
        (0, 15, "within"),
        (14, 16, "not judged"),
        (14, 30, "not judged"),
        (16, 24, "review"),
        (16, 30, "review"),
        (26, 30, "fail"),
    ],
)
def test_a_status_needs_the_whole_range(low: float, high: float, status: str) -> None:
    assert judged(low, high, 15, 25, "lower").value == status


def test_where_more_is_better() -> None:
    assert judged(0.8, 0.9, 0.7, 0.5, "higher") is Status.WITHIN
    assert judged(0.6, 0.8, 0.7, 0.5, "higher") is Status.NOT_JUDGED
    assert judged(0.1, 0.4, 0.7, 0.5, "higher") is Status.FAIL


def test_no_limit_is_no_status() -> None:
    assert judged(0, 1, None, None, "lower") is Status.NOT_JUDGED


def test_the_worst_of_a_replica() -> None:
    def estimate(status: Status, *, limited: bool = True) -> Estimate:
        return Estimate(
            "DiSCO", "a", "", "", "", 0, "original", "percent", 1, 0, 2, 1, status, limited
        )

    within, review, fail, open_ = (
        estimate(s) for s in (Status.WITHIN, Status.REVIEW, Status.FAIL, Status.NOT_JUDGED)
    )
    assert worst_of((within, fail, review), "a") is Status.FAIL
    assert worst_of((within, review, open_), "a") is Status.REVIEW
    assert worst_of((within, open_), "a") is Status.NOT_JUDGED
    assert worst_of((within, estimate(Status.NOT_JUDGED, limited=False)), "a") is Status.WITHIN
    assert worst_of((fail,), "b") is Status.NOT_JUDGED


@pytest.mark.parametrize(
    ("low", "high", "sd", "ends"),
    [
        (11.5, 18.5, 2.1, (11.5, 18.5)), (11.61, 18.39, 2.1, (11.6, 18.4)),
        (11.61, 18.39, 3.6, (11.0, 19.0)), (601.0, 691.0, 27.0, (601.0, 691.0)),
        (601.0, 691.0, 41.0, (600.0, 700.0)), (-0.25, 0.31, 0.4, (-0.3, 0.4)),
    ],
)  # fmt: skip
def test_ends_of_a_range_are_rounded_outward(
    low: float, high: float, sd: float, ends: tuple[float, float]
) -> None:
    decimals = estimates._decimals(sd, "percent")
    shown = rounded(low, decimals, ROUND_FLOOR), rounded(high, decimals, ROUND_CEILING)
    assert shown == ends


def test_a_status_is_that_of_the_ends_as_they_are_shown(public: Public) -> None:
    question = next(q for q in questions_of(public) if q.measure == "DiSCO")
    review, sd = 20.0, 4.0
    limits: Any = SimpleNamespace(review=review, fail=None)
    profile = replace(public.profile, thresholds={question.measure: limits})
    wide = half_width(sd * sd)
    beyond = estimates._estimate(question, 0, "original", review + wide + 0.3, sd, profile)
    assert beyond.low == review
    assert beyond.status is Status.NOT_JUDGED
    beyond = estimates._estimate(question, 0, "original", review + wide + 1.0, sd, profile)
    assert beyond.low == review + 1.0
    assert beyond.status is Status.REVIEW


def test_a_share_never_ends_beyond_the_whole(public: Public) -> None:
    question = next(q for q in questions_of(public) if q.measure == "TVD")
    item = estimates._estimate(question, 0, "original", 0.6, 4.0, public.profile)
    assert (item.low, item.value, item.high) == (0.0, 1.0, 1.0)


@pytest.mark.parametrize(("drawn", "cells"), [(1, [0, 1, 2]), (2, [1, 2]), (9, [1, 2])])
def test_who_is_alike_is_counted_among_all_where_others_are_drawn(
    drawn: int, cells: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_share", "_share_of_drawn"):
        monkeypatch.setattr(estimates, name, lambda *_: (0.5, 0.1))
    monkeypatch.setattr(estimates, "_unit", lambda _: "percent")
    monkeypatch.setattr(estimates, "_MOST", {"percent": 100.0})
    monkeypatch.setattr(estimates, "_estimate", lambda *given: given[1:5])
    question: Any = SimpleNamespace(drawn=drawn, cells=3, sets=2, measure="nearest")
    answer: Any = SimpleNamespace(values=[0.0] * 6)
    result: Any = [*estimates._estimates(question, answer, answer, None)]  # type: ignore[arg-type]
    sets = [("original", 50.0), ("holdout", 50.0), ("difference", 0.0)]
    assert [item[0] for item in result] == [cell for cell in cells for _ in sets]
    assert [item[2] for item in result[:3]] == pytest.approx([value for _, value in sets])
    assert [item[3] for item in result[:3]] == pytest.approx([10.0, 10.0, 200**0.5])


@pytest.mark.parametrize(
    ("value", "sd", "unit", "shown"),
    [
        (5.4, 0.0, "percent", 5.0), (5.4, math.nan, "percent", 5.0),
        (5.4321, 0.01, "share", 5.432), (5.4321, 0.0354, "share", 5.432),
        (5.4321, 0.036, "share", 5.43), (5.4321, 0.099, "share", 5.43),
        (654.4, 10.0, "percent", 654.0), (654.0, 99.0, "percent", 650.0),
        (654.4, 1.0, "records", 654.0), (1234.0, 130.0, "records", 1230.0),
        (-0.04, 1.0, "percent", 0.0), (math.nan, 1.0, "percent", math.nan),
    ],
)  # fmt: skip
def test_a_figure_is_rounded_to_what_its_noise_leaves(
    value: float, sd: float, unit: str, shown: float
) -> None:
    result = rounded(value, estimates._decimals(sd, unit))
    assert result == pytest.approx(shown, rel=0, abs=0, nan_ok=True)
    assert math.copysign(1, result) == 1.0
