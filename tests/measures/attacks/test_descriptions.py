"""Descriptions of single records, by hand and beside all that there are."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sdcmetrics.measures.attacks import descriptions as module
from sdcmetrics.measures.attacks.descriptions import Description, Matches, descriptions
from sdcmetrics.measures.attacks.people import People

NAN, MISSING = math.nan, math.inf


def people(seed: int = 1, sizes: tuple[int, int, int] = (12, 9, 7)) -> People:
    rng = np.random.default_rng(seed)
    codes = {"g": tuple(rng.integers(0, 3, n) for n in sizes)}
    numbers = {
        name: tuple(np.where(rng.random(n) < 0.2, NAN, rng.integers(0, 6, n)) for n in sizes)
        for name in ("x", "y")
    }
    return People(codes, numbers, sizes, ())


def fits(values: list[float], sign: int, value: float) -> list[bool]:
    if value == MISSING:
        return [math.isnan(v) for v in values]
    return [v == value if sign == 0 else sign * v >= sign * value for v in values]


def test_one_column_singles_out_what_stands_once_and_the_ends() -> None:
    replica = np.array([4.0, 1, 1, 2, NAN, 9])
    codes = np.array([0, 0, 1, 2, 2, 2])
    other = np.array([5.0, 5, 1, NAN, NAN, 3])
    numbers = {"x": replica, "y": other, "none": np.full(6, NAN)}
    data = People({"g": (codes,) * 3}, {k: (v,) * 3 for k, v in numbers.items()}, (6, 6, 6), ())
    result = descriptions(data, Matches(data), 1, np.random.default_rng(1))
    assert result == [
        Description(("g",), (0,), (1.0,)),
        Description(("x",), (0,), (2.0,)),
        Description(("x",), (0,), (4.0,)),
        Description(("x",), (0,), (9.0,)),
        Description(("x",), (0,), (MISSING,)),
        Description(("x",), (1,), (9.0,)),  # the smallest stands twice
        Description(("y",), (0,), (1.0,)),
        Description(("y",), (0,), (3.0,)),
        Description(("y",), (-1,), (1.0,)),  # the largest stands twice
    ]


def test_a_number_is_told_as_at_least_above_the_median_and_else_as_at_most() -> None:
    replica = np.array([1.0, 2, 3, NAN, 5, 4])
    data = People(
        {"g": (np.zeros(6, int),) * 3},
        {"x": (replica,) * 3, "none": (np.full(6, NAN),) * 3},
        (6, 6, 6),
        (),
    )
    matches = Matches(data)
    assert matches.middle("x") == 3
    assert math.isnan(matches.middle("g"))
    assert math.isnan(matches.middle("none"))
    assert [matches.sign("x", value) for value in (2, 3, 3.5, NAN)] == [-1, -1, 1, 0]
    assert [matches.sign(name, 1.0) for name in ("g", "none")] == [0, 0]
    told = [matches.describe(row, ("g", "x")) for row in (0, 3, 4)]
    assert [(item.signs, item.values) for item in told] == [
        ((0, -1), (0.0, 1.0)), ((0, 0), (0.0, MISSING)), ((0, 1), (0.0, 5.0)),
    ]  # fmt: skip


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_all_descriptions_of_one_record_are_found_and_fit_whom_they_fit(
    seed: int, columns: int
) -> None:
    data = people(seed)
    matches = Matches(data)
    parts = {name: (data.codes.get(name) or data.numbers[name]) for name in data.columns}
    expected = set()
    for names in itertools.combinations(data.columns, columns):
        for row in range(9):
            told = matches.describe(row, names)
            each = [
                fits([float(v) for v in parts[name][1]], sign, value)
                for name, sign, value in zip(names, told.signs, told.values, strict=True)
            ]
            number = sum(map(all, zip(*each, strict=True)))
            assert matches.of_replica(told) == number
            if number == 1:
                expected.add(told)
            both = [
                fits([float(v) for v in (*parts[name][0], *parts[name][2])], sign, value)
                for name, sign, value in zip(names, told.signs, told.values, strict=True)
            ]
            assert matches.of_people(told).tolist() == [*map(all, zip(*both, strict=True))]
    result = descriptions(data, matches, columns, np.random.default_rng(seed))
    assert len(result) == len({*result})
    assert {*result} == expected


@pytest.mark.parametrize("sifted", [2, 4, 9])
def test_sifting_in_stages_loses_none(monkeypatch: pytest.MonkeyPatch, sifted: int) -> None:
    data = people(5, (12, 40, 7))
    matches = Matches(data)
    whole = descriptions(data, matches, 2, np.random.default_rng(1))
    assert whole
    monkeypatch.setattr(module, "_SIFTED", sifted)
    monkeypatch.setattr(module, "_AT_A_TIME", 16)
    monkeypatch.setattr(module, "_TABLED", 3)
    assert {*descriptions(data, matches, 2, np.random.default_rng(1))} == {*whole}


def test_of_very_many_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    data = people(6, (12, 40, 7))
    matches = Matches(data)
    whole = {*descriptions(data, matches, 2, np.random.default_rng(1))}
    assert len(whole) > 5
    monkeypatch.setattr(module, "_ENUMERATED", 40 * 3)
    assert {*descriptions(data, matches, 2, np.random.default_rng(1))} == whole
    monkeypatch.setattr(module, "_ENUMERATED", 40 * 3 - 1)
    monkeypatch.setattr(module, "_DRAWN", 5)
    some = descriptions(data, matches, 2, np.random.default_rng(1))
    assert len(some) == len({*some}) == 5
    assert {*some} <= whole
    monkeypatch.setattr(module, "_DRAWN", 10**6)
    monkeypatch.setattr(module, "_TRIES", 8)
    monkeypatch.setattr(module, "_AT_A_TIME", 4)
    few = descriptions(data, matches, 2, np.random.default_rng(1))
    assert len(few) <= 8
    assert {*few} <= whole
