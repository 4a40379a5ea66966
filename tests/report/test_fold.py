"""Folding: no level of too few records can be had from what is shown."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.report.safety.breaks import Folding, fold
from sdcmetrics.report.safety.numbers import round_to_base

counts_of_levels = st.lists(
    st.one_of(st.integers(0, 14), st.integers(0, 40), st.integers(0, 400)), min_size=1, max_size=7
)


def shown(
    counts: list[int], *, min_cell: int, base: int, zeros: bool, intervals: int = 0
) -> tuple[Folding, tuple[int, ...]]:
    """Everything that a reader sees of the original's counts."""
    folding = fold(counts, min_cell=min_cell, zeros_disclosive=zeros, intervals=intervals)
    if not folding.shown:
        return folding, ()
    sums = [sum(counts[i] for i in group) for group in folding.groups]
    return folding, tuple(round_to_base(size, base, least=min_cell) for size in sums)


@given(counts_of_levels, st.integers(1, 20), st.booleans(), st.integers(0, 7))
def test_every_level_is_in_one_group_and_no_shown_group_is_small(
    counts: list[int], min_cell: int, zeros: bool, intervals: int
) -> None:
    intervals = min(intervals, len(counts))
    folding = fold(counts, min_cell=min_cell, zeros_disclosive=zeros, intervals=intervals)
    assert sorted(i for group in folding.groups for i in group) == list(range(len(counts)))
    if folding.shown:
        for group in folding.groups:
            size = sum(counts[i] for i in group)
            assert size >= min_cell or (size == 0 and not zeros)


@given(counts_of_levels, st.integers(1, 20), st.booleans())
def test_a_small_level_is_never_alone(counts: list[int], min_cell: int, zeros: bool) -> None:
    folding = fold(counts, min_cell=min_cell, zeros_disclosive=zeros)
    for group in folding.groups:
        small = [i for i in group if counts[i] < min_cell and (counts[i] > 0 or zeros)]
        if small and folding.shown:
            assert len(group) > 1


@given(counts_of_levels, st.integers(1, 20), st.integers(1, 7))
def test_intervals_are_joined_with_neighbours_only(
    counts: list[int], min_cell: int, intervals: int
) -> None:
    intervals = min(intervals, len(counts))
    folding = fold(counts, min_cell=min_cell, zeros_disclosive=True, intervals=intervals)
    for position, group in enumerate(folding.groups):
        if position != folding.other:
            assert list(group) == list(range(group[0], group[-1] + 1))


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    counts_of_levels,
    st.integers(5, 15),
    st.sampled_from([5, 6, 10]),
    st.booleans(),
)
def test_no_small_count_can_be_recovered_exactly(
    counts: list[int], min_cell: int, base: int, zeros: bool
) -> None:
    """For each small count there is other data, with another count there, that looks the same."""
    rules = {"min_cell": min_cell, "base": base, "zeros": zeros}
    seen = shown(counts, **rules)  # type: ignore[arg-type]
    for i, count in enumerate(counts):
        if count >= min_cell or (count == 0 and not zeros):
            continue
        group = next(g for g in seen[0].groups if i in g)
        small = [counts[j] for j in group if counts[j] < min_cell]
        if not seen[0].shown or all(size == min_cell - 1 for size in small):
            continue  # see the Notes of `fold`
        assert any(
            shown(other, **rules) == seen  # type: ignore[arg-type]
            for other in look_alikes(counts, i, seen, base)
        ), (counts, i)


def look_alikes(
    counts: list[int], i: int, seen: tuple[Folding, tuple[int, ...]], base: int
) -> Iterator[list[int]]:
    """Yield data that differ in level i and may look the same.

    One other level of its group takes up the difference, or swaps counts with it (which of the
    folded levels is the large one is not shown); levels that are shown on their own lie anywhere
    in what rounds to their shown count.
    """
    folding, sizes = seen
    group = next(g for g in folding.groups if i in g)
    high, low = list(counts), list(counts)
    for (first, *more), size in zip(folding.groups, sizes, strict=True):
        if not more and size:
            high[first], low[first] = size + (base - 1) // 2, size - base // 2
    starts = [list(counts), high, low]
    for j, by in itertools.product(set(range(len(counts))) - set(group), (-2, -1, 1, 2)):
        starts.append([count + by * (k == j) for k, count in enumerate(counts)])
    for out in (start for start in starts if min(start) >= 0):
        for j in group:
            if j == i:
                continue
            swapped = list(out)
            swapped[i], swapped[j] = out[j], out[i]
            if swapped[i] != counts[i]:
                yield swapped
            for value in range(max(counts[i] - 6, 0), counts[i] + 7):
                for change in range(-base, base + 1):
                    moved = list(out)
                    moved[i] = value
                    moved[j] = out[j] - (value - counts[i]) + change
                    if value != counts[i] and moved[j] >= 0:
                        yield moved


def test_a_large_level_is_folded_where_the_small_ones_are_too_few() -> None:
    folding = fold([500, 7, 430, 60], min_cell=10, zeros_disclosive=True)
    assert folding.groups == ((0,), (1, 3), (2,))
    assert folding.other == 1


def test_nothing_is_shown_of_too_few_records() -> None:
    assert not fold([3, 4], min_cell=10, zeros_disclosive=True).shown


@pytest.mark.parametrize(("zeros", "groups"), [(True, ((0, 1),)), (False, ((0,), (1,)))])
def test_an_empty_level_is_folded_only_where_zeros_are_disclosive(
    zeros: bool, groups: tuple[tuple[int, ...], ...]
) -> None:
    assert fold([50, 0], min_cell=10, zeros_disclosive=zeros).groups == groups
