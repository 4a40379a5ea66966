"""How much values move with other records: beside true draws from the population."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from sdcmetrics.ranking import uncertainty
from sdcmetrics.ranking.uncertainty import leave_records_out
from sdcmetrics.ranking.values import collect, review_entries
from sdcmetrics.study.criteria import criterion
from tests.only import OF_A_RANKING, only
from tests.ranking.reviews import conduct, people, study

NAMES = ("repU", "DiSCO", "DCAP", "ROC", "S_pMSE_one_way")
DRAWS, TIMES, SAMPLES = 80, 12, 6


@only(*OF_A_RANKING)
def test_leaving_a_tenth_out_shows_the_spread_of_true_draws_and_shifts_nothing() -> None:
    drawn = {f"d{i}": people(300, 100 + i) for i in range(DRAWS)}
    given = {"ways": (1,), "targets": ["vote"], "ngroups_targets": {}, "candidates": 0}
    criteria = [criterion(name) for name in NAMES]
    population = conduct(study(drawn, **given))
    entries = review_entries(population, criteria)
    true = collect(entries, criteria, population.replicas).table.std(axis=0, ddof=1)
    few = conduct(study(dict(list(drawn.items())[:SAMPLES]), **given))
    values = collect(review_entries(few, criteria), criteria, few.replicas)
    tables = leave_records_out(few, values, times=TIMES, seed=1)
    ratio = dict(zip(NAMES, np.sqrt(tables.var(axis=0, ddof=1).mean(axis=0)) / true, strict=True))
    # On average too wide if anything (Efron and Stein 1981). Drawing with replacement gives 0.7
    # for repU, and hides a third of the uniques.
    assert 1.0 < ratio["repU"] < 1.7
    assert 0.9 < ratio["DiSCO"] < 1.7
    assert 0.85 < ratio["DCAP"] < 1.5
    assert 0.85 < ratio["ROC"] < 1.6
    assert 0.8 < ratio["S_pMSE_one_way"] < 1.6
    np.testing.assert_allclose(tables[..., 0].mean(axis=0), values.table[:, 0], rtol=1e-9)


@pytest.mark.parametrize("m", [2, 5])
def test_intervals_between_syntheses_hold_the_truth_as_often_as_they_say(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """95 % of the intervals hold the mean of the population that syntheses come from."""
    with only("ROC"):
        review = conduct(study({"r": [people(60, k) for k in range(m)]}, ways=(1,)))
    criteria = [criterion("DCR_z")]  # it has no ends at which draws would be cut
    values = collect([], criteria, ["r"])
    rng = np.random.default_rng(1)
    held, runs = 0, 400
    monkeypatch.setattr(uncertainty, "_measured", lambda *_: review)
    for i in range(runs):
        each = rng.normal(size=(m, 1))
        monkeypatch.setattr(uncertainty, "mean_at", lambda *_, each=each: each)
        values.table[:] = each.mean()
        drawn = uncertainty.between_syntheses(review, values, times=1000, seed=i)
        assert drawn is not None
        low, high = uncertainty.intervals(drawn, 0.95)
        held += bool(low[0, 0] < 0 < high[0, 0])
    # A binomial share of 0.95 has a standard error of 0.011 over 400 runs.
    assert held / runs == pytest.approx(0.95, abs=0.035)
    width = t.ppf(0.975, m - 1) * each.std(ddof=1) / m**0.5
    assert (high - low)[0, 0] / 2 == pytest.approx(width, rel=0.25)


@pytest.mark.parametrize(("seconds", "about"), [(5.0, ""), (50.0, ", about 10 min in all")])
def test_how_long_it_takes_is_said_of_more_than_a_minute(
    seconds: float, about: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    criteria = [criterion("ROC")]
    with only("ROC"):
        review = conduct(study({"r": people(60, 1)}, ways=(1,)))
    took = {criteria[0].measure.of.name: seconds, "another kind": 1_000.0}
    values = collect(review_entries(review, criteria), criteria, ["r"])
    monkeypatch.setattr(uncertainty, "_measured", lambda *_: review)
    steps: list[str] = []
    leave_records_out(
        replace(review, seconds=took), values, times=12, seed=1,
        progress=lambda step, *_: steps.append(step),
    )  # fmt: skip
    whole = "a tenth of the records left out"
    assert steps == [f"{whole}{about}"] * 12 + [whole]


def test_an_interval_of_records_left_out_is_that_of_the_side_that_moves_more() -> None:
    values = collect([], [criterion("DCR_z"), criterion("DCR_share")], ["r"])
    values.table[:] = 0.5
    up = np.array([0.0, 0.0, 0.0, 3.0])  # most draws leave it as it is, which is no spread
    down = np.array([0.01, -0.04, -0.04, 0.01])
    drawn = values.table + np.stack([up, down], axis=1)[:, None, :]
    low, high = uncertainty.interval_ends(values, drawn, 0.95)
    quantile = t.ppf(0.975, 3)
    assert (low[0, 0], high[0, 0]) == pytest.approx((0.5 - 3 * quantile, 0.5 + 3 * quantile))
    assert (low[0, 1], high[0, 1]) == pytest.approx((0.5 - 0.04 * quantile, 0.5 + 0.04 * quantile))
    low, high = uncertainty.interval_ends(values, drawn[2:], 0.95)  # of two draws, as of Cauchy's
    half = 3 * math.tan(math.pi * 0.475)
    assert (low[0, 0], high[0, 0]) == pytest.approx((0.5 - half, 0.5 + half))
    values.table[:, 1] = 0.01  # a share is not below 0
    assert uncertainty.interval_ends(values, drawn - 0.49, 0.95)[0][0, 1] == 0.0


def test_changes_are_three_times_those_of_a_tenth_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria = [criterion("DCR_z"), criterion("DCR_share")]  # one has no ends, one is 0 to 1
    with only("ROC"):
        review = conduct(study({"r": people(60, 1), "s": people(60, 2)}, ways=(1,)))
    values = collect([], criteria, ["r", "s"])
    values.table[:] = [[0.5, 0.5], [2.0, 0.9]]
    drawn = iter(
        [
            np.array([[0.4, 0.6], [1.0, np.nan]]),
            np.array([[0.6, 0.4], [2.0, np.nan]]),
            np.array([[0.5, np.nan], [6.0, 0.7]]),
        ]
    )
    monkeypatch.setattr(uncertainty, "_measured", lambda *_: review)
    monkeypatch.setattr(uncertainty, "mean_at", lambda *_: next(drawn))
    tables = leave_records_out(review, values, times=3, seed=1)
    expected = [
        [[0.2, 0.8], [-4.0, 0.9]], [[0.8, 0.2], [-1.0, 0.9]], [[0.5, 0.5], [11.0, 0.9]],
    ]  # fmt: skip
    np.testing.assert_allclose(tables, expected)
