"""Original records at risk by keys and targets, from records or from counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcmetrics.measures.anonymity.special_uniques import combine
from sdcmetrics.measures.crosstables.whole_records import count_copied
from sdcmetrics.measures.pair import Pair
from sdcmetrics.microdata.arrays import Bools, Ints
from sdcmetrics.microdata.coding import Coded, by_group_or_value, by_value, encode
from sdcmetrics.study.study import Scenario, Study


@dataclass(frozen=True)
class Rows:
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
        """Return how many records are in the flagged rows."""
        return int(self.times @ flags)


@dataclass(frozen=True)
class CodedScenario:
    """Keys and targets of one scenario as codes."""

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    codes: Coded
    population: float | None

    @classmethod
    def of(cls, pair: Pair, study: Study, scenario: Scenario) -> CodedScenario:
        """Code the columns of a scenario in all data sets."""
        options = study.options
        keys = [name for name in pair.original.columns if name in scenario.keys]
        rules = by_group_or_value(keys, options.ngroups_keys)
        rules |= by_group_or_value(scenario.targets, options.ngroups_targets)
        codes = encode(pair.data, rules, rules)
        return cls(tuple(keys), scenario.targets, codes, options.population_size)

    @property
    def blank(self) -> Ints:
        """One code per key that stands for a value no record has."""
        return np.array([self.codes.variables[key].size for key in self.keys])

    def rows(self, whole: Coded, i: int) -> tuple[Rows, Rows]:
        """Return the original and synthesis i, beside the codes of all their values."""
        if self.codes.large:
            first, other = (
                self._rows(records, copied.astype(np.int64), copied, times)
                for records, copied, times in count_copied(self.codes, whole, (0, i))
            )
            return first, other
        parts = [[v.parts[part] for v in whole.variables.values()] for part in (0, i)]
        stacked = [np.stack(part).astype(np.int64) for part in parts]
        numbers = combine(np.concatenate(stacked, axis=1))
        own, its = np.split(numbers, [stacked[0].shape[1]])
        first, other = (
            self._rows(
                {name: v.parts[part] for name, v in self.codes.variables.items()},
                here,
                np.isin(here, there),
                np.ones(len(here), dtype=np.int64),
            )
            for part, here, there in ((0, own, its), (i, its, own))
        )
        return first, other

    def _rows(self, codes: Mapping[str, Any], whole: Ints, copied: Bools, times: Ints) -> Rows:
        keys, targets = (
            np.stack([codes[name] for name in names]).astype(np.int64)
            for names in (self.keys, self.targets)
        )
        return Rows(keys, targets, whole, copied, times)


@dataclass(frozen=True)
class Risk:
    """Disclosure by one synthesis, for every original record and key combination."""

    classes: Ints
    of_replica: Ints
    unique: Bools
    learnt: Bools
    certain: Bools


def risk_of(original: Rows, replica: Rows) -> Risk:
    """Return the disclosure per original record: replicated unique or not, target disclosed."""
    both = combine(np.concatenate([original.keys, replica.keys], axis=1))
    here, there = np.split(both, [original.keys.shape[1]])
    size = int(both.max()) + 1
    d, s = np.bincount(here, original.times, size), np.bincount(there, replica.times, size)
    unanimous = [unanimous_of(there, target, size) for target in replica.targets]
    certain = np.array([level[here] >= 0 for level in unanimous])
    learnt = np.array(
        [level[here] == own for level, own in zip(unanimous, original.targets, strict=True)]
    )
    return Risk(here, there, ((d == 1) & (s == 1))[here], learnt, certain)


def unanimous_of(classes: Ints, values: Ints, size: int) -> Ints:
    """Return the only value of each class; -1 where there is none, or several."""
    low = np.full(size, np.iinfo(np.int64).max)
    high = np.full(size, -1)
    np.minimum.at(low, classes, values)
    np.maximum.at(high, classes, values)
    return np.where(low == high, high, -1)


def whole_of(pair: Pair, study: Study) -> Coded:
    """Return all columns as codes, by which copies are counted."""
    wanted = study.options.variables or pair.data.variables
    return encode(pair.data, by_value, [name for name in pair.data.variables if name in wanted])
