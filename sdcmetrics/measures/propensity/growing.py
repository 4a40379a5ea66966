"""The loops that grow a tree, compiled when the first tree is grown.

Nodes are split depth first. The records of a node stand together, once for each column with many
values, sorted by it; columns with few values are counted, the smaller of two siblings only, the
other being what is left. A node is left a leaf as soon as its splits cannot pay, even if those
yet to be found made no mistake; once pruned, the tree is the one that is grown to the end.

The decrease of n times Gini's index is found for all candidates; those within rounding error of
the best are compared again by one fixed expression, because ties are frequent and the last bit
decides them: the first candidate of the first column wins.

All loops are in this one file, as what was compiled is kept on disk until the file changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from sdcmetrics.microdata.arrays import Floats, Ints

Codes = npt.NDArray[np.int32]
Target = npt.NDArray[np.int8]
Bins = npt.NDArray[np.integer[Any]]
Columns = tuple[Ints, Ints, Bins, Ints, Codes, Bins]
Spare = tuple[npt.NDArray[np.uint8], Codes, Codes]
Sizes = npt.NDArray[np.uint64]
Values = tuple[Ints, Ints, Ints, Floats]
Node = tuple[int, int, int]
F = TypeVar("F", bound=Callable[..., Any])

ORDERED, UNORDERED, RANKED = 0, 1, 2
"""Few ordered values, or unordered levels: counted. Many ordered values: kept sorted.

They stand here as loops kept on disk know them, and would not notice a change elsewhere."""

_ROUNDING = 1e-14  # of n Gini, which is at most n / 2
_INSERTED = 48  # levels up to which they are put in order one by one, which is faster
_CERTAINLY = 1 - 1e-9  # far more than rounding
_BLOCK = 16  # records: short ones are tested more often, long ones passed over less often

_COLUMNS = "Tuple((int64[::1], int64[::1], {0}[:,::1], int64[::1], int32[:,::1], {0}[:,::1]))"
_NODES = "Tuple((int64[:,::1], float64[::1], int64[::1]))"
SIGNATURE = f"{_NODES}(int8[::1], {_COLUMNS}, int32[:,::1], UniTuple(int64, 3), float64)"
"""To be formatted with the type of the counted columns."""


def _within(function: F) -> F:
    """Mark a function as part of the compiled loops, which Python itself never calls."""
    return cast("F", njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


@_within
def _copy(of: Bins, to: Bins) -> None:
    """Loops like this are compiled in a fraction of the time that slices take, and run as fast."""
    for i in range(len(of)):
        to[i] = of[i]


@_within
def _take_away(counts: Codes, amounts: Codes) -> None:
    """Subtract the counts of the sibling node."""
    for b in range(len(counts)):
        counts[b, 0] -= amounts[b, 0]
        counts[b, 1] -= amounts[b, 1]


@_within
def _counted(values: Values, bins: Codes) -> int:
    """List the values of a column that a node has (branch-free: absent ones are overwritten)."""
    code, count, synthetic, _ = values
    number = np.uint64(0)  # without a sign, so that it is not looked at
    for b in range(len(bins)):
        here = bins[b, 0] + bins[b, 1]
        code[number], count[number], synthetic[number] = b, here, bins[b, 1]
        number += np.uint64(here > 0)
    return int(np.int64(number))


@_within
def _in_order(share: Floats, number: int) -> Ints:
    """Return the places of shares in order, of equal ones the first first: runs are merged."""
    order, merged = np.empty(number, dtype=np.int64), np.empty(number, dtype=np.int64)
    for i in range(number):
        order[i] = i
    run = 1
    while run < number:
        for first in range(0, number, 2 * run):
            middle, end = min(first + run, number), min(first + 2 * run, number)
            i, j = first, middle
            for at in range(first, end):
                if i < middle and (j == end or share[order[i]] <= share[order[j]]):
                    merged[at] = order[i]
                    i += 1
                else:
                    merged[at] = order[j]
                    j += 1
        order, merged = merged, order
        run *= 2
    return order


@_within
def _arrange(values: Values, order: Ints) -> None:
    """Put codes and counts in an order."""
    code, count, synthetic, _ = values
    moved = np.empty(len(order), dtype=np.int64)
    for part in (code, count, synthetic):
        for i in range(len(order)):
            moved[i] = part[order[i]]
        _copy(moved, part)


@_within
def _by_share(values: Values, number: int) -> None:
    """Put levels in the order of their share of original records."""
    code, count, synthetic, share = values
    for i in range(number):
        share[i] = (count[i] - synthetic[i]) / count[i]
    if number > _INSERTED:
        _arrange(values, _in_order(share, number))
        return
    for i in range(1, number):
        own, a, b, c = share[i], code[i], count[i], synthetic[i]
        j = i
        while j > 0 and share[j - 1] > own:
            share[j], code[j] = share[j - 1], code[j - 1]
            count[j], synthetic[j] = count[j - 1], synthetic[j - 1]
            j -= 1
        share[j], code[j], count[j], synthetic[j] = own, a, b, c


@_within
def _ranked(values: Values, keys: Codes) -> int:
    """List the values of a column that records, sorted by it, have."""
    code, count, synthetic, _ = values
    last = -1
    for key in keys:
        if last < 0 or code[last] != key >> 1:
            last += 1
            code[last], count[last], synthetic[last] = key >> 1, 0, 0
        count[last] += 1
        synthetic[last] += key & 1
    return last + 1


@_within
def _listed(values: Values, columns: Columns, p: int, counts: Codes, keys: Codes) -> int:
    """List the values of a column that a node has, in the order in which they go left."""
    kind, place, _, start, _, _ = columns
    if kind[p] == RANKED:
        return _ranked(values, keys[place[p]])
    number = _counted(values, counts[start[place[p]] : start[place[p] + 1]])
    if kind[p] == UNORDERED:
        _by_share(values, number)
    return number


@_within
def _most(values: Values, number: int, node: Node, out: float) -> float:
    """Return the largest decrease of n Gini, up to rounding, or what there is if that is more."""
    left, left_synthetic = 0, 0
    for i in range(number):
        left += values[1][i]
        left_synthetic += values[2][i]
        if node[0] - left < node[2]:
            break
        out = _larger(out, left, left_synthetic, node)
    return out


@_within
def _most_ranked(keys: Codes, node: Node, out: float) -> float:
    """Do the same for a column that the records are sorted by, without a list of its values.

    Blocks of records whose splits are all worth less are passed over.
    """
    n, n_synthetic, fewest = node
    last, left_synthetic = n - fewest, 0
    for first in range(0, last, _BLOCK):
        end, synthetic = min(first + _BLOCK, last), 0
        for i in range(first, end):
            synthetic += keys[i] & 1
        d = n * left_synthetic - n_synthetic * first  # goes up by synthetic records, else down
        d = max(d + (n - n_synthetic) * synthetic, n_synthetic * (end - first - synthetic) - d)
        sizes = min((first + 1) * (n - first - 1), end * (n - end))
        if 2.0 * float(d) * float(d) >= out * _CERTAINLY * n * float(sizes):
            so_far = left_synthetic
            for i in range(first, end):
                so_far += keys[i] & 1
                if keys[i] >> 1 != keys[i + 1] >> 1:
                    out = _larger(out, i + 1, so_far, node)
        left_synthetic += synthetic
    return out


@_within
def _larger(out: float, left: int, left_synthetic: int, node: Node) -> float:
    """Return the decrease by a split, or what there is if that is not less."""
    n, n_synthetic, fewest = node
    if left < fewest or _below(out, left, left_synthetic, node):
        return out
    d = float(n * left_synthetic - n_synthetic * left)
    return max(out, 2.0 * (d / n) * (d / left) / (n - left))


@_within
def _below(least: float, left: int, left_synthetic: int, node: Node) -> bool:
    """Return whether a split is certainly worth less: three divisions take longer."""
    n, n_synthetic, _ = node
    d = float(n * left_synthetic - n_synthetic * left)
    return bool(2.0 * d * d < least * _CERTAINLY * n * float(left * (n - left)))


@_within
def _first(values: Values, number: int, node: Node, near: float) -> tuple[float, int]:
    """Return the largest decrease, and which value is the last to go left."""
    n, n_synthetic, fewest = node
    best, chosen, least, left, left_synthetic = 0.0, -1, 0.0, 0, 0
    p0, p1 = (n - n_synthetic) / n, n_synthetic / n
    whole = n * (p0 * (1 - p0)) + n * (p1 * (1 - p1))
    for i in range(number):
        left += values[1][i]
        left_synthetic += values[2][i]
        right = n - left
        if right < fewest:
            break
        if left < fewest or _below(near, left, left_synthetic, node):
            continue
        p0, p1 = (left - left_synthetic) / left, left_synthetic / left
        q1 = (n_synthetic - left_synthetic) / right
        q0 = (right - (n_synthetic - left_synthetic)) / right
        impurity = left * (p0 * (1 - p0)) + right * (q0 * (1 - q0))
        impurity = impurity + left * (p1 * (1 - p1)) + right * (q1 * (1 - q1))
        decrease = whole - impurity
        if decrease > best or (decrease == best and chosen >= 0 and impurity < least):
            best, chosen, least = decrease, i, impurity
    return best, chosen


@_within
def _choose(
    values: Values, columns: Columns, node: Node, counts: Codes, keys: Codes
) -> tuple[float, int, int]:
    """Return decrease, predictor or -1, and which of its `values` is the last to go left."""
    most, least = np.empty(len(columns[0])), -1.0
    for ranked in (False, True):  # they take longer, and less so the more the others are worth
        for p in range(len(most)):
            if (columns[0][p] == RANKED) != ranked:
                continue
            if ranked:
                most[p] = _most_ranked(keys[columns[1][p]], node, least)
            else:
                number = _listed(values, columns, p, counts, keys)
                most[p] = _most(values, number, node, least)
            least = max(least, most[p] - 2 * _ROUNDING * node[0])  # below all that is near
    near = most.max() - _ROUNDING * node[0]
    out, last = (0.0, -1, -1), -1
    for p in range(len(most)):
        if most[p] >= near:
            last = p
            number = _listed(values, columns, p, counts, keys)
            decrease, chosen = _first(values, number, node, near)
            if decrease > out[0]:
                out = (decrease, p, chosen)
    if out[1] >= 0 and last != out[1]:
        _listed(values, columns, out[1], counts, keys)
    return out


@_within
def _divide(columns: Columns, p: int, codes: Ints, orders: Codes, keys: Codes, spare: Spare) -> int:
    """Put records that go left before the others, each in the order they have; count them."""
    kind, place, _, start, _, by_column = columns
    i, left = place[p], 0
    if kind[p] == RANKED:  # its own order is divided already
        left = int(np.searchsorted(keys[i], 2 * codes[-1] + 1, side="right"))
        if len(orders) > 1:
            for at in range(len(orders[i])):
                spare[0][orders[i, at]] = at < left
        for row in range(len(orders)):
            if row != i:
                _put_left(orders[row], keys[row], spare[0], np.arange(2).astype(np.uint64), spare)
        return left
    goes = np.zeros(start[i + 1] - start[i], dtype=np.uint64)
    if kind[p] == UNORDERED:
        for code in codes:
            goes[code] = 1
    else:
        for code in range(codes[-1] + 1):
            goes[code] = 1
    for row in range(len(orders)):
        left = _put_left(orders[row], keys[row], by_column[i], goes, spare)
    return left


@_within
def _put_left(order: Codes, keys: Codes, code: Bins, goes_left: Sizes, spare: Spare) -> int:
    """Split one order, and count the records that go left (branch-free)."""
    _, others, other_keys = spare
    left, right = np.uint64(0), np.uint64(0)
    for at in range(len(order)):
        record, key = order[at], keys[at]
        goes = goes_left[code[np.uint32(record)]]
        order[left], keys[left] = record, key
        others[right], other_keys[right] = record, key
        left += goes
        right += np.uint64(1) - goes
    end = int(np.int64(left))
    _copy(others[: len(order) - end], order[end:])
    _copy(other_keys[: len(order) - end], keys[end:])
    return end


@_within
def _count(counts: Codes, bins: Bins, records: Codes, target: Target) -> None:
    """Count the records by bin and by target."""
    for b in range(len(counts)):
        counts[b, 0], counts[b, 1] = 0, 0
    for record in records:
        t = target[record]
        for column in range(bins.shape[1]):
            counts[bins[record, column], t] += 1


@_within
def _keys(ranks: Codes, orders: Codes, target: Target) -> Codes:
    """Return twice the code of each record, and its target, in every order."""
    keys = np.zeros_like(orders)
    for row in range(len(ranks)):
        for at in range(orders.shape[1]):
            record = orders[row, at]
            keys[row, at] = 2 * ranks[row, record] + target[record]
    return keys


@_within
def _hope(node: Ints, rules: tuple[int, int, int], alpha: float) -> float:
    """Return an upper bound of the gain by splits of a node, less alpha for each."""
    wrong = min(node[2], node[1] - node[2])
    if node[1] < rules[1] or wrong <= alpha or node[0] >= rules[2]:
        return 0.0
    hope: float = wrong - alpha  # of a negative alpha never 0: each split pays
    return hope


@_within
def _add_children(nodes: Ints, node: int, left: int, values: Values, chosen: int) -> None:
    """Write what is known of two children."""
    nodes[3, node] = left
    nodes[0, left], nodes[0, left + 1] = nodes[0, node] + 1, nodes[0, node] + 1
    nodes[1, left], nodes[2, left] = values[1][: chosen + 1].sum(), values[2][: chosen + 1].sum()
    for row in (1, 2):
        nodes[row, left + 1] = nodes[row, node] - nodes[row, left]


@_within
def _lower(hope: Floats, nodes: Ints, parent: Ints, node: int, alpha: float) -> None:
    """Lower the bound of a node's gain, and of its ancestors', from its children."""
    while node >= 0:
        left, bound = nodes[3, node], 0.0
        if left >= 0:
            bound = hope[left] + hope[left + 1] - alpha
            for sign, child in ((1, node), (-1, left), (-1, left + 1)):
                bound += sign * min(nodes[2, child], nodes[1, child] - nodes[2, child])
            bound = max(bound, 0.0)
        if bound == hope[node]:
            return
        hope[node], node = bound, parent[node]


@_within
def _hopeless(hope: Floats, parent: Ints, node: int) -> bool:
    """Return whether a node, or one above it, is a leaf once pruned."""
    while node >= 0 and hope[node] > 0:
        node = parent[node]
    return bool(node >= 0)


@_within
def _appended(codes: Ints, used: int, more: Ints) -> tuple[Ints, int]:
    """Write how many codes there are, and the codes, into a list that grows."""
    end = used + 1 + len(more)
    while end > len(codes):
        longer = np.empty(2 * len(codes), dtype=np.int64)
        _copy(codes, longer)
        codes = longer
    codes[used] = len(more)
    _copy(more, codes[used + 1 : end])
    return codes, end


def grow_nodes(
    target: Target,
    columns: Columns,
    sorted_by: Codes,
    rules: tuple[int, int, int],
    alpha: float,
) -> tuple[Ints, Floats, Ints]:
    """Grow a tree.

    Parameters
    ----------
    target : int array of shape (records,)
        1 for synthetic records.
    columns : tuple of int arrays
        Kind, place, bins, start, ranks and codes by column, see `TreeColumns`.
    sorted_by : int array of shape (at least one, records)
        See `TreeColumns`.
    rules : tuple of int
        Fewest records of a leaf, and of a node that is split; the deepest level.
    alpha : float
        What a split must save to pay, see `prune`.

    Returns
    -------
    int array of shape (6, nodes)
        Depth, records, synthetic records, left child or -1 (the right one is the next one),
        predictor, and where in the last array it is said which of its codes go left.
    float array of shape (nodes,)
        Decrease of n Gini by the split.
    int array
        For each split how many codes are listed, and which: of unordered levels all that go left,
        else the last of them.
    """
    fewest, _, deepest = rules
    n, size, orders = len(target), columns[3][-1], sorted_by.copy()
    longest = max(size, n if len(columns[4]) else 0)
    values = (
        np.empty(longest, dtype=np.int64),
        np.empty(longest, dtype=np.int64),
        np.empty(longest, dtype=np.int64),
        np.empty(longest, dtype=np.float64),
    )
    spare = np.zeros(n, dtype=np.uint8), np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    keys = _keys(columns[4], orders, target)
    nodes = np.full((6, 2 * (n // fewest) + 1), -1, dtype=np.int64)
    decreases, codes, n_codes = np.zeros(nodes.shape[1]), np.empty(longest + 1, dtype=np.int64), 0
    nodes[0, 0], nodes[1, 0], nodes[2, 0] = 0, n, target.sum()
    # Nodes that wait: number, first record, slot of counts. Depth first, so few wait at once.
    waiting, n_nodes = np.zeros((deepest + 2, 3), dtype=np.int64), 1
    free, n_free = np.arange(1, deepest + 3), deepest + 1  # has room for all
    counts = np.zeros((deepest + 2, size, 2), dtype=np.int32)
    _count(counts[0], columns[2], np.arange(n, dtype=np.int32), target)  # as they lie
    alpha = np.floor(1024 * alpha) / 1024  # so that sums are exact
    hope, parent = np.zeros(len(decreases)), np.full(len(decreases), -1)
    hope[0] = _hope(nodes[:, 0], rules, alpha)
    n_waiting = int(hope[0] > 0)
    while n_waiting:
        n_waiting -= 1
        node, begin, slot = waiting[n_waiting]
        end = begin + nodes[1, node]
        records, keyed = orders[:, begin:end], keys[:, begin:end]
        best, p, chosen, left = 0.0, -1, -1, n_nodes
        if not _hopeless(hope, parent, node):
            best, p, chosen = _choose(
                values,
                columns,
                (nodes[1, node], nodes[2, node], fewest),
                counts[slot],
                keyed,
            )
        if p >= 0:
            _add_children(nodes, node, left, values, chosen)
            for child in (left, left + 1):
                parent[child], hope[child] = node, _hope(nodes[:, child], rules, alpha)
        _lower(hope, nodes, parent, node, alpha)
        if not hope[node] > 0:
            nodes[3, node], free[n_free] = -1, slot
            n_free += 1
            continue
        going = values[0][0 if columns[0][p] == UNORDERED else chosen : chosen + 1]
        decreases[node], nodes[4, node], nodes[5, node] = best, p, n_codes
        codes, n_codes = _appended(codes, n_codes, going)
        n_left, n_nodes = _divide(columns, p, going, records, keyed, spare), n_nodes + 2
        smaller = int(nodes[1, left + 1] < n_left)
        few = records[0, n_left:] if smaller else records[0, :n_left]
        n_free, other = n_free - 1, free[n_free - 1]
        _count(counts[other], columns[2], few, target)
        _take_away(counts[slot], counts[other])
        for side in (1, 0):
            own = other if side == smaller else slot
            if hope[left + side] > 0:
                for i, what in enumerate((left + side, begin + side * n_left, own)):
                    waiting[n_waiting, i] = what
                n_waiting += 1
            else:
                free[n_free] = own
                n_free += 1
    return nodes[:, :n_nodes].copy(), decreases[:n_nodes].copy(), codes[:n_codes].copy()
