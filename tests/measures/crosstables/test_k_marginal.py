"""The k-marginal score: recorded values of SDNist, toys, and the expectation of a cut."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables import k_marginal
from sdcmetrics.measures.crosstables.k_marginal import expected_distance
from sdcmetrics.measures.pair import Pair
from tests.demo import answers, demo

CATEGORIES = ["selfLR", "ClinLR", "DoleLR", "PID", "educ", "income", "vote"]


@pytest.mark.parametrize("replica", ["cart_1", "independent", "perturbed"])
def test_equals_sdnist_and_the_recorded_reference_points(replica: str) -> None:
    expected = answers("k_marginal")[replica]
    result = sdc.k_marginal(
        demo(), demo(replica), holdout=demo("holdout"), variables=CATEGORIES, by="vote"
    )
    assert result.score == pytest.approx(expected["kmarginal"], rel=1e-12)
    groups = result.by_group["score"].to_dict()
    assert groups == pytest.approx(expected["kmarginal_by_vote"], rel=1e-12)
    assert result.at == 314
    assert result.fresh == pytest.approx(expected["fresh"], rel=1e-12)
    assert result.score_at == pytest.approx(expected["value_at_h"], rel=1e-11)
    assert result.copy_at == pytest.approx(expected["copy_at_h"], rel=1e-11)


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    original = pd.DataFrame({"x": list("aabb"), "y": ["u", "u", "v", None], "z": [1, 2, 3, 4]})
    replica = pd.DataFrame({"x": list("abbbb"), "y": ["u", None, "v", "u", "v"], "z": [1] * 5})
    return original, replica


class TestTheScore:
    def test_is_that_of_the_tables_by_hand(self) -> None:
        original, replica = frames()
        tables = [
            sdc.tvd(original, replica, variables=list(pair), ways=2)
            for pair in itertools.combinations("xyz", 2)
        ]
        by_hand = 1000 * (1 - np.mean([float(np.ravel(table["TVD"])[0]) for table in tables]))
        assert sdc.k_marginal(original, replica).score == pytest.approx(by_hand)

    def test_of_several_syntheses_is_the_mean(self) -> None:
        original, replica = frames()
        result = sdc.k_marginal(original, [replica, original])
        assert result.score == pytest.approx((result.each[0] + 1000) / 2)

    def test_of_a_group_that_the_replica_lacks_is_zero(self) -> None:
        original, replica = frames()
        only = sdc.k_marginal(original, replica[replica["x"] == "b"], by="x")
        assert only.by_group.loc["a", "score"] == 0

    def test_groups_have_the_records_of_the_original_and_of_a_mean_synthesis(self) -> None:
        original, replica = frames()
        files = [replica, replica.iloc[:3], original]
        result = sdc.k_marginal(original, files, by="x").by_group
        sizes = [frame["x"].value_counts().reindex(result.index, fill_value=0) for frame in files]
        assert result["synthetic"].tolist() == pytest.approx(np.mean(sizes, axis=0).tolist())
        each = [sdc.k_marginal(original, file, by="x").by_group["score"] for file in files]
        assert result["score"].tolist() == pytest.approx(np.mean(each, axis=0).tolist())
        of_original = original["x"].value_counts().reindex(result.index, fill_value=0)
        assert result["original"].tolist() == of_original.tolist()

    def test_refuses_more_ways_than_variables_and_an_unknown_group(self) -> None:
        with pytest.raises(StudyError, match="ways: 3 variables have"):
            sdc.k_marginal(*frames(), ways=4)
        with pytest.raises(StudyError, match="by: expected one of the columns"):
            sdc.k_marginal(*frames(), by="w")
        with pytest.raises(StudyError, match="by: there are too few other variables for tables"):
            sdc.k_marginal(*frames(), variables=["x", "y"], by="y")

    @pytest.mark.parametrize(("names", "most", "pairs"), [
        (["x"], 9, 0), (["x", "y"], 1, 1), (["x", "y", "z"], 2, 0), (["x", "y", "z"], 3, 3),
    ])  # fmt: skip
    def test_of_a_review_needs_pairs_and_not_too_many(
        self, names: list[str], most: int, pairs: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(k_marginal, "_MOST_TABLES", most)
        original, replica = frames()
        study = sdc.Study(original, {"r": replica}, keys=["x"], variables=names)
        pair = Pair("r", study.original, study.replicas["r"])
        (given,) = k_marginal.K_MARGINAL.places(pair, study, lambda _: None)
        if pairs:
            assert given.each == pytest.approx(
                (sdc.k_marginal(original, replica, variables=names).score,)
            )
        else:
            reason = f"{len(names)} variables have too few pairs, or too many"
            assert (given.each, given.reason) == ((), reason)


def test_a_cut_is_the_mean_over_every_subset() -> None:
    original, replica = frames()
    cut = [
        sdc.k_marginal(original, replica.iloc[list(rows)], variables=["x", "y"]).score
        for rows in itertools.combinations(range(5), 3)
    ]
    fresh = original.iloc[:3]
    result = sdc.k_marginal(original, replica, holdout=fresh, variables=["x", "y"])
    assert (result.at, result.score_at) == (3, pytest.approx(np.mean(cut)))


@pytest.mark.parametrize(("count", "size", "k"), [(3, 10, 4), (40_000, 50_000, 24_000), (1, 9, 9)])
def test_an_expected_distance_is_that_of_the_hypergeometric_distribution(
    count: int, size: int, k: int
) -> None:
    from scipy import stats

    middle = 0.9 * k * count / size
    x = np.arange(max(0, k - size + count), min(k, count) + 1)
    slow = float(stats.hypergeom.pmf(x, size, count, k) @ np.abs(x - middle))
    result = expected_distance(np.array([middle]), np.array([count]), size, k)
    assert result[0] == pytest.approx(slow, rel=1e-8)


def test_a_review_has_it_beside_a_copy_and_fresh_people() -> None:
    rng = np.random.default_rng(1)
    sets = [
        pd.DataFrame({name: rng.integers(0, 4, size) for name in "abc"}) for size in (90, 90, 60)
    ]
    original, replica, holdout = sets
    study = sdc.Study(
        original, {"r": replica, "copy": original}, keys=["a"], holdout=holdout, perturbed=()
    )
    rows = sdc.conduct(study).frame.query("metric == 'KM'").set_index("replica")
    result = sdc.k_marginal(original, replica, holdout=holdout)
    assert rows.loc["r", "value"] == pytest.approx(result.score)
    assert rows.loc["r", ["at", "value_at"]].tolist() == pytest.approx([60, result.score_at])
    assert rows.loc["r", ["fresh", "copy_at"]].tolist() == pytest.approx(
        [result.fresh, result.copy_at]
    )
    assert rows.loc["copy", "value"] == rows.loc["copy", "copy"] == 1000
    assert rows.loc["copy", "value_at"] == pytest.approx(rows.loc["copy", "copy_at"])
    assert not math.isnan(result.fresh)
