"""The questions that a file is asked, both encodings and the confirmation of flags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.excess.exchange import Family, stopping
from sdcmetrics.measures.excess.families import over_other_people, over_people, unanimous
from sdcmetrics.measures.excess.households import clusters_of
from sdcmetrics.measures.excess.questions import (
    AS_THEY_ARE,
    KeyQuestion,
    Pool,
    in_other_words,
    pool_of,
    questions_of,
    with_copy,
)
from sdcmetrics.measures.excess.result import Question, Reason
from sdcmetrics.measures.records import Column, Records
from sdcmetrics.microdata.arrays import Bools, Floats, Ints


@dataclass(frozen=True, repr=False)
class SelfTest:
    """Results of a copy of the original.

    Attributes
    ----------
    noticed : bool array of shape (questions,)
        Whether it is flagged, in any encoding.
    excess : mapping of encoding to float array
        In points.
    """

    noticed: Bools
    excess: Mapping[str, Floats]


def self_test(
    columns: Iterable[Column],
    sizes: tuple[int, int, int],
    questions: Sequence[KeyQuestion],
    *,
    clusters: Ints | None,
    points: float,
    level: float,
    sure: float,
    seed: int,
) -> SelfTest:
    """Ask the same questions of the original in the replica's place.

    Parameters
    ----------
    columns : of those that are asked for
    sizes : records of original, replica and holdout (0 without one)
    clusters : int array or None
        Of the original's records, and of the holdout's; without a holdout of the original's twice.
        The copy then has as many records as the original, so that clusters stay whole.
    """
    n, m, h = sizes
    records = np.arange(n)
    if clusters is None:
        records = np.resize(np.random.default_rng(seed).permutation(n), m)
    pool = with_copy(columns, (n, len(records), h), records)
    when = stopping(level, sure, quick=True, clusters=clusters is not None)
    noticed, excess = np.zeros(len(questions), dtype=np.bool_), {}
    for number, encoding in enumerate(pool.encodings(questions)):
        family = over_people(
            pool,
            questions,
            encoding,
            clusters=clusters,
            points=points,
            seed=seed + number,
            when=when,
            quick=True,
        )
        noticed |= family.stands_out(points, level)
        excess[encoding] = family.excess
    return SelfTest(noticed, excess)


_CONFIRM = 0.1
"""p beside other people up to which a holdout's flag counts."""


_SURE = 0.1
"""Of the chance allowed: p up to which a question fails a replica, .001 of .01."""


_SHOWN = 1.2
"""Shares of what the original itself would have above this are not shown: they say nothing."""


_CERTAIN = 80.0
"""Percent of the original from which it is said that whoever knows the keys learns the target."""


@dataclass(frozen=True)
class Rule:
    """The limits of a judgement (points, level, share of a copy's excess), and the seed."""

    points: float
    chance: float
    limit: float
    seed: int
    weight: float = 1.0

    @property
    def level(self) -> float:
        """Of each encoding."""
        return self.chance / 2 * self.weight

    @property
    def sure(self) -> float:
        """P up to which a question fails."""
        return self.chance * _SURE * self.weight

    def stream(self, purpose: int, number: int = 0) -> int:
        """Return a seed for one file and step."""
        return int(np.random.SeedSequence([self.seed, purpose, number]).generate_state(1)[0])


@dataclass(frozen=True, repr=False)
class Asking:
    """The questions that one file can be asked, and the columns that it lacks."""

    records: Records
    questions: tuple[KeyQuestion, ...]
    other_words: tuple[str, ...]
    reason: Reason = ""
    cluster: str = ""

    @property
    def columns(self) -> list[Column]:
        """Those that the questions need."""
        names = {name for question in self.questions for name in question.columns}
        return [column for column in self.records.columns if column.name in names]

    def clusters(self, holdout: bool) -> Ints | None:  # noqa: FBT001  (which of two)
        """Number the clusters of original and holdout, or of original and replica."""
        cluster = self.records.cluster
        if cluster is None:
            return None
        other = cluster.holdout if holdout else cluster.replica
        return None if other is None else clusters_of(cluster.original, other)


def asking_of(records: Records, scenarios: Iterable[Any]) -> Asking:
    """Return the questions that a file can be asked."""
    cluster = "" if records.cluster is None else records.cluster.name
    questions = questions_of(scenarios, alone=not cluster)
    if not questions:
        return Asking(records, (), (), "no keys", cluster)
    effective = _effective(records)
    names = dict.fromkeys(name for question in questions for name in question.columns)
    there = {column.name: column for column in records.columns}
    bad = tuple(
        name for name in names if name not in there or in_other_words(there[name], effective)
    )
    possible = tuple(question for question in questions if not set(bad) & set(question.columns))
    if not possible:
        return Asking(records, (), bad, "other words", cluster)
    if records.cluster is not None and records.h and not has_values(records.cluster.holdout):
        records = records.without_holdout()  # labels cannot be exchanged with it
    if records.cluster is not None and not records.h and not has_values(records.cluster.replica):
        return Asking(records, (), bad, "clusters", cluster)
    return Asking(records, possible, bad, "", cluster)


def has_values(values: npt.NDArray[Any] | None) -> bool:
    """Whether there are values, and at least one."""
    return values is not None and len(values) > 0


def _effective(records: Records) -> tuple[int, int]:
    """Count the records, or clusters, of original and holdout together, and of the replica."""
    cluster = records.cluster
    if cluster is None:
        return records.n + records.h, records.m
    real = [cluster.original] + ([cluster.holdout] if cluster.holdout is not None else [])
    counts = [len(np.unique(values)) for values in real]
    return sum(counts), len(np.unique(cluster.replica)) or records.m


def original_itself(asking: Asking, rule: Rule, shared: dict[Any, Any]) -> SelfTest:
    """Put the original in the replica's place; the same for replicas of as many records."""
    records = asking.records
    clusters = asking.clusters(holdout=True) if records.h else None
    if records.cluster is not None and not records.h:
        clusters = clusters_of(records.cluster.original, records.cluster.original)
    m = records.n if clusters is not None else records.m
    key = ("excess", records.n, m, records.h, asking.questions, asking.cluster, rule)
    if key not in shared:
        shared[key] = self_test(
            asking.columns,
            (records.n, m, records.h),
            asking.questions,
            clusters=clusters,
            points=rule.points,
            level=rule.level,
            sure=rule.sure,
            seed=rule.stream(0),
        )
    out: SelfTest = shared[key]
    return out


def asked_questions(
    asking: Asking, rule: Rule, tested: SelfTest | None, so_far: list[Question]
) -> tuple[Question, ...]:
    """Ask all questions in both encodings, and keep the clearer finding of each."""
    records, posed = asking.records, asking.questions
    sizes = (records.n, records.m) + ((records.h,) if records.h else ())
    pool = pool_of(asking.columns, sizes, (0, 1, 2) if records.h else (0, 1))
    clusters = asking.clusters(holdout=bool(records.h))
    when = stopping(rule.level, rule.sure, clusters=clusters is not None)
    flags = {question.name for question in so_far if question.flagged}
    fails = {question.name for question in so_far if question.failed_if_people}
    before = np.array([[question.name in names for question in posed] for names in (flags, fails)])

    def matters(family: Family) -> Bools:
        """Return the questions that earlier files have not decided yet."""
        wanted: Bools = (family.excess >= rule.points) & ~before[1]
        if (wanted & before[0]).any() and family.copy is not None:
            own = np.maximum(family.copy(), rule.points)
            wanted &= ~before[0] | (family.excess >= rule.limit * own)
        return wanted

    each: list[list[Question]] = []
    for number, encoding in enumerate(pool.encodings(posed)):
        seed = rule.stream(1, number)
        family = over_people(
            pool,
            posed,
            encoding,
            clusters=clusters,
            points=rule.points,
            seed=seed,
            when=when,
            matters=matters,
        )
        flagged = family.stands_out(rule.points, rule.level)
        confirm = _confirmed if records.h else _of_different_records
        confirmed = confirm(asking, rule, encoding, flagged, seed)
        own = _own_excess(asking, rule, encoding, family, flagged, tested)
        each.append(_of_family(asking, rule, encoding, family, flagged, confirmed, own))
    out = []
    for j in range(len(posed)):
        versions = [questions[j] for questions in each]
        worst = max(versions, key=lambda question: question.severity)
        drift = any(question.drift for question in versions) and not worst.flagged
        copyable = tested is not None and bool(tested.noticed[j])
        out.append(replace(worst, drift=drift, copyable=copyable))
    return tuple(out)


def _own_excess(
    asking: Asking,
    rule: Rule,
    encoding: str,
    family: Family,
    flagged: Bools,
    tested: SelfTest | None,
) -> npt.NDArray[np.float64]:
    """Return what the original itself would have in the replica's place."""
    if not flagged.any():
        return np.full(len(flagged), np.nan)
    if family.copy is not None:
        return family.copy()
    if tested is None or encoding not in tested.excess:
        tested = original_itself(asking, rule, {})
    if encoding not in tested.excess:
        encoding = AS_THEY_ARE
    return tested.excess[encoding]


def _confirmed(asking: Asking, rule: Rule, encoding: str, flagged: Bools, seed: int) -> Bools:
    """Return which flags by the holdout are confirmed by other people of the original."""
    records = asking.records
    cluster = records.cluster
    if not flagged.any() or (cluster is not None and not has_values(cluster.replica)):
        return flagged
    pool = pool_of(asking.columns, (records.n, records.m), (0, 1))
    clusters = asking.clusters(holdout=False)
    family = over_other_people(
        pool,
        asking.questions,
        encoding,
        clusters=clusters,
        points=rule.points,
        seed=seed,
        when=stopping(_CONFIRM, rule.chance * _SURE, quick=True, clusters=clusters is not None),
        matters=lambda _: flagged,
        quick=True,
    )
    out: Bools = flagged & (family.p <= _CONFIRM)
    return out


def _of_different_records(
    asking: Asking, rule: Rule, encoding: str, flagged: Bools, seed: int
) -> Bools:
    """Return which flags stand where a replica's equal records are one draw.

    One that repeats most of its records, and more than the original does, was not drawn one by one:
    as where a file was expanded by its weights. It has fewer people than records, and of fewer
    people more combinations of keys have one answer.
    """
    different = asking.records.different() if flagged.any() else None
    if different is None:
        return flagged
    pool = pool_of(replace(asking, records=different).columns, (different.n, different.m), (0, 1))
    family = over_other_people(
        pool,
        asking.questions,
        encoding,
        clusters=None,
        points=rule.points,
        seed=seed,
        when=stopping(rule.level, rule.sure),
        matters=lambda _: flagged,
    )
    out: Bools = flagged & family.stands_out(rule.points, rule.level)
    return out


def _of_family(
    asking: Asking,
    rule: Rule,
    encoding: str,
    family: Family,
    flagged: Bools,
    confirmed: Bools,
    of_original: npt.NDArray[np.float64],
) -> list[Question]:
    """Return the questions as one encoding answers them."""
    out = []
    for j, question in enumerate(asking.questions):
        share = float(family.excess[j] / of_original[j]) if of_original[j] >= rule.points else None
        shown = None if share is None or share > _SHOWN else share
        sure = share is not None and share >= rule.limit and family.p[j] <= rule.sure
        fails = bool(confirmed[j] and sure)
        out.append(
            Question(
                keys=question.keys,
                target=question.target,
                name=question.name,
                excess=float(family.excess[j]),
                p=float(family.p[j]),
                position=shown,
                share=share,
                flagged=bool(confirmed[j]),
                failed=fails and asking.records.h > 0,
                failed_if_people=fails,
                copyable=False,
                drift=bool(flagged[j] and not confirmed[j]),
                encoding=encoding,
                original=float(family.original[j]),
                others=float(family.others[j]),
                n=asking.records.n,
            )
        )
    return out


def certain_of(asking: Asking) -> tuple[tuple[tuple[str, ...], str, float], ...]:
    """Return questions whose answer is disclosed of nearly everybody, in the original or not."""
    n = asking.records.n
    pool = Pool({column.name: column.original for column in asking.columns}, (n,))
    out = []
    for question in asking.questions:
        if not question.target:
            continue
        keys, size = pool.combinations(question.keys, AS_THEY_ARE)
        levels = pool.codes(question.target, AS_THEY_ARE)[0]
        agreed = (unanimous(keys, levels, size) >= 0) & (np.bincount(keys, minlength=size) > 1)
        percent = 100.0 * float(agreed[keys].mean())
        if percent >= _CERTAIN:
            out.append((question.keys, question.target, percent))
    return tuple(out)
