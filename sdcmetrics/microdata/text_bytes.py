"""Fast tests on the bytes of a column of text, before any pattern is tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_LOWEST, _HIGHEST = ord("-"), ord("9")
"""Between them are the minus, the point, the slash (which no number has) and the digits."""
_ZERO = ord("0")
_LINE_ENDS = (ord("\n"), ord("\r"))


def plain_numbers(text: pa.ChunkedArray, most_digits: int) -> pa.ChunkedArray | None:
    """Return a column of plain decimal numbers as int64 or float64; None where it may be another.

    Plain is a minus or none, digits, and a point or none: no blank, exponent, comma, plus or
    leading zero, and no more characters than `most_digits` in a number with a point.

    Examples
    --------
    >>> plain_numbers(pa.chunked_array([["1", None, "-209"]]), 15).to_pylist()
    [1, None, -209]
    >>> plain_numbers(pa.chunked_array([["1", "007"]]), 15) is None
    True
    """
    if text.null_count == len(text):
        return None
    points = False
    longest = 0
    for chunk in text.chunks:
        values, starts = _bytes(chunk)
        if not len(values):
            continue
        lowest = values.min()
        if lowest < _LOWEST or values.max() > _HIGHEST:
            return None
        lengths = np.diff(starts)
        longest = max(longest, int(lengths.max()))
        points = points or bool((values == ord(".")).any())
        if _has_leading_zeros(values, starts[:-1], lengths, negative=bool(lowest == _LOWEST)):
            return None
    if points and longest > most_digits:
        return None
    try:
        column = text.cast(pa.float64() if points else pa.int64())
    except pa.ArrowInvalid:  # an empty value, a slash, two points, or more digits than 64 bits have
        return None
    return column


def _has_leading_zeros(
    values: npt.NDArray[np.uint8],
    starts: npt.NDArray[Any],
    lengths: npt.NDArray[Any],
    *,
    negative: bool,
) -> bool:
    """Whether a zero stands before another digit at the start of a number, `negative` or not."""
    first = values.take(starts, mode="clip")  # empty values may start at the end
    if negative:
        minus = (first == _LOWEST) & (lengths > 0)
        starts, lengths = starts + minus, lengths - minus
        first = values.take(starts, mode="clip")
    zeros = np.flatnonzero((first == _ZERO) & (lengths > 1))
    return bool((values[starts[zeros] + 1] >= _ZERO).any())


def holds_line_ends(table: pa.Table) -> bool:
    """Whether a value of a table of texts has a line end within it."""
    return any(
        (values == mark).any()
        for column in table.columns
        for values in (_bytes(chunk)[0] for chunk in column.chunks)
        for mark in _LINE_ENDS
    )


def _bytes(array: pa.StringArray) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
    """Return the bytes of all texts, and where each text starts and the last one ends."""
    _, offsets, data = array.buffers()
    if not len(array) or data is None:
        return np.empty(0, np.uint8), np.zeros(len(array) + 1, np.int32)
    starts = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(data, np.uint8)[starts[0] : starts[-1]], starts - starts[0]
