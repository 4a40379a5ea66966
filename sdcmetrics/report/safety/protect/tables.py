"""Protected one-way and two-way tables of the original, and what measures say of them.

A sensitive cell is in one table only. Levels are folded before anything is crossed, so margins
hold enough records to be told; were a small cell in several tables, each would round it another
way, and the mean of the roundings would give it back, as it nearly does the margins.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.scanning import scan
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.coding import Coded
from sdcmetrics.microdata.read_columns import read_column
from sdcmetrics.microdata.schema import Variable, harmonise
from sdcmetrics.report.safety.protect.audit import Ends, hide_each, withheld_together
from sdcmetrics.report.safety.protect.levels import Group, Levels, levels_of
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.study.study import Study

MOST_PAIRS = 500
"""Tables of two variables that are audited, those of keys and targets first; of what is beyond
them nothing is said."""
_MOST_CELLS = 1_500
_DRAWS = 20
"""Enough for the spread of a statistic to a sixth of itself."""
_LEAST_SHARE = 0.5
_LEAST_CELLS = 3
"""A table says something where at least three cells, and half of the records, are told."""


@dataclass(frozen=True)
class ProtectedVariable:
    """One variable: its groups, protected counts, and what the replicas have.

    Attributes
    ----------
    variable, kind : str
    groups : tuple of Group
        Empty where all records together are too few, or nothing can be told apart.
    counts : tuple of int
        Protected counts of the original.
    replicas : dict of replica to tuple of int arrays
        Counts of each synthesis; public.
    missing : dict of replica to float
        Share of missing values; public. Empty where no replica misses any.
    grouped : bool
        Whether these are groups of numbers.
    role : bool
        Whether it is a key or a target.
    """

    variable: str
    kind: str
    groups: tuple[Group, ...]
    counts: tuple[int, ...]
    replicas: dict[str, tuple[Ints, ...]]
    missing: dict[str, float]
    grouped: bool
    role: bool = False


@dataclass(frozen=True)
class ProtectedTable:
    """A table of one or two variables: what is told of the original, and the replicas.

    Attributes
    ----------
    variables : tuple of str
    original : int array
        Protected counts of the cells that are told, and of all others together at the end.
    replicas : dict of replica to tuple of int arrays
        The same cells of each synthesis.
    noise : float
        By how much rounding alone may move the last cell: two standard errors; 0 for none.
    ends : Ends or None
        What follows of each cell and margin for who has the key; None of one variable.
    """

    variables: tuple[str, ...]
    original: Ints
    replicas: dict[str, tuple[Ints, ...]]
    noise: float = 0.0
    ends: Ends | None = None


def one_way(
    study: Study, rounding: Rounding
) -> tuple[dict[str, ProtectedVariable], dict[str, tuple[Levels, dict[str, list[int]]]]]:
    """Return every variable, and the groups of all records, which stay inside."""
    options = study.options
    roles = {name for scenario in study.scenarios for name in (*scenario.keys, *scenario.targets)}
    shown: dict[str, ProtectedVariable] = {}
    inside: dict[str, tuple[Levels, dict[str, list[int]]]] = {}
    for name in options.variables or study.original.columns:
        having = {
            replica: list(data_sets)
            for replica, data_sets in study.replicas.items()
            if all(name in data.columns for data in data_sets)
        }
        if not having:
            continue
        syntheses = [data for syntheses_of in having.values() for data in syntheses_of]
        if any(
            name in large.rounded for data in (study.original, *syntheses) for large in data.large
        ):
            continue  # to values that some records of the original have
        codes = {k: v for k, v in options.missing_codes.items() if k == name}
        both = harmonise(study.original, syntheses, variables=[name], missing_codes=codes)
        variable = both.variables[name]
        order = dict.fromkeys(x for data in syntheses for x in read_column(data, name, []).levels)
        levels = levels_of(variable, list(order), options, rounding, both.large)
        numbers = itertools.count(1)
        parts = {
            replica: [next(numbers) for _ in syntheses_of]
            for replica, syntheses_of in having.items()
        }
        inside[name] = levels, parts
        counts = _counts(levels, name, 0)
        shown[name] = ProtectedVariable(
            name,
            variable.kind.value,
            levels.groups,
            tuple(
                rounding(int(count), name, group.name)
                for count, group in zip(counts, levels.groups, strict=True)
            ),
            {r: tuple(_counts(levels, name, i) for i in at) for r, at in parts.items()},
            _missing(variable, parts),
            levels.grouped,
            name in roles,
        )
    return shown, inside


def _counts(levels: Levels, name: str, part: int) -> Ints:
    return levels.coded(name, part).count(0)[: len(levels.groups)]


def _missing(variable: Variable, parts: dict[str, list[int]]) -> dict[str, float]:
    def share(i: int) -> float:
        missing = np.isnan(variable.values[i]) if variable.values else variable.codes[i] < 0
        times = variable.counts[i] if variable.counts else np.ones(len(missing), dtype=np.int64)
        return float(times[missing].sum() / times.sum())

    shares = {r: float(np.mean([share(i) for i in at])) for r, at in parts.items()}
    return shares if any(shares.values()) else {}


def pair_tables(variables: dict[str, ProtectedVariable]) -> Iterator[ProtectedTable]:
    """Yield the tables of one variable that say something."""
    for name, variable in variables.items():
        if len(variable.groups) > 1:
            yield ProtectedTable((name,), np.array(variable.counts), variable.replicas)


def two_way(
    variables: dict[str, ProtectedVariable],
    inside: dict[str, tuple[Levels, dict[str, list[int]]]],
    total: int,
    rounding: Rounding,
) -> list[ProtectedTable]:
    """Return the tables of two variables that are protected, also together, and say something."""
    drafts = list(_drafts(variables, inside, total, rounding))
    names = [draft.of for draft in drafts]
    ends, small = [draft.ends for draft in drafts], [draft.small for draft in drafts]
    hidden, program = hide_each(names, ends, small, rounding.base)
    protected_drafts = [
        replace(draft, small=draft.small | more, ends=draft.ends.without(more))
        for draft, more in zip(drafts, hidden, strict=True)
        if more is not None
    ]
    protected_drafts = [draft for draft in protected_drafts if draft.says(total)]
    names, ends = (
        [draft.of for draft in protected_drafts],
        [draft.ends for draft in protected_drafts],
    )
    gone = withheld_together(names, ends, rounding.least, rounding.base, program)
    shown = [draft for i, draft in enumerate(protected_drafts) if i not in gone]
    return list(_common_tables(shown, variables, inside, total, rounding))


def too_many(variables: Mapping[str, ProtectedVariable]) -> set[tuple[str, str]]:
    """Return the pairs of variables that are not looked at; `MOST_PAIRS` are.

    First come pairs of keys and targets, then those with one of them.
    """

    def roles(pair: tuple[str, str]) -> int:
        return sum(variables[name].role for name in pair)

    return set(sorted(_pairs(variables), key=roles, reverse=True)[MOST_PAIRS:])


def _pairs(variables: Mapping[str, ProtectedVariable]) -> Iterator[tuple[str, str]]:
    names = [name for name, variable in variables.items() if len(variable.groups) > 1]
    return itertools.combinations(names, 2)


def _looked_at(variables: Mapping[str, ProtectedVariable]) -> Iterator[tuple[str, str]]:
    beyond = too_many(variables)
    for a, b in (pair for pair in _pairs(variables) if pair not in beyond):
        first, second = variables[a], variables[b]
        few = len(first.groups) * len(second.groups) <= _MOST_CELLS
        if few and not first.replicas.keys().isdisjoint(second.replicas):
            yield a, b


@dataclass(frozen=True)
class _Draft:
    """A table of two variables: protected counts, which are small or hidden, what follows."""

    of: tuple[str, str]
    shown: Ints
    small: npt.NDArray[np.bool_]
    ends: Ends

    def says(self, total: int) -> bool:
        """Whether enough cells are shown."""
        shown = self.shown[~self.small]
        return shown.size >= _LEAST_CELLS and float(shown.sum()) >= _LEAST_SHARE * total


def _drafts(
    variables: dict[str, ProtectedVariable],
    inside: dict[str, tuple[Levels, dict[str, list[int]]]],
    total: int,
    rounding: Rounding,
) -> Iterator[_Draft]:
    """Yield the tables that say something while nothing is hidden but small cells."""
    pairs = list(_looked_at(variables))
    exact = _crossed({name: (levels, 0) for name, (levels, _) in inside.items()}, pairs)
    for a, b in pairs:
        first, second = variables[a], variables[b]
        cells: list[list[tuple[str, ...]]] = [
            [(a, g.name, b, h.name) for h in second.groups] for g in first.groups
        ]
        shown = np.array(
            [
                [rounding(int(x), *cell) for x, cell in zip(row, of, strict=True)]
                for row, of in zip(exact[a, b], cells, strict=True)
            ]
        )
        small: npt.NDArray[np.bool_] = np.vectorize(rounding.small)(shown).astype(bool)
        draft = _Draft((a, b), shown, small, _ends(first, second, shown, cells, total, rounding))
        if draft.says(total):
            yield draft


def _common_tables(
    drafts: Sequence[_Draft],
    variables: dict[str, ProtectedVariable],
    inside: dict[str, tuple[Levels, dict[str, list[int]]]],
    total: int,
    rounding: Rounding,
) -> Iterator[ProtectedTable]:
    """Yield tables with the same cells of every replica."""
    pairs = [draft.of for draft in drafts]
    crossed = {
        replica: [_crossed(synthesis, pairs) for synthesis in _syntheses(inside, replica)]
        for replica in dict.fromkeys(
            r for variable in variables.values() for r in variable.replicas
        )
    }
    for draft in drafts:
        large_cells, both = ~draft.small, [variables[name].replicas for name in draft.of]
        shown = draft.shown[large_cells]
        rest = 0 if large_cells.all() else max(total - int(shown.sum()), 0)
        counts = {
            replica: tuple(
                np.append(counts_of[draft.of][large_cells], counts_of[draft.of][~large_cells].sum())
                for counts_of in crossed[replica]
            )
            for replica in both[0]
            if replica in both[1]
        }
        # The cells that are told, and the total, are each moved by about base / sqrt(6).
        noise = 2.0 * rounding.base * np.sqrt((shown.size + 1) / 6.0)
        yield ProtectedTable(draft.of, np.append(shown, rest), counts, float(noise), draft.ends)


def rounded_again(table: ProtectedTable, base: int) -> list[ProtectedTable]:
    """Return a table whose protected counts are moved once more, as rounding moved the exact ones.

    A count and its boundaries are apart by up to the base either way, smaller distances more often.
    The same draws for every table: what follows from them follows from protected counts.
    """
    rng = np.random.default_rng(0)
    size = (_DRAWS, table.original.size)
    moved = rng.integers(0, base, size) - rng.integers(0, base, size)
    if table.noise:  # the last cell is the total, itself rounded, less all others
        moved[:, -1] -= moved[:, :-1].sum(axis=1)
    return [replace(table, original=np.maximum(table.original + step, 0)) for step in moved]


def _ends(
    first: ProtectedVariable,
    second: ProtectedVariable,
    shown: Ints,
    cells: list[list[tuple[str, ...]]],
    total: int,
    rounding: Rounding,
) -> Ends:
    """Return what protected counts say of each cell and margin to who has the key."""

    def margin(variable: ProtectedVariable) -> Ints:
        pairs = zip(variable.counts, variable.groups, strict=True)
        return np.array([rounding.ends(c, variable.variable, g.name) for c, g in pairs]).T

    each = np.array(
        [
            [rounding.ends(int(c), *cell) for c, cell in zip(row, of, strict=True)]
            for row, of in zip(shown, cells, strict=True)
        ]
    )
    whole = rounding.ends(total, "records")
    return Ends(each[..., 0], each[..., 1], margin(first), margin(second), whole)


def _syntheses(
    inside: dict[str, tuple[Levels, dict[str, list[int]]]], replica: str
) -> Iterator[dict[str, tuple[Levels, int]]]:
    """Yield the variables of each synthesis, and which part of them it is."""
    having = {name: (levels, at[replica]) for name, (levels, at) in inside.items() if replica in at}
    for i in range(max(len(at) for _, at in having.values())):
        yield {name: (levels, at[i]) for name, (levels, at) in having.items()}


def _crossed(
    of: dict[str, tuple[Levels, int]], pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Ints]:
    """Count tables of one data set, as many as it has the variables of."""
    wanted = [pair for pair in pairs if set(pair) <= of.keys()]
    coded = {name: levels.coded(name, part) for name, (levels, part) in of.items()}
    large = any(variable.large for variable in coded.values())
    scanned = scan(Coded(coded, (0,)), wanted, 0) if large else []
    out = {}
    for i, (a, b) in enumerate(wanted):
        size = coded[a].size, coded[b].size
        if large:
            cells, times = scanned[i]
            counts = np.zeros(size[0] * size[1], dtype=np.int64)
            counts[cells] = times
        else:
            index = coded[a].parts[0].astype(np.int64) * size[1] + coded[b].parts[0]
            counts = np.bincount(index, minlength=size[0] * size[1]).astype(np.int64)
        groups = [len(of[name][0].groups) for name in (a, b)]
        out[a, b] = counts.reshape(size)[: groups[0], : groups[1]]
    return out


def as_pairs(tables: Sequence[ProtectedTable], replica: str, *, k_syn: bool) -> TablePairs:
    """Return tables of the same cells beside each synthesis in turn, without cells of neither.

    The cells that are not told follow together from the total less all others, and so from the sum
    of all roundings: of their difference to the replica only what rounding cannot explain counts.
    """
    originals, syntheses = [], []
    for synthetic in tables[0].replicas[replica]:
        original = np.stack([table.original for table in tables])
        if tables[0].noise:
            alike = synthetic[-1] * original.sum(axis=1) / synthetic.sum()
            gap = original[:, -1] - alike
            gap = np.copysign(np.maximum(np.abs(gap) - tables[0].noise, 0.0), gap)
            original[:, -1] = np.rint(alike + gap)
        originals.append(original)
        syntheses.append(np.broadcast_to(synthetic, original.shape))
    left, right = np.concatenate(originals), np.concatenate(syntheses)
    filled = (left + right) > 0
    lengths = filled.sum(axis=1)
    return TablePairs(
        original=left[filled],
        synthetic=right[filled],
        starts=np.cumsum(lengths) - lengths,
        empty=tuple((~filled).sum(axis=1).tolist()),
        k_syn=k_syn,
    )
