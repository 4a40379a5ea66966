"""Scores against those of scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics

from sdcmetrics.measures.prediction.learners import Predicted
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.measures.prediction.scores import (
    Score,
    accuracy,
    auc,
    f1,
    r2,
    score_of,
)

RNG = np.random.default_rng(1)
TRUTH, GUESS = RNG.integers(0, 4, 200).astype(float), RNG.integers(1, 6, 200).astype(float)


def test_auc_is_that_of_the_true_curve_with_ties() -> None:
    positive, score = RNG.random(300) < 0.2, np.round(RNG.normal(size=300), 1)
    assert auc(positive, score) == pytest.approx(metrics.roc_auc_score(positive, score), rel=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_f1_of_levels_that_only_one_side_has(average: str) -> None:
    expected = metrics.f1_score(TRUTH, GUESS, average=average, zero_division=0)
    assert f1(TRUTH, GUESS, average) == pytest.approx(expected, rel=1e-12)  # type: ignore[arg-type]


def test_numbers() -> None:
    assert r2(TRUTH, GUESS) == pytest.approx(metrics.r2_score(TRUTH, GUESS), rel=1e-12)


def test_what_has_no_value_is_nan() -> None:
    none = np.zeros(0)
    assert math.isnan(auc(np.ones(3, dtype=bool), np.arange(3.0)))
    assert math.isnan(r2(np.ones(3), np.arange(3.0)))
    assert all(math.isnan(score(none, none)) for score in (f1, accuracy, r2))


def test_the_score_fits_the_levels_of_the_original() -> None:
    codes = {"two": np.array([1, 3, 3]), "three": np.array([0, 1, 2])}
    original = Records(codes, {"x": np.array([1.0, 2.0, 4.0])}, 3)
    assert [score_of(original, name).name for name in ("two", "three", "x")] == [
        "AUC",
        "macro F1",
        "R2",
    ]
    chances = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])
    predicted = Predicted(np.array([1.0, 3.0]), chances, np.array([1.0, 3.0, 1.0]))
    truth = original.values("two")
    assert score_of(original, "two")(truth, predicted) == 1.0
    assert Score("macro F1")(truth, predicted) == pytest.approx(2 / 3)
    unseen = Predicted(np.array([1.0, 7.0]), chances, np.array([1.0, 7.0, 1.0]))
    assert score_of(original, "two")(truth, unseen) == 0.5
