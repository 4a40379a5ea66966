"""Which levels a release names: those of replicas and of many, and ends of a range never."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Variable
from sdcmetrics.report.safety.protect.figures import NOT_SHOWN, Figure
from sdcmetrics.report.safety.protect.levels import Levels, _group, levels_of
from sdcmetrics.report.safety.protect.protection import _Protection
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.study.options import Options

ROUNDING = Rounding(base=5, least=10, zeros=True)
_LEVELS = ("a", "b", "c", "d")


def category(original: list[int], replica: list[int], kind: Kind = Kind.CATEGORY) -> Levels:
    """Group levels a, b, ... and, last, missing, by how many records have each."""
    codes = tuple(
        np.repeat(np.array([0, 1, 2, 3, -1]), counts).astype(np.int32)
        for counts in (original, replica)
    )
    variable = Variable("v", kind, (), codes, _LEVELS)
    return levels_of(variable, list("abcd"), Options(), ROUNDING)


@pytest.mark.parametrize(
    ("original", "replica", "labels"),
    [
        ([50, 50, 50, 50, 0], [50, 50, 50, 50, 0], ["a", "b", "c", "d"]),
        ([50, 50, 50, 50, 50], [50, 50, 50, 50, 0], ["a", "b", "c", "d", None]),
        # Of few people, and of no replica: as if it did not exist.
        ([50, 50, 50, 9, 0], [50, 50, 50, 0, 0], ["a", "b", "c"]),
        ([50, 50, 50, 10, 0], [50, 50, 50, 0, 0], ["a", "b", "c", "d"]),
        ([50, 40, 50, 9, 0], [50, 50, 50, 1, 0], ["a", "Other (2 levels)", "c"]),
        ([50, 40, 50, 0, 0], [50, 50, 50, 1, 0], ["a", "Other (2 levels)", "c"]),
        ([9, 0, 0, 0, 0], [9, 0, 0, 0, 0], []),
    ],
)
def test_levels_are_named_where_replicas_or_many_people_have_them(
    original: list[int], replica: list[int], labels: list[str | None]
) -> None:
    levels = category(original, replica)
    assert [group.label for group in levels.groups] == labels
    assert not levels.grouped
    assert {group.levels for group in levels.groups} <= {1, 2}
    for group in levels.groups:
        assert group.other is str(group.label).startswith("Other")
        names = group.name.split("|")
        assert names == (["b", "d"] if group.other else [group.label or "(missing)"])


def number(
    original: list[float],
    replica: list[float],
    ngroups: int = 4,
    missing_codes: tuple[float, ...] = (),
) -> Levels:
    values = (np.array(original), np.array(replica))
    variable = Variable("v", Kind.NUMBER, values, (), missing_codes=missing_codes)
    return levels_of(variable, [], Options(ngroups=ngroups), ROUNDING)


def test_groups_of_numbers_have_no_ends_and_missing_is_one_of_its_own() -> None:
    values = [float(x) for x in range(200)]
    levels = number([*values, *[np.nan] * 20], values)
    labels = [group.label for group in levels.groups]
    assert levels.grouped
    assert labels[-1] is None
    assert str(labels[0]).startswith("below ")
    assert str(labels[-2]).endswith(" and above")
    assert len(labels) == 5
    assert [int((levels.parts[0] == i).sum()) for i in range(5)][-1] == 20
    assert None not in [group.label for group in number(values, values).groups]


def test_every_code_of_a_number_is_a_level_of_its_own() -> None:
    values = [*[float(x) for x in range(200)], *[-8.0] * 30, *[-9.0] * 40]
    levels = number([*values, *[np.nan] * 20], values, missing_codes=(-8.0, -9.0))
    assert [group.label for group in levels.groups][-3:] == ["-8", "-9", None]
    original, replica = (np.bincount(part, minlength=7)[-3:].tolist() for part in levels.parts)
    assert (original, replica) == ([30, 40, 20], [30, 40, 0])


@pytest.mark.parametrize(("low", "joined"), [(100, 0), (0, -1)])
def test_neighbouring_groups_are_joined_where_few_people_are_in_one(low: int, joined: int) -> None:
    replica = [float(x) for x in range(200)]
    people = [float(x) for x in range(low, low + 100)]
    groups = list(number(people, replica).groups)
    end = groups.pop(joined)
    assert end.levels > 1
    assert not end.other
    assert str(end.label).startswith("below ") is (joined == 0)
    assert str(end.label).endswith(" and above") is (joined == -1)
    assert end.levels + len(groups) == 4
    assert all(group.levels == 1 for group in groups)


@pytest.mark.parametrize(
    ("symbol", "figure", "note"),
    [
        ("DiSCO", Figure(5.0, "", 20.0, 400.0), None),
        ("DiSCO", Figure(shown=NOT_SHOWN), "Values that too few records"),
        ("CIO", Figure(0.5, "0.5 to 0.75"), "Values that depend on exact records"),
        ("DiSCO", Figure(2.5, "< 2.5 %", total=400.0), "Counts and shares of fewer than 10"),
        ("S_pMSE", Figure(1.5), None),
        ("U", Figure(shown=NOT_SHOWN), None),  # said where it would stand
    ],
)
def test_why_a_value_is_told_less_exactly_is_counted(
    symbol: str, figure: Figure, note: str | None
) -> None:
    noted: list[str] = []
    self: Any = SimpleNamespace(rounding=ROUNDING, _note=noted.append)
    place: Any = SimpleNamespace(
        scenario="", keys=(), target="", variables=(), rule="", model=""
    )  # fmt: skip
    row = _Protection._row(self, "r", MEASURES[symbol], place, figure)
    assert (row["metric"], row["shown"]) == (symbol, figure.shown)
    assert [words[: len(note or "")] for words in noted] == ([] if note is None else [note])


def test_the_first_and_the_last_day_are_ends_of_nobody() -> None:
    days = np.repeat(np.arange(4) * 86_400_000.0, 50)
    variable = Variable("v", Kind.DATE, (days, days), ())
    order = ["1970-01-01", "1970-01-02", "1970-01-03", "1970-01-04"]
    levels = levels_of(variable, order, Options(group_dates=False), ROUNDING)
    assert [group.label for group in levels.groups] == [
        "1970-01-01 or less", "1970-01-02", "1970-01-03", "1970-01-04 or more",
    ]  # fmt: skip
    assert [group.name for group in levels.groups] == order


@pytest.mark.parametrize(
    ("members", "other"), [([1, 2], False), ([2, 3], False), ([3, 4], True), ([0, 2], True)]
)
def test_intervals_side_by_side_are_one_and_with_what_is_missing_another(
    members: list[int], *, other: bool
) -> None:
    variable = Variable("v", Kind.NUMBER, (), (), ())
    labels = ["0", "1", "2", "3", None]
    group = _group(variable, members, labels, np.ones(5, np.bool_), (1.0, 2.0, 3.0))
    assert (group.other, group.levels) == (other, 2)
    assert group.name == "|".join(labels[i] or "(missing)" for i in members)
    assert ("Other" in str(group.label)) is other
