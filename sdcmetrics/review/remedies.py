"""Who is at risk, record by record, and the cheapest remedy; for internal eyes only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import ColumnError, StudyError, did_you_mean
from sdcmetrics.measures.anonymity.lattice import combine, minimal_uniques
from sdcmetrics.measures.anonymity.match_risk import risk_of_match
from sdcmetrics.measures.anonymity.replicated_special_uniques import MOST_KEYS
from sdcmetrics.measures.attacks.places import LINKED, MEMBERSHIP
from sdcmetrics.measures.crosstables.scanning import count_copied
from sdcmetrics.measures.pair import Frame, Pair
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coding import Coded, by_group_or_value, by_value, encode
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import alone
from sdcmetrics.results import Readable
from sdcmetrics.review.conduct import pairs_of
from sdcmetrics.review.review import Review
from sdcmetrics.study.sampled import data_sets, drawn, fits, records_of
from sdcmetrics.study.study import Scenario, Study

__all__ = ["Remedies", "RiskByGroup", "remedies", "risk_by_group"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

_CROWD = 3
"""Records that must share what is left of the keys after one is blanked (OECD, threshold rule)."""
_NEAR_MISS = 10
"""Ranks that somebody who links records would still look through by hand."""


@dataclass(frozen=True, repr=False)
class Remedies(Readable, shows=("table", "effect", "notes"), table="effect"):
    """Original records at risk, why, how sure an intruder can be, and what would help.

    Attributes
    ----------
    table : DataFrame
        One row per original record at risk, replica, synthesis and scenario: record (its position,
        from 0), unique (alone by the keys in both), learnt (targets that the keys give away, and
        rightly), copied (a replica record has every value), alone_by (fewest keys by which the
        record is alone in both), match_risk (chance that a unique match is right; NaN without
        population_size), certain_right (of the records of which such targets are certain in the
        replica, the share of which they are right), among_nearest (by the membership attack: one
        of the 1 % of people who are nearest to the replica; None where it was not made), rank and
        link ("found", "near miss" or "safe"; with links), action ("blank" or "drop"), key (to be
        blanked in these replica records, or coarsened in all) and replica_records (their
        positions).
    effect : DataFrame
        One row per replica, synthesis and scenario: records at risk before and after all its
        remedies, recounted; values blanked and records dropped.
    notes : tuple of str
        What is not there of data that are counted in batches; see `remedies`.
    """

    table: pd.DataFrame
    effect: pd.DataFrame
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class RiskByGroup(Readable, shows=("gini",), table="table"):
    """Any risk per record, by group, and how concentrated it is.

    Attributes
    ----------
    table : DataFrame
        One row per level of the column, the riskiest first: records, mean, share_of_records and
        share_of_risk.
    gini : float, 0 to 1
        0 if everybody has the same risk, near 1 if a few have all of it; NaN without any risk.
    """

    table: pd.DataFrame
    gini: float


@checked
def remedies(review: Review) -> Remedies:
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

    Returns
    -------
    Remedies

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
    if attacks and (not listed or drawn(study, (one.n for one in data_sets(study).every))):
        attacks = {}
        notes.append("attacks were made on a sample, and say nothing of these records")
    if listed:
        study = records_of(study, "remedies")
    else:
        notes.append("too many records to be listed: `records` says how many there are")
    rows: list[pd.DataFrame] = []
    effects = []
    for name, pair in pairs_of(study).items():
        whole = _whole(pair, study)
        for scenario in study.scenarios:
            coded = _Coded.of(pair, study, scenario)
            for i in range(1, pair.m + 1):
                part, effect = _remedied(coded, *coded.rows(whole, i))
                where: dict[str, Any] = {"replica": name, "synthesis": i, "scenario": scenario.name}
                part = _attacked(attacks, part, where) if listed else part
                rows.append(part.assign(**where)[[*where, *part.columns]])
                effects.append({**where, **effect})
    table = pd.concat(rows, ignore_index=True)
    return Remedies(table, pd.DataFrame(effects), tuple(notes))


@checked
def risk_by_group(original: Frame, risk: Sequence[float], *, by: str) -> RiskByGroup:
    """Sum up any risk per original record by the levels of a column.

    Parameters
    ----------
    original : data frame
    risk : sequence of float
        One number of at least 0 per record, such as `AttackResult.per_record`; NaN counts as 0.
    by : name of a column

    Returns
    -------
    RiskByGroup

    Raises
    ------
    ColumnError
    StudyError
        If there is not one number per record, or one is below 0.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": list("ffmm")})
    >>> found = risk_by_group(people, [0, 0, 0, 1], by="sex")
    >>> found.table["mean"].to_dict(), found.gini
    ({'m': 0.5, 'f': 0.0}, 0.75)
    """
    data = as_microdata(original, "original")
    if by not in data.columns:
        msg = f"by: {by!r} is not a column.{did_you_mean(by, data.columns)}"
        raise ColumnError(msg)
    values = np.nan_to_num(np.asarray(risk, dtype=np.float64))
    if len(values) != data.n or (values < 0).any():
        msg = f"risk: expected one number of at least 0 for each of {data.n:,} records."
        raise StudyError(msg)
    variable = encode(alone(data, [by], None), by_value, [by]).variables[by]
    n, total = len(values), float(values.sum())
    records = np.bincount(variable.parts[0], minlength=variable.size)
    sums = np.bincount(variable.parts[0], weights=values, minlength=variable.size)
    labels = ["(missing)" if label is None else label for label in variable.labels]
    table = pd.DataFrame(
        {
            "records": records,
            "mean": sums / records,
            "share_of_records": records / n,
            "share_of_risk": sums / total if total else np.nan,
        },
        index=pd.Index(labels, name=by),
    ).sort_values("mean", ascending=False, kind="stable")
    place = 2 * np.arange(1, n + 1) - n - 1
    gini = float(place @ np.sort(values)) / (n * total) if total else math.nan
    return RiskByGroup(table, gini)


@dataclass(frozen=True)
class _Rows:
    """Records of one data set, or combinations of their values, as codes: shape (columns, rows).

    `whole` is the same for rows that are equal in every value; only whether the other data set has
    it where rows are combinations, each of which stands for several records (`times`).
    """

    keys: Ints
    targets: Ints
    whole: Ints
    copied: Bools
    times: Ints

    def count(self, flags: Any) -> int:
        return int(self.times @ flags)


@dataclass(frozen=True)
class _Coded:
    """Keys and targets of one scenario as codes."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    codes: Coded
    population: float | None

    @classmethod
    def of(cls, pair: Pair, study: Study, scenario: Scenario) -> _Coded:
        options = study.options
        keys = [name for name in pair.original.columns if name in scenario.keys]
        rules = by_group_or_value(keys, options.ngroups_keys)
        rules |= by_group_or_value(scenario.targets, options.ngroups_targets)
        codes = encode(pair.data, rules, rules)
        return cls(tuple(keys), scenario.targets, codes, options.population_size)

    @property
    def blank(self) -> Ints:
        """A code for each key that no record has."""
        return np.array([self.codes.variables[key].size for key in self.keys])

    def rows(self, whole: Coded, i: int) -> tuple[_Rows, _Rows]:
        """Return the original and synthesis i, beside the codes of all their values."""
        if self.codes.large:
            one, other = (
                self._rows(found, copied.astype(np.int64), copied, times)
                for found, copied, times in count_copied(self.codes, whole, (0, i))
            )
            return one, other
        parts = [[v.parts[part] for v in whole.variables.values()] for part in (0, i)]
        stacked = [np.stack(one).astype(np.int64) for one in parts]
        numbers = combine(np.concatenate(stacked, axis=1))
        mine, its = np.split(numbers, [stacked[0].shape[1]])
        one, other = (
            self._rows(
                {name: v.parts[part] for name, v in self.codes.variables.items()},
                here,
                np.isin(here, there),
                np.ones(len(here), dtype=np.int64),
            )
            for part, here, there in ((0, mine, its), (i, its, mine))
        )
        return one, other

    def _rows(self, codes: Mapping[str, Any], whole: Ints, copied: Bools, times: Ints) -> _Rows:
        keys, targets = (
            np.stack([codes[name] for name in names]).astype(np.int64)
            for names in (self.keys, self.targets)
        )
        return _Rows(keys, targets, whole, copied, times)


@dataclass(frozen=True)
class _Risk:
    """What one synthesis gives away of every original record, and of every key combination."""

    classes: Ints
    of_replica: Ints
    unique: Bools
    learnt: Bools
    certain: Bools


def _risk(original: _Rows, replica: _Rows) -> _Risk:
    both = combine(np.concatenate([original.keys, replica.keys], axis=1))
    here, there = np.split(both, [original.keys.shape[1]])
    size = int(both.max()) + 1
    d, s = np.bincount(here, original.times, size), np.bincount(there, replica.times, size)
    unanimous = [_unanimous(there, one, size) for one in replica.targets]
    certain = np.array([level[here] >= 0 for level in unanimous])
    learnt = np.array(
        [level[here] == own for level, own in zip(unanimous, original.targets, strict=True)]
    )
    return _Risk(here, there, ((d == 1) & (s == 1))[here], learnt, certain)


def _unanimous(classes: Ints, values: Ints, size: int) -> Ints:
    """Return the only value of each class; -1 where there is none, or several."""
    low = np.full(size, np.iinfo(np.int64).max)
    high = np.full(size, -1)
    np.minimum.at(low, classes, values)
    np.maximum.at(high, classes, values)
    return np.where(low == high, high, -1)


def _remedied(
    coded: _Coded, original: _Rows, replica: _Rows
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return the records that a synthesis puts at risk with their remedies, and the effect."""
    risk = _risk(original, replica)
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
    kept = replace(
        replica, keys=after[:, ~drop], targets=replica.targets[:, ~drop], times=replica.times[~drop]
    )
    left = _risk(original, kept)
    certain, told = risk.certain @ original.times, risk.learnt @ original.times
    right = np.divide(told, certain, where=certain > 0, out=np.zeros(len(certain)))
    chosen = blank[risk.classes[at_risk]]
    dropped = original.copied[at_risk] | (chosen < 0)
    learnt = risk.learnt[:, at_risk].T
    table = pd.DataFrame(
        {
            "record": at_risk,
            "unique": risk.unique[at_risk],
            "learnt": [", ".join(np.array(coded.targets)[one]) for one in learnt],
            "copied": original.copied[at_risk],
            "alone_by": _alone_by(coded, original, replica, at_risk),
            "match_risk": _match_risk(coded, original),
            "certain_right": [right[one].max() if one.any() else math.nan for one in learnt],
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
    found, first = np.unique(classes[order], return_index=True)
    places, ends = order.tolist(), [*first[1:].tolist(), len(order)]
    of_class = zip(found.tolist(), first.tolist(), ends, strict=True)
    return {one: tuple(places[start:end]) for one, start, end in of_class}


def _blanked(coded: _Coded, original: _Rows, replica: _Rows, risk: _Risk, flagged: Bools) -> Ints:
    """Return for each key combination the key to blank: that with the largest crowd; else -1.

    Whoever takes a blank for any value then finds a crowd that disagrees on the targets.
    """
    n = len(risk.classes)
    size = int(max(risk.classes.max(), risk.of_replica.max())) + 1
    best, crowd = np.full(size, -1), np.zeros(size)
    disclosed = [np.bincount(risk.classes, one, size) > 0 for one in risk.learnt]
    first = np.zeros(size, dtype=np.int64)
    first[risk.classes[flagged]] = np.flatnonzero(flagged)
    shown = np.unique(risk.classes[flagged])
    both = np.concatenate([original.keys, replica.keys], axis=1)
    for k in range(len(coded.keys) if len(coded.keys) > 1 else 0):
        rest = combine(np.delete(both, k, axis=0))
        mine, other = rest[first[shown]], rest[n:]
        many = np.bincount(other, replica.times, int(rest.max()) + 1)[mine]
        helps = many >= _CROWD
        for target, of_class in zip(replica.targets, disclosed, strict=True):
            agreed = _unanimous(other, target, int(rest.max()) + 1)[mine] >= 0
            helps &= ~(of_class[shown] & agreed)
        better = helps & (many > crowd[shown])
        best[shown[better]], crowd[shown[better]] = k, many[better]
    return best


def _alone_by(coded: _Coded, original: _Rows, replica: _Rows, wanted: Ints) -> list[str]:
    """Return the fewest keys by which records are alone in the original and in the replica."""
    row = np.repeat(np.arange(len(original.times)), np.minimum(original.times, 2))
    out = np.full(len(original.times), "", dtype=object)
    for one in minimal_uniques(original.keys[:, row], min(MOST_KEYS, len(coded.keys))):
        keys, records = np.array(one.keys), row[one.records]
        index = combine(
            np.concatenate([original.keys[np.ix_(keys, records)], replica.keys[keys]], axis=1)
        )
        here, there = np.split(index, [len(records)])
        once = np.bincount(there, replica.times, int(index.max()) + 1)[here] == 1
        new = records[once & (out[records] == "")]
        out[new] = ", ".join(coded.keys[k] for k in one.keys)
    return list(out[wanted])


def _match_risk(coded: _Coded, original: _Rows) -> float:
    if coded.population is None:
        return math.nan
    sizes = np.bincount(combine(original.keys), original.times)
    once, twice, thrice = (int((sizes == size).sum()) for size in (1, 2, 3))
    return risk_of_match(once, twice, thrice, int(original.times.sum()) / coded.population)[0]


def _whole(pair: Pair, study: Study) -> Coded:
    """Return every value as codes: what makes a record a copy."""
    wanted = study.options.variables or pair.data.variables
    return encode(pair.data, by_value, [name for name in pair.data.variables if name in wanted])


def _attacked(
    attacks: Mapping[Any, Any], table: pd.DataFrame, where: dict[str, Any]
) -> pd.DataFrame:
    """Add what attacks say of these records."""
    i = int(str(where["synthesis"])) - 1
    replica, scenario = str(where["replica"]), str(where["scenario"])
    found = attacks.get((replica, MEMBERSHIP.name, "", ""))
    near = None if found is None else found[i].per_record <= found[i].figures["top_distance"]
    records = table["record"].to_numpy()
    table.insert(7, "among_nearest", None if near is None else near[records])
    links = attacks.get((replica, LINKED.name, scenario, ""))
    rank = pd.Series(np.nan, index=table.index)
    words = pd.Series("", index=table.index)
    if links is not None:
        known = links[i].per_record.set_index("record")
        rank = known["rank"].reindex(records).set_axis(table.index)
        risk = known["risk"].reindex(records).set_axis(table.index)
        words = words.mask(rank.notna(), "safe").mask(rank <= _NEAR_MISS, "near miss")
        words = words.mask(risk > 0, "found")
    table.insert(8, "rank", rank)
    table.insert(9, "link", words)
    return table
