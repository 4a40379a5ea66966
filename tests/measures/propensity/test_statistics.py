"""Scores to statistics, beside definitions written out record by record."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.measures.propensity import statistics as ps
from sdcmetrics.measures.propensity.statistics import ScoredRecords

groups = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8
).filter(lambda rows: any(s for _, s, _ in rows) and any(d for _, _, d in rows))


def scored(rows: Any, **options: Any) -> ScoredRecords:
    rows = [row for row in rows if row[1] + row[2]]
    score, s, d = (np.array(column) for column in zip(*rows, strict=True))
    return ScoredRecords(score / 10, s, d, **options)


def spread(rows: Any) -> tuple[list[float], list[float]]:
    synthetic = [score / 10 for score, s, _ in rows for _ in range(s)]
    original = [score / 10 for score, _, d in rows for _ in range(d)]
    return synthetic, original


@settings(max_examples=80, deadline=None, database=None)
@given(groups)
def test_statistics_are_those_of_single_records(rows: Any) -> None:
    ours = ps.statistics(scored(rows))
    s, d = spread(rows)
    n, c = len(s) + len(d), len(s) / (len(s) + len(d))
    assert ours["pMSE"] == pytest.approx(sum((p - c) ** 2 for p in (*s, *d)) / n)
    wins = sum((a > b) + (a == b) / 2 for a in s for b in d)
    assert ours["U"] == pytest.approx(wins)
    gaps = [abs(np.mean([p <= at for p in s]) - np.mean([p <= at for p in d])) for at in (*s, *d)]
    assert ours["SPECKS"] == pytest.approx(max(gaps))
    for symbol, cut in (("PO50", 0.5), ("PO50_c", c)):
        right = sum(p > cut for p in s) + sum(p <= cut for p in d)
        assert ours[symbol] == pytest.approx(100 * right / n - 50)


def test_k_syn_centres_at_one_half() -> None:
    rows = [(5, 3, 1)]
    assert ps.p_mse(scored(rows, k_syn=True)) == 0
    assert ps.p_mse(scored(rows)) == pytest.approx(0.25**2)


def test_the_two_cuts_differ_for_unequal_sizes() -> None:
    records = scored([(2, 1, 6), (4, 2, 1)])
    assert ps.po50(records) == pytest.approx(20)  # every record is called original: 7 of 10
    assert ps.po50_c(records) == pytest.approx(30)  # 6 originals and 2 synthetic ones


def test_scores_equal_up_to_rounding_are_ties() -> None:
    score = np.array([0.5, 0.5 + 1e-14])
    one = np.array([1, 1])
    assert ps.u(ScoredRecords(score, one, one, digits=10)) == 2
    assert ps.po50(ScoredRecords(score, one, one, digits=10)) == 0


def test_no_degrees_of_freedom_no_ratio() -> None:
    assert math.isnan(ps.s_p_mse(scored([(5, 1, 1)], df=0)))
