"""Values that one file alone has: p beside every way to part the records, and what is said."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.homogeneity import equal_tables, one_sided
from sdcmetrics.measures.homogeneity.clusters import Clusters
from sdcmetrics.measures.homogeneity.derived import Derived, Numbers
from sdcmetrics.measures.homogeneity.one_sided import (
    Exchanged,
    ends,
    one_sided_columns,
    own_values,
    unexchanged,
)

N, M = 5, 4
POOLS = {
    "different": [1.0, 2, 3, 4, 5, 6, 7, 8, 9],
    "ties": [1.0, 1, 2, 2, 2, 3, 4, 4, 4],
    "missing": [np.nan, np.nan, 2, 2, 3, 3, 3, 4, np.nan],
    "two values": [0.0, 0, 0, 0, 1, 1, 1, 1, 1],
}


def parted(pool: list[float]) -> Iterator[Numbers]:
    """Yield a pool parted into five original and four synthetic records, in every way."""
    values = np.array(pool)
    for chosen in itertools.combinations(range(len(pool)), M):
        of_replica = np.isin(np.arange(len(pool)), chosen)
        yield Numbers("x", False, (values[~of_replica], values[of_replica]))


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("test", [ends, own_values])
def test_a_fresh_sample_has_a_small_p_no_more_often_than_p_says(
    pool: str, test: Callable[[Numbers, Exchanged], Iterator[Derived]]
) -> None:
    ways = [
        {table.name: table.p for table in test(c, Exchanged((N, M)))} for c in parted(POOLS[pool])
    ]
    for name in ways[0]:
        p = np.array([way[name] for way in ways])  # whether there is a table is no chance
        assert all((p <= level + 1e-12).mean() <= level + 1e-12 for level in p[p < 1.0])


def beyond(column: Numbers, side: int) -> int:
    """Return the number of records of a file beyond all of the other, at the worse end."""
    counts = [0]
    for sign in (1.0, -1.0):
        own, other = (sign * column.parts[i] for i in (side, 1 - side))
        counts.append(int((own > other.max()).sum()))
    return max(counts)


@pytest.mark.parametrize("side", [0, 1])
def test_ends_are_twice_the_chance_that_so_many_are_of_one_file(side: int) -> None:
    number = (N, M)[side]
    for column in parted(POOLS["different"]):
        count = beyond(column, side)
        ways = [set(range(count)) <= set(way) for way in itertools.combinations(range(9), number)]
        table = [*ends(column, Exchanged((N, M)))][side]
        assert table.p == pytest.approx(min(1.0, 2 * np.mean(ways)))
        if count:
            assert [int(codes.sum()) for codes in table.codes][side] == count
        assert table.invented == bool(side)
        assert table.name == f"x beyond the range of the {('replica', 'original')[side]}"


def test_a_value_of_one_file_is_counted_by_all_values_that_could_be_as_odd() -> None:
    original, replica = np.repeat([0.0, 5], [12, 3]), np.repeat([0.0, 1, 2], [8, 5, 4])
    lost, invented = own_values(Numbers("x", False, (original, replica)), Exchanged((15, 17)))
    four, five = (np.prod((17.0 - np.arange(c)) / (32.0 - np.arange(c))) for c in (4, 5))
    assert invented.p == pytest.approx(five)  # the twenty of 0 cannot be in seventeen records
    assert (invented.invented, lost.invented) == (True, False)
    assert invented.counts()[1].tolist() == [12, 5]
    three = np.prod((15.0 - np.arange(3)) / (32.0 - np.arange(3)))
    others = [np.prod((15.0 - np.arange(c)) / (32.0 - np.arange(c))) for c in (4, 5)]
    assert lost.p == pytest.approx(three + sum(others))
    assert lost.counts()[0].tolist() == [12, 3]
    assert four > five


def test_a_rare_value_is_no_table_whosever_it_is() -> None:
    column = Numbers("x", False, (np.arange(6.0), np.arange(6.0) + 100))
    assert not [*own_values(column, Exchanged((6, 6)))]


def test_where_nothing_is_beyond_the_largest_value_stands_for_it() -> None:
    column = Numbers("x", False, (np.array([1.0, 2, 3, 3]), np.array([1.0, 3, 2, 1])))
    for table, invented in zip(ends(column, Exchanged((4, 4))), (False, True), strict=True):
        assert [codes.tolist() for codes in table.codes] == [[0, 0, 1, 1], [0, 1, 0, 0]]
        assert (table.p, table.invented) == (1.0, invented)


def test_where_no_value_is_of_one_file_the_most_frequent_stands_for_it() -> None:
    column = Numbers("x", False, (np.repeat([1.0, 2], [7, 13]), np.repeat([1.0, 2], [9, 11])))
    for table in own_values(column, Exchanged((20, 20))):
        assert [codes.sum() for codes in table.codes] == [13, 11]
        assert table.p == 1.0


@pytest.mark.parametrize("side", [0, 1])
def test_missing_is_a_table_of_its_own(side: int) -> None:
    parts = np.ones(20), np.repeat([1.0, np.nan], 10)
    column = Numbers("x", False, parts if side else parts[::-1])
    table = [*own_values(column, Exchanged((20, 20)))][-1]
    assert table.name == "missing values of x in one file only"
    assert table.codes[side].tolist() == [0] * 10 + [1] * 10
    ten = np.prod((20.0 - np.arange(10)) / (40.0 - np.arange(10)))
    assert table.p == pytest.approx(2 * ten)  # in either file
    assert not table.invented


def test_missing_in_both_files_is_of_neither_alone() -> None:
    column = Numbers("x", False, (np.repeat([1.0, np.nan], 10), np.repeat([1.0, np.nan], 10)))
    *values, missing = own_values(column, Exchanged((20, 20)))
    assert [table.p for table in values] == [1.0, 1.0]
    assert missing.p == 1.0


@pytest.mark.parametrize("lost", [np.nan, -5.0])
def test_what_the_replica_invents_is_told_whatever_the_original_lost(lost: float) -> None:
    original = np.repeat([1.0, 2.0, lost], [500, 471, 29])
    replica = np.repeat([1.0, 2.0, 9.0], [500, 488, 12])
    column, records = Numbers("x", False, (original, replica)), Exchanged((1000, 1000))
    chance, lost_chance = (
        np.prod((1000.0 - np.arange(c)) / (2000.0 - np.arange(c))) for c in (12, 29)
    )
    values = next(table for table in own_values(column, records) if table.invented)
    assert values.p == pytest.approx(chance + (0.0 if np.isnan(lost) else lost_chance))
    assert [int(side.sum()) for side in values.codes] == [0, 12]
    (end,) = (table for table in ends(column, records) if table.invented)
    assert end.p == pytest.approx(2 * chance)


def test_distinct_values_with_their_counts_are_as_their_records() -> None:
    rng = np.random.default_rng(3)
    records = rng.integers(0, 9, 60).astype(float), rng.integers(1, 12, 50).astype(float)
    counted = [np.unique(side, return_counts=True) for side in records]
    whole = Numbers("x", False, records)
    few = Numbers("x", False, (counted[0][0], counted[1][0]), (counted[0][1], counted[1][1]))
    for first, other in zip(
        one_sided_columns([whole], [whole]), one_sided_columns([few], [few]), strict=True
    ):
        assert (first.name, first.p, first.invented) == (other.name, other.p, other.invented)
        assert [c.tolist() for c in first.counts()] == [c.tolist() for c in other.counts()]


class TestClusters:
    def clusters(self, **options: Any) -> Clusters:
        return Clusters(np.repeat(np.arange(10), 4), np.repeat(np.arange(8), 4), "hid", **options)

    def test_one_cluster_of_many_records_is_one(self) -> None:
        original = np.arange(40.0)
        replica = np.append(np.arange(28.0), [200.0] * 4)  # all of one household
        column = Numbers("x", False, (original, replica))
        _, table = one_sided_columns([column], [], self.clusters())
        assert table.p == pytest.approx(2 * 8 / 18)  # one cluster of 8 among 18, at two ends
        _, alone = ends(column, Exchanged((40, 32)))
        assert alone.p is not None
        assert alone.p < 0.1

    def test_p_is_that_of_whole_clusters(self) -> None:
        replica = np.repeat([0.0, 1], 16)
        column = Numbers("x", False, (np.zeros(40), replica))
        *_, table = one_sided_columns([], [column], self.clusters())
        four = 8 * 7 * 6 * 5 / (18 * 17 * 16 * 15)
        assert table.p == pytest.approx(four)

    def test_clusters_are_counted_value_by_value(self) -> None:
        original = np.tile([0.0, 1, 2, 2], 10)  # every household has all three values
        replica = np.append(np.tile([0.0, 1, 2, 2], 4), np.repeat(7.0, 16))
        column = Numbers("x", False, (original, replica))
        *_, table = one_sided_columns([], [column], self.clusters())
        assert [int(codes.sum()) for codes in table.codes] == [0, 16]
        assert table.p == pytest.approx(8 * 7 * 6 * 5 / (18 * 17 * 16 * 15))
        assert table.invented

    def test_weights_and_unnamed_clusters_are_not_exchanged(self) -> None:
        column = Numbers("x", False, (np.arange(40.0), np.arange(32.0)))
        weighted = self.clusters(weights=(np.ones(40), None))
        unnamed = Clusters(np.arange(40), None, "hid")
        for clusters, reason in ((weighted, "unequally"), (unnamed, "lacks")):
            assert reason in unexchanged(clusters)[0]
            assert not [*one_sided_columns([column], [column], clusters)]
        assert unexchanged(None) == unexchanged(self.clusters()) == ()


def people(seed: int, n: int = 2000) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age, region = rng.integers(16, 95, n), rng.choice(list("abcd"), n)
    return pd.DataFrame({"age": age, "region": region, "income": rng.lognormal(8, 0.5, n).round()})


class TestDecided:
    def test_impossible_values_of_few_records_are_for_a_look(self) -> None:
        replica = people(2)
        replica.loc[:15, "age"] = 199  # 16 of 2,000
        result = equal_tables(people(1), replica)
        assert result.status == "review"
        names = {"age beyond the range of the original", "values of age in the replica only"}
        assert {table.name for table in result.called} == names
        assert all(table.invented and table.one_sided and table.derived for table in result.called)
        assert not result.failed
        assert not result.one_sided

    def test_a_code_that_the_original_lacks_is_for_a_look(self) -> None:
        replica = people(2)
        replica.loc[:15, "region"] = "unknown"
        (table,) = equal_tables(people(1), replica).called
        assert (table.name, table.variables) == (
            "values of region in the replica only",
            ("region",),
        )

    @pytest.mark.parametrize("column", ["age", "region"])
    def test_few_missing_values_of_the_replica_are_a_remark(self, column: str) -> None:
        original, replica = people(1, 9000), people(2, 9000)
        replica.loc[:25, column] = None
        result = equal_tables(original, replica)
        assert (result.status, result.one_sided) == ("within", (column,))

    def test_as_many_as_chance_makes_are_not(self) -> None:
        replica = people(2)
        replica.loc[:3, "age"] = 199
        result = equal_tables(people(1), replica)
        assert (result.status, result.one_sided) == ("within", ())

    def test_a_tail_cut_off_is_a_remark_where_few_records_lie_in_it(self) -> None:
        original, replica = people(1, 9000), people(2, 9000)
        replica["income"] = np.minimum(replica["income"], original["income"].nlargest(20).min() - 1)
        replica = replica[replica["income"] < replica["income"].max()]
        result = equal_tables(original, replica)
        assert result.status == "within"
        assert result.one_sided == ("income",)

    def test_a_larger_tail_is_for_a_look(self) -> None:
        original, replica = people(1), people(2)
        limit = original["income"].quantile(0.97)
        result = equal_tables(original, replica[replica["income"] < limit])
        assert "income beyond the range of the replica" in [table.name for table in result.called]
        assert not any(table.invented for table in result.called)

    def test_a_copy_has_every_value(self) -> None:
        original = people(1)
        frame = equal_tables(original, original.sample(frac=1, random_state=1)).frame
        rows = frame[frame["variables"].map(lambda name: " only" in name or "range" in name)]
        assert len(rows) > 5
        assert (rows["p"] == 1.0).all()
        assert rows["S_pMSE"].isna().all()


@pytest.mark.parametrize("below", [False, True])
def test_what_chance_gives_more_often_is_not_looked_for(
    monkeypatch: pytest.MonkeyPatch, *, below: bool
) -> None:
    there, gone = np.zeros(20), np.repeat([np.nan, 0.0], 10)
    exchanged = Exchanged((20, 20))
    chance = float(exchanged.chances(np.array([10]))[0][0])
    never = np.nextafter(chance, 0.0) if below else chance
    monkeypatch.setattr(one_sided, "_NEVER", never)
    names = [table.name for table in own_values(Numbers("x", False, (there, gone)), exchanged)]
    assert ("missing values of x in one file only" in names) is not below


def test_a_constant_is_on_both_sides() -> None:
    column = Numbers("x", False, (np.zeros(40), np.zeros(40)))
    assert not [*own_values(column, Exchanged((40, 40)))]
