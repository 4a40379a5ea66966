"""Which records each look at the files takes, at which part of the level, and what is expected."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sdcmetrics.measures.identifiers import identifiers as whole
from sdcmetrics.measures.identifiers import search as module
from sdcmetrics.measures.identifiers.candidates import Candidate
from sdcmetrics.measures.identifiers.chance import Counted, density, expected_shared
from sdcmetrics.measures.identifiers.search import (
    Counts,
    Search,
    _expected,
    _runs,
    share_of,
)
from sdcmetrics.measures.identifiers.values import Values
from sdcmetrics.microdata.frames import as_microdata
from tests.measures.identifiers.test_hits import values

LEVEL = 0.01


def search(level: float = LEVEL, n: int = 9, h: int = 0) -> Search:
    holdout: Any = SimpleNamespace(n=h) if h else None
    return Search(SimpleNamespace(n=n), (), holdout, None, level, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("files", "looks"),
    [
        ([0], [((1,), 1, [1, 0])]),
        (
            [0, 1, 2],
            [
                ((1,), 1, [1, 0]),
                ((2,), 1 / 12, [0, 1]),
                ((1, 2), 1 / 12, [1, 1]),
                ((3,), 1 / 24, [1, 1]),
                ((1, 2, 3), 1 / 24, [2, 2]),
            ],
        ),
        ([2], [((1,), 1 / 24, [1, 0])]),  # the level is that of its place among all files
    ],
)
def test_files_are_looked_at_one_by_one_and_together(
    files: list[int], looks: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = [np.array(part) for part in ([1, 1], [1, 0], [0, 1], [1, 1])]
    seen: list[Any] = []
    shuffled: list[Any] = []

    def tested(counted: Counted, one: Any) -> float:
        seen.append((counted.synthetic.tolist(), counted.holdout, one))
        return 0.0001

    def beats(_: Any, parts: Any, p: float, i: int, *, holdout: bool) -> bool:
        shuffled.append((parts, p, i, holdout))
        return False

    given = search()
    monkeypatch.setattr(given, "_tested", tested, raising=False)
    monkeypatch.setattr(given, "_beats_shuffled", beats, raising=False)
    column: Any = "column"
    p = given._p([column], Counts(column, tuple(counts), 1, 0), files, holdout=False)
    assert p == pytest.approx(min(0.0001 / share for _, share, _ in looks))
    assert seen == [(synthetic, None, column) for _, _, synthetic in looks]
    assert shuffled == []
    # of several columns each alarm stands beside shuffled ones, and here none is beyond them
    both = given._p([column, column], Counts(column, tuple(counts), 1, 0), files, holdout=False)
    assert both == 1.0
    assert [(parts, pytest.approx(0.0001 / share)) for parts, share, _ in looks] == [
        (parts, p) for parts, p, *_ in shuffled
    ]
    assert seen[-1][2] is None


def test_the_smallest_p_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [np.array([1]), np.array([1]), np.array([1]), np.array([1])]
    each = iter([0.5, 0.01, 0.9])
    given = search()
    monkeypatch.setattr(given, "_tested", lambda *_: next(each), raising=False)
    column: Any = "column"
    p = given._p([column], Counts(column, tuple(counts), 1, 1), [0, 1], holdout=True)
    assert p == pytest.approx(12 * 0.01)


def test_levels_of_files() -> None:
    assert [share_of(i) for i in (1, 2, 3)] == [1, 1 / 12, 1 / 24]


@pytest.mark.parametrize(
    ("label", "twins", "confirmed", "holdout", "p"),
    [
        (0.2, 0.03, True, True, 0.06),
        (0.02, 0.3, True, True, 0.04),
        (0.2, 0.03, False, True, 0.4),
        (0.9, 0.9, True, True, 1.0),
        (0.2, 0.03, True, False, 0.03),
        (1e-10, 0.3, True, True, 2e-10),  # beyond every part of the level
        (LEVEL * share_of(1_000) / 2, 0.0, True, True, LEVEL * share_of(1_000)),
    ],
)
def test_both_tests_beside_a_holdout_have_half_of_the_level(
    label: float,
    twins: float,
    confirmed: bool,
    holdout: bool,
    p: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "label_p", lambda _: label)
    monkeypatch.setattr(module, "duplicates_p", lambda *_, rng: twins)  # noqa: ARG005
    monkeypatch.setattr(module, "confirms", lambda *_: confirmed)
    ones = np.ones(3, dtype=np.int64)
    counted = Counted(ones, ones, ones if holdout else None, 3, 3 * holdout)
    assert search()._tested(counted, None) == pytest.approx(p)


def test_numbers_that_lie_densely_are_met_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "duplicates_p", lambda *_, rng: 0.001)  # noqa: ARG005
    seen: list[Any] = []

    def dense(here: Any, there: Any) -> tuple[float, float]:
        seen.append((here.tolist(), there.tolist()))
        return 0.5, 0.25

    monkeypatch.setattr(module, "density", dense)
    column = Values((np.arange(4),), (None,), pa.array(["A1", "A2", "A3", "A4"]), "text")
    counted = Counted(np.array([1, 1, 0, 0]), np.array([0, 1, 1, 0]), None, 2, 0)
    assert search()._tested(counted, column) == 0.25
    assert seen == [([1, 2], [2, 3])]
    monkeypatch.setattr(module, "duplicates_p", lambda *_, rng: 0.02)  # noqa: ARG005
    assert search()._tested(counted, column) == 0.02
    assert len(seen) == 1  # nothing to explain
    monkeypatch.setattr(module, "duplicates_p", lambda *_, rng: 0.001)  # noqa: ARG005
    texts = pa.array([*(f"A{i}" for i in range(39)), "b"])
    column = Values((np.arange(40),), (None,), texts, "text")
    numbered, other = np.arange(40) < 39, np.arange(40) >= 39
    for original, synthetic in ((numbered, other), (other, numbered)):
        counted = Counted(original.astype(int), synthetic.astype(int), None, 39, 0)
        assert search()._tested(counted, column) == 0.001
    assert len(seen) == 1  # no number of one of both to lie beside


@pytest.mark.parametrize(
    ("each", "beaten", "draws"),
    [([0.5] * 99, True, 99), ([0.5, 0.01], False, 2), ([0.02] * 99, True, 99)],
)
def test_a_set_stands_beside_shuffles_of_its_columns(
    each: list[float], draws: int, monkeypatch: pytest.MonkeyPatch, *, beaten: bool
) -> None:
    first = values([0, 0, 1], [0, 1, 2], [2, 1, 0])
    second = values([0, 0, 1], [0, 0, 1], [1, 0, 1])
    given = search(n=3)
    seen: list[Counted] = []

    def tested(counted: Counted, one: Any) -> float:
        assert one is None
        seen.append(counted)
        return each[len(seen) - 1]

    monkeypatch.setattr(given, "_tested", tested, raising=False)
    columns = [first, second]
    assert given._beats_shuffled(columns, (1, 2), 0.01, 0, holdout=False) is beaten
    assert len(seen) == draws
    as_they_are = {tuple(sorted(each.original[each.original > 0])) for each in seen}
    assert as_they_are == {(1, 2)}  # two records of the original are alike
    assert {int(item.synthetic.sum()) for item in seen} == {6}
    assert {item.holdout for item in seen} == {None}
    assert len({str(item.synthetic.tolist()) for item in seen}) > 1 or draws == 2


def test_a_later_file_is_shuffled_at_its_part_of_the_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    column = values([0, 1], [0, 1], [1, 0, 1])
    seen: list[Counted] = []
    for i, limit in ((0, 0.01), (1, 0.12), (2, 0.24)):
        given = search(h=2)
        monkeypatch.setattr(
            given, "_tested", lambda item, _: (seen.append(item), 0.01)[1], raising=False
        )
        beats = given._beats_shuffled([column, column], (1,), limit * 0.99, i, holdout=True)
        assert beats
        beats = given._beats_shuffled([column, column], (1,), limit * 1.01, i, holdout=True)
        assert not beats
    sums = {(int(item.synthetic.sum()), int(item.holdout.sum())) for item in seen}  # type: ignore[union-attr]
    assert sums == {(2, 3)}
    assert {item.h for item in seen} == {2}


@pytest.mark.parametrize(("records", "draws"), [(4, 99), (400, 50), (4_000, 19)])
def test_large_files_are_shuffled_less_often(
    records: int, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_SHUFFLED", 20_000)
    column = values([*range(records // 2)], [*range(records // 2)])
    given, seen = search(), []
    monkeypatch.setattr(given, "_tested", lambda *_: (seen.append(1), 1.0)[1], raising=False)
    assert given._beats_shuffled([column, column], (1,), 0.01, 0, holdout=False)
    assert len(seen) == draws


def test_a_holdout_whose_values_are_others_differs() -> None:
    here, low, high = [*range(50)], [*range(50)], [*range(50, 100)]
    assert not search()._differs([values(here, here, low)], once=False)
    assert search()._differs([values(here, here, high)], once=False)
    assert search()._differs([values(here, here, low), values(here, here, high)], once=False)
    assert not search()._differs([values([-1, *here], here, [*low, -1])], once=False)
    often = [values([0] * 40 + here, here, low)]
    assert search()._differs(often, once=False)  # the first is often met
    assert not search()._differs(often, once=True)  # by one person's records
    weighted = Values((np.arange(2),) * 3, (np.ones(2),) * 3, pa.array(["a", "b"]), "text")
    assert not search()._differs([weighted], once=False)


def counted(original: Any, synthetic: Any, holdout: Any = None, n: int = 0, h: int = 0) -> Counted:
    held = None if holdout is None else np.array(holdout)
    return Counted(np.array(original), np.array(synthetic), held, n, h)


def test_what_is_expected_beside_a_holdout_is_of_its_people() -> None:
    # two of the original alone, one of the holdout alone, and one that both have
    given = counted([1, 1, 0, 1], [1, 1, 1, 2], [0, 0, 1, 1], n=6, h=3)
    text = values([0, 1, 2, 3])
    assert _expected(text, [text], given) == 1 * 6 / 3 + 1


def test_what_is_expected_without_one_is_of_other_people_or_of_dense_numbers() -> None:
    text = values([0, 1, 2])
    given = counted([2, 1, 0], [1, 0, 3])
    assert _expected(text, [text], given) == expected_shared(np.array([2, 1, 0]), 4)
    rng = np.random.default_rng(1)
    numbers = np.sort(rng.choice(900, 80, replace=False)).astype(float)
    levels = Values((np.arange(80),), (None,), pa.array(numbers), "number")
    here, there = (np.arange(80) % 4 < 3).astype(int), (np.arange(80) % 4 > 1).astype(int)
    of_numbers = counted(here, there)
    share = density(numbers[here > 0], numbers[there > 0])[0]
    assert _expected(levels, [levels], of_numbers) == pytest.approx(share * 60)
    assert _expected(levels, [levels, levels], of_numbers) == expected_shared(here, 40)
    assert _expected(levels, [levels], counted(here, 0 * here)) == 0


def test_numbers_of_records_run() -> None:
    levels = Values((np.arange(12),), (None,), pa.array(np.arange(12.0)), "number")
    each = np.ones(12, dtype=np.int64)
    assert _runs(levels, each)
    assert not _runs(levels, each + (np.arange(12) == 3))  # one stands twice
    assert not _runs(levels, each * (np.arange(12) != 3))
    assert not _runs(values([*range(12)], [0]), np.zeros(12, dtype=np.int64))
    halves = Values((np.arange(12),), (None,), pa.array(np.arange(12.0) / 2), "number")
    assert not _runs(halves, each)


def test_measurements_are_compared_up_to_so_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = tuple(Candidate((f"c{i}",), None, measured=i != 1) for i in range(4))
    asked: list[Any] = []

    def test(_: Any, candidate: Candidate, files: Any, tests: int) -> Any:
        asked.append((candidate.columns[0], list(files), tests))

    monkeypatch.setattr(Search, "test", test)
    monkeypatch.setattr(whole, "_MOST_MEASURED", 20)
    original = as_microdata(pa.table({f"c{i}": range(10) for i in range(4)}), "o")
    files = [
        as_microdata(pa.table({name: range(10) for name in names}), str(i))
        for i, names in enumerate((["c0", "c1"], ["c1", "c2", "c3"]))
    ]
    result = whole.look_for_identifiers(
        original, files, None, shared={("identifiers", 1): candidates}
    )
    assert asked == [("c0", [0], 3), ("c1", [0, 1], 1), ("c2", [1], 3)]
    assert result.unseen == ("c0", "c1", "c2", "c3")
    assert result.holdout == ""
