"""Ends, divisors and guards of SynthEval's metrics, each on a handful of records."""

# ruff: noqa: ARG001, ARG005  (what stands in takes what it stands for takes)

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import ColumnError, NotComputable, StudyError
from sdcmetrics.measures.neighbours import Gower, Points
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.suites.metric import Quantity
from sdcmetrics.suites.syntheval import (
    adversarial,
    association,
    components,
    discrepancy,
    distributions,
    learnt,
    moments,
    parity,
    passes,
    published,
    ratios,
    risks,
    shifts,
)
from sdcmetrics.suites.syntheval import nearest as rows
from sdcmetrics.suites.syntheval.passes import Searches
from sdcmetrics.suites.trio import Trio
from tests.suites.syntheval.recorded import trio as of_frames
from tests.suites.test_trio import trio
from tests.versions import same

Put = pytest.MonkeyPatch


def near(value: float) -> Any:
    return pytest.approx(value)


def numbers(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({name: np.asarray(values, float) for name, values in columns.items()})


def beside(first: list[float], own: list[float], other: list[float], among: list[float]) -> Any:
    return SimpleNamespace(
        to_other=np.array(first), to_own=np.array(own),
        other_to_first=np.array(other), other_to_own=np.array(among),
    )  # fmt: skip


@pytest.mark.parametrize(("n", "one_size"), [(3, False), (4, True), (5, True)])
def test_the_published_accuracy_is_at_one_size_from_twice_the_records(
    monkeypatch: Put, n: int, *, one_size: bool
) -> None:
    asked: list[float] = []

    def at_one_size(distances: Any, *, ties: float) -> Any:
        asked.append(ties)
        return SimpleNamespace(value=0.125)

    monkeypatch.setattr(adversarial, "adversarial_accuracy", at_one_size)
    # two of n are further from the other set than from their own; of two records one is
    some = beside([2.0, 2, *[1] * (n - 2)], [1.0] * n, [3.0, 1], [1.0, 1])
    value = adversarial._as_published(some)
    assert asked == ([0.0] if one_size else [])
    assert value == (0.125 if one_size else (2 / 3 + 1 / 2) / 2)
    turned = beside([3.0, 1], [1.0, 1], [2.0, 2, *[1] * (n - 2)], [1.0] * n)
    assert adversarial._as_published(turned) == value


def test_the_published_loss_is_of_the_holdout_less_the_original(monkeypatch: Put) -> None:
    values = {"original": 0.25, "holdout": 0.75}
    pool = SimpleNamespace(compare=lambda name, other: values[name])
    monkeypatch.setattr(adversarial, "published_points", lambda trio, distance: pool)
    monkeypatch.setattr(adversarial, "_as_published", lambda value: value)
    view: Any = SimpleNamespace(has_holdout=True)
    result = adversarial._published_nnaa(view)
    assert same(result["avg"], Quantity(0.25, 0.0, 0.75))
    assert (result["priv_loss"].value, result["priv_loss"].normalised) == (0.5, 0.5)
    values["holdout"] = 0.125
    assert adversarial._published_nnaa(view)["priv_loss"].normalised == 0.875
    view.has_holdout = False
    assert [*adversarial._published_nnaa(view)] == ["avg"]


@pytest.mark.parametrize(("sizes", "cut"), [((9, 6, 5), 0), ((5, 6, 9), 2), ((6, 5, 6), None)])
def test_of_original_and_holdout_the_larger_is_cut(
    monkeypatch: Put, sizes: tuple[int, ...], cut: int | None
) -> None:
    drawn: list[tuple[int, int]] = []
    compared: list[tuple[str, int]] = []
    values = {"original": 0.25, "holdout": 0.5}

    def compare(pool: Searches, first: Any, second: Any) -> Any:
        assert second == "synthetic"
        assert pool.points["synthetic"].n == sizes[1]
        compared.append((first, pool.points[first].n))
        return first

    def accuracy(name: str) -> Any:
        return SimpleNamespace(value=values[name])

    view = trio(sizes)
    kept = view.drawn

    def draw(part: int, size: int, rng: Any) -> Any:
        drawn.append((part, size))
        return kept(part, size, rng)

    monkeypatch.setattr(Searches, "compare", compare)
    monkeypatch.setattr(adversarial, "adversarial_accuracy", accuracy)
    monkeypatch.setattr(view, "drawn", draw)
    least = min(sizes[0], sizes[2])
    assert same(adversarial._loss(view), Quantity(0.25, normalised=0.75))
    assert compared == [("original", least), ("holdout", least)]
    assert drawn == ([] if cut is None else [(cut, least)])
    values["holdout"] = 0.0
    assert same(adversarial._loss(view), Quantity(-0.25, normalised=1.0))


def test_a_half_is_as_good_as_any_and_the_means_of_both_are_added(monkeypatch: Put) -> None:
    made = adversarial.Accuracy(np.array([1.0, 0.5, 0.0]), np.array([0.25]))
    assert made.value == 0.375
    monkeypatch.setattr(adversarial, "comparison", lambda trio: None)
    monkeypatch.setattr(adversarial, "adversarial_accuracy", lambda distances: made)
    view: Any = SimpleNamespace(has_holdout=False)
    result = adversarial._nnaa(view)
    assert {name: q.value for name, q in result.items()} == {
        "avg": 0.375, "original half": 0.5, "synthetic half": 0.25,
    }  # fmt: skip


def test_a_sample_of_all_holds_whoever_is_marked() -> None:
    none = adversarial._holds_none(4, np.array([0, 1, 2, 3, 4]), 2)
    assert none == pytest.approx([1, 3 / 6, 1 / 6, 0, 0])
    assert adversarial._holds_none(3, np.array([0, 1]), 3).tolist() == pytest.approx([1, 0])


def test_losses_of_nearest_records_run_from_minus_1() -> None:
    losses = [measure for measure in rows.MEASURES if measure.symbol.startswith("priv_loss")]
    assert len(losses) == 4
    for loss in losses:
        assert (loss.low, loss.high, loss.better) == (-1, 1, "lower")
        assert loss.reference_values is not None
        assert (loss.reference_values.procedure, loss.reference_values.fresh) == ("P3", 0.0)
    copies = {
        measure.symbol: measure.reference_values.copy
        for measure in rows.MEASURES
        if measure.reference_values is not None and measure not in losses
    }
    assert callable(copies.pop("eps_identif_risk"))
    assert copies == {"avg_nndr": 0.0, "median_DCR": 0.0, "hit_rate": 1.0}


def associations(rms: float, largest: float, left: int, pairs: int) -> Any:
    return SimpleNamespace(
        rms=rms, largest=largest, not_computable=left, pairs=pairs, names=("a", "b", "c")
    )


def test_associations_that_are_left_out_are_counted() -> None:
    result = association._shown(associations(0.25, 0.5, 0, 3), "corr_mat")
    assert same(result["corr_mat_diff"], Quantity(0.25, normalised=0.75))
    assert (result["largest"].value, result["largest"].normalised) == (0.5, 0.5)
    assert result["corr_mat_dims"].value == 3
    result = association._shown(associations(1.5, 2.0, 2, 1), "corr_mat")
    assert result["corr_mat_diff"].normalised == result["largest"].normalised == 0.0
    assert result["corr_mat_diff"].reason == (
        "2 pairs left out: a column is constant in the original"
    )
    with pytest.raises(NotComputable, match="no pair of columns that vary"):
        association._shown(associations(math.nan, math.nan, 3, 0), "corr_mat")


def test_the_norm_is_over_the_number_of_pairs() -> None:
    off = np.array([[0, 0.1, 0.2], [0.1, 0, 0.2], [0.2, 0.2, 0]])
    result = association._norm(off, "norm", "columns")
    assert result["norm"].value == pytest.approx(math.sqrt(0.18))
    assert result["norm"].normalised == pytest.approx(1 - math.sqrt(0.18) / 3)
    assert result["norm"].reason == ""
    off[0, 1] = math.nan
    assert association._norm(off, "norm", "columns")["norm"].reason


def test_without_categories_the_matrix_is_of_numbers() -> None:
    frame = numbers(x=[1, 2, 3, 4], y=[1, 2, 3, 5]).assign(g=list("abab"), h=list("aabb"))
    other = frame.assign(y=[5.0, 3, 2, 1])
    view = of_frames(frame, other, categorical=["g", "h"])
    result = association._published_corr(view, mixed_corr=False)
    assert result["corr_mat_dims"].value == 2
    change = 2 * np.corrcoef(frame["x"], frame["y"])[0, 1]
    assert result["corr_mat_diff"].value == pytest.approx(math.sqrt(2) * change)
    assert association._published_corr(view)["corr_mat_dims"].value == 4


def test_components_of_a_turned_column() -> None:
    first = numbers(x=[1, 2, 3, 4, 5, 6], y=[1, 2, 3, 4, 6, 5], z=[7] * 6)
    other = first.assign(y=first["y"].to_numpy()[::-1], z=[1.0, 2, 1, 2, 1, 2])
    r = np.corrcoef(first["x"], first["y"])[0, 1]
    s = np.corrcoef(other["x"], other["y"])[0, 1]
    result = components._pca(of_frames(first, other, categorical=[]))
    assert result["rms correlation"].value == pytest.approx(r - s)
    assert result["rms correlation"].normalised == pytest.approx(1 - (r - s) / 2)
    # eigenvalues 1 + |r|, 1 - |r|: 2 / 2 times twice the difference of their halves
    assert result["exp_var_diff"].value == pytest.approx(abs(r - abs(s)))
    assert result["exp_var_diff"].normalised == pytest.approx(1 - abs(r - abs(s)))
    assert result["comp_angle_diff"].reason == (
        f"the largest gap of eigenvalues is {2 * r:.2g}, and {4 * math.sqrt(2 / 3):.2g} is needed"
    )


def test_a_clear_angle_is_told_with_its_gap() -> None:
    x = np.arange(200.0)
    one = numbers(x=x, y=x)
    result = components._pca(of_frames(one, one.assign(y=-x), categorical=[]))
    assert result["comp_angle_diff"].value == pytest.approx(1)
    assert result["comp_angle_diff"].normalised == pytest.approx(0)
    assert result["comp_angle_diff"].reason == "of the first 1 axes; gap 2, needed 0.57"
    # of three with one apart, the first two axes lead: 2 eigenvalues of 3/2, 0 to the third
    turned = np.array([[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]])
    angle, k, gap = components.leading_angle(turned, turned, n=10**4, m=10**4)
    assert (k, gap) == (2, near(1.5))
    assert angle == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"x": [1, 2], "y": [1, 1]}, "fewer than two columns of numbers that vary"),
        ({"x": [1, np.nan], "y": [1, 2]}, "fewer than two records with every number"),
        ({"x": [1, 2], "y": [2, 1]}, ""),
    ],
)
def test_components_need_two_records_and_two_columns(columns: Any, words: str) -> None:
    first, other = numbers(**columns), numbers(x=[1, 3], y=[1, 2])
    for pair in ((first, other), (other, first)) if "records" in words else ((first, other),):
        view = of_frames(*pair, categorical=[])
        if words:
            with pytest.raises(NotComputable, match=words):
                components._pca(view)
        else:
            # correlations of -1 and 1 have the same eigenvalues
            assert components._pca(view)["exp_var_diff"].value == pytest.approx(0)


def test_the_published_angle_is_of_the_first_axes() -> None:
    first = numbers(x=[0, 1, 2, 3], y=[0, 1, 2, 3.5])
    result = components._published_pca(
        of_frames(first, first.assign(y=-first["y"]), categorical=[])
    )
    assert result["comp_angle_diff"].value == pytest.approx(1)
    assert result["comp_angle_diff"].normalised == pytest.approx(0)
    assert result["exp_var_diff"].value == pytest.approx(0)
    assert result["exp_var_diff"].normalised == pytest.approx(1)
    wide, flat = numbers(x=[0, 4, 0, 4], y=[0, 0, 1, 1]), numbers(x=[0, 0, 1, 1], y=[0, 4, 0, 4])
    view = of_frames(wide, flat, categorical=[])  # both from 0 to 4: variances 4 and 1/4
    result = components._published_pca(view, preprocess="mean")
    assert result["comp_angle_diff"].value == pytest.approx(1)
    for pair in ((first[["x"]], first[["x"]]), (first, first[:1]), (first[:1], first)):
        with pytest.raises(NotComputable, match="fewer than two columns of numbers, or two"):
            components._published_pca(of_frames(*pair, categorical=[]))
    two = of_frames(first[:2], first[2:], categorical=[])
    assert components._published_pca(two)["exp_var_diff"].value == pytest.approx(0)


def test_points_are_levels_over_root_2_and_numbers_in_deviations() -> None:
    frame = numbers(x=[1, 3, np.nan], k=[5, 5, 5], none=[np.nan] * 3).assign(g=list("aba"))
    view = of_frames(frame, frame.assign(k=[6.0, 5, 4], none=[1.0, 2, 3]), categorical=["g"])
    half = math.sqrt(0.5)
    assert discrepancy._one_hot(view.synthetic, view.original) == pytest.approx(
        np.array([[half, 0, -1, 0, 1, 0], [0, half, 1, 0, 0, 0], [half, 0, 0, 1, -1, 0]])
    )


@pytest.mark.parametrize("block", [1024, 7])
def test_every_exchange_is_compared_as_the_data_are(monkeypatch: Put, block: int) -> None:
    points = np.array([0.0, 1.5, 2, 4, 9])
    kernel = np.exp(-np.abs(points[:, None] - points))
    rng = np.random.default_rng(2)
    monkeypatch.setattr(discrepancy, "_BLOCK", block)
    values = []
    for chosen in itertools.combinations(range(5), 2):
        order = [*chosen, *(i for i in range(5) if i not in chosen)]
        values.append(discrepancy.discrepancy(kernel[np.ix_(order, order)], 2))
    for value in sorted(values)[::3]:
        share = np.mean([other >= value - 1e-12 for other in values])
        p = discrepancy._permutation_p(kernel, 2, value, rng)
        assert p == pytest.approx(share, abs=0.06)
    assert discrepancy._permutation_p(np.ones((5, 5)), 2, 0.0, rng) == 1.0
    assert discrepancy._permutation_p(kernel, 2, 9.0, rng) == 1 / 1000


def test_the_discrepancy_of_few_records_by_hand() -> None:
    view = of_frames(numbers(x=[0, 2]), numbers(x=[0, 2, 6]), categorical=[])
    result = discrepancy._mmd(view)
    points = np.array([0.0, 2, 0, 2, 6])  # over a deviation of 1
    apart = np.abs(points[:, None] - points)
    kernel = np.exp(-apart / np.median(apart[np.triu_indices(5, 1)][[0, 2, 3, 4, 6, 7, 8, 9]]))
    within = kernel[0, 1] + (kernel[2, 3] + kernel[2, 4] + kernel[3, 4]) / 3
    value = within - 2 * kernel[:2, 2:].mean()
    assert result["u_mmd"].value == pytest.approx(value)
    assert result["u_mmd"].normalised == pytest.approx(1 - math.sqrt(max(0, value)))
    assert (result["u_mmd"].reason, result["p"].reason) == ("", "a copy is not found by it")
    some = discrepancy._mmd(view, records=2)
    assert some["u_mmd"].reason == "of 2 records each, drawn at random"
    same = discrepancy._mmd(of_frames(numbers(x=[1, 1]), numbers(x=[1, 1]), categorical=[]))
    assert (same["u_mmd"].value, same["u_mmd"].normalised, same["p"].value) == (0.0, 1.0, 1.0)
    with pytest.raises(NotComputable, match="fewer than two records"):
        discrepancy._mmd(of_frames(numbers(x=[0, 2]), numbers(x=[0]), categorical=[]))


def test_the_discrepancy_exchanges_the_households_of_those_drawn(monkeypatch: Put) -> None:
    given: list[Any] = []
    monkeypatch.setattr(discrepancy, "_permutation_p", lambda *items: given.append(items) or 0.5)
    view = trio((30, 14), homes=True)
    assert discrepancy._mmd(view, records=6)["p"].value == 0.5
    rng = view.rng("mmd")
    rows = [np.sort(view.drawn(part, 6, rng)) for part in range(2)]
    households = given[0][-1]
    assert households.n == given[0][1] == len(rows[0])
    homes = [view.households[part][rows[part]] for part in range(2)]
    assert _who_is_together(households.number) == _who_is_together(np.concatenate(homes))
    discrepancy._mmd(trio((30, 14)))
    assert given[1][-1] is None


def _who_is_together(number: Any) -> Any:
    return (number[:, None] == number).tolist()


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_the_published_discrepancy_by_its_kernels(monkeypatch: Put, kernel: Any) -> None:
    view = of_frames(numbers(x=[0, 2]), numbers(x=[0, 2, 4]), categorical=[])
    x = np.array([-1.0, 1, -1, 1, 3])  # less the mean of the original, over its deviation
    products = np.outer(x, x)
    gamma = 1 / (2 * 4)  # half of the squares that are not 0 are 4, the others 16
    values = {
        "rbf": np.exp(-gamma * (x[:, None] - x) ** 2 / 2),
        "linear": products,
        "poly": (products + 1) ** 3,
    }[kernel]
    first, other, across = values[:2, :2], values[2:, 2:], values[:2, 2:]
    biased = first.mean() + other.mean() - 2 * across.mean()
    unbiased = discrepancy.discrepancy(values, 2)
    result = discrepancy._published_mmd(view, kernel=kernel)
    assert result["b_mmd"].value == pytest.approx(biased, rel=1e-5)
    assert result["u_mmd"].value == pytest.approx(unbiased, rel=1e-5)
    assert result["u_mmd_clip"].value == pytest.approx(max(0, unbiased), rel=1e-5)
    expected = max(0, 1 - math.sqrt(max(0, biased)))
    assert result["b_mmd"].normalised == pytest.approx(expected, rel=1e-5, abs=1e-6)
    if kernel == "rbf":
        assert result["rbf_gamma"].value == pytest.approx(gamma, rel=1e-5)
    monkeypatch.setattr(discrepancy, "_MOST", 5)
    discrepancy._published_mmd(view, kernel=kernel)
    monkeypatch.setattr(discrepancy, "_MOST", 4)
    with pytest.raises(NotComputable, match="more than 4 do not fit"):
        discrepancy._published_mmd(view, kernel=kernel)


def test_total_variation_is_rounded_to_four_decimals() -> None:
    drawn, pooled = np.array([[3, 0], [1, 2]]), np.array([4, 6])
    # 3/3 - 1/7, and 1/3 - 3/7
    rounded = distributions._rounded(drawn, pooled, 3, 7)
    assert rounded.tolist() == [0.8571, 0.0952]


@pytest.mark.parametrize(("p", "sigs"), [(0.05, 1), (0.051, 0), (math.nan, math.nan)])
def test_a_p_at_the_level_is_significant(monkeypatch: Put, p: float, sigs: float) -> None:
    moved = {"x": shifts.Shift(0.5, p)}
    monkeypatch.setattr(distributions, "column_shifts", lambda trio: moved)
    view: Any = SimpleNamespace(original=SimpleNamespace(numeric=("x",), categories=()))
    result = distributions._ks(view)
    assert result["num sigs"].value == pytest.approx(sigs, nan_ok=True)
    assert result["frac sigs"].value == pytest.approx(sigs, nan_ok=True)
    assert (result["avg ks"].value, result["avg stat"].normalised) == (0.5, 0.5)
    assert result["avg tvd"].reason == "there is no such column"


def test_the_published_p_counts_the_data_and_its_level_is_below(monkeypatch: Put) -> None:
    view = of_frames(
        pd.DataFrame({"g": list("ab") * 8}), pd.DataFrame({"g": list("ab") * 8}), categorical=["g"]
    )
    assert distributions._published_ks(view, n_perms=9)["avg pval"].value == 1.0
    apart = of_frames(
        pd.DataFrame({"g": ["a"] * 30}), pd.DataFrame({"g": ["b"] * 30}), categorical=["g"]
    )
    for level, sigs in ((0.1, 0), (0.11, 1)):
        result = distributions._published_ks(apart, sig_lvl=level, n_perms=9)
        assert result["avg pval"].value == 0.1
        assert result["num sigs"].value == sigs
        assert result["frac sigs"].normalised == 1 - sigs


def test_the_published_hellinger_has_bins_only_where_half_is_one_value() -> None:
    first = numbers(x=[0, 0, 0, 0, 0, 0, 0, 0, 0, 8], y=np.arange(10.0))
    other = numbers(x=[0, 0, 0, 0, 0, 0, 0, 0, 8, 8], y=np.arange(10.0) / 2)
    result = distributions._published_hellinger(of_frames(first, other, categorical=[]))
    # of the pool nine in ten are 0.1 of the way or less: at 90 % of 20 records, 0.1 * 8
    edges = np.percentile([*first["x"] / 8, *other["x"] / 8], [0, 10, 25, 75, 90, 100])
    shares = [np.histogram(part["x"] / 8, bins=edges)[0] / 10 for part in (first, other)]
    distance = math.sqrt(1 - np.sqrt(shares[0] * shares[1]).sum())
    assert distance > 0
    assert result["avg"].value == pytest.approx((distance + 0) / 2)


def test_the_published_quantile_error_is_a_mean_over_quantiles() -> None:
    first, other = numbers(x=np.arange(8.0)), numbers(x=[0, 0, 0, 7])
    frames = first.assign(g=list("aabb") * 2), other.assign(g=list("aaab"))
    view = of_frames(*frames, categorical=["g"])
    result = distributions._published_quantiles(view, num_quants=4, cat_mse=True)
    number = (0.5**2 + 0.25**2 * 2 + 0) / 4  # 3/4, 0, 0, 1/4 beside quarters
    assert result["avg qMSE"].value == pytest.approx((number + 0.25**2) / 2)
    assert result["avg qMSE"].normalised == pytest.approx(1 - (number + 0.25**2) / 2)


def test_column_shifts_have_no_p_where_households_cannot_be_exchanged(monkeypatch: Put) -> None:
    view = trio((6, 4))

    def refuse(*_: int) -> None:
        msg = "they live apart"
        raise NotComputable(msg)

    monkeypatch.setattr(view, "households_of", refuse)
    moved = distributions.column_shifts(view)
    assert {name: shift.statistic for name, shift in moved.items()} == {"g": 0.0, "x": 1.0}
    assert all(math.isnan(shift.p) for shift in moved.values())


@pytest.mark.parametrize(("cells", "groups"), [(6, [1] * 6), (5, [1, 1, 1, 1, 2]), (3, [2] * 3)])
def test_many_values_are_drawn_in_cells(monkeypatch: Put, cells: int, groups: list[int]) -> None:
    sizes: list[list[int]] = []

    def counted(first: Any, other: Any, rng: Any, **given: Any) -> shifts.Shift:
        assert given == {"ordered": True, "drawn": None}
        sizes.append((first + other).tolist())
        return shifts.Shift(9.0, 0.25)

    monkeypatch.setattr(shifts, "CELLS", cells)
    monkeypatch.setattr(shifts, "shift_of_counts", counted)
    first, other = np.array([1.0, 2, 4]), np.array([3.0, 5, 6])
    moved = shifts.shift_of_numbers(first, other, np.random.default_rng(1))
    assert (moved.statistic, moved.p) == (near(2 / 3), 0.25)
    assert sorted(sizes[0]) == groups


def test_a_missing_number_comes_last() -> None:
    rng = np.random.default_rng(1)
    first, other = np.array([1.0, 2, np.nan, np.nan]), np.array([1.0, 2])
    moved = shifts.shift_of_numbers(first, other, rng)
    assert moved.statistic == 0.5  # half of the original is above all of the replica


def test_importances_are_what_is_lost_on_average() -> None:
    x = np.array([[1.0, 10], [2, 10], [3, 10], [4, 10]])
    asked: list[np.ndarray] = []

    def predict(points: np.ndarray) -> np.ndarray:
        asked.append(points.copy())
        return points[:, 0]

    def score(guess: Any) -> float:
        return 5.0 if (guess == x[:, 0]).all() else 4.5

    class Encoder:
        def __call__(self, records: Records) -> np.ndarray:  # noqa: ARG002
            return x.copy()

        def places(self, name: str) -> np.ndarray:
            return {"a": np.array([0]), "b": np.array([1]), "none": np.array([], int)}[name]

    model: Any = SimpleNamespace(
        encoder=Encoder(), columns=("a", "none", "b"), predict_encoded=predict
    )
    records = Records({}, {"a": x[:, 0], "b": x[:, 1]}, 4)
    lost = learnt.permutation_importances(model, records, score, seed=3)
    rng = np.random.default_rng(3)
    orders = [rng.permutation(4) for _ in range(5)]
    moved = [(order != np.arange(4)).any() for order in orders]
    assert lost.tolist() == [[0.5 * item for item in moved], [0.0] * 5, [0.0] * 5]
    assert len(asked) == 11
    for order, points in zip(orders, asked[1:6], strict=True):
        assert points[:, 0].tolist() == x[order, 0].tolist()
    assert all((points == x).all() for points in asked[6:])  # the first column is back


@pytest.mark.parametrize(("value", "normalised"), [(-0.25, 0.75), (0.25, 0.75), (-1.5, 0.0)])
def test_a_difference_is_best_at_0(value: float, normalised: float) -> None:
    assert learnt._difference(value).normalised == normalised


def test_moments_leave_out_what_is_missing() -> None:
    mean, sd, n = moments._moments(np.array([[1.0, 3, np.nan, 5], [2, np.nan, np.nan, np.nan]]))
    assert mean.tolist() == [3, 2]
    assert sd[0] == pytest.approx(2)
    assert math.isnan(sd[1])
    assert n.tolist() == [3, 1]


def test_the_published_means_have_an_error_of_all_columns() -> None:
    first, other = numbers(x=[0, 2, 4], y=[0, 1, 1]), numbers(x=[2, 4], y=[0, 1])
    result = moments._published_dwm(of_frames(first, other, categorical=[]))["avg"]
    # x / 4: means 1/2 and 3/4, variances 1/4 and 1/8 / ...; y: 2/3 and 1/2, 1/3 and 1/2
    assert result.value == pytest.approx((1 / 4 + 1 / 6) / 2)
    variances = 0.25 / 3 + 0.125 / 4 + (1 / 3) / 3 + 0.5 / 2
    assert result.error == pytest.approx(math.sqrt(variances) / 2, rel=0.2)
    x, y = first["x"] / 4, other["x"] / 4
    exact = x.var() / 3 + y.var() / 2 + first["y"].var() / 3 + other["y"].var() / 2
    assert result.error == pytest.approx(math.sqrt(exact) / 2)
    assert result.normalised == pytest.approx(1 - result.value)


def test_intervals_of_values_are_longer_than_those_of_means() -> None:
    first, other = np.array([[0.0, 2, 4, 6]]), np.array([[1.0, 3, 5, 7]])
    sd = math.sqrt(20 / 3)
    for ci, half in (("std", 1.28 * sd), ("sem", 1.28 * sd / 2)):
        share = moments._overlaps(first, other, 80, ci)  # type: ignore[arg-type]
        assert share.tolist() == pytest.approx([1 - 1 / (2 * half)])


def test_parity_by_hand() -> None:
    first = pd.DataFrame({"g": list("ffffmmmm"), "y": list("nnnynyyy"), "k": list("abcabcab")})
    other = pd.DataFrame({"g": list("ffmm"), "y": list("nynn"), "k": list("abca")})
    view = of_frames(first, other, target=["y", "g", "k"], sensitive=["g"])
    result = parity._parity(view)
    values = {name: quantity.value for name, quantity in result.items()}
    assert values == {
        "avg difference": 1.0,
        "original: y by g": 0.5,
        "synthetic: y by g": -0.5,
        "difference: y by g": -1.0,
    }
    assert result["avg difference"].normalised == 0.0
    low, high = parity.newcombe((3, 4), (1, 4))
    assert result["original: y by g"].reason == f"interval of 95 %: {low:.3f} to {high:.3f}"
    with pytest.raises(NotComputable, match="two levels each"):
        parity._parity(of_frames(first, other, target=["k"], sensitive=["g"]))
    with pytest.raises(NotComputable, match="a target and a sensitive column"):
        parity._parity(of_frames(first, other, target=["y"]))


def line(*places: float) -> Points:
    return Points.from_columns(numbers=[np.array(places)])


def test_searches_are_made_again_only_for_more_neighbours(monkeypatch: Put) -> None:
    pool = Searches({"original": line(0, 1, 3), "synthetic": line(0, 2)}, Gower((10.0,)))
    assert pool.nearest("original", "synthetic").distances.shape == (3, 1)
    two = pool.nearest("original", "synthetic", 2)
    assert two.distances == pytest.approx(np.array([[0, 0.2], [0.1, 0.1], [0.1, 0.3]]))
    assert pool.nearest("original", "synthetic") is two
    assert pool.to_nearest("synthetic", "original").tolist() == pytest.approx([0, 0.1])
    assert pool.to_nearest("original", "original").tolist() == pytest.approx([0.1, 0.1, 0.2])
    with pytest.raises(NotComputable, match="the synthetic data have too few records"):
        pool.nearest("original", "synthetic", 3)
    with pytest.raises(NotComputable, match="the synthetic data have too few records"):
        pool.nearest("synthetic", "synthetic", 2)


@pytest.mark.parametrize("turned", [False, True])
def test_two_sets_beside_each_other_by_hand(*, turned: bool) -> None:
    large, small = line(0, 1, 3, 6), line(1, 5)
    names: tuple[passes.Name, ...] = ("original", "synthetic") if turned else (
        "synthetic", "original",
    )  # fmt: skip
    pool = Searches({names[0]: large, names[1]: small}, Gower((10.0,)))
    both = pool.compare("original", "synthetic")
    assert both.first_larger is turned
    near = [0.1, 0, 0.2, 0.1], [0.1, 0.1, 0.2, 0.3], [0, 0.1], [0.4, 0.4]
    first = [both.to_other, both.to_own, both.other_to_first, both.other_to_own]
    if not turned:
        first = [first[2], first[3], first[0], first[1]]
    for distances, expected in zip(first, near, strict=True):
        assert distances.tolist() == pytest.approx(expected)
    # of four, those closer to 1 than its own 4: 0, 1, 3 (and 5 is no nearer); to 5: 3, 6
    assert both.small_within.tolist() == [[3, 0], [2, 1]]
    assert both.large_within.tolist() == [[0, 1], [0, 0], [0, 1], [0, 0]]


def test_ranges_are_those_of_the_values_that_are_there() -> None:
    frame = numbers(x=[1, 4, np.nan], none=[np.nan] * 3)
    view = of_frames(frame, frame.assign(none=[1.0, 2, 3]), categorical=[])
    assert passes._ranges(view.original) == (3.0, 0.0)


def test_the_same_data_in_the_same_order_are_the_original_itself() -> None:
    frame = numbers(x=[0, 1, 3])
    same = passes.published_points(of_frames(frame, frame, categorical=[]), "gower")
    assert same.to_nearest("original", "synthetic").tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3])
    turned = passes.published_points(of_frames(frame, frame[::-1], categorical=[]), "gower")
    assert turned.to_nearest("original", "synthetic").tolist() == [0, 0, 0]
    far = passes.published_points(of_frames(frame, frame + 1, categorical=[]), "euclid")
    assert far.to_nearest("original", "synthetic").tolist() == pytest.approx([1 / 4, 0, 1 / 4])


def test_risks_of_few_records_by_hand() -> None:
    assert risks._entropy(np.array([1, 1, 2, 2])) == pytest.approx(math.log(2))
    assert risks._entropy(np.array([1, 1])) == 0.0
    first, other = numbers(x=[0, 10, 30]), numbers(x=[1, 12, 40])
    view = of_frames(first.assign(g=list("aab")), other.assign(g=list("aab")), categorical=["g"])
    # a thirtieth of 30 reaches 0 from 1, but not 10 from 12
    result = risks._published_hits(view)["hit rate"]
    assert (result.value, result.normalised) == (near(1 / 3), near(2 / 3))
    result = risks._published_hits(view, thres_percent=0.07)["hit rate"]
    assert result.value == pytest.approx(2 / 3)
    constant = of_frames(numbers(x=[1, 1, 1]), other, categorical=[])
    with pytest.raises(NotComputable, match="every column is constant"):
        risks._epsilon(constant)
    assert [column.tolist() for column in risks._present(view)] == [[0, 10, 30]]
    missing = of_frames(numbers(x=[np.nan] * 3), other, categorical=[])
    assert [column.tolist() for column in risks._present(missing)] == [[0]]


class Answers:
    """A model of the first column: its chance, its guess, and the weight of each column."""

    def __init__(self, fitted: list[Any]) -> None:
        self.fitted = fitted

    def fit(self, x: np.ndarray, y: np.ndarray) -> Answers:
        self.fitted.append((x, y))
        self.feature_importances_ = x[0]
        return self

    def predict(self, x: np.ndarray) -> np.ndarray:
        return x[:, 0]

    def predict_proba(self, x: np.ndarray) -> np.ndarray:
        return np.column_stack([1 - x[:, 0], x[:, 0]])


def test_the_published_importances_and_the_top_that_is_shared(monkeypatch: Put) -> None:
    first, other = np.zeros(20), np.zeros(20)
    first[:5], other[:5] = [5, 4, 3, 2, 1], [5, 4, 0, 2, 2.5]
    other[5:] = np.linspace(0.1, 0.2, 15)
    first[5:] = np.linspace(0.2, 0.1, 15)
    monkeypatch.setattr(published, "_model", lambda learner: Answers([]))
    monkeypatch.setattr(published, "_targets", lambda trio: ["y"])
    sets = [(first[None, :], np.zeros(1)), (other[None, :], np.zeros(1))]
    monkeypatch.setattr(published, "_without", lambda trio, target: sets)
    result = published.importance_overlap(None)  # type: ignore[arg-type]
    off = np.abs(first - other)
    assert result["fio_diff"].value == pytest.approx(off.mean())
    assert result["fio_diff"].normalised == pytest.approx(1 - off.mean())
    assert result["fio_diff_weighted"].value == pytest.approx(off @ first)
    # of 20 columns 5 % are one, too few; 10 % are two, both shared; of the first five four are
    assert [name for name in result if "top" in name] == [
        "fio_top_10%", "fio_top_25%", "fio_top_50%",
    ]  # fmt: skip
    assert (result["fio_top_10%"].value, result["fio_top_25%"].value) == (1.0, 0.8)
    assert (result["fio_top_25%"].normalised, result["fio_top_25%"].better) == (0.8, "higher")


@pytest.mark.parametrize("boots", [0, 1, 2])
def test_the_published_area_is_read_at_even_places(monkeypatch: Put, boots: int) -> None:
    fitted: list[Any] = []
    seeds: list[tuple[int, int]] = []

    def drawn(x: Any, y: Any, size: int, seed: int) -> Any:
        seeds.append((size, seed))
        return x, y

    class Turned(Answers):
        def predict_proba(self, x: np.ndarray) -> np.ndarray:
            out = super().predict_proba(x)
            return out[:, ::-1] if self.fitted[-1][0][0, 0] else out

    monkeypatch.setattr(published, "_model", lambda learner: Turned(fitted))
    monkeypatch.setattr(published, "_drawn", drawn)
    truth = np.array([0, 0, 1, 1])
    sets = [
        (np.zeros((5, 1)), np.zeros(5)),
        (np.ones((7, 1)), np.zeros(7)),
        (np.array([[0.1], [0.2], [0.8], [0.9]]), truth),
    ]
    gap = published._areas(sets, None, boots)  # type: ignore[arg-type]
    # corners (0 0) (0 1/2) (0 1) (1 1), read at thirds: 1 everywhere, and of those turned round
    # (0 0) (1/2 0) (1 0) (1 1) in the last place alone
    assert gap == pytest.approx(1 / 6 - 1)
    assert seeds == ([(2, 0), (2, 1), (3, 0), (3, 1)] if boots > 1 else [])
    assert len(fitted) == 2 * max(boots, 1)


def test_targets_are_categories_of_so_many_levels_in_the_original() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3], "g": list("aba"), "k": list("abc")})
    view = of_frames(frame, frame, target=["x", "g", "k"], categorical=["g", "k"])
    assert published._targets(view) == ["g", "k"]
    assert published._targets(view, 2) == ["g"]
    with pytest.raises(NotComputable, match="no target is a category of 4 levels"):
        published._targets(view, 4)
    x, y = published._without(view, "g")[0]
    assert x.tolist() == [[0, 0], [0.5, 1], [1, 2]]
    assert (y.tolist(), y.dtype.kind) == ([0, 1, 0], "i")
    assert published._without(view, "x")[0][1].dtype.kind == "f"
    assert published._indicators(view)[0].tolist() == [[0, 0, 0, 0], [0.5, 1, 1, 0], [1, 0, 0, 1]]
    gap = of_frames(frame.assign(x=[1, np.nan, 2]), frame, categorical=["g", "k"])
    with pytest.raises(NotComputable, match="a number is missing"):
        published._matrices(gap)


def test_scores_of_a_model_are_the_replicas_and_their_difference() -> None:
    made = published._of_model("dt", "_hout", (0.75, 0.5))
    assert same(made["dt_syn_F1_hout"], Quantity(0.5, normalised=0.5, better="higher"))
    assert same(made["dt_F1_diff_hout"], Quantity(-0.25, normalised=0.75, better="higher"))


def test_no_record_is_a_trio_of_its_own() -> None:
    view: Trio = trio((6, 4, 5))
    assert [part.n for part in learnt._records(view)] == [6, 4, 5]
    assert learnt._records(view)[1].numbers["x"].tolist() == [1000, 1001, 1002, 1003]


def test_the_published_parity_is_a_mean_over_folds_with_both_groups(monkeypatch: Put) -> None:
    guess = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1, 1.0])
    second = np.array([1, 0, 1, 0, 1, 0, 1, 0, 1, 1])  # folds of two: 1, 0, -1, 1, and one group
    columns = {"y": guess.astype(int), "g": second, "k": np.arange(10) % 3, "h": second}
    sets = {name: [None, (guess[:, None], column)] for name, column in columns.items()}
    sets["h"] = [None, (np.zeros((10, 1)), second)]  # the same guess for everybody
    fitted: list[Any] = []
    monkeypatch.setattr(published, "_without", lambda trio, name: sets[name])
    monkeypatch.setattr(published, "_model", lambda learner, seed: Answers(fitted))
    view: Any = SimpleNamespace(
        original=SimpleNamespace(categories=tuple(columns), codes=tuple(columns.values())),
        target=("y", "k", "g"), sensitive=("g",), rng=lambda what: np.random.default_rng(1),
    )  # fmt: skip
    result = published.parity(view)["statistical_parity"]
    folds = np.array([1, 0, -1, 1])
    assert (result.value, result.normalised) == (0.25, 0.75)
    assert result.error == pytest.approx(folds.std(ddof=1) / 2)
    assert [len(x) for x, _ in fitted] == [8] * 5
    view.target = ("y", "h")
    both = published.parity(view)["statistical_parity"]
    assert (both.value, both.error) == (0.125, pytest.approx(folds.std(ddof=1) / 4))
    view.target = ("k",)
    with pytest.raises(NotComputable, match="two levels each"):
        published.parity(view)


@pytest.mark.parametrize("mode", ["corrected", "published"])
def test_two_records_are_enough_for_a_ratio(mode: Any) -> None:
    view = of_frames(numbers(x=[0, 4]), numbers(x=[0, 2]), numbers(x=[1, 3]), categorical=[])
    result = ratios.NNDR.measure(view, mode=mode)
    assert result["avg"].value == near(0.25)  # none of 2, and 2 of 4
    assert result["priv_loss"].value == near((1 + 1 / 3) / 2 - 0.25)
    if mode == "corrected":
        assert result["synthetic to original"].value == near(0.5)


@pytest.mark.parametrize(("n", "m"), [(6, 3), (3, 6)])
def test_the_gap_that_is_needed_is_of_both_sizes(n: int, m: int) -> None:
    frame = numbers(x=[1, 2, 3, 4, 5, 7], y=[1, 2, 4, 4, 5, 6])
    result = components._pca(of_frames(frame[:n], frame[:m], categorical=[]))
    assert result["comp_angle_diff"].reason.endswith("and 4 is needed")  # 4 root of 2 (1/6 + 1/3)
    five = components._pca(of_frames(frame[:4], frame[:n], categorical=[]))
    needed = 4 * math.sqrt(2 * (1 / 4 + 1 / n))
    assert five["comp_angle_diff"].reason.endswith(f"and {needed:.2g} is needed")


def test_a_guess_a_thirtieth_away_is_right_as_published(monkeypatch: Put) -> None:
    x, y = np.array([[1 / 30], [0.5], [0.0]]), np.array([0, 0.3, 0])
    sets = [(x, y), (x[:1], y[:1]), (np.array([[0.0]]), np.array([1 / 30]))]
    monkeypatch.setattr(published, "_model", lambda learner, **_: Answers([]))
    monkeypatch.setattr(published, "_without", lambda trio, name: sets)
    view: Any = SimpleNamespace(
        sensitive=("x",), original=SimpleNamespace(numeric=("x",)),
        rng=lambda what: np.random.default_rng(1),
    )  # fmt: skip
    result = published.inference(view)["Attr Dis accuracy"]
    assert (result.value, result.normalised) == (0.75, 0.25)
    sets.pop()
    assert published.inference(view)["Attr Dis accuracy"].value == near(2 / 3)


X, G = numbers(x=[0, 1, 2, 4], y=[1, 0, 3, 2]), pd.DataFrame({"g": list("abab"), "h": list("aabb")})


@pytest.mark.parametrize(
    ("metric", "options", "words"),
    [
        (components._published_pca, {"preprocess": "no"}, "preprocess: expected 'std' or 'mean'"),
        (discrepancy._published_mmd, {"kernel": "no"}, "kernel: expected 'rbf', 'linear' or"),
        (published.classification, {"F1_type": "no"}, "F1_type: expected micro, macro or"),
        (published.classification, {"cls_models": ["no"]}, "cls_acc: expected one of rf, "),
        (published.auroc_difference, {"model": "no"}, "auroc_diff: expected one of "),
        (moments._published_cio, {"confidence": 50}, "expected confidence "),
        (ratios._published_dcr, {"distance": "no"}, "expected 'gower' or 'euclid' but got 'no'"),
    ],
)
def test_an_option_that_cannot_be_is_refused(metric: Any, options: Any, words: str) -> None:
    whole = pd.concat([X, G], axis=1)
    view = of_frames(whole, whole[::-1], categorical=["g", "h"], target=["g"])
    with pytest.raises(StudyError, match=words):
        metric(view, **options)


@pytest.mark.parametrize(
    ("metric", "options", "words"),
    [
        (published.classification, {}, "no target is named"),
        (published.auroc_difference, {}, "there is no holdout"),
        (parity._parity, {}, "a target and a sensitive column"),
    ],
)
def test_what_a_metric_needs_is_said(metric: Any, options: Any, words: str) -> None:
    view = of_frames(pd.concat([X, G], axis=1), pd.concat([X, G], axis=1)[::-1], **options)
    with pytest.raises(NotComputable, match=words):
        metric(view)


def test_parity_of_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(ColumnError, match=r"there is no column 'gg'. Did you mean 'g'"):
        parity._parity(of_frames(G, G[::-1], target=["gg"], sensitive=["h"]))
    with pytest.raises(ColumnError, match="there is no column 'z'"):
        parity._parity(of_frames(G, G[::-1], target=["g"], sensitive=["z"]))


@pytest.mark.parametrize(("most", "fits"), [(8, True), (7, False)])
def test_a_kernel_of_all_pairs_must_fit(monkeypatch: Put, most: int, *, fits: bool) -> None:
    monkeypatch.setattr(discrepancy, "_MOST", most)
    view = of_frames(X, X[::-1], categorical=[])
    if fits:
        assert discrepancy._published_mmd(view)
        return
    with pytest.raises(NotComputable, match="more than 7 do not fit"):
        discrepancy._published_mmd(view)


def test_records_that_are_all_equal_are_no_discrepancy_and_one_has_no_pair() -> None:
    same = numbers(x=[1, 1, 1])
    result = discrepancy._mmd(of_frames(same, same[:2], categorical=[]))
    assert (result["u_mmd"].value, result["u_mmd"].normalised, result["p"].value) == (0.0, 1.0, 1.0)
    with pytest.raises(NotComputable, match="fewer than two records"):
        discrepancy._mmd(of_frames(X, X[:1], categorical=[]))


def test_numbers_that_are_constant_in_the_original_have_no_mean_to_differ() -> None:
    with pytest.raises(NotComputable, match="every column of numbers is constant"):
        moments._dwm(of_frames(numbers(x=[1, 1, 1]), X[["x"]], categorical=[]))
    both = moments._dwm(of_frames(X.assign(y=1.0), X, categorical=[]))["avg"]
    assert both.reason == "1 of 2 columns left out: constant or empty"
    assert both.value == 0


def test_what_cannot_be_learnt_has_no_value_and_no_message_of_its_own() -> None:
    few = G.assign(g=list("aaab"))
    with pytest.raises(NotComputable, match="too few records, or one class") as caught:
        published.classification(of_frames(few[:3], few[:3][::-1], target=["g"], categorical=["g"]))
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("kind", ["counts", "numbers"])
def test_shifts_exchange_whole_households(kind: str) -> None:
    first, other = np.array([0, 0, 0, 0, 1, 1]), np.array([1, 1, 1, 1, 0, 0])
    couples = Households(np.repeat(np.arange(6), 2), 6)
    if kind == "numbers":
        shift = shifts.shift_of_numbers(first * 1.0, other * 1.0, np.random.default_rng(1), couples)
    else:
        drawn = couples.counts(np.append(first, other), 2, 4_999, np.random.default_rng(1))
        counts = np.bincount(first), np.bincount(other)
        shift = shifts.shift_of_counts(*counts, np.random.default_rng(2), drawn=drawn)
    # of 20 ways to choose three of six couples, 1 + 1 are three of a kind, 18 are two of three
    assert shift.p == pytest.approx(1.0, abs=0.01)
    apart = np.repeat([0, 1], 6)
    homes = Households(np.repeat(np.arange(4), 3), 6)
    far = shifts.shift_of_numbers(apart[:6] * 1.0, apart[6:] * 1.0, np.random.default_rng(3), homes)
    assert far.p == pytest.approx(2 / 6, abs=0.05)
