"""DAISYnt's corrected tests as rows of a review, and on the scale of a ranking's references."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.measure import DISCLOSURE_RISK
from sdcmetrics.suites.daisynt.corrected import CORRECTED
from sdcmetrics.suites.daisynt.declared import MEASURES, METRICS
from sdcmetrics.suites.preset import load_preset
from sdcmetrics.suites.trio import Trio
from tests.only import only
from tests.suites.daisynt.test_table import CATEGORIES, people

RISKS = [measure for measure in MEASURES if measure.family == DISCLOSURE_RISK]
COUNTS = ["IV_gap", "IV_ccc", "mean_MMD", "chi2_V", "close", "MIA_AUC", "C2ST_AUC"]


def preset(folder: Path, *names: str) -> str:
    entries = "".join(f"{name} = {{}}\n" for name in names)
    path = folder / "own.toml"
    path.write_text(f'target = "buys"\ncategorical = {CATEGORIES}\n[metrics]\n{entries}')
    return str(path)


def study(
    replicas: dict[str, pd.DataFrame], original: pd.DataFrame | None = None, **options: Any
) -> sdc.Study:
    original = people(200, 1) if original is None else original
    asked = {"ways": (1,), "perturbed": (), "candidates": 0, "permutations": 19, "seed": 5}
    return sdc.Study(original, replicas, keys=["job"], targets=["region"], **asked | options)


@pytest.fixture(scope="module")
@only(*COUNTS)
def review(tmp_path_factory: pytest.TempPathFactory) -> sdc.Review:
    own = preset(tmp_path_factory.mktemp("preset"), *COUNTS)
    made = {"copy": people(200, 1), "fresh": people(260, 2)}
    return sdc.conduct(study(made, holdout=people(150, 3), preset=own))


@cache
def of_function() -> pd.DataFrame:
    sets = (people(200, 1), people(260, 2), people(150, 3))
    roles: Any = {"target": "buys", "categorical": CATEGORIES}
    return sdc.daisynt(*sets, **roles, mode="corrected", tests=COUNTS, seed=5)


def row(review: sdc.Review, replica: str, symbol: str) -> pd.Series:
    rows = review.mean_rows()
    result = rows[(rows["replica"] == replica) & (rows["metric"] == symbol)]
    assert len(result) == 1
    one: pd.Series = result.iloc[0]
    return one


@pytest.mark.parametrize("symbol", COUNTS)
def test_a_row_is_what_the_function_finds_beside_what_it_says_of_fresh_people(
    review: sdc.Review, symbol: str
) -> None:
    result, expected = row(review, "fresh", symbol), of_function().loc[symbol]
    assert result["value"] == pytest.approx(expected["value"], nan_ok=True)
    assert result["fresh"] == pytest.approx(expected["fresh"], nan_ok=True)
    p = row(review, "fresh", f"{symbol}_p")
    assert p["value"] == pytest.approx(expected["p"], nan_ok=True)
    assert math.isnan(p["fresh"])


def test_a_real_copy_has_what_a_risk_says_of_one(review: sdc.Review) -> None:
    for symbol in ("close", "close_p", "MIA_AUC", "MIA_AUC_p"):
        result = row(review, "copy", symbol)
        assert result["value"] == pytest.approx(result["copy"], rel=1e-9)
        assert row(review, "fresh", symbol)["copy"] == result["copy"]


def test_nothing_is_handed_out_and_every_p_was_simulated() -> None:
    assert all(measure.release is None for measure in MEASURES)
    assert all(measure.tested == ("p",) for measure in MEASURES if measure.symbol.endswith("_p"))
    assert all(risk.reference_values is not None for risk in RISKS)


def test_the_preset_of_the_package_has_every_test() -> None:
    assert {*load_preset("daisynt").metrics} == {metric.symbol for metric in METRICS}


@only("chi2_V", "C2ST_AUC")
def test_without_a_target_or_a_holdout_there_is_a_reason() -> None:
    asked = study({"one": people(200, 2)}, preset="daisynt")
    rows = sdc.conduct(asked, reference_values=False).mean_rows().set_index("metric")
    assert rows.loc["chi2_V", "reason"] == "there is no holdout"
    assert not math.isnan(rows.loc["C2ST_AUC", "value"])
    metric = next(metric for metric in METRICS if metric.symbol == "IV_gap")
    result = metric.measure(trio(people(200, 1), people(200, 2), people(150, 3)))
    assert result["value"].reason == "target: no column is named that all data sets have"


@only("IV_gap", "inference_excess")
def of_roles(tmp_path: Path, entries: str, **roles: Any) -> pd.DataFrame:
    own = tmp_path / "own.toml"
    own.write_text(
        f"{entries}categorical = {CATEGORIES}\n[metrics]\nIV_gap={{}}\ninference_excess={{}}"
    )
    chosen = {"keys": ["job", "age"], "targets": ["region", "buys"]} | roles
    fixed: Any = {"ways": (1,), "perturbed": (), "candidates": 0, "permutations": 19, "seed": 5}
    sets = (people(200, 1), {"fresh": people(260, 2)})
    asked = sdc.Study(*sets, **chosen, holdout=people(150, 3), preset=str(own), **fixed)
    rows = sdc.conduct(asked, reference_values=False).mean_rows().set_index("metric")
    return rows.loc[["IV_gap", "IV_gap_p", "inference_excess", "inference_excess_p"]]


def test_what_a_preset_does_not_say_of_columns_the_study_says(tmp_path: Path) -> None:
    text = 'target = "buys"\npublic = ["job", "age"]\nsensitive = ["region", "buys"]\n'
    expected = of_roles(tmp_path, text)["value"].to_list()
    assert not np.isnan(expected).any()
    assert of_roles(tmp_path, "")["value"].to_list() == expected
    other = of_roles(tmp_path, 'public = ["region"]\n')["value"]
    assert other["inference_excess"] != expected[2]
    assert other["IV_gap"] == expected[0]


def test_what_is_predicted_goes_before_what_an_intruder_wants(tmp_path: Path) -> None:
    result = of_roles(tmp_path, "", prediction={"targets": "job", "permutations": 0})
    assert result.loc["IV_gap", "reason"] == "target: no target of the study has two classes"
    assert not math.isnan(result.loc["inference_excess", "value"])


def trio(*frames: pd.DataFrame) -> Trio:
    from sdcmetrics.microdata.frames import as_microdata
    from sdcmetrics.microdata.schema import harmonise

    data = [as_microdata(item, name) for item, name in zip(frames, "osh", strict=True)]
    return Trio(data, harmonise(data[0], data[1:]))


def linked(n: int, seed: int) -> pd.DataFrame:
    """People whose columns all hang on one number."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    numbers = {f"x{i}": x + 0.3 * rng.normal(size=n) for i in range(3)}
    job = np.digitize(x, [-1, 1])
    return pd.DataFrame(numbers | {"job": job, "region": job % 2, "buys": x > 0})


@only("rho_mad")
def test_a_replica_without_relations_has_an_anchored_value_near_0(tmp_path: Path) -> None:
    whole = linked(200, 2)
    shuffled = {name: whole[name].sample(frac=1, random_state=i) for i, name in enumerate(whole)}
    alone = pd.DataFrame({name: item.to_numpy() for name, item in shuffled.items()})
    own = tmp_path / "own.toml"
    own.write_text('target = "buys"\n[metrics]\nrho_mad = {}\n')
    asked = study(
        {"alone": alone, "fresh": whole},
        original=linked(200, 1),
        holdout=linked(200, 3),
        preset=str(own),
    )
    ranked: Any = {"metrics": {"general": ["rho_mad"]}, "draws": 1}
    weights = {"general": 1.0}
    result = sdc.compare_replicas(
        sdc.conduct(asked, reference_values=False), **ranked, weights=weights, anchors=True
    )
    assert result.anchored.loc["alone", "rho_mad"] <= 0.05
    assert result.anchored.loc["fresh", "rho_mad"] > 0.8


def test_tests_of_privacy_are_metrics_of_privacy() -> None:
    group = {test.symbol: test.group for test in CORRECTED}
    assert {metric.dimension for metric in METRICS} == {"privacy", "utility"}
    for metric in METRICS:
        assert (metric.dimension == "privacy") is (group[metric.symbol] == "Privacy")
