"""The permutation of labels against one that searches again, label by label."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.measures.closeness import share_permutation
from sdcmetrics.measures.closeness.share_permutation import (
    SharePermutation,
    dcr_p,
    dcr_z,
    permute_share,
    pool_ties,
)
from sdcmetrics.measures.neighbours import Points, Ties, nearest


def draw(n: int, levels: int, rng: np.random.Generator) -> Points:
    return Points.from_columns(rng.integers(0, levels, size=(4, n)))


def share(to_training: Any, to_holdout: Any, n_training: int, n_holdout: int) -> float:
    closer, equal = np.sum(to_training < to_holdout), np.sum(to_training == to_holdout)
    weight = n_training / (n_training + n_holdout)
    return float((closer + weight * equal) / len(to_training))


def run(
    training: Points, synthetic: Points, holdout: Points, *, room: int, seed: int, times: int
) -> tuple[SharePermutation, float]:
    sides = [nearest(synthetic, real, list_ties=room) for real in (training, holdout)]
    distances = [side.distances[:, 0] for side in sides]
    nearer = np.sign(distances[0] - distances[1]).astype(np.int64)
    ties = pool_ties(sides[0].ties, sides[1].ties, nearer, training.n)
    pool = training.append(holdout)

    def lookup(rows: Any) -> Ties:
        return nearest(synthetic.take(rows), pool, list_ties=pool.n).ties

    found = permute_share(
        ties,
        observed=(int((nearer < 0).sum()), int((nearer == 0).sum())),
        n_training=training.n,
        n_holdout=holdout.n,
        permutations=times,
        rng=np.random.default_rng(seed),
        lookup=lookup,
    )
    return found, share(*distances, training.n, holdout.n)


def slowly(
    training: Points, synthetic: Points, holdout: Points, *, seed: int, times: int
) -> list[float]:
    """Permute the labels themselves and measure every distance again."""
    pool = np.concatenate([training.codes, holdout.codes], axis=1)
    distances = (synthetic.codes[:, :, None] != pool[:, None, :]).sum(axis=0)
    rng, out = np.random.default_rng(seed), []
    for _ in range(times):
        drawn = rng.choice(pool.shape[1], training.n, replace=False, shuffle=False)
        label = np.zeros(pool.shape[1], dtype=bool)
        label[drawn] = True
        sides = distances[:, label].min(axis=1), distances[:, ~label].min(axis=1)
        out.append(share(*sides, training.n, holdout.n))
    return out


@given(
    seed=st.integers(0, 2**32),
    sizes=st.tuples(st.integers(2, 30), st.integers(1, 20), st.integers(2, 30)),
    levels=st.integers(2, 4),
    room=st.sampled_from([1, 2, 60]),
    times=st.sampled_from([1, 64, 70]),
)
@settings(max_examples=60, deadline=None)
def test_equals_a_search_with_permuted_labels(
    seed: int, sizes: tuple[int, int, int], levels: int, room: int, times: int
) -> None:
    rng = np.random.default_rng(seed)
    training, synthetic, holdout = (draw(size, levels, rng) for size in sizes)
    found, observed = run(training, synthetic, holdout, room=room, seed=seed, times=times)
    expected = slowly(training, synthetic, holdout, seed=seed, times=times)
    assert found.null.tolist() == pytest.approx(expected)
    assert found.observed == pytest.approx(observed)
    assert found.permutations == times
    assert found.mean == pytest.approx(np.mean(expected))
    at_least = sum(value >= observed - 1e-9 for value in expected)
    assert dcr_p(found) == pytest.approx((1 + at_least) / (1 + times))


def test_long_lists_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    training, synthetic, holdout = (draw(40, 2, rng) for _ in range(3))
    whole, _ = run(training, synthetic, holdout, room=60, seed=1, times=99)
    monkeypatch.setattr(share_permutation, "_ENTRIES", 3)
    monkeypatch.setattr(share_permutation, "_AT_ONCE", 1)
    for room in (60, 1):
        parts, _ = run(training, synthetic, holdout, room=room, seed=1, times=99)
        assert parts.null.tolist() == whole.null.tolist()
        assert dcr_z(parts) == pytest.approx((whole.observed - whole.mean) / whole.sd)


def test_lists_are_completed_only_for_permutations_that_are_made() -> None:
    n, pool = 50, 40
    indices = np.tile(np.arange(0, pool, 2, dtype=np.int32), n)  # of both labels, surely
    ties = Ties(np.arange(n + 1) * 20, indices, np.ones(n, dtype=bool))

    def lookup(rows: Any) -> Ties:
        raise AssertionError(rows)

    found = permute_share(
        ties,
        observed=(0, n),
        n_training=20,
        n_holdout=20,
        permutations=3,
        rng=np.random.default_rng(1),
        lookup=lookup,
    )
    assert found.null.tolist() == [0.5] * 3


def test_without_permutations_there_is_no_p() -> None:
    rng = np.random.default_rng(2)
    found, observed = run(*(draw(9, 2, rng) for _ in range(3)), room=9, seed=1, times=0)
    assert found.observed == pytest.approx(observed)
    assert found.permutations == 0
    assert all(math.isnan(value) for value in (found.mean, found.sd, found.z, found.p_value))


def test_where_no_permutation_moves_the_share_there_is_no_z() -> None:
    same = Points.from_columns([[0] * 6])
    found, _ = run(same, same, same, room=1, seed=1, times=20)
    assert (found.sd, found.p_value) == (0.0, 1.0)
    assert math.isnan(found.z)
