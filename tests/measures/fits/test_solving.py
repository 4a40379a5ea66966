"""What is solved without statsmodels is what statsmodels gives."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.regression.linear_model import OLS

from sdcmetrics.measures.fits.solving import least_squares, logistic


def design(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(9, 400))
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 3)), rng.integers(0, 2, n)])
    return x, x @ rng.normal(size=5) + rng.logistic(size=n)


@pytest.mark.parametrize("seed", range(8))
def test_least_squares_are_those_of_statsmodels(seed: int) -> None:
    x, y = design(seed)
    theirs = OLS(y, x).fit()
    coefficients, inverse = least_squares(x, y)
    np.testing.assert_allclose(coefficients, theirs.params, rtol=1e-10)
    np.testing.assert_allclose(inverse, theirs.normalized_cov_params, rtol=1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_a_logistic_regression_is_that_of_statsmodels(seed: int) -> None:
    x, y = design(seed)
    outcome = (y > 0).astype(float) if seed else (x[:, 1] > 0).astype(float)  # 0: separated
    model = GLM(outcome, x, family=Binomial())
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs = model.fit(maxiter=25, atol=1e-9, rtol=1e-8)
        found = logistic(x, outcome, iterations=25, epsilon=1e-8)
    assert found is not None
    assert (found.iterations, found.converged) == (
        theirs.fit_history["iteration"],
        theirs.converged,
    )
    np.testing.assert_allclose(found.coefficients, theirs.params, rtol=1e-10)
    np.testing.assert_allclose(found.inverse, theirs.normalized_cov_params, rtol=1e-10)
    np.testing.assert_allclose(found.means, model.mu, rtol=1e-10)


def test_what_leaves_the_numbers_has_no_fit() -> None:
    x = np.array([[1.0, 1e308], [1.0, -1e308], [1.0, 1e308], [1.0, 0.0]])
    with np.errstate(all="ignore"):
        assert logistic(x, np.array([1.0, 0.0, 0.0, np.nan]), iterations=25, epsilon=1e-8) is None
