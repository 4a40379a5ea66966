"""Rows that belong together: whole clusters are left out, and whole clusters are exchanged.

People who live together are alike. Leaving a person out leaves the family in, which tells more of
the person than other people would, and exchanging single labels tears families apart. Only what
DiSCO asks has a meaning here: who is alone with the keys is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.compiled import compiled
from sdcmetrics.measures.excess import kernels
from sdcmetrics.measures.excess.cells import Cells, target_cells
from sdcmetrics.measures.excess.exchange import Family, Stopping, largest_p
from sdcmetrics.measures.excess.left_out import drawn_labels
from sdcmetrics.measures.excess.questions import Asked, Pool

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Labels = npt.NDArray[np.uint8]

_MOST_LABELS = 20_000_000
"""Labels that are drawn at a time, one byte each."""


def clusters_of(*files: npt.NDArray[np.generic]) -> Longs:
    """Number the clusters of files from 0, those of the second after those of the first.

    A record without one is a cluster of its own.
    """
    numbers, free = [], 0
    for values in files:
        number = np.unique(values, return_inverse=True)[1].ravel().astype(np.int64)
        missing = np.isnan(values) if values.dtype.kind == "f" else values == -1
        at = np.flatnonzero(missing)
        number[at] = int(number.max(initial=-1)) + 1 + np.arange(len(at))
        number = np.unique(number, return_inverse=True)[1].ravel() + free
        free = int(number.max(initial=free - 1)) + 1
        numbers.append(number)
    return np.concatenate(numbers)


def of_clusters(
    marks: Bools, clusters: Longs, n: int, matters_from: float, seed: int, when: Stopping
) -> tuple[Floats, Floats]:
    """Return the excess in points, and p where whole clusters of the pool are exchanged.

    Parameters
    ----------
    marks : bool array of shape (questions, n + h)
        Of whom the replica discloses the answer.
    clusters : int array of shape (n + h,)
        From 0; no cluster is on both sides.
    matters_from : float
        Points below which a question is not decided by its p.
    """
    rng = np.random.default_rng(seed)
    number = int(clusters.max()) + 1
    first = int(clusters[:n].max()) + 1
    sums = np.array([np.bincount(clusters, weights=row, minlength=number) for row in marks])
    sizes = np.bincount(clusters, minlength=number).astype(np.float64)

    def statistics(labels: Labels) -> Floats:
        chosen = labels.T.astype(np.float64)
        inside, records = chosen @ sums.T, chosen @ sizes
        outside, others = sums.sum(axis=1) - inside, sizes.sum() - records
        out: Floats = 100 * (inside / records[:, None] - outside / others[:, None])
        return out

    def draw(draws: int) -> Floats:
        step = max(1, _MOST_LABELS // (8 * number))
        parts = [min(step, draws - at) for at in range(0, draws, step)]
        return np.vstack([statistics(drawn_labels(first, number, b, rng)) for b in parts])

    excess = statistics(_as_they_are(first, number))[0]
    return excess, largest_p(excess, draw, excess >= matters_from, when)


class ClustersLeftOut:
    """Values of DiSCO less their baseline, with each person's whole cluster left out.

    Parameters
    ----------
    pool : Pool
        Original, then replica.
    clusters : int array of shape (n + m,)
    asked : sequence of Asked
    encoding : str
    labels : uint8 array of shape (draws, clusters)
        Of which the first are those of the files: k suits all of them, so that it knows no label.
    """

    def __init__(
        self, pool: Pool, clusters: Longs, asked: Sequence[Asked], encoding: str, labels: Labels
    ) -> None:
        sizes = np.bincount(clusters).astype(np.int64)
        self.cluster_sizes, self.left = sizes, np.unique(sizes)
        n = labels.astype(np.int64) @ sizes
        self.sizes = np.column_stack([n, pool.size - n])
        self.labels, self.clusters, self.asked = labels, clusters, asked
        self.k = int(min(self.sizes[:, 1].min(), n.min() - sizes.max()))
        self._parts = [self._parts_of(pool, one, encoding) for one in asked] if self.k > 0 else []

    def values(self, first: int, last: int) -> tuple[Floats, Floats]:
        """Return value and baseline in percent of some of the labellings."""
        labels = np.ascontiguousarray(self.labels[first:last][:, self.clusters])
        sizes = np.ascontiguousarray(self.sizes[first:last])
        out = np.zeros((2, last - first, len(self.asked)))
        for j, (cells, parts) in enumerate(self._parts):
            each = np.zeros((last - first, 2))
            widest = int(np.diff(cells.key_starts).max(initial=0)) + 1
            compiled(kernels.clusters_out, kernels.CLUSTERS_OUT)(
                labels,
                cells.records,
                cells.key_starts,
                cells.cells_of_key,
                cells.cell_starts,
                cells.cell_sizes,
                parts,
                sizes,
                self.left,
                self.k,
                np.empty((len(self.left) + 1, widest)),
                each,
            )
            out[:, :, j] = 100 * each.T / sizes[:, 0]
        return out[0], out[1]

    def _parts_of(self, pool: Pool, asked: Asked, encoding: str) -> tuple[Cells, Longs]:
        """Return the cells, and of each the parts that one cluster has in it, a row per part."""
        keys = pool.combinations(asked.keys, encoding)
        cells = target_cells(keys, pool.codes(asked.target, encoding), self.k, self.clusters)
        before = np.cumsum(cells.cell_sizes) - cells.cell_sizes
        cell = np.repeat(np.arange(len(before)), cells.cell_sizes)
        place = cells.cell_starts[cell] + np.arange(len(cell)) - before[cell]
        number = self.clusters[cells.records[place]]
        new = np.ones(len(place), dtype=np.bool_)
        new[1:] = (number[1:] != number[:-1]) | (cell[1:] != cell[:-1])
        starts = np.flatnonzero(new)
        both = keys[0] * len(self.cluster_sizes) + self.clusters
        values, counts = np.unique(both, return_counts=True)
        of_key = counts[np.searchsorted(values, both[cells.records[place[starts]]])]
        size = self.cluster_sizes[number[starts]]
        lengths = np.diff(np.append(starts, len(place)))
        parts = [place[starts], lengths, of_key, np.searchsorted(self.left, size)]
        return cells, np.column_stack(parts).astype(np.int64).reshape(-1, len(parts))


def clusters_left_out(
    pool: Pool,
    clusters: Longs,
    asked: Sequence[Asked],
    encoding: str,
    *,
    matters: Callable[[Family], Bools] | None,
    points: float,
    seed: int,
    when: Stopping,
) -> Family:
    """Return value, baseline and p where whole clusters are left out and exchanged."""
    rng = np.random.default_rng(seed)
    number, first = int(clusters.max()) + 1, int(clusters[: pool.sizes[0]].max()) + 1
    drawn = drawn_labels(first, number, when.draws, rng)
    labels = np.ascontiguousarray(np.hstack([_as_they_are(first, number), drawn]).T)
    left_out = ClustersLeftOut(pool, clusters, asked, encoding, labels)
    value, base = (side[0] for side in left_out.values(0, 1))
    step, done = max(1, _MOST_LABELS // pool.size), 1

    def draw(draws: int) -> Floats:
        nonlocal done
        parts = []
        for at in range(done, done + draws, step):
            values, others = left_out.values(at, min(at + step, done + draws))
            parts.append(values - others)
        done += draws
        return np.vstack(parts)

    family = Family(value, base, np.ones(len(asked)))
    wanted = family.excess >= points if matters is None else matters(family)
    return replace(family, p=largest_p(family.excess, draw, wanted, when))


def _as_they_are(first: int, number: int) -> Labels:
    return (np.arange(number) < first).astype(np.uint8)[:, None]
