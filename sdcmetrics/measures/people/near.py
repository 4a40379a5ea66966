"""Near records: tests of labels (LN) and of pairs across files (TN), over all configurations.

Twins are mutual nearest records of original, holdout and replica: disjoint pairs, of which at most
1/(2 (1 + h/n)) join the original and the replica if the synthesis does not know who was in the
original. Marked people are those who have a record of the replica closer than any other person:
if the synthesis does not know the labels, these are a random part of the pool.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.people.clusters import Labels
from sdcmetrics.measures.people.columns import Files
from sdcmetrics.measures.people.search import (
    NOBODY,
    Among,
    Nearest,
    Searchable,
    among,
    cells,
    nearest,
    steps_of_pair,
)
from sdcmetrics.measures.people.tails import (
    binomial_tails,
    binomials,
    hypergeometric_tails,
    smallest_hypergeometric,
)
from sdcmetrics.microdata.arrays import Array, Bools, Floats, Ints, Ints32

TIGHT = (1e-9, 0.05, 0.15, 0.4, 0.8)
"""Own distance to the distance of others: from equal to hardly closer."""

DRAWS = 3_999
"""Of labels, where the number of sets does not decide; more where a level asks for more."""

_FEWEST = 3  # pairs, or people, of a set
_RARE = 0.9  # quantile of the distance to others from which a record is rare
_AT_ONCE = 2_000_000  # labels drawn at a time
_PER_LEVEL = 20  # draws times level
_MOST_STEPS = 250_000_000  # drawn flags, above which the number of sets decides alone


@dataclass(frozen=True, repr=False)
class Arranged:
    """Records in random order: people first, then the replica's, ready to be searched.

    Attributes
    ----------
    ranks : int array of shape (columns, records)
    order : int array
        Which record of all files each one is.
    n, h : int
    unit : int
    """

    ranks: Ints32
    order: Ints
    n: int
    h: int
    unit: int

    @property
    def pool(self) -> int:
        """People."""
        return self.n + self.h

    @property
    def size(self) -> int:
        """Records in all."""
        return int(self.ranks.shape[1])

    @property
    def steps(self) -> int:
        """What a search takes."""
        return self.size * self.size * steps_of_pair(len(self.ranks))

    @property
    def people(self) -> Ints:
        """Which person of original and holdout each of the first records is."""
        return self.order[: self.pool]

    @property
    def is_original(self) -> Bools:
        """Who of the people is of the original."""
        return self.people < self.n

    def nearest(self, rng: np.random.Generator, people: Among | None = None) -> Nearest:
        """Search all records, those of the people only once where that was done."""
        return nearest(self.ranks, self.pool, self.unit, rng, people)

    def cells(self, radii: Sequence[float]) -> Ints:
        """Count cells of the replica's records."""
        return cells(self.ranks, self.is_original, self.unit, radii)

    def among(self) -> Among | None:
        """Return who is near to whom among the people; None where there is one."""
        return among(self.ranks, self.pool, self.unit) if self.pool > 1 else None

    def shuffled(self, rng: np.random.Generator) -> Arranged:
        """Return the same with each column of the replica permuted on its own."""
        ranks = self.ranks.copy()
        for column in ranks:
            rng.shuffle(column[self.pool :])
        return replace(self, ranks=ranks)


def arranged(files: Files, rng: np.random.Generator) -> Arranged:
    """Put records in random order."""
    people, copies = rng.permutation(files.pool), files.pool + rng.permutation(files.m)
    order = np.concatenate([people, copies]).astype(np.int64)
    return Arranged(files.ranks[:, order], order, files.n, files.h, files.unit)


@dataclass(frozen=True)
class Near:
    """Results of the tests of near records.

    Attributes
    ----------
    p_twins, p_label : float
        Of TN and LN, over all sets at once; 1 where they were not asked for.
    smallest_twins, smallest_label : float
        The smallest p of any set.
    joined, contradicts, pairs : int
        Of the set with the smallest p of TN: pairs that join a replica record to the original,
        to the holdout, and all.
    marked_original, marked_holdout : int
        People of each in the set with the smallest p of LN.
    share : float
        Replica records whose nearest person, by all columns, is of the original.
    p_avoided : float
        That so few of the marked people of any set are of the original; 1 where it was not asked.
    avoided : tuple of int
        People of the original and of the holdout in the set where that is smallest.
    """

    p_twins: float = 1.0
    p_label: float = 1.0
    smallest_twins: float = 1.0
    smallest_label: float = 1.0
    joined: int = 0
    contradicts: int = 0
    pairs: int = 0
    marked_original: int = 0
    marked_holdout: int = 0
    share: float = 0.0
    p_avoided: float = 1.0
    avoided: tuple[int, int] = (0, 0)


def largest_share(n: int, h: int) -> float:
    """Return the largest share of pairs that join original and replica by chance."""
    return n / (2 * (n + h))


def near_records(
    files: Searchable,
    rng: np.random.Generator,
    *,
    levels: tuple[float, float] | None = None,
    skip_equal: bool = False,
    labels: Labels | None = None,
    tests: Collection[str] = ("TN", "LN"),
    people: Among | None = None,
) -> Near:
    """Test near records.

    Parameters
    ----------
    files : Searchable
    rng : numpy Generator
    levels : pair of float, optional
        Of TN and LN. Without them only the smallest p of any set is computed, for controls.
    skip_equal : bool
        Leaves out pairs at distance 0.
    labels : Labels, optional
        People who are of the original, or not, together.
    tests : collection of "TN" and "LN"
        Those that are asked for.
    people : Among, optional
        Who is near to whom among the people, where that is known.
    """
    if not files.steps:
        return Near()
    near = files.nearest(rng, people)
    duplicates = _duplicates(near, skip_equal=skip_equal) if "TN" in tests else None
    sets = _label_sets(near) if files.h and "LN" in tests else []
    of_original = files.is_original
    closest = near.person[0]
    out = Near(share=float(of_original[closest[closest != NOBODY]].mean()))
    if duplicates is not None and duplicates.sets:
        out = _test_duplicates(out, duplicates, files, rng, None if levels is None else levels[0])
    if sets:
        out = _test_label_sets(
            out, sets, of_original, rng, None if levels is None else levels[1], labels
        )
    return out


@dataclass(frozen=True, repr=False)
class _Duplicates:
    """Mutual nearest pairs, and sets of them (each in one configuration)."""

    first: Ints
    second: Ints
    sets: list[Ints]


def _duplicates(near: Nearest, *, skip_equal: bool) -> _Duplicates:
    first, second, sets, start = [], [], [], 0
    for at, d1, d2 in zip(near.first, near.distance, near.second, strict=True):
        here = np.arange(len(at))
        i = np.flatnonzero((at[at] == here) & (here < at))
        if skip_equal:
            i = i[d1[i] > 0]
        if not len(i):
            continue
        j = at[i]
        others = np.minimum(d2[i], d2[j])
        tightness = np.where(others > 0, d1[i] / np.maximum(others, 1), 1.0)
        sets += [start + some for some in _sets(tightness, others)]
        first.append(i)
        second.append(j)
        start += len(i)
    if not first:
        return _Duplicates(np.zeros(0, np.int64), np.zeros(0, np.int64), [])
    return _Duplicates(np.concatenate(first), np.concatenate(second).astype(np.int64), sets)


def _label_sets(near: Nearest) -> list[Ints]:
    out = []
    for own, copy, person in zip(near.own, near.replica, near.person, strict=True):
        closeness = np.where(own > 0, copy / np.maximum(own, 1), np.inf)
        out += _sets(closeness, own)
        out.append(np.unique(person[person != NOBODY]).astype(np.int64))
    return out


def _sets(closeness: Floats, others: Ints32) -> list[Ints]:
    """Return who is as close as each limit, of all and of the tenth farthest from others."""
    out: list[Ints] = []
    loosest = np.flatnonzero(closeness <= TIGHT[-1])
    for rows in (loosest, loosest[others[loosest] >= _quantile(others, _RARE)]):
        close = closeness[rows]
        sets = (rows[close <= limit] for limit in TIGHT)
        out += [some for some in sets if len(some) >= _FEWEST]
    return out


def _quantile(values: Ints32, share: float) -> float:
    """Return what `np.quantile` does, without its checks, which take ten times as long."""
    place = (len(values) - 1) * share
    low = int(place)
    high = min(low + 1, len(values) - 1)
    below, above = np.partition(values, (low, high))[[low, high]].astype(np.float64)
    part = place - low
    apart = above - below
    return float(below + apart * part if part < 0.5 else above - apart * (1 - part))  # noqa: PLR2004


def _test_duplicates(
    out: Near,
    duplicates: _Duplicates,
    files: Searchable,
    rng: np.random.Generator,
    level: float | None,
) -> Near:
    label = np.full(files.size, 2, np.int8)
    label[: files.pool] = ~files.is_original
    a, b = label[duplicates.first], label[duplicates.second]
    ours, theirs = (a + b == 2) & (a != b), (a + b == 3) & (a != b)  # noqa: PLR2004  (0+2, 1+2)
    sizes = np.array([len(rows) for rows in duplicates.sets])
    starts = np.cumsum(sizes) - sizes
    joined = np.add.reduceat(ours[np.concatenate(duplicates.sets)].astype(np.int64), starts)
    chance = largest_share(files.n, files.h)
    p = binomials(joined, sizes, chance)
    best = int(p.argmin())
    smallest = float(p[best])
    out = replace(
        out,
        smallest_twins=smallest,
        joined=int(joined[best]),
        contradicts=int(theirs[duplicates.sets[best]].sum()),
        pairs=int(sizes[best]),
    )
    if level is None:
        return out
    bound = min(1.0, smallest * len(sizes))
    if smallest <= level < bound:
        tails = [binomial_tails(size, chance) for size in sizes]
        draws = _drawn_duplicates(duplicates, files, rng, _wanted(level))
        bound = _drawn_p(smallest, draws, duplicates.sets, tails, level)
    return replace(out, p_twins=bound)


def _drawn_duplicates(
    duplicates: _Duplicates, files: Searchable, rng: np.random.Generator, wanted: int
) -> Iterator[Array]:
    """Yield which pairs join original and replica where labels are drawn at the worst case.

    No more rows of a draw are looked at than are wanted in all.
    """
    records, place = np.unique(
        np.concatenate([duplicates.first, duplicates.second]), return_inverse=True
    )
    i, j = place[: len(duplicates.first)], place[len(duplicates.first) :]
    original = np.float32(largest_share(files.n, files.h))
    while True:
        rows = max(1, _AT_ONCE // len(records))
        x = rng.random((rows, len(records)), dtype=np.float32)[:wanted]
        file = (x < original) + np.uint8(2) * (x >= np.float32(0.5))  # 1: original, 2: replica
        yield file[:, i] + file[:, j] == 3  # noqa: PLR2004  (one of each)


def _test_label_sets(
    out: Near,
    sets: list[Ints],
    of_original: Bools,
    rng: np.random.Generator,
    level: float | None,
    labels: Labels | None,
) -> Near:
    pool, n = len(of_original), int(of_original.sum())
    drawn = np.array([len(rows) for rows in sets])
    hits = np.add.reduceat(
        of_original[np.concatenate(sets)].astype(np.int64), np.cumsum(drawn) - drawn
    )
    best, smallest = smallest_hypergeometric(hits, drawn, n, pool)
    out = replace(
        out,
        smallest_label=smallest,
        marked_original=int(hits[best]),
        marked_holdout=int(drawn[best] - hits[best]),
    )
    if level is None:
        return out
    if labels is None:
        of_holdout = drawn - hits
        fewest, p = smallest_hypergeometric(of_holdout, drawn, pool - n, pool)
        avoided = int(hits[fewest]), int(of_holdout[fewest])
        out = replace(out, p_avoided=min(1.0, p * len(sets)), avoided=avoided)
    bound = min(1.0, smallest * len(sets))
    if smallest <= level and (level < bound or labels is not None):
        tails = [hypergeometric_tails(len(rows), n, pool) for rows in sets]
        draws = (Labels.alone(pool, n) if labels is None else labels).drawn(rng)
        bound = _drawn_p(smallest, draws, sets, tails, level)
    return replace(out, p_label=bound)


def _wanted(level: float) -> int:
    return max(DRAWS, int(np.ceil(_PER_LEVEL / level)))


def _drawn_p(
    smallest: float, draws: Iterator[Array], sets: list[Ints], tails: list[Floats], level: float
) -> float:
    """Return p of the smallest p of all sets, by draws; they stop where it must exceed the level.

    Draws are rows of flags; of each set, the flags among its places are counted.
    """
    wanted = _wanted(level)
    start = np.cumsum([0, *(len(tail) for tail in tails[:-1])])
    flat = np.concatenate(tails)
    limit = smallest * (1 + 1e-9)
    as_small, count = 0, 0
    member: npt.NDArray[np.float32] | None = None
    for draw in draws:
        rows = draw[: wanted - count]
        if member is None:
            if wanted * draw.shape[1] > _MOST_STEPS:
                return min(1.0, smallest * len(sets))
            member = np.zeros((rows.shape[1], len(sets)), np.float32)
            for j, places in enumerate(sets):
                member[places, j] = 1
        hits = np.rint(rows.astype(np.float32) @ member).astype(np.int64)
        as_small += int((flat[hits + start].min(1) <= limit).sum())
        count += len(rows)
        if count >= wanted or 1 + as_small > level * (wanted + 1):
            break
    return (1 + as_small) / (count + 1)
