"""Bring data sets to the precision of the coarsest of them; every change is a fix."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from sdcmetrics.microdata.columns import (
    Column,
    Kind,
    at_precision,
    is_missing,
    local_times,
    relabelled,
)
from sdcmetrics.microdata.frames import Fix, Microdata, label_of

_COARSEST_FIRST = ("float16", "float32")
_INEXACT_FROM = 2.0**53  # a float of this size may stand for two whole numbers
_LONG_INTEGER = re.compile(r"-?[1-9][0-9]{15,}")

Change = tuple[Column, str, int]
"""What a column becomes, what was done in words, and to how many cells."""


def with_missing_texts(
    name: str, columns: Sequence[Column], data: Sequence[Microdata], fixes: list[Fix]
) -> list[Column]:
    """Take texts as missing that the file of another data set cannot tell from missing.

    A delimited file whose NA means missing has no level "NA". Beside it that level of a file of
    another format is missing too, or a copy would not agree with its original.
    """
    texts: dict[str, str] = {}
    for data_set, column in zip(data, columns, strict=True):
        if data_set.missing_texts and is_missing(column).any():
            texts |= dict.fromkeys(data_set.missing_texts, data_set.source)
    if not texts:
        return list(columns)
    key = tuple(texts.items())
    return _each(name, columns, data, fixes, key, lambda column: _without(column, texts))


def _without(column: Column, texts: dict[str, str]) -> Change | None:
    gone = [text in texts for text in column.levels]
    cells = column.cells(np.array([*gone, False])[column.codes])
    if not cells:
        return None
    sources = sorted({texts[level] for level in column.levels if level in texts})
    merged = relabelled(
        column.codes, [None if level in texts else level for level in column.levels]
    )
    what = f"text that means missing in {' and '.join(sources)} was read as missing"
    return replace(column, codes=merged.codes, levels=merged.levels), what, cells


def with_rounded_integers(
    name: str, columns: Sequence[Column], data: Sequence[Microdata], fixes: list[Fix]
) -> list[Column]:
    """Round identifiers of the original's kind, text, as floats of another data set round them."""
    rounded = columns[0].kind is Kind.CATEGORY and any(
        column.kind is Kind.NUMBER and (np.abs(column.values) >= _INEXACT_FROM).any()
        for column in columns
    )
    if not rounded:
        return list(columns)
    return _each(name, columns, data, fixes, "floats", _as_floats)


def _as_floats(column: Column) -> Change | None:
    spelt = [
        label_of(float(level)) if _LONG_INTEGER.fullmatch(level) else level
        for level in column.levels
    ]
    changed = [new != old for new, old in zip(spelt, column.levels, strict=True)]
    cells = column.cells(np.array([*changed, False])[column.codes])
    if not cells:
        return None
    what = "integers above 2^53 were rounded, as another data set has them as floating numbers"
    return relabelled(column.codes, spelt), what, cells


def coarsest(columns: Sequence[Column]) -> str:
    """Return the coarsest type of number among the columns; "" where all are float64."""
    precisions = {column.precision for column in columns}
    return next((precision for precision in _COARSEST_FIRST if precision in precisions), "")


def at_one_precision(
    name: str, columns: Sequence[Column], data: Sequence[Microdata], fixes: list[Fix]
) -> list[Column]:
    """Round numbers to the precision of the coarsest type, and take their shortest decimals."""
    to = coarsest(columns)
    if not to:
        return list(columns)
    return _each(name, columns, data, fixes, to, lambda column: _rounded(column, to))


def _rounded(column: Column, to: str) -> Change | None:
    if column.precision == to:
        return None
    values = at_precision(column.values, to)
    cells = column.cells((values != column.values) & ~np.isnan(values))
    what = f"numbers were rounded to the precision of {to}, which another data set has"
    return (replace(column, values=values), what, cells) if cells else None


def in_one_zone(
    name: str, columns: Sequence[Column], data: Sequence[Microdata], fixes: list[Fix]
) -> list[Column]:
    """Take times by the local clock where another data set has times without a time zone."""
    zones = {column.zone for column in columns if not is_missing(column).all()}
    if "" not in zones or len(zones) == 1:
        return list(columns)
    return _each(name, columns, data, fixes, "local", _by_the_clock)


def _by_the_clock(column: Column) -> Change | None:
    if not column.zone:
        return None
    what = (
        f"times with a time zone were compared by the clock of {column.zone}, because another "
        "data set has times without one"
    )
    return local_times(column), what, column.cells(~is_missing(column))


def _each(
    name: str,
    columns: Sequence[Column],
    data: Sequence[Microdata],
    fixes: list[Fix],
    key: Hashable,
    change: Callable[[Column], Change | None],
) -> list[Column]:
    out = []
    for data_set, column in zip(data, columns, strict=True):

        def make(
            listed: list[Fix], source_data: Microdata = data_set, column: Column = column
        ) -> Column:
            changed = change(column)
            if changed is None:
                return column
            listed.append(Fix(source_data.source, name, changed[1], changed[2]))
            return changed[0].counted_as(column)

        cached = data_set.remember((name, key, column), data[0], make)
        fixes += cached.fixes
        out.append(cached.result)
    return out
