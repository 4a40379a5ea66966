"""What is learnt of people because they were in the file: the procedure as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError
from sdcmetrics.measures.excess.exchange import Family, stopping
from sdcmetrics.measures.excess.families import over_holdout, over_other_people
from sdcmetrics.measures.excess.holdout import unanimous
from sdcmetrics.measures.excess.households import clusters_of
from sdcmetrics.measures.excess.questions import (
    AS_THEY_ARE,
    Asked,
    Pool,
    in_other_words,
    pool_of,
    questions_of,
)
from sdcmetrics.measures.excess.result import Basis, Excess, ExcessOfFiles, Question, Reason
from sdcmetrics.measures.excess.self_test import SelfTest, self_test
from sdcmetrics.measures.records import Column, Records
from sdcmetrics.microdata.arrays import Bools, Ints

_CONFIRM = 0.1
"""p beside other people up to which a holdout's flag counts."""
_SURE = 0.1
"""Of the chance allowed: p up to which a question fails a replica, .001 of .01."""
_SHOWN = 1.2
"""Shares of what the original itself would have above this are not shown: they say nothing."""
_CERTAIN = 80.0
"""Percent of the original from which it is said that whoever knows the keys learns the target."""
_SMALL = 2
"""A holdout of fewer records than the original's over this may be too small to say anything."""


@dataclass(frozen=True)
class _Rule:
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


def excess(
    records: Records,
    scenarios: Iterable[Any],
    *,
    points: float = 1.0,
    chance: float = 0.01,
    share: float = 0.5,
    suspected: str = "",
    seed: int = 1,
    shared: dict[Any, Any] | None = None,
) -> Excess:
    """Compare what a replica discloses of people of the original and of other people.

    DiSCO and repU, every question of every scenario in two encodings: keys and target as they are,
    and with numbers in ten pooled groups. With a holdout the same replica is asked of people who
    were not in the original, and p is exact. Without, each person of the original is set against
    its other people, which has the same mean as people who were not in it, and the labels of
    original and replica are exchanged.

    Parameters
    ----------
    records : Records
        Where `cluster` is set, whole clusters are exchanged and left out.
    scenarios : items with `keys` and `targets`
    points : float
        Excess from which a question is flagged. This, `chance` and `share` are the package's own
        choice; nobody has published a limit.
    chance : float
        At which anything is flagged of a replica of other people, over all questions.
    share : float
        Of the original's own excess in the replica's place, from which a question fails.
    suspected : str
        A column by which rows seem to belong together, if nobody has said so: not judged.
    seed : int
    shared : dict, optional
        What does not depend on the replica is kept here for others.

    Returns
    -------
    Excess
    """
    return excess_of_files(
        [records],
        scenarios,
        points=points,
        chance=chance,
        share=share,
        suspected=suspected,
        seed=seed,
        shared=shared,
    ).files[0]


def excess_of_files(
    files: Sequence[Records],
    scenarios: Iterable[Any],
    *,
    points: float = 1.0,
    chance: float = 0.01,
    share: float = 0.5,
    suspected: str = "",
    seed: int = 1,
    shared: dict[Any, Any] | None = None,
) -> ExcessOfFiles:
    """Do what `excess` does of several files that are handed out together, in their order.

    The first is judged as if it were alone; the i-th, and the first i as one file, at 1/(2i(i+1))
    of the level each. A further file can add a flag and take none away.

    Parameters
    ----------
    files : sequence of Records
        With the same original and holdout.

    Raises
    ------
    DataError
        If there is none, or they are not of one original and codebook.
    """
    if not files:
        msg = "files: expected at least one synthesis but got none."
        raise DataError(msg)
    scenarios = list(scenarios)
    rule = _Rule(points, chance, share, seed)
    first = _first_look(files[0], scenarios, rule, suspected, {} if shared is None else shared)
    looks = [first]
    for i in range(2, len(files) + 1):
        weighted = replace(rule, weight=1 / (2 * i * (i + 1)))
        each = ((f"file {i}", files[i - 1]), (f"files 1 to {i}", united(files[:i])))
        for number, (name, records) in enumerate(each):
            own = replace(weighted, seed=rule.stream(2 * i + number))
            so_far = [question for result in looks for question in result.questions]
            result = _further_look(records, scenarios, own, first, suspected, so_far)
            looks.append(replace(result, file=name))
    if len(files) > 1:
        looks[0] = replace(first, file="file 1")
    return ExcessOfFiles(tuple(looks))


def excess_together(  # noqa: PLR0913  (what is judged, and by what)
    result: ExcessOfFiles,
    earlier: Sequence[Records],
    files: Sequence[Records],
    scenarios: Iterable[Any],
    *,
    points: float = 1.0,
    chance: float = 0.01,
    share: float = 0.5,
    suspected: str = "",
    seed: int = 1,
) -> ExcessOfFiles:
    """Return a result with what files disclose together with those that were handed out earlier.

    Each union of the first earlier files and of the first new ones has a level of its own, by its
    place, which no later file changes; all together have a quarter at most. Only what is flagged is
    added, and nothing after it.

    Parameters
    ----------
    result : ExcessOfFiles
        Of the new files.
    earlier, files : sequence of Records
        In their order, with one original, holdout and codebook.
    """
    first = result.files[0]
    if first.reason in ("no keys", "clusters"):
        return result
    scenarios = list(scenarios)
    rule = _Rule(points, chance, share, seed)
    for number in range(1, len(earlier) + 1):
        for count in range(1, len(files) + 1):
            place = number + count
            own = replace(
                rule,
                weight=1 / (2 * place * (place + 1)),
                seed=rule.stream(2 * place + 1, number),
            )
            records = united([*earlier[:number], *files[:count]])
            so_far = [question for file in result.files for question in file.questions]
            together = _further_look(records, scenarios, own, first, suspected, so_far)
            if together.flags:
                name = f"together with {number} earlier"
                return ExcessOfFiles((*result.files, replace(together, file=name)), earlier=number)
    return result


def united(files: Sequence[Records]) -> Records:
    """Return several syntheses of one original as one replica.

    Raises
    ------
    DataError
        If they are not of one original and codebook.
    """
    first = files[0]
    if any(file.names != first.names or file.n != first.n for file in files):
        msg = "files: expected syntheses of one original, over the same columns."
        raise DataError(msg)
    columns = []
    for column, *others in zip(*(file.columns for file in files), strict=True):
        if any(other.levels != column.levels for other in others):
            msg = f"column {column.name!r}: expected one list of levels over all syntheses."
            raise DataError(msg)
        replica = np.concatenate([column.replica, *(other.replica for other in others)])
        columns.append(replace(column, replica=replica))
    return replace(
        first,
        columns=tuple(columns),
        m=sum(file.m for file in files),
        cluster=_united_clusters(files),
        absent=tuple(dict.fromkeys(name for file in files for name in file.absent)),
        incomparable=tuple(dict.fromkeys(name for file in files for name in file.incomparable)),
    )


def _united_clusters(files: Sequence[Records]) -> Column | None:
    """Return the clusters, those of each synthesis for itself."""
    cluster = files[0].cluster
    if cluster is None:
        return None
    numbers, free = [], 0
    for file in files:
        if file.cluster is None or not len(file.cluster.replica):
            return replace(cluster, replica=np.zeros(0, dtype=cluster.replica.dtype))
        number = clusters_of(file.cluster.replica)
        numbers.append(number + free)
        free += int(number.max(initial=-1)) + 1
    return replace(cluster, replica=np.concatenate(numbers).astype(cluster.replica.dtype))


@dataclass(frozen=True, repr=False)
class _Asking:
    """The questions that one file can be asked, and the columns that it lacks."""

    records: Records
    questions: tuple[Asked, ...]
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


def _asking(records: Records, scenarios: Iterable[Any], suspected: str) -> _Asking:
    """Return the questions that a file can be asked."""
    cluster = "" if records.cluster is None else records.cluster.name
    questions = questions_of(scenarios, alone=not cluster)
    if not questions:
        return _Asking(records, (), (), "no keys", cluster)
    if suspected and not cluster:
        return _Asking(records, (), (), "clusters", suspected)
    effective = _effective(records)
    names = dict.fromkeys(name for question in questions for name in question.columns)
    there = {column.name: column for column in records.columns}
    bad = tuple(
        name for name in names if name not in there or in_other_words(there[name], effective)
    )
    possible = tuple(question for question in questions if not set(bad) & set(question.columns))
    if not possible:
        return _Asking(records, (), bad, "other words", cluster)
    if records.cluster is not None and records.h and not _has(records.cluster.holdout):
        records = records.without_holdout()  # labels cannot be exchanged with it
    if records.cluster is not None and not records.h and not _has(records.cluster.replica):
        return _Asking(records, (), bad, "clusters", cluster)
    return _Asking(records, possible, bad, "", cluster)


def _has(values: npt.NDArray[Any] | None) -> bool:
    return values is not None and len(values) > 0


def _effective(records: Records) -> tuple[int, int]:
    """Count the records, or clusters, of original and holdout together, and of the replica."""
    cluster = records.cluster
    if cluster is None:
        return records.n + records.h, records.m
    real = [cluster.original] + ([cluster.holdout] if cluster.holdout is not None else [])
    counts = [len(np.unique(values)) for values in real]
    return sum(counts), len(np.unique(cluster.replica)) or records.m


def _first_look(
    records: Records,
    scenarios: list[Any],
    rule: _Rule,
    suspected: str,
    shared: dict[Any, Any],
) -> Excess:
    """Judge the first file: the self-test decides who the other people are."""
    asking = _asking(records, scenarios, suspected)
    basis: Basis = "holdout" if asking.records.h else "other people"
    if asking.reason:
        return _unasked(asking, basis, rule)
    whole = asking.records
    both = whole.h and whole.h * _SMALL < whole.n
    both = both and (whole.cluster is None or _has(whole.cluster.replica))
    tested = _self_test(asking, rule, shared)
    if both and not tested.noticed.any():
        asking = replace(asking, records=whole.without_holdout())
        tested, basis = _self_test(asking, rule, shared), "other people"
    questions = _questions(asking, rule, tested, [])
    reason: Reason = ""
    if not any(question.flagged for question in questions):
        if any(question.drift for question in questions):
            reason = "drift"
        elif not tested.noticed.any():
            reason = "nothing copyable"
        elif asking.other_words:
            reason = "other words"
    return replace(
        _unasked(asking, basis, rule),
        reason=reason,
        questions=questions,
        certain=_certain(asking),
    )


def _further_look(
    records: Records,
    scenarios: list[Any],
    rule: _Rule,
    first: Excess,
    suspected: str,
    so_far: list[Question],
) -> Excess:
    """Judge a further file, or some as one, beside the same people as the first."""
    if first.basis == "other people":
        records = records.without_holdout()
    asking = _asking(records, scenarios, suspected)
    if asking.reason:
        return _unasked(asking, first.basis, rule)
    questions = _questions(asking, rule, None, so_far)
    reason: Reason = ""
    if not any(question.flagged for question in questions):
        if any(question.drift for question in questions):
            reason = "drift"
        elif asking.other_words:
            reason = "other words"
    return replace(_unasked(asking, first.basis, rule), reason=reason, questions=questions)


def _unasked(asking: _Asking, basis: Basis, rule: _Rule) -> Excess:
    return Excess(
        asking.reason,
        basis,
        other_words=asking.other_words,
        cluster=asking.cluster,
        points=rule.points,
        chance=rule.chance,
        limit=rule.limit,
    )


def _self_test(asking: _Asking, rule: _Rule, shared: dict[Any, Any]) -> SelfTest:
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


def _questions(
    asking: _Asking, rule: _Rule, tested: SelfTest | None, so_far: list[Question]
) -> tuple[Question, ...]:
    """Ask all questions in both encodings, and keep of each what says most."""
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
        if records.h:
            family = over_holdout(
                pool,
                posed,
                encoding,
                clusters=clusters,
                points=rule.points,
                seed=seed,
                when=when,
            )
        else:
            family = over_other_people(
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
        confirmed = _confirmed(asking, rule, encoding, flagged, seed) if records.h else flagged
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
    asking: _Asking,
    rule: _Rule,
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
        tested = _self_test(asking, rule, {})
    if encoding not in tested.excess:
        encoding = AS_THEY_ARE
    return tested.excess[encoding]


def _confirmed(asking: _Asking, rule: _Rule, encoding: str, flagged: Bools, seed: int) -> Bools:
    """Return which flags by the holdout are confirmed by other people of the original."""
    records = asking.records
    cluster = records.cluster
    if not flagged.any() or (cluster is not None and not _has(cluster.replica)):
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


def _of_family(
    asking: _Asking,
    rule: _Rule,
    encoding: str,
    family: Family,
    flagged: Bools,
    confirmed: Bools,
    own: npt.NDArray[np.float64],
) -> list[Question]:
    """Return the questions as one encoding answers them."""
    out = []
    for j, question in enumerate(asking.questions):
        share = float(family.excess[j] / own[j]) if own[j] >= rule.points else None
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


def _certain(asking: _Asking) -> tuple[tuple[tuple[str, ...], str, float], ...]:
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
