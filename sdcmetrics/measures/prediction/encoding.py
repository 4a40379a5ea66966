"""Records as the numbers that a model takes, learnt from its training records alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.microdata.arrays import Floats

_MOST_LEVELS = 255  # of one column: a text of thousands would fill the memory and say little
_BELOW = -1e30  # a missing number for trees: below every number, and within single precision


@dataclass(frozen=True)
class _Levels:
    name: str
    codes: npt.NDArray[np.int64]

    @property
    def width(self) -> int:
        return len(self.codes)

    def fill(self, records: Records, out: Floats) -> None:
        out[:] = records.codes[self.name][:, None] == self.codes


@dataclass(frozen=True)
class _Number:
    name: str

    @property
    def width(self) -> int:
        return 1

    def fill(self, records: Records, out: Floats) -> None:
        out[:, 0] = np.nan_to_num(records.numbers[self.name], nan=_BELOW)


@dataclass(frozen=True)
class _Scaled:
    name: str
    mean: float
    sd: float
    flagged: bool

    @property
    def width(self) -> int:
        return 1 + self.flagged

    def fill(self, records: Records, out: Floats) -> None:
        values = records.numbers[self.name]
        missing = np.isnan(values)
        out[:, 0] = np.where(missing, 0.0, (values - self.mean) / self.sd)
        if self.flagged:
            out[:, 1] = missing


class Encoder:
    """One column per level that the training records have, and one or two per number.

    Levels that they lack, and all but their 255 most frequent ones, have no column: such a record
    has zeros there. What never varies in them is left out.

    Parameters
    ----------
    training : Records
    columns : sequence of names
    scaled : bool
        Numbers less the mean, over the standard deviation; a missing one has the mean, and a
        column that says so where training records lack some. Else numbers are as they are, and a
        missing one is below all others, which is the right thing for trees only.
    """

    def __init__(self, training: Records, columns: Sequence[str], *, scaled: bool) -> None:
        self._columns: list[_Levels | _Number | _Scaled] = []
        for name in columns:
            if name in training.codes:
                counts = np.bincount(training.codes[name])
                varying = np.flatnonzero((counts > 0) & (counts < training.n))
                frequent = varying[np.argsort(-counts[varying], kind="stable")[:_MOST_LEVELS]]
                self._columns.append(_Levels(name, np.sort(frequent)))
            elif scaled_column := _number(name, training.numbers[name], scaled=scaled):
                self._columns.append(scaled_column)
        self.width = sum(column.width for column in self._columns)

    def __call__(self, records: Records) -> Floats:
        """Return a float array of shape (n, width), of one column of zeros where width is 0."""
        out = np.zeros((records.n, max(self.width, 1)))
        start = 0
        for column in self._columns:
            column.fill(records, out[:, start : start + column.width])
            start += column.width
        return out

    def places(self, name: str) -> slice:
        """Return where a column of the records is among those of the result; empty if left out."""
        start = 0
        for column in self._columns:
            if column.name == name:
                return slice(start, start + column.width)
            start += column.width
        return slice(0)


def _number(name: str, values: Floats, *, scaled: bool) -> _Number | _Scaled | None:
    missing = np.isnan(values)
    present = values[~missing]
    varies = len(present) > 0 and bool(np.ptp(present) > 0)
    flagged = bool(missing.any()) and len(present) > 0
    if not (varies or flagged):
        return None
    if not scaled:
        return _Number(name)
    return _Scaled(name, float(present.mean()), float(present.std()) if varies else 1.0, flagged)
