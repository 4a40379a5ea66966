"""The worked examples of DAISYnt's tests, each computed elsewhere by two routes."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.crosstables.chi_square import (
    groups_tested,
    printed_chi_square,
    two_samples,
)
from sdcmetrics.measures.neighbours.every_pair import squared_distances
from sdcmetrics.measures.prediction.scores import auc
from sdcmetrics.suites.daisynt.famd import famd
from sdcmetrics.suites.daisynt.inference_risk import error_ratio, inference_risk
from sdcmetrics.suites.daisynt.information_value import (
    concordance,
    information_value,
    pearson,
    predictive_power,
)
from sdcmetrics.suites.daisynt.linkability_distance import error_gap, linkability_distance
from sdcmetrics.suites.daisynt.one_variable import ValueCounts, discrepancy, median_distance
from sdcmetrics.suites.daisynt.predictive import cosine
from sdcmetrics.suites.daisynt.published import close_rows, close_to_replica
from sdcmetrics.suites.daisynt.relevance import decide, relevant
from sdcmetrics.suites.daisynt.representation import debiased_cka, linear_cka
from sdcmetrics.suites.daisynt.sets import decile_edges
from sdcmetrics.suites.daisynt.several_variables import (
    joint_discrepancy,
)
from sdcmetrics.suites.daisynt.target_correlations import (
    TargetCorrelations,
    target_correlations,
    target_means,
)

RECORDED = Path(__file__).parents[2] / "reference" / "daisynt" / "examples.json"


@pytest.fixture(scope="module")
def examples() -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))["answers"]
    return recorded


def test_information_value(examples: dict[str, Any]) -> None:
    one = examples["information_value"]
    assert information_value([one["good"], one["bad"]]) == pytest.approx(one["iv"], rel=1e-12)
    zero = np.array([one["zero_good"], one["zero_bad"]])
    assert information_value(zero) == np.inf
    assert information_value(zero, add=0.5) == pytest.approx(one["iv_zero_add_half"], rel=1e-12)


def test_figure_3_is_the_correlation_of_its_printed_values(examples: dict[str, Any]) -> None:
    one = examples["figure_3"]
    lists = one["iv_test"], one["iv_synth"]
    assert pearson(*lists) == pytest.approx(0.9618548137582315, rel=1e-14)
    assert concordance(*lists) == pytest.approx(one["lin_ccc"], rel=1e-12)


def test_half_is_added_only_to_the_variable_that_lacks_a_cell(examples: dict[str, Any]) -> None:
    one = examples["information_value"]
    full, zero = (np.array([one[k + "good"], one[k + "bad"]]) for k in ("", "zero_"))
    result = predictive_power([full, zero], [full, zero + 1])
    expected = [one["iv"], one["iv_zero_add_half"]]
    assert result.test.tolist() == pytest.approx(expected, rel=1e-12)
    assert result.added.tolist() == [False, True]


def test_deciles(examples: dict[str, Any]) -> None:
    one = examples["deciles"]
    edges = decile_edges(np.array(one["x"]))
    assert edges.tolist() == one["inner_edges"]
    assert np.searchsorted(edges, one["x"], side="left").tolist() == one["codes"]


def counted(one: dict[str, Any]) -> ValueCounts:
    pooled = np.array([*one["x_test"], *one["x_synth"]])
    values, place = np.unique(pooled, return_inverse=True)
    counts = [
        np.bincount(part, minlength=len(values)) for part in np.split(place, [len(one["x_test"])])
    ]
    return ValueCounts(values, *counts)


def test_mmd_of_one_variable(examples: dict[str, Any]) -> None:
    one = examples["mmd_univariate"]
    found = counted(one)
    assert median_distance(found) == one["sigma_median_of_positive_distances"]
    kernel = found.kernel(2.0)
    seen = float(found.squared(found.first, kernel))
    assert seen == pytest.approx(one["mmd2_biased"], rel=1e-12)
    assert found.unbiased(kernel) == pytest.approx(one["mmd2_unbiased"], rel=1e-12)
    # All 35 ways to choose the test records, and what the draws are of.
    records = np.repeat(np.arange(len(found.values)), found.first + found.other)
    splits = [
        np.bincount(records[list(chosen)], minlength=len(found.values))
        for chosen in itertools.combinations(range(7), 4)
    ]
    null = found.squared(np.array(splits), kernel)
    assert len(null) == one["splits"]
    assert (null >= seen - 1e-12).mean() == pytest.approx(one["p_exact_all_splits"])
    drawn = found.squared(found.drawn(np.random.default_rng(1), 4_000), kernel)
    share = (drawn >= seen - 1e-12).mean()
    assert share == pytest.approx(one["p_exact_all_splits"], abs=0.03)


def test_mmd_of_several_variables(examples: dict[str, Any]) -> None:
    one = examples["mmd_multivariate"]
    sets = np.array(one["x_test"]), np.array(one["x_synth"])
    kernel = np.exp(-squared_distances(np.concatenate(sets)) / (2 * one["sigma"] ** 2))
    w = np.repeat([1 / 4, -1 / 3], [4, 3])
    assert w @ kernel @ w == pytest.approx(one["mmd2_biased"], rel=1e-12)


def test_the_joint_mmd_is_that_of_one_variable_where_there_is_one() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 9, 60).astype(float), rng.integers(0, 8, 40).astype(float)
    one = discrepancy(a, b, rng=rng, published=True)
    joint = joint_discrepancy(a[:, None], b[:, None], rng=rng)
    assert joint.mmd == pytest.approx(one.mmd, rel=1e-9)
    assert joint.unbiased == pytest.approx(one.unbiased, rel=1e-9)
    assert joint.p_value == pytest.approx(one.p_value, abs=0.1)


def test_boruta_decides(examples: dict[str, Any]) -> None:
    one = examples["boruta_decision"]
    assert decide(one["hits"], one["rounds"]) == one["bonferroni_by_4"]


def test_boruta_finds_what_is_relevant() -> None:
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(200, 4))
    target = (columns[:, 1] + 0.3 * rng.normal(size=200) > 0).astype(int)
    result = relevant(columns, target, seed=1, rounds=20)
    assert result[1] == "accept"
    assert "accept" not in result[:1] + result[2:]


def test_chi_square_as_printed_and_of_two_samples(examples: dict[str, Any]) -> None:
    one = examples["chi_square"]
    tables = one["f_test"], one["f_synth"]
    result, v = two_samples(*tables)
    assert result.statistic == pytest.approx(one["two_sample"], rel=1e-12)
    assert result.p_value == pytest.approx(one["two_sample_p"], rel=1e-12)
    assert v == pytest.approx(one["cramers_v"], rel=1e-12)
    for words, name in (("scaled", "synthetic scaled to n_test"), ("percent", "percent")):
        printed = printed_chi_square(*tables, frequencies=words)  # type: ignore[arg-type]
        expected = one["printed_formula"][name]
        assert printed.statistic == pytest.approx(expected["statistic"], rel=1e-12)
        assert printed.p_value == pytest.approx(expected["p"], rel=1e-12)


def test_groups_of_categories(examples: dict[str, Any]) -> None:
    one = examples["multi_categorical"]
    test = np.array([(i % 2, i % 3, i // 6 % 4) for i in range(96)])
    synthetic = np.array(
        [(i % 2, (i + i // 7) % 3, i // 6 % 4 if i % 5 < 3 else 0) for i in range(120)]
    )

    def of(group: tuple[int, ...]) -> tuple[Any, Any]:
        sizes = [int(max(test[:, j].max(), synthetic[:, j].max())) + 1 for j in group]
        counts = [
            np.bincount(
                np.ravel_multi_index([data[:, j] for j in group], sizes),
                minlength=int(np.prod(sizes)),
            )
            for data in (test, synthetic)
        ]
        return counts[0], counts[1]

    result = groups_tested(3, lambda group: printed_chi_square(*of(group)))
    expected = {tuple(each["columns"]): each for each in one["tested"]}
    assert result.tests.keys() == expected.keys()
    for group, each in expected.items():
        both, _ = two_samples(*of(group))
        assert both.statistic == pytest.approx(each["two_sample"], rel=1e-9, abs=1e-12)
        assert result.tests[group].df == each["df"]
    accepted = [test.accepted() for test in result.tests.values()]
    assert sum(accepted) / len(accepted) == pytest.approx(one["score"])


def test_a_group_is_not_looked_at_where_a_part_of_it_is_not_tested() -> None:
    looked = []

    def test(group: tuple[int, ...]) -> Any:
        looked.append(group)
        return printed_chi_square([1, 1] if group == (0, 1) else [50, 50], [50, 50])

    result = groups_tested(3, test)
    assert looked == [(0, 1), (0, 2), (1, 2)]
    assert not result.capped
    assert groups_tested(3, test, most=2).capped
    assert groups_tested(4, lambda _: printed_chi_square([9, 9], [9, 9]), largest=2).capped


def test_close_rows(examples: dict[str, Any]) -> None:
    one = examples["rows"]
    training, synthetic = (
        np.array(
            [[ord(a) - ord("a"), b, c] for a, b, c in one[name]],
        ).T
        for name in ("train", "synth")
    )
    result = close_rows(training, synthetic)
    assert (result.count, 1 - result.proportion) == (one["close"], one["close_score"])


def test_close_rows_are_those_of_a_full_search() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 4, (6, 80)), rng.integers(0, 4, (6, 90))
    near = (a[:, :, None] != b[:, None, :]).sum(axis=0) <= 1
    assert close_rows(b, a).count == near.any(axis=1).sum()
    test = close_to_replica(b, a, b[:, :10])
    assert (test.training, test.holdout) == (near.any(axis=0).sum(), near.any(axis=0)[:10].sum())


def test_famd(examples: dict[str, Any]) -> None:
    one = examples["famd"]
    numbers = list(np.array(one["numbers"]).T)
    codes = [np.array([ord(c) - ord("a") for c in one["category"]])]
    fitted = famd(numbers, codes, axes=2)
    assert fitted.eigenvalues.tolist() == pytest.approx(one["eigenvalues"], rel=1e-10)
    assert fitted.eigenvalues.sum() == pytest.approx(one["total_inertia"], rel=1e-12)
    points = fitted.project(numbers, codes)
    assert np.abs(points) == pytest.approx(np.array(one["abs_coordinates_two"]), rel=1e-9)
    apart = np.linalg.norm(points - points[0], axis=1)
    assert apart == pytest.approx(np.array(one["distances_of_two_axes_row0"]), rel=1e-9)


def test_linkability_by_distance(examples: dict[str, Any]) -> None:
    one = examples["linkability_distance"]
    sets = (np.array(one[name])[:, None] for name in ("train", "synth", "test"))
    result = linkability_distance(*sets)
    assert result.epsilon == pytest.approx(one["epsilon"])
    assert result.auc == pytest.approx(one["auc"])
    assert result.raw == pytest.approx(one["gini_score"])
    assert result.printed == pytest.approx(one["printed_score"])


def test_categories_as_mean_targets_and_their_correlations(examples: dict[str, Any]) -> None:
    first, other = examples["target_encoding"], examples["correlation"]

    def codes(texts: list[str]) -> Any:
        return np.array([ord(text) - ord("a") for text in texts])

    c, y = codes(first["c_test"]), np.array(first["y_test"])
    mapping = target_means(c, y, 4)
    assert mapping.tolist() == pytest.approx(
        [*first["mapping"].values(), first["unseen"]], rel=1e-12
    )
    result = target_correlations(
        [np.array(other["x_test"]), mapping[c], y],
        [np.array(other["x_synth"]), mapping[codes(other["c_synth"])], np.array(other["y_synth"])],
        ["x", "c", "y"],
    )
    assert result.test == pytest.approx(np.array(other["R_test"]), rel=1e-12)
    assert result.synthetic == pytest.approx(np.array(other["R_synth"]), rel=1e-12)
    assert result.cosine == pytest.approx(other["score"], rel=1e-12)


@pytest.mark.parametrize(("p", "rho"), [(3, 0.1), (8, 0.3), (30, 0.3)])
def test_unrelated_columns_score_far_above_0(examples: dict[str, Any], p: int, rho: float) -> None:
    dependent = np.full((p, p), rho) + (1 - rho) * np.eye(p)
    result = TargetCorrelations(("",) * p, dependent, np.eye(p))
    expected = examples["correlation"]["independent_replica_score"][f"p={p},rho={rho}"]
    assert result.cosine == pytest.approx(expected, rel=1e-12)


def test_discriminator_and_predictions(examples: dict[str, Any]) -> None:
    first = examples["discriminator"]
    scores = np.array([*first["scores_synth"], *first["scores_original"]])
    label = np.arange(len(scores)) < len(first["scores_synth"])
    assert auc(label, scores) == pytest.approx(first["auc"], rel=1e-12)
    two = examples["predictions"]
    by = {name: np.array(values) for name, values in two["predictions"].items()}
    for name, values in by.items():
        assert auc(np.array(two["y"]) == 1, values) == pytest.approx(two["auc"][name], rel=1e-12)
    for name in ("GB", "NN"):
        result = cosine(by[f"{name}_synth"], by[f"{name}_train"])
        assert result == pytest.approx(two[f"cosine_{name.lower()}"], rel=1e-12)


def test_cka(examples: dict[str, Any]) -> None:
    one = examples["cka"]
    x, y = np.array(one["X"]), np.array(one["Y"])
    assert linear_cka(x, y) == pytest.approx(one["linear_cka"], rel=1e-12)
    assert debiased_cka(x, y) == pytest.approx(one["debiased_cka"], rel=1e-12)


def test_linkability_by_errors(examples: dict[str, Any]) -> None:
    one = examples["linkability_ml"]
    result = error_gap(np.array(one["errors_train"]), np.array(one["errors_test"]))
    assert result.gap == pytest.approx(one["largest_gap"], rel=1e-12)
    assert (result.tau, result.auc) == (one["tau"], pytest.approx(one["auc"]))
    assert error_gap(np.array([2.0]), np.array([1.0])).tau == np.inf  # no gap above 0


def test_inference_risk(examples: dict[str, Any]) -> None:
    one = examples["inference"]
    truth = np.array([*one["y_train"], *one["y_holdout"]])
    guess = np.array([*one["f_train"], *one["f_holdout"]])
    result = inference_risk(truth, guess, 4, rng=np.random.default_rng(1))
    assert result.training == pytest.approx(one["ratio_train"], rel=1e-12)
    assert result.holdout == pytest.approx(one["ratio_holdout"], rel=1e-12)
    assert result.excess == pytest.approx(one["excess"], rel=1e-12)
    # Every way to choose 4 of 7 records, ratios taken again.
    every = []
    for chosen in itertools.combinations(range(7), 4):
        inside = np.isin(np.arange(7), chosen)
        ratios = [error_ratio(truth[part], guess[part]) for part in (inside, ~inside)]
        every.append(ratios[1] - ratios[0])
    exact = np.mean(np.array(every) >= result.excess - 1e-12)
    assert result.p_value == pytest.approx(exact, abs=0.05)
