"""The results objects of statsmodels: the same fits, in the units of the data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from statsmodels.miscmodels.ordinal_model import OrderedModel

import sdcmetrics as sdc

RNG = np.random.default_rng(12)
N = 400
X = RNG.normal(size=N)
FRAME = pd.DataFrame(
    {
        "x": 1e6 + 1e4 * X,
        "again": 2e6 + 2e4 * X,
        "g": RNG.choice(["a", "b", "c"], N),
        "y": X + RNG.normal(size=N),
        "won": RNG.random(N) < 0.4,
        "n": RNG.poisson(2, N),
        "level": pd.Categorical.from_codes(
            np.digitize(X + RNG.logistic(size=N), [-1, 0, 2]), ["low", "mid", "high", "top"]
        ),
    }
)
MODELS = [
    ("y ~ x + again + g", "gaussian"),
    ("won ~ x + again + g", "binomial"),
    ("won ~ x", "probit"),
    ("won ~ x", "cloglog"),
    ("n ~ x + g", "poisson"),
    ("g ~ x + again", "multinomial"),
]


@pytest.mark.parametrize(("formula", "family"), MODELS)
def test_they_say_what_the_table_says(formula: str, family: str) -> None:
    ours = sdc.fit_overlap(FRAME, [FRAME, FRAME[:300]], formula=formula, family=family)
    assert list(ours.results) == ["original", "synthetic 1", "synthetic 2"]
    for source, column, errors in (
        ("original", ours.coefficients["original"], ours.coefficients["se_original"]),
        ("synthetic 2", *(ours.per_synthesis.loc[2][name] for name in ("synthetic", "se_fit"))),
    ):
        theirs = ours.results[source]
        known = column.notna().to_numpy()
        np.testing.assert_allclose(np.ravel(theirs.params, "F"), column[known], rtol=1e-12)
        np.testing.assert_allclose(np.ravel(theirs.bse, "F"), errors[known], rtol=1e-12)
        assert int(theirs.nobs) == ours.fits.loc[source, "n"]
    shown = str(ours.results["original"].summary())
    assert "(Intercept)" in shown
    assert "again" not in shown


def test_an_ordered_model_has_thresholds_as_statsmodels_codes_them() -> None:
    ours = sdc.fit_overlap(FRAME, FRAME, formula="level ~ x + g", family="ordered")
    theirs = ours.results["original"]
    table = ours.coefficients
    slopes = [name for name in table.index if "|" not in name]
    np.testing.assert_allclose(theirs.params[: len(slopes)], table.loc[slopes, "original"])
    np.testing.assert_allclose(theirs.bse[: len(slopes)], table.loc[slopes, "se_original"])
    cuts = theirs.model.transform_threshold_params(theirs.params)[1:-1]
    np.testing.assert_allclose(cuts, table["original"].drop(slopes), rtol=1e-10)
    scaled = FRAME.assign(x=X)
    design = np.column_stack([X, FRAME["g"] == "b", FRAME["g"] == "c"]).astype(float)
    codes = FRAME["level"].cat.codes.to_numpy()
    own = OrderedModel(codes, design, distr="logit").fit(method="bfgs", gtol=1e-7, disp=0)
    ours = sdc.fit_overlap(scaled, scaled, formula="level ~ x + g", family="ordered")
    shown = ours.results["original"]
    assert slopes == ["x", "gb", "gc"]
    np.testing.assert_allclose(shown.params, own.params, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(shown.bse, own.bse, rtol=1e-3)
    assert "x" in str(shown.summary())


def test_a_linear_model_has_statsmodels_own_tests() -> None:
    theirs = sdc.fit_overlap(FRAME, FRAME, formula="y ~ x + g").results["original"]
    assert theirs.rsquared_adj == pytest.approx(
        sdc.fit_overlap(FRAME, FRAME, formula="y ~ x + g").adjusted_r2
    )
    assert theirs.fittedvalues.mean() == pytest.approx(FRAME["y"].mean())
    assert theirs.pvalues.shape == (4,)


def test_levels_of_an_ordered_response_keep_their_order_where_the_original_lacks_one() -> None:
    some = FRAME[FRAME["level"] != "mid"]
    ours = sdc.fit_overlap(some, FRAME, formula="level ~ x + g", family="ordered")
    table, theirs = ours.coefficients["synthetic"], ours.results["synthetic"]
    np.testing.assert_allclose(theirs.params[:3], table[["x", "gb", "gc"]], rtol=1e-6)
    cuts = theirs.model.transform_threshold_params(theirs.params)[1:-1]
    np.testing.assert_allclose(cuts[[0, 2]], table[["low|mid", "high|top"]], rtol=1e-6)
