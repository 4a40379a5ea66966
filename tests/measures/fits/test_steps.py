"""Steps of a backward elimination, and lacks of fit, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.fits.backward_elimination import _choose, _p_value, _Step
from sdcmetrics.measures.fits.coefficients import explained_by
from sdcmetrics.measures.fits.design import make_design
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.fits.overlap import _ill_conditioned
from sdcmetrics.measures.fits.weighted_overlap import weigh
from sdcmetrics.measures.pair import pair


def model(**of: Any) -> Any:
    return SimpleNamespace(**{"linear": True, "slopes": 2, "n": 25, **of})


def test_the_f_test_is_of_the_terms_that_were_left_out() -> None:
    larger = model(rank=5, log_likelihood=-10.0, residual_ratio=lambda _: 1.5)
    smaller = model(rank=3, log_likelihood=-12.0)
    # half more is left of 20 degrees of freedom, for two terms: 5
    assert _p_value(larger, smaller, "gaussian") == pytest.approx(stats.f.sf(5, 2, 20))
    assert _p_value(larger, smaller, "binomial") == pytest.approx(stats.chi2.sf(4, 2))
    assert _p_value(larger, model(rank=3, log_likelihood=-9.0), "poisson") == 1
    assert _p_value(larger, model(rank=5), "gaussian") == 1


@pytest.mark.parametrize(
    ("criterion", "values", "chosen"),
    [
        ("p", [0.3, 0.5, 0.2], 1),
        ("p", [0.05, 0.01, 0.02], None),
        ("p", [0.051, 0.01, 0.02], 0),
        ("aic", [10.0, 8.0, 9.0], 1),
        ("aic", [10.0, 9.5, 10.0], None),  # as good as it is
        ("adjusted_r2", [0.4, 0.6, 0.5], 1),
        ("adjusted_r2", [0.4, 0.5, 0.3], None),
    ],
)
def test_the_term_that_tells_least_goes_if_the_rest_is_better(
    criterion: str, values: list[float], chosen: int | None
) -> None:
    whole = model(aic=9.5, rank=1, r2=0.5, slopes=0, n=10**12)
    tried = [
        _Step(
            None,  # type: ignore[arg-type]
            None,  # type: ignore[arg-type]
            model(aic=value, rank=1, r2=value, slopes=0, n=10**12),
            value,
        )
        for value in values
    ]
    step = _choose(tried, whole, criterion, 0.05)
    assert step is (None if chosen is None else tried[chosen])


def line(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": 1 + 2 * x + rng.normal(size=n)})


def test_the_lack_of_fit_of_a_replica_of_another_size() -> None:
    original, replicas = line(80, 1), [line(40, 2), line(40, 3)]

    def fitted(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        design = np.column_stack([np.ones(len(frame)), frame["x"]])
        estimate, residual, *_ = np.linalg.lstsq(design, frame["y"], rcond=None)
        return estimate, residual[0] / (len(frame) - 2) * np.linalg.inv(design.T @ design)

    estimate, covariance = fitted(original)
    result = sdc.fit_overlap(original, replicas, formula="y ~ x")
    apart = [fitted(replica)[0] - estimate for replica in replicas]
    expected = [far @ np.linalg.solve(covariance * 80 / 40, far) for far in apart]
    assert result.lack_of_fit_per_synthesis["statistic"].tolist() == pytest.approx(expected)
    mean = (apart[0] + apart[1]) / 2
    assert result.lack_of_fit is not None
    assert result.lack_of_fit.statistic == pytest.approx(
        mean @ np.linalg.solve(covariance * 80 / (2 * 40), mean)
    )


@pytest.mark.parametrize(("slopes", "r2"), [(2, 1 - 0.5 * 25 / 23), (1, 1 - 0.5 * 24 / 23)])
def test_r2_is_adjusted_with_an_intercept_or_without(slopes: int, r2: float) -> None:
    assert explained_by(model(rank=2, slopes=slopes, r2=0.5)) == pytest.approx(r2)


def test_models_are_weighed_by_what_they_explain() -> None:
    frame = line(60, 1).assign(z=lambda f: f["y"] + line(60, 5)["y"], noise=line(60, 9)["x"])
    replica = line(50, 2).assign(z=lambda f: f["y"] + line(50, 6)["y"], noise=line(50, 8)["x"])
    fits = [sdc.fit_overlap(frame, replica, formula=text) for text in ("y ~ x", "z ~ x")]
    result = weigh([*fits, ("w ~ x", "gaussian", "it has no w")])
    r2 = np.array([fit.adjusted_r2 for fit in fits])
    weights = r2 / r2.sum()
    assert result.models.columns.tolist() == [
        "family", "mean_overlap", "mean_overlap_truncated", "adjusted_r2", "r2_kind", "weight",
        "contribution", "note",
    ]  # fmt: skip
    assert result.models["weight"].tolist() == pytest.approx([*weights, 0])
    assert result.value == pytest.approx(weights @ [fit.mean_overlap for fit in fits])
    assert result.value_truncated == pytest.approx(
        weights @ [fit.mean_overlap_truncated for fit in fits]
    )
    assert len(result.fits) == 2
    nothing = weigh([("w ~ x", "gaussian", "it has no w")])
    assert np.isnan([nothing.value, nothing.value_truncated]).all()


def test_levels_are_counted_with_those_that_nobody_has() -> None:
    original = pd.DataFrame({"y": [1.0, 2, 3, 4, 5, 6], "g": [*"aabbbb"], "h": [*"uvuuuu"]})
    replica = pd.DataFrame({"y": [1.0, 2, 3], "g": [*"abb"], "h": [*"uvu"]})
    data = pair(original, replica)

    def counts(text: str) -> tuple[int, ...]:
        return make_design(read_formula(text, ["y", "g", "h"]), data).level_counts

    assert counts("y ~ g") == (2, 4)
    assert counts("y ~ g + h") == (1, 2, 4, 5)
    assert counts("y ~ g:h") == (0, 1, 1, 4)  # b with v is nobody
    assert counts("y ~ g * h") == (0, 1, 1, 1, 2, 4, 4, 5)


@pytest.mark.parametrize(
    ("covariance", "ill"),
    [
        (np.zeros((0, 0)), False),
        (np.array([[np.inf, 0], [0, 1]]), False),
        (np.array([[1.0, 0], [0, 1e-3]]), False),
        (np.array([[1.0, 1], [1, 1]]), True),
    ],
)
def test_a_covariance_that_r_would_drop_a_direction_of(
    covariance: np.ndarray, *, ill: bool
) -> None:
    assert _ill_conditioned(covariance) is ill


def test_only_the_variables_that_are_named_are_compared() -> None:
    frame = line(30, 1)
    assert [*sdc.mean_ci_overlap(frame, frame, variables=["x"]).by_variable.index] == ["x"]
    assert [*sdc.mean_ci_overlap(frame, frame).by_variable.index] == ["x", "y"]


def test_two_incomplete_syntheses_have_errors_of_their_spread() -> None:
    files = [line(40, seed) for seed in (2, 3)]
    whole, part = (
        sdc.synthetic_fit(files, formula="y ~ x", incomplete=incomplete, population_inference=True)
        for incomplete in (False, True)
    )
    assert (whole.coefficients["se"] != part.coefficients["se"]).all()
    single = [
        sdc.synthetic_fit(
            files[0], formula="y ~ x", incomplete=incomplete, population_inference=True
        )
        for incomplete in (False, True)
    ]
    assert single[0].coefficients["se"].tolist() == single[1].coefficients["se"].tolist()


def test_weighted_models_of_several_replicas_by_hand() -> None:
    files = [
        line(n, seed).assign(w=np.arange(n) % 3 + 1.0) for n, seed in ((40, 1), (30, 2), (20, 3))
    ]

    def fitted(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        design = np.column_stack([np.ones(len(frame)), frame["x"]])
        weights, y, n = frame["w"].to_numpy(), frame["y"].to_numpy(), len(frame)
        bread = np.linalg.inv(design.T @ (design * weights[:, None]))
        estimate = bread @ design.T @ (weights * y)
        scores = design * (weights * (y - design @ estimate))[:, None] @ bread
        off = scores - scores.mean(axis=0)
        return estimate, np.sqrt(n / (n - 1) * (off**2).sum(axis=0))

    (own, error), *others = map(fitted, files)
    result = sdc.survey_overlap(
        files[0], files[1:], formula="y ~ x", weight="w", synthetic_weight="w"
    )
    table = result.coefficients
    assert table["original"].tolist() == pytest.approx(own)
    assert table["se_original"].tolist() == pytest.approx(error)
    assert table["synthetic"].tolist() == pytest.approx((others[0][0] + others[1][0]) / 2)
    assert table["se_synthetic"].tolist() == pytest.approx((others[0][1] + others[1][1]) / 2)
    z = [(estimate - own) / np.hypot(error, se) for estimate, se in others]
    assert table["z"].tolist() == pytest.approx((z[0] + z[1]) / 2)
    assert result.mean_abs_z == pytest.approx(np.abs((z[0] + z[1]) / 2).mean())
    assert result.degrees_of_freedom == 39


@pytest.mark.parametrize(("n", "enough"), [(2, False), (3, True)])
def test_a_weighted_model_needs_a_record_more_than_coefficients(n: int, *, enough: bool) -> None:
    frame, replica = (line(size, 1).assign(w=np.arange(size) + 1.0) for size in (n, 9))
    if enough:
        result = sdc.survey_overlap(frame, replica, formula="y ~ x", weight="w")
        assert np.isfinite(result.coefficients["se_original"]).all()
        return
    with pytest.raises(NotComputable, match="2 complete records, too few for the 2 coefficients"):
        sdc.survey_overlap(frame, replica, formula="y ~ x", weight="w")
    with pytest.raises(NotComputable, match="1 complete record, too few for the 1 coefficient of"):
        sdc.fit_overlap(frame[:1], replica, formula="y ~ x")
