"""What the holdout is expected to score: the mean over all ways to say who is synthetic."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from sdcmetrics import MEASURES, Study, conduct
from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.statistics import s_ft, s_jsd

EXACT = {"S_FT": s_ft, "S_JSD": s_jsd}


def one_table(
    synthetic: npt.ArrayLike, original: npt.ArrayLike, *, k_syn: bool = False
) -> TablePairs:
    s, d = np.asarray(synthetic), np.asarray(original)
    filled = s + d > 0
    return TablePairs(d[filled], s[filled], np.array([0]), (0,), k_syn)


def permuted(tables: TablePairs) -> list[TablePairs]:
    """Every way to choose which of all records are synthetic."""
    both = tables.original + tables.synthetic
    records = np.repeat(np.arange(len(both)), both)
    results = []
    for chosen in itertools.combinations(records, int(tables.synthetic.sum())):
        synthetic = np.bincount(chosen, minlength=len(both))
        results.append(TablePairs(both - synthetic, synthetic, tables.starts, (0,), tables.k_syn))
    return results


@pytest.mark.parametrize("symbol", EXACT)
@pytest.mark.parametrize("k_syn", [False, True])
@pytest.mark.parametrize(
    ("synthetic", "original"), [([1, 2, 0, 1], [2, 0, 3, 1]), ([5, 1, 1], [1, 1, 0])]
)
def test_is_the_mean_over_all_permutations(
    symbol: str, synthetic: list[int], original: list[int], k_syn: bool
) -> None:
    tables = one_table(synthetic, original, k_syn=k_syn)
    expected = np.mean([EXACT[symbol](item)[0] for item in permuted(tables)])
    assert MEASURES[symbol].fresh_here(tables)[0] == pytest.approx(expected, rel=1e-12)


def drawn(n: int, m: int, cells: int, times: int = 1500) -> TablePairs:
    """As many tables, original and replica drawn from the same shares, which fall as 1/rank."""
    rng = np.random.default_rng([n, m, cells])
    shares = 1.0 / np.arange(1, cells + 1)
    sides = [rng.multinomial(size, shares / shares.sum(), size=times) for size in (n, m)]
    filled = sum(sides) > 0
    starts = np.concatenate([[0], np.cumsum(filled.sum(axis=1))[:-1]])
    return TablePairs(sides[0][filled], sides[1][filled], starts, (0,) * times)


@pytest.mark.parametrize("symbol", ["S_FT", "S_JSD", "S_G"])
@pytest.mark.parametrize(
    "sizes", [(300, 300, 400), (200, 100, 400), (300, 3000, 40), (4000, 400, 40), (900, 900, 4)]
)
def test_fresh_people_have_it_on_average(symbol: str, sizes: tuple[int, int, int]) -> None:
    tables, measure = drawn(*sizes), MEASURES[symbol]
    result, expected = measure.function(tables), measure.fresh_here(tables)
    error = 4 * np.std(result) / np.sqrt(len(result)) / np.mean(result)
    slack = 0.02 if symbol == "S_G" else 0.002  # a ratio of expectations, and a normal law
    assert np.mean(result) / np.mean(expected) == pytest.approx(1.0, abs=slack + error)


@pytest.mark.parametrize("symbol", ["S_FT", "S_JSD", "S_G"])
def test_is_the_closed_form_where_cells_are_well_filled(symbol: str) -> None:
    measure = MEASURES[symbol]
    tables = one_table([4000, 2000, 900], [8100, 4100, 1900])
    assert measure.fresh_here(tables)[0] == pytest.approx(measure.fresh(14100, 6900), rel=2e-3)


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.zipf(1.6, n).clip(max=60).astype(str) for name in "abc"})


def test_stands_beside_every_table_of_a_review_whatever_the_syntheses() -> None:
    original, replicas = people(200, 1), [people(200, 2), people(200, 3)]
    review = conduct(Study(original, {"fresh": replicas}, keys=["a"], targets=["c"], ways=(1, 2)))
    rows = review.mean_rows().set_index(["metric", "variables"])
    for symbol, measure in MEASURES.items():
        if measure.of.per == "table" and measure.fresh and not measure.of.option:
            assert rows.loc[symbol, "fresh"].notna().all()
    assert rows.loc["S_pMSE", "fresh"].to_numpy() == pytest.approx(
        MEASURES["S_pMSE"].fresh(200, 200)
    )
    assert rows.loc["TVD", "fresh"].isna().all()
    pair = ("a", "b")
    each = review.frame[review.frame["synthesis"].notna()]
    of_pair = each[(each["metric"] == "S_FT") & (each["variables"] == pair)]
    assert rows.loc[("S_FT", pair), "fresh"].item() == pytest.approx(of_pair["fresh"].mean())
    assert rows.loc[("S_FT", pair), "fresh"].item() > 3  # 2 where cells are well filled
