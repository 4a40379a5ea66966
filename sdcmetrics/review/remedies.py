"""Who is at risk, record by record, and the cheapest remedy; for internal eyes only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.measures.anonymity.match_risk import risk_of_match
from sdcmetrics.measures.anonymity.replicated_special_uniques import MOST_KEYS
from sdcmetrics.measures.anonymity.special_uniques import combine
from sdcmetrics.measures.attacks.places import LINKED, MEMBERSHIP
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Bools, Ints
from sdcmetrics.results import Readable
from sdcmetrics.review.at_risk import CodedScenario, Risk, Rows, risk_of, unanimous_of, whole_of
from sdcmetrics.review.coarser_keys import coarser_keys
from sdcmetrics.review.pairs import pairs_of
from sdcmetrics.review.people import held_in
from sdcmetrics.review.review import Review
from sdcmetrics.study.sampled import data_sets, drawn, fits, records_of

_CROWD = 3
"""Records that must share what is left of the keys after one is blanked (OECD, threshold rule)."""
_NEAR_MISS = 10
"""Ranks that somebody who links records would still look through by hand."""


@dataclass(frozen=True)
class Remedies(Readable, shows=("table", "effect", "coarser", "notes"), table="effect"):
    """Original records at risk, why, how sure an intruder can be, and what would help.

    Attributes
    ----------
    table : DataFrame
        One row per original record at risk, replica, synthesis and scenario: record (its position,
        from 0), unique (alone by the keys in both), learnt (targets that the keys give away, and
        rightly), copied (a replica record has every value), alone_by (fewest keys, up to
        three, by which the record is alone in both), match_risk (chance that a unique match is
        right; NaN without population_size), certain_right (of the records of which such targets
        are certain in the replica, the share of which they are right), among_nearest (by the
        membership attack: one of the 1 % of people who are nearest to the replica; None where it
        was not made), rank and link ("found", "near miss" or "safe"; with links), action ("blank"
        or "drop"), key (to be blanked in these replica records, or coarsened in all) and
        replica_records (their positions).
    effect : DataFrame
        One row per replica, synthesis and scenario: records at risk before and after all its
        remedies, recounted; values blanked and records dropped.
    coarser : DataFrame
        What coarser keys would bring, before anybody makes them coarser: one row per replica,
        scenario and way to coarsen, as it is written in ``[coarsen]``. k (the fewest original
        records that share their keys), unique (how many are alone), repU, DiSCO (of the target
        that is disclosed most often) and outsiders (DiSCO of the holdout), in percent: each now
        and `_after`.
    notes : tuple of str
        What is not there of data that are counted in batches, see `remedies`; and which replicas
        are the original, or most of it, which no remedy mends.
    beyond_remedy : tuple of str
        These replicas.
    """

    table: pd.DataFrame
    effect: pd.DataFrame
    coarser: pd.DataFrame = field(default_factory=pd.DataFrame)
    notes: tuple[str, ...] = ()
    beyond_remedy: tuple[str, ...] = ()


@checked
def remedies(review: Review, *, coarsen: Mapping[str, Any] | None = None) -> Remedies:
    """List the original records that a replica puts at risk, with the cheapest remedy of each.

    A record is at risk that is unique by the keys in original and replica, whose target the keys
    give away rightly, or that the replica holds in every value. The remedy is to blank one key in
    the replica records that show it, where at least three replica records share the other keys and
    disagree on the target; else, and for copies, to drop these records. Its effect is recounted.

    Parameters
    ----------
    review : Review
        With `attacks` also who is nearest to the replica and, where records are linked, how near
        the true match is.
    coarsen : mapping of column to how, optional
        What to try, as in ``[coarsen]`` of a study; by default some widths of bands for each
        numeric key, and months and years for dates.

    Returns
    -------
    Remedies
        Records by their positions, from 0; risks of a match and shares are 0 to 1, figures of
        `coarser` percent, and those of `effect` counts of records or values. For internal use: it
        tells who is in the original.

    Raises
    ------
    StudyError
        If `coarsen` does not fit the data.

    Notes
    -----
    To remove what matches tells whoever knows the remedy that a match was there: keep the table
    and the rule inside, and review the changed replica again (see docs/remedies.md).

    Data that are counted in batches are read where they have up to 100 million values (records
    times columns). The effect for more is the same, from counts; `table` then has one row per kind
    of risk and remedy, with the number of `records` in place of their positions. Attacks that were
    made on a sample say nothing of these records.

    Examples
    --------
    >>> import pandas as pd
    >>> from sdcmetrics import Study, conduct
    >>> original = pd.DataFrame({"age": [30, 30, 41, 52], "job": list("aabc"), "ill": list("nnyn")})
    >>> replica = pd.DataFrame({"age": [30, 30, 41, 60], "job": list("aabd"), "ill": list("nyyn")})
    >>> review = conduct(Study(original, {"one": replica}, keys=["age", "job"], targets=["ill"]))
    >>> remedies(review).table[["record", "unique", "learnt", "action"]].values.tolist()
    [[0, False, '', 'drop'], [1, False, '', 'drop'], [2, True, 'ill', 'drop']]
    """
    study, attacks = review.study, review.attacks
    notes: list[str] = []
    listed = fits(study)
    if attacks and (not listed or drawn(study, (data.n for data in data_sets(study).every))):
        attacks = {}
        notes.append("attacks were made on a sample, and say nothing of these records")
    if listed:
        study = records_of(study, "remedies")
    else:
        notes.append("too many records to be listed: `records` says how many there are")
    rows: list[pd.DataFrame] = []
    effects = []
    for name, pair in pairs_of(study).items():
        whole = whole_of(pair, study)
        for scenario in study.scenarios:
            coded = CodedScenario.of(pair, study, scenario)
            for i in range(1, pair.m + 1):
                part, effect = _remedied(coded, *coded.rows(whole, i))
                where: dict[str, Any] = {"replica": name, "synthesis": i, "scenario": scenario.name}
                part = _attacked(attacks, part, where) if listed else part
                rows.append(part.assign(**where)[[*where, *part.columns]])
                effects.append({**where, **effect})
    beyond = tuple(each.replica for each in held_in(review).values() if each.whole)
    notes += [f"{name} holds the original, or most of it: do not hand it out" for name in beyond]
    table = pd.concat(rows, ignore_index=True)
    coarser = pd.DataFrame()
    if coarsen is not None or not review.study.original.large:
        coarser = coarser_keys(review.study, coarsen)
    return Remedies(table, pd.DataFrame(effects), coarser, tuple(notes), beyond)


def _remedied(
    coded: CodedScenario, original: Rows, replica: Rows
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return the records that a synthesis puts at risk with their remedies, and the effect."""
    risk = risk_of(original, replica)
    flagged = risk.unique | risk.learnt.any(axis=0)
    at_risk = np.flatnonzero(flagged | original.copied)
    blank = _blanked(coded, original, replica, risk, flagged)
    # A copy is dropped; of other records that show somebody a key is blanked where that helps.
    shows = np.isin(risk.of_replica, risk.classes[flagged])
    drop = replica.copied | (shows & (blank[risk.of_replica] < 0))
    change = ~drop & (blank[risk.of_replica] >= 0)
    after = replica.keys.copy()
    rows = blank[risk.of_replica[change]]
    after[rows, np.flatnonzero(change)] = coded.blank[rows]
    remaining = replace(
        replica, keys=after[:, ~drop], targets=replica.targets[:, ~drop], times=replica.times[~drop]
    )
    left = risk_of(original, remaining)
    certain, right_of = risk.certain @ original.times, risk.learnt @ original.times
    right = np.divide(right_of, certain, where=certain > 0, out=np.zeros(len(certain)))
    chosen = blank[risk.classes[at_risk]]
    dropped = original.copied[at_risk] | (chosen < 0)
    learnt = risk.learnt[:, at_risk].T
    table = pd.DataFrame(
        {
            "record": at_risk,
            "unique": risk.unique[at_risk],
            "learnt": [", ".join(np.array(coded.targets)[flags]) for flags in learnt],
            "copied": original.copied[at_risk],
            "alone_by": _alone_by(coded, original, replica, at_risk),
            "match_risk": _match_risk(coded, original),
            "certain_right": [right[flags].max() if flags.any() else math.nan for flags in learnt],
            "action": np.where(dropped, "drop", "blank"),
            "key": np.where(dropped, "", np.array(coded.keys)[chosen]),
        }
    )
    if coded.codes.large:
        kinds = table.assign(records=original.times[at_risk]).drop(columns="record")
        by = list(kinds.columns.drop("records"))
        table = kinds.groupby(by, dropna=False)["records"].sum().reset_index()
    else:
        shown, same = _places(risk.of_replica), _places(replica.whole)
        table["replica_records"] = [
            same[of] if was else shown[of_class]
            for of, of_class, was in zip(
                original.whole[at_risk],
                risk.classes[at_risk],
                original.copied[at_risk],
                strict=True,
            )
        ]
    effect = {
        "unique": original.count(risk.unique),
        "unique_after": original.count(left.unique),
        "learnt": original.count(risk.learnt.any(axis=0)),
        "learnt_after": original.count(left.learnt.any(axis=0)),
        "copied": original.count(original.copied),
        "blanked": replica.count(change),
        "dropped": replica.count(drop),
    }
    return table, effect


def _places(classes: Ints) -> dict[int, tuple[int, ...]]:
    """Return the positions of the records of each class."""
    order = np.argsort(classes, kind="stable")
    groups, first = np.unique(classes[order], return_index=True)
    places, ends = order.tolist(), [*first[1:].tolist(), len(order)]
    of_class = zip(groups.tolist(), first.tolist(), ends, strict=True)
    return {group: tuple(places[start:end]) for group, start, end in of_class}


def _blanked(
    coded: CodedScenario, original: Rows, replica: Rows, risk: Risk, flagged: Bools
) -> Ints:
    """Return for each key combination the key to blank: that with the largest crowd; else -1.

    Whoever takes a blank for any value then finds a crowd that disagrees on the targets.
    """
    n = len(risk.classes)
    size = int(max(risk.classes.max(), risk.of_replica.max())) + 1
    best, crowd = np.full(size, -1), np.zeros(size)
    disclosed = [np.bincount(risk.classes, learnt_, size) > 0 for learnt_ in risk.learnt]
    first = np.zeros(size, dtype=np.int64)
    first[risk.classes[flagged]] = np.flatnonzero(flagged)
    shown = np.unique(risk.classes[flagged])
    both = np.concatenate([original.keys, replica.keys], axis=1)
    for k in range(len(coded.keys) if len(coded.keys) > 1 else 0):
        rest = combine(np.delete(both, k, axis=0))
        own, other = rest[first[shown]], rest[n:]
        crowd_size = np.bincount(other, replica.times, int(rest.max()) + 1)[own]
        helps = crowd_size >= _CROWD
        for target, of_class in zip(replica.targets, disclosed, strict=True):
            agreed = unanimous_of(other, target, int(rest.max()) + 1)[own] >= 0
            helps &= ~(of_class[shown] & agreed)
        better = helps & (crowd_size > crowd[shown])
        best[shown[better]], crowd[shown[better]] = k, crowd_size[better]
    return best


def _alone_by(coded: CodedScenario, original: Rows, replica: Rows, wanted: Ints) -> list[str]:
    """Return the fewest keys by which records are alone in the original and in the replica."""
    n, both = len(original.times), np.concatenate([original.keys, replica.keys], axis=1)
    out = np.full(n, "", dtype=object)
    sizes = range(1, min(MOST_KEYS, len(coded.keys)) + 1)
    for keys in chain.from_iterable(combinations(range(len(coded.keys)), size) for size in sizes):
        here, there = np.split(combine(both[list(keys)]), [n])
        once = np.bincount(there, replica.times, int(here.max()) + 1)[here] == 1
        once &= np.bincount(here, original.times)[here] == 1
        out[once & (out == "")] = ", ".join(coded.keys[k] for k in keys)
        if (out[wanted] != "").all():
            break
    return list(out[wanted])


def _match_risk(coded: CodedScenario, original: Rows) -> float:
    if coded.population is None:
        return math.nan
    sizes = np.bincount(combine(original.keys), original.times)
    once, twice, thrice = (int((sizes == size).sum()) for size in (1, 2, 3))
    return risk_of_match(once, twice, thrice, int(original.times.sum()) / coded.population)[0]


def _attacked(
    attacks: Mapping[Any, Any], table: pd.DataFrame, where: dict[str, Any]
) -> pd.DataFrame:
    """Add what attacks say of these records."""
    i = int(str(where["synthesis"])) - 1
    replica, scenario = str(where["replica"]), str(where["scenario"])
    membership_ = attacks.get((replica, MEMBERSHIP.name, "", ""))
    near = (
        None
        if membership_ is None
        else membership_[i].per_record <= membership_[i].figures["top_distance"]
    )
    records = table["record"].to_numpy()
    table.insert(7, "among_nearest", None if near is None else near[records])
    links = attacks.get((replica, LINKED.name, scenario, ""))
    rank = pd.Series(np.nan, index=table.index)
    words = pd.Series("", index=table.index)
    if links is not None:
        linked = links[i].per_record.set_index("record")
        rank = linked["rank"].reindex(records).set_axis(table.index)
        risk = linked["risk"].reindex(records).set_axis(table.index)
        words = words.mask(rank.notna(), "safe").mask(rank <= _NEAR_MISS, "near miss")
        words = words.mask(risk > 0, "found")
    table.insert(8, "rank", rank)
    table.insert(9, "link", words)
    return table
