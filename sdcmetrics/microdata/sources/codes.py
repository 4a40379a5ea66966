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
from sdcmetrics.microdata.arrays import Codes
from sdcmetrics.microdata.sources.distinct import Distinct, is_numeric, to_numpy

_LARGEST_RANGE = 1 << 22
_FEW = 16
_NO_VALUE = np.uint64(0xFFF8_5A5A_5A5A_5A5A)  # the bits of no number that a file has


@dataclass(frozen=True, eq=False)
class Coder:
    """Turns the values of one column into codes.

    Attributes
    ----------
    name : the column's name in the source
    source : what messages call the data set
    found : Distinct
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
        codes = self._of_numbers(array) if is_numeric(array.type) else self._of_texts(array)
        if array.null_count:
            if not self.distinct.has_null:
                self._refuse()
            codes[np.asarray(array.is_null())] = self.lookup[-1]
        return codes

    def identities(self, array: pa.Array) -> npt.NDArray[np.uint64]:
        """Return a number for each value that tells it from others, also where it is rounded."""
        if not self.distinct.rounded:
            return self.codes(array).astype(np.uint64)
        missing = np.asarray(array.is_null())
        values = to_numpy(array.fill_null(pa.scalar(0, array.type)) if missing.any() else array)
        if values.dtype == np.float64:
            values = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, one zero
        return np.where(missing, _NO_VALUE, values.view(np.uint64))

    def _of_texts(self, array: pa.Array) -> Codes:
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        entries = pc.index_in(array.dictionary, value_set=self._levels)
        of_level = np.append(self.lookup, -1).astype(self.lookup.dtype)
        of_level = np.append(of_level[np.asarray(pc.fill_null(entries, len(self.lookup)))], 0)
        nowhere = len(of_level) - 1  # where null is put for a moment
        codes: Codes = of_level[np.asarray(pc.fill_null(array.indices, nowhere).cast(pa.int64()))]
        if entries.null_count and codes.min(initial=0) < 0:
            self._refuse()
        return codes

    @cached_property
    def _levels(self) -> pa.Array:
        values = self.distinct.values
        return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values

    def _of_numbers(self, array: pa.Array) -> Codes:
        keys = self.distinct.keys
        if not len(keys):
            return np.zeros(len(array), self.lookup.dtype)
        aside = None
        if array.null_count:  # what stands under null may be anything
            aside = np.asarray(array.is_null())
            buffers = [None, array.buffers()[1]]
            array = pa.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)
        values = to_numpy(array)
        if self._has_nan:
            nan = np.isnan(values)
            aside = nan if aside is None else nan | aside
        if aside is not None:
            values = np.where(aside, keys[0], values)
        codes = self._in_range(values) if self._table is not None else self._in_runs(values)
        if self._has_nan:
            codes[nan] = self.lookup[len(keys) - 1]
        return codes

    @cached_property
    def _has_nan(self) -> bool:
        keys = self.distinct.keys
        return bool(keys.dtype == np.float64 and len(keys) and np.isnan(keys[-1]))

    @cached_property
    def _table(self) -> Codes | None:
        """Codes by value from the lowest on, where values are whole numbers of a small range."""
        keys = self.distinct.keys[: len(self.distinct.keys) - self._has_nan]
        if self.distinct.rounded or not len(keys) or keys[-1] - keys[0] >= _LARGEST_RANGE:
            return None
        if keys.dtype == np.float64 and not np.array_equal(keys, np.rint(keys)):
            return None
        table = np.full(int(keys[-1] - keys[0]) + 1, -1, self.lookup.dtype)
        table[(keys - keys[0]).astype(np.intp)] = self.lookup[: len(keys)]
        return table

    def _in_range(self, values: npt.NDArray[Any]) -> Codes:
        table, low = self._table, self.distinct.keys[0]
        assert table is not None  # noqa: S101  (who calls it knows)
        place = (values - low).astype(np.intp, copy=False)
        if place.min(initial=0) < 0 or place.max(initial=0) >= len(table):
            self._refuse()
        codes: Codes = table[place]
        if codes.min(initial=0) < 0:
            self._refuse()
        return codes

    @cached_property
    def _runs(self) -> tuple[npt.NDArray[Any], Codes]:
        """Where, in increasing values, the code changes, and the codes."""
        keys = self.distinct.keys[: len(self.distinct.keys) - self._has_nan]
        codes = self.lookup[: len(keys)]
        starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
        return keys[starts[1:]], codes[starts]

    def _in_runs(self, values: npt.NDArray[Any]) -> Codes:
        cuts, codes = self._runs
        if len(cuts) > _FEW:
            run = np.searchsorted(cuts, values, side="right")
        else:
            run = np.zeros(len(values), np.int8)
            for cut in cuts:
                run += values >= cut
        out: Codes = codes[run]
        return out

    def _refuse(self) -> None:
        msg = (
            f"{self.source}: column {self.name!r} has other values than when it was read first. "
            "Its data changed meanwhile, or are drawn anew whenever they are read. Start again "
            "when nobody writes to them, or from a file."
        )
        raise DataError(msg)
