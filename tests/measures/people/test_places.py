"""Places of large files: clumps that lie apart are taken whole, whatever labels they bear."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.people import places as subject
from sdcmetrics.measures.people.boxes import LARGE
from sdcmetrics.measures.people.columns import Files, PooledColumn
from sdcmetrics.measures.people.places import places


def of_clumps(number: int, rng: np.random.Generator) -> tuple[Files, np.ndarray]:
    """Return records in clumps of 750 that differ in a category, and the clump of each."""
    clump = rng.permutation(np.repeat(np.arange(number), 750))
    near = rng.normal(size=len(clump))
    parts = (
        *(PooledColumn(name, clump, number=False) for name in "abc"),
        PooledColumn("x", np.where(rng.random(len(clump)) < 0.1, np.nan, near), number=True),
    )
    third = len(clump) // 3
    return Files(parts, third, third, len(clump) - 2 * third), clump


@pytest.mark.parametrize("seed", range(3))
def test_six_clumps_that_lie_apart_are_taken_whole(seed: int) -> None:
    rng = np.random.default_rng(seed)
    files, clump = of_clumps(20, rng)
    chosen = places(files, rng, LARGE)
    assert chosen.tolist() == sorted(set(chosen.tolist()))
    sizes = np.bincount(clump[chosen], minlength=20)
    assert set(sizes.tolist()) == {0, 750}
    assert len(chosen) == LARGE  # a clump that is drawn twice is made up for by another


def test_centres_are_drawn_no_more_than_24_times(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    files, clump = of_clumps(7, rng)
    monkeypatch.setattr(subject, "_MOST_CENTRES", 2)
    assert len(places(files, rng, LARGE)) in (750, 1500)
    monkeypatch.setattr(subject, "_MOST_CENTRES", 6)
    result = [len(set(clump[places(files, rng, LARGE)].tolist())) for _ in range(20)]
    assert 2 < np.mean(result) < 6
    # of seven clumps six draws meet 7 (1 - (6/7)^6) = 4.2 on average
    assert np.mean(result) == pytest.approx(4.2, abs=0.7)


@pytest.mark.parametrize(("records", "clumps"), [(2 * LARGE, 2), (4 * LARGE, 4)])
def test_larger_places_hold_as_many_more(records: int, clumps: int) -> None:
    rng = np.random.default_rng(3)
    files, clump = of_clumps(80, rng)
    sizes = np.bincount(clump[places(files, rng, records)], minlength=80)
    assert sizes.max() == 750
    assert records <= sizes.sum() < records + 750 * clumps
    whole = places(files, rng, 6 * files.size)
    assert len(whole) >= files.size - 1  # each place is all the file, but for its farthest record


def values_of(rng: np.random.Generator) -> list[PooledColumn]:
    """Return numbers, of which some are missing or all alike, and codes of 40 records."""
    numbers = rng.lognormal(sigma=2, size=(2, 40)).round(1)
    numbers[1, :5] = np.nan
    codes = rng.integers(0, 3, 40)
    return [
        *(PooledColumn(f"x{i}", values, number=True) for i, values in enumerate(numbers)),
        PooledColumn("constant", np.full(40, 7.0), number=True),
        PooledColumn("empty", np.full(40, np.nan), number=True),
        PooledColumn("code", codes, number=False),
    ]


def test_a_record_is_as_far_as_its_ranks_or_values_and_other_categories() -> None:
    rng = np.random.default_rng(2)
    parts = values_of(rng)
    files = Files(tuple(parts), 10, 10, 20)
    centres = np.array([0, 7])
    result = subject._distances(files, [subject._scale(part, rng) for part in parts], centres)
    expected = np.zeros((2, 40))
    for part in parts:
        values = part.values
        there = np.sort(values[~np.isnan(values)]) if part.number else values
        for i, own in enumerate(values[centres]):
            for b, value in enumerate(values):
                if not part.number or np.isnan(value) or np.isnan(own):
                    expected[i, b] += not np.array_equal([value], [own], equal_nan=True)
                    continue
                ranks = [((there < x).mean() + (there <= x).mean()) / 2 for x in (value, own)]
                low, high = np.quantile(there, [0.025, 0.975])
                width = high - low or 1.0
                inside = [min(max((x - low) / width, -4), 5) for x in (value, own)]
                expected[i, b] += min(abs(ranks[0] - ranks[1]), abs(inside[0] - inside[1]), 1.0)
    assert result == pytest.approx(expected, abs=1e-5)


def test_values_are_those_of_the_original_words() -> None:
    values = np.array([3.0, 1.0, np.nan, 3.0, 7.0, 1.0, 1.0, 9.0])
    rng = np.random.default_rng(1)
    files = [
        Files((PooledColumn("x", np.zeros(8), number=True, mapped=values),), 4, 0, 4),
        Files((PooledColumn("x", values, number=True),), 4, 0, 4),
    ]
    distances = [
        subject._distances(each, [subject._scale(each.parts[0], rng)], np.array([1, 2]))
        for each in files
    ]
    assert np.array_equal(distances[0], distances[1])


def test_where_nearly_all_have_one_value_all_others_are_a_scale() -> None:
    values = np.array([5.0] * 99 + [25.0])
    scale = subject._scale(PooledColumn("x", values, number=True), np.random.default_rng(1))
    assert scale is not None
    assert (scale.low, scale.width) == (5.0, 20.0)


def test_values_end_four_widths_beyond_the_interval() -> None:
    values = np.array([*range(101), -1e6, 1e6, np.nan], np.float64)
    scale = subject._scale(PooledColumn("x", values, number=True), np.random.default_rng(1))
    assert scale is not None
    assert scale.parts(values)[-3:].tolist() == [-4.0, 5.0, -9.0]


def test_ranks_of_many_values_are_told_to_a_thousandth() -> None:
    values = np.random.default_rng(1).permutation(20_000).astype(np.float64)
    scale = subject._scale(PooledColumn("x", values, number=True), np.random.default_rng(2))
    assert scale is not None
    assert np.abs(scale.shares(values) - values / 20_000).max() < 0.05  # 1,024 draws: .016 sd
    assert len(scale.knots) == 1_024


def test_noise_on_a_value_that_most_share_leaves_a_copy_in_the_place_of_its_person() -> None:
    # a third of each column is 0; a copy has none of these left
    rng = np.random.default_rng(5)
    people, other = rng.normal(size=(2, 20, 6_000)) * (rng.random((2, 20, 6_000)) > 1 / 3)
    copies = other.copy()
    copies[:, :300] = people[:, :300] + 0.01 * rng.normal(size=(20, 300))
    parts = tuple(
        PooledColumn(f"x{j}", np.concatenate([people[j], copies[j]]), number=True)
        for j in range(20)
    )
    chosen = np.zeros(12_000, np.bool_)
    chosen[places(Files(parts, 6_000, 0, 6_000), rng, LARGE)] = True
    persons, twins = chosen[:300], chosen[6_000:6_300]
    assert (persons & twins).sum() > 0.9 * persons.sum()  # by ranks alone two thirds
