"""A hit in words, values of columns together, and check digits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sdcmetrics.measures.identifiers.patterns import _luhn
from sdcmetrics.measures.identifiers.result import IdentifierHit
from sdcmetrics.measures.identifiers.values import Values, together

HIT = IdentifierHit(
    columns=("mail",), pattern="", records=2_000, distinct=1_500, shared=3, by_file=(3,),
    expected=0.4, holdout_shared=None, holdout_distinct=None, p=0.5, level=0.01, hit=False,
    taken=False, measured=False, running=False, reason="", basis="holdout",
)  # fmt: skip
HEAD = "mail: 1,500 different values in 2,000 records"


@pytest.mark.parametrize(
    ("changed", "sources", "words"),
    [
        ({}, ["r.csv"], f"{HEAD}; 3 of them stand in r.csv."),
        ({"by_file": (0,)}, ["r.csv"], f"{HEAD}; 0 of them stand in r.csv."),
        ({"by_file": (0, 2)}, ["r", "s"], f"{HEAD}; 2 of them stand in s."),
        ({"by_file": (1, 2)}, ["r", "s"], f"{HEAD}; 1 of them stand in r, 2 of them stand in s."),
        ({"by_file": (0, 0)}, ["r", "s"], f"{HEAD}; none of them stand in the 2 files."),
        ({"expected": 1.0}, ["r"], f"{HEAD}; 3 of them stand in r (by chance about 1)."),
        ({"expected": 5.0, "shared": 0}, ["r"], f"{HEAD}; 3 of them stand in r."),
        ({"holdout_shared": 2, "holdout_distinct": 9}, ["r"],
         f"{HEAD}; 3 of them stand in r (2 of 9 of the holdout's)."),
        ({"holdout_shared": 2, "holdout_distinct": 9, "expected": 4.0}, ["r"],
         f"{HEAD}; 3 of them stand in r (by chance about 4; 2 of 9 of the holdout's)."),
        ({"holdout_shared": 0, "holdout_distinct": 0}, ["r"], f"{HEAD}; 3 of them stand in r."),
        ({"hit": True, "taken": True}, ["r"],
         f"{HEAD}; 3 of them stand in r. Drop it from the replica."),
        ({"hit": True, "columns": ("mail", "born")}, ["r"],
         f"mail and born{HEAD[4:]}; 3 of them stand in r. Drop one of them, or make it coarser."),
        ({"taken": True}, ["r"],
         f"{HEAD}; 3 of them stand in r. They were taken from the original, value by value."),
        ({"running": True, "hit": True, "repeated": True}, ["r"],
         f"{HEAD}; they number whoever the records belong to, and name nobody."),
        ({"running": True, "distinct": 2_000}, ["r"],
         f"{HEAD.replace('1,5', '2,0')}; they number the records, and name nobody."),
    ],
)  # fmt: skip
def test_counts_of_a_hit_in_words(changed: dict[str, Any], sources: list[str], words: str) -> None:
    assert replace(HIT, **changed).sentence(sources) == words


def test_names_and_states_of_a_hit() -> None:
    names = [replace(HIT, columns=tuple("abcde"[:number])).name for number in (3, 4, 5)]
    assert names == ["a, b and c", "a, b, c and d", "a, b, c and 2 more columns"]
    states: list[dict[str, Any]] = [{"hit": True, "running": True}, {"running": True}, {}]
    ends = [repr(replace(HIT, **state)).rpartition(", ")[2] for state in states]
    assert ends == ["hit)", "running)", "no hit)"]


@pytest.mark.parametrize(
    ("text", "right"),
    [("4539578763621486", True), ("4539578763621487", False), ("79927398713", True), ("0", True),
     ("18", True), ("26", True), ("91", True), ("19", False)],
)  # fmt: skip
def test_the_check_digit_of_a_card(text: str, *, right: bool) -> None:
    assert _luhn(text) is right


def values(*codes: list[int]) -> Values:
    levels = pa.array([str(i) for i in range(max(map(max, codes)) + 1)])
    return Values(tuple(map(np.array, codes)), (None,) * len(codes), levels, "text")


def test_values_of_some_columns_together() -> None:
    first = values([0, 0, 1, -1, 1], [0, 1, 0])
    second = values([0, 1, 0, 0, -1], [0, 0, 1])
    third = values([0, 0, 0, 0, 0], [0, 0, 1])
    for columns in ([first, second], [first, second, third]):
        both = together(columns)
        every = [
            tuple(int(column.codes[part][i]) for column in columns)
            for part, n in ((0, 5), (1, 3)) for i in range(n)
        ]  # fmt: skip
        codes = np.concatenate(both.codes).tolist()
        assert [code < 0 for code in codes] == [min(each) < 0 for each in every]
        for code, each in zip(codes, every, strict=True):
            if code >= 0:
                alike = [c for c, e in zip(codes, every, strict=True) if e == each]
                assert set(alike) == {code}
                assert codes.count(code) == len(alike)
        assert both.by_record
        assert both.counts(0).sum() == 3
        assert (both.counts(1) > 0).sum() == 3
