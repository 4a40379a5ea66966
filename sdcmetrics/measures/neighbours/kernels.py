"""The loops of the search, compiled when they are first used.

Codes alone are searched bit by bit (`bits`). Mixed: numbers and codes, distances in double
precision, box by box (`boxes`), most of which are left out; differences of codes are counted in one
byte, so that a vector register holds many pairs. Each exists for one set of argument types and is
kept on disk, so that only the first search ever waits for the compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.neighbours.bits import MOST_COLUMNS, ResultArrays, inner, search_bits
from sdcmetrics.microdata import compiled as loops
from sdcmetrics.microdata.arrays import Bytes, Floats, Ints, Ints32

__all__ = ["MOST_COLUMNS", "ROUND", "compiled", "search_bits", "search_mixed"]

_FULL = 252  # columns counted in a byte before they are added to a double; a multiple of 4
ROUND = 1.5 * 2.0**12  # adding and subtracting it rounds to multiples of 2^-40
_DOUBT = 1e-11  # a distance to a box may come out larger by rounding

Mixed = tuple[Bytes, Ints32, Floats]
Boxes = tuple[npt.NDArray[np.uint64], Floats, Floats, Floats, Ints, Ints32]
Measure = tuple[Floats, Floats, int]

_POINTS = "Tuple((uint8[:,::1], int32[:,::1], float64[:,::1]))"
_BOXES = (
    "Tuple((uint64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1], int64[::1], int32[::1]))"
)
_MEASURE = "Tuple((float64[:,::1], float64[::1], int64))"
_FOUND = (
    "Tuple(({0}[:,::1], int32[:,::1], int64[::1], int32[:,::1], "
    "{0}[::1], {0}[:,::1], int64[:,:,::1]))"
)


@inner
def _add_differences(
    count: Bytes, query: Bytes, references: Bytes, start: int, stop: int, first: int
) -> None:
    """Add to `count` in how many of the columns start..stop the query differs."""
    width = len(count)
    last = first + width
    j = start
    while j + 4 <= stop:  # four columns a pass: the counts are read and written less often
        q0, q1, q2, q3 = query[j], query[j + 1], query[j + 2], query[j + 3]
        r0 = references[j, first:last]
        r1 = references[j + 1, first:last]
        r2 = references[j + 2, first:last]
        r3 = references[j + 3, first:last]
        for b in range(width):
            count[b] += (
                np.uint8(r0[b] != q0)
                + np.uint8(r1[b] != q1)
                + np.uint8(r2[b] != q2)
                + np.uint8(r3[b] != q3)
            )
        j += 4
    while j < stop:
        q0 = query[j]
        r0 = references[j, first:last]
        for b in range(width):
            count[b] += np.uint8(r0[b] != q0)
        j += 1


@inner
def _add_wide(count: Any, query: Ints32, references: Ints32, first: int) -> None:
    """Add to `count` in how many columns with wide codes the query differs."""
    for j in range(len(query)):
        q = query[j]
        r = references[j, first : first + len(count)]
        for b in range(len(count)):
            count[b] += np.uint8(r[b] != q)


@inner
def _add_many(sums: Floats, count: Bytes, query: Bytes, references: Bytes, first: int) -> None:
    """Add in how many of more columns than a byte can count the query differs."""
    for start in range(0, len(query), _FULL):
        count[:] = 0
        _add_differences(count, query, references, start, min(len(query), start + _FULL), first)
        for b in range(len(sums)):
            sums[b] += count[b]


@inner
def _add_shares(sums: Floats, query: Bytes, references: Bytes, shares: Floats, first: int) -> None:
    """Add what the columns count for in which the query differs."""
    width = len(sums)
    for j in range(len(query)):
        q, share = query[j], shares[j]
        r = references[j, first : first + width]
        for b in range(width):
            sums[b] += share if r[b] != q else 0.0


@inner
def _most(values: Any) -> Any:
    """Return the largest of some values."""
    most = values[0]
    for b in range(len(values)):
        most = max(most, values[b])
    return most


@inner
def _add_numbers(
    sums: Floats, query: Floats, references: Floats, weights: Floats, first: int, power: int
) -> None:
    """Add differences of numbers, scaled: absolute and at most 1, or squared (power 2).

    `weights` has two rows: what differences are multiplied by, and what the column counts for.
    """
    width = len(sums)
    for j in range(len(query)):
        q = query[j]
        r = references[j, first : first + width]
        weight, share = weights[0, j], weights[1, j]
        if np.isnan(q):
            for b in range(width):
                sums[b] += 0.0 if np.isnan(r[b]) else share
        elif power == 2:  # noqa: PLR2004  (squares)
            for b in range(width):
                d = (r[b] - q) * weight
                sums[b] += share if np.isnan(d) else share * d * d
        else:
            for b in range(width):
                d = abs(r[b] - q) * weight
                sums[b] += share * (d if d < 1.0 else 1.0)  # noqa: FURB136  (missing is 1 away)


@inner
def _least(distance: Any) -> Any:
    """Return the smallest distance of a block."""
    least = distance[0]
    for b in range(len(distance)):
        least = min(least, distance[b])
    return least


@inner
def _keep_ties(distance: Any, places: Ints32, i: int, least: Any, output: ResultArrays) -> None:
    """Count the references at the smallest distance; list the first, as far as there is room."""
    near, _, tied, ties, _, _, _ = output
    if least < near[i, 0]:
        tied[i] = 0
    listed, times = ties[i], tied[i]
    last = _last(listed) if len(listed) <= times else 0
    for b in range(len(distance)):
        if distance[b] == least:
            if times < len(listed):
                listed[times] = places[b]
                if times + 1 == len(listed):
                    last = _last(listed)
            elif len(listed) and places[b] < listed[last]:
                listed[last] = places[b]
                last = _last(listed)
            times += 1
    tied[i] = times


@inner
def _last(places: Ints32) -> Any:
    """Return where the largest of some places is."""
    last = 0
    for b in range(len(places)):
        if places[b] > places[last]:
            last = b
    return last


@inner
def _count_within(distance: Any, reach: Any, counts: Ints) -> None:
    """Add how many references of a block are closer than a radius, and how many at it."""
    closer, equal = 0, 0
    for b in range(len(distance)):
        closer += distance[b] < reach
        equal += distance[b] == reach
    counts[0] += closer
    counts[1] += equal


@inner
def _keep(distance: Any, places: Ints32, first: int, i: int, output: ResultArrays) -> None:
    """Take the nearest of a box of references into what was found for query i."""
    near, index, _, _, column, radius, within = output
    least = _least(distance)
    for j in range(radius.shape[1]):
        if least <= radius[i, j]:
            _count_within(distance, radius[i, j], within[i, j])
    if len(column):
        part = column[first : first + len(distance)]
        for b in range(len(distance)):
            part[b] = min(part[b], distance[b])
    last = near.shape[1] - 1
    if least > near[i, last] or least == np.inf:
        return
    if least <= near[i, 0]:
        _keep_ties(distance, places, i, least, output)
    for b in range(len(distance)):
        d, at = distance[b], places[b]
        if d < near[i, last] or (d == near[i, last] and at < index[i, last]):
            place = last
            while place > 0 and (
                d < near[i, place - 1] or (d == near[i, place - 1] and at < index[i, place - 1])
            ):
                near[i, place] = near[i, place - 1]
                index[i, place] = index[i, place - 1]
                place -= 1
            near[i, place] = d
            index[i, place] = at


@inner
def _add_absent(bound: Floats, codes: Any, code: int, share: float) -> None:
    """Add a share where no record of a box has a code."""
    bit = np.uint64(1) << np.uint64(code & 63)
    for b in range(len(bound)):
        bound[b] += 0.0 if codes[b] & bit else share


@inner
def _reach_boxes(bound: Floats, i: int, queries: Mixed, boxes: Boxes, measure: Measure) -> None:
    """Write how far a query is at least from the records of each box."""
    codes, lowest, highest, complete, _, _ = boxes
    weights, shares, power = measure
    narrow = queries[0].shape[1]
    bound[:] = 0.0
    for j in range(narrow):
        _add_absent(bound, codes[j], queries[0][i, j], shares[j] if len(shares) else 1.0)
    for j in range(queries[1].shape[1]):
        _add_absent(bound, codes[narrow + j], queries[1][i, j], 1.0)
    for j in range(len(lowest)):
        q, low, high, whole = queries[2][i, j], lowest[j], highest[j], complete[j]
        weight, share = weights[0, j], weights[1, j]
        if np.isnan(q):
            for b in range(len(bound)):
                bound[b] += share * whole[b]
            continue
        for b in range(len(bound)):
            d = max(low[b] - q, q - high[b], 0.0) * weight
            if power == 2:  # noqa: PLR2004  (squares)
                d *= d
            # missing is 1 away, and so is what is farther by Gower
            bound[b] += share * (1.0 if d > 1.0 and (power == 1 or whole[b] == 0.0) else d)
    for b in range(len(bound)):
        bound[b] -= _DOUBT * (1.0 + bound[b])


@inner
def _add_codes(
    sums: Floats, count: Bytes, query: Bytes, references: Bytes, shares: Floats, first: int
) -> None:
    """Add in how many columns of narrow codes, or by which share of them, a query differs."""
    if len(shares):
        _add_shares(sums, query, references, shares, first)
    elif len(query) > _FULL:
        _add_many(sums, count, query, references, first)
    else:
        count[:] = 0
        _add_differences(count, query, references, 0, len(query), first)
        for b in range(len(sums)):
            sums[b] = count[b]


def search_mixed(
    queries: Mixed,
    references: Mixed,
    boxes: Boxes,
    measure: Measure,
    itself: Ints,
    output: ResultArrays,
) -> None:
    """Search a block of queries among references that stand box by box.

    A box is left out that is farther away than what was found for the query, than its radii, and
    than what was found for each of its records; so is one whose codes alone are. `measure`: what
    numbers are multiplied by and count for, what columns of codes count for (empty: 1 each), and 2
    for squares. Query i is reference itself[i], or none where that is -1.
    """
    near, _, tied, ties, column, radius, _ = output
    weights, shares, power = measure
    starts, places = boxes[4], boxes[5]
    number = len(starts) - 1
    bound, farthest = np.empty(number), np.full(number, -np.inf)
    if len(column):
        for b in range(number):
            farthest[b] = _most(column[starts[b] : starts[b + 1]])
    widest = _most(starts[1:] - starts[:-1])
    count, sums = np.empty(widest, np.uint8), np.empty(widest)
    for i in range(len(queries[0])):
        _reach_boxes(bound, i, queries, boxes, measure)
        reach = _most(radius[i]) if radius.shape[1] else -np.inf
        nearest = int(np.argmin(bound))
        for turn in range(-1, number):  # the nearest first
            b = nearest if turn < 0 else turn
            far = max(reach, farthest[b])
            if turn == nearest or (bound[b] > near[i, -1] and bound[b] > far):
                continue
            first, width = starts[b], starts[b + 1] - starts[b]
            apart = sums[:width]
            apart[:] = 0.0
            _add_codes(apart, count[:width], queries[0][i], references[0], shares, first)
            least = (_least(apart) + ROUND) - ROUND  # rounded as distances are
            if least > near[i, -1] and least > far:
                continue
            _add_wide(apart, queries[1][i], references[1], first)
            _add_numbers(apart, queries[2][i], references[2], weights, first, power)
            for r in range(width):
                apart[r] = (apart[r] + ROUND) - ROUND
            if 0 <= itself[i] - first < width:
                apart[itself[i] - first] = np.inf
            _keep(apart, places[first : first + width], first, i, output)
            if len(column):
                farthest[b] = _most(column[first : first + width])
        if ties.shape[1]:
            ties[i, : min(tied[i], ties.shape[1])].sort()


_SIGNATURES = {
    search_bits: (
        f"void(uint8[:,::1], uint8[:,::1], int64[::1], int64, int64[::1], {_FOUND.format('uint8')})"
    ),
    search_mixed: (
        f"void({_POINTS}, {_POINTS}, {_BOXES}, {_MEASURE}, int64[::1], {_FOUND.format('float64')})"
    ),
}


def compiled(kernel: Callable[..., None]) -> Callable[..., None]:
    """Compile a kernel, or load it; kept on disk where any folder can be written."""
    return loops.compiled(kernel, _SIGNATURES[kernel])
