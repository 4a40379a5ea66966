"""What a decision rests on, gathered from a review: each fact by hand."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.decision.limits import Grounds
from sdcmetrics.measures.attacks.places import EPSILON
from sdcmetrics.measures.people.given import PEOPLE
from sdcmetrics.review import decided

Put = pytest.MonkeyPatch


def grounds(monkeypatch: Put, results: dict[Any, Any] | None = None, **given: Any) -> Grounds:
    said = {"drawn": 0, "claim": None, "size": None, "n": 40, "sample": None, "same": (),
            "publication": None, "large": ()} | given  # fmt: skip
    found = results or {}
    monkeypatch.setattr(decided, "_result", lambda _, kind, __: found.get(kind))
    monkeypatch.setattr(decided, "drawn", lambda *_: said["drawn"])
    monkeypatch.setattr(decided, "claim_of", lambda *_: said["claim"])
    monkeypatch.setattr(decided, "same_as_holdout", lambda *_: said["same"])
    monkeypatch.setattr(decided, "_unbounded", lambda *_: "no holdout")
    study = With(
        options=With(population_size=said["size"]), replicas={}, holdout=None,
        sample=said["sample"], original=With(large=said["large"]),
        section=lambda section: said["publication"] if section is decided.Publication else None,
    )  # fmt: skip
    review: Any = With(study=study, inputs=(), n_original=said["n"])
    profile: Any = With(tables="tables", excess="excess", judge="either")
    return decided.grounds_of(review, profile, "a", [])


def test_people_are_untested_where_there_is_no_result(monkeypatch: Put) -> None:
    without = grounds(monkeypatch, drawn=3)
    assert without.untested == "the data sets are too large, or nobody asked"
    assert (without.people, without.sampled) == (None, False)
    tested = grounds(monkeypatch, {PEOPLE: "people"}, drawn=3)
    assert (tested.untested, tested.people, tested.sampled) == ("", "people", True)
    assert not grounds(monkeypatch, {PEOPLE: "people"}).sampled


@pytest.mark.parametrize(("size", "census"), [(None, False), (40, True), (41, False)])
def test_who_asks_everybody_has_a_census(
    monkeypatch: Put, size: int | None, *, census: bool
) -> None:
    assert grounds(monkeypatch, size=size).census is census


@pytest.mark.parametrize(
    ("claim", "bound", "unbounded", "found"),
    [
        (None, None, "", None),
        ("claim", None, "no holdout", None),
        ("claim", ("whole", "first"), "", "whole"),
        (None, ("whole", "first"), "", "whole"),
    ],
)
def test_a_claimed_epsilon_that_nothing_bounds_has_a_reason(
    monkeypatch: Put, claim: Any, bound: Any, unbounded: str, found: Any
) -> None:
    given = grounds(monkeypatch, {EPSILON: bound}, claim=claim)
    assert (given.claim, given.bound, given.unbounded) == (claim, found, unbounded)


@pytest.mark.parametrize(
    ("sample", "cluster"),
    [
        (None, ""),
        (With(cluster="cl", household="home"), "cl"),
        (With(cluster="", household="home"), "home"),
    ],
)
def test_what_belongs_together_is_named(monkeypatch: Put, sample: Any, cluster: str) -> None:
    assert grounds(monkeypatch, sample=sample).cluster == cluster


def test_other_facts_are_those_of_study_and_profile(monkeypatch: Put) -> None:
    plain = grounds(monkeypatch)
    assert (plain.intruder, plain.of_holdout, plain.large) == ("", False, False)
    assert (plain.asked_tables, plain.asked_excess, plain.judge) == ("tables", "excess", "either")
    tested = With(intruder=lambda replica: f"failed by {replica}")
    more = grounds(monkeypatch, publication=tested, same=("a",), large=("x",))
    assert (more.intruder, more.of_holdout, more.large) == ("failed by a", True, True)
