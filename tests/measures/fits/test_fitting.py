from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.fits.categorical import fit_multinomial, fit_ordered
from sdcmetrics.measures.fits.families import FAMILIES
from sdcmetrics.measures.fits.generalised import fit_glm, fit_lm
from sdcmetrics.measures.fits.least_squares import least_squares
from sdcmetrics.measures.fits.separation import separating_columns

RNG = np.random.default_rng(7)
X = np.column_stack([np.ones(200), RNG.normal(size=(200, 2))])


class TestLeastSquares:
    def test_an_aliased_column_is_left_out_in_order_and_named(self) -> None:
        y = X @ [1.0, 2.0, 3.0]
        fit = least_squares(np.column_stack([X, X[:, 1] - 2 * X[:, 2], np.zeros(200)]), y)
        assert fit.coefficients[:3] == pytest.approx([1, 2, 3])
        assert np.isnan(fit.coefficients[3:]).all()
        assert fit.confounded == {3: (1, 2), 4: ()}

    def test_scale_does_not_alias(self) -> None:
        fit = least_squares(X * [1.0, 1e-9, 1e9], X @ [1.0, 2.0, 3.0])
        assert fit.rank == 3
        assert fit.coefficients == pytest.approx([1, 2e9, 3e-9])


class TestLinear:
    def test_no_variance_is_left_by_a_perfect_fit(self) -> None:
        model = fit_lm(X, X @ [1.0, 2.0, 3.0], intercept=True)
        assert model.r2 == pytest.approx(1)

    def test_a_constant_response_has_no_r2(self) -> None:
        assert np.isnan(fit_lm(X, np.ones(200), intercept=True).r2)


class TestGeneralised:
    @pytest.mark.parametrize("name", list(FAMILIES))
    def test_the_slope_is_the_derivative_of_the_mean(self, name: str) -> None:
        family = FAMILIES[name]
        eta = np.linspace(-4, 2.5, 40)
        step = (family.mean(eta + 1e-6) - family.mean(eta - 1e-6)) / 2e-6
        np.testing.assert_allclose(family.slope(eta), step, rtol=1e-6)
        np.testing.assert_allclose(family.link(family.mean(eta)), eta, rtol=1e-8)

    @pytest.mark.parametrize("name", list(FAMILIES))
    def test_at_the_maximum_the_likelihood_falls_in_all_directions(self, name: str) -> None:
        family = FAMILIES[name]
        mean = family.mean(X @ [-0.5, 0.4, -0.3])
        y = RNG.poisson(mean).astype(float) if name == "poisson" else (RNG.random(200) < mean) * 1.0
        model = fit_glm(X, y, name, intercept=True)
        assert model.converged
        best = family.log_likelihood(y, family.mean(X @ model.coefficients))
        assert best == pytest.approx(model.log_likelihood)
        for step in np.vstack([np.eye(3), -np.eye(3)]) * 1e-2:
            moved = family.log_likelihood(y, family.mean(X @ (model.coefficients + step)))
            assert moved < best

    def test_a_separated_fit_is_said_so(self) -> None:
        group = (np.arange(200) < 40) * 1.0
        y = np.where(group == 1, 1.0, RNG.random(200) < 0.5)
        model = fit_glm(np.column_stack([X, group]), y, "binomial", intercept=True)
        assert model.separated == (3,)

    def test_a_complete_separation_is_said_so(self) -> None:
        model = fit_glm(X, (X[:, 1] > 0.1) * 1.0, "binomial", intercept=True)
        assert 1 in model.separated

    def test_shares_are_no_separation(self) -> None:
        assert separating_columns(X[:4], np.array([0.5, 0.25, 0.75, 0.5])) == []


class TestCategories:
    def test_two_levels_make_a_logistic_model(self) -> None:
        y = (RNG.random(200) < 0.4) * 1.0
        logit = fit_glm(X, y, "binomial", intercept=True)
        many = fit_multinomial(X, y, 2, "data")
        odds = fit_ordered(X[:, 1:], y, 2, "data")
        assert many.coefficients == pytest.approx(logit.coefficients, rel=1e-6)
        assert odds.coefficients == pytest.approx([*logit.coefficients[1:], -logit.coefficients[0]])
        assert odds.log_likelihood == pytest.approx(logit.log_likelihood)
        assert many.standard_errors == pytest.approx(logit.standard_errors, rel=1e-4)

    def test_a_level_that_the_data_lack_has_no_coefficients(self) -> None:
        y = RNG.integers(0, 2, 200) * 2.0
        many = fit_multinomial(X, y, 3, "data")
        assert np.isnan(many.coefficients[:3]).all()
        assert np.isfinite(many.coefficients[3:]).all()
        odds = fit_ordered(X[:, 1:], y, 3, "data")
        assert np.isfinite(odds.coefficients).tolist() == [True, True, True, False]

    def test_without_the_first_level_nothing_is_comparable(self) -> None:
        many = fit_multinomial(X, RNG.integers(1, 3, 200) * 1.0, 3, "data")
        assert np.isnan(many.coefficients).all()

    def test_a_separated_fit_is_said_so(self) -> None:
        group = (np.arange(200) < 40) * 1.0
        y = np.where(group == 1, 0, RNG.integers(0, 3, 200)).astype(float)
        design = np.column_stack([X, group])
        assert 3 in fit_multinomial(design, y, 3, "data").separated
        assert fit_ordered(design[:, 1:], y, 3, "data").separated == (2,)

    def test_an_intercept_only_explains_nothing(self) -> None:
        y = RNG.integers(0, 3, 200).astype(float)
        for model in (
            fit_multinomial(X[:, :1], y, 3, "data"),
            fit_ordered(X[:, 1:1], y, 3, "data"),
        ):
            assert model.r2 == pytest.approx(0, abs=1e-12)
            assert model.slopes == 0
