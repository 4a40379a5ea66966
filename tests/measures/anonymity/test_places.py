"""Files by their keys, as a study has them: numbers of the functions, beside copy and holdout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.anonymity import declared, places
from sdcmetrics.measures.kind import Given, Kind
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.results import Counted, Share

KEYS = ["age", "town", "job"]


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.integers(0, 6, n).astype(str) for name in KEYS})
    return frame.assign(ill=rng.choice(["no", "yes"], n), pay=rng.integers(0, 9, n))


ORIGINAL, FILES, HOLDOUT = people(60, 1), [people(50, 2), people(70, 3)], people(40, 4)


def given(kind: Kind, *, holdout: bool = False, **asked: Any) -> list[Given]:
    chosen = {"keys": KEYS, "targets": ["ill", "pay"], "seed": 3, "perturbed": (), **asked}
    plan = sdc.Study(ORIGINAL, {"r": FILES}, holdout=HOLDOUT if holdout else None, **chosen)
    apart = as_microdata(HOLDOUT, "holdout") if holdout else None
    pair = Pair("r", plan.original, plan.replicas["r"], apart)
    return list(kind.places(pair, plan, lambda _: None))


def value(symbol: str, evidence: object) -> float:
    result: Any = MEASURES[symbol].function(evidence)
    if isinstance(result, Share):
        return result.percent if MEASURES[symbol].unit == "percent" else result.proportion
    return float(result.value if isinstance(result, Counted) else result)


def test_every_target_of_every_synthesis_has_the_numbers_of_the_functions() -> None:
    result = given(places.FILES, population_size=900)
    assert [place.places[0].target for place in result] == ["ill", "pay"]
    match = sdc.match_risk(ORIGINAL, keys=KEYS, population_size=900)
    for place in result:
        target = place.places[0].target
        assert place.leaves_out == frozenset()
        for i, (file, evidence) in enumerate(zip(FILES, place.each, strict=True)):
            assert isinstance(evidence, places.Files)
            assert evidence.ordered is (target == "pay")
            k, of_file = (sdc.k_anonymity(frame, keys=KEYS) for frame in (ORIGINAL, file))
            levels, of_own = (
                sdc.l_diversity(frame, keys=KEYS, target=target) for frame in (ORIGINAL, file)
            )
            assert value("match_risk", evidence) == pytest.approx(100 * match.risk)
            of_matches = sdc.match_risk(file, keys=KEYS, population_size=900)
            assert value("match_risk_replica", evidence) == pytest.approx(100 * of_matches.risk)
            assert value("k_original", evidence) == k.k
            assert value("k_anonymity", evidence) == of_file.k
            assert value("k_below_5", evidence) == of_file.below.loc[5, "percent_below"]
            assert value("l_original", evidence) == levels.distinct
            assert value("l_diversity", evidence) == of_own.distinct
            assert place.references is not None
            names = ["match_risk", "k_original", "k_anonymity", "k_below_5"]
            beside = place.references([MEASURES[name] for name in names], i)
            assert beside["match_risk"].copy == pytest.approx(100 * match.risk)
            assert beside["k_original"].copy == beside["k_anonymity"].copy == k.k
            assert beside["k_below_5"].copy == pytest.approx(k.below.loc[5, "percent_below"])


@pytest.mark.parametrize("holdout", [False, True])
def test_special_uniques_are_those_of_the_function_beside_a_holdout(*, holdout: bool) -> None:
    place = given(places.FILES, holdout=holdout)[0]
    for i, file in enumerate(FILES):
        aside = [HOLDOUT] if holdout else []
        table = sdc.replicated_special_uniques(ORIGINAL, file, *aside, keys=KEYS, seed=3).table
        special = [m for m in MEASURES.values() if m.symbol.startswith("repSU")]
        assert place.references is not None
        beside = place.references(special, i)
        columns = {"repSU": "unique", "repSU_right": "right"}
        assert {measure.symbol for measure in special} == set(columns)
        for measure in special:
            rows = table[columns[measure.symbol]].tolist()
            assert value(measure.symbol, place.each[i]) == pytest.approx(rows[0])
            reference = beside[measure.symbol]
            assert reference.copy == 100.0
            if holdout:
                assert reference.at == 40
                assert [reference.value_at, reference.outsiders] == pytest.approx(rows[1:])
            else:
                assert math.isnan(reference.value_at)
                assert math.isnan(reference.outsiders)


@pytest.mark.parametrize(("times", "special"), [(1, 2), (2, 0)])
def test_people_who_are_alone_by_up_to_three_keys_are_counted_once(
    times: int, special: int
) -> None:
    # the first is alone by age, the last by town and by job
    file = pd.DataFrame({"age": list("1222"), "town": list("xxxy"), "job": list("aaab")})
    file = pd.concat([file] * times).assign(ill="no")
    plan = sdc.Study(file, {"r": file}, keys=KEYS, targets=["ill"], perturbed=())
    (place,) = places.FILES.places(Pair("r", plan.original, plan.replicas["r"]), plan, print)
    evidence: Any = place.each[0]
    assert evidence.special == special


def test_without_a_population_there_is_no_match_risk() -> None:
    for place in given(places.FILES):
        assert place.leaves_out == {"match_risk", "match_risk_replica"}


def test_a_holdout_without_the_keys_says_nothing_of_uniques() -> None:
    bare = HOLDOUT.drop(columns="job")
    plan = sdc.Study(ORIGINAL, {"r": FILES[0]}, keys=KEYS, targets=["ill"], perturbed=())
    pair = Pair("r", plan.original, plan.replicas["r"], as_microdata(bare, "holdout"))
    assert places._reference_values(pair, plan, KEYS) == []
    assert places._reference_values(None, plan, KEYS) == []


def test_a_key_adds_those_who_are_unique_only_with_it() -> None:
    result = given(places.ONE_KEY)
    importance = sdc.key_importance(ORIGINAL, keys=KEYS).by_key["uniques"]
    assert [place.places[0].variables for place in result] == [(key,) for key in KEYS]
    for place in result:
        (evidence,) = place.each
        (key,) = place.places[0].variables
        share: Any = MEASURES["key_uniques"].function(evidence)
        assert share.count == importance[key]
        assert share.total == 60
        whole = ORIGINAL.groupby(KEYS).size()
        others = ORIGINAL.groupby([k for k in KEYS if k != key]).size()
        assert share.count == (whole == 1).sum() - (others == 1).sum()
        assert place.references is not None
        beside = place.references([MEASURES["key_uniques"]], 0)
        assert beside["key_uniques"].copy == value("key_uniques", evidence)
    assert given(places.ONE_KEY, keys=["age"]) == []
    assert len(given(places.ONE_KEY, keys=["age", "job"])) == 2


def test_records_below_five_are_those_of_classes_of_up_to_four() -> None:
    assert declared._below(np.array([4, 5, 0, 6, 1])) == Share(5, 16)
