"""Trees of levels, compiled: a forest of them with hundreds of levels in a few seconds.

What a split is worth is kept while records pass from its right to its left, so that it takes as
long with 400 levels as with two. With weights in whole numbers every sum is exact, and columns are
drawn as scikit-learn's trees draw them: trees and votes are the same, to the last digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sdcmetrics.measures.neighbours.bits import inner
from sdcmetrics.microdata.arrays import Array

ADD_TREE = (
    "void(int32[:,::1], int64[::1], float64[::1], int32[:,::1], int64, uint32, float64[:,::1])"
)
_FEW = 32  # records that are sorted one by one, not counted by value
_WIDE = 8  # values for each record, from which on counting takes longer than sorting
_EPSILON = float(np.finfo(np.float64).eps)


@inner
def _drawn(state: Array) -> Any:
    """Return the next number of a 32-bit xorshift generator (Marsaglia 2003)."""
    x = state[0]
    if x == 0:
        x = np.uint32(1)
    x ^= np.uint32(x << np.uint32(13))
    x ^= np.uint32(x >> np.uint32(17))
    x ^= np.uint32(x << np.uint32(5))
    state[0] = x
    return np.int64(x & np.uint32(0x7FFFFFFF))


@inner
def _sort_few(values: Array, records: Array) -> None:
    for i in range(1, len(values)):
        value, record, j = values[i], records[i], i
        while j > 0 and values[j - 1] > value:
            values[j], records[j] = values[j - 1], records[j - 1]
            j -= 1
        values[j], records[j] = value, record


@inner
def _sort_packed(values: Array, records: Array, packed: Array) -> None:
    for i in range(len(values)):
        packed[i] = (np.int64(values[i]) << 32) | records[i]
    packed[: len(values)].sort()
    for i in range(len(values)):
        values[i], records[i] = packed[i] >> 32, packed[i] & 0xFFFFFFFF


@inner
def _sort_counted(values: Array, records: Array, packed: Array, low: int, ends: Array) -> None:
    """Sort by counting: `ends` is for a count per value from `low` on, and one before."""
    ends[:] = 0
    for i in range(len(values)):
        ends[values[i] - low + 1] += 1
    for v in range(len(ends) - 1):
        ends[v + 1] += ends[v]
    for i in range(len(values)):
        packed[ends[values[i] - low]] = records[i]
        ends[values[i] - low] += 1
    place = 0
    for v in range(len(ends) - 1):
        while place < ends[v]:
            values[place], records[place] = low + v, packed[place]
            place += 1


@inner
def _sort(values: Array, records: Array, packed: Array, counts: Array) -> None:
    """Put the records of a node, and their values, in order of value."""
    low, high = values[0], values[0]
    for i in range(len(values)):
        low, high = min(low, values[i]), max(high, values[i])
    window = np.int64(high) - low + 1
    if low == high:
        return
    if len(values) < _FEW:
        _sort_few(values, records)
    elif window > _WIDE * len(values):
        _sort_packed(values, records, packed)
    else:
        _sort_counted(values, records, packed, low, counts[: window + 1])


@inner
def _gini(squares: float, weight: float) -> float:
    """Return the chance that two drawn with replacement are of different classes."""
    return 1.0 - squares / (weight * weight)


@inner
def _best_split(
    values: Array, records: Array, classes: Array, weights: Array, sums: Array, best: Array
) -> bool:
    """Take a split of sorted records into `best` if it is better: its worth, both Ginis, place.

    `sums` has a row of the node's weight by class, and a row to work in.
    """
    size = len(values)
    right, left = 0.0, 0.0
    right_squares, left_squares = 0.0, 0.0
    for i in range(size):
        k = classes[records[i]]
        sums[1, k] = 0.0
        right += weights[records[i]]
    for i in range(size):
        k = classes[records[i]]
        right_squares += weights[records[i]] * sums[0, k]
    better = False
    for i in range(size - 1):
        record = records[i]
        k, w = classes[record], weights[record]
        before = sums[1, k]
        sums[1, k] = before + w
        left_squares += w * (2.0 * before + w)
        right_squares += w * (w - 2.0 * (sums[0, k] - before))
        left, right = left + w, right - w
        if values[i + 1] == values[i]:
            continue
        gini_left, gini_right = _gini(left_squares, left), _gini(right_squares, right)
        worth = -right * gini_right - left * gini_left
        if worth > best[0]:
            best[0], best[1], best[2], best[3] = worth, gini_left, gini_right, left
            best[4] = values[i] + values[i + 1]
            better = True
    return better


@inner
def _weigh(here: Array, classes: Array, weights: Array, sums: Array) -> Any:
    """Write the weight of each class in a node; return that of all, and the Gini of it."""
    for record in here:
        sums[0, classes[record]] = 0.0
    total, squares = 0.0, 0.0
    for record in here:
        k, w = classes[record], weights[record]
        squares += w * (2.0 * sums[0, k] + w)
        sums[0, k] += w
        total += w
    return total, _gini(squares, total)


@inner
def _search(
    x: Array,
    here: Array,
    taught: Any,
    sums: Array,
    tried: Any,
    order: Any,
    room: Any,
    best: Array,
) -> Any:
    """Find the best split of a node among columns drawn at random.

    `order` has the columns as they were drawn last, and those that are constant in the node above
    (`tried[1]` of them) and here. Returns the column (-1 for none) and how many are constant.
    """
    classes, weights = taught
    most, known = tried
    drawn, constant, state = order
    values, records, packed, counts = room
    size = len(here)
    split, end, visited, fresh, met = -1, len(x), 0, 0, 0
    best[:] = -np.inf
    while end > known + fresh and (visited < most or visited <= fresh + met):
        visited += 1
        place = met + _drawn(state) % (end - fresh - met)
        if place < known:
            drawn[met], drawn[place] = drawn[place], drawn[met]
            met += 1
            continue
        place += fresh
        column = drawn[place]
        for i in range(size):
            records[i] = here[i]
            values[i] = x[column, here[i]]
        _sort(values[:size], records[:size], packed, counts)
        if values[0] == values[size - 1]:
            drawn[place], drawn[known + fresh] = drawn[known + fresh], drawn[place]
            fresh += 1
            continue
        end -= 1
        drawn[end], drawn[place] = drawn[place], drawn[end]
        if _best_split(values[:size], records[:size], classes, weights, sums, best):
            split = column
    drawn[:known] = constant[:known]
    constant[known : known + fresh] = drawn[known : known + fresh]
    return split, known + fresh


@inner
def _gain(impurity: float, total: float, every: float, best: Array) -> Any:
    """Return by how much the Gini of all records falls by a split."""
    left, right = best[3], total - best[3]
    within = impurity - right / total * best[2] - left / total * best[1]
    return total / every * within


@inner
def _divide(x: Array, twice: int, here: Array, packed: Array) -> Any:
    """Bring the records up to a value (given twice as large) before the others; how many."""
    first, last = 0, 0
    for record in here:
        if 2 * np.int64(x[record]) <= twice:
            here[first] = record
            first += 1
        else:
            packed[last] = record
            last += 1
    here[first:] = packed[:last]
    return first


@inner
def _add_votes(queries: Array, nodes: Array, leaves: Any, votes: Array) -> None:
    """Add the shares of the leaf where each query ends."""
    shares, of_class = leaves
    for q in range(queries.shape[1]):
        node = 0
        while nodes[node, 0] >= 0:
            right = 2 * np.int64(queries[nodes[node, 0], q]) > nodes[node, 1]
            node = nodes[node, 2 + np.int64(right)]
        for place in range(nodes[node, 2], nodes[node, 3]):
            votes[q, of_class[place]] += shares[place]


def add_tree(
    x: Array, classes: Array, weights: Array, queries: Array, tried: int, seed: int, votes: Array
) -> None:
    """Grow a tree until its leaves are pure, and add the share of each class where queries end.

    Parameters
    ----------
    x, queries : int32 arrays of shape (columns, records), (columns, queries)
        A split divides at a value.
    classes : int array of shape (records,)
    weights : float array of shape (records,)
        Whole numbers; records of weight 0 are left out.
    tried : int
        Columns, not constant in a node, among which its best split is searched.
    seed : int
    votes : float array of shape (queries, classes)
        Is added to.
    """
    columns = len(x)
    here = np.flatnonzero(weights)
    n, every, widest = len(here), weights.sum(), 0
    for j in range(columns):
        widest = max(widest, x[j].max() - x[j].min())
    packed = np.empty(n, np.int64)
    counts = np.empty(min(widest, _WIDE * n) + 2, np.int64)
    room = np.empty(n, np.int32), np.empty(n, np.int64), packed, counts
    order = np.arange(columns), np.arange(columns), np.full(1, seed, np.uint32)
    sums, best = np.zeros((2, votes.shape[1])), np.empty(5)
    shares, of_class = np.empty(n), np.empty(n, np.int64)
    # Of a node: column, twice the value to split at, left child, right child; of a leaf: -1, and
    # where its classes start and end.
    nodes = np.empty((2 * n, 4), np.int64)
    stack = np.empty((n + 2, 5), np.int64)  # start, stop, parent, which child, constant columns
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, n, 0, 0, 0
    depth, node = 1, -1
    while depth:
        depth -= 1
        node += 1
        start, stop, parent, child, known = stack[depth]
        if node:
            nodes[parent, 2 + child] = node
        records = here[start:stop]
        total, impurity = _weigh(records, classes, weights, sums)
        split = -1
        if impurity > _EPSILON:
            split, known = _search(
                x, records, (classes, weights), sums, (tried, known), order, room, best
            )
        if split >= 0 and _gain(impurity, total, every, best) + _EPSILON >= 0.0:
            nodes[node, 0], nodes[node, 1] = split, np.int64(best[4])
            middle = start + _divide(x[split], nodes[node, 1], records, packed)
            for at, first, last in ((1, start, middle), (0, middle, stop)):  # the left one is next
                stack[depth + at, 0], stack[depth + at, 1], stack[depth + at, 2] = first, last, node
                stack[depth + at, 3], stack[depth + at, 4] = 1 - at, known
            depth += 2
            continue
        place = start
        for record in records:
            k = classes[record]
            if sums[0, k] > 0.0:
                shares[place], of_class[place] = sums[0, k] / total, k
                sums[0, k] = 0.0
                place += 1
        nodes[node, 0], nodes[node, 2], nodes[node, 3] = -1, start, place
    _add_votes(queries, nodes, (shares, of_class), votes)
