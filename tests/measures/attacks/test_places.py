"""What a study is given of each attack: by every synthesis, by all, by a copy; or the reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.attacks import places
from sdcmetrics.measures.attacks.places import Bounded
from sdcmetrics.measures.attacks.section import Attacks, claim_of
from sdcmetrics.measures.generator import Claim, Generator, Generators
from sdcmetrics.measures.kind import Given, Kind
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.frames import as_microdata
from tests.versions import same

KEYS, TARGETS = ["age", "town"], ["ill", "pay"]


def drawn(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 40, n)
    pay = rng.normal(age, 5, n).round(1)
    frame = pd.DataFrame({"age": age, "town": rng.choice(list("abcd"), n), "pay": pay})
    return frame.assign(ill=np.where(rng.random(n) < age / 50, "yes", "no"))


ORIGINAL, HOLDOUT = drawn(60, 1), drawn(50, 4)
FILES = [
    drawn(60, 2),
    pd.concat([ORIGINAL.iloc[:20], drawn(20, 3)], ignore_index=True),
]


def given(kind: Kind, m: int = 1, *, holdout: bool = True, **asked: Any) -> list[Given]:
    plan = sdc.Study(
        ORIGINAL, {"r": FILES[2 - m :]}, holdout=HOLDOUT if holdout else None, keys=KEYS,
        targets=TARGETS, permutations=9, seed=3, perturbed=(), **{"attacks": {}, **asked},
    )  # fmt: skip
    apart = as_microdata(HOLDOUT, "holdout") if holdout else None
    pair = Pair("r", plan.original, plan.replicas["r"], apart, variables=asked.get("variables"))
    return list(kind.places(pair, plan, lambda _: None))


def value(symbol: str, evidence: object) -> float:
    return float(MEASURES[symbol].function(evidence))


Attack = Callable[..., Any]
OTHER = {"permutations": 9, "seed": 3}
ATTACKS: Mapping[str, tuple[Kind, Attack, Mapping[str, Any]]] = {
    "membership": (places.MEMBERSHIP, partial(sdc.membership, seed=3), {}),
    "exact_matches": (places.MATCHES, sdc.exact_matches, {}),
    "singling_out": (
        places.SINGLED_OUT, partial(sdc.singling_out, columns=2, **OTHER),
        {"attacks": {"columns": 2}},
    ),
    "linkability": (
        places.LINKABILITY, partial(sdc.linkability, keys=KEYS, other_keys=TARGETS, **OTHER), {}
    ),
    "attribute_inference": (
        places.INFERENCE,
        partial(sdc.attribute_inference, keys=KEYS, target="ill", learner="nearest", **OTHER),
        {"attacks": {"learner": "nearest"}},
    ),
}  # fmt: skip


@cache
def attacked(name: str, m: int) -> tuple[Given, ...]:
    kind, _, asked = ATTACKS[name]
    return tuple(given(kind, m, **asked))


@pytest.mark.parametrize(
    ("name", "m"), [*((name, 2) for name in ATTACKS), ("exact_matches", 1), ("linkability", 1)]
)
def test_an_attack_is_that_of_its_function_by_each_and_by_all(name: str, m: int) -> None:
    _, attack, _ = ATTACKS[name]
    place, *others = attacked(name, m)
    assert len(others) == (name == "attribute_inference")  # of the other target
    files = FILES[2 - m :]
    copied = attack(ORIGINAL, ORIGINAL.copy(), HOLDOUT)
    for evidence, file in zip(place.each, files, strict=True):
        expected = attack(ORIGINAL, file, HOLDOUT)
        assert_same(evidence.result, expected)  # type: ignore[attr-defined]
        assert_same(evidence.copied, copied, apart_from_labels=True)  # type: ignore[attr-defined]
    results = [attack(ORIGINAL, files if m > 1 else files[0], HOLDOUT)]
    results += [evidence.result for evidence in place.each]  # type: ignore[attr-defined]
    notes = dict.fromkeys(note for result in results for note in result.notes)
    assert place.undefined == ("; ".join(notes) or places._UNDEFINED)
    if m == 1:
        assert place.whole is None
    else:
        assert_same(place.whole.result, results[0])  # type: ignore[attr-defined]


def assert_same(found: Any, expected: Any, *, apart_from_labels: bool = False) -> None:
    names = ["training", "control", "excess", "n_training", "n_control", "n_synthetic"]
    names += [] if apart_from_labels else ["p_value", "copy"]
    for name in names:
        if name == "copy" and math.isnan(found.copy):
            continue  # not computed, as it is an attack of its own
        assert getattr(found, name) == pytest.approx(getattr(expected, name), nan_ok=True), name
    np.testing.assert_allclose(found.per_record, expected.per_record)


@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "membership"])
def test_rows_are_percents_of_records_beside_the_holdout_and_a_copy(name: str) -> None:
    place = attacked(name, 2)[0]
    whole: Any = place.whole
    every: list[Any] = [*place.each, whole]
    for i, evidence in enumerate(every):
        result, copied = evidence.result, evidence.copied
        of = {
            name: (100 * result.training, 100 * copied.training, 100 * result.control),
            f"{name}_control": (100 * result.control, 100 * copied.control, None),
            f"{name}_excess": (result.excess, copied.excess, 0.0),
            f"{name}_p": (result.p_value, copied.p_value, None),
        }
        measures = [MEASURES[symbol] for symbol in of]
        assert place.references is not None
        assert place.whole_references is not None
        beside = (
            place.whole_references(measures) if evidence is whole else place.references(measures, i)
        )
        for symbol, (own, copy, fresh) in of.items():
            assert value(symbol, evidence) == pytest.approx(own, nan_ok=True)
            references = (
                References(copy=copy) if fresh is None else References(copy=copy, fresh=fresh)
            )
            assert same(beside[symbol], references)
    result = place.result
    assert result.per_synthesis == tuple(evidence.result for evidence in every[:-1])
    assert result.per_record is whole.result.per_record


def test_membership_is_beside_a_half_and_a_copy() -> None:
    place = attacked("membership", 1)[0]
    (evidence,) = place.each
    result, copied = evidence.result, evidence.copied  # type: ignore[attr-defined]
    assert value("membership_AUC", evidence) == result.training
    assert value("membership_p", evidence) == result.p_value
    assert place.references is not None
    both = place.references([MEASURES["membership_AUC"], MEASURES["membership_p"]], 0)
    assert same(both["membership_AUC"], References(copy=copied.training, fresh=0.5))
    assert same(both["membership_p"], References(copy=copied.p_value))


def test_every_scenario_and_every_target_is_attacked_where_it_is_asked_for() -> None:
    scenarios = [
        sdc.Scenario("one", keys=["age"], targets=["ill", "pay"]),
        sdc.Scenario("two", keys=["town", "ill"], targets=["pay"]),
    ]
    study = sdc.Study(
        ORIGINAL, {"r": FILES[1]}, holdout=HOLDOUT, permutations=9, scenarios=scenarios,
        attacks={"learner": "nearest", "kinds": ["attribute inference", "linkability"]},
        perturbed=(),
    )  # fmt: skip
    pair = Pair("r", study.original, study.replicas["r"], as_microdata(HOLDOUT, "holdout"))

    def of(kind: Kind) -> list[tuple[str, tuple[str, ...], str]]:
        each = [place.places[0] for place in kind.places(pair, study, lambda _: None)]
        return [(place.scenario, place.keys, place.target) for place in each]

    first, second = ("one", ("age",)), ("two", ("town", "ill"))
    assert of(places.LINKABILITY) == [(*first, ""), (*second, "")]
    assert of(places.INFERENCE) == [(*first, "ill"), (*first, "pay"), (*second, "pay")]
    for kind in (places.MEMBERSHIP, places.MATCHES, places.SINGLED_OUT, places.EPSILON):
        assert of(kind) == []
    assert of(places.MANIFOLD) == []


def test_codes_for_missing_are_those_of_the_columns_that_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(places, "people", lambda *_, **given: calls.append(given["missing_codes"]))
    files = [as_microdata(file, name) for file, name in ((ORIGINAL, "original"), (FILES[0], "r"))]
    pair = Pair("r", files[0], files[1:], missing_codes={"age": -1, "pay": -2})
    plan: Any = SimpleNamespace(sample=None)
    for columns in (None, ("age", "town")):
        places._people(pair, plan, pair.syntheses, columns)
    assert [sorted(codes) for codes in calls] == [["age", "pay"], ["age"]]


ALL = [kind for kind, *_ in ATTACKS.values()] + [places.EPSILON, places.MANIFOLD]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_without_a_holdout_that_is_the_reason(kind: Kind) -> None:
    places_ = given(kind, holdout=False)
    assert places_
    assert all(place.reason.startswith("there is no holdout") for place in places_)
    assert given(kind, attacks=None) == []


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_what_cannot_be_attacked_says_why(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        msg = "no such column"
        raise sdc.errors.DataError(msg)

    monkeypatch.setattr(places, "_people", refuse)
    places_ = given(kind, attacks={"random_holdout": True})
    assert {place.reason for place in places_} == {"no such column"}


def test_only_named_columns_are_attacked() -> None:
    (place,) = given(places.MEMBERSHIP, variables=["age", "ill"])
    expected = sdc.membership(ORIGINAL, FILES[1], HOLDOUT, variables=["age", "ill"], seed=3)
    assert place.each[0].result.training == expected.training  # type: ignore[attr-defined]
    (place,) = given(places.SINGLED_OUT, variables=["age", "ill"], attacks={"columns": 9})
    options = {"variables": ["age", "ill"], "columns": 2, "permutations": 9, "seed": 3}
    alone = sdc.singling_out(ORIGINAL, FILES[1], HOLDOUT, **options)  # type: ignore[arg-type]
    assert place.each[0].result.training == alone.training  # type: ignore[attr-defined]


@pytest.mark.parametrize("m", [1, 2])
def test_a_bound_of_epsilon_is_beside_what_is_claimed(m: int) -> None:
    of = partial(sdc.epsilon_of_release, random_holdout=True, seed=3)
    (place,) = given(places.EPSILON, m, attacks={"random_holdout": True, "declared_epsilon": 0.25})
    bounds = [of(ORIGINAL, file, HOLDOUT) for file in FILES[2 - m :]]
    copied = of(ORIGINAL, ORIGINAL.copy(), HOLDOUT)
    claim = Claim.of(0.25, 0.0, "replace")
    for i, (evidence, bound) in enumerate(zip(place.each, bounds, strict=True)):
        assert isinstance(evidence, Bounded)
        assert evidence.claim == claim
        assert value("epsilon_bound", evidence) == bound.epsilon
        assert value("epsilon_beyond", evidence) == bound.epsilon - 0.25
        assert evidence.contradicted is (bound.epsilon > 0.25)
        assert place.references is not None
        beside = place.references([MEASURES["epsilon_bound"], MEASURES["epsilon_beyond"]], i)
        assert same(beside["epsilon_bound"], References(copy=copied.epsilon, fresh=0.0))
        assert same(beside["epsilon_beyond"], References(copy=copied.epsilon - 0.25))
    whole = of(ORIGINAL, FILES[2 - m :], HOLDOUT)
    assert place.result[0].bound.epsilon == whole.epsilon  # type: ignore[index]
    assert len(place.result) == (1 if m == 1 else 3)  # type: ignore[arg-type]
    assert (place.whole is None) is (m == 1)
    assert place.leaves_out == frozenset()


def test_without_a_claim_nothing_is_beyond_it() -> None:
    (place,) = given(places.EPSILON, attacks={"random_holdout": True})
    assert place.leaves_out == {"epsilon_beyond"}
    (evidence,) = place.each
    assert isinstance(evidence, Bounded)
    assert not evidence.contradicted
    assert math.isnan(evidence.beyond)
    (place,) = given(places.EPSILON)
    assert "say random_holdout = true in [attacks] if that is so" in place.reason


@pytest.mark.parametrize(("bound", "contradicted"), [(1.0, False), (1.25, True)])
def test_a_claim_is_contradicted_by_what_is_above_it(bound: float, *, contradicted: bool) -> None:
    class Shown:
        def at_delta(self, delta: float) -> tuple[float, float]:
            return bound - delta, 9.0

    shown: Any = Shown()
    for delta, beyond in ((0.0, bound - 1), (0.5, bound - 1.5)):
        evidence = Bounded(shown, shown, Claim.of(1.0, delta, "replace"))
        assert evidence.shown == (bound - delta, 9.0)
        assert evidence.contradicted is (contradicted and not delta)
        assert (evidence.beyond, evidence.copy_beyond) == (beyond, beyond)
    assert Bounded(shown, shown, None).shown == (bound, 9.0)


@pytest.mark.parametrize("m", [1, 2])
def test_the_manifold_is_that_of_its_function(m: int) -> None:
    (place,) = given(places.MANIFOLD, m)
    for evidence, file in zip(place.each, FILES[2 - m :], strict=True):
        expected = sdc.manifold(ORIGINAL, file, HOLDOUT, seed=3).table
        pd.testing.assert_frame_equal(evidence.table, expected)  # type: ignore[attr-defined]
    assert place.whole is None  # the mean over files, as the function has it
    tables = [evidence.table for evidence in place.each]  # type: ignore[attr-defined]
    both = sdc.manifold(ORIGINAL, FILES[2 - m :], HOLDOUT, seed=3).table
    pd.testing.assert_frame_equal(sum(tables) / m, both)
    assert place.result == place.each


class TestLinks:
    MOVED = ORIGINAL.assign(age=ORIGINAL["age"] + [0, 1] * 30)

    def given(self, links: dict[str, str], *files: pd.DataFrame) -> list[Given]:
        plan = sdc.Study(
            ORIGINAL, {"r": [*files]}, keys=KEYS, targets=TARGETS, attacks={"links": links},
            perturbed=(),
        )  # fmt: skip
        pair = Pair("r", plan.original, plan.replicas["r"])
        return list(places.LINKED.places(pair, plan, lambda _: None))

    def test_are_those_of_the_function_synthesis_by_synthesis(self) -> None:
        files = [self.MOVED, ORIGINAL.copy()]
        (place,) = self.given({"r": "row"}, *files)
        assert (place.places[0].keys, place.reason) == (tuple(KEYS), "")
        for i, (file, evidence) in enumerate(zip(files, place.each, strict=True)):
            expected = sdc.record_linkage(ORIGINAL, file, keys=KEYS, links="row")
            result: Any = MEASURES["linkage_risk"].function(evidence)
            assert result.value == pytest.approx(100 * expected.risk)
            assert result.count == pytest.approx(expected.risk * 60)
            assert result.total == 60
            protection = value("linkage_protection", evidence)
            assert protection == pytest.approx(100 * expected.protection)
            assert place.references is not None
            both = [MEASURES[symbol] for symbol in ("linkage_risk", "linkage_protection")]
            beside = place.references(both, i)
            largest = 100 * expected.methods["itself"].max()
            assert beside["linkage_risk"].copy == pytest.approx(largest)
            assert beside["linkage_protection"].copy == 0

    def test_are_only_of_replicas_that_are_named_and_say_what_is_wrong(self) -> None:
        assert self.given({}, self.MOVED) == []
        (place,) = self.given({"r": "row"}, self.MOVED.iloc[:50])
        assert place.each == ()
        assert "row" in place.reason


def test_a_claim_is_the_generators_or_else_that_of_the_attacks() -> None:
    declared = Attacks(declared_epsilon=2.0)
    made = Generators((Generator("g", replica="a", epsilon=1.0), Generator("h", replica="b")))
    assert claim_of(declared, made, "a") == Claim.of(1.0, 0.0, "")
    assert claim_of(declared, made, "b") == Claim.of(2.0, 0.0, "replace")
    assert claim_of(declared, None, "a") == Claim.of(2.0, 0.0, "replace")
    assert claim_of(Attacks(), made, "b") is None
    assert claim_of(None, None, "a") is None
    declared.check_beside({}, ["a"])
    declared.check_beside({"generator": made}, ["b", "c"])
    with pytest.raises(sdc.errors.StudyError, match=r"\[\[generator\]\] says it of 'a'"):
        declared.check_beside({"generator": made}, ["b", "a"])
    Attacks().check_beside({"generator": made}, ["a"])


def test_links_are_of_replicas_whatever_they_are_called() -> None:
    links = Attacks(links={"a": "row", "b": "id"})
    assert links.named_columns == ("row", "id")
    assert links.renamed({"a": "new"}).links == {"new": "row", "b": "id"}
