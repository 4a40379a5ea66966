"""Data sets to columns for R: missing is R's NA, factors stand over one set of levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.read_columns import read_column
from sdcmetrics.microdata.schema import Harmonised, Variable
from sdcmetrics.rbridge.wire import RColumn, RFrame

NA_INTEGER = -(2**31)
_NA_REAL = np.uint64(0x7FF00000000007A2)  # the NaN that R calls NA
_DAY = 86_400_000.0


def number(values: npt.NDArray[np.floating[Any]], kind: str = "number") -> RColumn:
    """Make a column of doubles; NaN becomes R's NA.

    Examples
    --------
    >>> bool(number(np.array([1.0, np.nan])).values.view(np.uint64)[1] == _NA_REAL)
    True
    """
    out = np.array(values, dtype=np.float64)
    out.view(np.uint64)[np.isnan(out)] = _NA_REAL
    return RColumn(kind, out)


def category(codes: npt.NDArray[np.integer[Any]], levels: Sequence[str]) -> RColumn:
    """Make a factor of codes from 0, -1 being missing."""
    wide = codes.astype(np.int64)
    return RColumn("category", _with_na(wide + 1, wide < 0), tuple(levels))


def from_harmonised(data: Harmonised) -> list[RFrame]:
    """Return the original and the syntheses as frames for R, in this order."""
    return [
        RFrame({v.name: _from_variable(v, part) for v in data.variables.values()}, size)
        for part, size in enumerate(data.sizes)
    ]


def _from_variable(variable: Variable, part: int) -> RColumn:
    if variable.values:
        days = variable.kind is Kind.DATE and all(map(_whole_days, variable.values))
        return _numeric(variable.kind, variable.values[part], days=days)
    return _coded(variable.kind, variable.codes[part], variable.levels)


def _numeric(kind: Kind | None, values: npt.NDArray[np.float64], *, days: bool) -> RColumn:
    if kind is Kind.NUMBER:
        return number(values)
    return number(values / _DAY, "date") if days else number(values / 1000.0, "time")


def _coded(kind: Kind | None, codes: Any, levels: Sequence[str]) -> RColumn:
    if kind is Kind.BOOLEAN:
        return RColumn("boolean", _with_na(codes.astype(np.int64), codes < 0))
    return category(codes, levels)


def _whole_days(values: npt.NDArray[np.float64]) -> bool:
    return bool(np.all(np.nan_to_num(values) % _DAY == 0))


def _with_na(values: npt.NDArray[np.int64], missing: npt.NDArray[np.bool_]) -> Any:
    return np.where(missing, NA_INTEGER, values).astype(np.int32)


def from_microdata(data: Microdata, fixes: list[Fix]) -> RFrame:
    """Return a data set for R unchanged: its own levels, text as text, integers as integers."""
    return RFrame({name: _as_it_is(data, name, fixes) for name in data.columns}, data.n)


def _as_it_is(data: Microdata, name: str, fixes: list[Fix]) -> RColumn:
    array = data.table.column(name)
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return RColumn("text", array.to_pylist())
    column = read_column(data, name, fixes)
    if column.kind is None:
        return number(np.full(column.n, np.nan))
    if column.kind is Kind.NUMBER:
        missing = np.isnan(column.values)
        whole = np.where(missing, 0, column.values)
        if pa.types.is_integer(kind) and bool(np.all(np.abs(whole) < -NA_INTEGER)):
            return RColumn("integer", _with_na(whole.astype(np.int64), missing))
    if column.kind in (Kind.NUMBER, Kind.DATE):
        return _numeric(column.kind, column.values, days=_whole_days(column.values))
    out = _coded(column.kind, column.codes, column.levels)
    ordered = pa.types.is_dictionary(kind) and kind.ordered
    return RColumn("ordered", out.values, out.levels) if ordered else out


def as_frame(frame: RFrame) -> pd.DataFrame:
    """Return a frame that came from R as a pandas frame."""
    return pd.DataFrame({name: _to_pandas(column) for name, column in frame.columns.items()})


def _to_pandas(column: RColumn) -> Any:
    values: Any = column.values
    if column.kind == "text":
        return pd.Series(values, dtype="str" if None not in values else object)
    if column.kind in ("category", "ordered"):
        codes: Any = np.where(values == NA_INTEGER, 0, values) - 1
        kind = pd.CategoricalDtype(list(column.levels), ordered=column.kind == "ordered")
        return pd.Categorical.from_codes(codes, dtype=kind)
    if column.kind in ("integer", "boolean"):
        return _whole(values, "bool" if column.kind == "boolean" else "int64")
    # R's NA is a signalling NaN to numpy, which warns in any arithmetic.
    plain = np.where(np.isnan(values), np.nan, values)
    if column.kind == "date":
        return pd.Series(pd.to_datetime(plain, unit="D")).astype("datetime64[s]")
    if column.kind == "time":
        return pd.Series(pd.to_datetime(plain, unit="s"))
    return plain


def _whole(values: npt.NDArray[np.int32], kind: str) -> Any:
    missing = values == NA_INTEGER
    if not missing.any():
        return values.astype(kind)
    plain = np.where(missing, 0, values)
    if kind == "bool":
        return pd.Series(pd.arrays.BooleanArray(plain.astype(bool), missing))
    return pd.Series(pd.arrays.IntegerArray(plain.astype(np.int64), missing))


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
    row = long.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    column, symbols = pd.factorize(long["symbol"])
    spread = np.full((len(order), len(symbols)), np.nan)
    spread[row, column] = long["value"]
    index = order.get_level_values(0) if len(keys) == 1 else order
    return pd.DataFrame(spread, index=index, columns=symbols)


def by_synthesis(table: RFrame | None) -> pd.DataFrame:
    """Return one row per synthesis, one column per symbol."""
    frame = wide(table, "synthesis")
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="synthesis")
    return frame.astype("float64")
