"""Weights that vary: acceptability, stretches, the smallest change and the Pareto set."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking.sensitivity import (
    pareto,
    rank_acceptability,
    rank_shares,
    smallest_changes,
    stretches,
    weight_draws,
)
from sdcmetrics.ranking.values import Floats
from sdcmetrics.study.ranking import make_ranking
from sdcmetrics.study.weights import make_weights

WEIGHTS = make_weights({"general": 0.5, "disclosure": 0.5}, {"general": ["ROC", "TVD_two_way"]})


def some_points(seed: int, n: int = 4, k: int = 3) -> Floats:
    return np.random.default_rng(seed).integers(0, 6, size=(n, k)).astype(float)


def grid(k: int, steps: int) -> Floats:
    """Return all weights that are multiples of 1 / steps."""
    parts = [c for c in itertools.product(range(steps + 1), repeat=k) if sum(c) == steps]
    return np.array(parts, dtype=float) / steps


class TestWeightDraws:
    def test_every_draw_is_a_set_of_weights(self) -> None:
        draws = weight_draws(WEIGHTS, draws=300)
        assert draws.shape == (300, 5)
        assert (draws > 0).all()
        np.testing.assert_allclose(draws.sum(axis=1), 1)

    def test_families_are_drawn_evenly_whatever_their_number_of_metrics(self) -> None:
        draws = weight_draws(WEIGHTS, draws=4096)
        of_risk = draws[:, 2:].sum(axis=1)
        # Of two families the weight of one is uniform: mean 1/2, quarters at 1/4, 1/2, 3/4.
        np.testing.assert_allclose(
            np.quantile(of_risk, [0.25, 0.5, 0.75]), [0.25, 0.5, 0.75], atol=0.01
        )
        assert draws[:, 2:].mean(axis=0) == pytest.approx([1 / 6] * 3, abs=0.005)

    def test_the_flat_dirichlet_has_its_moments_within_a_family(self) -> None:
        draws = weight_draws(WEIGHTS, draws=4096)
        within = draws[:, 2:] / draws[:, 2:].sum(axis=1, keepdims=True)
        # Dirichlet(1, 1, 1): variance 1/18, covariance -1/36.
        assert np.cov(within.T)[0, 0] == pytest.approx(1 / 18, rel=0.05)
        assert np.cov(within.T)[0, 1] == pytest.approx(-1 / 36, rel=0.05)

    def test_the_same_seed_repeats_and_another_differs(self) -> None:
        assert (weight_draws(WEIGHTS, draws=9) == weight_draws(WEIGHTS, draws=9)).all()
        assert (weight_draws(WEIGHTS, draws=9) != weight_draws(WEIGHTS, draws=9, seed=2)).any()

    def test_no_draws_are_refused(self) -> None:
        with pytest.raises(StudyError, match="at least 1"):
            make_ranking({"draws": 0}, models=False)


class TestRankAcceptability:
    def test_two_crossing_replicas_are_first_by_the_exact_share_of_weights(self) -> None:
        weights = make_weights({"ROC": 0.5, "DiSCO": 0.5})
        points = np.array([[1.0, 0.0], [0.0, 3.0]])
        # The first is ahead where w > 3 (1 - w), a quarter of all weights.
        shares = rank_acceptability(points, weight_draws(weights, draws=4096))
        assert shares[0, 0] == pytest.approx(0.25, abs=0.002)

    def test_a_slow_count_over_the_draws_gives_the_same(self) -> None:
        points, draws = some_points(3), grid(3, 12)
        expected = np.zeros((4, 4))
        for weights in draws:
            totals = [round(float(p @ weights), 12) for p in points]
            for i, total in enumerate(totals):
                better = sum(other > total for other in totals)
                alike = totals.count(total)
                for place in range(better, better + alike):
                    expected[i, place] += 1 / alike / len(draws)
        np.testing.assert_allclose(rank_acceptability(points, draws), expected)

    def test_every_rank_and_every_replica_is_given_out_whole(self) -> None:
        shares = rank_acceptability(some_points(5), grid(3, 7))
        np.testing.assert_allclose(shares.sum(axis=0), 1)
        np.testing.assert_allclose(shares.sum(axis=1), 1)


class TestStretches:
    @pytest.mark.parametrize("seed", range(8))
    def test_agree_with_a_scan_of_the_weight(self, seed: int) -> None:
        points = some_points(seed, n=5, k=2)
        result = stretches(points[:, 0], points[:, 1], list("abcde"))
        assert result[0].low == 0.0
        assert result[-1].high == 1.0
        for weight in np.linspace(0.003, 0.997, 200):
            totals = (1 - weight) * points[:, 0] + weight * points[:, 1]
            (here,) = (s for s in result if s.low < weight <= s.high)
            best = [r for r, t in zip("abcde", totals, strict=True) if t > totals.max() - 1e-9]
            assert set(here.first) <= set(best)

    def test_replicas_that_never_differ_are_first_together(self) -> None:
        (result,) = stretches(np.array([1.0, 1.0]), np.array([2.0, 2.0]), ["a", "b"])
        assert result.first == ("a", "b")

    def test_who_is_first_at_a_point_only_has_no_stretch(self) -> None:
        for above, first in ((1e-10, ["a", "b"]), (1e-8, ["a", "c", "b"])):
            utility, protection = (np.array([*ends, 0.5 + above]) for ends in ((1, 0), (0, 1)))
            result = stretches(utility, protection, ["a", "b", "c"])
            assert [stretch.first for stretch in result] == [(name,) for name in first]
            assert (result[0].low, result[-1].high) == (0.0, 1.0)
            assert result[0].high == pytest.approx(0.5, abs=1e-7)


class TestSmallestChange:
    @pytest.mark.parametrize("seed", range(6))
    def test_no_weights_of_a_fine_grid_are_nearer(self, seed: int) -> None:
        points, weights = some_points(seed), np.array([0.5, 0.3, 0.2])
        result = {
            c.replica: c for c in smallest_changes(points, weights, list("abcd"), list("uvw"))
        }
        fine = grid(3, 100)
        moved = 0.5 * np.abs(fine - weights).sum(axis=1)
        totals = points @ fine.T
        for i, replica in enumerate("abcd"):
            ahead = totals[i] >= totals.max(axis=0) - 1e-12
            nearest = moved[ahead].min(initial=np.inf)
            change = result[replica]
            assert change.moved <= nearest + 1e-9
            if change.possible:
                assert nearest - change.moved < 0.03
                new = np.array([change.weights[name] for name in "uvw"])
                assert new.sum() == pytest.approx(1)
                assert (points @ new).max() - points[i] @ new < 1e-9
                assert sum(change.taken.values()) == pytest.approx(change.moved, abs=1e-8)

    def test_the_first_needs_no_change_and_a_dominated_replica_can_have_none(self) -> None:
        points = np.array([[1.0, 1.0], [0.5, 0.5]])
        first, other = smallest_changes(points, np.array([0.5, 0.5]), ["a", "b"], ["u", "v"])
        assert (first.replica, first.moved, first.taken) == ("a", 0.0, {})
        assert not other.possible
        assert other.weights == {}

    def test_changes_are_of_weights_that_change_in_nine_digits(self) -> None:
        # b is first where its weight is twice that of a's: a third and two thirds of 0.9.
        points = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        weights = np.array([0.5, 0.4, 0.1])
        _, other = smallest_changes(points, weights, ["a", "b"], ["u", "v", "w"])
        assert (other.replica, other.taken, other.given) == ("b", {"u": 0.2}, {"v": 0.2})
        _, other = smallest_changes(points[:, :2], np.array([0.5, 0.5]), ["a", "b"], ["u", "v"])
        assert (other.moved, other.taken) == (0.166666667, {"u": 0.166666667})
        assert other.weights == {"u": 0.333333333333, "v": 0.666666666667}

    def test_one_replica_is_first_as_it_is(self) -> None:
        (only,) = smallest_changes(np.array([[1.0, 2.0]]), np.array([0.5, 0.5]), ["a"], ["u", "v"])
        assert only.moved == 0.0


class TestPareto:
    @pytest.mark.parametrize("seed", range(5))
    def test_equals_a_search_over_all_pairs(self, seed: int) -> None:
        points = some_points(seed, n=8)
        expected = [not any((q >= p).all() and (q > p).any() for q in points) for p in points]
        assert pareto(points).tolist() == expected

    def test_what_is_the_same_in_twelve_digits_is_equal(self) -> None:
        for apart, share, alone in ((4e-13, 0.5, True), (6e-13, 0.0, False)):
            points = np.array([[0.0], [apart]])
            assert pareto(points).tolist() == [alone, True]
            assert rank_shares(points)[0].tolist() == [share, 1 - share]

    def test_equal_replicas_do_not_beat_each_other(self) -> None:
        assert pareto(np.array([[1.0, 2.0], [1.0, 2.0]])).tolist() == [True, True]
