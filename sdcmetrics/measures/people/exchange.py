"""Whether the holdout is a random part of original and holdout together.

One permutation test of the labels: the largest of many statistics, each standardised by its own
permutations. Large files draw the counts of cells from the normal law that these have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcmetrics.measures.people.columns import Files, PooledColumn, codes_of, is_number
from sdcmetrics.measures.people.equal import Keys, column_keys, sum_keys
from sdcmetrics.measures.people.search import crowd
from sdcmetrics.microdata.arrays import Array, Floats, Ints

LEVEL = 0.01
DRAWS = 999

_GROUPS = 10
_RARE = 5  # a level of fewer records is rare
_NEAREST = 5
_PERMUTED = 10_000  # people up to whom labels are permuted one by one
_NEAR = 4_500  # people whose neighbours are looked at
_MOST = 200_000  # people whose values are looked at
_CORRELATED = 5_000  # people from whom the correlation of cells is taken
_OFTEN = 20  # of them in a cell, for it to be told
_REPEATED = 10
"""Equal pairs in two files per pair in one, above which neither file has a combination twice."""
_LISTED = 5
"""Pairs that are equal but for a column, per equal pair, from which on that is a list's doing: of
lists 18 and more, of 400 to 800 people of whom a fifth and more are in both 2 at most."""
_DECIMALS = 6
_LARGEST_EXACT = 9e12  # of which six decimals fit into a whole number


@dataclass(frozen=True)
class Exchange:
    """Whether labels of original and holdout can be exchanged.

    Attributes
    ----------
    p : float
    most : str
        What differs most: a column, perhaps its way of writing, or the neighbourhoods.
    """

    p: float
    most: str

    @property
    def differs(self) -> bool:
        """Whether the holdout cannot stand for people who were left out."""
        return self.p <= LEVEL


def exchange(files: Files, seed: int) -> Exchange:
    """Test whether the holdout is a random part of original and holdout."""
    rng = np.random.default_rng([seed, 0xE8C4])
    pool = np.arange(files.pool)
    if len(pool) > _MOST:
        pool = np.sort(rng.choice(len(pool), _MOST, replace=False))
    people = _people(files, pool)
    label = np.arange(people.n + people.h) < people.n
    cells = list(_cells(people))
    if len(label) <= _PERMUTED:
        flags = np.empty((1 + DRAWS, len(label)), np.bool_)
        flags[0] = label
        flags[1:] = rng.permuted(np.tile(label, (DRAWS, 1)), axis=1)
        names, statistics = _permuted(cells, flags, people.n)
    else:
        names, statistics = _normal(cells, label, rng)
    some = np.arange(len(label))
    if len(some) > _NEAR:
        some = np.sort(rng.choice(len(some), _NEAR, replace=False))
    if len(label) <= _PERMUTED:
        flags = flags[:, some]
    else:
        flags = np.vstack([label[some], rng.permuted(np.tile(label[some], (DRAWS, 1)), axis=1)])
    near = _near(people.at(some), flags, rng)
    names += ["how close people are to each other"] * len(near)
    both = _in_both(people.at(some), flags, rng) if near else []
    names += ["records that are in both"] * len(both)
    if not names:  # so few people that nothing is said often enough to be compared
        return Exchange(1.0, "")
    values = np.vstack([*statistics, *near, *both])
    spread = values.std(1, keepdims=True)
    z = (values - values.mean(1, keepdims=True)) / (spread + 1e-9)
    largest = z.max(0)
    return Exchange(float((largest >= largest[0] - 1e-9).mean()), names[int(z[:, 0].argmax())])


def _people(files: Files, rows: Ints) -> Files:
    """Return people only, numbers being what has many values among them."""
    people = files.at(rows)
    parts = tuple(
        PooledColumn(part.name, part.values, is_number(part.values)) for part in people.parts
    )
    return Files(parts, people.n, people.h, 0)


def _cells(people: Files) -> Any:
    """Yield tables to count: a name, and the cell of each person."""
    for part in people.parts:
        if part.number:
            yield part.name, _quantiles(part.values)
            yield f"{part.name}: decimals and trailing zeros", writing(part.values)
        else:
            codes = codes_of(part.values)
            yield part.name, np.where(np.bincount(codes)[codes] >= _RARE, codes, -1)


def _quantiles(values: Floats) -> Ints:
    """Return ten groups with equally many values, missing apart."""
    there = ~np.isnan(values)
    _, place, counts = np.unique(values[there], return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    out = np.full(len(values), -1, np.int64)
    out[there] = np.ceil(middle[place] / there.sum() * _GROUPS).astype(np.int64)
    return out


def writing(values: Floats) -> Ints:
    """Return how numbers are written: decimals below zero, trailing zeros from zero on.

    Examples
    --------
    >>> writing(np.array([1.25, 7.0, 1200.0, 0.0, np.nan])).tolist()
    [-2, 0, 2, 90, -99]
    """
    whole = np.abs(np.nan_to_num(values))
    exact = whole < _LARGEST_EXACT
    micro = np.where(exact, np.rint(np.where(exact, whole, 0) * 10.0**_DECIMALS), 0)
    digits = micro.astype(np.int64)
    large = np.where(exact, 0, np.minimum(whole, 9e18)).astype(np.int64)
    zeros = _trailing(digits) - _DECIMALS
    zeros[~exact] = _trailing(large[~exact])
    zeros[digits + large == 0] = 90
    zeros[np.isnan(values)] = -99
    return zeros


def _trailing(digits: Ints) -> Ints:
    """Return how many zeros whole numbers end with; some number for 0."""
    out = np.zeros(len(digits), np.int64)
    left, rows = digits, np.flatnonzero(digits)
    left = digits[rows]
    while len(rows):
        more = left % 10 == 0
        rows, left = rows[more], left[more] // 10
        out[rows] += 1
    return out


def _permuted(
    cells: list[tuple[str, Ints]], flags: Array, n: int
) -> tuple[list[str], list[Floats]]:
    """Return chi-squares for each row of labels."""
    names, out = [], []
    labels = flags.astype(np.float32)
    for name, cell in cells:
        codes = np.unique(cell, return_inverse=True)[1]
        counts = np.bincount(codes)
        if len(counts) < 2:  # noqa: PLR2004  (one cell says nothing)
            continue
        member = np.zeros((len(codes), len(counts)), np.float32)
        member[np.arange(len(codes)), codes] = 1
        expected = counts * n / len(codes)
        out.append((((labels @ member) - expected) ** 2 / expected).sum(1).astype(np.float64))
        names.append(name)
    return names, out


def _normal(
    cells: list[tuple[str, Ints]], label: Array, rng: np.random.Generator
) -> tuple[list[str], list[Floats]]:
    """Return chi-squares of the labels, and of counts drawn from their normal law.

    The correlation of cells is that of a part of the people; cells that are too rare there vary
    on their own.
    """
    n, size = int(label.sum()), len(label)
    some = rng.choice(size, min(size, _CORRELATED), replace=False)
    fewest = _RARE * size / min(n, size - n)  # so that either file has a few
    names, blocks, members = [], [], []
    for name, cell in cells:
        codes = codes_of(cell)
        codes = np.where(np.bincount(codes)[codes] < fewest, 0, codes + 1)
        place = np.cumsum(np.bincount(codes) > 0) - 1
        codes = place[codes]
        counts = np.bincount(codes)
        if len(counts) < 2:  # noqa: PLR2004  (one cell says nothing)
            continue
        share = counts / size
        spread = np.sqrt(n * (size - n) / (size - 1) * share * (1 - share))
        off = np.bincount(codes[label], minlength=len(counts)) - n * share
        blocks.append((off, n * share, spread))
        member = np.zeros((len(some), len(counts)), np.float32)
        member[np.arange(len(some)), codes[some]] = 1
        members.append(member)
        names.append(name)
    if not names:
        return [], []
    wide = np.concatenate(members, axis=1)
    often = wide.sum(0) >= _OFTEN
    common = wide[:, often]
    common -= common.mean(0)
    common /= np.maximum(common.std(0), 1e-6)
    drawn = rng.standard_normal((DRAWS, wide.shape[1]))
    random = rng.standard_normal((DRAWS, len(some)), dtype=np.float32) / np.sqrt(len(some))
    drawn[:, often] = random @ common  # has their correlation, with no factor to compute
    out, start = [], 0
    for off, expected, spread in blocks:
        block = drawn[:, start : start + len(off)] * spread
        start += len(off)
        out.append((np.vstack([off, block]) ** 2 / expected).sum(1))
    return names, out


def _near(people: Files, flags: Array, rng: np.random.Generator) -> list[Floats]:
    """Return how alike neighbours' labels are, and how lonely people of one label are."""
    size = people.n + people.h
    if size <= _NEAREST + 1:
        return []
    near, closest, everybody = crowd(people.ranks, people.unit, _NEAREST, rng)
    by_person = np.ascontiguousarray(flags.T)
    alike = sum(
        (by_person[near[:, j]] == by_person).sum(0, dtype=np.int64) for j in range(_NEAREST)
    )
    out = [np.asarray(alike, np.float64)]
    labels = flags.astype(np.float32)
    for distance in (closest, everybody):
        _, place, counts = np.unique(distance, return_inverse=True, return_counts=True)
        rank = (np.cumsum(counts) - (counts - 1) / 2)[place]
        rank = (rank - rank.mean()).astype(np.float32)
        out.append(np.abs(labels @ rank).astype(np.float64))
    return out


def _in_both(people: Files, flags: Array, rng: np.random.Generator) -> list[Floats]:
    """Return how many pairs of equal people are of both labels: more than by chance in an overlap.

    People of the original in a holdout make copies look like chance, and whoever is not in it
    look like the only people that a replica has. Lists that hold each combination once have equal
    records in two files only, and are no overlap: many of their records are equal but for a column.
    """
    columns = column_keys(people, rng)
    keys = sum_keys(columns)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=~keys[order[:1]]))
    sizes = np.diff(starts, append=len(order))
    repeated = np.repeat(sizes > 1, sizes)
    if not repeated.any():
        return []
    sizes = sizes[sizes > 1]
    first = np.cumsum(sizes) - sizes
    inside = np.add.reduceat(flags[:, order[repeated]], first, axis=1, dtype=np.int64)
    both = (inside * (sizes - inside)).sum(1)
    within = int((sizes * (sizes - 1) // 2).sum() - both[0])
    if within * _REPEATED < both[0] and _near_pairs(columns, flags[0]) >= _LISTED * both[0]:
        return []
    return [both.astype(np.float64)]


def _near_pairs(columns: Sequence[Keys], label: Array) -> int:
    """Return how many pairs of people of the same label are equal but for one column."""
    keys = sum_keys(list(columns))
    pairs = 0
    for part in (label, ~label):
        same = _pairs(keys[part])
        pairs += sum(_pairs((keys - column)[part]) - same for column in columns)
    return pairs


def _pairs(keys: Keys) -> int:
    counts = np.unique(keys, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())
