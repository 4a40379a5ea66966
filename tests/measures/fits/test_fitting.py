from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from sdcmetrics.measures.fits import categorical
from sdcmetrics.measures.fits.categorical import fit_multinomial, fit_ordered
from sdcmetrics.measures.fits.columns import Columns
from sdcmetrics.measures.fits.generalised import fit_glm, fit_lm, separating_columns

MEANS = {
    "binomial": special.expit,
    "probit": special.ndtr,
    "cloglog": lambda eta: -np.expm1(-np.exp(eta)),
    "poisson": np.exp,
}
RNG = np.random.default_rng(7)
X = np.column_stack([np.ones(200), RNG.normal(size=(200, 2))])


class TestColumns:
    @pytest.mark.parametrize("dependent", [(), (0,), (3,), (9,), (2, 3, 7), (0, 9)])
    @pytest.mark.parametrize("records", [7, 10, 60])
    def test_columns_are_kept_where_they_add_to_the_rank(
        self, dependent: tuple[int, ...], records: int
    ) -> None:
        rng = np.random.default_rng(records)
        matrix = rng.normal(size=(records, 10))
        for j in dependent:
            matrix[:, j] = matrix[:, :j] @ rng.normal(size=j)
        ranks = [0, *(np.linalg.matrix_rank(matrix[:, : j + 1]) for j in range(10))]
        assert Columns(matrix).independent.tolist() == np.flatnonzero(np.diff(ranks)).tolist()

    def test_an_aliased_column_is_left_out_in_order_and_named(self) -> None:
        matrix = np.column_stack([X, X[:, 1] - 2 * X[:, 2], np.zeros(200)])
        columns = Columns(matrix)
        assert columns.independent.tolist() == [0, 1, 2]
        assert columns.confounded == {3: (1, 2), 4: ()}
        fit = fit_lm(matrix, X @ [1.0, 2.0, 3.0], intercept=True)
        assert fit.coefficients[:3] == pytest.approx([1, 2, 3])
        assert np.isnan(fit.coefficients[3:]).all()

    def test_scale_does_not_alias(self) -> None:
        fit = fit_lm(X * [1.0, 1e-9, 1e9], X @ [1.0, 2.0, 3.0], intercept=True)
        assert fit.rank == 3
        assert fit.coefficients == pytest.approx([1, 2e9, 3e-9])


class TestLinear:
    def test_no_variance_is_left_by_a_perfect_fit(self) -> None:
        model = fit_lm(X, X @ [1.0, 2.0, 3.0], intercept=True)
        assert model.r2 == pytest.approx(1)

    def test_a_constant_response_has_no_r2(self) -> None:
        assert np.isnan(fit_lm(X, np.ones(200), intercept=True).r2)


class TestGeneralised:
    @pytest.mark.parametrize("name", list(MEANS))
    def test_at_the_maximum_the_likelihood_falls_in_all_directions(self, name: str) -> None:
        mean = MEANS[name](X @ [-0.5, 0.4, -0.3])
        counts = name == "poisson"
        y = RNG.poisson(mean).astype(float) if counts else (RNG.random(200) < mean) * 1.0

        def log_likelihood(coefficients: Any) -> float:
            fitted = MEANS[name](X @ coefficients)
            law = stats.poisson(fitted) if counts else stats.bernoulli(fitted)
            return float(law.logpmf(y).sum())

        model = fit_glm(X, y, name, intercept=True)
        assert model.converged
        best = log_likelihood(model.coefficients)
        assert best == pytest.approx(model.log_likelihood)
        for step in np.vstack([np.eye(3), -np.eye(3)]) * 1e-2:
            assert log_likelihood(model.coefficients + step) < best

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

    @pytest.mark.parametrize(
        ("present", "of_levels", "of_slopes"),
        [
            ((0, 1, 2), {3: (1, 2), 7: (5, 6)}, {2: (0, 1)}),
            ((0, 2), {0: (), 1: (), 2: (), 3: (), 7: (5, 6)}, {2: (0, 1), 4: ()}),
            ((0, 1), {3: (1, 2), 4: (), 5: (), 6: (), 7: ()}, {2: (0, 1), 4: ()}),
            ((1, 2), dict.fromkeys(range(8), ()), {2: (0, 1), 3: ()}),
        ],
    )
    def test_coefficients_that_data_cannot_tell_are_named_level_by_level(
        self, present: tuple[int, ...], of_levels: dict[int, Any], of_slopes: dict[int, Any]
    ) -> None:
        y = np.random.default_rng(4).choice(present, 200) * 1.0
        design = np.column_stack([X, X[:, 1] - X[:, 2]])
        many = fit_multinomial(design, y, 3, "data")
        odds = fit_ordered(design[:, 1:], y, 3, "data")
        for model, untold in ((many, of_levels), (odds, of_slopes)):
            assert model.confounded == untold
            assert np.flatnonzero(np.isnan(model.coefficients)).tolist() == sorted(untold)

    def test_without_the_first_level_nothing_is_comparable(self) -> None:
        many = fit_multinomial(X, RNG.integers(1, 3, 200) * 1.0, 3, "data")
        assert np.isnan(many.coefficients).all()

    def test_a_separated_fit_is_said_so(self) -> None:
        group = (np.arange(200) < 40) * 1.0
        y = np.where(group == 1, 0, RNG.integers(0, 3, 200)).astype(float)
        design = np.column_stack([X, group])
        assert 3 in fit_multinomial(design, y, 3, "data").separated
        assert fit_ordered(design[:, 1:], y, 3, "data").separated == (2,)

    @pytest.mark.parametrize("seed", [1, 2, 3, 8])
    def test_what_is_beside_a_separated_level_keeps_its_standard_error(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        group = rng.choice(4, 21, p=[0.5, 0.3, 0.12, 0.08])
        z = rng.gamma(2, size=21)
        matrix = np.column_stack([np.ones(21), *(group == k for k in (1, 2, 3)), z]) * 1.0
        model = fit_multinomial(matrix, rng.integers(0, 3, 21) * 1.0, 3, "data")
        assert model.separated
        told = np.setdiff1d(np.flatnonzero(np.isfinite(model.coefficients)), model.separated)
        assert (model.standard_errors[told] > 0.1).all()

    def test_an_intercept_only_explains_nothing(self) -> None:
        y = RNG.integers(0, 3, 200).astype(float)
        for model in (
            fit_multinomial(X[:, :1], y, 3, "data"),
            fit_ordered(X[:, 1:1], y, 3, "data"),
        ):
            assert model.r2 == pytest.approx(0, abs=1e-12)
            assert model.slopes == 0


@pytest.mark.parametrize(("most", "converged"), [(3, False), (60, True)])
def test_newtons_steps_end_where_they_gain_nothing_or_are_too_many(
    most: int, monkeypatch: pytest.MonkeyPatch, *, converged: bool
) -> None:
    monkeypatch.setattr(categorical, "_ITERATIONS", most)

    def rises(x: Any) -> Any:  # for ever, each step one further
        return 1 - float(np.exp(-x[0])), np.exp(-x), np.exp(-x)[:, None]

    result = categorical._maximise(rises, np.zeros(1), 1)
    assert result.converged is converged
    # exp(-k) is below 1.1e-15 from k = 35 on, which the next iteration sees
    assert result.iterations == (3 if most == 3 else 36)
    assert result.parameters.tolist() == [result.iterations - converged]
