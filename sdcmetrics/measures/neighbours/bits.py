"""The search among codes, 64 references at a time: in how many columns they differ, bit by bit.

For each level of each column one bit per reference says that it has another level. The bits of a
query's levels are added up column by column by full adders, so that bit p of the number of
differences of 64 references lies in one word of plane p. Numbers are only looked at one by one
where a reference is near enough to be kept, or nearer to the query than to all before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from sdcmetrics.microdata.arrays import Bytes, Ints, Ints32

BLOCK = 8192
"""References compared at a time: their bits stay in the cache of a core."""

MOST_COLUMNS = 254
"""Columns whose differences a byte can count; 255 stands for "no neighbour"."""

_NONE = 255
_ZERO, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)

Bits = npt.NDArray[np.uint64]
ResultArrays = tuple[Any, Ints32, Ints, Ints32, Any, Any, Any]
F = TypeVar("F", bound=Callable[..., Any])


def inner(function: F) -> F:
    """Mark a function as part of the compiled loops, which Python itself never calls."""
    return cast("F", njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


@inner
def _ones(x: Any) -> Any:
    """Count the bits that are set; the processor has an instruction for this."""
    x -= (x >> _ONE) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def _write_bits(bits: Bits, references: Bytes, starts: Ints, first: int, stop: int) -> None:
    """Write who has another level, for each level; the last rows are of no level."""
    bits[: starts[-1]] = _ALL
    bits[starts[-1]] = _ZERO
    for j in range(len(references)):
        codes = references[j, first:stop]
        for b in range(len(codes)):
            bits[starts[j] + codes[b], b >> 6] &= ~(_ONE << np.uint64(b & 63))


@inner
def _write_valid(valid: Bits, number: int) -> None:
    """Write which bits stand for references."""
    valid[:] = _ZERO
    for b in range(number):
        valid[b >> 6] |= _ONE << np.uint64(b & 63)


@inner
def _add_eight(planes: Bits, bits: Bits, rows: Ints) -> None:
    """Add eight rows of bits to the planes 0..3; the last one is what is left over."""
    r0, r1, r2, r3 = bits[rows[0]], bits[rows[1]], bits[rows[2]], bits[rows[3]]
    r4, r5, r6, r7 = bits[rows[4]], bits[rows[5]], bits[rows[6]], bits[rows[7]]
    p0, p1, p2, p3, over = planes[0], planes[1], planes[2], planes[3], planes[-1]
    for w in range(len(over)):
        a, b, c = r0[w], r1[w], r2[w]
        x = a ^ b
        low, two = x ^ c, (a & b) | (x & c)
        a, b, c = r3[w], r4[w], r5[w]
        x = a ^ b
        ones, twos = x ^ c, (a & b) | (x & c)
        a, x = r6[w], low ^ ones
        low, three = x ^ a, (low & ones) | (x & a)
        a, b = p0[w], r7[w]
        x = a ^ low
        p0[w], carry = x ^ b, (a & low) | (x & b)
        x = two ^ twos
        two, four = x ^ three, (two & twos) | (x & three)
        a = p1[w]
        x = a ^ two
        p1[w], fours = x ^ carry, (a & two) | (x & carry)
        a = p2[w]
        x = a ^ four
        p2[w], eight = x ^ fours, (a & four) | (x & fours)
        a = p3[w]
        p3[w] = a ^ eight
        over[w] = a & eight


@inner
def _carry(plane: Bits, carried: Bits) -> None:
    """Add to a plane what was left over, and leave over what does not fit."""
    for w in range(len(plane)):
        a = plane[w]
        plane[w] = a ^ carried[w]
        carried[w] &= a


@inner
def _compare(planes: Bits, best: Bits, reach: Any, flags: Bits, p: int) -> None:
    """Compare bits p..p+3 of numbers with `reach` and `best`, the lower ones being compared.

    The two rows of `flags` say which are at most `reach`, and which are less than `best`.
    """
    n0, n1, n2, n3 = planes[p], planes[p + 1], planes[p + 2], planes[p + 3]
    b0, b1, b2, b3 = best[p], best[p + 1], best[p + 2], best[p + 3]
    g0, g1, g2, g3 = (
        _spread(reach, p),
        _spread(reach, p + 1),
        _spread(reach, p + 2),
        _spread(reach, p + 3),
    )
    near, less = flags[0], flags[1]
    for w in range(len(near)):
        f, g = near[w], less[w]
        x, y = ~n0[w], b0[w]
        f, g = (x & g0) | (f & (x | g0)), (x & y) | (g & (x | y))
        x, y = ~n1[w], b1[w]
        f, g = (x & g1) | (f & (x | g1)), (x & y) | (g & (x | y))
        x, y = ~n2[w], b2[w]
        f, g = (x & g2) | (f & (x | g2)), (x & y) | (g & (x | y))
        x, y = ~n3[w], b3[w]
        near[w], less[w] = (x & g3) | (f & (x | g3)), (x & y) | (g & (x | y))


@inner
def _spread(number: Any, p: int) -> Any:
    """Return bit p of a number, 64 times."""
    return _ALL if (number >> p) & 1 else _ZERO


@inner
def _write(bits: Bits, others: Bits) -> None:
    """Write others over bits; where shapes might differ, the compiler takes two seconds longer."""
    for w in range(len(bits)):
        bits[w] = others[w]


@inner
def _kth(planes: Bits, k: int, among: Bits) -> Any:
    """Return the k-th smallest number; `among` says of which, and is used up."""
    rank = np.int64(0)
    for p in range(len(planes) - 2, -1, -1):
        number = planes[p]
        zeros = 0
        for w in range(len(number)):
            zeros += _ones(among[w] & ~number[w])
        if zeros >= k:
            for w in range(len(number)):
                among[w] &= ~number[w]
        else:
            k -= zeros
            rank |= np.int64(1) << p
            for w in range(len(number)):
                among[w] &= number[w]
    return rank


@inner
def _least(planes: Bits, among: Bits, lower: Bits) -> Any:
    """Return the smallest number; `among` says of which, and afterwards whose it is."""
    rank = np.int64(0)
    for p in range(len(planes) - 2, -1, -1):
        number, some = planes[p], _ZERO
        for w in range(len(number)):
            lower[w] = among[w] & ~number[w]
            some |= lower[w]
        if some:
            _write(among, lower)
        else:
            rank |= np.int64(1) << p
    return rank


@inner
def _keep_least(
    distance: Any, first: int, i: int, among: Bits, near: Any, index: Ints32, tied: Ints
) -> None:
    """Take those of a block at its smallest distance, of which only the first has to be named."""
    if distance > near[i, 0]:
        return
    times = np.int64(0)
    for w in range(len(among)):
        times += _ones(among[w])
    if not times:  # the query itself is alone in the block
        return
    if distance == near[i, 0]:
        tied[i] += times
        return
    near[i, 0], tied[i], w = distance, times, 0
    while not among[w]:
        w += 1
    index[i, 0] = first + 64 * w + _ones((among[w] & (~among[w] + _ONE)) - _ONE)


@inner
def _count_within(planes: Bits, reach: Any, among: Bits, counts: Ints) -> None:
    """Add how many references are closer than a radius, and how many at it."""
    for w in range(len(among)):
        less, equal = _ZERO, among[w]
        for p in range(len(planes) - 2, -1, -1):
            if (reach >> p) & 1:
                less |= equal & ~planes[p, w]
                equal &= planes[p, w]
            else:
                equal &= ~planes[p, w]
        counts[0] += _ones(less)
        counts[1] += _ones(equal)


@inner
def _read_column(best: Bits, column: Bytes) -> None:
    """Write the distances that were found for references before into planes."""
    best[:] = _ZERO
    for b in range(len(column)):
        bit = _ONE << np.uint64(b & 63)
        for p in range(len(best) - 1):
            best[p, b >> 6] |= bit if (column[b] >> p) & 1 else _ZERO
        best[-1, b >> 6] |= bit if column[b] == _NONE else _ZERO


@inner
def _copy(planes: Bits, best: Bits, w: int, bit: Any) -> None:
    """Write the number of one reference into `best`."""
    for p in range(len(planes) - 1):
        best[p, w] = (best[p, w] & ~bit) | (planes[p, w] & bit)
    best[-1, w] &= ~bit


@inner
def _differ(planes: Bits, bits: Bits, query: Bytes, starts: Ints, rows: Ints) -> None:
    """Count in how many columns a query differs from the references of a block."""
    zeros = starts[-1]
    narrow = len(query) - 4 * (len(bits) - 1 - zeros)
    for j in range(narrow):
        rows[j] = starts[j] + query[j]
    for q in range(zeros + 1, len(bits)):
        start = narrow + 4 * (q - zeros - 1)
        row = bits[q]
        row[:] = _ZERO
        for j in range(start, start + 4):
            more = bits[starts[j] + query[j]]
            for w in range(len(row)):
                row[w] |= more[w]
    planes[:] = _ZERO
    for j in range(0, len(rows), 8):
        _add_eight(planes, bits, rows[j : j + 8])
        for p in range(4, len(planes) - 1):
            _carry(planes[p], planes[-1])


@inner
def _mark(planes: Bits, best: Bits, reach: Any, valid: Bits, flags: Bits) -> None:
    """Mark in the first row of `flags` who is near enough, or nearer than all before."""
    flags[0] = _ALL
    flags[1] = _ZERO
    for p in range(0, len(planes) - 1, 4):
        _compare(planes, best, reach, flags, p)
    near, less, free = flags[0], flags[1], best[-1]
    for w in range(len(near)):
        near[w] = (near[w] | less[w] | free[w]) & valid[w]


@inner
def _read(planes: Bits, w: int, bit: Any) -> Any:
    """Return the number of one reference."""
    b, number = np.uint64(_ones(bit - _ONE)), np.int64(0)
    for p in range(len(planes) - 1):
        number |= np.int64((planes[p, w] >> b) & _ONE) << p
    return number


@inner
def _keep(
    distance: Any, at: Any, i: int, near: Any, index: Ints32, tied: Ints, ties: Ints32
) -> None:
    """Take one reference into what was found for query i."""
    if distance <= near[i, 0]:
        place = tied[i] if distance == near[i, 0] else 0
        if place < ties.shape[1]:
            ties[i, place] = at
        tied[i] = place + 1
    if distance < near[i, -1]:  # an equal one that comes later has the larger index
        place = near.shape[1] - 1
        while place > 0 and distance < near[i, place - 1]:
            near[i, place] = near[i, place - 1]
            index[i, place] = index[i, place - 1]
            place -= 1
        near[i, place] = distance
        index[i, place] = at


@inner
def _flip(valid: Bits, query: int, number: int) -> None:
    """Take a query itself, where it is in a block, from those that may be found, or put it back."""
    if 0 <= query < number:
        valid[query >> 6] ^= _ONE << np.uint64(query & 63)


def search_bits(
    queries: Bytes, references: Bytes, starts: Ints, wide: int, itself: Ints, output: ResultArrays
) -> None:
    """Search a block of queries; query i is reference itself[i], or none where that is -1.

    Level v of byte j has row starts[j] + v of the bits; the last 4 `wide` bytes are four to a
    column. Then come a row of zeros and one for each wide column.
    """
    near, index, tied, ties, column, radius, within = output
    n, columns = references.shape[1], len(references) - 3 * wide
    levels = 8 if columns >= 1 << 4 else 4
    words = -(-n // (64 * -(-n // BLOCK)))  # of a block: all as large
    bits = np.empty((starts[-1] + 1 + wide, words), np.uint64)
    rows = np.full(-(-columns // 8) * 8, starts[-1])
    for q in range(wide):
        rows[columns - wide + q] = starts[-1] + 1 + q
    planes, best = (
        np.empty((levels + 1, words), np.uint64),
        np.empty((levels + 1, words), np.uint64),
    )
    flags = np.empty((2, words), np.uint64)
    valid, among = np.empty(words, np.uint64), np.empty(words, np.uint64)
    alone = near.shape[1] == 1 and not ties.shape[1] and not len(column)
    for first in range(0, n, 64 * words):
        stop = min(n, first + 64 * words)
        _write_bits(bits, references, starts, first, stop)
        _write_valid(valid, stop - first)
        _read_column(best, column[first:stop])
        for i in range(len(queries)):
            _differ(planes, bits, queries[i], starts, rows)
            own = itself[i] - first
            _flip(valid, own, stop - first)
            for j in range(radius.shape[1]):
                _count_within(planes, radius[i, j], valid, within[i, j])
            if alone:
                _write(among, valid)
                least = _least(planes, among, flags[0])
                _keep_least(least, first, i, among, near, index, tied)
                _flip(valid, own, stop - first)
                continue
            reach = np.int64(near[i, -1])
            if reach == _NONE:
                _write(among, valid)
                reach = _kth(planes, near.shape[1], among)
            _mark(planes, best, reach, valid, flags)
            for w in range(words):
                left = flags[0, w]
                while left:
                    bit = left & (~left + _ONE)  # the lowest that is set
                    left ^= bit
                    distance = _read(planes, w, bit)
                    at = first + 64 * w + _ones(bit - _ONE)
                    if len(column) and distance < column[at]:
                        column[at] = distance
                        _copy(planes, best, w, bit)
                    _keep(distance, at, i, near, index, tied, ties)
            _flip(valid, own, stop - first)
