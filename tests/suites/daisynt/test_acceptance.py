"""What must hold of all tests together, numbered as in docs/daisynt.md.

The second, how often a holdout is found, takes an hour: test_fresh.py.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.report import write_all
from tests.suites.daisynt.test_rows import linked, study
from tests.suites.daisynt.test_table import ADULT, ROLES, needs_adult, people, table

COUNTED = ["rho_mad", "IV_gap", "IV_ccc", "chi2_V", "identical", "close"]
"""Corrected tests of ranks and groups."""


def test_1_the_test_data_are_at_no_distance_from_themselves() -> None:
    holdout = people(300, 3)
    same = ["D_corr", "D_iv", "D_uni_mmd", "D_uni_chi2", "D_multi_cat"]
    result = table(people(300, 1), holdout, holdout, tests=same)
    assert result["raw"].to_list() == pytest.approx([1.0] * len(same))
    corrected = table(
        people(300, 1), holdout, holdout, mode="corrected", tests=["rho_mad", "IV_gap", "chi2_V"]
    )
    assert corrected["value"].to_list() == pytest.approx([0.0] * 3, abs=1e-12)


@pytest.mark.parametrize(
    ("symbols", "changes"),
    [
        (["D_corr"], "order levels monotone"),
        (["D_iv", "D_uni_chi2", "D_multi_cat", "D_cloned", "D_close"], "order levels"),
        (COUNTED, "order levels monotone"),
    ],
)
def test_3_order_of_rows_and_levels_and_monotone_recoding_do_not_matter(
    symbols: list[str], changes: str
) -> None:
    data = [people(n, seed) for n, seed in ((300, 1), (400, 2), (250, 3))]
    other = data
    if "order" in changes:
        other = [item.sample(frac=1, random_state=4) for item in other]
    if "levels" in changes:
        other = [item.assign(job=9 - item["job"], region=9 - item["region"]) for item in other]
    if "monotone" in changes:
        other = [
            item.assign(income=np.log1p(item["income"]), age=-np.exp(-item["age"] / 20))
            for item in other
        ]
    mode, column = ("corrected", "value") if symbols is COUNTED else ("published", "raw")
    first, second = (table(*each, mode=mode, tests=symbols)[column] for each in (data, other))
    assert first.notna().all()
    assert first.to_list() == pytest.approx(second.to_list(), rel=1e-9)


@pytest.mark.parametrize("mode", ["published", "corrected"])
def test_4_a_column_that_is_constant_everywhere_changes_nothing(mode: str) -> None:
    data = [people(300, seed) for seed in (1, 2, 3)]
    wider = [data_set.assign(country="here", year=2020) for data_set in data]
    light: Any = [
        *(["D_corr", "D_iv", "D_uni_mmd", "D_uni_chi2", "D_multi_cat", "D_cloned", "D_close"]),
        *(["D_link_distance", "D_link_error", "D_inference"]),
    ]
    if mode == "corrected":
        light = [*COUNTED, "mean_MMD", "MMD_joint", "MIA_AUC", "C2ST_AUC", "MIA_error_AUC"]
    first, second = (
        table(*each, mode=mode, tests=light, **ROLES).drop(columns=["evidence", "note"])
        for each in (data, wider)
    )
    pd.testing.assert_frame_equal(first, second, rtol=1e-12)


def test_6_a_lost_level_never_looks_better() -> None:
    values = []
    for seed in range(6):
        whole = people(300, 50 + seed)
        lost = whole.assign(region=whole["region"].replace(5, 0))
        values.append(
            [
                table(people(200, 1), item, people(300, 3), mode="corrected", tests=["chi2_V"]).loc[
                    "chi2_V", "value"
                ]
                for item in (whole, lost)
            ]
        )
    fresh, collapsed = np.array(values).T
    assert (collapsed > fresh).all()


slow = pytest.mark.skipif("SDCMETRICS_SLOW" not in os.environ, reason="takes minutes")


@slow
def test_8_replicas_without_relations_have_anchored_values_near_0_or_below(tmp_path: Path) -> None:
    whole = linked(200, 2)
    alone = {
        f"alone {i}": pd.DataFrame(
            {
                name: whole[name].sample(frac=1, random_state=10 * i + j).to_numpy()
                for j, name in enumerate(whole)
            }
        )
        for i in range(3)
    }
    own = tmp_path / "own.toml"
    names = ["rho_mad", "aggregate_gap", "pred_rho"]
    entries = "".join(f"{name} = {{}}\n" for name in names)
    own.write_text(f'target = "buys"\n[metrics]\n{entries}')
    asked = study(
        {**alone, "fresh": whole}, original=linked(200, 1), holdout=linked(200, 3), preset=str(own)
    )
    metrics: Any = {"general": names[:1], "specific": names[1:]}
    result = sdc.compare_replicas(
        sdc.conduct(asked),
        metrics=metrics,
        weights={"general": 0.5, "specific": 0.5},
        draws=1,
        anchors=True,
    ).anchored
    assert (result.loc[list(alone), names].mean() <= 0.05).all()
    assert (result.loc["fresh", names] > 0.8).all()


@slow
@needs_adult
def test_8_networks_of_a_replica_without_relations_are_as_alike_as_untrained_ones() -> None:
    training, holdout, good = (
        pd.read_parquet(ADULT / f"adult_{name}.parquet").sample(6000, random_state=1)
        for name in ("trn", "val", "synthpop")
    )
    rng = np.random.default_rng(1)
    alone = pd.DataFrame({name: rng.permutation(training[name].to_numpy()) for name in training})
    chosen: Any = {"target": "income", "mode": "corrected", "tests": ["CKA_rel"], "seed": 1}
    low, high = (
        sdc.daisynt(training, item, holdout, **chosen).loc["CKA_rel", "value"]
        for item in (alone, good)
    )
    assert low <= 0.05
    assert high > 0.8


def test_9_a_release_is_the_same_with_these_tests_and_without_them(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    symbols = ["rho_mad", "IV_gap", "mean_MMD", "chi2_V", "close", "MIA_AUC"]
    entries = "".join(f"{name} = {{}}\n" for name in symbols)
    own.write_text(f'target = "buys"\n[metrics]\n{entries}')
    folders = []
    for preset in ("", str(own)):
        asked = study({"fresh": people(260, 2)}, holdout=people(150, 3), preset=preset)
        review = sdc.conduct(asked, now=datetime(2026, 1, 2, tzinfo=UTC))
        assert bool(review.shown) == bool(preset)
        folder = tmp_path / f"release {bool(preset)}"
        write_all(review, folder, mode="checker", formats=["html"])
        folders.append(folder)
    without, with_them = (
        {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*.*")}
        for folder in folders
    )
    assert with_them == without
