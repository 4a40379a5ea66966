"""Classification tree of which data set a record is from (CART, two classes, Gini's index).

Trees are grown level by level: columns with few values are counted for all nodes of a level at
once, the smaller of two siblings only, the other being what is left; columns with many values
are kept sorted. The result is that of a tree grown node by node.

References
----------
Breiman, L., Friedman, J., Olshen, R. and Stone, C. (1984). Classification and Regression Trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.propensity.pruning import GrownTree, Tree, prune
from sdcmetrics.measures.propensity.tree_columns import TreeColumns
from sdcmetrics.measures.propensity.tree_splits import (
    Candidates,
    Level,
    best_splits,
    counted_candidates,
    ranked_candidates,
)

__all__ = ["Tree", "TreeRules", "grow"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Target = npt.NDArray[np.int8]

_DEEPEST = 30
_LARGE = 4096


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

    @property
    def minsplit(self) -> int:
        """Fewest records of a node that is split."""
        return 3 * self.minbucket


def grow(columns: TreeColumns, target: Target, rules: TreeRules, *, explain: bool = True) -> Tree:
    """Grow and prune a tree.

    Parameters
    ----------
    columns : TreeColumns
    target : int array of shape (records,)
        1 for synthetic records, 0 for original ones.
    rules : TreeRules
    explain : bool
        Keep which values go left; not needed for the statistics of a tree.

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
    total = int(target.sum())
    alpha = rules.cp * min(total, columns.n - total)
    grown = GrownTree()
    front = _Front(columns, target, rules, grown, alpha, explain=explain)
    while len(front.level.n):
        front.advance()
    return prune(grown, alpha)


class _Front:
    """The nodes of one level that may be split, and their records."""

    def __init__(
        self,
        columns: TreeColumns,
        target: Target,
        rules: TreeRules,
        grown: GrownTree,
        alpha: float,
        *,
        explain: bool,
    ) -> None:
        self.columns, self.target, self.rules = columns, target, rules
        self.grown, self.alpha, self.explain = grown, alpha, explain
        self.depth = 0
        n = np.array([columns.n], dtype=np.int64)
        synthetic = np.array([target.sum()], dtype=np.int64)
        self.nodes = grown.add(n, synthetic)
        self.level = Level(n, synthetic, rules.minbucket)
        self.orders = [ranked.order for ranked in columns.ranked]
        if not self.orders:  # records by node, in any order
            self.orders = [np.arange(columns.n, dtype=np.int32)]
        some = np.flatnonzero(target).astype(np.int32)
        self.synthetic_counts, _ = self._count(some, np.zeros(len(some), dtype=np.int64), 1)
        self.counts = columns.totals[None, :]
        if not self._worth_splitting(n, synthetic)[0]:
            self.level = Level(n[:0], synthetic[:0], rules.minbucket)

    def _worth_splitting(self, n: Ints, synthetic: Ints) -> Bools:
        out: Bools = (
            (n >= self.rules.minsplit)
            & (np.minimum(synthetic, n - synthetic) > self.alpha)
            & (self.depth < _DEEPEST)
        )
        return out

    def _count(self, records: npt.NDArray[np.int32], node: Ints, nodes: int) -> tuple[Ints, Ints]:
        """Count records, and synthetic ones, of each node in each bin."""
        counted = self.columns.counted
        size = counted.size
        key = (node * 2 + self.target[records]) * size
        index = counted.bins.take(records, axis=1) + key
        both = np.bincount(index.ravel(), minlength=nodes * 2 * size).reshape(nodes, 2, size)
        return both.sum(axis=1), both[:, 1].copy()

    def advance(self) -> None:
        """Split the nodes and go on to their children."""
        level, columns = self.level, self.columns
        start = np.cumsum(level.n) - level.n
        node = np.repeat(np.arange(len(level.n)), level.n)
        found, order = [], None
        if columns.counted.size:
            some, order = counted_candidates(
                level, columns.counted, self.counts, self.synthetic_counts
            )
            found.append(some)
        for ranked, sorted_records in zip(columns.ranked, self.orders, strict=False):
            found.append(ranked_candidates(level, ranked, sorted_records, node, start, self.target))
        splits, decrease = best_splits(level, found)
        left = self._directions(splits.node, splits.position, splits.at, order)
        split_of = np.full(len(level.n), -1, dtype=np.int64)
        split_of[splits.node] = np.arange(len(splits.node))
        self._next_level(splits, decrease, left, split_of[node])

    def _directions(self, nodes: Ints, position: Ints, at: Ints, order: Ints | None) -> _Left:
        counted = self.columns.counted
        row_of = np.full(len(self.columns.predictors), -1, dtype=np.int64)
        row_of[counted.position] = np.arange(len(counted.position))
        row = row_of[position]
        left = _Left(row, np.zeros((len(nodes), counted.size), dtype=bool), {})
        by_bin = np.flatnonzero(row >= 0)
        if order is not None and len(by_bin):
            bins = np.arange(counted.size)
            first, last = counted.start[row[by_bin]], at[by_bin]
            mask = (bins >= first[:, None]) & (bins <= last[:, None])
            table = np.zeros_like(mask)
            np.put_along_axis(table, order[nodes[by_bin]], mask, axis=1)
            left.bins[by_bin] = table
        for i, ranked in enumerate(self.columns.ranked):
            here = np.flatnonzero(position == ranked.position)
            if len(here):
                cut = np.full(len(nodes), -1, dtype=np.int64)
                cut[here] = ranked.rank[self.orders[i][at[here]]]
                left.cuts[i] = cut
        return left

    def _next_level(
        self, splits: Candidates, decrease: Floats, left: _Left, split_of_record: Ints
    ) -> None:
        grown, level, counted = self.grown, self.level, self.columns.counted
        parents = self.nodes[splits.node]
        offset = grown.size
        depth_start = offset - len(grown.left[-1])
        grown.left[-1][parents - depth_start] = offset + 2 * np.arange(len(parents))
        grown.position[-1][parents - depth_start] = splits.position
        grown.decrease[-1][parents - depth_start] = decrease
        if self.explain:
            self._explain(parents, splits.position, left)
        n = np.empty(2 * len(parents), dtype=np.int64)
        synthetic = np.empty_like(n)
        n[::2], synthetic[::2] = splits.left, splits.left_synthetic
        n[1::2] = level.n[splits.node] - splits.left
        synthetic[1::2] = level.synthetic[splits.node] - splits.left_synthetic
        children = grown.add(n, synthetic)
        self.depth += 1
        active = self._worth_splitting(n, synthetic)
        slot = np.full(len(n), -1, dtype=np.int64)
        slot[active] = np.arange(int(active.sum()))

        used = split_of_record >= 0
        records, split = self.orders[0][used], split_of_record[used]
        child = 2 * split + ~self._goes_left(records, split, left)
        if counted.size:
            self._recount(records, child, n, active, splits.node)
        place = np.full(self.columns.n, -1, dtype=np.int64)
        place[records] = slot[child]
        kind = np.int16 if len(n) < np.iinfo(np.int16).max else np.int64
        place = place.astype(kind)
        self.orders = [_regroup(order, place) for order in self.orders]
        self.nodes = children[active]
        self.level = Level(n[active], synthetic[active], self.rules.minbucket)

    def _goes_left(self, records: npt.NDArray[np.int32], split: Ints, left: _Left) -> Bools:
        # The records of one split stand together; those of large splits are looked up as one.
        out = np.empty(len(records), dtype=bool)
        mixed = np.ones(len(records), dtype=bool)
        bounds = np.searchsorted(split, np.arange(len(left.row) + 1))
        for i in np.flatnonzero(np.diff(bounds) > _LARGE):
            some = slice(bounds[i], bounds[i + 1])
            mixed[some] = False
            out[some] = self._goes_left_at(records[some], i, left)
        rest = np.flatnonzero(mixed)
        if len(rest):
            out[rest] = self._goes_left_mixed(records[rest], split[rest], left)
        return out

    def _goes_left_at(self, records: npt.NDArray[np.int32], split: np.int64, left: _Left) -> Bools:
        row = left.row[split]
        if row >= 0:
            out: Bools = left.bins[split].take(self.columns.counted.bins[row].take(records))
            return out
        which = next(i for i, cut in left.cuts.items() if cut[split] >= 0)
        up_to: Bools = self.columns.ranked[which].rank.take(records) <= left.cuts[which][split]
        return up_to

    def _goes_left_mixed(self, records: npt.NDArray[np.int32], split: Ints, left: _Left) -> Bools:
        counted = self.columns.counted
        row = left.row[split]
        out = np.zeros(len(records), dtype=bool)
        for i, cut in left.cuts.items():
            out |= self.columns.ranked[i].rank[records] <= cut[split]
        by_bin = np.flatnonzero(row >= 0) if left.cuts else np.arange(len(row))
        if len(by_bin):
            bins = counted.bins[row[by_bin], records[by_bin]]
            out[by_bin] = left.bins[split[by_bin], bins]
        return out

    def _recount(
        self,
        records: npt.NDArray[np.int32],
        child: Ints,
        n: Ints,
        active: Bools,
        parent: Ints,
    ) -> None:
        """Count the smaller child of each split; the larger one is the rest of its parent."""
        pairs = len(parent)
        smaller = 2 * np.arange(pairs) + (n[1::2] < n[::2])
        larger = smaller ^ 1
        needed = active[smaller] | active[larger]
        number = np.full(2 * pairs, -1, dtype=np.int64)
        number[smaller[needed]] = np.arange(int(needed.sum()))
        chosen = number[child]
        some = np.flatnonzero(chosen >= 0)
        few = self._count(records[some], chosen[some], int(needed.sum()))
        whole = (self.counts, self.synthetic_counts)
        out = []
        for counts, before in zip(few, whole, strict=True):
            both = np.empty((2 * pairs, counts.shape[1]), dtype=np.int64)
            both[smaller[needed]] = counts
            both[larger[needed]] = before[parent[needed]] - counts
            out.append(both[active])
        self.counts, self.synthetic_counts = out

    def _explain(self, parents: Ints, position: Ints, left: _Left) -> None:
        counted = self.columns.counted
        for i, (node, where) in enumerate(zip(parents.tolist(), position.tolist(), strict=True)):
            if left.row[i] >= 0:
                row = left.row[i]
                table = left.bins[i, counted.start[row] : counted.stop[row]]
                self.grown.goes_left[node] = np.flatnonzero(table)
            else:
                which = next(
                    k for k, ranked in enumerate(self.columns.ranked) if ranked.position == where
                )
                self.grown.goes_left[node] = np.arange(left.cuts[which][i] + 1)


@dataclass(frozen=True)
class _Left:
    """Who goes left at each split: by bin, or up to a rank of a column with many values."""

    row: Ints
    bins: Bools
    cuts: dict[int, Ints]


def _regroup(
    order: npt.NDArray[np.int32], place: npt.NDArray[np.signedinteger]
) -> npt.NDArray[np.int32]:
    """Put records of one node together, in the order they have, and drop those of none."""
    node = place[order]
    kept = node >= 0
    if not kept.all():
        order, node = order[kept], node[kept]
    out: npt.NDArray[np.int32] = order[np.argsort(node, kind="stable")]
    return out
