"""Analyses equal R's survey, survival and lme4, as recorded by r/record_analyses.R."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.measures.analyses.estimates import Records
from sdcmetrics.measures.analyses.mixed import fit_mixed
from sdcmetrics.measures.analyses.survival import Curve, kaplan_meier, survival_median
from sdcmetrics.measures.survey.design import simple_design
from tests.versions import EXACT_TAILS

ANSWERS = json.loads(
    (Path(__file__).parents[2] / "reference" / "analyses.json").read_text(encoding="utf-8")
)
PEOPLE = pd.DataFrame(ANSWERS["people"])
SCHOOLS = pd.DataFrame(ANSWERS["schools"])
DESIGNS: dict[str, dict[str, Any]] = {
    "sampled": {"weight": "weight", "strata": "region", "cluster": "home"},
    "simple": {},
}
SURVEYED: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "mean": ("mean", "income", {}),
    "total": ("total", "income", {}),
    "share": ("share", "work", {}),
    "ratio": ("ratio", ["wage", "income"], {}),
    "quantile": ("quantile", "income", {"at": [0.1, 0.5, 0.9]}),
    "difference": ("difference", ["income", "sex"], {}),
    "table": ("table", ["sex", "work"], {}),
    "mean_by": ("mean", "income", {"by": "region"}),
    "median_by": ("quantile", "income", {"at": [0.5], "by": "region"}),
}


def estimates(statistic: str, variables: Any = (), **entries: Any) -> pd.DataFrame:
    data = SCHOOLS if "group" in entries else PEOPLE
    return sdc.analysis(data, data, statistic, variables, **entries).estimates


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """In the order of R, which sorts levels."""
    return frame.sort_index(key=lambda index: index.str.replace(" = ", "", regex=False))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", SURVEYED)
def test_estimates_and_errors_are_those_of_survey(name: str, design: str) -> None:
    statistic, variables, entries = SURVEYED[name]
    answer = ANSWERS["survey"][design][name]
    frame = estimates(statistic, variables, **entries, **DESIGNS[design])
    frame = frame if statistic == "quantile" and "by" not in entries else in_order(frame)
    sign = -1 if str(frame.index[0]) == "f - m" else 1  # R's contrast is m - f
    np.testing.assert_allclose(sign * frame["original"], answer["value"], rtol=1e-12)
    np.testing.assert_allclose(
        frame["se_original"], answer["error"], rtol=1e-11 if EXACT_TAILS else 1e-8
    )
    if "lower" in answer:
        np.testing.assert_allclose(frame["lower_original"], answer["lower"])
        np.testing.assert_allclose(frame["upper_original"], answer["upper"])


def test_survival_is_that_of_survfit() -> None:
    answer = ANSWERS["survival"]
    frame = estimates("survival_curve", "time", event="died", at=answer["at"])
    np.testing.assert_allclose(frame["original"], answer["curve"]["value"], rtol=1e-12)
    np.testing.assert_allclose(frame["se_original"], answer["curve"]["error"], rtol=1e-12)


def test_median_times_and_their_limits_are_those_of_survfit() -> None:
    answer = ANSWERS["survival"]["median"]
    frame = estimates("survival_median", "time", event="died", by="sex").sort_index()
    for column, name in (("original", "value"), ("lower_original", "lower")):
        assert frame[column].tolist() == answer[name]
    assert frame["upper_original"].tolist() == answer["upper"]
    reach = 2 * stats.norm.ppf(0.975) * frame["se_original"]  # as wide as the limits are apart
    np.testing.assert_allclose(reach, np.subtract(answer["upper"], answer["lower"]))


@pytest.mark.parametrize(
    ("times", "died", "median"),
    [
        ([1, 2, 3], [1, 1, 1], 2.0),
        ([1, 2, 3, 4], [1, 1, 1, 1], 2.5),  # one half from 2 to 3: the middle, as survfit has it
        ([1, 2, 3, 5, 9], [1, 0, 1, 1, 1], 5.0),  # 4/5, 8/15, 4/15: at 5 less than half are left
        ([1, 1, 2, 7], [1, 1, 1, 1], 1.5),
        ([1, 2, 3, 4], [1, 1, 0, 0], 2.0),  # as nobody is observed later, where it is one half
        ([*range(34)], [1] * 34, 16.5),  # of doubles the product is less than a half
        ([*range(38)], [1] * 38, 18.5),  # and here more
    ],
)
def test_median_times_by_hand(times: list[int], died: list[int], median: float) -> None:
    for designed in (False, True):
        data = records_of(times, designed=designed)
        curve = kaplan_meier(data, np.ones(data.n, dtype=np.bool_), "t", np.array(died) == 1)
        assert curve.median()[0] == pytest.approx(median)


def records_of(times: Sequence[float], *, designed: bool = False) -> Records:
    columns = {"t": np.array(times, float)}
    return Records("o", columns, simple_design(len(times)), designed=designed)


def test_limits_of_a_median_as_survfit_has_them() -> None:
    # median, 0.95LCL and 0.95UCL of survfit(Surv(times, died) ~ 1) in survival 3.5-3
    for times, died, limits in (
        ([1, 2, 3, 5, 9], [1, 0, 1, 1, 1], [5.0, 3.0, math.nan]),  # nobody survives: no upper end
        (range(1, 13), [1] * 12, [6.5, 4.0, math.nan]),
        (range(1, 31), [1] * 30, [15.5, 11.0, 22.0]),
    ):
        data = records_of(times)
        row = survival_median(data, np.ones(data.n, dtype=np.bool_), "t", np.array(died) == 1)
        assert [row.value[0], row.lower[0], row.upper[0]] == pytest.approx(limits, nan_ok=True)


def test_missing_values_of_a_quantile_count_no_degrees_of_freedom() -> None:
    # with every second of 20 records missing the error is that of the other ten, as svyquantile's
    people = pd.DataFrame({"y": np.arange(20.0)}).assign(gap=lambda d: d["y"].where(d["y"] % 2 > 0))
    for design in ({}, {"weight": "w"}):
        data = people.assign(w=2.0)
        some = sdc.analysis(data, data, "quantile", "gap", at=[0.5], **design).estimates
        ten = data[data["gap"].notna()]
        other = sdc.analysis(ten, ten, "quantile", "gap", at=[0.5], **design).estimates
        pd.testing.assert_frame_equal(some, other, rtol=1e-12)


def test_a_curve_that_stays_at_one_half_or_above_it() -> None:
    def median(*heights: float) -> float:
        error = np.zeros(len(heights))
        return Curve(np.arange(1.0, 1 + len(heights)), np.array(heights), error).median()[0]

    assert median(0.75, 0.5) == 2.0  # for ever after
    assert median(0.75, 0.5, 0.5, 0.25) == 3.0
    assert median(0.75, 0.5 - 1e-15, 0.1) == 2.5  # one half, but for rounding
    assert median(0.4) == 1.0
    assert np.isnan(median(0.9, 0.6))


def test_the_error_of_a_median_time_is_that_of_a_large_sample() -> None:
    n = 4_000
    times = pd.DataFrame({"time": stats.expon.ppf((np.arange(n) + 0.5) / n), "died": 1})
    row = sdc.analysis(times, times, "survival_median", "time", event="died").estimates.iloc[0]
    # the root of a quarter of n, over the density of the median, which is one half
    assert row["original"] == pytest.approx(math.log(2), abs=1e-3)
    assert row["se_original"] == pytest.approx(1 / math.sqrt(n), rel=0.03)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize(("name", "design"), [("cox", "simple"), ("cox_sampled", "sampled")])
def test_hazard_ratios_are_those_of_coxph_and_svycoxph(name: str, design: str, ties: str) -> None:
    answer = ANSWERS["survival"][name][ties]
    frame = estimates("cox", formula="time ~ age + sex", event="died", ties=ties, **DESIGNS[design])
    sign = np.where(frame.index == "sexf", -1, 1)  # the first level of the data is the base
    np.testing.assert_allclose(sign * frame["original"], answer["value"], rtol=1e-7)
    np.testing.assert_allclose(frame["se_original"], answer["error"], rtol=1e-7)


def test_survival_of_a_weighted_sample_is_that_of_svykm() -> None:
    answer = ANSWERS["survival"]
    frame = estimates("survival_curve", "time", event="died", at=answer["at"], **DESIGNS["sampled"])
    # svykm multiplies exp(-hazard) where Kaplan and Meier multiply 1 - hazard
    survival = np.array(answer["curve_sampled"]["value"])
    np.testing.assert_allclose(frame["original"], survival, rtol=0.03)
    errors = survival * np.sqrt(answer["curve_sampled"]["varlog"])
    np.testing.assert_allclose(frame["se_original"], errors, rtol=0.03)


@pytest.mark.parametrize("name", ["intercept_reml", "intercept_ml", "slope_reml"])
def test_mixed_models_are_those_of_lme4(name: str) -> None:
    answer = ANSWERS["mixed"][name]
    slopes = ["ses"] if name.startswith("slope") else []
    entries = {"restricted": name.endswith("reml"), "slopes": slopes}
    formula = "score ~ ses + sex"
    frame = estimates("mixed_model", formula=formula, group="school", **entries)
    male = (SCHOOLS["sex"] == "m").astype(float)
    matrix = np.column_stack([np.ones(len(SCHOOLS)), SCHOOLS["ses"], male])
    fit = fit_mixed(
        matrix,
        SCHOOLS["score"].to_numpy(),
        SCHOOLS["school"].to_numpy(),
        matrix[:, : 1 + len(slopes)],
        restricted=bool(entries["restricted"]),
    )
    np.testing.assert_allclose(fit.coefficients, answer["value"], rtol=2e-6)
    np.testing.assert_allclose(fit.errors, answer["error"], rtol=2e-6)
    np.testing.assert_allclose(fit.variance, answer["variances"][-1], rtol=1e-5)
    assert fit.log_likelihood >= answer["log_likelihood"] - 1e-7
    slope = answer["value"][answer["terms"].index("ses")]
    np.testing.assert_allclose(frame.loc["ses", "original"], slope, rtol=2e-6)
