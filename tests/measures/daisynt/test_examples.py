"""The worked examples of DAISYnt's tests, each computed elsewhere by two routes."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.attacks.famd import famd
from sdcmetrics.measures.attacks.linkability_distance import linkability_distance
from sdcmetrics.measures.closeness.close_rows import close_rows, close_to_replica
from sdcmetrics.measures.crosstables.chi_square import (
    groups_tested,
    holm,
    printed_chi_square,
    two_samples,
)
from sdcmetrics.measures.crosstables.information_value import (
    concordance,
    information_value,
    pearson,
    predictive_power,
)
from sdcmetrics.measures.discrepancy.one_variable import ValueCounts, median_distance
from sdcmetrics.microdata.deciles import decile_edges

RECORDED = Path(__file__).parents[4] / "shared" / "reference" / "daisynt" / "expected.json"

pytestmark = pytest.mark.skipif(not RECORDED.exists(), reason="no worked examples")


@pytest.fixture(scope="module")
def examples() -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(RECORDED.read_text())
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
    found = predictive_power([full, zero], [full, zero + 1])
    expected = [one["iv"], one["iv_zero_add_half"]]
    assert found.test.tolist() == pytest.approx(expected, rel=1e-12)
    assert found.added.tolist() == [False, True]


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
    seen = float(found.squared(found.one, kernel))
    assert seen == pytest.approx(one["mmd2_biased"], rel=1e-12)
    assert found.unbiased(kernel) == pytest.approx(one["mmd2_unbiased"], rel=1e-12)
    # All 35 ways to choose the test records, and what the draws are of.
    records = np.repeat(np.arange(len(found.values)), found.one + found.other)
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


def test_chi_square_as_printed_and_of_two_samples(examples: dict[str, Any]) -> None:
    one = examples["chi_square"]
    tables = one["f_test"], one["f_synth"]
    found, v = two_samples(*tables)
    assert found.statistic == pytest.approx(one["two_sample"], rel=1e-12)
    assert found.p_value == pytest.approx(one["two_sample_p"], rel=1e-12)
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

    found = groups_tested(3, lambda group: printed_chi_square(*of(group)))
    expected = {tuple(each["columns"]): each for each in one["tested"]}
    assert found.tests.keys() == expected.keys()
    for group, each in expected.items():
        both, _ = two_samples(*of(group))
        assert both.statistic == pytest.approx(each["two_sample"], rel=1e-9, abs=1e-12)
        assert found.tests[group].df == each["df"]
    accepted = [test.accepted() for test in found.tests.values()]
    assert sum(accepted) / len(accepted) == pytest.approx(one["score"])


def test_a_group_is_not_looked_at_where_a_part_of_it_is_not_tested() -> None:
    looked = []

    def test(group: tuple[int, ...]) -> Any:
        looked.append(group)
        return printed_chi_square([1, 1] if group == (0, 1) else [50, 50], [50, 50])

    found = groups_tested(3, test)
    assert looked == [(0, 1), (0, 2), (1, 2)]
    assert not found.capped
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
    found = close_rows(training, synthetic)
    assert (found.count, 1 - found.proportion) == (one["close"], one["close_score"])


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
    found = linkability_distance(*sets)
    assert found.epsilon == pytest.approx(one["epsilon"])
    assert found.auc == pytest.approx(one["auc"])
    assert found.raw == pytest.approx(one["gini_score"])
    assert found.printed == pytest.approx(one["printed_score"])


def test_holm_is_that_of_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(1).random(12) ** 2
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
