"""Parts of the search for identifiers: which columns, how many tests, and words, by hand."""

# ruff: noqa: ARG001, ARG005  (what stands in takes what it stands for takes)

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdcmetrics.measures.identifiers import candidates as module
from sdcmetrics.measures.identifiers import identifiers as tests_of_columns
from sdcmetrics.measures.identifiers.candidates import (
    Candidate,
    _is_number,
    _is_strong,
    _never_repeat,
    _profile,
    _share,
    _whole_numbers,
    single_columns,
)
from sdcmetrics.measures.identifiers.chance import density, expected_shared, step_of
from sdcmetrics.measures.identifiers.patterns import (
    Pattern,
    _is_address,
    _is_iban,
    _luhn,
    _weighted,
    pattern_of,
)
from sdcmetrics.measures.identifiers.result import Identifiers
from sdcmetrics.measures.identifiers.search import Counts, Search
from sdcmetrics.measures.identifiers.values import together
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources.large import of_memory
from tests.measures.identifiers.test_candidates import BLOCKS, DAYS, N, sets, texts
from tests.measures.identifiers.test_hits import HIT, values

Put = pytest.MonkeyPatch


def test_a_share_below_one_is_told_in_percent() -> None:
    assert Pattern("a phone number", 0.9).reason == "looks like a phone number: 90 % of values"
    assert Pattern("a phone number", 0.0).reason == "its name says that it is a phone number"


@pytest.mark.parametrize(("columns", "pairs"), [(3, [("b", "a")]), (2, [("b", "a")]), (1, [])])
def test_sets_are_of_the_columns_of_most_levels(
    monkeypatch: Put, columns: int, pairs: list[tuple[str, ...]]
) -> None:
    monkeypatch.setattr(module, "_MOST_PARTS", columns)
    assert sets(c=texts(20), b=BLOCKS, a=texts(30)) == pairs


def test_what_looks_like_an_identifier_is_in_a_set_before_others(monkeypatch: Put) -> None:
    monkeypatch.setattr(module, "_MOST_PARTS", 2)
    assert sets(surname=texts(20), b=BLOCKS, a=texts(30)) == []  # b is one too many


@pytest.mark.parametrize(("most", "triples"), [(2, []), (3, [("a", "b", "c")])])
def test_triples_are_of_what_no_pair_names(
    monkeypatch: Put, most: int, triples: list[tuple[str, ...]]
) -> None:
    monkeypatch.setattr(module, "_LARGEST_SET", most)
    i = np.arange(200)
    # of the same a there are four, told apart by two of b and two of c
    a, k = i % 60, i // 60
    words = np.array(texts(60, 60))
    parts = {"a": words[a], "b": words[a % 30 * 2 + k % 2], "c": words[a % 30 * 2 + k // 2]}
    assert sets(**parts) == triples


def test_profiles_of_named_columns() -> None:
    frame = pd.DataFrame(
        {
            "tel": np.arange(N) + 0.5,  # a number with fractions is no phone
            "mobile": np.arange(N) ** 2,
            "dob": DAYS,
            "birthday": DAYS.strftime("%d.%m.%Y"),
            "x": texts(40),
        }
    )
    looks = {name: _profile(as_microdata(frame, "file"), name, 1) for name in [*map(str, frame)]}
    known: Any = {name: look for name, look in looks.items() if look is not None}
    assert known["tel"].pattern is None
    assert known["mobile"].pattern.words == "a phone number"
    assert [known[name].measured for name in frame] == [True, False, True, False, False]
    assert [known[name].kind for name in frame] == ["number", "number", "date", "text", "text"]
    assert (known["x"].share, known["x"].levels) == (0.4, 40)
    strong = {name: _is_strong(look) for name, look in known.items()}
    assert strong == {"tel": False, "mobile": True, "dob": True, "birthday": True, "x": True}


@pytest.mark.parametrize(("looked_at", "levels"), [(100, 100), (99, 99), (7, 7)])
def test_a_profile_is_of_a_sample(monkeypatch: Put, looked_at: int, levels: int) -> None:
    monkeypatch.setattr(module, "_LOOKED_AT", looked_at)
    look = _profile(as_microdata(pd.DataFrame({"x": texts(100)}), "file"), "x", 1)
    assert look is not None
    assert (look.levels, look.share) == (levels, 1.0)


def test_a_profile_of_counted_values_is_of_all_records() -> None:
    data = of_memory(as_microdata(pd.DataFrame({"x": texts(25), "y": texts(100)}), "file"))
    look, other = _profile(data, "x", 1), _profile(data, "y", 1)
    assert look is not None
    assert other is not None
    assert (look.share, other.share) == (0.25, 1.0)
    candidates, looks = single_columns(data)
    assert [candidate.columns for candidate in candidates] == [("y",)]
    half = as_microdata(pd.DataFrame({"x": [*texts(50, 50), *[None] * 50]}), "file")
    for held in (half, of_memory(half)):  # of those who have one
        ((first,), _) = single_columns(held)
        assert (first.columns, first.share) == (("x",), 1.0)
    assert module.sets_of_columns(data, candidates, looks) == []


@pytest.mark.parametrize(
    ("levels", "kind", "lengths"),
    [
        ([0.0, 9, 10, 999, 1000, -1000], "number", [1, 1, 2, 3, 4, 4]),
        ([1.0, 2.5], "number", None),
        ([1.0, np.inf], "number", [1]),
        ([np.nan], "number", None),
        ([3_000.0, 5_000], "number", [1, 1]),  # in thousands
        ([1_000.0, 2.0**63], "number", [4, 19]),  # 64 bits do not hold the second
        (["007", "12"], "text", [3, 2]),
        (["7", "x"], "text", None),
        (["\u0667"], "text", None),  # a digit of another script
        ([], "text", None),
    ],
)
def test_whole_numbers_and_their_lengths(
    levels: list[Any], kind: str, lengths: list[int] | None
) -> None:
    column = pa.array(levels, pa.string() if kind == "text" else pa.float64())
    figures = _whole_numbers(column, kind)
    assert (figures and figures.lengths.tolist()) == lengths
    if kind == "text" and figures is not None:
        assert figures.numbers.tolist() == [7, 12]


def test_numbers_of_records_by_length_or_where_none_repeats() -> None:
    dense: Any = SimpleNamespace(numbers=np.arange(100.0), is_of_one_length=lambda digits: False)
    assert _is_number("x", dense, repeats=False)
    assert not _is_number("x", dense, repeats=True)
    dense.is_of_one_length = lambda digits: digits == 8
    assert _is_number("x", dense, repeats=True)
    assert _never_repeat(np.arange(11.0) * 3)
    assert not _never_repeat(np.arange(9.0) * 2)  # 81 over twice 9: four pairs and a half
    assert _never_repeat(np.arange(10.0) * 2)  # five
    assert _never_repeat(np.arange(10.0) * 2 + 1_000)


def test_ten_records_are_enough_for_a_share() -> None:
    assert _share(values([*range(10)])) == 1.0
    assert _share(values([*range(9), -1])) == 0.0
    assert _share(values([0] * 5 + [1] * 5)) == 0.2
    both = together([values([-1, *range(10)]), values([0] * 11)])
    assert _share(both) == 1.0  # of ten; what is missing is no value


@pytest.mark.parametrize(
    ("numbers", "step"),
    [([0.0, 5], 5), ([2.0], 1), ([], 1), ([0, 4, 10], 2), ([0.0, 2.0**63], 2**63)],
)
def test_steps(numbers: list[float], step: float) -> None:
    assert step_of(np.array(numbers)) == step


def test_numbers_all_of_which_are_met_say_nothing() -> None:
    original = np.arange(0.0, 120, 3) + (np.arange(40) == 7)
    assert density(original, np.arange(200.0))[0] > 0.95
    share, p = density(original, original + 1000)
    assert (share < 0.05, p) == (True, 1.0)
    assert expected_shared(np.array([2, 0, 3]), 100) == 2.0


def test_weighted_digits() -> None:
    assert _weighted("3-4", (2, 3), 9)  # 18
    assert not _weighted("34", (2, 3), 10)
    assert not _weighted("345", (2, 3), 9)
    assert _weighted("91", (1, -9), 5)  # 0


def test_forms_by_hand() -> None:
    assert _luhn("59")  # 5 doubled is 10, 1, and 9
    assert not _luhn("95")
    assert _is_iban("DE89 3704 0044 0532 0130 00")
    assert not _is_iban("DE88 3704 0044 0532 0130 00")
    assert _is_address("Hauptstr. 5")
    assert not _is_address("Hauptstr.")
    assert not _is_address("Haus 5")
    assert pattern_of("surname", []) == Pattern("a personal name", 0.0)
    assert pattern_of("x", []) is None


def data(**columns: Any) -> Any:
    return as_microdata(pd.DataFrame(columns), "file")


MAILS = [f"m{k}@x.org" for k in range(12)]


@pytest.mark.parametrize(
    ("tests", "p", "measured", "hit", "taken"),
    [
        (2, 0.004, False, True, True),
        (2, 0.005, False, True, True),  # just the level
        (3, 0.004, False, False, False),
        (2, 0.004, True, False, True),
        (9, 0.5, False, False, False),
    ],
)
def test_a_p_counts_all_columns_that_are_looked_at(
    monkeypatch: Put, tests: int, p: float, measured: bool, hit: bool, taken: bool
) -> None:
    monkeypatch.setattr(Search, "_p", lambda *_, holdout: 0.9 if holdout else p)
    files = data(x=[*MAILS[:3], *["a"] * 4]), data(x=[*MAILS[2:6], "a"])
    search = Search(data(x=[*MAILS, MAILS[0], None]), files, None, None, 0.01, 1)
    result = search.test(Candidate(("x",), None, measured), [0, 1], tests)
    assert result is not None
    assert result.p == pytest.approx(min(1.0, tests * p))
    assert (result.hit, result.taken, result.measured) == (hit, taken, measured)
    assert (result.records, result.distinct, result.shared) == (13, 12, 6)
    assert result.by_file == (3, 4)
    assert (result.holdout_shared, result.holdout_distinct) == (None, None)
    assert result.basis == "equal records"
    reason = "" if measured else "nearly every record has a value of its own"
    assert result.reason == reason
    one = search.test(Candidate(("x",), None, measured), [1], tests)
    assert one is not None
    assert one.by_file == (0, 4)


@pytest.mark.parametrize(
    ("p", "differs", "basis", "least"),
    [
        (0.005, False, "holdout", 0.01),
        (0.005, True, "equal records", 0.4),
        (0.006, True, "holdout", 0.012),  # no alarm: nobody asks whether it differs
    ],
)
def test_a_holdout_that_differs_is_left_out_where_it_alarms(
    monkeypatch: Put, p: float, differs: bool, basis: str, least: float
) -> None:
    asked: list[bool] = []

    def differ(_: Any, columns: Any, *, once: bool) -> bool:
        asked.append(once)
        return differs

    monkeypatch.setattr(Search, "_p", lambda *_, holdout: p if holdout else 0.2)
    monkeypatch.setattr(Search, "_differs", differ)
    aside = data(x=[*MAILS[:2], "b", "c"])
    search = Search(data(x=MAILS), (data(x=MAILS[1:]), data(x=["b", "b"])), aside, None, 0.01, 1)
    result = search.test(Candidate(("x",), Pattern("a mail", 1.0), measured=False), [0, 1], 2)
    assert result is not None
    assert result.p == pytest.approx(least)
    assert result.basis == basis
    # of the holdout's alone one of "m1", "b" and "c" is in the replica, and "m1" is of both
    assert result.expected == (1 * 12 / 4 + 1 if basis == "holdout" else 0)
    assert asked == ([False] if p == 0.005 else [])
    assert (result.holdout_shared, result.holdout_distinct) == (2, 4)
    assert search.differing == (["x: it differs from the original"] if least == 0.4 else [])
    assert (result.pattern, result.reason) == ("a mail", "looks like a mail: 100 % of values")
    without = Search(data(x=MAILS), (data(x=MAILS),), data(z=MAILS), None, 0.01, 1)
    other = without.test(Candidate(("x",), None, measured=False), [0], 2)
    assert other is not None
    assert (other.basis, other.holdout_shared) == ("equal records", None)


def test_running_numbers_are_not_tested(monkeypatch: Put) -> None:
    monkeypatch.setattr(Search, "_p", lambda *_, holdout: 1e-9)
    search = Search(data(x=range(12)), (data(x=range(12)),), None, None, 0.01, 1)
    result = search.test(Candidate(("x",), None, measured=False), [0], 1)
    assert result is not None
    assert (result.running, result.p, result.hit, result.reason) == (True, 1.0, False, "")


def test_several_columns_are_compared_by_record(monkeypatch: Put) -> None:
    monkeypatch.setattr(Search, "_p", lambda *_, holdout: 0.5)
    frame = data(x=MAILS, z=range(12))
    both = Candidate(("x", "z"), None, measured=False)
    result = Search(frame, (frame,), None, None, 0.01, 1).test(both, [0], 1)
    assert result is not None
    assert (result.shared, result.running, result.reason) == (12, False, "")
    counted = of_memory(frame)
    assert Search(counted, (counted,), None, None, 0.01, 1).test(both, [0], 1) is None
    odd = Search(data(x=[b"x"]), (data(x=[b"x"]),), None, None, 0.01, 1)
    assert odd.test(Candidate(("x",), None, measured=False), [0], 1) is None


@pytest.mark.parametrize(("words", "same"), [("a phone number", 12), ("an e-mail address", 0)])
def test_only_phones_and_the_like_are_the_same_without_blanks(
    monkeypatch: Put, words: str, same: int
) -> None:
    monkeypatch.setattr(Search, "_p", lambda *_, holdout: 0.5)
    first, other = ([f"+49{gap}30{gap}{k:04}" for k in range(12)] for gap in (" ", "-"))
    search = Search(data(x=first, z=first), (data(x=other, z=first),), None, None, 0.01, 1)
    alone = search.test(Candidate(("x",), Pattern(words, 1.0), measured=False), [0], 1)
    both = search.test(Candidate(("x", "z"), Pattern(words, 1.0), measured=False), [0], 1)
    assert alone is not None
    assert both is not None
    assert (alone.shared, both.shared) == (same, 0)


def test_hits_come_first_then_few_columns_then_many_values(monkeypatch: Put) -> None:
    of = {
        "a": (False, 9), "b": (True, 1), "c": (True, 5), "d e": (True, 7), "f": (False, 2),
    }  # fmt: skip

    def test(_: Any, candidate: Candidate, files: Any, tests: int) -> Any:
        hit, shared = of[" ".join(candidate.columns)]
        return SimpleNamespace(columns=candidate.columns, hit=hit, shared=shared)

    monkeypatch.setattr(Search, "test", test)
    candidates = tuple(Candidate(tuple(name.split()), None, measured=False) for name in of)
    original = as_microdata(pa.table({name: range(10) for name in "abcdef"}), "o")
    file = as_microdata(original.table, "s")
    result = tests_of_columns.look_for_identifiers(
        original, [file], None, shared={("identifiers", 1): candidates}
    )
    assert [" ".join(item.columns) for item in result.each] == ["c", "b", "d e", "a", "f"]
    less = as_microdata(original.table.drop_columns(["e"]), "s")
    result = tests_of_columns.look_for_identifiers(
        original, [less], None, shared={("identifiers", 1): candidates}
    )
    assert result.absent == ("d and e",)


def test_hits_are_no_suspects_and_decide_the_status() -> None:
    hit, asked = replace(HIT, hit=True, reason="so"), replace(HIT, reason="why")
    runs = replace(HIT, running=True)
    every = Identifiers((hit, asked, runs, HIT), ("r",))
    assert (every.hits, every.suspects, every.running) == ((hit,), (asked,), (runs,))
    assert every.status == "review"
    assert [*every.sentences()] == [
        hit.sentence(["r"]), f"{asked.sentence(['r'])} To ask: why.", runs.sentence(["r"]),
    ]  # fmt: skip
    assert repr(every) == "Identifiers(4 looked at, 1 hits)"
    assert Identifiers((asked,), ("r",)).status == "within"


def test_a_later_file_counts_for_its_part(monkeypatch: Put) -> None:
    given = Search(SimpleNamespace(n=9), (), None, None, 0.01, 1)  # type: ignore[arg-type]
    monkeypatch.setattr(given, "_tested", lambda counted, one: 0.01, raising=False)
    beaten: list[float] = []

    def beats(*given: Any, holdout: bool) -> bool:
        beaten.append(given[2])
        return True

    monkeypatch.setattr(given, "_beats_shuffled", beats, raising=False)
    counts = (np.array([1]), np.array([1]))
    column: Any = "column"
    assert given._p([column, column], Counts(column, counts, 9, 0), [0], holdout=False) == 0.01
    assert beaten == [0.01]
