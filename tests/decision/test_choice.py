"""All combinations of statuses and orders: one answer each, and no sentence that is false."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pytest

from sdcmetrics.decision import choice
from sdcmetrics.decision.answer import Answer, Decision
from sdcmetrics.decision.choice import candidates, choose, stated, verdict
from sdcmetrics.decision.choice_sentences import ANSWERS, BESIDES, Candidates, Row
from sdcmetrics.decision.status import Status

NAMES = ("ant", "bee", "cod")
WITHIN, NOT_JUDGED, REVIEW, FAIL = Status


@dataclass(frozen=True)
class Order:
    """A ranking as the choice reads it."""

    places: Mapping[str, float]
    known: bool | None = None

    def sure(self, first: str, other: str) -> bool | None:
        assert self.places[first] < self.places[other]
        return self.known


def decided(**statuses: tuple[Status, Status]) -> list[Decision]:
    return [
        Decision(name, Answer("risk", risk, ()), Answer("utility", utility, ()))
        for name, (risk, utility) in statuses.items()
    ]


def text(order: Order | None = None, **statuses: tuple[Status, Status]) -> str:
    result = choose(decided(**statuses), order)
    assert result is not None
    return result.text


ORDERS = (
    ((1.0, 2.0, 3.0), None),
    ((3.0, 1.0, 2.0), True),
    ((2.0, 1.0, 3.0), False),
    ((1.5, 1.5, 3.0), None),
    ((2.0, 2.0, 2.0), False),
)


def situations() -> Iterator[tuple[list[Decision], Order | None]]:
    """Yield every combination of statuses of one to three replicas, beside every order."""
    pairs = list(product(Status, Status))
    for size in (1, 2, 3):
        names = NAMES[:size]
        for statuses in product(pairs, repeat=size):
            each = decided(**dict(zip(names, statuses, strict=True)))
            yield each, None
            for places, sure in ORDERS[: 1 if size == 1 else None]:
                yield each, Order(dict(zip(names, places, strict=False)), sure)


def faults(
    each: list[Decision],
    order: Order | None,
    answers: tuple[Row, ...] = ANSWERS,
    besides: tuple[Row, ...] = BESIDES,
) -> list[str]:
    """Return what is wrong with the answer: the rules a second time, by names and words."""
    # An edition for outside does not measure luck.
    protected = order is not None and order.known is None
    state = candidates(each, order, protected=protected)
    leads = [str(item) for item in stated(state, answers)]
    if len(leads) != 1:
        return [f"{len(leads)} answers"]
    others = [str(item) for item in stated(state, besides)]
    good = [d.replica for d in each if d.risk.status is WITHIN is d.utility.status]
    near = [d.replica for d in each if FAIL not in (d.risk.status, d.utility.status)]
    near = [name for name in near if name not in good]
    lead, whole = leads[0], " ".join([*leads, *others])
    holds = {
        "none yet": lead.startswith("None yet.") == (not good and bool(near)),
        "none": lead.startswith("None.") == (not good and not near),
        "what is ready comes first": not good or lead.startswith(tuple(good)),
        "nothing else is the answer": not good or not named([*{*NAMES} - {*good}], lead),
        "what is near is named": bool(good) or len(named(near, whole)) == len(near),
        "not ranked": ("not ranked" in lead) == (order is None and len(good) > 1),
        "filled in": not any(re.search(r"[{}]| \.|  ", item) for item in (lead, *others)),
        "of one nothing is first": len(each) > 1 or "First in" not in whole,
        "of what it shows": ("of what this edition shows" in whole)
        == (protected and len(each) > 1),
    }
    if order is not None and good:
        holds |= of_order(order, good, lead, whole)
    if order is not None and len(each) > 1:
        holds |= of_all(order, good, whole)
    return [rule for rule, true in holds.items() if not true]


def named(names: list[str], words: str) -> list[str]:
    return [name for name in names if name in words]


def of_order(order: Order, good: list[str], lead: str, whole: str) -> dict[str, bool]:
    """Return the rules on the order of what is ready."""
    best = min(order.places[name] for name in good)
    ties = [name for name in good if order.places[name] == best]
    alone = len(ties) == 1 and len(good) > 1
    doubt = order.known is False and alone
    later = [] if doubt else [name for name in good if name not in ties]
    after = whole.partition("After that")[2]
    return {
        "all that are level are named": named(ties, lead) == ties,
        "level": ("level" in lead) == (len(ties) > 1),
        "doubt": ("not sure" in lead) == doubt,
        "luck": ("luck was not measured" in whole) == (alone and order.known is None),
        "after that": bool(after) == bool(later),
        "the others are named": named(later, after) == later,
    }


def of_all(order: Order, good: list[str], whole: str) -> dict[str, bool]:
    """Return the rules on who is first in the ranking of all."""
    top = [name for name, place in order.places.items() if place == min(order.places.values())]
    first = re.search(r"First in the ranking, which knows neither answer: (.*?)\.( The r|$)", whole)
    return {
        "first of all": bool(first) == any(name not in good for name in top),
        "first only beside why it is no choice": first is None
        or all((f"{name} (" in first[1]) == (name not in good) for name in top),
    }


@pytest.mark.parametrize(
    ("risk", "utility", "why"),
    [
        (WITHIN, REVIEW, "to be looked at for its use"),
        (WITHIN, NOT_JUDGED, "not judged for its use"),
        (WITHIN, FAIL, "not useful for what is named"),
        (REVIEW, NOT_JUDGED, "not to be released without a closer look"),
        (NOT_JUDGED, FAIL, "not judged for release; not useful for what is named"),
    ],
)
def test_the_first_in_the_ranking_stands_beside_what_speaks_against_it(
    risk: Status, utility: Status, why: str
) -> None:
    order = Order({"ant": 1.0, "bee": 2.0})
    whole = text(order, ant=(risk, utility), bee=(REVIEW, REVIEW))
    assert whole.endswith(f"which knows neither answer: ant ({why}).")


def test_every_situation_has_one_answer_that_is_true() -> None:
    number = 0
    for each, order in situations():
        number += 1
        wrong = faults(each, order)
        assert not wrong, (wrong, text(order, **{d.replica: statuses(d) for d in each}))
    assert number > 20_000


def statuses(one: Decision) -> tuple[Status, Status]:
    return one.risk.status, one.utility.status


BROKEN = {"always true": lambda _: True, "never true": lambda _: False}


@pytest.mark.parametrize("way", BROKEN)
def test_a_broken_table_is_noticed(way: str) -> None:
    few = list(situations())[::7]
    for name, table in (("answers", ANSWERS), ("besides", BESIDES)):
        for place, row in enumerate(table):
            bad = replace(row, condition=BROKEN[way])
            broken = {name: (*table[:place], bad, *table[place + 1 :])}
            assert any(faults(each, order, **broken) for each, order in few), row.words


class TestWords:
    def test_the_only_one_that_is_ready_is_named_beside_who_is_first(self) -> None:
        order = Order({"cart": 1.0, "noise": 2.0, "mix": 3.0})
        content = text(order, cart=(REVIEW, WITHIN), noise=(WITHIN, FAIL), mix=(WITHIN, WITHIN))
        assert content == (
            "mix: the only replica to which there is no objection and that is useful as far as "
            "tested. First in the ranking, which knows neither answer: cart (not to be released "
            "without a closer look)."
        )

    def test_where_none_may_go_out_it_is_said_what_comes_first(self) -> None:
        assert text(cart=(REVIEW, WITHIN), noise=(WITHIN, FAIL)) == (
            "None yet. cart is the only useful one that may still go out; first look at what "
            "speaks against a release."
        )
        copied = text(cart=(REVIEW, WITHIN), copy=(FAIL, WITHIN))  # which is useful, too
        assert "cart is the only useful one that may still go out" in copied
        assert text(a=(NOT_JUDGED, WITHIN), b=(REVIEW, WITHIN)).endswith(
            "a and b are the useful ones that may still go out; first look at what speaks against "
            "a release and have the risk judged."
        )

    def test_of_one_replica_nothing_is_ranked(self) -> None:
        order = Order({"cart": 1.0})
        assert text(order, cart=(WITHIN, WITHIN)) == (
            "cart: there is no objection to it, and it is useful as far as tested."
        )
        assert text(order, cart=(FAIL, WITHIN)) == "None. It may not go out."
        assert text(order, cart=(REVIEW, FAIL)) == (
            "None. It is not useful for what is named, and there are objections to it."
        )
        assert text(order, cart=(NOT_JUDGED, FAIL)) == (
            "None. It is not useful for what is named, and whether it may go out is not judged."
        )
        assert text(order, cart=(WITHIN, FAIL)) == (
            "None. There is no objection to cart, but it is not useful for what is named."
        )

    def test_where_all_fail_it_says_of_what(self) -> None:
        assert text(a=(FAIL, WITHIN), b=(FAIL, FAIL)) == "None. No replica may go out."
        assert text(a=(REVIEW, FAIL), b=(NOT_JUDGED, FAIL)) == (
            "None. No replica is useful for what is named."
        )
        assert text(a=(REVIEW, FAIL), b=(FAIL, WITHIN)) == (
            "None. Each replica either may not go out, or is not useful for what is named."
        )

    def test_of_one_and_of_several_it_is_told_in_their_number(self) -> None:
        def words(**groups: tuple[str, ...]) -> tuple[Any, ...]:
            decisions = decided(a=(WITHIN, WITHIN), b=(WITHIN, WITHIN), c=(WITHIN, WITHIN))
            told = choice._with_words(Candidates(**groups), decisions).words
            return tuple(told[name] for name in ("it", "it_is", "held_is", "useless_is"))

        ready, one, two = ("a", "b", "c"), ("it", "it is"), ("them", "they are")
        assert words(ready=ready, level=("a",), held=("b",)) == (*two, "is", "they are")
        assert words(ready=ready, level=("a", "b"), doubted=("c",))[:2] == two
        assert words(ready=("a",), level=("a",), held=("b", "c")) == (*one, "are", "they are")
        assert words(ready=ready, doubted=("c",), useless=("b",)) == (*one, "are", "it is")

    def test_many_are_counted(self) -> None:
        many = {f"r{i}": (WITHIN, WITHIN) for i in range(8)}
        assert text(**many).startswith("r0, r1, r2 and 5 more: there is no objection to them")

    def test_the_status_is_that_of_the_best(self) -> None:
        result = choose(decided(a=(FAIL, WITHIN), b=(REVIEW, WITHIN)))
        assert result is not None
        assert result.status is REVIEW
        assert choose([]) is None

    def test_a_ranking_of_other_replicas_is_not_used(self) -> None:
        content = text(Order({"other": 1.0}), a=(WITHIN, WITHIN), b=(WITHIN, WITHIN))
        assert "was not ranked" in content


def test_what_is_said_in_brief_of_a_replica_that_is_ready_is_nothing() -> None:
    (ready, look) = decided(a=(WITHIN, WITHIN), b=(WITHIN, REVIEW))
    assert (verdict(ready), verdict(look)) == ("", "")
    assert choice.verdict_of(FAIL, FAIL) == "may not be released; not useful for what is named"


@pytest.mark.parametrize(
    ("known", "doubted", "measured"),
    [
        ({"bee": False, "cod": True}, ("bee",), True),
        ({"bee": True, "cod": False}, ("cod",), True),
        ({"bee": None, "cod": False}, ("cod",), False),
    ],
)
def test_the_first_is_compared_with_each_other_one(
    known: dict[str, bool | None], doubted: tuple[str, ...], *, measured: bool
) -> None:
    class Known(Order):
        def sure(self, first: str, other: str) -> bool | None:
            assert first == "ant"
            return known[other]

    good = decided(**dict.fromkeys(NAMES, (WITHIN, WITHIN)))
    result = candidates(good, Known(dict(zip(NAMES, (1.0, 2.0, 3.0), strict=True))))
    assert (result.doubted, result.measured) == (doubted, measured)
    assert (result.level, result.first) == (("ant",), ("ant",))
