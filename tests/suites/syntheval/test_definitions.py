"""SynthEval's metrics, corrected, beside their definitions over every pair of records."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from sdcmetrics.suites.catalogue import METRICS
from sdcmetrics.suites.metric import Quantities
from sdcmetrics.suites.syntheval.moments import interval_overlaps
from sdcmetrics.suites.syntheval.parity import newcombe
from sdcmetrics.suites.syntheval.ratios import median_ratio
from tests.suites.syntheval.recorded import trio


def people(n: int, seed: int) -> pd.DataFrame:
    """No two values of `age` are equal, so that deciles have equal shares where n is even."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.normal(size=n),
            "rent": rng.exponential(size=n) ** 2,
            "town": rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]),
        }
    )


def measured(metric: str, *frames: pd.DataFrame, **options: object) -> Quantities:
    """Measure data whose columns of texts are categories, and all others numbers."""
    texts = [name for name in frames[0] if name in ("town", "g")]
    return METRICS[metric].measure(trio(*frames, categorical=texts), options=options)


def distances(
    one: pd.DataFrame, other: pd.DataFrame, original: pd.DataFrame, weights: list[float]
) -> np.ndarray:
    """Gower's distance of every pair, by the ranges of the original; its own record is no pair."""
    parts = [
        np.minimum(
            np.abs(one[name].to_numpy()[:, None] - other[name].to_numpy()) / np.ptp(original[name]),
            1,
        )
        for name in ("age", "rent")
    ]
    parts.append((one["town"].to_numpy()[:, None] != other["town"].to_numpy()) * 1.0)
    out = sum(part * weight for part, weight in zip(parts, weights, strict=True)) / sum(weights)
    if one is other:
        np.fill_diagonal(out, np.inf)
    return out


@pytest.fixture(scope="module")
def sets() -> tuple[pd.DataFrame, ...]:
    original, replica, holdout = people(100, 1), people(80, 2), people(420, 3)
    # some records are known, and some are known of the holdout, too
    replica.iloc[:20] = original.iloc[:20]
    replica.iloc[20:24] = holdout.iloc[:4]
    return original, replica, holdout


class TestNearest:
    def test_the_median_ratio_and_the_ratio_of_low_quantiles(
        self, sets: tuple[pd.DataFrame, ...]
    ) -> None:
        original, replica, holdout = sets
        own, to_original, fresh = (
            distances(part, original, original, [1, 1, 1]).min(axis=1)
            for part in (original, replica, holdout)
        )
        got = measured("dcr", *sets)
        assert got["mDCR"].value == pytest.approx(np.median(to_original) / np.median(own))
        assert got["mDCR"].normalised == min(1.0, got["mDCR"].value)
        assert got["mDCR"].reason == ""
        assert got["copies"].value == 20 / 80
        assert got["copies"].normalised == 60 / 80
        assert got["holdout mDCR"].value == pytest.approx(np.median(fresh) / np.median(own))
        assert got["holdout copies"].value == 0
        low = np.quantile(to_original, 0.01), np.quantile(fresh, 0.01)
        assert got["q01 ratio"].value == pytest.approx(low[0] / low[1]) == 0

        apart = measured("dcr", original, replica[20:], holdout[:400])
        low = (
            np.quantile(to_original[20:], 0.01),
            np.quantile(fresh[:400], 0.01),
        )
        assert apart["q01 ratio"].value == pytest.approx(low[0] / low[1])
        few = measured("dcr", original, replica, holdout[:399])["q01 ratio"]
        assert math.isnan(few.value)
        assert "fewer than 400" in few.reason

    def test_a_median_of_0_has_no_ratio(self) -> None:
        assert median_ratio(np.array([0.5, 0.3, 0.4]), np.array([0.1, 0.2, 0.9])) == 2
        assert median_ratio(np.array([0.5]), np.array([5.0])) == 0.1
        assert math.isnan(median_ratio(np.array([0.5]), np.zeros(3)))

    def test_ratios_of_the_two_nearest(self, sets: tuple[pd.DataFrame, ...]) -> None:
        original, replica, holdout = sets

        def ratios(one: pd.DataFrame, other: pd.DataFrame) -> np.ndarray:
            first, second = np.sort(distances(one, other, original, [1, 1, 1]), axis=1)[:, :2].T
            return first / second

        got = measured("nndr", *sets)
        own, fresh = ratios(original, replica), ratios(holdout, replica)
        assert got["avg"].value == got["avg"].normalised == pytest.approx(own.mean())
        assert got["avg"].error == pytest.approx(own.std(ddof=1) / 10)
        assert got["avg"].reason == ""
        assert got["holdout avg"].value == pytest.approx(fresh.mean())
        loss = fresh.mean() - own.mean()
        assert got["priv_loss"].value == pytest.approx(loss)
        assert got["priv_loss"].normalised == pytest.approx(1 - loss)
        errors = own.std(ddof=1) / 10, fresh.std(ddof=1) / math.sqrt(420)
        assert got["priv_loss"].error == pytest.approx(math.hypot(*errors))
        back = ratios(replica, original)
        assert got["synthetic to original"].value == pytest.approx(back.mean())

    def test_the_published_risk_by_euclid_weighs_numbers_by_their_entropy(self) -> None:
        first, other = ((people(n, n)[["age", "rent"]] ** 3) for n in (90, 70))
        pool = pd.concat([first, other])
        scaled = [(part - pool.min()) / (pool.max() - pool.min()) for part in (first, other)]
        shares = [scaled[0][name].round().value_counts(normalize=True) for name in first]
        entropies = np.array([-(share * np.log(share)).sum() for share in shares])
        assert entropies.min() > 0
        assert entropies.max() > 2 * entropies.min()
        near = []
        for part in reversed(scaled):
            apart = scaled[0].to_numpy()[:, None] - part.to_numpy()
            squared = (apart**2 / entropies).sum(axis=2)
            if part is scaled[0]:
                np.fill_diagonal(squared, np.inf)
            near.append(squared.min(axis=1))
        pair, options = trio(first, other, categorical=[]), {"distance": "euclid"}
        got = METRICS["eps_risk"].measure(pair, mode="published", options=options)
        assert got["eps_risk"].value == pytest.approx((near[0] < near[1]).mean())

    def test_two_exact_copies_are_a_ratio_of_0_and_are_counted(
        self, sets: tuple[pd.DataFrame, ...]
    ) -> None:
        original, replica = sets[:2]
        twice = pd.concat([replica, original[:3]], ignore_index=True)
        got = measured("nndr", original, twice)["avg"]
        assert got.reason == "3 originals have two exact copies: ratio 0"
        first, second = np.sort(distances(original, twice, original, [1, 1, 1]), axis=1)[:, :2].T
        assert (second == 0).sum() == 3
        assert got.value == pytest.approx((first / np.where(second > 0, second, 1)).mean())

    def test_identifiability_weighs_columns_by_one_over_their_entropy(
        self, sets: tuple[pd.DataFrame, ...]
    ) -> None:
        original, replica, holdout = sets
        shares = original["town"].value_counts(normalize=True).to_numpy()
        entropies = [math.log(10), math.log(10), -(shares * np.log(shares)).sum()]
        weights = [1 / entropy for entropy in entropies]
        own, fresh = (
            distances(part, replica, original, weights).min(axis=1)
            < distances(part, original, original, weights).min(axis=1)
            for part in (original, holdout)
        )
        got = measured("eps_risk", *sets)
        assert 0.2 < got["eps_risk"].value == own.mean() < 0.8
        assert got["eps_risk"].normalised == pytest.approx(1 - own.mean())
        assert got["holdout"].value == pytest.approx(fresh.mean())
        assert got["priv_loss"].value == pytest.approx(own.mean() - fresh.mean())
        squares = own.mean() * (1 - own.mean()) / 100 + fresh.mean() * (1 - fresh.mean()) / 420
        assert got["priv_loss"].error == pytest.approx(math.sqrt(squares))

    def test_hits_are_within_a_share_of_the_range_without_its_ends(
        self, sets: tuple[pd.DataFrame, ...]
    ) -> None:
        original, replica, holdout = sets
        for options, share in (({}, 1 / 30), ({"thres_percent": 0.2}, 0.2)):
            rates = []
            for part in (original, holdout):
                near = part["town"].to_numpy()[:, None] == replica["town"].to_numpy()
                for name in ("age", "rent"):
                    reach = share * np.ptp(np.quantile(original[name], [0.01, 0.99]))
                    gaps = np.abs(part[name].to_numpy()[:, None] - replica[name].to_numpy())
                    near &= gaps <= reach
                rates.append(near.any(axis=1).mean())
            got = measured("hit_rate", *sets, **options)
            assert got["hit rate"].value == pytest.approx(rates[0])
            assert got["hit rate"].normalised == pytest.approx(1 - rates[0])
            assert got["holdout hit rate"].value == pytest.approx(rates[1])
            assert got["priv_loss"].value == pytest.approx(rates[0] - rates[1])


class TestColumns:
    def test_means_are_in_standard_deviations_of_the_original(self) -> None:
        original = pd.DataFrame({"x": [1.0, 2, 3, 4], "y": [0.0, 0, 0, 8], "z": [5.0] * 4})
        replica = pd.DataFrame({"x": [2.0, 4, 6], "y": [1.0, 1, 4], "z": [5.0, 6, 7]})
        got = measured("dwm", original, replica)["avg"]
        x = abs(4 - 2.5) / np.std([1, 2, 3, 4], ddof=1)
        assert got.value == pytest.approx((x + 0 / 4) / 2)
        assert got.normalised == pytest.approx(1 / (1 + got.value))
        assert got.reason == "1 of 3 columns left out: constant or empty"

    def test_intervals_of_means_share_what_their_ends_say(self) -> None:
        original = pd.DataFrame({"x": np.arange(20.0), "y": np.arange(20.0) ** 2, "z": [1.0] * 20})
        replica = pd.DataFrame({"x": np.arange(12.0) + 5, "y": np.arange(12.0) - 900, "z": 2.0})
        got = measured("cio", original, replica, confidence=90)
        half = [1.645 * part["x"].std() / math.sqrt(len(part)) for part in (original, replica)]
        low, high = (
            [part["x"].mean() + sign * length for part, length in zip((original, replica), half)]  # noqa: B905
            for sign in (-1, 1)
        )
        common = min(high) - max(low)
        share = (common / (2 * half[0]) + common / (2 * half[1])) / 2
        assert 0 < share < 1
        assert got["avg overlap"].value == pytest.approx((share + 0) / 2)
        assert got["num non-overlaps"].value == 1
        assert got["frac non-overlaps"].value == 0.5
        assert got["avg overlap"].reason == "1 of 3 columns left out: constant or empty"

    def test_an_interval_without_length_has_no_share(self) -> None:
        centres, other = np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0, 9.0])
        half = np.array([0.0, 1.0, 2.0, 1.0]), np.array([1.0, 0.0, 4.0, 1.0])
        np.testing.assert_array_equal(
            interval_overlaps(centres, other, half), [np.nan, np.nan, (1 + 0.5) / 2, 0]
        )

    def test_squares_of_decile_shares(self) -> None:
        original = pd.DataFrame({"x": np.arange(100.0), "g": list("ab") * 50})
        replica = pd.DataFrame({"x": [5.0] * 5 + [95.0] * 15, "g": ["a"] * 16 + ["b"] * 4})
        numbers = (0.25 - 0.1) ** 2 + (0.75 - 0.1) ** 2 + 8 * 0.01
        got = measured("q_mse", original, replica)["avg qMSE"]
        assert got.value == pytest.approx(numbers)
        assert got.normalised == pytest.approx(1 - numbers / 2)
        both = measured("q_mse", original, replica, cat_mse=True)["avg qMSE"]
        assert both.value == pytest.approx((numbers + 2 * 0.3**2) / 2)
        none = measured("q_mse", original[["g"]], replica[["g"]])["avg qMSE"]
        assert math.isnan(none.value)
        assert none.reason == "there is no column of numbers"

    def test_hellinger_and_the_distances_of_single_columns(self) -> None:
        original = pd.DataFrame({"x": np.arange(100.0), "g": list("ab") * 50})
        replica = pd.DataFrame({"x": [5.0] * 5 + [95.0] * 15, "g": ["a"] * 16 + ["b"] * 4})
        roots = math.sqrt(0.1 * 0.25) + math.sqrt(0.1 * 0.75), math.sqrt(0.4) + math.sqrt(0.1)
        got = measured("h_dist", original, replica)["avg"]
        assert got.value == pytest.approx(np.mean([math.sqrt(1 - root) for root in roots]))
        shifts = measured("ks_test", original, replica)
        assert shifts["avg ks"].value == pytest.approx(0.95 - 0.25)
        assert shifts["avg tvd"].value == pytest.approx(0.3)
        assert shifts["avg stat"].value == pytest.approx((0.7 + 0.3) / 2)
        assert shifts["num sigs"].value == 2
        assert shifts["frac sigs"].value == 1
        assert shifts["frac sigs"].normalised == 0
        assert shifts["smallest p"].value == pytest.approx(2 / 1000, rel=0.01)

    def test_an_empty_group_has_no_parity(self) -> None:
        original = pd.DataFrame({"g": list("ffmm"), "y": list("nyny")})
        replica = pd.DataFrame({"g": ["f"] * 3, "y": list("nyn")})
        chosen = trio(original, replica, target=["y"], sensitive=["g"])
        got = METRICS["statistical_parity"].measure(chosen)
        assert math.isnan(got["synthetic: y by g"].value)
        assert got["synthetic: y by g"].reason == "a group is empty"

    def test_the_interval_of_two_shares_turns_with_them(self) -> None:
        low, high = newcombe((48, 80), (56, 70))
        assert (low, high) == pytest.approx((-0.3339, -0.0524), abs=5e-5)
        # Newcombe (1998), method 10, his examples with an empty cell
        assert newcombe((10, 10), (0, 10)) == pytest.approx((0.6075, 1.0), abs=5e-5)
        assert newcombe((0, 10), (0, 20)) == pytest.approx((-0.1611, 0.2775), abs=5e-5)


class TestModels:
    @pytest.fixture
    def votes(self) -> list[pd.DataFrame]:
        out = []
        for seed in (1, 2, 3):
            rng = np.random.default_rng(seed)
            x = rng.normal(size=300)
            vote, old = (np.where(x + rng.logistic(size=300) > 0, "yes", "no") for _ in range(2))
            out.append(pd.DataFrame({"x": x, "z": rng.normal(size=300), "vote": vote, "old": old}))
        out[1]["x"] = np.random.default_rng(4).permutation(out[1]["x"])
        return out

    def test_the_error_of_a_difference_of_areas_is_that_of_other_holdouts(
        self, votes: list[pd.DataFrame]
    ) -> None:
        sets = [vote[["x", "z", "vote"]] for vote in votes]
        got = METRICS["auroc_diff"].measure(trio(*sets, target=["vote"]))["auroc_diff"]
        models = [LogisticRegression().fit(item[["x", "z"]], item["vote"]) for item in sets[:2]]
        scores = [model.predict_proba(sets[2][["x", "z"]])[:, 1] for model in models]
        rng, gaps = np.random.default_rng(0), []
        for _ in range(400):
            rows = rng.integers(300, size=300)
            truth = (sets[2]["vote"] == "yes").to_numpy()[rows]
            first, other = (roc_auc_score(truth, score[rows]) for score in scores)
            gaps.append(other - first)
        assert got.value == pytest.approx(np.mean(gaps), abs=0.02)
        assert got.error == pytest.approx(np.std(gaps), rel=0.2)

    def test_of_two_targets_it_is_the_mean_without_an_error(
        self, votes: list[pd.DataFrame]
    ) -> None:
        each = [
            METRICS["auroc_diff"].measure(trio(*votes, target=[name]))["auroc_diff"]
            for name in ("vote", "old")
        ]
        got = METRICS["auroc_diff"].measure(trio(*votes, target=["vote", "old"]))["auroc_diff"]
        assert got.value == pytest.approx((each[0].value + each[1].value) / 2)
        assert math.isfinite(each[0].error)
        assert math.isnan(got.error)
        assert got.normalised == pytest.approx(1 - abs(got.value))

    def test_importances_need_a_column_beside_the_target(self, votes: list[pd.DataFrame]) -> None:
        alone = METRICS["fio"].measure(trio(*(vote[["vote"]] for vote in votes), target=["vote"]))
        assert alone["fio_diff"].reason == "there is no column beside the target"
        two = [vote[["x", "vote"]] for vote in votes]
        got = METRICS["fio"].measure(trio(*two, target=["vote"]))
        assert got["fio_diff"].value > 0
        assert got["fio_diff"].normalised == pytest.approx(1 - got["fio_diff"].value)
