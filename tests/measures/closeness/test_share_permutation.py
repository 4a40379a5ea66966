"""The permutation of labels against one that searches again, label by label."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.measures.closeness import assessment, places, points, share_permutation
from sdcmetrics.measures.closeness.assessment import assess_closeness, share_alone
from sdcmetrics.measures.closeness.points import as_points
from sdcmetrics.measures.closeness.search import share_out
from sdcmetrics.measures.closeness.share_permutation import (
    SharePermutation,
    permute_shares,
)
from sdcmetrics.measures.neighbours import Hamming, Points, nearest
from sdcmetrics.measures.pair import pair
from sdcmetrics.microdata.frames import as_microdata


def draw(n: int, levels: int, rng: np.random.Generator) -> Points:
    return Points.from_columns(rng.integers(0, levels, size=(4, n)))


def share(distances: Any, label: Any) -> float:
    """Mean share of training records among the real records that are closest."""
    closest = distances == distances.min(axis=1, keepdims=True)
    return float(((closest & label).sum(axis=1) / closest.sum(axis=1)).mean())


def distances_of(synthetic: Points, *real: Points) -> Any:
    pool = np.concatenate([item.codes for item in real], axis=1)
    return (synthetic.codes[:, :, None] != pool[:, None, :]).sum(axis=0)


def run(
    training: Points, synthetic: Points, holdout: Points, *, room: int, seed: int, times: int
) -> tuple[SharePermutation, float]:
    sides = tuple(nearest(synthetic, real, list_ties=room) for real in (training, holdout))
    tied = share_out(synthetic, training, holdout, sides, distance=Hamming())
    (result,) = permute_shares(
        [tied.weights],
        n_training=training.n,
        permutations=times,
        rng=np.random.default_rng(seed),
    )
    assert tied.of_training.mean() == pytest.approx(result.observed)
    label = np.arange(training.n + holdout.n) < training.n
    return result, share(distances_of(synthetic, training, holdout), label)


def slowly(
    training: Points, synthetic: Points, holdout: Points, *, seed: int, times: int
) -> list[float]:
    """Permute the labels themselves and measure every distance again."""
    distances = distances_of(synthetic, training, holdout)
    rng, out = np.random.default_rng(seed), []
    for _ in range(times):
        drawn = rng.choice(distances.shape[1], training.n, replace=False, shuffle=False)
        label = np.zeros(distances.shape[1], dtype=bool)
        label[drawn] = True
        out.append(share(distances, label))
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
    result, observed = run(training, synthetic, holdout, room=room, seed=seed, times=times)
    expected = slowly(training, synthetic, holdout, seed=seed, times=times)
    assert result.null.tolist() == pytest.approx(expected)
    assert result.observed == pytest.approx(observed)
    assert result.permutations == times
    assert result.mean == pytest.approx(np.mean(expected))
    at_least = sum(value >= observed - 1e-9 for value in expected)
    assert result.p_value == pytest.approx((1 + at_least) / (1 + times))


def test_long_lists_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    training, synthetic, holdout = (draw(40, 2, rng) for _ in range(3))
    whole, _ = run(training, synthetic, holdout, room=60, seed=1, times=99)
    monkeypatch.setattr(share_permutation, "_AT_ONCE", 1)
    for room in (60, 1):
        parts, _ = run(training, synthetic, holdout, room=room, seed=1, times=99)
        assert parts.null.tolist() == pytest.approx(whole.null.tolist(), abs=1e-11)
        assert parts.z == pytest.approx((whole.observed - whole.mean) / whole.sd)


def test_fresh_records_have_the_share_of_the_sizes_whatever_the_ties() -> None:
    rng = np.random.default_rng(3)
    results = []
    for _ in range(300):
        # Two columns of two levels: every record is tied with a quarter of the others.
        sets = [Points.from_columns(rng.integers(0, 2, size=(2, n))) for n in (40, 30, 20)]
        results.append(run(*sets, room=60, seed=1, times=0)[1])
    error = np.std(results, ddof=1) / np.sqrt(len(results))
    assert np.mean(results) == pytest.approx(40 / 60, abs=3 * error)
    assert error < 0.005  # so that .699, of ties split by the sizes, would be found


def test_without_permutations_there_is_no_p() -> None:
    rng = np.random.default_rng(2)
    result, observed = run(*(draw(9, 2, rng) for _ in range(3)), room=9, seed=1, times=0)
    assert result.observed == pytest.approx(observed)
    assert result.permutations == 0
    assert all(math.isnan(value) for value in (result.mean, result.sd, result.z, result.p_value))


def test_where_no_permutation_moves_the_share_there_is_no_z() -> None:
    same = Points.from_columns([[0] * 6])
    result, _ = run(same, same, same, room=1, seed=1, times=20)
    assert (result.sd, result.p_value) == (0.0, 1.0)
    assert math.isnan(result.z)


@pytest.mark.parametrize("synthetic", [1, 2], ids=["a replica", "the holdout itself"])
def test_the_share_alone_is_that_of_the_whole_assessment(synthetic: int) -> None:
    rng = np.random.default_rng(3)
    frames = [
        pd.DataFrame({"x": rng.integers(0, 9, n), "y": rng.choice(list("abc"), n)})
        for n in (60, 80, 40)
    ]
    data = [as_microdata(frames[i], "a file") for i in (0, synthetic, 2)]
    points = as_points(*data, distance="gower")
    assert share_alone(points) == assess_closeness(points, permutations=0, seed=1).share


def test_few_labels_are_added_up_without_the_compiler_to_the_same_digit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = np.random.default_rng(3).random((2, 500)) / 7

    def null() -> Any:
        made = permute_shares(
            weights, n_training=200, permutations=50, rng=np.random.default_rng(1)
        )
        return [item.null.tolist() for item in made]

    few = null()
    monkeypatch.setattr(share_permutation, "_FEW", 0)
    monkeypatch.setattr(share_permutation, "_DECIMALS", 17)
    loops = null()
    monkeypatch.setattr(share_permutation, "_FEW", 10**6)
    assert null() == loops
    assert np.round(loops, 12).tolist() == few


def test_another_replica_is_given_the_same_labels_without_drawing_them() -> None:
    weights = np.random.default_rng(0).random((2, 60))
    options: Any = {"n_training": 20, "permutations": 30}
    drawn: list[Any] = []
    first, other = (
        permute_shares([weight], rng=np.random.default_rng(4), drawn=drawn, **options)[0]
        for weight in weights
    )
    for item, result in zip(weights, (first, other), strict=True):
        alone = permute_shares([item], rng=np.random.default_rng(4), **options)[0]
        assert result.null.tolist() == alone.null.tolist()
    assert len(drawn) == 30


@pytest.mark.parametrize(
    ("null", "p", "reached"), [([0.1, 0.5, 0.6, 0.7], 0.6, 2), ([0.1], 0.5, 0), ([], 1, 0)]
)
def test_permuted_shares_that_reach_the_observed_one_are_counted(
    null: list[float], p: float, reached: int
) -> None:
    result = share_permutation.SharePermutation(0.55, np.array(null), 0.5, 0.1, 0.5, p)
    assert (result.reached, result.permutations) == (reached, len(null))


def test_records_that_differ_in_one_of_many_columns_are_not_the_same() -> None:
    n = np.arange(5)
    frame = pd.DataFrame({f"c{i}": n // 2 % 3 for i in range(40)})  # four codes each: 80 bits
    frame.loc[4, "c0"] = 0  # else it is the same as the records before
    frame.loc[3] = frame.loc[4] * 0 + 2
    data = pair(frame, frame.iloc[[4]])
    of_original, of_replica = points._identities(data)
    same = (frame.to_numpy()[:, None] == frame.to_numpy()).all(axis=2)
    assert ((of_original[:, None] == of_original) == same).all()
    assert (of_original == of_replica).tolist() == [False] * 4 + [True]


def test_columns_vary_that_vary_in_the_original() -> None:
    first, other = {"x": [1, 2], "y": [5, 5]}, {"x": [3, 3], "y": [5, 6]}
    data = [
        as_microdata(pd.DataFrame(values), name)
        for values, name in ((first, "o"), (other, "r"), (other, "h"))
    ]
    assert as_points(*data).varying == ("x",)


def test_outliers_are_as_far_as_the_margin_and_few() -> None:
    near = np.full(99, 0.1)
    pool: Any = SimpleNamespace(training=np.append(near, 1.0), holdout=np.append(near, 0.9))
    assert np.flatnonzero(assessment._outlying(1.0, pool)).tolist() == [99]
    assert np.flatnonzero(assessment._outlying(0.9, pool)).tolist() == [99, 199]
    assert not assessment._outlying(1.1, pool).any()
    assert assessment._outlying(0.1, pool).sum() == 200


def test_nobody_is_singled_out_by_a_replica_no_nearer_than_others() -> None:
    """Where most records are twins, the margin is 0."""
    replica: Any = SimpleNamespace(from_training=np.zeros(3), from_holdout=np.array([0.0, 1.0]))
    pool: Any = SimpleNamespace(training=np.array([0, 1.0, 0]), holdout=np.array([0, 2.0]))
    test = assessment._singled_out(0.0, replica, pool, None)
    assert (test.training, test.holdout) == (1, 1)
    replica = SimpleNamespace(from_training=np.array([0, 1.0, 2]), from_holdout=np.ones(2))
    pool = SimpleNamespace(training=np.array([1.0, 3, 2.5]), holdout=np.array([2, 1.75]))
    test = assessment._singled_out(1.0, replica, pool, None)
    assert (test.training, test.holdout) == (2, 1)  # as far as the margin, too


@pytest.mark.parametrize("permutations", [0, 1, 2])
def test_without_permutations_it_is_told_that_there_were_none(
    permutations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = {
        name: SimpleNamespace(permutation=SimpleNamespace(permutations=permutations), drawn=drawn)
        for name, drawn in (("a", "few"), ("b", ""), ("c", "few"), ("d", "more"))
    }
    monkeypatch.setattr(places, "closest_of", lambda synthesis, *_, **__: results[synthesis])
    plan: Any = SimpleNamespace(options=SimpleNamespace(variables=None))
    (given,) = places._closest(SimpleNamespace(syntheses=results), plan, lambda _: None)  # type: ignore[arg-type]
    assert given.each == given.result == tuple(results.values())
    assert given.undefined == ("" if permutations else "the labels were not permuted")
    assert given.sampled == "few; more"
