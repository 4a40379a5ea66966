"""Ends, divisors and guards of DAISYnt's tests, each on a handful of records."""

# ruff: noqa: ARG001, ARG002, ARG005  (what stands in takes what it stands for takes)

from __future__ import annotations

import itertools
import math
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import DataError, NotComputable
from sdcmetrics.measures.crosstables.chi_square import groups_tested, printed_chi_square
from sdcmetrics.measures.exchangeable import LabelTest
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.coding import Coded
from sdcmetrics.suites.daisynt import (
    beside_holdout,
    corrected,
    famd,
    information_value,
    models,
    one_variable,
    outcome,
    predictive,
    published,
    relevance,
    several_variables,
    table,
)
from sdcmetrics.suites.daisynt.figure_data import roc
from sdcmetrics.suites.daisynt.inference_risk import error_ratio, inference_risk
from sdcmetrics.suites.daisynt.linkability_distance import error_gap, linkability_distance, log_loss
from sdcmetrics.suites.daisynt.outcome import Finding, Score, SuiteTest
from sdcmetrics.suites.daisynt.published import close_rows
from sdcmetrics.suites.daisynt.representation import hidden, linear_cka
from sdcmetrics.suites.daisynt.sets import (
    HOLDOUT,
    ORIGINAL,
    SYNTHETIC,
    Sets,
    by_deciles,
    decile_edges,
    sets_of,
)
from sdcmetrics.suites.daisynt.target_correlations import target_correlations

Put = pytest.MonkeyPatch


def near(value: float) -> Any:
    return pytest.approx(value)


def sets(original: Any, synthetic: Any, holdout: Any = None, **said: Any) -> Sets:
    named: dict[str, Any] = dict.fromkeys(("categorical", "public", "sensitive", "missing_codes"))
    holdout = None if holdout is None else pd.DataFrame(holdout)
    frames: Any = pd.DataFrame(original), pd.DataFrame(synthetic), holdout
    return sets_of(*frames, **{**named, "target": "y", "seed": 1, **said})


def alone(**more: Any) -> Any:
    return SimpleNamespace(
        rng=lambda what: np.random.default_rng(len(what)),
        cached=lambda key, make: make(),
        households_of=lambda *parts: None,
        predicted="y", seed=1, test=HOLDOUT, **more,
    )  # fmt: skip


def test_numbers_are_their_order_among_holdout_and_replica_and_ranks_in_a_part() -> None:
    data = sets(
        {"x": [7.0, 8], "y": [0, 1]},
        {"x": [1.0, np.nan, 9], "y": [0, 0, 1]},
        {"x": [5.0, 1], "y": [1, 0]},
    )
    both = beside_holdout._mixed(data)
    assert both.n == 5
    np.testing.assert_array_equal(both.numbers, [[2, 1, 1, np.nan, 3]])
    part = beside_holdout._ranked(both.subset(np.array([4, 1, 3, 2])))
    np.testing.assert_array_equal(part.numbers, [[3, 1.5, np.nan, 1.5]])
    assert [codes.tolist() for codes in both.codes] == [[1, 0, 0, 0, 1]]


def test_the_mean_difference_of_correlations_is_over_pairs() -> None:
    off = np.array([[0, 0.2, np.nan], [0.2, 0, -0.4], [np.nan, -0.4, 0]])
    some: Any = SimpleNamespace(difference=off, names=("a", "b", "c"))
    assert beside_holdout._mad(some) == pytest.approx(0.3)
    assert math.isnan(
        beside_holdout._mad(SimpleNamespace(difference=off[:1, :1], names=("a",)))  # type: ignore[arg-type]
    )


def test_correlations_need_a_target_of_those_who_are_tested() -> None:
    known, unknown = {"x": [1.0, 2, 3], "y": [0, 1, 0]}, {"x": [1.0, 2], "y": [np.nan, np.nan]}
    with pytest.raises(NotComputable, match="no record that is tested has a value of 'y'"):
        predictive._correlations(sets(known, known, unknown))


@pytest.mark.parametrize(
    ("n_holdout", "words"),
    [
        (0, "no record with a value of the target"), (4, "no record with a value of the target"),
        (1, "a class of the target lacks a group"), (3, "a class of the target lacks a group"),
    ],
)  # fmt: skip
def test_information_values_need_records_of_both(n_holdout: int, words: str) -> None:
    target = np.array([0, 1, 0, 1])
    with pytest.raises(NotComputable, match=words):
        information_value.power_gap([target], target, n_holdout, rng=np.random.default_rng(1))


def test_correlations_of_relabelled_records(monkeypatch: Put) -> None:
    halves: list[tuple[list[int], list[int]]] = []
    values = [0.5, *np.linspace(0.01, 0.99, 99)]
    monkeypatch.setattr(
        beside_holdout, "_mixed",
        lambda sets: SimpleNamespace(n=5, names=("a",), subset=lambda part: part.tolist()),
    )  # fmt: skip
    monkeypatch.setattr(beside_holdout, "_ranked", lambda part: part)
    monkeypatch.setattr(beside_holdout, "association_matrix", lambda part: part)

    def compared(names: Any, first: list[int], other: list[int]) -> Any:
        halves.append((first, other))
        pairs = pd.MultiIndex.from_tuples([("a", x) for x in "bcde"])
        frame = pd.DataFrame({"difference": [0.4, -0.3, 0.2, 0.1]}, index=pairs)
        return SimpleNamespace(place=len(halves) - 1, frame=frame)

    monkeypatch.setattr(beside_holdout, "AssociationDifference", compared)
    monkeypatch.setattr(beside_holdout, "_mad", lambda item: values[item.place])
    result = beside_holdout._mean_difference(alone(data=SimpleNamespace(sizes=(9, 3, 2))))
    assert halves[0] == ([0, 1], [2, 3, 4])
    assert all(sorted(first + other) == [*range(5)] for first, other in halves)
    assert len(halves) == 100
    assert (result.value, result.fresh) == (0.5, near(0.5))
    assert result.p == (1 + 50) / 100  # 0.5 itself is one of those drawn
    assert result.evidence == {"a, b": 0.4, "a, c": -0.3, "a, d": 0.2}


def test_joint_numbers_are_of_holdout_and_replica_in_whole_households(monkeypatch: Put) -> None:
    asked: list[Any] = []

    def joint(first: Any, other: Any, *, rng: Any, households: Any) -> Any:
        asked.append((first.tolist(), other.tolist(), households))
        return SimpleNamespace(unbiased=0.25, p_value=0.5)

    monkeypatch.setattr(beside_holdout, "joint_discrepancy", joint)
    data = alone(
        numbers=["x", "z"],
        values={
            "x": (np.zeros(1), np.array([1, np.nan]), np.array([3.0, 4])),
            "z": (np.zeros(1), np.array([5.0, 6]), np.array([np.nan, 8])),
        },
    )
    data.households_of = lambda *parts: Households(np.array([4, 5, 6, 7]), 2)
    result = beside_holdout._joint(data)
    ((first, other, households),) = asked
    assert (first, other) == ([[4, 8]], [[1, 5]])
    assert (households.number.tolist(), households.n) == ([5, 6], 1)
    assert (result.value, result.fresh, result.p) == (0.25, 0.0, 0.5)
    assert result.evidence == {"columns": 2}
    data.numbers = []
    with pytest.raises(NotComputable, match="no column of numbers"):
        beside_holdout._joint(data)


def test_households_are_those_whose_value_is_known() -> None:
    values = {"x": (np.array([1, np.nan]), np.zeros(3), np.array([np.nan, 2.0]))}
    data = alone(values=values)
    assert beside_holdout._of_known(data, "x") is None
    whole = Households(np.array([4, 5, 6, 7]), 2)
    data.households_of = lambda first, second: whole if (first, second) == (0, 2) else None
    known = beside_holdout._of_known(data, "x")
    assert known is not None
    assert (known.number.tolist(), known.n) == ([4, 7], 1)
    assert beside_holdout._of_known(data, "g") is whole


def test_predictive_power_is_of_records_whose_target_is_known(monkeypatch: Put) -> None:
    asked: list[Any] = []

    def gap(groups: Any, target: Any, n: int, *, rng: Any, households: Any) -> Any:
        asked.append(([part.tolist() for part in groups], target.tolist(), n, households))

    monkeypatch.setattr(corrected, "power_gap", gap)
    parts = (np.zeros(1, int), np.array([5, 6, 7]), np.array([1, 2, 3]))
    coded = {"a": SimpleNamespace(parts=parts), "y": SimpleNamespace(parts=parts)}
    data = alone(
        grouped=lambda which, method: SimpleNamespace(variables=coded),
        outcome=(np.array([0]), np.array([1, -1, 0]), np.array([-1, 0, 1])),
    )
    data.households_of = lambda *parts: Households(np.array([10, 11, 12, 13, 14, 15]), 3)
    assert corrected._powers(data)[1] == ["a"]
    groups, target, n, households = asked[0]
    assert (groups, target, n) == ([[2, 3, 5, 7]], [0, 1, 1, 0], 2)
    assert (households.number.tolist(), households.n) == ([11, 12, 13, 15], 2)


def test_clones_and_links_are_counted_by_label(monkeypatch: Put) -> None:
    data = alone(identities=(np.array([1, 2, 3, 4]), np.array([2, 3, 9, 8]), np.array([9, 7])))
    result = corrected._identical(data)
    assert (result.value, result.fresh) == (0.5, 0.5)
    assert result.evidence == {"training": 2, "holdout": 1, "expected": 2.0}
    top = LabelTest(training=3, holdout=1, n_training=4, n_holdout=4)
    linked = SimpleNamespace(nearest_auc=0.75, nearest_p=0.125, top=top)
    monkeypatch.setattr(corrected, "link", lambda sets, parts: linked)
    result = corrected._link(data)
    assert (result.value, result.fresh, result.p) == (0.75, 0.5, 0.125)
    assert result.evidence == {"nearest 1 %": 4, "of them training": 3, "p of these": top.p_value}


def test_axes_hold_four_fifths_of_the_inertia_and_are_20_at_most() -> None:
    rng = np.random.default_rng(1)
    apart = list(np.linalg.qr(rng.normal(size=(40, 30)))[0].T)
    apart = [column - column.mean() for column in apart]
    assert famd.famd(apart, []).rotation.shape == (30, 20)
    two = famd.famd([np.array([1.0, 2, 3, 4])], [np.array([0, 0, 1, 1])])
    assert two.rotation.shape[1] == 1  # 1.8944 of 2
    four = [np.array(x, float) for x in ([1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1], [5] * 4)]
    assert famd.famd(four, []).rotation.shape == (4, 3)  # two of three are two thirds
    assert famd.famd(four, [], axes=9).rotation.shape == (4, 3)
    assert famd.famd(four, []).sizes.tolist() == [1, 1, 1, np.inf]


def test_a_level_that_the_fitted_records_lack_is_nowhere() -> None:
    fitted = famd.famd([], [np.array([0, 0, 2, 2])], axes=1)
    points = fitted.project([], [np.array([0, 1, 2])])[:, 0]
    # (1 - 1/2) / root 1/2 and its opposite, turned by an eighth
    assert np.abs(points) == pytest.approx([1, 0, 1])


def test_ratios_of_errors_of_several_columns() -> None:
    truth = np.array([[1.0, 0], [0, 1], [0, 1], [1, 0]])
    guess = np.array([[1.0, 0], [0.5, 0.5], [0, 1], [0, 1]])
    assert error_ratio(truth, guess) == pytest.approx(2.5 / 2)
    for same in (np.ones(3), np.full(3, 0.1), np.ones(0)):  # the mean of three 0.1 is not 0.1
        assert math.isnan(error_ratio(same, same))
    found = inference_risk(truth, guess, 2, rng=np.random.default_rng(1), permutations=400)
    assert (found.training, found.holdout) == (0.5, 2.0)
    # the first beside the last, or the second, has one class only: no ratio, and as much
    drawn = []
    for inside in ([0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]):
        outside = [i for i in range(4) if i not in inside]
        ratios = [error_ratio(truth[rows], guess[rows]) for rows in (inside, outside)]
        drawn.append(ratios[1] - ratios[0])
    share = np.mean([not gap < found.excess - 1e-12 for gap in drawn])
    assert found.p_value == pytest.approx(share, abs=0.08)


@pytest.mark.parametrize("constant", [slice(2), slice(2, 4)])
def test_of_one_value_nothing_is_inferred(constant: slice) -> None:
    truth = np.array([1.0, 2, 3, 4])
    truth[constant] = 0.1
    risk = inference_risk(truth, truth + 1, 2, rng=np.random.default_rng(1))
    assert math.isnan(risk.excess)
    assert math.isnan(risk.p_value)


def test_information_values_without_a_value() -> None:
    assert math.isnan(information_value.information_value([[0, 0], [1, 2]]))
    assert information_value.information_value([[1, 0], [1, 0]]) == 0
    assert information_value.information_value([[1, 3], [0, 2]]) == math.inf
    # 1/2 log 3 twice, less 1/2 of 2 (1 + 1/3) (1/4) / 4 + 2 (1 + 3) (3/4) / 4
    chance = ((1 + 1 / 3) / 4 / 4 + (1 + 3) * 3 / 4 / 4) * 2 / 2
    value = information_value.corrected_iv([[3, 1], [1, 3]])
    assert float(value) == pytest.approx(math.log(3) - chance)
    empty = information_value.corrected_iv([[3, 1, 0], [1, 3, 0]])
    assert float(empty) == pytest.approx(float(value))
    assert math.isnan(information_value.corrected_iv([[3, 1], [4, 0]]))
    assert math.isnan(information_value.pearson([1, 1], [1, 2]))
    assert math.isnan(information_value.concordance([1, 1], [1, 1]))
    assert information_value.concordance([0, 2], [1, 3]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(("n", "words"), [(2, "over 2 variables says nothing"), (3, "")])
def test_a_correlation_of_predictive_power_needs_three_variables(n: int, words: str) -> None:
    rising = np.arange(n, dtype=float)
    power = information_value.PredictivePower(rising, 2 * rising, np.zeros(n, bool))
    if words:
        with pytest.raises(NotComputable, match=words):
            _ = power.raw
        return
    assert power.raw == pytest.approx(1)
    flat = information_value.PredictivePower(rising, 0 * rising, np.zeros(n, bool))
    with pytest.raises(NotComputable, match="same information value"):
        _ = flat.raw
    assert math.isnan(information_value._ccc(rising, np.array([0, np.nan, 2])))
    assert information_value._ccc(rising, rising) == pytest.approx(1)


def test_a_gap_of_power_is_the_largest_beside_the_mean_of_relabelled_ones(monkeypatch: Put) -> None:
    # per variable: of the data, then of three exchanges
    values = {
        "holdout": [np.array([0.1, 0.2, 0.5, np.nan]), np.array([0.3, 0.3, 0.3, np.nan]),
                    np.array([0.2, np.nan, 0.2, np.nan])],
        "synthetic": [np.array([0.5, 0.4, 0.9, 0.1]), np.array([0.2, 0.2, 0.3, 0.1]),
                      np.array([0.2, 0.2, 0.2, 0.1])],
    }  # fmt: skip
    order = iter([part for pair in zip(*values.values(), strict=True) for part in pair])
    monkeypatch.setattr(information_value, "corrected_iv", lambda tables: next(order))
    cells: list[Any] = []

    def error(first: np.ndarray, other: np.ndarray, rng: Any) -> float:
        cells.append([first.tolist(), other.tolist()])
        return 0.125

    monkeypatch.setattr(information_value, "_error", error)
    codes = np.array([0, 1, 0, 1, 0, 1])
    gap = information_value.power_gap(
        [codes] * 3, codes, 3, rng=np.random.default_rng(1), permutations=3
    )
    assert (gap.gap, gap.fresh_gap) == (near(0.4), near((0.2 + 0.4) / 2))
    assert gap.gap_p == (1 + 2) / 4  # 0.4, and what cannot be compared
    first = information_value.concordance([0.1, 0.3, 0.2], [0.5, 0.2, 0.2])
    third = information_value.concordance([0.5, 0.3, 0.2], [0.9, 0.3, 0.2])
    assert third > first
    assert (gap.ccc, gap.fresh_ccc) == (near(first), near(third))
    assert gap.ccc_p == (1 + 2) / 4  # those without a value
    assert gap.error.tolist() == [0.125] * 3
    assert cells == [[[2, 0, 0, 1], [1, 0, 0, 2]]] * 3  # of the data, not of an exchange
    assert gap.holdout.tolist() == [0.1, 0.3, 0.2]


def test_the_error_of_a_variable_is_the_deviation_of_what_is_defined(monkeypatch: Put) -> None:
    drawn = iter([np.array([0.0, 0, 1, np.nan]), np.array([1.0, 2, 1, 5])])
    monkeypatch.setattr(information_value, "corrected_iv", lambda tables: next(drawn))
    cells = np.array([1, 2, 3, 4])
    error = information_value._error(cells, cells, np.random.default_rng(1))
    assert error == pytest.approx(np.std([1, 2, 0], ddof=1))
    drawn = iter([np.array([0.0, 1, np.nan]), np.array([1.0, 4, 2])])
    error = information_value._error(cells, cells, np.random.default_rng(1))
    assert error == pytest.approx(np.std([1, 3], ddof=1))
    drawn = iter([np.array([0.0, np.nan]), np.array([1.0, 2])])
    assert math.isnan(information_value._error(cells, cells, np.random.default_rng(1)))


def test_half_is_added_where_a_class_lacks_a_group_and_both_classes_are_needed() -> None:
    whole, lacks = np.array([[2, 3, 0], [1, 4, 0]]), np.array([[2, 0, 0], [1, 4, 0]])
    power = information_value.predictive_power([whole, whole], [whole, lacks])
    assert power.added.tolist() == [False, True]
    half = [information_value.information_value(part[:, :2], add=0.5) for part in (whole, lacks)]
    assert [power.test[1], power.synthetic[1]] == pytest.approx(half)
    with pytest.raises(NotComputable, match="one class of the target only"):
        information_value.predictive_power([whole], [np.array([[0, 0, 0], [1, 4, 0]])])


def test_losses_and_gaps_of_errors() -> None:
    losses = log_loss(np.array([1, 0, 1, 0]), np.array([0.75, 0.75, 0.0, 0.0]))
    assert losses == pytest.approx([-math.log(0.75), -math.log(0.25), -math.log(1e-15), 1e-15])
    gap = error_gap(np.array([1.0, 1, 3]), np.array([2.0, 4]))
    assert (gap.gap, gap.tau) == (near(2 / 3), 2.0)  # two of three are below 2
    assert gap.auc == pytest.approx(5 / 6)


def test_linked_records_have_more_of_the_replica_around_them() -> None:
    training, replica, holdout = (
        np.array(part, float)[:, None] for part in ([0, 10, 20], [0.1, 10.1, 40], [30, 41])
    )
    result = linkability_distance(training, replica, holdout)
    assert result.epsilon == pytest.approx(1.0)  # 0.1 0.1 9.9; 10 1
    # within it one, one and none; none and one
    assert result.auc == pytest.approx((1 / 2 + 1 + 1 / 2 + 1 + 0 + 1 / 2) / 6)
    assert result.raw == pytest.approx(1 - (2 * result.auc - 1))
    assert result.printed == pytest.approx(1 - result.auc)
    assert result.nearest_auc == pytest.approx(5 / 6)
    assert (result.top.n_training, result.top.n_holdout) == (3, 2)


def test_records_of_models_have_0_for_missing_and_a_target_of_0_and_1() -> None:
    data = sets(
        {"x": [1.0, 2, 3], "y": ["a", None, "b"], "g": ["u", "v", None]},
        {"x": [4.0, 5], "y": ["b", "a"], "g": ["v", "u"]},
    )
    first, second = models.records_of(data)
    assert (first.n, second.n) == (3, 2)
    assert first.codes["g"].tolist()[2] == 0
    assert sorted(first.codes["g"].tolist()[:2]) == sorted(second.codes["g"].tolist())
    assert 0 not in second.codes["g"]
    assert len({*second.codes["g"].tolist()}) == 2
    known = models.with_outcome(data, ORIGINAL)
    assert known.codes["y"].tolist() == [0, 1]
    assert known.numbers["x"].tolist() == [1, 3]


@pytest.mark.parametrize(("n", "size"), [(4, 4), (5, 4)])
def test_a_network_learns_from_so_many_records(monkeypatch: Put, n: int, size: int) -> None:
    fits: list[Any] = []

    def fit(records: Records, target: str, learner: Any, **given: Any) -> Any:
        fits.append((records.n, given["seed"], given["columns"], given["n_jobs"]))
        return SimpleNamespace(model=None if target == "one" else "network")

    monkeypatch.setattr(models, "fit", fit)
    monkeypatch.setattr(models, "_MOST", 4)
    data = alone()
    data.seed = 2**32 - 1
    records = Records({"y": np.arange(n) % 2}, {"x": np.arange(n, dtype=float)}, n)
    models.learn(data, records, "y", models.NETWORK, seed=3)
    models.learn(data, records, "y", models.BOOSTING, columns=["x"])
    assert fits == [(size, 2, None, 1), (n, 2**32 - 1, ("x",), 1)]
    with pytest.raises(NotComputable, match="one class of 'one' only"):
        models.learn(data, records, "one", models.BOOSTING)


@pytest.mark.parametrize(("n", "enough"), [(9, False), (10, True)])
def test_ten_values_are_counted(n: int, *, enough: bool) -> None:
    few, many = np.append(np.arange(n, dtype=float), np.nan), np.arange(20.0)
    for first, other in ((few, many), (many, few)):
        if enough:
            counts = one_variable.count_values(first, other)
            assert int(counts.first.sum()) + int(counts.other.sum()) == n + 20
        else:
            with pytest.raises(NotComputable, match="fewer than 10 values"):
                one_variable.count_values(first, other)


@pytest.mark.parametrize(
    ("values", "median"),
    [([0, 1], 1), ([0, 1, 3], 2), ([0, 0, 1], 1), ([0, 1, 3, 3], 2.5), ([4, 4], 0)],
)
def test_the_median_distance_is_of_records_that_differ(values: list[float], median: float) -> None:
    # 0 1 3 3: distances 1, 3 and 3, 2 and 2
    counts = one_variable._counted(np.array(values[:1], float), np.array(values[1:], float))
    apart = [abs(a - b) for i, a in enumerate(values) for b in values[:i] if a != b]
    expected = np.median(apart) if apart else 0
    assert one_variable.median_distance(counts) == expected == (2 if median == 2.5 else median)


@pytest.mark.parametrize("whole", [False, True])
def test_the_tested_discrepancy_is_the_largest_in_its_own_deviations(*, whole: bool) -> None:
    first, other = np.arange(12.0), np.append(np.arange(11.0) + 4, np.nan)
    households = Households(np.arange(24), 12) if whole else None
    result = one_variable.discrepancy(
        first, other, rng=np.random.default_rng(1), permutations=19, households=households
    )
    counts = one_variable.count_values(first, other)
    drawn = counts.drawn(
        np.random.default_rng(1), 19, None if households is None else Households(np.arange(23), 12)
    )
    sigma = one_variable.median_distance(counts)
    each, null = [], []
    for times in (0.25, 0.5, 1, 2, 4):
        kernel = counts.kernel(times * sigma)
        here = float(counts.squared(counts.first, kernel))
        squares = counts.squared(drawn, kernel)
        scale = np.append(squares, here).std()
        each.append(here / scale)
        null.append(squares / scale)
    assert result.statistic == pytest.approx(max(each))
    assert result.null == pytest.approx(np.max(null, axis=0))
    assert result.p_value == (1 + (result.null >= result.statistic - 1e-9).sum()) / 20
    kernel = counts.kernel(sigma)
    assert result.mmd == pytest.approx(math.sqrt(counts.squared(counts.first, kernel)))
    assert result.sigma == sigma
    same = one_variable.discrepancy(np.ones(10), np.ones(11), rng=np.random.default_rng(1))
    assert (same.mmd, same.unbiased, same.p_value, same.sigma) == (0, 0, 1, 0)


def test_permutations_that_are_as_far_apart_as_the_data_count_however_they_are_summed() -> None:
    # two of ten have the one value, and two the other: 2 (1 + 100 + 2025) of the 184,756 ways to
    # share out ten and ten are as far apart or farther, all but 202 of them as far
    first, second = np.repeat([0.0, 0.3], [8, 2]), np.repeat([0.0, 0.3], [2, 8])
    result = one_variable.discrepancy(first, second, rng=np.random.default_rng(1), permutations=999)
    assert result.p_value == pytest.approx(4252 / 184_756, abs=0.012)


def test_the_bandwidth_is_that_of_the_grid(monkeypatch: Put) -> None:
    monkeypatch.setattr(one_variable, "_MOST_VALUES", 5)
    monkeypatch.setattr(one_variable, "_GRID", 2)
    values = np.arange(10.0)
    result = one_variable.discrepancy(
        values, values, rng=np.random.default_rng(1), permutations=1, published=True
    )
    counts = one_variable.count_values(values, values)
    assert counts.values.tolist() == [2, 7]  # quarters of twenty records
    assert result.sigma == 5


def test_a_test_of_the_holdout_needs_one() -> None:
    run = SuiteTest("x", "X", "Privacy", "basic", lambda sets: Score(2.0, {"a": 1}, "so"))
    beside = SuiteTest("x", "X", "Privacy", "basic", run.run, holdout=True)
    without: Any = SimpleNamespace(has_holdout=False)
    assert run.outcome(without).raw == 2.0
    assert beside.outcome(SimpleNamespace(has_holdout=True)).raw == 2.0  # type: ignore[arg-type]
    with pytest.raises(NotComputable, match="no holdout"):
        beside.outcome(without)
    row = table._row(run, without, "published")
    assert (row["score"], row["raw"], row["note"]) == (1.0, 2.0, "so")
    of_test = SuiteTest("x", "X", "Privacy", "basic", run.run, of_test=True)
    words = "without a holdout the replica is compared with the records it was made from; so"
    assert table._row(of_test, without, "published")["note"] == words
    assert table._row(of_test, SimpleNamespace(has_holdout=True), "published")["note"] == "so"  # type: ignore[arg-type]
    nothing = table._row(beside, without, "corrected")
    assert math.isnan(nothing["value"])  # type: ignore[arg-type]
    assert "score" not in nothing
    assert math.isnan(table._row(beside, without, "published")["score"])  # type: ignore[arg-type]
    result = SuiteTest("x", "X", "Privacy", "basic", lambda sets: Finding(0.25, 0.5, 0.75))
    row = table._row(result, without, "corrected")
    assert (row["value"], row["fresh"], row["p"], row["note"]) == (0.25, 0.5, 0.75, "")
    assert Finding(1.0).drawn_of() is None
    assert Finding(1.0, shown=lambda: 3).drawn_of() == 3


def test_columns_that_are_correlated_and_those_that_are_constant() -> None:
    data = sets(
        {"x": [1.0, 2, 3, np.nan], "y": [0, 1, 1, 0], "g": list("aabb"), "c": [4.0, 5, 6, 7]},
        {"x": [1.0, 3, 2, 5], "y": [0, 1, 0, 1], "g": list("abab"), "c": [9.0] * 4},
        {"x": [2.0, 4, 5, 1], "y": [0, 1, np.nan, 1], "g": list("abba"), "c": [4.0, 5, 7, 6]},
    )
    score = predictive._correlations(data)
    assert score.note == "constant, so left out: c, x missing"
    # y is filled by 2/3, the mean of the holdout; g: (1 + 2/3) / 3 of a, (1 + 2/3) / 2 of b
    holdout = pd.DataFrame({"x": [2, 4, 5, 1], "y": [0, 1, 2 / 3, 1], "g": [0, 1, 1, 0]})
    replica = pd.DataFrame({"x": [1, 3, 2, 5], "y": [0, 1, 0, 1], "g": [0, 1, 0, 1]})
    first, other = (part.corr("spearman").to_numpy() for part in (holdout, replica))
    cosine = (first * other).sum() / np.linalg.norm(first) / np.linalg.norm(other)
    assert score.raw == pytest.approx(cosine)
    assert score.evidence == {"columns": 3, "d_corr": pytest.approx(1 - cosine)}


def test_two_columns_are_correlated() -> None:
    rise, fall = np.arange(4.0), np.arange(4.0)[::-1]
    result = target_correlations([rise, rise, 0 * rise], [rise, fall, rise], ["a", "b", "c"])
    assert result.names == ("a", "b")
    assert result.cosine == pytest.approx((2 - 2) / 4)
    with pytest.raises(NotComputable, match="fewer than two columns"):
        target_correlations([rise, 0 * rise], [rise, fall], ["a", "b"])


@pytest.mark.parametrize(("p", "accepted"), [(0.05, 0.0), (0.051, 1.0)])
def test_relevant_numbers_are_tested_together(monkeypatch: Put, p: float, accepted: float) -> None:
    asked: list[Any] = []

    def chosen(columns: Any, target: Any, *, seed: int) -> list[str]:
        asked.append((columns.shape, sorted(target.tolist())))
        return decisions

    def joint(first: Any, other: Any, *, rng: Any) -> Any:
        asked.append((first.tolist(), other.tolist()))
        return SimpleNamespace(p_value=p, mmd=0.25)

    monkeypatch.setattr(predictive, "relevant", chosen)
    monkeypatch.setattr(predictive, "joint_discrepancy", joint)
    monkeypatch.setattr(predictive, "_FORESTED", 3)
    values = {
        "x": (np.arange(5.0), np.array([1.0, np.nan]), np.array([7.0])),
        "z": (np.arange(5.0), np.array([3.0, 4]), np.array([8.0])),
    }
    outcome = (np.array([0, 1, -1, 1, 1]), np.zeros(2), np.zeros(1))
    data = alone(numbers=["x", "z"], values=values, outcome=outcome, filled=lambda which: values)
    decisions = ["accept", "tentative"]
    score = predictive._joint(data)
    assert asked[0][0] == (3, 2)
    assert -1 not in asked[0][1]
    assert asked[1] == ([[7]], [[1]])
    assert (score.raw, score.evidence) == (accepted, {"MMD": 0.25, "p": p, "relevant": ["x"]})
    decisions = ["reject", "tentative"]
    with pytest.raises(NotComputable, match="no number is relevant"):
        predictive._joint(data)
    data.numbers = []
    with pytest.raises(NotComputable, match="no column of numbers"):
        predictive._joint(data)


def test_errors_are_of_original_and_holdout_whose_target_is_known(monkeypatch: Put) -> None:
    asked: list[Any] = []

    def gap(first: Any, other: Any, *, seed: int, households: Any) -> Any:
        asked.append((first.tolist(), other.tolist(), households))
        return SimpleNamespace(gap=0.25, tau=0.5, auc=0.75, p_value=0.125)

    chance = {ORIGINAL: [0.5, 0.25], HOLDOUT: [0.125]}
    codes = {ORIGINAL: [1, 0], HOLDOUT: [1], SYNTHETIC: [0]}

    def known(sets: Any, part: int) -> Any:
        return SimpleNamespace(part=part, codes={"y": np.array(codes[part])})

    def learn(sets: Any, records: Any, target: str, learner: Any) -> Any:
        assert records.part == SYNTHETIC
        return SimpleNamespace(
            predict=lambda test: SimpleNamespace(
                chance_of=lambda level: np.array(chance[test.part])
                if level == 1 else 1 - np.array(chance[test.part])
            )
        )  # fmt: skip

    monkeypatch.setattr(predictive, "error_gap", gap)
    monkeypatch.setattr(predictive, "with_outcome", known)
    monkeypatch.setattr(predictive, "learn", learn)
    data = alone(outcome=(np.array([1, -1, 0]), np.array([0]), np.array([-1, 1])))
    data.households_of = lambda *parts: Households(np.array([3, 4, 5, 6, 7]), 3)
    score = predictive._linkability(data)
    assert (score.raw, score.evidence) == (0.75, {"tau": 0.5, "AUC": 0.75})
    first, other, households = asked[0]
    assert first == pytest.approx([-math.log(0.5), -math.log(0.75)])
    assert other == pytest.approx([-math.log(0.125)])
    assert (households.number.tolist(), households.n) == ([3, 5, 7], 2)
    result = beside_holdout._linkability(data)
    assert (result.value, result.fresh, result.p) == (0.75, 0.5, 0.125)


def test_guesses_are_of_records_that_have_the_value(monkeypatch: Put) -> None:
    original = Records({"g": np.array([0, 2, 1])}, {"x": np.array([1.0, 2, 3])}, 3)
    test = Records({"g": np.array([2, 0, 2])}, {"x": np.array([5, np.nan, 7])}, 3)

    def predict(records: Records) -> Any:
        level = {0: 0.5, 1: 0.0, 2: 0.25}
        return SimpleNamespace(
            guess=10 * records.numbers["x"],
            chance_of=lambda code: np.full(records.n, level[code]),
        )

    monkeypatch.setattr(
        predictive, "learn", lambda *given, columns: SimpleNamespace(predict=predict)
    )
    monkeypatch.setattr(predictive, "records_of", lambda sets: (original, test))
    data = alone(public=("x",), sensitive=("g", "x"), role=lambda name: ())
    truth, guess = predictive.guesses(data, "x", original, test)
    assert (truth.tolist(), guess.tolist()) == ([5, 7], [50, 70])
    truth, guess = predictive.guesses(data, "g", original, test)
    assert truth.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert guess.tolist() == [[0.5, 0, 0.25]] * 3
    ratios = {"g": error_ratio(np.eye(3)[[0, 2, 1]], np.array(guess)), "x": 81 * 14 / 2}
    score = predictive._inference(data)
    assert score.evidence["ratio"] == pytest.approx(ratios)
    assert score.raw == pytest.approx(min(ratios.values()))
    original.numbers["x"] = np.full(3, 5.0)
    assert predictive._inference(data).raw == pytest.approx(ratios["g"])
    with pytest.raises(NotComputable, match="the original has one value only of x"):
        predictive._inference(alone(public=("x",), sensitive=("x",), role=lambda name: ()))


@pytest.mark.parametrize(("close", "enough"), [(95, False), (96, True)])
def test_where_more_than_95_percent_are_close_nobody_stands_out(
    monkeypatch: Put, close: int, *, enough: bool
) -> None:
    flags = iter([np.arange(60) < 60, np.arange(40) < close - 60])
    monkeypatch.setattr(published, "within_one_column", lambda real, replica: next(flags))
    nothing = np.zeros((1, 1), int)
    if enough:
        with pytest.raises(NotComputable, match="more than 95 %"):
            published.close_to_replica(nothing, nothing, nothing)
        return
    result = published.close_to_replica(nothing, nothing, nothing)
    assert (result.training, result.holdout, result.n_training, result.n_holdout) == (
        60,
        35,
        60,
        40,
    )


def test_information_values_are_of_the_target_by_group(monkeypatch: Put) -> None:
    asked: list[Any] = []

    def powers(test: Any, synthetic: Any) -> Any:
        asked.append([[part.tolist() for part in each] for each in (test, synthetic)])
        each = np.array([0.5])
        return SimpleNamespace(raw=0.25, test=each, synthetic=2 * each, added=np.array([True]))

    monkeypatch.setattr(published, "predictive_power", powers)
    parts = (np.zeros(1, int), np.array([0, 1, 2]), np.array([0, 0, 2, 1]))
    coded = {name: SimpleNamespace(parts=parts, size=3) for name in ("a", "y")}
    data = alone(
        grouped=lambda which, method: SimpleNamespace(variables=coded),
        outcome=(np.array([0]), np.array([1, -1, 0]), np.array([0, 1, 1, -1])),
    )
    score = published._iv(data)
    assert asked == [[[[[1, 0, 0], [1, 0, 1]]], [[[0, 0, 1], [1, 0, 0]]]]]
    assert score.evidence == {"IV_test": {"a": 0.5}, "IV_synthetic": {"a": 1.0}}
    assert score.note == "0.5 added to every count of a"


def test_a_share_of_tests_names_what_was_rejected_and_skipped() -> None:
    score = published._share({"a": True, "b": False, "c": True, "d": True}, ["e", "f"])
    assert score.raw == 0.75
    assert score.evidence == {"accepted": 3, "tested": 4, "rejected": ["b"]}
    assert score.note == "not tested: e, f"
    assert published._share({"a": True}, []).note == ""
    with pytest.raises(NotComputable, match="for no variable"):
        published._share({}, ["e"])


@pytest.mark.parametrize(("p", "accepted"), [(0.05, False), (0.051, True)])
def test_single_numbers_are_tested_by_a_sample(
    monkeypatch: Put, p: float, *, accepted: bool
) -> None:
    sizes: list[tuple[int, int]] = []

    def discrepancy(first: Any, other: Any, **given: Any) -> Any:
        assert given["published"] is True
        sizes.append((len(first), len(other)))
        if len(other) < 2:
            msg = "too few"
            raise NotComputable(msg)
        return SimpleNamespace(p_value=p)

    monkeypatch.setattr(published, "_SAMPLE", 3)
    monkeypatch.setattr(published, "discrepancy", discrepancy)
    values = {
        "x": (np.zeros(1), np.array([1.0, np.nan, 3]), np.arange(4.0)),
        "z": (np.zeros(1), np.array([1.0, np.nan, np.nan]), np.arange(4.0)),
    }
    flags = {"x": (np.zeros(1, int), np.repeat([0, 1], 20), np.repeat([0, 1], 20))}
    data = alone(values=values, flags=flags, codes={}, data=SimpleNamespace(sizes=(1, 3, 4)))
    score = published._mmd(data)
    assert sizes == [(3, 2), (3, 1)]
    assert score.evidence["accepted"] == 1 + accepted
    assert score.evidence["tested"] == 2
    assert score.note == "not tested: z"


def test_clones_are_of_the_original_alone() -> None:
    data = alone(identities=(np.array([1, 2]), np.array([1, 1, 5, 6]), np.array([5])))
    score = published._cloned(data)
    assert (score.raw, score.evidence) == (0.5, {"cloned": 2, "records": 4})


@pytest.mark.parametrize(("auc", "note"), [(0.5, False), (0.49, True)])
def test_a_holdout_that_is_closer_is_told(monkeypatch: Put, auc: float, *, note: bool) -> None:
    linked = SimpleNamespace(auc=auc, printed=1 - auc, epsilon=0.25, raw=2 - 2 * auc)
    monkeypatch.setattr(published, "link", lambda sets, parts: linked)
    score = published._link(alone())
    assert score.note == ("the holdout is closer than the training data" if note else "")
    assert score.raw == 2 - 2 * auc
    assert score.evidence == {"AUC": auc, "1 - AUC": 1 - auc, "epsilon": 0.25}


@pytest.mark.parametrize(("importance", "decision"), [(2.0, "accept"), (1.0, "reject")])
def test_a_column_is_relevant_that_beats_all_noise(
    monkeypatch: Put, importance: float, decision: str
) -> None:
    forests: list[tuple[int, int]] = []

    class Forest:
        def __init__(self, trees: int, *, random_state: int, **_: Any) -> None:
            self.state = random_state

        def fit(self, columns: np.ndarray, target: Any) -> Forest:
            forests.append((self.state, columns.shape[1]))
            half = columns.shape[1] // 2
            # the first column is as given, the other loses; the noise is 1 and 1/2
            own, noise = [importance, 0.0][:half], [1.0, 0.5][:half]
            self.feature_importances_ = np.array([*own, *noise])
            return self

    monkeypatch.setattr("sklearn.ensemble.RandomForestClassifier", Forest)
    columns = np.arange(8.0).reshape(4, 2)
    decided = relevance.relevant(columns, np.arange(4) % 2, seed=1)
    # after six rounds six hits, or none, have a chance of 1/64 < 0.05 / 2
    assert decided == [decision, "reject"]
    assert forests == [(i, 4) for i in range(1, 7)]
    forests.clear()
    assert relevance.relevant(columns, np.arange(4) % 2, seed=1, rounds=5) == ["tentative"] * 2
    assert [state for state, _ in forests] == [1, 2, 3, 4, 5]


def test_a_decision_is_by_bonferroni_over_columns() -> None:
    assert relevance.decide([5], 5) == ["accept"]  # 1/32
    assert relevance.decide([5, 3], 5) == ["tentative", "tentative"]
    assert relevance.decide([0, 6], 6) == ["reject", "accept"]


def test_hidden_values_are_of_the_first_layer() -> None:
    network = SimpleNamespace(
        coefs_=[np.array([[1.0, -1], [2, 0]]), np.zeros((2, 1))],
        intercepts_=[np.array([0.5, 0.25]), np.zeros(1)],
    )
    model: Any = SimpleNamespace(
        model=network, encoder=lambda records: np.array([[1.0, 1], [0, -1]])
    )
    assert hidden(model, None).tolist() == [[3.5, 0], [0, 0.25]]  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    bound = math.sqrt(6 / 4)
    weights, bias = rng.uniform(-bound, bound, (2, 2)), rng.uniform(-bound, bound, 2)
    untrained = hidden(model, None, np.random.default_rng(1))  # type: ignore[arg-type]
    expected = np.maximum(np.array([[1.0, 1], [0, -1]]) @ weights + bias, 0)
    assert untrained == pytest.approx(expected)
    assert math.isnan(linear_cka(np.ones((3, 1)), np.arange(3.0)[:, None]))


def test_groups_between_deciles_and_codes_that_mean_missing() -> None:
    data = sets(
        {"x": [*range(1, 11), -9], "y": [0, 1] * 5 + [0]},
        {"x": [0.0, 1.9, 2, 100, np.nan, -9], "y": [0, 1] * 3},
        missing_codes={"x": -9},
    )
    variable = data.data.variables["x"]
    coded = by_deciles([ORIGINAL])(variable)
    edges = decile_edges(np.arange(1.0, 11))
    assert edges.tolist() == pytest.approx([1.9, 2.8, 3.7, 4.6, 5.5, 6.4, 7.3, 8.2, 9.1])
    names = [coded.labels[code] for code in coded.parts[SYNTHETIC]]
    assert names[:4] == ["group 1", "group 1", "group 2", "group 10"]
    assert names[4] is None
    assert names[5] in ("-9", "-9.0")
    first = [coded.labels[code] for code in coded.parts[ORIGINAL]]
    assert first[:10] == [f"group {i}" for i in range(1, 11)]
    np.testing.assert_array_equal(data.values["x"][SYNTHETIC], [0, 1.9, 2, 100, np.nan, np.nan])
    inverse = decile_edges(np.arange(1.0, 11), "inverted_cdf")
    assert inverse.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert decile_edges(np.empty(0)).tolist() == []
    every: Coded = data.grouped([ORIGINAL], "linear")
    assert [*every.variables] == ["x", "y"]


def test_a_holdout_is_no_copy_and_columns_that_vary_anywhere_are_seen() -> None:
    frame: dict[str, Any] = {"x": [1.0, 2, 3], "y": [0, 1, 0], "k": [5, 5, 5], "late": [5, 5, 5]}
    with pytest.raises(DataError, match="holds the same records as"):
        sets(frame, frame, {name: values[::-1] for name, values in frame.items()})
    data = sets(frame, {**frame, "late": [5, 5, 6]}, {**frame, "x": [1.0, 2, 4]})
    assert data.columns == ["x", "y", "late"]
    assert data.test == HOLDOUT
    assert data.filled([ORIGINAL, HOLDOUT])["x"][0].tolist() == [1, 2, 3]


@pytest.mark.parametrize("whole", [False, True])
def test_of_many_records_so_many_are_compared(monkeypatch: Put, *, whole: bool) -> None:
    monkeypatch.setattr(several_variables, "_MOST", 12)
    rng = np.random.default_rng(1)
    first, other = rng.normal(size=(20, 1)), 9 + rng.normal(size=(16, 1))
    households = Households(np.arange(36), 20) if whole else None
    result = several_variables.joint_discrepancy(
        first, other, rng=np.random.default_rng(2), permutations=19, households=households
    )
    assert result.p_value == 1 / 20
    if not whole:
        again = np.random.default_rng(2)
        part = [each[again.choice(len(each), 12, replace=False)] for each in (first, other)]
        both = several_variables.scaled(*part)
        far = np.abs(both - both.T)
        sigma = math.sqrt(np.median(far[np.triu_indices(24, 1)] ** 2))
        assert result.sigma == pytest.approx(sigma)
        kernel = np.exp(-(far**2) / (2 * sigma**2))
        w = np.repeat([1 / 12, -1 / 12], 12)
        assert result.mmd == pytest.approx(math.sqrt(w @ kernel @ w))


def test_a_curve_rises_at_whole_percents() -> None:
    x, y = roc(np.array([True, True, False, False]), np.array([4.0, 1, 3, 2]))
    assert (len(x), x[0], x[1], x[-1]) == (101, 0, 0.01, 1)
    assert (y[0], y[50], y[99], y[100]) == (0.5, 0.5, 0.5, 1)


@pytest.mark.parametrize("holdout", [False, True])
@pytest.mark.parametrize("largest", [2, 5])
def test_groups_of_categories_are_tested_by_their_tables(
    monkeypatch: Put, largest: int, *, holdout: bool
) -> None:
    rng = np.random.default_rng(1)

    def drawn(n: int, share: float) -> dict[str, Any]:
        a, b, c = (rng.random(n) < p for p in (0.5, 0.5, share))
        return {"a": np.where(a, "x", "z"), "b": np.where(b, "p", "q"), "c": np.where(c, "u", "v"),
                "y": np.arange(n) % 2}  # fmt: skip

    original, synthetic, aside = drawn(130, 0.5), drawn(120, 0.8), drawn(110, 0.5)
    data = sets(original, synthetic, *([aside] if holdout else []))
    monkeypatch.setattr(
        published, "groups_tested", lambda n, test: groups_tested(n, test, largest=largest)
    )
    score = published._groups(data)
    groups = [g for k in (2, 3, 4) for g in itertools.combinations(data.categories, k)]
    test = pd.DataFrame(aside if holdout else original)
    accepted: dict[tuple[str, ...], bool] = {}
    for group in groups:
        both = [pd.DataFrame(frame).groupby(list(group)).size() for frame in (test, synthetic)]
        table = pd.concat(both, axis=1).fillna(0).astype(int)
        result = printed_chi_square(table[0].to_numpy(), table[1].to_numpy())
        if result.tested and len(group) <= largest:
            accepted[group] = result.p_value > 0.05
    assert [*data.categories] == ["a", "b", "c", "y"]
    assert score.raw == pytest.approx(np.mean([*accepted.values()]))
    assert score.evidence == {"accepted": sum(accepted.values()), "tested": len(accepted)}
    assert score.note == ("larger groups were not tested" if largest == 2 else "")


def test_records_are_close_in_groups_of_the_original() -> None:
    x = np.arange(1.0, 101)
    original = {"x": x, "y": np.arange(100) % 2, "g": ["a", "b"] * 50}
    replica = {"x": [5.0, 5, 95], "y": [0, 0, 1], "g": ["a", "b", "a"]}
    data = sets(original, replica)
    coded = data.grouped([ORIGINAL], "linear").variables.values()
    parts = [np.array([v.parts[part] for v in coded]) for part in (ORIGINAL, SYNTHETIC)]
    off = (parts[1][:, :, None] != parts[0][:, None, :]).sum(axis=0)
    score = published._close(data)
    expected = close_rows(*parts)
    assert (score.raw, score.evidence["records"]) == (1 - expected.proportion, 3)
    assert score.evidence["close"] == expected.count
    assert off.min(axis=1).tolist() == [0, 1, 1]


def test_each_column_is_tested_in_the_groups_of_the_test_data() -> None:
    rng = np.random.default_rng(2)
    original = {"x": rng.normal(size=120), "y": np.arange(120) % 2, "g": ["a", "b", "b"] * 40}
    replica = {"x": rng.normal(0, 2.5, 90), "y": np.arange(90) % 2, "g": ["a", "b", "b"] * 30}
    score = published._bins(sets(original, replica))
    assert score.evidence["tested"] == 3
    assert score.evidence["rejected"] == ["x"]
    assert score.raw == pytest.approx(2 / 3)


@pytest.mark.parametrize("aside", [True, False])
def test_whole_households_are_exchanged_where_there_is_a_holdout(
    monkeypatch: pytest.MonkeyPatch, *, aside: bool
) -> None:
    monkeypatch.setattr(published, "_points", lambda *_: (1, 2, 3))
    monkeypatch.setattr(published, "linkability_distance", lambda *of, **options: (of, options))
    sets: Any = SimpleNamespace(has_holdout=aside, seed=7, households_of=lambda *sides: sides)
    households = (published.ORIGINAL, published.HOLDOUT) if aside else None
    result: Any = published.link(sets, [0])
    assert result == ((1, 2, 3), {"seed": 7, "households": households})


def test_sums_are_made_on_one_thread(monkeypatch: Put) -> None:
    threads: list[int] = []
    monkeypatch.setattr(outcome, "limited", lambda n: nullcontext(threads.append(n)))
    assert SuiteTest("a", "", "", "", lambda sets: 1).outcome(None) == 1  # type: ignore[arg-type]
    assert Finding(0.0, shown=lambda: 2).drawn_of() == 2
    assert threads == [1, 1]
