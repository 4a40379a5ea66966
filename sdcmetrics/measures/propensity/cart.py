"""Classification tree of which data set a record is from (CART, two classes, Gini's index).

References
----------
Breiman, L., Friedman, J., Olshen, R. and Stone, C. (1984). Classification and Regression Trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.propensity.tree_columns import TreeColumns
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


__all__ = ["Tree", "TreeRules", "grow"]

Target = npt.NDArray[np.int8]

_DEEPEST = 30


@dataclass(frozen=True)
class TreeRules:
    """When a tree stops.

    Attributes
    ----------
    cp : float
        A split must lower the share of misclassified records, of those that the larger class
        misclassifies, by this much for each split that is kept with it.
    minbucket : int
        Fewest records of a leaf; a node is split if it has three times as many.
    """

    cp: float = 1e-3
    minbucket: int = 5

    def __post_init__(self) -> None:
        """Refuse leaves without records."""
        if self.minbucket < 1:
            msg = f"minbucket: expected at least 1 but got {self.minbucket}."
            raise StudyError(msg)

    @property
    def minsplit(self) -> int:
        """Fewest records of a node that is split."""
        return 3 * self.minbucket


def grow(columns: TreeColumns, target: Target, rules: TreeRules) -> Tree:
    """Grow and prune a tree.

    Parameters
    ----------
    columns : TreeColumns
    target : int array of shape (records,)
        1 for synthetic records, 0 for original ones.
    rules : TreeRules

    Examples
    --------
    Ten records, five of them synthetic; the values 0 and 1 tell eight of them apart.

    >>> from sdcmetrics.measures.propensity.predictors import Predictor, Scale
    >>> from sdcmetrics.measures.propensity.tree_columns import code_columns
    >>> x = Predictor("x", "x", Scale.NUMBER, np.array([0, 0, 0, 0, 1, 0, 1, 1, 1, 1.0]))
    >>> target = np.repeat(np.array([0, 1], dtype=np.int8), 5)
    >>> tree = grow(code_columns([x]), target, TreeRules(minbucket=2))
    >>> tree.n.tolist(), tree.synthetic.tolist(), tree.left.tolist()
    ([10, 5, 5], [5, 1, 4], [1, -1, -1])
    """
    from sdcmetrics.measures.propensity.growing import SIGNATURE, UNORDERED, grow_nodes
    from sdcmetrics.microdata.compiled import compiled  # the compiler, when a tree is grown

    total = int(target.sum())
    alpha = rules.cp * min(total, columns.n - total)
    c = columns
    nodes, decrease, codes = compiled(grow_nodes, SIGNATURE.format(c.bins.dtype.name))(
        target[c.records],
        (c.kind, c.place, c.bins, c.start, c.ranks, c.by_column),
        c.sorted_by,
        (rules.minbucket, rules.minsplit, _DEEPEST),
        alpha,
    )
    by_level = np.argsort(nodes[0], kind="stable")
    number = np.empty(len(by_level) + 1, dtype=np.int64)
    number[by_level], number[-1] = np.arange(len(by_level)), -1
    depth, n, synthetic, left, position, listed = nodes[:, by_level]
    grown = GrownTree(depth, n, synthetic, number[left], position, decrease[by_level])
    tree, remaining = prune(grown, alpha)
    for node, at in enumerate(listed[remaining].tolist()):
        if tree.left[node] >= 0:
            some = codes[at + 1 :][: codes[at]]
            loose = c.kind[tree.position[node]] == UNORDERED
            tree.goes_left[node] = np.sort(some) if loose else np.arange(some[0] + 1)
    return tree
