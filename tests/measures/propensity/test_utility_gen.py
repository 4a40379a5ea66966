"""utility_gen from two frames: what is found, flagged, refused and invariant."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdcmetrics as sdc
from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.propensity import models, utility_gen
from sdcmetrics.measures.survey.households import two_sides


def some(seed: int, n: int = 300, shift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(18, 90, n),
            "income": rng.normal(100 + shift, 10, n).round(1),
        }
    )


@pytest.mark.parametrize("method", ["logit", "cart"])
def test_the_variable_that_differs_comes_first(method: Any) -> None:
    result = sdc.utility_gen(
        some(1), some(2, shift=10), method=method, maxorder=0, nperms=3, seed=1
    )
    assert result.by_variable.index[0] == "income"
    assert result.mean["S_pMSE"] > 1.5
    assert "income" in str(result.terms.iloc[0].tolist())


def test_a_fresh_sample_has_an_s_pmse_of_about_one() -> None:
    for method in ("logit", "cart"):
        result = sdc.utility_gen(some(1), some(2), method=method, nperms=20, seed=1)
        assert 0.4 < result.mean["S_pMSE"] < 1.9


def test_permutations_agree_with_the_analytic_expectation() -> None:
    given_ = {"method": "logit", "maxorder": 0}
    analytic = sdc.utility_gen(some(1, 900), some(2, 900), **given_).mean["S_pMSE"]
    permuted = sdc.utility_gen(
        some(1, 900), some(2, 900), **given_, resampling="perm", nperms=400, seed=3
    )
    assert permuted.mean["S_pMSE"] == pytest.approx(analytic, rel=0.15)
    assert len(permuted.null) == 400


def test_a_seed_gives_the_same_permutations_and_is_recorded() -> None:
    one = sdc.utility_gen(some(1), some(2), nperms=4)
    again = sdc.utility_gen(some(1), some(2), nperms=4, seed=one.seed)
    assert one.seed is not None
    assert sdc.utility_gen(some(1), some(2), method="logit", maxorder=0).seed is None
    pd.testing.assert_frame_equal(one.null, again.null)


def test_pairs_compare_syntheses_with_each_other() -> None:
    replicas = [some(2), some(3), some(4)]
    result = sdc.utility_gen(some(1), replicas, method="logit", maxorder=0, resampling="pairs")
    between = [
        sdc.utility_gen(a, b, method="logit", maxorder=0).mean
        for a, b in ((replicas[1], replicas[0]), (replicas[2], replicas[0]), replicas[:0:-1])
    ]
    table = result.per_synthesis
    for name in ("PO50", "SPECKS", "U"):
        mean = np.mean([pair[name] for pair in between])
        assert table[f"S_{name}"].to_numpy() == pytest.approx(2 * table[name].to_numpy() / mean)
    with pytest.raises(StudyError, match="only one"):
        sdc.utility_gen(some(1), some(2), resampling="pairs")


def test_missing_on_one_side_only_is_a_difference_that_is_listed() -> None:
    replica = some(2)
    replica.loc[:99, "income"] = np.nan
    result = sdc.utility_gen(some(1), replica, method="logit", maxorder=0)
    assert result.per_synthesis["separated"].tolist() == [100]
    assert any("missing here but not in the original" in fix for fix in result.fixes)


def test_a_constant_column_changes_nothing_and_is_listed() -> None:
    first, second = some(1).assign(same=7), some(2).assign(same=7)
    for method in ("logit", "cart"):
        with_it = sdc.utility_gen(first, second, method=method, resampling="none")
        without = sdc.utility_gen(some(1), some(2), method=method, resampling="none")
        assert with_it.mean["pMSE"] == pytest.approx(without.mean["pMSE"], rel=1e-12)
        assert any("'same'" in fix for fix in with_it.fixes)


def test_one_column_is_enough() -> None:
    result = sdc.utility_gen(some(1), some(2), method="logit", variables=["age"])
    assert result.mean["df"] == 1


def test_what_is_refused() -> None:
    first, second = some(1), some(2)
    with pytest.raises(StudyError, match="more than max_params=5"):
        sdc.utility_gen(first, second, method="logit", max_params=5)
    with pytest.raises(StudyError, match="method"):
        sdc.utility_gen(first, second, method="ctree")  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="maxorder"):
        sdc.utility_gen(first, second, method="logit", maxorder=-1)
    with pytest.raises(StudyError, match="nperms"):
        sdc.utility_gen(first, second, nperms=0)
    constant = pd.DataFrame({"x": [1, 1]})
    with pytest.raises(NotComputable, match="more than one value"):
        sdc.utility_gen(constant, constant)


def test_a_model_of_a_column_per_record_is_refused() -> None:
    sides = [pd.DataFrame({"x": [f"{side}{i}" for i in range(5001)]}) for side in "ab"]
    with pytest.raises(NotComputable, match="10002 columns, more than 10000"):
        sdc.utility_gen(*sides, method="logit", maxorder=0)


def test_a_huge_model_is_announced(caplog: pytest.LogCaptureFixture) -> None:
    rng = np.random.default_rng(0)
    frames = [
        pd.DataFrame({name: rng.integers(0, 60, 400).astype(str) for name in "ab"})
        for _ in range(2)
    ]
    with caplog.at_level(logging.WARNING, logger="sdcmetrics"):
        sdc.utility_gen(*frames, method="logit")
    assert "parameters" in caplog.text


def test_a_single_leaf_is_noted() -> None:
    frame = pd.DataFrame({"x": ["a", "b"] * 4})
    result = sdc.utility_gen(frame, frame, nperms=2, minbucket=9, seed=1)
    assert result.mean["pMSE"] == 0
    assert math.isnan(result.mean["S_pMSE"])  # no tree of permuted labels has a split either
    assert any("single leaf" in note for note in result.notes)
    assert (
        "0 where the tree has no split" in sdc.MEASURES["pMSE_cart"].limits
    )  # a review shows these


rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 4), st.booleans()), min_size=15, max_size=40
)


@settings(max_examples=40, deadline=None, database=None)
@given(rows, rows, st.permutations("abc"))
def test_neither_level_order_nor_row_order_matters_to_logit(one: Any, two: Any, order: Any) -> None:
    def frame(rows: Any, levels: Any) -> pd.DataFrame:
        f, x, b = zip(*rows, strict=True)
        return pd.DataFrame({"f": pd.Categorical(f, categories=list(levels)), "x": x, "b": b})

    try:
        plain = sdc.utility_gen(frame(one, "abc"), frame(two, "abc"), method="logit")
    except NotComputable:
        return
    other = sdc.utility_gen(frame(one[::-1], "abc"), frame(two[::-1], order), method="logit")
    for name in ("pMSE", "df", "U", "SPECKS"):
        assert other.mean[name] == pytest.approx(plain.mean[name], rel=1e-6, abs=1e-9)


def test_grouped_numbers_are_levels() -> None:
    rng = np.random.default_rng(3)
    first, second = (pd.DataFrame({"x": rng.permutation(np.tile(range(1, 7), 30))}) for _ in "ab")
    first["y"], second["y"] = np.tile([0, 1, 2], 60), second["x"] % 3
    grouped = sdc.utility_gen(first, second, method="logit", ngroups=3)
    by_hand = sdc.utility_gen(
        *(frame.assign(x=((frame["x"] + 1) // 2).astype(str), y=frame["y"].astype(str))
          for frame in (first, second)),
        method="logit",
    )  # fmt: skip
    assert grouped.mean["df"] == by_hand.mean["df"]
    assert grouped.p_mse == pytest.approx(by_hand.p_mse, rel=1e-8)
    assert grouped.s_p_mse == by_hand.mean["S_pMSE"] == pytest.approx(grouped.mean["S_pMSE"])


@pytest.mark.parametrize(("least", "refused"), [(299, True), (300, False)])
def test_a_matrix_too_large_for_memory_is_refused(
    least: int, monkeypatch: pytest.MonkeyPatch, *, refused: bool
) -> None:
    frame = pd.DataFrame({"x": range(100), "y": range(100)})
    monkeypatch.setattr(models, "_LARGEST_MATRIX", least)  # three terms of 100 records
    if not refused:
        sdc.utility_gen(frame, frame, method="logit", maxorder=0)
        return
    with pytest.raises(NotComputable, match=r"up to 3.0e\+02 entries, too many for memory"):
        sdc.utility_gen(frame, frame, method="logit", maxorder=0)


@pytest.mark.parametrize("nperms", [1, 99_999])
def test_as_many_permutations_as_can_be_are_made(nperms: int) -> None:
    assert utility_gen._resampling("cart", None, nperms) == "perm"
    assert utility_gen._resampling("logit", None, 0) == "analytic"
    assert utility_gen._resampling("logit", "pairs", 0) == "pairs"
    for wrong, words in (
        (0, "expected at least 1 but got 0"),
        (100_000, "expected at most 99,999"),
    ):
        with pytest.raises(StudyError, match=words):
            utility_gen._resampling("logit", "perm", wrong)


class TestHouseholds:
    """Of two files of 12 and 8 people: homes of two, three or four in either."""

    HOMES = np.array([1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 4, 5]), np.array([1, 1, 1, 2, 2, 3, 3, 3])

    def people(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        rng = np.random.default_rng(1)
        first, other = (
            pd.DataFrame({"home": homes, "x": rng.integers(0, 9, len(homes))})
            for homes in self.HOMES
        )
        return first, other

    def test_labels_of_whole_households_are_permuted(self) -> None:
        first, other = self.people()
        households = two_sides("home", (first, "one"), (other, "other"), together=False)
        synthetic = np.arange(20) < 8
        labels = list(
            utility_gen._permutations(synthetic, 40, np.random.default_rng(2), households)
        )
        homes = np.concatenate([100 + self.HOMES[1], self.HOMES[0]])  # synthetic records first
        assert len(labels) == 40
        assert len({tuple(label) for label in labels}) > 5
        for label in labels:
            for home in np.unique(homes):
                assert len(set(label[homes == home].tolist())) == 1
        assert not all((label == synthetic).all() for label in labels)

    def test_every_synthesis_may_have_its_own_and_none_is_a_column(self) -> None:
        first, other = self.people()
        given_: Any = {"method": "logit", "resampling": "perm", "nperms": 5, "seed": 1}
        by_name = sdc.utility_gen(first, [other, other], household="home", **given_)
        assert by_name.by_variable.index.tolist() == ["x"]
        known = two_sides("home", (first, "one"), (other, "other"), together=False)
        bare = [frame[["x"]] for frame in (first, other, other)]
        by_each = sdc.utility_gen(bare[0], bare[1:], household=[known, known], **given_)
        pd.testing.assert_frame_equal(by_name.null, by_each.null)
        persons = sdc.utility_gen(bare[0], bare[1:], **given_)
        assert not np.allclose(persons.null["pMSE"], by_name.null["pMSE"])
        with pytest.raises(StudyError, match="one for each of 2 syntheses but got 1"):
            sdc.utility_gen(bare[0], bare[1:], household=[known], **given_)
