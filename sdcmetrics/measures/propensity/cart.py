"""Classification tree of which data set a record is from (CART, two classes, Gini's index).

References
----------
Breiman, L., Friedman, J., Olshen, R. and Stone, C. (1984). Classification and Regression Trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.propensity.pruning import GrownTree, Tree, prune
from sdcmetrics.measures.propensity.tree_columns import TreeColumns

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
