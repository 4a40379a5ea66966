"""Boxes of near records: what is searched in large files, and what is lost to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import boxes as subject
from sdcmetrics.measures.people import whose_records
from sdcmetrics.measures.people.boxes import Boxed, boxed, in_boxes, most_records
from sdcmetrics.measures.people.columns import Files, PooledColumn, comparable, files_of
from sdcmetrics.measures.people.near import Arranged, Near, _label_sets, near_records
from sdcmetrics.measures.people.places import Coordinates
from sdcmetrics.measures.people.search import NOBODY
from tests.measures.people.drawn import people_of, records


def of_clumps(clump: np.ndarray, rng: np.random.Generator, n: int, h: int) -> Files:
    """Return records in clumps that differ in three categories."""
    parts = (
        *(PooledColumn(name, clump, number=False) for name in "abc"),
        PooledColumn("x", rng.normal(size=len(clump)), number=True),
    )
    return Files(parts, n, h, len(clump) - n - h)


def rows_of(files: Files, each: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return the records of each box."""
    coordinates = Coordinates.of(files, rng)
    return list(subject._boxes(coordinates, np.arange(files.size), each, rng))


def test_clumps_that_lie_apart_are_boxes() -> None:
    number = 12
    rng = np.random.default_rng(number)
    clump = rng.permutation(np.repeat(np.arange(number), 50))
    files = of_clumps(clump, rng, 10, 10)
    rows = rows_of(files, 50, rng)
    assert sorted(np.concatenate(rows).tolist()) == list(range(50 * number))
    assert [len(box) for box in rows] == [50] * number
    assert all(len(set(clump[box].tolist())) == 1 for box in rows)


@pytest.mark.parametrize(
    ("records_in_all", "sizes"), [(60, [60]), (61, [50, 11]), (161, [50, 50, 50, 11])]
)
def test_what_is_left_over_is_a_box_too(records_in_all: int, sizes: list[int]) -> None:
    rng = np.random.default_rng(1)
    files = of_clumps(np.zeros(records_in_all, np.int64), rng, 10, 10)
    assert [len(box) for box in rows_of(files, 50, rng)] == sizes


def test_boxes_of_boxes_hold_all_records_once() -> None:
    rng = np.random.default_rng(1)
    files = of_clumps(rng.integers(0, 3, 5_003), rng, 2_000, 0)
    rows = rows_of(files, 20, rng)
    assert sorted(np.concatenate(rows).tolist()) == list(range(5_003))
    assert max(map(len, rows)) <= 24


def test_a_search_in_boxes_is_one_of_each_box(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    clump = rng.permutation(np.repeat(np.arange(6), 40))
    files = of_clumps(clump, rng, 90, 40)
    monkeypatch.setattr(subject, "LARGE", 40)
    given = in_boxes(files, rng)
    assert isinstance(given, Boxed)
    assert (given.n, given.h, given.pool, given.size) == (90, 40, 130, 240)
    assert given.people.tolist() == list(range(130))
    assert given.is_original.tolist() == [True] * 90 + [False] * 40
    near = given.nearest(rng)
    for box in range(6):
        rows = np.flatnonzero(clump == box)
        ranks = files.at(rows).ranks  # as if there were no other records
        apart = np.minimum(abs(ranks[:, :, None] - ranks[:, None]), 80)
        np.einsum("cii->ci", apart)[:] = 10**6
        for configuration, left_out in enumerate([[], [0], [1], [2], [3]]):
            total = np.delete(apart, left_out, axis=0).sum(0)
            ordered = np.sort(total, axis=1)
            assert near.distance[configuration, rows].tolist() == ordered[:, 0].tolist()
            assert near.second[configuration, rows].tolist() == ordered[:, 1].tolist()
            first = near.first[configuration, rows]
            assert (
                total[np.arange(40), np.searchsorted(rows, first)].tolist()
                == ordered[:, 0].tolist()
            )
            is_person = rows < 130
            people = rows[is_person]
            assert (
                near.own[configuration, people].tolist()
                == total[is_person][:, is_person].min(1).tolist()
            )
            assert (
                near.replica[configuration, people].tolist()
                == total[is_person][:, ~is_person].min(1).tolist()
            )
            closest = near.person[configuration, rows[~is_person] - 130]
            distances = total[~is_person][
                np.arange((~is_person).sum()), np.searchsorted(rows, closest)
            ]
            assert distances.tolist() == total[~is_person][:, is_person].min(1).tolist()


def test_boxes_without_people_or_without_the_replica_say_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    monkeypatch.setattr(subject, "LARGE", 30)
    # clumps of 30: 10 of each file; people only; one person and the replica; the replica only
    original, holdout, replica = (
        [0] * 10 + [1] * 20,
        [0] * 10 + [1] * 10 + [2],
        [0] * 10 + [2] * 29 + [3] * 30,
    )
    clump = np.array([*original, *holdout, *replica])
    given = in_boxes(of_clumps(clump, rng, 30, 21), rng)
    assert isinstance(given, Boxed)
    assert [rows.tolist() for rows in given.rows] == [np.flatnonzero(clump == 0).tolist()]
    near, others = given.nearest(np.random.default_rng(9)), np.flatnonzero(clump)
    assert (near.first[:, others] == others).all()  # next to nobody
    assert (near.person[:, 10:] == NOBODY).all()
    assert set(near.person[:, :10].ravel().tolist()) <= {*range(10), *range(30, 40)}
    share = near_records(given, np.random.default_rng(9)).share  # of the same ties
    assert share == (near.person[0, :10] < 30).mean()
    assert min(rows.min() for rows in _label_sets(near)) >= 0
    people = [*range(10, 30), *range(40, 51)]
    assert (near.own[:, people] == near.replica[:, people]).all()


def test_a_box_with_the_first_record_of_the_replica_is_searched() -> None:
    boxes = [[0, 1, 9], [0, 9], [0, 9, 10], [0, 1, 8], [9, 10]]
    assert [subject._is_mixed(np.array(rows), 9) for rows in boxes] == [True, *[False] * 4]


def test_where_nobody_is_near_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    monkeypatch.setattr(subject, "LARGE", 30)
    given = in_boxes(of_clumps(np.repeat([0, 1], 30), rng, 20, 10), rng)
    assert given.steps == 0
    assert near_records(given, rng, levels=(0.01, 0.01)) == Near()


def test_small_files_are_one_box() -> None:
    rng = np.random.default_rng(1)
    files = of_clumps(np.zeros(4_501, np.int64), rng, 2_000, 0)
    whole = in_boxes(files.at(np.arange(4_500)), rng)
    assert isinstance(whole, Arranged)
    assert whole.steps == 4_500**2 * (4 + 4 * 5)  # of four columns, all and without each of them
    parts = in_boxes(files, rng)
    assert isinstance(parts, Boxed)
    assert parts.steps == sum(len(rows) ** 2 for rows in parts.rows) * 24
    assert [len(rows) for rows in parts.rows] == [4_501]  # a few more need no box


def test_of_very_large_files_a_part_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    monkeypatch.setattr(subject, "LARGE", 20)
    monkeypatch.setattr(subject, "_LEAST", 10)
    files = of_clumps(rng.permutation(np.repeat(np.arange(100), 10)), rng, 500, 100)
    steps = 4 + 4 * 5  # of four columns, all and without each of them
    monkeypatch.setattr(subject, "_STEPS", float(steps * 10 * 300))
    assert most_records(files) == 300
    given = in_boxes(files, rng)
    assert isinstance(given, Boxed)
    assert 250 < given.size <= 350
    assert given.people.max() < 600
    monkeypatch.setattr(subject, "_STEPS", float(steps * 12 * 1_000))
    whole = in_boxes(files, rng)
    assert isinstance(whole, Boxed)
    assert whole.size == 1_000
    assert np.median([len(rows) for rows in whole.rows]) == 12  # as large as there is time for


@pytest.mark.parametrize(
    ("columns", "most"), [(1, 793_650), (7, 183_150), (8, 162_337), (40, 93_984)]
)
def test_how_many_records_are_searched_whole(columns: int, most: int) -> None:
    # 5e9 steps over 700 and over columns + 4 (1 + groups of them, eight at most)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(40, columns)), columns=[f"x{j}" for j in range(columns)])
    whole = records(frame[:20], frame[20:])
    files = comparable(files_of(whole, whole.names), rng).files
    assert len(files.parts) == columns
    assert most_records(files) == most


def test_columns_of_the_replica_are_shuffled_and_people_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    monkeypatch.setattr(subject, "LARGE", 30)
    files = of_clumps(rng.integers(0, 2, 120), rng, 70, 20)
    mapped = replace(files.parts[3], mapped=files.parts[3].values * 2)
    given = boxed(replace(files, parts=(*files.parts[:3], mapped)), np.arange(90), rng)
    other = given.shuffled(rng)
    assert (other.n, other.h) == (70, 20)
    for before, after in zip(given.files.parts, other.files.parts, strict=True):
        assert after.values[:90].tolist() == before.values[:90].tolist()
        assert after.values[90:].tolist() != before.values[90:].tolist()
        assert sorted(after.values[90:]) == sorted(before.values[90:])
    last = other.files.parts[3]
    assert last.mapped is not None
    assert last.mapped.tolist() == (2 * last.values).tolist()


@pytest.mark.parametrize(("holdout", "homes"), [(False, 0), (True, 0), (True, 800)])
def test_changed_copies_all_over_a_large_file_are_noticed(
    holdout: bool, homes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "LARGE", 400)
    rng = np.random.default_rng(1)
    original, fresh, aside = (people_of(rng, 1_600) for _ in range(3))
    replica = fresh.copy()
    for name in original:
        values = original[name][:80]
        if name in ("age", "income", "rent"):
            values = (values * rng.normal(1, 0.03, 80)).round(1)
        replica[name] = [*values, *fresh[name][80:]]
    test, cluster = "LN" if holdout else "TN", "home" if homes else ""
    if homes:  # of which all or nobody is of the original: people are alike in none
        for i, frame in enumerate((original, fresh, aside, replica)):
            frame["home"] = np.arange(1_600) % homes + homes * i
    of_copies, of_others = (
        whose_records(records(original, each, aside if holdout else None, cluster)).tests[test]
        for each in (replica, fresh)
    )
    assert of_copies.alarmed
    assert not of_others.alarmed
