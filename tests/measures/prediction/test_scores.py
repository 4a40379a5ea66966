"""Scores against those of scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics

from sdcmetrics.measures.prediction.scores import accuracy, auc, f1, mean_absolute_error, r2

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
    expected = metrics.mean_absolute_error(TRUTH, GUESS)
    assert mean_absolute_error(TRUTH, GUESS) == pytest.approx(expected, rel=1e-12)


def test_what_has_no_value_is_nan() -> None:
    none = np.zeros(0)
    assert math.isnan(auc(np.ones(3, dtype=bool), np.arange(3.0)))
    assert math.isnan(r2(np.ones(3), np.arange(3.0)))
    assert all(math.isnan(score(none, none)) for score in (f1, accuracy, r2, mean_absolute_error))
