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
from sdcmetrics.review.measurements import Measurements
from sdcmetrics.study.written import refuse_stranger

Progress = Callable[[str, int, int], None]
"""Called with a step in words, the steps done and the steps in all."""


_AT_ONCE = 50_000
"""Rows that are written to the checkpoint at a time."""


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
        self._parts: list[dict[str, npt.NDArray[Any]]] = []
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
        if len(rows["metric"]):
            names = np.broadcast_to(np.array([replica], dtype=object), len(rows["metric"]))
            part = {"replica": names, **rows}
            self._parts.append(part)
            if self._checkpoint is not None:
                _append(part, self._checkpoint)

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


def _append(rows: Rows, checkpoint: Path) -> None:
    """Write with Arrow, which takes a fifth of the time that pandas takes."""
    text_of = cached(str)
    with checkpoint.open("ab") as file:
        for start in range(0, len(rows["metric"]), _AT_ONCE):
            columns: dict[str, Any] = {n: rows[n][start : start + _AT_ONCE] for n in COLUMNS}
            for name in ("keys", "variables"):
                columns[name] = [text_of(names) for names in columns[name]]
            table = pa.table({n: pa.array(of, from_pandas=True) for n, of in columns.items()})
            write_csv(table, file, WriteOptions(include_header=False))
