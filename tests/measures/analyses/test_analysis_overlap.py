"""Estimates side by side: overlap, differences, conclusions, several syntheses, own functions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, NotComputable, StudyError
from sdcmetrics.measures.analyses.analysis import NEEDS, Analyses, Analysis
from sdcmetrics.measures.analyses.own_function import load_function
from sdcmetrics.measures.section import read_section


def people(n: int, seed: int, shift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n)
    age = rng.integers(20, 80, n).astype(float)
    return pd.DataFrame(
        {
            "sex": sex,
            "age": age,
            "income": np.round(1000 + 20 * age + 300 * (sex == "m") + rng.normal(shift, 200, n)),
            "time": np.ceil(rng.exponential(30, n)),
            "died": rng.integers(0, 2, n).astype(float),
            "school": np.arange(n) % 20,
        }
    )


ORIGINAL = people(400, 1)
EVERY: dict[str, tuple[Any, dict[str, Any]]] = {
    "mean": ("income", {}),
    "total": ("income", {}),
    "share": ("sex", {}),
    "ratio": (["income", "age"], {}),
    "difference": (["income", "sex"], {}),
    "correlation": (["income", "age"], {}),
    "table": (["sex", "school"], {}),
    "quantile": ("income", {"at": [0.25, 0.5]}),
    "gini": ("income", {}),
    "poverty_threshold": ("income", {}),
    "poverty_rate": ("income", {"line": 0.8}),
    "s80_s20": ("income", {}),
    "lorenz": ("income", {"at": 0.4}),
    "survival_median": ("time", {"event": "died"}),
    "survival_curve": ("time", {"event": "died", "at": [10, 30]}),
    "cox": ((), {"formula": "time ~ age + sex", "event": "died"}),
    "mixed_model": ((), {"formula": "income ~ age", "group": "school"}),
}


def test_every_statistic_is_tried() -> None:
    assert {*EVERY, "function"} == {*NEEDS}


@pytest.mark.parametrize("statistic", EVERY)
def test_a_copy_overlaps_wholly(statistic: str) -> None:
    variables, entries = EVERY[statistic]
    result = sdc.analysis(ORIGINAL, ORIGINAL, statistic, variables, **entries)
    assert result.overlap == pytest.approx(1.0)
    assert math.isnan(result.same_conclusions) or result.same_conclusions == 1.0
    assert (result.estimates["se_original"] > 0).all()


OF_SEX = ("table", "share", "difference", "cox")


@pytest.mark.parametrize("statistic", [name for name in EVERY if name not in OF_SEX])
def test_groups_are_those_of_the_records_alone(statistic: str) -> None:
    variables, entries = EVERY[statistic]
    whole = sdc.analysis(ORIGINAL, ORIGINAL, statistic, variables, by="sex", **entries)
    women = ORIGINAL[ORIGINAL["sex"] == "f"]
    alone = sdc.analysis(women, women, statistic, variables, **entries)
    of_women = whole.estimates[whole.estimates.index.str.startswith("f: ")]
    np.testing.assert_allclose(of_women["original"], alone.estimates["original"], rtol=1e-6)
    if statistic == "total":  # how many there are of a group is a matter of the sample
        assert (of_women["se_original"] > 2 * alone.estimates["se_original"].to_numpy()).all()
        return
    # n / (n - 1) of all records, and not of the group's
    np.testing.assert_allclose(of_women["se_original"], alone.estimates["se_original"], rtol=0.01)


def test_overlap_by_hand() -> None:
    original = pd.DataFrame({"x": [0.0, 1, 2, 3, 4]})
    result = sdc.analysis(original, original + 1, "mean", "x")
    row = result.estimates.iloc[0]
    error = math.sqrt(2.5 / 5)
    assert row["se_original"] == pytest.approx(error)
    assert row["std_diff"] == pytest.approx(1 / error)
    assert row["CIO"] == pytest.approx(1 - 1 / (2 * 1.959963984540054 * error))
    assert row["Karr"] == pytest.approx(row["CIO"])


def test_several_syntheses_are_their_mean_and_each_by_itself() -> None:
    replicas = [people(400, 2), people(300, 3)]
    result = sdc.analysis(ORIGINAL, replicas, "mean", "income")
    each = [sdc.analysis(ORIGINAL, replica, "mean", "income").estimates for replica in replicas]
    for got, alone in zip(result.per_synthesis, each, strict=True):
        pd.testing.assert_frame_equal(got, alone)
    mean = np.mean([item["synthetic"].iloc[0] for item in each])
    assert result.estimates["synthetic"].iloc[0] == pytest.approx(mean)


def test_a_lost_effect_is_another_conclusion() -> None:
    shuffled = ORIGINAL.assign(sex=np.random.default_rng(4).permutation(ORIGINAL["sex"]))
    result = sdc.analysis(ORIGINAL, shuffled, "difference", ["income", "sex"])
    assert result.same_conclusions == 0.0


def test_people_who_were_not_in_the_original_overlap_by_seven_tenths() -> None:
    overlaps = [
        sdc.analysis(people(200, i), people(200, i + 500), "mean", "age").overlap
        for i in range(200)
    ]
    # 1 - E|N(0, 2)| / (2 * 1.96) = 0.712; its standard error over 200 draws is 0.015
    assert np.mean(overlaps) == pytest.approx(0.712, abs=0.05)


def test_missing_values_and_codes_are_left_out() -> None:
    original = pd.DataFrame({"x": [1.0, 2, 3, -9, None]})
    result = sdc.analysis(original, original, "mean", "x", missing_codes={"x": -9})
    assert result.estimates["original"].iloc[0] == 2.0


def test_a_level_that_the_replica_lacks_is_named() -> None:
    women = ORIGINAL[ORIGINAL["sex"] == "f"]
    result = sdc.analysis(ORIGINAL, women, "mean", "income", by="sex")
    assert result.problems == ("the replica has no estimate of: m: income",)
    assert result.estimates["CIO"].isna().sum() == 1


def test_a_function_of_the_user_is_given_data_and_weights() -> None:
    def weighted_mean(data: pd.DataFrame, weights: pd.Series) -> pd.DataFrame:
        value = np.average(data["income"], weights=weights)
        return pd.DataFrame({"estimate": [value], "se": [1.0]}, index=["mean"])

    weighted = ORIGINAL.assign(w=np.arange(400) + 1.0)
    result = sdc.analysis(weighted, ORIGINAL, weighted_mean, "income", weight="w")
    expected = np.average(weighted["income"], weights=weighted["w"])
    assert result.estimates.loc["mean", "original"] == pytest.approx(expected)
    assert result.name == "weighted_mean"


def fail(data: pd.DataFrame, weights: pd.Series) -> pd.DataFrame:
    value = f"secret {weights.iloc[0]} {data.iloc[0, 0]}"
    raise ValueError(value)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (fail, r"original: the function raised ValueError$"),
        (lambda *_: 3.0, "expected a frame with the columns estimate and se"),
        (
            lambda *_: pd.DataFrame({"estimate": ["a"], "se": [1.0]}),
            "expected numbers in the columns estimate and se",
        ),
        (
            lambda *_: pd.DataFrame({"estimate": [1, 1], "se": [1, 1]}, index=[0, 0]),
            "some terms are there twice",
        ),
    ],
)
def test_what_a_function_does_wrong_is_said_without_data(function: Any, message: str) -> None:
    with pytest.raises(NotComputable, match=message):
        sdc.analysis(ORIGINAL, ORIGINAL, function, "income")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"statistic": "mean", "variables": ["income", "age"]}, "expected the column of numbers"),
        ({"statistic": "quantile", "variables": "income"}, "needs the entry 'at'"),
        ({"statistic": "quantile", "variables": "income", "at": 2}, "expected shares from 0 to 1"),
        ({"statistic": "lorenz", "variables": "income", "at": 1.5}, "expected shares from 0 to 1"),
        ({"statistic": "lorenz", "variables": "income", "at": [0.5, 0.5]}, "each number once"),
        ({"statistic": "mean", "variables": "income", "at": 0.5}, "knows no entry 'at'"),
        ({"statistic": "table", "variables": "sex"}, "expected two or more columns"),
        ({"statistic": "cox", "event": "died"}, "needs the entry 'formula'"),
        ({"statistic": "cox", "event": "died", "formula": "t ~ age", "variables": "age"}, "none"),
        ({"statistic": "medain", "variables": "income"}, "expected 'mean'"),
    ],
)
def test_a_wrong_declaration_is_refused_with_its_remedy(
    entries: dict[str, Any], message: str
) -> None:
    with pytest.raises(StudyError, match=message):
        sdc.analysis(ORIGINAL, ORIGINAL, entries.pop("statistic"), **entries)


def test_a_column_that_is_none_is_named_with_its_neighbour() -> None:
    with pytest.raises(ColumnError, match=r"column 'incom' is not a column .* 'income'"):
        sdc.analysis(ORIGINAL, ORIGINAL, "mean", "incom")


@pytest.mark.parametrize(
    ("statistic", "variables", "entries", "message"),
    [
        ("mean", "sex", {}, "column 'sex': expected numbers but it holds categories"),
        (
            "mean",
            "income",
            {"by": "time"},
            "original, column 'time': .* 400 different numbers, of which at most 50 are groups",
        ),
        ("survival_median", "time", {"event": "age"}, "expected two values"),
        ("table", ["sex", "school", "died", "age"], {}, "groups"),
        ("correlation", ["income", "one"], {}, "constant"),
        ("gini", "zero", {}, "is not above 0"),
        ("ratio", ["income", "zero"], {}, "there is no ratio"),
        ("mixed_model", (), {"formula": "income ~ age", "group": "one"}, "several groups"),
        (
            "mixed_model",
            (),
            {"formula": "income ~ age", "group": "school", "slopes": ["time"]},
            "the slope 'time' is no numeric predictor of income ~ age",
        ),
    ],
)
def test_what_cannot_be_estimated_has_a_reason(
    statistic: str, variables: Any, entries: dict[str, Any], message: str
) -> None:
    data = ORIGINAL.assign(one=1.0, zero=0.0, time=np.arange(400.0))
    with pytest.raises(NotComputable, match=message):
        sdc.analysis(data, data, statistic, variables, **entries)


def test_no_median_where_fewer_than_half_have_the_event() -> None:
    rare = ORIGINAL.assign(died=(np.arange(400) == 0).astype(float))
    with pytest.raises(NotComputable, match="there is no median"):
        sdc.analysis(rare, rare, "survival_median", "time", event="died")


def test_a_mixed_model_of_a_sample_is_refused_and_not_fitted_without_weights() -> None:
    weighted = ORIGINAL.assign(w=2.0)
    with pytest.raises(NotComputable, match="no errors of a design"):
        sdc.analysis(
            weighted, ORIGINAL, "mixed_model", formula="income ~ age", group="school", weight="w"
        )


@pytest.mark.parametrize("weight", [2.0, 1e-4])
def test_equal_weights_are_the_errors_of_none_but_for_greenwood(weight: float) -> None:
    entries: dict[str, Any] = {"event": "died", "at": [10, 30]}
    plain = sdc.analysis(ORIGINAL, ORIGINAL, "survival_curve", "time", **entries).estimates
    weighted = ORIGINAL.assign(w=weight)
    sampled = sdc.analysis(weighted, ORIGINAL, "survival_curve", "time", weight="w", **entries)
    np.testing.assert_allclose(sampled.estimates["original"], plain["original"], rtol=1e-12)
    np.testing.assert_allclose(sampled.estimates["se_original"], plain["se_original"], rtol=0.05)


def test_a_curve_of_a_sample_ends_at_0_without_an_error_where_the_last_one_dies() -> None:
    frame = pd.DataFrame({"time": np.arange(1.0, 41.0), "died": 1, "w": 1.0})
    frame.loc[::4, "died"] = 0
    entries: dict[str, Any] = {"event": "died", "at": [20, 40], "weight": "w"}
    sampled = sdc.analysis(frame, frame, "survival_curve", "time", **entries).estimates
    assert sampled["original"].iloc[0] > 0.2
    assert sampled["original"].iloc[1] == pytest.approx(0, abs=1e-12)
    assert sampled["se_original"].iloc[0] > 0.01
    assert sampled["se_original"].iloc[1] == pytest.approx(0, abs=1e-12)


def test_two_analyses_of_one_name_are_refused() -> None:
    entry = {"name": "a", "statistic": "mean", "variables": "income"}
    section = read_section(Analyses, [entry, entry])
    assert section is not None
    from sdcmetrics.microdata.frames import as_microdata

    with pytest.raises(StudyError, match="declared twice"):
        section.check(as_microdata(ORIGINAL, "original"))
    two = read_section(Analyses, [entry, {**entry, "name": "b"}])
    assert two is not None
    two.check(as_microdata(ORIGINAL, "original"))


@pytest.mark.parametrize("where", ["a.py", ":estimates", "a.py:no name", ""])
def test_a_function_is_named_by_file_and_name(where: str) -> None:
    with pytest.raises(StudyError, match="expected a file and a name"):
        load_function(where)


def test_an_unknown_entry_names_those_there_are() -> None:
    with pytest.raises(StudyError, match=r"unknown entry 'variable'.*'variables'"):
        read_section(Analyses, [{"name": "a", "statistic": "mean", "variable": "x"}])


def test_the_file_of_a_function_is_found_beside_the_study(tmp_path: Path) -> None:
    declared = Analysis(name="a", statistic="function", variables="x", function="own.py:f")
    assert Analyses(each=(declared,)).within(tmp_path).code == {"a": tmp_path / "own.py"}


@pytest.mark.parametrize(
    ("outcome", "statistic", "entries", "message"),
    [
        ([-4711.0, 2.0, 3.0, 5.0] * 10, "cox", {"event": "died"}, "some are below 0"),
        ([0.0] * 40, "mixed_model", {"group": "area"}, "follows from the predictors"),
        ([5.0] * 40, "mixed_model", {"group": "area"}, "follows from the predictors"),
    ],
)
def test_a_model_that_cannot_be_is_told_in_words_without_a_value(
    outcome: list[float], statistic: str, entries: dict[str, str], message: str
) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"y": outcome, "x": rng.normal(size=40), "died": [0, 1] * 20, "area": ["a", "b"] * 20}
    )
    with pytest.raises(NotComputable, match=message) as caught:
        sdc.analysis(frame, frame, statistic, (), formula="y ~ x", **entries)
    assert "4711" not in str(caught.value)


def test_numbers_too_large_for_a_mean_are_refused_in_words() -> None:
    frame = pd.DataFrame({"x": [1e308, 1e308, 1.0, 2.0]})
    with pytest.raises(ColumnError, match=r"'x' has 2 values beyond 10\^38"):
        sdc.analysis(frame, frame, "mean", "x")


def test_groups_too_small_for_an_error_are_refused_in_words() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "g": list("aabb")})
    with pytest.raises(NotComputable, match="no term of 'quantile' has an estimate"):
        sdc.analysis(frame, frame, "quantile", "x", at=[0.5], by="g")


def test_a_column_of_groups_without_a_value_is_refused_in_words() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "g": pd.array([None] * 4, dtype="string")})
    with pytest.raises(NotComputable, match="no record has a value of 'g', by which it is made"):
        sdc.analysis(frame, frame, "mean", "x", by="g")


def test_a_function_that_ends_the_program_or_tests_against_no_number_is_refused() -> None:
    def leave(data: pd.DataFrame, weights: pd.Series) -> pd.DataFrame:
        raise SystemExit(len(data) - len(weights))

    def untested(data: pd.DataFrame, weights: pd.Series) -> pd.DataFrame:
        frame = pd.DataFrame({"estimate": [data["income"].mean()], "se": [weights.mean()]})
        frame.attrs["null"] = "none"
        return frame

    for function, message in ((leave, "raised SystemExit"), (untested, "expected a number in")):
        with pytest.raises(NotComputable, match=message):
            sdc.analysis(ORIGINAL, ORIGINAL, function, "income")


def test_a_file_that_ends_the_program_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("raise SystemExit(0)\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"own.py: the file cannot be run \(SystemExit\)"):
        load_function(f"{file}:estimates")


def test_groups_of_long_numbers_are_told_apart() -> None:
    town = np.repeat([1234561.0, 1234562, 1234563], 20)
    original = pd.DataFrame({"town": town, "x": np.arange(60.0)})
    replica = original[original["town"] != 1234562]
    result = sdc.analysis(original, replica, "mean", "x", by="town")
    assert [*result.estimates.index] == [f"{number}: x" for number in (1234561, 1234562, 1234563)]
    assert result.problems == ("the replica has no estimate of: 1234562: x",)
    later = original.assign(time=1e6 + original["x"], died=1.0)
    at = [1000020, 1000021]
    curve = sdc.analysis(later, later, "survival_curve", "time", event="died", at=at)
    assert [*curve.estimates.index] == [f"survival beyond {time}" for time in at]


def test_fifty_numbers_are_groups() -> None:
    data = pd.DataFrame({"g": np.arange(100) % 50, "x": np.arange(100.0)})
    assert len(sdc.analysis(data, data, "mean", "x", by="g").estimates) == 50
    data.loc[0, "g"] = 50
    with pytest.raises(NotComputable, match="holds 51 different numbers"):
        sdc.analysis(data, data, "mean", "x", by="g")


def test_a_random_slope_is_of_a_predictor() -> None:
    entries: dict[str, Any] = {"formula": "income ~ age", "group": "school", "slopes": ["age"]}
    data = ORIGINAL.assign(income=ORIGINAL["income"] + 10 * ORIGINAL["school"] * ORIGINAL["age"])
    slopes = sdc.analysis(data, data, "mixed_model", **entries).estimates
    plain = sdc.analysis(data, data, "mixed_model", **{**entries, "slopes": []}).estimates
    # 20 slopes 10 apart: their own error is about 10 sqrt(20^2 / 12) / sqrt(20)
    assert slopes.loc["age", "se_original"] == pytest.approx(13, rel=0.1)
    assert plain.loc["age", "se_original"] < 7


def test_a_replica_with_all_that_a_sample_has_is_weighted() -> None:
    rng = np.random.default_rng(2)
    data = pd.DataFrame(
        {"x": rng.normal(size=60), "w": rng.uniform(1, 9, 60), "c": np.arange(60) // 3}
    ).assign(s=lambda frame: frame["c"] % 2)
    replica = data.assign(x=data["x"] + data["w"])
    design = {"weight": "w", "cluster": "c", "strata": "s", "synthetic_weight": "w"}
    row = sdc.analysis(data, replica, "mean", "x", **design).estimates.iloc[0]
    for side, frame in (("original", data), ("synthetic", replica)):
        assert row[side] == pytest.approx(np.average(frame["x"], weights=frame["w"]))


def test_the_ends_of_a_lorenz_curve_are_shares() -> None:
    result = sdc.analysis(ORIGINAL, ORIGINAL, "lorenz", "income", at=[0, 0.5, 1])
    assert result.estimates["original"].iloc[[0, 2]].tolist() == [0, 1]
    assert result.problems == (
        "without an error, and not compared: income, poorest 0 %, income, poorest 100 %",
    )
