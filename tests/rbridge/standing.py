"""A session that answers without R, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sdcmetrics import rbridge
from sdcmetrics.rbridge.session import Answer
from sdcmetrics.rbridge.wire import RColumn, RFrame


class Standing(rbridge.Session):
    """Answers with a value, or with what a function of name and arguments returns."""

    def __init__(self, value: Any = None, *, version: str = "1.9.3") -> None:
        super().__init__()
        self.value, self.version = value, version
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.kept: list[tuple[str, dict[str, Any]]] = []

    @property
    def versions(self) -> dict[str, str]:
        """Of an R that nobody has started."""
        return {"r": "4.4.1", "synthpop": self.version}

    def call(self, name: str, /, **arguments: Any) -> Answer:
        """Answer at once."""
        self.asked.append((name, arguments))
        made = self.value(name, arguments) if isinstance(self.value, Callable) else self.value  # type: ignore[arg-type]
        return Answer(made, "printed", ("careful",))

    def keep(self, id_: str, payload: dict[str, Any]) -> Answer:
        """Keep what would be sent."""
        self.kept.append((id_, payload))
        return Answer(None)


def flat(**columns: list[Any]) -> RFrame:
    """Return a flat table as R returns it: texts, and numbers as doubles."""
    made = {
        name: RColumn("text", values)
        if isinstance(values[0], str)
        else RColumn("number", np.array(values, dtype=float))
        for name, values in columns.items()
    }
    return RFrame(made, len(next(iter(columns.values()))))


def spread(rows: dict[Any, dict[str, float]], key: str = "synthesis") -> RFrame:
    """Return a flat table of a number per row and symbol."""
    every = [(row, s, v) for row, values in rows.items() for s, v in values.items()]
    names, symbols, values = (list(part) for part in zip(*every, strict=True))
    return flat(**{key: names, "symbol": symbols, "value": values})
