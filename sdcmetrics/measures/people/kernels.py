"""The loops of the search for nearest records, compiled when they are first used.

Only `search` imports this module, and only when it searches: it loads the compiler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sdcmetrics.measures.neighbours.bits import inner
from sdcmetrics.microdata.arrays import Ints, Ints32

_CHUNK = 128
_BLOCK = 1024
_TRIED = 32  # records of which is seen whether few others are close
_MANY = 4  # all others are taken where a quarter of them are
_LARGEST = 2**31 - 1
_FEW = 4  # columns of codes from which on they are counted in bytes first
_FULL = 252  # columns that are counted in a byte; a multiple of 4


@inner
def _smallest(key: Any, first: int, stop: int) -> Any:
    """Return the smallest key of a chunk."""
    chunk = key[first:stop]
    least = np.int32(_LARGEST)
    for b in range(len(chunk)):
        least = min(least, chunk[b])
    return least


@inner
def _least(key: Any, start: int, stop: int, minima: Any) -> Any:
    """Return the smallest key of a stretch and its place; fill in the smallest of each chunk."""
    for chunk in range(len(minima)):
        first = start + chunk * _CHUNK
        minima[chunk] = _smallest(key, first, min(first + _CHUNK, stop))
    return _first(key, start, stop, minima)


@inner
def _first(key: Any, start: int, stop: int, minima: Any) -> Any:
    """Return the smallest key of a stretch and its first place, by the smallest of each chunk."""
    best = np.int32(_LARGEST)
    at = 0
    for chunk in range(len(minima)):
        if minima[chunk] < best:
            best, at = minima[chunk], chunk
    first = start + at * _CHUNK
    for place in range(first, min(first + _CHUNK, stop)):
        if key[place] == best:
            return best, place
    return best, first


@inner
def _next(key: Any, start: int, stop: int, minima: Any, place: int) -> Any:
    """Return the smallest key of a stretch after that at a place was taken away."""
    if start <= place < stop:
        chunk = (place - start) // _CHUNK
        first = start + chunk * _CHUNK
        minima[chunk] = _smallest(key, first, min(first + _CHUNK, stop))
    return _smallest(minima, 0, len(minima))


@inner
def _add_distances(columns: Any, values: Any, first: int, parts: Any, unit: int, out: Any) -> None:
    """Set the distances of a record to others from one on, in some of the columns.

    Columns are numbers, codes of a byte and wider codes; values are the record's, and parts says
    which columns of each.
    """
    _, codes, wide = columns
    mismatches = np.empty(_BLOCK, np.uint8)
    start, end, start_wide, end_wide = parts[1, 0], parts[1, 1], parts[2, 0], parts[2, 1]
    few = end - start < _FEW
    cut = np.int32(unit)
    for at in range(0, len(out), _BLOCK):
        block = out[at : at + _BLOCK]
        block[:] = 0
        for k in range(start_wide, end_wide):
            _add_code(wide[k, first + at : first + at + len(block)], values[2][k, 0], cut, block)
        for k in range(start, end if few else start):
            _add_code(codes[k, first + at : first + at + len(block)], values[1][k, 0], cut, block)
        count = mismatches[: len(block)]
        for k in range(start, start if few else end, _FULL):
            count[:] = 0
            _count_codes(codes, values[1], first + at, k, min(k + _FULL, end), count)
            for b in range(len(block)):
                block[b] += np.int32(count[b]) * cut
        _add_numbers(columns[0], values[0], first + at, parts[0, 0], parts[0, 1], unit, block)


@inner
def _add_code(codes: Any, value: Any, cut: Any, out: Any) -> None:
    """Add the distances in one column of codes."""
    for b in range(len(out)):
        out[b] += cut if codes[b] != value else np.int32(0)


@inner
def _count_codes(codes: Any, values: Any, first: int, k: int, end: int, count: Any) -> None:
    """Count in how many columns a record differs from others; four columns at a time."""
    stop = first + len(count)
    while k + 4 <= end:
        one, two, three = codes[k, first:stop], codes[k + 1, first:stop], codes[k + 2, first:stop]
        four, x, y = codes[k + 3, first:stop], values[k, 0], values[k + 1, 0]
        z, w = values[k + 2, 0], values[k + 3, 0]
        for b in range(len(count)):
            count[b] += (
                np.uint8(one[b] != x)
                + np.uint8(two[b] != y)
                + np.uint8(three[b] != z)
                + np.uint8(four[b] != w)
            )
        k += 4
    while k < end:
        column, x = codes[k, first:stop], values[k, 0]
        for b in range(len(count)):
            count[b] += np.uint8(column[b] != x)
        k += 1


@inner
def _add_numbers(
    numbers: Any, values: Any, first: int, k: int, end: int, unit: int, out: Any
) -> None:
    """Add the distances in columns of numbers; three columns at a time, which their type holds."""
    stop = first + len(out)
    short = numbers.dtype.type
    cut = short(unit)
    while k + 3 <= end:
        one, two, three = (
            numbers[k, first:stop],
            numbers[k + 1, first:stop],
            numbers[k + 2, first:stop],
        )
        own_one, own_two, own_three = values[k, 0], values[k + 1, 0], values[k + 2, 0]
        for b in range(len(out)):
            x, y, z = short(one[b] - own_one), short(two[b] - own_two), short(three[b] - own_three)
            x, y, z = max(x, short(-x)), max(y, short(-y)), max(z, short(-z))
            out[b] += np.int32(short(short(min(x, cut) + min(y, cut)) + min(z, cut)))
        k += 3
    while k < end:
        column, value = numbers[k, first:stop], values[k, 0]
        for b in range(len(out)):
            x = short(column[b] - value)
            out[b] += np.int32(min(max(x, short(-x)), cut))
        k += 1


@inner
def _add_groups(
    columns: Any, values: Any, first: int, n: int, groups: Any, unit: int, sums: Any, total: Any
) -> None:
    """Set the distances of a record to n others from one on, by group of columns and in all."""
    whole = total[:n]
    whole[:] = 0
    for g in range(len(sums)):
        part = sums[g, :n]
        _add_distances(columns, values, first, groups[g], unit, part)
        for b in range(len(part)):
            whole[b] += part[b]


@inner
def _close(
    total: Any, start: int, stop: int, slack: int, far: int, minima: Any, close: Any, count: int
) -> int:
    """List who of a stretch may be one of its two nearest by some columns; return how many are.

    Without a group of columns nobody is nearer by more than this group can hold, the slack, and
    two are at most as far as the second nearest by all columns.
    """
    nearest, at = _least(total, start, stop, minima)
    total[at] = _LARGEST
    limit = min(_next(total, start, stop, minima, at) + slack, far)
    total[at] = nearest
    for b in range(start, stop):
        close[count] = b
        count += 1 if total[b] <= limit else 0
    return count


@inner
def _list_all(close: Any, start: int, number: int) -> None:
    for b in range(number):
        close[b] = start + b


@inner
def _gather(columns: Any, i: int, close: Any, values: Any, others: Any) -> None:
    """Set the values of a record, and of those who are close."""
    for j in range(len(values)):
        values[j, 0] = columns[j, i]
        column, out = columns[j], others[j]
        for b in range(len(close)):
            out[b] = column[close[b]]


@inner
def _room(columns: Any, number: int) -> Any:
    """Return room for the values of so many records."""
    numbers, codes, wide = columns
    return (
        np.zeros((len(numbers), number), numbers.dtype),
        np.zeros((len(codes), number), codes.dtype),
        np.zeros((len(wide), number), wide.dtype),
    )


@inner
def _gather_all(columns: Any, i: int, close: Any, values: Any, others: Any) -> None:
    """Set the values in all columns of a record, and of those who are close."""
    _gather(columns[0], i, close, values[0], others[0])
    _gather(columns[1], i, close, values[1], others[1])
    _gather(columns[2], i, close, values[2], others[2])


@inner
def _set_keys(key: Any, total: Any, left_out: Any, noise: Any, shift: int) -> None:
    """Set distances without a group of columns, random bits behind them."""
    up = np.int32(shift)
    for b in range(len(key)):
        key[b] = np.int32(np.int32(np.int32(total[b] - left_out[b]) << up) | noise[b])


@inner
def _bits(noises: Any, i: int, b: int, shift: int) -> Any:
    """Return random bits, others for each pair of records."""
    down = np.uint32(32 - shift)
    return np.int32(np.uint32(noises[0, i] + noises[1, b]) >> down) if shift else np.int32(0)


@inner
def _winner(ties: Any, start: int, stop: int, noises: Any, i: int, shift: int) -> Any:
    """Return who of equally near records has the smallest random bits, the first of several."""
    at = ties[start]
    least = _bits(noises, i, at, shift)
    for place in range(start + 1, stop):
        bits = _bits(noises, i, ties[place], shift)
        if bits < least:
            at, least = ties[place], bits
    return at, least


def search(  # noqa: PLR0913, PLR0915, PLR0917  (compiled: plain arrays, one loop)
    columns: Any,
    pool: int,
    unit: int,
    groups: Any,
    shift: int,
    noises: Any,
    nearest_known: Any,
    ties: Any,
    starts: Any,
    results: Any,
) -> None:
    """Fill what is results, record by record."""
    own, replica, person, nearest_one, distance, second = results
    count, size = nearest_one.shape
    every = groups[-1]  # all columns
    sums = np.zeros((len(groups) - 1, size), np.int32)
    total, whole, key = np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros(size, np.int32)
    none, noise = np.zeros(size, np.int32), np.zeros(size, np.int32)
    close, others, values = np.zeros(size + 1, np.int32), _room(columns, size), _room(columns, 1)
    minima = np.zeros(_chunks(size), np.int32)
    in_replica = np.zeros_like(minima)
    number = every[:, 1].sum()
    far = number * unit
    slack = unit * ((number + len(sums) - 1) // len(sums)) if count > 1 else 0
    listed, searched = 0, 0
    for i in range(size):
        start = pool if i < pool and len(starts) > 0 else 0  # people are known to each other
        everybody = i >= _TRIED and listed * _MANY > searched
        if everybody:
            p, m = pool - start, size - start
            _list_all(close, start, m)
            _gather_all(columns, i, close[:0], values, others)
            _add_groups(columns, values, start, m, groups, unit, sums, whole)
        else:
            _gather_all(columns, i, close[:0], values, others)
            _add_distances(columns, values, start, every, unit, total[start:])
            total[i] = _LARGEST
            p = 0
            if start == 0:
                p = _close(total, 0, pool, slack, far, minima[: _chunks(pool)], close, 0)
            m = _close(total, pool, size, slack, far, minima[: _chunks(size - pool)], close, p)
            _gather_all(columns, i, close[:m], values, others)
            _add_groups(others, values, 0, m, groups, unit, sums, whole)
            listed, searched = listed + m, searched + size - start
        itself = i - start if everybody else -1
        for b in range(m):
            noise[b] = _bits(noises, i, close[b], shift)
        of_people, of_replica = minima[: _chunks(p)], in_replica[: _chunks(m - p)]
        for c in range(count):
            left_out = none if c == 0 else sums[c - 1]
            _set_keys(key[:m], whole[:m], left_out[:m], noise[:m], shift)
            _take_away(key, itself)
            r, copy = _least(key, p, m, of_replica)
            if start > 0:
                first, stop, place = starts[i * count + c], starts[i * count + c + 1], -1
                people, bits = _winner(ties, first, stop, noises, i, shift)
                a = np.int32(nearest_known[0][c, i] << np.int32(shift)) | bits
            else:
                first, stop = 0, 0
                a, place = _least(key, 0, p, of_people)
                people = close[place]
            if i < pool:
                own[c, i], replica[c, i] = a >> shift, r >> shift
            else:
                person[c, i - pool] = people
            coin = (noises[0, i] >> np.uint32(c)) & np.uint32(1)
            of_person = a < r or (a == r and coin == 1)
            nearest_one[c, i] = people if of_person else close[copy]
            distance[c, i] = (a if of_person else r) >> shift
            at = place if of_person else copy
            _take_away(key, at)
            r = _next(key, p, m, of_replica, at)
            if start == 0:
                second[c, i] = min(_next(key, 0, p, of_people, at), r) >> shift
            else:
                alone = of_person and stop - first == 1
                second[c, i] = min(nearest_known[int(alone)][c, i], r >> shift)


@inner
def _take_away(key: Any, place: int) -> None:
    if place >= 0:
        key[place] = _LARGEST


@inner
def _chunks(size: int) -> int:
    return (size + _CHUNK - 1) // _CHUNK


def among(columns: Any, unit: int, out: Any, ties: Ints32, starts: Ints, groups: Any) -> int:
    """Fill in who is nearest, person by person, and return how many they are; some may not fit."""
    configurations, pool = out.shape[1:]
    sums = np.zeros((len(groups) - 1, pool), np.int32)
    total, none = np.zeros(pool, np.int32), np.zeros(pool, np.int32)
    key, minima = np.zeros(pool, np.int32), np.zeros(_chunks(pool), np.int32)
    others, values = _room(columns, 0), _room(columns, 1)
    count = 0
    for i in range(pool):
        _gather_all(columns, i, none[:0], values, others)
        _add_groups(columns, values, 0, pool, groups, unit, sums, total)
        for c in range(configurations):
            _set_keys(key, total, none if c == 0 else sums[c - 1], none, 0)
            key[i] = _LARGEST
            least, _ = _least(key, 0, pool, minima)
            for chunk in range(len(minima)):
                if minima[chunk] != least:
                    continue
                first = chunk * _CHUNK
                for b in range(first, min(first + _CHUNK, pool)):
                    if key[b] == least:
                        if count < len(ties):
                            ties[count] = b
                        count += 1
            starts[i * configurations + c + 1] = count
            above = np.int32(_LARGEST)
            for b in range(pool):
                above = min(above, key[b] if key[b] > least else np.int32(_LARGEST))
            out[0, c, i], out[1, c, i] = least, above
    return count


def crowd(
    columns: Any, unit: int, groups: Any, shift: int, noises: Any, near: Ints32, means: Any
) -> None:
    """Fill in the nearest records, record by record."""
    size, k = near.shape
    total, none = np.zeros(size, np.int32), np.zeros(size, np.int32)
    key, noise = np.zeros(size, np.int32), np.zeros(size, np.int32)
    minima = np.zeros(_chunks(size), np.int32)
    others, values = _room(columns, 0), _room(columns, 1)
    for i in range(size):
        _gather_all(columns, i, none[:0], values, others)
        _add_distances(columns, values, 0, groups[-1], unit, total)
        for b in range(size):
            noise[b] = _bits(noises, i, b, shift)
        _set_keys(key, total, none, noise, shift)
        everybody = np.int64(0)
        for b in range(size):
            everybody += np.int64(total[b])
        key[i] = _LARGEST
        closest = np.int64(0)
        _, at = _least(key, 0, size, minima)
        for place in range(k):
            near[i, place] = at
            closest += np.int64(total[at])
            key[at] = _LARGEST
            _next(key, 0, size, minima, at)
            _, at = _first(key, 0, size, minima)
        means[0, i], means[1, i] = closest / k, everybody / (size - 1)


def cells(columns: Any, original: Any, unit: int, every: Any, limits: Any, out: Ints) -> None:
    """Count cells, and whom they hold, record by record of the replica."""
    size, pool = columns[0].shape[1], len(original)
    total, none = np.zeros(size, np.int32), np.zeros(0, np.int32)
    free = np.ones((len(limits), size), np.uint8)
    others, values = _room(columns, 0), _room(columns, 1)
    for i in range(pool, size):
        if not free[:, i].any():
            continue
        _gather_all(columns, i, none, values, others)
        _add_distances(columns, values, 0, every, unit, total)
        for k in range(len(limits)):
            if not free[k, i]:
                continue
            near, part = np.int32(limits[k]), free[k]
            ours, theirs = np.int64(0), np.int64(0)
            for b in range(pool):
                inside = np.int64(total[b] <= near)
                ours += inside * original[b]
                theirs += inside * (1 - original[b])
            records = np.int64(0)
            for b in range(pool, size):
                around = np.uint8(total[b] <= 2 * near)
                part[b] &= np.uint8(1) - around
                records += np.int64(around)
            if records < 2:  # noqa: PLR2004  (nobody's copy has a copy here)
                continue
            out[k, 0] += 1 if ours == 0 else 0
            out[k, 1] += 1 if ours == 1 else 0
            out[k, 2] += 1 if ours == 2 else 0  # noqa: PLR2004  (two people)
            out[k, 3] += 1 if ours == 1 and theirs == 0 else 0
            out[k, 4] += 1 if ours == 0 and theirs == 1 else 0
