"""Fidelity beside a holdout as a study has it: that of the function, with the worst table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.fidelity import places
from sdcmetrics.measures.fidelity.declared import MEASURES
from sdcmetrics.measures.kind import Given, Kind
from sdcmetrics.measures.pair import Pair
from sdcmetrics.microdata.frames import as_microdata


def people(n: int, seed: int, columns: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"c{i}": rng.choice(list("abcd"), n) for i in range(columns)})


SETS = people(80, 1), people(60, 2), people(50, 3)


def given(kind: Kind, *sets: pd.DataFrame, **asked: Any) -> Given:
    original, replica, holdout = sets or SETS
    plan = sdc.Study(original, {"r": replica}, holdout=holdout, keys=["c0"], **asked)
    apart = as_microdata(holdout, "holdout")
    pair = Pair("r", plan.original, plan.replicas["r"], apart)
    (place,) = kind.places(pair, plan, lambda _: None)
    return place


def test_only_f1_sees_nothing_of_what_columns_have_to_do_with_each_other() -> None:
    """Columns drawn each by itself are as good by it as the original drawn again."""
    alone = [measure.symbol for measure in MEASURES if measure.one_way]
    assert alone == ["F1"]
    assert [measure.ideal for measure in MEASURES] == [0, 0, 0, None, None, None]


def test_sizes_that_were_not_measured_have_no_figure() -> None:
    original, replica, holdout = SETS
    result: Any = sdc.marginal_fidelity(original, replica, holdout=holdout, ways=(1, 3))
    figures = {measure.symbol: measure.function(result) for measure in MEASURES}
    assert [symbol for symbol, value in figures.items() if np.isnan(value)] == ["F2", "F2_holdout"]
    assert figures["F1"] == result["tvd"][1]
    assert figures["F3_holdout"] == result["holdout_tvd"][3]


def test_tables_are_those_of_the_function_and_the_worst_is_shown() -> None:
    original, replica, holdout = SETS
    place = given(places.MARGINS)
    expected = sdc.marginal_fidelity(original, replica, holdout=holdout)
    whole: Any = place.whole
    pd.testing.assert_frame_equal(pd.DataFrame(whole), pd.DataFrame(expected))
    result: Any = place.result
    fidelity, worst = result
    assert fidelity is place.whole
    assert [table.variables for table in worst] == expected["worst"].tolist()
    for table in worst:
        names = list(table.variables)
        shares = [
            frame.groupby(names).size() / len(frame) for frame in (original, replica, holdout)
        ]
        both = pd.concat(shares, axis=1).fillna(0.0)
        assert table.tvd == pytest.approx((both[1] - both[0]).abs().sum() / 2)
        assert table.holdout_tvd == pytest.approx((both[2] - both[0]).abs().sum() / 2)
        cells = table.cells
        assert cells["training"].sum() == pytest.approx(1)
        gap = (cells["synthetic"] - cells["training"]).abs().to_numpy()
        assert (np.diff(gap) <= 1e-12).all()


@pytest.mark.parametrize(("most", "sizes"), [(20_000, [1, 2, 3]), (3, [1, 2, 3]), (2, [3])])
def test_sizes_of_which_there_are_too_many_tables_are_left_out(
    most: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_MOST_TABLES", most)
    original, replica, _ = SETS
    data = Pair("r", as_microdata(original, "o"), [as_microdata(replica, "r")]).data
    assert places.ways_of(data) == sizes
    narrow = Pair(
        "r", as_microdata(original[["c0"]], "o"), [as_microdata(replica[["c0"]], "r")]
    ).data
    assert places.ways_of(narrow) == [1]


@pytest.mark.parametrize("role", ["", "household", "person"])
def test_the_holdout_is_checked_as_by_the_function(role: str) -> None:
    original, replica, holdout = SETS
    if role:
        original, replica, holdout = (
            frame.assign(home=1000 * i + np.arange(len(frame)) // 2) for i, frame in enumerate(SETS)
        )
    sample = {"sample": {role: "home"}} if role else {}
    place = given(places.HOLDOUT, original, replica, holdout, seed=4, **sample)
    options: Any = {"household": "home"} if role else {}
    expected = sdc.check_holdout(original, holdout, seed=4, **options)
    result: Any = place.result
    assert result.p_population == expected.p_population
    assert place.places[0].variables == ("c0", "c1", "c2")
