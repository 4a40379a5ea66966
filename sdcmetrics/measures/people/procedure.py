"""Whose records are in a file: the procedure as a whole.

Columns are prepared without knowing who is of the original; copies are told; the holdout must be a
random part; four tests look for equal and near records; the holdout confirms, and replicas of
permuted columns must be beaten; rows may stand in order. What comes out are claims.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

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
    Labels,
    drawn_label_p,
    labels_of,
    numbers_of,
    one_row_each,
)
from sdcmetrics.measures.people.columns import (
    Comparable,
    Files,
    comparable,
    files_of,
    running_numbers,
)
from sdcmetrics.measures.people.controls import beaten_by_equal, beaten_by_near
from sdcmetrics.measures.people.copies import is_copy, is_renamed, may_be_copy
from sdcmetrics.measures.people.equal import (
    SPEAKS,
    Equal,
    Keys,
    bundles_of,
    column_keys,
    equal_records,
    keys_of,
    sum_keys,
)
from sdcmetrics.measures.people.exchange import Exchange, exchange
from sdcmetrics.measures.people.levels import FULL, Levels
from sdcmetrics.measures.people.near import Arranged, Near, arranged, near_records
from sdcmetrics.measures.people.places import LARGE, places
from sdcmetrics.measures.people.power import noticed, rewritten
from sdcmetrics.measures.people.replicated import beyond_labels, beyond_twins
from sdcmetrics.measures.people.tails import at_least_binomial
from sdcmetrics.measures.records import Records
from sdcmetrics.microdata.arrays import Ints

Memo = dict[Any, Any]

CONFIRMED = 0.01
"""The holdout confirms a twin test up to this p."""

CONTRADICTED = 0.1
"""Above this p it contradicts; between the two it is undecided."""

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
            other_clusters=numbers[1] is not None and _others(records),
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
    tests = _Look(prepared, levels.of(holdout=bool(files.h)), rng, settled)
    if numbers[0] is not None and numbers[1] is not None and files.h:
        named = whole.at(np.arange(whole.size))
        chosen = tuple(part for part in named.parts if part.name in prepared.files.names)
        tests.by_clusters(replace(named, parts=chosen), labels_of(numbers[0], numbers[1]))
    return _conclude(out, claims, tests)


def _copies(whole: Files, rng: np.random.Generator) -> set[Claim]:
    """Return whether the file is the original, as it is or renamed."""
    if may_be_copy(whole):
        keys = keys_of(whole, rng)
        if is_copy(keys[: whole.n], keys[whole.pool :]):
            return {Claim.COPY}
    return {Claim.RENAMED} if is_renamed(whole) else set()


def _others(records: Records) -> bool:
    """Whether no cluster of the holdout is one of the original."""
    cluster = records.cluster
    if cluster is None or cluster.holdout is None:
        return False
    return not bool(np.isin(cluster.holdout, cluster.original).any())


def _exchanged(files: Files, records: Records, seed: int, memo: Memo | None) -> Exchange:
    """Return whether the holdout is a random part, tested once for all files of a memo."""
    people = files.at(np.arange(files.pool))
    if memo is None:
        return exchange(people, seed)
    key = ("exchange", files.names, files.n, files.h, records.cluster is not None, seed)
    if key not in memo:
        memo[key] = exchange(people, seed)
    return memo[key]  # type: ignore[no-any-return]


@dataclass(repr=False)
class _Look:
    """The four tests of one file or union."""

    prepared: Comparable
    levels: dict[str, float]
    rng: np.random.Generator
    settled: frozenset[str] = frozenset()
    label_files: Files | None = None
    labels: Labels | None = None
    near_shares: list[float] = field(default_factory=list)

    def by_clusters(self, whole: Files, labels: Labels) -> None:
        """Let label tests look at all rows, their labels exchanged by whole clusters."""
        self.label_files = comparable(whole, self.rng).files
        if self.label_files.names != whole.names:  # the same columns for all tests
            self.label_files = whole
        self.labels = labels

    @property
    def files(self) -> Files:
        """One row of each cluster, where these are named."""
        return self.prepared.files

    @cached_property
    def places(self) -> bool:
        """Whether near tests look at places only."""
        rows = self.files if self.label_files is None else self.label_files
        return max(rows.size, self.files.size) > LARGE

    @cached_property
    def keys(self) -> list[Keys]:
        """Of the columns of all records."""
        return column_keys(self.files, self.rng)

    @cached_property
    def label_keys(self) -> list[Keys]:
        """Of those that label tests look at."""
        return self.keys if self.label_files is None else column_keys(self.label_files, self.rng)

    @cached_property
    def equal(self) -> Equal:
        """Results of the tests of equal records."""
        files = self.files
        return equal_records(bundles_of(sum_keys(self.keys), files.n, files.h), files.n, files.h)

    @cached_property
    def label_equal(self) -> Equal:
        """Results of equal records for LE."""
        files = self.label_files
        if files is None:
            return self.equal
        return equal_records(
            bundles_of(sum_keys(self.label_keys), files.n, files.h), files.n, files.h
        )

    @cached_property
    def p_label(self) -> float:
        """The p of LE."""
        files, labels = self.label_files, self.labels
        if files is None or labels is None:
            return self.equal.p_label
        keys = sum_keys(self.label_keys)
        pool, replica = keys[: files.pool], keys[files.pool :]
        _, place, counts = np.unique(pool, return_inverse=True, return_counts=True)
        hits = np.flatnonzero((counts[place] == 1) & np.isin(pool, replica))
        return drawn_label_p(hits, labels, self.levels["LE"], self.rng)

    @cached_property
    def arranged(self) -> Arranged:
        """Records for near tests."""
        return _arranged(self.files, self.rng)[0]

    @cached_property
    def label_arranged(self) -> tuple[Arranged, Labels] | None:
        """Records for LN, where its labels are those of clusters."""
        if self.label_files is None or self.labels is None:
            return None
        given, people = _arranged(self.label_files, self.rng)
        return given, self.labels.of(people)

    @cached_property
    def near(self) -> Near:
        """Results of the tests of near records."""
        return near_records(
            self.arranged,
            self.rng,
            levels=(self.levels["TN"], self.levels.get("LN", 0.0)),
            skip_equal=self.equal.deduplicated,
        )

    @cached_property
    def label_near(self) -> Near:
        """What near records say to LN."""
        if self.label_arranged is None:
            return self.near
        given, labels = self.label_arranged
        levels = (0.0, self.levels["LN"])
        return near_records(given, self.rng, levels=levels, labels=labels)

    @cached_property
    def p(self) -> dict[str, float]:
        """The p of each test, before the holdout has its say."""
        out = {
            "LE": self.p_label,
            "TE": 1.0 if self.equal.deduplicated else self.equal.p_twins,
            "LN": self.label_near.p_label,
            "TN": self.near.p_twins,
        }
        return {test: out[test] for test in self.levels}

    @cached_property
    def against(self) -> dict[str, tuple[bool, float]]:
        """Of twin tests, whether the holdout could speak, and its p: small confirms."""
        files, near = self.files, self.near
        share = files.n / files.pool
        both = near.joined + near.contradicts
        return {
            "TE": (self.equal.spoke, self.p.get("LE", 0.0)),
            "TN": (
                bool(files.h) and share**both <= SPEAKS,
                at_least_binomial(near.joined, both, share) if files.h else 0.0,
            ),
        }

    @cached_property
    def below(self) -> set[str]:
        """The tests at their level."""
        return {test for test, p in self.p.items() if p <= self.levels[test]}

    @cached_property
    def void(self) -> set[str]:
        """Twin tests at their level that a holdout that could speak does not confirm."""
        return {
            test
            for test, (spoke, p) in self.against.items()
            if test in self.below and spoke and p > CONFIRMED
        }

    @cached_property
    def undecided(self) -> bool:
        """Whether the holdout neither confirms nor contradicts one of them."""
        return any(self.against[test][1] <= CONTRADICTED for test in self.void)

    @cached_property
    def alarms(self) -> set[str]:
        """Tests at their level that the holdout confirms, where it can."""
        return self.below - self.void - ({"LN"} if self.settled else set())

    @property
    def permuted_tests(self) -> set[str]:
        """Of these, the tests that replicas of permuted columns are made for."""
        return self.alarms - self.settled

    @cached_property
    def beaten(self) -> set[str]:
        """Of these, the tests stronger than on every replica of permuted columns."""
        ok = {**self._equal_controls(), **self._near_controls()}
        return {test for test, beaten in ok.items() if beaten} | (self.alarms & self.settled)

    def _equal_controls(self) -> dict[str, bool]:
        out: dict[str, bool] = {}
        if self.label_files is None:
            smallest_p = {"LE": self.equal.p_label, "TE": self.equal.p_twins}
            sets = [(smallest_p, self.keys, self.files)]
        else:
            sets = [
                ({"TE": self.equal.p_twins}, self.keys, self.files),
                ({"LE": self.label_equal.p_label}, self.label_keys, self.label_files),
            ]
        for smallest, keys, files in sets:
            tests_run = {test: p for test, p in smallest.items() if test in self.permuted_tests}
            if tests_run:
                out |= beaten_by_equal(keys, files.n, files.h, tests_run, self.rng)
        return out

    def _near_controls(self) -> dict[str, bool]:
        out: dict[str, bool] = {}
        twins, label = self.near.smallest_twins, self.label_near.smallest_label
        if self.label_arranged is None:
            sets = [({"TN": twins, "LN": label}, self.arranged)]
        else:
            sets = [({"TN": twins}, self.arranged), ({"LN": label}, self.label_arranged[0])]
        for smallest, given in sets:
            tests_run = {test: p for test, p in smallest.items() if test in self.permuted_tests}
            if tests_run:
                skip = self.equal.deduplicated and given is self.arranged
                ok, share = beaten_by_near(given, tests_run, self.rng, skip_equal=skip)
                out |= ok
                if "LN" in tests_run:
                    self.near_shares.append(self.label_near.share - share)
        return out

    @property
    def tests(self) -> dict[str, PeopleTest]:
        """The outcome of each test."""
        e, near = self.label_equal, self.near
        counts: dict[str, tuple[int, int, float]] = {
            "LE": (e.original, e.holdout, self.p.get("LE", 1.0)),
            "TE": (self.equal.joined, self.equal.contradicts, self.equal.p_twins),
            "LN": (
                self.label_near.marked_original,
                self.label_near.marked_holdout,
                self.label_near.smallest_label,
            ),
            "TN": (near.joined, near.contradicts, near.smallest_twins),
        }
        out = {}
        for test, p in self.p.items():
            level = self.levels[test]
            silent = (test == "LN" and p > level) or (test == "TE" and self.equal.deduplicated)
            out[test] = PeopleTest(
                None if silent else p,
                level,
                test in self.beaten,
                *counts[test][:2],
                spoke=self.against[test][0] if test in self.against else False,
                smallest=counts[test][2],
            )
        return out


def _arranged(files: Files, rng: np.random.Generator) -> tuple[Arranged, Ints]:
    """Return records in random order, in places where there are many, and which people are in."""
    rows = places(files, rng) if files.size > LARGE else np.arange(files.size)
    some = files.at(rows) if len(rows) < files.size else files
    given = arranged(some, rng)
    return given, rows[given.people]


def _conclude(out: People, claims: set[Claim], tests: _Look) -> People:
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
    if files.n == files.m:
        rows = alignment(files, tests.rng)
        if rows.aligned:
            claims.add(Claim.ALIGNED)
            n = files.n
            out = replace(out, in_order=Interval(rows.own * n, rows.low * n, n, n))
        elif rows.ordered:
            claims.add(Claim.ORDER)
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
    if not stated.accused:
        if tests.alarms - beaten:
            claims.add(Claim.COLUMNS)
        if tests.void:
            claims.add(Claim.UNDECIDED if tests.undecided else Claim.VOID)
    out = replace(out, claims=in_order(claims))
    return _with_power(out, tests)


def _replicated(tests: _Look) -> Interval | None:
    """Return the people replicated beyond chance: by label tests, or else by twins."""
    files, equal, near = tests.files, tests.label_equal, tests.near
    if files.h and equal.original + equal.holdout and "LE" in tests.beaten:
        rows = files if tests.label_files is None else tests.label_files
        return beyond_labels(equal.original, equal.holdout, rows.n, rows.h)
    if "TE" in tests.beaten:
        return beyond_twins(tests.equal.joined, tests.equal.bundles, tests.equal.chance, files.n)
    if "TN" in tests.beaten:
        chance = tests.arranged.n / (2 * tests.arranged.pool)
        return beyond_twins(near.joined, near.pairs, chance, files.n)
    if files.h:
        rows = files if tests.label_files is None else tests.label_files
        return beyond_labels(equal.original, equal.holdout, rows.n, rows.h)
    return beyond_twins(tests.equal.joined, tests.equal.bundles, tests.equal.chance, files.n)


def _with_power(out: People, tests: _Look) -> People:
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
