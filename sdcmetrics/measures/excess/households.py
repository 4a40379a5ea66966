"""Rows that belong together: whole clusters are left out, and whole clusters are exchanged.

People who live together are alike. Leaving a person out leaves the family in, which tells more of
the person than other people would, and exchanging single labels tears families apart. Only what
DiSCO asks has a meaning here: who is alone with the keys is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.excess import kernels
from sdcmetrics.measures.excess.cells import avoiding
from sdcmetrics.measures.excess.exchange import Family, Stopping, in_parts, largest_p
from sdcmetrics.measures.excess.left_out import drawn_labels
from sdcmetrics.measures.excess.questions import KeyQuestion, Pool
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.compiled import compiled

Labels = npt.NDArray[np.uint8]

_AT_ONCE = 128
"""Draws at a time."""


def clusters_of(*files: npt.NDArray[np.generic]) -> Ints:
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
    disclosed: Bools, clusters: Ints, n: int, matters_from: float, seed: int, when: Stopping
) -> tuple[Floats, Floats]:
    """Return the excess in points, and p where whole clusters of the pool are exchanged.

    Parameters
    ----------
    disclosed : bool array of shape (questions, n + h)
        Of whom the replica discloses the answer.
    clusters : int array of shape (n + h,)
        From 0; no cluster is on both sides.
    matters_from : float
        Points below which a question is not decided by its p.
    """
    rng = np.random.default_rng(seed)
    number = int(clusters.max()) + 1
    first = int(clusters[:n].max()) + 1
    sums = np.array([np.bincount(clusters, weights=row, minlength=number) for row in disclosed])
    sizes = np.bincount(clusters, minlength=number).astype(np.float64)

    def statistics(labels: Labels) -> Floats:
        chosen = labels.T.astype(np.float64)
        inside, records = chosen @ sums.T, chosen @ sizes
        outside, others = sums.sum(axis=1) - inside, sizes.sum() - records
        out: Floats = 100 * (inside / records[:, None] - outside / others[:, None])
        return out

    def draw(draws: int) -> Floats:
        parts = in_parts(draws, _AT_ONCE)
        return np.vstack([statistics(drawn_labels(first, number, b, rng)) for b in parts])

    excess = statistics(_as_they_are(first, number))[0]
    return excess, largest_p(excess, draw, excess >= matters_from, when)


@dataclass(frozen=True, repr=False)
class ClusterCells:
    """The cells of a question, by the clusters that are in them.

    Attributes
    ----------
    clusters : int32 array
        Clusters that have a key combination, by combination.
    key_starts, cells_of_key, cell_starts : int arrays
        Where those of a combination begin, its cells, and the parts of a cell.
    parts : int array of shape (parts, 3)
        What one cluster has of one cell: its number, its people there, and whether all its people
        with the combination are there.
    """

    clusters: npt.NDArray[np.int32]
    key_starts: Ints
    cells_of_key: Ints
    cell_starts: Ints
    parts: Ints


def cluster_cells(keys: Ints, target: tuple[Ints, int], clusters: Ints) -> ClusterCells:
    """Return the cells of keys by target; every one, as clusters of any size may agree."""
    levels, n_levels = target
    number = int(clusters.max()) + 1
    pairs, people = np.unique(keys * number + clusters, return_counts=True)
    cells, cell = np.unique(keys * n_levels + levels, return_inverse=True)
    triples, here = np.unique(cell.ravel() * number + clusters, return_counts=True)
    of_cell, of_cluster = np.divmod(triples, number)
    key_of_cell = cells // n_levels
    whole = people[np.searchsorted(pairs, key_of_cell[of_cell] * number + of_cluster)] == here
    _, starts = np.unique(pairs // number, return_index=True)
    _, first_cells = np.unique(key_of_cell, return_index=True)
    parts = np.column_stack([of_cluster, here, whole]).astype(np.int64)
    return ClusterCells(
        (pairs % number).astype(np.int32),
        np.append(starts, len(pairs)),
        np.append(first_cells, len(cells)),
        np.searchsorted(of_cell, np.arange(len(cells) + 1)).astype(np.int64),
        parts,
    )


class ClustersLeftOut:
    """Values of DiSCO less their baseline, with each person's whole cluster left out.

    A person is told from as many clusters of the replica as of the original: k of either, in
    closed form over all ways to draw them. Records drawn one by one would be of more clusters than
    as many others of the original are, and tell more or less for that alone.

    Parameters
    ----------
    pool : Pool
        Original, then replica.
    clusters : int array of shape (n + m,)
        From 0, those of the original first.
    asked : sequence of KeyQuestion
    encoding : str
    """

    def __init__(
        self, pool: Pool, clusters: Ints, questions: Sequence[KeyQuestion], encoding: str
    ) -> None:
        n = pool.sizes[0]
        self.sizes = np.bincount(clusters)
        self.number, self.original = len(self.sizes), int(clusters[:n].max()) + 1
        self.k = min(self.number - self.original, self.original - 1)
        self._cells = [
            cluster_cells(
                pool.combinations(question.keys, encoding)[0],
                pool.codes(question.target, encoding),
                clusters,
            )
            for question in questions
        ]

    def values(self, labels: Labels) -> tuple[Floats, Floats]:
        """Return value and baseline in percent, each of shape (draws, questions)."""
        draws, replica = labels.shape[1], self.number - self.original
        people = self.sizes @ labels
        other = avoiding(replica, self.k, self.number)
        own = np.append(0.0, avoiding(self.original - 1, self.k, self.number))
        out = np.zeros((2, draws, len(self._cells)))
        for j, cells in enumerate(self._cells):
            each = np.zeros((2, draws))
            compiled(kernels.clusters_out, kernels.CLUSTERS_OUT)(
                labels,
                cells.clusters,
                cells.key_starts,
                cells.cells_of_key,
                cells.cell_starts,
                cells.parts,
                other,
                own,
                np.empty((4, draws), dtype=np.int32),
                each,
            )
            out[:, :, j] = 100 * each / people
        return out[0], out[1]


def clusters_left_out(
    pool: Pool,
    clusters: Ints,
    questions: Sequence[KeyQuestion],
    encoding: str,
    *,
    matters: Callable[[Family], Bools] | None,
    points: float,
    seed: int,
    when: Stopping,
) -> Family:
    """Return value, baseline and p where whole clusters are left out and exchanged."""
    rng = np.random.default_rng(seed)
    left_out = ClustersLeftOut(pool, clusters, questions, encoding)
    number, original = left_out.number, left_out.original
    if left_out.k < 1:
        nothing = np.zeros(len(questions))
        return Family(nothing, nothing, np.ones(len(questions)))

    def draw(draws: int) -> Floats:
        parts = in_parts(draws, _AT_ONCE)
        sides = [left_out.values(drawn_labels(original, number, b, rng)) for b in parts]
        return np.vstack([value - base for value, base in sides])

    value, base = (side[0] for side in left_out.values(_as_they_are(original, number)))
    family = Family(value, base, np.ones(len(questions)))
    wanted = family.excess >= points if matters is None else matters(family)
    return replace(family, p=largest_p(family.excess, draw, wanted, when))


def _as_they_are(first: int, number: int) -> Labels:
    return (np.arange(number) < first).astype(np.uint8)[:, None]
