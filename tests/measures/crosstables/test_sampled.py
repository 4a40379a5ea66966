"""What a study of a sample is given of its tables, columns and weights, place by place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics import check_weights, weighted_compare, weighted_tables
from sdcmetrics.measures.crosstables import sampled, sampled_weights
from sdcmetrics.measures.kind import Given, Kind
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.registry import MEASURES
from tests.study.test_sample import ROLES, study, survey

NAMES = ["sex", "age", "ill"]
DESIGN = {"weight": "w", "strata": "st", "cluster": "cl"}


def files(*, weighted: bool) -> list[pd.DataFrame]:
    both = [survey(2), survey(3)]
    return both if weighted else [file.drop(columns=list(ROLES.values())) for file in both]


def given(kind: Kind, replica: Any, **asked: Any) -> list[Given]:
    plan = study(replica, **asked)
    pair = Pair("one", plan.original, plan.replicas["one"])
    return list(kind.places(pair, plan, lambda _: None))


def of_table(symbol: str, row: object) -> float:
    return float(MEASURES[symbol].function(row))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("against", ["population", "original"])
def test_tables_are_those_of_every_synthesis(against: str, *, weighted: bool) -> None:
    replicas = files(weighted=weighted)
    sample = {**ROLES, "against": against}
    places = given(sampled.SAMPLED_TABLES, replicas, sample=sample, ways=(1, 2), variables=NAMES)
    where = [place.places[0].variables for place in places]
    assert where == [(n,) for n in NAMES] + [("sex", "age"), ("sex", "ill"), ("age", "ill")]
    own = {"synthetic_weight": "w"} if weighted else {}
    for i, file in enumerate(replicas):
        table: Any = weighted_tables(
            survey(), file, tables=where[:3], against=against, **DESIGN, **own
        ).table
        for place, name in zip(places, NAMES, strict=False):
            if name == "age":  # its groups are those of all syntheses
                continue
            row, expected = place.each[i], table.loc[name]
            for symbol, column in {
                "S_pMSE_survey": "S_VW_corrected",
                "S_pMSE_survey_p": "p",
                "TVD_survey": "TVD",
                "ROC_survey": "ROC",
                "design_effect": "design_effect",
            }.items():
                assert of_table(symbol, row) == pytest.approx(expected[column]), symbol
            assert place.references is not None
            measures = [MEASURES[s] for s in ("TVD_survey", "S_pMSE_survey", "ROC_survey")]
            beside = place.references(measures, i)
            fresh = 1.0 if against == "population" else expected["S_VW_fresh"]
            assert beside["TVD_survey"].fresh == pytest.approx(expected["TVD_expected"])
            assert beside["S_pMSE_survey"].fresh == pytest.approx(fresh)
            assert math.isnan(beside["ROC_survey"].fresh)


def test_of_very_many_cells_the_p_is_that_of_the_first_order() -> None:
    row = {"p": math.nan, "p_first_order": 0.25}
    assert of_table("S_pMSE_survey_p", row) == 0.25
    assert of_table("S_pMSE_survey_p", {**row, "p": 0.5}) == 0.5


def test_where_each_side_has_one_level_and_another_nothing_is_corrected() -> None:
    level = survey().assign(ill="yes")
    (place,) = given(
        sampled.SAMPLED_TABLES, survey(2).assign(ill="no"), original=level, variables=["ill"],
        keys=["ill"], targets=None, ways=(1,),
    )  # fmt: skip
    (row,) = place.each
    assert math.isnan(of_table("S_pMSE_survey", row))
    assert of_table("TVD_survey", row) == pytest.approx(1.0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [1, 2])
def test_means_and_shares_are_those_of_every_synthesis(m: int, *, weighted: bool) -> None:
    replicas = files(weighted=weighted)[:m]
    places = given(sampled.SAMPLED_COLUMNS, replicas, variables=NAMES)
    assert [place.places[0].variables for place in places] == [(name,) for name in NAMES]
    own = {"synthetic_weight": "w"} if weighted else {}
    clusters = len(survey().groupby(["st", "cl"]))
    for place, name in zip(places, NAMES, strict=True):
        together = weighted_compare(survey(), replicas, variables=[name], **DESIGN, **own).table
        assert isinstance(place.result, pd.DataFrame)
        pd.testing.assert_frame_equal(place.result, together)
        for file, each in zip(replicas, place.each, strict=True):
            expected = weighted_compare(survey(), file, variables=[name], **DESIGN, **own).table
            pd.testing.assert_frame_equal(each[0], expected)  # type: ignore[index]
            largest = np.nanmax(np.abs(expected["z"].to_numpy(float)))
            assert of_table("compare_z", each) == pytest.approx(largest)
            p = 2 * stats.t.sf(largest, clusters - 2)
            assert of_table("compare_p", each) == pytest.approx(p)  # one mean, or yes and no


@pytest.mark.parametrize(
    ("z", "largest", "tests"),
    [
        ([1.5], 1.5, 1),
        ([2.0, -2.0], 2.0, 1),
        ([0.5, -2.0, 1.0], 2.0, 3),
        ([np.nan, 2.0, -2.5, 1.0, 0.5], 2.5, 4),
        ([0.1, 0.1, 0.2], 0.2, 3),
    ],
)
def test_p_of_a_variable_is_for_as_many_levels(z: list[float], largest: float, tests: int) -> None:
    comparison = pd.DataFrame({"z": z}), 7
    assert sampled.largest_z(comparison) == largest
    p = min(1.0, tests * 2 * stats.t.sf(largest, 7))
    assert sampled.compare_p(comparison) == pytest.approx(p)


def test_what_never_varies_has_no_difference() -> None:
    assert math.isnan(sampled.largest_z((pd.DataFrame({"z": [np.nan]}), 7)))


KINDS = [sampled.SAMPLED_TABLES, sampled.SAMPLED_COLUMNS, sampled_weights.SAMPLED_WEIGHTS]


@pytest.mark.parametrize("kind", [*KINDS, sampled_weights.DEPENDENCE])
def test_a_study_of_no_sample_has_none(kind: Kind) -> None:
    assert given(kind, None, sample=None) == []


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_are_none_are_the_reason(kind: Kind) -> None:
    (place,) = given(kind, survey(2).assign(w=-1.0))
    assert "are negative" in place.reason
    assert place.each == ()


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_are_those_of_every_synthesis(*, weighted: bool) -> None:
    replicas = files(weighted=weighted)
    (place,) = given(sampled_weights.SAMPLED_WEIGHTS, replicas, ngroups=3)
    if not weighted:
        assert (place.each, place.reason) == ((), "the replica has no weights of its own")
        return
    assert place.reason == ""
    for file, result in zip(replicas, place.each, strict=True):
        check = check_weights(survey(), file, weight="w", variables=NAMES, ngroups=3)
        differences = check.margins["difference"].abs()
        assert of_table("weights_W1", result) == check.W1
        assert of_table("weights_total", result) == check.total_ratio
        assert of_table("weights_margin", result) == differences.max()
    assert given(sampled_weights.SAMPLED_WEIGHTS, None, sample={"household": "home"}) == []


def test_a_level_that_the_original_lacks_misses_no_margin() -> None:
    original = survey().assign(w=1.0)
    replica = original.assign(ill=original["ill"].where(original["age"] > 21, "perhaps"))
    (place,) = given(sampled_weights.SAMPLED_WEIGHTS, replica, original=original)
    counts = [frame["ill"].value_counts() for frame in (original, replica)]
    largest = (counts[1] / counts[0] - 1).abs()[["yes", "no"]].max()
    assert of_table("weights_margin", place.each[0]) == pytest.approx(largest)


@pytest.mark.parametrize(("share", "depends"), [(0.009, True), (0.011, False)])
def test_weights_depend_on_what_is_below_a_percent_over_all(
    share: float, monkeypatch: pytest.MonkeyPatch, *, depends: bool
) -> None:
    groups: list[list[int]] = []

    class Test:
        pvalue = share / 3

    def kruskal(*parts: Any) -> Any:
        groups.append([len(part) for part in parts])
        return Test

    monkeypatch.setattr(stats, "kruskal", kruskal)
    original = survey().assign(age=30)
    original.loc[:1, "age"] = 31
    original.loc[0, "ill"] = None
    (place,) = given(sampled_weights.DEPENDENCE, None, original=original)
    assert place.result == (tuple(NAMES) if depends else ())
    levels = [original[name].value_counts(dropna=False) for name in NAMES]
    assert [sorted(g) for g in groups] == [sorted(counts) for counts in levels]


def test_weights_that_are_equal_depend_on_nothing_and_others_may() -> None:
    file = survey().assign(w=lambda frame: np.where(frame["sex"] == "f", 1.0, 2.0))
    (place,) = given(sampled_weights.DEPENDENCE, None, original=file)
    assert place.result == ("sex",)
    (place,) = given(sampled_weights.DEPENDENCE, None, original=survey().assign(w=3.0))
    assert place.result == ()
    (place,) = given(sampled_weights.DEPENDENCE, None, original=file.assign(sex="f"))
    assert "sex" not in place.result  # type: ignore[operator]
