"""A scrambled Sobol sequence: scipy's, whether its table is read or it is asked itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from sdcmetrics.ranking import sobol as module
from sdcmetrics.ranking.sobol import sobol


class TestSobol:
    @pytest.mark.parametrize(("columns", "power"), [(1, 0), (1, 4), (2, 1), (7, 5), (64, 12)])
    @pytest.mark.parametrize("seed", [0, 1, 99])
    def test_every_point_is_that_of_scipy(self, columns: int, power: int, seed: int) -> None:
        theirs = qmc.Sobol(d=columns, seed=np.random.default_rng(seed)).random_base2(power)
        np.testing.assert_array_equal(sobol(columns, power, seed=seed), theirs)

    def test_scipy_is_asked_where_its_table_is_elsewhere(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from_table = sobol(3, 4, seed=1)
        monkeypatch.setattr(module, "_TABLE", ("nowhere.npz",))
        np.testing.assert_array_equal(sobol(3, 4, seed=1), from_table)
