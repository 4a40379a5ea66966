"""What is learnt of people because they were in the file: the procedure as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sdcmetrics.errors import DataError
from sdcmetrics.measures.excess.asking import (
    Asking,
    Rule,
    asked_questions,
    asking_of,
    certain_of,
    has_values,
    original_itself,
)
from sdcmetrics.measures.excess.households import clusters_of
from sdcmetrics.measures.excess.result import Basis, Excess, ExcessOfFiles, Question, Reason
from sdcmetrics.measures.overlap import holdout_overlaps
from sdcmetrics.measures.records import Column, Records

_SMALL = 2
"""A holdout of fewer records than the original's over this may be too small to say anything."""


def excess_of_files(
    files: Sequence[Records],
    scenarios: Iterable[Any],
    *,
    points: float = 1.0,
    chance: float = 0.01,
    share: float = 0.5,
    seed: int = 1,
    shared: dict[Any, Any] | None = None,
) -> ExcessOfFiles:
    """Compare what a replica discloses of people of the original and of other people.

    DiSCO and repU, every question of every scenario in two encodings: keys and target as they are,
    and with numbers in ten pooled groups. With a holdout the same replica is asked of people who
    were not in the original, and p is exact. Without, each person of the original is set against
    its other people, which has the same mean as people who were not in it, and the labels of
    original and replica are exchanged. A holdout that has people of the original hides what is
    learnt of them: both are asked then.

    Several files are handed out together, in their order. The first is judged as if it were alone;
    the i-th, and the first i as one file, at 1/(2i(i+1)) of the level each. A further file can add
    a flag and take none away.

    Parameters
    ----------
    files : sequence of Records
        With the same original and holdout. Where `cluster` is set, whole clusters are exchanged
        and left out.
    scenarios : items with `keys` and `targets`
    points : float
        Excess from which a question is flagged. This, `chance` and `share` are the package's own
        choice; nobody has published a limit.
    chance : float
        At which anything is flagged of a replica of other people, over all questions.
    share : float
        Of the original's own excess in the replica's place, from which a question fails.
    seed : int
    shared : dict, optional
        What does not depend on the replica is kept here for others.

    Returns
    -------
    ExcessOfFiles

    Raises
    ------
    DataError
        If there is none, or they are not of one original and codebook.
    """
    if not files:
        msg = "files: expected at least one synthesis but got none."
        raise DataError(msg)
    scenarios = list(scenarios)
    rule = Rule(points, chance, share, seed)
    shared = {} if shared is None else shared
    whole = files[0]
    key = ("overlap", whole.names, whole.n, whole.h, seed)
    if key not in shared:
        shared[key] = holdout_overlaps(whole, seed)
    first = (_look_at_both if shared[key] else _first_look)(whole, scenarios, rule, shared)
    looks = [first]
    for i in range(2, len(files) + 1):
        weighted = replace(rule, weight=1 / (2 * i * (i + 1)))
        each = ((f"file {i}", files[i - 1]), (f"files 1 to {i}", united(files[:i])))
        for number, (name, records) in enumerate(each):
            own = replace(weighted, seed=rule.stream(2 * i + number))
            so_far = [question for result in looks for question in result.questions]
            result = _further_look(records, scenarios, own, first, so_far)
            looks.append(replace(result, file=name))
    if len(files) > 1:
        looks[0] = replace(first, file="file 1")
    return ExcessOfFiles(tuple(looks))


def excess_together(
    result: ExcessOfFiles,
    earlier: Sequence[Records],
    files: Sequence[Records],
    scenarios: Iterable[Any],
    *,
    points: float = 1.0,
    chance: float = 0.01,
    share: float = 0.5,
    seed: int = 1,
) -> ExcessOfFiles:
    """Return a result with what files disclose together with those that were handed out earlier.

    Each union of the first earlier files and of the first new ones has a level of its own, by its
    place, which no later file changes; all together have a quarter at most where one file is new,
    and half of 1/2 + 1/3 + ... + 1/(m + 1) where m are. Only what is flagged is added, and nothing
    after it.

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
    rule = Rule(points, chance, share, seed)
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
            together = _further_look(records, scenarios, own, first, so_far)
            if together.flags:
                new = "this file" if count == 1 else f"files 1 to {count}"
                before = f"{number} file{'s' if number > 1 else ''} handed out earlier"
                return ExcessOfFiles(
                    (*result.files, replace(together, file=f"{new} and {before}")), earlier=number
                )
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
        free += int(number.max()) + 1
    return replace(cluster, replica=np.concatenate(numbers).astype(cluster.replica.dtype))


def _first_look(
    records: Records,
    scenarios: list[Any],
    rule: Rule,
    shared: dict[Any, Any],
) -> Excess:
    """Judge the first file: the self-test decides who the other people are."""
    asking = asking_of(records, scenarios)
    basis: Basis = "holdout" if asking.records.h else "other people"
    if asking.reason:
        return _unasked(asking, basis, rule)
    whole = asking.records
    both = whole.h and whole.h * _SMALL < whole.n
    both = both and (whole.cluster is None or has_values(whole.cluster.replica))
    tested = original_itself(asking, rule, shared)
    if both and not tested.noticed.any():
        asking = replace(asking, records=whole.without_holdout())
        tested, basis = original_itself(asking, rule, shared), "other people"
    questions = asked_questions(asking, rule, tested, [])
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
        certain=certain_of(asking),
    )


def _look_at_both(
    records: Records,
    scenarios: list[Any],
    rule: Rule,
    shared: dict[Any, Any],
) -> Excess:
    """Judge the first file beside other people, and beside a holdout with people of the original.

    The latter, which finds less, has half of the level. The stricter one stands.
    """
    half = replace(rule, weight=rule.weight / 2)
    beside_holdout = _first_look(records, scenarios, half, shared)
    if beside_holdout.failing(people_alarm=False):
        return beside_holdout
    others = _first_look(records.without_holdout(), scenarios, rule, shared)
    return beside_holdout if beside_holdout.flags and not others.flags else others


def _further_look(
    records: Records,
    scenarios: list[Any],
    rule: Rule,
    first: Excess,
    so_far: list[Question],
) -> Excess:
    """Judge a further file, or some as one, beside the same people as the first."""
    if first.basis == "other people":
        records = records.without_holdout()
    asking = asking_of(records, scenarios)
    if asking.reason:
        return _unasked(asking, first.basis, rule)
    questions = asked_questions(asking, rule, None, so_far)
    reason: Reason = ""
    if not any(question.flagged for question in questions):
        if any(question.drift for question in questions):
            reason = "drift"
        elif asking.other_words:
            reason = "other words"
    return replace(_unasked(asking, first.basis, rule), reason=reason, questions=questions)


def _unasked(asking: Asking, basis: Basis, rule: Rule) -> Excess:
    return Excess(
        asking.reason,
        basis,
        other_words=asking.other_words,
        cluster=asking.cluster,
        points=rule.points,
        chance=rule.chance,
        limit=rule.limit,
    )
