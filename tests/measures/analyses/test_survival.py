"""Survival by hand, and its errors as derivatives by every weight; what is no survival is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.analyses.estimates import Category, Records
from sdcmetrics.measures.analyses.survival import cox, kaplan_meier, occurred, survival_median
from sdcmetrics.measures.survey.design import SurveyDesign, simple_design
from sdcmetrics.measures.survey.linearised import covariance


def records(weights: Any = None, **columns: Any) -> Records:
    first = next(iter(columns.values()))
    n = len(first.codes if isinstance(first, Category) else first)
    held = {
        name: value if isinstance(value, Category) else np.asarray(value, float)
        for name, value in columns.items()
    }
    if weights is None:
        return Records("the file", held, simple_design(n))
    design = SurveyDesign(np.asarray(weights, float), np.zeros(n, np.int64), np.arange(n))
    return Records("the file", held, design, designed=True)


class TestOccurred:
    @pytest.mark.parametrize(
        ("levels", "codes", "event", "known"),
        [
            (("no", "yes"), [0, 1, -1, 1], [0, 1, 0, 1], [1, 1, 0, 1]),
            (("yes",), [0, -1, 0], [1, 0, 1], [1, 0, 1]),
            (("yes", "no"), [0, 1, 1], [1, 0, 0], [1, 1, 1]),
        ],
    )
    def test_of_two_levels_one_is_the_event(
        self, levels: tuple[str, ...], codes: list[int], event: list[int], known: list[int]
    ) -> None:
        of_level, observed = occurred(records(e=Category(np.array(codes), levels)), "e", "yes")
        assert of_level.tolist() == [bool(x) for x in event]
        assert observed.tolist() == [bool(x) for x in known]

    def test_of_two_numbers_one_is_the_event(self) -> None:
        event, known = occurred(records(e=[2, 1, np.nan, 2]), "e", 2)
        assert event.tolist() == [True, False, False, True]
        assert known.tolist() == [True, True, False, True]
        assert occurred(records(e=[2, 2, np.nan]), "e", 2)[0].tolist() == [True, True, False]

    @pytest.mark.parametrize(
        ("column", "value", "words"),
        [
            (Category(np.array([0, 1, 2]), ("a", "b", "c")), "a", "two levels .* = 'a' is the"),
            (Category(np.array([0, 1]), ("a", "b")), "c", "two levels of which occurred = 'c'"),
            ([1, 2, 3], 1, "two values of which occurred = 1 is the event"),
            ([1, 2], "1", "two values of which occurred = '1' is the event"),
        ],
    )
    def test_what_is_no_event_is_refused(self, column: Any, value: Any, words: str) -> None:
        with pytest.raises(NotComputable, match=f"the file, column 'e': expected {words}"):
            occurred(records(e=column), "e", value)


TIMES = np.array([2.0, 3, 3, 3, 5, 6, 6, 8, 9, np.nan])
EVENT = np.array([1, 1, 1, 0, 0, 1, 1, 1, 0, 1], bool)
EVERY = np.ones(10, bool)
WEIGHTS = np.array([1.0, 2, 1, 3, 1, 2, 1, 1, 2, 5])


def survival(weights: np.ndarray) -> list[float]:
    """Return what is left after each time of an event, from its definition."""
    left, out = 1.0, []
    for moment in (2, 3, 6, 8):
        at_risk = weights[:9][TIMES[:9] >= moment].sum()
        dead = weights[:9][(TIMES[:9] == moment) & EVENT[:9]].sum()
        left *= 1 - dead / at_risk
        out.append(left)
    return out


def test_a_curve_and_a_weighted_one_by_hand() -> None:
    plain = kaplan_meier(records(t=TIMES), EVERY, "t", EVENT)
    ones = np.ones(10)
    by_time = dict(zip(plain.times.tolist(), plain.survival.tolist(), strict=True))
    assert [by_time[t] for t in (2, 3, 6, 8)] == pytest.approx(survival(ones))
    weighted = kaplan_meier(records(WEIGHTS, t=TIMES), EVERY, "t", EVENT)
    assert weighted.times.tolist() == [2, 3, 6, 8]
    assert weighted.survival.tolist() == pytest.approx(survival(WEIGHTS))
    some = np.arange(10) != 1
    without = kaplan_meier(records(WEIGHTS, t=TIMES), some, "t", EVENT)
    assert without.survival.tolist() == pytest.approx(survival(np.where(some, WEIGHTS, 0)))


def test_errors_of_a_weighted_curve_are_of_the_derivative_by_every_weight() -> None:
    curve = kaplan_meier(records(WEIGHTS, t=TIMES), EVERY, "t", EVENT)
    step, influence = 1e-6, np.zeros((10, 4))
    for i in range(9):
        up, down = WEIGHTS.copy(), WEIGHTS.copy()
        up[i] += step
        down[i] -= step
        gradient = (np.array(survival(up)) - survival(down)) / (2 * step)
        influence[i] = WEIGHTS[i] * gradient
    variance = np.diagonal(covariance(influence, records(WEIGHTS, t=TIMES).design))
    assert curve.error.tolist() == pytest.approx(np.sqrt(variance).tolist(), rel=1e-5)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_a_curve_needs_an_event_and_times(weights: Any) -> None:
    with pytest.raises(NotComputable, match="the file: nobody has the event"):
        kaplan_meier(records(weights, t=TIMES), EVERY, "t", np.zeros(10, bool))
    with pytest.raises(NotComputable, match="nobody has the event"):  # whose time is not known
        kaplan_meier(records(weights, t=TIMES), EVERY, "t", np.arange(10) == 9)
    early = np.where(np.arange(10) == 3, -1.0, TIMES)
    with pytest.raises(NotComputable, match="column 't': expected times but some are below 0"):
        kaplan_meier(records(weights, t=early), EVERY, "t", EVENT)
    assert kaplan_meier(records(weights, t=early), np.arange(10) != 3, "t", EVENT).times.size


@pytest.mark.parametrize("weights", [None, np.ones(41)])
def test_a_median_has_an_error_of_its_interval(weights: Any) -> None:
    times = np.arange(41) / 2  # from 0 on
    data, event = records(weights, t=times), np.ones(41, bool)
    result = survival_median(data, np.ones(41, bool), "t", event)
    curve = kaplan_meier(data, np.ones(41, bool), "t", event)
    assert result.terms == ("median t",)
    assert result.value.tolist() == [10]  # survival is 21 / 41 beyond 9.5, and 20 / 41 beyond 10
    low, high = curve.band
    assert result.lower.tolist() == [times[np.argmax(low <= 0.5)]]
    assert result.upper.tolist() == [times[np.argmax(high <= 0.5)]]
    assert result.upper > result.lower
    expected = (result.upper - result.lower) / (2 * 1.959963984540054)
    assert result.error == pytest.approx(expected)


def population(n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = np.column_stack([rng.normal(2, 1, n), rng.integers(0, 2, n)])
    times = np.ceil(rng.exponential(np.exp(-0.5 * x[:, 0] + 0.4 * x[:, 1]) * 9)) + 1
    return x, times, rng.random(n) < 0.8, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_weights_are_as_many_records(ties: Any) -> None:
    x, times, event, weights = population()
    whole = np.ones(60, bool)
    rows = np.repeat(np.arange(60), weights.astype(int))
    if ties == "breslow":  # of efron's, records that are repeated are ties
        many = cox(["a", "b"], x[rows], times[rows], event[rows],
                   records(t=times[rows]), np.ones(len(rows), bool), ties=ties)  # fmt: skip
        weighted = cox(["a", "b"], x, times, event, records(weights, t=times), whole, ties=ties)
        assert weighted.value.tolist() == pytest.approx(many.value.tolist(), rel=1e-5)
    plain = cox(["a", "b"], x, times, event, records(t=times), whole, ties=ties)
    equal = cox(["a", "b"], x, times, event, records(np.full(60, 7.0), t=times), whole, ties=ties)
    assert equal.value.tolist() == pytest.approx(plain.value.tolist(), rel=1e-5)
    assert equal.error.tolist() == pytest.approx(plain.error.tolist(), rel=0.3)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_errors_of_weighted_hazards_are_of_the_derivative_by_every_weight(ties: Any) -> None:
    x, times, event, weights = population(18)
    whole = np.ones(18, bool)

    def fit(of: np.ndarray) -> Any:
        return cox(["a", "b"], x, times, event, records(of, t=times), whole, ties=ties)

    step, influence = 1e-4, np.zeros((18, 2))
    for i in range(18):
        up, down = weights.copy(), weights.copy()
        up[i] += step
        down[i] -= step
        influence[i] = weights[i] * (fit(up).value - fit(down).value) / (2 * step)
    variance = np.diagonal(covariance(influence, records(weights, t=times).design))
    assert fit(weights).error.tolist() == pytest.approx(np.sqrt(variance).tolist(), rel=1e-3)


def test_what_has_no_hazard_is_said() -> None:
    x, times, event, weights = population()
    whole, of = np.ones(60, bool), records(weights, t=times)
    moved = [cox(["a", "b"], x, times - by, event, of, whole, ties="efron").value for by in (0, 2)]
    assert moved[0] == pytest.approx(moved[1])  # times from 0 on
    with pytest.raises(NotComputable, match="expected times but some are below 0"):
        cox(["a", "b"], x, times - 9, event, of, whole, ties="efron")
    few = event & (np.cumsum(event) <= 2)
    with pytest.raises(NotComputable, match="2 events, too few for 2 coefficients"):
        cox(["a", "b"], x, times, few, of, whole, ties="efron")
    constant = np.column_stack([x[:, 0], np.ones(60)])
    with pytest.raises(NotComputable, match="a predictor has one value only"):
        cox(["a", "b"], constant, times, event, of, whole, ties="efron")
