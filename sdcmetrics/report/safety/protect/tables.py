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
from sdcmetrics.microdata.columns import read_column
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.report.safety.protect.audit import Ends, hide_each, withheld_together
from sdcmetrics.report.safety.protect.levels import Group, Levels, levels_of
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.study.study import Study

__all__ = [
    "MOST_PAIRS",
    "ProtectedTable",
    "ProtectedVariable",
    "one_way",
    "pair_tables",
    "rounded_again",
    "too_many",
    "two_way",
]

Ints = npt.NDArray[np.int64]

MOST_PAIRS = 500
"""Tables of two variables that are audited; of what is beyond them nothing is said."""
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
    """

    variable: str
    kind: str
    groups: tuple[Group, ...]
    counts: tuple[int, ...]
    replicas: dict[str, tuple[Ints, ...]]
    missing: dict[str, float]
    grouped: bool


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
    shown: dict[str, ProtectedVariable] = {}
    inside: dict[str, tuple[Levels, dict[str, list[int]]]] = {}
    for name in options.variables or study.original.columns:
        having = {
            replica: list(many)
            for replica, many in study.replicas.items()
            if all(name in data.columns for data in many)
        }
        if not having:
            continue
        syntheses = [data for many in having.values() for data in many]
        codes = {k: v for k, v in options.missing_codes.items() if k == name}
        variable = harmonise(
            study.original, syntheses, variables=[name], missing_codes=codes
        ).variables[name]
        order = dict.fromkeys(x for data in syntheses for x in read_column(data, name, []).levels)
        levels = levels_of(variable, list(order), options, rounding)
        numbers = itertools.count(1)
        parts = {replica: [next(numbers) for _ in many] for replica, many in having.items()}
        inside[name] = levels, parts
        size = len(levels.groups)
        counts = _counts(levels.parts[0], size)
        shown[name] = ProtectedVariable(
            name,
            variable.kind.value,
            levels.groups,
            tuple(
                rounding(int(count), name, group.name)
                for count, group in zip(counts, levels.groups, strict=True)
            ),
            {r: tuple(_counts(levels.parts[i], size) for i in at) for r, at in parts.items()},
            _missing(variable.values or variable.codes, parts),
            levels.grouped,
        )
    return shown, inside


def _counts(codes: Ints, size: int) -> Ints:
    return np.bincount(codes[codes >= 0], minlength=size).astype(np.int64)


def _missing(
    values: Sequence[npt.NDArray[np.generic]], parts: dict[str, list[int]]
) -> dict[str, float]:
    def share(part: npt.NDArray[np.generic]) -> float:
        missing = np.isnan(part) if part.dtype.kind == "f" else part < 0  # type: ignore[operator]
        return float(np.mean(missing))

    found = {r: float(np.mean([share(values[i]) for i in at])) for r, at in parts.items()}
    return found if any(found.values()) else {}


def pair_tables(variables: dict[str, ProtectedVariable]) -> Iterator[ProtectedTable]:
    """Yield the tables of one variable that say something."""
    for name, found in variables.items():
        if len(found.groups) > 1:
            yield ProtectedTable((name,), np.array(found.counts), found.replicas)


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
    found = [
        replace(draft, small=draft.small | more, ends=draft.ends.without(more))
        for draft, more in zip(drafts, hidden, strict=True)
        if more is not None
    ]
    found = [draft for draft in found if draft.says(total)]
    names, ends = [draft.of for draft in found], [draft.ends for draft in found]
    gone = withheld_together(names, ends, rounding.least, rounding.base, program)
    return [
        _told(draft, variables, inside, total, rounding)
        for i, draft in enumerate(found)
        if i not in gone
    ]


def too_many(variables: Mapping[str, ProtectedVariable]) -> set[tuple[str, str]]:
    """Return the pairs of variables that are not looked at; `MOST_PAIRS` are."""
    return set(itertools.islice(_pairs(variables), MOST_PAIRS, None))


def _pairs(variables: Mapping[str, ProtectedVariable]) -> Iterator[tuple[str, str]]:
    names = [name for name, found in variables.items() if len(found.groups) > 1]
    return itertools.combinations(names, 2)


@dataclass(frozen=True)
class _Draft:
    """A table of two variables: protected counts, which are small or hidden, what follows."""

    of: tuple[str, str]
    shown: Ints
    small: npt.NDArray[np.bool_]
    ends: Ends

    def says(self, total: int) -> bool:
        """Whether enough is told."""
        kept = self.shown[~self.small]
        return kept.size >= _LEAST_CELLS and float(kept.sum()) >= _LEAST_SHARE * total


def _drafts(
    variables: dict[str, ProtectedVariable],
    inside: dict[str, tuple[Levels, dict[str, list[int]]]],
    total: int,
    rounding: Rounding,
) -> Iterator[_Draft]:
    """Yield the tables that say something while nothing is hidden but small cells."""
    for a, b in itertools.islice(_pairs(variables), MOST_PAIRS):
        first, second = variables[a], variables[b]
        size = (len(first.groups), len(second.groups))
        if size[0] * size[1] > _MOST_CELLS or first.replicas.keys().isdisjoint(second.replicas):
            continue
        cells: list[list[tuple[str, ...]]] = [
            [(a, g.name, b, h.name) for h in second.groups] for g in first.groups
        ]
        exact = _crossed(inside[a][0].parts[0], inside[b][0].parts[0], size)
        shown = np.array(
            [
                [rounding(int(x), *cell) for x, cell in zip(row, of, strict=True)]
                for row, of in zip(exact, cells, strict=True)
            ]
        )
        small: npt.NDArray[np.bool_] = np.vectorize(rounding.small)(shown).astype(bool)
        draft = _Draft((a, b), shown, small, _ends(first, second, shown, cells, total, rounding))
        if draft.says(total):
            yield draft


def _told(
    draft: _Draft,
    variables: dict[str, ProtectedVariable],
    inside: dict[str, tuple[Levels, dict[str, list[int]]]],
    total: int,
    rounding: Rounding,
) -> ProtectedTable:
    """Return a table with the same cells of every replica."""
    (one, at), (two, other) = (inside[name] for name in draft.of)
    told, size = ~draft.small, draft.shown.shape
    kept = draft.shown[told]
    rest = 0 if told.all() else max(total - int(kept.sum()), 0)
    counts = {}
    for replica in variables[draft.of[0]].replicas:
        if replica in other:
            crossed = [
                _crossed(one.parts[i], two.parts[j], size)
                for i, j in zip(at[replica], other[replica], strict=True)
            ]
            counts[replica] = tuple(np.append(c[told], c[~told].sum()) for c in crossed)
    # The cells that are told, and the total, are each moved by about base / sqrt(6).
    noise = 2.0 * rounding.base * np.sqrt((kept.size + 1) / 6.0)
    return ProtectedTable(draft.of, np.append(kept, rest), counts, float(noise), draft.ends)


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
    return [replace(table, original=np.maximum(table.original + one, 0)) for one in moved]


def _ends(
    first: ProtectedVariable,
    second: ProtectedVariable,
    shown: Ints,
    cells: list[list[tuple[str, ...]]],
    total: int,
    rounding: Rounding,
) -> Ends:
    """Return what protected counts say of each cell and margin to who has the key."""

    def margin(found: ProtectedVariable) -> Ints:
        pairs = zip(found.counts, found.groups, strict=True)
        return np.array([rounding.ends(c, found.variable, g.name) for c, g in pairs]).T

    each = np.array(
        [
            [rounding.ends(int(c), *cell) for c, cell in zip(row, of, strict=True)]
            for row, of in zip(shown, cells, strict=True)
        ]
    )
    whole = rounding.ends(total, "records")
    return Ends(each[..., 0], each[..., 1], margin(first), margin(second), whole)


def _crossed(a: Ints, b: Ints, size: tuple[int, int]) -> Ints:
    both = (a >= 0) & (b >= 0)
    index = a[both] * size[1] + b[both]
    return np.bincount(index, minlength=size[0] * size[1]).reshape(size).astype(np.int64)


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
    many = filled.sum(axis=1)
    return TablePairs(
        original=left[filled],
        synthetic=right[filled],
        starts=np.cumsum(many) - many,
        empty=tuple((~filled).sum(axis=1).tolist()),
        k_syn=k_syn,
    )
