"""Distances of distributions as a study has them: by synthesis, beside a holdout, or a reason."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.distributions import places, sampled
from sdcmetrics.measures.distributions.places import Distributions, Number
from sdcmetrics.measures.kind import Given, Kind
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.frames import as_microdata
from tests.study.test_sample import ROLES, survey
from tests.versions import same


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 9, n).round(1)
    x[rng.random(n) < 0.1] = np.nan
    born = pd.Timestamp("1960-01-01") + pd.to_timedelta(rng.integers(0, 9_000, n), "D")
    return pd.DataFrame({"x": x, "g": rng.choice(list("abc"), n), "born": born})


ORIGINAL, FILES, HOLDOUT = people(140, 1), [people(130, 2), people(150, 3)], people(90, 4)


def given(kind: Kind, *, holdout: bool = False, m: int = 2, **asked: Any) -> list[Given]:
    chosen = {"keys": ["g"], "seed": 3, "perturbed": (), **asked}
    plan = sdc.Study(ORIGINAL, {"r": FILES[:m]}, holdout=HOLDOUT if holdout else None, **chosen)
    apart = as_microdata(HOLDOUT, "holdout") if holdout else None
    pair = Pair("r", plan.original, plan.replicas["r"], apart)
    return list(kind.places(pair, plan, lambda _: None))


def value(symbol: str, evidence: object) -> float:
    return float(MEASURES[symbol].function(evidence))


@pytest.mark.parametrize("holdout", [False, True])
def test_whole_records_are_compared_as_by_the_function(*, holdout: bool) -> None:
    (place,) = given(places.ENERGY, holdout=holdout, distributions={"permutations": 19})
    assert len(place.each) == 2
    alone = given(places.ENERGY, holdout=holdout, m=1, distributions={"permutations": 19})
    aside = HOLDOUT if holdout else None
    expected = sdc.energy_distance(ORIGINAL, FILES[0], holdout=aside, permutations=19, seed=3)
    (evidence,) = alone[0].each
    assert value("energy", evidence) == pytest.approx(expected.unbiased)
    assert value("energy_p", evidence) == expected.p_value
    assert alone[0].references is not None
    beside = alone[0].references([MEASURES["energy"], MEASURES["energy_p"]], 0)
    assert beside["energy"].copy == pytest.approx(expected.copy, nan_ok=True)
    assert beside["energy"].fresh == pytest.approx(expected.fresh, nan_ok=True)
    assert math.isnan(expected.fresh) is not holdout
    assert same(beside["energy_p"], References())
    assert place.result == place.each


@pytest.mark.parametrize("holdout", [False, True])
def test_every_number_and_date_is_compared_as_by_the_function(*, holdout: bool) -> None:
    asked = {"distributions": {"permutations": 19}}
    result = given(places.NUMBERS, holdout=holdout, **asked)
    assert [place.places[0].variables for place in result] == [("x",), ("born",)]
    for place in result:
        (name,) = place.places[0].variables
        for i, (file, evidence) in enumerate(zip(FILES, place.each, strict=True)):
            moved = sdc.wasserstein(
                ORIGINAL, file, holdout=HOLDOUT if holdout else None, permutations=19, draws=0,
                variables=[name], seed=3,
            ).loc[name]  # fmt: skip
            assert value("W1", evidence) == pytest.approx(moved["W1"])
            assert value("W1_p", evidence) == moved["p"]
            assert math.isnan(evidence.moved["high"])  # no interval is drawn
            tails = sdc.tails(ORIGINAL, file, variables=[name])["p"]
            least = min(1.0, tails.min() * tails.notna().sum())
            assert value("tails_p", evidence) == pytest.approx(least)
            assert place.references is not None
            beside = place.references([MEASURES["W1"], MEASURES["W1_p"]], i)
            assert beside["W1"].copy == 0.0
            assert beside["W1"].fresh == pytest.approx(moved["fresh"], nan_ok=True)
            assert same(beside["W1_p"], References())


def test_groups_are_compared_as_by_the_function() -> None:
    asked = {"distributions": {"permutations": 19, "groups": ["g"]}, "ngroups": 4}
    (place,) = given(places.SUBGROUPS, **asked)
    assert place.places[0].variables == ("g",)
    (alone,) = given(places.SUBGROUPS, m=1, **asked)
    table = sdc.subgroups(
        ORIGINAL, FILES[0], groups=["g"], ngroups=4, permutations=19, seed=3
    ).table
    (evidence,) = alone.each
    excess = (table["TVD"] - table["TVD_null"]).max()
    assert 0 < table["TVD_holm"].min() <= 1
    assert value("group_excess", evidence) == pytest.approx(excess)
    assert value("group_p", evidence) == pytest.approx(table["TVD_holm"].min())
    assert len(place.each) == 2


def test_only_what_is_asked_for_and_named_is_compared() -> None:
    for kind in (places.ENERGY, places.NUMBERS, places.SUBGROUPS):
        assert given(kind) == []
    assert given(places.ENERGY, distributions={"energy": False}) == []
    assert given(places.SUBGROUPS, distributions={"permutations": 0}) == []
    asked: dict[str, Any] = {"distributions": {"permutations": 0}, "variables": ["x", "g"]}
    (place,) = given(places.NUMBERS, **asked)
    assert place.places[0].variables == ("x",)
    (place,) = given(places.ENERGY, **asked)
    named = sdc.energy_distance(ORIGINAL, FILES[0], variables=["x", "g"], permutations=0)
    (alone,) = given(places.ENERGY, m=1, **asked)[0].each
    assert value("energy", alone) == pytest.approx(named.unbiased)


def test_a_number_without_values_and_a_group_of_nobody_say_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        msg = "there are no values"
        raise sdc.errors.NotComputable(msg)

    monkeypatch.setattr(places, "distance_of", refuse)
    monkeypatch.setattr(places, "groups_of", refuse)
    asked = {"distributions": {"permutations": 0, "groups": ["g"]}}
    for kind in (places.NUMBERS, places.SUBGROUPS):
        for place in given(kind, **asked):
            assert (place.each, place.reason) == ((), "there are no values")


def test_groups_are_columns_of_the_original() -> None:
    section = Distributions(groups=("g", "gg"))
    assert section.named_columns == ("g", "gg")
    with pytest.raises(ColumnError, match="'gg'"):
        section.check(as_microdata(ORIGINAL, "original"))
    Distributions(groups=("g",)).check(as_microdata(ORIGINAL, "original"))


@pytest.mark.parametrize(
    ("p", "least"),
    [([0.2, 0.01, np.nan], 0.02), ([0.6, 0.7], 1.0), ([0.5], 0.5), ([np.nan], np.nan)],
)
def test_the_smallest_p_of_tails_is_for_as_many_as_there_are(p: list[float], least: float) -> None:
    number = Number({}, pd.DataFrame({"p": p}))
    assert places.tails_p(number) == pytest.approx(least, nan_ok=True)


def test_a_group_is_the_one_of_the_largest_excess_or_the_smallest_p() -> None:
    table = pd.DataFrame(
        {"TVD": [0.3, 0.5, np.nan], "TVD_null": [0.1, 0.4, 0.1], "TVD_holm": [0.5, 0.02, np.nan]}
    )
    assert places.group_excess(table) == pytest.approx(0.2)
    assert places.group_p(table) == pytest.approx(0.02)
    assert math.isnan(places.group_excess(table.tail(1)))
    assert math.isnan(places.group_p(table.tail(1)))


class TestSample:
    """Of a weighted sample every number, beside replicas with weights and without."""

    def given(self, replica: Any, **asked: Any) -> list[Given]:
        plan = sdc.Study(
            survey(), {"r": replica}, keys=["sex"], **{"sample": ROLES, "seed": 2, **asked}
        )
        pair = Pair("r", plan.original, plan.replicas["r"])
        return list(sampled.SAMPLED_NUMBERS.places(pair, plan, lambda _: None))

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize(("permutations", "draws"), [(0, 99), (150, 150)])
    def test_numbers_are_compared_as_by_the_function(
        self, permutations: int, draws: int, *, weighted: bool
    ) -> None:
        files = [survey(2), survey(3)]
        if not weighted:
            files = [file.drop(columns=list(ROLES.values())) for file in files]
        (place,) = self.given(files, permutations=permutations)
        assert place.places[0].variables == ("age",)
        own = {"synthetic_weight": "w"} if weighted else {}
        for i, (file, evidence) in enumerate(zip(files, place.each, strict=True)):
            design: Any = {"weight": "w", "strata": "st", "cluster": "cl", **own}
            row = sdc.weighted_wasserstein(
                survey(), file, variables=["age"], draws=draws, seed=2, **design
            ).loc["age"]
            assert value("W1_survey", evidence) == pytest.approx(row["W1"])
            assert value("W1_survey_p", evidence) == pytest.approx(row["p"])
            assert place.references is not None
            beside = place.references([MEASURES["W1_survey"], MEASURES["W1_survey_p"]], i)
            assert beside["W1_survey"].fresh == pytest.approx(row["fresh"])
            assert math.isnan(beside["W1_survey_p"].fresh)

    def test_a_study_of_no_sample_has_none_and_wrong_weights_are_the_reason(self) -> None:
        assert self.given(survey(2), sample=None) == []
        (place,) = self.given(survey(2).assign(w=-1.0))
        assert (place.each, "are negative" in place.reason) == ((), True)


def test_groups_of_each_synthesis_are_beside_its_own_households(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[int, str]] = []
    monkeypatch.setattr(places, "labels_of", lambda *_: (("first", "second"), 7, "why"))

    def groups(_: Any, name: str, **how: Any) -> str:
        assert (name, how["permutations"], how["seed"]) == ("g", 7, 3)
        seen.append((how["synthesis"], how["households"]))
        return name

    monkeypatch.setattr(places, "groups_of", groups)
    (place,) = places._subgroups(*_asked(groups=["g"]), lambda _: None)
    assert seen == [(1, "first"), (2, "second")]
    assert (place.each, place.undefined) == (("g", "g"), "why")


def _asked(**section: Any) -> tuple[Pair, Any]:
    plan = sdc.Study(
        ORIGINAL, {"r": FILES}, keys=["g"], seed=3, perturbed=(), distributions=section
    )
    return Pair("r", plan.original, plan.replicas["r"], None), plan


def test_tails_without_labels_have_counts_and_no_p(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "labels_of", lambda *_: ((None, None), 0, "why"))
    place = next(places._numbers(*_asked(), lambda _: None))
    for file, number in zip(FILES, place.each, strict=True):
        expected = sdc.tails(ORIGINAL, file, variables=["x"])
        assert number.tails["original"].tolist() == expected["original"].tolist()
        assert number.tails["synthetic"].tolist() == expected["synthetic"].tolist()
        assert number.tails["p"].isna().all()
    assert place.undefined == "why"
