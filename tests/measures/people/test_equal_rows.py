from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics.measures.people import Claim, People, equal_rows, procedure, whose_records
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


def test_joined_bundles_are_the_rank_of_the_clusters_that_they_join() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        original, replica = rng.integers(0, 4, 9), rng.integers(0, 5, 12)
        keys = keys_of([*rng.integers(0, 12, 9), *rng.integers(0, 12, 12)])
        values, times = np.unique(keys, return_counts=True)
        twos = [np.flatnonzero(keys == value).tolist() for value in values[times == 2]]
        joined = [(original[i], replica[j - 9]) for i, j in twos if i < 9 <= j]
        edges = np.zeros((len(joined), 9))
        for edge, (one, other) in zip(edges, joined, strict=True):
            edge[one], edge[4 + other] = 1, -1  # the incidence matrix of an oriented graph
        rank = int(np.linalg.matrix_rank(edges)) if joined else 0
        clusters = len({one for one, _ in joined})
        for named, count in ((replica, rank), (None, clusters)):
            result = ClusteredRows([], original, named).test(keys)
            assert (result.joined, result.bundles) == (count, len(twos))
            assert result.p == pytest.approx(stats.binom.sf(count - 1, len(twos), 0.5))


def test_of_a_replica_without_repeats_nothing_is_said() -> None:
    ours = keys_of([1, 1, 2, 2, 3, 3, 4, 5])
    numbers = np.arange(8)
    assert ClusteredRows([], numbers, numbers).test(np.tile(ours, 2)[:15]).bundles == 1
    alone = np.concatenate([ours, keys_of([4, 5, 6, 7, 8, 9, 10, 11])])
    assert ClusteredRows([], numbers, numbers).test(alone) == EqualRows()


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
    rng = np.random.default_rng(2)
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


@pytest.mark.parametrize("p", [0.001, 0.003])
def test_a_p_counts_twice_and_has_to_be_below_those_of_permuted_columns(
    p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    original, fresh = schools(rng, 20), schools(rng, 20)
    monkeypatch.setattr(equal_rows.ClusteredRows, "test", lambda *_: EqualRows(9, 10, p))
    out = claims_of(original, fresh)
    assert out.tests["TE"].p == 2 * p
    assert not out.accused  # every permuted replica has this p
    assert (Claim.COLUMNS in out.claims) == (2 * p <= 0.005)


def test_what_would_be_noticed_is_told_at_half_of_the_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(7)
    original, fresh = schools(rng, 20), schools(rng, 20)
    levels: list[float] = []
    monkeypatch.setattr(procedure, "noticed", lambda *given: levels.append(given[3]["TE"]))
    claims_of(original, fresh)
    whose_records(records(original, fresh))
    assert levels == [0.0025, 0.005]
