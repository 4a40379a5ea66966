"""The second pass: the records of a column as codes of its distinct values, batch by batch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import DataError
from sdcmetrics.microdata.arrays import Bools, Codes
from sdcmetrics.microdata.sources.distinct import SCALES, Distinct, is_numeric, to_numpy
from sdcmetrics.microdata.sources.loops import (
    code_levels,
    code_runs,
    code_scaled,
    code_whole,
    loop,
)

_LARGEST_RANGE, _SMALL_RANGE, _RANGE_OF_A_KEY = 1 << 22, 1 << 16, 64
"""Places of a table of codes by value: at most, whatever there is, and per distinct value."""
_NONE = np.empty(0, dtype=np.bool_)
_NO_VALUE = np.uint64(0xFFF8_5A5A_5A5A_5A5A)  # the bits of no number that a file has


@dataclass(frozen=True, eq=False)
class Coder:
    """Turns the values of one column into codes.

    Attributes
    ----------
    name : the column's name in the source
    source : what messages call the data set
    distinct : Distinct
    lookup : int array
        The code of each distinct value.
    """

    name: str
    source: str
    distinct: Distinct
    lookup: Codes

    @property
    def key(self) -> tuple[str, bytes]:
        """What tells the codes of this column from others."""
        return self.name, blake2b(self.lookup.tobytes()).digest()

    def codes(self, array: pa.Array) -> Codes:
        """Return the code of every value.

        Raises
        ------
        DataError
            If a value is seen that was not there in the first pass.
        """
        if array.null_count and not self.distinct.has_null:
            self._refuse()
        missing = np.asarray(array.is_null()) if array.null_count else _NONE
        missing_code = self.lookup[-1] if array.null_count else -1
        codes = np.empty(len(array), self.lookup.dtype)
        fill = self._fill_numbers if is_numeric(array.type) else self._fill_texts
        if not fill(array, missing, int(missing_code), codes):
            self._refuse()
        return codes

    def identities(self, array: pa.Array) -> npt.NDArray[Any]:
        """Return a number for each value that tells it from others, also where it is rounded."""
        if not self.distinct.rounded:
            return self.codes(array)
        missing = np.asarray(array.is_null())
        values = to_numpy(array.fill_null(pa.scalar(0, array.type)) if missing.any() else array)
        if values.dtype == np.float64:
            values = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, one zero
        return np.where(missing, _NO_VALUE, values.view(np.uint64))

    def _fill_texts(self, array: pa.Array, missing: Bools, missing_code: int, codes: Codes) -> bool:
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        indices = _values(array.indices)
        entries = pc.index_in(array.dictionary, value_set=self._levels)
        of_entry = np.append(self.lookup, -1).astype(self.lookup.dtype)
        of_level = of_entry[np.asarray(pc.fill_null(entries, len(self.lookup)))]
        code = loop(code_levels, codes.dtype.name)
        filled: bool = code(_plain(indices, np.int32), of_level, missing, missing_code, codes)
        return filled

    @cached_property
    def _levels(self) -> pa.Array:
        values = self.distinct.values
        return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values

    def _fill_numbers(
        self, array: pa.Array, missing: Bools, missing_code: int, codes: Codes
    ) -> bool:
        keys, kind = self.distinct.keys, codes.dtype.name
        if not len(keys):
            codes[:] = missing_code
            return len(missing) == len(array)
        values = _plain(to_numpy(_values(array)), keys.dtype)
        nan_code = int(self.lookup[len(keys) - 1]) if self._has_nan else -1
        filled: bool
        if (scaled := self._scaled) is not None:
            scale, low, table = scaled
            if keys.dtype == np.int64:
                code = loop(code_whole, kind)
                filled = code(values, int(low), table, missing, missing_code, codes)
            else:
                code = loop(code_scaled, kind)
                filled = code(values, scale, low, table, missing, missing_code, nan_code, codes)
            return filled
        code = loop(code_runs, kind, keys.dtype.name)
        filled = code(values, *self._runs, missing, missing_code, nan_code, codes)
        return filled

    @cached_property
    def _has_nan(self) -> bool:
        keys = self.distinct.keys
        return bool(keys.dtype == np.float64 and len(keys) and np.isnan(keys[-1]))

    @cached_property
    def _scaled(self) -> tuple[float, float, Codes] | None:
        """Codes by scaled value from the lowest on, where values are multiples of a decimal."""
        keys = self.distinct.keys[: len(self.distinct.keys) - self._has_nan]
        most = min(_LARGEST_RANGE, max(_SMALL_RANGE, _RANGE_OF_A_KEY * len(keys)))
        if self.distinct.rounded or not len(keys):
            return None
        for scale in SCALES if keys.dtype == np.float64 else (1.0,):
            whole = np.rint(keys * scale) if keys.dtype == np.float64 else keys
            low = whole[0]
            same = whole is keys or np.array_equal(whole / scale, keys)
            if same and float(whole[-1]) - float(low) < most:
                table = np.full(int(whole[-1] - low) + 1, -1, self.lookup.dtype)
                table[(whole - low).astype(np.intp)] = self.lookup[: len(keys)]
                return scale, low, table
        return None

    @cached_property
    def _runs(self) -> tuple[npt.NDArray[Any], Codes]:
        """Where, in increasing values, the code changes, and the codes."""
        keys = self.distinct.keys[: len(self.distinct.keys) - self._has_nan]
        codes = self.lookup[: len(keys)]
        starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
        return keys[starts[1:]], codes[starts]

    def _refuse(self) -> None:
        msg = (
            f"{self.source}: column {self.name!r} has other values than when it was read first. "
            "Its data changed meanwhile, or are drawn anew whenever they are read. Start again "
            "when nobody writes to them, or from a file."
        )
        raise DataError(msg)


def _values(array: pa.Array) -> pa.Array:
    """Return an array without what says which values are null, where anything may stand."""
    if not array.null_count:
        return array
    buffers = [None, array.buffers()[1]]
    return pa.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)


def _plain(array: Any, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    return np.require(array, dtype=kind, requirements=["C", "A"])
