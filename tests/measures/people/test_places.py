"""Places of large files: clumps that lie apart are taken whole, whatever labels they bear."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.people import places as subject
from sdcmetrics.measures.people.columns import Files, Part
from sdcmetrics.measures.people.places import LARGE, places


def of_clumps(number: int, rng: np.random.Generator) -> tuple[Files, np.ndarray]:
    """Return records in clumps of 750 that differ in a category, and the clump of each."""
    clump = rng.permutation(np.repeat(np.arange(number), 750))
    near = rng.normal(size=len(clump))
    parts = (
        *(Part(name, clump, number=False) for name in "abc"),
        Part("x", np.where(rng.random(len(clump)) < 0.1, np.nan, near), number=True),
    )
    third = len(clump) // 3
    return Files(parts, third, third, len(clump) - 2 * third), clump


@pytest.mark.parametrize("seed", range(3))
def test_six_clumps_that_lie_apart_are_taken_whole(seed: int) -> None:
    rng = np.random.default_rng(seed)
    files, clump = of_clumps(20, rng)
    chosen = places(files, rng)
    assert chosen.tolist() == sorted(set(chosen.tolist()))
    sizes = np.bincount(clump[chosen], minlength=20)
    assert set(sizes.tolist()) == {0, 750}
    assert len(chosen) == LARGE  # a clump that is drawn twice is made up for by another


def test_centres_are_drawn_no_more_than_24_times(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    files, clump = of_clumps(7, rng)
    monkeypatch.setattr(subject, "LARGE", 10**9)
    monkeypatch.setattr(subject, "_MOST_CENTRES", 2)
    assert len(places(files, rng)) in (750, 1500)
    monkeypatch.setattr(subject, "LARGE", 1)  # enough at once: six centres all the same
    monkeypatch.setattr(subject, "_MOST_CENTRES", 24)
    result = [len(set(clump[places(files, rng)].tolist())) for _ in range(20)]
    assert 2 < np.mean(result) < 6
    # of seven clumps six draws meet 7 (1 - (6/7)^6) = 4.2 on average
    assert np.mean(result) == pytest.approx(4.2, abs=0.7)


def test_a_record_is_as_far_as_its_ranks_and_other_categories() -> None:
    rng = np.random.default_rng(2)
    shares = np.vstack([rng.random(40), rng.integers(0, 3, 40), rng.random(40)]).astype(np.float32)
    shares[2, :5] = -9  # missing
    out = np.full(40, 99, np.float32)
    for centre in (0, 7):
        subject._distance(shares, np.array([True, False, True]), centre, out)
        apart = np.minimum(np.abs(shares - shares[:, [centre]]), 1)
        apart[1] = shares[1] != shares[1, centre]
        assert out == pytest.approx(apart.sum(0))


def test_the_share_of_a_value_is_that_of_smaller_ones_and_half_of_equal_ones() -> None:
    values = np.array([3.0, 1.0, np.nan, 3.0, 7.0, 1.0, 1.0, 9.0])
    part = Part("x", values, number=True)
    result = subject._shares(part, np.random.default_rng(1))
    there = values[~np.isnan(values)]
    for value, share in zip(values, result, strict=True):
        expected = (there < value).mean() + (there == value).mean() / 2
        assert share == pytest.approx(-9 if np.isnan(value) else expected)
    mapped = Part("x", np.zeros(8), number=True, mapped=values)
    assert subject._shares(mapped, np.random.default_rng(1)) == pytest.approx(result)


def test_shares_of_many_values_are_told_to_a_thousandth() -> None:
    values = np.random.default_rng(1).permutation(20_000).astype(np.float64)
    result = subject._shares(Part("x", values, number=True), np.random.default_rng(2))
    assert np.abs(result - values / 20_000).max() < 0.05  # of 1,024 draws at random: .016 sd


def test_categories_are_codes() -> None:
    part = Part("g", np.array([4, 4, -1, 2]), number=False)
    result = subject._shares(part, np.random.default_rng(1))
    assert result[0] == result[1]
    assert len({float(code) for code in result}) == 3
