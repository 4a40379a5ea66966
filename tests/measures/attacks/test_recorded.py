"""Attacks against values that plain code recorded on four files."""

from __future__ import annotations

import pytest

from sdcmetrics import (
    attribute_inference,
    exact_matches,
    linkability,
    membership,
    record_linkage,
    singling_out,
)
from tests.demo import answers, demo

FILES = ("original", "perturbed", "cart_1", "independent")


@pytest.mark.parametrize("name", FILES)
def test_membership(name: str) -> None:
    answer = answers("attacks")[name]
    result = membership(demo("original"), demo(name), demo("holdout"))
    assert result.training == pytest.approx(answer["m12_auc_distance"], rel=1e-12)
    interval = [2 * end - 1 for end in answer["m12_auc_newcombe5"]]
    assert result.interval == pytest.approx(tuple(interval), abs=1e-9)
    assert result.figures["p_auc"] == pytest.approx(answer["m12_p_normal"], rel=1e-9)
    assert [*result.figures["top"], result.figures["p_top"]] == pytest.approx(
        answer["m12_top_pool"]
    )
    zero = [*result.figures["at_distance_0"], result.figures["p_at_distance_0"]]
    assert zero == pytest.approx(answer["m12_zero_distance"])


@pytest.mark.parametrize(
    ("name", "columns", "which"),
    [
        ("cart_1", 1, "univariate"),
        ("perturbed", 2, "pairs"),
        ("independent", 2, "pairs"),
        ("cart_1", 3, "triples"),
    ],
)
def test_singling_out(name: str, columns: int, which: str) -> None:
    answer = answers("attacks")[name][f"m14_{which}"]
    result = singling_out(
        demo("original"), demo(name), demo("holdout"), columns=columns, permutations=99
    )
    assert result.figures["descriptions"] == answer["made"]
    assert result.training == pytest.approx(answer["e"])
    assert result.control == pytest.approx(answer["s"])
    assert result.figures["of_all"] == pytest.approx(answer["full"])


@pytest.mark.parametrize("name", FILES)
def test_linkability(name: str) -> None:
    answer = answers("attacks")[name]["m15_k1"]
    result = linkability(
        demo("original"),
        demo(name),
        demo("holdout"),
        keys=["age", "educ", "income"],
        other_keys=["PID", "selfLR", "vote", "TVnews"],
    )
    assert result.training == pytest.approx(answer["original"], rel=1e-12)
    assert result.control == pytest.approx(answer["holdout"], rel=1e-12)
    assert result.figures["spread"] == pytest.approx(answer["phi"])
    assert result.p_value == pytest.approx(answer["p_perm999"])


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("target", ["vote", "income"])
def test_attribute_inference_by_the_nearest_record(name: str, target: str) -> None:
    answer = answers("attacks")[name][f"m13_nearest_{target}"]
    result = attribute_inference(
        demo("original"), demo(name), demo("holdout"), target=target, learner="nearest"
    )
    assert result.training == pytest.approx(answer["original"], rel=1e-12)
    assert result.control == pytest.approx(answer["holdout"], rel=1e-12)
    assert result.excess == pytest.approx(answer["excess"], rel=1e-9)


@pytest.mark.parametrize("name", FILES)
def test_exact_and_apparent_matches(name: str) -> None:
    data = (demo("original"), demo(name), demo("holdout"))
    exact = answers("attacks")[name]["m17_uem_7cat"]
    seven = ["selfLR", "ClinLR", "DoleLR", "PID", "educ", "income", "vote"]
    result = exact_matches(*data, variables=seven)
    assert result.figures["matched"] == (exact["pool_O"][0], exact["pool_H"][0])
    assert result.figures["unique"] == (exact["pool_O"][1], exact["pool_H"][1])
    assert result.p_value == pytest.approx(exact["pool_p"])
    apparent = answers("attacks")[name]["m17_apparent"]
    result = exact_matches(
        *data, variables=["age", "educ", "PID", "income"], unique_in_replica=True
    )
    assert result.figures["matched"] == (apparent["pool_O"][0], apparent["pool_H"][0])
    assert result.figures["agreement"][0] == pytest.approx(apparent["pool_O"][1])
    assert result.p_value == pytest.approx(apparent["p_rate"])


@pytest.mark.parametrize("keys", ["age,educ,PID", "age,educ,PID,income,selfLR", "all 10"])
def test_record_linkage(keys: str) -> None:
    names = list(demo("original").columns) if keys == "all 10" else keys.split(",")
    result = record_linkage(demo("original"), demo("perturbed"), keys=names).methods
    for ours, theirs in (
        ("gower", "gower_joint_range"),
        ("hamming", "hamming"),
        ("fellegi-sunter", "fs_true_m"),
        ("em", "fs_em_u_fixed_p_fixed"),
    ):
        answer = answers("attacks")["m16"][keys][theirs]
        assert result.loc[ours, "risk"] == pytest.approx(answer["expected"], rel=1e-9)
        assert result.loc[ours, "among_candidates"] == pytest.approx(answer["own_in_nearest"])
        assert result.loc[ours, "candidates"] == pytest.approx(answer["mean_candidates"])
        assert result.loc[ours, "z"] == pytest.approx(answer["z"], rel=1e-6)
