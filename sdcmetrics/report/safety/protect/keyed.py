"""Counts of records by their keys, as equations for the counts of the original that stand behind.

Which key combinations a replica has, has once, or has with one target level, is public. So what a
release tells of a scenario is sums over public sets of cells: original records whose keys are in
the replica (iS), for whom it names a level (DiS), the right one (DiSCO, TCAP), or a chance of it
(DCAP). Unique records (UiO, UiOiS, repU) take a yes or no per combination, and so do records whose
combination has one level in the original (Dorig, DiSDiO). Cells add up to those of the two-way
tables. A scenario that leaves a small count with fewer values than the base tells no count.

Where there are few combinations in all, the program holds each of them. Else it holds, of all that
are alike to the replicas, one; other records of a two-way cell are in combinations of no replica.
Then the counts that take a yes or no are left out: too many combinations can make up each of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.key_counting import count_combinations
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.coding import Coded, CodedVariable, by_value
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.report.safety.protect.audit import Ends, tables_program
from sdcmetrics.report.safety.protect.figures import NOT_SHOWN, Figure
from sdcmetrics.report.safety.protect.levels import Levels
from sdcmetrics.report.safety.protect.program import Program
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.study.study import Scenario, Study

_Weights = Callable[[int], Floats]
"""How much of each unknown a measure counts, by the place of a synthesis."""

_COMPLETE = 120
"""So many combinations of keys by levels of a target are all in the program."""
_MOST_KEYS = 500
"""Beyond so many kinds of combinations, a sum over them says too little of one to be solved for."""
_ALMOST = 1e-3
"""A mean over syntheses, or a chance, is as large as the next count less at least this."""


@dataclass(frozen=True)
class Records:
    """The records of one synthesis, as its combinations of all keys and one target.

    Attributes
    ----------
    replica : str
    cells : dict of target to dict of variable to int array, and int array
        Combinations that occur, the same codes in all syntheses, and how many records have each.
    """

    replica: str
    cells: Mapping[str, tuple[Mapping[str, Ints], Ints]]

    def values(self, name: str) -> Ints:
        """Return values of a variable, every one that occurs."""
        return next(values[name] for values, _ in self.cells.values() if name in values)


@dataclass(frozen=True)
class Keyed:
    """A scenario: its variables, how many values each has, and what is told.

    Attributes
    ----------
    keys, targets : tuple of str
    groups : dict of variable to int array
        The shown group of each value; -1 for none.
    syntheses : tuple of Records
    figures : dict of (replica, measure, target) to Figure
    """

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    groups: Mapping[str, Ints]
    syntheses: tuple[Records, ...]
    figures: Mapping[tuple[str, str, str], Figure]

    @cached_property
    def complete(self) -> bool:
        """Whether there are few enough combinations to look at all."""
        combinations = math.prod(len(self.levels(name)) for name in self.keys)
        return all(combinations * len(self.levels(t)) <= _COMPLETE for t in self.targets)

    def levels(self, name: str) -> Ints:
        """Return the values of a variable that a release, or a replica, has."""
        present = [
            np.flatnonzero(self.groups[name] >= 0),
            *(s.values(name) for s in self.syntheses),
        ]
        return np.unique(np.concatenate(present))


def keyed_of(
    study: Study,
    scenario: Scenario,
    levels: Mapping[str, tuple[Levels, Mapping[str, Sequence[int]]]],
    figures: Mapping[tuple[str, str, str], Figure],
) -> Keyed | None:
    """Return a scenario as its records are; None where no replica has all its variables.

    Parameters
    ----------
    study : Study
    scenario : Scenario
    levels : dict of variable to Levels, and which parts of it each replica is
    figures : dict of (replica, measure, target) to Figure
    """
    names = (*scenario.keys, *scenario.targets)
    values: dict[str, list[CodedVariable]] = {}
    groups: dict[str, Ints] = {}
    for name in names:
        shown, parts = levels[name]
        syntheses = [data for replica in parts for data in study.replicas[replica]]
        codes = {k: v for k, v in study.options.missing_codes.items() if k == name}
        harmonised = harmonise(study.original, syntheses, variables=[name], missing_codes=codes)
        coded = by_value(harmonised.variables[name])
        values[name] = [
            replace(coded, parts=(part,), large=harmonised.large[i : i + 1])
            for i, part in enumerate(coded.parts)
        ]
        groups[name] = np.full(coded.size, -1)
        for value, group in zip(coded.parts, shown.parts, strict=True):
            groups[name][value] = group
    records = [
        Records(
            replica, {t: count_combinations(coded, (*scenario.keys, t)) for t in scenario.targets}
        )
        for replica, syntheses in study.replicas.items()
        if all(replica in levels[name][1] for name in names)
        for i, data in enumerate(syntheses)
        for coded in [
            Coded({name: values[name][levels[name][1][replica][i]] for name in names}, (data.n,))
        ]
    ]
    if not records:
        return None
    return Keyed(scenario.keys, scenario.targets, groups, tuple(records), figures)


def open_to_all(
    keyed: Keyed,
    tables: Mapping[tuple[str, ...], Ends],
    total: tuple[int, int],
    rounding: Rounding,
) -> bool:
    """Whether every small count of a scenario's tables and keys keeps as many values as the base.

    Parameters
    ----------
    keyed : Keyed
    tables : dict of two variables to Ends
        What is known of the scenario's tables that are told.
    total : two ints
        The least and the largest number of original records.
    rounding : Rounding
    """
    program = tables_program(list(tables), list(tables.values()))
    small = program.small(rounding.least)
    scenario = _Scenario(keyed, program, total, rounding, block=len(tables))
    if len(scenario.keys) > _MOST_KEYS:
        return True
    wanted = scenario.cells()
    bare = program.find_ends(np.concatenate([small, wanted]), rounding.base)
    return not (program.least(bare) < rounding.least).any()


class _Scenario:
    """Adds the unknowns and the equations of a scenario to a program."""

    def __init__(
        self, keyed: Keyed, program: Program, total: tuple[int, int], rounding: Rounding, block: int
    ) -> None:
        self.of, self.program, self.rounding = keyed, program, rounding
        self.total, self.block = total, block
        self.most = float(total[1])
        self.keys, self.at = _combinations(keyed)
        self.place = np.arange(len(self.keys))
        chosen = self._chosen()
        self.place = np.full(len(self.keys), -1)
        self.place[chosen] = np.arange(len(chosen))
        self.keys = self.keys[chosen]

    def cells(self) -> Ints:
        """Add everything; return the counts that have to stay open."""
        of = self.of
        self.count = self._new(np.full(len(self.keys), self.most))
        self._tie(of.keys, self.count, self.keys)
        if of.complete:
            self._unique()
        self._add("iS", of.targets[0], self.count, lambda s: self._per_key(s, lambda n: n > 0))
        parts = [self.count, *map(self._target, of.targets)]
        return np.concatenate(parts) if of.complete else self.count[:0]

    def _unique(self) -> None:
        """Add combinations of one record: each has one, or more, or none."""
        program, n_keys = self.program, len(self.keys)
        single, more = self._new(np.ones(n_keys)), self._new(np.ones(n_keys))
        for q, u, w in zip(self.count, single, more, strict=True):
            program.row([u, w], 1.0, 0, 1)
            program.row([q, u, w], [1, -1, -2], 0, np.inf)
            program.row([q, u, w], [1, -1, -self.most], -np.inf, 0)
        target = self.of.targets[0]
        self._add("UiO", target, single, lambda _: np.ones(n_keys))
        self._add("UiOiS", target, single, lambda s: self._per_key(s, lambda n: n > 0))
        self._add("repU", target, single, lambda s: self._per_key(s, lambda n: n == 1))

    def _target(self, target: str) -> Ints:
        """Add the cells of keys by a target with their protected counts; return the cells."""
        of, program = self.of, self.program
        levels = of.levels(target)
        syntheses = range(len(of.syntheses))
        wanted = np.any([self._alone(i, target) for i in syntheses], axis=0)
        if of.complete:
            wanted[:, levels] = True
        key, level = np.nonzero(wanted)
        cells = self._new(np.full(len(key), self.most))
        for k in range(len(self.keys)):
            own = cells[key == k]
            low = 0.0 if of.complete else -np.inf  # other levels may have the rest
            program.row([*own, self.count[k]], [1.0] * len(own) + [-1.0], low, 0)
        for name in of.keys:
            self._tie_cells((name, target), cells, self.keys[key, of.keys.index(name)], level)

        def alone(records: int) -> Floats:
            return self._alone(records, target)[key, level].astype(float)

        def chance(records: int) -> Floats:
            table = self._table(records, target)
            shares: Floats = table / np.maximum(table.sum(axis=1), 1)[:, None]
            return shares[key, level]

        def unanimous(records: int) -> Floats:
            return self._alone(records, target).any(axis=1).astype(float)

        matched = (self.count, lambda s: self._per_key(s, lambda n: n > 0))
        self._add("DiS", target, self.count, unanimous)
        self._add("DiSCO", target, cells, alone)
        self._add("TCAP_matched", target, cells, alone, matched)
        if of.complete:
            self._add("DCAP", target, cells, chance)
            self._unanimous(target, cells, key, alone)
        return cells

    def _unanimous(self, target: str, cells: Ints, key: Ints, alone: _Weights) -> None:
        """Add records whose combination has one level of a target in the original."""
        program = self.program
        part, pure = self._new(np.full(len(cells), self.most)), self._new(np.ones(len(cells)))
        mixed = self._new(np.ones(len(self.keys)))
        for x, c, p, k in zip(cells, part, pure, key, strict=True):
            program.row([c, x], [1, -1], -np.inf, 0)
            program.row([c, p], [1, -self.most], -np.inf, 0)
            program.row([x, c, mixed[k]], [1, -1, -self.most], -np.inf, 0)
            program.row([x, mixed[k], self.count[k]], [1, 1, -1], -np.inf, 0)
        for k in range(len(self.keys)):
            program.row([*pure[key == k], mixed[k]], 1.0, 0, 1)
        self._add("Dorig", target, part, lambda _: np.ones(len(part)))
        self._add("DiSDiO", target, part, alone)

    def _new(self, most: npt.ArrayLike) -> Ints:
        high = np.asarray(most, dtype=float)
        return self.program.unknowns(np.zeros(len(high)), high, block=self.block, integral=True)

    def _tie(self, names: Sequence[str], cells: Ints, of: Ints) -> None:
        """Add the constraint that combinations of keys sum to the cells of two-way tables."""
        for a, b in itertools.combinations(range(len(names)), 2):
            self._tie_cells((names[a], names[b]), cells, of[:, a], of[:, b])
        for a, name in enumerate(names):
            self._sum_up((name,), cells, (self.of.groups[name][of[:, a]],))
        self.program.row(cells, 1.0, self.total[0] * self.of.complete, self.total[1])

    def _tie_cells(self, names: tuple[str, str], cells: Ints, first: Ints, second: Ints) -> None:
        groups = (self.of.groups[names[0]][first], self.of.groups[names[1]][second])
        if names in self.program.cells:
            self._sum_up(names, cells, groups)
        elif names[::-1] in self.program.cells:
            self._sum_up(names[::-1], cells, groups[::-1])
        else:
            self._sum_up(names[1:], cells, groups[1:])

    def _sum_up(self, names: tuple[str, ...], cells: Ints, groups: tuple[Ints, ...]) -> None:
        table = self.program.cells.get(names)
        if table is None:
            return
        for place in itertools.product(*map(range, table.shape)):
            inside = np.all([g == i for g, i in zip(groups, place, strict=True)], axis=0)
            if inside.any():
                own = cells[inside]
                low = 0.0 if self.of.complete else -np.inf
                self.program.row([*own, table[place]], [1.0] * len(own) + [-1.0], low, 0)

    def _table(self, records: int, target: str) -> Ints:
        """Return how many records of a synthesis each chosen combination has, by level."""
        place = self.place[self.at[records][target]]
        values, times = self.of.syntheses[records].cells[target]
        present = place >= 0
        out = np.zeros((len(self.keys), len(self.of.groups[target])), dtype=np.int64)
        out[place[present], values[target][present]] = times[present]
        return out

    def _per_key(self, records: int, wanted: Callable[[Ints], npt.NDArray[np.bool_]]) -> Floats:
        target = self.of.targets[0]
        place, times = (
            self.place[self.at[records][target]],
            self.of.syntheses[records].cells[target][1],
        )
        present = place >= 0
        counts = np.bincount(place[present], weights=times[present], minlength=len(self.keys))
        return wanted(counts.astype(np.int64)).astype(float)

    def _chosen(self) -> Ints:
        """Return one combination of all that are alike; every one where there are few."""
        of, n_keys = self.of, len(self.keys)
        if of.complete:
            return np.arange(n_keys)
        kinds = [of.groups[name][self.keys[:, i]] for i, name in enumerate(of.keys)]
        for records, at in zip(of.syntheses, self.at, strict=True):
            kinds.append((np.bincount(at[of.targets[0]], minlength=n_keys) > 0).astype(np.int64))
            for target, (values, times) in records.cells.items():
                key = at[target]
                alone = times == np.bincount(key, weights=times, minlength=n_keys)[key]
                only = np.full(n_keys, -1)
                only[key[alone]] = values[target][alone]
                kinds.append(only)
        return np.unique(kinds, axis=1, return_index=True)[1]

    def _alone(self, records: int, target: str) -> npt.NDArray[np.bool_]:
        """Whether a level has all records that a synthesis has of a combination."""
        table = self._table(records, target)
        alone: npt.NDArray[np.bool_] = (table > 0) & (table == table.sum(axis=1)[:, None])
        return alone

    def _add(
        self,
        measure: str,
        target: str,
        cells: npt.ArrayLike,
        weights: _Weights,
        whole: tuple[Ints, _Weights] | None = None,
    ) -> None:
        """Add the protected values of a measure, for every replica."""
        for replica in dict.fromkeys(synthesis.replica for synthesis in self.of.syntheses):
            figure = self.of.figures.get((replica, measure, target))
            if figure is None or figure.shown == NOT_SHOWN:
                continue
            own = [
                i for i, synthesis in enumerate(self.of.syntheses) if synthesis.replica == replica
            ]
            mean = np.mean([weights(i) for i in own], axis=0)
            at = np.asarray(cells)
            least = self.rounding.least
            if whole is not None and not math.isnan(figure.total):  # what it is a share of is told
                of, weigh = whole
                rest = np.mean([weigh(i) for i in own], axis=0)
                fewest, most = self.rounding.ends(int(figure.total), "records")
                self.program.row(of, rest, fewest, most + 1 - _ALMOST)
            if math.isnan(figure.count) and figure.other:  # all but a few
                if whole is None:
                    self.program.row(at, mean, self.total[0] - least + 1, self.most)
                else:
                    of, weigh = whole
                    rest = np.mean([weigh(i) for i in own], axis=0)
                    both = np.concatenate([of, at]), np.concatenate([rest, -mean])
                    self.program.row(*both, 0, least - _ALMOST)
                continue
            low, high = self._ends(figure, least)
            self.program.row(at, mean, low, high + 1 - _ALMOST)  # a mean, or a chance

    def _ends(self, figure: Figure, least: int) -> tuple[float, float]:
        if math.isnan(figure.count):
            return 0, least - 1
        low, high = self.rounding.ends(int(figure.count), "records")
        return low, self.most if figure.count >= figure.total else high


def _combinations(keyed: Keyed) -> tuple[Ints, list[dict[str, Ints]]]:
    """Return the key combinations, and which one each cell of every synthesis has, by target."""
    cells = [values for synthesis in keyed.syntheses for values, _ in synthesis.cells.values()]
    rows = [np.stack([values[name] for name in keyed.keys], axis=1) for values in cells]
    if keyed.complete:
        rows.append(np.array(list(itertools.product(*map(keyed.levels, keyed.keys)))))
    keys, at = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    each = iter(np.split(at.ravel(), np.cumsum([len(codes) for codes in rows])[:-1]))
    return keys, [
        {target: next(each) for target in synthesis.cells} for synthesis in keyed.syntheses
    ]
