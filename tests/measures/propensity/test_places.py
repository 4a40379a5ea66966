"""What the holdout is expected to score by propensity models, beside each replica."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.kind import Given, Kind
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.propensity import places


def drawn(seed: int, n: int, columns: int) -> pd.DataFrame:
    levels = np.random.default_rng(seed).integers(0, 3, (n, columns))
    return pd.DataFrame(levels, columns=[f"x{i}" for i in range(columns)]).astype(str)


def expected(original: pd.DataFrame, *syntheses: pd.DataFrame) -> pd.Series[float]:
    study = sdc.Study(
        original, {"a": list(syntheses)}, keys=["x0"], targets=["x1"], propensity=True
    )
    rows = sdc.conduct(study).frame
    rows = rows[rows["metric"] == "S_pMSE_logit"]
    return rows.set_index("synthesis")["fresh"]


def test_with_enough_records_it_is_one_and_the_ratio_of_sizes() -> None:
    result = expected(drawn(1, 40, 5), drawn(2, 20, 5), drawn(3, 60, 5))
    assert result.loc[[1.0, 2.0]].tolist() == [1.5, 2.5]
    assert result.loc[np.nan] == 2.0


def test_with_fewer_it_is_the_mean_over_permuted_labels() -> None:
    original, replica = drawn(1, 40, 14), drawn(2, 30, 14)
    both = pd.concat([original, replica], ignore_index=True)
    rng = np.random.default_rng(5)
    permuted = []
    for _ in range(100):
        order = rng.permutation(70)
        first, other = both.iloc[order[:40]], both.iloc[order[40:]]
        permuted.append(sdc.utility_gen(first, other, method="logit", maxorder=0).s_p_mse)
    [result] = expected(original, replica)
    assert result > 1.95  # 1 + 30/40 would be too little
    assert result == pytest.approx(np.mean(permuted), rel=0.1)


def given(
    kind: Kind, original: pd.DataFrame, *syntheses: pd.DataFrame, **asked: Any
) -> list[Given]:
    plan = sdc.Study(original, {"a": [*syntheses]}, keys=[original.columns[0]], **asked)
    pair = Pair("a", plan.original, plan.replicas["a"])
    return list(kind.places(pair, plan, lambda _: None))


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("method", ["logit", "cart"])
def test_scores_are_those_of_the_function(method: Any, m: int) -> None:
    original, files = drawn(1, 60, 4), [drawn(seed, 50, 4) for seed in (2, 3)][:m]
    kind = places.LOGIT if method == "logit" else places.CART
    (place,) = given(kind, original, *files, propensity={"maxorder": 1})
    how = "none" if method == "cart" else None
    expected = sdc.utility_gen(original, files, method=method, maxorder=1, resampling=how)
    words = {"logit": "logistic regression, main effects and pairs", "cart": "classification tree"}
    assert place.places[0].model == words[method]
    table = pd.DataFrame(list(place.each))
    pd.testing.assert_frame_equal(
        table, expected.per_synthesis, check_dtype=False, check_names=False
    )
    if m == 1:
        assert place.whole is None
    else:
        pd.testing.assert_series_equal(place.whole, expected.mean)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("order", "words"),
    [(0, "main effects"), (1, "main effects and pairs"), (2, "order 2"), (3, "order 3")],
)
def test_a_model_is_called_by_its_order(order: int, words: str) -> None:
    section = places.Propensity(maxorder=order)
    assert section.name("logit") == f"logistic regression, {words}"
    assert section.name("cart") == "classification tree"


def test_only_the_methods_of_a_study_are_fitted_and_what_cannot_be_says_why() -> None:
    original, replica = drawn(1, 20, 2), drawn(2, 20, 2)
    assert given(places.LOGIT, original, replica) == []
    only = {"propensity": {"methods": ["cart"]}}
    assert given(places.LOGIT, original, replica, **only) == []
    assert len(given(places.CART, original, replica, **only)) == 1
    constant = pd.DataFrame({"x0": ["a"] * 20, "x1": "b"})
    (place,) = given(places.LOGIT, constant, constant, propensity=True)
    assert place.each == ()
    assert "more than one value" in place.reason


@pytest.mark.parametrize(
    ("df", "p_mse", "n", "fresh"),
    [
        (20, 0.1, (30, 60), 3.0),
        (20, 0.1, (29, 60), 7.5),
        (20, 0.1, (60, 29), 7.5),
        (400, 0.1, (30, 60), 7.5),
        (401, 0.1, (30, 60), np.nan),
        (30, 0.0, (30, 60), np.nan),
    ],
)
def test_what_is_expected_follows_from_sizes_or_from_permuted_labels(
    df: int, p_mse: float, n: tuple[int, int], fresh: float
) -> None:
    row = {"df": df, "pMSE": p_mse, "S_pMSE": 3.0}
    result: Any = SimpleNamespace(per_synthesis=pd.DataFrame([{}, row]))
    pair: Any = SimpleNamespace(data=SimpleNamespace(sizes=(n[0], 999, n[1])))
    null: Any = SimpleNamespace(null=pd.DataFrame({"pMSE": [0.2, 0.3]}))
    assert places._expected(result, 1, pair, lambda: null) == pytest.approx(fresh, nan_ok=True)


def test_codes_that_mean_missing_are_no_numbers_of_a_model() -> None:
    rng = np.random.default_rng(4)
    frames = [pd.DataFrame(rng.integers(0, 9, (60, 2)), columns=["x", "y"]) for _ in "ab"]
    frames[1].loc[:20, "x"] = -8
    codes = {"x": -8}
    plan = sdc.Study(frames[0], {"a": frames[1]}, keys=["x"], missing_codes=codes, propensity=True)
    pair = Pair("a", plan.original, plan.replicas["a"], missing_codes=codes)
    (place,) = places.LOGIT.places(pair, plan, lambda _: None)
    expected = sdc.utility_gen(*frames, method="logit", maxorder=0, missing_codes=codes)
    assert place.each[0]["pMSE"] == expected.p_mse  # type: ignore[index]
