"""Whose records are in a file: the procedure as a whole.

Columns are prepared without knowing who is of the original; copies are told; the holdout must be a
random part; four tests look for equal and near records; the holdout confirms, and replicas of
permuted columns must be beaten; rows may stand in order. What comes out are claims.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sdcmetrics.measures.people.alignment import alignment
from sdcmetrics.measures.people.claims import (
    ACCUSING,
    NOT_NOTICED,
    Claim,
    Interval,
    People,
    in_order,
)
from sdcmetrics.measures.people.clusters import (
    are_others,
    labels_of,
    numbers_of,
    one_row_each,
)
from sdcmetrics.measures.people.columns import (
    Files,
    comparable,
    files_of,
    running_numbers,
)
from sdcmetrics.measures.people.copies import is_copy, is_renamed, may_be_copy
from sdcmetrics.measures.people.equal import (
    keys_of,
    sum_keys,
)
from sdcmetrics.measures.people.exchange import Exchange, exchange
from sdcmetrics.measures.people.levels import FULL, Levels
from sdcmetrics.measures.people.near import largest_share
from sdcmetrics.measures.people.outsiders import holds_outsiders
from sdcmetrics.measures.people.power import noticed, rewritten
from sdcmetrics.measures.people.replicated import beyond_duplicates, beyond_labels
from sdcmetrics.measures.people.testing import PeopleTests
from sdcmetrics.measures.records import Records

Memo = dict[Any, Any]

_FEWEST = 2  # columns that can be compared


def whose_records(
    records: Records,
    *,
    levels: Levels = FULL,
    seed: int = 1,
    memo: Memo | None = None,
    settled: frozenset[str] = frozenset(),
) -> People:
    """Return whose records a file holds.

    Parameters
    ----------
    records : Records
        Original, one file of the replica (or the union of several) and perhaps a holdout.
    levels : Levels
        Of the four tests; those of several files are shared out.
    seed : int
        Breaks ties and draws labels and controls.
    memo : dict, optional
        Keeps what does not depend on the replica for the next file.
    settled : set of "LE", "TE", "TN"
        Tests by which another file of the same maker was more than replicas of permuted columns:
        these are not made again for them, and "closer" is not asked any more.
    """
    rng = np.random.default_rng([seed, records.n, records.m, records.h])
    running = running_numbers(records)
    names = [name for name in records.names if name not in running]
    out = People(
        (),
        records.n,
        records.m,
        records.h,
        holdout="used" if records.h else "lacks columns" if records.holdout_lacks else "none",
        left_out=records.incomparable,
        running=running,
        absent=records.absent,
        cluster="" if records.cluster is None else records.cluster.name,
    )
    claims = {Claim.LEFT_OUT} if records.incomparable else set()
    if len(names) < _FEWEST or not records.n or not records.m:
        return replace(out, claims=in_order(claims | {Claim.FEW_COLUMNS}))
    whole = files_of(records, names)
    claims |= _copies(whole, rng)
    numbers = numbers_of(records.cluster)
    files = whole if records.cluster is None else whole.at(one_row_each(whole, numbers))
    if numbers[0] is not None:
        out = replace(
            out,
            clusters=int(numbers[0].max()) + 1,
            other_clusters=are_others(records.cluster),
        )
    if files.h:
        exchanged = _exchanged(files, records, seed, memo)
        out = replace(out, holdout_p=exchanged.p)
        if exchanged.differs:
            claims.add(Claim.HOLDOUT_DIFFERS)
            out = replace(out, holdout="differs", holdout_most=exchanged.most)
            files, whole = files.without_holdout(), whole.without_holdout()
            numbers = (numbers[0], None, numbers[2])
    prepared = comparable(files, rng)
    out = replace(out, mapped=prepared.mapped, left_out=out.left_out + prepared.left_out)
    if prepared.left_out:
        claims.add(Claim.LEFT_OUT)
    if len(prepared.files.parts) < _FEWEST:
        return replace(out, claims=in_order(claims | {Claim.FEW_COLUMNS}))
    tests = PeopleTests(prepared, levels.of(holdout=bool(files.h)), rng, settled)
    if numbers[0] is not None and numbers[1] is not None and files.h:
        named = whole.at(np.arange(whole.size))
        chosen = tuple(part for part in named.parts if part.name in prepared.files.names)
        tests.by_clusters(replace(named, parts=chosen), labels_of(numbers[0], numbers[1]))
    return _conclude(out, claims, tests)


def _exchanged(files: Files, records: Records, seed: int, memo: Memo | None) -> Exchange:
    """Return whether the holdout is a random part, tested once for all files of a memo."""
    people = files.at(np.arange(files.pool))
    if memo is None:
        return exchange(people, seed)
    key = ("exchange", files.names, files.n, files.h, records.cluster is not None, seed)
    if key not in memo:
        memo[key] = exchange(people, seed)
    return memo[key]  # type: ignore[no-any-return]


def _copies(whole: Files, rng: np.random.Generator) -> set[Claim]:
    """Return whether the file is the original, as it is or renamed."""
    if may_be_copy(whole):
        keys = keys_of(whole, rng)
        if is_copy(keys[: whole.n], keys[whole.pool :]):
            return {Claim.COPY}
    return {Claim.RENAMED} if is_renamed(whole) else set()


def _conclude(out: People, claims: set[Claim], tests: PeopleTests) -> People:
    """Return the claims that follow from the tests."""
    files, beaten = tests.files, tests.beaten
    spoke = {test: spoke for test, (spoke, _) in tests.against.items()}
    if tests.equal.deduplicated:
        claims.add(Claim.DEDUPLICATED)
    if "LE" in beaten or ("TE" in beaten and spoke["TE"]):
        claims.add(Claim.HOLDS)
    if any(test in beaten and not spoke[test] for test in ("TE", "TN")):
        claims.add(Claim.EITHER)
    if "TN" in beaten and spoke["TN"]:
        claims.add(Claim.FOLLOWS)
    if files.n == files.m and not claims & {Claim.COPY, Claim.RENAMED}:
        rows = alignment(files, tests.rng)
        if rows.aligned:
            claims.add(Claim.ALIGNED)
            n = files.n
            out = replace(out, in_order=Interval(rows.own * n, rows.low * n, n, n))
        elif rows.ordered:
            claims.add(Claim.ORDER)
    if holds_outsiders(tests):
        claims.add(Claim.OUTSIDERS)
    if "LN" in beaten and not claims & ACCUSING:
        claims.add(Claim.CLOSER)
    share = tests.near_shares[-1] if tests.near_shares else None
    out = replace(
        out,
        tests=tests.tests,
        people=_replicated(tests),
        hits=(tests.label_equal.original, tests.label_equal.holdout),
        places=tests.places,
        larger_holdout=Claim.EITHER in claims and bool(files.h),
        closer_share=share,
    )
    stated = replace(out, claims=in_order(claims))
    if not stated.accused and Claim.OUTSIDERS not in claims:
        if tests.alarms - beaten:
            claims.add(Claim.COLUMNS)
        if tests.void:
            claims.add(Claim.UNDECIDED if tests.undecided else Claim.VOID)
    out = replace(out, claims=in_order(claims))
    return _with_power(out, tests)


def _replicated(tests: PeopleTests) -> Interval | None:
    """Return the people replicated beyond chance: by label tests, or else by twins."""
    files, equal, near = tests.files, tests.label_equal, tests.near
    if files.h and equal.original + equal.holdout and "LE" in tests.beaten:
        rows = files if tests.label_files is None else tests.label_files
        return beyond_labels(equal.original, equal.holdout, rows.n, rows.h)
    if "TE" in tests.beaten:
        return beyond_duplicates(
            tests.equal.joined, tests.equal.bundles, tests.equal.chance, files.n
        )
    if "TN" in tests.beaten:
        chance = largest_share(tests.arranged.n, tests.arranged.h)
        return beyond_duplicates(near.joined, near.pairs, chance, files.n)
    if files.h:
        rows = files if tests.label_files is None else tests.label_files
        return beyond_labels(equal.original, equal.holdout, rows.n, rows.h)
    return beyond_duplicates(tests.equal.joined, tests.equal.bundles, tests.equal.chance, files.n)


def _with_power(out: People, tests: PeopleTests) -> People:
    """Return with the number of copied people who would have been noticed, where it is true."""
    if tests.alarms or tests.void or set(out.claims) & ACCUSING:
        return replace(out, withheld="something alarms")
    if Claim.DEDUPLICATED in out.claims:
        return replace(out, withheld="the replica has no repeated record")
    column = rewritten(tests.files)
    if column:
        return replace(out, withheld=f"the file writes {column} otherwise than the original")
    keys = sum_keys(tests.keys)
    number = noticed(keys, tests.files.n, tests.files.h, tests.levels, tests.rng)
    if number is None:
        return replace(out, withheld=NOT_NOTICED)
    return replace(out, noticed=number)
