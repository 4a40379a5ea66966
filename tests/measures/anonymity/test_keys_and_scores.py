"""Scores of special uniques, importance of keys and sizes of classes, worked record by record."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import k_anonymity, key_importance, replicated_special_uniques, special_uniques
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity import replicated_special_uniques as replicated
from sdcmetrics.measures.anonymity import special_uniques as searching
from sdcmetrics.measures.anonymity.key_importance import _few, _told_apart
from sdcmetrics.measures.anonymity.special_uniques import combine, largest_set, minimal_uniques

FILE = pd.DataFrame(
    {"sex": list("mmmffff"), "age": [1, 2, 2, 2, 1, 1, 3], "region": list("NNSSNNN")}
)
# alone: record 0 by sex and age; 1 by age and region with sex; 2 by sex and region;
# 3 by sex and age (and by sex and region); 6 by age.


def test_scores_and_shares_of_keys_by_hand() -> None:
    result = special_uniques(FILE, keys=["sex", "age", "region"], sampling_fraction=0.25)
    # a set of r of three keys counts (3 - r)!
    assert result.of_record["score"].tolist() == [1, 1, 1, 2, 0, 0, 2]
    assert result.of_record["sets"].tolist() == [1, 1, 1, 2, 0, 0, 1]
    smallest = result.of_record["smallest"]
    assert smallest.isna().tolist() == [False, False, False, False, True, True, False]
    assert smallest.dropna().tolist() == [2, 2, 2, 2, 1]
    shares = {
        key: result.of_record[f"contribution of {key}"].tolist() for key in ("sex", "age", "region")
    }
    assert shares == {
        "sex": [1, 0, 1, 1, 0, 0, 0],
        "age": [1, 1, 0, 0.5, 0, 0, 1],
        "region": [0, 1, 1, 0.5, 0, 0, 0],
    }
    assert result.by_key.tolist() == pytest.approx([4 / 7, 5 / 7, 3 / 7])
    assert result.by_size["sets"].tolist() == [1, 5, 0]
    assert result.by_size["records"].tolist() == [1, 4, 0]
    assert (result.special, result.uniques) == (5, 5)
    # odds are as the scores to the power 1 + (8 - 3) / 20; their inverses add up to the match's
    dis = result.of_record["dis_suda"].to_numpy()
    odds = dis[dis > 0] / (1 - dis[dis > 0])
    assert odds[3] / odds[0] == pytest.approx(2**1.25)
    assert (1 / odds).sum() == pytest.approx(5 * (1 / result.risk - 1))
    # 5 uniques, 1 pair, no class of three: of a quarter, 5 / 4 over that and 2 (1 - 1/4) of pairs
    assert result.risk == pytest.approx(1.25 / (1.25 + 1.5))


def test_somebody_who_is_alone_by_all_keys_only() -> None:
    file = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]})
    result = special_uniques(file, keys=["a", "b"])
    assert result.of_record["smallest"].tolist() == [2] * 4
    assert result.of_record["score"].tolist() == [1] * 4


def test_nobody_who_is_alone_has_no_score() -> None:
    pairs = pd.concat([FILE[:3], FILE[:3]])
    result = special_uniques(pairs, keys=["sex", "age", "region"])
    assert result.of_record["score"].sum() == 0
    assert result.by_key.tolist() == [0, 0, 0]
    assert result.of_record["dis_suda"].tolist() == [0] * 6


@pytest.mark.parametrize(
    ("given", "keys", "size"), [(None, 10, 10), (None, 11, 4), (1, 3, 1), (3, 3, 3), (4, 3, 3)]
)
def test_the_largest_set(given: int | None, keys: int, size: int) -> None:
    assert largest_set(given, keys) == size


@pytest.mark.parametrize(("fraction", "right"), [(0.0, False), (1.0, True), (1.01, False)])
def test_a_sampling_fraction_is_above_0_and_at_most_1(fraction: float, *, right: bool) -> None:
    with pytest.raises(StudyError, match="max_size: expected a whole number of 1 or more"):
        largest_set(0, 3)
    if right:
        assert special_uniques(FILE, keys=["sex", "age"], sampling_fraction=fraction).risk == 1
        return
    with pytest.raises(StudyError, match="sampling_fraction: expected a number above 0"):
        special_uniques(FILE, keys=["sex", "age"], sampling_fraction=fraction)


@pytest.mark.parametrize("widest", [1 << 62, 12, 1])
def test_combinations_are_numbered_alike_however_few_fit_a_number(
    widest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "_WIDEST", widest)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5, (4, 30))
    index = combine(codes)
    assert index.min() >= 0
    assert index.max() < 4 * 30
    for i, j in itertools.combinations(range(30), 2):
        assert (index[i] == index[j]) == bool((codes[:, i] == codes[:, j]).all())


def test_combinations_beyond_a_number_of_64_bits_are_told_apart() -> None:
    codes = np.zeros((5, 3), dtype=np.int64)
    codes[:, 2] = (1 << 16) - 1  # 2^80 places: the first key counts by multiples of 2^64
    codes[0, 1] = 1
    assert len({*combine(codes).tolist()}) == 3


def test_of_few_combinations_the_place_is_kept() -> None:
    codes = np.array([[0, 1, 1], [0, 0, 5]])
    assert combine(codes).tolist() == [0, 6, 11]  # 12 places for 3 records: 4 per record
    assert combine(np.array([[0, 1], [0, 4]])).tolist() == [0, 1]  # 10 places for 2 records


def test_importance_of_keys_by_hand() -> None:
    result = key_importance(FILE, keys=["sex", "age", "region"], sampling_fraction=0.25)
    assert (result.n, result.uniques) == (7, 5)
    table = result.by_key
    assert table["distinction"].tolist() == pytest.approx([2 / 7, 3 / 7, 2 / 7])
    # 1 - alike pairs over 21: 3 + 6; 3 + 3; 10 + 1
    assert table["separation"].tolist() == pytest.approx([12 / 21, 15 / 21, 10 / 21])
    # alone by two keys: age and region 2 (1, 6); sex and region 2 (2, 3); sex and age 3 (0, 3, 6)
    assert table["uniques"].tolist() == [3, 3, 2]
    whole = 1.25 / (1.25 + 1.5)
    for key in table.index:
        others = [name for name in table.index if name != key]
        without = special_uniques(FILE, keys=others, sampling_fraction=0.25).risk
        assert table.loc[key, "match_risk"] == pytest.approx(whole - without)
    few = result.few_keys
    assert len(few) == 7
    assert few["keys"].iloc[0] == ("sex", "age", "region")
    assert few["uniques"].tolist() == [5, 3, 2, 2, 1, 0, 0]
    assert few["keys"].iloc[1] == ("sex", "age")
    assert few["percent"].iloc[:2].tolist() == pytest.approx([500 / 7, 300 / 7])


def test_ten_sets_of_up_to_three_keys_are_named() -> None:
    file = pd.DataFrame({name: range(4) for name in "abcd"})
    few = key_importance(file, keys=list("abcd")).few_keys
    assert few["keys"].tolist() == [
        *((name,) for name in "abcd"),
        *itertools.combinations("abcd", 2),
    ]
    assert key_importance(file.head(1), keys=list("ab")).by_key["separation"].tolist() == [1, 1]


def test_special_uniques_in_a_replica_by_hand() -> None:
    replica = FILE.iloc[[0, 0, 1, 6, 3]].assign(region=list("NNNSS"))
    # present: 0 (twice), 1 (once, right), 6 (once, in another region), 3 by two sets, both once
    # and right; 2 by sex and region is absent
    result = replicated_special_uniques(FILE, [replica, FILE], keys=["sex", "age", "region"])
    table = result.table
    assert result.synthetic_records == 6  # of 5 and 7
    assert table.loc["original", "sets"] == 6
    sets = {0: ("sex", "age"), 1: ("age", "region"), 2: ("sex", "region"), 6: ("age",)}
    every = [*sets.items(), (3, ("sex", "age")), (3, ("sex", "region"))]
    counts = np.zeros(3)
    for record, keys in every:
        person = FILE.iloc[record]
        same = replica[(replica[list(keys)] == person[list(keys)]).all(axis=1)]
        right = len(same) == 1 and bool((same.iloc[0] == person).all())
        counts += [len(same) > 0, len(same) == 1, right]
    expected = (100 * counts / 6 + 100) / 2
    assert table.to_numpy()[0, 1:] == pytest.approx(expected)


def test_parts_of_an_original_are_twenty_or_as_many_as_its_size_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes = np.arange(24).reshape(1, 24)
    assert [part.shape[1] for _, part in replicated.cut_originals(codes, 7, 1, 1)] == [7] * 20
    assert all(len({*part[0]}) == 7 for _, part in replicated.cut_originals(codes, 7, 1, 1))
    for size in (24, 25):
        ((uniques, part),) = replicated.cut_originals(codes, size, 1, 1)
        assert part is codes
        assert [len(unique.records) for unique in uniques] == [24]
    for records, times in ((24 * 5 + 1, 5), (24, 2), (24 * 20, 20), (24 * 30, 20)):
        monkeypatch.setattr(replicated, "_RECORDS", records)
        assert len(replicated.cut_originals(codes, 7, 1, 1)) == times
    nobody = replicated.shown_of([], codes, [codes])
    assert nobody[0] == 0
    assert all(map(math.isnan, nobody[1:]))


def test_smaller_sets_hide_larger_ones_but_not_those_of_others() -> None:
    codes = np.array([[0, 1, 1], [0, 0, 1]])
    alone = {(u.keys, *u.records.tolist()) for u in minimal_uniques(codes, 2)}
    assert alone == {((0,), 0), ((1,), 2), ((0, 1), 1)}
    assert {u.keys for u in minimal_uniques(codes, 1)} == {(0,), (1,)}
    present = np.array([[False, True, True], [True, True, True]])
    alone = {(u.keys, *u.records.tolist()) for u in minimal_uniques(codes, 2, present=present)}
    assert alone == {((1,), 2), ((0, 1), 1)}


def test_records_of_small_classes_are_counted_below_each_limit() -> None:
    file = pd.DataFrame({"a": [1] + [2] * 2 + [3] * 3 + [4] * 3 + [5] * 5, "b": 1})
    result = k_anonymity(file, keys=["a", "b"])
    assert (result.k, result.uniques, result.doubles, result.classes, result.n) == (1, 1, 1, 5, 14)
    assert result.below["records_below"].to_dict() == {2: 1, 3: 3, 5: 9, 10: 14}
    assert result.below["percent_below"].tolist() == pytest.approx(
        [100 * k / 14 for k in (1, 3, 9, 14)]
    )
    assert result.sizes.to_dict() == {1: 1, 2: 1, 3: 2, 5: 1}
    assert result.all_missing == 0


def test_levels_that_nobody_has_tell_nobody_apart() -> None:
    assert _told_apart(np.array([0, 2, 2])) == pytest.approx((2 / 3, 2 / 3))
    assert _told_apart(np.array([5])) == (1.0, 1.0)
    assert _told_apart(np.array([1, 1])) == (0.5, 0.0)


def test_sets_of_up_to_three_keys_are_listed() -> None:
    codes = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 1, 1], [0, 1, 1, 1, 1, 1], [0] * 6])
    classes: Any = SimpleNamespace(keys=("a", "b", "c", "d"), n=6)
    table = _few(classes, codes).set_index("keys")
    assert {len(keys) for keys in table.index} == {1, 2, 3}
    assert table.loc[[("a", "b", "c")], "uniques"].tolist() == [4]
    assert table.loc[[("a", "b", "c")], "percent"].tolist() == pytest.approx([400 / 6])
    classes.keys = ("a", "b")
    assert {len(keys) for keys in _few(classes, codes[:2])["keys"]} == {1, 2}
