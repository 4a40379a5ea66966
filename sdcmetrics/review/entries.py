"""Columns of very many rows, held as short as what is in them allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

_RARE = 8  # one row in so many has an entry, or fewer do


@dataclass(frozen=True)
class Texts:
    """A column of few texts: the number of each, and what they are; None where there is none."""

    codes: npt.NDArray[np.signedinteger]
    texts: list[Any]

    def __getitem__(self, row: int) -> Any:
        """Return the text of a row."""
        code = self.codes[row]
        return self.texts[code] if code >= 0 else None


@dataclass(frozen=True)
class Rare:
    """A column with an entry in few rows, by row; the others have one of their own."""

    entries: dict[int, Any]
    other: Any

    def __getitem__(self, row: int) -> Any:
        """Return the entry of a row."""
        return self.entries.get(row, self.other)


def entries_of(column: npt.NDArray[Any] | None, *, often: bool = False) -> Any:
    """Return a column to be read by row, with NaN or None where it has nothing.

    Parameters
    ----------
    column : array or None
        None is a column without an entry.
    often : bool
        Whether few texts are in very many rows.

    Examples
    --------
    >>> entries_of(np.array(["TVD", "TVD", "chi2"], dtype=object), often=True)[2]
    'chi2'
    >>> entries_of(np.array([None] * 9, dtype=object))
    Rare(entries={}, other=None)
    """
    if column is None:
        return Rare({}, None)
    if often:
        codes, texts = pd.factorize(column)
        return Texts(codes.astype(np.int32), list(texts))
    number = column.dtype.kind == "f"
    there = ~np.isnan(column) if number else np.fromiter(map(_tells, column), bool, len(column))
    if _RARE * there.sum() > len(there):
        return column
    rows = np.flatnonzero(there)
    entries = dict(zip(rows.tolist(), column[rows].tolist(), strict=True))
    return Rare(entries, np.nan if number else None)


def _tells(entry: Any) -> bool:
    """Whether there is anything: None, NaN and () are nothing."""
    return bool(entry) and entry == entry  # noqa: PLR0124  (NaN)
