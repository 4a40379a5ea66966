"""The loops of the search, compiled when they are first used.

Codes alone are searched bit by bit (`bits`). Mixed: numbers and codes, distances in double
precision, differences of codes counted in one byte, so that a vector register holds many pairs.
Each exists for one set of argument types and is kept on disk, so that only the first search ever
waits for the compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sdcmetrics.measures.neighbours.bits import MOST_COLUMNS, Found, inner, search_bits
from sdcmetrics.microdata import compiled as loops
from sdcmetrics.microdata.arrays import Bytes, Floats, Ints, Ints32

__all__ = ["BLOCK", "MOST_COLUMNS", "ROUND", "compiled", "search_bits", "search_mixed"]

BLOCK = 2048
"""References compared at a time: their codes and the counts stay in the nearest cache."""

_LEAP = 128  # references left out at once where their codes alone are too far away
_CHUNK = 64  # distances looked through one by one only if the smallest of them matters
_FULL = 252  # columns counted in a byte before they are added to a double; a multiple of 4
ROUND = 1.5 * 2.0**12  # adding and subtracting it rounds to multiples of 2^-40

Mixed = tuple[Bytes, Ints32, Floats]

_POINTS = "Tuple((uint8[:,::1], int32[:,::1], float64[:,::1]))"
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
def _keep_ties(distance: Any, first: int, i: int, least: Any, output: Found) -> None:
    """Count, and list as far as there is room, the references at the smallest distance."""
    near, _, tied, ties, _, _, _ = output
    if least < near[i, 0]:
        tied[i] = 0
    room = ties.shape[1]
    place = tied[i]
    for start in range(0, len(distance), _CHUNK):
        chunk = distance[start : start + _CHUNK]
        if _least(chunk) == least:
            for b in range(len(chunk)):
                if chunk[b] == least:
                    if place < room:
                        ties[i, place] = first + start + b
                    place += 1
    tied[i] = place


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
def _keep(distance: Any, first: int, i: int, output: Found) -> None:
    """Take the nearest of a block of references into what was found for query i."""
    near, index, _, _, column, radius, within = output
    width = len(distance)
    least = _least(distance)
    for j in range(radius.shape[1]):
        if least <= radius[i, j]:
            _count_within(distance, radius[i, j], within[i, j])
    if len(column):
        part = column[first : first + width]
        for b in range(width):
            part[b] = min(part[b], distance[b])
    if least > near[i, -1]:
        return
    if least <= near[i, 0]:
        _keep_ties(distance, first, i, least, output)
    if least >= near[i, -1]:
        return
    for start in range(0, width, _CHUNK):
        chunk = distance[start : start + _CHUNK]
        if _least(chunk) < near[i, -1]:
            for b in range(len(chunk)):
                if chunk[b] < near[i, -1]:  # an equal one that comes later has the larger index
                    place = near.shape[1] - 1
                    while place > 0 and chunk[b] < near[i, place - 1]:
                        near[i, place] = near[i, place - 1]
                        index[i, place] = index[i, place - 1]
                        place -= 1
                    near[i, place] = chunk[b]
                    index[i, place] = first + start + b


@inner
def _add_mixed(
    lower: Any, query: Mixed, references: Mixed, weights: Floats, power: int, place: Any, work: Any
) -> None:
    """Add what is not codes to a block of sums, but where the codes alone are too far away.

    Numbers only add to a distance. So references whose codes are farther away than what was found
    for the query, than its radii, and than what was found for each of them, are left out in leaps:
    nothing that is found changes.
    """
    i, first, own = place
    output, farthest, buffer = work
    near, _, _, _, column, radius, _ = output
    reach = -np.inf
    for j in range(radius.shape[1]):
        reach = max(reach, radius[i, j])
    leap = BLOCK // len(farthest)
    for start in range(0, len(lower), leap):
        codes = lower[start : start + leap]
        least = (float(_least(codes)) + ROUND) - ROUND  # rounded as distances are
        if least > near[i, -1] and least > reach and least > farthest[start // leap]:
            continue
        sums = buffer[: len(codes)]
        for b in range(len(sums)):
            sums[b] = codes[b]
        _add_wide(sums, query[1][i], references[1], first + start)
        _add_numbers(sums, query[2][i], references[2], weights, first + start, power)
        for b in range(len(sums)):
            sums[b] = (sums[b] + ROUND) - ROUND
        if 0 <= own - start < len(sums):
            sums[own - start] = np.inf
        _keep(sums, first + start, i, output)
        if len(column):
            farthest[start // leap] = _most(column[first + start : first + start + len(sums)])


def search_mixed(
    queries: Mixed,
    references: Mixed,
    weights: Floats,
    shares: Floats,
    power: int,
    itself: Ints,
    output: Found,
) -> None:
    """Do the same with numbers, with columns that count differently, or with many columns.

    `shares` is what columns of codes count for, or empty: 1 each.
    """
    narrow, column = references[0], output[4]
    n, columns = narrow.shape[1], narrow.shape[0]
    in_bytes = columns <= _FULL and not len(shares)
    buffer, byte_buffer, work = np.empty(BLOCK), np.empty(BLOCK, np.uint8), np.empty(BLOCK)
    leap = _LEAP if columns else BLOCK
    for first in range(0, n, BLOCK):
        width = min(BLOCK, n - first)
        sums, count = buffer[:width], byte_buffer[:width]
        farthest = np.full(BLOCK // leap, -np.inf)  # what was found for references, per leap
        if len(column):
            for start in range(0, width, leap):
                farthest[start // leap] = _most(column[first + start : first + width][:leap])
        for i in range(len(queries[0])):
            place = (i, first, itself[i] - first)
            if in_bytes:
                count[:] = 0
                _add_differences(count, queries[0][i], narrow, 0, columns, first)
                _add_mixed(
                    count, queries, references, weights, power, place, (output, farthest, work)
                )
                continue
            sums[:] = 0.0
            if len(shares):
                _add_shares(sums, queries[0][i], narrow, shares, first)
            else:
                _add_many(sums, count, queries[0][i], narrow, first)
            _add_mixed(sums, queries, references, weights, power, place, (output, farthest, work))


_SIGNATURES = {
    search_bits: (
        f"void(uint8[:,::1], uint8[:,::1], int64[::1], int64, int64[::1], {_FOUND.format('uint8')})"
    ),
    search_mixed: (
        f"void({_POINTS}, {_POINTS}, float64[:,::1], float64[::1], int64, "
        f"int64[::1], {_FOUND.format('float64')})"
    ),
}


def compiled(kernel: Callable[..., None]) -> Callable[..., None]:
    """Compile a kernel, or load it; kept on disk where any folder can be written."""
    return loops.compiled(kernel, _SIGNATURES[kernel])
