"""Progress of a review: steps, seconds, and rows so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache as cached
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow.csv import WriteOptions, write_csv

from sdcmetrics.errors import FileError
from sdcmetrics.review.measurement import COLUMNS, Rows
from sdcmetrics.review.measurements import Measurements, without_repeats
from sdcmetrics.study.written import refuse_stranger

Progress = Callable[[str, int, int], None]
"""Called with a step in words, the steps done and the steps in all."""


_AT_ONCE = 50_000
"""Rows that are written to the checkpoint at a time."""

_TUPLES = ("keys", "variables")

_MANY = 10_000
"""Rows of a step from which what they repeat is worth dividing them."""


class Clock:
    """Seconds of each step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Take the time of a step."""
        start = time.perf_counter()
        yield
        self.seconds[step] = self.seconds.get(step, 0.0) + time.perf_counter() - start


class Log:
    """Collects rows, tells progress, and appends what is measured to the checkpoint."""

    def __init__(self, progress: Progress | None, steps: int, checkpoint: Path | None) -> None:
        self._progress, self.steps, self._done = progress, steps, 0
        self._checkpoint = checkpoint
        self._parts: list[Rows] = []
        self._names: npt.NDArray[Any] | None = None
        self._texts: pa.Array = None
        if checkpoint is not None:
            _start(checkpoint)

    def tell(self, step: str) -> None:
        """Report the step that begins."""
        if self._progress is not None:
            self._progress(step, self._done, self.steps)

    def done(self, step: str) -> None:
        """Report the step that has ended."""
        self._done += 1
        self.tell(step)

    def skip(self) -> None:
        """Count a step in which there was nothing to do."""
        self._done += 1

    def add(self, replica: str, rows: Rows) -> None:
        """Add the rows of a replica."""
        number = len(rows["metric"])
        names = np.broadcast_to(np.array([replica], dtype=object), number)
        whole: Rows = {"replica": names, **rows}
        for part in without_repeats(whole) if number > _MANY else [whole] * bool(number):
            self._parts.append(part)
            if self._checkpoint is not None:
                _append(part, self._checkpoint, self._variables(part["variables"]))

    def _variables(self, names: npt.NDArray[Any]) -> pa.Array:
        """Return variables as text, those of the part before as they were."""
        if names is not self._names:
            self._names, self._texts = names, _as_text(names)
        return self._texts

    def measurements(self) -> Measurements:
        """Return all rows."""
        return Measurements(self._parts)


def _start(checkpoint: Path) -> None:
    """Write the heading, over nothing but what begins with this very heading."""
    heading = ",".join(COLUMNS) + "\n"
    try:
        if checkpoint.is_file():
            with checkpoint.open("rb") as file:
                ours = file.readline(len(heading) + 1) == heading.encode()
            if not ours:
                refuse_stranger(checkpoint, force=False, remedy="remove it")
        checkpoint.write_bytes(heading.encode())
    except OSError as error:
        msg = f"{checkpoint}: the file cannot be written ({error.strerror})."
        raise FileError(msg) from None


def _append(rows: Rows, checkpoint: Path, variables: pa.Array) -> None:
    """Write with Arrow, which takes a fifth of the time that pandas takes."""
    with checkpoint.open("ab") as file:
        for start in range(0, len(rows["metric"]), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            columns = {name: _arrow(rows[name][part]) for name in COLUMNS if name not in _TUPLES}
            columns["keys"] = _as_text(rows["keys"][part])
            columns["variables"] = variables[part]
            table = pa.table({name: columns[name] for name in COLUMNS})
            write_csv(table, file, WriteOptions(include_header=False))


def _as_text(names: npt.NDArray[Any]) -> pa.Array:
    """Return tuples of names as text."""
    if names.strides == (0,):
        return pa.repeat(str(names[0]), len(names))
    return pa.array(list(map(cached(str), names)))


def _arrow(column: npt.NDArray[Any]) -> pa.Array:
    """Return a column for Arrow, which repeats what all rows have."""
    if column.strides == (0,):
        (entry,) = pa.array(column[:1], from_pandas=True)
        return pa.repeat(entry, len(column))
    return pa.array(column, from_pandas=True)
