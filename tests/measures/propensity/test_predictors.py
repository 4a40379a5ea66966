"""What the models are given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.pair import pair
from sdcmetrics.measures.propensity.model_matrix import ModelMatrix
from sdcmetrics.measures.propensity.predictors import Scale, Stacked, distinct_records, prepare


def stacked(original: Any, synthetic: Any, **options: Any) -> Stacked:
    data = pair(original, synthetic, missing_codes=options.pop("missing_codes", None))
    return prepare(data, level_orders=options.pop("level_orders", {}), **options).put_together(1)


def values(data: Stacked) -> dict[str, list[float]]:
    return {p.name: p.values.tolist() for p in data.predictors}


def test_missing_and_codes_become_indicators_at_the_end_synthetic_first() -> None:
    original = pd.DataFrame({"x": [1.0, None, -8.0], "y": [1.0, 2.0, 3.0]})
    replica = pd.DataFrame({"x": [5.0, -8.0], "y": [1.0, 1.0]})
    data = stacked(original, replica, missing_codes={"x": -8})
    assert values(data) == {
        "x": [5, 0, 1, 0, 0],
        "y": [1, 1, 1, 2, 3],
        "x_NA": [0, 0, 0, 1, 0],
        "x_cna_1": [0, 1, 0, 0, 1],
    }
    assert data.synthetic.tolist() == [True, True, False, False, False]


def test_missing_in_the_replica_only_has_an_indicator_too() -> None:
    data = stacked(pd.DataFrame({"x": [1.0, 2.0]}), pd.DataFrame({"x": [1.0, None]}))
    assert values(data)["x_NA"] == [0, 1, 0, 0]


def test_levels_are_in_the_replicas_order_then_the_originals() -> None:
    original = pd.DataFrame({"f": pd.Categorical(["b", "d", None], categories=list("abcd"))})
    replica = pd.DataFrame({"f": pd.Categorical(["c", "b"], categories=list("cab"))})
    data = stacked(original, replica, level_orders={"f": [list("abcd"), list("cab")]})
    assert data.predictors[0].labels == ("c", "b", "d", None)
    assert data.predictors[0].values.tolist() == [0, 1, 1, 2, 3]


def test_a_column_with_one_value_is_left_out() -> None:
    frame = pd.DataFrame({"x": [1, 1], "y": ["a", "b"]})
    data = stacked(frame, frame)
    assert data.constant == ("x",)
    assert [p.name for p in data.predictors] == ["y"]


def test_booleans_are_numbers_unless_some_are_missing() -> None:
    frame = pd.DataFrame({"b": pd.array([True, False], dtype="boolean")})
    assert stacked(frame, frame).predictors[0].scale is Scale.NUMBER
    other = pd.DataFrame({"b": pd.array([True, None], dtype="boolean")})
    assert stacked(frame, other).predictors[0].labels == ("TRUE", None, "FALSE")


def test_records_that_agree_are_counted_once() -> None:
    frame = pd.DataFrame({"x": [1, 2, 1], "y": ["a", "a", "a"]})
    kind, first = distinct_records(stacked(frame, frame))
    assert np.bincount(kind).tolist() == [4, 2]
    assert first.tolist() == [0, 1]


@pytest.mark.parametrize("columns", [3, 14, 40])
def test_records_are_numbered_however_many_combinations_there_could_be(columns: int) -> None:
    rng = np.random.default_rng(columns)
    frame = pd.DataFrame(rng.integers(0, 12, (30, columns))).add_prefix("x")
    both = [frame.iloc[[0, 3, *range(30)]], frame.iloc[[5, 5, 3]]]
    kind, first = distinct_records(stacked(*both))
    rows = pd.concat(both[::-1], ignore_index=True)  # synthetic records first
    expected, _ = pd.factorize(pd.MultiIndex.from_frame(rows))
    assert kind.tolist() == expected.tolist()
    assert first.tolist() == np.unique(expected, return_index=True)[1].tolist()


def test_numbers_may_be_grouped_with_levels_of_their_own_for_missing_and_codes() -> None:
    original = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, np.nan, -8], "y": list("abababab")})
    replica = pd.DataFrame({"x": [6.0, 5, -8, 1], "y": list("abab")})
    data = stacked(original, replica, missing_codes={"x": -8}, ngroups=3)
    x, y = data.predictors
    assert (x.name, x.scale, y.name) == ("x", Scale.LEVELS, "y")
    codes = dict(zip([6, 5, -8, 1, 1, 2, 3, 4, 5, 6, None, -8], x.values, strict=False))
    assert codes[1] == codes[2] != codes[3] == codes[4] != codes[5] == codes[6]
    assert len(set(codes.values())) == len(x.labels) == 5
    assert x.labels[int(codes[None])] is None
    assert str(x.labels[int(codes[-8])]).startswith("-8")
    assert (data.n_synthetic, data.n_original) == (4, 8)


@pytest.mark.parametrize(
    ("term", "level", "label"),
    [
        ((), 0, "(Intercept)"),
        ((0,), 0, "gb"),
        ((0,), 1, "gNA"),
        ((1,), 0, "x"),
        ((0, 1), 1, "gNA:x"),
        ((0, 2), 0, "gb:hv"),
        ((0, 2), 1, "gNA:hv"),
        ((0, 2), 2, "gb:hw"),
        ((0, 2), 5, "gNA:hz"),
    ],
)
def test_columns_are_named_as_r_names_them(term: tuple[int, ...], level: int, label: str) -> None:
    predictors: list[Any] = [
        SimpleNamespace(name="g", scale=Scale.LEVELS, size=3, labels=("a", "b", None)),
        SimpleNamespace(name="x", scale=Scale.NUMBER),
        SimpleNamespace(name="h", scale=Scale.LEVELS, size=4, labels=tuple("uvwz")),
    ]
    matrix = ModelMatrix(sparse.csr_matrix((1, 1)), [term], np.array([0]), np.array([level]), 0)
    assert matrix.label(0, predictors) == label


def test_one_group_of_numbers_is_refused() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    with pytest.raises(StudyError, match="ngroups: expected a whole number of at least 2"):
        stacked(frame, frame, ngroups=1)
