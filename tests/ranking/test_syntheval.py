"""SynthEval's table and benchmark: metrics, roles, and what totals add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.ranking.strategies import linear, normal, quantile


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {"x": x, "z": x + rng.normal(size=n), "g": rng.choice(list("ab"), n), "s": x > 0.2}
    ).astype({"s": str})


ORIGINAL, ONE, OTHER, HOLDOUT = people(60, 1), people(50, 2), people(60, 3), people(40, 4)
METRICS: dict[str, Any] = {"h_dist": None, "dwm": {}, "dcr": {}, "statistical_parity": {}}
ROLES: dict[str, Any] = {"target": "g", "sensitive": ["s"], "seed": 3}


def test_a_benchmark_has_a_row_per_replica_and_its_totals() -> None:
    table = sdc.syntheval(ORIGINAL, {"one": ONE, "two": OTHER}, metrics=METRICS, **ROLES)
    each = {
        name: sdc.syntheval(ORIGINAL, frame, metrics=METRICS, **ROLES)
        for name, frame in (("one", ONE), ("two", OTHER))
    }
    assert table.index.tolist() == ["one", "two"]
    for name, single in each.items():
        own = table.loc[name][single.index.tolist()]
        np.testing.assert_allclose(own.to_numpy(float), single["value"].to_numpy(float))
    good = pd.DataFrame({name: single["normalised"] for name, single in each.items()}).T
    good = good.loc[:, good.notna().any()]
    dimension = {"h_dist": "utility", "dwm": "utility", "dcr": "privacy"}
    parts = [dimension.get(metric, "fairness") for metric, _ in good.columns]
    assert set(parts) == {"utility", "privacy", "fairness"}
    matrix = good.to_numpy(float)
    points = {
        "summation": np.nan_to_num(matrix), "linear": linear(matrix), "normal": normal(matrix),
        "quantile": quantile(matrix),
    }  # fmt: skip
    for strategy, of in points.items():
        for part in ("all", "utility", "privacy", "fairness"):
            wanted = [part in ("all", own) for own in parts]
            expected = of[:, wanted].sum(axis=1)
            np.testing.assert_allclose(table[strategy, part].to_numpy(float), expected)
        total = table[strategy][["utility", "privacy", "fairness"]].sum(axis=1)
        np.testing.assert_allclose(table[strategy, "all"].to_numpy(float), total)


def test_a_dimension_without_a_metric_has_no_total_and_what_has_no_value_counts_0() -> None:
    table = sdc.syntheval(
        ORIGINAL, {"one": ONE, "two": OTHER}, metrics=["h_dist", "statistical_parity"]
    )
    assert table["summation", "privacy"].isna().all()
    assert table["summation", "fairness"].isna().all()  # it has no target
    assert (table["summation", "all"] == table["summation", "utility"]).all()


@pytest.mark.parametrize("metrics", ["h_dist", ["h_dist"], {"h_dist": None}, {"h_dist": {}}])
def test_metrics_are_named_in_several_ways(metrics: Any) -> None:
    table = sdc.syntheval(ORIGINAL, ONE, metrics=metrics)
    assert table.index.tolist() == [("h_dist", "avg")]
    assert list(table.columns) == ["value", "error", "normalised", "better", "reason"]


def test_a_preset_says_what_is_not_said(tmp_path: Any) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        "target = 'g'\nsensitive = 's'\ncategorical = ['g', 's']\n[metrics]\nh_dist = {}\n"
    )
    table = sdc.syntheval(ORIGINAL, ONE, preset=str(own))
    by_hand = sdc.syntheval(ORIGINAL, ONE, metrics="h_dist", categorical=["g", "s"])
    assert table["value"].tolist() == by_hand["value"].tolist()


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"target": "gg"}, ColumnError, r"target: .* column 'gg'. Did you mean 'g'"),
        ({"sensitive": ["s", "zz"]}, ColumnError, "sensitive: .* column 'zz'"),
        ({"metrics": "h_dits"}, StudyError, "h_dits"),
        ({"metrics": {"h_dist": {"no": 1}}}, StudyError, "h_dist: unknown option 'no'"),
    ],
)
def test_what_cannot_be_is_refused(asked: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        sdc.syntheval(ORIGINAL, ONE, **{"metrics": "h_dist", **asked})


def test_roles_are_columns_of_every_data_set_and_there_is_a_replica() -> None:
    with pytest.raises(ColumnError, match=r"target: .* column 'g'"):
        sdc.syntheval(ORIGINAL, ONE, HOLDOUT.drop(columns="g"), metrics="h_dist", target="g")
    with pytest.raises(StudyError, match="at least one replica but got none"):
        sdc.syntheval(ORIGINAL, {}, metrics="h_dist")
