"""Which columns are taken to identify records: just at the limits, and just below them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdcmetrics.measures.identifiers.candidates import (
    Candidate,
    _tells_apart,
    sets_of_columns,
    single_columns,
)
from sdcmetrics.microdata.frames import as_microdata

N = 100


def texts(distinct: int, n: int = N, form: str = "value {}") -> list[str]:
    """Return n texts, so many of them different."""
    return [form.format(chr(97 + i % 26) * (1 + i // 26)) for i in np.arange(n) % distinct]


def single(name: str, values: Any) -> Candidate | None:
    candidates, _ = single_columns(as_microdata(pd.DataFrame({name: values}), "file"))
    return candidates[0] if candidates else None


@pytest.mark.parametrize(
    ("values", "share"),
    [
        (texts(95), 0.95),
        (texts(94), None),
        (texts(50, form="{}@example.org"), 0.5),  # looks like an identifier
        (texts(49, form="{}@example.org"), 0.49),  # several records each
        (texts(10, 10), 1.0),
        (texts(9, 9), None),  # too few to tell
        ([*texts(10, 10), *[None] * 90], 1.0),
    ],
)
def test_texts_of_which_nearly_every_record_has_one_of_its_own(
    values: list[object], share: float | None
) -> None:
    candidate = single("what", values)
    assert (candidate and candidate.share) == share
    if candidate:
        assert not candidate.measured
        assert candidate.columns == ("what",)
        assert (candidate.pattern is None) is ("@" not in str(values[0]))
        assert candidate.repeated is (share == 0.49)


NUMBERED = [1000 + 7 * (i % 20) for i in range(N)]
WORDS = [f"{chr(97 + i % 20)} word" for i in range(N)]


@pytest.mark.parametrize(
    ("name", "values", "people"),
    [
        ("patient_id", NUMBERED, True),
        ("patient_id", WORDS, True),
        ("pid", NUMBERED, True),
        ("school_id", NUMBERED, False),  # a class of people, and none of them
        ("patient", NUMBERED, True),
        ("subject", WORDS, False),  # taught at school
        ("patient", [1000 + i for i in range(40)] + [7] * 60, False),  # 40 values, one very often
        ("patient_id", [1000 + i for i in range(40)] + [7] * 60, True),
        ("patient_id", [0.5 + v for v in NUMBERED], False),
        ("patient_id", [i % 9 for i in range(N)], False),  # nine values
        ("phone", [f"+49 30 {1000 + i % 20:07d}" for i in range(N)], True),
        ("place", [f"0{1000 + i % 20:07d}" for i in range(N)], False),
        ("value", [f"m{i % 20}@example.org" for i in range(N)], True),
        ("pct.resp", NUMBERED, False),
        ("value", [f"https://x.org/{i % 20}" for i in range(N)], False),
        ("declared", WORDS, True),
    ],
)
def test_people_may_have_several_records(name: str, values: list[Any], *, people: bool) -> None:
    data = as_microdata(pd.DataFrame({name: values}), "file")
    candidates, _ = single_columns(data, people=("declared",))
    assert bool(candidates) is people
    for candidate in candidates:
        assert (candidate.repeated, candidate.measured) == (True, False)


SQUARES = np.arange(N) ** 2


@pytest.mark.parametrize(
    ("name", "values", "measured"),
    [
        ("x", np.arange(N) + 0.5, True),
        ("x", np.arange(N), False),  # none repeats, where fifty pairs would be equal by chance
        ("x", [*range(N - 1), 999], False),  # five pairs
        ("x", [*range(N - 1), 1_000], True),
        ("x", SQUARES, True),
        ("x", SQUARES * 1_000, True),  # whatever their unit
        ("x", np.arange(N) * 1_000, False),
        ("x", [*range(N - 1), 5], True),  # one repeats
        ("person_id", SQUARES, False),
        ("x", 10_000_001 + SQUARES * 1_000, False),  # of eight digits
        ("x", 10_000_000 + SQUARES * 1_000, True),  # of five, in thousands
        ("x", 1_000_001 + SQUARES * 100, True),  # of seven
        ("x", [*(10_000_001 + SQUARES * 1_000)[2:], 7, 900], False),  # 98 % of them
        ("x", [*(10_000_001 + SQUARES * 1_000)[3:], 7, 900, 6], True),
        ("x", [f"{i:08}" for i in SQUARES * 1_000], False),
        ("x", pd.date_range("2000-01-01", periods=N), True),
    ],
)
def test_quantities_and_dates_are_no_numbers_of_records(
    name: str, values: Any, *, measured: bool
) -> None:
    candidate = single(name, values)
    assert candidate is not None
    assert candidate.measured is measured


@pytest.mark.parametrize(
    ("values", "is_part"),
    [
        (texts(20), True),
        (texts(19), False),
        (np.arange(N) % 20 + 10_000, True),  # a postcode, of five digits
        (np.arange(N) % 20 + 9_970, False),  # of four
        (np.arange(N) % 20 * 100 + 10_000, False),  # incomes, rounded to hundreds
        (np.arange(N) % 20 + 0.5, False),
        (pd.date_range("2000-01-01", periods=20).repeat(5), True),
        (pd.date_range("2000-01-01", periods=19).repeat(5), False),
    ],
)
def test_columns_that_may_name_people_together(values: Any, *, is_part: bool) -> None:
    _, looks = single_columns(as_microdata(pd.DataFrame({"x": values}), "file"))
    assert looks["x"].is_part is is_part
    assert looks["x"].levels in (19, 20)


def sets(**columns: Any) -> list[tuple[str, ...]]:
    data = as_microdata(pd.DataFrame(columns), "file")
    return [candidate.columns for candidate in sets_of_columns(data, *single_columns(data))]


BLOCKS = [f"b{'xyzuv'[i // 20]}{'klmno'[i // 4 % 5]}" for i in range(N)]  # 25 texts
DAYS = pd.date_range("2000-01-01", periods=N)


def test_a_set_needs_one_text_of_which_three_in_ten_have_their_own() -> None:
    assert sets(a=texts(30), b=BLOCKS) == [("a", "b")]
    assert sets(b=BLOCKS, a=texts(30)) == [("b", "a")]
    assert sets(a=texts(29), b=BLOCKS) == []
    assert sets(a=texts(30), b=texts(30)) == []  # they say the same


def test_the_smallest_sets_are_named() -> None:
    halves = [text[:2] for text in BLOCKS]
    assert sets(a=texts(30), b=BLOCKS, c=texts(20)) == [("a", "b")]
    assert sets(a=texts(30), c=halves, b=BLOCKS) == [("a", "b")]


def test_a_date_of_ones_own_needs_another_column_that_names_people() -> None:
    assert sets(day=DAYS, b=BLOCKS) == []
    assert sets(day=DAYS, a=texts(30)) == [("day", "a")]
    shared = DAYS[np.arange(N) % 30]
    assert sets(day=shared, b=BLOCKS) == [("day", "b")]
    assert sets(day=shared, other=DAYS[:25].repeat(4)) == [("day", "other")]


def test_a_column_that_names_records_alone_is_in_no_set() -> None:
    assert sets(name=texts(95), a=texts(30), b=BLOCKS) == [("a", "b")]
    assert sets(name=texts(94), b=BLOCKS) == [("name", "b")]


@pytest.mark.parametrize("kind", [pa.binary(), pa.null()])
def test_a_column_of_a_type_without_values_to_compare_is_not_looked_at(kind: pa.DataType) -> None:
    empty = pa.nulls(N, kind) if kind == pa.null() else pa.array([b"x%d" % i for i in range(N)])
    data = as_microdata(pa.table({"x": empty, "t": texts(95)}), "file")
    candidates, looks = single_columns(data)
    assert [candidate.columns for candidate in candidates] == [("t",)]
    assert [*looks] == ["t"]


def test_numbers_that_may_count_people_tell_them_apart_where_each_has_about_as_many_records() -> (
    None
):
    def tells(sizes: list[int], steps: Any = (1, 2), *, name: str = "household_no") -> bool:
        values: Any = SimpleNamespace(
            counts=lambda _: np.array([0, *sizes]), kind="number", steps=steps
        )
        if steps is None:
            values.kind = "text"
        return _tells_apart(name, values, ())

    even = [1] * 8 + [6] * 2  # a mean of 2, and a standard deviation of 2
    assert tells(even)
    assert not tells([1] * 8 + [7] * 2)
    assert not tells(even, None)  # texts that are no numbers: classes, for all that is told
    assert not tells(even[1:])  # nine are few
