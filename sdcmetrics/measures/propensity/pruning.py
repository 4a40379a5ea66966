"""A grown tree, and the part of it that pays its complexity."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sdcmetrics.microdata.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Tree:
    """A pruned tree.

    Attributes
    ----------
    n, synthetic : int arrays of shape (nodes,)
        Records and synthetic records of each node, the root first.
    left : int array of shape (nodes,)
        The left child (the right one follows it), or -1 for a leaf.
    position : int array of shape (nodes,)
        The predictor that the node is split by, or -1.
    decrease : float array of shape (nodes,)
        Decrease of n times Gini's index by the split.
    goes_left : dict of node to int array
        Codes of the values that go left: places in the predictor's sorted distinct values.
    """

    n: Ints
    synthetic: Ints
    left: Ints
    position: Ints
    decrease: Floats
    goes_left: dict[int, Ints] = field(default_factory=dict)

    @property
    def leaves(self) -> Ints:
        """Nodes that are leaves."""
        return np.flatnonzero(self.left < 0)


@dataclass(frozen=True)
class GrownTree:
    """Nodes as they were made, level after level; arrays as in `Tree`, and their depth."""

    depth: Ints
    n: Ints
    synthetic: Ints
    left: Ints
    position: Ints
    decrease: Floats


class _Worth:
    """Gain of the splits below each node: misclassified records saved per split.

    Before a node is judged, a child whose splits save less for each than the node's do is
    counted as a leaf, the weaker of the two first.
    """

    def __init__(self, wrong: Floats) -> None:
        self.wrong = wrong
        self.below = wrong.copy()
        self.splits = np.zeros(len(wrong))
        self.each = np.zeros(len(wrong))

    def add(self, nodes: Ints, left: Ints, alpha: float) -> Bools:
        """Judge nodes whose children were judged; return which of them stay split."""
        first = self.each[left] > self.each[left + 1]
        weaker, stronger = left + first, left + ~first
        below = self.below[left] + self.below[left + 1]
        splits = 1.0 + self.splits[left] + self.splits[left + 1]
        each = (self.wrong[nodes] - below) / splits
        for child in (weaker, stronger):
            as_leaf = each > self.each[child]
            below = below + np.where(as_leaf, self.wrong[child] - self.below[child], 0.0)
            splits = splits - np.where(as_leaf, self.splits[child], 0.0)
            each = (self.wrong[nodes] - below) / splits
        pays: Bools = each > alpha
        at = nodes[pays]
        self.below[at], self.splits[at], self.each[at] = below[pays], splits[pays], each[pays]
        return pays


def prune(grown: GrownTree, alpha: float) -> tuple[Tree, Ints]:
    """Turn into leaves the nodes whose splits do not pay, from the deepest level up.

    Returns
    -------
    Tree
        As yet without the values that go left.
    int array
        Which of the grown nodes it has.
    """
    left = grown.left.copy()
    worth = _Worth(np.minimum(grown.synthetic, grown.n - grown.synthetic).astype(np.float64))
    for depth in range(int(grown.depth[-1]), -1, -1):
        first, stop = np.searchsorted(grown.depth, [depth, depth + 1])
        inner = first + np.flatnonzero(left[first:stop] >= 0)
        pays = worth.add(inner, left[inner], alpha)
        left[inner[~pays]] = -1
    reached = [np.zeros(1, dtype=np.int64)]
    while len(reached[-1]):
        child = left[reached[-1]]
        child = child[child >= 0]
        reached.append(np.sort(np.concatenate([child, child + 1])))
    nodes = np.concatenate(reached)
    place = np.full(len(left) + 1, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    inner_now = left[nodes] >= 0
    tree = Tree(
        n=grown.n[nodes],
        synthetic=grown.synthetic[nodes],
        left=np.where(inner_now, place[left[nodes]], -1),
        position=np.where(inner_now, grown.position[nodes], -1),
        decrease=np.where(inner_now, grown.decrease[nodes], 0.0),
    )
    return tree, nodes
