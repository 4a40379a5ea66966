"""Entries of a section of a study."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pytest
from pydantic import FiniteFloat, TypeAdapter, ValidationError

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.section import (
    Limits,
    Section,
    Texts,
    as_list,
    in_words,
    read_section,
    section,
    without_numpy,
)


@pytest.mark.parametrize(
    ("entry", "listed"),
    [("age", ["age"]), (3, [3]), (0.5, [0.5]), (["age", "sex"], ["age", "sex"]), (None, None)],
)
def test_a_single_entry_stands_for_a_list_of_it(entry: Any, listed: Any) -> None:
    assert as_list(entry) == listed


@section("trial")
class Trial(Section):
    """A section of every kind of entry."""

    mode: Literal["fast", "slow"] = "fast"
    share: Annotated[float, Limits(ge=0, le=1)] = 0.5
    count: int = 1


@pytest.mark.parametrize(
    ("entry", "value", "got"),
    [
        ("mode", "fats", "'fats'. Did you mean 'fast'?"),
        ("mode", 3, "3."),
        ("share", 1.5, "1.5."),
        ("share", "much", "text."),
        ("share", [0.5], "a list."),
        ("count", "one", "text."),
        ("count", {"one": 1}, "a section."),
        ("count", True, "true or false."),
    ],
)
def test_what_was_got_is_told_by_its_kind_or_value(entry: str, value: Any, got: str) -> None:
    with pytest.raises(StudyError) as caught:
        read_section(Trial, {entry: value})
    assert f"{entry}: expected " in str(caught.value)
    assert str(caught.value).endswith(f" but got {got}")


def test_a_list_may_be_expected_and_each_entry_of_it_is_told_by_what_is_wrong_with_it() -> None:
    numbers = TypeAdapter(dict[str, dict[str, list[FiniteFloat]]])
    with pytest.raises(ValidationError) as caught:
        numbers.validate_python({"missing_codes": {"v": "x", "w": [-8.0, math.nan]}})
    assert in_words(caught.value, "s.toml", [Trial]).splitlines() == [
        "s.toml: missing_codes.v: expected a number, or a list of numbers but got text.",
        "s.toml: missing_codes.w: expected a finite number but got nan.",
    ]


@section("trials")
class Trials(Section):
    """Several sections of one kind."""

    item: ClassVar[type[Any] | None] = Trial
    each: tuple[Trial, ...] = ()


def test_sections_of_which_there_may_be_several_stand_in_a_list() -> None:
    read = TypeAdapter(Trials).validate_python([{"mode": "slow"}, {}])
    assert read == Trials((Trial("slow"), Trial()))
    with pytest.raises(ValidationError):
        TypeAdapter(Trial).validate_python([{"mode": "slow"}])


def test_a_section_is_given_in_every_way_that_python_and_study_files_have() -> None:
    slow = Trial("slow", count=3)
    assert [read_section(Trial, given) for given in (None, False)] == [None, None]
    assert read_section(Trial, value=True) == Trial()
    assert read_section(Trial, slow) is slow
    entries = {"mode": "slow", "count": np.int64(3)}
    assert read_section(Trial, entries) == slow
    rows: list[Any] = [entries, {}]
    for several in (rows, tuple(rows)):
        assert read_section(Trials, several) == Trials((slow, Trial()))
    assert read_section(Trials, entries) == Trials((slow,))


@section("chosen")
class Chosen(Section):
    """A section that names columns."""

    names: Texts = ()


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("age", ("age",)),
        (["sex", "age", "sex"], ("sex", "age")),
        (("age", "sex"), ("age", "sex")),
        (np.array(["age", "sex"]), ("age", "sex")),
    ],
)
def test_each_name_is_taken_once_and_a_single_one_needs_no_list(
    given: Any, names: tuple[str, ...]
) -> None:
    assert read_section(Chosen, {"names": given}) == Chosen(names)
    assert Chosen(given) == Chosen(names)


def test_numpy_is_taken_by_the_class_as_by_a_study() -> None:
    assert Trial("slow", count=np.int64(3)) == Trial("slow", count=3)  # type: ignore[arg-type]
    made = Trial(share=np.array(0.25))  # type: ignore[arg-type]
    assert (made.share, type(made.share)) == (0.25, float)
    assert Chosen([np.str_("age")]).names == ("age",)  # type: ignore[arg-type]
    assert without_numpy({"a": (np.arange(2), [np.float64(0.5)]), "b": None}) == {
        "a": ([0, 1], [0.5]),
        "b": None,
    }
    inner = Trials((Trial("slow"),))
    assert Trials(inner.each).each[0] is inner.each[0]
    with pytest.raises(StudyError, match="trial: count: expected a whole number but got a number"):
        Trial(count=np.float64(2.5))  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="trial: count: expected a whole number but got a list"):
        Trial(count=np.array([1]))  # type: ignore[arg-type]
