"""How often a holdout is found, over many draws: hours are not spent on it every time.

Run with SDCMETRICS_SLOW=1; the figures of the last run are in docs/daisynt.md. For others:
python -m tests.suites.daisynt.test_fresh DRAWS [SYMBOL ...]
"""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from sdcmetrics.measures.crosstables.chi_square import printed_chi_square, two_samples
from sdcmetrics.suites.daisynt.corrected import CORRECTED
from tests.suites.daisynt.test_table import ROLES, people, table

pytestmark = pytest.mark.skipif("SDCMETRICS_SLOW" not in os.environ, reason="takes an hour")

WITHOUT_P = {"aggregate_gap", "pred_rho", "CKA_rel"}
TESTED = [test.symbol for test in CORRECTED if test.symbol not in WITHOUT_P]


def of_fresh(draw: int, symbols: list[str]) -> np.ndarray:
    """The p of the holdout, of three unequal numbers of records."""
    sets = (people(n, 3 * draw + i) for i, n in enumerate((300, 900, 150)))
    result = table(*sets, mode="corrected", tests=symbols, seed=draw, **ROLES)
    p: np.ndarray = result.loc[symbols, "p"].to_numpy(float)
    return p


@pytest.mark.parametrize("symbol", TESTED)
def test_fresh_people_of_unequal_numbers_are_found_in_5_percent(symbol: str) -> None:
    p = [of_fresh(draw, [symbol]) for draw in range(500)]
    assert np.mean(np.array(p) <= 0.05) <= 0.08  # an exact test exceeds it once in 600 runs


def test_the_printed_chi_square_finds_fresh_people_and_that_of_two_samples_does_not() -> None:
    rng = np.random.default_rng(1)
    draws = [[rng.multinomial(1000, np.full(10, 0.1)) for _ in range(2)] for _ in range(1000)]
    printed = np.mean([printed_chi_square(*pair).p_value <= 0.05 for pair in draws])
    both = np.mean([two_samples(*pair)[0].p_value <= 0.05 for pair in draws])
    assert printed > 0.4
    assert both < 0.08


if __name__ == "__main__":
    found, symbols = [], sys.argv[2:] or TESTED
    for draw in range(int(sys.argv[1])):
        found.append(of_fresh(draw, symbols))
        if draw % 10 == 9:
            shares = (np.array(found) <= 0.05).mean(axis=0).round(4).tolist()
            print(draw + 1, dict(zip(symbols, shares, strict=True)), flush=True)  # noqa: T201
