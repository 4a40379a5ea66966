"""How cells vary where records are drawn, beside draws and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.homogeneity import drawn_records
from sdcmetrics.measures.homogeneity.drawn_clusters import covariance_of_drawn
from sdcmetrics.measures.homogeneity.drawn_records import covariance_of_records


def staircase(rng: np.random.Generator, steps: int) -> np.ndarray:
    """Return a table of which each row meets two columns, and each column two rows."""
    out = np.zeros((steps, steps + 1), dtype=np.int64)
    for step in range(steps):
        out[step, step : step + 2] = rng.integers(3, 9, 2)
    return out


@pytest.mark.parametrize("shape", [(6, 5), (3, 9)])
def test_it_is_that_of_clusters_of_one_record(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(shape))
    table = rng.poisson(3.0, shape) + (rng.random(shape) < 0.5)
    rows, columns = np.nonzero(table)
    counts = table[rows, columns]
    expected = 2.0 * counts
    chosen = rng.random(len(counts)) < 0.7
    cells = np.repeat(np.arange(len(counts)), counts)
    alone = np.arange(len(cells))
    drawn = covariance_of_drawn((rows, columns), expected, cells, alone, chosen)
    out = covariance_of_records((rows, columns), expected, chosen)
    assert out == pytest.approx(drawn, abs=1e-6)
    assert covariance_of_records((columns, rows), expected, chosen) == pytest.approx(out, abs=1e-6)


def test_margins_leave_nothing_of_a_staircase() -> None:
    table = staircase(np.random.default_rng(1), 9)
    rows, columns = np.nonzero(table)
    every = np.ones(len(rows), dtype=bool)
    out = covariance_of_records((rows, columns), table[rows, columns].astype(float), every)
    assert out == pytest.approx(np.zeros((18, 18)), abs=1e-6)


def test_cells_that_expect_nothing_take_no_part() -> None:
    rows, columns = np.divmod(np.arange(12), 4)
    expected = np.full(12, 5.0)
    expected[[3, 7, 11]] = 0.0
    chosen = np.arange(12) % 4 == 1
    out = covariance_of_records((rows, columns), expected, chosen)
    free = 5.0 * (1 - 1 / 3) * (1 - 1 / 3)
    assert np.diagonal(out) == pytest.approx(free)
    assert out.sum() == pytest.approx(0.0, abs=1e-6)  # a column adds up to its sum


def test_of_many_cells_there_are_variances_and_of_many_levels_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    rows, columns = np.divmod(np.arange(30), 5)
    expected, chosen = rng.uniform(1, 9, 30), np.arange(30) % 2 == 0
    whole = covariance_of_records((rows, columns), expected, chosen)
    monkeypatch.setattr(drawn_records, "_MOST_STEPS", 15 * 15 * 5 - 1)
    few = covariance_of_records((rows, columns), expected, chosen)
    assert few == pytest.approx(np.diagonal(whole))
    for name, most in (("_MOST_LEVELS", 4), ("_MOST", 5 * 15 - 1)):
        with monkeypatch.context() as patch:
            patch.setattr(drawn_records, name, most)
            assert covariance_of_records((rows, columns), expected, chosen).size == 0
            patch.setattr(drawn_records, name, most + 1)
            assert covariance_of_records((rows, columns), expected, chosen).size
