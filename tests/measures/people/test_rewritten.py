"""Columns that a replica writes otherwise than the original, by hand and in drawn files."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.rewritten import _share_shared, coarser, rewritten
from tests.measures.people.drawn import people_of, records


def test_a_file_that_writes_otherwise_is_told() -> None:
    rng = np.random.default_rng(4)
    original, replica = people_of(rng, 300), people_of(rng, 300)

    def column(frame: pd.DataFrame) -> str:
        given = records(original, frame)
        return rewritten(files_of(given, given.names))

    assert column(replica) == ""
    assert column(replica.assign(rent=replica["rent"].round(-2))) == "rent"  # coarser
    assert column(replica.assign(age=replica["age"] + 0.25)) == "age"  # nobody's values


def test_the_share_of_values_that_are_among_others() -> None:
    assert _share_shared(np.array([1.0, 2.0, 9.0, 0.0]), np.array([1.0, 2.0])) == 0.5
    assert _share_shared(np.array([0.0, 1, 2, 3, 5, 6]), np.array([1.0, 3.0, 5.0])) == 0.5
    assert _share_shared(np.array([]), np.array([1.0])) == 0.0


@pytest.mark.parametrize(
    ("original", "replica", "name"), [(20, 14, ""), (20, 13, "x"), (19, 3, "")]
)
def test_fewer_different_values_are_written_otherwise(
    original: int, replica: int, name: str
) -> None:
    def files(values: np.ndarray, *, number: bool, mapped: Any = None) -> Any:
        part = SimpleNamespace(name="x", values=values, mapped=mapped, number=number)
        return SimpleNamespace(n=100, m=100, pool=150, parts=[part])

    holdout = np.full(50, 999.0)
    values = [np.arange(100.0) % distinct for distinct in (original, replica)]
    together = np.concatenate([values[0], holdout, values[1]])
    assert rewritten(files(together, number=False)) == name
    assert rewritten(files(together, number=False, mapped=1)) == "x"
    # all have a value of others, and the replica that of fewer than half
    own = np.arange(100.0) % 50
    for shared, expected in ((50, ""), (49, "x")):
        moved = np.where(np.arange(100) < shared, own, own + 0.5)
        both = np.concatenate([own, holdout, moved])
        assert rewritten(files(both, number=True)) == expected
        assert rewritten(files(both, number=False)) == ""
    rare = np.append(np.arange(81.0), np.zeros(19))  # of which a fifth is shared
    for people, expected in ((rare, "x"), (np.append(np.arange(82.0), np.zeros(18)), "")):
        both = np.concatenate([people, holdout, np.arange(100.0) + 0.5])
        assert rewritten(files(both, number=True)) == expected


@pytest.mark.parametrize(
    ("distinct", "other", "missing", "name"),
    [
        (63, 0, 0, ""),  # as many as of draws with replacement from a hundred: 63.4
        (51, 0, 0, ""),
        (50, 0, 0, "x"),  # below 80 % of these: two in a bin
        (63, 3, 0, ""),
        (63, 4, 0, "x"),  # more than 5 % are not the original's: it is compared with its 100
        (63, 3, 1, ""),  # missing is no value of another
    ],
)
def test_values_drawn_from_the_original_are_not_written_otherwise(
    distinct: int, other: int, missing: int, name: str
) -> None:
    original = np.arange(100.0)
    replica = np.arange(100.0) % distinct
    replica[replica < other] += 0.5
    if missing:
        replica[replica == distinct - 1] = np.nan
        assert np.isnan(replica).any()
    values = np.concatenate([original, np.full(50, 999.0), replica])
    part = SimpleNamespace(name="x", values=values, mapped=None, number=True)
    given: Any = SimpleNamespace(n=100, m=100, pool=150, parts=[part])
    assert rewritten(given) == name


@pytest.mark.parametrize("m", [60, 300, 900])
def test_columns_drawn_with_replacement_are_told_from_rounded_ones(m: int) -> None:
    rng = np.random.default_rng(m)
    income = np.round(np.exp(9 + rng.normal(size=300)))
    numbers = {
        "drawn": rng.choice(income, m),
        "rounded": np.round(rng.choice(income, m), -3),
        "groups of three": np.sort(income)[rng.integers(0, 100, m) * 3],
    }
    names = {}
    for kind, values in numbers.items():
        part = SimpleNamespace(
            name=kind, values=np.concatenate([income, values]), mapped=None, number=True
        )
        given: Any = SimpleNamespace(n=300, m=m, pool=300, parts=[part])
        names[kind] = rewritten(given)
    assert names["drawn"] == ""
    assert names["rounded"] == "rounded"
    assert names["groups of three"] == ("groups of three" if m > 60 else "")  # 60 of 100 groups


@pytest.mark.parametrize(("original", "replica", "is_coarser"), [(10, 7, False), (10, 6, True)])
def test_numbers_of_few_values_may_be_coarser_too(
    original: int, replica: int, *, is_coarser: bool
) -> None:
    def files(*columns: np.ndarray) -> Any:
        parts = [
            SimpleNamespace(name=f"x{i}", values=values, mapped=None, number=False)
            for i, values in enumerate(columns)
        ]
        return SimpleNamespace(n=100, m=100, pool=100, parts=parts)

    values = np.concatenate([np.arange(100.0) % original, 0.5 + np.arange(100.0) % replica])
    assert coarser(files(values, values.astype(np.int64))) == (("x0",) if is_coarser else ())
