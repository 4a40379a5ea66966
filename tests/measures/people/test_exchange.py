from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics.measures.overlap import holdout_overlaps
from sdcmetrics.measures.people import exchange as subject
from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.exchange import exchange, writing
from tests.measures.people.drawn import people_of, records


def exchanged(original: pd.DataFrame, holdout: pd.DataFrame, seed: int = 1) -> Any:
    given = records(original, original.head(20), holdout)
    return exchange(files_of(given, given.names), seed)


def test_a_random_part_is_seldom_said_to_differ() -> None:
    rng = np.random.default_rng(1)
    p = [exchanged(people_of(rng, 120), people_of(rng, 60)).p for _ in range(60)]
    assert sum(item <= 0.01 for item in p) <= 3
    assert sum(item <= 0.5 for item in p) >= 15  # and it is no constant


@pytest.mark.parametrize("large", [False, True])
def test_a_drifted_or_rounded_holdout_differs_and_says_where(
    large: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(subject, "_PERMUTED", 100)
    rng = np.random.default_rng(2)
    original, holdout = people_of(rng, 300), people_of(rng, 300)
    moved = holdout.assign(income=holdout["income"] * 1.5)
    out = exchanged(original, moved)
    assert out.differs
    assert "income" in out.most
    rounded = holdout.assign(rent=holdout["rent"].round(-1))
    out = exchanged(original, rounded)
    assert out.differs
    assert out.most == "rent: decimals and trailing zeros"


def test_counts_drawn_from_their_normal_law_are_as_permuted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    original, holdout = people_of(rng, 400), people_of(rng, 300)
    holdout.loc[:24, "region"] = "a"
    exact = exchanged(original, holdout).p
    monkeypatch.setattr(subject, "_PERMUTED", 100)
    assert abs(exchanged(original, holdout).p - exact) < 0.15


@pytest.mark.parametrize("large", [False, True])
def test_a_holdout_with_people_of_the_original_is_no_random_part(
    large: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(subject, "_PERMUTED", 100)
    rng = np.random.default_rng(5)
    original, holdout = people_of(rng, 300), people_of(rng, 150)
    out = exchanged(original, pd.concat([holdout.head(100), original.head(50)]))
    assert out.differs
    assert out.most == "records that are in both"


@pytest.mark.parametrize(("share", "differs"), [(0.0, False), (0.004, False), (0.03, True)])
def test_of_many_people_a_small_overlap_is_noticed_and_a_tiny_one_does_no_harm(
    share: float, *, differs: bool
) -> None:
    # many pairs differ in one number of many values only: no list of combinations
    rng = np.random.default_rng(6)
    n = 8000
    original, holdout = (people_of(rng, n).drop(columns="rent") for _ in range(2))
    count = round(share * n)
    mixed = pd.concat([original[:count], holdout[count:]], ignore_index=True)
    out = exchanged(original, mixed)
    assert out.differs is differs
    assert not differs or out.most == "records that are in both"
    given = records(original, original.head(20), mixed)
    assert holdout_overlaps(given, 1) is differs
    assert not holdout_overlaps(given.without_holdout(), 1)


def test_people_who_answer_nothing_hide_no_overlap() -> None:
    rng = np.random.default_rng(7)
    original, holdout = people_of(rng, 400), people_of(rng, 400)
    for frame in (original, holdout):
        frame.loc[rng.random(400) < 0.3, ["age", "income", "rent"]] = np.nan
        frame.loc[frame["age"].isna(), ["sex", "region", "status"]] = "none"
    overlapping = pd.concat([original[:60], holdout[60:]], ignore_index=True)
    assert exchanged(original, overlapping).most == "records that are in both"
    assert not exchanged(original, holdout).differs


def test_lists_of_each_combination_once_do_not_overlap() -> None:
    every = pd.MultiIndex.from_product([range(8), range(7), range(5), range(4)], names=[*"abcd"])
    for seed in range(5):
        rng = np.random.default_rng(seed)
        files = [every.to_frame(index=False).iloc[rng.permutation(1120)[:400]] for _ in range(2)]
        assert len(files[0].merge(files[1])) > 100
        assert not exchanged(*(file.astype(str).add("x") for file in files)).differs


def test_numbers_are_written_with_decimals_or_trailing_zeros() -> None:
    values = np.array([0.5, 0.25, 1e-7, 3.0, 10.0, 5000.0, 0.0, np.nan, 1e15, -2.5])
    assert writing(values).tolist() == [-1, -2, 90, 0, 1, 3, 90, -99, 15, -1]


def test_groups_of_a_number_are_tenths_of_its_middle_ranks() -> None:
    rng = np.random.default_rng(4)
    for values in (rng.normal(size=57), rng.integers(0, 15, 90).astype(float), np.arange(10.0)):
        groups = subject._quantiles(np.append(values, np.nan))
        tenths = np.ceil(stats.rankdata(values) / len(values) * 10)
        assert groups.tolist() == [*tenths, -1]


def test_levels_of_fewer_than_five_records_are_one_cell() -> None:
    levels = np.repeat(list("abcd"), [5, 4, 3, 8])
    frame = pd.DataFrame({"g": levels, "x": np.arange(20.0)})
    given = records(frame.head(12), frame.head(3), frame.tail(8))
    people = subject._people(files_of(given, given.names), np.arange(20))
    cells = dict(subject._cells(people))
    assert list(cells) == ["g", "x", "x: decimals and trailing zeros"]
    by_level = [set(cells["g"][levels == level].tolist()) for level in "abcd"]
    assert by_level[1] == by_level[2] == {-1}
    assert by_level[0] != by_level[3]
    assert all(len(cell) == 1 and min(cell) >= 0 for cell in (by_level[0], by_level[3]))
    assert cells["x"].tolist() == [i // 2 + 1 for i in range(20)]


FLAGS = np.array([[True] * 6 + [False] * 4, [False] * 4 + [True] * 6])
CELLS = [
    ("a", np.array([7, 7, 2, 2, 2, -1, 7, 2, 2, -1])),
    ("constant", np.zeros(10, int)),
    ("b", np.array([0, 1] * 5)),
]


def test_statistics_are_chi_squares_of_the_counts_of_the_original() -> None:
    names, values = subject._permuted(CELLS, FLAGS, 6)
    assert names == ["a", "b"]
    for (_, cell), statistics in zip((CELLS[0], CELLS[2]), values, strict=True):
        every = np.unique(cell, return_counts=True)[1] * 6 / 10
        for flag, statistic in zip(FLAGS, statistics, strict=True):
            counts = [(cell[flag] == level).sum() for level in np.unique(cell)]
            assert statistic == pytest.approx(stats.chisquare(counts, every).statistic, rel=1e-6)


def test_of_many_people_statistics_have_the_mean_of_permuted_ones() -> None:
    rng = np.random.default_rng(5)
    size, n = 900, 300
    g = rng.choice(4, size, p=[0.5, 0.3, 0.15, 0.05])
    cells = [
        ("g", g),
        ("twice", g % 2),
        ("rare", np.repeat([0, 1, 2, 3], [15, 14, 10, size - 39])),  # 15: 5 of the smaller file
        ("constant", np.zeros(size, int)),
    ]
    label = np.arange(size) < n
    names, values = subject._normal(cells, rng.permuted(label), rng)
    assert names == ["g", "twice", "rare"]
    assert {len(each) for each in values} == {1 + subject.DRAWS}
    spread = n * (size - n) / (size - 1) / n  # of a chi-square's degree of freedom
    for each, freedom in zip(values, (3, 1, 2), strict=True):
        assert each[1:].mean() == pytest.approx(freedom * spread, rel=0.15)
    # cells of one column follow those of the other
    assert np.corrcoef(values[0][1:], values[1][1:])[0, 1] > 0.3
    assert abs(np.corrcoef(values[0][1:], values[2][1:])[0, 1]) < 0.15
    pooled = np.repeat([0, 1, 3], [15, 24, size - 39])
    flag = rng.permuted(label)
    for flags in (flag, ~flag):  # rare is what is so in the smaller file, whichever that is
        of_all = int(flags.sum())
        exact = subject._permuted([*cells[:2], ("rare", pooled)], flags[None], of_all)[1]
        own = subject._normal(cells, flags, rng)[1]
        assert [each[0] for each in own] == pytest.approx([each[0] for each in exact], rel=1e-6)
    assert subject._normal(cells[-1:], label, rng) == ([], [])


def test_neighbours_and_lonely_people_are_counted_by_label() -> None:
    rng = np.random.default_rng(6)
    frame = people_of(rng, 40)
    given = records(frame.head(25), frame.head(2), frame.tail(15))
    people = subject._people(files_of(given, given.names), np.arange(40))
    flags = np.array([np.arange(40) < 25, rng.permuted(np.arange(40) < 25)])
    alike, *lonely = subject._near(people, flags, np.random.default_rng(7))
    far = np.minimum(np.abs(people.ranks[:, :, None] - people.ranks[:, None, :]), people.unit).sum(
        0
    )
    np.fill_diagonal(far, 0)
    nearest = np.sort(far + np.diag(np.full(40, 10**9)), 1)[:, :5]
    for flag, same in zip(flags, alike, strict=True):
        # within ties, whoever they are
        sure = (far[:, :, None] < nearest[:, -1][:, None, None])[..., 0] & ~np.eye(40, dtype=bool)
        within = far <= nearest[:, -1][:, None]
        together = flag[:, None] == flag
        assert (sure & together).sum() <= same <= (within & together).sum() - 40
    for values, statistic in zip((nearest.mean(1), far.mean(1)), lonely, strict=True):
        rank = stats.rankdata(values) - 20.5
        expected = [abs(rank[flag].sum()) for flag in flags]
        assert statistic.tolist() == pytest.approx(expected, abs=1e-3)
    few = subject._people(files_of(given, given.names), np.arange(6))
    assert subject._near(few, flags[:, :6], rng) == []
    seven = subject._people(files_of(given, given.names), np.arange(7))
    assert len(subject._near(seven, flags[:, :7], rng)) == 3


@pytest.mark.parametrize(
    ("first", "second", "p", "most"),
    [
        ([9, 1, 2, 3, 4], [5, 5, 5, 5, 5], 0.2, "a"),
        ([2, 1, 2, 3, 4], [1, 0, 0, 0, 0], 0.2, "b"),
        ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], 1.0, "a"),
        ([4, 4, 1, 1, 1], [0, 0, 0, 0, 0], 0.4, "a"),
    ],
)
def test_p_is_of_the_largest_standardised_statistic(
    first: list[float],
    second: list[float],
    p: float,
    most: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = [np.array(first, float), np.array(second, float)]
    monkeypatch.setattr(subject, "_permuted", lambda *_: (["a", "b"], values))
    monkeypatch.setattr(subject, "_near", lambda *_: [])
    rng = np.random.default_rng(8)
    result = exchanged(people_of(rng, 10), people_of(rng, 8))
    assert (result.p, result.most) == (p, most)


def test_so_few_people_that_nothing_can_be_compared() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3], "g": list("abc")})
    given = records(frame, frame, frame.tail(2))
    result = exchange(files_of(given, given.names), 1)
    assert (result.p, result.differs) == (1.0, False)


def test_labels_are_those_of_the_files_to_the_last_person() -> None:
    first, other = (pd.DataFrame({"g": [level] * 6, "k": ["c"] * 6}) for level in "ab")
    given = records(first, first, other)
    result = exchange(files_of(given, given.names), 1)
    # Two of the 924 ways to choose six of twelve tell them apart; one person off, 14 of 792.
    assert result.p == pytest.approx(2 / 924, abs=0.004)
