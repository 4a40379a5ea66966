"""What tells data sets apart: terms, nodes and variables, beside least squares and statsmodels."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import sdcmetrics as sdc
from sdcmetrics.measures.propensity import models


def people(n: int, seed: int, shift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(shift, 1, n).round(2)
    group = rng.choice(["a", "b", "c", None], n, p=[0.4, 0.3 - shift / 5, 0.2, 0.1 + shift / 5])
    z = rng.integers(0, 4, n).astype(float)
    z[rng.random(n) < 0.2] = np.nan
    return pd.DataFrame({"x": x, "g": group, "z": z})


ONE, OTHER = people(140, 1), people(110, 2, shift=0.6)
BOTH = pd.concat([OTHER, ONE], ignore_index=True)
SYNTHETIC = np.arange(250) < 110


@cache
def fitted(method: Any, **options: Any) -> sdc.UtilityGen:
    return sdc.utility_gen(ONE, OTHER, method=method, resampling="none", **options)


def inside(rule: str) -> np.ndarray:
    """Read a rule of a node as a reader does."""
    if match := re.fullmatch(r"(\w+) (<|>=) (\S+)", rule):
        name, sign, cut = match.groups()
        indicator = name.endswith("_NA")
        column = BOTH[name.removesuffix("_NA")]
        values = column.isna().astype(float) if indicator else column.fillna(0.0)
        return np.asarray(values < float(cut) if sign == "<" else values >= float(cut))
    match = re.fullmatch(r"(\w+) (in|not in) \{(.*)\}", rule)
    assert match is not None, rule
    name, how, levels = match.groups()
    among = BOTH[name].fillna("(missing)").isin(levels.split(", "))
    return np.asarray(among if how == "in" else ~among)


def test_nodes_hold_the_records_of_their_rules() -> None:
    nodes = fitted("cart", cp=0.0).terms.loc[1]
    assert len(nodes) > 8
    assert nodes["rule"].str.contains("(missing)", regex=False).any()
    rows: dict[int, np.ndarray] = {}
    for place, node in nodes.iterrows():
        if node["parent"]:
            rows[place] = rows[node["parent"]] & inside(node["rule"])
            assert node["depth"] == nodes.loc[node["parent"], "depth"] + 1
        else:
            rows[place] = np.ones(250, dtype=bool)
            assert (place, node["depth"], node["rule"]) == (1, 0, "")
        synthetic, n = int(rows[place][SYNTHETIC].sum()), int(rows[place].sum())
        assert (node["synthetic"], node["original"]) == (synthetic, n - synthetic)
        assert node["score"] == pytest.approx(synthetic / n)

    def gini(place: int) -> float:
        share = nodes.loc[place, "score"]
        return float(rows[place].sum() * 2 * share * (1 - share))

    for place, node in nodes.iterrows():
        children = nodes.index[nodes["parent"] == place]
        assert len(children) == (2 if node["split_by"] else 0)
        if len(children):
            assert node["decrease"] == pytest.approx(gini(place) - sum(map(gini, children)))
            rule = nodes.loc[children[0], "rule"]
            assert rule.split()[0].removesuffix("_NA") == node["split_by"]


def test_variables_have_the_decrease_of_their_splits() -> None:
    result = fitted("cart", cp=0.0)
    nodes, table = result.terms.loc[1], result.by_variable
    split = nodes[nodes["split_by"] != ""]
    assert table.loc[split["split_by"].unique(), "splits"].gt(0).all()
    sums = split.groupby("split_by")["decrease"].sum().reindex(table.index, fill_value=0.0)
    assert table["decrease"].to_numpy() == pytest.approx(sums.to_numpy())
    counts = split["split_by"].value_counts().reindex(table.index, fill_value=0)
    assert table["splits"].tolist() == counts.tolist()
    assert table["share"].to_numpy() == pytest.approx((sums / sums.sum()).to_numpy())
    assert table["decrease"].is_monotonic_decreasing
    assert set(table.index) == {"x", "g", "z"}
    leaves = nodes[nodes["split_by"] == ""]
    assert result.mean["parameters"] == len(leaves)
    share = SYNTHETIC.mean()
    by_leaf = ((leaves["original"] + leaves["synthetic"]) * (leaves["score"] - share) ** 2).sum()
    assert result.p_mse == pytest.approx(by_leaf / 250)


def test_a_tree_without_a_split_has_no_share() -> None:
    result = sdc.utility_gen(ONE, ONE, method="cart", resampling="none")
    assert (result.by_variable["share"] == 0.0).all()
    assert result.terms["rule"].tolist() == [""]


@cache
def design() -> pd.DataFrame:
    """Return the columns of main effects by hand: the first level is the reference."""
    columns = {"(Intercept)": np.ones(250), "x": BOTH["x"], "z": BOTH["z"].fillna(0.0)}
    columns |= {f"g{level}": 1.0 * (BOTH["g"] == level) for level in ("b", "c")}
    return pd.DataFrame(columns | {"gNA": 1.0 * BOTH["g"].isna(), "z_NA": 1.0 * BOTH["z"].isna()})


def explained(columns: list[str]) -> float:
    """Return pMSE of least squares on some columns."""
    x, y = design()[columns].to_numpy(), SYNTHETIC * 1.0
    score = x @ np.linalg.lstsq(x, y, rcond=None)[0]
    return float(((score - y.mean()) ** 2).mean())


def test_variables_lose_what_least_squares_loses_without_them() -> None:
    table = fitted("logit", maxorder=0).by_variable
    every = list(design())
    own = {"x": ["x"], "g": ["gb", "gc", "gNA"], "z": ["z", "z_NA"]}
    assert set(table.index) == set(own)
    share = SYNTHETIC.mean()
    for name, columns in own.items():
        lost = explained(every) - explained([c for c in every if c not in columns])
        assert table.loc[name, "pMSE_lost"] == pytest.approx(lost, rel=1e-8)
        assert table.loc[name, "coefficients"] == len(columns)
        expected = len(columns) * (1 - share) ** 2 * share / 250
        assert table.loc[name, "S_lost"] == pytest.approx(lost / expected, rel=1e-8)
    assert table["pMSE_lost"].is_monotonic_decreasing


def test_terms_are_those_of_both_models_the_largest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = fitted("logit", maxorder=0).terms.loc[1]
    x, y = design(), SYNTHETIC * 1.0
    theirs = sm.GLM(y, x, family=sm.families.Binomial()).fit(tol=1e-12)
    assert fitted("logit", maxorder=0).p_mse == pytest.approx(
        ((theirs.fittedvalues - y.mean()) ** 2).mean(), rel=1e-6
    )
    inverse = np.linalg.inv(x.T @ x)
    share = y.mean()
    linear = inverse @ (x.T @ (y - share)) / np.sqrt(np.diag(inverse) * share * (1 - share))
    linear = pd.Series(np.asarray(linear), index=list(x))
    assert len(terms) == len(x.columns) - 1
    numbers = [name for name in ("x", "z", "z_NA") if name in set(terms["term"])]
    assert numbers == ["x", "z", "z_NA"]
    by_term = terms.set_index("term")
    for name in numbers:
        assert by_term.loc[name, "z_linear"] == pytest.approx(linear[name], rel=1e-6)
        assert by_term.loc[name, "z"] == pytest.approx(theirs.tvalues[name], rel=1e-3)
    assert np.abs(terms["z_linear"]).is_monotonic_decreasing
    monkeypatch.setattr(models, "_TERMS_SHOWN", 2)
    shown = sdc.utility_gen(ONE, OTHER, method="logit", maxorder=0, resampling="none").terms
    assert shown.loc[1]["term"].tolist() == terms["term"].tolist()[:2]


def test_resampled_statistics_are_twice_their_share_of_the_mean() -> None:
    result = sdc.utility_gen(ONE, [OTHER, ONE], method="logit", maxorder=0, resampling="perm",
        nperms=6, seed=1)  # fmt: skip
    table = result.per_synthesis
    for i in (1, 2):
        means = result.null.loc[i].mean()
        assert len(result.null.loc[i]) == 6
        for name in ("pMSE", "SPECKS", "PO50", "U"):
            expected = 2 * table.loc[i, name] / means[name]
            assert table.loc[i, f"S_{name}"] == pytest.approx(expected)
    assert table.loc[1, "df"] == 6
    assert table.loc[2, "pMSE"] == pytest.approx(0, abs=1e-12)
    assert result.mean["pMSE"] == pytest.approx(table["pMSE"].mean())
