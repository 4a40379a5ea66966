"""Numbers made of a group's number and those of its members from 1 tell groups apart only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.identifiers.groups import groups_of, is_numbered_anew
from sdcmetrics.measures.identifiers.values import Values
from sdcmetrics.microdata.frames import as_microdata


def grouped(levels: list[Any], original: int | None = None) -> list[Any] | None:
    """Return the group of each of some different values, the first of which the original has."""
    values = Values((np.arange(len(levels)),), (None,), pa.array(levels), "text")
    if not isinstance(levels[0], str):
        values = Values(values.codes, (None,), pa.array(map(float, levels)), "number")
    groups = groups_of(values, np.arange(len(levels)) < (original or len(levels)))
    return None if groups is None else [groups.levels[i].as_py() for i in groups.codes[0].tolist()]


def members(groups: int, each: int, cut: int = 100, first: int = 1) -> list[int]:
    return [cut * i + j for i in range(1, groups + 1) for j in range(first, first + each)]


@pytest.mark.parametrize(
    ("numbers", "cut"),
    [
        (members(12, 2), 100),  # the largest cut in which they are members
        (members(12, 2, first=0), 100),
        (members(10, 3, 1_000), 1_000),
        (members(9, 3), None),  # nine groups
        (members(12, 2, first=2), None),
        (members(20, 1), None),  # each is alone
        ([*members(12, 1), *members(6, 1, first=2)], 100),  # three numbers to two groups
        ([*members(12, 1), *members(5, 1, first=2)], None),
        (members(12, 50), 100),
        (members(12, 51), None),  # beyond the middle: a list goes on
        ([0.5 + i for i in members(12, 2)], None),
        ([i + 0.0 for i in range(1, 331) if i % 10 != 4], None),
        ([*range(7, 7_000, 91)], None),
    ],
)
def test_numbers_of_members(numbers: list[float], cut: int | None) -> None:
    expected = None if cut is None else [np.floor(number / cut) for number in numbers]
    assert grouped(numbers) == expected


def test_a_fifth_of_the_groups_may_begin_otherwise_and_of_the_numbers_be_left_out() -> None:
    numbers = np.array(members(20, 3))
    begins = [n for n in numbers if n % 100 > 1 or n > 500]  # four of twenty begin with 2
    assert grouped(begins)
    assert grouped([n for n in begins if n != 501]) is None
    gaps = [n for n in numbers if n % 100 != 2 or n > 1_300]  # 12 of 60
    assert grouped(gaps)
    assert grouped([n for n in gaps if n != 1302]) is None


def test_a_missing_number_is_of_no_group() -> None:
    levels = pa.array([float(n) for n in members(12, 2)])
    codes = np.array([3, -1, 0])
    groups = groups_of(Values((codes,), (None,), levels, "number"), np.ones(24, np.bool_))
    assert groups is not None
    assert groups.counts(0).tolist() == [1, 1, *[0] * 10]


def test_texts_of_groups_and_members() -> None:
    texts = [f"H{i:03d}-{j}" for i in range(12) for j in (1, 2)]
    assert grouped(texts) == [text[:4] for text in texts]
    assert grouped([*texts, "H007"], 24) is not None  # of the replica: whatever it is like
    assert grouped([*texts, "other"]) is None
    assert grouped([f"{text}x" for text in texts]) is None
    nothing = Values((np.array([-1, -1]),), (None,), pa.array([], pa.large_string()), "text")
    assert groups_of(nothing, np.zeros(0, np.bool_)) is None


@pytest.mark.parametrize("text", [False, True])
def test_people_of_households_numbered_by_the_same_rule_are_no_hits(*, text: bool) -> None:
    def people(seed: int, *, register: bool = False, first: int = 1) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        number = rng.choice(10**6, 80, replace=False) if register else np.arange(1, 81) * 2
        sizes = rng.integers(1, 6, 80)
        home, member = np.repeat(number, sizes), np.concatenate([np.arange(n) for n in sizes])
        member += first
        pid: Any = 100 * home + member
        if text:
            pid = [f"H{a:06d}-{b}" for a, b in zip(home, member, strict=True)]
        return pd.DataFrame({"pid": pid, "x": rng.integers(0, 9, len(pid))})

    assert not sdc.identifiers(people(1), people(2)).hits
    (taken,) = sdc.identifiers(people(3, register=True), people(3, register=True)).hits
    assert taken.shared == taken.distinct == people(3, register=True)["pid"].nunique()
    assert not sdc.identifiers(people(3, register=True), people(4, register=True)).hits
    # The households are the original's though a replica numbers their members from 51.
    (moved,) = sdc.identifiers(people(3, register=True), people(3, register=True, first=51)).hits
    assert moved.shared == 0


def test_groups_are_numbered_anew_where_chance_shares_a_number() -> None:
    rng = np.random.default_rng(1)

    def anew(original: Any, replica: Any) -> bool:
        files = [
            as_microdata(pd.DataFrame({"school": each}), "file") for each in (original, replica)
        ]
        return is_numbered_anew("school", *files)

    anews, shared = [], 0
    for _ in range(200):
        first, other = (10_000 + rng.choice(90_000, 300, replace=False) for _ in range(2))
        anews.append(anew(first, other))
        shared += bool({*first} & {*other})
        assert not anew(first, np.append(other[:270], first[:30]))
    assert shared > 100
    assert np.mean(anews) > 0.98
    # Of two numbers one is the original's only one: 1 - exp(-2 / span) is 0.01 at 199.
    assert anew([1], [1, 198])
    assert not anew([1], [1, 199])
    within = [*range(0, 20, 2), *range(130, 149, 2)]  # half of them the original's, as by chance
    assert anew(range(100), within)
    assert not anew(range(100), [*within[:-1], 20])
    assert not anew(first, first[:150])
    assert not anew(np.arange(0, 100, 2), np.arange(0, 50, 2))
    assert not anew(np.arange(90), np.append(np.arange(40, 80), 99))
