"""The flat tables of adapters.R to the frames and series that the native functions return."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdcmetrics.rbridge.columns import as_frame
from sdcmetrics.rbridge.wire import RFrame


def long_frame(table: RFrame | None, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Return a flat table as it is; an empty frame with these columns where R returned none."""
    if table is None:
        return pd.DataFrame({name: [] for name in columns})
    return as_frame(table)


def wide(table: RFrame | None, rows: str | list[str]) -> pd.DataFrame:
    """Spread symbols over columns, in the order in which they come; one row per entry of `rows`.

    Examples
    --------
    >>> import numpy as np
    >>> from sdcmetrics.rbridge.wire import RColumn
    >>> table = RFrame(
    ...     {
    ...         "term": RColumn("text", ["b", "a", "b", "a"]),
    ...         "symbol": RColumn("text", ["z", "z", "p", "p"]),
    ...         "value": RColumn("number", np.array([1.0, 2.0, 3.0, 4.0])),
    ...     },
    ...     4,
    ... )
    >>> wide(table, "term")
          z    p
    term
    b   1.0  3.0
    a   2.0  4.0
    """
    long = long_frame(table, [*([rows] if isinstance(rows, str) else rows), "symbol", "value"])
    keys = [rows] if isinstance(rows, str) else rows
    order = pd.MultiIndex.from_frame(long[keys].drop_duplicates())
    parts = {s: part.set_index(keys)["value"] for s, part in long.groupby("symbol", sort=False)}
    frame = pd.DataFrame(parts)
    return frame.reindex(order.get_level_values(0) if len(keys) == 1 else order)


def by_synthesis(table: RFrame | None) -> pd.DataFrame:
    """Return one row per synthesis, one column per symbol."""
    frame = wide(table, "synthesis")
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="synthesis")
    return frame.astype("float64")
