"""Whether the holdout is a random part of original and holdout together.

One permutation test of the labels: the largest of many statistics, each standardised by its own
permutations. Large files draw the counts of cells from the normal law that these have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcmetrics.measures.overlap import pairs_in_both
from sdcmetrics.measures.people.columns import (
    Files,
    PooledColumn,
    codes_of,
    is_number,
)
from sdcmetrics.measures.people.equal import column_keys
from sdcmetrics.measures.people.search import crowd
from sdcmetrics.microdata.arrays import Array, Floats, Ints

Memo = dict[Any, Any]

LEVEL = 0.01
DRAWS = 999

IN_BOTH = "records that are in both"
_GROUPS = 10
_RARE = 5  # a level of fewer records is rare
_NEAREST = 5
_PERMUTED = 10_000  # people up to whom labels are permuted one by one
_NEAR = 4_500  # people whose neighbours are looked at
_MOST = 200_000  # people whose values are looked at
_CORRELATED = 5_000  # people from whom the correlation of cells is taken
_OFTEN = 20  # of them in a cell, for it to be told
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


def exchange_once(files: Files, seed: int, memo: Memo | None) -> Exchange:
    """Return whether the holdout is a random part, tested once for all files of a memo."""
    people = files.at(np.arange(files.pool))
    if memo is None:
        return exchange(people, seed)
    key = ("exchange", files.names, files.n, files.h, seed)
    if key not in memo:
        memo[key] = exchange(people, seed)
    return memo[key]  # type: ignore[no-any-return]


def exchange(files: Files, seed: int) -> Exchange:
    """Test whether the holdout is a random part of original and holdout."""
    rng = np.random.default_rng([seed, 0xE8C4])
    pool = np.arange(files.pool)
    if len(pool) > _MOST:
        pool = np.sort(rng.choice(len(pool), _MOST, replace=False))
    people = _people(files, pool)
    label = np.arange(people.n + people.h) < people.n
    cells = list(_cells(people))
    labels = np.empty((1 + DRAWS, len(label)), np.bool_) if len(label) <= _PERMUTED else None
    if labels is not None:
        labels[0] = label
        labels[1:] = rng.permuted(np.tile(label, (DRAWS, 1)), axis=1)
        names, statistics = _permuted(cells, labels, people.n)
    else:
        names, statistics = _normal(cells, label, rng)

    def drawn(rows: Ints) -> Array:
        """Return the labels of some people, and these permuted."""
        if labels is not None:
            return labels[:, rows]
        return np.vstack([label[rows], rng.permuted(np.tile(label[rows], (DRAWS, 1)), axis=1)])

    some = np.arange(len(label))
    if len(some) > _NEAR:
        some = np.sort(rng.choice(len(some), _NEAR, replace=False))
    near = _near(people.at(some), drawn(some), rng)
    names += ["how close people are to each other"] * len(near)
    both = pairs_in_both(column_keys(people, rng), people.n, drawn, rng) if near else []
    names += [IN_BOTH] * len(both)
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
