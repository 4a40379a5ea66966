"""The sums themselves, exactly. What is returned here is confidential until noise is added."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sdcmetrics.measures.crosstables.counting import TablePairs, over_same_cells
from sdcmetrics.measures.crosstables.key_counting import (
    KeyTargetCounts,
    count_keys_and_target,
    index_keys,
)
from sdcmetrics.measures.crosstables.scanning import scan, scan_codes
from sdcmetrics.microdata.coding import Coded
from sdcmetrics.release.coded import cells_coded, values_coded
from sdcmetrics.release.near import Drawing, Drawn, cells_of_drawn, distances_of, drawn_of
from sdcmetrics.release.people import Records, held_alike
from sdcmetrics.release.public import Public, Replica
from sdcmetrics.release.questions import (
    ALIKE,
    NEAREST,
    RECORDS,
    REPLICATED,
    TVD_PAIRS,
    Question,
    sum_of,
)


@dataclass(frozen=True, repr=False)
class Confidential:
    """The original and the holdout of a release; no record more of a person than is declared.

    Attributes
    ----------
    original, holdout : Records
    drawn : who was drawn of each, by replica and key; filled while questions are answered
    """

    original: Records
    holdout: Records | None
    drawn: dict[tuple[str, bytes], tuple[Drawn, ...]] = field(default_factory=dict)

    @property
    def sets(self) -> tuple[Records, ...]:
        """The data sets that are asked."""
        return (self.original,) if self.holdout is None else (self.original, self.holdout)


def exact_sums(
    question: Question, public: Public, people: Confidential, key: bytes = b""
) -> tuple[int, ...]:
    """Return the answer to a question without noise: the original's cells, then the holdout's.

    Sums that are no whole number are rounded to one, halves up: what moves by at most 1 still does.
    People are drawn, where a question is of one in so many, as the key decides.
    """
    sets = people.sets[: question.sets]
    if question.measure == RECORDS:
        return tuple(data.n for data in sets)
    replica = next((r for r in public.replicas if r.name == question.replica), None)
    if question.measure == REPLICATED:
        assert replica is not None and people.holdout is not None  # noqa: S101, PT018  (by the list of questions)
        return _replicated(question, public, people.original, people.holdout, replica)
    if question.measure in (NEAREST, ALIKE):
        assert replica is not None  # noqa: S101  (as above)
        if drawn_of(replica) > 1:
            return _of_drawn(question, public, people, replica, key)
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
    coded = values_coded(held_alike([people, synthesis]), replica, names, groups, public)
    if coded.large and not place.target:
        return _count_keys(coded, place.keys)
    return count_keys_and_target(coded, index_keys(coded, place.keys), target)[0]


def _count_keys(coded: Coded, keys: tuple[str, ...]) -> KeyTargetCounts:
    """Count key combinations of large data sets, all people having one target."""
    _, (original, synthetic) = over_same_cells([scan(coded, [keys], i)[0] for i in (0, 1)])
    size = len(original)
    return KeyTargetCounts(
        original=original,
        synthetic=synthetic,
        key=np.arange(size),
        target=np.zeros(size, dtype=np.int64),
        n_keys=size,
        n_targets=1,
        n_original=coded.sizes[0],
        n_synthetic=coded.sizes[1],
    )


def _replicated(
    question: Question, public: Public, original: Records, holdout: Records, replica: Replica
) -> tuple[int, ...]:
    """Count people of both who are alone with their keys among both, and whose keys a replica has.

    One person more turns one who was alone into one who is not, or is alone: of the two counts
    together one changes, by 1.
    """
    keys = question.place.keys
    groups = {name: public.options.ngroups_keys.get(name, 0) for name in keys}
    data = held_alike([original, holdout, *replica.syntheses])
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
    counts = np.zeros(question.cells, dtype=np.int64)
    for apart in distances_of(people, replica, public.variables(replica)):
        cell = np.searchsorted(np.array(question.edges), apart, side="left")
        counts += np.bincount(cell, minlength=question.cells)
    return tuple(counts.tolist())


def _of_drawn(
    question: Question, public: Public, people: Confidential, replica: Replica, key: bytes
) -> tuple[int, ...]:
    """Count people whom a record of a large replica is alike, or those drawn by their distance."""
    names = public.variables(replica)
    place = replica.name, key
    if place not in people.drawn:
        drawing = Drawing(replica, names, key)
        people.drawn[place] = tuple(drawing.drawn(data) for data in people.sets)
    sets = people.drawn[place][: question.sets]
    if question.measure == ALIKE:
        return tuple(drawn.alike for drawn in sets)
    cells = (cells_of_drawn(drawn, replica, names, question.edges) for drawn in sets)
    return tuple(np.concatenate(list(cells)).tolist())


def _to_move(question: Question, public: Public, people: Records, replica: Replica) -> Fraction:
    """Return n TVD of one variable, or of all pairs on average."""
    names = question.place.variables
    data = held_alike([people, *replica.syntheses])
    coded = cells_coded(data, replica, names, public)
    pairs = question.measure == TVD_PAIRS
    tables = list(itertools.combinations(names, 2)) if pairs else [(name,) for name in names]
    count = scan if coded.large else scan_codes
    cells = [count(coded, tables, part) for part in range(len(data))]
    function = sum_of("TVD").function
    total = Fraction(0)
    for other in cells[1:]:
        counts = [over_same_cells(sides)[1] for sides in zip(cells[0], other, strict=True)]
        sides = np.concatenate(counts, axis=1)
        starts = np.cumsum([0, *(table.shape[1] for table in counts[:-1])])
        total += function(TablePairs(sides[0], sides[1], starts, (0,) * len(counts)))
    return total / len(replica.syntheses)
