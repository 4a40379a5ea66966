"""The sums themselves, exactly. What is returned here is confidential until noise is added."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.key_counting import (
    KeyTargetCounts,
    count_keys_and_target,
    index_keys,
)
from sdcmetrics.measures.neighbours import nearest
from sdcmetrics.release.coded import cells_coded, points_of, values_coded
from sdcmetrics.release.people import Codes, Records
from sdcmetrics.release.public import Public, Replica
from sdcmetrics.release.questions import (
    NEAREST,
    RECORDS,
    REPLICATED,
    TVD_PAIRS,
    Question,
    sum_of,
)

_DENSE = 1 << 20
"""Cells of a table up to which all are counted, empty ones too."""


@dataclass(frozen=True, repr=False)
class Confidential:
    """The original and the holdout of a release; no record more of a person than is declared."""

    original: Records
    holdout: Records | None

    @property
    def sets(self) -> tuple[Records, ...]:
        """The data sets that are asked."""
        return (self.original,) if self.holdout is None else (self.original, self.holdout)


def exact_sums(question: Question, public: Public, people: Confidential) -> tuple[int, ...]:
    """Return the answer to a question without noise: the original's cells, then the holdout's.

    Sums that are no whole number are rounded to one, halves up: what moves by at most 1 still does.
    """
    sets = people.sets[: question.sets]
    if question.measure == RECORDS:
        return tuple(data.n for data in sets)
    replica = next((r for r in public.replicas if r.name == question.replica), None)
    if question.measure == REPLICATED:
        assert replica is not None and people.holdout is not None  # noqa: S101, PT018  (by the list of questions)
        return _replicated(question, public, people.original, people.holdout, replica)
    if question.measure == NEAREST:
        assert replica is not None  # noqa: S101  (as above)
        return tuple(
            count for data in sets for count in _by_distance(question, public, data, replica)
        )
    return tuple(_rounded(_sum(question, public, data, replica)) for data in sets)


def _rounded(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def _sum(question: Question, public: Public, people: Records, replica: Replica | None) -> Fraction:
    """Return the sum of a declared measure, on average over the syntheses of the replica."""
    if question.measure in ("TVD", TVD_PAIRS):
        assert replica is not None  # noqa: S101  (as above)
        return _to_move(question, public, people, replica)
    function = sum_of(question.measure).function
    syntheses = [people] if replica is None else replica.syntheses
    sums = [
        Fraction(function(_counts(question, public, people, synthesis, replica)))
        for synthesis in syntheses
    ]
    return sum(sums, Fraction(0)) / len(sums)


def _counts(
    question: Question,
    public: Public,
    people: Records,
    synthesis: Records,
    replica: Replica | None,
) -> KeyTargetCounts:
    place = question.place
    options = public.options
    target = place.target or place.keys[0]  # a measure of keys alone looks at none
    groups = {
        **{name: options.ngroups_targets.get(name, 0) for name in (target,)},
        **{name: options.ngroups_keys.get(name, 0) for name in place.keys},
    }
    names = tuple(dict.fromkeys((*place.keys, target)))
    coded = values_coded([people, synthesis], replica, names, groups, public)
    return count_keys_and_target(coded, index_keys(coded, place.keys), target)[0]


def _replicated(
    question: Question, public: Public, original: Records, holdout: Records, replica: Replica
) -> tuple[int, ...]:
    """Count people of both who are alone with their keys among both, and whose keys a replica has.

    One person more turns one who was alone into one who is not, or is alone: of the two counts
    together one changes, by 1.
    """
    keys = question.place.keys
    groups = {name: public.options.ngroups_keys.get(name, 0) for name in keys}
    data = [original, holdout, *replica.syntheses]
    coded = values_coded(data, replica, keys, groups, public)
    index = index_keys(coded, keys)
    counts = [np.bincount(part, minlength=index.size) for part in index.parts]
    alone = counts[0] + counts[1] == 1
    there = sum(counts[2:]) > 0
    return tuple(int(counts[i][alone & there].sum()) for i in (0, 1))


def _by_distance(
    question: Question, public: Public, people: Records, replica: Replica
) -> tuple[int, ...]:
    """Count people by the number of columns in which their nearest replica record differs."""
    if not people.n:
        return (0,) * question.cells
    names = public.variables(replica)
    queries = points_of([people], replica, names)
    references = points_of(replica.syntheses, replica, names)
    apart = nearest(queries, references, indices=False).distances[:, 0]
    cell = np.searchsorted(np.array(question.edges), apart, side="left")
    return tuple(np.bincount(cell, minlength=question.cells).tolist())


def _to_move(question: Question, public: Public, people: Records, replica: Replica) -> Fraction:
    """Return n TVD of one variable, or of all pairs on average."""
    names = question.place.variables
    data = [people, *replica.syntheses]
    coded = [cells_coded(data, replica, name, public) for name in names]
    wanted = (
        list(itertools.combinations(coded, 2))
        if question.measure == TVD_PAIRS
        else [(column,) for column in coded]
    )
    function = sum_of("TVD").function
    total = Fraction(0)
    for i in range(1, len(data)):
        tables = [_table(columns, (0, i)) for columns in wanted]
        sides = [np.concatenate(side) for side in zip(*tables, strict=True)]
        starts = np.cumsum([0, *(len(table[0]) for table in tables[:-1])])
        total += function(TablePairs(sides[0], sides[1], starts, (0,) * len(tables)))
    return total / len(replica.syntheses)


def _table(
    columns: Sequence[tuple[list[Codes], int]], parts: tuple[int, int]
) -> tuple[Codes, Codes]:
    """Count two data sets over the same cells of one or several columns."""
    first, second = (
        np.ravel_multi_index(
            tuple(codes[part] for codes, _ in columns), tuple(size for _, size in columns)
        )
        for part in parts
    )
    size = math.prod(size for _, size in columns)
    if size > _DENSE:
        cells, number = np.unique(np.concatenate([first, second]), return_inverse=True)
        first, second, size = number[: len(first)], number[len(first) :], len(cells)
    return np.bincount(first, minlength=size), np.bincount(second, minlength=size)
