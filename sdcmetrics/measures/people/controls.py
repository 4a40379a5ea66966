"""Control replicas with permuted columns: whether single columns explain an alarm.

They are made only where something alarms. An alarm must be stronger than that of every one of
them; a tie fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sdcmetrics.measures.people.equal import Keys, bundles_of, equal_records, sum_keys
from sdcmetrics.measures.people.near import Arranged, near_records
from sdcmetrics.measures.people.search import GROUPS

EXACT = 99
HALVES = 19
NEAR = 19

_MANY = 20_000  # records from which on permuted columns are only shifted against each other
_CHEAP = 12_000_000  # steps of a search up to which near controls are as many as exact ones


def beaten_by_equal(
    columns: list[Keys], n: int, h: int, smallest: dict[str, float], rng: np.random.Generator
) -> dict[str, bool]:
    """Return of LE and TE whether their p is below that of every replica of permuted columns.

    Parameters
    ----------
    columns : list of key arrays
        Of all records, per column.
    n, h : int
    smallest : dict
        The p of each test that alarms, "LE" and "TE".
    rng : numpy Generator
    """
    ok = dict.fromkeys(smallest, True)
    pool = n + h
    people = sum_keys([column[:pool] for column in columns])
    for keys in _shuffled([column[pool:] for column in columns], rng, halves=not h):
        control = equal_records(bundles_of(np.concatenate([people, keys]), n, h), n, h)
        for test, p in (("LE", control.p_label), ("TE", control.p_twins)):
            if test in ok:
                ok[test] &= p > smallest[test]
        if not any(ok.values()):
            break
    return ok


def beaten(
    columns: list[Keys], n: int, p: float, law: Callable[[Keys], float], rng: np.random.Generator
) -> bool:
    """Return whether p is below that of all permuted replicas, of whose keys a law gives the p.

    Columns are those of the original's n records and of the replica's.
    """
    ours = sum_keys([column[:n] for column in columns])
    drawn = _shuffled([column[n:] for column in columns], rng, halves=True)
    return all(law(np.concatenate([ours, keys])) > p for keys in drawn)


def _shuffled(columns: list[Keys], rng: np.random.Generator, *, halves: bool) -> Iterator[Keys]:
    """Yield the keys of replicas with columns permuted, then with half of them together.

    Of columns that vary: where only constant ones are permuted, the replica stays what it is.
    """
    m, whole = len(columns[0]), sum_keys(columns)
    varying = [column for column in columns if (column != column[0]).any()]
    half = len(varying) // 2
    if m > _MANY:
        apart = [rng.permutation(column) for column in columns]
        for _ in range(EXACT):
            yield sum_keys([np.roll(column, int(rng.integers(m))) for column in apart])
    else:
        for _ in range(EXACT):
            yield sum_keys([rng.permutation(column) for column in columns])
    for _ in range(HALVES if halves and half else 0):
        some = rng.choice(len(varying), half, replace=False)
        part = sum_keys([varying[j] for j in some])
        yield whole - part + rng.permutation(part)


def beaten_by_near(
    given: Arranged,
    smallest: dict[str, float],
    rng: np.random.Generator,
    *,
    skip_equal: bool,
) -> tuple[dict[str, bool], float]:
    """Return of TN and LN whether their smallest p is below that of every control.

    The second value is the mean share of the controls' records nearest to the original.
    """
    ok = dict.fromkeys(smallest, True)
    columns, size = given.ranks.shape
    steps = size * size * (columns + 4 * (1 + min(columns, GROUPS)))
    count = EXACT if steps <= _CHEAP else NEAR
    shares: list[Any] = []
    people = given.among()
    for _ in range(count):
        passed = [test for test in ok if ok[test]]
        replica = given.shuffled(rng)
        control = near_records(replica, rng, skip_equal=skip_equal, tests=passed, people=people)
        shares.append(control.share)
        for test, p in (("TN", control.smallest_twins), ("LN", control.smallest_label)):
            if test in ok:
                ok[test] &= p > smallest[test]
        if not any(ok.values()):
            break
    return ok, float(np.mean(shares))
