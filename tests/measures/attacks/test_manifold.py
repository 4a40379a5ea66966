"""Precision, recall, authenticity, density and coverage: definitions and references."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from sdcmetrics import manifold
from sdcmetrics.errors import DataError
from tests.measures.attacks.populations import three


def by_definition(original: np.ndarray, made: np.ndarray) -> dict[str, float]:
    """Return density, coverage and authenticity of numbers, pair by pair."""
    both = np.abs(original[:, None] - made[None]).sum(axis=2)
    own = np.abs(original[:, None] - original[None]).sum(axis=2)
    np.fill_diagonal(own, np.inf)
    radius = np.sort(own, axis=1)[:, 4]
    held = both <= radius[:, None]
    parent = both.argmin(axis=0)
    return {
        "density": held.sum() / (5 * len(made)),
        "coverage": held.any(axis=1).mean(),
        "authenticity": (both.min(axis=0) > own.min(axis=1)[parent]).mean(),
    }


def test_equals_the_definition() -> None:
    rng = np.random.default_rng(1)
    parts = rng.normal(size=(3, 40, 3))
    frames = [pd.DataFrame(part, columns=list("abc")) for part in parts]
    result = manifold(*frames).table["replica"]
    ranks = rankdata(parts.reshape(120, 3), axis=0).reshape(3, 40, 3)
    for name, value in by_definition(ranks[0], ranks[1]).items():
        assert result[name] == pytest.approx(value)


def test_a_copy_has_the_best_and_nobody_of_it_is_authentic() -> None:
    original, holdout, _ = three(1, n=150, h=150)
    table = manifold(original, original, holdout).table
    assert table["replica"].tolist() == table["copy"].tolist()
    copy = table["copy"]
    assert copy["coverage"] == 1
    assert copy["authenticity"] == 0
    assert copy["alpha_precision"] == pytest.approx(1, abs=0.02)
    assert copy["beta_recall"] > table.loc["beta_recall", "holdout"]


def test_other_people_are_like_the_holdout() -> None:
    original, holdout, replica = three(2, n=300, h=300, m=300)
    table = manifold(original, replica, holdout).table
    assert table["replica"].to_numpy() == pytest.approx(table["holdout"].to_numpy(), abs=0.12)


def test_figures_of_several_files_are_means_over_them() -> None:
    original, holdout, replica = three(3, n=90, h=60, m=80)
    files = [replica, original[:50], replica[:70]]
    result = manifold(original, files, holdout)
    alone = [manifold(original, file, holdout) for file in files]
    mean = sum(part.table for part in alone) / 3
    pd.testing.assert_frame_equal(result.table, mean)
    assert (result.n, result.size) == (90, 50)
    again = manifold(original, [replica, replica], holdout)
    pd.testing.assert_frame_equal(again.table, alone[0].table)


def test_all_three_are_cut_to_as_many_records() -> None:
    original, holdout, replica = three(3, n=200, h=60, m=250)
    result = manifold(original, replica, holdout)
    assert (result.n, result.size) == (200, 60)
    assert result.value("coverage") < 0.95  # of 60 records, and not of 250


def test_nonsense_has_neither_precision_nor_coverage() -> None:
    original, holdout, replica = three(4, n=150, h=150, m=150)
    away = replica.assign(age=replica["age"] + 500, income=replica["income"] * 50 + 1e6, job="x")
    table = manifold(original, away, holdout).table
    assert table.loc["coverage", "replica"] < 0.2 * table.loc["coverage", "holdout"]
    assert table.loc["authenticity", "replica"] > 0.9


def test_few_records_are_refused() -> None:
    original, holdout, replica = three(5, n=50, h=5, m=50)
    with pytest.raises(DataError, match="at least 10"):
        manifold(original, replica, holdout)


def test_figures_of_a_larger_file_are_means_over_draws() -> None:
    rng = np.random.default_rng(6)
    parts = [rng.normal(size=(size, 3)) for size in (60, 90, 40)]
    result = manifold(*(pd.DataFrame(part, columns=list("abc")) for part in parts), seed=3)
    ranks = rankdata(np.concatenate(parts), axis=0)
    draws = np.random.default_rng(3)
    rows = [np.sort(draws.choice(90, 40, replace=False)) for _ in range(20)]
    figures = pd.DataFrame([by_definition(ranks[:60], ranks[60:150][row]) for row in rows])
    for name, value in figures.mean().items():
        assert result.value(str(name)) == pytest.approx(value)
    one_holdout = by_definition(ranks[:60], ranks[150:])
    assert result.value("coverage", "holdout") == pytest.approx(one_holdout["coverage"])
