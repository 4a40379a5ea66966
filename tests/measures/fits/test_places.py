"""Models as a study has them: those of the functions, by synthesis and as a whole, or a reason."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.fits import places, sampled
from sdcmetrics.measures.kind import Given, Kind
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.registry import MEASURES
from tests.study.test_sample import ROLES, study, survey


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x, g = rng.normal(size=n), rng.choice(list("abc"), n)
    y = x + (g == "b") + rng.normal(size=n)
    return pd.DataFrame({"y": y, "x": x, "g": g, "ill": rng.random(n) < 1 / (1 + np.exp(-x))})


ORIGINAL, FILES = people(90, 1), [people(80, 2), people(70, 3)]
MODELS = [{"formula": "y ~ x + g"}, {"formula": "ill ~ x", "family": "binomial"}]


def given(kind: Kind, m: int = 2, **asked: Any) -> list[Given]:
    plan = sdc.Study(ORIGINAL, {"r": FILES[:m]}, keys=["g"], **{"models": MODELS, **asked})
    pair = Pair("r", plan.original, plan.replicas["r"])
    return list(kind.places(pair, plan, lambda _: None))


def value(symbol: str, evidence: object) -> float:
    return float(MEASURES[symbol].function(evidence))


def assert_same(evidence: Any, fit: sdc.FitOverlap) -> None:
    table = fit.coefficients
    assert value("CIO", evidence) == pytest.approx(table["CIO"].mean())
    assert value("CIO_truncated", evidence) == pytest.approx(table["CIO_truncated"].mean())
    assert value("Karr", evidence) == pytest.approx(table["Karr"].mean())
    assert value("std_diff", evidence) == pytest.approx(table["std_diff"].abs().mean())
    assert fit.lack_of_fit is not None
    assert value("lack_of_fit", evidence) == pytest.approx(fit.lack_of_fit.ratio)


@pytest.mark.parametrize("m", [1, 2])
def test_every_model_is_that_of_the_function_whole_and_by_synthesis(m: int) -> None:
    gaussian, binomial = given(places.FIT, m)
    assert [gaussian.places[0].target, binomial.places[0].target] == ["y", "ill"]
    assert gaussian.leaves_out == {"adj_pseudo_R2"}
    assert binomial.leaves_out == {"adj_R2"}
    for place, model in ((gaussian, MODELS[0]), (binomial, MODELS[1])):
        whole = sdc.fit_overlap(ORIGINAL, FILES[:m], **model)
        assert_same(place.whole, whole)
        assert len(place.each) == (0 if m == 1 else 2)
        ratios = whole.lack_of_fit_per_synthesis["ratio"]
        for evidence, file, ratio in zip(place.each, FILES, ratios, strict=False):
            alone = sdc.fit_overlap(ORIGINAL, file, **model)
            assert value("CIO", evidence) == pytest.approx(alone.coefficients["CIO"].mean())
            assert value("lack_of_fit", evidence) == pytest.approx(ratio)
        kept: Any = place.whole
        assert kept.adjusted_r2 == pytest.approx(whole.adjusted_r2)


def test_what_cannot_be_fitted_says_why() -> None:
    (text,) = given(places.FIT, models=[{"formula": "g ~ x"}])
    assert (text.each, text.whole) == ((), None)
    assert text.reason
    assert text.leaves_out == {"adj_pseudo_R2"}


def test_a_fit_that_does_not_converge_has_no_values_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fit = sdc.fit_overlap(ORIGINAL, FILES, formula="y ~ x")
    failed = replace(fit, problems=("levels are few", "the fit did not converge"))
    monkeypatch.setattr(places, "harmonised_overlap", lambda *_, **__: failed)
    (place,) = given(places.FIT, models=MODELS[:1])
    assert (place.each, place.reason) == ((), "the fit did not converge")
    fitted = replace(fit, lack_of_fit=None)
    monkeypatch.setattr(places, "harmonised_overlap", lambda *_, **__: fitted)
    (place,) = given(places.FIT, models=MODELS[:1])
    assert math.isnan(place.whole.lack_of_fit)  # type: ignore[attr-defined]
    assert place.reason == ""


def test_models_are_fitted_once_and_none_is_asked_for_where_there_is_none() -> None:
    assert given(places.FIT, models=[]) == []
    assert given(places.FITS, models=[]) == []
    (place,) = given(places.FITS)
    whole: Any = place.whole
    assert [fit.family for fit in whole] == ["gaussian", "binomial"]


def test_means_are_those_of_the_function_and_text_has_none() -> None:
    (place,) = given(places.MEANS)
    expected = sdc.mean_ci_overlap(ORIGINAL, FILES)
    whole: Any = place.whole
    pd.testing.assert_frame_equal(whole.by_variable, expected.by_variable)
    (named,) = given(places.MEANS, variables=["x", "g"])
    only: Any = named.whole
    assert only.by_variable.index.tolist() == ["x"]
    (none,) = given(places.MEANS, variables=["g"])
    assert none.whole is None
    assert none.reason.startswith("no column is numeric")


@pytest.mark.parametrize("weighted", [False, True])
def test_models_of_a_sample_are_those_of_the_function(*, weighted: bool) -> None:
    files = [survey(2), survey(3)]
    if not weighted:
        files = [file.drop(columns=list(ROLES.values())) for file in files]
    plan = study(files, models=["age ~ sex"])
    pair = Pair("one", plan.original, plan.replicas["one"])
    (place,) = sampled.SAMPLED_FIT.places(pair, plan, lambda _: None)
    assert (place.places[0].target, place.places[0].model) == ("age", "age ~ sex")
    own = {"synthetic_weight": "w"} if weighted else {}
    design: Any = {"weight": "w", "strata": "st", "cluster": "cl", **own}
    for file, evidence in zip(files, place.each, strict=True):
        expected = sdc.survey_overlap(survey(), file, formula="age ~ sex", **design)
        assert value("CIO_survey", evidence) == pytest.approx(expected.mean_overlap)
        assert value("std_diff_survey", evidence) == pytest.approx(expected.mean_abs_z)


def test_a_study_of_no_sample_has_no_weighted_model_and_wrong_weights_are_the_reason() -> None:
    for asked, reason in (
        ({"sample": None}, None),
        ({"replica": survey(2).assign(w=-1.0)}, "are negative"),
    ):
        plan = study(models=["age ~ sex"], **asked)
        pair = Pair("one", plan.original, plan.replicas["one"])
        result = list(sampled.SAMPLED_FIT.places(pair, plan, lambda _: None))
        assert len(result) == (reason is not None)
        for place in result:
            assert place.each == ()
            assert str(reason) in place.reason
