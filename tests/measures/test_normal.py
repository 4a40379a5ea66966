"""Normal draws do not depend on which eigenvectors a processor returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import weighted_wasserstein
from sdcmetrics.measures.attacks.member_test import _normal_sums
from sdcmetrics.measures.normal import symmetric_root
from sdcmetrics.microdata.arrays import Floats

EIGH = np.linalg.eigh


def turned(matrix: Floats) -> Any:
    """Return eigenvectors with other signs, as another processor may."""
    sizes, axes = EIGH(matrix)
    return sizes, axes * np.where(np.arange(len(sizes)) % 2, 1.0, -1.0)


def test_the_square_of_a_root_is_the_covariance() -> None:
    rows = np.random.default_rng(1).normal(size=(9, 4))
    covariance = np.cov(rows.T)
    root = symmetric_root(covariance)
    assert root == pytest.approx(root.T)
    assert root @ root == pytest.approx(covariance)
    assert symmetric_root(np.diag([4.0, -1e-18])) == pytest.approx(np.diag([2.0, 0.0]))


def test_draws_are_the_same_with_other_eigenvectors(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    sample = pd.DataFrame({"x": rng.integers(0, 9, 60), "w": rng.uniform(1, 5, 60)})
    replica = pd.DataFrame({"x": rng.integers(0, 9, 40)})
    scores = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3))

    def draws() -> list[Any]:
        table = weighted_wasserstein(sample, replica, weight="w", draws=99)
        sums = _normal_sums(scores, np.array([20, 30]), np.random.default_rng(3))
        return [*table.to_numpy(dtype=np.float64).ravel(), *sums.ravel()]

    before = draws()
    monkeypatch.setattr(np.linalg, "eigh", turned)
    assert draws() == pytest.approx(before)
