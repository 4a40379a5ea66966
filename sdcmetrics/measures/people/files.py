"""Several files of one maker: each by itself, and the growing union, at levels that add up.

A file added can only add a claim: the first is looked at at full levels whatever follows, and the
levels of file i and of the union of files 1 to i depend on i alone. The same holds of files that
were handed out earlier: each union of the first of these and of the new files has a level of its
own, by its place, which no later file changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from sdcmetrics.errors import DataError
from sdcmetrics.measures.people.claims import People
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.measures.people.exchange import Memo
from sdcmetrics.measures.people.levels import Levels
from sdcmetrics.measures.people.procedure import whose_records
from sdcmetrics.measures.records import Column, Records


def people_of_files(
    records: Sequence[Records],
    *,
    earlier: Sequence[Records] = (),
    seed: int = 1,
    memo: Memo | None = None,
    tell: Callable[[str], None] | None = None,
) -> PeopleOfFiles:
    """Return whose records the files of one maker hold.

    Parameters
    ----------
    records : sequence of Records
        Of each file in the order in which they were made, each with the same original and
        holdout.
    earlier : sequence of Records
        The same of files that were handed out before these, in their order.
    seed : int
    memo : dict, optional
        Keeps what does not depend on the replica for other makers.
    tell : callable, optional
        Called with what is being looked at.
    """
    if not records:
        msg = "people_of_files: expected the records of at least one file but got none."
        raise DataError(msg)
    memo = {} if memo is None else memo
    files, unions = [], []
    settled: frozenset[str] = frozenset()
    for i, part in enumerate(records, start=1):
        levels = Levels.of_file(i)
        if tell is not None and len(records) > 1:
            tell(f"whose records are in it: file {i} of {len(records)}")
        files.append(whose_records(part, levels=levels, seed=seed, memo=memo, settled=settled))
        settled |= _settled(files[-1])
        if i > 1:
            whole = union(records[:i])
            unions.append(
                whose_records(whole, levels=levels, seed=seed, memo=memo, settled=settled)
            )
            settled |= _settled(unions[-1])
    result = PeopleOfFiles(tuple(files), tuple(unions))
    return _beside_earlier(result, records, earlier, seed, memo, tell) if earlier else result


def _beside_earlier(
    result: PeopleOfFiles,
    records: Sequence[Records],
    earlier: Sequence[Records],
    seed: int,
    memo: Memo,
    tell: Callable[[str], None] | None,
) -> PeopleOfFiles:
    """Look at unions of the first earlier files and of the new ones, until one is for review.

    Together these have a quarter of the level at most. After the first that is for review no
    further one could say more.
    """
    together: list[People] = []
    sizes: list[int] = []
    result = replace(result, out=len(earlier))
    for number in range(1, len(earlier) + 1):
        for count in range(1, len(records) + 1):
            if tell is not None:
                tell(f"whose records are in it: together with {number} of {len(earlier)} earlier")
            levels = Levels.of_file(number + count)
            whole = union([*earlier[:number], *records[:count]])
            together.append(whose_records(whole, levels=levels, seed=seed, memo=memo))
            sizes.append(number)
            if together[-1].accused:
                before = union(earlier[:number])
                anyway = whose_records(before, levels=levels, seed=seed, memo=memo).accused
                return replace(
                    result, together=tuple(together), earlier=tuple(sizes), anyway=anyway
                )
    return replace(result, together=tuple(together), earlier=tuple(sizes))


def _settled(result: People) -> frozenset[str]:
    """Return the tests that alarmed beyond replicas of permuted columns."""
    return frozenset(
        test for test, outcome in result.tests.items() if outcome.alarmed and test != "LN"
    )


def union(records: Sequence[Records]) -> Records:
    """Return the records of several files as those of one."""
    first = records[0]
    common = set(first.names).intersection(*(part.names for part in records[1:]))
    mixed = {
        column.name
        for part in records[1:]
        for column in part.columns
        if column.name in common
        and column.numeric != first.columns[first.names.index(column.name)].numeric
    }
    common -= mixed
    columns = tuple(
        _union(column, [part.columns[part.names.index(column.name)] for part in records])
        for column in first.columns
        if column.name in common
    )
    clusters = [part.cluster for part in records if part.cluster is not None]
    cluster = None
    if len(clusters) == len(records):
        cluster = _union(clusters[0], _numbered_apart(clusters))
    absent = dict.fromkeys(name for part in records for name in part.absent)
    lacks = dict.fromkeys(name for part in records for name in part.holdout_lacks)
    lost = dict.fromkeys(name for part in records for name in (*part.incomparable, *sorted(mixed)))
    return replace(
        first,
        columns=columns,
        m=sum(part.m for part in records),
        sizes=tuple(part.m for part in records),
        cluster=cluster,
        absent=tuple(absent),
        incomparable=tuple(lost),
        holdout_lacks=tuple(lacks),
    )


def _union(column: Column, parts: Sequence[Column]) -> Column:
    """Return a column with the replicas of all files, coded alike."""
    if column.numeric or len({part.levels for part in parts}) == 1:
        return replace(column, replica=np.concatenate([part.replica for part in parts]))
    levels = tuple(dict.fromkeys(level for part in parts for level in part.levels))
    place = {level: code for code, level in enumerate(levels)}
    replicas = []
    for part in parts:  # the last code stands for missing, which is -1
        codes = np.array([*(place[level] for level in part.levels), -1])
        replicas.append(codes[part.replica])
    return replace(column, replica=np.concatenate(replicas), levels=levels)


def _numbered_apart(parts: Sequence[Column]) -> list[Column]:
    """Return clusters of several files numbered on: a number names another cluster in each."""
    out, start = [], 0
    if not all(len(part.replica) for part in parts):
        return [replace(part, replica=part.replica[:0]) for part in parts]
    for part in parts:
        codes = np.unique(part.replica, return_inverse=True)[1]
        out.append(replace(part, replica=start + codes.astype(np.float64)))
        start += int(codes.max()) + 1
    return out
