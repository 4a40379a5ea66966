from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, NotComputable, StudyError

RNG = np.random.default_rng(11)


def sample(n: int) -> pd.DataFrame:
    group = RNG.choice(["a", "b", "c"], n)
    x = RNG.normal(size=n)
    y = 1 + 2 * x + (group == "c") + RNG.normal(size=n)
    return pd.DataFrame({"y": y, "x": x, "g": group, "won": y > 1, "n": RNG.poisson(2, n)})


ORIGINAL, REPLICA = sample(300), sample(250)


class TestFitOverlap:
    def test_a_replica_equal_to_the_original_overlaps_wholly(self) -> None:
        for family, formula in (
            ("gaussian", "y ~ x + g"),
            ("binomial", "won ~ x"),
            ("poisson", "n ~ x*g"),
            ("multinomial", "g ~ x"),
            ("ordered", "g ~ x"),
        ):
            result = sdc.fit_overlap(ORIGINAL, ORIGINAL, formula=formula, family=family)
            assert result.mean_overlap == pytest.approx(1)
            assert result.mean_karr == pytest.approx(1)
            assert result.mean_abs_std_diff == pytest.approx(0)
            assert result.lack_of_fit is not None
            assert result.lack_of_fit.p_value == pytest.approx(1)
            assert result.reliable

    def test_levels_in_another_order_change_nothing(self) -> None:
        plain = sdc.fit_overlap(ORIGINAL, REPLICA, formula="y ~ x + g").coefficients
        turned = REPLICA.assign(g=pd.Categorical(REPLICA["g"], categories=["c", "b", "a"]))
        pd.testing.assert_frame_equal(
            sdc.fit_overlap(ORIGINAL, turned, formula="y ~ x + g").coefficients, plain
        )

    def test_the_kind_of_frame_does_not_matter(self) -> None:
        plain = sdc.fit_overlap(ORIGINAL, REPLICA, formula="y ~ x + g").coefficients
        others = pl.from_pandas(ORIGINAL), pl.from_pandas(REPLICA).to_arrow()
        pd.testing.assert_frame_equal(
            sdc.fit_overlap(*others, formula="y ~ x + g").coefficients, plain, check_exact=False
        )

    def test_what_only_the_replica_has_is_flagged_and_left_out(self) -> None:
        replica = REPLICA.assign(g=REPLICA["g"].replace("b", "d"))
        result = sdc.fit_overlap(ORIGINAL, replica, formula="y ~ x + g")
        flags = result.coefficients["flag"]
        assert flags["gb"] == "not there in the synthetic data"
        assert flags["gd"] == "not there in the original data"
        assert result.coefficients["compared"].tolist() == [True, True, False, True, False]
        assert any("2 of 5 coefficients are not compared" in p for p in result.problems)
        assert any("level" in fix for fix in result.fixes)
        assert not result.reliable

    def test_without_the_base_level_the_others_mean_something_else(self) -> None:
        result = sdc.fit_overlap(ORIGINAL, REPLICA[REPLICA["g"] != "a"], formula="y ~ x + g")
        assert result.coefficients.index[result.coefficients["compared"]].tolist() == ["x"]

    def test_a_separated_fit_is_said_and_left_out_of_the_means(self) -> None:
        replica = REPLICA.assign(won=REPLICA["won"] & (REPLICA["g"] != "c"))
        result = sdc.fit_overlap(ORIGINAL, replica, formula="won ~ x + g", family="binomial")
        assert result.fits.loc["synthetic", "separated"] == ("gc",)
        assert not result.coefficients.loc["gc", "compared"]
        assert any("no finite estimate of gc" in problem for problem in result.problems)
        rest = result.coefficients.drop(index="gc")["CIO"].mean()
        assert result.mean_overlap == pytest.approx(rest)

    def test_missing_values_and_codes_are_left_out_and_counted(self) -> None:
        original = ORIGINAL.assign(x=ORIGINAL["x"].where(ORIGINAL.index >= 10))
        replica = REPLICA.assign(n=REPLICA["n"].where(REPLICA.index >= 4, -8))
        result = sdc.fit_overlap(
            original, replica, formula="y ~ x + n", missing_codes={"n": -8, "x": -9}
        )
        assert result.fits["dropped"].tolist() == [10, 4]
        assert result.fits["n"].tolist() == [290, 246]

    def test_several_syntheses_are_averaged_by_name(self) -> None:
        many = [REPLICA, REPLICA[REPLICA["g"] != "b"], ORIGINAL]
        result = sdc.fit_overlap(ORIGINAL, many, formula="y ~ x + g")
        parts = {i: result.per_synthesis.loc[i, "synthetic"] for i in (1, 2, 3)}
        each = pd.DataFrame(parts)
        assert np.isnan(each.loc["gb"]).tolist() == [False, True, False]
        assert result.coefficients["synthetic"].to_numpy() == pytest.approx(
            each.mean(axis=1)[result.coefficients.index]
        )
        assert "synthesis 2" in result.coefficients.loc["gb", "flag"]
        assert len(result.lack_of_fit_per_synthesis) == 3

    def test_population_inference_widens_the_synthetic_intervals(self) -> None:
        plain = sdc.fit_overlap(ORIGINAL, [REPLICA] * 2, formula="y ~ x")
        wide = sdc.fit_overlap(ORIGINAL, [REPLICA] * 2, formula="y ~ x", population_inference=True)
        proper = sdc.fit_overlap(
            ORIGINAL, [REPLICA] * 2, formula="y ~ x", population_inference=True, proper=True
        )
        ratio = 300 / 250
        se = plain.coefficients["se_synthetic"]
        assert plain.coefficients["se_original"].equals(se)
        assert wide.coefficients["se_synthetic"].to_numpy() == pytest.approx(
            se * (1 + ratio / 2) ** 0.5
        )
        assert proper.coefficients["se_synthetic"].to_numpy() == pytest.approx(
            se * (1 + (ratio + 1) / 2) ** 0.5
        )

    @pytest.mark.parametrize(
        ("formula", "options", "error", "says"),
        [
            ("y ~ incme", {}, ColumnError, "'incme' is not a column of original"),
            ("y ~ X", {}, ColumnError, "Did you mean 'x'"),
            ("g ~ x", {}, ColumnError, "needs numbers but the column holds categories"),
            ("y ~ x", {"family": "binomial"}, ColumnError, "numbers from 0 to 1"),
            ("y ~ x", {"family": "poisson"}, ColumnError, "needs counts but got negative"),
            ("y ~ x", {"family": "ordered"}, ColumnError, "needs categories but got numbers"),
            ("y ~ x", {"family": "binomal"}, StudyError, "Did you mean 'binomial'"),
            ("y ~ x", {"level": 95}, StudyError, "a share between 0 and 1"),
            ("y ~ x", {"level": 1.0}, StudyError, "a share between 0 and 1"),
            ("g ~ 0 + x", {"family": "ordered"}, StudyError, "its thresholds are the intercepts"),
            ("y ~ x", {"missing_codes": {"q": 1}}, StudyError, "'q'"),
        ],
    )
    def test_mistakes_are_refused(
        self, formula: str, options: dict[str, object], error: type[Exception], says: str
    ) -> None:
        with pytest.raises(error, match=says):
            sdc.fit_overlap(ORIGINAL, REPLICA, formula=formula, **options)

    def test_a_fit_without_error_has_no_intervals(self) -> None:
        original = ORIGINAL.assign(y=2 * ORIGINAL["x"] + 1)
        for frame in (original, ORIGINAL.assign(y=1.0)):
            with pytest.raises(NotComputable, match="without error"):
                sdc.fit_overlap(frame, REPLICA, formula="y ~ x")
        result = sdc.fit_overlap(ORIGINAL, REPLICA.assign(y=2 * REPLICA["x"] + 1), formula="y ~ x")
        assert any("without error" in problem for problem in result.problems)
        assert np.isnan(result.mean_karr)
        assert np.isfinite(result.mean_overlap)

    def test_too_few_records_are_a_reason(self) -> None:
        with pytest.raises(NotComputable, match="synthetic has 3 complete record"):
            sdc.fit_overlap(ORIGINAL, REPLICA[:3], formula="y ~ x + n")


class TestWeightedOverlap:
    def test_weights_are_shares_of_adjusted_r2(self) -> None:
        models = ["y ~ x", ("won ~ x", "binomial"), "n ~ x"]
        result = sdc.weighted_overlap(ORIGINAL, REPLICA, models=models)
        first, second, third = result.fits
        total = first.adjusted_r2 + second.adjusted_r2 + max(third.adjusted_r2, 0)
        assert result.models["weight"].iloc[0] == pytest.approx(first.adjusted_r2 / total)
        assert result.value == pytest.approx(result.models["contribution"].sum())
        assert result.models["r2_kind"].tolist()[:2] == [
            "adjusted R2",
            "McFadden's adjusted pseudo-R2",
        ]

    def test_a_model_that_explains_nothing_weighs_nothing(self) -> None:
        original = ORIGINAL.assign(noise=np.tile([0.0, 1.0], 150), half=np.repeat([0.0, 1.0], 150))
        result = sdc.weighted_overlap(original, original, models=["noise ~ half", "y ~ x"])
        assert result.models.loc["noise ~ half", "weight"] == 0
        assert "not positive" in result.models.loc["noise ~ half", "note"]
        assert result.value == pytest.approx(1)

    def test_a_model_that_cannot_be_fitted_is_a_row_with_a_reason(self) -> None:
        original = ORIGINAL[:3]
        result = sdc.weighted_overlap(original, original, models=["y ~ x + n", "y ~ x"])
        assert "too few" in result.models["note"].iloc[0]
        assert len(result.fits) == 1

    def test_no_model_is_refused(self) -> None:
        with pytest.raises(StudyError, match="models: expected a list of texts"):
            sdc.weighted_overlap(ORIGINAL, REPLICA, models="y ~ x")


class TestBackwardElimination:
    @pytest.mark.parametrize("criterion", ["adjusted_r2", "p", "aic"])
    @pytest.mark.parametrize(
        ("formula", "family"), [("y ~ x*g + n", "gaussian"), ("won ~ x*g + n", "binomial")]
    )
    def test_what_is_left_is_no_worse_and_keeps_what_matters(
        self, criterion: str, formula: str, family: str
    ) -> None:
        result = sdc.backward_elimination(
            ORIGINAL, formula=formula, family=family, criterion=criterion
        )
        assert " x" in result.formula
        path = result.path
        assert path["formula"].iloc[-1] == result.formula
        assert set(path["n"]) == {len(ORIGINAL)}
        if criterion == "adjusted_r2":
            assert path["adjusted_r2"].is_monotonic_increasing
        if criterion == "aic":
            assert path["aic"].is_monotonic_decreasing
        if criterion == "p":
            assert (path["p_value"].iloc[1:] > 0.05).all()

    def test_a_main_effect_stays_while_a_product_holds_it(self) -> None:
        frame = ORIGINAL.assign(y=ORIGINAL["x"] * (ORIGINAL["g"] == "b") + ORIGINAL["n"] * 1e-9)
        result = sdc.backward_elimination(frame, formula="y ~ x*g", criterion="p")
        assert result.formula == "y ~ x + g + x:g"

    def test_everything_may_go(self) -> None:
        frame = pd.DataFrame({"y": np.tile([0.0, 1.0], 40), "x": np.repeat([0.0, 1.0], 40)})
        assert sdc.backward_elimination(frame, formula="y ~ x").formula == "y ~ 1"

    def test_an_unknown_criterion_is_refused(self) -> None:
        with pytest.raises(StudyError, match="Did you mean 'aic'"):
            sdc.backward_elimination(ORIGINAL, formula="y ~ x", criterion="aci")
