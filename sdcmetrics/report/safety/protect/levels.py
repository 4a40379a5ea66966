"""Levels of a variable as they may be shown: from the replicas, and from protected counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.coding import CodedVariable, by_value, pack
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.grouping import group_numbers
from sdcmetrics.microdata.schema import Variable
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.breaks import fold, interval_label, rounded_breaks
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.study.options import Options

if TYPE_CHECKING:
    from sdcmetrics.microdata.sources.large import Large

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Group:
    """A level, some levels together, or a group of numbers.

    Attributes
    ----------
    label : str or None
        None is missing.
    name : str
        Which cell of the original it is, the same in every report.
    levels : int
        Levels of the replicas, or of enough records, that it stands for.
    other : bool
        Whether it holds the levels that are not shown on their own.
    """

    label: str | None
    name: str
    levels: int = 1
    other: bool = False


@dataclass(frozen=True)
class Levels:
    """The groups of one variable, and the group of every record of every data set.

    Of data sets too large for memory, the group of every distinct value.

    Attributes
    ----------
    groups : tuple of Group
        Each has enough records of the original to be counted.
    parts : tuple of int arrays
        The original's records, then those of each synthesis; -1 where the level is in no group:
        it is the original's alone, and rare.
    grouped : bool
        Whether these are groups of numbers.
    large : tuple of Large
        Where the data sets are too large for memory: these. Then `parts` are the groups of their
        distinct values.
    """

    groups: tuple[Group, ...]
    parts: tuple[Codes, ...]
    grouped: bool
    large: tuple[Large, ...] = ()

    def coded(self, name: str, part: int) -> CodedVariable:
        """Return the groups of one data set as they are counted; a level after them is no group."""
        packed = pack(
            name, [group.name for group in self.groups], [self.parts[part].astype(np.int32)]
        )
        return replace(packed, large=self.large[part : part + 1])


def levels_of(
    variable: Variable,
    order: Sequence[str],
    options: Options,
    rounding: Rounding,
    large: tuple[Large, ...] = (),
) -> Levels:
    """Return the levels of a variable that a release can distinguish.

    Parameters
    ----------
    variable : Variable
    order : levels of a category as the replicas have them
        Where a level stands must not say whether the original has it.
    options : Options
    rounding : Rounding
    large : tuple of Large
        The data sets, where they are too large for memory.

    Notes
    -----
    Breaks are made of the replicas alone, and rounded. A level that no replica has is only named
    where enough original records have it; else it is left out without a trace, as if it did not
    exist. Small levels are folded with a large one, so that no count of theirs follows from what
    is shown; which ones depends on protected counts alone.
    """
    labels, parts, inner = _coded(variable, order, options)
    grouped = inner is not None
    size = len(labels)
    names = ["(missing)" if label is None else label for label in labels]
    times = variable.counts[0] if variable.counts else None
    counts = np.bincount(parts[0], weights=times, minlength=size)
    public = np.zeros(size, dtype=bool)
    for part in parts[1:]:
        public[np.unique(part)] = True
    intervals = 0 if inner is None else len(inner) + 1
    public[:intervals] = True
    keep = [i for i in range(size) if public[i] or counts[i] >= rounding.least]
    shown = [rounding(int(counts[i]), variable.name, names[i]) for i in keep]
    folding = fold(
        [max(count, int(rounding.zeros)) for count in shown],
        min_cell=rounding.least,
        zeros_disclosive=rounding.zeros,
        intervals=intervals,
    )
    merged = _with_a_large_one([list(group) for group in folding.groups], shown, rounding)
    groups, codes = [], np.full(size, -1, dtype=np.int64)
    for place, members in enumerate(merged):
        codes[[keep[i] for i in members]] = place
        groups.append(_group(variable, [keep[i] for i in members], labels, public, inner))
    return Levels(tuple(groups), tuple(codes[part] for part in parts), grouped, large)


def _coded(
    variable: Variable, order: Sequence[str], options: Options
) -> tuple[list[str | None], list[Codes], tuple[float, ...] | None]:
    """Return labels, codes, and the breaks where numbers are grouped."""
    number = variable.kind is Kind.NUMBER
    if not number and not (options.group_dates and variable.kind is Kind.DATE):
        coded = by_value(variable)
        ordered = variable.kind is Kind.DATE
        place = {label: i for i, label in enumerate(order)}
        last = len(place)
        ranked = sorted(
            range(coded.size),
            key=lambda i: (
                coded.labels[i] is None,
                place.get(str(coded.labels[i]), last),
                i if ordered else str(coded.labels[i]),
            ),
        )
        rank = np.argsort(ranked)
        return [coded.labels[i] for i in ranked], [rank[part] for part in coded.parts], None
    codes = variable.missing_codes
    groups = group_numbers(
        variable.values[1],
        variable.values[2:],
        ngroups=options.ngroups,
        style=options.style,
        missing_codes=codes,
        counts=variable.counts[1:],
    )
    breaks = groups.breaks.tolist()
    dates = not number
    inner = tuple(sorted(set(rounded_breaks(breaks, dates=dates)))) if breaks else ()
    n_groups = len(inner) + 1
    labels: list[str | None] = [interval_label(inner, i, i, dates=dates) for i in range(n_groups)]
    labels += [f"{code:.15g}" for code in codes]
    parts = []
    for values in variable.values:
        part = np.searchsorted(np.array(inner), values, side="right").astype(np.int64)
        for i, code in enumerate(codes):
            part[values == code] = n_groups + i
        part[np.isnan(values)] = len(labels)
        parts.append(part)
    if any((part == len(labels)).any() for part in parts):
        labels.append(None)
    return labels, parts, inner


def _with_a_large_one(
    groups: list[list[int]], shown: list[int], rounding: Rounding
) -> list[list[int]]:
    """Join groups of several small levels with the smallest large level, whatever they add up to.

    Their sum alone would say that each is large where it is nearly as large as it can be.
    """

    def large(i: int) -> bool:
        return shown[i] >= rounding.least

    for group in [g for g in groups if len(g) > 1 and not any(map(large, g))]:
        others = [g for g in groups if any(map(large, g))]
        if not others:
            return []
        nearest = min(others, key=lambda g: (len(g) == 1, sum(shown[i] for i in g)))
        nearest.extend(group)
        nearest.sort()
        groups.remove(group)
    if any(rounding.small(sum(shown[i] for i in g)) for g in groups):
        return []
    return sorted(groups)


def _group(
    variable: Variable,
    members: list[int],
    labels: list[str | None],
    public: npt.NDArray[np.bool_],
    inner: tuple[float, ...] | None,
) -> Group:
    intervals = 0 if inner is None else len(inner) + 1
    named = "|".join("(missing)" if labels[i] is None else str(labels[i]) for i in members)
    first = labels[members[0]]
    if len(members) == 1:
        values = [i for i, label in enumerate(labels) if label is not None]
        ordered = variable.kind in (Kind.NUMBER, Kind.DATE) and not intervals
        if ordered and members[0] in (values[0], values[-1]):
            end = "or less" if members[0] == values[0] else "or more"
            return Group(f"{first} {end}", named)
        return Group(first, named)
    if (
        inner is not None
        and members[-1] < intervals
        and members == list(range(members[0], members[-1] + 1))
    ):
        label = interval_label(inner, members[0], members[-1], dates=variable.kind is Kind.DATE)
        return Group(label, named, len(members))
    n_levels = int(public[members].sum())
    return Group(f"Other ({numbers.plural(n_levels, 'level')})", named, n_levels, other=True)
