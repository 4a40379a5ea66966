"""Replicas without repeated records, as of those from which they were dropped."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from sdcmetrics.measures.people import Claim, people, people_of_files, whose_records
from sdcmetrics.measures.people.controls import beaten_by_equal
from sdcmetrics.measures.people.distinct import Distinct, distinct_records, drawn_records
from sdcmetrics.measures.people.equal_rows import ClusteredRows, EqualRows
from tests.measures.people.drawn import mixed, records

ORIGINAL = "aabbccdefghijklmnopqrstuvw"


def keys(letters: str) -> Any:
    return np.array([ord(letter) << 8 for letter in letters], np.uint64)


def shared(*values: int) -> Any:
    return np.array(values)


def drawn(seed: int, n: int, values: int = 20_000) -> pd.DataFrame:
    """Draw records of three columns, of so many values that are all as likely."""
    value = np.random.default_rng(seed).integers(0, values, n)
    return pd.DataFrame({"a": value // 100, "b": value % 10, "c": value // 10 % 10})


def with_copies(original: pd.DataFrame, others: pd.DataFrame, copied: int) -> pd.DataFrame:
    return mixed(pd.concat([original[:copied], others[copied:]]).drop_duplicates())


def test_those_met_are_of_values_that_one_person_has() -> None:
    # three pairs and twenty alone; a and b are two people each, d and e one each, and 22 are new
    result = distinct_records(keys(ORIGINAL + "abde" + "ABCDEFGHIJKLMNOPQRSTUV"), 26)
    assert result is not None
    assert result.met == 2
    assert result.shared.tolist() == [20, 3]
    assert result.twos == 3
    # of 26 different ones, three more than the original has: 20 t - (3 + 2 sqrt(3)) t^2 = 3
    twos = 3 + 2 * math.sqrt(3)
    records_drawn = 26 * (1 + (20 - math.sqrt(400 - 12 * twos)) / (2 * twos))
    assert result.drawn == pytest.approx(records_drawn)
    assert result.chance == pytest.approx(2 * records_drawn / (2 * records_drawn + 25))
    assert result.p == pytest.approx(binom.sf(1, 5, result.chance))


@pytest.mark.parametrize(
    ("original", "replica", "distinct"),
    [
        ("aabbccd", "abcdxyz", True),
        ("aabbcd", "abcdxyz", False),  # two repeats
        ("aabbccd", "aabcxyz", False),
        ("aabbccdd", "abcdwxyz", True),  # of four pairs 4 (7/8) (6/7) = 3 come in seven
        ("aabbccdd", "abcdwxy", True),
        ("aabbccdd", "abcdwx", False),
    ],
)
def test_repeats_are_lacking_where_three_would_be_there(
    original: str, replica: str, *, distinct: bool
) -> None:
    result = distinct_records(keys(original + replica), len(original))
    assert (result is not None) is distinct


def test_a_file_that_repeats_as_much_as_the_original_is_taken_for_what_it_is() -> None:
    fresh, other = "abdeABCDEFGHIJKLMNOPQRSTUV", "AAabd"
    both = distinct_records(keys(ORIGINAL + fresh + other), 26, (26, 5))
    alone = distinct_records(keys(ORIGINAL + fresh), 26)
    assert both is not None
    assert alone is not None
    assert both.drawn == alone.drawn + 5  # type: ignore[operator]
    assert (both.met, alone.met) == (2, 2)
    assert distinct_records(keys(ORIGINAL + fresh + other), 26) is None  # A and d twice
    assert distinct_records(keys(ORIGINAL + fresh + other), 26, (20, 11)) is None


def test_more_different_records_than_of_the_original_are_of_more_draws() -> None:
    # 80 values of 60 people alone and 20 in twos; another 30 need t hundred more records:
    # 60 t - (20 + 2 sqrt(20)) t^2 = 30
    twos = 20 + 2 * math.sqrt(20)
    t = (60 - math.sqrt(3600 - 4 * twos * 30)) / (2 * twos)
    assert drawn_records(shared(60, 20), 110) == pytest.approx(100 * (1 + t))
    assert drawn_records(shared(60, 20), 80) == pytest.approx(100)
    assert drawn_records(shared(60), 90) == pytest.approx(90)
    assert drawn_records(shared(60), 180) == pytest.approx(180)  # nobody shares a value
    assert drawn_records(shared(60, 20), 112) is None  # never, at this rate
    assert drawn_records(shared(0, 20), 21) is None
    assert drawn_records(shared(0, 0, 20), 20) == pytest.approx(60, rel=1e-4)


def test_where_nothing_bounds_the_draws_nothing_is_said() -> None:
    result = Distinct(50, shared(60, 20), None)
    assert (result.chance, result.p) == (1, 1)
    assert result.noticed(0.5, np.random.default_rng(1)) is None


def test_of_people_who_are_all_alone_as_many_are_noticed_as_the_chance_forbids() -> None:
    # a hundred people, of as many draws: 2 rho / (2 rho + 1) to the power of k is below .001
    rng = np.random.default_rng(1)
    chance = 2 * 100 / 99 / (2 * 100 / 99 + 1)
    fewest = math.ceil(math.log(0.001) / math.log(chance))
    assert Distinct(0, shared(100), 100.0).noticed(0.001, rng) == fewest
    assert Distinct(0, shared(100), 100.0).noticed(1e-18, rng) is None  # not even all of them
    assert Distinct(0, shared(100), float(fewest)).noticed(0.001, rng) is not None
    assert Distinct(0, shared(100), 3.0).noticed(1e-9, rng) is None


def test_who_is_met_by_chance_helps_to_notice_others() -> None:
    rng = np.random.default_rng(1)
    people = shared(900, 50)
    quiet, loud = (Distinct(met, people, 1000.0).noticed(0.002, rng) for met in (0, 100))
    assert quiet is not None
    assert loud is not None
    # 1.5 standard deviations of a hundred beyond the hundred that two thirds of 150 are, less
    # those that are there by chance: about a third of those that are needed without them
    assert 120 < quiet < 220
    assert quiet - 110 < loud < quiet - 70


@pytest.mark.parametrize(("n", "m"), [(300, 300), (300, 100), (300, 900)])
def test_fresh_files_without_their_repeats_have_p_that_are_too_large(n: int, m: int) -> None:
    p, size = [], 0
    for seed in range(300):
        original, replica = (
            drawn(2 * seed + i, k, 2000 if m > 200 else 500).to_numpy() @ [10_000, 100, 1]
            for i, k in enumerate((n, m))
        )
        pooled = np.concatenate([original, np.unique(replica)]).astype(np.uint64) << np.uint64(8)
        result = distinct_records(pooled, n)
        size += result is not None
        p.append(1.0 if result is None else result.p)
    assert size > 250
    for level in (0.2, 0.05, 0.01):
        assert (np.array(p) <= level).sum() <= binom.ppf(0.999, 300, level)


class TestFiles:
    @pytest.fixture
    def original(self) -> pd.DataFrame:
        return drawn(0, 1000)

    def test_people_copied_into_a_file_without_repeats_are_seen(
        self, original: pd.DataFrame
    ) -> None:
        out = whose_records(records(original, with_copies(original, drawn(1, 1000), 200)))
        assert out.claims == (Claim.EITHER,)
        assert out.tests["TE"].alarmed
        assert out.people is not None
        assert out.people.low < 200 < out.people.high

    def test_of_others_it_is_said_how_many_copies_would_be(self, original: pd.DataFrame) -> None:
        quiet = whose_records(records(original, mixed(drawn(2, 1000).drop_duplicates())))
        assert quiet.claims == ()
        p = quiet.tests["TE"].p
        assert p is not None
        assert p > 0.01
        number = quiet.noticed
        assert number is not None
        calls = 0
        for seed in range(3, 23):
            copies = with_copies(original, drawn(seed, 1000), number)
            result = whose_records(records(original, copies)).tests["TE"]
            calls += result.p is not None and result.p <= result.level
        assert calls >= 18

    def test_where_nearly_all_are_alike_it_is_not_judged(self) -> None:
        out = whose_records(records(drawn(0, 300, 40), mixed(drawn(1, 300, 40).drop_duplicates())))
        assert out.claims == (Claim.DEDUPLICATED,)
        assert out.tests["TE"].p is None
        assert "no repeated record" in out.withheld

    def test_several_files_without_repeats_have_more_joined_bundles_and_are_not_accused(
        self,
    ) -> None:
        small = drawn(0, 1000, 4000)
        files = [records(small, mixed(drawn(i, 1000, 4000).drop_duplicates())) for i in (1, 2, 3)]
        result = people_of_files(files)
        assert result.claims == ()
        assert [union.tests["TE"].p > 0.01 for union in result.unions] == [True, True]  # type: ignore[operator]
        copied = [records(small, with_copies(small, drawn(i, 1000, 4000), 300)) for i in (1, 2)]
        assert people_of_files(copied).accused

    def test_columns_that_are_copied_one_by_one_are_no_people(self) -> None:
        # what half of the columns explain is compared by the same test
        original = drawn(0, 1000)
        n = len(original)
        replica = with_copies(original, drawn(1, 1000), 1000)
        columns = [
            np.concatenate([original[name], replica[name]]).astype(np.uint64) * np.uint64(odd)
            for name, odd in zip("abc", (40_000_012, 400_004, 4_004), strict=True)
        ]
        distinct = distinct_records(sum(columns[1:], columns[0]), n)
        assert distinct is not None
        rng = np.random.default_rng(1)
        p = distinct.p
        assert beaten_by_equal(columns, n, 0, {"TE": p}, rng, distinct=distinct)["TE"]
        assert not beaten_by_equal(columns, n, 0, {"TE": 0.9}, rng, distinct=distinct)["TE"]


class TestClusters:
    def test_rows_are_looked_at_though_one_of_each_cluster_has_no_repeats(self) -> None:
        # a thousand clusters of three: in 1,000 rows of 250,000 values nothing repeats itself
        original, other = (drawn(i, 3000, 60_000) for i in (0, 1))
        copied = other.copy()
        copied[::3] = drawn(0, 3000, 60_000)[::3].to_numpy()
        cluster = np.repeat(np.arange(1000), 3)
        out = people(original.assign(k=cluster), copied.assign(k=cluster), cluster="k")
        assert out.files[0].accused

    def test_rows_without_repeats_say_nothing_in_groups_either(self) -> None:
        numbers, fresh = np.arange(26), "abdeABCDEFGHIJKLMNOPQRSTUV"
        rows = ClusteredRows([keys(ORIGINAL + fresh)], numbers, numbers)
        assert rows.distinct
        assert rows.test(rows.keys[0]) == EqualRows()
        more = [keys(ORIGINAL + fresh + "AA")]
        assert not ClusteredRows(more, numbers, np.arange(28)).distinct
        assert ClusteredRows(more, numbers, np.arange(28), (26, 2)).distinct
