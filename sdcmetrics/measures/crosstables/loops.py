"""The loops of counting batches of records, compiled when they are first used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sdcmetrics.microdata.compiled import compiled

_ADDED = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)


def extend(index: Any, size: int, codes: Any) -> None:
    """Make the number of each record that of one variable more, of so many levels."""
    for i in range(len(index)):
        index[i] = index[i] * size + codes[i]


def count_cells(index: Any, counts: Any) -> None:
    """Count the cell of each record."""
    for i in range(len(index)):
        counts[index[i]] += 1


def count_two(first: Any, second: Any, size: int, counts: Any) -> None:
    """Count the cell of each record in a table of two blocks; the second has so many cells."""
    for i in range(len(first)):
        counts[first[i] * size + second[i]] += 1


def count_three(
    first: Any, second: Any, third: Any, size_second: int, size_third: int, counts: Any
) -> None:
    """Count the cell of each record in a table of three blocks."""
    for i in range(len(first)):
        counts[(first[i] * size_second + second[i]) * size_third + third[i]] += 1


def mix(mixed: Any, numbers: Any) -> None:
    """Mix the number of one more value into each record's hash, one to one.

    SplitMix64 (Steele, Lea and Flood 2014).
    """
    for i in range(len(mixed)):
        z = mixed[i] + np.uint64(numbers[i]) + _ADDED
        z = (z ^ (z >> _30)) * _FIRST
        z = (z ^ (z >> _27)) * _SECOND
        mixed[i] = z ^ (z >> _31)


_SIGNATURES: dict[Callable[..., Any], str] = {
    extend: "void(int64[::1], int64, {kind})",
    count_cells: "void({kind}, int64[::1])",
    count_two: "void({kind}, {kind}, int64, int64[::1])",
    count_three: "void({kind}, {kind}, {kind}, int64, int64, int64[::1])",
    mix: "void(uint64[::1], {kind})",
}


def loop(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """Return a loop compiled for numbers of a type."""
    signature = _SIGNATURES[function].format(kind=f"Array({kind}, 1, 'C', True)")
    return compiled(function, signature)
