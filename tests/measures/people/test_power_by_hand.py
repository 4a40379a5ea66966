"""Laws of bundles, ordinary hits, controls and spellings, by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import multinomial

from sdcmetrics.measures.people import controls
from sdcmetrics.measures.people.controls import (
    EXACT,
    HALVES,
    NEAR,
    _apart,
    _by_halves,
    _Comparison,
    beaten_by_equal,
    beaten_by_near,
)
from sdcmetrics.measures.people.power import (
    _compositions,
    _law,
    _ordinary,
)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_bundle_is_made_of_three_files_as_drawn(size: int) -> None:
    makes = _compositions(size)
    assert len(makes) == math.comb(size + 2, 2)
    assert {tuple(make) for make in makes} == {
        (t, b, size - t - b) for t in range(size + 1) for b in range(size + 1) if t + b <= size
    }
    chance = np.array([0.5, 0.2, 0.3])
    assert _law(makes, chance).tolist() == pytest.approx(multinomial.pmf(makes, size, chance))


@pytest.mark.parametrize(
    ("original", "holdout", "ordinary"),
    [
        (99, 101, True),
        (103, 97, True),  # 100 and half of sqrt(50)
        (104, 96, False),
        (99, 100, False),  # too few to tell
        (250, 250, True),
        (250, 251, False),  # more than half of all
    ],
)
def test_many_hits_that_need_no_p(original: int, holdout: int, *, ordinary: bool) -> None:
    assert _ordinary(original, holdout, 500, 500) is ordinary
    assert not _ordinary(99, 101, 250, 750)


@pytest.mark.parametrize("many", [9, 3])
def test_controls_have_the_columns_of_the_replica(
    monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr(controls, "_MANY", many)
    columns = [np.arange(5, dtype=np.uint64) * 10**i for i in (0, 1, 2)]
    rng = np.random.default_rng(1)
    keys = [*_apart(columns, rng), *_by_halves(columns, rng)]
    assert len(keys) == EXACT + HALVES
    for key in keys:
        for i in (0, 1, 2):  # each digit is a column
            assert sorted(int(k) // 10**i % 10 for k in key) == [0, 1, 2, 3, 4]
    alike = [min(3 - len({int(k) // 10**i % 10 for i in (0, 1, 2)}) for k in key) for key in keys]
    assert min(alike[:EXACT]) == 0  # all are apart
    assert set(alike[EXACT:]) <= {1, 2}  # two of three stay together


def rotations(key: Any, first: Any, place: int) -> bool:
    """Whether a digit of some keys is that of others, rotated."""
    digits, others = ([int(k) // 10**place % 10 for k in keys] for keys in (key, first))
    return any(digits == others[i:] + others[:i] for i in range(len(others)))


@pytest.mark.parametrize(("many", "shifted"), [(4, True), (5, False)])
def test_columns_of_many_records_are_only_shifted(
    monkeypatch: pytest.MonkeyPatch, many: int, *, shifted: bool
) -> None:
    monkeypatch.setattr(controls, "_MANY", many)
    columns = [np.arange(5, dtype=np.uint64) * 10**i for i in (0, 1)]
    first, *others = _apart(columns, np.random.default_rng(1))
    rotated = [all(rotations(key, first, place) for place in (0, 1)) for key in others]
    assert all(rotated) is shifted


def test_half_of_the_columns_that_vary_are_permuted_together() -> None:
    rng = np.random.default_rng(2)
    columns = [np.arange(6, dtype=np.uint64) * 10**i for i in range(4)]
    columns.append(np.full(6, 90_000, np.uint64))
    for key in _by_halves(columns, rng):
        digits = [[int(k) // 10**place % 10 for k in key] for place in range(4)]
        assert sum(digit == list(range(6)) for digit in digits) == 2
        assert [int(k) // 10**4 for k in key] == [9] * 6
    assert [*_by_halves([columns[0], columns[4]], rng)] == []


@pytest.mark.parametrize(
    ("halves", "p", "number"),
    [(True, 0.2, EXACT + HALVES), (False, 0.2, EXACT), (True, 1e-9, 10), (False, 1e-9, 5)],
)
def test_controls_are_made_kind_by_kind_until_they_decide(
    p: float, number: int, *, halves: bool
) -> None:
    columns = [np.arange(8, dtype=np.uint64), np.arange(8, dtype=np.uint64) * 10]
    calls: list[Any] = []

    def law(keys: Any) -> float:
        calls.append(keys)
        return 0.5

    rng = np.random.default_rng(3)
    assert controls._beaten(columns, {"": p}, lambda keys: {"": law(keys)}, rng, halves=halves)[""]
    assert len(calls) == number


def test_controls_of_equal_records_keep_the_people(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [np.arange(9, dtype=np.uint64), np.arange(9, dtype=np.uint64) * 10]
    calls: list[Any] = []
    monkeypatch.setattr(controls, "bundles_of", lambda keys, *sizes: calls.append((keys, sizes)))
    alike = SimpleNamespace(p_label=1.0, p_twins=1.0)
    monkeypatch.setattr(controls, "equal_records", lambda *_: alike)
    beaten_by_equal(columns, 4, 2, {"TE": 0.5}, np.random.default_rng(4))
    for keys, sizes in calls:
        assert sizes == (4, 2)
        assert keys[:6].tolist() == [11 * i for i in range(6)]
        assert len(keys) == 9


@pytest.mark.parametrize(
    ("p", "others", "decided"),
    [
        (1e-9, [0.5] * 4, False),  # five are made at least
        (1e-9, [0.5] * 5, True),
        (8.2e-7, [0.5] * 5, False),  # .03 to the fourth power is 8.1e-7
        (8.0e-7, [0.5] * 5, True),
        (0.03**4, [0.5] * 5, False),
        (1e-9, [0.5] * 4 + [0.0056], False),  # whose fourth power is below a billionth
        (1e-9, [0.5] * 4 + [0.0057], True),
        (0.01, [0.5, 0.01], True),  # beaten
    ],
)
def test_controls_end_where_an_alarm_is_far_beyond_five_of_them(
    p: float, others: list[float], *, decided: bool
) -> None:
    comparison = _Comparison({"TN": p, "LN": 1e-99}, {"TN": True, "LN": p < 0.01})
    for other in others:
        assert not comparison.decided
        comparison.compare({"TN": other, "LN": 1.0})
    assert comparison.decided is decided


def test_an_alarm_that_every_control_has_is_beaten() -> None:
    people = [np.arange(40, dtype=np.uint64), np.arange(40, dtype=np.uint64) * 1_000]
    rng = np.random.default_rng(1)
    copied = beaten_by_equal(people, 10, 10, {"LE": 1e-9, "TE": 1e-9}, rng)
    assert copied == {"LE": True, "TE": True}
    constant = [np.zeros(40, dtype=np.uint64)] * 2
    assert beaten_by_equal(constant, 10, 10, {"LE": 1.0}, rng) == {"LE": False}


@pytest.mark.parametrize("expensive", [False, True])
def test_near_controls_are_fewer_where_a_search_is_long_and_end_where_none_is_left(
    monkeypatch: pytest.MonkeyPatch, *, expensive: bool
) -> None:
    monkeypatch.setattr(controls, "_CHEAP", 100 - expensive)
    given: Any = SimpleNamespace(steps=100, among=lambda: None, shuffled=lambda _: None)
    names: list[list[str]] = []

    def near(*_: Any, tests: list[str], **__: Any) -> Any:
        names.append(tests)  # the third control reaches the p of TN
        return SimpleNamespace(
            share=len(names), smallest_twins=0.01 if len(names) == 3 else 0.02, smallest_label=0.9
        )

    monkeypatch.setattr(controls, "near_records", near)
    rng = np.random.default_rng(1)
    number = NEAR if expensive else EXACT
    ok, share = beaten_by_near(given, {"TN": 0.01, "LN": 0.5}, rng, skip_equal=False)
    assert ok == {"TN": False, "LN": True}
    assert names == [["TN", "LN"]] * 3 + [["LN"]] * (number - 3)
    assert share == (number + 1) / 2
    names.clear()
    assert beaten_by_near(given, {"TN": 0.01}, rng, skip_equal=False) == ({"TN": False}, 2.0)
    assert len(names) == 3
