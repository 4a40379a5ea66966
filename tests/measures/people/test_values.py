"""Values of a replica that people have, as where its repeats were dropped or are many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, poisson

from sdcmetrics.measures.people import Claim, people, people_of_files, whose_records
from sdcmetrics.measures.people.equal import Bundles, bundles_of
from sdcmetrics.measures.people.equal_rows import ClusteredRows, EqualRows
from sdcmetrics.measures.people.intervals import beyond_values
from sdcmetrics.measures.people.unrepeated import some_lack_repeats
from sdcmetrics.measures.people.values import (
    Values,
    noticed_by_values,
    replica_values,
)
from tests.measures.people.drawn import mixed, records

ORIGINAL = "aabbccdefghijklmnopqrstuvw"  # three pairs and twenty alone
FRESH = "abdeABCDEFGHIJKLMNOPQRSTUV"


def keys(letters: str) -> Any:
    return np.array([ord(letter) << 8 for letter in letters], np.uint64)


def drawn(seed: int, n: int, values: int = 20_000) -> pd.DataFrame:
    """Draw records of three columns, of so many values that are all as likely."""
    value = np.random.default_rng(seed).integers(0, values, n)
    return pd.DataFrame({"a": value // 100, "b": value % 10, "c": value // 10 % 10})


def with_copies(original: pd.DataFrame, others: pd.DataFrame, copied: int) -> pd.DataFrame:
    return mixed(pd.concat([original[:copied], others[copied:]]).drop_duplicates())


def test_values_are_those_that_one_person_has_and_those_that_two_have() -> None:
    bundles = bundles_of(keys(ORIGINAL + "abbde" + "xxy"), 26, 0)
    assert replica_values(bundles, 8) == Values(once=2, twice=2, nobody=2)


@pytest.mark.parametrize(
    "values", [Values(30, 0, 70), Values(50, 3, 40), Values(40, 0, 960), Values(20, 1, 0)]
)
def test_p_is_that_of_the_worst_mean(values: Values) -> None:
    few = values.once + values.nobody  # if one person has a on average, a^2 = 2 two (few - a)
    once = np.linspace(0, 1, 100_001)[1:-1]
    two = few * once**2 / (2 * (1 - once))
    so_many = binom.sf(values.once - 1, few, once)
    q = float((so_many * poisson.cdf(values.twice, two)).max())
    assert q * (1 - np.log(q)) <= values.p <= 1.3 * q * (1 - np.log(q))


def test_as_many_as_two_people_have_let_expect_are_chance() -> None:
    assert Values(0, 0, 10).p == Values(0, 0, 0).p == Values(0, 5, 0).p == 1
    assert Values(40, 8, 100).p == 1  # 40^2 = 2 * 100 * 8
    assert Values(41, 8, 100).p < 1
    assert Values(40, 8, 99).p < 1
    assert Values(100, 0, 0).p < 1e-10
    assert Values(1, 0, 1).p == pytest.approx(1, abs=0.3)


def test_p_falls_with_those_of_one_and_rises_with_those_of_two_and_of_nobody() -> None:
    assert Values(60, 2, 240).p < Values(55, 2, 245).p < Values(55, 3, 245).p
    assert Values(55, 2, 245).p < Values(55, 2, 345).p


@pytest.mark.parametrize("spread", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("mean", [0.1, 0.5, 1.5])
def test_people_who_are_drawn_whatever_their_number_are_no_copies(
    mean: float, spread: float
) -> None:
    # values of a mean each, equal or not; of one and the same mean the bound is an equality
    rng, p = np.random.default_rng(1), []
    for _ in range(400):
        each = rng.gamma(1 / spread, mean * spread, 300) if spread else np.full(300, mean)
        people = rng.poisson(each)
        p.append(Values(*(int((people == number).sum()) for number in (1, 2, 0))).p)
    for level in (0.2, 0.05, 0.01):
        assert (np.array(p) <= level).sum() <= binom.ppf(0.999, 400, level)


@pytest.mark.parametrize("power", [1, 1.5, 2])
def test_a_replica_of_frequent_values_only_is_no_copy(power: float) -> None:
    # a twentieth of the values has five sixths of the people, and still more of the replica
    rng = np.random.default_rng(5)
    law = np.where(np.arange(100_000) < 5_000, 1, 0.01)
    of_replica = law**power / (law**power).sum()
    p = []
    for _ in range(60):
        original = rng.choice(len(law), 500, p=law / law.sum())
        replica = rng.choice(len(law), 700, p=of_replica)
        pooled = np.concatenate([original, replica]).astype(np.uint64) << np.uint64(2)
        p.append(replica_values(bundles_of(pooled, 500, 0), 700).p)
    for level in (0.2, 0.05):
        assert (np.array(p) <= level).sum() <= binom.ppf(0.999, 60, level)


def test_people_are_those_beyond_what_chance_gives() -> None:
    result = beyond_values(Values(once=300, twice=8, nobody=592), 1000)
    # 300 - k = sqrt(2 * 8 * 592) at 202.7; of two people with a value either was copied
    assert (result.estimate, result.high) == (203, 316)
    low = int(result.low)
    assert 140 < low < 160
    assert Values(300 - low + 1, 8, 592).p <= 0.025 < Values(300 - low, 8, 592).p
    assert beyond_values(Values(once=300, twice=8, nobody=592), 310).high == 310


@pytest.mark.parametrize(
    ("original", "replica", "sizes", "lacks"),
    [
        (ORIGINAL, FRESH, (), True),
        (ORIGINAL, FRESH + "W", (), True),
        (ORIGINAL, FRESH[:-1], (), False),  # of three pairs 3 (25/26) (24/25) come in 25
        (ORIGINAL, FRESH[1:] + "b", (), False),
        (ORIGINAL[1:] + "x", FRESH, (), False),  # two pairs
        (ORIGINAL[1:] + "b", FRESH, (), False),  # three of one value, and a pair
        ("aabbccdd" + ORIGINAL[7:] + "x", FRESH[:-1], (), True),  # of 28, with four pairs
        ("aabbccdd" + ORIGINAL[7:] + "x", FRESH[:-2], (), False),
        (ORIGINAL, FRESH + "AA", (), False),
        (ORIGINAL, FRESH + "AA", (26, 2), True),
        (ORIGINAL, "AA" + FRESH, (2, 26), True),
        (ORIGINAL, FRESH + "AA", (20, 8), False),
    ],
)
def test_repeats_are_lacking_where_three_would_be_there(
    original: str, replica: str, sizes: tuple[int, ...], *, lacks: bool
) -> None:
    assert some_lack_repeats(keys(original + replica), len(original), sizes) is lacks


class Drawn:
    """Draws nobody by chance, and of anybody copied 400 in 97 of 100 draws."""

    def __init__(self) -> None:
        self.means: list[float] = []

    def poisson(self, mean: float, draws: int) -> Any:
        self.means.append(mean)
        return np.zeros(draws, np.int64)

    def binomial(self, copied: int, chance: float, draws: int) -> Any:
        number = 400 if copied and chance > 0.5 else 0  # who is alone, and not of two
        return np.where(np.arange(draws) < 0.97 * draws, number, 0)


class TestPower:
    def nobody(self) -> Bundles:
        return bundles_of(np.arange(8, dtype=np.uint64) << np.uint64(2), 4, 0)

    def test_of_people_who_are_all_alone_as_many_as_the_level_asks_for(self) -> None:
        rng, p = np.random.default_rng(1), [Values(k, 0, 80 - k).p for k in range(81)]
        fewest = next(k for k, each in enumerate(p) if each <= 0.002)
        assert noticed_by_values(self.nobody(), 100, 80, 0.002, rng) == fewest
        assert noticed_by_values(self.nobody(), fewest, 80, 0.002, rng) == fewest
        assert noticed_by_values(self.nobody(), fewest - 1, 80, 0.002, rng) is None
        assert noticed_by_values(self.nobody(), 100, 80, p[80] / 2, rng) is None
        assert noticed_by_values(self.nobody(), 100, 80, p[30], rng) == 30
        assert noticed_by_values(self.nobody(), 100, 80, np.nextafter(p[30], 0), rng) == 31

    def test_who_is_met_by_chance_is_as_the_original_says_and_no_more_than_here(self) -> None:
        # 50 pairs of 1,000, of which the replica meets 3; 500 different ones meet 2 x 50 x .5
        t, r = np.repeat([2, 2, 1, 0], [3, 47, 400, 97]), np.repeat([1, 0, 1, 1], [3, 47, 400, 97])
        for once, expected in ((400, 50), (30, 30)):
            kept = np.r_[:50, 50 : 50 + once, 450:547]
            bundles = Bundles(t[kept], np.zeros(len(kept), np.int64), r[kept])
            assert replica_values(bundles, 500) == Values(once, 3, 497 - once)
            rng: Any = Drawn()
            assert noticed_by_values(bundles, 1000, 500, 0.002, rng) == 1
            assert rng.means == [expected, 3]

    def test_who_has_a_value_by_chance_helps_and_pairs_hinder(self) -> None:
        # a hundred of a thousand are pairs, and fifty of the replica's values are of one person
        pairs = np.repeat(np.arange(50), 2)
        met = np.arange(50, 100)
        few, some = (
            bundles_of(
                np.concatenate([pairs, met, np.arange(1000, 1850), more]).astype(np.uint64)
                << np.uint64(2),
                1000,
                0,
            )
            for more in (np.arange(5000, 6000), np.r_[met, 5000:5950])
        )
        rng = np.random.default_rng(1)
        quiet, loud = (noticed_by_values(each, 1000, 1000, 0.002, rng) for each in (few, some))
        assert quiet is not None
        assert loud is not None
        none = next(k for k in range(400) if Values(k, 0, 1000 - k).p <= 0.002)
        assert none < loud + 50
        assert 50 / 0.9 < quiet - loud < 110  # more copies are more pairs, too

    @pytest.mark.parametrize("times", [1, 2.5])
    def test_so_many_copies_are_noticed_in_a_file_that_repeats(self, times: float) -> None:
        rng = np.random.default_rng(7)
        n, m, level = 2_000, round(2_000 * times), 2.5e-4
        people, others = (rng.integers(0, 4 * n, n) for _ in range(2))
        replica = rng.choice(others, m)  # drawn again from other people

        def bundles(of: np.ndarray) -> Bundles:
            return bundles_of(np.concatenate([people, of]).astype(np.uint64) << np.uint64(2), n, 0)

        number = noticed_by_values(bundles(replica), n, m, level, rng, repeats=True)
        assert number is not None
        seen = 0
        for _ in range(40):
            copied = replica.copy()
            copied[rng.choice(m, number, replace=False)] = people[
                rng.choice(n, number, replace=False)
            ]
            seen += replica_values(bundles(copied), m).p <= level
        assert seen >= 36


class TestFiles:
    @pytest.fixture
    def original(self) -> pd.DataFrame:
        return drawn(0, 1000)

    def test_people_copied_into_a_file_without_repeats_are_seen(
        self, original: pd.DataFrame
    ) -> None:
        out = whose_records(records(original, with_copies(original, drawn(1, 1000), 400)))
        assert out.claims == (Claim.EITHER,)
        assert out.tests["TE"].alarmed
        assert out.people is not None
        assert out.people.low < 400 < out.people.high

    def test_of_others_it_is_said_how_many_copies_would_be(self, original: pd.DataFrame) -> None:
        quiet = whose_records(records(original, mixed(drawn(2, 1000).drop_duplicates())))
        assert quiet.claims == ()
        p = quiet.tests["TE"].p
        assert p is not None
        assert p > 0.2
        number = quiet.noticed
        assert number is not None
        calls = 0
        for seed in range(3, 13):
            copies = with_copies(original, drawn(seed, 1000), number)
            result = whose_records(records(original, copies)).tests["TE"]
            calls += result.p is not None and result.p <= result.level
        assert calls >= 9

    def test_where_nearly_all_are_alike_it_is_not_judged(self) -> None:
        out = whose_records(records(drawn(0, 300, 40), mixed(drawn(1, 300, 40).drop_duplicates())))
        assert out.claims == (Claim.DEDUPLICATED,)
        assert out.tests["TE"].p is None
        assert "no repeated record" in out.withheld

    def test_several_files_without_repeats_have_more_joined_pairs_and_are_not_accused(
        self,
    ) -> None:
        small = drawn(0, 1000, 4000)
        files = [records(small, mixed(drawn(i, 1000, 4000).drop_duplicates())) for i in (1, 2, 3)]
        result = people_of_files(files)
        assert result.claims == ()
        assert [union.tests["TE"].p for union in result.unions] == [1, 1]
        copied = [records(small, with_copies(small, drawn(i, 1000, 4000), 900)) for i in (1, 2)]
        assert people_of_files(copied).accused

    @pytest.mark.parametrize("aside", [6, 12])
    def test_beside_a_small_holdout_others_are_not_accused_and_copies_are(self, aside: int) -> None:
        # pairs across the files would be all that there are: none is within the replica
        small, holdout = drawn(0, 600, 4000), drawn(9, aside, 4000)
        fresh = whose_records(records(small, mixed(drawn(1, 600, 4000).drop_duplicates()), holdout))
        assert fresh.holdout == "used"
        assert not fresh.accused
        assert not {Claim.VOID, Claim.UNDECIDED} & set(fresh.claims)
        copies = with_copies(small, drawn(1, 600, 4000), 590)
        assert whose_records(records(small, copies, holdout)).accused

    def test_with_a_holdout_it_is_said_how_many_copies_would_be(
        self, original: pd.DataFrame
    ) -> None:
        aside = drawn(99, 1000)
        quiet = whose_records(records(original, mixed(drawn(2, 1000).drop_duplicates()), aside))
        alone = whose_records(records(original, mixed(drawn(2, 1000).drop_duplicates())))
        assert quiet.claims == ()
        assert quiet.noticed is not None
        assert alone.noticed is not None
        assert quiet.noticed < alone.noticed
        calls = 0
        for seed in range(3, 13):
            copies = with_copies(original, drawn(seed, 1000), quiet.noticed)
            calls += whose_records(records(original, copies, aside)).accused
        assert calls >= 9

    def test_copies_among_records_repeated_unevenly_are_seen(self) -> None:
        # pairs within the replica are so many that those across do not stand out
        rng, original = np.random.default_rng(1), drawn(0, 2000, 200_000)
        replica = pd.concat([original[:400], drawn(1, 2000, 200_000)[400:]])
        often = replica.iloc[np.repeat(np.arange(2000), rng.integers(1, 9, 2000))]
        out = whose_records(records(original, mixed(often)))
        assert out.claims == (Claim.EITHER,)
        assert out.people is not None
        assert 100 < out.people.low <= 400

    def test_columns_that_are_kept_one_by_one_are_no_people(self) -> None:
        # of two columns and a constant every value of the original is kept, at random
        rng = np.random.default_rng(1)
        original = pd.DataFrame({"a": rng.integers(0, 40, 800), "b": rng.integers(0, 40, 800)})
        original["c"] = rng.integers(0, 2, 800)
        replica = original.apply(lambda column: rng.permutation(column.to_numpy()))
        out = whose_records(records(original, replica.drop_duplicates()))
        assert not out.accused


class TestClusters:
    def test_rows_are_looked_at_though_one_of_each_cluster_has_no_repeats(self) -> None:
        # a thousand clusters of three: in 1,000 rows of 250,000 values nothing repeats itself
        original, other = (drawn(i, 3000, 60_000) for i in (0, 1))
        copied = other.copy()
        copied[::3] = original[::3].to_numpy()
        cluster = np.repeat(np.arange(1000), 3)
        out = people(original.assign(k=cluster), copied.assign(k=cluster), cluster="k")
        assert out.files[0].accused

    def test_rows_without_repeats_say_nothing_in_groups_either(self) -> None:
        numbers = np.arange(26)
        rows = ClusteredRows([keys(ORIGINAL + FRESH)], numbers, numbers)
        assert rows.distinct
        assert rows.test(rows.keys[0]) == EqualRows()
        more = [keys(ORIGINAL + FRESH + "AA")]
        assert not ClusteredRows(more, numbers, np.arange(28)).distinct
        assert ClusteredRows(more, numbers, np.arange(28), (26, 2)).distinct
