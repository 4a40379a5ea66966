"""Python values to R values and back; imported only in the process that runs R."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.rbridge.wire import RColumn, RFrame

_KINDS = {"Date": "date", "POSIXct": "time"}


class Values:
    """Converts values; made once R runs."""

    def __init__(self) -> None:
        from rpy2 import rinterface  # here, so that the module can be read without rpy2

        self._ri = rinterface

    def to_r(self, value: Any) -> Any:
        """Make an R value: None, numbers, texts, lists, dicts, arrays and frames."""
        if value is None:
            return self._ri.NULL
        if isinstance(value, RFrame):
            return self._frame_to_r(value)
        if isinstance(value, dict):
            return self._named([self.to_r(item) for item in value.values()], list(value))
        if isinstance(value, np.ndarray):
            return (
                self._ri.IntSexpVector(value)
                if value.dtype == np.int32
                else self._ri.FloatSexpVector(value)
            )
        items = list(value) if isinstance(value, list | tuple) else [value]
        return self._vector(items)

    def _vector(self, items: list[Any]) -> Any:
        ri, kinds = self._ri, {type(item) for item in items if item is not None}
        for fitting, make, absent in (
            ({bool}, ri.BoolSexpVector, ri.NA_Logical),
            ({int}, ri.IntSexpVector, ri.NA_Integer),
            ({int, float}, ri.FloatSexpVector, ri.NA_Real),
            ({str}, ri.StrSexpVector, ri.NA_Character),
        ):
            if items and kinds <= fitting:
                return make([absent if item is None else item for item in items])
        return ri.ListSexpVector([self.to_r(item) for item in items])

    def _named(self, items: list[Any], names: list[str]) -> Any:
        out = self._ri.ListSexpVector(items)
        out.do_slot_assign("names", self._ri.StrSexpVector(names))
        return out

    def _frame_to_r(self, frame: RFrame) -> Any:
        """Describe a frame; `restore_frame` in adapters.R makes it."""
        columns = frame.columns.values()
        values = [
            self._texts(c.values)
            if isinstance(c.values, list)
            else self.to_r(np.ascontiguousarray(c.values))
            for c in columns
        ]
        parts = {
            "names": self._ri.StrSexpVector(list(frame.columns)),
            "kinds": self._ri.StrSexpVector([c.kind for c in columns]),
            "values": self._ri.ListSexpVector(values),
            "levels": self._ri.ListSexpVector(
                [self._ri.StrSexpVector(list(c.levels)) for c in columns]
            ),
            "n": self._ri.IntSexpVector([frame.n]),
        }
        return self._named(list(parts.values()), list(parts))

    def _texts(self, values: list[str | None]) -> Any:
        return self._ri.StrSexpVector([self._ri.NA_Character if v is None else v for v in values])

    def from_r(self, value: Any) -> Any:
        """Make a Python value: None, arrays, lists of text, lists, dicts and frames."""
        if value is self._ri.NULL:
            return None
        if isinstance(value, self._ri.ListSexpVector):
            names = self._names(value)
            if "data.frame" in tuple(value.rclass):
                columns = {n: self._column(v) for n, v in zip(names or [], value, strict=True)}
                first = next(iter(columns.values()), None)
                return RFrame(columns, 0 if first is None else len(first.values))
            items = [self.from_r(item) for item in value]
            return items if names is None else dict(zip(names, items, strict=True))
        if isinstance(value, self._ri.StrSexpVector):
            return [None if item is self._ri.NA_Character else str(item) for item in value]
        if isinstance(value, self._ri.FloatSexpVector):
            return _array(value, np.float64)
        if isinstance(value, self._ri.IntSexpVector | self._ri.BoolSexpVector):
            return _array(value, np.int32)
        msg = f"adapters.R returned an R value of class {'/'.join(value.rclass)}, which has no twin"
        raise TypeError(msg)

    def _names(self, value: Any) -> list[str] | None:
        names = value.names
        return None if names is self._ri.NULL else [str(name) for name in names]

    def _column(self, value: Any) -> RColumn:
        classes = tuple(value.rclass)
        if "factor" in classes:
            levels = tuple(str(level) for level in value.do_slot("levels"))
            kind = "ordered" if "ordered" in classes else "category"
            return RColumn(kind, _array(value, np.int32), levels)
        kind = next((_KINDS[name] for name in classes if name in _KINDS), "")
        if kind:
            return RColumn(kind, _array(value, np.float64))
        if isinstance(value, self._ri.StrSexpVector):
            return RColumn("text", self.from_r(value))
        if isinstance(value, self._ri.BoolSexpVector):
            return RColumn("boolean", self.from_r(value))
        if isinstance(value, self._ri.IntSexpVector):
            return RColumn("integer", self.from_r(value))
        return RColumn("number", self.from_r(value))


def _array(vector: Any, kind: type[np.generic]) -> npt.NDArray[np.generic]:
    # rpy2 cannot make a view of a vector without elements
    return np.array(vector.memoryview() if len(vector) else [], dtype=kind)
