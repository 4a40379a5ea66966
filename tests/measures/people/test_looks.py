"""Which records near tests look at, by the sizes of files and by what they repeat."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import Claim, whose_records
from sdcmetrics.measures.people.columns import Files, files_of
from sdcmetrics.measures.people.equal import column_keys
from sdcmetrics.measures.people.looks import near_looks
from sdcmetrics.measures.people.searches import Searches
from tests.measures.people.drawn import mixed, people_of, records


def looks(
    original: pd.DataFrame, replica: pd.DataFrame, holdout: pd.DataFrame | None = None
) -> list[tuple[Files, bool]]:
    given = records(original, replica, holdout)
    files, rng = files_of(given, given.names), np.random.default_rng(2)
    return list(near_looks(Searches(files, column_keys(files, rng), (), rng)))


def repeated(frame: pd.DataFrame, times: list[int]) -> pd.DataFrame:
    return frame.iloc[np.repeat(np.arange(len(frame)), times)].reset_index(drop=True)


@pytest.mark.parametrize("aside", [False, True])
@pytest.mark.parametrize(
    ("different", "times", "sizes"),
    [
        (60, [1] * 60, [(60, False)]),
        (40, [2] * 20 + [1] * 20, [(60, False)]),  # 60 records of 40: 1.5 times
        (40, [2] * 21 + [1] * 19, [(61, False), (40, False), (40, True)]),
        (30, [2] * 16 + [1] * 14, [(46, False), (30, True)]),
        (61, [1] * 61, [(61, False), (40, False)]),
        (70, [2] * 69 + [3], [(141, False), (40, False), (40, True)]),
    ],
)
def test_a_part_of_a_larger_replica_and_each_record_of_one_that_repeats_more(
    different: int, times: list[int], sizes: list[tuple[int, bool]], *, aside: bool
) -> None:
    rng = np.random.default_rng(1)
    original, replica = people_of(rng, 40), repeated(people_of(rng, different), times)
    each = looks(original, replica, people_of(rng, 10) if aside else None)
    assert [(files.m, lacking) for files, lacking in each] == sizes
    assert {(files.n, files.h) for files, _ in each} == {(40, 10 if aside else 0)}
    for files, lacking in each:
        rows = np.array([part.values[files.pool :] for part in files.parts])
        alike = files.m - len(np.unique(rows, axis=1).T)
        assert alike == 0 or not lacking


def test_what_the_original_repeats_as_well_is_looked_at_as_it_is() -> None:
    rng = np.random.default_rng(1)
    original, replica = (repeated(people_of(rng, 20), [2] * 20) for _ in range(2))
    assert len(looks(original, replica)) == 1
    thrice = repeated(people_of(rng, 15), [4] * 15)  # four times, which is twice as often
    assert [lacking for _, lacking in looks(original, thrice)] == [False, True]


@pytest.mark.parametrize("aside", [0, 20])
def test_changed_copies_among_records_that_are_repeated_are_noticed(aside: int) -> None:
    rng, calls = np.random.default_rng(3), 0
    for _ in range(10):
        original, fresh = people_of(rng, 300), people_of(rng, 300)
        holdout = people_of(rng, aside) if aside else None
        copied = original[:100].copy()
        copied[["income", "rent"]] += rng.normal(0, 20, (100, 2)).round(1)
        replica = pd.concat([copied, fresh[100:]], ignore_index=True)
        result, others = (
            whose_records(
                records(original, mixed(repeated(file, list(rng.integers(2, 6, 300)))), holdout)
            )
            for file in (replica, fresh)
        )
        calls += bool({Claim.EITHER, Claim.FOLLOWS} & set(result.claims))
        assert not others.accused
    assert calls >= 9
