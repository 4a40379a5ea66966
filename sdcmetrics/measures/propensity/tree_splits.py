"""The best split of every node of one level of a tree, for two classes and Gini's index.

The decrease of n times Gini's index is found for all candidates at once; those within rounding
error of the best are compared again by one fixed expression, because ties are frequent and the
last bit decides them: the first candidate of the first column wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.propensity.tree_columns import Counted, Ranked

__all__ = ["Candidates", "Level", "best_splits", "counted_candidates", "ranked_candidates"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ROUNDING = 1e-14


@dataclass(frozen=True)
class Candidates:
    """Candidate splits: of which node, on which predictor, where, and who goes left."""

    node: Ints
    position: Ints
    at: Ints
    left: Ints
    left_synthetic: Ints
    decrease: Floats


@dataclass(frozen=True)
class Level:
    """Nodes that may be split: their numbers of records and of synthetic records."""

    n: Ints
    synthetic: Ints
    fewest: int

    def decrease(self, d: Floats, left: Ints, right: Ints, n: Ints) -> Floats:
        """Decrease of n Gini, given n times (synthetic on the left minus expected there)."""
        out: Floats = 2.0 * (d / n) * (d / left) / right
        return out


def counted_candidates(
    level: Level, columns: Counted, counts: Ints, synthetic: Ints
) -> tuple[Candidates, Ints]:
    """Find the best splits on columns with few values.

    Parameters
    ----------
    level : Level
    columns : Counted
    counts, synthetic : int arrays of shape (nodes, bins)
        Number of records, and of synthetic records, of each node in each bin.

    Returns
    -------
    Candidates
    int array of shape (nodes, bins)
        The bins in the order in which they go left: unordered levels by their share of
        original records.
    """
    first = columns.first_unordered
    order = np.broadcast_to(np.arange(columns.size), counts.shape).copy()
    if first < columns.size:
        some = counts[:, first:]
        share = np.full(some.shape, 1.5)  # empty levels come last
        np.divide(some - synthetic[:, first:], some, out=share, where=some > 0)
        key = share + 2.0 * columns.column_of_bin[first:]
        order[:, first:] = np.argsort(key, axis=1, kind="stable") + first
        counts = np.take_along_axis(counts, order, axis=1)
        synthetic = np.take_along_axis(synthetic, order, axis=1)
    before = columns.column_of_bin
    left = np.cumsum(counts, axis=1) - before * level.n[:, None]
    right = level.n[:, None] - left
    fits = (counts > 0) & (left >= level.fewest) & (right >= level.fewest)
    node, at = np.nonzero(fits)
    left, right = left[node, at], right[node, at]
    left_synthetic = (np.cumsum(synthetic, axis=1) - before * level.synthetic[:, None])[node, at]
    n = level.n[node]
    d = (n * left_synthetic - level.synthetic[node] * left).astype(np.float64)
    decrease = level.decrease(d, left, right, n)
    found = Candidates(node, columns.position[before[at]], at, left, left_synthetic, decrease)
    return _near_best(found, level), order


def ranked_candidates(
    level: Level,
    column: Ranked,
    order: npt.NDArray[np.int32],
    node: Ints,
    start: Ints,
    target: npt.NDArray[np.int8],
) -> Candidates:
    """Find the best splits on a column with many values.

    Parameters
    ----------
    order : int array
        Records by node, and by the column's value within the node.
    node : int array
        The node of each of them.
    start : int array of shape (nodes,)
        Where the records of each node begin.
    target : int array of shape (records,)
        1 for synthetic records.
    """
    rank = column.rank[order]
    total = np.cumsum(target[order], dtype=np.int64)
    at = np.flatnonzero(rank[1:] != rank[:-1])
    of = node[at]
    left = at + 1 - start[of]
    n = level.n[of]
    fits = (left >= level.fewest) & (n - left >= level.fewest)
    at, of, left, n = at[fits], of[fits], left[fits], n[fits]
    before = np.concatenate([[0], total])[start]
    left_synthetic = total[at] - before[of]
    d = (n * left_synthetic - level.synthetic[of] * left).astype(np.float64)
    decrease = level.decrease(d, left, n - left, n)
    position = np.full(len(at), column.position)
    return _near_best(Candidates(of, position, at, left, left_synthetic, decrease), level)


def _starts(node: Ints) -> Ints:
    """Where the candidates of each node begin, given the sorted nodes."""
    out: Ints = np.flatnonzero(node[1:] != node[:-1]) + 1
    return np.append(np.zeros(min(len(node), 1), dtype=np.int64), out)


def _near_best(found: Candidates, level: Level) -> Candidates:
    if not len(found.node):
        return found
    best = np.full(len(level.n), -1.0)
    first = _starts(found.node)
    best[found.node[first]] = np.maximum.reduceat(found.decrease, first)
    kept = found.decrease >= (best - _ROUNDING * level.n)[found.node]
    return Candidates(*(getattr(found, name)[kept] for name in Candidates.__dataclass_fields__))


def best_splits(level: Level, found: list[Candidates]) -> tuple[Candidates, Floats]:
    """Choose one split for each node that can be split.

    Returns
    -------
    Candidates
        At most one per node, in the order of the nodes.
    float array
        The decrease of n Gini of each, by the expression that decides ties.
    """
    pooled = Candidates(
        *(
            np.concatenate([getattr(part, name) for part in found])
            for name in Candidates.__dataclass_fields__
        )
    )
    order = np.argsort(pooled.node, kind="stable")
    pooled = Candidates(*(getattr(pooled, name)[order] for name in Candidates.__dataclass_fields__))
    near = _near_best(pooled, level)
    left, n = near.left, level.n[near.node]
    right, synthetic = n - left, level.synthetic[near.node]
    p0, p1 = (left - near.left_synthetic) / left, near.left_synthetic / left
    q1 = (synthetic - near.left_synthetic) / right
    q0 = (right - (synthetic - near.left_synthetic)) / right
    impurity = left * (p0 * (1 - p0)) + right * (q0 * (1 - q0))
    impurity = impurity + left * (p1 * (1 - p1)) + right * (q1 * (1 - q1))
    share0, share1 = (n - synthetic) / n, synthetic / n
    decrease = n * (share0 * (1 - share0)) + n * (share1 * (1 - share1)) - impurity
    by = np.lexsort((near.at, impurity, near.position, -decrease, near.node))
    first = by[_starts(near.node[by])]
    chosen = first[decrease[first] > 0]
    splits = Candidates(*(getattr(near, name)[chosen] for name in Candidates.__dataclass_fields__))
    return splits, decrease[chosen]
