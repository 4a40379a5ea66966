"""Cells about records of a replica that are near to each other, beside a slow count."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import Claim, whose_records
from sdcmetrics.measures.people.boxes import boxed
from sdcmetrics.measures.people.cells import RADII, Cells, cells_of
from sdcmetrics.measures.people.columns import Files, files_of
from sdcmetrics.measures.people.controls import beaten_by_cells
from sdcmetrics.measures.people.near import Arranged, arranged
from sdcmetrics.measures.people.values import Values
from tests.measures.people.drawn import mixed, people_of, records


def numbers(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw people with four numbers, of which two hang together."""
    a, b, c = np.exp(5 + 0.7 * rng.normal(size=(3, n)))
    return pd.DataFrame({"a": a, "b": b, "c": c, "sum": a + b + c}).round(2)


def rewritten(frame: pd.DataFrame, by: float, rng: np.random.Generator) -> pd.DataFrame:
    return (frame * np.exp(by * rng.normal(size=frame.shape))).round(2)


def several(
    people: pd.DataFrame, times: int, rng: np.random.Generator, others: int = 0
) -> pd.DataFrame:
    """Return changed copies of people, each written so often, and other people."""
    copies = rewritten(people, 0.03, rng)
    written = [rewritten(copies, 0.003, rng) for _ in range(times)]
    return mixed(pd.concat([*written, numbers(rng, others)]))


def files(original: pd.DataFrame, replica: pd.DataFrame, holdout: pd.DataFrame | None) -> Files:
    given = records(original, replica, holdout)
    return files_of(given, given.names)


def slow(given: Arranged, radius: float) -> list[int]:
    """Count cells one distance after the other."""
    ranks, pool = given.ranks.astype(np.int64), given.pool

    def distances(i: int) -> np.ndarray:
        apart = np.abs(ranks - ranks[:, [i]])
        return np.minimum(apart, given.unit).sum(0)

    some = range(pool, min(pool + 64, given.size))
    each = np.concatenate([np.delete(distances(i)[pool:], i - pool) for i in some])
    limit = int(np.median(each) * radius)
    centres: list[int] = []
    out = [0] * 5
    for i in range(pool, given.size):
        apart = distances(i)
        if any(apart[j] <= 2 * limit for j in centres):
            continue
        centres.append(i)
        if (apart[pool:] <= 2 * limit).sum() < 2:
            continue
        near = apart[:pool] <= limit
        ours, theirs = int((near & given.is_original).sum()), int((near & ~given.is_original).sum())
        for place, is_so in enumerate(
            (ours == 0, ours == 1, ours == 2, (ours, theirs) == (1, 0), (ours, theirs) == (0, 1))
        ):
            out[place] += is_so
    return out


@pytest.mark.parametrize("aside", [0, 30])
@pytest.mark.parametrize("draw", [numbers, people_of])
def test_cells_are_those_of_a_slow_count(draw: object, aside: int) -> None:
    rng = np.random.default_rng(1)
    assert callable(draw)
    original, replica = draw(rng, 60), draw(rng, 60)
    replica = pd.concat([replica[:40], original[:10], replica[:20]], ignore_index=True)
    given = arranged(files(original, replica, draw(rng, aside) if aside else None), rng)
    radii = (0.0, 0.1, 0.3, 0.6, 1.0)
    counts = given.cells(radii)
    assert counts.tolist() == [slow(given, radius) for radius in radii]
    assert counts[:, :2].any(axis=0).all()
    assert counts[:, 4].any() == (aside > 0)


def test_the_radius_counts_that_says_most() -> None:
    rng = np.random.default_rng(2)
    original = numbers(rng, 200)
    given = arranged(files(original, several(original[:100], 2, rng), None), rng)
    counts = given.cells(RADII)
    p = [Values(int(one), int(two), int(nobody)).p for nobody, one, two, *_ in counts]
    out = cells_of(given)
    assert out.p == min(1, 9 * min(p)) < 1e-4  # six radii, and three sides of coarser numbers
    assert out.original == counts[int(np.argmin(p)), 3] == out.values.once
    assert Cells(Values(), 0, 0).p == 1


def test_one_record_has_no_cells() -> None:
    rng = np.random.default_rng(3)
    given = arranged(files(people_of(rng, 5), people_of(rng, 1), None), rng)
    assert not given.cells(RADII).any()


def test_cells_of_boxes_are_those_of_each() -> None:
    rng = np.random.default_rng(4)
    given = files(numbers(rng, 900), numbers(rng, 900), None)
    boxes = boxed(given, np.arange(900), rng)
    assert boxes.cells(RADII).tolist() == sum(box.cells(RADII) for box in boxes.boxes).tolist()


def test_permuted_columns_have_cells_without_people() -> None:
    rng = np.random.default_rng(5)
    original = numbers(rng, 200)
    given = arranged(files(original, several(original[:100], 2, rng), None), rng)
    p = cells_of(given).p
    assert beaten_by_cells(given, p, rng)
    assert not beaten_by_cells(given, 1.0, rng)


@pytest.mark.parametrize(("times", "others"), [(2, 0), (3, 0), (2, 200)])
def test_people_who_are_copied_several_times_are_noticed(times: int, others: int) -> None:
    rng, calls = np.random.default_rng(6), 0
    for _ in range(5):
        original = numbers(rng, 400)
        replica = several(original[: (400 - others) // times], times, rng, others)
        out = whose_records(records(original, replica))
        calls += Claim.EITHER in out.claims
        if Claim.EITHER in out.claims:
            assert out.people is not None
            assert 0 < out.people.low <= (400 - others) // times
        assert not whose_records(records(original, several(numbers(rng, 200), 2, rng))).accused
    assert calls >= 4


def test_a_holdout_confirms_that_they_are_of_the_original() -> None:
    rng = np.random.default_rng(7)
    original, aside = numbers(rng, 300), numbers(rng, 300)
    out = whose_records(records(original, several(original[:150], 2, rng), aside))
    assert Claim.FOLLOWS in out.claims
    outsiders = whose_records(records(original, several(aside[:150], 2, rng), aside))
    assert not {Claim.FOLLOWS, Claim.EITHER} & set(outsiders.claims)
