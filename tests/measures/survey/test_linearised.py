"""Design-based estimates against R's survey package, and simulated coverage."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics import survey_overlap, weighted_compare, weighted_tables
from sdcmetrics.errors import ColumnError, NotComputable, StudyError
from sdcmetrics.measures.survey.design import SurveyDesign, read_design
from sdcmetrics.measures.survey.linearised import (
    NO_VARIANCE,
    first_order_p,
    quantile,
    second_order_p,
    share_variances,
    shares,
)
from sdcmetrics.microdata.frames import as_microdata
from tests.demo import answers, demo

DESIGNS: dict[str, dict[str, str]] = {
    "weights": {},
    "strata": {"strata": "st"},
    "cluster": {"cluster": "cl"},
    "strata_cluster": {"strata": "st", "cluster": "cl"},
}


def designed() -> pd.DataFrame:
    """Return the demo's original with the recorded weights, strata and clusters."""
    file = demo()
    i = np.arange(len(file))
    return file.assign(w=5 + 10 * (i % 7), st=i % 5, cl=i // 6)


def clustered(rng: np.random.Generator, clusters: int = 40) -> pd.DataFrame:
    """Draw two strata of clusters whose people are alike, one stratum sampled more."""
    parts = []
    for stratum, weight in ((0, 5.0), (1, 20.0)):
        effect = rng.normal(0.6 * stratum, 1.0, clusters)
        y = (effect[:, None] + rng.normal(size=(clusters, 6))).ravel()
        parts.append(
            pd.DataFrame(
                {"y": y, "st": stratum, "cl": np.repeat(np.arange(clusters), 6), "w": weight}
            )
        )
    file = pd.concat(parts, ignore_index=True)
    return file.assign(x=np.digitize(file["y"], [-0.5, 0.5, 1.5]))


def fresh(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw people of the same population one by one."""
    stratum = rng.random(n) < 20 / 25
    y = 0.6 * stratum + rng.normal(0, np.hypot(1.0, 1.0), n)
    return pd.DataFrame({"y": y, "x": np.digitize(y, [-0.5, 0.5, 1.5])})


def test_intervals_hold_and_fresh_data_are_rejected_in_five_of_a_hundred() -> None:
    rng = np.random.default_rng(1)
    held, p, naive = 0, [], []
    for _ in range(120):
        sample = clustered(rng)
        design = {"weight": "w", "strata": "st", "cluster": "cl"}
        row = weighted_tables(sample, fresh(rng, 1_920), variables=["x"], **design).table.loc["x"]
        p.append(row["p"])
        naive.append(row["p_unweighted"])
        mean = weighted_compare(sample, fresh(rng, 50), variables=["y"], **design).table.iloc[0]
        held += mean["lower"] <= 0.48 <= mean["upper"]
    # 95 % and 5 % of 120, and what a binomial allows in one of a thousand
    assert 106 <= held <= 119
    assert 1 <= (np.array(p) <= 0.05).sum() <= 14
    assert (np.array(naive) <= 0.05).sum() > 24


def test_a_simple_sample_has_no_design_effect() -> None:
    rng = np.random.default_rng(2)
    sample = pd.DataFrame({"x": rng.integers(0, 4, 5_000)})
    row = weighted_tables(sample, sample.sample(frac=1.0, random_state=1)).table.loc["x"]
    assert row["design_effect"] == pytest.approx(1.0, abs=1e-3)
    assert row["S_VW_fresh"] == pytest.approx(2.0, abs=1e-3)
    assert row["TVD"] < 1e-12
    assert row["p"] > 0.999


def test_variances_alone_are_the_diagonal() -> None:
    file = clustered(np.random.default_rng(3))
    design = read_design(as_microdata(file, "file"), weight="w", strata="st", cluster="cl")
    cells = file["x"].to_numpy()
    share, covariance = shares(cells, 4, design)
    other, variance = share_variances(cells, 4, design)
    np.testing.assert_allclose(share, other)
    np.testing.assert_allclose(np.diagonal(covariance), variance, rtol=1e-10)
    np.testing.assert_allclose(covariance.sum(axis=0), 0.0, atol=1e-15)


def test_records_that_miss_the_outcome_stay_in_the_design() -> None:
    file = clustered(np.random.default_rng(4))
    gone = file.assign(y=file["y"].where(file["cl"] != 0))
    result = survey_overlap(gone, gone, formula="y ~ 1", weight="w", strata="st", cluster="cl")
    assert result.degrees_of_freedom == 78
    mean = weighted_compare(gone, gone, weight="w", strata="st", cluster="cl", variables=["y"])
    row = result.coefficients.iloc[0]
    assert row["original"] == pytest.approx(mean.table.loc[0, "original"])
    assert row["se_original"] == pytest.approx(mean.table.loc[0, "se_original"])


def test_designs_that_cannot_be_are_refused() -> None:
    file = clustered(np.random.default_rng(5))
    single = file.assign(st=np.where(np.arange(len(file)) < 3, 9, file["st"]))
    with pytest.raises(StudyError, match="1 stratum has a single cluster"):
        weighted_tables(single, single, strata="st", cluster="cl", weight="w")
    holes = file.assign(st=file["st"].where(file.index != 4))
    with pytest.raises(ColumnError, match="1 record without a value"):
        weighted_tables(holes, file, strata="st")
    with pytest.raises(StudyError, match="against"):
        weighted_tables(file, file, against="elsewhere")  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="no design-based errors"):
        survey_overlap(file, file, formula="x ~ y", family="ordered")


def test_a_model_of_one_value_has_no_errors() -> None:
    file = clustered(np.random.default_rng(5)).assign(one=1.0)
    with pytest.raises(NotComputable, match="has one value of the response"):
        survey_overlap(file, file, formula="one ~ y", weight="w")


def test_columns_of_tables_are_named() -> None:
    file = clustered(np.random.default_rng(5))[["x", "y"]]
    names = weighted_tables(file, file, ways=2).table.index.names
    assert names == ["variable_1", "variable_2"]


def test_roles_are_in_no_table_unless_named() -> None:
    file = clustered(np.random.default_rng(6))
    result = weighted_tables(file, file, weight="w", strata="st", cluster="cl")
    assert result.table.index.tolist() == ["y", "x"]
    named = weighted_tables(file, file, weight="w", strata="st", variables=["st", "x"])
    assert named.table.index.tolist() == ["st", "x"]
    assert "a cluster of its own" in result.fixes[-1]


class TestSurveyOfR:
    @pytest.mark.parametrize("name", DESIGNS)
    def test_means_quantiles_and_shares(self, name: str) -> None:
        recorded = answers("survey")
        wanted = recorded["designs"][name]
        file = designed()
        result = weighted_compare(file, file, weight="w", **DESIGNS[name])
        assert result.degrees_of_freedom == wanted["degf"]
        assert result.kish == pytest.approx(recorded["kish_deff"], rel=1e-12)
        rows = result.table.set_index(["variable", "statistic"])
        for variable, item in wanted["mean"].items():
            row = rows.loc[(variable, "mean")]
            assert row["original"] == pytest.approx(item["mean"], rel=1e-12)
            assert row["se_original"] == pytest.approx(item["se"], rel=1e-10)
        for variable, levels in wanted["share"].items():
            for level, share, error in levels:
                row = rows.loc[(variable, level)]
                assert row["original"] == pytest.approx(share, rel=1e-12)
                assert row["se_original"] == pytest.approx(error, rel=1e-10)
        for variable, quantiles in wanted["quantile"].items():
            for p, *expected in quantiles:
                row = rows.loc[(variable, f"quantile {p:g}")]
                assert [row["original"], row["lower"], row["upper"]] == expected

    @pytest.mark.parametrize("name", DESIGNS)
    def test_two_samples(self, name: str) -> None:
        two_samples = answers("survey")["two samples"]
        original, replica = designed(), demo("cart_1")
        for table in ("educ_x_vote", "PID_x_vote", "selfLR_x_educ", "vote", "educ"):
            wanted = two_samples[table][name]
            result = weighted_tables(
                original, replica, weight="w", tables=[table.split("_x_")], **DESIGNS[name]
            ).table.iloc[0]
            for ours, theirs in (
                ("cells", "cells_used"),
                ("df", "df"),
                ("VW", "VW"),
                ("design_effect", "delta_O"),
                ("S_VW_corrected", "S_VW_corrected_independent_draw"),
                ("p_unweighted", "p_naive"),
                ("p_first_order", "p_first_order"),
                ("p", "p_second_order"),
            ):
                assert result[ours] == pytest.approx(wanted[theirs], rel=1e-10), (table, ours)

    @pytest.mark.parametrize("name", DESIGNS)
    @pytest.mark.parametrize("family", ["gaussian", "binomial"])
    def test_models(self, name: str, family: str) -> None:
        designs = answers("survey")["designs"]
        wanted: dict[str, Any] = designs[name][f"svyglm_{family}"]
        levels = [level for level, *_ in designs["weights"]["share"]["educ"]]
        file = designed()
        file["educ"] = pd.Categorical(file["educ"], categories=levels)
        formula = wanted["formula"].replace("vote2", "vote")
        result = survey_overlap(
            file, file, formula=formula, family=family, weight="w", **DESIGNS[name]
        ).coefficients
        np.testing.assert_allclose(result["original"], wanted["estimate"], rtol=1e-9)
        np.testing.assert_allclose(result["se_original"], wanted["se"], rtol=1e-9)


LONELY = pd.DataFrame(
    {
        "y": [3.0, 5, 4, 8, 9, 2, 7, 6, 1, 10],
        "x": list("ababaabbab"),
        "w": np.arange(2.0, 12.0),
        "st": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3],
        "cl": [1, 1, 2, 2, 1, 1, 2, 2, 1, 1],
    }
)
"""The third stratum has one cluster."""
RECORDED = {  # by R's survey 4.1-1: SE of svymean(~y) and of a share of x, SEs of svyglm(y ~ x)
    "remove": (0.344093906114192, 0.227479756614692, 0.806183115338883, 0.296254472881027),
    "certainty": (0.344093906114192, 0.227479756614692, 0.806183115338883, 0.296254472881027),
    "average": (0.421427246790455, 0.278604665259251, 0.987368635913791, 0.362836146287857),
    "adjust": (0.344551492874292, 0.22768664879976, 1.16733057361994, 1.59346543016549),
}


@pytest.mark.parametrize("lonely", RECORDED)
def test_a_stratum_of_one_cluster_adds_what_it_adds_in_r(lonely: str) -> None:
    mean, share, intercept, slope = RECORDED[lonely]
    design: Any = {"weight": "w", "strata": "st", "cluster": "cl", "lonely": lonely}
    replica = LONELY[["x", "y"]]
    rows = weighted_compare(LONELY, replica, **design).table.set_index(["variable", "statistic"])
    assert rows.loc[("y", "mean"), "se_original"] == pytest.approx(mean, rel=1e-9)
    assert rows.loc[("x", "a"), "se_original"] == pytest.approx(share, rel=1e-9)
    fit = survey_overlap(LONELY, replica, formula="y ~ x", **design)
    errors = fit.coefficients["se_original"].tolist()
    assert errors == pytest.approx([intercept, slope], rel=1e-7)
    assert fit.degrees_of_freedom == 2
    read = read_design(as_microdata(LONELY, "o"), **design)
    cells = LONELY["y"].to_numpy(np.int64) - 1
    assert share_variances(cells, 10, read)[1] == pytest.approx(np.diag(shares(cells, 10, read)[1]))


ABSENT = pd.concat([
    LONELY,
    pd.DataFrame({
        "y": np.nan, "x": list("abab"), "w": np.arange(12.0, 16), "st": [4, 4, 5, 5],
        "cl": [1, 1, 1, 2],
    }),
])  # fmt: skip
"""Nobody of two more strata, one of them of one cluster, was asked for y."""
MEDIANS = {"average": (3, 9), "adjust": (4, 9), "remove": (4, 9)}  # R's survey 4.1-1: intervals


@pytest.mark.parametrize("lonely", MEDIANS)
def test_strata_without_a_value_add_nothing_as_in_r(lonely: str) -> None:
    mean, _, intercept, slope = RECORDED[lonely]  # the same: svymean(na.rm = TRUE), svyglm
    design: Any = {"weight": "w", "strata": "st", "cluster": "cl", "lonely": lonely}
    replica = LONELY[["x", "y"]]
    rows = weighted_compare(ABSENT, replica, **design).table.set_index(["variable", "statistic"])
    row = rows.loc[("y", "mean")]
    assert row["se_original"] == pytest.approx(mean, rel=1e-9)
    assert row["upper"] - row["original"] == pytest.approx(mean * stats.t.ppf(0.975, 2), rel=1e-9)
    median = rows.loc[("y", "quantile 0.5")]
    assert (median["original"], median["lower"], median["upper"]) == (6, *MEDIANS[lonely])
    fit = survey_overlap(ABSENT, replica, formula="y ~ x", **design)
    errors = fit.coefficients["se_original"].tolist()
    assert errors == pytest.approx([intercept, slope], rel=1e-7)


def test_a_model_with_missing_values_takes_the_last_step_of_r() -> None:
    file = pd.DataFrame({
        "b": [0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1],
        "x": [*range(1, 10), np.nan, np.nan, np.nan],
        "w": [*range(1, 10), 50, 60, 70],
    })  # fmt: skip
    fit = survey_overlap(file, file[["b", "x"]], formula="b ~ x", family="binomial", weight="w")
    of_svyglm = [
        -0.06979532676837961,
        0.07544830243710561,
        1.74356851863524898,
        0.29994959809589822,
    ]
    both = fit.coefficients[["original", "se_original"]].to_numpy().T.ravel()
    assert both == pytest.approx(of_svyglm, rel=1e-10)


def test_a_p_of_numbers_has_the_freedom_of_the_clusters_that_have_some() -> None:
    given: Any = {"weight": "w", "strata": "st", "cluster": "cl", "lonely": "adjust"}
    study = sdc.Study(
        ABSENT,
        {"made": ABSENT.assign(y=[*range(10), 4, 5, np.nan, np.nan])[["x", "y"]]},
        keys=["x"],
        variables=["x", "y"],
        sample=given,
        ways=(1,),
    )
    rows = sdc.conduct(study).mean_rows().set_index(["metric", "variables"])["value"]
    for name, freedom in (("y", 2), ("x", 3)):
        z = rows["compare_z", (name,)]
        assert rows["compare_p", (name,)] == pytest.approx(2 * stats.t.sf(z, freedom))


def test_the_smallest_value_is_each_quantile_below_its_own_weight() -> None:
    values, weights = np.array([1.0, 2, 3, 4]), np.array([10.0, 1, 1, 1])
    ranks = np.arange(4)
    design = SurveyDesign(weights, np.zeros(4, dtype=np.int64), ranks)
    wanted = {0.1: 1, 0.5: 1, 0.76: 1, 0.77: 2, 0.9: 3}  # survey 4.1-1 answers 2 from 0.1 on
    assert {p: quantile(values, p, design)[0] for p in wanted} == wanted


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ({"strata": "st", "cluster": "cl"}, "column 'st': 1 stratum has a single cluster"),
        ({"strata": "w"}, "column 'w': every stratum has a single record"),
        ({"strata": "w", "lonely": "average"}, "every stratum has a single record"),
        ({"cluster": "one"}, "column 'one': expected several clusters but got one"),
        ({"strata": "st", "lonely": "averge"}, "Did you mean 'average'"),
    ],
)
def test_a_single_cluster_is_refused_in_words(design: dict[str, str], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        read_design(as_microdata(LONELY.assign(one=1), "original"), **design)


def test_a_file_of_one_record_is_refused_without_a_column() -> None:
    file = as_microdata(LONELY.head(1), "original")
    with pytest.raises(StudyError, match=r"^original: expected several records"):
        read_design(file, weight="w")


def test_an_interval_of_a_quantile_has_no_end_beyond_the_sample() -> None:
    file = pd.DataFrame({"x": np.exp(np.random.default_rng(1).normal(size=12)), "w": 1.0})
    result = weighted_compare(file, file, weight="w")
    rows = result.table.set_index("statistic")
    assert rows.loc["quantile 0.5", ["lower", "upper"]].notna().all()
    assert np.isnan(rows.loc["quantile 0.9", "upper"])


def test_where_nothing_varies_any_difference_is_none_of_chance() -> None:
    for p in (partial(first_order_p, df=3.0), partial(second_order_p, second=1.0, freedom=9.0)):
        statistics = [0.0, NO_VARIANCE, 2 * NO_VARIANCE, 1.0]
        assert [p(statistic, first=NO_VARIANCE) for statistic in statistics] == [1, 1, 0, 0]
        assert 0 < p(1.0, first=2.0) < 1
