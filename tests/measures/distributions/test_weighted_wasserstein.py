"""Weighted distances against closed forms of their errors, scipy and simulated designs."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics import wasserstein, weighted_wasserstein
from sdcmetrics.errors import NotComputable
from sdcmetrics.microdata.arrays import Floats
from tests.measures.survey.test_linearised import clustered, fresh

Parts = tuple[Floats, Floats]


def shifted(by: float, n: int = 900, m: int = 400, seed: int = 1) -> Parts:
    """Return two samples, the second of a law that lies so much higher."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.normal(by, 1, m)


def row_of(parts: Parts, **options: object) -> pd.Series:
    """Return what is said of two samples of equal weights."""
    first, other = (pd.DataFrame({"x": part}) for part in parts)
    return weighted_wasserstein(first, other, **options).loc["x"]  # type: ignore[arg-type]


def area_of_errors(parts: Parts, grid: Floats, *, drawn: bool = False) -> float:
    """Return the expected area between two distribution functions of one law, normal errors."""
    n, m = map(len, parts)
    below = np.array([(part[:, None] <= grid).mean(0) for part in parts])
    pooled = (n * below[0] + m * below[1]) / (n + m)
    first, second = below[0] * (1 - below[0]), pooled * (1 - pooled)
    variance = first / m if drawn else first / (n - 1) + second / m
    return float(np.sqrt(2 / math.pi * variance)[:-1] @ np.diff(grid))


@pytest.mark.parametrize("by", [0.0, 0.5])
@pytest.mark.parametrize("distinct", [30, 10_000])
def test_what_fresh_people_and_draws_show(by: float, distinct: int) -> None:
    parts = shifted(by)
    if distinct < 100:  # ties: the grid is that of all values
        parts = tuple(np.round(part * 5) / 5 for part in parts)  # type: ignore[assignment]
    grid = np.unique(np.concatenate(parts))
    row = row_of(parts, draws=2000)
    scale = np.subtract(*np.quantile(parts[0], [0.75, 0.25], method="inverted_cdf"))
    assert row["scale"] == pytest.approx(scale, rel=0.02)
    for name in ("fresh", "drawn"):
        expected = area_of_errors(parts, grid, drawn=name == "drawn")
        assert row[name] * row["scale"] == pytest.approx(expected, rel=0.05)
    assert (row["original"], row["synthetic"]) == (900, 400)


@pytest.mark.parametrize("cells", [200, 8])
def test_the_interval_of_a_shift_is_that_of_a_difference_of_means(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdcmetrics.measures.distributions.weighted_wasserstein._CELLS", cells)
    parts = shifted(1.0)
    row = row_of(parts, draws=2000)
    apart = parts[1].mean() - parts[0].mean()
    # the replica's errors are drawn from both pooled: wider by the shift than its own
    pooled = np.concatenate(parts)
    error = math.sqrt(parts[0].var() / 900 + pooled.var() / 400)
    assert row["W1"] * row["scale"] == pytest.approx(apart, rel=1e-3)
    assert row["low"] * row["scale"] == pytest.approx(apart - 1.96 * error, abs=0.2 * error)
    assert row["high"] * row["scale"] == pytest.approx(apart + 1.96 * error, abs=0.2 * error)
    assert row["p"] == 1 / 2001


def test_a_draw_has_errors_of_the_original_and_not_of_a_narrow_replica() -> None:
    parts = shifted(0.0)[0], np.full(400, 0.25)
    row = row_of(parts, draws=2000)
    grid = np.unique(np.concatenate(parts))
    expected = area_of_errors(parts, grid, drawn=True)
    assert row["drawn"] * row["scale"] == pytest.approx(expected, rel=0.05)


def test_as_many_values_as_cells_are_all_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    original = np.repeat([0.0, 1.0, 2.0], [90, 6, 4])
    row = row_of((original, original[::2]))
    monkeypatch.setattr("sdcmetrics.measures.distributions.weighted_wasserstein._CELLS", 3)
    pd.testing.assert_series_equal(row_of((original, original[::2])), row)


def test_an_interval_of_a_small_distance_is_as_wide_below_as_above() -> None:
    row = row_of(shifted(0.18, 300, 200, seed=3))
    assert 0 < row["low"] == pytest.approx(2 * row["W1"] - row["high"])


def test_an_interval_reaches_0_where_nothing_is_found() -> None:
    row = row_of(shifted(0.0))
    assert row["p"] > 0.05
    assert row["low"] == 0.0
    assert row["W1"] < row["high"]


def test_a_copy_is_at_0_with_a_p_of_1() -> None:
    row = row_of((shifted(0)[0],) * 2)
    assert (row["W1"], row["low"], row["p"]) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("shift", [0.0, 8.0])
@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_place_and_unit_do_not_matter(shift: float, unit: float) -> None:
    parts = shifted(0.3, 200, 150)
    moved = tuple(unit * (part + shift) for part in parts)
    plain, other = row_of(parts), row_of(moved)  # type: ignore[arg-type]
    for name in ("W1", "low", "high", "fresh", "drawn"):
        assert other[name] == pytest.approx(plain[name], rel=1e-9)
    assert other["p"] == plain["p"]
    assert other["scale"] == pytest.approx(unit * plain["scale"])


def test_without_an_interquartile_range_the_unit_is_the_standard_deviation() -> None:
    original = np.append(np.full(90, 2.0), np.full(10, 7.0))
    row = row_of((original, original[::2] + 1.0))
    assert row["scale"] == pytest.approx(original.std(), rel=0.01)
    assert row["W1"] == pytest.approx(1 / original.std(), rel=0.01)


def test_a_constant_has_no_unit_and_no_p() -> None:
    row = row_of((np.full(20, 3.0), np.full(20, 4.0)))
    assert all(math.isnan(row[name]) for name in ("W1", "low", "high", "p", "fresh", "drawn"))
    assert row["synthetic"] == 20


def test_values_that_are_missing_count_in_neither_number() -> None:
    parts = shifted(0.2, 60, 50)
    gone = np.append(parts[0], [np.nan] * 5), np.append(parts[1], [np.nan] * 9)
    row, plain = row_of(gone), row_of(parts)
    assert (row["original"], row["synthetic"]) == (60, 50)
    assert row["W1"] == pytest.approx(plain["W1"])
    assert row["fresh"] == pytest.approx(plain["fresh"], rel=0.1)
    for empty in ((np.full(4, np.nan), parts[1]), (parts[0], np.full(4, np.nan))):
        with pytest.raises(NotComputable, match="a data set has no value"):
            row_of(empty)


def test_few_clusters_have_errors_of_students_t() -> None:
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(6), 200)
    x = rng.normal(size=6)[cluster] + rng.normal(size=1200)
    sample = pd.DataFrame({"x": x, "c": cluster})
    replica = pd.DataFrame({"x": rng.normal(size=100_000) * 1.4})
    row = weighted_wasserstein(sample, replica, cluster="c", draws=4000).loc["x"]
    values = np.sort(x)
    below = (x[:, None] <= values).reshape(6, 200, -1).mean(1)
    error = below.std(0, ddof=1) / math.sqrt(6)
    # E|t| of five degrees of freedom, times the error of each point of the function
    expected = float(stats.t(5).expect(abs) * error[:-1] @ np.diff(values))
    assert row["fresh"] * row["scale"] == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize("weighted", [False, True])
def test_few_records_have_errors_of_students_t_beside_normal_ones_of_a_simple_replica(
    *, weighted: bool
) -> None:
    sample = pd.DataFrame({"x": [0.0, 0, 1, 1], "w": 1.0})
    replica = pd.DataFrame({"x": [0.0, 1, 0, 1], "w": [1.0, 1, 2, 2]})
    if not weighted:
        replica = replica[["x"]].head(2)
    own = {"synthetic_weight": "w"} if weighted else {}
    row = weighted_wasserstein(sample, replica, weight="w", draws=2000, **own).loc["x"]  # type: ignore[arg-type]
    first = 1 / 4 / 3  # variances of a half; of weights 1, 1, 2, 2: 4 / 3 sum w^2 / 6^2 of it
    other = 1 / 4 * (4 / 3 * 10 / 36 if weighted else 1 / 2)
    spread = stats.chi2(3).expect(
        lambda square: np.sqrt(first * 3 / square + other * (3 / square if weighted else 1))
    )
    assert row["fresh"] == pytest.approx(math.sqrt(2 / math.pi) * spread, rel=0.06)


def test_a_weighted_replica_has_the_errors_of_its_weights() -> None:
    rng = np.random.default_rng(5)
    x, y, w = rng.normal(size=20_000), rng.normal(size=300), rng.choice([1.0, 9.0], 300)
    sample = pd.DataFrame({"x": x, "w": 1.0})
    replica = pd.DataFrame({"x": y, "w": w})
    row = weighted_wasserstein(sample, replica, weight="w", synthetic_weight="w", draws=2000).loc[
        "x"
    ]
    grid = np.unique(y)
    share = w / w.sum()
    inside: npt.NDArray[np.bool_] = y[:, None] <= grid
    variance = (share**2) @ (inside - share @ inside) ** 2
    expected = float(np.sqrt(2 / math.pi * variance)[:-1] @ np.diff(grid))
    for name in ("fresh", "drawn"):
        assert row[name] * row["scale"] == pytest.approx(expected, rel=0.06)


SAMPLED = {"weight": "w", "strata": "st", "cluster": "cl"}


def test_the_distance_is_that_of_scipy() -> None:
    rng = np.random.default_rng(5)
    first = pd.DataFrame({"x": rng.normal(size=700), "w": rng.uniform(1, 9, 700)})
    other = pd.DataFrame({"x": rng.normal(0.2, 1.2, 500), "w": rng.uniform(1, 3, 500)})
    result = weighted_wasserstein(first, other, weight="w", synthetic_weight="w").loc["x"]
    expected = stats.wasserstein_distance(first["x"], other["x"], first["w"], other["w"])
    assert result["W1"] * result["scale"] == pytest.approx(expected, rel=1e-12)


def test_missing_values_are_left_out_and_their_clusters_are_not() -> None:
    file = clustered(np.random.default_rng(6))
    gone = file.assign(y=file["y"].where(file["cl"] > 2))
    known = file[file["cl"] > 2]
    first, other = (
        weighted_wasserstein(f, known[["y"]] + 0.3, variables=["y"], **SAMPLED).loc["y"]
        for f in (gone, known)
    )
    assert first["W1"] == pytest.approx(other["W1"], rel=1e-12)
    assert first["original"] == other["original"] == len(known)


def test_of_equal_weights_it_is_the_permutation_test() -> None:
    rng = np.random.default_rng(7)
    p = []
    for i in range(8):
        first, other = (pd.DataFrame({"x": rng.gamma(2, size=300)}) for _ in "ab")
        other["x"] += 0.03 * i
        permuted = wasserstein(first, other, draws=0).loc["x"]
        normal = weighted_wasserstein(first, other).loc["x"]
        assert normal["W1"] == pytest.approx(permuted["W1"], rel=0.02)  # quartiles differ
        p.append((normal["p"], permuted["p"]))
    assert max(abs(a - b) for a, b in p) < 0.06


def test_fresh_people_are_rejected_in_five_of_a_hundred_and_others_are_found() -> None:
    rng = np.random.default_rng(8)
    p, result = [], []
    for _ in range(120):
        sample, people = clustered(rng).round({"y": 1}), fresh(rng, 480).round({"y": 1})
        row = weighted_wasserstein(sample, people[["y"]], variables=["y"], draws=99, **SAMPLED).loc[
            "y"
        ]
        p.append(row["p"])
        wrong = people[["y"]] + 1.0
        result.append(
            weighted_wasserstein(sample, wrong, variables=["y"], draws=99, **SAMPLED).loc["y"]
        )
    assert 1 <= (np.array(p) <= 0.05).sum() <= 14
    shifted = pd.DataFrame(result)
    assert (shifted["p"] <= 0.05).mean() > 0.9
    true = 1.0 / shifted["scale"]
    assert ((shifted["low"] <= true) & (true <= shifted["high"])).mean() > 0.85


@pytest.mark.parametrize(("draws", "above"), [(19, True), (18, False)])
def test_the_interval_is_above_0_where_p_is_at_most_a_twentieth(draws: int, *, above: bool) -> None:
    row = row_of(shifted(4.0, 60, 40), draws=draws)
    assert row["p"] == 1 / (1 + draws)
    assert bool(row["low"] > 0) is above
