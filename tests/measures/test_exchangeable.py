"""Of the records that are drawn, how many have something."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sdcmetrics.measures.exchangeable import hypergeometric


@pytest.mark.parametrize("n", [1, 2, 5, 30, 400])
def test_the_chances_of_counts_are_those_of_scipy(n: int) -> None:
    found = np.arange(-1, n + 2)
    for having in {0, 1, n // 2, n}:
        for drawn in {0, 1, n // 3, n}:
            ours = hypergeometric(found, n, having, drawn)
            np.testing.assert_allclose(ours, stats.hypergeom.pmf(found, n, having, drawn), 1e-10)
