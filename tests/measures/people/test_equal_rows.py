from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics.measures.people import Claim, People, equal_rows, power, whose_records
from sdcmetrics.measures.people.columns import Files, PooledColumn, grouped
from sdcmetrics.measures.people.equal_rows import ClusteredRows, EqualRows
from tests.measures.people.drawn import people_of, records


def schools(rng: np.random.Generator, number: int, size: int = 20) -> pd.DataFrame:
    """Draw pupils, of which no two are equal but by chance."""
    out = people_of(rng, number * size).drop(columns="status")
    return out.assign(school=np.repeat(np.arange(number), size))


def with_rows(rng: np.random.Generator, original: Any, others: Any, copies: int) -> Any:
    """Return others of whom so many rows are the original's, anywhere."""
    out = others.copy()
    columns = [name for name in original if name != "school"]
    places, sources = (rng.permutation(len(file))[:copies] for file in (others, original))
    out.loc[places, columns] = original.iloc[sources][columns].to_numpy()
    return out.astype(original.dtypes.to_dict())


def claims_of(original: Any, replica: Any) -> People:
    return whose_records(records(original, replica, cluster="school"))


def keys_of(values: list[int]) -> Any:
    return np.array(values, np.uint64) << np.uint64(2)


def links_of(pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the rank of a graph, and how many of its groups have three nodes or more."""
    nodes = sorted({node for pair in pairs for node in pair})
    edges = np.zeros((len(pairs), len(nodes)))  # the incidence matrix of an oriented graph
    for edge, (first, second) in zip(edges, pairs, strict=True):
        edge[nodes.index(first)] += 1
        edge[nodes.index(second)] -= 1
    groups = [{node} for node in nodes]
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in touched] + [set().union(*touched)]
    rank = int(np.linalg.matrix_rank(edges)) if pairs else 0
    return rank, sum(len(group) > 2 for group in groups)


def test_bundles_are_the_rank_of_the_clusters_that_they_join() -> None:
    rng = np.random.default_rng(1)
    for draw in range(300):
        original, replica = rng.integers(0, 4, 9), 4 + rng.integers(0, 5, 12)
        if draw % 3 == 0:
            replica = 4 + rng.permutation(np.repeat(np.arange(6), 2))  # pairs are clusters, too
        keys = keys_of([*rng.integers(0, 12, 9), *rng.integers(0, 12, 12)])
        values, times = np.unique(keys, return_counts=True)
        clusters = [*original, *replica]
        twos = [np.flatnonzero(keys == value).tolist() for value in values[times == 2]]
        across = [(i, j) for i, j in twos if i < 9 <= j]
        joined, groups = links_of([(clusters[i], clusters[j]) for i, j in across])
        ours = links_of([(clusters[i], clusters[j]) for i, j in twos if j < 9])[0]
        theirs = links_of([(clusters[i], clusters[j]) for i, j in twos if i >= 9])[0]
        others, single = len(twos) - len(across), sum(i >= 9 for i, _ in twos)
        alone = len({clusters[i] for i, _ in across})
        for named, count, within, several in (
            (replica - 4, joined, ours + theirs, groups),
            (None, alone, ours + single, 0),
        ):
            result = ClusteredRows([], original, named).test(keys)
            assert (result.joined, result.bundles, result.copies) == (
                count, len(twos), len(across)
            )  # fmt: skip
            if not across:
                assert result.p == 1
                continue
            share = -(-count * others // len(across))
            counted = min(count + max(within, share) + several, len(twos))
            assert result.counted == counted
            assert result.p == pytest.approx(stats.binom.sf(count - 1, counted, 0.5))


def test_more_copies_are_no_less_noticed() -> None:
    rng = np.random.default_rng(4)
    original, fresh = schools(rng, 40), schools(rng, 40)
    for copies in (80, 200, 400, 800):
        out = claims_of(original, with_rows(rng, original, fresh, copies))
        assert out.accused
        assert out.people is not None
        assert out.people.low > 0.6 * copies
    dealt = original.assign(school=rng.permutation(original["school"]))
    assert claims_of(original, dealt).accused
    assert claims_of(original, dealt.assign(school=range(len(dealt)))).accused


def test_of_a_replica_without_repeats_nothing_is_said() -> None:
    ours = keys_of([1, 1, 2, 2, 3, 3, 4, 5])
    numbers = np.arange(8)
    assert ClusteredRows([], numbers, numbers).test(np.tile(ours, 2)[:15]).bundles == 1
    alone = np.concatenate([ours, keys_of([4, 5, 6, 7, 8, 9, 10, 11])])
    assert ClusteredRows([], numbers, numbers).test(alone) == EqualRows()
    repeated = np.concatenate([ours, keys_of([9, 9, 4, 5, 6, 7, 8, 10])])
    assert ClusteredRows([], numbers, numbers).test(repeated).bundles == 6
    few = np.concatenate([ours, keys_of([4, 6, 7])])  # of which no repeats are expected
    assert ClusteredRows([], numbers, numbers[:3]).test(few).bundles == 4


def test_a_twentieth_of_the_rows_of_a_few_schools_is_noticed() -> None:
    rng = np.random.default_rng(2)
    original, fresh = schools(rng, 40), schools(rng, 40)
    assert not claims_of(original, fresh).accused
    out = claims_of(original, with_rows(rng, original, fresh, 40))
    assert Claim.EITHER in out.claims
    assert out.people is not None
    assert (out.people.of, out.people.low > 20) == (800, True)
    assert out.tests["TE"].original > 25
    assert out.tests["TE"].p is not None
    assert out.tests["TE"].p < 1e-6


def test_clusters_that_the_replica_does_not_name_are_one_accident_each() -> None:
    rng = np.random.default_rng(3)
    original = schools(rng, 20)
    others = with_rows(rng, original, schools(rng, 20), 60)
    named = claims_of(original, others)
    unnamed = claims_of(original, others.drop(columns="school"))
    alone = claims_of(original, others.assign(school=range(len(others))))
    assert named.tests["TE"].original > 30
    assert unnamed.tests["TE"].original <= 20
    assert alone.tests["TE"].original <= 20


def test_what_columns_permuted_one_by_one_do_as_well_is_no_claim() -> None:
    rng = np.random.default_rng(5)
    number, size = 100, 3
    one = pd.DataFrame(
        {
            "school": np.repeat(np.arange(number), size),
            "kind": np.repeat(rng.permutation(number), size),
            "seat": np.tile(np.arange(size), number),
            "mark": rng.integers(0, 5, number * size),
        }
    )
    permuted = one.apply(lambda column: rng.permutation(column.to_numpy()))
    out = claims_of(one, permuted)
    assert out.tests["TE"].p is not None
    assert out.tests["TE"].p < 0.005  # of one kind a school has three rows at most
    assert (Claim.COLUMNS in out.claims, out.accused) == (True, False)


def test_the_level_is_shared_with_one_row_of_each_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    original, fresh = schools(rng, 200, 2), schools(rng, 200, 2)
    copied = fresh.copy()
    copied.iloc[:60, :-1] = original.iloc[:60, :-1]
    both = claims_of(original, copied).tests["TE"].p
    monkeypatch.setattr(equal_rows.ClusteredRows, "test", lambda *_: EqualRows())
    one_each = claims_of(original, copied).tests["TE"].p
    assert both is not None
    assert one_each is not None
    assert both <= one_each < 0.005


@pytest.mark.parametrize(("numbers", "p"), [(True, 0.0014), (True, 0.002), (False, 0.002)])
def test_a_p_counts_by_searches_and_has_to_be_below_those_of_permuted_columns(
    numbers: bool, p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    original, fresh = (schools(rng, 20) for _ in range(2))
    if not numbers:
        original, fresh = (
            file.select_dtypes(exclude="float").round(-1) for file in (original, fresh)
        )
    monkeypatch.setattr(equal_rows.ClusteredRows, "test", lambda *_: EqualRows(9, 10, p, 9, 10))
    out = claims_of(original, fresh)
    times = 3 if numbers else 2  # one row of each, all rows, and all with numbers in groups
    of_level = 0.85 / times
    assert out.tests["TE"].p == pytest.approx(p / of_level)
    assert out.tests["TE"].smallest == pytest.approx(p)
    assert not out.accused  # every permuted replica has this p
    assert (Claim.COLUMNS in out.claims) == (p / of_level <= 0.005)


def test_what_would_be_noticed_is_told_at_a_share_of_the_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(7)
    original, fresh = schools(rng, 20), schools(rng, 20)
    levels: list[float] = []
    monkeypatch.setattr(power, "noticed", lambda *given: levels.append(given[3]["TE"]))
    claims_of(original, fresh)
    whose_records(records(original, fresh))
    assert levels == pytest.approx([0.85 * 0.005 / 3, 0.85 * 0.005])


def test_rows_whose_numbers_were_changed_a_little_are_noticed() -> None:
    rng = np.random.default_rng(8)
    original, fresh = schools(rng, 60), schools(rng, 60)
    changed = original.copy()
    for name in changed.select_dtypes("number").columns.drop("school"):
        numbers = changed[name] + rng.normal(0, 0.01 * changed[name].std(), len(changed))
        changed[name] = numbers.astype(changed[name].dtype)
    out = claims_of(original, with_rows(rng, changed, fresh, 240))
    assert Claim.EITHER in out.claims
    assert out.people is not None
    assert 60 < out.people.low < 240
    assert not claims_of(original, with_rows(rng, schools(rng, 60), fresh, 240)).accused


def test_numbers_are_in_groups_of_as_many_records() -> None:
    values = np.r_[np.arange(400.0), np.nan, 0.5]
    few = np.r_[np.repeat(np.arange(40.0), 10), np.nan, np.nan]
    parts = (
        PooledColumn("number", values, number=True),
        PooledColumn("scaled", few, number=True, mapped=values),
        PooledColumn("few", few, number=True),
        PooledColumn("code", np.arange(402), number=False),
    )
    files = Files(parts, 200, 0, 202)
    out = grouped(files)
    assert out is not None
    assert grouped(out) is None
    assert [part.number for part in out.parts] == [False, False, True, False]
    groups = out.parts[0].values
    assert groups[-2] == -1
    assert groups[-1] == groups[0] == 0
    assert set(np.bincount(groups[groups >= 0])) <= {9, 10, 11}
    assert len(set(groups.tolist())) == 41
    np.testing.assert_array_equal(out.parts[1].values, groups)
    for kept, part in zip(out.parts[2:], parts[2:], strict=True):
        assert kept is part
    assert grouped(Files(parts[2:], 200, 0, 202)) is None
