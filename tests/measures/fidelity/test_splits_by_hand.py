"""What random splits leave on both sides, and cells that are taken together, by enumeration."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from sdcmetrics import check_holdout
from sdcmetrics.measures.fidelity import holdout_check as module
from sdcmetrics.measures.fidelity.holdout_check import (
    HoldoutCheck,
    _clustered_p,
    _joined,
    _of_random_splits,
    _problems,
    chi_square,
)
from sdcmetrics.measures.survey.households import Households


@pytest.mark.parametrize("size", [1, 3, 6])
def test_records_on_both_sides_are_those_of_all_splits(size: int) -> None:
    sizes = np.array([1, 2, 3, 1])
    records = np.repeat(np.arange(4), sizes)
    every = []
    for chosen in itertools.combinations(range(7), size):
        held = np.bincount(records[list(chosen)], minlength=4)
        every.append(int(held[(held > 0) & (held < sizes)].sum()))
    expected, drawn = _of_random_splits(sizes, size, 1)
    assert expected == pytest.approx(np.mean(every))
    assert {*drawn} <= {*every}
    assert drawn.mean() == pytest.approx(
        np.mean(every), abs=5 * np.std(every) / np.sqrt(199) + 1e-9
    )


def test_without_repeated_records_nothing_is_on_both_sides() -> None:
    expected, drawn = _of_random_splits(np.array([1, 1, 0, 1]), 2, 1)
    assert (expected, len(drawn), drawn.sum()) == (0, 199, 0)


def test_p_counts_the_split_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = np.array([0, 1, 2, 2, 3, 3, 3, 4, 5])
    monkeypatch.setattr(module, "_of_random_splits", lambda *_: (2.5, draws))
    original, holdout = pd.DataFrame({"x": [1, 2, 3, 4, 5]}), pd.DataFrame({"x": [1, 2, 2, 8]})
    result = check_holdout(original, holdout)
    assert (result.n_training, result.n_holdout) == (5, 4)
    assert (result.identical, result.expected_identical) == (3, 2.5)
    assert (result.p_more, result.p_fewer) == (0.6, 0.8)
    households = check_holdout(original, holdout, household=Households(np.arange(9), 5))
    assert households.identical == 3
    assert 0 < households.p_more <= 1


@pytest.mark.parametrize(
    ("counts", "groups"),
    [
        ([[30, 20, 5], [30, 20, 5]], [0, 1, 2]),  # five are expected
        ([[30, 5, 20, 5], [30, 5, 20, 5]], [0, 1, 2, 3]),
        ([[30, 20, 4], [30, 20, 4]], [0, 1, 1]),  # with the next larger
        ([[30, 3, 20, 2], [30, 3, 20, 2]], [0, 2, 1, 2]),  # five together
        ([[30, 2, 20, 2], [30, 2, 20, 2]], [0, 1, 1, 1]),
        ([[2, 1], [2, 1]], [0, 0]),
        ([[30, 20, 4], [60, 40, 14]], [0, 1, 2]),  # of a third: 54 / 168 of 18
    ],
)
def test_cells_of_few_records_are_taken_together(
    counts: list[list[int]], groups: list[int]
) -> None:
    assert _joined(np.array(counts)).tolist() == groups


def test_chi_square_is_of_the_cells_taken_together() -> None:
    statistic, df = chi_square(np.array([[30, 17, 3], [20, 25, 5]]))
    # 30 20 | 20 30: four cells that are 5 off 25
    assert [statistic, df] == pytest.approx([4, 1])
    assert chi_square(np.array([[9], [7]]))[1] == 0


def test_equal_records_of_a_household_count_once() -> None:
    cells = np.repeat([0, 1, 0, 1], [60, 40, 45, 55])
    single = Households(np.arange(200), 100)
    pairs = Households(np.repeat(np.arange(200), 2), 200)
    statistic = chi_square(np.array([[60, 40], [45, 55]]))[0]
    alone = _clustered_p(statistic, cells, single)
    twice = _clustered_p(2 * statistic, np.repeat(cells, 2), pairs)
    assert twice == pytest.approx(alone, rel=1e-9)
    from scipy.stats import chi2

    assert alone == pytest.approx(chi2.sf(statistic, 1), abs=0.003)


class Data:
    sources = ("o.csv", "h.csv")
    sizes = (300, 1_200)


TABLES = pd.DataFrame({"variables": [("a", "b"), ("a",), ("b",)], "p": [0.001, 0.003, 0.2]})


@pytest.mark.parametrize(
    ("p", "population", "words"),
    [
        ((0.01, 0.01), 0.01, []),
        ((0.005, 1.0), 0.5, ["the holdout overlaps the training data"]),
        ((1.0, 0.005), 0.5, ["were removed from one side or kept together"]),
        ((1.0, 1.0), 0.003, ["distribution of 'a' and 'b' and 1 more tables. Split"]),
        (
            (0.005, 1.0),
            0.003,
            ["the holdout overlaps", "no random part of the population of o.csv"],
        ),
    ],
)
def test_problems_begin_below_a_hundredth(
    p: tuple[float, float], population: float, words: list[str]
) -> None:
    data: Any = Data()
    problems = _problems(data, 1_100, 2_000.04, p, TABLES, population)
    assert [part in problem for part, problem in zip(words, problems, strict=True)] == [True] * len(
        words
    )
    if p != (1.0, 1.0) and problems:
        assert problems[0].startswith(
            "1,100 of 1,200 records of h.csv equal a record of o.csv, where a random split shows "
            "2,000.0:"
        )
    more, fewer = p
    check: Any = HoldoutCheck(
        n_training=1, n_holdout=1, identical=0, expected_identical=0, p_more=more, p_fewer=fewer,
        by_table=TABLES, p_population=population, problems=(), fixes=(),
    )  # fmt: skip
    states = (check.overlaps, check.separated, check.other_population)
    assert states == (more < 0.01, fewer < 0.01, population < 0.01)


def test_one_table_alone_has_no_further_ones() -> None:
    data: Any = Data()
    (problem,) = _problems(data, 0, 0.0, (1.0, 1.0), TABLES.assign(p=[0.001, 0.004, 0.2]), 0.003)
    assert "distribution of 'a' and 'b'. Split" in problem
    two = TABLES[:2].assign(p=[0.001, 0.005])  # times two tables: the limit itself
    (problem,) = _problems(data, 0, 0.0, (1.0, 1.0), two, 0.002)
    assert "distribution of 'a' and 'b'. Split" in problem


def test_tables_of_two_files_of_unlike_size_are_compared_by_chi_square() -> None:
    first = pd.DataFrame({"g": [*"a" * 30, *"b" * 20, *"c" * 10], "h": [*"xy" * 30]})
    other = pd.DataFrame({"g": [*"a" * 10, *"b" * 10, *"c" * 20], "h": [*"xxyx" * 10]})
    result = check_holdout(first, other).by_table.set_index("variables")
    assert result.index.tolist() == [("g",), ("g", "h"), ("h",)]
    for name in ("g", "h"):
        levels = sorted({*first[name]})
        counts = [
            [int((frame[name] == level).sum()) for level in levels] for frame in (first, other)
        ]
        statistic, p, df, _ = chi2_contingency(counts, correction=False)
        row = result.loc[[(name,)]].iloc[0]
        assert (row["statistic"], row["p"], row["df"]) == pytest.approx((statistic, p, df))
