"""Models with nothing to spare, and what is said of a comparison, by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.fits.coefficients import (
    adjusted_r2,
    mcfadden_adjusted,
    pooled_test,
    problems_of,
)
from sdcmetrics.measures.fits.columns import _confounded
from sdcmetrics.measures.fits.design import make_design
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.fits.generalised import (
    _gaussian_log_likelihood,
    _log_likelihood,
    fit_lm,
)
from sdcmetrics.measures.fits.overlap import LackOfFit, lack_of_fit, lack_of_fit_incomplete
from sdcmetrics.measures.pair import pair


def test_the_likelihood_of_a_linear_model_is_that_of_normal_errors() -> None:
    residuals = np.array([1.0, -2, 0.5, 0.5])
    square = float(residuals @ residuals)
    expected = stats.norm.logpdf(residuals, scale=math.sqrt(square / 4)).sum()
    assert _gaussian_log_likelihood(4, square) == pytest.approx(expected)
    assert _gaussian_log_likelihood(4, 0.0) == math.inf
    y, mu = np.array([0.0, 1, 1, 0.25]), np.array([0.2, 0.9, 1, 0.5])
    expected = math.log(0.8) + math.log(0.9) + math.log(0.5)
    assert _log_likelihood("binomial", y, mu) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "finite"), [(2, False), (3, True)])
def test_a_variance_needs_a_record_more_than_coefficients(n: int, *, finite: bool) -> None:
    matrix = np.column_stack([np.ones(n), np.arange(float(n))])
    model = fit_lm(matrix, np.array([1.0, 3, 4])[:n], intercept=True)
    assert np.isfinite(model.covariance).all() == finite
    assert (model.rank, model.slopes, model.n) == (2, 1, n)


def test_without_an_intercept_r2_is_about_zero() -> None:
    x, y = np.array([1.0, 2, 3]), np.array([2.0, 2, 5])
    model = fit_lm(x[:, None], y, intercept=False)
    slope = x @ y / (x @ x)
    left = ((y - slope * x) ** 2).sum()
    assert model.coefficients[0] == pytest.approx(slope)
    assert model.r2 == pytest.approx(1 - left / (y @ y))
    assert model.covariance[0, 0] == pytest.approx(left / 2 / (x @ x))
    assert (model.slopes, model.rank) == (1, 1)
    assert math.isnan(fit_lm(np.ones((3, 1)), np.full(3, 4.0), intercept=True).r2)


def test_adjusted_r2_with_one_record_to_spare() -> None:
    assert adjusted_r2(0.5, 5, 4) == 1 - 0.5 * 4
    assert adjusted_r2(0.5, 5, 4, intercept=False) == 1 - 0.5 * 5
    assert math.isnan(adjusted_r2(0.5, 4, 4))
    assert math.isnan(mcfadden_adjusted(-1.0, 0.0, 1))


def test_lacks_of_fit_by_their_degrees_of_freedom() -> None:
    nothing = lack_of_fit(np.zeros(0), np.zeros((0, 0)))
    assert (nothing.df, math.isnan(nothing.p_value), math.isnan(nothing.ratio)) == (0, True, True)
    assert LackOfFit(6.0, 3, None, 0.1).ratio == 2.0
    assert LackOfFit(6.0, 3, 5, 0.1).ratio == 6.0
    few = lack_of_fit_incomplete(np.array([[1.0, 2], [2.0, 5]]))
    assert (few.df, few.df2, math.isnan(few.p_value)) == (2, 0, True)
    differences = np.array([[1.0, 0], [2, 1], [0, 3], [1, 4]])
    test = lack_of_fit_incomplete(differences)
    mean = differences.mean(axis=0)
    hotelling = 4 * mean @ np.linalg.solve(np.cov(differences.T), mean)
    assert test.statistic == pytest.approx(hotelling * 2 / (2 * 3))
    assert test.p_value == pytest.approx(stats.f.sf(test.statistic, 2, 2))


def model(**of: Any) -> Any:
    usual = {"converged": True, "iterations": 3, "separated": (), "standard_errors": np.ones(2)}
    return SimpleNamespace(**{**usual, **of})


def test_problems_are_said_of_their_file() -> None:
    fits: Any = SimpleNamespace(
        names=("(Intercept)", "x"),
        original=model(converged=False, iterations=25),
        synthetic=(model(separated=(1,)), model(standard_errors=np.array([np.nan, 0.0]))),
    )
    design: Any = SimpleNamespace(sources=("o", "r", "s"))
    table = pd.DataFrame({"compared": [True, False]}, index=["(Intercept)", "x"])
    problems = problems_of(fits, design, table)
    assert problems[0] == "o: the fit did not converge in 25 iterations"
    assert problems[1].startswith("r: the predictors separate the response")
    assert "no finite estimate of x;" in problems[1]
    assert problems[2] == "s: the model fits without error, so Karr's overlap has no value"
    assert problems[3] == ("1 of 2 coefficients are not compared and left out of the means: x")
    fits.original, fits.synthetic = model(), (model(), model())
    assert problems_of(fits, design, table.assign(compared=True)) == []


@pytest.mark.parametrize(("m", "tested"), [(1, False), (2, True)])
def test_incomplete_syntheses_are_tested_with_one_more_than_coefficients(
    m: int, *, tested: bool
) -> None:
    index = pd.MultiIndex.from_product([range(1, m + 1), ["a", "b"]])
    each = pd.DataFrame({"synthetic": np.arange(2.0 * m) ** 2}, index=index)
    table = pd.DataFrame({"compared": [True, False], "synthetic": 1.0, "original": 0.5})
    fits: Any = SimpleNamespace(
        names=("a", "b"), original=SimpleNamespace(coefficients=np.array([0.5, 1.0]))
    )
    scale: Any = SimpleNamespace(incomplete=True, m=m)
    result, said = pooled_test(fits, table, each, scale)
    if not tested:
        assert result is None
        assert "more than 1 syntheses" in said[0]
        assert "there are 1" in said[0]
        return
    assert result is not None
    # 0 and 4 less a half: mean 1.5, variance of the mean 4
    assert result.statistic == pytest.approx(1.5**2 / 4)
    assert said == []
    each.iloc[0, 0] = np.nan
    result, said = pooled_test(fits, table, each, scale)
    assert result is None
    assert "missing from some" in said[0]


def test_the_mean_of_complete_ones_is_tested_by_the_originals_errors() -> None:
    table = pd.DataFrame({"compared": [True, False], "synthetic": 1.0, "original": 0.5})
    fits: Any = SimpleNamespace(original=SimpleNamespace(covariance=np.diag([0.25, 9.0])))
    scale: Any = SimpleNamespace(incomplete=False, n=60, k=20, m=2)
    result, said = pooled_test(fits, table, table, scale)
    assert result is not None
    assert result.statistic == pytest.approx(0.25 / (0.25 * 1.5))
    assert (result.df, said) == (1, [])


def test_one_record_of_an_original_is_a_number_of_records() -> None:
    frame = pd.DataFrame({"x": [0.0, 0, 1, 1], "y": [0.0, 2, 4, 6]})
    one = sdc.synthetic_fit(frame, formula="y ~ x", n_original=1)
    assert one.coefficients["se"].tolist() == pytest.approx([2, math.sqrt(8)])
    with pytest.raises(StudyError, match="n_original: expected the number of records"):
        sdc.synthetic_fit(frame, formula="y ~ x", n_original=0)


def test_records_with_a_gap_are_left_out_of_their_part_alone() -> None:
    first = pd.DataFrame({"y": [1.0, 2, np.nan, 4], "g": ["a", "b", "a", None]})
    other = pd.DataFrame({"y": [1.0, 2, 3], "g": ["b", "c", "a"]})
    design = make_design(read_formula("y ~ g", ["y", "g"]), pair(first, other))
    assert (design.m, design.dropped) == (1, (2, 0))
    assert design.names == ("(Intercept)", "gb", "gc")
    assert design.unseen == ("gc",)
    assert design.matrix(0).tolist() == [[1, 0, 0], [1, 1, 0]]
    assert design.matrix(1).tolist() == [[1, 1, 0], [1, 0, 1], [1, 0, 0]]
    assert design.outcome(0).tolist() == [1, 2]


def test_every_combination_of_levels_that_a_coefficient_speaks_of_is_counted() -> None:
    original = pd.DataFrame({"y": np.arange(6.0), "g": [*"bbbccc"], "h": [*"uuvvvv"]})
    replica = pd.DataFrame({"y": np.arange(4.0), "g": [*"aabc"], "h": [*"uvuv"]})
    data, columns = pair(original, replica), ["y", "g", "h"]
    counts = {
        text: make_design(read_formula(text, columns), data).level_counts
        for text in ("y ~ g", "y ~ g:h")
    }
    # b and c three times; a, which only the replica has, as a level and as unseen
    assert counts["y ~ g"] == (0, 0, 3, 3)
    # bu twice, bv once, cv three times; au, av and cu never, of which au and av are unseen
    assert counts["y ~ g:h"] == (0, 0, 0, 0, 0, 1, 2, 3)


def test_a_number_of_two_values_counts_as_levels_and_one_of_three_does_not() -> None:
    frame = pd.DataFrame({"y": np.arange(6.0), "two": [0, 1] * 3, "three": [0, 1, 2, 0, 0, 0]})
    data, columns = pair(frame, frame), ["y", "two", "three"]
    for text, counts in {"y ~ two": (3, 3), "y ~ three": (), "two ~ three": (3, 3)}.items():
        assert make_design(read_formula(text, columns), data).level_counts == counts


@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-6])
def test_what_a_column_is_made_of_does_not_depend_on_units(unit: float) -> None:
    matrix = np.diag([1.0, 1.0, 1.0])[:, [0, 1, 2, 0]] * np.array([unit, 1 / unit, 1.0, unit])
    matrix[:, 3] += 0.5 * matrix[:, 2] * unit
    result = _confounded(matrix, np.array([0, 1, 2]))
    assert result == {3: (0, 2)}
    matrix[:, 3] = 0.0
    assert _confounded(matrix, np.array([0, 1, 2])) == {3: ()}


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_a_level_is_between_0_and_1(level: float) -> None:
    frame = pd.DataFrame({"y": np.arange(6.0), "x": [1.0, 2, 4, 3, 5, 6]})
    with pytest.raises(StudyError, match="level: expected a share between 0 and 1"):
        sdc.fit_overlap(frame, frame, formula="y ~ x", level=level)
