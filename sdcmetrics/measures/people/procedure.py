"""Whose records are in a file: the procedure as a whole.

Columns are prepared without knowing who is of the original; copies are told; the holdout must be a
random part; four tests look for equal and near records; the holdout confirms, and replicas of
permuted columns must be beaten; rows may stand in order. What comes out are claims.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sdcmetrics.measures.people.alignment import alignment
from sdcmetrics.measures.people.claims import (
    ACCUSING,
    NOT_NOTICED,
    Claim,
    Interval,
    People,
    PeopleTest,
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
from sdcmetrics.measures.people.controls import beaten_by_equal
from sdcmetrics.measures.people.copies import (
    LARGEST_CHANCE,
    chance_of_copy,
    is_copy,
    is_renamed,
    may_be_copy,
)
from sdcmetrics.measures.people.equal import (
    Bundles,
    Equal,
    bundles_of,
    equal_records,
    keys_of,
    label_p,
    sum_keys,
)
from sdcmetrics.measures.people.exchange import Memo, exchange_once
from sdcmetrics.measures.people.intervals import beyond_labels
from sdcmetrics.measures.people.levels import FULL, Levels
from sdcmetrics.measures.people.power import noticed_in
from sdcmetrics.measures.people.rewritten import rewritten
from sdcmetrics.measures.people.testing import PeopleTests
from sdcmetrics.measures.records import Records
from sdcmetrics.microdata.arrays import Ints

_REPEATS = 3


def holds_outsiders(tests: PeopleTests) -> bool:
    """Return whether a file holds records of people of the holdout, beyond chance.

    Parameters
    ----------
    tests : PeopleTests
        Of files with a holdout that is a random part of it and the original.
    """
    files, levels, equal = tests.files, tests.levels, tests.equal
    n, h = files.n, files.h
    if not h or label_p(equal.holdout, equal.original, h, n) > levels["LE"]:
        return False
    aside, replica = np.arange(n, n + h), np.arange(files.pool, files.size)
    exchanged = [column[np.r_[aside, np.arange(n), replica]] for column in tests.keys]
    bundles = bundles_of(sum_keys(exchanged), h, n)
    p_twins = _without(bundles, h).p_twins
    if p_twins > levels["TE"] or _without_repeats(bundles):
        return False
    p_label = label_p(equal.holdout, equal.original, h, n)
    alone = [column[np.r_[aside, replica]] for column in tests.keys]
    return (
        beaten_by_equal(exchanged, h, n, {"LE": p_label}, tests.rng)["LE"]
        and beaten_by_equal(alone, h, 0, {"TE": p_twins}, tests.rng)["TE"]
    )


def _without(bundles: Bundles, h: int) -> Equal:
    """Return what records say that equal none of the original, which others may have lost."""
    rest = bundles.holdout == 0
    few = Bundles(*(part[rest] for part in (bundles.original, bundles.holdout, bundles.replica)))
    return equal_records(few, h, 0)


def _without_repeats(bundles: Bundles) -> bool:
    """Whether a file repeats nothing although people do: then it was not drawn one by one."""
    people = bundles.original + bundles.holdout
    return not bool((bundles.replica > 1).any()) and int((people > 1).sum()) >= _REPEATS


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
    if not names or not records.n or not records.m:
        return replace(out, claims=in_order(claims | {Claim.FEW_COLUMNS}))
    whole, numbers = files_of(records, names), numbers_of(records.cluster)
    claims |= _copies(whole, (numbers[0], numbers[2]), rng)
    if len(names) < _FEWEST:
        return replace(out, claims=in_order(claims | {Claim.FEW_COLUMNS}))
    files = whole if records.cluster is None else whole.at(one_row_each(whole, numbers))
    if numbers[0] is not None:
        out = replace(
            out,
            clusters=int(numbers[0].max()) + 1,
            other_clusters=are_others(records.cluster),
        )
    if files.h:
        exchanged = exchange_once(files, seed, memo)
        out = replace(out, holdout_p=exchanged.p)
        if exchanged.differs:
            claims.add(Claim.HOLDOUT_DIFFERS)
            out = replace(out, holdout="differs", holdout_most=exchanged.most)
            files, whole = files.without_holdout(), whole.without_holdout()
            numbers = (numbers[0], None, numbers[2])
    prepared = comparable(files, rng, None if records.cluster is None else whole)
    out = replace(out, mapped=prepared.mapped, left_out=out.left_out + prepared.left_out)
    if prepared.left_out:
        claims.add(Claim.LEFT_OUT)
    if len(prepared.files.parts) < _FEWEST:
        return replace(out, claims=in_order(claims | {Claim.FEW_COLUMNS}))
    tests = PeopleTests(prepared, levels.of(holdout=bool(files.h)), rng, settled)
    if numbers[0] is not None and (numbers[1] is not None or not files.h):
        named = whole.at(np.arange(whole.size))
        chosen = tuple(part for part in named.parts if part.name in prepared.files.names)
        named = replace(named, parts=chosen)
        if numbers[1] is None:
            tests.by_rows(named, (numbers[0], numbers[2]))
        else:
            tests.by_clusters(named, labels_of(numbers[0], numbers[1]))
    return _conclude(out, claims, tests)


def _copies(
    whole: Files, clusters: tuple[Ints | None, Ints | None], rng: np.random.Generator
) -> set[Claim]:
    """Return whether the file is the original, as it is or renamed, and not by chance."""
    if may_be_copy(whole):
        keys = keys_of(whole, rng)
        parts = keys[: whole.n], keys[whole.pool :]
        if is_copy(*parts):
            chance = chance_of_copy(*parts, clusters, rng)
            return {Claim.COPY} if chance <= LARGEST_CHANCE else set()
    return {Claim.RENAMED} if is_renamed(whole, rng) else set()


def _conclude(out: People, claims: set[Claim], tests: PeopleTests) -> People:
    """Return the claims that follow from the tests."""
    files, beaten = tests.files, tests.beaten
    spoke = {test: spoke for test, (spoke, _) in tests.against.items()}
    if tests.silent and not files.sizes:  # of several files, each says it of itself
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
    out = _with_avoided(out, claims, tests)
    share = tests.near_shares[-1] if tests.near_shares else None
    out = replace(
        out,
        tests=_outcomes(tests),
        people=_replicated(tests),
        hits=(tests.label_equal.original, tests.label_equal.holdout),
        places=tests.places,
        larger_holdout=Claim.EITHER in claims and bool(files.h),
        closer_share=share,
    )
    stated = replace(out, claims=in_order(claims))
    if not stated.accused and not {Claim.OUTSIDERS, Claim.AVOIDS} & claims:
        if tests.alarms - beaten:
            claims.add(Claim.COLUMNS)
        if tests.void:
            claims.add(Claim.UNDECIDED if tests.undecided else Claim.VOID)
    out = replace(out, claims=in_order(claims))
    return _with_power(out, tests)


def _outcomes(tests: PeopleTests) -> dict[str, PeopleTest]:
    """Return the outcome of each test."""
    equal, near, label_near = tests.label_equal, tests.near, tests.label_near
    smallest = tests.cells.values.p if tests.by_cells else near.smallest_twins
    counts: dict[str, tuple[int, int, float]] = {
        "LE": (equal.original, equal.holdout, tests.p.get("LE", 1.0)),
        "TE": (*tests.searches.joined, tests.searches.smallest),
        "LN": (label_near.marked_original, label_near.marked_holdout, label_near.smallest_label),
        "TN": (*tests.near_hits, smallest),
    }
    out = {}
    for test, p in tests.p.items():
        level = tests.levels[test]
        silent = (test == "LN" and p > level) or (test == "TE" and tests.silent)
        out[test] = PeopleTest(
            None if silent else p,
            level,
            test in tests.beaten,
            *counts[test][:2],
            spoke=tests.against[test][0] if test in tests.against else False,
            smallest=counts[test][2],
        )
    return out


def _with_avoided(out: People, claims: set[Claim], tests: PeopleTests) -> People:
    """Return with the people who are met too seldom, and add that to the claims."""
    if tests.avoided is None or claims & {*ACCUSING, Claim.OUTSIDERS}:
        return out
    claims.add(Claim.AVOIDS)
    return replace(out, avoided=tests.avoided)


def _replicated(tests: PeopleTests) -> Interval | None:
    """Return the people replicated beyond chance: by label tests, or else by duplicates."""
    files, rows, equal = tests.files, tests.label_files, tests.label_equal
    if files.h and equal.original + equal.holdout and "LE" in tests.beaten:
        return beyond_labels(equal.original, equal.holdout, rows.n, rows.h)
    if "TE" in tests.beaten:
        return tests.searches.people
    if "TN" in tests.beaten:
        return tests.near_people
    if files.h:
        return beyond_labels(equal.original, equal.holdout, rows.n, rows.h)
    return tests.searches.people


def _with_power(out: People, tests: PeopleTests) -> People:
    """Return with the number of copied people who would have been noticed, where it is true."""
    if tests.alarms or tests.void or set(out.claims) & ACCUSING:
        return replace(out, withheld="something alarms")
    if Claim.DEDUPLICATED in out.claims:
        return replace(out, withheld="the replica has no repeated record, and people are alike")
    column = rewritten(tests.files)
    if column:
        return replace(out, withheld=f"the file writes {column} otherwise than the original")
    if tests.distinct:
        return replace(out, noticed=tests.noticed_by_values)
    number = noticed_in(tests)
    if number is None:
        return replace(out, withheld=NOT_NOTICED)
    return replace(out, noticed=number)
