"""What classes give away of a target: l-diversity and t-closeness."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy.stats import wasserstein_distance

from sdcmetrics import disclosure, l_diversity, t_closeness
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity.k_anonymity import classes_of
from sdcmetrics.measures.anonymity.sensitive import expected_mean
from tests.demo import answers, demo
from tests.measures.anonymity.files import files


@settings(max_examples=60, deadline=None)
@given(files())
def test_each_class_has_the_diversity_of_its_values(file: pd.DataFrame) -> None:
    *keys, target = file.columns
    result = l_diversity(file, keys=keys, target=target)
    groups = [part[target] for _, part in file.groupby(keys, dropna=False)]
    shares = [part.value_counts(normalize=True, dropna=False).tolist() for part in groups]
    assert result.distinct == min(map(len, shares))
    assert result.entropy == pytest.approx(
        min(math.exp(-sum(p * math.log(p) for p in part)) for part in shares)
    )
    held = [sum(p[0] < 2 * sum(p[i:]) - 1e-12 for i in range(len(p))) for p in shares]
    assert result.recursive == min(held)


@pytest.mark.parametrize(
    ("c", "largest"), [(0.5, 0), (0.75, 1), (1.0, 1), (1.2, 2), (3.0, 2), (3.1, 3)]
)
def test_recursive_diversity_by_hand(c: float, largest: int) -> None:
    # shares 1/2, 1/3 and 1/6: less than c times 1, c times 1/2, c times 1/6
    file = pd.DataFrame({"k": 1, "t": list("xxxyyz")})
    assert l_diversity(file, keys="k", target="t", c=c).recursive == largest


def test_records_of_one_value_are_those_that_synthpop_calls_disclosive() -> None:
    file = pd.DataFrame({"k": list("aabbcc"), "t": list("xxxyzz")})
    result = l_diversity(file, keys="k", target="t")
    dorig = disclosure(file, file, keys=["k"], target="t").attribution["Dorig"]
    assert 100.0 * result.below_2 / 6 == pytest.approx(dorig)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("levels", [2, 3, 5])
def test_t_is_the_distance_from_the_whole_file(levels: int, *, ordered: bool) -> None:
    rng = np.random.default_rng(5)
    file = pd.DataFrame({"k": rng.integers(0, 4, 60), "t": rng.integers(0, levels, 60)})
    result = t_closeness(file, keys="k", target="t", ordered=ordered)
    whole = file["t"].value_counts(normalize=True).sort_index()
    expected = []
    for _, part in file.groupby("k"):
        p = part["t"].value_counts(normalize=True).reindex(whole.index, fill_value=0.0)
        if ordered:
            ranks = np.arange(len(whole)) / (len(whole) - 1)
            expected.append(wasserstein_distance(ranks, ranks, p, whole))
        else:
            expected.append(0.5 * float((p - whole).abs().sum()))
    assert result.classes["t_closeness"].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "ordered", "distance"),
    [
        ([1, 2, 5, 5], True, 3 / 8),
        (pd.to_datetime(["2020-01-01", "2020-02-01", "2021-01-01", "2021-01-01"]), True, 3 / 8),
        (["x", "y", "z", "z"], False, 1 / 2),
    ],
)
def test_numbers_and_dates_are_compared_by_rank_unless_it_is_denied(
    values: Any, *, ordered: bool, distance: float
) -> None:
    # shares up to a level: 1/2, 1, 1 and 0, 0, 1 of the classes, 1/4, 1/2, 1 of all
    file = pd.DataFrame({"k": list("aabb"), "t": values})
    result = t_closeness(file, keys="k", target="t")
    assert result.ordered is ordered
    assert result.classes["t_closeness"].tolist() == pytest.approx([distance] * 2)
    for chosen in (True, False):
        assert t_closeness(file, keys="k", target="t", ordered=chosen).ordered is chosen


def test_a_target_that_has_nothing_to_do_with_the_keys_is_as_far_as_its_null() -> None:
    rng = np.random.default_rng(1)
    file = pd.DataFrame({"k": rng.integers(0, 20, 400), "t": rng.choice(list("abc"), 400)})
    result = t_closeness(file, keys="k", target="t")
    assert result.mean == pytest.approx(result.null_mean, abs=0.03)
    told = t_closeness(file.assign(t=file["k"] % 3), keys="k", target="t", ordered=False)
    assert told.mean > 4 * told.null_mean


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize(
    ("sizes", "levels"), [([1, 2, 2], [2, 1, 2]), ([1, 3, 1], [3, 2]), ([2, 2], [4])]
)
def test_the_mean_by_chance_is_that_over_all_ways_to_place_the_values(
    sizes: list[int], levels: list[int], *, ordered: bool
) -> None:
    values, n = np.repeat(np.arange(len(levels)), levels), sum(sizes)
    ends, whole = np.cumsum(sizes), np.array(levels) / n
    means = []
    for order in itertools.permutations(values):
        mean = 0.0
        for end, size in zip(ends, sizes, strict=True):
            own = np.bincount(order[end - size : end], minlength=len(levels)) / size
            if ordered:
                far = np.abs(np.cumsum(own - whole)).sum() / max(len(levels) - 1, 1)
            else:
                far = np.abs(own - whole).sum() / 2
            mean += size / n * far
        means.append(mean)
    result = expected_mean(np.array([*sizes, 0]), np.array(levels), ordered=ordered)
    assert result == pytest.approx(np.mean(means), abs=1e-12)


def test_the_order_of_rows_and_levels_does_not_matter() -> None:
    file = pd.DataFrame({"k": list("aabbb"), "t": list("xyyzz")})
    for rows in itertools.islice(itertools.permutations(range(5)), 0, 120, 17):
        shuffled = file.iloc[list(rows)]
        assert t_closeness(shuffled, keys="k", target="t").largest == pytest.approx(
            t_closeness(file, keys="k", target="t").largest
        )
        assert l_diversity(shuffled, keys="k", target="t").entropy == pytest.approx(
            l_diversity(file, keys="k", target="t").entropy
        )


def test_a_target_among_the_keys_is_refused() -> None:
    with pytest.raises(StudyError, match="one of the keys"):
        l_diversity(pd.DataFrame({"a": [1], "b": [2]}), keys=["a", "b"], target="b")
    with pytest.raises(StudyError, match="above 0"):
        l_diversity(pd.DataFrame({"a": [1], "b": [2]}), keys=["a"], target="b", c=0)


@pytest.mark.parametrize("target", ["vote", "income"])
def test_diversity_equals_that_of_sdcmicro(target: str) -> None:
    keys = ["educ", "PID"]
    recorded = answers("anonymity")["l-diversity"]
    of_class = pd.DataFrame(recorded["classes"], columns=recorded["columns"])
    file = demo()
    result = l_diversity(file, keys=keys, target=target)
    of_record = result.classes.iloc[classes_of(file, keys).of_record]
    theirs_of_record = file[keys].merge(of_class, on=keys, how="left", validate="many_to_one")
    for ours, theirs in (
        ("distinct_l", "Distinct_Ldiversity"),
        ("entropy_l", "Entropy_Ldiversity"),
        ("recursive_l", "Recursive_Ldiversity"),
    ):
        expected = theirs_of_record[f"{target}_{theirs}"].to_numpy()
        np.testing.assert_allclose(of_record[ours].to_numpy(), expected, rtol=1e-12)


def test_closeness_equals_the_recorded_values() -> None:
    expected = answers("anonymity")["t-closeness"]
    result = t_closeness(demo(), keys=["educ", "PID"], target="vote")
    assert result.largest == pytest.approx(expected["t_max"], rel=1e-12)
    assert result.mean == pytest.approx(expected["t_mean_records"], rel=1e-12)
