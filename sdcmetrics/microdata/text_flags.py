"""Which texts of a column have a pattern, and their cast."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.microdata.arrays import Counts


def cast_or_none(tokens: pa.ChunkedArray, to: pa.DataType) -> pa.ChunkedArray | None:
    """Return texts as another type; None where one of them is none."""
    try:
        return tokens.cast(to)
    except pa.ArrowInvalid:
        return None


def matches(tokens: pa.ChunkedArray, pattern: str) -> pa.ChunkedArray:
    """Return which texts have a pattern."""
    return pc.match_substring_regex(tokens, pattern)


def all_set(flags: pa.ChunkedArray, tokens: pa.ChunkedArray) -> bool:
    """Return whether the flag is set for every value that is not missing."""
    return bool(count_set(flags) == len(tokens) - tokens.null_count)


def any_set(flags: pa.ChunkedArray) -> bool:
    """Return whether the flag is set for any value."""
    return count_set(flags) > 0


def count_set(flags: pa.ChunkedArray, counts: Counts | None = None) -> int:
    """Return how many flags are set; with `counts` each stands for that many cells."""
    if counts is None:
        return int(pc.sum(flags, min_count=0).as_py())
    return int(counts[np.asarray(pc.fill_null(flags, fill_value=False), dtype=np.bool_)].sum())
