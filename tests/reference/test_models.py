"""Models, histogram breaks and compare() beside what R answered (r/record_models.R)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.microdata.pretty import pretty

RECORDED = json.loads((Path(__file__).parent / "models.json").read_text("utf-8"))


def frame(columns: dict[str, Any]) -> pd.DataFrame:
    out = {}
    for name, column in columns.items():
        values = column["values"]
        if "levels" in column:
            out[name] = pd.Series(pd.Categorical(values, categories=column["levels"]))
        elif set(values) <= {"TRUE", "FALSE"}:
            out[name] = pd.Series([value == "TRUE" for value in values])
        else:
            out[name] = pd.Series([np.nan if v == "NA" else float(v) for v in values])
    return pd.DataFrame(out)


ORIGINAL = frame(RECORDED["data"])
REPLICAS = [frame(columns) for columns in RECORDED["replicas"]]
FAMILIES = {"logit": "binomial", "log": "poisson"}


def numbers(texts: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.nan if t == "NA" else float(t) for t in np.ravel(texts)])


def assert_close(ours: Any, theirs: Any, rtol: float = 1e-9) -> None:
    np.testing.assert_allclose(np.asarray(ours, dtype=float), numbers(theirs), rtol, atol=1e-12)


def fit(recorded: dict[str, Any], family: str, **options: Any) -> sdc.FitOverlap:
    return sdc.fit_overlap(
        ORIGINAL, REPLICAS[0], formula=recorded["formula"], family=family, level=0.9, **options
    )


@pytest.mark.parametrize(
    "recorded", RECORDED["glms"], ids=lambda r: f"{r['family']} {r['formula']}"
)
def test_logistic_models_equal_glm(recorded: dict[str, Any]) -> None:
    family = FAMILIES.get(recorded["family"], recorded["family"])
    ours = fit(recorded, family)
    table = ours.coefficients.loc[recorded["terms"]]
    assert table.index.tolist() == ours.coefficients.index.tolist()
    assert_close(table["original"], recorded["coef"])
    assert_close(table["se_original"], recorded["se"])
    assert ours.fits["n"].iloc[0] == recorded["n"]
    full, null = numbers([recorded["log_likelihood"], recorded["null"]])
    slopes = ours.fits["coefficients"].iloc[0] - ("(Intercept)" in table.index)
    assert ours.adjusted_r2 == pytest.approx(1 - (full - slopes) / null, rel=1e-9)


def test_a_poisson_model_equals_glm() -> None:
    recorded = RECORDED["poisson"]
    table = fit(recorded, "poisson", missing_codes={"parity": -8}).coefficients
    assert table.index.tolist() == recorded["terms"]
    assert_close(table["original"], recorded["coef"])
    assert_close(table["se_original"], recorded["se"])


def test_a_polytomous_model_equals_multinom() -> None:
    recorded = RECORDED["multinomial"]
    table = fit(recorded, "multinomial").coefficients
    assert table.index.tolist() == [
        f"{row}:{term}" for row in recorded["rows"] for term in recorded["terms"]
    ]
    assert_close(table["original"], recorded["coef"], rtol=1e-6)
    assert_close(table["se_original"], recorded["se"], rtol=1e-6)


def test_an_ordered_model_equals_polr() -> None:
    recorded = RECORDED["ordered"]
    table = fit(recorded, "ordered").coefficients
    assert table.index.tolist() == recorded["terms"]
    # polr differentiates numerically, and stops a hair before the maximum
    apart = np.abs(table["original"] - numbers(recorded["coef"])) / table["se_original"]
    assert apart.max() < 1e-6
    assert_close(table["se_original"], recorded["se"], rtol=1e-4)


@pytest.mark.parametrize("family", ["multinomial", "ordered"])
def test_models_of_categories_equal_those_of_statsmodels(family: str) -> None:
    discrete = pytest.importorskip("statsmodels.discrete.discrete_model")
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    used = ORIGINAL.dropna(subset=["age"])
    age = used["age"].to_numpy()
    codes = used["education"].cat.codes.to_numpy()
    ours = sdc.fit_overlap(used, used, formula="education ~ age", family=family).coefficients
    if family == "multinomial":
        theirs = discrete.MNLogit(codes, np.column_stack([np.ones(len(age)), age]))
        fitted = theirs.fit(disp=0, tol=1e-12, method="newton", maxiter=100)
        np.testing.assert_allclose(ours["original"], np.asarray(fitted.params).T.ravel(), 1e-7)
        np.testing.assert_allclose(ours["se_original"], np.asarray(fitted.bse).T.ravel(), 1e-6)
    else:
        fitted = ordinal.OrderedModel(codes, age[:, None], distr="logit").fit(
            disp=0, method="bfgs", gtol=1e-6, maxiter=500
        )
        np.testing.assert_allclose(ours["original"].iloc[0], fitted.params[0], 1e-5)
        np.testing.assert_allclose(ours["original"].iloc[1], fitted.params[1], 1e-5)


@pytest.mark.parametrize("recorded", RECORDED["incomplete"], ids=["original", "population"])
def test_incomplete_synthesis_equals_synthpop(recorded: dict[str, Any]) -> None:
    partly = [replica.assign(parity=ORIGINAL["parity"]) for replica in REPLICAS]
    ours = sdc.fit_overlap(
        ORIGINAL,
        partly,
        formula="parity ~ large + case",
        population_inference=recorded["population.inference"],
        incomplete=True,
    )
    assert ours.coefficients.index.tolist() == recorded["terms"]
    assert_close(ours.coefficients["se_synthetic"], recorded["se"])
    assert_close(ours.coefficients["CIO"], recorded["overlap"])
    assert ours.lack_of_fit is not None
    assert ours.lack_of_fit.df2 == len(REPLICAS) - 3
    assert_close([ours.lack_of_fit.statistic], recorded["lack.of.fit"])
    assert_close([ours.lack_of_fit.p_value], recorded["p"])


OF_R = {"lm": "gaussian", "polr": "ordered", "multinom": "multinomial"}


@pytest.mark.parametrize(
    "recorded",
    RECORDED["summaries"],
    ids=lambda r: f"{r['fitting']} {r['formula']} m={r['m']} {r['population.inference']}",
)
def test_a_model_of_the_replica_alone_equals_summary(recorded: dict[str, Any]) -> None:
    kind = recorded["fitting"]
    family = OF_R.get(kind, "poisson" if recorded["formula"].startswith("age") else "binomial")
    # R's searches stop a hair before the maximum, and polr differentiates numerically
    near, wide = {"polr": (1e-3, 1e-4), "multinom": (1e-5, 1e-6)}.get(kind, (1e-9, 1e-9))
    ours = sdc.synthetic_fit(
        [replica[: recorded["rows"]] for replica in REPLICAS[: recorded["m"]]],
        formula=recorded["formula"],
        n_original=len(ORIGINAL),
        family=family,
        population_inference=recorded["population.inference"],
        proper=recorded["proper"],
        not_synthesised=recorded["aside"],
    )
    table = ours.coefficients
    assert ours.incomplete == bool(recorded["aside"])
    assert table.index.tolist() == recorded["terms"]
    assert_close(table["estimate"], recorded["estimate"], near)
    assert_close(table["se"], recorded["se"], wide)
    assert_close(table["z"], recorded["z"], near)
    assert_close(table["p_value"], recorded["p"], near)
    assert table["syntheses"].tolist() == [recorded["m"]] * len(table)
    for i, (estimates, variances) in enumerate(
        zip(recorded["each"], recorded["variances"], strict=True), start=1
    ):
        assert_close(ours.per_synthesis.loc[i, "estimate"], estimates, near)
        assert_close(ours.per_synthesis.loc[i, "se"] ** 2, variances, 2 * wide)


def test_incomplete_synthesis_with_few_syntheses_has_no_test_and_says_so() -> None:
    ours = sdc.fit_overlap(ORIGINAL, REPLICAS[:2], formula="parity ~ large + case", incomplete=True)
    assert ours.lack_of_fit is None
    assert any("needs more than 3" in problem for problem in ours.problems)


@pytest.mark.parametrize(
    "recorded", RECORDED["comparisons"], ids=lambda r: f"{r['stat']} m={r['m']}"
)
def test_compare_equals_synthpop(recorded: dict[str, Any]) -> None:
    ours = sdc.compare(
        ORIGINAL,
        REPLICAS[: recorded["m"]],
        stat=recorded["stat"],
        missing_codes={"parity": -8},
    )
    for name, table in recorded["tables"].items():
        rows = ours.of(name)
        theirs = [str(level).removeprefix("miss.") for level in table["levels"]]
        left_ends = [
            "NA" if level is None else level if np.isnan(low) else f"{low:.12g}"
            for level, low in zip(rows.index, rows["low"], strict=True)
        ]
        assert left_ends == theirs, name
        assert_close(rows["original"], table["observed"])
        assert_close(rows["synthetic"], table["synthetic"])
    assert ours.utility.index.tolist() == recorded["rows"]
    for row, theirs in zip(ours.utility.to_numpy(), recorded["utility"], strict=True):
        assert_close(row, theirs)


@pytest.mark.parametrize("recorded", RECORDED["pretty"], ids=lambda r: f"{r['low']} {r['high']}")
def test_pretty_equals_r(recorded: dict[str, Any]) -> None:
    ours = pretty(float(recorded["low"]), float(recorded["high"]), recorded["n"])
    theirs = numbers(recorded["breaks"])
    assert len(ours) == len(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-12 * abs(theirs[-1] - theirs[0]))
