"""Marginal fidelity of training data, replica and holdout."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.fidelity import marginal_fidelity as module
from sdcmetrics.measures.fidelity.marginal_fidelity import _row, cells_of, combinations_of
from sdcmetrics.measures.pair import pair

TRAINING = pd.DataFrame({"x": list("aabb"), "y": list("uuvv")})
UNRELATED = pd.DataFrame({"x": list("aabb"), "y": list("uvuv")})


def sample(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    group = rng.choice(list("abc"), n)
    income = np.where(group == "a", 0.0, rng.lognormal(8, 1, n).round())
    return pd.DataFrame({"group": group, "income": income, "member": rng.random(n) < 0.3})


class TestValues:
    def test_an_unrelated_replica_differs_in_tables_of_two_only(self) -> None:
        result = sdc.marginal_fidelity(TRAINING, UNRELATED, holdout=TRAINING, ways=(1, 2))
        assert result["tvd"].tolist() == [0.0, 0.5]
        assert result["holdout_tvd"].tolist() == [0.0, 0.0]
        assert result["n_tables"].tolist() == [2, 1]
        assert result.index.name == "ways"
        assert np.isnan(result["ratio"]).all()  # there is nothing to divide by

    def test_without_a_holdout_its_figures_are_absent(self) -> None:
        result = sdc.marginal_fidelity(TRAINING, UNRELATED, ways=1)
        assert result.loc[1, ["holdout_tvd", "fresh_tvd", "ratio"]].isna().all()

    def test_the_mean_over_syntheses_is_given(self) -> None:
        both = sdc.marginal_fidelity(TRAINING, [TRAINING, UNRELATED], ways=2)
        assert both["tvd"].tolist() == [0.25]
        assert both.sizes == (4, 4, 4)

    def test_a_single_record_has_a_distance_but_no_standard_error(self) -> None:
        one = sdc.marginal_fidelity(TRAINING, TRAINING[:1], holdout=TRAINING[:1], ways=1)
        assert one.figure(1, "tvd") == 0.5
        assert one[["se", "holdout_se", "ratio_se"]].isna().all(axis=None)

    def test_a_fresh_sample_is_about_as_far_as_the_holdout(self) -> None:
        result = sdc.marginal_fidelity(sample(4000, 1), sample(4000, 2), holdout=sample(4000, 3))
        assert (result["ratio"] - 1).abs().le(3 * result["ratio_se"]).all()
        assert result["fresh_tvd"].to_numpy() == pytest.approx(result["holdout_tvd"].to_numpy())

    def test_fresh_data_of_more_records_are_nearer(self) -> None:
        result = sdc.marginal_fidelity(sample(2000, 1), sample(40_000, 2), holdout=sample(2000, 3))
        assert (result["fresh_tvd"] < 0.8 * result["holdout_tvd"]).all()
        expected = result["holdout_tvd"] * np.sqrt((1 / 2000 + 1 / 40_000) / (2 / 2000))
        assert result["fresh_tvd"].to_numpy() == pytest.approx(expected.to_numpy())
        assert (result["tvd"] / result["fresh_tvd"]).between(0.7, 1.4).all()

    def test_nor_are_fresh_data_of_a_few_records_further_than_data_can_be(self) -> None:
        few = [sample(5, seed) for seed in range(10, 40)]
        result = sdc.marginal_fidelity(sample(600, 1), few, holdout=sample(500, 3))
        assert (result["fresh_tvd"] <= 1).all()
        assert (result["tvd"] / result["fresh_tvd"]).between(0.8, 1.25).all()

    def test_a_binary_number_counts_when_corrected_and_not_when_published(self) -> None:
        training = pd.DataFrame({"x": [0] * 50 + [1] * 51})
        other = pd.DataFrame({"x": [0] * 10 + [1] * 91})
        assert sdc.marginal_fidelity(training, other, ways=1).loc[1, "tvd"] == pytest.approx(
            40 / 101
        )
        published = sdc.marginal_fidelity(training, other, ways=1, mode="published")
        assert published.loc[1, "tvd"] == 0.0

    def test_missing_is_a_category_when_corrected_and_left_out_when_published(self) -> None:
        training = pd.DataFrame({"x": ["a", "b", None, None]})
        other = pd.DataFrame({"x": ["a", "b", "a", "b"]})
        assert sdc.marginal_fidelity(training, other, ways=1).loc[1, "tvd"] == 0.5
        published = sdc.marginal_fidelity(training, other, ways=1, mode="published")
        assert published.loc[1, "tvd"] == 0.0

    def test_agrees_with_a_slow_count_over_pandas(self) -> None:
        training, other = sample(200, 1), sample(150, 2)
        training["income"], other["income"] = training["income"] > 0, other["income"] > 0
        total = 0.0
        pairs = list(itertools.combinations(training.columns, 2))
        for names in pairs:
            shares = [
                frame.groupby(list(names)).size().div(len(frame)) for frame in (training, other)
            ]
            total += shares[0].sub(shares[1], fill_value=0).abs().sum() / 2
        result = sdc.marginal_fidelity(training, other, ways=2)
        assert result.loc[2, "tvd"] == pytest.approx(total / len(pairs))


def _published_groups(
    training: pd.DataFrame, other: pd.DataFrame, levels: int
) -> list[pd.DataFrame]:
    """Group as the published code does: quantiles of the training data, or the frequent levels."""
    out = []
    for frame in (training, other):
        columns: dict[str, Any] = {}
        for name in training:
            values = training[name]
            if values.dtype.kind in "ifb":
                edges = np.unique(np.quantile(values.astype(float), np.linspace(0, 1, levels + 1)))
                groups = np.searchsorted(edges[1:-1], frame[name].astype(float), side="left")
                outside = (frame[name] < edges[0]) | (frame[name] > edges[-1])
                columns[name] = np.where(outside, "other", groups.astype(str))
            else:
                frequent = values.value_counts().index[:levels]
                columns[name] = frame[name].where(frame[name].isin(frequent), "other")
        out.append(pd.DataFrame(columns))
    return out


def test_the_published_mode_agrees_with_a_slow_definition_in_pandas() -> None:
    training, other = sample(300, 1), sample(250, 2)
    training["town"], other["town"] = (
        np.random.default_rng(seed).zipf(1.5, n).clip(max=300).astype(str)
        for seed, n in ((3, 300), (4, 250))
    )
    result = sdc.marginal_fidelity(training, other, mode="published")
    for ways, levels in ((1, 100), (2, 10), (3, 5)):
        files = _published_groups(training, other, levels)
        distances = []
        for names in itertools.combinations(training.columns, ways):
            first, two = (file.value_counts(list(names), normalize=True) for file in files)
            distances.append(first.sub(two, fill_value=0).abs().sum() / 2)
        assert result.loc[ways, "tvd"] == pytest.approx(np.mean(distances), rel=1e-12)


class TestEvidence:
    def test_the_values_of_every_table_are_there(self) -> None:
        result = sdc.marginal_fidelity(TRAINING, UNRELATED, holdout=TRAINING, ways=(1, 2))
        assert result.tables["variables"].tolist() == [("x",), ("y",), ("x", "y")]
        assert result.tables["tvd"].tolist() == [0.0, 0.0, 0.5]
        assert result.loc[2, "worst"] == ("x", "y")
        assert result.loc[2, "worst_tvd"] == 0.5

    def test_what_lies_outside_the_training_data_is_counted(self) -> None:
        other = pd.DataFrame({"x": list("aazz"), "y": list("uuvv")})
        novel = sdc.marginal_fidelity(TRAINING, other, holdout=TRAINING, ways=1).novel
        assert novel.loc["x"].tolist() == [0.5, 0.0]
        assert novel.loc["y"].tolist() == [0.0, 0.0]
        several = sdc.marginal_fidelity(TRAINING, [other, TRAINING], ways=1).novel
        assert several.loc["x", "synthetic"] == 0.25

    def test_the_cells_that_differ_most_come_first(self) -> None:
        data = pair(TRAINING, [UNRELATED, TRAINING, TRAINING])
        cells = cells_of(data, ("x", "y"), m=2, max_levels=5)
        assert cells["labels"].tolist()[:2] == [("a", "u"), ("a", "v")]
        assert cells["training"].tolist() == [0.5, 0.0, 0.0, 0.5]
        assert cells["synthetic"].tolist() == [0.375, 0.125, 0.125, 0.375]
        assert cells["holdout"].tolist() == [0.5, 0.0, 0.0, 0.5]
        without = cells_of(pair(TRAINING, UNRELATED), ("x",), m=1, max_levels=5)
        assert without["holdout"].isna().all()

    def test_a_copy_keeps_the_evidence(self) -> None:
        result = sdc.marginal_fidelity(TRAINING, UNRELATED, ways=1)
        assert result.copy().tables.equals(result.tables)
        assert copy.deepcopy(result).method == "corrected"
        assert result[["tvd"]].sizes == (4, 4)

    def test_changes_made_to_the_inputs_are_listed(self) -> None:
        result = sdc.marginal_fidelity(TRAINING, UNRELATED.assign(z=1), ways=1)
        assert any("'z'" in fix for fix in result.fixes)


class TestBadInput:
    def test_an_unknown_mode(self) -> None:
        with pytest.raises(StudyError, match=r"got 'publish'.* Did you mean 'published'\?"):
            sdc.marginal_fidelity(TRAINING, UNRELATED, mode="publish")  # type: ignore[arg-type]

    @pytest.mark.parametrize("ways", [0, 1.5, "two", []])
    def test_ways_that_are_no_whole_numbers_above_zero(self, ways: Any) -> None:
        with pytest.raises(
            StudyError,
            match=r"ways: expected (whole numbers of at least 1|a whole number or a list)",
        ):
            sdc.marginal_fidelity(TRAINING, UNRELATED, ways=ways)

    def test_ways_without_a_number_of_levels(self) -> None:
        with pytest.raises(StudyError, match="no number of levels for tables of 4 variables"):
            sdc.marginal_fidelity(TRAINING, UNRELATED, ways=4)

    def test_more_ways_than_variables(self) -> None:
        with pytest.raises(StudyError, match="of 2 variables there are no tables of 3"):
            sdc.marginal_fidelity(TRAINING, UNRELATED)

    def test_too_many_tables(self) -> None:
        wide = pd.DataFrame({f"v{i}": [1, 2] for i in range(90)})
        with pytest.raises(StudyError, match="90 variables have 117,480 tables of 3"):
            sdc.marginal_fidelity(wide, wide)

    def test_as_many_tables_as_are_measured_at_most(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MOST_TABLES", 3)
        assert combinations_of(["a", "b", "c"], 2) == [("a", "b"), ("a", "c"), ("b", "c")]
        with pytest.raises(StudyError, match="4 variables have 4 tables of 3, too many"):
            combinations_of(["a", "b", "c", "d"], 3)

    def test_an_unknown_column(self) -> None:
        with pytest.raises(ColumnError, match="'z'"):
            sdc.marginal_fidelity(TRAINING, UNRELATED, variables=["z"])


PLATZER = Path(__file__).parents[4] / "shared" / "data" / "platzer"


@pytest.mark.skipif(not PLATZER.is_dir(), reason="the shared data are not in this checkout")
class TestPublishedFigures:
    """Figure 7 of Platzer and Reutterer, to the digits of their own code.

    Of the farthest and the nearest replica; tests/reference/peers has all others.
    """

    @pytest.mark.parametrize("data", ["adult", "online-shoppers"])
    def test_a_fidelity_that_can_be_computed_is_reproduced(self, data: str) -> None:
        expected = pd.read_csv(PLATZER / "expected.csv")
        expected = expected[(expected["figure"] == 7) & (expected["dataset"] == data)]
        expected = expected[expected["synthesizer"].isin(["flip90", "mostly"])]
        training = sdc.read(PLATZER / f"{data}_trn.parquet")
        checked = 0
        for replica, cells in expected.groupby("synthesizer"):
            file = PLATZER / f"{data}_{replica}.parquet"
            result = sdc.marginal_fidelity(training, sdc.read(file), mode="published")
            for row in cells.itertuples():
                value = result.loc[int(str(row.metric)[1:]), "tvd"]
                assert value == pytest.approx(row.computed, rel=1e-12), (replica, row.metric)
                checked += 1
        assert checked == 6


def test_errors_of_means_and_of_their_ratio_follow_from_the_covariance() -> None:
    covariance = np.array([[0.04, 0.01, 0.002], [0.01, 0.09, 0.004], [0.002, 0.004, 0.01]])
    result: Any = SimpleNamespace(
        values=np.array([0.2, 0.4, 0.1]), covariance=covariance, by_chance=np.array([0.05, 0.07, 9])
    )
    row = _row(result, 2)
    of_mean, shared = (0.04 + 0.09 + 2 * 0.01) / 4, (0.002 + 0.004) / 2
    assert (row["tvd"], row["se"]) == pytest.approx((0.3, of_mean**0.5))
    assert (row["holdout_tvd"], row["holdout_se"]) == pytest.approx((0.1, 0.1))
    assert (row["fresh_tvd"], row["ratio"]) == pytest.approx((0.06, 3.0))
    slope = np.array([1 / 0.1, -0.3 / 0.1**2])  # of the ratio, by both means
    both = np.array([[of_mean, shared], [shared, 0.01]])
    assert row["ratio_se"] == pytest.approx(float(slope @ both @ slope) ** 0.5)
    result.values[2] = 0.0
    assert np.isnan([_row(result, 2)[name] for name in ("ratio", "ratio_se")]).all()
    result.values, result.covariance = result.values[:2], covariance[:2, :2]
    row = _row(result, 2)
    assert row["se"] == pytest.approx(of_mean**0.5)
    nothing = ("holdout_tvd", "holdout_se", "fresh_tvd", "ratio", "ratio_se")
    assert np.isnan([row[name] for name in nothing]).all()
