"""Rules as a study has them, in memory and batch by batch: one count, or a reason."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.kind import Given, Kind
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.rules import places
from sdcmetrics.measures.rules.check_rules import check_pair
from sdcmetrics.measures.rules.find_rules import FoundRule, FoundRules, find_rules
from sdcmetrics.measures.rules.rule import make_rules
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources import large
from sdcmetrics.microdata.sources.large import of_memory
from sdcmetrics.results import Share

TEXTS = [
    "married <= age",
    'if job == "none" then pay == 0',
    'job in ["none", "office"]',
    "born < '2000-01-01'",
    "pay is not missing",
]


def people(n: int, seed: int, wrong: float) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    job = rng.choice(["none", "office", "shop"], n, p=[0.3, 0.5, 0.2])
    pay = np.where((job == "none") & (rng.random(n) >= wrong), 0.0, rng.integers(1, 90, n))
    pay[rng.random(n) < 0.1] = np.nan
    married = np.minimum(rng.integers(18, 60, n), age) + (rng.random(n) < wrong) * 30
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, n), "D")
    return pd.DataFrame({"age": age, "job": job, "pay": pay, "married": married, "born": born})


ORIGINAL, FILES, HOLDOUT = people(70, 1, 0.0), [people(60, 2, 0.2), people(50, 3, 0.4)], people(
    40, 4, 0.1
)  # fmt: skip


def given(kind: Kind, m: int = 2, *, holdout: bool = False, **asked: Any) -> list[Given]:
    chosen = {"keys": ["job"], "perturbed": (), "candidates": 0, **asked}
    plan = sdc.Study(ORIGINAL, {"r": FILES[:m]}, holdout=HOLDOUT if holdout else None, **chosen)
    apart = as_microdata(HOLDOUT, "holdout") if holdout else None
    pair = Pair("r", plan.original, plan.replicas["r"], apart)
    return list(kind.places(pair, plan, lambda _: None))


def test_relations_of_a_sample_are_those_that_all_keep_and_a_replica_breaks() -> None:
    def frame(x: list[int], y: list[int], z: list[int]) -> pd.DataFrame:
        return pd.DataFrame({"x": x, "y": y, "z": z})

    original, replica = frame([1, 2, 3], [2, 3, 3], [5, 5, 1]), frame([4, 2], [3, 3], [5, 5])
    pair = Pair("r", as_microdata(original, "o"), [as_microdata(replica, "r")], None)
    texts = ["x <= y", "y <= z", "x < 9"]  # the original breaks the second
    outcomes = check_pair(make_rules(texts), pair)
    assert [(each.original.broken, each.syntheses[0].broken) for each in outcomes] == [
        (0, 1), (1, 0), (0, 0)
    ]  # fmt: skip
    suggested = tuple(FoundRule("order", each, 2.0) for each in outcomes)
    (kept,) = places.checked_on_all(FoundRules(suggested, 3), pair, 2).rules
    assert (kept.outcome.rule.text, kept.expected) == ("x <= y", 3.0)


@pytest.mark.parametrize("holdout", [False, True])
@pytest.mark.parametrize("m", [1, 2])
def test_every_rule_has_the_outcome_of_the_function(m: int, *, holdout: bool) -> None:
    result = given(places.RULES, m, holdout=holdout, rules=TEXTS)
    aside = HOLDOUT if holdout else None
    check = sdc.check_rules(ORIGINAL, FILES[:m], TEXTS, holdout=aside)
    assert [place.places[0].rule for place in result] == [
        outcome.rule.text for outcome in check.outcomes
    ]
    of_one_file = check.per_data_set
    for place, outcome in zip(result, check.outcomes, strict=True):
        assert place.places[0].variables == outcome.rule.columns
        assert place.result == outcome
        assert len(place.each) == m
        for i, evidence in enumerate(place.each):
            original, own, of_holdout = evidence  # type: ignore[misc]
            assert (original, own) == (outcome.original, outcome.syntheses[i])
            assert of_holdout == outcome.holdout
            broken: Any = MEASURES["rule_broken"].function(evidence)
            assert isinstance(broken, Share)
            row = of_one_file.loc[(outcome.rule.text, check.sources[1 + i])]
            assert broken.percent == pytest.approx(row["broken_percent"])
            kept: Any = MEASURES["rule_kept"].function(evidence)
            assert kept.count == outcome.original.fulfilled  # a fact about the original


def test_a_rule_that_fits_no_replica_says_why_and_the_others_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = check_pair

    def refuse(rules: Any, pair: Pair, clusters: Any = None) -> Any:
        if any("married" in rule.columns for rule in rules):
            msg = "replica: 'married' holds text\nand more of it"
            raise sdc.errors.DataError(msg)
        return counted(rules, pair, clusters)

    monkeypatch.setattr(places, "check_pair", refuse)
    first, *others = given(places.RULES, rules=TEXTS)
    assert (first.each, first.reason) == ((), "replica: 'married' holds text")
    outcomes = sdc.check_rules(ORIGINAL, FILES, TEXTS[1:]).outcomes
    assert [place.result for place in others] == list(outcomes)
    assert given(places.RULES) == []


@pytest.mark.parametrize(
    ("sample", "clusters"),
    [
        (None, None),
        ({"strata": "st"}, None),
        ({"household": "home"}, [i // 2 for i in range(70)]),
        ({"cluster": "cl", "household": "home"}, [i // 7 for i in range(70)]),
    ],
)
def test_records_that_belong_together_are_clusters(sample: Any, clusters: list[int] | None) -> None:
    n = np.arange(70)
    original = ORIGINAL.assign(home=n // 2, cl=n // 7, st=n % 2)
    plan = sdc.Study(original, {"r": FILES[0]}, keys=["job"], sample=sample, rules=TEXTS[:1])
    result = places._clusters(plan)
    assert (None if result is None else result.tolist()) == clusters


@pytest.mark.parametrize("holdout", [False, True])
@pytest.mark.parametrize("clusters", [None, np.arange(70) // 2])
def test_batch_by_batch_a_rule_has_the_counts_of_memory(
    clusters: Any, monkeypatch: pytest.MonkeyPatch, *, holdout: bool
) -> None:
    monkeypatch.setattr(large, "BATCH", 7)
    sets = [ORIGINAL, *FILES, *([HOLDOUT] if holdout else [])]
    names = ["original", "one", "two", "holdout"]
    here = [as_microdata(frame, name) for frame, name in zip(sets, names, strict=False)]
    there = [of_memory(data) for data in here]
    rules = make_rules(TEXTS)
    both = [check_pair(rules, Pair("r", s[0], s[1:3], *s[3:]), clusters) for s in (here, there)]
    for known, result in zip(*both, strict=True):
        assert result.rule == known.rule
        assert result.original.entries == known.original.entries
        assert [c.entries for c in result.syntheses] == [c.entries for c in known.syntheses]
        assert (result.holdout is None) is not holdout
        if result.holdout is not None:
            assert known.holdout is not None
            assert result.holdout.entries == known.holdout.entries
        assert sorted(result.level_counts) == sorted(known.level_counts)
        assert math.isnan(result.original.design_effect) is (clusters is not None)
    wrong = make_rules(["job + 1 > 2"])
    with pytest.raises(StudyError, match="expected a number"):
        check_pair(wrong, Pair("r", there[0], there[1:3]))


def test_relations_are_those_of_the_function_that_no_rule_names() -> None:
    (place,) = given(places.RELATIONS, m=1, candidates=5)
    expected = find_rules(ORIGINAL, FILES[0], limit=5)
    result: Any = place.result
    assert [rule.outcome for rule in result.rules] == [rule.outcome for rule in expected.rules]
    assert len(expected.rules) > 1
    first = expected.rules[0].outcome.rule.text
    (named,) = given(places.RELATIONS, m=1, candidates=5, rules=[first])
    other: Any = named.result
    assert first not in [rule.outcome.rule.text for rule in other.rules]
    assert given(places.RELATIONS, m=1, candidates=0) == []


def test_relations_of_a_sample_are_counted_in_all_records() -> None:
    sets = [as_microdata(frame, name) for frame, name in ((ORIGINAL, "o"), (FILES[0], "r"))]
    whole = Pair("r", sets[0], sets[1:])
    part = find_rules(ORIGINAL.iloc[:60], FILES[0].iloc[:40])
    checked = places.checked_on_all(part, whole, 60)
    kept = {rule.outcome.rule.text: rule for rule in checked.rules}
    every = check_pair([rule.outcome.rule for rule in part.rules], whole)
    holds = [o for o in every if not o.original.broken and o.syntheses[0].broken]
    assert set(kept) == {outcome.rule.text for outcome in holds}
    assert 0 < len(kept) <= len(part.rules)
    for rule in part.rules:
        if rule.outcome.rule.text in kept:
            result = kept[rule.outcome.rule.text]
            assert result.expected == pytest.approx(rule.expected * 70 / 60, nan_ok=True)
    percents = [rule.outcome.broken_percent for rule in checked.rules]
    assert percents == sorted(percents, reverse=True)
    assert "in 60 of 70 original records" in checked.sampled
    assert places.checked_on_all(part, whole, 70).sampled == ""
    empty = places.checked_on_all(find_rules(ORIGINAL, ORIGINAL), whole, 60)
    assert empty.rules == ()
    assert "in 60 of 70" in empty.sampled


@pytest.mark.parametrize("sampled", [True, False])
def test_relations_are_counted_again_only_where_records_were_drawn(
    sampled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = SimpleNamespace(sizes=(60, 40))
    whole: Any = SimpleNamespace(data=data)
    whole.records = SimpleNamespace(data=data) if sampled else whole
    monkeypatch.setattr(places, "search", lambda of, most, rules: (of is data, most, rules))
    monkeypatch.setattr(places, "checked_on_all", lambda found, *rest: (found, *rest))
    plan: Any = SimpleNamespace(options=SimpleNamespace(candidates=5), rules=())
    (place,) = places._relations(whole, plan, lambda _: None)
    found = (True, 5, ())
    assert place.result == ((found, whole, 60) if sampled else found)
    whole.records = None
    assert [*places._relations(whole, plan, lambda _: None)] == []
