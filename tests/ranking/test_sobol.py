"""Sobol points against scipy's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import qmc

from sdcmetrics.ranking import sobol as module
from sdcmetrics.ranking.sobol import sobol


@pytest.mark.parametrize("dimensions", [1, 2, 13, 60])
@pytest.mark.parametrize("there", [True, False])
def test_points_are_those_of_scipy(
    dimensions: int, monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    if not there:
        monkeypatch.setattr(module, "_NUMBERS", Path("nowhere.npz"))
    theirs = qmc.Sobol(d=dimensions, seed=np.random.default_rng(5)).random_base2(7)
    assert np.array_equal(sobol(dimensions, 7, seed=5), theirs)
