"""Mixed models beside the density of all records at once, and what has no fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.analyses.mixed import fit_mixed, mixed_model
from sdcmetrics.microdata.arrays import Floats


def log_likelihood(
    data: tuple[Any, ...], coefficients: Floats, covariance: Floats, variance: float, *, reml: bool
) -> float:
    """Return the (restricted) log-likelihood, by the covariance of every two records."""
    matrix, response, groups, random = data
    together = groups[:, None] == groups
    whole = variance * np.eye(len(groups)) + together * (random @ covariance @ random.T)
    residual = response - matrix @ coefficients
    out = np.linalg.slogdet(whole)[1] + residual @ np.linalg.solve(whole, residual)
    free = len(groups)
    if reml:
        out += np.linalg.slogdet(matrix.T @ np.linalg.solve(whole, matrix))[1]
        free -= matrix.shape[1]
    return -float(out + free * np.log(2 * np.pi)) / 2


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("rank", [1, 2])
def test_the_likelihood_is_that_of_all_records_and_the_largest(rank: int, *, reml: bool) -> None:
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(15), 4)
    x = -rng.gamma(2.0, size=60)
    own = rng.normal(size=15)[groups]
    matrix = np.column_stack([np.ones(60), x])
    response = 2.0 - x + own - 0.8 * own * x + rng.normal(size=60)  # falls where it is high
    data = (matrix, response, groups, matrix[:, :rank])
    fit = fit_mixed(*data, restricted=reml)
    best = log_likelihood(data, fit.coefficients, fit.covariance, fit.variance, reml=reml)
    assert fit.log_likelihood == pytest.approx(best)
    for covariance, variance in ((1.02, 1.0), (0.98, 1.0), (1.0, 1.02), (1.0, 0.98)):
        other = fit.covariance * covariance, fit.variance * variance
        assert log_likelihood(data, fit.coefficients, *other, reml=reml) < best


@pytest.mark.parametrize(
    ("groups", "matrix", "response", "reason"),
    [
        ([0, 0, 0, 0], [1, 2, 3, 5], [1, 2, 2, 4], "several groups"),
        ([0, 1, 2, 3], [1, 2, 3, 5], [1, 2, 2, 4], "several groups"),
        ([0, 0, 1, 1], [3, 3, 3, 3], [1, 2, 2, 4], "combinations"),
        ([0, 1], [1, 2], [1, 2], "several groups"),
        ([0, 0, 1], [1, 2, 3], [1e7, 2e7, 3e7], "follows"),
        ([0, 0, 1, 1], [1, 2, 3, 5], [1e7, 2e7, 3e7, 5e7], "follows"),
        ([0, 0, 1, 1], [1, 2, 3, 5], [0, 0, 0, 0], "follows"),
        # One slope and two intercepts: the error can be as small as one likes.
        ([0, 0, 1, 1], [1, 2, 3, 5], [1, 2, 2, 4], "within each group the outcome follows"),
        ([0, 0, 1, 1], [1, 2, 3, 5], [1, 2, 2, 5], ""),
    ],
)
def test_what_has_no_fit(
    groups: list[int], matrix: list[float], response: list[float], reason: str
) -> None:
    columns = np.column_stack([np.ones(len(matrix)), matrix])
    given: Any = ("a", "b"), columns, np.array(response, float), np.array(groups), columns[:, :1]
    if reason:
        with pytest.raises(NotComputable, match=reason):
            mixed_model(*given, restricted=True, source="data")
    else:
        assert np.isfinite(mixed_model(*given, restricted=True, source="data").value).all()


def test_as_many_predictors_as_records_leave_no_error() -> None:
    groups, matrix = np.array([0, 0, 1]), np.array([[1.0, 0, 0], [1, 1, 0], [1, 1, 1]])
    response = np.array([1.0, 2, 4])
    with pytest.raises(NotComputable, match="combinations"):
        mixed_model(
            ("a", "b", "c"), matrix, response, groups, matrix[:, :1], restricted=True, source="data"
        )


@pytest.mark.parametrize(("rank", "unit"), [(1, 1e-9), (1, 1e9), (2, 1.0)])
def test_a_few_records_have_a_fit_or_a_reason(rank: int, unit: float) -> None:
    rng = np.random.default_rng(rank)
    fits = 0
    for _ in range(12):
        n = int(rng.integers(3, 9))
        groups, x, y = rng.integers(0, 3, n), rng.integers(0, 4, n), rng.integers(0, 4, n) * unit
        columns = np.column_stack([np.ones(n), x])
        try:
            fit = mixed_model(
                ("a", "b"), columns, y, groups, columns[:, :rank], restricted=True, source="data"
            )
        except NotComputable:
            continue
        assert np.isfinite(fit.value).all()
        fits += 1
    assert fits >= 6


def test_a_random_effect_of_nothing_changes_nothing() -> None:
    rng = np.random.default_rng(4)
    groups, x = np.repeat(np.arange(10), 5), rng.normal(size=50)
    columns = np.column_stack([np.ones(50), x])
    response = x + rng.normal(size=10)[groups] + rng.normal(size=50)
    alone = fit_mixed(columns, response, groups, columns[:, :1], restricted=True)
    nothing = np.column_stack([columns[:, :1], np.zeros(50)])
    beside = fit_mixed(columns, response, groups, nothing, restricted=True)
    assert beside.coefficients == pytest.approx(alone.coefficients, rel=1e-4)
