"""How cells vary where clusters are drawn, beside draws."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.homogeneity.drawn_clusters import covariance_of_drawn


def raked(table: np.ndarray, aimed: np.ndarray) -> np.ndarray:
    """Return a table fitted to the margins of each of several, entry by entry."""
    out = np.broadcast_to(table.astype(float), aimed.shape)
    for _ in range(200):
        for axis in (2, 1):
            has, sums = out.sum(axis, keepdims=True), aimed.sum(axis, keepdims=True)
            out = out * np.divide(sums, has, out=np.zeros(has.shape), where=has > 0)
    return out


@pytest.mark.parametrize("size", [1, 2, 5])
def test_it_is_that_of_draws_from_the_original(size: int) -> None:
    # Records of a cluster share their row in part; twice as many clusters are drawn as there are.
    rng = np.random.default_rng(size)
    clusters = np.repeat(np.arange(400), size)
    shared = rng.integers(0, 4, 400)[clusters]
    row = np.where(rng.random(len(clusters)) < 0.7, shared, rng.integers(0, 4, len(clusters)))
    column = (row + rng.integers(0, 3, len(clusters))) % 5
    cells = row * 5 + column
    parts = np.zeros((400, 20))
    np.add.at(parts, (clusters, cells), 1)
    table = parts.sum(0).reshape(4, 5)
    drawn = (rng.multinomial(800, np.full(400, 1 / 400), 3000) @ parts).reshape(-1, 4, 5)
    simulated = np.cov((drawn - raked(table, drawn)).reshape(-1, 20).T)

    filled = np.flatnonzero(table.ravel())
    levels = filled // 5, filled % 5
    place = np.searchsorted(filled, cells)
    chosen = np.arange(len(filled)) % 3 > 0
    out = covariance_of_drawn(levels, 2 * table.ravel()[filled], place, clusters, chosen)
    expected = simulated[np.ix_(filled[chosen], filled[chosen])]
    assert out == pytest.approx(expected, abs=0.1 * np.abs(expected).max())
    assert np.trace(out) == pytest.approx(np.trace(expected), rel=0.05)


def test_clusters_that_have_each_column_once_do_not_vary() -> None:
    person, column = np.divmod(np.arange(90), 3)
    cells = (person % 5) * 3 + column
    levels = np.divmod(np.arange(15), 3)
    every = np.full(15, True)
    out = covariance_of_drawn(levels, np.full(15, 6.0), cells, person, every)
    assert out == pytest.approx(np.zeros((15, 15)), abs=1e-9)
    alone = covariance_of_drawn(levels, np.full(15, 6.0), cells, np.arange(90), every)
    assert np.diagonal(alone) == pytest.approx(6.0 * (1 - 1 / 3) * (1 - 1 / 5))


def test_columns_of_very_many_levels_are_not_told() -> None:
    for rows, told in ((998, True), (999, False)):
        levels = np.divmod(np.arange(2 * rows), 2)
        cells = np.repeat(np.arange(2 * rows), 2)
        few = np.arange(2 * rows) < 4
        out = covariance_of_drawn(levels, np.full(2 * rows, 2.0), cells, np.arange(4 * rows), few)
        assert np.diagonal(out) == pytest.approx(told * (1 - 1 / rows))
