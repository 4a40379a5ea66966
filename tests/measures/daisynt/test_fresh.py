"""How often fresh people are found, over many draws: hours are not spent on it every time.

Run with SDCMETRICS_SLOW=1; the figures of the last run are in docs/daisynt.md.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from sdcmetrics.measures.crosstables.chi_square import printed_chi_square, two_samples
from tests.measures.daisynt.test_table import people, table

pytestmark = pytest.mark.skipif("SDCMETRICS_SLOW" not in os.environ, reason="takes minutes")


@pytest.mark.parametrize(
    "symbol", ["rho_mad", "IV_gap", "IV_ccc", "mean_MMD", "chi2_V", "identical", "close", "MIA_AUC"]
)
def test_fresh_people_of_unequal_numbers_are_found_in_5_percent(symbol: str) -> None:
    p = [
        table(
            people(300, 3 * i),
            people(900, 3 * i + 1),
            people(150, 3 * i + 2),
            mode="corrected",
            tests=[symbol],
            seed=i,
        ).loc[symbol, "p"]
        for i in range(500)
    ]
    assert np.mean(np.array(p) <= 0.05) <= 0.08  # an exact test exceeds it once in 600 runs


def test_the_printed_chi_square_finds_fresh_people_and_that_of_two_samples_does_not() -> None:
    rng = np.random.default_rng(1)
    draws = [[rng.multinomial(1000, np.full(10, 0.1)) for _ in range(2)] for _ in range(1000)]
    printed = np.mean([printed_chi_square(*pair).p_value <= 0.05 for pair in draws])
    both = np.mean([two_samples(*pair)[0].p_value <= 0.05 for pair in draws])
    assert printed > 0.4
    assert both < 0.08
