"""The evidence of reviews: nothing of it is lost where reviews are joined, or replicas renamed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.evidence import EVERY_REPLICA, Evidence
from sdcmetrics.measures.registry import kinds
from sdcmetrics.review.join_reviews import join_reviews
from sdcmetrics.review.people import held_in
from sdcmetrics.review.review import Review


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(list("mf"), n),
            "job": rng.choice(list("abcd"), n),
            "vote": rng.choice(["left", "right"], n),
            "pay": (age * 40 + rng.normal(0, 300, n)).round(1),
        }
    )


ORIGINAL = people(150, 1)
HOLDOUT = people(150, 2)  # of as many records as the others: none is drawn again
NEAR = ORIGINAL.assign(pay=ORIGINAL["pay"] + 0.1)
REPLICAS = {
    "fresh": people(150, 3),
    "near": NEAR,
    "narrow": [people(150, 4).drop(columns="job"), people(150, 5).drop(columns="job")],
}
BOTH = {
    "keys": ["age", "sex"],
    "targets": ["vote"],
    "distance": "gower",
    "permutations": 9,
    "perturbed": [0.5],
}
ASKED: dict[str, dict[str, Any]] = {
    "options": {
        **BOTH,
        "holdout": HOLDOUT,
        "models": ["pay ~ age"],
        "rules": ["age >= 18"],
        "propensity": {"methods": "logit"},
        "attacks": {"seeds": 1, "learner": "cart", "links": {"near": "row"}},
        "distributions": {"groups": ["sex"], "permutations": 9},
        "prediction": {"learners": ["tree"], "permutations": 0},
        "analysis": [{"name": "pay", "statistic": "mean", "variables": "pay"}],
        "publication": True,
        "external": [
            {"name": "register", "file": str(Path(__file__).with_name("none.csv")), "keys": "sex"}
        ],
        "preset": str(Path(__file__).with_name("preset.toml")),
    },
    "sample": {**BOTH, "models": ["pay ~ age"], "sample": {"weight": "w", "household": "home"}},
}
NAMES = list(REPLICAS)


@cache
def reviewed(asked: str, *names: str, called: str = "") -> Review:
    """Review some replicas, the only one perhaps under another name."""
    more = {}
    if asked == "sample":
        more = {"w": np.arange(150) % 7 + 2.0, "home": np.arange(150) // 2}
    replicas = {called or name: REPLICAS[name] for name in names}
    given = dict(ASKED[asked])
    if called and asked == "options":
        links = {"links": {called: "row"}} if "near" in names else {}
        given["attacks"] = {"seeds": 1, "learner": "cart", **links}
    return sdc.conduct(sdc.Study(ORIGINAL.assign(**more), replicas, **given))


def held(review: Review) -> dict[Any, int]:
    """Return which result there is of everything."""
    return {key: id(result) for key, result in review.evidence.items()}


def handed_out(review: Any) -> Mapping[str, float]:
    return sdc.compare_replicas(review, weights={"general": 1.0}).handed_out


@pytest.mark.parametrize("asked", ASKED)
class TestJoined:
    def test_in_every_order_they_hold_the_same(self, asked: str) -> None:
        each = [reviewed(asked, name) for name in NAMES]
        union: dict[Any, int] = {}
        for item in each:
            union |= {key: mark for key, mark in held(item).items() if key[1] != EVERY_REPLICA}
        plain = join_reviews(each)
        for order in itertools.permutations(each):
            review = join_reviews(list(order))
            result = held(review)
            assert {key: mark for key, mark in result.items() if key[1] != EVERY_REPLICA} == union
            common = {key for item in each for key in held(item) if key[1] == EVERY_REPLICA}
            assert {key for key in result if key[1] == EVERY_REPLICA} == common
            assert sorted(zip(*fixes(review), strict=True)) == sorted(
                zip(*fixes(plain), strict=True)
            )
            assert review.variables == plain.variables

    def test_under_new_names_they_hold_the_same(self, asked: str) -> None:
        review = join_reviews({f"new {name}": reviewed(asked, name) for name in NAMES})
        plain = join_reviews([reviewed(asked, name) for name in NAMES])
        assert held(review) == {
            (kind, f"new {name}" if name else EVERY_REPLICA, place): mark
            for (kind, name, place), mark in held(plain).items()
        }
        assert set(review.frame["replica"]) == {f"new {name}" for name in NAMES}
        assert not {role for role, _ in review.fixes} & set(NAMES)

    def test_they_hold_what_one_review_of_all_does(self, asked: str) -> None:
        joined = join_reviews([reviewed(asked, name) for name in NAMES])
        together = reviewed(asked, *NAMES)
        assert set(joined.evidence) == set(together.evidence)
        assert joined.verdicts == together.verdicts
        assert joined.distributions == together.distributions
        assert [item.name for item in joined.inputs] == [item.name for item in together.inputs]
        assert held_in(joined) == held_in(together)

    def test_every_name_of_it_is_there_for_every_replica(self, asked: str) -> None:
        joined = join_reviews([reviewed(asked, name) for name in NAMES])
        together = reviewed(asked, *NAMES)
        for name in BY_NAME:
            first, other = getattr(joined, name), getattr(together, name)
            assert type(first) is type(other)
            if isinstance(first, dict):
                assert set(first) == set(other), name


BY_NAME = (
    *("disclosures", "fits", "rules", "copies", "files", "attacks", "predictions", "candidates"),
    *("subgroups", "shown", "fresh", "sampling", "sample_risks", "compared", "verdicts"),
)


def fixes(review: Review) -> tuple[list[str], list[str]]:
    return [role for role, _ in review.fixes], [str(fix) for _, fix in review.fixes]


def test_every_option_of_a_study_has_evidence_in_these_tests() -> None:
    """So that the tests above fail when a subject is left out of a join."""
    seen = {kind for asked in ASKED for kind in reviewed(asked, *NAMES).evidence.kinds}
    assert {kind.option for kind in seen} >= {kind.option for kind in kinds()}
    evidence_only = {kind for kind in kinds() if kind.given.startswith("evidence only")}
    assert evidence_only <= seen
    for asked in ASKED:
        assert len(set(reviewed(asked, *NAMES).evidence.kinds)) > 8


def test_a_review_of_a_replica_is_that_under_another_name_but_for_the_name() -> None:
    """No result holds the name of a replica: renaming renames keys."""
    for asked in ASKED:
        renamed = join_reviews({"other": reviewed(asked, "near")})
        direct = reviewed(asked, "near", called="other")
        assert set(renamed.evidence) == set(direct.evidence)
        for key, result in renamed.evidence.items():
            assert " near" not in repr(result).replace("nearest", ""), key[0].name
        assert renamed.verdicts == direct.verdicts


class TestPeople:
    """A replica that holds people of the original still does when reviews are joined."""

    def test_whatever_the_order(self) -> None:
        fresh, near = reviewed("options", "fresh"), reviewed("options", "near")
        alone = handed_out(near)["near"]
        assert alone > 0.05
        for order in ([fresh, near], [near, fresh]):
            assert handed_out(order)["near"] == alone
            notes = sdc.compare_replicas(order, weights={"general": 1.0}).notes
            assert any("near" in str(note) for note in notes)

    def test_whatever_the_name(self) -> None:
        near = reviewed("options", "near")
        assert handed_out({"x": near}) == {"x": handed_out(near)["near"]}
        both = {"y": reviewed("options", "fresh"), "x": near}
        assert handed_out(both)["x"] == handed_out(near)["near"]

    def test_whichever_review_has_the_holdout(self) -> None:
        near = reviewed("options", "near")
        given = {name: part for name, part in ASKED["options"].items() if name != "holdout"}
        bare = sdc.conduct(sdc.Study(ORIGINAL, {"fresh": REPLICAS["fresh"]}, **given))
        for order in ([bare, near], [near, bare]):
            joined = join_reviews(order)
            assert handed_out(joined)["near"] == handed_out(near)["near"]
            assert joined.study.holdout is not None
            assert [item.role for item in joined.inputs] == [
                "original",
                "replica",
                "replica",
                "holdout",
            ]


def test_a_review_has_at_most_ten_fields() -> None:
    assert len(fields(Review)) <= 10


def test_evidence_says_how_much_there_is_and_shows_no_record() -> None:
    evidence = reviewed("options", "near").evidence
    assert "records in every value: 1" in repr(evidence)
    assert len(repr(evidence)) < 3000
    assert len(evidence) == len(list(evidence))
    assert Evidence().kinds == ()
