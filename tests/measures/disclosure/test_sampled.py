"""People behind records at risk: sums of weights by their definition, beside a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.disclosure.sampled import MEASURES, SAMPLED_KEYS
from sdcmetrics.measures.kind import Given
from sdcmetrics.measures.pair import Pair
from tests.study.test_sample import study, survey

KEYS = ["sex", "age"]
BY_SYMBOL = {measure.symbol: measure for measure in MEASURES}


def given(*replicas: pd.DataFrame, **asked: Any) -> list[Given]:
    plan = study([*replicas], **{"sample": {"weight": "w"}, **asked})
    pair = Pair("one", plan.original, plan.replicas["one"])
    return list(SAMPLED_KEYS.places(pair, plan, lambda _: None))


def at_risk(file: pd.DataFrame, replica: pd.DataFrame, target: str) -> dict[str, pd.Series]:
    alone = file.groupby(KEYS)[KEYS[0]].transform("size") == 1
    again = file.join(replica.groupby(KEYS).size().rename("s"), on=KEYS)["s"] == 1
    certain = file.join(replica.groupby(KEYS)[target].agg(["nunique", "first"]), on=KEYS)
    learnt = (certain["nunique"] == 1) & (certain["first"] == certain[target])
    return {"UiO_population": alone, "repU_population": alone & again, "DiSCO_population": learnt}


@pytest.mark.parametrize("m", [1, 2])
def test_people_are_the_weights_of_records_at_risk(m: int) -> None:
    rng = np.random.default_rng(4)
    file, fresh, other = (survey(i).assign(age=rng.integers(20, 150, 240)) for i in (1, 2, 3))
    replicas = [fresh, pd.concat([other.iloc[:150], file.iloc[:50]], ignore_index=True)]
    replicas = [replica.drop(columns="w") for replica in replicas[2 - m :]]
    (place,) = given(*replicas, original=file)
    assert (place.places[0].keys, place.places[0].target) == (tuple(KEYS), "ill")
    assert set(BY_SYMBOL) == set(at_risk(file, replicas[0], "ill"))
    for i, (replica, evidence) in enumerate(zip(replicas, place.each, strict=True)):
        assert place.references is not None
        beside = place.references(MEASURES, i)
        of_copy = at_risk(file, file, "ill")
        for symbol, flags in at_risk(file, replica, "ill").items():
            expected = 100 * file["w"][flags].sum() / file["w"].sum()
            measure = BY_SYMBOL[symbol]
            assert measure.function(evidence) == pytest.approx(expected), symbol
            copy = 100 * file["w"][of_copy[symbol]].sum() / file["w"].sum()
            assert beside[symbol].copy == pytest.approx(copy)
            assert measure.reference_values is not None
            if callable(mark := measure.reference_values.copy):
                assert mark(evidence) == pytest.approx(copy)
        assert 0 < BY_SYMBOL["repU_population"].function(evidence) < 100


def test_every_target_has_its_row_and_none_is_there_without_weights() -> None:
    original = survey().assign(job=np.resize(["a", "b", "c"], 240))
    replica = survey(2).assign(job=np.resize(["c", "a"], 240))
    places = given(replica, original=original, targets=["ill", "job"])
    assert [place.places[0].target for place in places] == ["ill", "job"]
    file = original
    flags = at_risk(file, replica, "job")["DiSCO_population"]
    result = BY_SYMBOL["DiSCO_population"].function(places[1].each[0])
    assert result == pytest.approx(100 * file["w"][flags].sum() / file["w"].sum())
    for sample in (None, {"household": "home"}):
        assert given(survey(2), sample=sample) == []
