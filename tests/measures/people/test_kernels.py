"""The search for nearest records, its loops run as Python, against distances between all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.people import kernels, search
from sdcmetrics.measures.people.search import among, crowd, nearest
from tests.measures.loops import as_python
from tests.measures.people.all_pairs import assert_crowd, assert_nearest


@pytest.fixture(autouse=True)
def _loops(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cut a few records into as many blocks as are made of thousands."""
    as_python(monkeypatch, kernels)
    monkeypatch.setattr(search, "compiled", lambda kernel, _: kernel)
    for name, size in (("_CHUNK", 8), ("_BLOCK", 16), ("_TRIED", 4), ("_FULL", 8)):
        monkeypatch.setattr(kernels, name, size)
    with np.errstate(over="ignore"):  # of random bits
        yield


def ranks_of(kinds: tuple[int, int, int], size: int, clusters: int, seed: int) -> Any:
    """Return columns of numbers, of codes of a byte and of wider codes, and their unit."""
    rng, unit = np.random.default_rng(seed), 2 * size
    values = [
        rng.integers(0, size, (kinds[0], size)) * 2,
        rng.integers(0, 3, (kinds[1], size)) * unit,
        rng.integers(0, 400, (kinds[2], size)) * unit,
    ]
    ranks = np.concatenate(values).astype(np.int32)
    apart = 20 * unit * rng.integers(0, clusters, size)
    return (ranks + apart).astype(np.int32), unit


@pytest.mark.parametrize("clusters", [1, 9], ids=["all near", "few near"])
@pytest.mark.parametrize("pool", [17, 33])
@pytest.mark.parametrize("kinds", [(4, 5, 2), (1, 1, 1), (1, 19, 1), (0, 0, 5), (2, 0, 0)])
def test_nearest_records_are_those_of_all_distances(
    kinds: tuple[int, int, int], pool: int, clusters: int
) -> None:
    ranks, unit = ranks_of(kinds, 50, clusters, 1)
    near = nearest(ranks, pool, unit, np.random.default_rng(2))
    assert_nearest(near, ranks, pool, unit)
    people = among(ranks, pool, unit)
    known = nearest(ranks, pool, unit, np.random.default_rng(2), people)
    for name, values in vars(near).items():
        assert np.array_equal(getattr(known, name), values), name
    assert_crowd(crowd(ranks, unit, 5, np.random.default_rng(3)), ranks, unit)


def test_ties_fall_on_every_file_and_every_person_alike() -> None:
    near = nearest(np.zeros((1, 80), np.int32), 40, 160, np.random.default_rng(5))
    assert 0.3 < (near.first[0] < 40).mean() < 0.7
    assert len(np.unique(near.person[0])) > 20


@pytest.mark.parametrize(("clusters", "gathered"), [(1, 4), (6, 60)])
def test_those_who_may_be_near_are_gathered_unless_they_are_most(
    clusters: int, gathered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    gather = kernels._gather_all

    def count(*parts: Any) -> None:
        asked.append(len(parts[2]))
        gather(*parts)

    monkeypatch.setattr(kernels, "_gather_all", count)
    ranks, unit = ranks_of((6, 0, 0), 60, clusters, 3)
    nearest(ranks, 30, unit, np.random.default_rng(4))
    assert sum(number > 0 for number in asked) == gathered  # the first few are tried
