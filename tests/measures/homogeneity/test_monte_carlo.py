"""Whether an exact p is small: bounds beside enumeration, and draws beside what is exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from sdcmetrics.measures.homogeneity import monte_carlo
from sdcmetrics.measures.homogeneity.monte_carlo import (
    p_at_most,
    p_by_tilted_draws,
    p_of_cells_at_most,
    passes,
)
from tests.measures.homogeneity.enumeration import pearson, ways

TABLES = [([6, 6], 6), ([12, 3], 5), ([8, 8, 8], 12), ([9, 5, 2], 3), ([5, 5, 5, 5], 10)]
TABLES += [([1, 2, 3, 4, 5], 7), ([10, 10, 3], 18), ([1] * 9, 4), ([20, 6, 4], 5)]


@pytest.mark.parametrize(("both", "m"), TABLES)
def test_no_bound_is_below_the_exact_p(both: list[int], m: int) -> None:
    tables, chance = ways(both, m)
    x2 = pearson(both, tables)
    counts = np.array(both)
    for table, value in zip(tables, x2, strict=True):
        exact = chance[x2 >= value - 1e-9].sum()
        bound = p_at_most(np.array([value]), np.array([float(len(both))]), sum(both) - m, m)[0]
        assert bound >= exact * (1 - 1e-9)
        assert p_of_cells_at_most(counts, table) >= exact * (1 - 1e-9)


@pytest.mark.parametrize(("n", "m"), [(9_000, 3_000), (6_000, 6_000), (3_500, 8_000)])
@pytest.mark.parametrize("both", [2_000, 2_001, 3_000])
def test_a_large_cell_is_bounded_by_a_normal_law(n: int, m: int, both: int) -> None:
    share = m / (n + m)
    seen = np.arange(both + 1)
    part = (seen - both * share) ** 2 / (both * share * (1 - share))
    powers = monte_carlo._POWERS
    bounds = monte_carlo._log_generating(both, n, m)
    assert (bounds < np.inf).sum() > 5
    assert (bounds < np.inf).all() == (both <= 2_000)  # which is summed up
    for power, bound in zip(powers, bounds, strict=True):
        exact = logsumexp(stats.binom.logpmf(seen, both, share) + power * part)
        assert bound >= exact - 1e-9
        if power < 0.25:  # and is no looser than the law is from a normal one
            assert bound < exact + 0.4 * (1 - 2 * share) ** 2 + 1e-2


def test_the_bound_of_cells_is_sharper_and_settles_what_is_far_from_chance() -> None:
    both = np.array([40, 60, 50, 30, 20, 3, 2])
    synthetic = np.array([40, 5, 25, 0, 18, 3, 2])
    total, m = int(both.sum()), int(synthetic.sum())
    x2 = pearson(both.tolist(), synthetic[None])
    rough = p_at_most(x2, np.array([7.0]), total - m, m)[0]
    assert p_of_cells_at_most(both, synthetic) < rough < 1e-12


@pytest.mark.parametrize(("both", "m"), [*TABLES, ([2000, 3], 2)])
def test_tilted_draws_give_the_exact_p_however_small(both: list[int], m: int) -> None:
    if both == [2000, 3]:  # 3 of 3 in the replica's cell cannot be: 2 of 3
        table, exact = np.array([0, 2]), 3 / math.comb(2003, 2)
        assert p_by_tilted_draws(np.array(both), table, np.random.default_rng(1)) == pytest.approx(
            (exact, 0.0), rel=0.05, abs=0.05 * exact
        )
        return
    tables, chance = ways(both, m)
    x2 = pearson(both, tables)
    rng = np.random.default_rng(12)
    for value in np.unique(x2.round(9)):
        table = tables[np.abs(x2 - value).argmin()]
        exact = chance[x2 >= value - 1e-6].sum()
        p, error = p_by_tilted_draws(np.array(both), table, rng)
        assert abs(p - exact) <= 4.5 * error + 1e-9 * exact
        assert error < 0.2 * exact


def test_tilted_draws_reach_what_plain_ones_never_do() -> None:
    both, synthetic = np.array([400] * 5), np.array([255, 215, 190, 175, 165])
    p, error = p_by_tilted_draws(both, synthetic, np.random.default_rng(0))
    x2 = pearson(both.tolist(), synthetic[None])[0]
    assert p == pytest.approx(stats.chi2.sf(x2, 4), rel=0.4)  # 1.4e-10
    assert error < 0.2 * p


BOTH = [10, 10, 10]


@pytest.mark.parametrize("tilted", [True, False])
class TestDraws:
    @pytest.fixture(autouse=True)
    def _which(self, monkeypatch: pytest.MonkeyPatch, tilted: bool) -> None:
        if not tilted:
            monkeypatch.setattr(monte_carlo, "_MOST_STEPS", 0)

    def exact(self, synthetic: list[int]) -> float:
        tables, chance = ways(BOTH, sum(synthetic))
        x2 = pearson(BOTH, tables)
        value = pearson(BOTH, np.array([synthetic]))[0]
        return float(chance[x2 >= value - 1e-9].sum())

    @pytest.mark.parametrize(
        ("synthetic", "times"), [([9, 4, 2], 10.0), ([9, 4, 2], 0.1), ([10, 5, 0], 10.0)]
    )
    def test_decide_as_the_exact_p_does(self, synthetic: list[int], times: float) -> None:
        p = self.exact(synthetic)
        rng = np.random.default_rng(3)
        holds = passes(np.array(BOTH), np.array(synthetic), factor=1.0, chance=p * times, rng=rng)
        assert holds is (times > 1)

    def test_holms_factor_counts(self) -> None:
        p = self.exact([9, 4, 2])
        both, synthetic = np.array(BOTH), np.array([9, 4, 2])
        holds = [
            passes(both, synthetic, factor=f, chance=5 * p, rng=np.random.default_rng(1))
            for f in (1.0, 50.0)
        ]
        assert holds == [True, False]

    def test_pass_by_chance_no_oftener_than_the_level(self) -> None:
        rng = np.random.default_rng(8)
        both, chance = np.array([30, 20, 10, 5]), 0.2
        fresh = rng.multivariate_hypergeometric(both, 30, size=400)
        share = np.mean([passes(both, s, factor=1.0, chance=chance, rng=rng) for s in fresh])
        assert share <= chance + 3 * np.sqrt(chance * (1 - chance) / 400)


@pytest.mark.parametrize(
    ("p", "held", "rounds"),
    [
        ([0.30], False, 1),
        ([0.01], True, 1),
        ([0.06, 0.30], False, 2),  # 0.06 is one error of 0.01 from the level, 0.18 is many
        ([0.06, 0.05, 0.02, 0.30], False, 4),
        ([0.051], False, 8),
        ([0.049], True, 8),
    ],
)
def test_more_is_drawn_while_p_is_within_three_errors_of_the_level(
    p: list[float], rounds: int, monkeypatch: pytest.MonkeyPatch, *, held: bool
) -> None:
    seen: list[float] = []

    def draw(*_: object) -> tuple[float, float]:
        seen.append(p[min(len(seen), len(p) - 1)])
        return seen[-1], 0.01

    monkeypatch.setattr(monte_carlo, "p_by_tilted_draws", draw)
    counts = np.array([3, 3])
    assert monte_carlo._passes_tilted(counts, counts, 0.05, np.random.default_rng(1)) is held
    assert len(seen) == rounds


@pytest.mark.parametrize(
    ("limit", "value", "tilted"),
    [
        ("_MOST_STEPS", 6 * 20, True), ("_MOST_STEPS", 6 * 20 - 1, False),
        ("_MOST_HELD", 6 * 3, True), ("_MOST_HELD", 6 * 3 - 1, False),
        ("_SUMMED", 9, True), ("_SUMMED", 8, False),
    ],
)  # fmt: skip
def test_large_tables_are_drawn_plainly(
    limit: str, value: int, monkeypatch: pytest.MonkeyPatch, *, tilted: bool
) -> None:
    monkeypatch.setattr(monte_carlo, limit, value)
    ways_of: list[str] = []
    for name in ("_passes_tilted", "passes_plain_draws"):
        monkeypatch.setattr(monte_carlo, name, lambda *_, name=name, **__: ways_of.append(name))
    both, synthetic = np.array([9, 6, 5]), np.array([3, 2, 1])
    passes(both, synthetic, factor=2.0, chance=0.01, rng=np.random.default_rng(1))
    assert ways_of == ["_passes_tilted" if tilted else "passes_plain_draws"]
