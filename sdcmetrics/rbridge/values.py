"""Python values to R values and back; imported only in the process that runs R."""

from __future__ import annotations

from typing import Any

import numpy as np
from rpy2 import rinterface as ri

from sdcmetrics.rbridge.wire import RColumn, RFrame

__all__ = ["from_r", "to_r"]

_KINDS = {"Date": "date", "POSIXct": "time"}


def to_r(value: Any) -> Any:
    """Make an R value: None, numbers, texts, lists, dicts, arrays and frames."""
    if value is None:
        return ri.NULL
    if isinstance(value, RFrame):
        return _frame_to_r(value)
    if isinstance(value, dict):
        return _named([to_r(item) for item in value.values()], list(value))
    if isinstance(value, np.ndarray):
        return ri.IntSexpVector(value) if value.dtype == np.int32 else ri.FloatSexpVector(value)
    many = list(value) if isinstance(value, list | tuple) else [value]
    return _vector(many)


def _vector(many: list[Any]) -> Any:
    kinds = {type(item) for item in many if item is not None}
    if kinds == {bool}:
        return ri.BoolSexpVector([ri.NA_Logical if v is None else v for v in many])
    if kinds == {int}:
        return ri.IntSexpVector([ri.NA_Integer if v is None else v for v in many])
    if kinds <= {int, float} and kinds:
        return ri.FloatSexpVector([ri.NA_Real if v is None else float(v) for v in many])
    if kinds == {str}:
        return ri.StrSexpVector([ri.NA_Character if v is None else v for v in many])
    if many and not kinds:
        return ri.BoolSexpVector([ri.NA_Logical] * len(many))
    return ri.ListSexpVector([to_r(item) for item in many])


def _named(items: list[Any], names: list[str]) -> Any:
    out = ri.ListSexpVector(items)
    out.do_slot_assign("names", ri.StrSexpVector(names))
    return out


def _frame_to_r(frame: RFrame) -> Any:
    """Describe a frame; `restore_frame` in adapters.R makes it."""
    columns = frame.columns.values()
    values = [
        _texts(c.values) if isinstance(c.values, list) else to_r(np.ascontiguousarray(c.values))
        for c in columns
    ]
    parts = {
        "names": ri.StrSexpVector(list(frame.columns)),
        "kinds": ri.StrSexpVector([c.kind for c in columns]),
        "values": ri.ListSexpVector(values),
        "levels": ri.ListSexpVector([ri.StrSexpVector(list(c.levels)) for c in columns]),
        "n": ri.IntSexpVector([frame.n]),
    }
    return _named(list(parts.values()), list(parts))


def _texts(values: list[str | None]) -> Any:
    return ri.StrSexpVector([ri.NA_Character if v is None else v for v in values])


def from_r(value: Any) -> Any:
    """Make a Python value: None, arrays, lists of text, lists, dicts and frames."""
    if value is ri.NULL:
        return None
    if isinstance(value, ri.ListSexpVector):
        names = _names(value)
        if "data.frame" in tuple(value.rclass):
            columns = {n: _column(v) for n, v in zip(names or [], value, strict=True)}
            first = next(iter(columns.values()), None)
            return RFrame(columns, 0 if first is None else len(first.values))
        items = [from_r(item) for item in value]
        return items if names is None else dict(zip(names, items, strict=True))
    if isinstance(value, ri.StrSexpVector):
        return [None if item is ri.NA_Character else str(item) for item in value]
    if isinstance(value, ri.FloatSexpVector):
        return np.array(value.memoryview(), dtype=np.float64)
    if isinstance(value, ri.IntSexpVector | ri.BoolSexpVector):
        return np.array(value.memoryview(), dtype=np.int32)
    msg = f"adapters.R returned an R value of class {'/'.join(value.rclass)}, which has no twin"
    raise TypeError(msg)


def _names(value: Any) -> list[str] | None:
    names = value.names
    return None if names is ri.NULL else [str(name) for name in names]


def _column(value: Any) -> RColumn:
    classes = tuple(value.rclass)
    if "factor" in classes:
        levels = tuple(str(level) for level in value.do_slot("levels"))
        kind = "ordered" if "ordered" in classes else "category"
        return RColumn(kind, np.array(value.memoryview(), dtype=np.int32), levels)
    kind = next((_KINDS[name] for name in classes if name in _KINDS), "")
    if kind:
        return RColumn(kind, np.array(value.memoryview(), dtype=np.float64))
    if isinstance(value, ri.StrSexpVector):
        return RColumn("text", from_r(value))
    if isinstance(value, ri.BoolSexpVector):
        return RColumn("boolean", from_r(value))
    if isinstance(value, ri.IntSexpVector):
        return RColumn("integer", from_r(value))
    return RColumn("number", from_r(value))
