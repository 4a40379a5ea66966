"""Answers of other packages, recorded here, against ours; some stop early or round."""

from __future__ import annotations

import math

import pandas as pd
import pytest

import sdcmetrics as sdc
from tests.peers import (
    DIFFERENCES,
    PEERS,
    api,
    elsewhere,
    intended,
    platzer,
    table_4,
    vignettes,
)
from tests.recorded import SHARED
from tests.reference.peers.record_others import compared

VALUES = {
    "SynthEval 1.7.3": 42,
    "survey 4.1.1": 156,
    "survey 4.1.1, the demo": 620,
    "sdcMicro 5.8, the demo": 1164,
    "SDNist, the demo": 9,
    "energy 1.7-11, the demo": 2,
}


@pytest.mark.parametrize("package", PEERS)
def test_every_number_is_that_of_the_other_package(package: str) -> None:
    result = list(PEERS[package]())
    assert len(result) == VALUES[package]
    for what, ours, theirs in result:
        assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-12), what


def test_what_is_corrected_differs_and_says_why() -> None:
    result = list(intended())
    assert {metric for metric, *_ in result} >= {"h_dist", "q_mse", "mmd"}
    for _, why, ours, theirs in result:
        assert why
        assert not math.isclose(ours, theirs, rel_tol=1e-6)


def test_other_corrections_can_be_repeated() -> None:
    sdcmicro, platzer = DIFFERENCES
    assert sdcmicro.ours == pytest.approx(0.0084027681, rel=1e-8)  # about 1 / 119
    assert platzer.ours == pytest.approx(61 / 101)
    published = eval(  # noqa: S307
        platzer.code.replace("ways=1", 'ways=1, mode="published"'), {"pd": pd, "sdc": sdc}
    )
    assert published == platzer.theirs


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared answers are not in this checkout")
def test_what_is_recorded_of_others_still_holds() -> None:
    recorded = elsewhere().set_index("package")
    assert (recorded["largest"] < 1e-10).all()
    result = {
        package: (values, largest) for package, values, largest, _ in compared(SHARED.parents[1])
    }
    assert {name: values for name, (values, _) in result.items()} == recorded["values"].to_dict()
    assert max(largest for _, largest in result.values()) < 1e-10


def test_every_published_cell_that_has_data_is_ours_to_the_last_printed_digit() -> None:
    cells = platzer()
    assert cells.groupby("figure").size().to_dict() == {7: 204, 8: 68}
    there = cells["ours"].notna()
    assert cells[there].groupby("figure")["same"].agg(["size", "sum"]).to_numpy().tolist() == [
        [192, 192],
        [64, 64],
    ]
    assert set(cells.loc[~there, "dataset"]) == {"credit-default"}
    assert set(cells.loc[~there, "replica"]) == {"CopulaGAN", "CTGAN", "GaussianCopula", "TVAE"}


def test_cells_of_table_4_are_ours_or_say_why_not() -> None:
    cells = table_4()
    assert len(cells) == 66
    assert cells["same"].sum() >= 58
    explained = cells["why"].ne("") | cells["metric"].eq("frac sigs")
    assert (cells["same"] | explained).all()


def test_numbers_of_the_vignettes_are_ours_or_say_why_not() -> None:
    cells = vignettes()
    assert cells.groupby("vignette").size().to_dict() == {
        "disclosure": 99,
        "inference": 177,
        "utility": 52,
    }
    assert (cells["same"] | cells["why"].ne("")).all()
    assert cells.loc[cells["same"], "why"].eq("").all()
    differ = cells[~cells["same"]].groupby("vignette").size().to_dict()
    assert differ == {"inference": 1, "utility": 11}


def test_estimates_of_schools_are_those_of_survey_but_quantiles_under_equal_weights() -> None:
    cells = api()
    assert cells["design"].nunique() == 7
    assert (len(cells), int(cells["same"].sum())) == (875, 826)
    others = cells[~cells["same"]]
    assert others["statistic"].str.startswith("quantile").all()
    assert set(others["design"]) == {"srs", "srs, clusters"}
    assert not others["statistic"].str.startswith("quantile 0.5").any()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not in this checkout")
@pytest.mark.parametrize(("replica", "file"), [("synthpop", "synthpop"), ("Flip 90%", "flip90")])
def test_recorded_cells_are_what_is_computed_now(replica: str, file: str) -> None:
    folder = SHARED.parents[1] / "data" / "platzer"
    sets = [sdc.read(folder / f"adult_{part}.parquet") for part in ("trn", file)]
    result = sdc.marginal_fidelity(*sets, mode="published")["tvd"]
    cells = platzer().query("dataset == 'adult' and figure == 7").set_index(["replica", "measure"])
    for ways in (1, 2, 3):
        assert cells.loc[(replica, f"F{ways}"), "ours"] == pytest.approx(result[ways], rel=1e-12)
