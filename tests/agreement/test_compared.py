"""Verdicts without R: what is equal, what is explained, and what is worth asking again."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from sdcmetrics.agreement.compared import Compared
from sdcmetrics.agreement.verdict import DIFFERS, EQUAL, agree, judge_pair
from sdcmetrics.errors import RError
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.registry import MEASURES

OURS = dict.fromkeys(MEASURES, 40.0)
EVERY = {m.twin.name_in("1.9-3"): 40.0 for m in MEASURES.values() if m.twin}
ONE = Compared(KEYS, "disclosure", {"target": "x"}, OURS, EVERY, only=("repU",))


def verdict(one: Compared, **changed: Any) -> tuple[str, bool]:
    (row,) = replace(one, **changed).rows("1.9-3")
    assert (row["metric"], row["function"], row["target"]) == ("repU", "disclosure", "x")
    assert row["family"] == MEASURES["repU"].family
    return row["verdict"], row["explained"]


def answer(value: float) -> dict[str, float]:
    return EVERY | {"repU": value}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, (EQUAL, True)),
        ({"synthpop": answer(41)}, (DIFFERS, False)),
        ({"native": "no records", "synthpop": None}, ("not compared: no records", True)),
        ({"native": "no records"}, ("not compared: no records", True)),
        ({"synthpop": RError("why")}, ("not compared: why", False)),
        ({"synthpop": RError("why", defects=("B1", "B2"))}, ("not compared: why", True)),
        ({"synthpop": None}, ("not compared: ", False)),
        ({"synthpop": answer(41), "aligned": answer(40), "defect": "B2"},
         ("differs as documented: B2", True)),
        ({"synthpop": answer(41), "aligned": answer(40), "defects": {"repU": "B9"}, "defect": "B2"},
         ("differs as documented: B9", True)),
        ({"synthpop": answer(41), "aligned": answer(40), "defects": {"UiO": "B9"}, "defect": "B2"},
         ("differs as documented: B2", True)),
        ({"synthpop": answer(41), "aligned": answer(42), "defect": "B2"}, (DIFFERS, False)),
        ({"synthpop": RError("why"), "aligned": answer(40), "defect": "B2"},
         ("differs as documented: B2: why", True)),
        ({"synthpop": RError("why", defects=("B1",)), "aligned": answer(40), "defect": "B2"},
         ("differs as documented: B1: why", True)),
        ({"synthpop": RError("why"), "aligned": answer(41)}, (DIFFERS, False)),
        ({"synthpop": answer(41), "aligned": RError("why")}, (DIFFERS, False)),
        ({"synthpop": answer(41), "documented": "rounding"},
         ("differs as documented: rounding", True)),
        ({"documented": "rounding"}, (EQUAL, True)),
        ({"synthpop": RError("why"), "documented": "rounding"}, ("not compared: why", False)),
        ({"synthpop": None, "documented": "rounding"}, ("not compared: ", False)),
        ({"synthpop": answer(41), "allowed": {"repU": (1.0, "ties")}},
         ("differs as documented: ties", True)),
        ({"synthpop": answer(41), "allowed": {"repU": (0.9, "ties")}}, (DIFFERS, False)),
        ({"synthpop": answer(41), "allowed": {"UiO": (1.0, "ties")}}, (DIFFERS, False)),
        ({"synthpop": {"UiO": 40.0}},
         ("not compared: synthpop 1.9-3 answers without 'repU'; known are 1.9-2 and 1.9-3", True)),
    ],
)  # fmt: skip
def test_verdicts(changed: dict[str, Any], said: tuple[str, bool]) -> None:
    assert verdict(ONE, **changed) == said


def test_all_are_compared_unless_some_are_named() -> None:
    every = replace(ONE, only=())
    rows = [row["metric"] for row in every.rows("1.9-3")]
    assert len(rows) > 4
    assert {*rows} == {s for s, m in MEASURES.items() if m.twin and m.of is KEYS} - {"TCAP_matched"}
    assert every.all_equal("1.9-3")
    other = replace(every, synthpop=answer(41))
    assert not other.all_equal("1.9-3")
    assert replace(other, only=("UiO",)).all_equal("1.9-3")


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ({}, False),
        ({"synthpop": answer(41)}, True),
        ({"synthpop": RError("why")}, True),
        ({"synthpop": RError("why", kind="died")}, False),
        ({"synthpop": RError("why", kind="timeout")}, False),
        ({"native": "no records"}, False),
        ({"synthpop": answer(41), "only": ("UiO",)}, False),
    ],
)
def test_r_is_asked_again_where_it_answers_otherwise(
    changed: dict[str, Any], *, again: bool
) -> None:
    assert replace(ONE, **changed).worth_asking_again("1.9-3") is again


def test_only_a_root_of_what_rounds_is_compared_squared() -> None:
    (row,) = replace(ONE, synthpop=answer(50)).rows("1.9-3")
    assert row["relative"] == pytest.approx(0.2)
    distance = {"of": CROSSTABLES, "synthpop": EVERY | {"dBhatt": 50.0}, "only": ("dBhatt",)}
    (row,) = replace(ONE, **distance).rows("1.9-3")
    assert row["relative"] == pytest.approx(0.36)


def test_what_is_equal_but_for_rounding() -> None:
    for rtol, off, equal in ((1e-10, 9e-11, True), (1e-10, 2e-10, False), (1e-8, 5e-9, True)):
        assert agree(4.0, 4.0 * (1 + off), rtol=rtol) is equal
        assert (judge_pair(4.0, 4.0 * (1 + off), rtol=rtol).verdict == EQUAL) is equal
        aligned = judge_pair(4.0, 9.0, 4.0 * (1 + off), rtol=rtol, defect="B1")
        assert aligned.explained is equal
    assert agree(4.0, 4.0 * (1 + 9e-11))
    assert not agree(4.0, 4.0 * (1 + 2e-10))
    assert agree(0.0, 9e-13)
    assert not agree(0.0, 2e-12)
    edge = math.sqrt(1e-9)  # its square is the limit to the last bit
    for number, alike in ((edge, False), (edge * (1 - 1e-9), True), (-edge, False)):
        assert agree(math.nan, number, squared=True) is agree(number, math.nan, squared=True)
        assert agree(math.nan, number, squared=True) is alike
        assert not agree(math.nan, number)
    assert agree(0.0, 9e-7, squared=True)
    assert not agree(0.0, 2e-6, squared=True)
    assert agree(2.0, 2.0 * (1 + 4e-10), squared=True)
    assert not agree(2.0, 2.0 * (1 + 6e-10), squared=True)
    assert agree(-1.0, 1.0, squared=True)
    assert agree(3e-5, math.nan, squared=True)
    assert not agree(4e-5, math.nan, squared=True)
    assert agree(math.inf, math.inf)
    assert not agree(math.inf, -math.inf)
    assert not agree(5.0, math.inf, squared=True)
    assert not agree(0.0, math.nan)


def test_differences_are_absolute_and_beside_the_larger_value() -> None:
    result = judge_pair(4.0, 5.0, 6.0)
    assert (result.native, result.synthpop, result.aligned) == (4.0, 5.0, 6.0)
    assert (result.absolute, result.relative, result.verdict) == (1.0, 0.2, DIFFERS)
    assert judge_pair(-5.0, 4.0).relative == 9 / 5
    assert judge_pair(4.0, 5.0, squared=True).relative == 9 / 25
    assert judge_pair(1e-12, 0.0).relative == 0.0
    assert judge_pair(1.1e-12, 0.0).relative == 1.0
    alone = judge_pair(4.0, None, 5.0)
    assert (alone.synthpop, alone.absolute, alone.aligned) == (5.0, 1.0, 5.0)
    explained = judge_pair(4.0, None, 4.0, defect="B2", reason="it stopped")
    assert explained.verdict == "differs as documented: B2: it stopped"
    assert math.isnan(explained.synthpop)
    assert math.isnan(judge_pair(4.0, 5.0).aligned)
    both = judge_pair(4.0, 5.0, 4.0, defect="B2", reason="it stopped")
    assert both.verdict == "differs as documented: B2"
