"""How many references are within a distance of each query, and which records differ by one column.

Neither compares every record with every other: a tree leaves out what is far, and records that
differ in at most one column agree in all the others.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

_DECIMALS = 9
"""Of a distance: what is nearer than rounding leaves is a tie."""


class Around:
    """Euclid's distance of queries to references, in few dimensions.

    Parameters
    ----------
    queries, references : float arrays of shape (records, dimensions)

    Attributes
    ----------
    nearest : float array of shape (queries,)
        Distance to the nearest reference, rounded to 9 decimals.

    Examples
    --------
    >>> around = Around(np.array([[0.0], [2.0]]), np.array([[0.5], [1.0], [4.0]]))
    >>> around.nearest.tolist(), around.count(1.0).tolist()
    ([0.5, 1.0], [2, 1])
    """

    def __init__(
        self, queries: npt.NDArray[np.float64], references: npt.NDArray[np.float64]
    ) -> None:
        from scipy.spatial import cKDTree  # large: for a fast start, only when it is needed

        # Cells of equal width: half the time of equal numbers where records come in clusters.
        plant = partial(cKDTree, balanced_tree=False)
        # What is near stands near in memory and is asked for in turn: another third of the time.
        self._order: npt.NDArray[np.intp] = plant(queries).indices
        self._queries = queries
        self._tree: Any = plant(references[plant(references).indices])
        self.nearest = np.empty(len(queries))
        distances = self._tree.query(queries[self._order])[0]
        self.nearest[self._order] = distances.round(_DECIMALS)

    def count(self, radius: float) -> npt.NDArray[np.int64]:
        """Count for each query the references no further away than `radius`."""
        # Of the others the answer is known.
        near = self._order[self.nearest[self._order] <= radius]
        counts = np.zeros(len(self.nearest), dtype=np.int64)
        counts[near] = self._tree.query_ball_point(
            self._queries[near], radius + 10.0**-_DECIMALS, return_length=True
        )
        return counts


def within_one_column(
    queries: npt.NDArray[np.integer[Any]], references: npt.NDArray[np.integer[Any]]
) -> npt.NDArray[np.bool_]:
    """Say which queries differ from some reference in at most one column.

    Parameters
    ----------
    queries, references : int arrays of shape (columns, records)
        Codes of at least 0 over one codebook.

    Notes
    -----
    Each value of each column has a random number of 64 bits. Two records that differ in column j
    only have the same sum over the other columns, so that nothing needs to be searched. Others
    share a sum by chance once in 2^64 pairs.

    Examples
    --------
    >>> within_one_column(np.array([[0, 1, 1], [0, 0, 1]]), np.array([[0], [0]])).tolist()
    [True, True, False]
    """
    rng = np.random.default_rng(0)  # no statistics: any numbers will do
    terms = []
    for query, reference in zip(queries, references, strict=True):
        levels = 1 + max(int(query.max(initial=0)), int(reference.max(initial=0)))
        words = rng.integers(0, 2**64, levels, dtype=np.uint64)
        terms.append((words[query], words[reference]))
    whole = [np.sum([pair[i] for pair in terms], axis=0, dtype=np.uint64) for i in (0, 1)]
    near = np.zeros(queries.shape[1], dtype=np.bool_)
    for query, reference in terms:
        near |= np.isin(whole[0] - query, whole[1] - reference)
    return near
