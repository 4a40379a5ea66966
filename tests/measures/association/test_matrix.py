"""Association of mixed columns, beside scipy, pandas and scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from scipy.stats.contingency import association
from sklearn.metrics import normalized_mutual_info_score

from sdcmetrics import association_difference
from sdcmetrics.measures.association.matrix import correlations, cramers_v, eta
from sdcmetrics.measures.association.mutual import compare_information, normalised_information
from sdcmetrics.measures.pair import pair
from sdcmetrics.microdata.coding import encode
from sdcmetrics.microdata.discretise import by_training


def mixed(n: int, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": x,
            "y": x + rng.normal(size=n),
            "group": np.array(list("abcd"))[np.clip(np.digitize(x, [-1, 0, 1]), 0, 3)],
            "other": rng.choice(list("uvw"), n),
        }
    )


@pytest.mark.parametrize("seed", range(12))
def test_v_is_scipys_and_bergsmas_of_tables_of_few_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, [2, 4, 9][seed % 3], rng.integers(2, 5, 2))
    there = counts[np.ix_(counts.any(axis=1), counts.any(axis=0))]
    (r, c), n = there.shape, there.sum()
    if min(r, c) == 1:
        assert np.isnan(cramers_v(counts, mode="plain"))
        assert cramers_v(counts, mode="published") == 0
        return
    plain = association(there, method="cramer")
    assert cramers_v(counts, mode="plain") == pytest.approx(plain)
    yates = chi2_contingency(there, correction=True).statistic / (n * (min(r, c) - 1))
    assert cramers_v(counts, mode="published") == pytest.approx(yates)
    # both by Bergsma (2013), as the mean of phi^2 and its largest value are where nothing is told
    phi2 = plain**2 * (min(r, c) - 1) - (r - 1) * (c - 1) / (n - 1)
    most = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    expected = min(1.0, max(0.0, phi2) / most) ** 0.5 if most > 0 else np.nan
    assert cramers_v(counts) == pytest.approx(expected, nan_ok=True)


def test_levels_that_do_not_occur_change_no_v() -> None:
    counts = np.array([[5, 2, 0], [1, 7, 0], [0, 0, 0]])
    for mode in ("corrected", "plain", "published"):
        assert cramers_v(counts, mode=mode) == cramers_v(counts[:2, :2], mode=mode)


def test_corrected_v_and_eta_of_independent_columns_do_not_depend_on_size() -> None:
    rng = np.random.default_rng(1)
    means = {"corrected": [0.0, 0.0], "plain": [0.0, 0.0]}
    for mode, mean in means.items():
        for _ in range(40):
            a, b = rng.integers(0, 12, (2, 150))
            counts = np.bincount(a * 12 + b, minlength=144).reshape(12, 12)
            mean[0] += cramers_v(counts, mode=mode) / 40  # type: ignore[arg-type]
            mean[1] += eta(a, 12, rng.normal(size=(1, 150)), mode=mode)[0] / 40  # type: ignore[arg-type]
    assert max(means["corrected"]) < 0.12
    assert min(means["plain"]) > 0.2


def test_eta_is_the_share_of_variance_between_the_levels() -> None:
    frame = mixed(300)
    codes = frame["group"].map({"a": 0, "b": 1, "c": 2, "d": 3}).to_numpy()
    fitted = frame.groupby("group")["y"].transform("mean")
    expected = np.sqrt(fitted.var(ddof=0) / frame["y"].var(ddof=0))
    assert eta(codes, 5, frame[["y"]].to_numpy().T, mode="plain")[0] == pytest.approx(expected)
    assert eta(codes, 5, 1e9 + frame[["y"]].to_numpy().T, mode="plain")[0] == pytest.approx(
        expected, rel=1e-5
    )


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_correlations_are_those_of_pandas(method: str) -> None:
    frame = mixed(60)[["x", "y"]].assign(z=[1.0, 2.0, 2.0] * 20)
    if method == "pearson":  # pandas ranks anew for every pair with missing values
        frame.loc[::7, "x"] = np.nan
        frame.loc[::5, "z"] = np.nan
    result = correlations(frame.to_numpy().T, method)  # type: ignore[arg-type]
    np.testing.assert_allclose(result, frame.corr(method=method), rtol=1e-12)  # type: ignore[arg-type]


def test_a_constant_of_the_original_is_no_pair_and_one_of_the_replica_is_a_loss() -> None:
    frame = mixed(200).assign(same=1.0)
    lost = frame.assign(y=0.1 + 0.2)
    result = association_difference(frame, lost)
    assert (result.pairs, result.not_computable) == (6, 4)
    row = result.frame.loc[("x", "y")]
    assert row["synthetic"] != row["synthetic"]
    assert row["difference"] == -row["original"]
    assert result.largest == pytest.approx(row["original"])


@pytest.mark.parametrize("mode", ["corrected", "plain", "published"])
def test_order_of_rows_columns_and_levels_changes_nothing(mode: str) -> None:
    frame, other = mixed(200), mixed(150, seed=2)
    result = association_difference(frame, other, mode=mode)  # type: ignore[arg-type]
    names = {"a": "z", "b": "y", "c": "x", "d": "w"}
    changed = [
        item.assign(group=item["group"].map(names)).sample(frac=1, random_state=1)
        for item in (frame, other)
    ]
    again = association_difference(changed[0][frame.columns[::-1]], changed[1], mode=mode)  # type: ignore[arg-type]
    assert again.rms == pytest.approx(result.rms, rel=1e-12)
    assert association_difference(frame, changed[0].assign(group=frame["group"])).rms < 1e-12


def test_a_replica_of_independent_columns_is_far_and_fresh_data_are_near() -> None:
    frame = mixed(500)
    rng = np.random.default_rng(3)
    apart = frame.apply(lambda column: rng.permutation(column.to_numpy()))
    assert association_difference(frame, mixed(500, seed=9)).rms < 0.08
    assert association_difference(frame, apart).rms > 0.3


def test_information_is_that_of_scikit_learn() -> None:
    columns = list(np.random.default_rng(1).integers(0, 4, (3, 50)))
    columns[1] = (columns[0] + columns[1] // 3) % 4
    result = normalised_information([*columns, np.zeros(50, dtype=int)])
    every = [*columns, np.zeros(50, dtype=int)]
    expected = [[normalized_mutual_info_score(a, b) for b in every] for a in every]
    np.testing.assert_allclose(result, expected, atol=1e-12)


def test_information_by_hand_less_what_chance_gives() -> None:
    x = np.array([0, 0, 0, 1, 1, 1])
    y = np.array([0, 0, 1, 1, 1, 1])
    h_x, h_y = np.log(2), np.log(3) - 2 / 3 * np.log(2)
    joint = 2 / 6 * np.log(6 / 2) + 1 / 6 * np.log(6) + 3 / 6 * np.log(6 / 3)
    shared, mean = h_x + h_y - joint, (h_x + h_y) / 2
    assert normalised_information([x, y])[0, 1] == pytest.approx(shared / mean)
    result = normalised_information([x, y], chance=np.full((2, 2), 0.125))
    assert result[0, 1] == result[1, 0] == pytest.approx((shared - 0.125) / (mean - 0.125))
    assert np.diag(result).tolist() == [1.0, 1.0]
    # nothing is left to share, or one of them has one level
    assert np.isnan(normalised_information([x, y], chance=np.full((2, 2), mean))[0, 1])
    assert np.isnan(normalised_information([x, y * 0], chance=np.zeros((2, 2)))[0, 1])
    assert normalised_information([x * 0, y * 0])[0, 1] == 1.0
    assert normalised_information([x, y * 0])[0, 1] == 0.0


def test_information_less_chance_is_none_for_independent_columns_of_any_size() -> None:
    rng = np.random.default_rng(1)
    original, synthetic = (pd.DataFrame(rng.normal(size=(n, 6))) for n in (400, 150))
    original.columns = synthetic.columns = pd.Index(list("abcdef"))
    data = pair(original, synthetic)
    result = compare_information(encode(data, by_training(10), data.variables), rng=rng)
    off = result.original[np.triu_indices(6, 1)], result.synthetic[np.triu_indices(6, 1)]
    assert max(abs(item.mean()) for item in off) < 0.02
    frame = mixed(400)
    data = pair(frame, frame)
    same = compare_information(encode(data, by_training(10), data.variables), rng=rng)
    assert same.rms < 0.01


def test_of_several_syntheses_the_mean_is_compared() -> None:
    frame, files = mixed(80), [mixed(60, seed) for seed in (2, 3, 4)]
    each = [association_difference(frame, file).frame for file in files]
    result = association_difference(frame, files).frame  # the largest difference first
    mean = pd.concat([item["synthetic"] for item in each], axis=1).mean(axis=1).loc[result.index]
    np.testing.assert_allclose(result["synthetic"], mean)
    np.testing.assert_allclose(result["difference"], mean - result["original"])


@pytest.mark.parametrize("sizes", [(90, 40), (40, 90), (60, 60)])
def test_information_is_of_as_many_records_of_both(
    sizes: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, first = [], []

    def count(columns: list[np.ndarray], **given: np.ndarray) -> np.ndarray:
        counted.append([len(column) for column in columns])
        first.append(columns[0])
        return normalised_information(columns, **given)

    monkeypatch.setattr("sdcmetrics.measures.association.mutual.normalised_information", count)
    data = pair(*(mixed(n, seed=n) for n in (*sizes, 20)))  # the holdout has fewer
    coded = encode(data, by_training(10), data.variables)
    compare_information(coded, rng=np.random.default_rng(1))
    assert counted == [[min(sizes)] * 4] * 2
    whole = next(iter(coded.variables.values())).parts[:2]
    drawn = [not np.array_equal(*parts) for parts in zip(first, whole, strict=True)]
    assert drawn == [sizes[0] > sizes[1], sizes[1] > sizes[0]]


def test_a_correlation_ratio_leaves_out_who_has_no_value() -> None:
    codes, numbers = np.array([0, 0, 1, 1, 1]), np.array([[1.0, 2.0, 4.0, np.nan, 3.0]])
    rest = [0, 1, 2, 4]
    assert eta(codes, 2, numbers) == pytest.approx(eta(codes[rest], 2, numbers[:, rest]))


@pytest.mark.parametrize(
    ("codes", "numbers", "ratio", "corrected"),
    [
        # off the mean: -4 -2 | 0 2 | 4; between 18 + 2 + 16 = 36 of 40; 1 - 0.1 * 4 / 2
        ([0, 0, 1, 1, 3], [1.0, 3, 5, 7, 9], 0.9, 0.8),
        ([0, 0, 1, 1], [1.0, 3, 5, 7], 0.8, 0.7),  # 16 of 20; 1 - 0.2 * 3 / 2
        ([0, 1, 2], [1.0, 2, 4], 1.0, None),  # a level per record
        ([2, 2, 2], [1.0, 2, 4], 0.0, None),  # one level
    ],
)
def test_eta_by_hand(
    codes: list[int], numbers: list[float], ratio: float, corrected: float | None
) -> None:
    given = np.array(codes), 5, np.array([numbers])
    assert eta(*given, mode="published")[0] == pytest.approx(ratio)
    plain = ratio**0.5 if ratio else np.nan
    assert eta(*given, mode="plain")[0] == pytest.approx(plain, nan_ok=True)
    expected = np.nan if corrected is None else corrected**0.5
    assert eta(*given)[0] == pytest.approx(expected, nan_ok=True)


def test_a_column_without_a_value_is_associated_with_none() -> None:
    empty = [np.nan] * 3
    assert np.isnan(eta(np.array([0, 1, 1]), 2, np.array([empty]))[0])
    result = correlations(np.array([[1.0, 2, 4], empty]))
    np.testing.assert_array_equal(result, [[1, np.nan], [np.nan, 1]])


def test_v_of_as_many_levels_as_records_has_nothing_left_to_compare_with() -> None:
    assert np.isnan(cramers_v(np.eye(2, dtype=int)))


@pytest.mark.parametrize("n", [6, 22, 23, 26, 40])  # log n - n log n / n is no 0 for some of these
def test_a_constant_column_shares_no_information_whatever_the_size(n: int) -> None:
    x, constant = np.arange(n) % 2, np.zeros(n, dtype=int)
    assert normalised_information([x, constant])[0, 1] == 0.0
    assert normalised_information([constant, constant])[0, 1] == 1.0
    assert np.isnan(normalised_information([x, constant], chance=np.zeros((2, 2)))[0, 1])


def test_where_chance_shares_everything_no_information_is_left_to_compare() -> None:
    x = np.array([0, 0, 1, 1])
    chance = np.full((2, 2), np.log(2))
    assert np.isnan(normalised_information([x, x], chance=chance)[0, 1])


def test_information_of_original_and_of_a_replica_stand_in_their_places() -> None:
    x = np.arange(60) % 3
    data = pair(pd.DataFrame({"a": x, "b": x}), pd.DataFrame({"a": x, "b": np.sort(x)}))
    coded = encode(data, by_training(10), data.variables)
    result = compare_information(coded, rng=np.random.default_rng(1))
    assert result.original[0, 1] == pytest.approx(1)
    assert abs(result.synthetic[0, 1]) < 0.1
