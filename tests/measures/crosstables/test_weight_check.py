"""Weighted shares where weights are equal: Pearson's statistic, against F, not chi-square."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics import WeightCheck, check_weights
from sdcmetrics.measures.crosstables import weight_check
from sdcmetrics.measures.survey.design import simple_design


def checked(original: dict[str, int], replica: dict[str, int], **columns: list[str]) -> WeightCheck:
    """Check a replica with equal weights against an original; levels with how many have them."""
    first, other = (
        pd.DataFrame({"x": np.repeat(list(counts), list(counts.values())), "w": 2.0})
        for counts in (original, replica)
    )
    return check_weights(first, other, weight="w", **columns)


@pytest.mark.parametrize(
    ("original", "replica"),
    [
        ({"a": 300, "b": 500}, {"a": 55, "b": 45}),
        ({"a": 300, "b": 300, "c": 200}, {"a": 30, "b": 40, "c": 30}),
    ],
)
def test_equal_weights_give_pearsons_statistic(
    original: dict[str, int], replica: dict[str, int]
) -> None:
    result = checked(original, replica).tests.loc["x", "p"]
    shares = np.array([*original.values()]) / sum(original.values())
    counts = np.array([*replica.values()])
    n, own = counts.sum(), counts / counts.sum()
    statistic = (n * (own - shares) ** 2 / shares).sum()
    covariance = (np.diag(own) - np.outer(own, own)) * n / (n - 1)
    effects = covariance / np.sqrt(np.outer(shares, shares))
    first, second = np.trace(effects), (effects**2).sum()
    df = first**2 / second
    assert result == pytest.approx(stats.f.sf(statistic / first, df, df * (n - 1)))
    assert result == pytest.approx(stats.chi2.sf(statistic, len(shares) - 1), abs=0.02)


def test_one_level_is_all_there_is() -> None:
    result = checked({"a": 30}, {"a": 20})
    assert result.tests.loc["x", "p"] == 1.0


def test_a_level_that_the_replica_lacks_has_the_error_of_equal_weights() -> None:
    result = checked({"a": 80, "b": 80, "c": 40}, {"a": 50, "b": 50}).tests.loc["x", "p"]
    shares, own = np.array([0.4, 0.4, 0.2]), np.array([0.5, 0.5, 0.0])
    covariance = (np.diag(own) - np.outer(own, own)) / 99
    covariance[2, 2] = 0.2 * 0.8 / 100
    effects = 100 * covariance / np.sqrt(np.outer(shares, shares))
    first, second = np.trace(effects), (effects**2).sum()
    statistic = 100 * ((own - shares) ** 2 / shares).sum()
    df = first**2 / second
    assert result == pytest.approx(stats.f.sf(statistic / first, df, df * 99))


def test_sums_of_weights_have_the_error_of_independent_draws() -> None:
    row = checked({"a": 300, "b": 500}, {"a": 330, "b": 470}).margins.set_index("level").loc["a"]
    assert (row["original"], row["synthetic"]) == (600, 660)
    assert row["difference"] == pytest.approx(0.1)
    error = 2 * np.sqrt(800 / 799 * 800 * 0.4125 * 0.5875)
    assert row["se"] == pytest.approx(error / 600)
    assert row["z"] == pytest.approx(60 / error)


def test_of_very_many_levels_p_is_of_the_first_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weight_check, "MOST_CELLS", 2)
    rng, n, size = np.random.default_rng(5), 60, 4
    cells = (
        np.append(np.arange(size), rng.integers(0, size, n - size)),
        rng.integers(0, size - 1, n),
    )
    weights = rng.gamma(4, 0.25, n), rng.gamma(4, 0.25, n)
    weights[0][cells[0] == 3] /= 20  # a level that the replica lacks
    original, replica = (
        pd.DataFrame({"x": np.array(list("abcd"))[c], "w": w})
        for c, w in zip(cells, weights, strict=True)
    )
    p = check_weights(original, replica, weight="w").tests.loc["x", "p"]

    expected = np.bincount(cells[0], weights[0]) / weights[0].sum()
    own = weights[1] / weights[1].sum()
    share = np.bincount(cells[1], own, minlength=size)
    within = np.bincount(cells[1], own**2, minlength=size)
    variances = (within * (1 - 2 * share) + share**2 * (own**2).sum()) * n / (n - 1)
    variances[3] = expected[3] * (1 - expected[3]) * (own**2).sum()
    x2, first = ((share - expected) ** 2 / expected).sum(), (variances / expected).sum()
    assert 0.001 < p < 0.9
    assert p == pytest.approx(stats.chi2.sf(x2 / first * 3, 3))


def test_dates_are_grouped_as_numbers_are() -> None:
    rng = np.random.default_rng(6)
    days = pd.to_datetime("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, 400), unit="D")
    original = pd.DataFrame({"born": days, "w": rng.gamma(4, 0.25, 400)})
    margins = check_weights(original, original, weight="w", ngroups=4).margins
    assert margins["variable"].tolist() == ["born"] * 4


@pytest.mark.parametrize(
    ("original", "replica", "words"),
    [
        ({"a": 80, "b": 80}, {"a": 50, "c": 50}, "have a level that the original has not"),
        ({"a": 80, "b": 80}, {"a": 150, "b": 50}, "is off by up to +88 %"),
        ({"a": 80_000, "b": 80_000}, {"a": 80_700, "b": 79_300}, "is off by up to +0.9 %"),
    ],
)
def test_what_is_wrong_is_said_in_numbers_that_can_be_read(
    original: dict[str, int], replica: dict[str, int], words: str
) -> None:
    (problem,) = (p for p in checked(original, replica).problems if "shares" in p)
    assert f"{words}): calibrate" in problem


@pytest.mark.parametrize(
    ("names", "words"),
    [("x", ""), ("xy", " and of 1 other"), ("xyz", " and of 2 others")],
)
def test_it_is_said_of_how_many_variables_shares_are_off(names: str, words: str) -> None:
    first, other = (
        pd.DataFrame({name: np.repeat(["a", "b"], counts) for name in names}).assign(w=2.0)
        for counts in ([80, 80], [110, 50])
    )
    (problem,) = check_weights(first, other, weight="w").problems
    assert problem.startswith(f"weighted shares of 'x'{words} are not the original's")


@pytest.mark.parametrize(("shift", "off"), [(0.33, False), (0.35, True), (-0.35, True)])
def test_a_total_is_off_beyond_its_interval_of_99_percent(shift: float, *, off: bool) -> None:
    spread = np.tile([-0.4, 0.4], 5)  # the sum's error is 0.4 root of 10 root of 10/9, or 4/3
    first, other = (
        pd.DataFrame({"x": np.repeat(["a", "b"], 5), "w": weights})
        for weights in (np.ones(10), 1 + shift + spread)
    )
    assert 3.3 < stats.norm.ppf(0.995) * 4 / 3 < 3.5
    problems = check_weights(first, other, weight="w").problems
    assert [f"add up to {100 * (1 + shift):.1f} %" in problem for problem in problems] == [
        True
    ] * off


def test_a_level_of_no_weight_that_the_replica_lacks_is_no_difference() -> None:
    theirs = np.array([0, 0, 1, 1], dtype=np.int32)
    design = simple_design(4)
    for weights, p in (([3.0, 3.0, 0.0], 1.0), ([3.0, 0.0, 3.0], 0.0)):
        of_original = pd.Series(weights, index=[0, 1, 2])
        assert weight_check._shares_p(theirs, of_original, design) == pytest.approx(p, abs=1e-12)
