"""Small counts of a table beside random draws from the original's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.homogeneity import small_counts
from sdcmetrics.measures.homogeneity.small_counts import NOT_NEAR, Cells, may_be_near, nearness


def table(original: np.ndarray, synthetic: np.ndarray) -> Cells:
    """Return the cells of two tables of counts."""
    sides = [np.repeat(np.indices(each.shape).reshape(2, -1), each.ravel(), axis=1)
             for each in (original, synthetic)]  # fmt: skip
    return Cells.of((sides[0][0], sides[1][0]), (sides[0][1], sides[1][1]), original.shape[1])


def raked(counts: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return counts fitted to margins, entry by entry."""
    out = counts.astype(float)
    for _ in range(2000):
        out *= np.divide(rows, out.sum(1), out=np.zeros(len(rows)), where=out.sum(1) > 0)[:, None]
        out *= np.divide(columns, out.sum(0), out=np.zeros(len(columns)), where=out.sum(0) > 0)
    return out


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_spread_around_the_original_raked_to_the_margins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    original = rng.poisson(4.0, (7, 6)) + rng.integers(0, 2, (7, 6))
    synthetic = np.clip(original + rng.integers(-1, 2, (7, 6)) * (rng.random((7, 6)) < 0.4), 0, 99)
    synthetic[original == 0] = 0
    result = nearness(table(original, synthetic))
    rows, columns = synthetic.sum(1), synthetic.sum(0)
    expected = raked(original, rows, columns)
    free = (1 - expected / rows[:, None]) * (1 - expected / columns)
    small = (expected >= 1) & (expected < 10) & (free >= 0.3)
    spread = ((np.abs(synthetic - expected) + 0.5)[small] ** 2 / expected[small]).sum()
    spread += max((synthetic - expected)[expected < 1].sum(), 0.0)
    laws = [(free[small].sum(), (free[small] ** 2 * (2 + 1 / expected[small])).sum())]
    # and by the counts' whole covariance, their sums given
    margins = np.concatenate([np.kron(np.eye(7), np.ones(6)), np.kron(np.ones(7), np.eye(6))])
    given = margins * np.sqrt(expected.ravel())
    part = np.eye(42) - given.T @ np.linalg.pinv(given @ given.T) @ given
    part = part[np.ix_(small.ravel(), small.ravel())]
    own = np.diagonal(part)
    laws.append((own.sum(), 2 * (part**2).sum() + (own**2 / expected[small]).sum()))
    assert result.cells == small.sum()
    ratio = max(spread / mean for mean, _ in laws)
    assert result.ratio == pytest.approx(ratio, rel=1e-4)
    assert ratio > spread / laws[0][0]
    p = max(stats.gamma(m**2 / v, scale=v / m).cdf(spread) for m, v in laws)
    assert result.p == pytest.approx(p, rel=0.02, abs=1e-12)


@pytest.mark.parametrize("size", [120, 600, 3000])
def test_draws_from_the_original_are_seldom_near(size: int) -> None:
    rng = np.random.default_rng(size)
    share = rng.dirichlet(np.ones(80)).reshape(10, 8)
    p = []
    for _ in range(400):
        original = rng.multinomial(600, share.ravel()).reshape(10, 8)
        drawn = rng.multinomial(size, original.ravel() / 600).reshape(10, 8)
        p.append(nearness(table(original, drawn)).p)
    for level in (0.01, 0.05, 0.2):
        error = 3 * np.sqrt(level * (1 - level) / len(p))
        assert np.mean(np.array(p) <= level) <= level + error


def test_other_people_vary_more_and_kept_counts_less() -> None:
    rng = np.random.default_rng(5)
    share = rng.dirichlet(np.ones(80)).ravel()
    original, fresh = rng.multinomial(400, share, 2).reshape(2, 10, 8)
    assert nearness(table(original, fresh)).ratio > 1.5
    kept = nearness(table(original, original))
    assert kept.ratio < 0.4
    assert kept.p < 1e-6
    twice = nearness(table(original, 2 * original))
    assert twice.ratio < kept.ratio


def test_margins_alone_are_not_enough() -> None:
    rng = np.random.default_rng(6)
    first = rng.integers(0, 10, 500)
    second = (first + rng.poisson(2, 500)) % 8
    permuted = Cells.of((first, first), (second, rng.permutation(second)), 8)
    assert nearness(permuted).ratio > 1.5


def test_counts_that_the_original_lacks_speak_against_it() -> None:
    rng = np.random.default_rng(7)
    original = rng.poisson(3, (8, 8)) * (rng.random((8, 8)) < 0.8)
    moved = original.copy()
    empty = np.argwhere(original == 0)[:4]
    for row, column in empty:
        moved[row, column] += 3
    assert nearness(table(original, moved)).ratio > nearness(table(original, original)).ratio + 0.2


@pytest.mark.parametrize(("rows", "each"), [(6, 5), (4, 3)])
def test_a_balanced_design_is_kept_by_nobody(rows: int, each: int) -> None:
    balanced = np.full((rows, 6), each)
    assert nearness(table(balanced, balanced)) == NOT_NEAR
    uneven = np.random.default_rng(rows).poisson(balanced)
    assert nearness(table(uneven, uneven)).near


def test_a_table_of_few_small_cells_says_nothing() -> None:
    counts = np.array([[2, 3], [200, 300]])
    assert nearness(table(counts, counts)) == NOT_NEAR
    large = np.full((5, 5), 40) + np.arange(25).reshape(5, 5)
    assert nearness(table(large, large)) == NOT_NEAR


def test_what_one_column_determines_is_left_out() -> None:
    diagonal = np.diag(np.arange(2, 12))
    assert nearness(table(diagonal, diagonal)) == NOT_NEAR


@pytest.mark.parametrize("times", [1, 3])
def test_whatever_is_near_is_worth_raking(times: int) -> None:
    rng = np.random.default_rng(8)
    tables = [rng.poisson(mean, 30) + 1 for mean in (2, 4, 6)]
    counts = np.concatenate(tables)
    pairs = TablePairs(counts, times * counts, np.array([0, 30, 60]), (0, 0, 0))
    assert may_be_near(pairs).all()
    others = np.concatenate([rng.multinomial(times * t.sum(), np.ones(30) / 30) for t in tables])
    assert not may_be_near(TablePairs(counts, others, pairs.starts, pairs.empty)).any()


def test_the_spread_of_counts_that_are_drawn_has_the_law_of_their_covariance() -> None:
    expected, free = np.array([2.0, 4.0]), np.array([0.5, 0.25])
    law = small_counts._Law.of_free(expected, free)
    assert (law.mean, law.variance) == pytest.approx((0.75, 0.25 * 2.5 + 0.0625 * 2.25))
    for covariance in (expected * free, np.diag(expected * free)):
        of_cells = small_counts._Law.of_cells(expected, covariance)
        assert (of_cells.mean, of_cells.variance) == pytest.approx((law.mean, law.variance))
    # of two counts that move together squares are more, by 2 * 2 * .3^2 / (2 * 4)
    together = np.diag(expected * free) + np.array([[0.0, 0.3], [0.3, 0.0]])
    more = small_counts._Law.of_cells(expected, together)
    assert (more.mean, more.variance) == pytest.approx((0.75, law.variance + 0.045))
    near = law.nearness(0.3, 2)
    shape = 0.75**2 / law.variance
    assert (near.cells, near.ratio) == (2, pytest.approx(0.4))
    assert near.p == pytest.approx(stats.gamma.cdf(0.3, shape, scale=0.75 / shape))


def test_counts_are_by_design_where_chance_hardly_ever_makes_them_so_even() -> None:
    rng = np.random.default_rng(5)
    answers = []
    for i in range(60):
        rows, columns = rng.integers(1, 9, 7), rng.integers(1, 9, 6)
        even = np.outer(rows, columns) / 9
        counts = np.rint(even + rng.normal(0, 0.1 + i / 40, even.shape)).clip(0).astype(int)
        total = counts.sum()
        spread = mean = variance = cells = 0.0
        for row, column in np.ndindex(counts.shape):
            of_row, of_column = counts[row].sum(), counts[:, column].sum()
            expected = of_row * of_column / total
            free = (1 - of_row / total) * (1 - of_column / total)
            if expected >= 0.5 and free >= 0.3:
                cells += 1
                spread += (counts[row, column] - expected) ** 2 / expected
                mean += free
                variance += free**2 * (2 + 1 / expected)
        p = stats.gamma(mean**2 / variance, scale=variance / mean).cdf(spread)
        answers.append(small_counts._is_by_design(table(counts, counts)))
        assert answers[-1] == (cells >= 5 and p <= 0.05)
    assert 15 < sum(answers) < 50
    assert not small_counts._is_by_design(table(np.full((2, 2), 9), np.full((2, 2), 9)))
