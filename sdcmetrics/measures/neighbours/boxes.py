"""References in boxes: groups of records alike, all of which are left out where their box is far.

A box says which codes its records have, and between which numbers they lie. No query is nearer to a
record than to its box, so that what is found does not depend on how records are divided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.neighbours.points import Points
from sdcmetrics.microdata.arrays import Floats, Ints, Ints32

_FEW_COLUMNS = 64
_SIZES = 128, 1024  # records of a box where there are few columns, and where there are more

_PAIRS = 64  # of records by which columns are compared, where a group is divided
_FEWEST = 16  # a part of a group that is cut off where a value changes is no smaller
_BITS = 63  # codes alike in their last six bits are one: the box is then nearer than it need be


@dataclass(frozen=True)
class Boxes:
    """Groups of references.

    Attributes
    ----------
    order : int array of shape (references,)
        The references, box by box.
    starts : int array of shape (boxes + 1,)
    codes : array of shape (columns of codes, boxes)
        A bit per code that a record has.
    lowest, highest : float arrays of shape (columns of numbers, boxes)
        Infinite, and the other way round, where all are missing.
    complete : float array of that shape
        1 where no number is missing, else 0.
    """

    order: Ints32
    starts: Ints
    codes: npt.NDArray[np.uint64]
    lowest: Floats
    highest: Floats
    complete: Floats


def boxes_of(points: Points, scales: Floats, shares: Floats) -> Boxes:
    """Divide records into boxes.

    Parameters
    ----------
    points : Points
    scales : float array of shape (columns of numbers,)
        What differences of numbers are multiplied by.
    shares : float array of shape (columns,)
        What each column counts for, codes first.

    Examples
    --------
    >>> points = Points.from_columns([[3, 3, 0]], [[1.0, float("nan"), 2.0]])
    >>> boxes = boxes_of(points, np.ones(1), np.ones(2))
    >>> boxes.codes.tolist(), boxes.lowest.tolist(), boxes.complete.tolist()
    ([[9]], [[1.0]], [[0.0]])
    """
    order, starts = _divide(points, scales, shares)
    first = starts[:-1]
    held = np.uint64(1) << (points.codes[:, order] & _BITS).astype(np.uint64)
    numbers = points.numbers[:, order]
    missing = np.isnan(numbers)
    return Boxes(
        order,
        starts,
        np.bitwise_or.reduceat(held, first, axis=1),
        np.minimum.reduceat(np.where(missing, np.inf, numbers), first, axis=1),
        np.maximum.reduceat(np.where(missing, -np.inf, numbers), first, axis=1),
        1.0 - np.logical_or.reduceat(missing, first, axis=1),
    )


def _divide(points: Points, scales: Floats, shares: Floats) -> tuple[Ints32, Ints]:
    """Divide records in two where they differ most, again and again."""
    most = _SIZES[points.columns > _FEW_COLUMNS]
    order = np.arange(points.n, dtype=np.int32)
    groups, starts = [(0, points.n)], []
    while groups:
        start, stop = groups.pop()
        if stop - start <= most:
            starts.append(start)
            continue
        rows = order[start:stop]
        column = _most_different(points, rows, scales, shares)
        middle = (stop - start) // 2
        if column is not None:
            sort = np.argsort(column, kind="stable")
            order[start:stop] = rows[sort]
            middle = _cut(column[sort], middle)
        groups += [(start + middle, stop), (start, start + middle)]
    return order, np.array([*starts, points.n], dtype=np.int64)


def _most_different(
    points: Points, rows: Ints32, scales: Floats, shares: Floats
) -> npt.NDArray[Any] | None:
    """Return the column in which some pairs of records differ most; None if they do not."""
    pairs = rows[np.linspace(0, len(rows) - 1, 2 * _PAIRS).astype(np.int64)].reshape(2, -1)
    codes, numbers = points.codes[:, pairs], points.numbers[:, pairs]
    apart = np.abs(numbers[:, 0] - numbers[:, 1]) * scales[:, None]
    apart = np.minimum(np.where(np.isnan(apart), 1.0, apart), 1.0)
    differ = np.concatenate([codes[:, 0] != codes[:, 1], apart]).mean(axis=1) * shares
    most = int(differ.argmax())
    if differ[most] == 0.0:
        return None
    column: npt.NDArray[Any]
    column = points.codes[most] if most < len(codes) else points.numbers[most - len(codes)]
    return column[rows]


def _cut(values: npt.NDArray[Any], middle: int) -> int:
    """Return where values in order are cut: where they change, if that is near the middle."""
    value = values[middle]
    if value != value:  # noqa: PLR0124  (missing, which comes last)
        changes = [int(np.argmax(np.isnan(values)))]
    else:
        changes = [int(np.searchsorted(values, value, side=side)) for side in ("left", "right")]
    cut = min(changes, key=lambda change: abs(change - middle))
    least = max(_FEWEST, len(values) // 16)
    return cut if least <= cut <= len(values) - least else middle
